/* SPDX-License-Identifier: MIT */
/* Kernels of many instructions, which are compiled in another way than small ones. */
#include "test.h"

#include "kernels.h"

enum { STEPS = 600, THREADS = 100 };

TEST(a_large_kernel_computes_what_a_small_one_would)
{
    char *text = malloc(1 << 16);
    size_t length =
        (size_t)sprintf(text, PTX_HEAD ".visible .entry large(.param .u64 out)\n{\n"
                                       ".reg .b32 %%r<3>;\n.reg .b64 %%rd<3>;\n"
                                       "ld.param.u64 %%rd0, [out];\nmov.u32 %%r0, %%tid.x;\n"
                                       "mul.wide.u32 %%rd1, %%r0, 4;\n"
                                       "add.u64 %%rd2, %%rd0, %%rd1;\n");
    uint32_t result[THREADS];
    CUfunction function;
    CUmodule module;
    CUdeviceptr out;

    for (int i = 0; i < STEPS; i++)
        length += (size_t)sprintf(text + length, "mad.lo.u32 %%r0, %%r0, 5, %d;\n", i);
    sprintf(text + length, "st.global.u32 [%%rd2], %%r0;\nret;\n}\n");
    with_context();
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "large"));
    check_success(cuMemAlloc(&out, sizeof result));
    void *parameters[] = {&out};
    check_success(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(result, out, sizeof result));
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t expected = thread;
        for (uint32_t i = 0; i < STEPS; i++)
            expected = expected * 5 + i;
        check(result[thread] == expected);
    }
    free(text);
}
