/* SPDX-License-Identifier: MIT */
/* cp.async and mbarrier, alloca, isspacep, and instructions that only give advice. */
#include "kernels.h"

TEST(copies_that_end_before_their_size)
{
    enum { BLOCK = 64 };
    CUfunction function = kernel_from("async.ptx", "copy");
    uint8_t in[BLOCK][16], got[BLOCK][32];
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from};

    for (unsigned i = 0; i < sizeof in; i++)
        ((uint8_t *)in)[i] = (uint8_t)(i * 7 + 1);
    from = device_copy_of(in, sizeof in);
    launch_line(function, 1, BLOCK, 0, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned t = 0; t < BLOCK; t++)
        for (unsigned b = 0; b < 16; b++) {
            check(got[t][b] == (b < t % 17 ? in[t][b] : 0));
            if (b < 8)
                check(got[t][16 + b] == (t % 5 ? in[t][b] : 0));
            else
                check(got[t][16 + b] == (b < 12 ? in[t][b] : 0xff));
        }
}

TEST(warps_in_turn_by_mbarriers)
{
    CUfunction function = kernel_from("async.ptx", "pipeline");
    uint32_t got[128], sum = 0;
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_line(function, 1, 128, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (uint32_t k = 0; k < 20; k++)
        sum = sum * 5 + k * 7 + 3;
    for (unsigned t = 0; t < 128; t++)
        check(got[t] == (t < 32 ? 0 : sum));
}

/* Threads that wait for a phase see its end, even if the barrier is initialised at once. */
TEST(mbarriers_that_begin_again)
{
    CUfunction function = kernel_from("async.ptx", "again");
    uint32_t got[256];
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_line(function, 1, 256, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned t = 0; t < 256; t++)
        check(got[t] == 5);
}

TEST(bulk_copies)
{
    CUfunction function = kernel_from("async.ptx", "bulk");
    uint32_t in[256], got[256];
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from};

    for (unsigned i = 0; i < 256; i++)
        in[i] = i * 2654435761u;
    from = device_copy_of(in, sizeof in);
    launch_line(function, 1, 256, 0, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < 256; i++)
        check(got[i] == in[255 - i]);
}

TEST(phases_of_an_mbarrier)
{
    static const uint32_t wanted[10] = {5, 3, 0, 2, 1, 4, 0, 1, 0, 2};
    CUfunction function = kernel_from("async.ptx", "phases");
    uint32_t got[10];
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < 10; i++)
        if (got[i] != wanted[i])
            test_fail(__FILE__, __LINE__, "answer %u: %u, and not %u", i, got[i], wanted[i]);
}

static uint32_t sum_on_stack(uint32_t index)
{
    uint32_t sum = 0;

    for (uint32_t n = 0; n <= index % 9; n++)
        for (uint32_t i = 0; i <= n; i++)
            sum += n * 100 + i;
    return sum;
}

TEST(memory_on_the_stack)
{
    check_words_in_shapes(kernel_from("async.ptx", "stack"), sum_on_stack);
}

static uint32_t four_times(uint32_t index)
{
    return 4 * index;
}

/* Checks find the instruction of the request's program that an instruction was made of; the calls
 * that save and restore the stack are made of none. */
TEST(memory_on_the_stack_of_a_contracted_function)
{
    check_words_in_shapes(kernel_from("async.ptx", "stack_fused"), four_times);
}

/* As the manual has it: whatever is in no other window is global, and the parameters of a kernel
 * are both. See async.ptx for the bits. */
TEST(spaces_of_addresses)
{
    static const struct {
        const char *what;
        uint32_t spaces;
    } wanted[] = {{"NULL", 1},
                  {".global", 1},
                  {".shared", 2},
                  {".local", 4},
                  {".const", 8},
                  {"a parameter", 17},
                  {"memory of the host", 1},
                  {"the last byte of .shared", 2},
                  {"1", 1},
                  {"-1", 1},
                  {".local of a function", 4}};
    CUfunction function = kernel_from("async.ptx", "spaces");
    uint32_t got[11], *host;
    CUdeviceptr out = device_zeros(sizeof got), address;
    void *parameters[] = {&out, &address};

    check_success(cuMemHostAlloc((void **)&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemHostGetDevicePointer(&address, host, 0));
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < 11; i++)
        if (got[i] != wanted[i].spaces)
            test_fail(__FILE__, __LINE__, "%s: %u, and not %u", wanted[i].what, got[i],
                      wanted[i].spaces);
}

TEST(misaligned_store)
{
    CUfunction function = kernel_from("async.ptx", "misaligned");
    CUdeviceptr out = device_zeros(64);
    void *parameters[] = {&out};

    launch_line(function, 1, 1, 0, parameters);
    check_result(cuCtxSynchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
    check_result(cuMemFree(out), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(hints_and_elections)
{
    CUfunction function = kernel_from("async.ptx", "hints");
    uint32_t got[2];
    CUdeviceptr out = device_zeros(8);
    void *parameters[] = {&out};

    launch_line(function, 1, 32, 0, parameters);
    check_success(cuMemcpyDtoH(got, out, 8));
    check(got[0] == 4);
    check(got[1] == 1);
}
