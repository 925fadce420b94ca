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

/* Destroys a pool; where it is the current one, the default pool is current again. INVALID_VALUE
 * for a default pool, and while something imported from it is not freed. */
CUresult cup_pools_destroy(struct CUmemPoolHandle_st *pool);

/* The pools of a place for one type of memory. The place has been checked. A default pool is made
 * when it is first asked for, and stays; no reference is taken for it. */
CUresult cup_pools_default(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool);

/* Takes a reference, unless it is the default pool. */
CUresult cup_pools_current(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool);
CUresult cup_pools_set_current(CUmemLocation location, CUmemAllocationType type,
                               struct CUmemPoolHandle_st *pool);

/* Frees memory that no pool has, when the program next synchronises with that place of the stream,
 * as NVIDIA's driver does. INVALID_VALUE when no allocation begins there. */
CUresult cup_pools_free_late(uint64_t address, struct CUstream_st *stream);

/* The program has waited for the stream, or with NULL for a context: what pools have above their
 * threshold goes back. */
void cup_pools_release(struct CUstream_st *stream);

static inline void cup_pools_synchronized(struct CUstream_st *stream)
{
    if (cup_unlikely(atomic_load_explicit(&cup_pools_touched, memory_order_relaxed)))
        cup_pools_release(stream);
}

#endif
