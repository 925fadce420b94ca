/* SPDX-License-Identifier: MIT */
/* The device runtime: functions that kernels call, for programs whose own device runtime the driver
 * cannot use. cupipe's driver has them itself and does not use these bodies. On other drivers a
 * launch in a kernel answers cudaErrorNotSupported; the other kernels of the program run. */
#ifndef RT_DEVICE_RUNTIME_H
#define RT_DEVICE_RUNTIME_H

static const char rt_device_runtime[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .u32 rt_last_error;\n"
    ".visible .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
    "    .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared)\n"
    "{\n"
    "    .reg .b32 e;\n    .reg .b64 z;\n"
    "    mov.u32 e, 801;\n    st.global.u32 [rt_last_error], e;\n"
    "    mov.u64 z, 0;\n    st.param.b64 [r], z;\n    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 "
    "stream)\n"
    "{\n"
    "    .reg .b32 e;\n"
    "    mov.u32 e, 801;\n    st.global.u32 [rt_last_error], e;\n    st.param.b32 [r], e;\n    "
    "ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2GetLastError()\n"
    "{\n"
    "    .reg .b32 e;\n"
    "    atom.global.exch.b32 e, [rt_last_error], 0;\n    st.param.b32 [r], e;\n    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2PeekAtLastError()\n"
    "{\n"
    "    .reg .b32 e;\n"
    "    ld.global.u32 e, [rt_last_error];\n    st.param.b32 [r], e;\n    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 device)\n"
    "{\n"
    "    .reg .b32 z;\n    .reg .b64 p;\n"
    "    mov.u32 z, 0;\n    ld.param.u64 p, [device];\n    st.u32 [p], z;\n    st.param.b32 [r], "
    "z;\n"
    "    ret;\n"
    "}\n";

#endif
