/* SPDX-License-Identifier: MIT */
/* dlopen() and dlsym() for optional libraries. */
#include "os/dynlib.h"

#include <dlfcn.h>
#include <string.h>

void *cup_dynlib_open(const char *file, enum cup_dynlib_mode mode)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | (mode == CUP_DYNLIB_IF_LOADED ? RTLD_NOLOAD : 0));
}

bool cup_dynlib_resolve(void *library, const struct cup_dynlib_symbol *symbols, size_t count)
{
    bool complete = true;

    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);

        /* memcpy(): ISO C does not convert object pointers to function pointers; POSIX guarantees
         * the same representation. */
        memcpy(symbols[i].slot, &address, sizeof(address));
        complete = complete && address;
    }
    return complete;
}
