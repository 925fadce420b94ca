/* SPDX-License-Identifier: MIT */
/* The memory that a range of host work names (struct cupipe_range): one block of rows, or one for
 * each address of an array, which lies in memory of the program. */
#ifndef CUP_STREAM_OPERAND_H
#define CUP_STREAM_OPERAND_H

#include "os/guard.h"

#include <cupipe.h>
#include <stdint.h>

static inline uint64_t cup_operand_rows(const struct cupipe_range *range)
{
    return range->bytes == 0 ? 0 : range->rows ? range->rows : 1;
}

/* The bytes from the first row's first to the last row's last; 0: there is no row. */
static inline uint64_t cup_operand_extent(const struct cupipe_range *range)
{
    uint64_t rows = cup_operand_rows(range);

    return rows ? (rows - 1) * range->pitch + range->bytes : 0;
}

/* The blocks of a range: the array of addresses, if there is one, which is read, and what the range
 * names. */
static inline uint64_t cup_operand_blocks(const struct cupipe_range *range)
{
    return range->pointers ? range->pointers + 1 : 1;
}

/* Block number `index`. An address that cannot be read leads to the address 0. */
static inline struct cupipe_range cup_operand_block(const struct cupipe_range *range,
                                                    uint64_t index)
{
    struct cupipe_range block = *range;
    uint64_t address = 0;

    if (!range->pointers)
        return block;
    if (index == 0)
        return (struct cupipe_range){.address = range->address,
                                     .bytes = range->pointers * sizeof(address)};
    cup_guard_copy(&address,
                   (const void *)(uintptr_t)(range->address + (index - 1) * sizeof(address)),
                   sizeof(address));
    block.address = address;
    block.pointers = 0;
    return block;
}

#endif
