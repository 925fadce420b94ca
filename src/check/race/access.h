/* SPDX-License-Identifier: MIT */
/* What access.c and line.c share: stamps in memory, and what they mean for a warp. */
#ifndef CUP_CHECK_RACE_ACCESS_H
#define CUP_CHECK_RACE_ACCESS_H

#include "check/race/unit.h"
#include "core/compiler.h"

static inline void cup_race_stamp_set(_Atomic(cup_race_stamp) *place, cup_race_stamp stamp)
{
    atomic_store_explicit(place, stamp, memory_order_relaxed);
}

static inline cup_race_stamp cup_race_stamp_get(_Atomic(cup_race_stamp) *place)
{
    return atomic_load_explicit(place, memory_order_relaxed);
}

static inline cup_race_stamp cup_race_stamp_of(uint64_t epoch, enum cup_race_strength strength,
                                               uint32_t site, uint32_t lane, uint32_t bytes)
{
    return epoch << CUP_RACE_EPOCH_SHIFT | (uint64_t)lane << CUP_RACE_LANE_SHIFT |
           (uint64_t)strength << CUP_RACE_STRENGTH_SHIFT | (uint64_t)bytes << CUP_RACE_BYTES_SHIFT |
           (site & ((1u << CUP_RACE_SITE_BITS) - 1));
}

/* What earlier accesses are for one that all lanes of a warp make. */
enum cup_race_verdict {
    CUP_RACE_NOTHING,    /* there was no access */
    CUP_RACE_OWN,        /* of the same lanes in this epoch */
    CUP_RACE_ORDERED,    /* before */
    CUP_RACE_CONCURRENT, /* of another warp, and not ordered */
    CUP_RACE_UNKNOWN,    /* must be looked at lane by lane */
};

/* Whether an epoch, not the present one of the warp, comes before what any lane does now. */
static inline enum cup_race_verdict cup_race_judge(struct cup_race_unit *unit, uint32_t w,
                                                   cup_race_stamp stamp, bool is_shared)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint64_t epoch = cup_race_stamp_epoch(stamp);

    for (int asked = 0; asked < 2; asked++) {
        if (warp->known[epoch % CUP_RACE_KNOWN] == epoch)
            return CUP_RACE_ORDERED;
        if (warp->concurrent[epoch % CUP_RACE_KNOWN] == epoch)
            return CUP_RACE_CONCURRENT;
        /* Leaves the answer there if it holds for all lanes. */
        if (!asked)
            cup_race_is_ordered(unit, w, 0, stamp, is_shared);
    }
    return CUP_RACE_UNKNOWN;
}

/* Stamps of rows are read and written as plain memory, so that the compiler uses vectors. A
 * processor does not tear words of 64 bits, but TSan does not know that. */
#define CUP_RACE_WITH_VECTORS __attribute__((no_sanitize("thread")))

/* The offset of a shared address in the memories of the unit, one behind the other. */
static inline uint64_t cup_race_shared_offset(const struct cup_race_unit *unit, uint64_t window,
                                              uint64_t address)
{
    uint64_t offset = address - window;
    uint64_t inside = offset & ((1u << CUP_RACE_BLOCK_SHIFT) - 1);

    if (cup_likely(unit->blocks == 1))
        return offset;
    return (offset >> CUP_RACE_BLOCK_SHIFT) * unit->shared_words * CUP_RACE_WORD_BYTES + inside;
}

/* The stamps from an address on, for so many words; NULL fields: there are none. */
static inline struct cup_race_cells cup_race_cells_at(const struct cup_race_unit *unit,
                                                      bool is_shared, uint64_t window,
                                                      uint64_t address, size_t *words)
{
    size_t all = (size_t)unit->blocks * unit->shared_words, at;

    if (!is_shared)
        return cup_race_shadow_at(address, words);
    at = cup_race_shared_offset(unit, window, address) / CUP_RACE_WORD_BYTES;
    if (at >= all)
        return (struct cup_race_cells){.write = NULL};
    *words = all - at;
    return (struct cup_race_cells){.write = unit->shared.write + at,
                                   .read = unit->shared.read + at,
                                   .other_read = unit->shared.other_read + at,
                                   .line = unit->shared.line + at / CUP_RACE_LINE_WORDS,
                                   .in_line = at % CUP_RACE_LINE_WORDS};
}

#endif
