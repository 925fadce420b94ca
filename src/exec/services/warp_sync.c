/* SPDX-License-Identifier: MIT */
/* Lanes that wait for other lanes of their warp. Each arriving lane is entered in the warp's table
 * with its operands. When all live lanes of its member mask are in the table with the same
 * operation and the same mask, all of them get their results. */
#include "exec/services/sync_table.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/sync.h"
#include "core/compiler.h"
#include "exec/sched/block.h"
#include "exec/sched/fault.h"

#include <stdlib.h>
#include <string.h>

/* A lane that is not in the group gives 0. */
static void shuffle(struct cup_sync_lane *lanes, uint32_t group, uint32_t lane, uint32_t operation)
{
    uint32_t by = lanes[lane].by & 31, segment = lanes[lane].limits >> 8 & 31,
             clamp = lanes[lane].limits & 31, most = (lane & segment) | (clamp & ~segment), from;
    bool inside;

    switch (operation) {
    case CUP_ABI_SYNC_SHUFFLE_UP:
        from = lane - by;
        inside = (int32_t)from >= (int32_t)most;
        break;
    case CUP_ABI_SYNC_SHUFFLE_DOWN:
        from = lane + by;
        inside = from <= most;
        break;
    case CUP_ABI_SYNC_SHUFFLE_XOR:
        from = lane ^ by;
        inside = from <= most;
        break;
    default:
        from = (lane & segment) | (by & ~segment);
        inside = from <= most;
        break;
    }
    from = inside ? from & 31 : lane;
    lanes[lane].result = group >> from & 1 ? lanes[from].value : 0;
    lanes[lane].result_yes = inside;
}

static uint32_t with_value(const struct cup_sync_lane *lanes, uint32_t group, uint64_t value)
{
    uint32_t same = 0;

    for (uint32_t left = group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (lanes[lane].value == value)
            same |= 1u << lane;
    }
    return same;
}

/* Maps floats to integers in comparison order; NaNs sort after all others. */
static uint32_t key_of(uint32_t bits, uint32_t operation)
{
    if (operation & CUP_ABI_SYNC_SIGNED)
        return bits ^ 0x80000000u;
    if (!(operation & CUP_ABI_SYNC_FLOAT))
        return bits;
    if (operation & CUP_ABI_SYNC_ABSOLUTE)
        bits &= 0x7fffffffu;
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static uint32_t reduce(const struct cup_sync_lane *lanes, uint32_t group, uint32_t operation)
{
    uint32_t kind = operation & 0xff, result = kind == CUP_ABI_SYNC_AND ? UINT32_MAX : 0, best = 0;
    bool any = false, nan = false;

    for (uint32_t left = group; left; left &= left - 1) {
        uint32_t value = (uint32_t)lanes[__builtin_ctz(left)].value, key = key_of(value, operation);

        if (kind == CUP_ABI_SYNC_ADD)
            result += value;
        else if (kind == CUP_ABI_SYNC_AND)
            result &= value;
        else if (kind == CUP_ABI_SYNC_OR)
            result |= value;
        else if (kind == CUP_ABI_SYNC_XOR)
            result ^= value;
        else if ((operation & CUP_ABI_SYNC_FLOAT) && is_nan(value))
            nan = true;
        else if (!any || (kind == CUP_ABI_SYNC_MIN ? key < best : key > best)) {
            any = true;
            best = key;
            result = operation & CUP_ABI_SYNC_ABSOLUTE ? value & 0x7fffffffu : value;
        }
    }
    if (nan && (!any || (operation & CUP_ABI_SYNC_NAN)))
        return 0x7fffffffu;
    return result;
}

static void execute(struct cup_sync_lane *lanes, uint32_t group, uint32_t lane)
{
    struct cup_sync_lane *one = &lanes[lane];
    uint32_t operation = one->operation, yes = 0;

    for (uint32_t left = group; left; left &= left - 1)
        yes |= (uint32_t)lanes[__builtin_ctz(left)].yes << __builtin_ctz(left);
    switch (operation & 0xff) {
    case CUP_ABI_SYNC_BARRIER:
        break;
    case CUP_ABI_SYNC_SHUFFLE_UP:
    case CUP_ABI_SYNC_SHUFFLE_DOWN:
    case CUP_ABI_SYNC_SHUFFLE_XOR:
    case CUP_ABI_SYNC_SHUFFLE_INDEX:
        shuffle(lanes, group, lane, operation);
        break;
    case CUP_ABI_SYNC_VOTE_ALL:
        one->result_yes = yes == group;
        break;
    case CUP_ABI_SYNC_VOTE_ANY:
        one->result_yes = yes != 0;
        break;
    case CUP_ABI_SYNC_VOTE_SAME:
        one->result_yes = yes == 0 || yes == group;
        break;
    case CUP_ABI_SYNC_BALLOT:
        one->result = yes;
        break;
    case CUP_ABI_SYNC_MATCH_ANY:
        one->result = with_value(lanes, group, one->value);
        break;
    case CUP_ABI_SYNC_MATCH_ALL:
        one->result_yes = with_value(lanes, group, one->value) == group;
        one->result = one->result_yes ? group : 0;
        break;
    case CUP_ABI_SYNC_ELECT:
        one->result = (uint32_t)__builtin_ctz(group);
        one->result_yes = lane == one->result;
        break;
    default:
        one->result = reduce(lanes, group, operation);
        break;
    }
}

void cup_sync_begin(struct cup_abi_block *block, uint32_t warp, uint32_t operation, uint32_t mask,
                    struct cup_abi_sync_call *call)
{
    struct cup_sync_lane *lanes;

    if (cup_unlikely(!block->sync)) {
        block->sync = calloc(block->state ? CUP_WARPS_MAX : 1, sizeof(struct cup_sync_table));
        if (!block->sync)
            cup_fault_trap(block, warp, mask, CUP_ABI_TRAP_MEMORY, 0);
    }
    lanes = cup_sync_table_of(block, warp)->lanes;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        lanes[lane] = (struct cup_sync_lane){.value = call->values[lane],
                                             .members = call->members[lane],
                                             .by = call->by[lane],
                                             .limits = call->limits[lane],
                                             .operation = operation,
                                             .yes = call->yes >> lane & 1,
                                             .state = CUP_SYNC_WAITS};
    }
    if (block->state)
        ((struct cup_resident *)block->state)->wake_pending |= 1u << warp;
}

