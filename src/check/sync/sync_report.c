/* SPDX-License-Identifier: MIT */
/* Texts of reports. */
#include "check/sync/sync_report.h"

#include "abi/launch.h"
#include "check/kernel/place.h"
#include "check/report/report.h"
#include "check/sync/mbarriers.h"
#include "core/strbuf.h"
#include "exec/sched/grid.h"
#include "exec/services/mbarrier.h"

#include <stdio.h>

static uint32_t thread_of(uint32_t warp, uint32_t lane)
{
    return warp * CUP_SYNC_LANES + lane;
}

/* Reports with one or two places; `second` may be NULL. */
static void report(const char *fault, const char *text, const struct cup_kcheck_where *first,
                   const struct cup_kcheck_where *second, const char *note)
{
    struct cup_report whole = {.check = CUP_REPORT_SYNC,
                               .fault = fault,
                               .text = text,
                               .places = {first->report},
                               .place_count = second ? 2 : 1,
                               .note = note};

    if (second)
        whole.places[1] = second->report;
    cup_report_write(&whole);
}

/* A thread that has arrived at the barrier. */
static uint32_t waiting_thread(const struct cup_synccheck_barrier *barrier, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++)
        if (barrier->lanes[w])
            return thread_of(w, (uint32_t)__builtin_ctz(barrier->lanes[w]));
    return 0;
}

void cup_synccheck_report_absent(struct cup_abi_block *block,
                                 const struct cup_synccheck_barrier *barrier, uint32_t warp,
                                 uint32_t lane, uint32_t site)
{
    const struct cup_grid *grid = cup_grid_of(block);
    uint32_t warps = block->launch->block_warps, arrived = 0;
    struct cup_kcheck_where here, there;
    char text[400];

    for (uint32_t w = 0; w < warps; w++)
        arrived += (uint32_t)__builtin_popcount(barrier->lanes[w]);
    cup_kcheck_where_set(&here, grid, barrier->site, block->index, waiting_thread(barrier, warps),
                         "reached");
    cup_kcheck_where_set(&there, grid, site, block->index, thread_of(warp, lane), "gone round");
    snprintf(text, sizeof(text),
             "%u of the %u threads of a block of kernel %s waited at a barrier that others did not "
             "come to",
             arrived, block->launch->block_threads, grid->kernel_name);
    report("barrier-divergence", text, &here, &there,
           "a barrier must be reached by all threads of the block that have not exited");
}

void cup_synccheck_report_members(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                                  uint32_t site, uint32_t members, uint32_t absent)
{
    const struct cup_grid *grid = cup_grid_of(block);
    struct cup_kcheck_where here;
    char text[400];

    cup_kcheck_where_set(&here, grid, site, block->index, thread_of(warp, lane), "executed");
    snprintf(text, sizeof(text),
             "in kernel %s, an instruction with .sync has the member mask 0x%08x, but lanes 0x%08x "
             "of the warp went on without executing it",
             grid->kernel_name, members, absent);
    report("warp-divergence", text, &here, NULL,
           "all lanes of the mask that have not exited must execute it with the same mask");
}

void cup_synccheck_report_not_member(const struct cup_kcheck_sync *sync, uint32_t lane,
                                     uint32_t members)
{
    const struct cup_grid *grid = cup_grid_of(sync->block);
    struct cup_kcheck_where here;
    char text[400];

    cup_kcheck_where_set(&here, grid, sync->site, sync->block->index, thread_of(sync->warp, lane),
                         "executed");
    snprintf(text, sizeof(text),
             "in kernel %s, lane %u executed an instruction with .sync whose member mask 0x%08x "
             "does not name it",
             grid->kernel_name, lane, members);
    report("not-a-member", text, &here, NULL, NULL);
}

void cup_synccheck_report_count(const struct cup_kcheck_sync *sync, uint32_t id, uint32_t count)
{
    const struct cup_grid *grid = cup_grid_of(sync->block);
    uint32_t lane = (uint32_t)__builtin_ctz(sync->mask);
    struct cup_kcheck_where here;
    char text[400];

    cup_kcheck_where_set(&here, grid, sync->site, sync->block->index, thread_of(sync->warp, lane),
                         "executed");
    snprintf(text, sizeof(text),
             "in kernel %s, barrier %u is to wait for %u threads, which is not a multiple of 32",
             grid->kernel_name, id, count);
    report("barrier-count", text, &here, NULL, NULL);
}

void cup_synccheck_report_counts(const struct cup_kcheck_sync *sync,
                                 const struct cup_synccheck_barrier *barrier, uint32_t id,
                                 uint32_t count)
{
    const struct cup_grid *grid = cup_grid_of(sync->block);
    uint32_t lane = (uint32_t)__builtin_ctz(sync->mask), warps = sync->block->launch->block_warps;
    struct cup_kcheck_where here, there;
    char text[400];

    cup_kcheck_where_set(&here, grid, sync->site, sync->block->index, thread_of(sync->warp, lane),
                         "executed");
    cup_kcheck_where_set(&there, grid, barrier->site, sync->block->index,
                         waiting_thread(barrier, warps), "executed before");
    snprintf(text, sizeof(text),
             "in kernel %s, threads came to barrier %u with different counts: %u, and %u before",
             grid->kernel_name, id, count, barrier->count);
    report("barrier-counts", text, &here, &there, NULL);
}

