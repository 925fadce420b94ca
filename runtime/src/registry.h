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

/* The kernel behind a host function or, where `function` is none, `function` itself as a handle
 * that the driver judges. cudaErrorInvalidDeviceFunction for NULL. */
cudaError_t rt_registry_kernel(const void *function, CUkernel *kernel);

bool rt_registry_is_kernel(const void *host);

/* The host function of a kernel, or the handle itself where it has none. */
void *rt_registry_host_function(CUkernel kernel);

/* Address and size of a registered variable in the current context; either may be NULL. */
cudaError_t rt_registry_symbol(const void *symbol, CUdeviceptr *address, size_t *size);

/* A context is current that may be new: loads what must not wait, and tells the program where its
 * managed variables are now. */
void rt_registry_context_made(void);

#endif
