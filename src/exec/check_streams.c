/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: marks the bytes of global memory that a launch touches, which are compared
 * when it ends (stream/order.h). Lanes with neighbouring addresses are marked together. */
#include "exec/check_streams.h"

#include "exec/grid.h"
#include "stream/order.h"

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

/* Whether the lanes of a full warp access one run of memory, as they mostly do. */
static bool is_run(const struct cup_kcheck_access *access, uint32_t lanes)
{
    uint64_t differs = 0;

    if (lanes != UINT32_MAX)
        return false;
    for (uint64_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++)
        differs |= access->addresses[lane] ^ (access->addresses[0] + lane * access->bytes);
    return differs == 0;
}

static void mark(struct cup_touched *touched, const struct cup_kcheck_access *access,
                 uint32_t lanes, enum cup_touch touch)
{
    if (is_run(access, lanes)) {
        cup_touched_mark_range(touched, access->addresses[0], CUP_ABI_WARP_LANES * access->bytes,
                               touch);
        return;
    }
    while (lanes) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t begin = access->addresses[lane], end = begin + access->bytes;

        for (lanes &= lanes - 1; lanes; lanes &= lanes - 1) {
            uint64_t next = access->addresses[__builtin_ctz(lanes)];

            if (next == end)
                end += access->bytes;
            else if (next < begin || next + access->bytes > end)
                break; /* not the same bytes either */
        }
        cup_touched_mark_range(touched, begin, end - begin, touch);
    }
}

/* A host that polls memory sees what comes before a release of the whole system. */
static bool tells_host(enum cup_abi_order order, enum cup_abi_scope scope)
{
    return (order == CUP_ABI_ORDER_RELEASE || order == CUP_ABI_ORDER_ACQ_REL ||
            order == CUP_ABI_ORDER_SC) &&
           scope != CUP_ABI_SCOPE_CTA && scope != CUP_ABI_SCOPE_CLUSTER &&
           scope != CUP_ABI_SCOPE_GPU;
}

void cup_kcheck_streams_access(const struct cup_kcheck_access *access)
{
    struct cup_task *task = cup_grid_of(access->block)->base.task;
    struct cup_touched *touched = task ? cup_order_touched(task) : NULL;
    bool strong = (access->access & CUP_ABI_ATOMIC) || access->order != CUP_ABI_ORDER_WEAK;
    uint32_t lanes = touched ? global_lanes(access) : 0;

    if (!lanes)
        return;
    if ((access->access & CUP_ABI_READS))
        mark(touched, access, lanes, strong ? CUP_TOUCH_STRONG_READ : CUP_TOUCH_READ);
    if ((access->access & CUP_ABI_WRITES))
        mark(touched, access, lanes, strong ? CUP_TOUCH_STRONG_WRITE : CUP_TOUCH_WRITE);
    if ((access->access & CUP_ABI_WRITES) && tells_host(access->order, access->scope))
        cup_order_kernel_signals(task);
}

void cup_kcheck_streams_sync(const struct cup_kcheck_sync *sync)
{
    struct cup_task *task = cup_grid_of(sync->block)->base.task;

    if (task && sync->kind == CUP_ABI_SYNC_KIND_FENCE && sync->scope == CUP_ABI_SCOPE_SYS)
        cup_order_kernel_signals(task);
}
