/* SPDX-License-Identifier: MIT */
/* The free extents of an array of equal granules. Finds n adjacent free granules and merges
 * neighbours when granules are returned, each in constant time (two-level segregated fit).
 *
 * The caller provides the arrays, with one entry per granule. Only the entries at the ends of free
 * extents are used; granules in use cost nothing here. One thread at a time. */
#ifndef CUP_MEMORY_EXTENTS_H
#define CUP_MEMORY_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Each size below 16 has its own class; above that there are 8 classes per power of two. */
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
    uint64_t *first_bits; /* the caller's: one bit per granule, set where a free extent begins */
    uint64_t *last_bits;  /* the caller's: likewise where one ends */
    uint32_t heads[CUP_EXTENT_CLASSES];
    uint64_t occupied[(CUP_EXTENT_CLASSES + 63) / 64]; /* classes with an extent */
};

void cup_extents_init(struct cup_extents *extents, struct cup_extent_node *nodes,
                      uint64_t *first_bits, uint64_t *last_bits);

/* Returns the first of `count` granules, taken from the low end of the extent found;
 * CUP_EXTENT_NONE if there is none. */
uint32_t cup_extents_take(struct cup_extents *extents, uint32_t count);

/* The same, beginning at a multiple of `align`, a power of two. Takes an extent that is long enough
 * for any alignment, and gives back what precedes and follows the aligned part, inside [0, high).
 */
uint32_t cup_extents_take_aligned(struct cup_extents *extents, uint32_t count, uint32_t align,
                                  uint32_t high);

/* Takes exactly these granules. Returns false if some of them are not free. Searches backwards for
 * the beginning of the extent that contains them. */
bool cup_extents_take_at(struct cup_extents *extents, uint32_t start, uint32_t count);

/* Returns granules and merges them with free neighbours inside [low, high). Writes the start of the
 * resulting extent to *first and returns its length. */
uint32_t cup_extents_give(struct cup_extents *extents, uint32_t start, uint32_t count, uint32_t low,
                          uint32_t high, uint32_t *first);

/* The length of the free extent that ends just before this granule; 0 if none does. */
uint32_t cup_extents_free_before(const struct cup_extents *extents, uint32_t granule);

/* Removes a whole free extent, given by its first granule, from the lists. */
void cup_extents_remove(struct cup_extents *extents, uint32_t first);

#endif
