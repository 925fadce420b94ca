/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: notes the bytes of global memory that a launch touches, which are compared
 * when it ends (check/stream/order.h).
 *
 * Rows of lanes, and rows in loops, are collected by instruction (check/stream/runs.h). Lanes at
 * any other addresses are marked in bitmaps, those with neighbouring addresses together. */
#include "check/stream/kernel_accesses.h"

#include "check/stream/order.h"
#include "check/stream/runs.h"
#include "exec/sched/grid.h"

/* The lanes that access global memory. */
static uint32_t global_lanes(const struct cup_kcheck_access *access)
{
    uint32_t lanes = 0;

    if (access->space != PTX_SPACE_NONE)
        return access->space == PTX_GLOBAL ? access->mask : 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        if (cup_kcheck_space_of(access->block, access->addresses[lane]) == PTX_GLOBAL)
            lanes |= 1u << lane;
    }
    return lanes;
}

/* Takes neighbouring lanes, and lanes with the same bytes, from the set: returns where they begin,
 * and *end. */
static uint64_t take_run(const uint64_t *addresses, uint64_t bytes, uint32_t *lanes, uint64_t *end)
{
    uint64_t begin = addresses[__builtin_ctz(*lanes)];

    *end = begin + bytes;
    for (*lanes &= *lanes - 1; *lanes; *lanes &= *lanes - 1) {
        uint64_t next = addresses[__builtin_ctz(*lanes)];

        if (next == *end)
            *end += bytes;
        else if (next < begin || next + bytes > *end)
            break; /* not the same bytes either */
    }
    return begin;
}

/* How an access touches its bytes, as bits of enum cup_touch. */
static uint32_t touches_of(uint32_t access, enum cup_abi_order order)
{
    bool strong = (access & CUP_ABI_ATOMIC) || order != CUP_ABI_ORDER_WEAK;
    uint32_t read = 1u << (strong ? CUP_TOUCH_STRONG_READ : CUP_TOUCH_READ);
    uint32_t write = 1u << (strong ? CUP_TOUCH_STRONG_WRITE : CUP_TOUCH_WRITE);

    return (access & CUP_ABI_READS ? read : 0) | (access & CUP_ABI_WRITES ? write : 0);
}

static struct cup_touched *touched_of(const struct cup_abi_block *block)
{
    struct cup_order_task *task = cup_grid_of(block)->base.task;

    return task ? cup_order_touched(task) : NULL;
}

/* A host that polls memory sees what comes before a release of the whole system. */
static bool releases_to_host(enum cup_abi_order order, enum cup_abi_scope scope)
{
    return (order == CUP_ABI_ORDER_RELEASE || order == CUP_ABI_ORDER_ACQ_REL ||
            order == CUP_ABI_ORDER_SC) &&
           scope != CUP_ABI_SCOPE_CTA && scope != CUP_ABI_SCOPE_CLUSTER &&
           scope != CUP_ABI_SCOPE_GPU;
}

void cup_kcheck_streams_access(const struct cup_kcheck_access *access)
{
    struct cup_touched *touched = touched_of(access->block);
    uint32_t lanes = touched ? global_lanes(access) : 0;
    uint32_t touches = touches_of(access->access, access->order);

    if (lanes && (access->access & CUP_ABI_WRITES) &&
        releases_to_host(access->order, access->scope))
        cup_order_kernel_signals(cup_grid_of(access->block)->base.task);
    while (lanes) {
        struct cup_touched_rows row = {.count = 1};
        uint64_t end;

        row.first = take_run(access->addresses, access->bytes, &lanes, &end);
        row.bytes = end - row.first;
        cup_touched_mark_rows(touched, &row, touches);
    }
}

void cup_kcheck_streams_sync(const struct cup_kcheck_sync *sync)
{
    struct cup_order_task *task = cup_grid_of(sync->block)->base.task;

    if (task && sync->kind == CUP_ABI_SYNC_KIND_FENCE && sync->scope == CUP_ABI_SCOPE_SYS)
        cup_order_kernel_signals(task);
}

/* Whether rows from the address on are in global memory. */
static bool is_global(struct cup_abi_block *block, uint32_t how, uint64_t address)
{
    return cup_abi_how_space(how) == PTX_GLOBAL ||
           cup_kcheck_space_of(block, address) == PTX_GLOBAL;
}

/* All lanes access consecutive memory, or one address. */
static bool is_row(const struct cup_kcheck_rows *rows)
{
    const struct cup_abi_rows *reported = rows->rows;

    return !reported->addresses && rows->mask == UINT32_MAX &&
           (reported->lane_step == 0 || reported->lane_step == (int64_t)reported->bytes);
}

static void add_rows(const struct cup_kcheck_rows *rows, uint64_t last, uint64_t bytes)
{
    const struct cup_abi_rows *reported = rows->rows;
    uint64_t first = last - (reported->count - 1) * (uint64_t)reported->step;
    struct cup_touched_rows added;

    if (!is_global(rows->block, reported->how, first))
        return;
    added = cup_touched_rows_make(first, bytes, reported->step, reported->count);
    cup_runs_add(rows->block->runs, touched_of(rows->block), reported->slot, &added,
                 touches_of(cup_abi_how_access(reported->how), cup_abi_how_order(reported->how)));
}

void cup_kcheck_streams_rows(const struct cup_kcheck_rows *rows)
{
    const struct cup_abi_rows *reported = rows->rows;
    uint64_t addresses[CUP_ABI_WARP_LANES], begin, end;
    uint32_t lanes = rows->mask;

    if (!touched_of(rows->block))
        return;
    if (is_row(rows)) {
        add_rows(rows, reported->address,
                 reported->lane_step ? 32 * (uint64_t)reported->bytes : reported->bytes);
        return;
    }
    for (uint64_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++)
        addresses[lane] = reported->addresses
                              ? reported->addresses[lane]
                              : reported->address + lane * (uint64_t)reported->lane_step;
    while (lanes) {
        begin = take_run(addresses, reported->bytes, &lanes, &end);
        add_rows(rows, begin, end - begin);
    }
}

void cup_kcheck_streams_run(struct cup_abi_block *block, uint64_t address,
                            const struct cup_abi_run_lanes *lanes)
{
    struct cup_touched *touched = touched_of(block);
    const struct cup_touched_rows row =
        cup_touched_rows_make(address, lanes->bytes, lanes->step, lanes->count);

    if (touched && is_global(block, lanes->how, address))
        cup_runs_break(block->runs, touched, lanes->slot, address, &row,
                       touches_of(cup_abi_how_access(lanes->how), cup_abi_how_order(lanes->how)));
}

void cup_kcheck_streams_bind(struct cup_abi_block *block)
{
    block->runs = cup_runs_get(touched_of(block));
}

void cup_kcheck_streams_put(struct cup_abi_block *block, bool abandoned)
{
    (void)abandoned;
    cup_runs_put(block->runs);
    block->runs = NULL;
}
