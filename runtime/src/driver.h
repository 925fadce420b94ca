/* SPDX-License-Identifier: MIT */
/*
 * The driver: libcuda.so.1, found as any program finds it. Its functions are called through
 * rt_driver, a table that scripts/runtime.py makes from the calls in these sources.
 */
#ifndef RT_DRIVER_H
#define RT_DRIVER_H

#include "driver_table.h"
#include "error.h"
#include "macros.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Filled in by rt_driver_start(). A function that the driver lacks answers
 * CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. */
extern struct rt_driver_table rt_driver;
extern const char *const rt_driver_names[];
extern atomic_bool rt_driver_ready;
extern int rt_driver_devices; /* how many there are; they do not change */

/* Loads the driver and calls cuInit, once; what failed the first time fails each time. */
RT_COLD cudaError_t rt_driver_start(void);

/* The form of a driver function that uses the default stream the caller means. Functions without a
 * stream argument come in two forms; `suffix` is _ptds. */
#define RT_BY_STREAM(default_stream, function, suffix)                                             \
    ((default_stream) == cudaStreamPerThread ? rt_driver.function##suffix : rt_driver.function)

#endif
