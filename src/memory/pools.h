/* SPDX-License-Identifier: MIT */
/* The default pool and the current pool of each location, and what happens to pools when the
 * program synchronises. */
#ifndef CUP_MEMORY_POOLS_H
#define CUP_MEMORY_POOLS_H

#include "core/compiler.h"
#include "memory/pool_list.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct CUmemPoolHandle_st;
struct CUstream_st;

/* Destroys a pool. Where it was the current pool, the default pool becomes current. Returns
 * CUDA_ERROR_INVALID_VALUE for a default pool, and while imported memory of it is not freed. */
CUresult cup_pools_destroy(struct CUmemPoolHandle_st *pool);

/* The default pool of a location for one type of memory. The location has been checked. A default
 * pool is created on first use and never destroyed; no reference is taken. */
CUresult cup_pools_default(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool);

/* The current pool of a location. Takes a reference, unless it is the default pool. */
CUresult cup_pools_current(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool);
CUresult cup_pools_set_current(CUmemLocation location, CUmemAllocationType type,
                               struct CUmemPoolHandle_st *pool);

/* Frees memory that belongs to no pool when the program next synchronises with this point of the
 * stream, as NVIDIA's driver does. Returns CUDA_ERROR_INVALID_VALUE if no allocation begins
 * there. */
CUresult cup_pools_free_late(uint64_t address, struct CUstream_st *stream);

/* Called when the program has waited for the stream or, with NULL, for a context. Releases the
 * memory that pools hold above their threshold. */
void cup_pools_release(struct CUstream_st *stream);

static inline void cup_pools_synchronized(struct CUstream_st *stream)
{
    if (cup_unlikely(atomic_load_explicit(&cup_pools_touched, memory_order_relaxed)))
        cup_pools_release(stream);
}

#endif
