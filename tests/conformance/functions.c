/* SPDX-License-Identifier: MIT */
/*
 * Loads the library under test (the path in LIBCUDA, else libcuda.so.1) and finds the functions
 * that the groups call. A function that the library lacks is replaced by one that records the case
 * as skipped.
 */
#include "recorder.h"
#include <dlfcn.h>

struct cuda_functions cuda;
const char *missing_function;

#define FUNCTION(name)                                                                             \
    static CUresult missing_##name(void)                                                           \
    {                                                                                              \
        return missing_function_called(#name);                                                     \
    }
#define OLD_FUNCTION(name, symbol, parameters)                                                     \
    static CUresult missing_##name(void)                                                           \
    {                                                                                              \
        return missing_function_called(symbol);                                                    \
    }
#include "functions.def"
#ifdef MORE_FUNCTIONS
#include MORE_FUNCTIONS
#endif
#undef FUNCTION
#undef OLD_FUNCTION

static const struct {
    const char *symbol;
    CUresult (*missing)(void);
    size_t offset;
} functions[] = {
#define FUNCTION(name)                                                                             \
    {EXPANDED_STRING_OF(name), missing_##name, offsetof(struct cuda_functions, name)},
#define OLD_FUNCTION(name, symbol, parameters)                                                     \
    {symbol, missing_##name, offsetof(struct cuda_functions, name)},
#include "functions.def"
#ifdef MORE_FUNCTIONS
#include MORE_FUNCTIONS
#endif
#undef FUNCTION
#undef OLD_FUNCTION
};

int functions_resolve(int verbose)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int missing_count = 0;

    if (!library) {
        if (verbose)
            line_print("# dlopen failed: %s", dlerror());
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *address = dlsym(library, functions[i].symbol);
        if (!address) {
            missing_count++;
            address = (void *)functions[i].missing;
            if (verbose)
                line_print("MISSING %s", functions[i].symbol);
        }
        memcpy((char *)&cuda + functions[i].offset, &address, sizeof address);
    }
    if (verbose)
        line_print("symbols/resolved: INFO wanted=%zu missing=%d", COUNT_OF(functions),
                   missing_count);
    return 1;
}
