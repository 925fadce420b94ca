/* SPDX-License-Identifier: MIT */
/* check/kernel/rows.h: the accesses of a loop are those that it made, also where an index wraps. */
#include "check/kernel/dispatch.h"
#include "check/kernel/rows.h"
#include "test.h"

enum { SEEN_MAX = 64 };

static uint64_t seen[SEEN_MAX]; /* addresses of lane 1, in the order in which they are told */
static unsigned seen_count, part_count;

static void see(const struct cup_kcheck_access *access)
{
    check(access->bytes == 4 && access->mask == 2 && seen_count < SEEN_MAX);
    seen[seen_count++] = access->addresses[1];
}

static void see_part(const struct cup_kcheck_rows *part)
{
    part_count++;
    cup_kcheck_rows_expand(part, see);
}

static void tell(const struct cup_abi_rows *rows)
{
    const struct cup_kcheck_rows told = {.mask = 2, .rows = rows};

    seen_count = part_count = 0;
    cup_kcheck_rows_split(&told, see_part);
}

static bool was_seen(uint64_t address)
{
    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i] == address)
            return true;
    }
    return false;
}

static uint64_t widen(uint32_t index, bool is_signed)
{
    return is_signed ? (uint64_t)(int64_t)(int32_t)index : index;
}

/* What a loop does whose index has 32 bits: lane 1 reads a word at base + 4 * (index + 1). */
static void compare(uint64_t base, uint32_t first, uint32_t step, uint32_t count, bool is_signed)
{
    uint64_t addresses[32];
    struct cup_abi_rows rows = {
        .count = count,
        .index = first + (count - 1) * step,
        .index_step = step,
        .index_signed = is_signed,
        .bytes = 4,
    };
    uint32_t index = rows.index;

    rows.address = base + 4 * widen(index, is_signed);
    rows.step = 4 * (int64_t)(widen(index, is_signed) - widen(index - step, is_signed));
    rows.lane_step = 4;
    for (int by_lane = 0; by_lane < 2; by_lane++) {
        for (uint64_t lane = 0; lane < 32; lane++)
            addresses[lane] = rows.address + 4 * lane;
        rows.addresses = by_lane ? addresses : NULL;
        tell(&rows);
        check(seen_count == count);
        for (uint32_t i = 0; i < count; i++) {
            index = first + i * step;
            check(was_seen(base + 4 + 4 * widen(index, is_signed)));
        }
    }
}

TEST(rows_are_all_iterations_in_order)
{
    struct cup_abi_rows rows = {
        .address = 1000, .lane_step = 8, .step = -16, .count = 3, .bytes = 4};

    tell(&rows);
    check(seen_count == 3 && part_count == 1);
    check(seen[0] == 1040 && seen[1] == 1024 && seen[2] == 1008);
}

TEST(rows_of_one_iteration_have_no_step)
{
    struct cup_abi_rows rows = {.address = 1000, .step = 12345, .count = 1, .bytes = 4};

    tell(&rows);
    check(seen_count == 1 && seen[0] == 1000);
    rows.count = 0;
    tell(&rows);
    check(seen_count == 0);
}

TEST(rows_with_any_numbers_are_split)
{
    struct cup_abi_rows rows = {.step = INT64_MIN, .count = 2, .bytes = 4};

    rows.index = 5;
    for (rows.index_step = (uint32_t)-2; rows.index_step != 3; rows.index_step++) {
        tell(&rows);
        check(seen_count == 2);
    }
}

TEST(rows_follow_an_index_that_wraps)
{
    const uint64_t base = UINT64_C(1) << 40;

    compare(base, 5, 3, 10, true);
    check(part_count == 1);
    compare(base, INT32_MAX - 5, 3, 10, true);
    check(part_count == 2);
    compare(base, 7, (uint32_t)-3, 10, false);
    check(part_count == 2);
    compare(base, UINT32_MAX - 5, 3, 10, false);
    compare(base, (uint32_t)INT32_MIN + 7, (uint32_t)-3, 10, true);
    for (uint32_t count = 1; count < 8; count++) { /* the last iteration wraps, too */
        compare(base, INT32_MAX - 9, 3, count, true);
        compare(base, UINT32_MAX - 9, 3, count, false);
        compare(base, 9, (uint32_t)-3, count, false);
    }
    compare(base, 0, 0x70000000, 20, true);
    check(part_count > 2);
    compare(base, 0, 0x70000000, 20, false);
}
