/* SPDX-License-Identifier: MIT */
/* The device runtime: functions that kernels call, for programs whose own device runtime the driver
 * cannot use. Launches are not among them: a program whose kernels launch kernels does not link,
 * and cudaGetLastError has no error to return. */
#ifndef RT_DEVICE_RUNTIME_H
#define RT_DEVICE_RUNTIME_H

static const char rt_device_runtime[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b32 r) __cudaCDP2GetLastError()\n"
    "{\n"
    "    .reg .b32 z;\n    mov.u32 z, 0;\n    st.param.b32 [r], z;\n    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2PeekAtLastError()\n"
    "{\n"
    "    .reg .b32 z;\n    mov.u32 z, 0;\n    st.param.b32 [r], z;\n    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 device)\n"
    "{\n"
    "    .reg .b32 z;\n    .reg .b64 p;\n"
    "    mov.u32 z, 0;\n    ld.param.u64 p, [device];\n    st.u32 [p], z;\n    st.param.b32 [r], "
    "z;\n"
    "    ret;\n"
    "}\n";

#endif
