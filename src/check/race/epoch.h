/* SPDX-License-Identifier: MIT */
/* Epochs: the time between two synchronisations of a warp. The race detector (unit.h) marks
 * each word of memory with the epochs of its last accesses, as numbers; a table says to which warp
 * and time a number belongs. The table is a ring: an epoch that was overwritten is forgotten, and
 * what happened in it counts as long past.
 *
 * A stamp is one access in 64 bits, so that workers can read and write stamps without a lock. */
#ifndef CUP_CHECK_RACE_EPOCH_H
#define CUP_CHECK_RACE_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

struct cup_race_epoch {
    uint32_t unit; /* the number of its block or cluster */
    uint32_t time; /* of the warp */
    uint32_t tick; /* the unit's last release to other units: race_launch in unit.h */
    uint32_t warp;
};

/* How an access goes together with others. */
enum cup_race_strength {
    CUP_RACE_WEAK,
    CUP_RACE_FENCED, /* weak, after a fence of its warp: may be a flag */
    CUP_RACE_STRONG, /* volatile, relaxed, acquire, release */
    CUP_RACE_ATOMIC,
};

enum {
    CUP_RACE_SITE_BITS = 18,
    CUP_RACE_BYTES_SHIFT = CUP_RACE_SITE_BITS, /* bit per byte of the word */
    CUP_RACE_STRENGTH_SHIFT = CUP_RACE_BYTES_SHIFT + 4,
    CUP_RACE_SEVERAL_SHIFT = CUP_RACE_STRENGTH_SHIFT + 2, /* other lanes, too, in this epoch */
    CUP_RACE_LANE_SHIFT = CUP_RACE_SEVERAL_SHIFT + 1,
    CUP_RACE_EPOCH_SHIFT = CUP_RACE_LANE_SHIFT + 5,
};

typedef uint64_t cup_race_stamp; /* 0: no access */

static inline uint64_t cup_race_stamp_epoch(cup_race_stamp stamp)
{
    return stamp >> CUP_RACE_EPOCH_SHIFT;
}

static inline uint32_t cup_race_stamp_lane(cup_race_stamp stamp)
{
    return stamp >> CUP_RACE_LANE_SHIFT & 31;
}

static inline bool cup_race_stamp_several(cup_race_stamp stamp)
{
    return stamp >> CUP_RACE_SEVERAL_SHIFT & 1;
}

static inline enum cup_race_strength cup_race_stamp_strength(cup_race_stamp stamp)
{
    return (enum cup_race_strength)(stamp >> CUP_RACE_STRENGTH_SHIFT & 3);
}

static inline uint32_t cup_race_stamp_bytes(cup_race_stamp stamp)
{
    return stamp >> CUP_RACE_BYTES_SHIFT & 15;
}

/* The lowest bits of the site. */
static inline uint32_t cup_race_stamp_site(cup_race_stamp stamp)
{
    return stamp & ((1u << CUP_RACE_SITE_BITS) - 1);
}

/* Of two numbers that were taken one soon after the other: they go round. */
static inline bool cup_race_epoch_is_older(uint64_t number, uint64_t other)
{
    return (number - other) << CUP_RACE_EPOCH_SHIFT >> 63;
}

/* Creates the table at the first call. False: there is no memory. */
bool cup_race_epochs_start(void);

/* Takes `count` consecutive numbers; returns the first. */
uint64_t cup_race_epochs_take(uint32_t count);
void cup_race_epoch_set(uint64_t number, const struct cup_race_epoch *epoch);
/* Returns false if the epoch is forgotten. */
bool cup_race_epoch_find(uint64_t number, struct cup_race_epoch *epoch);

#endif
