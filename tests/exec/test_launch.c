/* SPDX-License-Identifier: MIT */
/* Grids that end well: every block runs once, in whatever way blocks are cut and shared out. */
#include "launch.h"

#include "device/device.h"
#include "device/resource.h"

static uint64_t *numbers(size_t count)
{
    uint64_t *made = calloc(count, sizeof(*made));

    check(made != NULL);
    return made;
}

static void check_fill(uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t blocks = (uint64_t)x * y * z;
    struct params params = {.out = numbers(blocks)};
    struct cup_exec_request request = request_of("fill", x, 32, &params);

    request.grid[1] = y;
    request.grid[2] = z;
    for (int round = 0; round < 3; round++) {
        memset(params.out, 0xff, blocks * sizeof(*params.out));
        check_success(try_request(&request));
        check_success(cuCtxSynchronize());
        for (uint64_t i = 0; i < blocks; i++)
            check(params.out[i] == i * 3 + i / x % y);
    }
    free(params.out);
}

TEST(every_block_runs_once)
{
    with_kernels(NULL);
    check_fill(1, 1, 1);
    check_fill(2, 1, 1);
    check_fill(1000, 1, 1);
    check_fill(7, 11, 13);
    check_fill(100003, 3, 1);
}

/* How long a block takes is learned from launch to launch, so parts and workers change. */
TEST(every_block_runs_once_on_many_workers)
{
    setenv("CUPIPE_THREADS", "16", 1);
    with_kernels(NULL);
    for (uint32_t blocks = 1; blocks < 200000; blocks = blocks * 3 + 1)
        check_fill(blocks, 1, 1);
    check_fill(100003, 3, 1);
    check_fill(63, 1, 1);
}

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* The most threads that ran blocks of a launch at the same time, with that many of the device's
 * multiprocessors; 0: all of them. */
static uint64_t most_threads(unsigned sm_count)
{
    uint64_t counts[2] = {0, 0};
    struct params params = {.out = counts, .other = (uint64_t)(uintptr_t)sleep_a_little};
    struct cup_exec_request request = request_of("present", 400, 32, &params);
    struct cup_sm_set sms = cup_sm_set_all(cup_device_get(0));

    sms.count = sm_count;
    request.sms = sm_count ? &sms : NULL;
    check_success(try_request(&request));
    check_success(cuCtxSynchronize());
    return counts[1];
}

/* A green context has the same share of the worker threads as of the multiprocessors. */
TEST(a_share_of_the_device_is_a_share_of_the_workers)
{
    unsigned all;

    setenv("CUPIPE_THREADS", "8", 1);
    with_kernels(NULL);
    all = cup_sm_set_all(cup_device_get(0)).count;
    check(most_threads(0) > 4);
    check(most_threads(all / 2) <= 4);
    check(most_threads(all / 4) <= 2);
    check(most_threads(2) == 1);
}

TEST(launches_follow_each_other_in_a_stream)
{
    CUdeviceptr memory;
    CUstream stream;

    with_kernels(NULL);
    check_success(cuMemAlloc(&memory, 8 << 16));
    struct params params = {.out = (uint64_t *)(uintptr_t)memory};
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < 200; i++) {
        struct cup_exec_request request = request_of("fill", 1 + i * 37, 32, &params);
        check_success(cup_exec_launch(stream, &request));
        check_success(cuMemsetD8Async(memory, 0, 8, stream));
    }
    check_success(cuStreamSynchronize(stream));
    check(params.out[0] == 0 && params.out[7000] == 21000);
}

static _Atomic(int) released;

static void count_release(void *owner)
{
    check(owner == &released);
    atomic_fetch_add(&released, 1);
}

TEST(the_owner_is_released_once)
{
    with_kernels(NULL);
    struct cup_exec_request request = request_of("empty", 1, 32, NULL);
    request.release = count_release;
    request.owner = &released;
    for (int i = 1; i <= 10; i++) {
        check_success(try_request(&request));
        check_success(cuCtxSynchronize());
        check(atomic_load(&released) == i);
    }
}