/* Returns the lanes that wait for the same operation and members. */
static uint32_t group_of(const struct cup_sync_lane *lanes, uint32_t lane)
{
    uint32_t group = 0;

    for (uint32_t i = 0; i < CUP_ABI_WARP_LANES; i++)
        if (lanes[i].state == CUP_SYNC_WAITS && lanes[i].operation == lanes[lane].operation &&
            lanes[i].members == lanes[lane].members && lanes[lane].members >> i & 1)
            group |= 1u << i;
    return group | 1u << lane;
}

static void release_group(struct cup_abi_block *block, uint32_t warp, struct cup_sync_lane *lanes,
                          uint32_t group)
{
    for (uint32_t left = group; left; left &= left - 1)
        execute(lanes, group, (uint32_t)__builtin_ctz(left));
    for (uint32_t left = group; left; left &= left - 1)
        lanes[__builtin_ctz(left)].state = CUP_SYNC_GOES;
    if (block->state)
        ((struct cup_resident *)block->state)->wake_pending |= 1u << warp;
}

uint32_t cup_sync_done(struct cup_abi_block *block, uint32_t warp, uint32_t parked, uint32_t live,
                       struct cup_abi_sync_call *call)
{
    struct cup_sync_lane *lanes = cup_sync_table_of(block, warp)->lanes;
    const struct cup_resident *resident = block->state;
    uint32_t done = 0;

    if (resident)
        live &= resident->live[warp];
    for (uint32_t left = parked; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), group;

        if (lanes[lane].state == CUP_SYNC_WAITS) {
            group = group_of(lanes, lane);
            if (!(lanes[lane].members & live & ~group))
                release_group(block, warp, lanes, group);
        }
        if (lanes[lane].state != CUP_SYNC_GOES)
            continue;
        lanes[lane].state = CUP_SYNC_AWAY;
        call->results[lane] = lanes[lane].result;
        call->yes = (call->yes & ~(1u << lane)) | (uint32_t)lanes[lane].result_yes << lane;
        done |= 1u << lane;
    }
    return done;
}

bool cup_sync_force(struct cup_abi_block *block, uint32_t warp)
{
    struct cup_sync_lane *lanes = block->sync ? cup_sync_table_of(block, warp)->lanes : NULL;
    uint32_t waiting = cup_sync_waiting(block, warp);

    if (!waiting)
        return false;
    release_group(block, warp, lanes, group_of(lanes, (uint32_t)__builtin_ctz(waiting)));
    return true;
}
