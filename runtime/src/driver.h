/* SPDX-License-Identifier: MIT */
/* The driver: libcuda.so.1, loaded as by any program. Its functions are called through rt_driver, a
 * table that scripts/runtime.py generates from the calls in these sources. */
#ifndef RT_DRIVER_H
#define RT_DRIVER_H

#include "driver_table.h"
#include "error.h"
#include "macros.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Filled in by rt_driver_start(). A function that the driver lacks returns
 * CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. */
extern struct rt_driver_table rt_driver;
extern const char *const rt_driver_names[];
extern atomic_bool rt_driver_ready;
extern int rt_driver_devices; /* number of devices; constant */
extern int rt_driver_version; /* CUDA version, 13000 for 13.0; constant */

/* Loads the driver and calls cuInit; the first result stays. */
RT_COLD cudaError_t rt_driver_start(void);

/* The form of a driver function for the caller's default stream. Functions without a stream
 * argument have two forms; `suffix` is _ptds. */
#define RT_BY_STREAM(default_stream, function, suffix)                                             \
    ((default_stream) == cudaStreamPerThread ? rt_driver.function##suffix : rt_driver.function)

#endif
