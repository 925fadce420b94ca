/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

/* %i is the thread's number in a line of blocks. */
#define INDEX                                                                                      \
    "    .reg .pred %p, %q;\n    .reg .u32 %i, %b, %t;\n    .reg .u64 %o, %a, %d;\n"               \
    "    mov.u32 %i, %ctaid.x;\n    mov.u32 %b, %ntid.x;\n    mov.u32 %t, %tid.x;\n"               \
    "    mad.lo.u32 %i, %i, %b, %t;\n"

static const char compute[] = HEAD
    ".extern .func (.param .b64 r) malloc(.param .b64 s);\n"
    ".extern .func free(.param .b64 p);\n"
    ".visible .const .align 4 .u32 salt = SALT;\n"
    ".visible .entry mix(.param .u64 out, .param .u64 in, .param .u32 count, .param .u32 times)\n"
    "{\n" INDEX "    .reg .u32 %n, %v, %k, %x;\n"
    "    ld.param.u32 %n, [count];\n"
    "    setp.ge.u32 %p, %i, %n;\n"
    "    @%p bra END;\n"
    "    ld.param.u64 %a, [in];\n"
    "    ld.param.u64 %o, [out];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %a, %a, %d;\n"
    "    add.u64 %o, %o, %d;\n"
    "    ld.global.u32 %v, [%a];\n"
    "    ld.param.u32 %k, [times];\n"
    "LOOP:\n"
    "    setp.eq.u32 %p, %k, 0;\n"
    "    @%p bra STORE;\n"
    "    xor.b32 %v, %v, SALT;\n"
    "    mul.lo.u32 %v, %v, 0x9e3779b1;\n"
    "    shr.u32 %x, %v, 15;\n"
    "    xor.b32 %v, %v, %x;\n"
    "    sub.u32 %k, %k, 1;\n"
    "    bra LOOP;\n"
    "STORE:\n"
    "    st.global.u32 [%o], %v;\n"
    "END:\n"
    "    ret;\n"
    "}\n"
    /* Blocks of 256: halves are added up in shared memory, and blocks by an atomic. */
    ".visible .entry sum(.param .u64 total, .param .u64 in, .param .u32 count)\n"
    "{\n" INDEX "    .shared .align 4 .b8 parts[1024];\n"
    "    .reg .u32 %n, %v, %w, %h, %m;\n"
    "    mov.u32 %v, 0;\n"
    "    ld.param.u32 %n, [count];\n"
    "    setp.ge.u32 %p, %i, %n;\n"
    "    @%p bra HAVE;\n"
    "    ld.param.u64 %a, [in];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %a, %a, %d;\n"
    "    ld.global.u32 %v, [%a];\n"
    "HAVE:\n"
    "    shl.b32 %m, %t, 2;\n"
    "    mov.u32 %w, parts;\n"
    "    add.u32 %m, %m, %w;\n"
    "    st.shared.u32 [%m], %v;\n"
    "    mov.u32 %h, 128;\n"
    "HALVE:\n"
    "    bar.sync 0;\n"
    "    setp.ge.u32 %p, %t, %h;\n"
    "    @%p bra NEXT;\n"
    "    shl.b32 %w, %h, 2;\n"
    "    add.u32 %w, %w, %m;\n"
    "    ld.shared.u32 %w, [%w];\n"
    "    ld.shared.u32 %v, [%m];\n"
    "    add.u32 %v, %v, %w;\n"
    "    st.shared.u32 [%m], %v;\n"
    "NEXT:\n"
    "    shr.u32 %h, %h, 1;\n"
    "    setp.ne.u32 %p, %h, 0;\n"
    "    @%p bra HALVE;\n"
    "    setp.ne.u32 %p, %t, 0;\n"
    "    @%p ret;\n"
    "    ld.param.u64 %o, [total];\n"
    "    red.global.add.u32 [%o], %v;\n"
    "    ret;\n"
    "}\n"
    /* How often each of 64 values of the low bits is there. */
    ".visible .entry tally(.param .u64 bins, .param .u64 in, .param .u32 count)\n"
    "{\n" INDEX "    .reg .u32 %n, %v;\n"
    "    ld.param.u32 %n, [count];\n"
    "    setp.ge.u32 %p, %i, %n;\n"
    "    @%p ret;\n"
    "    ld.param.u64 %a, [in];\n"
    "    ld.param.u64 %o, [bins];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %a, %a, %d;\n"
    "    ld.global.u32 %v, [%a];\n"
    "    and.b32 %v, %v, 63;\n"
    "    mul.wide.u32 %d, %v, 4;\n"
    "    add.u64 %o, %o, %d;\n"
    "    atom.global.add.u32 %v, [%o], 1;\n"
    "    ret;\n"
    "}\n"
    /* Numbers between 1 and 2, multiplied and added eight times. */
    ".visible .entry chain(.param .u64 out, .param .u64 in, .param .u32 count)\n"
    "{\n" INDEX "    .reg .u32 %n, %v;\n    .reg .f32 %f, %g;\n"
    "    ld.param.u32 %n, [count];\n"
    "    setp.ge.u32 %p, %i, %n;\n"
    "    @%p ret;\n"
    "    ld.param.u64 %a, [in];\n"
    "    ld.param.u64 %o, [out];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %a, %a, %d;\n"
    "    add.u64 %o, %o, %d;\n"
    "    ld.global.u32 %v, [%a];\n"
    "    shr.u32 %v, %v, 9;\n"
    "    or.b32 %v, %v, 0x3f800000;\n"
    "    mov.b32 %f, %v;\n"
    "    mov.b32 %g, %v;\n"
    "    mov.u32 %n, 8;\n"
    "AGAIN:\n"
    "    fma.rn.f32 %f, %f, %g, %g;\n"
    "    sub.u32 %n, %n, 1;\n"
    "    setp.ne.u32 %p, %n, 0;\n"
    "    @%p bra AGAIN;\n"
    "    sqrt.rn.f32 %f, %f;\n"
    "    st.global.f32 [%o], %f;\n"
    "    ret;\n"
    "}\n"
    /* Whole warps: the sum over the warp, by shuffles. */
    ".visible .entry warps(.param .u64 out, .param .u64 in)\n"
    "{\n" INDEX "    .reg .u32 %v, %w;\n"
    "    ld.param.u64 %a, [in];\n"
    "    ld.param.u64 %o, [out];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %a, %a, %d;\n"
    "    add.u64 %o, %o, %d;\n"
    "    ld.global.u32 %v, [%a];\n"
    "    shfl.sync.bfly.b32 %w, %v, 16, 31, 0xffffffff;\n"
    "    add.u32 %v, %v, %w;\n"
    "    shfl.sync.bfly.b32 %w, %v, 8, 31, 0xffffffff;\n"
    "    add.u32 %v, %v, %w;\n"
    "    shfl.sync.bfly.b32 %w, %v, 4, 31, 0xffffffff;\n"
    "    add.u32 %v, %v, %w;\n"
    "    shfl.sync.bfly.b32 %w, %v, 2, 31, 0xffffffff;\n"
    "    add.u32 %v, %v, %w;\n"
    "    shfl.sync.bfly.b32 %w, %v, 1, 31, 0xffffffff;\n"
    "    add.u32 %v, %v, %w;\n"
    "    st.global.u32 [%o], %v;\n"
    "    ret;\n"
    "}\n"
    /* out[i] goes through memory that the thread allocates and frees. */
    ".visible .entry allocate(.param .u64 out, .param .u64 size)\n"
    "{\n" INDEX "    .reg .u64 %m;\n    .reg .u32 %v;\n"
    "    ld.param.u64 %m, [size];\n"
    "    {\n"
    "        .param .b64 s;\n"
    "        .param .b64 r;\n"
    "        st.param.b64 [s], %m;\n"
    "        call.uni (r), malloc, (s);\n"
    "        ld.param.b64 %m, [r];\n"
    "    }\n"
    "    setp.eq.u64 %p, %m, 0;\n"
    "    @%p ret;\n"
    "    xor.b32 %v, %i, SALT;\n"
    "    st.u32 [%m], %v;\n"
    "    bar.sync 0;\n"
    "    ld.u32 %v, [%m];\n"
    "    ld.param.u64 %o, [out];\n"
    "    mul.wide.u32 %d, %i, 4;\n"
    "    add.u64 %o, %o, %d;\n"
    "    st.global.u32 [%o], %v;\n"
    "    {\n"
    "        .param .b64 p;\n"
    "        st.param.b64 [p], %m;\n"
    "        call.uni free, (p);\n"
    "    }\n"
    "    ret;\n"
    "}\n";

