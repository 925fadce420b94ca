/* SPDX-License-Identifier: MIT */
/* Finds the library of forms that fits the processor, and its functions. It is opened when the
 * first kernel is compiled or a compiled kernel needs one of its functions. */
#include "exec/forms.h"

#include "exec/compiler.h"
#include "os/dynlib.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

static pthread_once_t find_once = PTHREAD_ONCE_INIT;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static char path[PATH_BYTES]; /* empty: no library is made for this processor */
static uint64_t identity;
static void *library;

/* The name of the set of instructions that the library may use, as in src/jit/library. */
static const char *processor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt"))
        return NULL;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return "avx512";
    return "avx2";
#elif defined(__aarch64__)
    return "neon";
#else
    return NULL;
#endif
}

static void find(void)
{
    const char *compiler = cup_compiler_path(), *slash = strrchr(compiler, '/'),
               *name = processor();
    int length = -1;

    if (slash && name)
        length = snprintf(path, sizeof(path), "%.*s/libcupipe-forms-%s.so", (int)(slash - compiler),
                          compiler, name);
    if (length < 0 || (size_t)length >= sizeof(path))
        path[0] = '\0';
    else
        identity = cup_file_identity(path);
}

static void open_library(void)
{
    if (cup_forms_identity())
        library = cup_dynlib_open(path, CUP_DYNLIB_LOAD);
}

uint64_t cup_forms_identity(void)
{
    pthread_once(&find_once, find);
    return identity;
}

uint64_t cup_forms_find(const char *name)
{
    void *function = NULL;

    pthread_once(&open_once, open_library);
    if (library)
        cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){name, &function}, 1);
    return (uint64_t)(uintptr_t)function;
}

bool cup_forms_has(const char *name)
{
    return cup_forms_find(name) != 0;
}
