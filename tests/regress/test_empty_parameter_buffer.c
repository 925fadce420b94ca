/* SPDX-License-Identifier: MIT */
/* Found with slangpy, which passes the parameters of every kernel in a buffer: for a kernel without
 * parameters the buffer is empty, and the launch was refused. */
#include "kernels.h"
#include "test.h"

static const char ptx[] = PTX_HEAD ".visible .global .u32 word;\n"
                                   ".visible .entry store()\n"
                                   "{\n"
                                   "    .reg .b32 %r<2>;\n"
                                   "    mov.u32 %r1, 7;\n"
                                   "    st.global.u32 [word], %r1;\n"
                                   "    ret;\n"
                                   "}\n";

static void check_launch(void *buffer)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr word;
    size_t bytes = 0;
    unsigned value = 0;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};

    with_context();
    check_success(cuModuleLoadData(&module, ptx));
    check_success(cuModuleGetFunction(&function, module, "store"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    check_success(cuModuleGetGlobal(&word, NULL, module, "word"));
    check_success(cuMemcpyDtoH(&value, word, sizeof value));
    check(value == 7);
}

TEST(empty_buffer)
{
    char nothing;

    check_launch(&nothing);
}

TEST(empty_buffer_at_null)
{
    check_launch(NULL);
}
