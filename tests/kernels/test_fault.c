/* SPDX-License-Identifier: MIT */
/* Kernels that fail: the context gets a sticky error, queries of other devices still work, and the
 * process lives. */
#include "kernels.h"

/* Launches a kernel that fails and has the error stick. */
static void check_sticks(const char *kernel, CUdeviceptr address, CUresult error)
{
    CUfunction function = kernel_from("print.ptx", kernel);
    void *parameters[] = {&address};
    CUmodule module;
    CUdeviceptr ptr;
    int value;

    check_success(cuFuncGetModule(&module, function));
    CUfunction nothing = kernel_of(module, "nothing");
    launch_line(function, 1, 32, 0, parameters);
    check_result(cuCtxSynchronize(), error);
    check_result(cuCtxSynchronize(), error);
    check_result(cuMemAlloc(&ptr, 16), error);
    check_result(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), error);
    check_result(cuStreamQuery(NULL), error);
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
}

TEST(write_to_a_wild_address)
{
    check_sticks("write_at", 0xdead00000000ull, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(write_to_null)
{
    check_sticks("write_at", 0, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(read_of_a_wild_address)
{
    check_sticks("read_at", 0xdead00000000ull, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(atomic_on_a_wild_address)
{
    check_sticks("add_at", 0xdead00000000ull, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(write_to_an_odd_address)
{
    with_context();
    check_sticks("write_at", device_zeros(64) + 1, CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(read_of_an_odd_address)
{
    with_context();
    check_sticks("read_at", device_zeros(64) + 2, CUDA_ERROR_MISALIGNED_ADDRESS);
}

/* Launches a kernel that loads four elements of a type from `offset` on and stores those of a mask;
 * returns what the launch gives. */
static CUresult load_some(const char *type, unsigned offset, unsigned used)
{
    static const char head[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry load(.param .u64 to, .param .u64 from)\n"
        "{ .reg .b64 %to, %from; ld.param.u64 %to, [to]; ld.param.u64 %from, [from];\n";
    CUdeviceptr to = device_zeros(256), from = device_zeros(256);
    void *parameters[] = {&to, &from};
    CUmodule module;
    char text[800];
    int length =
        snprintf(text, sizeof text,
                 "%s.reg .%s %%x<4>; ld.global.v4.%s {%%x0, %%x1, %%x2, %%x3}, [%%from+%u];\n",
                 head, type, type, offset);

    for (unsigned e = 0; e < 4; e++)
        if (used >> e & 1)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               "st.global.%s [%%to+%u], %%x%u;\n", type, 8 * e, e);
    snprintf(text + length, sizeof text - (size_t)length, "ret; }\n");
    check_success(cuModuleLoadData(&module, text));
    launch_line(kernel_of(module, "load"), 1, 32, 0, parameters);
    return cuCtxSynchronize();
}

TEST(unused_elements_need_no_alignment)
{
    with_context();
    for (unsigned offset = 4; offset < 16; offset += 4) {
        check_success(load_some("b32", offset, 0));
        for (unsigned e = 0; e < 4; e++)
            check_success(load_some("b32", offset, 1u << e));
    }
    check_success(load_some("b32", 8, 3));
    check_success(load_some("b32", 8, 12));
    check_success(load_some("b16", 2, 4));
    check_success(load_some("b16", 4, 3));
    check_success(load_some("b16", 4, 12));
}

TEST(pairs_of_used_elements_are_aligned)
{
    with_context();
    check_result(load_some("b32", 4, 3), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(three_used_elements_are_a_whole_load)
{
    with_context();
    check_result(load_some("b32", 8, 14), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(short_elements_of_two_words_are_a_whole_load)
{
    with_context();
    check_result(load_some("b16", 4, 6), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(trap_instruction)
{
    check_sticks("traps", 0, CUDA_ERROR_LAUNCH_FAILED);
}

TEST(failed_assertion)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    char line[300] = "";

    dup2(fileno(file), STDERR_FILENO);
    check_sticks("assertion", 0, CUDA_ERROR_ASSERT);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    rewind(file);
    check(fgets(line, sizeof line, file) != NULL);
    check(strcmp(line, "file.cu:42: function: block: [0,0,0], thread: [1,0,0] Assertion `x > 1` "
                       "failed.\n") == 0);
}

/* The error comes to whoever waits for that stream or any other of the context. */
TEST(error_is_seen_by_other_streams)
{
    CUfunction function = kernel_from("print.ptx", "traps");
    CUstream first, second;

    check_success(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, first, NULL, NULL));
    check_result(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(context_created_after_an_error)
{
    CUfunction function = kernel_from("print.ptx", "traps");
    CUcontext other;

    launch_line(function, 1, 1, 0, NULL);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuCtxCreate(&other, NULL, 0, 0), CUDA_ERROR_LAUNCH_FAILED);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The result of a call that neither waits nor asks, while the driver handles a trap. It takes a
 * third of a second for that; later results are not judged. */
static void check_untold(CUresult result, double launched)
{
    if (seconds() - launched < 0.3)
        check_success(result);
}

/* Calls that submit or make something succeed, and what they submit is not done. */
TEST(error_is_told_by_calls_that_wait)
{
    CUfunction function = kernel_from("print.ptx", "traps"), nothing;
    unsigned char *pinned;
    CUdeviceptr ptr;
    CUstream stream;
    CUevent event;
    CUmodule module;

    check_success(cuFuncGetModule(&module, function));
    nothing = kernel_of(module, "nothing");
    check_success(cuMemHostAlloc((void **)&pinned, 64, 0));
    pinned[0] = 7;
    check_success(cuEventCreate(&event, 0));
    double launched = seconds();
    launch_line(function, 1, 1, 0, NULL);
    check_untold(cuMemAlloc(&ptr, 64), launched);
    check_untold(cuStreamCreate(&stream, 0), launched);
    check_untold(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), launched);
    check_untold(cuMemsetD8Async((CUdeviceptr)(uintptr_t)pinned, 1, 64, NULL), launched);
    check_untold(cuEventRecord(event, NULL), launched);
    check_result(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuMemAlloc(&ptr, 64), CUDA_ERROR_LAUNCH_FAILED);
    check(pinned[0] == 7);
}

TEST(error_is_told_after_a_while)
{
    CUfunction function = kernel_from("print.ptx", "traps");
    CUresult result;
    CUstream stream;
    unsigned flags;

    check_success(cuStreamCreate(&stream, 0));
    launch_line(function, 1, 1, 0, NULL);
    do
        result = cuStreamGetFlags(stream, &flags);
    while (result == CUDA_SUCCESS);
    check_result(result, CUDA_ERROR_LAUNCH_FAILED);
}

TEST(memory_is_freed_after_the_work_and_tells_of_it)
{
    CUfunction function = kernel_from("print.ptx", "traps");
    CUdeviceptr ptr = device_zeros(64);

    launch_line(function, 1, 1, 0, NULL);
    check_result(cuMemFree(ptr), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(blocking_launch_returns_the_error)
{
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    CUfunction function = kernel_from("print.ptx", "traps");

    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                 CUDA_ERROR_LAUNCH_FAILED);
}
