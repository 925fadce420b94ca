/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=sync: barriers that threads of a block do not reach, and instructions with .sync
 * whose member mask is wrong.
 *
 * Threads that have exited are not waited for, by a barrier as well as by .sync, so a thread that
 * returns early does no harm. A thread that goes round a barrier at which others wait does: it has
 * executed an instruction that comes after the barrier and that none of those who wait had come to.
 *
 * The functions are called before instructions are executed, by one thread at a time for a
 * unit. They report by themselves. */
#ifndef CUP_CHECK_SYNC_BARRIERS_H
#define CUP_CHECK_SYNC_BARRIERS_H

#include "check/kernel/dispatch.h"
#include "check/sync/mbarriers.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_grid;

enum { CUP_SYNC_BARRIERS = 16, CUP_SYNC_LANES = 32 };

/* A barrier of a block in its present phase. */
struct cup_synccheck_barrier {
    bool is_used;
    uint32_t site;     /* of the first arrival */
    uint32_t count;    /* of threads, in whole warps if it is all of them */
    uint32_t furthest; /* of those that have arrived: see cup_synccheck_warp */
    uint32_t *lanes;   /* that have arrived, by warp of the block */
};

struct cup_synccheck_warp {
    uint32_t exists;              /* lanes */
    uint32_t at_barrier, at_sync; /* lanes */
    bool is_together;             /* all lanes wait at the barrier of lane 0 */
    bool has_furthest;            /* lanes have come further than all */
    /* The furthest instruction of the kernel's function that a lane has come to, as its site + 1;
     * 0: none. Where all have come to, cup_abi_race_warp.furthest says. */
    uint32_t furthest[CUP_SYNC_LANES];
    /* What follows is not cleared when a block begins. */
    uint32_t sites[CUP_SYNC_LANES]; /* at which a lane waits */
    uint32_t barriers[CUP_SYNC_LANES];
    uint32_t members[CUP_SYNC_LANES];
    uint32_t came[CUP_SYNC_LANES];    /* members that have come to the .sync of a lane */
    uint32_t went_on[CUP_SYNC_LANES]; /* members that did something else meanwhile */
};

struct cup_synccheck_unit {
    const struct cup_grid *grid;
    uint32_t blocks, warps;        /* warps of a block */
    uint32_t first_site, end_site; /* of the kernel's function */
    struct cup_synccheck_warp *all_warps;
    struct cup_abi_race_warp *quick;        /* of the same warps; not owned */
    struct cup_synccheck_barrier *barriers; /* [block][barrier] */
    uint32_t *lanes;
    struct cup_mbarset mbarriers;
};

bool cup_synccheck_unit_init(struct cup_synccheck_unit *unit, uint32_t blocks, uint32_t warps,
                             struct cup_abi_race_warp *quick);
void cup_synccheck_unit_finish(struct cup_synccheck_unit *unit);
void cup_synccheck_unit_begin(struct cup_synccheck_unit *unit, const struct cup_grid *grid,
                              uint32_t threads);

/* Lanes of a warp are about to execute the instruction of a site. `rank`: of the block. */
void cup_synccheck_step(struct cup_synccheck_unit *unit, struct cup_abi_block *block, uint32_t rank,
                        uint32_t warp, uint32_t mask, uint32_t site);
/* The same for all lanes of a warp that wait for nothing. */
static inline void cup_synccheck_step_all(struct cup_synccheck_unit *unit, uint32_t rank,
                                          uint32_t warp, uint32_t site)
{
    uint32_t *furthest = &unit->quick[rank * unit->warps + warp].furthest;

    if (*furthest < site + 1 && site >= unit->first_site && site < unit->end_site)
        *furthest = site + 1;
}
/* Whether lanes of the warp wait at a barrier or at a .sync, as far as is known. */
static inline bool cup_synccheck_is_waiting(const struct cup_synccheck_unit *unit, uint32_t rank,
                                            uint32_t warp)
{
    const struct cup_synccheck_warp *waiting = &unit->all_warps[rank * unit->warps + warp];

    return (waiting->at_barrier | waiting->at_sync) != 0;
}
/* It is one that synchronises. */
void cup_synccheck_check(struct cup_synccheck_unit *unit, uint32_t rank,
                         const struct cup_kcheck_sync *sync);

/* Reports that the warps of the block wait for ever, and where. */
void cup_synccheck_deadlock(struct cup_synccheck_unit *unit, struct cup_abi_block *block,
                            uint32_t rank);

#endif
