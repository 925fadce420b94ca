/* SPDX-License-Identifier: MIT */
/* Functions in kernels: recursion, calls through pointers, arrays on the stack. */
#include "kernels.h"

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t recursion(uint32_t i)
{
    return fibonacci(i % 13);
}

TEST(recursion)
{
    CUfunction function = kernel_from("calls.ptx", "recursion");

    check_success(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192));
    check_words_in_shapes(function, recursion);
}

static uint32_t is_even(uint32_t i)
{
    return i % 11 % 2 == 0;
}

TEST(functions_that_call_each_other)
{
    CUfunction function = kernel_from("calls.ptx", "mutual_recursion");

    check_success(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192));
    check_words_in_shapes(function, is_even);
}

static uint32_t operation(uint32_t i)
{
    return i % 3 == 0 ? i * 2 : i % 3 == 1 ? i * i : -i;
}

TEST(calls_through_a_table)
{
    check_words_in_shapes(kernel_from("calls.ptx", "indirect"), operation);
}

static uint32_t square(uint32_t i)
{
    return i * i;
}

TEST(call_through_an_address_that_another_kernel_kept)
{
    CUfunction call = kernel_from("calls.ptx", "call_chosen");
    CUmodule module;

    check_success(cuFuncGetModule(&module, call));
    launch_line(kernel_of(module, "choose"), 1, 1, 0, NULL);
    check_words_in_shapes(call, square);
}

static uint32_t local_sort(uint32_t i)
{
    uint32_t words[16], mixed = 0;

    for (uint32_t k = 0; k < 16; k++) {
        uint32_t x = (k * 7919 + i) * 2654435761u >> 16, j = k;
        for (; j && words[j - 1] > x; j--)
            words[j] = words[j - 1];
        words[j] = x;
    }
    for (int k = 0; k < 16; k++)
        mixed = mixed * 31 + words[k];
    return mixed;
}

TEST(array_in_local_memory)
{
    check_words_in_shapes(kernel_from("calls.ptx", "local_sort"), local_sort);
}

static uint32_t guarded_call(uint32_t i)
{
    uint32_t x = i * 97, sum = 0;

    if ((i & 3) == 1)
        return x;
    for (; x; x /= 10)
        sum += x % 10;
    return sum;
}

TEST(call_by_some_lanes)
{
    check_words_in_shapes(kernel_from("calls.ptx", "guarded_call"), guarded_call);
}
