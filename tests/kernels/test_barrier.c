/* SPDX-License-Identifier: MIT */
/* Barriers: of the whole block, of a part of it, reached from different places, arrived at without
 * waiting. */
#include "kernels.h"

static uint32_t *run(const char *kernel, unsigned grid, unsigned block, const uint32_t *in)
{
    size_t size = (size_t)grid * block * sizeof(uint32_t);
    uint32_t *words = malloc(size);
    CUfunction function = kernel_from("barrier.ptx", kernel);
    CUdeviceptr out = device_zeros(size), words_in = device_zeros(size);
    void *parameters[] = {&out, &words_in};

    if (in)
        check_success(cuMemcpyHtoD(words_in, in, size));
    launch_line(function, grid, block, block * 4, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(words, out, size));
    return words;
}

TEST(reduction_of_any_block_size)
{
    static const unsigned blocks[] = {1, 2, 31, 33, 64, 100, 255, 1000, 1024};
    CUfunction function = kernel_from("barrier.ptx", "reduce");

    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        unsigned block = blocks[b], grid = 7;
        uint32_t in[7 * 1024], out[7];
        for (unsigned i = 0; i < grid * block; i++)
            in[i] = i * 2654435761u;
        CUdeviceptr device_in = device_copy_of(in, sizeof in),
                    device_out = device_zeros(sizeof out);
        void *parameters[] = {&device_out, &device_in};
        launch_line(function, grid, block, block * 4, parameters);
        check_success(cuMemcpyDtoH(out, device_out, sizeof out));
        for (unsigned c = 0; c < grid; c++) {
            uint32_t sum = 0;
            for (unsigned t = 0; t < block; t++)
                sum += in[c * block + t];
            check(out[c] == sum);
        }
    }
}

TEST(barrier_reached_from_two_places_of_a_warp)
{
    enum { BLOCK = 96 };
    uint32_t *got = run("divergent", 1, BLOCK, NULL);
    uint32_t x[BLOCK], shown[BLOCK];

    for (unsigned t = 0; t < BLOCK; t++)
        x[t] = t;
    for (int round = 0; round < 3; round++) {
        for (unsigned t = 0; t < BLOCK; t++) {
            bool low = t % 32 < 16;
            if (!low)
                x[t] = x[t] * 3 + 1;
            shown[t] = x[t];
            if (low)
                x[t] += 5;
        }
        for (unsigned t = 0; t < BLOCK; t++)
            x[t] ^= shown[BLOCK - 1 - t];
    }
    for (unsigned t = 0; t < BLOCK; t++)
        check(got[t] == x[t]);
}

TEST(barrier_without_the_threads_that_left)
{
    uint32_t *got = run("some_left", 1, 160, NULL);

    for (unsigned t = 0; t < 160; t++)
        check(got[t] == (t < 100 ? (99 - t) * (99 - t) : 0));
}

TEST(arrive_and_sync_between_warps)
{
    uint32_t *got = run("pipeline", 1, 128, NULL);

    for (unsigned t = 0; t < 128; t++) {
        uint32_t sum = 0;
        for (unsigned k = 0; k < 8; k++)
            sum += (k * 100 + t % 32) * (t / 32);
        check(got[t] == sum);
    }
}

TEST(barriers_of_their_own_for_pairs_of_warps)
{
    uint32_t *got = run("pairs", 1, 512, NULL);
    uint32_t x[512], before[512];

    for (unsigned t = 0; t < 512; t++)
        x[t] = t;
    for (unsigned pair = 0; pair < 8; pair++)
        for (unsigned k = 0; k < pair * 2 + 1; k++) {
            memcpy(before, x, sizeof x);
            for (unsigned t = pair * 64; t < pair * 64 + 64; t++)
                x[t] = before[t ^ 32] * 3 + k;
        }
    for (unsigned t = 0; t < 512; t++)
        check(got[t] == x[t]);
}

TEST(barrier_in_a_loop_that_depends_on_the_block)
{
    enum { GRID = 20, BLOCK = 70 };
    uint32_t *got = run("loop_by_block", GRID, BLOCK, NULL);

    for (unsigned c = 0; c < GRID; c++)
        for (unsigned t = 0; t < BLOCK; t++)
            check(got[c * BLOCK + t] == (t + c + 1) % BLOCK);
}
