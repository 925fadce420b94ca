/* SPDX-License-Identifier: MIT */
/* What a kernel counted, sorted by what its instructions do. */
#include "profiler/count_kernel.h"

#include "driver.h"

#include <string.h>

enum { WARP_THREADS = 32, KHZ_PER_GHZ = 1000000 };

/* f32 and f64 are 0 and 1; -1: another type. */
static int float_type(const char *type)
{
    return strcmp(type, "f32") == 0 ? 0 : strcmp(type, "f64") == 0 ? 1 : -1;
}

static bool is_op(const struct cupipe_instruction_count *row, const char *op)
{
    return strcmp(row->op, op) == 0;
}

static void count_arithmetic(const struct cupipe_instruction_count *row, struct quantities *counted)
{
    int type = float_type(row->type);
    double *kind = is_op(row, "add") || is_op(row, "sub")   ? counted->adds
                   : is_op(row, "mul")                      ? counted->multiplications
                   : is_op(row, "fma") || is_op(row, "mad") ? counted->fmas
                                                            : NULL;

    if (type < 0 || !kind)
        return;
    kind[type] += (double)row->lanes;
    counted->arithmetic[type] += (double)row->lanes;
}

static struct access_quantities *access_of(const struct cupipe_instruction_count *row,
                                           struct quantities *counted)
{
    bool shared = row->access == CUPIPE_ACCESS_SHARED;

    if (row->access == CUPIPE_ACCESS_NONE)
        return NULL;
    if (is_op(row, "st"))
        return shared ? &counted->shared_store : &counted->global_store;
    if (is_op(row, "ld") || is_op(row, "ldu"))
        return shared ? &counted->shared_load : &counted->global_load;
    return NULL; /* atomics: lanes with the same address take turns in a way that is not known */
}

static void count_row(const struct cupipe_instruction_count *row, struct quantities *counted)
{
    struct access_quantities *access = access_of(row, counted);

    counted->instructions += (double)row->executions;
    counted->thread_instructions += (double)row->lanes;
    count_arithmetic(row, counted);
    if (!access)
        return;
    access->accesses += (double)row->accesses;
    access->bytes += (double)row->access_lanes * row->access_bytes;
    access->transfers += (double)row->transfers;
    access->conflicts += (double)(row->transfers - row->accesses);
}

/* Times are those of this machine, in the clock of the device. */
static void count_time(const struct cupipe_activity *work, const struct metric_device *device,
                       struct quantities *counted)
{
    double multiprocessors = device->multiprocessors;
    double busy = counted->blocks < multiprocessors ? counted->blocks : multiprocessors;

    counted->time_ns = (double)(work->end_ns - work->start_ns);
    counted->cycles = counted->time_ns * device->clock_khz / KHZ_PER_GHZ;
    counted->active_cycles = counted->cycles * busy / multiprocessors;
}

void count_kernel(const struct cupipe_activity *work, const struct metric_device *device,
                  struct quantities *counted)
{
    const struct cupipe_driver_table *cupipe = lib_driver()->cupipe;
    const struct cupipe_counts *counts = work->kernel.counts;
    const uint32_t *grid = work->kernel.grid, *block = work->kernel.block;
    uint32_t threads = block[0] * block[1] * block[2];
    struct cupipe_instruction_count row;

    *counted = (struct quantities){.kernels = 1};
    counted->blocks = (double)grid[0] * grid[1] * grid[2];
    counted->warps = counted->blocks * ((threads + WARP_THREADS - 1) / WARP_THREADS);
    counted->threads = counted->blocks * threads;
    count_time(work, device, counted);
    if (!counts) {
        counted->uncounted_kernels = 1;
        return;
    }
    for (size_t i = 0; i < cupipe->count_instructions(counts); i++) {
        cupipe->read_instruction(counts, i, &row);
        count_row(&row, counted);
    }
}
