/* SPDX-License-Identifier: MIT */
/* Execution contexts as the driver's contexts (execution.c). */
#ifndef RT_EXECUTION_H
#define RT_EXECUTION_H

#include "context.h"
#include "driver.h"
#include "driver_types.h"

static inline CUcontext rt_execution_context(cudaExecutionContext_t handle)
{
    return (CUcontext)(void *)handle;
}

static inline cudaExecutionContext_t rt_execution_handle(CUcontext context)
{
    return (cudaExecutionContext_t)(void *)context;
}

/* The driver's context of an execution context; NULL: the current one, created if there is none. */
static inline cudaError_t rt_execution_or_current(cudaExecutionContext_t handle, CUcontext *context)
{
    if (!handle)
        return rt_context_current(context);
    *context = rt_execution_context(handle);
    return cudaSuccess;
}

#endif
