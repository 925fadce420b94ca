/* SPDX-License-Identifier: MIT */
/*
 * Runs a recorder that calls functions of a library by name, on a library that may lack some of
 * them.
 *
 * The recorder is a shared object beside this program, NAME.so for the program NAME, and is not
 * linked with the library under test. The files in CONFORMANCE_LIBRARIES are loaded first, for all
 * to see; the recorder's calls are resolved when they are made. The loader ends a process with
 * status 127 where it finds no such function, and the recorder takes that for an answer. Functions
 * whose address a recorder takes must be there from the start: NAME.stubs.so has them, which end
 * the process in the same way. A recorder with kernels registers them before it begins; where the
 * library lacks a function for that, NAME.registration.so has one that does nothing.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_LOAD = 3, NO_FUNCTION = 127, PATH_BYTES = 4096 };

static void *load(const char *path, int flags)
{
    void *library = dlopen(path, flags | RTLD_GLOBAL);

    if (!library) {
        printf("# %s\n", dlerror());
        exit(CANNOT_LOAD);
    }
    return library;
}

/* Loads what the build made beside the recorder. */
static void load_part(const char *program, const char *part)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s.%s.so", program, part);
    load(path, RTLD_LAZY);
}

/* Whether the recorder's constructors come to their end, in a process of their own. */
static int can_begin(const char *path)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
        _exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
           WEXITSTATUS(status) != NO_FUNCTION;
}

int main(int argc, char **argv)
{
    const char *listed = getenv("CONFORMANCE_LIBRARIES");
    char *names = strdup(listed ? listed : ""), path[PATH_BYTES];
    union {
        void *address;
        int (*call)(int argc, char **argv);
    } recorder;

    for (char *rest = names, *name; (name = strsep(&rest, ":"));)
        if (*name)
            load(name, RTLD_LAZY);
    free(names);
    snprintf(path, sizeof path, "%s.so", argv[0]);
    if (!can_begin(path))
        load_part(argv[0], "registration");
    if (!dlopen(path, RTLD_LAZY | RTLD_GLOBAL))
        load_part(argv[0], "stubs");
    recorder.address = dlsym(load(path, RTLD_LAZY), "main");
    if (!recorder.address)
        return CANNOT_LOAD;
    return recorder.call(argc, argv);
}
