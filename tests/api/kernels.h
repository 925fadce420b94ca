/* SPDX-License-Identifier: MIT */
/* PTX that several tests load. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#define PTX_HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

/* out[i] = value, for each thread of a line of blocks; and a kernel that does nothing. */
static const char ptx_fill[] =
    PTX_HEAD ".visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 count)\n"
             "{\n"
             "    .reg .pred %p<2>;\n"
             "    .reg .b32 %r<8>;\n"
             "    .reg .b64 %rd<5>;\n"
             "    ld.param.u64 %rd1, [out];\n"
             "    ld.param.u32 %r1, [value];\n"
             "    ld.param.u32 %r2, [count];\n"
             "    mov.u32 %r3, %ctaid.x;\n"
             "    mov.u32 %r4, %ntid.x;\n"
             "    mov.u32 %r5, %tid.x;\n"
             "    mad.lo.s32 %r6, %r3, %r4, %r5;\n"
             "    setp.ge.u32 %p1, %r6, %r2;\n"
             "    @%p1 bra DONE;\n"
             "    cvta.to.global.u64 %rd2, %rd1;\n"
             "    mul.wide.u32 %rd3, %r6, 4;\n"
             "    add.s64 %rd4, %rd2, %rd3;\n"
             "    st.global.u32 [%rd4], %r1;\n"
             "DONE:\n"
             "    ret;\n"
             "}\n"
             ".visible .entry nothing()\n"
             "{\n"
             "    ret;\n"
             "}\n";

/* Variables of several kinds, and a kernel that adds one to `counter`. */
static const char ptx_variables[] =
    PTX_HEAD ".visible .global .align 4 .u32 counter = 41;\n"
             ".visible .const .align 4 .b32 table[4] = {1, 2, 3, 4};\n"
             ".visible .global .align 1 .b8 letters[5] = {104, 101, 108, 108, 111};\n"
             ".visible .global .align 8 .u64 where[2] = {generic(counter), generic(table)};\n"
             ".visible .global .align 8 .b8 empty_space[4096];\n"
             ".visible .entry increment()\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    ld.global.u32 %r1, [counter];\n"
             "    add.s32 %r2, %r1, 1;\n"
             "    st.global.u32 [counter], %r2;\n"
             "    ret;\n"
             "}\n";

/* Two texts that have to be linked: ask() stores twice(21). */
static const char ptx_caller[] =
    PTX_HEAD ".extern .func (.param .b32 result) twice(.param .b32 value);\n"
             ".visible .entry ask(.param .u64 out)\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    .reg .b64 %rd<3>;\n"
             "    ld.param.u64 %rd1, [out];\n"
             "    mov.u32 %r1, 21;\n"
             "    {\n"
             "        .param .b32 argument;\n"
             "        .param .b32 answer;\n"
             "        st.param.b32 [argument], %r1;\n"
             "        call.uni (answer), twice, (argument);\n"
             "        ld.param.b32 %r2, [answer];\n"
             "    }\n"
             "    cvta.to.global.u64 %rd2, %rd1;\n"
             "    st.global.u32 [%rd2], %r2;\n"
             "    ret;\n"
             "}\n";
static const char ptx_callee[] =
    PTX_HEAD ".visible .func (.param .b32 result) twice(.param .b32 value)\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    ld.param.b32 %r1, [value];\n"
             "    add.s32 %r2, %r1, %r1;\n"
             "    st.param.b32 [result], %r2;\n"
             "    ret;\n"
             "}\n";

#endif
