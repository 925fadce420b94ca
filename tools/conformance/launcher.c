/* SPDX-License-Identifier: MIT */
/*
 * Runs a recorder that calls functions of a library by name, on a library that may lack some of
 * them.
 *
 * The recorder is a shared object beside this program, NAME.so for the program NAME, and is not
 * linked with the library under test. The files in CONFORMANCE_LIBRARIES are loaded first, for all
 * to see; the recorder's calls are resolved when they are made. The loader ends a process with
 * status 127 where it finds no such function, and the recorder takes that for an answer.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANNOT_LOAD = 3, PATH_BYTES = 4096 };

static void *load(const char *path, int flags)
{
    void *library = dlopen(path, flags | RTLD_GLOBAL);

    if (!library) {
        printf("# %s\n", dlerror());
        exit(CANNOT_LOAD);
    }
    return library;
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
    if (!dlopen(path, RTLD_LAZY | RTLD_GLOBAL)) {
        char stubs[PATH_BYTES];

        snprintf(stubs, sizeof stubs, "%s.stubs.so", argv[0]);
        load(stubs, RTLD_LAZY);
    }
    recorder.address = dlsym(load(path, RTLD_LAZY), "main");
    if (!recorder.address)
        return CANNOT_LOAD;
    return recorder.call(argc, argv);
}
