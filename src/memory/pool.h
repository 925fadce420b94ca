/* SPDX-License-Identifier: MIT */
/* A memory pool: allocating and freeing in stream order. A free is a point in a stream; work behind
 * that point may have the memory. The pool's memory is in its arena (pool_arena.h); memory whose
 * free a stream has not reached is in its free queue (free_queue.h).
 *
 * A destroyed pool lives until its last allocation is freed. */
#ifndef CUP_MEMORY_POOL_H
#define CUP_MEMORY_POOL_H

#include "core/object.h"
#include "memory/free_queue.h"
#include "memory/pool_arena.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_pool_file;
struct CUstream_st;

struct CUmemPoolHandle_st {
    struct cup_object base; /* each allocation holds a reference, but not those of default pools */
    struct CUmemPoolHandle_st *next, *previous; /* all pools; guarded by their lock (pools.c) */
    CUmemPoolProps properties;
    struct cup_device *device;  /* NULL: not a device's */
    bool is_default;            /* lives for ever */
    bool is_imported;           /* another process's memory: nothing is allocated here */
    struct cup_pool_file *file; /* what it shares with other processes; NULL: nothing */
    _Atomic(bool) is_exported;  /* another process may have it: its memory can be exported too */
    _Atomic(unsigned) imports;  /* allocations of another process that are not freed here */

    _Atomic(int) follow_events, opportunistic, internal_dependencies; /* may memory be reused so? */
    _Atomic(uint64_t) release_threshold;
    _Atomic(uint64_t) accessible; /* bit n: from the device with ordinal n */

    struct cup_free_queue order;
    struct cup_pool_arena pool_arena;
};

/* The properties have been checked. */
CUresult cup_pool_create(const CUmemPoolProps *properties, struct CUmemPoolHandle_st **pool);

/* As it is made out of another process's file; takes the file over when it succeeds. */
CUresult cup_pool_create_imported(const CUmemPoolProps *properties, struct cup_pool_file *file,
                                  struct CUmemPoolHandle_st **pool);

/* May work of the device touch the pool's memory? */
void cup_pool_set_access(struct CUmemPoolHandle_st *pool, const struct cup_device *device,
                         bool allowed);

/* Takes a reference; INVALID_VALUE when it is no pool. */
CUresult cup_pool_find(CUmemoryPool handle, struct CUmemPoolHandle_st **pool);

/* Ends the handle, whose reference the caller drops (cup_pools_destroy does it all). INVALID_VALUE
 * for a default pool, and while something imported from it is not freed. */
CUresult cup_pool_retire(struct CUmemPoolHandle_st *pool);

/* size_bytes is not 0. What is done in the stream from now on may use the memory. */
CUresult cup_pool_allocate(struct CUmemPoolHandle_st *pool, uint64_t size_bytes,
                           struct CUstream_st *stream, uint64_t *address);

/* The address is that of a range with CUP_RANGE_POOL. Free when the stream gets there; without a
 * stream, at once. INVALID_VALUE when no allocation begins there (any more). */
CUresult cup_pool_free(uint64_t address, struct CUstream_st *stream);

/* The place of something that is done in the stream now. No reference is taken for it. */
CUresult cup_pool_place(struct CUstream_st *stream, struct cup_point *point);

/* A pointer for another process, and one of another process, which is the same however often it is
 * imported. INVALID_VALUE when the pool is not such that it can be, or the data is not that of
 * memory that lives. */
CUresult cup_pool_export_pointer(const struct cup_range *range, CUmemPoolPtrExportData *data);
CUresult cup_pool_import_pointer(struct CUmemPoolHandle_st *pool,
                                 const CUmemPoolPtrExportData *data, uint64_t *address);

/* Gives back what is not used, as long as so much stays reserved. */
void cup_pool_trim(struct CUmemPoolHandle_st *pool, uint64_t keep_bytes);

/* Memory freed in the stream, or with NULL in any, and reached by it, is anybody's now. */
void cup_pool_collect(struct CUmemPoolHandle_st *pool, struct CUstream_st *stream);

void cup_pool_register(void);

static inline void cup_pool_unref(struct CUmemPoolHandle_st *pool)
{
    cup_object_unref(&pool->base);
}

#endif
