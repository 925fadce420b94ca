/* SPDX-License-Identifier: MIT */
/* A compiler for the tests: a kernel's name is the name of an object that the build has made. With
 * EXEC_COUNT set to a file, each compilation adds a byte to it. With EXEC_MEET set to a number, a
 * compilation goes on when so many have begun, and fails if they do not. */
#include "jit/jit.h"
#include "jit_shared.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name, *path;
} objects[] = {
#include "objects.def"
};

jit_compile_function jit_compile;
jit_free_function jit_free;
jit_identity_function jit_identity;
jit_interface_function jit_interface;

static void count(void)
{
    const char *path = getenv("EXEC_COUNT");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    if (fd >= 0) {
        struct timespec slowly = {0, 20000000}; /* so that others come while one compiles */
        if (write(fd, "x", 1) != 1)
            abort();
        close(fd);
        nanosleep(&slowly, NULL);
    }
}

static bool others_come(void)
{
    enum { TRIES = 1000 };
    static _Atomic(int) begun;
    const char *wanted = getenv("EXEC_MEET");

    if (!wanted)
        return true;
    atomic_fetch_add(&begun, 1);
    for (int i = 0; i < TRIES && atomic_load(&begun) < atoi(wanted); i++) {
        struct timespec moment = {0, 10000000};
        nanosleep(&moment, NULL);
    }
    return atomic_load(&begun) >= atoi(wanted);
}

static int read_object(const char *path, struct jit_result *result)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return 1;
    result->object = malloc(1 << 20);
    result->object_bytes = result->object ? fread(result->object, 1, 1 << 20, file) : 0;
    fclose(file);
    return result->object_bytes == 0;
}

/* As much stack as a compiler may need, and more than a thread may have. */
static __attribute__((noinline)) void use_stack(void)
{
    volatile char deep[16 << 20];

    for (size_t i = 0; i < sizeof(deep); i += 4096)
        deep[i] = 1;
}

int jit_compile(const struct jit_request *request, struct jit_result *result, struct ptx_log *log)
{
    const char *name = request->program->functions[request->function].name;

    (void)log;
    count();
    if (!others_come())
        return 1;
    if (strcmp(name, "crash") == 0) {
        /* Not NULL, which UBSan would report before the access faults. */
        volatile int *volatile nowhere = (volatile int *)16;

        *nowhere = 1;
        name = "empty";
    }
    if (strcmp(name, "deep") == 0) {
        use_stack();
        name = "empty";
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        if (strcmp(objects[i].name, name) == 0)
            return read_object(objects[i].path, result);
    }
    return 1;
}

void jit_free(struct jit_result *result)
{
    free(result->object);
}

const char *jit_identity(void)
{
    return "for tests";
}

const char *jit_interface(void)
{
    return "cupipe-jit interface " JIT_SHARED_HASH;
}
