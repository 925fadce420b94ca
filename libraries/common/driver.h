/* SPDX-License-Identifier: MIT */
/* The driver as the libraries see it: public functions of libcuda.so.1, loaded at the first call,
 * and cupipe's own table (cupipe.h). Libraries know nothing else of cupipe. */
#ifndef LIBRARIES_DRIVER_H
#define LIBRARIES_DRIVER_H

#include <cuda.h>
#include <cupipe.h>
#include <stdbool.h>

struct lib_driver {
#define LIB_DRIVER(field, symbol) __typeof__(&symbol) field;
#include "driver.def"
#undef LIB_DRIVER
    const struct cupipe_driver_table *cupipe;
};

/* Loads the driver. Returns NULL if there is none, if it is not cupipe's, because a library
 * computes with the processor, which reaches the memory of cupipe's devices alone; or, after a
 * message on standard error, if it is of another build of cupipe. */
const struct lib_driver *lib_driver(void);
/* True if lib_driver() has found it; loads nothing. */
bool lib_driver_is_loaded(void);

/* Makes sure that the calling thread has a current context: without one, the primary context of
 * device 0 becomes current, as the runtime does. */
CUresult lib_ensure_context(void);

#endif
