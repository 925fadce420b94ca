/* SPDX-License-Identifier: MIT */
/* The free extents of a row of equal granules: finds n free granules in a row, and joins neighbours
 * when granules are given back, each in constant time (a two-level segregated fit).
 *
 * The caller provides the arrays, with one entry per granule. Only the entries at the ends of free
 * extents are used; granules in use cost nothing here. One thread at a time. */
#ifndef CUP_MEMORY_EXTENTS_H
#define CUP_MEMORY_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Sizes below 16 have a class each, above that 8 classes for every doubling. */
enum { CUP_EXTENT_CLASSES = 16 + 28 * 8 };

#define CUP_EXTENT_NONE UINT32_MAX

/* At the first granule of a free extent: its length and its neighbours in the list of its class. At
 * the last granule: its length. */
struct cup_extent_node {
    uint32_t length;
    uint32_t next;
    uint32_t previous;
} __attribute__((aligned(16)));

struct cup_extents {
    struct cup_extent_node *nodes; /* the caller's */
    uint64_t *first_bits; /* the caller's: a bit a granule, set where a free extent begins */
    uint64_t *last_bits;  /* the caller's: likewise where one ends */
    uint32_t heads[CUP_EXTENT_CLASSES];
    uint64_t occupied[(CUP_EXTENT_CLASSES + 63) / 64]; /* classes with an extent */
};

void cup_extents_init(struct cup_extents *extents, struct cup_extent_node *nodes,
                      uint64_t *first_bits, uint64_t *last_bits);

/* The first of `count` granules, the lowest part of the extent found; CUP_EXTENT_NONE when there is
 * none. */
uint32_t cup_extents_take(struct cup_extents *extents, uint32_t count);

/* The same, beginning at a multiple of `align`, a power of two. Takes an extent that is long enough
 * for any alignment, and gives back what precedes and follows the aligned part, inside [0, high).
 */
uint32_t cup_extents_take_aligned(struct cup_extents *extents, uint32_t count, uint32_t align,
                                  uint32_t high);

/* Takes these granules and no others; false when some of them are not free. Searches backwards for
 * the beginning of the extent they are in. */
bool cup_extents_take_at(struct cup_extents *extents, uint32_t start, uint32_t count);

/* Gives granules back. Joins what is free before and behind them inside [low, high). The extent
 * that results is answered in *first, and its length returned. */
uint32_t cup_extents_give(struct cup_extents *extents, uint32_t start, uint32_t count, uint32_t low,
                          uint32_t high, uint32_t *first);

/* Takes a whole free extent, known by its first granule, out of the lists. */
void cup_extents_remove(struct cup_extents *extents, uint32_t first);

#endif
