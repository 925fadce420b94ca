/* SPDX-License-Identifier: MIT */
/* The race detector of a unit: a block, or the blocks of a cluster. It knows nothing of kernels;
 * races.c reports to it what they do.
 *
 * Two accesses to a word race if one of them writes, different threads made them, they are not both
 * atomic or volatile, and nothing orders them. What orders them in a unit is kept in vector clocks:
 * each warp has a time, which grows when it synchronises, and knows up to which time the accesses
 * of every other warp come before its own. Lanes of a warp are ordered by the instructions with
 * .sync that they execute together. Between units of a launch, a release of the one (an atomic, a
 * fence, a volatile store) and a later acquire of the other order everything before and after.
 *
 * Wherever the rules of PTX would need more than this knows, accesses count as ordered: what is
 * reported is a race, but not every race is reported.
 *
 * One thread at a time calls these functions for a unit. */
#ifndef CUP_CHECK_RACE_UNIT_H
#define CUP_CHECK_RACE_UNIT_H

#include "abi/check.h"
#include "check/race/epoch.h"
#include "check/race/shadow.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_RACE_LANES = 32,
    CUP_RACE_PLACES = 64,   /* classes of addresses by which warps synchronise */
    CUP_RACE_PHASES = 4,    /* of a barrier that are kept */
    CUP_RACE_KNOWN = 16,    /* epochs that a warp remembers */
    CUP_RACE_DEFERRED = 64, /* writes whose values are compared when they have happened */
    CUP_RACE_BLOCK_BARRIERS = 16,
    CUP_RACE_BARRIERS = 24,    /* of a block, with those of its warpgroups' products */
    CUP_RACE_BLOCK_SHIFT = 24, /* shared memories of a unit lie so far apart, as a power of two */
};

/* The units of a launch. */
struct cup_race_launch {
    uint32_t first_unit;
    uint32_t tag;            /* of lines that two units have read: cup_race_line */
    uint64_t first_epoch;    /* stamps of earlier ones come before the launch */
    _Atomic(uint32_t) units; /* 0: accesses of different units are not compared */
    uint32_t release_count;
    _Atomic(uint32_t) tick;       /* counts releases to other units */
    _Atomic(uint32_t) long_waits; /* for writes of other units that did not end */
    /* The tick of each unit's last release; NULL until there is one. */
    _Atomic(_Atomic(uint32_t) *) releases;
};

struct cup_race_warp {
    uint32_t time;
    uint32_t lanes;  /* that the warp has */
    uint64_t epoch;  /* of this time; 0: none yet */
    bool is_settled; /* cup_race_settle() has nothing to do */
    bool fenced;
    bool has_floors, has_order, has_concurrent;
    bool is_together; /* all lanes wait at the barrier of lane 0 */
    /* Accesses of any lane up to this time come before what any lane does now. */
    uint32_t full;
    uint32_t interval; /* in which it last synchronised by something else than a barrier of all */
    /* If has_order: [b][a]: accesses of lane a up to this time come before what lane b does now. */
    uint32_t (*order)[CUP_RACE_LANES];
    /* Lanes that were at an instruction with .sync, with its members, or at a barrier. They are
     * known to have passed it when they do something else. */
    uint32_t at_sync, at_barrier;
    uint64_t cluster_phase;         /* in which it last arrived at the cluster's barrier */
    uint64_t known[CUP_RACE_KNOWN]; /* epochs that come before what any lane does now */
    /* Epochs of other warps that do not; empty after each acquire. */
    uint64_t concurrent[CUP_RACE_KNOWN];
    /* What follows is not cleared when a block begins. */
    uint32_t floors[CUP_RACE_LANES];   /* as `full`, for one lane's accesses now */
    uint32_t arrivals[CUP_RACE_LANES]; /* the time at which a lane last came to a .sync */
    uint32_t members[CUP_RACE_LANES];
    uint32_t barriers[CUP_RACE_LANES];
    uint64_t phases[CUP_RACE_LANES];
};

