/* SPDX-License-Identifier: MIT */
/* The swizzles of shared memory: tensor copies write with them, and matrix descriptors read with
 * them. A swizzle permutes the 16-byte units of a row of 128 bytes by the number of the row, so
 * that a column of a matrix lies in all banks. It depends on the address, not on the beginning of a
 * box: the pattern repeats every 1024 bytes (128B), 512 bytes (64B) or 256 bytes (32B). */
#ifndef CUP_EXEC_SERVICES_SWIZZLE_H
#define CUP_EXEC_SERVICES_SWIZZLE_H

#include <stdint.h>

/* The codes of CUtensorMapSwizzle, so that a tensor map's field is one of them. */
enum cup_swizzle { CUP_SWIZZLE_NONE, CUP_SWIZZLE_32B, CUP_SWIZZLE_64B, CUP_SWIZZLE_128B };

/* Returns where the byte at `offset` of a block's shared memory is; the memory is aligned to 1024
 * bytes. The function is its own inverse. */
static inline uint32_t cup_swizzle_offset(uint32_t offset, enum cup_swizzle swizzle)
{
    uint32_t units = (1u << swizzle) - 1; /* of the permutation, minus 1: 0, 1, 3 or 7 */

    return offset ^ (offset >> 3 & units << 4);
}

#endif
