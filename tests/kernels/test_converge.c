/* SPDX-License-Identifier: MIT */
/* Lanes named by a member mask wait for each other, wherever they are; barriers and locks make
 * progress in functions that only some lanes have called; barriers that cannot complete are told.
 */
#include "kernels.h"

static uint32_t got[1024];

static void run_words(const char *kernel, unsigned block, unsigned words)
{
    CUfunction function = kernel_from("converge.ptx", kernel);
    size_t bytes = (size_t)block * words * 4;
    CUdeviceptr out = device_zeros(bytes);
    void *parameters[] = {&out};

    launch_line(function, 1, block, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, bytes));
}

static void run(const char *kernel, unsigned block)
{
    run_words(kernel, block, 1);
}

static void compare(unsigned block, const uint32_t *wanted)
{
    for (unsigned t = 0; t < block; t++)
        if (got[t] != wanted[t])
            test_fail(__FILE__, __LINE__, "thread %u: %#x, and not %#x", t, got[t], wanted[t]);
}

TEST(shuffle_in_two_arms)
{
    uint32_t wanted[96];

    run("shuffle_in_two_arms", 96);
    for (unsigned t = 0; t < 96; t++)
        wanted[t] = (t ^ 31) * 10 + (t % 32 < 16 ? 1 : 1000);
    compare(96, wanted);
}

TEST(shuffle_after_rounds)
{
    uint32_t v[64], next[64];

    run("shuffle_after_rounds", 64);
    for (unsigned t = 0; t < 64; t++)
        v[t] = t;
    for (unsigned x = 0; x < 3; x++) {
        for (unsigned t = 0; t < 64; t++)
            v[t] += 7 * (t % 32 % 7);
        for (unsigned t = 0; t < 64; t++)
            next[t] = v[t ^ 1] * 3 + t % 32;
        memcpy(v, next, sizeof v);
    }
    compare(64, v);
}

/* A lane that has exited, is elsewhere or never existed gives 0, and the predicate says that it is
 * inside of the segment. */
TEST(shuffles_of_missing_lanes)
{
    enum { THREADS = 41 };
    uint32_t wanted[4 * THREADS] = {0};

    run_words("shuffles_of_missing_lanes", THREADS, 4);
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned lane = t % 32, warp = t - lane, live = warp ? THREADS - 32 : 32, from = 31 - lane;
        uint32_t *words = wanted + 4 * (size_t)t;

        words[0] = 0x80000000 | (from < live ? warp + from + 100 : 0);
        if (lane >= 24)
            continue;
        live = live < 24 ? live : 24;
        from = lane + 5;
        words[1] = from > 31 ? t + 100 : 0x80000000 | (from < live ? warp + from + 100 : 0);
        if (lane >= 20)
            continue;
        live = live < 20 ? live : 20;
        from = lane ^ 16;
        words[2] = 0x80000000 | (from < live ? warp + from + 100 : 0);
    }
    compare(4 * THREADS, wanted);
}

/* What a lane gets in one round. */
typedef uint32_t round_result(const uint32_t *values, unsigned lane, unsigned by);

static uint32_t shuffled(const uint32_t *values, unsigned lane, unsigned by)
{
    return values[lane ^ by];
}

static uint32_t voted(const uint32_t *values, unsigned lane, unsigned by)
{
    uint32_t yes = 0;

    (void)lane;
    for (unsigned l = 0; l < 32; l++)
        yes |= (uint32_t)((values[l] & by) != 0) << l;
    return yes;
}

static uint32_t reduced(const uint32_t *values, unsigned lane, unsigned by)
{
    uint32_t sum = 0;

    (void)lane, (void)by;
    for (unsigned l = 0; l < 32; l++)
        sum += values[l];
    return sum;
}

static uint32_t matched(const uint32_t *values, unsigned lane, unsigned by)
{
    uint32_t same = 0;

    (void)by;
    for (unsigned l = 0; l < 32; l++)
        same |= (uint32_t)(((values[l] ^ values[lane]) & 7) == 0) << l;
    return same;
}

/* Runs a kernel whose lanes go round loops of their own; lane 0 of each warp leaves its sum. */
static void check_until_exit(const char *kernel, round_result *result)
{
    uint32_t wanted[64] = {0}, values[32], next[32];

    run(kernel, 64);
    for (unsigned warp = 0; warp < 2; warp++) {
        for (unsigned l = 0; l < 32; l++)
            values[l] = warp * 32 + l + 1;
        for (unsigned by = 16; by; by >>= 1) {
            for (unsigned l = 0; l < 32; l++)
                next[l] = values[l] + result(values, l, by);
            memcpy(values, next, sizeof values);
        }
        wanted[warp * 32] = values[0];
    }
    compare(64, wanted);
}

TEST(loops_of_two_arms_until_exit)
{
    check_until_exit("shuffles_until_exit", shuffled);
    check_until_exit("votes_until_exit", voted);
    check_until_exit("reductions_until_exit", reduced);
    check_until_exit("matches_until_exit", matched);
}

TEST(loads_for_lanes_elsewhere)
{
    uint32_t wanted[64];

    run("loads_for_lanes_elsewhere", 64);
    for (unsigned t = 0; t < 64; t++)
        wanted[t] = t % 32 ? t + 5 : t + 9 + 5 + 1000;
    compare(64, wanted);
}

TEST(vote_in_two_arms)
{
    uint32_t wanted[32], yes = 0;

    run("vote_in_two_arms", 32);
    for (unsigned l = 0; l < 32; l++)
        yes |= (uint32_t)((l % 3 == 0) != (l % 2 == 0)) << l;
    for (unsigned l = 0; l < 32; l++)
        wanted[l] = yes;
    compare(32, wanted);
}

