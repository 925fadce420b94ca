/* SPDX-License-Identifier: MIT */
/* Found by the fuzzer of kernels: the divergent variant of a whole warp read a function's parameter
 * that is a vector of registers for half of the lanes, and again for the other half. */
#include "test.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".func (.reg .b32 sum) sum_of(.reg .v2 .b32 pair)\n{\n"
    "add.u32 sum, pair.x, pair.y;\nret;\n}\n"
    ".visible .entry kernel(.param .u64 out, .param .u32 number)\n{\n"
    ".reg .b32 %lane, %number, %sum;\n.reg .b64 %out, %offset;\n.reg .v2 .b32 %pair;\n"
    "ld.param.u64 %out, [out];\nld.param.u32 %number, [number];\nmov.u32 %lane, %laneid;\n"
    "mov.b32 %pair.x, %number;\nmov.b32 %pair.y, %lane;\ncall (%sum), sum_of, (%pair);\n"
    "bar.sync 0;\nmul.wide.u32 %offset, %lane, 4;\nadd.u64 %out, %out, %offset;\n"
    "st.global.u32 [%out], %sum;\nret;\n}\n";

TEST(each_lane_reads_its_own_vector)
{
    enum { LANES = 32, NUMBER = 1000 };
    unsigned sums[LANES], number = NUMBER;
    CUfunction function;
    CUmodule module;
    CUdeviceptr out;
    void *parameters[] = {&out, &number};

    with_context();
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "kernel"));
    check_success(cuMemAlloc(&out, sizeof sums));
    check_success(cuLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(sums, out, sizeof sums));
    for (unsigned lane = 0; lane < LANES; lane++)
        check(sums[lane] == NUMBER + lane);
    check_success(cuMemFree(out));
}
