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
 * uses the handle for the rest of the process. So a kernel that cannot be loaded now gets a handle
 * of the runtime, an odd number, that each launch resolves again. The driver never sees it. NULL is
 * such a handle too. */
static inline bool rt_is_unresolved_kernel(cudaKernel_t kernel)
{
    return !kernel || ((uintptr_t)kernel & 1) != 0;
}

/* The kernel behind such a handle. cudaErrorInvalidDeviceFunction if there is none. */
RT_COLD cudaError_t rt_registry_resolve(cudaKernel_t handle, CUkernel *kernel);

/* The host function of a kernel, or the handle itself if it has none. */
void *rt_registry_host_function(CUkernel kernel);

/* Address and size of a registered variable in the current context; either may be NULL. */
cudaError_t rt_registry_symbol(const void *symbol, CUdeviceptr *address, size_t *size);

/* Called when a context that may be new is current: loads what must be loaded eagerly, and updates
 * the program's pointers to managed variables. */
void rt_registry_context_made(void);

#endif
