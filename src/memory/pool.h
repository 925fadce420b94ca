/* SPDX-License-Identifier: MIT */
/* A memory pool: allocation and free in stream order. A free is a point in a stream; work after
 * that point may reuse the memory. The pool's memory is in its arena (pool_arena.h); memory whose
 * free a stream has not reached is in its free queue (free_queue.h).
 *
 * A destroyed pool lives until its last allocation is freed. */
#ifndef CUP_MEMORY_POOL_H
#define CUP_MEMORY_POOL_H

#include "core/list.h"
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
    struct cup_list link;   /* all pools; guarded by their lock (pool_list.c) */
    CUmemPoolProps properties;
    struct cup_device *device;  /* NULL: not a device's */
    bool is_default;            /* never destroyed */
    bool is_imported;           /* memory of another process; cannot allocate */
    struct cup_pool_file *file; /* the file shared with other processes, or NULL */
    /* exported to other processes: its allocations can be exported too */
    _Atomic(bool) is_exported;
    _Atomic(unsigned) imports; /* imported allocations that are not freed */

    _Atomic(int) follow_events, opportunistic, internal_dependencies; /* CU_MEMPOOL_ATTR_REUSE_* */
    _Atomic(uint64_t) release_threshold;
    _Atomic(uint64_t) accessible; /* bit n: from the device with ordinal n */

    struct cup_free_queue free_queue;
    struct cup_pool_arena pool_arena;
};

/* Creates a pool. The properties have been checked. */
CUresult cup_pool_create(const CUmemPoolProps *properties, struct CUmemPoolHandle_st **pool);

/* Creates a pool from another process's file. Takes ownership of the file on success. */
CUresult cup_pool_create_imported(const CUmemPoolProps *properties, struct cup_pool_file *file,
                                  struct CUmemPoolHandle_st **pool);

/* Allows or denies work of the device access to the pool's memory. */
void cup_pool_set_access(struct CUmemPoolHandle_st *pool, const struct cup_device *device,
                         bool allowed);

/* Looks up a pool and takes a reference. Returns CUDA_ERROR_INVALID_VALUE if it is no pool. */
CUresult cup_pool_find(CUmemoryPool handle, struct CUmemPoolHandle_st **pool);

/* The same, but refuses imported pools. */
CUresult cup_pool_find_own(CUmemoryPool handle, struct CUmemPoolHandle_st **pool);

/* Invalidates the handle; the caller drops the handle's reference (cup_pools_destroy does both).
 * Returns CUDA_ERROR_INVALID_VALUE for a default pool, and while imported memory of it is not
 * freed. */
CUresult cup_pool_retire(struct CUmemPoolHandle_st *pool);

/* Allocates. size_bytes must not be 0. Work submitted to the stream from now on may use the
 * memory. */
CUresult cup_pool_allocate(struct CUmemPoolHandle_st *pool, uint64_t size_bytes,
                           struct CUstream_st *stream, uint64_t *address);

/* Frees when the stream reaches this point; without a stream, at once. The address must be in a
 * range with CUP_RANGE_POOL. Returns CUDA_ERROR_INVALID_VALUE if no allocation begins there (any
 * more). */
CUresult cup_pool_free(uint64_t address, struct CUstream_st *stream);

/* The point of an operation that is submitted to the stream now. Takes no reference. */
CUresult cup_pool_location(struct CUstream_st *stream, struct cup_point *point);

/* Export a pointer to, and import one from, another process. Importing the same data again gives
 * the same pointer. Both return CUDA_ERROR_INVALID_VALUE if the pool does not permit it or the data
 * names no live allocation. */
CUresult cup_pool_export_pointer(const struct cup_range *range, CUmemPoolPtrExportData *data);
CUresult cup_pool_import_pointer(struct CUmemPoolHandle_st *pool,
                                 const CUmemPoolPtrExportData *data, uint64_t *address);

/* Releases unused memory, down to keep_bytes of reserved memory. */
void cup_pool_trim(struct CUmemPoolHandle_st *pool, uint64_t keep_bytes);

/* Frees for all streams the memory whose free was reached in the stream or, with NULL, in any
 * stream. */
void cup_pool_collect(struct CUmemPoolHandle_st *pool, struct CUstream_st *stream);

void cup_pool_register(void);

static inline void cup_pool_unref(struct CUmemPoolHandle_st *pool)
{
    cup_object_unref(&pool->base);
}

/* Whether the members that mean nothing to the driver are 0. */
bool cup_pool_reserved_is_zero(const CUmemPoolProps *properties);

#endif
