/* SPDX-License-Identifier: MIT */
/* Chooses the subcommand. */
#include "command/command.h"

#include "command/kind.h"
#include "command/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: cupipe run [options] PROGRAM [arguments]    run a CUDA program, no GPU\n";

static const char help[] =
    "  --gdb                 in gdb, which steps through kernels; docs/DEBUGGING.md\n"
    "  --python, --force     for what starts Python; run it though it cannot work\n"
    "other commands; more: man cupipe, docs/ENVIRONMENT.md\n"
    "  cupipe info [--json]         devices, versions, what is found and missing\n"
    "  cupipe env [options]         variables of run, for eval; --python: more\n"
    "  cupipe doctor PROGRAM        why it will not run, and what to do\n"
    "  cupipe trace FILE [--svg F]  timeline and summary of a trace\n"
    "  cupipe profile FILE          what kernels executed, of run --profile\n"
    "  cupipe cache [clear|warm F]  compiled kernels: size; remove, compile of file\n"
    "  cupipe conformance [LIB]     compare with an H200's recorded answers\n"
    "  cupipe smi                   the devices as nvidia-smi shows them\n"
    "  cupipe rebuild [NAME]        a Python package with NVIDIA's runtime inside\n"
    "exit status of run: the program's; 125 wrong use, 126 cannot run, 127 not there\n";

static void print_help(FILE *file)
{
    fputs(usage, file);
    settings_print_help(file);
    fputs(help, file);
}

static int command_help(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    print_help(stdout);
    return 0;
}

static int command_version(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    puts("cupipe " CUPIPE_VERSION);
    return 0;
}

static const struct {
    const char *name;
    int (*call)(int count, char **arguments);
} commands[] = {
    {"run", command_run},           {"env", command_env},     {"info", command_info},
    {"doctor", command_doctor},     {"cache", command_cache}, {"help", command_help},
    {"--help", command_help},       {"-h", command_help},     {"version", command_version},
    {"--version", command_version},
};

/* Programs of their own, which are installed or not. */
static const struct {
    const char *name, *without;
} others[] = {
    {"trace", "this cupipe comes without cupipe-trace"},
    {"profile", "this cupipe comes without cupipe-profile"},
    {"conformance", "the conformance kit is not installed: it is a package of its own, "
                    "cupipe-conformance, and part of a build, as build/bin/cupipe"},
    {"smi", "this cupipe comes without cupipe-smi"},
    {"objdump", "this cupipe comes without cupipe-objdump"},
    {"toolkit", "this cupipe comes without cupipe-toolkit"},
    {"rebuild", "this cupipe comes without cupipe-rebuild"},
};

/* Those that are programs in Python. */
static bool needs_python(const char *name)
{
    static const char *const names[] = {"trace", "profile", "rebuild"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int run_other(int index, char **arguments)
{
    static struct places places;
    char name[64], path[PATH_BYTES], other[PATH_BYTES];

    if (!places_find(&places))
        return EXIT_OURS;
    snprintf(name, sizeof name, "cupipe-%s", others[index].name);
    if ((!path_join(path, places.tools, name) || access(path, X_OK) != 0) &&
        (!path_join(path, places.command, name) || access(path, X_OK) != 0)) {
        say("%s", others[index].without);
        return EXIT_OURS;
    }
    if (needs_python(others[index].name) && path_search("python3", other) != 0) {
        say("cupipe %s needs python3, which is not in PATH", others[index].name);
        return EXIT_OURS;
    }
    if (!kind_is_for(others[index].name, arguments, &places))
        return EXIT_BAD;
    execv(path, arguments);
    say("%s cannot start: %s", path, strerror(errno));
    return EXIT_OURS;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        print_help(stderr);
        return EXIT_OURS;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(arguments[1], commands[i].name) == 0)
            return commands[i].call(count - 1, arguments + 1);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(arguments[1], others[i].name) == 0)
            return run_other((int)i, arguments + 1);
    say("there is no command %s; to run a program: cupipe run %s. See cupipe --help", arguments[1],
        arguments[1]);
    return EXIT_OURS;
}
