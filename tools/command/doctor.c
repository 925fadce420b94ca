/* SPDX-License-Identifier: MIT */
/* cupipe doctor: what stands in the way of a program. It looks at the file as cupipe run does, and
 * then has the loader list the libraries under the variables of cupipe run, and looks at those. */
#include "command/command.h"
#include "command/environment.h"
#include "command/kind.h"
#include "command/nvidia.h"
#include "command/packages.h"
#include "command/program.h"
#include "command/python.h"
#include "command/torch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Libraries of NVIDIA's that stand on its own runtime or driver. */
static const char *const closed[] = {"libcusparseLt", "libnvblas", "libnvshmem", NULL};

/* Libraries that cupipe has, for CUDA 12 and 13. */
static const char *const replaced[] = {
    "libcuda.so",
    "libcudart.so",
#define CUDA_LIBRARY(constant, title, name, of_12, of_13, package, without) "lib" name ".so",
#include "libraries/libraries.def"
#undef CUDA_LIBRARY
    NULL,
};

struct diagnosis {
    const struct places *places;
    unsigned problems;
    bool cuda;   /* some library of CUDA is loaded with the program */
    bool nvidia; /* and one that stands in front of NVIDIA's */
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void tell_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void tell_problem(const char *format, ...)
{
    va_list arguments;

    fputs("problem: ", stdout);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

static void describe_missing(struct diagnosis *diagnosis, const char *name)
{
    diagnosis->problems++;
    for (const char *const *each = replaced; *each; each++)
        if (begins(name, *each)) {
            tell_problem("%s is missing. cupipe has that of CUDA 12 and of CUDA 13: build the "
                         "program with CUDA 12 or 13.",
                         name);
            return;
        }
    for (const char *const *each = closed; *each; each++)
        if (begins(name, *each)) {
            tell_problem("%s is missing. It is NVIDIA's and needs NVIDIA's driver, so it would "
                         "not run on cupipe either.",
                         name);
            return;
        }
    tell_problem("%s is missing. Install the package that has it, or add its folder to "
                 "LD_LIBRARY_PATH.",
                 name);
}

/* A library that the loader found. */
static void examine_library(struct diagnosis *diagnosis, const char *name, const char *path)
{
    static struct program library;
    const char *own = diagnosis->places->library;
    bool ours = begins(path, own) && path[strlen(own)] == '/';

    for (const char *const *each = replaced; *each; each++) {
        if (!begins(name, *each))
            continue;
        diagnosis->cuda = true;
        if (ours) {
            printf("ok: %s is cupipe's\n", name);
        } else {
            diagnosis->problems++;
            tell_problem("%s comes from %s, not from cupipe: an rpath in the program or a "
                         "library comes first. Remove it with patchelf --remove-rpath.",
                         name, path);
        }
    }
    diagnosis->nvidia =
        diagnosis->nvidia || begins(name, "libnvrtc.so") || begins(name, "libnvJitLink.so");
    if (ours || !program_read(path, &library))
        return;
    for (const char *const *each = closed; *each; each++)
        if (begins(name, *each)) {
            diagnosis->problems++;
            tell_problem("%s is NVIDIA's and needs NVIDIA's driver", name);
            return;
        }
    if (program_explain(path, &library, diagnosis->places, tell_problem))
        diagnosis->problems++;
}

/* A line of the loader's list: "libm.so.6 => /lib/libm.so.6 (0x...)", "libm.so.6 => not found", or
 * "/lib/libm.so.6 (0x...)" of a library that is linked by its path. */
static void examine_line(struct diagnosis *diagnosis, char *line)
{
    line += strspn(line, " \t");
    char *arrow = strstr(line, " => "), *end = strstr(line, " (0x");
    char *path = arrow ? arrow + strlen(" => ") : line;
    char *name = line, *slash;

    if (end)
        *end = 0;
    if (arrow)
        *arrow = 0;
    else if ((slash = strrchr(line, '/')))
        name = slash + 1;
    else
        return; /* what the kernel maps into every process */
    if (begins(path, "not found"))
        describe_missing(diagnosis, line);
    else
        examine_library(diagnosis, name, path);
}

/* Has the loader list what it would load, without running the program. */
static bool examine_libraries(struct diagnosis *diagnosis, const char *loader, const char *path)
{
    int ends[2];
    char line[2 * PATH_BYTES];

    fflush(stdout);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(loader, loader, path, (char *)NULL);
        _exit(EXIT_NOT_FOUND);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    while (list && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        examine_line(diagnosis, line);
    }
    if (list)
        fclose(list);
    else
        close(ends[0]);
    return child > 0 && waitpid(child, NULL, 0) == child;
}

/* The loader of this process, for libraries, which do not name one. */
static bool find_loader(char loader[PATH_BYTES])
{
    static struct program self;

    if (!program_read("/proc/self/exe", &self) || !self.interpreter[0])
        return false;
    snprintf(loader, PATH_BYTES, "%s", self.interpreter);
    return true;
}

static void describe_kernels(const struct program *program)
{
    static const char *const names[] = {
        [RUNTIME_NONE] = "none linked",
        [RUNTIME_SHARED] = "libcudart.so",
        [RUNTIME_CUPIPE] = "cupipe's, linked in",
        [RUNTIME_FOREIGN] = "NVIDIA's, linked in",
    };

    printf("CUDA runtime: %s\n", names[program->runtime]);
    printf("device code: %u PTX, %u machine code\n", program->ptx, program->machine);
}

static int examine_elf(struct diagnosis *diagnosis, const char *path, const struct program *program)
{
    describe_kernels(program);
    if (program_explain(path, program, diagnosis->places, tell_problem))
        diagnosis->problems++;
    if (program->wrong_machine)
        return EXIT_CANNOT_RUN;
    if (program->is_library) {
        char loader[PATH_BYTES];

        printf("note: it is a shared library, which programs load\n");
        if (find_loader(loader))
            examine_libraries(diagnosis, loader, path);
    } else if (!program->interpreter[0]) {
        diagnosis->problems++;
        tell_problem("it is linked statically and cannot load libcuda.so.1. Link it "
                     "dynamically.");
    } else if (access(program->interpreter, X_OK) != 0) {
        diagnosis->problems++;
        tell_problem("its loader %s is not there", program->interpreter);
    } else {
        examine_libraries(diagnosis, program->interpreter, path);
    }
    if (diagnosis->problems == 0 && !diagnosis->cuda && !program->is_library &&
        program->runtime == RUNTIME_NONE)
        printf(program_is_alien(program)
                   ? "note: it is linked to nothing of CUDA, loads no libraries and starts no "
                     "programs: cupipe changes nothing for it\n"
                   : "note: it is linked to nothing of CUDA; if it loads libcuda.so.1 as it runs, "
                     "it gets cupipe's\n");
    return diagnosis->problems ? EXIT_CANNOT_RUN : 0;
}

static int examine_script(const struct program *program, const char *path)
{
    char name[PATH_BYTES], found[PATH_BYTES];

    if (!program_find_interpreter(program, name, found)) {
        tell_problem("what interprets it, %s, is not there", name);
        return EXIT_CANNOT_RUN;
    }
    printf("%s is a script; what it loads shows as it runs: CUPIPE_LOG=debug cupipe run %s\n", path,
           path);
    return 0;
}

int command_doctor(int count, char **arguments)
{
    static struct places places;
    static struct program program;
    struct diagnosis diagnosis = {.places = &places};
    char path[PATH_BYTES], interpreter[PATH_BYTES];
    int result = 0;

    if (count != 2 || arguments[1][0] == '-') {
        say("usage: cupipe doctor PROGRAM");
        return EXIT_OURS;
    }
    if (!places_find(&places))
        return EXIT_OURS;
    int error = path_search(arguments[1], path);
    if (error == ENOENT && !strchr(arguments[1], '/') && access(arguments[1], F_OK) == 0) {
        snprintf(path, sizeof path, "./%s", arguments[1]);
        error = access(path, X_OK) == 0 ? 0 : EACCES;
    }
    if (error == ENOENT) {
        say("there is no program %s%s", arguments[1], strchr(arguments[1], '/') ? "" : " in PATH");
        return EXIT_NOT_FOUND;
    }
    if (kind_explain(path, &places, tell_problem))
        return EXIT_CANNOT_RUN;
    printf("program: %s\n", path);
    if (error) {
        tell_problem("it is not an executable file. Make it one with chmod +x, or name its "
                     "interpreter.");
        return EXIT_CANNOT_RUN;
    }
    bool is_readable = program_read(path, &program);
    bool is_python = is_readable && python_of(path, &program, interpreter);
    if (is_python)
        packages_print_driver(&places);
    if (!is_readable || !environment_apply(&places, is_python ? interpreter : NULL)) {
        say("%s cannot be read", path);
        return EXIT_CANNOT_RUN;
    }
    if (program.kind == PROGRAM_ELF)
        result = examine_elf(&diagnosis, path, &program);
    else if (program.kind == PROGRAM_SCRIPT)
        result = examine_script(&program, path);
    else
        printf("note: neither an executable nor a script with #!: sh would run it\n");
    /* Python, or a program that is linked with a library that stands in front of NVIDIA's */
    if (is_python || diagnosis.nvidia)
        nvidia_print(is_python ? interpreter : NULL);
    if (is_python)
        packages_print(interpreter, &places);
    if (is_python && result == 0 && !torch_examine(&places, interpreter))
        result = EXIT_CANNOT_RUN;
    if (result == 0)
        printf("nothing stands in its way\n");
    return result;
}
