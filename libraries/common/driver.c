/* SPDX-License-Identifier: MIT */
/* The driver is looked up by its soname, so that a library uses the one that the program uses. */
#include "driver.h"

#include <cupipe_table.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static struct lib_driver driver;
static const struct lib_driver *found; /* NULL: no driver, or another one */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int load_functions(void *library)
{
#define LIB_DRIVER(field, symbol)                                                                  \
    driver.field = (__typeof__(driver.field))dlsym(library, LIB_DRIVER_NAME(symbol));              \
    if (!driver.field)                                                                             \
        return 0;
#define LIB_DRIVER_NAME(symbol) #symbol
#include "driver.def"
#undef LIB_DRIVER_NAME
#undef LIB_DRIVER
    return 1;
}

static void load(void)
{
    static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
    struct cupipe_refusal why;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

    if (!library || !load_functions(library) || driver.init(0) != CUDA_SUCCESS)
        return;
    driver.cupipe = cupipe_find_table(driver.get_export_table, &id, sizeof(*driver.cupipe), &why);
    if (driver.cupipe)
        found = &driver;
    else if (why.text[0])
        fprintf(stderr, "cupipe: %s\n", why.text);
}

const struct lib_driver *lib_driver(void)
{
    pthread_once(&once, load);
    return found;
}

bool lib_driver_is_loaded(void)
{
    return found != NULL;
}

CUresult lib_ensure_context(void)
{
    const struct lib_driver *cuda = lib_driver();
    CUcontext context = NULL;
    CUresult result;

    if (!cuda)
        return CUDA_ERROR_NOT_INITIALIZED;
    result = cuda->context_get_current(&context);
    if (result != CUDA_SUCCESS || context)
        return result;
    result = cuda->primary_context_retain(&context, 0);
    return result == CUDA_SUCCESS ? cuda->context_set_current(context) : result;
}
