/* SPDX-License-Identifier: MIT */
/* The lower half of a stock, for stock.c alone: its count of what is used, its free units, and the
 * blocks it gets from the heap and gives back. */
#ifndef CUP_MEMORY_STOCK_UNITS_H
#define CUP_MEMORY_STOCK_UNITS_H

#include "memory/stock.h"

#include <stdbool.h>
#include <stdint.h>

/* So many bytes more are used: out of the shard's credit, if it has as much. */
void cup_stock_count_used(struct cup_stock *stock, struct cup_stock_shard *shard, uint64_t bytes);
void cup_stock_count_used_locked(struct cup_stock *stock, uint64_t bytes);

/* The first of so many units in a row; CUP_EXTENT_NONE when there are none. */
uint32_t cup_stock_units_take_locked(struct cup_stock *stock, uint32_t count, bool may_grow);
void cup_stock_units_give_locked(struct cup_stock *stock, uint32_t unit, uint32_t count);

/* Is more reserved than is to be kept? And one free block goes back to the heap, if it is. */
bool cup_stock_has_excess(struct cup_stock *stock, uint64_t keep_bytes);
bool cup_stock_block_release(struct cup_stock *stock, uint64_t keep_bytes);

/* Of the whole heap. */
static inline uint32_t cup_stock_block_count(const struct cup_stock *stock)
{
    return stock->heap->unit_count / CUP_BLOCK_UNITS;
}

#endif
