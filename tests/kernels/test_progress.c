/* SPDX-License-Identifier: MIT */
/* Threads that wait for each other make progress: lanes of a warp, blocks of a grid, kernels of two
 * streams, a kernel and the host. */
#include "kernels.h"

static uint32_t locked_sum(const char *kernel, unsigned grid, unsigned block, unsigned times)
{
    CUfunction function = kernel_from("progress.ptx", kernel);
    CUdeviceptr words = device_zeros(8);
    void *parameters[] = {&words, &times};
    uint32_t got[2];

    launch_line(function, grid, block, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, words, 8));
    check(got[0] == 0);
    return got[1];
}

TEST(lock_between_lanes)
{
    check(locked_sum("lock_polite", 1, 32, 5) == 32 * 5);
}

TEST(lock_between_lanes_that_only_try)
{
    check(locked_sum("lock_naive", 1, 32, 5) == 32 * 5);
}

TEST(lock_between_warps)
{
    check(locked_sum("lock_polite", 1, 256, 3) == 256 * 3);
}

TEST(lock_between_blocks)
{
    check(locked_sum("lock_polite", 40, 33, 2) == 40 * 33 * 2);
}

TEST(lock_between_blocks_that_only_try)
{
    check(locked_sum("lock_naive", 24, 40, 2) == 24 * 40 * 2);
}

TEST(lanes_in_turn)
{
    CUfunction function = kernel_from("progress.ptx", "ping_pong");
    CUdeviceptr words = device_zeros(4);
    unsigned times = 50;
    void *parameters[] = {&words, &times};
    uint32_t got;

    launch_line(function, 1, 32, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&got, words, 4));
    check(got == 100);
}

static void look_back(unsigned grid, unsigned sleep_ns)
{
    CUfunction function = kernel_from("progress.ptx", "look_back");
    CUdeviceptr words = device_zeros((grid + 1) * 4), out = device_zeros(grid * 4);
    void *parameters[] = {&words, &out, &sleep_ns};
    uint32_t *got = malloc(grid * 4), sum = 0;

    launch_line(function, grid, 32, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, grid * 4));
    for (uint32_t b = 0; b < grid; b++) {
        for (uint32_t t = 0; t < 32; t++)
            sum += b * 32 + t;
        /* The first block begins with one, which stands for "known". */
        check(got[b] == sum);
    }
}

TEST(look_back_between_blocks)
{
    look_back(1000, 0);
}

TEST(look_back_between_blocks_that_sleep)
{
    look_back(500, 100);
}

TEST(grid_synchronisation_of_a_cooperative_launch)
{
    enum { GRID = 24, BLOCK = 64, ROUNDS = 6 };
    CUfunction function = kernel_from("progress.ptx", "grid_sync");
    CUdeviceptr words = device_zeros((GRID + 1) * 4), cells = device_zeros(2 * GRID * 4);
    unsigned rounds = ROUNDS;
    void *parameters[] = {&words, &cells, &rounds};
    uint32_t got[GRID + 1], x[GRID], next[GRID];

    check_success(
        cuLaunchCooperativeKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, parameters));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, words, sizeof got));
    for (unsigned b = 0; b < GRID; b++)
        x[b] = b;
    for (unsigned k = 0; k < ROUNDS; k++) {
        for (unsigned b = 0; b < GRID; b++)
            next[b] = x[(b + 1) % GRID] + k;
        memcpy(x, next, sizeof x);
    }
    check(got[0] == GRID * ROUNDS);
    for (unsigned b = 0; b < GRID; b++)
        check(got[1 + b] == x[b]);
}

/* The kernel waits for the value and writes the next one, with `threads` in its block. */
static void wait_for_host(const char *kernel, unsigned threads)
{
    CUfunction function = kernel_from("progress.ptx", kernel);
    uint32_t *words;
    CUdeviceptr device_words;
    unsigned value = 5;
    void *parameters[] = {&device_words, &value};

    check_success(cuMemHostAlloc((void **)&words, 8, CU_MEMHOSTALLOC_DEVICEMAP));
    words[0] = words[1] = 0;
    check_success(cuMemHostGetDevicePointer(&device_words, words, 0));
    launch_line(function, 1, threads, 0, parameters);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    *(volatile uint32_t *)words = 5;
    check_success(cuCtxSynchronize());
    check(words[1] == 6);
}

static void wait_for_kernel(const char *kernel, unsigned threads)
{
    /* Not every such kernel is known to wait: with the eager schedule it may keep a worker. */
    setenv("CUPIPE_THREADS", "2", 1);
    CUfunction wait = kernel_from("progress.ptx", kernel);
    CUmodule module;
    CUstream first, second;
    CUdeviceptr words = device_zeros(8);
    unsigned value = 9;
    void *parameters[] = {&words, &value};
    uint32_t got[2];

    check_success(cuFuncGetModule(&module, wait));
    CUfunction write = kernel_of(module, "write_word");
    check_success(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchKernel(wait, 1, 1, 1, threads, 1, 1, 0, first, parameters, NULL));
    check_success(cuLaunchKernel(write, 1, 1, 1, 1, 1, 1, 0, second, parameters, NULL));
    check_success(cuStreamSynchronize(first));
    check_success(cuMemcpyDtoH(got, words, 8));
    check(got[0] == 9 && got[1] == 10);
}

TEST(lanes_see_each_phase)
{
    enum { ROUNDS = 100, MOST = 32 * 5 };
    CUfunction function = kernel_from("progress.ptx", "phases");
    CUdeviceptr counts = device_zeros(4 * MOST);
    unsigned rounds = ROUNDS;
    void *parameters[] = {&counts, &rounds};
    uint32_t got[MOST];

    for (unsigned threads = 32; threads <= MOST; threads += 32) {
        launch_line(function, 1, threads, 0, parameters);
        check_success(cuMemcpyDtoH(got, counts, 4 * threads));
        for (unsigned thread = 0; thread < threads; thread++)
            check(got[thread] == ROUNDS);
        check_success(cuMemsetD8(counts, 0, 4 * MOST));
    }
}

TEST(kernel_waits_for_the_host)
{
    wait_for_host("wait_for_word", 1);
}

TEST(kernel_waits_for_the_host_in_a_function)
{
    wait_for_host("wait_in_function", 1);
}

TEST(block_waits_for_the_host_by_one_thread)
{
    wait_for_host("wait_by_block", 64);
}

TEST(kernel_waits_for_the_host_by_a_fence)
{
    wait_for_host("wait_by_fence", 1);
}

TEST(kernel_waits_for_a_kernel_of_another_stream)
{
    wait_for_kernel("wait_for_word", 1);
}

TEST(kernel_waits_in_a_function_for_a_kernel_of_another_stream)
{
    wait_for_kernel("wait_in_function", 1);
}

TEST(block_waits_for_a_kernel_of_another_stream_by_one_thread)
{
    wait_for_kernel("wait_by_block", 64);
}

TEST(kernel_waits_by_a_fence_for_a_kernel_of_another_stream)
{
    wait_for_kernel("wait_by_fence", 1);
}
