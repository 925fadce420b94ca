/* SPDX-License-Identifier: MIT */
/* Threads of one warp that go different ways: each against the same steps in C. */
#include "kernels.h"

static uint32_t nested(uint32_t i)
{
    uint32_t x = i;

    if (i & 1) {
        if (i & 2) {
            x += 10;
        } else {
            x *= 3;
            if (i & 4)
                x ^= 0x55;
        }
    } else if (i % 3 == 0) {
        x -= 7;
    }
    return x + 1;
}

TEST(nested_branches)
{
    check_words_in_shapes(kernel_from("flow.ptx", "nested"), nested);
}

static uint32_t break_continue(uint32_t i)
{
    uint32_t s = 0;

    for (uint32_t k = 0; k != i % 37; k++) {
        if (k % 3 == 1)
            continue;
        if ((k * 7 + i) % 11 == 5)
            return s + 100;
        s += k;
    }
    return s;
}

TEST(loop_with_break_and_continue)
{
    check_words_in_shapes(kernel_from("flow.ptx", "break_continue"), break_continue);
}

static uint32_t collatz(uint32_t i)
{
    uint32_t steps = 0;

    for (uint64_t n = (uint64_t)i + 1; n > 1; steps++)
        n = n & 1 ? n * 3 + 1 : n / 2;
    return steps;
}

TEST(loops_of_different_lengths)
{
    check_words_in_shapes(kernel_from("flow.ptx", "collatz"), collatz);
}

static uint32_t switches(uint32_t i)
{
    uint32_t x = 1;

    for (uint32_t k = 0; k < 9; k++) {
        switch ((i + k) % 6) {
        case 0:
        case 4:
            x *= 5;
            break;
        case 1:
            x++;
            x += 2;
            break;
        case 2:
            x += 2;
            break;
        case 3:
            x ^= i;
            break;
        default:
            return x + 50;
        }
    }
    return x;
}

TEST(switch_by_branch_table)
{
    check_words_in_shapes(kernel_from("flow.ptx", "switches"), switches);
}

static uint32_t irreducible(uint32_t i)
{
    uint32_t x = i, n = 0, end = i % 5 + 10;

    if (i & 1)
        goto b;
a:
    x = x * 3 + 1;
    if (++n > end)
        return x;
b:
    x ^= n * 2654435761u;
    n++;
    if (x >> 3 & 1)
        goto a;
    if (n > 20)
        return x;
    goto b;
}

TEST(loop_with_two_entries)
{
    check_words_in_shapes(kernel_from("flow.ptx", "irreducible"), irreducible);
}

static uint32_t three_loops(uint32_t i)
{
    uint32_t s = 0, m = i & 7;

    for (uint32_t x = 0; x < 5; x++) {
        for (uint32_t y = 0; y < 4; y++) {
            for (uint32_t z = 0; z <= y; z++) {
                s = s * 31 + z;
                if (x + y + z == m)
                    goto next;
            }
            if (x * m == 12)
                return s;
        }
    next:;
    }
    return s;
}

TEST(jumps_out_of_inner_loops)
{
    check_words_in_shapes(kernel_from("flow.ptx", "three_loops"), three_loops);
}

static uint32_t early_exit(uint32_t i)
{
    uint32_t s = 1000;

    if (i % 5 == 2)
        return 0;
    for (uint32_t k = 0; k < 10;) {
        s += k++;
        if (k * i % 7 == 3)
            return s;
    }
    return 9;
}

TEST(some_threads_leave_early)
{
    check_words_in_shapes(kernel_from("flow.ptx", "early_exit"), early_exit);
}

/* Last lanes leave the difference of two ways to compute the same. */
static uint32_t last_lanes(uint32_t i)
{
    return i % 128 % 32 == 31 ? 0 : i;
}

TEST(last_lanes_compute_what_is_the_same_for_their_warp)
{
    check_words(kernel_from("flow.ptx", "last_lanes"), 3, 128, last_lanes);
}

static uint32_t sides(uint32_t i)
{
    uint32_t out = 3 * i, y = 7;

    if (i % 3 == 0)
        y = out;
    y = i & 1 ? 2 * y + 5 : y ^ 9;
    if (i % 5 < 2)
        y += (i - 20) >> 3;
    if (i == 9)
        out = 1;
    return i % 7 == 2 ? out + y : out;
}

TEST(short_sides_of_branches)
{
    check_words_in_shapes(kernel_from("flow.ptx", "sides"), sides);
}

static uint32_t sides_of_pairs(uint32_t i)
{
    bool read = (i & 6) == 4;
    uint32_t x = read ? 3 * i : 1, y = read ? i : 2;

    return (i & 3) != 3 ? y << 12 ^ x : (3 * i) << 12 ^ i;
}

TEST(short_sides_with_pairs)
{
    check_words_in_shapes(kernel_from("flow.ptx", "sides_of_pairs"), sides_of_pairs);
}
