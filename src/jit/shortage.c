/* SPDX-License-Identifier: MIT */
/* LLVM ends the process when it gets no memory: what it allocates by C++'s `new` throws, and nobody
 * catches; what it allocates by malloc ends in a handler that aborts. Here both tell whoever loaded
 * the compiler, who leaves the compilation where it is; so do our own allocations. `new` is
 * replaced for LLVM because this object comes before the C++ library in the order in which LLVM's
 * symbols are looked for; in a program that has that library itself, its `new` comes first, and
 * only the handler is left. Others may come to use this `new`, too: for them it is the C++
 * library's. */
#include "jit/compile.h"

#include <dlfcn.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static void (*told)(void);

EXPORT cup_jit_on_shortage_function cup_jit_on_shortage;
EXPORT void *new_object(size_t size) __asm__("_Znwm");
EXPORT void *new_array(size_t size) __asm__("_Znam");
EXPORT void *new_aligned(size_t size, size_t alignment) __asm__("_ZnwmSt11align_val_t");

/* llvm::install_bad_alloc_error_handler */
void install_handler(void (*handler)(void *data, const char *reason, bool crash),
                     void *data) __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

/* Returns in a thread that does not compile. */
static void tell(void)
{
    if (told)
        told();
}

static void on_bad_alloc(void *data, const char *reason, bool crash)
{
    (void)data, (void)reason, (void)crash;
    tell();
    abort();
}

void *cup_jit_grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes ? bytes : 1);

    if (!grown) {
        tell();
        abort(); /* nobody to tell */
    }
    return grown;
}

void *cup_jit_zeros(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory) {
        tell();
        abort();
    }
    return memory;
}

/* The C++ library's, which throws as it should. */
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
    void *memory = malloc(size ? size : 1);

    if (memory)
        return memory;
    tell();
    return next_new("_Znwm", size, 0);
}

void *new_array(size_t size)
{
    return new_object(size);
}

void *new_aligned(size_t size, size_t alignment)
{
    void *memory = NULL;

    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment,
                       size ? size : 1) == 0)
        return memory;
    tell();
    return next_new("_ZnwmSt11align_val_t", size, alignment);
}

void cup_jit_on_shortage(void (*tell_whom)(void))
{
    if (!told)
        install_handler(on_bad_alloc, NULL);
    told = tell_whom;
}