TEST(shared_and_local_memory)
{
    struct params params = {.out = numbers(1000)};

    with_kernels(NULL);
    for (uint32_t dynamic = 0; dynamic <= 227 << 10; dynamic += 77777) {
        struct cup_exec_request request = request_of("memory", 1000, 96, &params);
        request.shared_dynamic_bytes = dynamic;
        check_success(try_request(&request));
        check_success(cuCtxSynchronize());
        for (uint64_t i = 0; i < 1000; i++)
            check(params.out[i] == (i & 0xff) * (1000 + dynamic));
    }
}

TEST(objects_are_linked)
{
    struct params params = {.out = numbers(8)};
    static const uint64_t chosen[8] = {17, 23, 10, 4, 99, 1234, 7, 7};
    static const double weights[4] = {1.5, 2.5, 3.5, 4.5};
    static const char letters[4] = {'z', 'o', 't', 't'};

    with_kernels(NULL);
    launch("tables", 8, 32, &params);
    check_success(cuCtxSynchronize());
    for (uint64_t i = 0; i < 8; i++)
        check(params.out[i] == (uint64_t)((double)i * weights[i & 3] + 1.0) * 1000000 +
                                   chosen[i] * 100 + (uint64_t)letters[i & 3]);
}

TEST(recursion_has_a_stack)
{
    struct params params = {.out = numbers(8), .count = 5000};

    with_kernels(NULL);
    for (int i = 0; i < 5; i++) {
        launch("recursion", 8, 32, &params);
        check_success(cuCtxSynchronize());
        check(params.out[0] == 5000 && params.out[7] == 5000);
    }
}

/* With one worker a launch compiles its kernel, and says so if that fails. */
static void with_one_worker(void)
{
    setenv("CUPIPE_THREADS", "1", 1);
    with_kernels(NULL);
}

TEST(kernel_that_cannot_be_compiled)
{
    struct cup_exec_request request;

    with_one_worker();
    request = request_of("no_such_kernel", 1, 32, NULL);
    request.release = count_release;
    request.owner = &released;
    check_result(try_request(&request), CUDA_ERROR_INVALID_PTX);
    check_result(try_request(&request), CUDA_ERROR_INVALID_PTX);
    check(atomic_load(&released) == 2);
    launch("empty", 1, 32, NULL);
    check_success(cuCtxSynchronize());
}

TEST(compiler_that_crashes)
{
    with_one_worker();
    struct cup_exec_request request = request_of("crash", 1, 32, NULL);
    check_result(try_request(&request), CUDA_ERROR_INVALID_PTX);
    launch("empty", 1, 32, NULL);
    check_success(cuCtxSynchronize());
}

static void *launch_deep(void *argument)
{
    check_success(cuCtxSetCurrent(argument));
    launch("deep", 1, 32, NULL);
    return NULL;
}

