/* SPDX-License-Identifier: MIT */
/* Fills the table of core/checks.h. */
#include "check/checker.h"

#include "abi/check.h"
#include "check/kernel/dispatch.h"
#include "check/kernel/memory.h"
#include "check/kernel/texture.h"
#include "check/kernel/uninitialised.h"
#include "check/memory/operands.h"
#include "check/memory/redzone.h"
#include "check/memory/uninitialised.h"
#include "check/race/races.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "check/stream/kernel_accesses.h"
#include "check/stream/order.h"
#include "core/checks.h"
#include "core/config.h"

static void allocated(const struct cup_check_allocation *allocation)
{
    if (cup_checks.redzones && allocation->has_redzones)
        cup_redzone_add(allocation->address, allocation->size_bytes, allocation->what);
    if (!cup_unwritten_slots || !allocation->space_bytes)
        return;
    cup_unwritten_add_space(allocation->space_base, allocation->space_bytes);
    if (allocation->is_initialised)
        cup_unwritten_end(allocation->address, allocation->size_bytes);
    else
        cup_unwritten_begin(allocation->address, allocation->size_bytes);
}

static void storage_published(const char *what, uint64_t address, uint64_t size_bytes)
{
    cup_tracked_made(&(struct cup_tracked){.handle = address,
                                           .kind = CUP_TRACKED_STORAGE,
                                           .what = what,
                                           .base = address,
                                           .size_bytes = size_bytes});
}

static void storage_withdrawn(uint64_t address)
{
    cup_tracked_freed(CUP_TRACKED_STORAGE, address);
}

/* Work that does not promise accessible ranges may name more than it touches. */
static void host_work_started(const struct cupipe_work *work)
{
    if (!work->checks_access)
        return;
    if (cup_checks.redzones)
        cup_operands_check_bounds(work);
    if (cup_unwritten_slots)
        cup_operands_check_written(work);
}

static void init_memory(void)
{
    cup_redzone_start(cup_config_get()->check_quarantine_bytes);
    cup_checks.redzones = true;
    cup_checks.allocated = allocated;
    cup_checks.quarantined = cup_redzone_quarantine;
    cup_checks.quarantine_emptied = cup_redzone_evict_all;
    cup_checks.remapped = cup_redzone_reprotect;
    cup_checks.guarded_alloc = cup_redzone_alloc;
    cup_checks.guarded_free = cup_redzone_free;
    cup_checks.guarded_protect = cup_redzone_protect;
    cup_checks.guarded_unprotect = cup_redzone_unprotect;
    cup_checks.host_work_started = host_work_started;
}

static void init_uninitialised(void)
{
    if (!cup_unwritten_start())
        return;
    cup_checks.allocated = allocated;
    cup_checks.uninitialised = cup_unwritten_begin;
    cup_checks.written = cup_unwritten_end;
    cup_checks.copied = cup_unwritten_copy;
    cup_checks.init_slots = cup_kcheck_init_slots;
    cup_checks.host_work_started = host_work_started;
}

static void init_kernels(const struct cup_config *config)
{
    cup_checks.kernels = (config->check_init ? CUP_ABI_CHECK_INIT : 0u) |
                         (config->check_memory ? CUP_ABI_CHECK_MEMORY : 0u) |
                         (config->check_streams ? CUP_ABI_CHECK_STREAMS : 0u) |
                         (config->check_races ? CUP_ABI_CHECK_RACES : 0u) |
                         (config->check_sync ? CUP_ABI_CHECK_SYNC : 0u);
    if (!cup_checks.kernels)
        return;
    cup_checks.launch_started = cup_kcheck_on_launch;
    cup_checks.launch_ended = cup_kcheck_launch_end;
    cup_checks.block_bound = cup_kcheck_block_bind;
    cup_checks.block_started = cup_kcheck_on_block;
    cup_checks.block_put = cup_kcheck_block_put;
    cup_checks.block_freed = cup_kcheck_block_free;
    cup_checks.lanes_access = cup_kcheck_on_access;
    cup_checks.range_access = cup_kcheck_on_range;
    cup_checks.rows_access = cup_kcheck_on_rows;
    cup_checks.run_access = cup_kcheck_streams_run;
    cup_checks.strided_access = cup_kcheck_on_lanes;
    cup_checks.grouped_reads = cup_kcheck_on_reads;
    cup_checks.synchronised = cup_kcheck_on_sync;
    cup_checks.bounds_left = cup_kcheck_on_bounds;
    if (config->check_races || config->check_sync)
        cup_checks.device_heap_used = cup_races_heap;
    if (config->check_sync) {
        cup_checks.mbarrier_used = cup_races_mbarrier;
        cup_checks.deadlocked = cup_races_deadlock;
    }
}

void cup_checker_init(void)
{
    const struct cup_config *config = cup_config_get();

    init_kernels(config);
    if (config->check_memory)
        init_memory();
    if (config->check_init)
        init_uninitialised();
}

static void start_streams(void)
{
    if (!cup_order_start())
        return;
    cup_checks.streams = true;
    cup_checks.job_submitted = cup_order_submit_job;
    cup_checks.job_started = cup_order_start_job;
    cup_checks.job_ended = cup_order_end_job;
    cup_checks.job_dropped = cup_order_drop_job;
    cup_checks.node_started = cup_order_begin_node;
    cup_checks.job_touched = cup_order_touch;
    cup_checks.stream_touched = cup_order_touch_in_stream;
    cup_checks.memory_renewed = cup_order_forget;
    cup_checks.job_released = cup_order_release;
    cup_checks.job_acquired = cup_order_acquire;
    cup_checks.event_recorded = cup_order_record;
    cup_checks.stream_waits_event = cup_order_wait_event;
    cup_checks.stream_waits_stream = cup_order_wait_stream;
    cup_checks.event_destroyed = cup_order_event_ends;
    cup_checks.stream_destroyed = cup_order_stream_ends;
    cup_checks.host_waited_stream = cup_order_host_stream;
    cup_checks.host_waited_context = cup_order_host_context;
    cup_checks.host_waited_event = cup_order_host_event;
}

CUresult cup_checker_start(void)
{
    const struct cup_config *config = cup_config_get();
    CUresult result = cup_report_start();

    if (result != CUDA_SUCCESS)
        return result;
    cup_tracked_start();
    cup_checks.storage_published = storage_published;
    cup_checks.storage_withdrawn = storage_withdrawn;
    if (config->check_memory) {
        cup_checks.argument_rejected = cup_explain_argument;
        cup_checks.guarded_call_faulted = cup_explain_guarded;
        cup_checks.kernel_faulted = cup_kcheck_memory_fault;
        cup_checks.texture_used = cup_kcheck_texture;
    }
    if (config->check_streams)
        start_streams();
    return CUDA_SUCCESS;
}