/* "soak %u %u\n", and an assertion: "x > 1" in file.cu, line 42, function f. */
static const char printing[] = HEAD
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "
    ".b64 s);\n"
    ".global .align 1 .b8 format[12] = {115, 111, 97, 107, 32, 37, 117, 32, 37, 117, 10, 0};\n"
    ".global .align 1 .b8 claim[6] = {120, 32, 62, 32, 49, 0};\n"
    ".global .align 1 .b8 file[8] = {102, 105, 108, 101, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 name[2] = {102, 0};\n"
    ".visible .entry print()\n"
    "{\n" INDEX "    .local .align 8 .b8 values[8];\n    .reg .u64 %f;\n    .reg .u32 %s;\n"
    "    mov.u64 %a, values;\n"
    "    mov.u32 %s, SALT;\n"
    "    st.local.u32 [%a], %i;\n"
    "    st.local.u32 [%a + 4], %s;\n"
    "    cvta.local.u64 %a, %a;\n"
    "    cvta.global.u64 %f, format;\n"
    "    {\n"
    "        .param .b64 f;\n"
    "        .param .b64 a;\n"
    "        .param .b32 r;\n"
    "        st.param.b64 [f], %f;\n"
    "        st.param.b64 [a], %a;\n"
    "        call.uni (r), vprintf, (f, a);\n"
    "    }\n"
    "    ret;\n"
    "}\n"
    ".visible .entry failing()\n"
    "{\n" INDEX "    .reg .u64 %m, %f, %n;\n"
    "    setp.ne.u32 %p, %i, 7;\n"
    "    @%p ret;\n"
    "    cvta.global.u64 %m, claim;\n"
    "    cvta.global.u64 %f, file;\n"
    "    cvta.global.u64 %n, name;\n"
    "    {\n"
    "        .param .b64 m;\n"
    "        .param .b64 f;\n"
    "        .param .b32 l;\n"
    "        .param .b64 n;\n"
    "        .param .b64 s;\n"
    "        st.param.b64 [m], %m;\n"
    "        st.param.b64 [f], %f;\n"
    "        st.param.b32 [l], 42;\n"
    "        st.param.b64 [n], %n;\n"
    "        st.param.b64 [s], 1;\n"
    "        call.uni __assertfail, (m, f, l, n, s);\n"
    "    }\n"
    "    ret;\n"
    "}\n";