TEST(compiler_that_needs_stack)
{
    CUcontext context = with_kernels(NULL);
    pthread_attr_t attributes;
    pthread_t thread;

    check(pthread_attr_init(&attributes) == 0);
    check(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
    check(pthread_create(&thread, &attributes, launch_deep, context) == 0);
    pthread_join(thread, NULL);
    check_success(cuCtxSynchronize());
}

TEST(no_compiler)
{
    compiler_path = "/nowhere/libcupipe-jit.so";
    setenv("CUPIPE_LOG", "none", 1);
    with_kernels(NULL);
    struct cup_exec_request request = request_of("empty", 1, 32, NULL);
    check_result(try_request(&request), CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    check_success(cuCtxSynchronize());
}

TEST(heap_of_kernels)
{
    enum { BLOCKS = 300 };
    struct params params = {.out = numbers(BLOCKS), .count = 1000};

    with_kernels(NULL);
    for (int round = 0; round < 30; round++) { /* 30 times 300 KB of 8 MB */
        params.other = 0;
        launch("heap", BLOCKS, 32, &params);
        check_success(cuCtxSynchronize());
        for (uint64_t i = 0; i < BLOCKS; i++) {
            const uint8_t *piece = (const uint8_t *)(uintptr_t)params.out[i];
            check(piece && (uintptr_t)piece % 16 == 0);
            for (int k = 0; k < 1000; k++)
                check(piece[k] == (uint8_t)i);
        }
        params.other = 1;
        launch("heap", BLOCKS, 32, &params);
    }
    params.other = 0;
    params.count = 5 << 20;
    launch("heap", 2, 32, &params); /* the second does not fit */
    check_success(cuCtxSynchronize());
    check((params.out[0] != 0) != (params.out[1] != 0));
}

TEST(what_kernels_print)
{
    static const struct {
        const char *format, *expected;
        int count;
        uint64_t arguments[4];
    } rows[] = {
        {"plain\n", "plain\n", 0, {0}},
        {"%d %u %x\n", "-1 7 ff\n", 3, {0x00000007ffffffff, 0xff}},
        {"[%5d|%-5d|%05d]\n", "[   42|42   |00042]\n", 3, {42 | 42ull << 32, 42}},
        {"%lld %llu%%\n", "-2 3%\n", 2, {(uint64_t)-2, 3}},
        {"%d %f %c\n", "1 2.500000 x\n", 3, {1, 0x4004000000000000, 'x'}},
        {"%.2e|%g|%10.3f\n",
         "2.50e+00|2.5|     2.500\n",
         3,
         {0x4004000000000000, 0x4004000000000000, 0x4004000000000000}},
        {"%*d|%-*d\n", "   7|8   \n", 4, {4 | 7ull << 32, 4 | 8ull << 32}},
        {"%d|%.*f\n", "7|%.*f\n", 1, {7}}, /* unknown to the device: no arguments */
        {"%s and %.2s and %5s\n",
         "text and te and  text\n",
         3,
         {(uint64_t) "text", (uint64_t) "text", (uint64_t) "text"}},
        {"%p %s\n", "0x10 (null)\n", 2, {16, 0}},
        {"100%, %y and %n%", "100%, %y and %n%", 0, {0}},
        {"%hd %ld %zu\n", "-1 -1 %zu\n", 2, {0xffff, UINT64_MAX}},
        {"%#x %+d % d\n", "0x1f +5  5\n", 3, {0x1f | 5ull << 32, 5}},
    };
    FILE *capture = tmpfile();
    char text[256];
    struct params params = {.out = numbers(1), .count = 1};

    check(capture != NULL);
    with_kernels(NULL);
    fflush(stdout);
    dup2(fileno(capture), STDOUT_FILENO);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        params.other = (uint64_t)(uintptr_t)rows[i].format;
        params.flag = (volatile uint32_t *)(uintptr_t)rows[i].arguments;
        check(ftruncate(fileno(capture), 0) == 0);
        rewind(capture);
        launch("print", 1, 32, &params);
        check_success(cuCtxSynchronize());
        fflush(stdout);
        rewind(capture);
        text[fread(text, 1, sizeof(text) - 1, capture)] = '\0';
        if (strcmp(text, rows[i].expected) != 0)
            test_fail(__FILE__, __LINE__, "%s gives %s", rows[i].format, text);
        if ((int)params.out[0] != rows[i].count)
            test_fail(__FILE__, __LINE__, "%s answers %d", rows[i].format, (int)params.out[0]);
    }
}

TEST(the_oldest_output_is_lost)
{
    enum { BLOCKS = 2000 };
    FILE *capture = tmpfile();
    char line[1001], seen[1010];
    struct params params = {.out = numbers(BLOCKS), .count = 1};
    unsigned lines = 0;

    check(capture != NULL);
    with_kernels(NULL);
    check_success(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 524288));
    fflush(stdout);
    dup2(fileno(capture), STDOUT_FILENO);
    memset(line, 'a', sizeof(line) - 2);
    strcpy(line + sizeof(line) - 2, "\n");
    params.other = (uint64_t)(uintptr_t)line;
    launch("print", BLOCKS, 32, &params);
    check_success(cuCtxSynchronize());
    fflush(stdout);
    rewind(capture);
    while (fgets(seen, sizeof(seen), capture)) {
        check(strcmp(seen, line) == 0);
        lines++;
    }
    check(lines > 400 && lines < 600);
    check_result(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 524288), CUDA_ERROR_INVALID_VALUE);
}
