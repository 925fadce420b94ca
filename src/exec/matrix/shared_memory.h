/* SPDX-License-Identifier: MIT */
/* Operands of wgmma in shared memory: cores, 8 rows of 16 bytes, which descriptors address. */
#ifndef CUP_EXEC_MATRIX_SHARED_MEMORY_H
#define CUP_EXEC_MATRIX_SHARED_MEMORY_H

#include "abi/launch.h"
#include "exec/services/swizzle.h"

#include <stdbool.h>

enum { CUP_MATRIX_GROUP_WARPS = 4 };

/* The fields of a descriptor, in bytes. */
struct cup_matrix_shared {
    struct cup_abi_block *block;
    uint32_t warp, site;
    const uint8_t *shared;
    uint32_t start, leading, stride;
    uint32_t base; /* of the swizzle: where its rows are counted from */
    enum cup_swizzle swizzle;
    bool transposed; /* 16 bytes hold elements of neighbouring rows */
};

struct cup_matrix_shared cup_matrix_shared_of(struct cup_abi_block *block, uint32_t warp,
                                              uint32_t site, uint64_t descriptor, bool transposed);

/* Copies 8 rows from `row` on, of one chunk of 16 bytes. */
void cup_matrix_core_read(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                          uint8_t *core);
/* Whether they are those of `core`; false also if that would take as long as copying them. */
bool cup_matrix_core_is(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                        const uint8_t *core);

/* Finds where the rows of swizzled memory lie, from `rows` on, two chunks of 8 rows; eight rows
 * further they lie tile->stride further. False: they do not, or reads must be told. */
struct cup_matrix_places {
    const uint8_t *rows;
    uint16_t at[2][8];
};
bool cup_matrix_places_of(const struct cup_matrix_shared *tile, unsigned row_count,
                          struct cup_matrix_places *places);

#endif
