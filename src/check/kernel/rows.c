/* SPDX-License-Identifier: MIT */
#include "check/kernel/rows.h"

#include "abi/launch.h"
#include "check/kernel/dispatch.h"

/* The number of last iterations, including the last one, before which the index did not wrap. */
static uint64_t count_unwrapped(const struct cup_abi_rows *rows)
{
    int64_t step = (int32_t)rows->index_step;
    int64_t index = rows->index_signed ? (int32_t)rows->index : (int64_t)rows->index;
    int64_t low = rows->index_signed ? INT32_MIN : 0, high = low + UINT32_MAX;

    if (step == 0)
        return UINT64_MAX;
    return (uint64_t)(step > 0 ? (index - low) / step : (high - index) / -step) + 1;
}

/* The bytes by which addresses are apart that belong to indices 2^32 apart, and the step of
 * addresses where the index does not wrap: if it wrapped in the last iteration, the step that was
 * reported is another. */
static uint64_t find_turn(struct cup_abi_rows *rows)
{
    int64_t index_step = (int32_t)rows->index_step;
    int64_t turn = index_step > 0 ? INT64_C(1) << 32 : -(INT64_C(1) << 32), distance = index_step;

    if (index_step == 0 || rows->count < 2)
        return 0;
    if (count_unwrapped(rows) == 1)
        distance -= turn;
    uint64_t scale = distance == -1 ? -(uint64_t)rows->step : (uint64_t)(rows->step / distance);
    rows->step = (int64_t)(scale * (uint64_t)index_step);
    return scale * (uint64_t)turn;
}

/* Copies the addresses of lanes, moved by some bytes. */
static void move_lanes(struct cup_abi_rows *rows, uint64_t moved[CUP_ABI_WARP_LANES], uint64_t by)
{
    rows->address += by;
    for (uint32_t lane = 0; rows->addresses && lane < CUP_ABI_WARP_LANES; lane++)
        moved[lane] = rows->addresses[lane] + by;
    if (rows->addresses)
        rows->addresses = moved;
}

void cup_kcheck_rows_split(const struct cup_kcheck_rows *rows,
                           void (*each)(const struct cup_kcheck_rows *part))
{
    uint64_t moved[CUP_ABI_WARP_LANES], left = rows->rows->count;
    struct cup_abi_rows last = *rows->rows;
    struct cup_kcheck_rows part = *rows;
    uint64_t turn = find_turn(&last), step = (uint64_t)last.step;

    part.rows = &last;
    while (left) {
        uint64_t unwrapped = count_unwrapped(&last);

        last.count = unwrapped < left ? unwrapped : left;
        last.step = last.count > 1 ? last.step : 0;
        each(&part);
        left -= last.count;
        /* the index before was 2^32 higher or lower than the step says */
        last.index -= (uint32_t)last.count * last.index_step;
        move_lanes(&last, moved, turn - last.count * step);
        last.step = (int64_t)step;
    }
}

void cup_kcheck_rows_expand(const struct cup_kcheck_rows *rows,
                            void (*each)(const struct cup_kcheck_access *access))
{
    const struct cup_abi_rows *reported = rows->rows;
    uint64_t addresses[CUP_ABI_WARP_LANES];
    const struct cup_kcheck_access access = {
        .block = rows->block,
        .warp = rows->warp,
        .mask = rows->mask,
        .addresses = addresses,
        .bytes = reported->bytes,
        .site = reported->site,
        .access = cup_abi_how_access(reported->how),
        .space = (enum ptx_space)cup_abi_how_space(reported->how),
        .order = cup_abi_how_order(reported->how),
        .scope = cup_abi_how_scope(reported->how),
    };

    for (uint64_t back = reported->count; back-- > 0;) {
        for (uint64_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++)
            addresses[lane] =
                (reported->addresses ? reported->addresses[lane]
                                     : reported->address + lane * (uint64_t)reported->lane_step) -
                back * (uint64_t)reported->step;
        each(&access);
    }
}
