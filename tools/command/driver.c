/* SPDX-License-Identifier: MIT */
/* Loads libcuda.so.1. */
#include "command/driver.h"

#include <dlfcn.h>
#include <string.h>

bool driver_load(const struct places *places, struct driver *driver)
{
    char path[PATH_BYTES];
    void *library =
        path_join(path, places->library, "libcuda.so.1") ? dlopen(path, RTLD_NOW) : NULL;

    if (!library) {
        say("libcuda.so.1 cannot be loaded: %s", dlerror());
        return false;
    }
    const struct {
        const char *name;
        void *place;
    } functions[] = {
#define X(name) {#name, &driver->name},
        DRIVER_FUNCTIONS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) {
            say("%s has no %s", path, functions[i].name);
            return false;
        }
        memcpy(functions[i].place, &function, sizeof function);
    }
    return true;
}

const char *driver_error(const struct driver *driver, CUresult result)
{
    const char *name = NULL;

    return driver->cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "an unknown error";
}
