/* SPDX-License-Identifier: MIT */
/* Prefetch and discard of managed memory as stream work. A prefetch does not move the contents; it
 * only records the new location, in stream order. */
#ifndef CUP_MEMORY_MIGRATION_H
#define CUP_MEMORY_MIGRATION_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

/* A prefetch or discard of part of one managed allocation. */
struct cup_migration {
    uint64_t address, size_bytes;
    uint64_t buffer_id; /* of the allocation; set by cup_migration_check */
    bool discards;      /* the contents are discarded */
    bool prefetches;
    CUmemLocation to; /* location as in struct cup_advice */
};

/* Returns CUDA_ERROR_INVALID_VALUE if the range is not within one managed allocation. */
CUresult cup_migration_check(struct cup_migration *migration);

/* Submits the migrations. Each is done in stream order if the memory still exists then. All must
 * have been checked. */
CUresult cup_migration_submit(struct CUstream_st *stream, const struct cup_migration *migrations,
                              size_t count);

#endif
