/* SPDX-License-Identifier: MIT */
#include "exec/matrix/shared_memory.h"
#include "exec/services/service_access.h"

#include "core/checks.h"

#include <string.h>

struct cup_matrix_shared cup_matrix_shared_of(struct cup_abi_block *block, uint32_t warp,
                                              uint32_t site, uint64_t descriptor, bool transposed)
{
    unsigned mode = descriptor >> 62; /* 1: 128 bytes, 2: 64, 3: 32 */

    return (struct cup_matrix_shared){.block = block,
                                      .warp = warp,
                                      .site = site,
                                      .shared = block->shared,
                                      .start = (uint32_t)(descriptor & 0x3fff) << 4,
                                      .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                                      .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                                      .base = (uint32_t)(descriptor >> 49 & 7) << 7,
                                      .swizzle = mode ? 4 - mode : CUP_SWIZZLE_NONE,
                                      .transposed = transposed};
}

/* Where 8 rows from 8 `row` on begin, of chunk `chunk`; of a transposed tile, 8 columns, and a
 * chunk of rows. A swizzled row has `width` units. */
static uint32_t origin_of(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                          unsigned width)
{
    if (!tile->transposed && tile->swizzle == CUP_SWIZZLE_NONE)
        return tile->start + row * tile->stride + chunk * tile->leading;
    if (!tile->transposed)
        return tile->start + row * tile->stride + chunk / width * tile->leading +
               chunk % width * 16;
    if (tile->swizzle == CUP_SWIZZLE_NONE)
        return tile->start + chunk * tile->stride + row * tile->leading;
    return tile->start + chunk / width * tile->leading + chunk % width * 16 + row * tile->stride;
}

/* Copies the 16 bytes of each of 8 rows from 8 `row` on, of one chunk. */
static void units_read(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                       uint8_t *units)
{
    unsigned width = 1u << tile->swizzle;
    uint32_t at = origin_of(tile, row, chunk, width) - tile->base;

    for (unsigned i = 0; i < 8; i++, at += 16 * width) {
        const uint8_t *unit =
            tile->shared + ((cup_swizzle_offset(at, tile->swizzle) + tile->base) & 0x3ffff);

        cup_service_access(tile->block, tile->warp, 0, unit, 16, tile->site,
                           CUP_ABI_READS | CUP_ABI_ASYNC);
        memcpy(units + 16 * i, unit, 16);
    }
}

void cup_matrix_core_read(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                          uint8_t *core)
{
    uint16_t lines[8][8], (*rows)[8] = (uint16_t(*)[8])core;

    if (!tile->transposed) {
        units_read(tile, row / 8, chunk, core);
        return;
    }
    units_read(tile, chunk, row / 8, (uint8_t *)lines);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++)
            rows[i][j] = lines[j][i];
}

bool cup_matrix_core_is(const struct cup_matrix_shared *tile, unsigned row, unsigned chunk,
                        const uint8_t *core)
{
    typedef uint64_t two_words __attribute__((vector_size(16), aligned(1)));
    unsigned width = 1u << tile->swizzle;
    uint32_t at = origin_of(tile, row / 8, chunk, width) - tile->base;
    two_words differs = {0};

    if (tile->transposed || cup_checks.kernels)
        return false;
    for (unsigned i = 0; i < 8; i++, at += 16 * width) {
        uint32_t unit = (cup_swizzle_offset(at, tile->swizzle) + tile->base) & 0x3ffff;

        differs |= *(const two_words *)(tile->shared + unit) ^ *(const two_words *)(core + 16 * i);
    }
    return !(differs[0] | differs[1]);
}

/* As cup_swizzle_offset(), of 16 offsets at once; none of its bits are above the tenth. */
bool cup_matrix_places_of(const struct cup_matrix_shared *tile, unsigned row_count,
                          struct cup_matrix_places *places)
{
    enum { PATTERN = 1024, SHARED = 1 << 18 };
    typedef uint16_t offsets __attribute__((vector_size(16)));
    const offsets rows = {0, 1, 2, 3, 4, 5, 6, 7};
    unsigned width = 1u << tile->swizzle;
    uint32_t first = tile->start & ~(PATTERN - 1u),
             last = tile->start + row_count / 8 * tile->stride;

    if (tile->transposed || tile->swizzle == CUP_SWIZZLE_NONE || tile->start % 32 != 0 ||
        tile->stride % (128 * width) != 0 || last + PATTERN > SHARED || cup_checks.kernels)
        return false;
    places->rows = tile->shared + first;
    for (unsigned chunk = 0; chunk < 2; chunk++) {
        offsets at = rows * (uint16_t)(16 * width) +
                     (uint16_t)(tile->start - first + 16 * chunk - tile->base);

        at ^= at >> 3 & (uint16_t)((width - 1) << 4);
        at += (uint16_t)tile->base;
        memcpy(places->at[chunk], &at, sizeof(at));
    }
    return true;
}