/* A phase of a barrier to which all warps of the block may come. */
struct cup_race_meeting {
    uint32_t number;
    uint64_t phase;
    uint32_t warps; /* that wait there with all lanes, a bit each: the phase's clock lacks them */
};

/* A race. Threads of the same unit have its number. */
struct cup_race_thread {
    uint32_t unit; /* index in the launch */
    uint32_t warp, lane;
    uint32_t site; /* of the first thread: the lowest bits only */
    bool writes;
    enum cup_race_strength strength;
};

struct cup_race {
    uint64_t address;
    uint64_t offset; /* in the shared memory of its block */
    uint32_t bytes;
    bool is_shared, in_one_instruction;
    struct cup_race_thread first, second;
};

struct cup_race_deferred {
    struct cup_race race;
    uint8_t before[CUP_RACE_WORD_BYTES]; /* the bytes before the write */
};

struct cup_race_unit {
    struct cup_race_unit *next; /* for its owner */
    struct cup_race_launch *launch;
    uint32_t number;
    uint32_t blocks, warps; /* warps of all blocks */
    uint32_t shared_words;  /* of a block */
    struct cup_race_warp *all_warps;
    uint32_t (*orders)[CUP_RACE_LANES][CUP_RACE_LANES]; /* of each warp */
    uint32_t *clocks;                                   /* [warp][warp] */
    uint32_t *places;         /* [place][warp]; behind them, that of fences */
    uint32_t *barrier_clocks; /* [barrier][phase][warp] */
    uint64_t *barrier_phases; /* [barrier][phase]: the phase whose clock it is */
    uint64_t *barrier_now;    /* [barrier]: of barriers whose phases the caller does not know */
    struct cup_race_cells shared;
    uint64_t spare_epochs; /* numbers that it has taken and not used: the next */
    uint32_t spare_count;
    /* The time since all warps of the block met is an interval: what was done in epochs before its
     * first one comes before what any warp does now. Its number is the tag of lines of shared
     * memory. Units of several blocks have but one. */
    uint32_t interval;
    uint64_t first_epoch;
    struct cup_race_meeting meeting, met; /* met: that with which the interval began */
    struct cup_abi_race_warp *quick;      /* for compiled code */
    uint64_t places_used;                 /* bit per place */
    bool fence_used, acquires;
    uint32_t release_tick, acquire_tick;
    struct cup_race_deferred deferred[CUP_RACE_DEFERRED];
    uint32_t deferred_count;
    bool is_writing; /* to global memory: the stamps are there, the values are not yet */
    void (*found)(void *context, const struct cup_race *race);
    void *context;
};

/* Numbers the units of a launch; cup_race_launch_finish() frees what they needed. */
void cup_race_launch_init(struct cup_race_launch *launch, uint64_t units);
void cup_race_launch_finish(struct cup_race_launch *launch);
/* Where the tick of the last release of a unit is kept; NULL: no memory, and the launch is not
 * checked any more. */
_Atomic(uint32_t) *cup_race_launch_release(struct cup_race_launch *launch, uint32_t unit);

/* `warps` is that of one block. NULL: no memory. */
struct cup_race_unit *cup_race_unit_create(uint32_t blocks, uint32_t warps, uint32_t shared_bytes);
void cup_race_unit_destroy(struct cup_race_unit *unit);

/* A unit of the launch begins; `threads` of a block. */
void cup_race_unit_begin(struct cup_race_unit *unit, struct cup_race_launch *launch, uint32_t index,
                         uint32_t threads);
/* Before anything else: lanes of the warp are about to execute an instruction. */
void cup_race_settle(struct cup_race_unit *unit, uint32_t warp, uint32_t mask);
/* Behind cup_race_settle(): until the warp synchronises, or cup_race_unsettle() is called, it need
 * not be called again, and compiled code leaves out reads that need no report. Does
 * nothing if lanes have not passed what they waited at. */
void cup_race_settled(struct cup_race_unit *unit, uint32_t warp);
void cup_race_unsettle(struct cup_race_unit *unit, uint32_t warp);
void cup_race_unsettle_all(struct cup_race_unit *unit);

