/* SPDX-License-Identifier: MIT */
/* The upper half of a 64-bit number that grows from lane to lane was taken to grow as well, in
 * optimised code. */
#include "test.h"

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    "    .reg .b64 o, a, wide; .reg .b32 t, lower, upper;\n"
    "    ld.param.u64 o, [out];\n    mov.u32 t, %tid.x;\n"
    "    mul.wide.u32 a, t, 8;\n    add.u64 o, o, a;\n"
    "    cvt.u64.u32 wide, t;\n    mov.b64 {lower, upper}, wide;\n"
    "    add.u32 lower, lower, 3;\n    add.u32 upper, upper, 5;\n"
    "    st.global.u32 [o], lower;\n    st.global.u32 [o+4], upper;\n    ret;\n}\n";

TEST(upper_halves_of_lanes)
{
    enum { THREADS = 64 };
    uint32_t words[2 * THREADS];
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
    for (uint32_t i = 0; i < THREADS; i++)
        check(words[2 * i] == i + 3 && words[2 * i + 1] == 5);
}