TEST(order_by_warp_barrier)
{
    uint32_t wanted[64] = {0};

    run("order_by_warp_barrier", 32);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned i = 0; i < 9; i++)
            wanted[l] = wanted[l] * 31 + i * 100 + l + 16;
    compare(32, wanted);
}

TEST(reduce_in_three_arms)
{
    uint32_t wanted[64];

    run("reduce_in_three_arms", 64);
    for (unsigned w = 0; w < 2; w++) {
        uint32_t sum = 0, bits = 0;
        for (unsigned l = 0; l < 32; l++) {
            uint32_t t = w * 32 + l, v = t * t + 5;
            sum += v;
            bits ^= v;
        }
        for (unsigned l = 0; l < 32; l++)
            wanted[w * 32 + l] = sum ^ bits;
    }
    compare(64, wanted);
}

TEST(match_in_two_arms)
{
    uint32_t wanted[32];

    run("match_in_two_arms", 32);
    for (unsigned l = 0; l < 32; l++) {
        wanted[l] = 0;
        for (unsigned k = 0; k < 32; k++)
            wanted[l] |= (uint32_t)(k / 4 % 4 == l / 4 % 4) << k;
    }
    compare(32, wanted);
}

TEST(without_lanes_that_left)
{
    uint32_t wanted[32];

    run("without_lanes_that_left", 32);
    for (unsigned l = 0; l < 32; l++)
        wanted[l] = l >= 20 ? l * 3 : 0xfffff + (l == 19 ? 0 : l + 1);
    compare(32, wanted);
}

TEST(members_of_their_own)
{
    uint32_t wanted[64];

    run("members_of_their_own", 64);
    for (unsigned t = 0; t < 64; t++) {
        unsigned l = t % 32, first = l & 24;
        uint32_t ballot = 0, sum = 0, same = 0;
        for (unsigned k = first; k < first + 8; k++) {
            ballot |= (uint32_t)(k % 3 == 0) << k;
            sum += t - l + k;
            same |= (uint32_t)(k / 2 == l / 2) << k;
        }
        wanted[t] = ((ballot + sum) ^ same) + (0xffu << first) + 1 + 2;
    }
    compare(64, wanted);
}

TEST(shuffle_in_a_function)
{
    uint32_t wanted[64];

    run("shuffle_in_a_function", 64);
    for (unsigned t = 0; t < 64; t++)
        wanted[t] = (t ^ 16) * 5 + (t % 32 < 16 ? 0 : 2 + 7);
    compare(64, wanted);
}

TEST(barrier_behind_pointers)
{
    uint32_t wanted[96];

    run("barrier_behind_pointers", 96);
    for (unsigned t = 0; t < 96; t++)
        wanted[t] = t % 2 == 0 ? 49 + t : 49 * 1000 + t;
    compare(96, wanted);
}

TEST(barrier_deep_in_recursion)
{
    uint32_t wanted[64];

    run("barrier_deep_in_recursion", 64);
    for (unsigned t = 0; t < 64; t++) {
        wanted[t] = (t ^ 1) + (t ^ 1) % 5;
        for (unsigned n = 0; n < t % 5; n++)
            wanted[t] = wanted[t] * 3 + n;
    }
    compare(64, wanted);
}

TEST(lock_in_functions)
{
    CUfunction function = kernel_from("converge.ptx", "lock_in_functions");
    CUdeviceptr words = device_zeros(8);
    void *parameters[] = {&words};

    launch_line(function, 3, 70, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, words, 8));
    check(got[0] == 0);
    check(got[1] == 3 * 70 * 3);
}

TEST(flag_in_a_function)
{
    run("flag_in_a_function", 32);
    check(got[0] == 32);
}

/* Floats, in order: NaNs count only where .NaN says so. For devices newer than most. */
TEST(reductions_of_floats)
{
    static const uint32_t in[32] = {0x3f800000, 0xc0400000, 0x7fc00000, 0x80000000, 0x00000001,
                                    0x40e00000, 0xff800000, 0x41000000, 0xc1100000};
    static const uint32_t wanted[6] = {0xff800000, 0x41000000, 0x7fffffff,
                                       0x00000000, 0x7f800000, 0x7fffffff};
    CUdeviceptr words = 0;
    void *parameters[] = {&words};
    CUfunction function;
    uint32_t out[64];

    setenv("CUPIPE_COMPUTE_CAPABILITY", "10.0", 1);
    with_context();
    only_cupipe();
    function = kernel_from("redux_float.ptx", "redux");
    words = device_zeros(sizeof out);
    check_success(cuMemcpyHtoD(words, in, sizeof in));
    launch_line(function, 1, 32, 0, parameters);
    check_success(cuMemcpyDtoH(out, words, sizeof out));
    for (unsigned i = 0; i < 6; i++)
        if (out[32 + i] != wanted[i])
            test_fail(__FILE__, __LINE__, "reduction %u: %#x, and not %#x", i, out[32 + i],
                      wanted[i]);
}

/* NVIDIA's driver lets such a kernel hang. */
static void deadlock(const char *kernel, unsigned block)
{
    with_context();
    only_cupipe();
    CUfunction function = kernel_from("converge.ptx", kernel);
    CUdeviceptr out = device_zeros(4);
    void *parameters[] = {&out};

    launch_line(function, 2, block, 0, parameters);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    check_result(cuMemFree(out), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST(lanes_at_barriers_that_never_complete)
{
    deadlock("half_at_each_barrier", 64);
}

TEST(too_few_threads_for_a_barrier)
{
    deadlock("too_few_for_the_barrier", 64);
}
