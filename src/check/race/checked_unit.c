/* SPDX-License-Identifier: MIT */
/* Blocks, or clusters of blocks, get a unit when they first report something. Units are kept for
 * other blocks of the same shape. */
#include "check/race/checked_unit.h"

#include "abi/launch.h"
#include "check/race/races.h"
#include "exec/sched/grid.h"

#include <pthread.h>
#include <stdlib.h>

/* Leaf mutex: guards the pool. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_checked_unit *pool; /* guarded by lock */

static const struct cup_abi_block *first_block(const struct cup_abi_block *block)
{
    const struct cup_cluster *cluster = cup_checked_cluster(block);

    return cluster ? &cluster->members[0]->block : block;
}

static uint32_t shared_bytes_of(const struct cup_abi_launch *launch)
{
    return launch->shared_static_bytes + launch->shared_dynamic_bytes;
}

static void destroy_unit(struct cup_checked_unit *unit)
{
    cup_race_unit_destroy(unit->races);
    cup_synccheck_unit_finish(&unit->sync);
    cup_copies_finish(&unit->copies);
    free(unit);
}

static struct cup_checked_unit *create_unit(uint32_t blocks, uint32_t warps, uint32_t shared_bytes)
{
    struct cup_checked_unit *unit = calloc(1, sizeof(*unit));

    if (!unit)
        return NULL;
    unit->shared_bytes = shared_bytes;
    unit->races = cup_race_unit_create(blocks, warps, shared_bytes);
    if (unit->races && cup_synccheck_unit_init(&unit->sync, blocks, warps, unit->races->quick))
        return unit;
    destroy_unit(unit);
    return NULL;
}

static struct cup_checked_unit *take_unit(uint32_t blocks, uint32_t warps, uint32_t shared_bytes)
{
    struct cup_checked_unit **link = &pool, *unit;

    pthread_mutex_lock(&lock);
    while ((unit = *link) && (unit->sync.blocks != blocks || unit->sync.warps != warps ||
                              unit->shared_bytes != shared_bytes))
        link = &unit->next;
    if (unit)
        *link = unit->next;
    pthread_mutex_unlock(&lock);
    return unit ? unit : create_unit(blocks, warps, shared_bytes);
}

static struct cup_checked_unit *give_unit(struct cup_abi_block *block)
{
    const struct cup_cluster *cluster = cup_checked_cluster(block);
    const struct cup_abi_launch *launch = block->launch;
    uint32_t blocks = cluster ? cluster->count : 1;
    struct cup_checked_unit *unit = take_unit(blocks, launch->block_warps, shared_bytes_of(launch));

    if (!unit)
        return NULL;
    unit->has_begun = false;
    unit->holders = blocks;
    unit->races->found = cup_races_report;
    for (uint32_t rank = 0; cluster && rank < blocks; rank++)
        cluster->members[rank]->block.checked = unit;
    return block->checked = unit;
}

/* Compiled code of the block knows its unit. */
static void show_unit(struct cup_abi_block *block, const struct cup_checked_unit *unit,
                      uint32_t rank)
{
    const struct cup_race_unit *races = unit->races;

    block->race_warps = races->quick + (size_t)rank * unit->sync.warps;
    block->race_lines = races->blocks == 1 ? (const uint8_t *)races->shared.line : NULL;
    block->race_lines_bytes =
        races->blocks == 1 ? (uint64_t)races->shared_words * CUP_RACE_WORD_BYTES : 0;
}

static void begin_unit(struct cup_checked_unit *unit, struct cup_abi_block *block)
{
    struct cup_grid *grid = cup_grid_of(block);
    const struct cup_cluster *cluster = cup_checked_cluster(block);

    if (unit->has_begun)
        cup_race_write_end(unit->races);
    unit->has_begun = true;
    unit->first_block = first_block(block)->linear;
    unit->races->context = grid;
    cup_race_unit_begin(unit->races, grid->races, (uint32_t)unit->first_block,
                        block->launch->block_threads);
    cup_synccheck_unit_begin(&unit->sync, grid, block->launch->block_threads);
    cup_copies_begin(&unit->copies);
    if (!cluster)
        show_unit(block, unit, 0);
    for (uint32_t rank = 0; cluster && rank < cluster->count; rank++)
        show_unit(&cluster->members[rank]->block, unit, rank);
}

/* A block that does not wait begins without notice: its index shows it. */
struct cup_checked_unit *cup_checked_unit_of(struct cup_abi_block *block)
{
    struct cup_checked_unit *unit = block->checked;

    if (cup_unlikely(!unit)) {
        if (!cup_grid_of(block)->races)
            return NULL;
        unit = give_unit(block);
        if (!unit)
            return NULL;
    }
    if (cup_unlikely(!unit->has_begun || unit->first_block != first_block(block)->linear))
        begin_unit(unit, block);
    return unit;
}

void cup_races_launch_begin(struct cup_grid *grid)
{
    uint64_t blocks = (uint64_t)grid->launch.grid[0] * grid->launch.grid[1] * grid->launch.grid[2];

    grid->races = malloc(sizeof(*grid->races));
    if (!grid->races)
        return;
    cup_race_launch_init(grid->races, blocks);
    grid->launch.race_chunks = cup_race_shadow_start() ? cup_race_shadow_table() : NULL;
}

void cup_races_launch_end(struct cup_grid *grid)
{
    if (grid->races)
        cup_race_launch_finish(grid->races);
    free(grid->races);
    grid->races = NULL;
}

/* Until the block reports something, compiled code sees warps of which it must report everything.
 */
void cup_races_block_begin(struct cup_abi_block *block)
{
    static struct cup_abi_race_warp reporting[] = {
        [0 ... CUP_WARPS_MAX - 1] = {CUP_ABI_RACE_NO_TAG, CUP_ABI_RACE_NO_TAG, 0, 0,
                                     CUP_ABI_RACE_NO_READ}};
    struct cup_checked_unit *unit = block->checked;

    block->race_warps = reporting;
    block->race_lines_bytes = 0;
    if (!unit)
        return;
    if (unit->has_begun)
        cup_race_write_end(unit->races);
    unit->has_begun = false;
}

void cup_races_block_put(struct cup_abi_block *block, bool abandoned)
{
    struct cup_checked_unit *unit = block->checked;

    if (cup_likely(!unit))
        return;
    if (abandoned)
        unit->races->deferred_count = 0;
    cup_race_write_end(unit->races);
    block->checked = NULL;
    if (--unit->holders)
        return;
    pthread_mutex_lock(&lock);
    unit->next = pool;
    pool = unit;
    pthread_mutex_unlock(&lock);
}
