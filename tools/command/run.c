/* SPDX-License-Identifier: MIT */
/* cupipe run and cupipe env. The program takes the place of this command (exec), so that its exit
 * status, its signals and its terminal are its own. */
#include "command/command.h"
#include "command/environment.h"
#include "command/kind.h"
#include "command/program.h"
#include "command/python.h"
#include "command/settings.h"
#include "core/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Libcuda writes such a file when the program ends, too late to say that it cannot. */
static bool can_write(const char *option, const char *path)
{
    char folder[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    struct stat status;

    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (access(folder[0] ? folder : "/", W_OK | X_OK) != 0)
        say("%s=\"%s\" cannot be written: %s: %s", option, path, folder[0] ? folder : "/",
            strerror(errno));
    else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        say("%s=\"%s\" is a folder, not a file to write", option, path);
    else if (stat(path, &status) == 0 && access(path, W_OK) != 0)
        say("%s=\"%s\" cannot be written: %s", option, path, strerror(errno));
    else
        return true;
    return false;
}

/* The program may change its folder before the file is written. */
static bool set_file(const struct setting *setting, const char *file)
{
    char folder[PATH_BYTES], path[PATH_BYTES];

    if (file[0] == '/' || !getcwd(folder, sizeof folder) || !path_join(path, folder, file))
        snprintf(path, sizeof path, "%s", file);
    return (path[0] != '/' || can_write(setting->option, path)) &&
           setenv(setting->variable, path, 1) == 0;
}

static const struct setting *find_setting(const char *option, size_t length)
{
    for (const struct setting *each = settings; each->variable; each++)
        if (each->option && strlen(each->option) == length &&
            strncmp(option, each->option, length) == 0)
            return each;
    return NULL;
}

/* Takes "--devices 2" or "--devices=2" at *at and moves it to the last word taken. The value is
 * checked as libcuda checks it. */
static bool take_setting(int count, char **arguments, int *at, bool *good)
{
    const char *word = arguments[*at];
    size_t length = strcspn(word, "=");
    const struct setting *setting = find_setting(word, length);

    if (!setting)
        return false;
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!value && *at + 1 < count)
        value = arguments[++*at];
    *good = value && *value;
    if (!*good)
        say("%.*s needs a value", (int)length, word);
    else if (setting->is_file)
        *good = set_file(setting, value);
    else
        *good = cup_config_check(setting->variable, value, setting->option) &&
                setenv(setting->variable, value, 1) == 0;
    return true;
}

/* Options without a value, and one that may have it: --python=PATH. */
struct flag {
    const char *option;
    bool given;
    const char *value; /* NULL: none */
};

static bool take_flag(struct flag *flags, size_t flag_count, const char *word)
{
    for (size_t i = 0; i < flag_count; i++) {
        size_t length = strlen(flags[i].option);
        bool has_value = strcmp(flags[i].option, "--python") == 0 && word[length] == '=';
        if (strncmp(word, flags[i].option, length) != 0 || (word[length] && !has_value))
            continue;
        flags[i].value = has_value ? word + length + 1 : NULL;
        return flags[i].given = true;
    }
    return false;
}

/* Reads options up to the first word that is none, whose index it returns; -1 after a message. */
static int take_options(int count, char **arguments, struct flag *flags, size_t flag_count)
{
    for (int i = 1; i < count; i++) {
        bool good = true;
        if (strcmp(arguments[i], "--") == 0)
            return i + 1;
        if (arguments[i][0] != '-' || !arguments[i][1])
            return i;
        if (!take_flag(flags, flag_count, arguments[i]) &&
            !take_setting(count, arguments, &i, &good)) {
            say("%s is not an option of cupipe %s; see cupipe --help", arguments[i], arguments[0]);
            return -1;
        }
        if (!good)
            return -1;
    }
    return count;
}

static int explain_search(const struct places *places, const char *name, const char *path,
                          int error)
{
    if (error == ENOENT) {
        if (!strchr(name, '/') && kind_explain(name, places, say))
            return EXIT_CANNOT_RUN;
        if (!strchr(name, '/') && access(name, X_OK) == 0)
            say("there is no program %s in PATH. There is one in this folder: ./%s", name, name);
        else
            say("there is no program %s%s", name, strchr(name, '/') ? "" : " in PATH");
        return EXIT_NOT_FOUND;
    }
    if (!kind_explain(path, places, say))
        say("%s is not an executable file. Make it one with chmod +x, or name its interpreter.",
            path);
    return EXIT_CANNOT_RUN;
}

