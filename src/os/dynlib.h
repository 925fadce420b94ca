/* SPDX-License-Identifier: MIT */
/* Optional libraries: opened when they are first needed, their functions found by name. Nothing is
 * closed again: the functions stay in use. */
#ifndef CUP_OS_DYNLIB_H
#define CUP_OS_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

/* A function to find. `slot` is the address of the function pointer that takes its address. */
struct cup_dynlib_symbol {
    const char *name;
    void *slot;
};

enum cup_dynlib_mode {
    CUP_DYNLIB_LOAD,
    CUP_DYNLIB_IF_LOADED, /* only if the process has it already */
};

/* The library with that file name; NULL if there is none, and dlerror() says why. */
void *cup_dynlib_open(const char *file, enum cup_dynlib_mode mode);

/* Stores the address of each function, NULL for one that the library lacks. True if it has all of
 * them. */
bool cup_dynlib_resolve(void *library, const struct cup_dynlib_symbol *symbols, size_t count);

#endif
