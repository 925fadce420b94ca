/* SPDX-License-Identifier: MIT */
/*
 * What compiled programs register: fat binaries, and by host address the kernels and variables in
 * them. Registration only remembers. A fat binary becomes a CUlibrary when something in it is first
 * asked for, or with the first context where CUDA_MODULE_LOADING is EAGER. Libraries, unlike
 * modules, belong to no context, so that handles survive cudaDeviceReset.
 */
#ifndef RT_REGISTRY_H
#define RT_REGISTRY_H

#include "driver.h"

#include <stdint.h>

/* The kernel behind a host function or, where `function` is none, `function` itself as a handle
 * that the driver judges. cudaErrorInvalidDeviceFunction for NULL. */
cudaError_t rt_registry_kernel(const void *function, CUkernel *kernel);

bool rt_registry_is_kernel(const void *host);

/* The stub that nvcc makes of a kernel asks for its handle once, throws the answer away, and
 * launches with what it has for the rest of the process. So a kernel that cannot be had gets a
 * handle that says why: an address in this array, with the error as the index. The driver never
 * sees it. NULL is such a handle too. */
extern const char rt_unloadable_kernels[cudaErrorUnknown + 1];

static inline cudaKernel_t rt_unloadable_kernel(cudaError_t error)
{
    return (cudaKernel_t)(uintptr_t)&rt_unloadable_kernels[error];
}

static inline bool rt_is_unloadable_kernel(cudaKernel_t kernel)
{
    return !kernel || (uintptr_t)kernel - (uintptr_t)rt_unloadable_kernels <= cudaErrorUnknown;
}

static inline cudaError_t rt_unloadable_kernel_error(cudaKernel_t kernel)
{
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    return (cudaError_t)((uintptr_t)kernel - (uintptr_t)rt_unloadable_kernels);
}

/* The host function of a kernel, or the handle itself where it has none. */
void *rt_registry_host_function(CUkernel kernel);

/* Address and size of a registered variable in the current context; either may be NULL. */
cudaError_t rt_registry_symbol(const void *symbol, CUdeviceptr *address, size_t *size);

/* A context is current that may be new: loads what must not wait, and tells the program where its
 * managed variables are now. */
void rt_registry_context_made(void);

#endif
