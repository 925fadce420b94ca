/* SPDX-License-Identifier: MIT */
/* LLVM ends the process when it is out of memory: C++'s `new` throws, which nothing catches, and
 * failed calls of malloc end in a handler that aborts. This file makes both leave the thread's
 * compilation, as the compiler's own failed requests do (workspace.h); what LLVM had allocated is
 * lost.
 *
 * Where LLVM is linked in, this file is linked with it, and LLVM has no other `new`. Where LLVM is
 * a shared library, `new` is replaced because the compiler precedes the C++ library in LLVM's
 * symbol lookup. In a program that itself links that library, the library's `new` comes first, and
 * only the handler works. In threads that do not compile, this `new` behaves like the C++
 * library's. */
#include "jit/llvm/out_of_memory.h"

#include "jit/workspace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* The workspace of the thread's compilation; NULL: this thread does not compile. Not a thread-local
 * variable: glibc allocates those of a library that is loaded late when they are first used, and
 * ends the process if it cannot; and initial-exec storage would take all of LLVM's with it. */
static pthread_key_t compiling;
static bool has_key;

EXPORT void *new_object(size_t size) __asm__("_Znwm");
EXPORT void *new_array(size_t size) __asm__("_Znam");
EXPORT void *new_aligned(size_t size, size_t alignment) __asm__("_ZnwmSt11align_val_t");

/* llvm::install_bad_alloc_error_handler */
void install_handler(void (*handler)(void *data, const char *reason, bool crash),
                     void *data) __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

/* CUPIPE_FAIL=os replaces entries of this library's GOT (os/interpose.h) to fail the compiler's own
 * requests, not LLVM's. These initialised pointers are not in the GOT; volatile keeps the compiler
 * from using their initial values directly. */
static void *(*volatile plain_malloc)(size_t) = malloc;
static int (*volatile plain_memalign)(void **, size_t, size_t) = posix_memalign;

/* Leaves the compilation; returns only in a thread that does not compile. */
static void leave(void)
{
    struct jit_workspace *workspace = has_key ? pthread_getspecific(compiling) : NULL;

    if (!workspace)
        return;
    workspace->llvm_unusable = true;
    jit_workspace_leave(workspace);
}

static void on_bad_alloc(void *data, const char *reason, bool crash)
{
    (void)data, (void)reason, (void)crash;
    leave();
    abort();
}

/* Calls the C++ library's `new`, which throws std::bad_alloc. */
static void *next_new(const char *name, size_t size, size_t alignment)
{
    typedef void *new_function(size_t size, size_t alignment);
    new_function *next = (new_function *)(uintptr_t)dlsym(RTLD_NEXT, name);

    if (!next)
        abort();
    return next(size, alignment);
}

void *new_object(size_t size)
{
    void *memory = plain_malloc(size ? size : 1);

    if (memory)
        return memory;
    leave();
    return next_new("_Znwm", size, 0);
}

void *new_array(size_t size)
{
    return new_object(size);
}

void *new_aligned(size_t size, size_t alignment)
{
    void *memory = NULL;

    if (plain_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment,
                       size ? size : 1) == 0)
        return memory;
    leave();
    return next_new("_ZnwmSt11align_val_t", size, alignment);
}

static void install(void)
{
    has_key = pthread_key_create(&compiling, NULL) == 0;
    install_handler(on_bad_alloc, NULL);
}

EXPORT bool jit_out_of_memory_watch(struct jit_workspace *workspace)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, install);
    return has_key && pthread_setspecific(compiling, workspace) == 0;
}
