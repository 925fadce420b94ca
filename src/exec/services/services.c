/* SPDX-License-Identifier: MIT */
/* The table of services that kernels call, and the smallest of them. */
#include "abi/services.h"
#include "exec/matrix/matrix.h"
#include "exec/matrix/product.h"
#include "exec/sched/block.h"
#include "exec/sched/fault.h"
#include "exec/sched/fiber.h"
#include "exec/sched/grid.h"
#include "exec/sched/nested.h"
#include "exec/services/device_runtime.h"
#include "exec/services/sync_table.h"
#include "exec/services/texture.h"
#include "exec/tools/profiler.h"
#include "exec/upcalls.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "device/device.h"
#include "exec/services/warp_call.h"
#include "os/clock.h"

#include <stdatomic.h>
#include <time.h>

/* Cycles at the clock rate that the device reports. */
static uint64_t clock_cycles(void)
{
    static _Atomic(uint64_t) cycles_per_ns; /* times 2^32 */
    uint64_t scale = atomic_load_explicit(&cycles_per_ns, memory_order_relaxed);

    if (cup_unlikely(scale == 0)) {
        const struct cup_device *device = cup_device_get(0);
        scale =
            ((uint64_t)cup_device_property(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) << 32) / 1000000;
        atomic_store_explicit(&cycles_per_ns, scale, memory_order_relaxed);
    }
    return (uint64_t)((unsigned __int128)cup_clock_ns() * scale >> 32);
}

static uint64_t global_timer(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sets the conditions lane by lane; if lanes set the same condition, the last one counts. */
static void set_condition(uint32_t mask, const uint64_t *handles, const uint32_t *values)
{
    for (unsigned lane = 0; mask; lane++, mask >>= 1) {
        if (mask & 1)
            cup_exec_upcalls.set_condition(handles[lane], values[lane]);
    }
}

const struct cup_abi_services cup_exec_services = {
    .barrier = cup_barrier_wait,
    .barrier_arrive = cup_barrier_arrive,
    .barrier_begin = cup_barrier_begin,
    .barrier_done = cup_barrier_done,
    .sync_begin = cup_sync_begin,
    .sync_done = cup_sync_done,
    .call_start = cup_divergent_call_start,
    .call_resume = cup_divergent_call_resume,
    .park = cup_divergent_call_park,
    .yield = cup_divergent_call_yield,
    .lanes_exit = cup_barrier_lanes_exit,
    .trap = cup_fault_trap,
    .vprintf = cup_devrt_print,
    .assert_fail = cup_devrt_assert,
    .allocate = cup_devrt_allocate,
    .release = cup_devrt_free,
    .clock = clock_cycles,
    .global_timer = global_timer,
    .texture = cup_texcall_run,
    .warp_call = cup_warp_execute,
    .matrix_call = cup_matrix_product,
    .matrix_run = cup_matrix_run,
    .access = cup_fault_access,
    .misaligned = cup_fault_misaligned,
    .set_condition = set_condition,
    .device_call = cup_devrt_call,
    .count_access = cup_profiler_count_access,
    .check_bounds = cup_check_bounds_left,
    .check_block = cup_check_block_started,
    .check_access = cup_check_lanes_access,
    .check_range = cup_check_range_access,
    .check_rows = cup_check_rows_access,
    .check_run = cup_check_run_access,
    .check_lanes = cup_check_strided_access,
    .check_reads = cup_check_grouped_reads,
    .check_sync = cup_check_synchronised,
};
