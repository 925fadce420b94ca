/* SPDX-License-Identifier: MIT */
/* Warps that wait for each other, and blocks that do. */
#include "launch.h"

static uint64_t *numbers(size_t count)
{
    uint64_t *made = calloc(count, sizeof(*made));

    check(made != NULL);
    return made;
}

TEST(reductions_with_barriers)
{
    static const uint32_t sizes[] = {1, 31, 32, 33, 100, 256, 1000, 1024};
    struct params params = {.out = numbers(500)};

    with_kernels(NULL);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        uint64_t n = sizes[k];
        launch("reduce", 500, sizes[k], &params);
        check_success(cuCtxSynchronize());
        for (uint64_t i = 0; i < 500; i++)
            check(params.out[i] == n * (n - 1) / 2 + n * i);
    }
}

TEST(barrier_reductions)
{
    struct params params = {.out = numbers(32)};

    with_kernels(NULL);
    launch("barrier_red", 1, 100, &params);
    check_success(cuCtxSynchronize());
    for (int warp = 0; warp < 4; warp++)
        check(params.out[warp] == 50 + 0 + 10000 + 0 + 1000000);
}

TEST(producers_and_consumers)
{
    struct params params = {.out = numbers(300)};

    with_kernels(NULL);
    launch("producers", 100, 128, &params);
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 300; i++)
        check(params.out[i] == 6u * (uint64_t)(i % 3 + 1));
}

TEST(threads_that_left_are_not_waited_for)
{
    struct params params = {.out = numbers(1)};

    with_kernels(NULL);
    launch("early_exit", 1, 256, &params);
    check_success(cuCtxSynchronize());
    check(params.out[0] == 4 * (3 * 32 + 16));
}

TEST(lanes_that_come_one_after_the_other)
{
    struct params params = {.out = numbers(1)};

    with_kernels(NULL);
    launch("divergent", 10, 128, &params);
    check_success(cuCtxSynchronize());
    check(params.out[0] == 10u * 4 * 3 * (4 * 5));
}

TEST(blocks_look_back)
{
    enum { BLOCKS = 20000 };
    struct params params = {.out = numbers(BLOCKS)};

    with_kernels(NULL);
    for (int round = 0; round < 2; round++) {
        memset(params.out, 0, BLOCKS * 8);
        launch("lookback", BLOCKS, 128, &params);
        check_success(cuCtxSynchronize());
        check(params.out[BLOCKS - 1] == (uint64_t)BLOCKS * (BLOCKS + 1) / 2);
    }
}

TEST(blocks_wait_for_later_ones)
{
    enum { BLOCKS = 200 };
    struct params params = {.out = numbers(BLOCKS), .count = BLOCKS};

    with_kernels(NULL);
    launch("backwards", BLOCKS, 96, &params);
    check_success(cuCtxSynchronize());
    check(params.out[0] == BLOCKS + 1);
}

static void check_grid_sync(uint32_t blocks, uint32_t threads, uint64_t rounds)
{
    struct params params = {.out = numbers(blocks + 1), .count = blocks, .other = rounds};
    struct cup_exec_request request = request_of("grid_sync", blocks, threads, &params);

    request.cooperative = true;
    check_success(try_request(&request));
    check_success(cuCtxSynchronize());
    check(params.out[blocks] == 0 && params.out[blocks - 1] == rounds);
}

TEST(cooperative_launches_meet)
{
    with_kernels(NULL);
    check_grid_sync(1, 32, 10);
    check_grid_sync(132, 256, 20);
    check_grid_sync(264, 1024, 3);
    check_grid_sync(4224, 32, 2);
}

TEST(one_worker_is_enough)
{
    setenv("CUPIPE_THREADS", "1", 1);
    with_kernels(NULL);
    check_grid_sync(50, 256, 10);
}

TEST(launch_does_not_wait_for_the_host)
{
    static volatile uint32_t flag;
    struct params params = {.out = numbers(64), .flag = &flag};

    with_kernels(NULL);
    launch("host_flag", 64, 64, &params);
    check_result(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
    nap();
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 64; i++)
        check(params.out[i] == 1);
    /* The kernel is known to be short now, but it may still wait for what comes next. */
    __atomic_store_n(&flag, 0, __ATOMIC_RELEASE);
    launch("host_flag", 1, 32, &params);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    check_success(cuCtxSynchronize());
}

static void *run_reductions(void *argument)
{
    CUstream stream;
    struct params params = {.out = numbers(300)};

    check_success(cuCtxSetCurrent(argument));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int round = 0; round < 10; round++) {
        struct cup_exec_request request =
            request_of(round % 2 ? "reduce" : "fill", 300, 160, &params);
        check_success(cup_exec_launch(stream, &request));
        check_success(cuStreamSynchronize(stream));
        check(params.out[299] == (round % 2 ? 160u * 159 / 2 + 160 * 299 : 299 * 3));
    }
    return NULL;
}

TEST(many_threads_launch)
{
    enum { THREADS = 8 };
    CUcontext context = with_kernels(NULL);
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, run_reductions, context) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
