/* SPDX-License-Identifier: MIT */
/* Approximate instructions give the same bits whether their operands are the same for all threads
 * of a block, as parameters are, or are each thread's own. */
#include "kernels.h"

enum { THREADS = 96, INSTRUCTIONS = 16 };

static void check_operands(CUfunction function, float a, float b)
{
    static uint32_t results[THREADS][INSTRUCTIONS][2];
    float words[THREADS][2];
    CUdeviceptr output = device_zeros(sizeof(results)), input;
    void *parameters[] = {&output, &input, &a, &b};

    for (unsigned k = 0; k < THREADS; k++)
        words[k][0] = a, words[k][1] = b;
    input = device_copy_of(words, sizeof(words));
    launch_line(function, 4, THREADS, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(results, output, sizeof(results)));
    for (unsigned k = 0; k < THREADS; k++)
        for (unsigned n = 0; n < INSTRUCTIONS; n++)
            if (results[k][n][0] != results[k][n][1])
                test_fail(__FILE__, __LINE__, "instruction %u of %a, %a: %#x, and not %#x", n, a, b,
                          results[k][n][0], results[k][n][1]);
    check_success(cuMemFree(input));
    check_success(cuMemFree(output));
}

TEST(parameters_give_what_registers_give)
{
    static const float OPERANDS[] = {0, 1, -1, 0.7f, 1e-40f, -3e38f, 31.25f, 0x1p-126f};
    CUfunction function = kernel_from("approximate.ptx", "both");

    for (unsigned i = 0; i < sizeof(OPERANDS) / sizeof(*OPERANDS); i++)
        for (unsigned k = 0; k < sizeof(OPERANDS) / sizeof(*OPERANDS); k++)
            check_operands(function, OPERANDS[i], OPERANDS[k]);
}
