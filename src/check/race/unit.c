/* SPDX-License-Identifier: MIT */
/* Memory of units of the race detector, and how they begin. */
#include "check/race/unit.h"

#include "core/align.h"

#include <stdlib.h>
#include <string.h>

struct cup_race_unit *cup_race_unit_create(uint32_t blocks, uint32_t warps, uint32_t shared_bytes)
{
    struct cup_race_unit *unit = calloc(1, sizeof(*unit));
    size_t all = (size_t)blocks * warps, barriers = 1 + (size_t)blocks * CUP_RACE_BARRIERS;

    if (!unit || !cup_race_epochs_start() || !cup_race_shadow_start())
        goto fail;
    unit->blocks = blocks;
    unit->warps = (uint32_t)all;
    unit->shared_words =
        cup_align_up(shared_bytes, CUP_RACE_LINE_WORDS * CUP_RACE_WORD_BYTES) / CUP_RACE_WORD_BYTES;
    unit->quick = calloc(all, sizeof(*unit->quick));
    unit->all_warps = calloc(all, sizeof(*unit->all_warps));
    unit->orders = calloc(all, sizeof(*unit->orders));
    unit->clocks = calloc(all, all * sizeof(*unit->clocks));
    unit->places = calloc(CUP_RACE_PLACES + 1, all * sizeof(*unit->places));
    unit->barrier_clocks = calloc(barriers * CUP_RACE_PHASES, all * sizeof(*unit->barrier_clocks));
    unit->barrier_phases = calloc(barriers * CUP_RACE_PHASES, sizeof(*unit->barrier_phases));
    unit->barrier_now = calloc(barriers, sizeof(*unit->barrier_now));
    if (unit->shared_words)
        unit->shared = cup_race_cells_create((size_t)blocks * unit->shared_words);
    if (unit->all_warps && unit->quick && unit->orders && unit->clocks && unit->places &&
        unit->barrier_clocks && unit->barrier_phases && unit->barrier_now &&
        (!unit->shared_words || unit->shared.write))
        return unit;
fail:
    cup_race_unit_destroy(unit);
    return NULL;
}

void cup_race_unit_destroy(struct cup_race_unit *unit)
{
    if (!unit)
        return;
    cup_race_cells_destroy(&unit->shared, (size_t)unit->blocks * unit->shared_words);
    free(unit->all_warps);
    free(unit->quick);
    free(unit->orders);
    free(unit->clocks);
    free(unit->places);
    free(unit->barrier_clocks);
    free(unit->barrier_phases);
    free(unit->barrier_now);
    free(unit);
}

static void begin_warp(struct cup_race_unit *unit, uint32_t w, uint32_t threads)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint32_t number = w % (unit->warps / unit->blocks), first = number * CUP_RACE_LANES;
    uint32_t lanes = threads > first ? threads - first : 0;

    memset(warp, 0, offsetof(struct cup_race_warp, floors));
    cup_race_unsettle(unit, w);
    unit->quick[w].furthest = 0;
    warp->time = 1;
    warp->lanes = lanes >= CUP_RACE_LANES ? UINT32_MAX : (1u << lanes) - 1;
    warp->order = unit->orders[w];
}

void cup_race_unit_begin(struct cup_race_unit *unit, struct cup_race_launch *launch, uint32_t index,
                         uint32_t threads)
{
    size_t barriers = 1 + (size_t)unit->blocks * CUP_RACE_BARRIERS, clock_bytes;

    clock_bytes = unit->warps * sizeof(*unit->clocks);
    unit->launch = launch;
    unit->number = launch->first_unit + index;
    for (uint32_t w = 0; w < unit->warps; w++)
        begin_warp(unit, w, threads);
    if (unit->spare_epochs < launch->first_epoch)
        unit->spare_count = 0;
    unit->meeting = (struct cup_race_meeting){UINT32_MAX, 0, 0}; /* the number of no barrier */
    cup_race_interval_begin(unit);
    memset(unit->clocks, 0, unit->warps * clock_bytes);
    if (unit->places_used || unit->fence_used)
        memset(unit->places, 0, (CUP_RACE_PLACES + 1) * clock_bytes);
    memset(unit->barrier_phases, 0xff, barriers * CUP_RACE_PHASES * sizeof(*unit->barrier_phases));
    memset(unit->barrier_now, 0, barriers * sizeof(*unit->barrier_now));
    unit->places_used = 0;
    unit->fence_used = unit->acquires = false;
    unit->release_tick = unit->acquire_tick = 0;
    unit->deferred_count = 0;
    unit->is_writing = false;
}
