/* SPDX-License-Identifier: MIT */
/* Finds the library of outlined operations that fits the processor, and its functions. It is opened
 * when the first kernel is compiled or a compiled kernel needs one of its functions. Kernels are
 * compiled with it only if the same compiler made it: functions of another have other parameters. A
 * kernel from the cache was compiled by this compiler with this library, by its key. */
#include "exec/code/outlined_library.h"

#include "core/log.h"
#include "exec/code/compiler.h"
#include "core/processor.h"
#include "jit/jit.h"
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
static bool is_of_compiler;
static pthread_once_t compare_once = PTHREAD_ONCE_INIT;

/* The name of the set of instructions that the library may use, as in src/jit/library. */
static const char *processor(void)
{
#if defined(__x86_64__)
    static const char *const names[] = {[CUP_PROCESSOR_PLAIN] = NULL,
                                        [CUP_PROCESSOR_AVX2] = "avx2",
                                        [CUP_PROCESSOR_AVX512] = "avx512"};

    return names[cup_processor_get()];
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
        length = snprintf(path, sizeof(path), "%.*s/libcupipe-outlined-%s.so",
                          (int)(slash - compiler), compiler, name);
    if (length < 0 || (size_t)length >= sizeof(path))
        path[0] = '\0';
    else
        identity = cup_file_identity(path);
}

static void open_library(void)
{
    if (cup_outlined_identity())
        library = cup_dynlib_open(path, CUP_DYNLIB_LOAD);
}

/* Runs while the compiler is loaded. */
static void compare(void)
{
    const char *compiler = cup_compiler_name(), *of_library = NULL;

    pthread_once(&open_once, open_library);
    if (!library)
        return;
    cup_dynlib_resolve(library,
                       &(struct cup_dynlib_symbol){JIT_OUTLINED_IDENTITY_SYMBOL, &of_library}, 1);
    is_of_compiler = compiler && of_library && strcmp(compiler, of_library) == 0;
    if (!is_of_compiler)
        cup_log(CUP_LOG_WARNING,
                "%s is not used: another compiler of kernels has made it (%s, not %s)", path,
                of_library ? of_library : "unknown", compiler ? compiler : "unknown");
}

uint64_t cup_outlined_identity(void)
{
    pthread_once(&find_once, find);
    return identity;
}

uint64_t cup_outlined_find(const char *name)
{
    void *function = NULL;

    pthread_once(&open_once, open_library);
    if (library)
        cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){name, &function}, 1);
    return (uint64_t)(uintptr_t)function;
}

bool cup_outlined_has(const char *name)
{
    pthread_once(&compare_once, compare);
    return is_of_compiler && cup_outlined_find(name) != 0;
}
