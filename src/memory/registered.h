/* SPDX-License-Identifier: MIT */
/* Memory that was not allocated by CUDA: the application's own, registered by cuMemHostRegister,
 * and that of graphics drivers while CUDA may use it. It can lie anywhere and ranges may share a
 * page, so look-ups go page by page: a 256 MiB slot of the address map gets a page table when
 * memory in it is first registered. */
#ifndef CUP_MEMORY_REGISTERED_H
#define CUP_MEMORY_REGISTERED_H

#include "memory/map.h"

#include <cuda.h>

/* Registers a range. Returns CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if any byte of it is
 * registered, and CUDA_ERROR_INVALID_VALUE if part of it was allocated by CUDA. */
CUresult cup_registered_add(uint64_t base, uint64_t size_bytes, unsigned flags, uint32_t owner,
                            struct cup_device *device);

/* Unregisters a range. Returns CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED if the address is in no range,
 * and CUDA_ERROR_INVALID_VALUE if it is inside one. */
CUresult cup_registered_remove(uint64_t base);

/* Makes a graphics driver's memory a CUP_RANGE_GRAPHICS range, or adds a user to it. If the same
 * range was returned before, the cost does not depend on its size. */
CUresult cup_registered_reserve(uint64_t base, uint64_t size_bytes, uint32_t owner,
                                struct cup_device *device);

/* Return removes one user; after the last one CUDA may not access the memory, but its record stays.
 * Forgetting it requires that it has no users. */
void cup_registered_return(uint64_t base);
void cup_registered_forget(uint64_t base);

/* Unregisters everything that a context has registered. */
void cup_registered_remove_owned(uint32_t owner);

#endif
