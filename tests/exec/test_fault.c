/* SPDX-License-Identifier: MIT */
/* Kernels that go wrong: the error sticks, the process lives, the rest of the launch is stopped. */
#include "abi/services.h"
#include "launch.h"

static void check_fails(const char *name, uint32_t grid, uint32_t block,
                        const struct params *params, CUresult expected)
{
    launch(name, grid, block, params);
    check_result(cuCtxSynchronize(), expected);
    check_result(cuCtxSynchronize(), expected);
}

TEST(wild_pointer)
{
    struct params params = {.count = 3, .other = 64};

    with_kernels(NULL);
    check_fails("wild", 10, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(wild_pointer_in_one_of_many)
{
    struct params params = {.count = 77777, .other = 0x7000000000000000};

    with_kernels(NULL);
    check_fails("wild", 100000, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(wild_pointer_run_by_the_caller)
{
    struct params params = {.count = 100, .other = 64};

    with_kernels(NULL);
    for (int i = 0; i < 10; i++) {
        launch("wild", 1, 32, &params);
        check_success(cuCtxSynchronize());
    }
    params.count = 0;
    check_fails("wild", 1, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(wild_pointer_in_a_warp)
{
    struct params params = {.count = 60, .other = 64};

    with_kernels(NULL);
    check_fails("wild_warp", 100, 128, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(another_device_goes_on)
{
    struct params params = {.count = 0, .other = 64};
    CUcontext other;
    CUdeviceptr memory;

    setenv("CUPIPE_DEVICES", "2", 1);
    with_kernels(NULL);
    check_fails("wild_warp", 2, 64, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
    check_success(cuDevicePrimaryCtxRetain(&other, 1));
    check_success(cuCtxSetCurrent(other));
    check_success(cuMemAlloc(&memory, 4096));
    params.count = 100;
    for (int i = 0; i < 20; i++)
        launch("wild_warp", 50, 64, &params);
    check_success(cuCtxSynchronize());
}

TEST(trap)
{
    struct params params = {.count = 5, .other = CUP_ABI_TRAP_INSTRUCTION};

    with_kernels(NULL);
    check_fails("trap_free", 100, 32, &params, CUDA_ERROR_LAUNCH_FAILED);
}

TEST(trap_stops_warps_that_spin)
{
    struct params params = {.count = 5, .other = CUP_ABI_TRAP_MISALIGNED};

    with_kernels(NULL);
    check_fails("trap_warp", 100, 128, &params, CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(stack_overflow)
{
    uint64_t out[8];
    struct params params = {.out = out, .count = UINT64_MAX};

    with_kernels(NULL);
    check_fails("recursion", 8, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(barriers_that_never_complete)
{
    with_kernels(NULL);
    check_fails("deadlock", 4, 128, NULL, CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST(assertion)
{
    FILE *capture = tmpfile();
    char text[512];
    int before = dup(STDERR_FILENO);

    setenv("CUPIPE_LOG", "none", 1);
    with_kernels(NULL);
    dup2(fileno(capture), STDERR_FILENO);
    check_fails("assertion", 4, 64, NULL, CUDA_ERROR_ASSERT);
    dup2(before, STDERR_FILENO);
    rewind(capture);
    text[fread(text, 1, sizeof(text) - 1, capture)] = '\0';
    for (int block = 0; block < 4; block++) {
        char line[128];
        snprintf(line, sizeof(line),
                 "kernel.cu:42: void k(int *): block: [%d,0,0], thread: [37,0,0] Assertion "
                 "`a == b` failed.\n",
                 block);
        check((strstr(text, line) != NULL) == (block % 2 == 1));
    }
}

TEST(double_free)
{
    uint64_t out[4];
    struct params params = {.out = out, .count = 100};

    with_kernels(NULL);
    launch("heap", 4, 32, &params);
    check_success(cuCtxSynchronize());
    params.other = 1;
    launch("heap", 4, 32, &params);
    check_success(cuCtxSynchronize());
    check_fails("heap", 4, 32, &params, CUDA_ERROR_LAUNCH_FAILED);
}

TEST(free_of_other_memory)
{
    uint64_t out[1] = {(uint64_t)(uintptr_t)out};
    struct params params = {.out = out, .other = 1};

    with_kernels(NULL);
    launch("heap", 1, 32, &params);
    check_success(cuCtxSynchronize());
    out[0] = 0x123456;
    check_fails("heap", 1, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(format_that_is_not_there)
{
    uint64_t out[1];
    struct params params = {.out = out, .count = 1, .other = 64};

    with_kernels(NULL);
    check_fails("print", 1, 32, &params, CUDA_ERROR_ILLEGAL_ADDRESS);
}
