/* SPDX-License-Identifier: MIT */
/* The registry of compiled programs: fat binaries, and by host address their kernels and variables.
 * Registration only stores them. A fat binary becomes a CUlibrary when something in it is first
 * used, or with the first context if CUDA_MODULE_LOADING is EAGER. Libraries, unlike modules,
 * belong to no context, so handles survive cudaDeviceReset. */
#ifndef RT_REGISTRY_H
#define RT_REGISTRY_H

#include "driver.h"

#include <stdint.h>

/* The kernel of a host function. If `function` is not registered, returns it as a handle for the
 * driver to validate. cudaErrorInvalidDeviceFunction for NULL. */
cudaError_t rt_registry_kernel(const void *function, CUkernel *kernel);

bool rt_registry_is_kernel(const void *host);

/* The stub that nvcc generates for a kernel gets the kernel's handle once, ignores the result, and
 * uses the handle for the rest of the process. So a kernel that cannot be loaded gets a handle that
 * encodes the error: an address in this array, with the error as index. The driver never sees it.
 * NULL is such a handle too. */
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

/* The host function of a kernel, or the handle itself if it has none. */
void *rt_registry_host_function(CUkernel kernel);

/* Address and size of a registered variable in the current context; either may be NULL. */
cudaError_t rt_registry_symbol(const void *symbol, CUdeviceptr *address, size_t *size);

/* Called when a context that may be new is current: loads what must be loaded eagerly, and updates
 * the program's pointers to managed variables. */
void rt_registry_context_made(void);

#endif
