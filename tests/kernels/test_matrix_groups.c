/* SPDX-License-Identifier: MIT */
/* Products of warpgroups that follow each other, with small whole numbers: of any order of
 * additions the sums are the same. */
#include "kernels.h"

#include <math.h>

enum { EDGE = 64, ELEMENTS = EDGE * EDGE, THREADS = 128, MOST_ROUNDS = 3, STEPS = 4, NOBODY = 2 };

struct matrices {
    uint16_t a[MOST_ROUNDS][ELEMENTS], b[MOST_ROUNDS][ELEMENTS]; /* b: by columns */
};

/* A whole number between -8 and 7, as .f16. */
static uint16_t half_of(int number)
{
    uint16_t size = (uint16_t)(number < 0 ? -number : number), exponent = 15;

    if (!number)
        return 0;
    for (size <<= 10; size >= 1 << 11; size >>= 1)
        exponent++;
    return (uint16_t)((number < 0 ? 0x8000 : 0) | exponent << 10 | (size & 0x3ff));
}

static int number_at(unsigned matrix, unsigned round, unsigned at)
{
    uint64_t random = ((uint64_t)matrix << 40 | (uint64_t)round << 20 | at) * 0x9e3779b97f4a7c15u;

    return (int)(random >> 60) - 8;
}

static void fill(struct matrices *m)
{
    for (unsigned round = 0; round < MOST_ROUNDS; round++)
        for (unsigned at = 0; at < ELEMENTS; at++) {
            m->a[round][at] = half_of(number_at(0, round, at));
            m->b[round][at] = half_of(number_at(1, round, at));
        }
}

static int sum_at(unsigned rounds, unsigned fresh, unsigned row, unsigned column)
{
    int sum = 0;

    for (unsigned round = 0; round < rounds; round++)
        for (unsigned k = 0; k < EDGE; k++) {
            if (k % 16 == 0 && fresh >> k / 16 & 1)
                sum = 0;
            sum += number_at(0, round, row * EDGE + k) * number_at(1, round, column * EDGE + k);
        }
    return sum;
}

static void check_groups(const char *kernel, const struct matrices *m, unsigned rounds,
                         unsigned fresh, unsigned odd)
{
    static float got[ELEMENTS];
    uint32_t counts[THREADS];
    CUfunction function = kernel_from("matrix_groups.ptx", kernel);
    CUdeviceptr a = device_copy_of(m->a, sizeof m->a), b = device_copy_of(m->b, sizeof m->b),
                c = device_zeros(sizeof got), times = device_zeros(sizeof counts);
    void *parameters[] = {&a, &b, &c, &times, &rounds, &fresh, &odd};

    launch_line(function, 1, THREADS, 0, parameters);
    check_success(cuMemcpyDtoH(got, c, sizeof got));
    check_success(cuMemcpyDtoH(counts, times, sizeof counts));
    for (unsigned at = 0; at < ELEMENTS; at++)
        check(got[at] == (float)sum_at(rounds, fresh, at / EDGE, at % EDGE));
    for (unsigned thread = 0; thread < THREADS; thread++)
        check(counts[thread] == (thread % 2 == odd ? rounds : 0));
}

static void check_all(unsigned odd)
{
    static struct matrices m;

    fill(&m);
    for (unsigned rounds = 1; rounds <= MOST_ROUNDS; rounds++)
        for (unsigned fresh = 0; fresh < 1 << STEPS; fresh += rounds == 2 ? 1 : 5)
            check_groups("groups", &m, rounds, fresh, odd);
}

TEST(products_of_a_group_follow_each_other)
{
    check_all(NOBODY);
}

TEST(products_of_a_group_whose_lanes_diverge)
{
    check_all(0);
}

TEST(operands_of_a_group_written_in_other_ways)
{
    static struct matrices m;

    fill(&m);
    check_groups("groups_copied", &m, MOST_ROUNDS, 0, NOBODY);
    check_groups("groups_generic", &m, MOST_ROUNDS, 0, NOBODY);
    check_groups("groups_generic", &m, MOST_ROUNDS, 0, 1);
}

TEST(operands_of_a_group_written_after_the_wait_for_its_products)
{
    static struct matrices m;

    fill(&m);
    check_groups("groups_refilled", &m, MOST_ROUNDS, 0, NOBODY);
    check_groups("groups_refilled", &m, MOST_ROUNDS, 0, 1);
}

TEST(lanes_wait_for_each_other_before_products)
{
    enum { LANES = 32 };
    uint32_t come[THREADS];
    CUfunction function = kernel_from("matrix_groups.ptx", "groups_meet");
    CUdeviceptr out = device_zeros(sizeof come);
    void *parameters[] = {&out};

    launch_line(function, 1, THREADS, 0, parameters);
    check_success(cuMemcpyDtoH(come, out, sizeof come));
    for (unsigned lane = 0; lane < LANES; lane++)
        check(come[lane] == 1);
}

/* One element that is no number makes a column of such sums. */
TEST(infinite_elements_of_a_group)
{
    static struct matrices m;
    static float got[ELEMENTS];
    unsigned rounds = 2, fresh = 0, odd = NOBODY;
    CUfunction function = kernel_from("matrix_groups.ptx", "groups");
    CUdeviceptr a, b, c = device_zeros(sizeof got), times = device_zeros(4 * THREADS);
    void *parameters[] = {&a, &b, &c, &times, &rounds, &fresh, &odd};

    fill(&m);
    m.b[1][40 * EDGE + 17] = 0x7e00;
    a = device_copy_of(m.a, sizeof m.a);
    b = device_copy_of(m.b, sizeof m.b);
    launch_line(function, 1, THREADS, 0, parameters);
    check_success(cuMemcpyDtoH(got, c, sizeof got));
    for (unsigned at = 0; at < ELEMENTS; at++)
        check(at % EDGE == 40 ? isnan(got[at])
                              : got[at] == (float)sum_at(rounds, fresh, at / EDGE, at % EDGE));
}
