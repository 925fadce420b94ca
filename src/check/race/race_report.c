/* SPDX-License-Identifier: MIT */
/* A race is reported with both accesses, and with the memory: the variable in shared memory that
 * one of them names, or the allocation. A loop may race a million times, so after some reports of
 * the same two instructions the next ones are dropped before anything is looked up. */
#include "check/race/races.h"

#include "abi/check.h"
#include "check/kernel/dispatch.h"
#include "check/kernel/place.h"
#include "check/report/report.h"
#include "core/checks.h"
#include "exec/sched/grid.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SEEN = 256, SEEN_MAX = 64 };

/* Leaf mutex: guards the table of races that were seen. */
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether two instructions have raced too often. */
static bool is_too_often(const struct cup_grid *grid, const struct cup_race *race)
{
    static struct {
        uint64_t key;
        uint32_t count;
    } seen[SEEN];
    uint64_t key = grid->program->hash[0] + grid->function + race->second.site * UINT64_C(65537) +
                   ((uint64_t)race->first.site << 40);
    uint32_t slot = (uint32_t)((key ^ key >> 17 ^ key >> 40) % SEEN), count;

    pthread_mutex_lock(&seen_lock);
    count = seen[slot].key == key ? seen[slot].count + 1 : 1;
    seen[slot].key = key;
    seen[slot].count = count;
    pthread_mutex_unlock(&seen_lock);
    return count > SEEN_MAX;
}

/* A stamp has the lowest bits of the site only: the kernel's own instructions are tried first. */
static uint32_t whole_site(const struct cup_grid *grid, uint32_t low)
{
    const struct ptx_program *program = grid->program;
    const uint32_t step = 1u << CUP_RACE_SITE_BITS;
    uint32_t first = 0, count = program->functions[grid->function].instruction_count, site;

    for (uint32_t f = 0; f < grid->function; f++)
        first += program->functions[f].instruction_count;
    site = first + ((low - first) & (step - 1));
    return site < first + count ? site : low;
}

static void find_position(uint64_t linear, const uint32_t size[3], uint32_t position[3])
{
    position[0] = (uint32_t)(linear % size[0]);
    position[1] = (uint32_t)(linear / size[0] % size[1]);
    position[2] = (uint32_t)(linear / size[0] / size[1]);
}

static void set_place(struct cup_kcheck_where *where, const struct cup_grid *grid,
                      const struct cup_race_thread *thread, uint32_t site)
{
    const struct cup_abi_launch *launch = &grid->launch;
    uint32_t warps = launch->block_warps, block[3], inside[3], size[3];

    for (unsigned axis = 0; axis < 3; axis++)
        size[axis] = launch->cluster[axis] ? launch->cluster[axis] : 1;
    find_position(thread->unit, launch->grid, block);
    find_position(thread->warp / warps, size, inside);
    for (unsigned axis = 0; axis < 3; axis++)
        block[axis] += inside[axis];
    cup_kcheck_where_set(where, grid, site, block,
                         thread->warp % warps * CUP_RACE_LANES + thread->lane,
                         thread->strength == CUP_RACE_ATOMIC ? "atomically changed"
                         : thread->writes                    ? "written"
                                                             : "read");
}

/* "4 bytes at offset 20 of shared memory, variable tile". */
static void describe_memory(const struct cup_grid *grid, const struct cup_race *race, char *text,
                            size_t size)
{
    const char *name = cup_kcheck_variable_name(grid, whole_site(grid, race->first.site));

    if (!race->is_shared) {
        snprintf(text, size, "%u bytes of global memory at 0x%" PRIx64, race->bytes, race->address);
        return;
    }
    if (!name)
        name = cup_kcheck_variable_name(grid, race->second.site);
    snprintf(text, size, "%u bytes at offset %" PRIu64 " of shared memory%s%s", race->bytes,
             race->offset, name ? ", variable " : "", name ? name : "");
}

static const char *fault_of(const struct cup_race *race)
{
    if (!race->first.writes)
        return "read-write";
    return race->second.writes ? "write-write" : "write-read";
}

static bool in_one_warp(const struct cup_race *race)
{
    return race->first.unit == race->second.unit && race->first.warp == race->second.warp;
}

static const char *note_of(const struct cup_race *race, const struct cup_grid *grid)
{
    uint32_t warps = grid->launch.block_warps;

    if (race->in_one_instruction)
        return "which of the values stays is undefined";
    if (in_one_warp(race))
        return "__syncwarp() between them would order them";
    if (race->first.unit == race->second.unit)
        return race->first.warp / warps == race->second.warp / warps
                   ? "__syncthreads() between them would order them"
                   : "a barrier of the cluster between them would order them";
    return "blocks of a launch run in any order: atomics, or a second launch, would order them";
}

static void describe(const struct cup_race *race, const struct cup_grid *grid, char *text,
                     size_t size)
{
    char memory[400];

    describe_memory(grid, race, memory, sizeof(memory));
    if (race->in_one_instruction)
        snprintf(text, size, "lanes of one warp wrote different values to %s with one instruction",
                 memory);
    else
        snprintf(text, size, "race: %s %s %s, with nothing between to order them",
                 in_one_warp(race)                       ? "lanes of one warp"
                 : race->first.unit == race->second.unit ? "threads of one block"
                                                         : "threads of two blocks",
                 race->second.writes && race->first.writes ? "wrote" : "wrote and read", memory);
}

void cup_races_report(void *context, const struct cup_race *race)
{
    const struct cup_grid *grid = context;
    bool warp_only = in_one_warp(race) && !race->in_one_instruction;
    struct cup_kcheck_where where[2];
    struct cup_tracked record;
    char text[600];

    if (!(cup_checks.kernels & CUP_ABI_CHECK_RACES) && !warp_only)
        return;
    if (is_too_often(grid, race))
        return;
    set_place(&where[0], grid, &race->first, whole_site(grid, race->first.site));
    set_place(&where[1], grid, &race->second, race->second.site);
    describe(race, grid, text, sizeof(text));
    struct cup_report report = {
        .check = warp_only && (cup_checks.kernels & CUP_ABI_CHECK_SYNC) ? CUP_REPORT_SYNC
                                                                        : CUP_REPORT_RACES,
        .fault = warp_only ? "missing-syncwarp" : fault_of(race),
        .text = text,
        .places = {where[0].report, where[1].report},
        .place_count = 2,
        .address = race->is_shared ? race->offset : race->address,
        .size_bytes = race->bytes,
        .note = note_of(race, grid),
    };
    if (!race->is_shared && cup_kcheck_find_memory(race->address, &record))
        report.memory = &record;
    cup_report_write(&report);
}
