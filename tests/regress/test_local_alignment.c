/* SPDX-License-Identifier: MIT */
/* A local variable of a device function whose size is not a multiple of its alignment: only every
 * second lane's copy was aligned, and accesses through a pointer were rejected. */
#include "test.h"

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".func f(.param .u64 q)\n{\n"
    "    .local .align 8 .b8 d[12];\n    .reg .b64 o, a, c; .reg .b32 t;\n"
    "    ld.param.u64 o, [q];\n    mov.u64 a, d;\n    cvta.local.u64 a, a;\n"
    "    mov.u32 t, %tid.x;\n    cvt.u64.u32 c, t;\n    st.u64 [a], c;\n"
    "    cvta.to.local.u64 a, a;\n    ld.local.u64 c, [a];\n    mul.wide.u32 a, t, 8;\n"
    "    add.u64 a, a, o;\n    st.global.u64 [a], c;\n    ret;\n}\n"
    ".visible .entry k(.param .u64 out)\n{\n    .reg .b64 x;\n    ld.param.u64 x, [out];\n"
    "    { .param .u64 p; st.param.u64 [p], x; call f, (p); }\n    ret;\n}\n";

TEST(lanes_of_a_local_variable_are_aligned)
{
    enum { THREADS = 64 };
    uint64_t words[THREADS];
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *parameters[] = {&out};

    with_context();
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "k"));
    check_success(cuMemAlloc(&out, sizeof words));
    check_success(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(words, out, sizeof words));
    for (uint64_t i = 0; i < THREADS; i++)
        check(words[i] == i);
}
