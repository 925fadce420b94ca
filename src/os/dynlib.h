/* SPDX-License-Identifier: MIT */
/* Optional libraries: opened on first use, with functions resolved by name. They are never closed,
 * because the functions stay in use. */
#ifndef CUP_OS_DYNLIB_H
#define CUP_OS_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

/* A function to resolve. `slot` is the address of the function pointer that receives it. */
struct cup_dynlib_symbol {
    const char *name;
    void *slot;
};

enum cup_dynlib_mode {
    CUP_DYNLIB_LOAD,
    CUP_DYNLIB_IF_LOADED, /* only if the process has loaded it already */
};

/* Opens a library by file name. Returns NULL if it cannot be opened; dlerror() has the reason. */
void *cup_dynlib_open(const char *file, enum cup_dynlib_mode mode);

/* Stores the address of each function, or NULL if the library does not have it. Returns true if it
 * has all of them. */
bool cup_dynlib_resolve(void *library, const struct cup_dynlib_symbol *symbols, size_t count);

#endif
