/* SPDX-License-Identifier: MIT */
/* Memory that others made: the application's own, registered by cuMemHostRegister, and that of
 * graphics drivers while CUDA may use it. It lies anywhere and ranges may share a page, so it is
 * found page by page: a 256 MiB slot of the address map gets a table of its pages when something in
 * it is registered first. */
#ifndef CUP_MEMORY_REGISTERED_H
#define CUP_MEMORY_REGISTERED_H

#include "memory/map.h"

#include <cuda.h>

/* HOST_MEMORY_ALREADY_REGISTERED when a byte of it is. INVALID_VALUE when some of it is CUDA's own.
 */
CUresult cup_registered_add(uint64_t base, uint64_t size_bytes, unsigned flags, uint32_t owner,
                            struct cup_device *device);

/* HOST_MEMORY_NOT_REGISTERED when the address is in no range, INVALID_VALUE when it is inside one.
 */
CUresult cup_registered_remove(uint64_t base);

/* A graphics driver's memory becomes CUP_RANGE_GRAPHICS, or is that once more: users are counted.
 * Where the very same range was given up before, this costs the same whatever its size. */
CUresult cup_registered_reserve(uint64_t base, uint64_t size_bytes, uint32_t owner,
                                struct cup_device *device);

/* One user less. With the last one nobody may touch it any more, but it is still remembered; to be
 * forgotten altogether it must have no users. */
void cup_registered_return(uint64_t base);
void cup_registered_forget(uint64_t base);

/* Everything a context has registered. */
void cup_registered_remove_owned(uint32_t owner);

#endif