static int explain_exec(const char *path, const struct program *program)
{
    int error = errno;

    if (error == ENOENT && program->interpreter[0])
        say("%s cannot start: what interprets it, %s, is not there", path, program->interpreter);
    else
        say("%s cannot start: %s", path, strerror(error));
    return EXIT_CANNOT_RUN;
}

/* Starts gdb on the program, with our commands and kernels that it can step through. */
static int run_gdb(const struct places *places, char *path, int count, char **arguments)
{
    static char gdb[PATH_BYTES], script[PATH_BYTES];
    char **words = calloc((size_t)count + 8, sizeof *words);

    if (path_search("gdb", gdb) != 0) {
        say("--gdb needs gdb, which is not in PATH");
        return EXIT_OURS;
    }
    if (!words || !path_join(script, places->tools, "cupipe-gdb.py") ||
        setenv("CUPIPE_DEBUG", "1", 1) != 0) {
        say("memory is out");
        return EXIT_OURS;
    }
    char *const before[] = {gdb, "-x", script, "--args", path};
    memcpy(words, before, sizeof before);
    memcpy(words + sizeof before / sizeof before[0], arguments + 1,
           ((size_t)count - 1) * sizeof *words);
    execv(gdb, words);
    say("%s cannot start: %s", gdb, strerror(errno));
    return EXIT_CANNOT_RUN;
}

/* Looks where the program itself would look: PATH begins with the folder of our tools, which has a
 * nvidia-smi. */
static int find_program(const struct places *places, const char *name, char path[PATH_BYTES])
{
    if (!strchr(name, '/') && path_join(path, places->tools, name) && access(path, X_OK) == 0)
        return 0;
    return path_search(name, path);
}

/* The Python of --python: the one named, or that of PATH. */
static const char *named_python(const struct flag *flag, char found[PATH_BYTES])
{
    if (flag->value)
        return flag->value;
    return python_in_path(found) ? found : "";
}

int command_run(int count, char **arguments)
{
    static struct places places;
    static struct program program;
    char path[PATH_BYTES], interpreter[PATH_BYTES];
    struct flag flags[] = {
        {"--force", false, NULL}, {"--gdb", false, NULL}, {"--python", false, NULL}};
    int first = take_options(count, arguments, flags, sizeof flags / sizeof flags[0]);

    if (first < 0)
        return EXIT_OURS;
    if (first >= count) {
        say("run what? usage: cupipe run [options] PROGRAM [arguments]");
        return EXIT_OURS;
    }
    if (!places_find(&places))
        return EXIT_OURS;
    int error = find_program(&places, arguments[first], path);
    if (error)
        return explain_search(&places, arguments[first], path, error);
    if (program_read(path, &program) && !flags[0].given) {
        if (program_explain(path, &program, &places, say))
            return EXIT_CANNOT_RUN;
        if (program_is_alien(&program))
            say("%s is linked to nothing of CUDA, loads no libraries and starts no programs: it "
                "runs as without cupipe.",
                path);
    }
    bool is_python = python_of(path, &program, interpreter);
    const char *python = is_python ? interpreter : NULL;
    if (flags[2].given)
        python = named_python(&flags[2], interpreter);
    if (!environment_apply(&places, python)) {
        say("memory is out");
        return EXIT_OURS;
    }
    if (flags[1].given)
        return run_gdb(&places, path, count - first, arguments + first);
    execv(path, arguments + first);
    if (errno == ENOEXEC &&
        program.kind == PROGRAM_UNKNOWN) { /* a script without #!, as in shells */
        arguments[first - 1] = "sh";
        arguments[first] = path;
        execv("/bin/sh", arguments + first - 1);
    }
    return explain_exec(path, &program);
}

/* One line for eval: the value in single quotes, in which a quote ends the text, stands by itself,
 * and begins it again. */
static void print_export(const char *name, void *argument)
{
    const char *value = getenv(name);

    (void)argument;
    if (!value)
        return;
    printf("export %s='", name);
    for (; *value; value++) {
        if (*value == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*value);
    }
    puts("'");
}

int command_env(int count, char **arguments)
{
    static struct places places;
    struct flag python = {"--python", false, NULL};
    char found[PATH_BYTES];
    int first = take_options(count, arguments, &python, 1);

    if (first < 0)
        return EXIT_OURS;
    if (first < count) {
        say("%s: cupipe env takes options alone; cupipe run runs programs", arguments[first]);
        return EXIT_OURS;
    }
    if (!places_find(&places))
        return EXIT_OURS;
    if (!environment_apply(&places, python.given ? named_python(&python, found) : NULL)) {
        say("memory is out");
        return EXIT_OURS;
    }
    environment_each(print_export, NULL);
    for (const struct setting *each = settings; each->variable; each++)
        if (each->option)
            print_export(each->variable, NULL);
    return 0;
}