void cup_synccheck_waits_add(struct cup_synccheck_waits *waits, uint32_t warp, uint32_t lane,
                             uint32_t site, int barrier)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        struct cup_synccheck_wait *wait = &waits->list[i];

        if (wait->warp == warp && wait->site == site && wait->barrier == barrier) {
            wait->lanes |= 1u << lane;
            return;
        }
    }
    if (waits->count == CUP_SYNC_WAITS) {
        waits->left_out++;
        return;
    }
    waits->list[waits->count++] = (struct cup_synccheck_wait){
        .site = site, .warp = warp, .lanes = 1u << lane, .barrier = barrier};
}

static void put_wait(struct cup_strbuf *text, const struct cup_grid *grid,
                     const struct cup_synccheck_wait *wait)
{
    struct cup_kcheck_place place;

    cup_kcheck_place_find(grid, wait->site, &place);
    cup_strbuf_print(text, "%swarp %u, lanes 0x%08x, ", text->used ? "\n  " : "", wait->warp,
                     wait->lanes);
    if (wait->barrier >= 0)
        cup_strbuf_print(text, "wait at barrier %d", wait->barrier);
    else
        cup_strbuf_put(text, "wait for other lanes");
    if (place.source_line)
        cup_strbuf_print(text, ", %s:%u", place.file, place.source_line);
    else
        cup_strbuf_print(text, ", line %u of its PTX", place.line);
    cup_strbuf_print(text, ": %s", place.text);
}

void cup_synccheck_report_deadlock(struct cup_abi_block *block,
                                   const struct cup_synccheck_waits *waits)
{
    const struct cup_grid *grid = cup_grid_of(block);
    struct cup_kcheck_where where[2];
    char text[300], lines[4096];
    struct cup_strbuf note = CUP_TEXT(lines);
    struct cup_report whole = {.check = CUP_REPORT_SYNC, .fault = "deadlock", .text = text};

    for (uint32_t i = 0; i < waits->count; i++)
        put_wait(&note, grid, &waits->list[i]);
    if (waits->left_out)
        cup_strbuf_print(&note, "\n  and %u more threads", waits->left_out);
    lines[note.used < sizeof(lines) ? note.used : sizeof(lines) - 1] = '\0';
    snprintf(text, sizeof(text),
             "the threads of block (%u,%u,%u) of kernel %s wait for each other and none can "
             "continue",
             block->index[0], block->index[1], block->index[2], grid->kernel_name);
    for (uint32_t i = 0; i < waits->count && whole.place_count < CUP_REPORT_PLACES; i++) {
        const struct cup_synccheck_wait *wait = &waits->list[i];

        if (i && wait->site == waits->list[0].site)
            continue;
        cup_kcheck_where_set(&where[whole.place_count], grid, wait->site, block->index,
                             thread_of(wait->warp, (uint32_t)__builtin_ctz(wait->lanes)),
                             "reached");
        whole.places[whole.place_count] = where[whole.place_count].report;
        whole.places[whole.place_count++].in_text = true;
    }
    whole.note = note.used ? lines : NULL;
    cup_report_write(&whole);
}

void cup_synccheck_report_mbarrier(const struct cup_mbarrier_use *use, enum cup_mbarset_fault fault)
{
    static const struct {
        const char *name, *what, *note;
    } faults[] = {
        [CUP_MBARRIER_NEW] = {"mbarrier-not-initialised",
                              "uses an mbarrier that is not initialised",
                              "mbarrier.init, and a barrier behind it, must come first"},
        [CUP_MBARRIER_INVALID] = {"mbarrier-invalid",
                                  "uses an mbarrier that mbarrier.inval has ended", NULL},
        [CUP_MBARRIER_BUSY] = {"mbarrier-busy",
                               "initialises an mbarrier at which threads or bytes have arrived in "
                               "a phase that is not complete",
                               NULL},
    };
    const struct cup_grid *grid = cup_grid_of(use->block);
    struct cup_kcheck_where here;
    char text[400];

    cup_kcheck_where_set(&here, grid, use->site, use->block->index, thread_of(use->warp, use->lane),
                         "executed");
    snprintf(text, sizeof(text), "kernel %s %s", grid->kernel_name, faults[fault].what);
    report(faults[fault].name, text, &here, NULL, faults[fault].note);
}

void cup_synccheck_report_copy(const struct cup_kcheck_access *access, uint32_t lane,
                               const struct cup_abi_block *block, uint32_t thread, uint32_t site)
{
    const struct cup_grid *grid = cup_grid_of(access->block);
    bool reads = access->access & CUP_ABI_READS;
    struct cup_kcheck_where here, there;
    char text[400];

    cup_kcheck_where_set(&here, grid, access->site, access->block->index,
                         thread_of(access->warp, lane), reads ? "read" : "written");
    cup_kcheck_where_set(&there, grid, site, block->index, thread, "copied");
    snprintf(text, sizeof(text),
             "kernel %s %s shared memory that an asynchronous copy may not have written yet",
             grid->kernel_name, reads ? "reads" : "writes");
    report("copy-not-waited", text, &here, &there,
           "cp.async.wait_group or wait_all of the thread that copies, and a barrier before other "
           "threads, must come first");
}