/* One thread a texel, 64 in a row. */
static const char textures[] =
    HEAD ".visible .entry fetch(.param .u64 texture, .param .u64 out)\n"
         "{\n" INDEX "    .reg .u64 %h;\n    .reg .u32 %x, %y, %r<4>;\n"
         "    ld.param.u64 %h, [texture];\n"
         "    ld.param.u64 %o, [out];\n"
         "    and.b32 %x, %i, 63;\n"
         "    shr.u32 %y, %i, 6;\n"
         "    tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%h, {%x, %y}];\n"
         "    mul.wide.u32 %d, %i, 4;\n"
         "    add.u64 %o, %o, %d;\n"
         "    xor.b32 %r0, %r0, SALT;\n"
         "    st.global.u32 [%o], %r0;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry filter(.param .u64 texture, .param .u64 out)\n"
         "{\n" INDEX "    .reg .u64 %h;\n    .reg .u32 %x, %y;\n    .reg .f32 %u, %v, %f<4>;\n"
         "    ld.param.u64 %h, [texture];\n"
         "    ld.param.u64 %o, [out];\n"
         "    and.b32 %x, %i, 63;\n"
         "    shr.u32 %y, %i, 6;\n"
         "    cvt.rn.f32.u32 %u, %x;\n"
         "    cvt.rn.f32.u32 %v, %y;\n"
         "    add.f32 %u, %u, 0f3F800000;\n"
         "    add.f32 %v, %v, 0f3F000000;\n"
         "    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%u, %v}];\n"
         "    mul.wide.u32 %d, %i, 4;\n"
         "    add.u64 %o, %o, %d;\n"
         "    st.global.f32 [%o], %f0;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry rewrite(.param .u64 from, .param .u64 to)\n"
         "{\n" INDEX "    .reg .u64 %h;\n    .reg .u32 %x, %y, %v;\n"
         "    ld.param.u64 %h, [from];\n"
         "    ld.param.u64 %o, [to];\n"
         "    and.b32 %x, %i, 63;\n"
         "    shl.b32 %x, %x, 2;\n"
         "    shr.u32 %y, %i, 6;\n"
         "    suld.b.2d.b32.trap %v, [%h, {%x, %y}];\n"
         "    add.u32 %v, %v, SALT;\n"
         "    sust.b.2d.b32.trap [%o, {%x, %y}], %v;\n"
         "    ret;\n"
         "}\n";

static const char caller[] = HEAD ".extern .func (.param .u32 r) twice(.param .u32 v);\n"
                                  ".visible .entry ask(.param .u64 out)\n"
                                  "{\n" INDEX "    .reg .u32 %v;\n"
                                  "    xor.b32 %v, %i, SALT;\n"
                                  "    {\n"
                                  "        .param .u32 v;\n"
                                  "        .param .u32 r;\n"
                                  "        st.param.u32 [v], %v;\n"
                                  "        call.uni (r), twice, (v);\n"
                                  "        ld.param.u32 %v, [r];\n"
                                  "    }\n"
                                  "    ld.param.u64 %o, [out];\n"
                                  "    mul.wide.u32 %d, %i, 4;\n"
                                  "    add.u64 %o, %o, %d;\n"
                                  "    st.global.u32 [%o], %v;\n"
                                  "    ret;\n"
                                  "}\n";
static const char callee[] = HEAD ".visible .func (.param .u32 r) twice(.param .u32 v)\n"
                                  "{\n"
                                  "    .reg .u32 %v;\n"
                                  "    ld.param.u32 %v, [v];\n"
                                  "    add.u32 %v, %v, %v;\n"
                                  "    st.param.u32 [r], %v;\n"
                                  "    ret;\n"
                                  "}\n";

static char *salted(const char *text, uint32_t salt)
{
    char *made = room(strlen(text) + 256), *to = made;

    while (*text) {
        if (strncmp(text, "SALT", 4) == 0) {
            to += sprintf(to, "%u", salt);
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = 0;
    return made;
}

char *kernels_text(uint32_t salt)
{
    return salted(compute, salt);
}

char *print_text(uint32_t salt)
{
    return salted(printing, salt);
}

char *textures_text(uint32_t salt)
{
    return salted(textures, salt);
}

char *caller_text(uint32_t salt)
{
    return salted(caller, salt);
}

char *callee_text(uint32_t salt)
{
    return salted(callee, salt);
}
