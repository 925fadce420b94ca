/* SPDX-License-Identifier: MIT */
/* Errors. The driver's results and the runtime's errors share their numbers. Each thread stores the
 * last error that one of its calls returned, until cudaGetLastError clears it. */
#ifndef RT_ERROR_H
#define RT_ERROR_H

#include "driver_table.h"
#include "driver_types.h"
#include "macros.h"

static inline cudaError_t rt_result(CUresult result)
{
    return (cudaError_t)result;
}

/* Stores `error` as the thread's last error, unless it only says that work is not finished. Returns
 * it. */
RT_COLD cudaError_t rt_error_record(cudaError_t error);

/* The result of functions that are not implemented. */
RT_COLD cudaError_t rt_not_supported(const char *name);

#endif
