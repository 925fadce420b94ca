/* SPDX-License-Identifier: MIT */
/* The two sizes in which memory is allocated. A small allocation takes granules of 512 bytes in a
 * chunk of 2 MiB that it shares with others; a large one takes whole chunks. NVIDIA's driver was
 * recorded to do the same. */
#ifndef CUP_MEMORY_GRANULE_H
#define CUP_MEMORY_GRANULE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_GRANULE_SHIFT = 9,
    CUP_GRANULE_BYTES = 1 << CUP_GRANULE_SHIFT, /* addresses are multiples of this */
    CUP_CHUNK_SHIFT = 21,
    CUP_CHUNK_BYTES = 1 << CUP_CHUNK_SHIFT,
    CUP_CHUNK_GRANULES = CUP_CHUNK_BYTES / CUP_GRANULE_BYTES,
    CUP_SMALL_BYTES_MAX = 1 << 20,
};

static inline bool cup_size_is_large(uint64_t size_bytes)
{
    return size_bytes > CUP_SMALL_BYTES_MAX;
}

#endif
