/* SPDX-License-Identifier: MIT */
/* What streams do with managed memory: prefetch it, discard it. The contents stay where they are,
 * or go; what remains is that it was done, in stream order. */
#ifndef CUP_MEMORY_MIGRATION_H
#define CUP_MEMORY_MIGRATION_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

/* Of part of one managed allocation. */
struct cup_migration {
    uint64_t address, size_bytes;
    uint64_t buffer_id; /* whose; by cup_migration_check */
    bool discards;      /* the contents are of no use any more */
    bool prefetches;
    CUmemLocation to; /* a place as in struct cup_advice */
};

/* INVALID_VALUE when the range is not all of one managed allocation. */
CUresult cup_migration_check(struct cup_migration *migration);

/* Does them in stream order, if the memory is still there then. All have been checked. */
CUresult cup_migration_submit(struct CUstream_st *stream, const struct cup_migration *migrations,
                              size_t count);

#endif