/* A barrier: lanes arrive and, if `waits`, go on only after its phase is complete. Number:
 * cup_race_barrier_number(). phase: CUP_RACE_PHASE_UNKNOWN if all warps of the block take part. */
#define CUP_RACE_PHASE_UNKNOWN UINT64_MAX
static inline uint32_t cup_race_barrier_number(uint32_t block, uint32_t id)
{
    return 1 + block * CUP_RACE_BARRIERS + id % CUP_RACE_BLOCK_BARRIERS;
}
void cup_race_barrier(struct cup_race_unit *unit, uint32_t warp, uint32_t mask, uint32_t number,
                      uint64_t phase, bool waits);
void cup_race_cluster_arrive(struct cup_race_unit *unit, uint32_t warp, uint32_t mask);
void cup_race_cluster_wait(struct cup_race_unit *unit, uint32_t warp, uint32_t mask);
/* wgmma.commit_group or, if `waits`, wgmma.wait_group. */
void cup_race_products(struct cup_race_unit *unit, uint32_t warp, uint32_t mask, bool waits);

/* An instruction with .sync. members: by lane. */
void cup_race_sync(struct cup_race_unit *unit, uint32_t warp, uint32_t mask,
                   const uint64_t *members);
/* A fence; `wide`: for other units, too. */
void cup_race_fence(struct cup_race_unit *unit, uint32_t warp, uint32_t mask, bool wide);
/* Lanes release or acquire at their addresses. */
void cup_race_release(struct cup_race_unit *unit, uint32_t warp, uint32_t mask,
                      const uint64_t *addresses, bool wide);
void cup_race_acquire(struct cup_race_unit *unit, uint32_t warp, uint32_t mask,
                      const uint64_t *addresses, bool wide);

/* For unit.c: all warps of the unit's block have met. */
void cup_race_interval_begin(struct cup_race_unit *unit);
/* For access.c: the epoch of a warp, and whether an earlier access comes before what the lane
 * does now. */
uint64_t cup_race_epoch_of(struct cup_race_unit *unit, uint32_t warp);
bool cup_race_is_ordered(struct cup_race_unit *unit, uint32_t warp, uint32_t lane,
                         cup_race_stamp stamp, bool is_shared);

/* Lanes of a warp access memory, `bytes` bytes each at its address. All of them access shared
 * memory of the unit, or all of them global memory. */
struct cup_race_access {
    uint32_t warp, site;
    enum cup_race_strength strength;
    bool writes, is_shared;
    uint32_t mask;
    uint64_t bytes;
    const uint64_t *addresses;
    uint64_t window; /* the address of the first block's shared memory */
    /* What the lanes of one instruction write; NULL: unknown. Elements of the bytes as rows of 32
     * lanes. */
    const uint8_t *values;
    uint32_t element_bytes;
};

void cup_race_check(struct cup_race_unit *unit, const struct cup_race_access *access);

/* All lanes of a warp access memory: `bytes` bytes each of a row, or read the same ones. Does the
 * same as cup_race_check(), or returns false if it must be called. */
struct cup_race_run {
    uint32_t warp, site;
    enum cup_race_strength strength;
    bool writes, is_shared, is_row;
    uint32_t bytes;
    uint64_t address; /* of lane 0 */
    uint64_t window;
};
bool cup_race_check_run(struct cup_race_unit *unit, const struct cup_race_run *run);
/* Several runs that read, each `step` bytes behind the one before, with its site. Returns the
 * number of first ones for which cup_race_check() need not be called. */
uint32_t cup_race_check_runs(struct cup_race_unit *unit, const struct cup_race_run *run,
                             int64_t step, uint32_t count, const uint32_t *sites);

/* For access.c and line.c: the unit leaves stamps of a write to global memory, which happens after
 * them, and before the unit does the next thing. */
void cup_race_write_begin(struct cup_race_unit *unit);
/* The write has happened: reports races that were put off, between writes of different values. */
void cup_race_write_end(struct cup_race_unit *unit);
/* Waits until another unit, whose stamp was seen, has written. False: it has not for a long time,
 * or waits itself. */
bool cup_race_wait_for_write(struct cup_race_unit *unit, uint32_t other);

#endif
