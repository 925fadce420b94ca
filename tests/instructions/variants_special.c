/* SPDX-License-Identifier: MIT */
/*
 * Special registers, instructions without a result, control flow by instruction, calls.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static void registers(void)
{
    static const char text[] =
        "mov.u32 %%d0, %%tid.x; mov.u32 %%d1, %%tid.y; mov.u32 %%d2, %%tid.z;\n"
        "mov.u32 %%d3, %%ntid.x; mov.u32 %%d4, %%ntid.y; mov.u32 %%d5, %%ntid.z;\n"
        "mov.u32 %%d6, %%ctaid.x; mov.u32 %%d7, %%ctaid.y; mov.u32 %%d8, %%ctaid.z;\n"
        "mov.u32 %%d9, %%nctaid.x; mov.u32 %%d10, %%nctaid.y; mov.u32 %%d11, %%nctaid.z;\n"
        "mov.u32 %%d12, %%laneid; mov.u32 %%d13, %%lanemask_eq; mov.u32 %%d14, %%lanemask_le;\n"
        "mov.u32 %%d15, %%lanemask_lt; mov.u32 %%d16, %%lanemask_ge; mov.u32 %%d17, "
        "%%lanemask_gt;\n"
        "mov.u32 %%d18, WARP_SZ; cvt.u32.u16 %%d19, %%tid.x;";
    char results[100] = "";

    for (int i = 0; i < 20; i++)
        strcat(results, "32 ");
    variant_add("mov", "special-line", results, "i32", text);
    variant_add("mov", "special-box", results, "i32", text)->shape = BOX;
    variant_add("mov", "special-shared", "32 32", "i32",
                "mov.u32 %%d0, %%dynamic_smem_size; mov.u32 %%r0, %%total_smem_size;\n"
                "setp.ge.u32 %%p0, %%r0, %%d0; selp.u32 %%d1, 1, 0, %%p0;")
        ->lanes = 128;
    variant_add(
        "mov", "special-vector", "32 32 32", "i32",
        ".reg .v4 .u32 %%v; mov.v4.u32 %%v, %%tid; mov.u32 %%d0, %%v.x; mov.u32 %%d1, %%v.y;\n"
        "mov.u32 %%d2, %%v.z;")
        ->shape = BOX;
    variant_add("mov", "special-cluster", "32 32 32 32 32 32", "i32",
                "mov.u32 %%d0, %%clusterid.x; mov.u32 %%d1, %%nclusterid.x; mov.u32 %%d2, "
                "%%cluster_ctaid.x;\n"
                "mov.u32 %%d3, %%cluster_nctaid.x; mov.u32 %%d4, %%cluster_ctarank;\n"
                "mov.u32 %%d5, %%cluster_nctarank;")
        ->lanes = 256;
    variant_add("mov", "special-explicit-cluster", "32", "i32",
                "mov.pred %%p0, %%is_explicit_cluster; selp.u32 %%d0, 1, 0, %%p0;")
        ->lanes = 128;
    variant_add(
        "mov", "special-clocks", "32", "i32",
        "mov.u64 %%l0, %%clock64; mov.u32 %%r0, %%clock; mov.u64 %%l1, %%globaltimer;\n"
        "mov.u32 %%r1, %%clock_hi; mov.u32 %%r2, %%globaltimer_lo; mov.u32 %%r3, "
        "%%globaltimer_hi;\n"
        "nanosleep.u32 100; mov.u64 %%l2, %%clock64; mov.u64 %%l3, %%globaltimer;\n"
        "setp.ge.u64 %%p0, %%l2, %%l0; setp.ge.u64 %%p1, %%l3, %%l1; selp.u32 %%d0, 1, 0, "
        "%%p0;\n"
        "@%%p1 or.b32 %%d0, %%d0, 2; setp.ne.u64 %%p0, %%l3, 0; @%%p0 or.b32 %%d0, %%d0, 4;")
        ->lanes = 128;
    static const char *const more[] = {
        "%warpid", "%nwarpid", "%smid", "%nsmid",
        "%gridid", "%envreg1", "%pm0",  "%reserved_smem_offset_begin"};
    for (int i = 0; i < 8; i++) {
        char name[60];
        snprintf(name, sizeof name, "special-exists-%s", more[i] + 1);
        variant_add("mov", name, "32", "i32", "mov.%s, %s; mov.u32 %%d0, 1;",
                    i == 4 ? "u64 %l0" : "b32 %r0", more[i])
            ->lanes = 128;
    }
}

/* Instructions that leave no trace: they are there, and what stands around them is right. */
static void silent(void)
{
    static const char *const instructions[] = {"membar.cta;",
                                               "membar.gl;",
                                               "membar.sys;",
                                               "fence.sc.cta;",
                                               "fence.sc.gpu;",
                                               "fence.sc.sys;",
                                               "fence.sc.cluster;",
                                               "fence.acq_rel.cta;",
                                               "fence.acq_rel.gpu;",
                                               "fence.acq_rel.sys;",
                                               "fence.acq_rel.cluster;",
                                               "fence.cta;",
                                               "fence.gpu;",
                                               "fence.acquire.gpu;",
                                               "fence.release.gpu;",
                                               "fence.proxy.alias;",
                                               "fence.proxy.async;",
                                               "fence.mbarrier_init.release.cluster;",
                                               "prefetch.global.L1 [%s];",
                                               "prefetch.global.L2 [%s];",
                                               "prefetchu.L1 [%s];",
                                               "prefetch.global.L2::evict_last [%s];",
                                               "nanosleep.u32 20;",
                                               "bar.warp.sync -1;",
                                               "pmevent 1;",
                                               "isspacep.global %p0, %s;",
                                               "griddepcontrol.wait;",
                                               "griddepcontrol.launch_dependents;",
                                               "setmaxnreg.inc.sync.aligned.u32 40;",
                                               "createpolicy.fractional.L2::evict_last.b64 %l0;",
                                               "barrier.cluster.arrive;"};

    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        char name[80], opcode[20];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(instructions[i], ";"), instructions[i]);
        snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(instructions[i], ". ;"),
                 instructions[i]);
        variant_add(opcode, name, "32", "i32", "mov.b32 %%d0, %%a; %s not.b32 %%d0, %%d0;",
                    instructions[i])
            ->lanes = 128;
    }
    variant_add("applypriority", "applypriority", "32", "i32",
                "mov.b32 %%d0, %%a; and.b64 %%l0, %%s, -128;\n"
                "applypriority.global.L2::evict_normal [%%l0], 128; not.b32 %%d0, %%d0;")
        ->lanes = 128;
}

static void flow(void)
{
    variant_add(
        "bra", "bra", "32", "i32",
        "mov.u32 %%d0, 7; setp.lt.s32 %%p0, %%a, 0; @%%p0 bra negative; add.u32 %%d0, %%d0, %%a;\n"
        "bra.uni done; negative: sub.u32 %%d0, %%d0, %%a;\ndone:");
    variant_add(
        "brx", "brx.idx", "32", "few",
        "table: .branchtargets one, two, three, four; mov.u32 %%d0, 0; brx.idx %%a, table;\n"
        "one: mov.u32 %%d0, 100; bra done; two: mov.u32 %%d0, 200; bra done;\n"
        "three: mov.u32 %%d0, 300;\nfour: add.u32 %%d0, %%d0, 1;\ndone:")
        ->lanes = 128;
    variant_add("exit", "exit", "32", "few",
                "mov.u32 %%d0, 5; mul.wide.u32 %%l0, %%i, 4;\n"
                "add.u64 %%l0, %%l0, %%o; st.global.u32 [%%l0], %%d0; setp.eq.u32 %%p0, %%a, 2;\n"
                "@%%p0 exit; mov.u32 %%d0, 6;")
        ->lanes = 128;
    variant_add("ret", "ret", "32", "few",
                "mov.u32 %%d0, 5; mul.wide.u32 %%l0, %%i, 4;\n"
                "add.u64 %%l0, %%l0, %%o; st.global.u32 [%%l0], %%d0; setp.eq.u32 %%p0, %%a, 2;\n"
                "@%%p0 ret; mov.u32 %%d0, 6;")
        ->lanes = 128;
    struct variant *call = variant_add(
        "call", "call", "32 64 32 32", "i32 i64 i32",
        "{ .param .b32 x; .param .b64 y; .param .b64 q; st.param.b32 [x], %%a;\n"
        "st.param.b64 [y], %%b; call (q), instructions_two, (x, y);\n"
        "ld.param.b64 %%d1, [q]; call (%%d0), instructions_none, (); }\n"
        "{ .param .align 8 .b8 s[16]; .param .align 8 .b8 r[16]; st.param.b32 [s], %%a;\n"
        "st.param.b64 [s+8], %%b; call.uni (r), instructions_struct, (s);\n"
        "ld.param.b32 %%d2, [r]; ld.param.b32 %%d3, [r+12]; }");
    call->prologue =
        ".func (.reg .b32 %o) instructions_none() { mov.u32 %o, %laneid; ret; }\n"
        ".func (.param .b64 q) instructions_two(.param .b32 x, .param .b64 y)\n"
        "{ .reg .s32 %a; .reg .s64 %b, %c; ld.param.b32 %a, [x]; ld.param.b64 %b, [y];\n"
        "  not.b32 %a, %a; cvt.s64.s32 %c, %a; add.s64 %b, %b, %c; st.param.b64 [q], %b; ret; }\n"
        ".func (.param .align 8 .b8 r[16]) instructions_struct(.param .align 8 .b8 s[16])\n"
        "{ .reg .b32 %a, %c; .reg .b64 %b; ld.param.b32 %a, [s]; ld.param.b64 %b, [s+8];\n"
        "  ld.param.s8 %c, [s+1]; add.u32 %a, %a, %c; st.param.b32 [r], %a;\n"
        "  st.param.b64 [r+8], %b; ret; }";
    struct variant *indirect = variant_add(
        "call", "call-indirect", "32 32", "i32 bool",
        "setp.ne.u32 %%p0, %%b, 0; mov.u64 %%l0, instructions_plus; mov.u64 %%l1, "
        "instructions_minus;\n"
        "selp.b64 %%l0, %%l0, %%l1, %%p0;\n"
        "{ .param .b32 x; .param .b32 o; st.param.b32 [x], %%a;\n"
        "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (o), %%l0, (x), prototype; ld.param.b32 %%d0, [o]; }\n"
        "mov.u64 %%l3, instructions_table; mul.wide.u32 %%l4, %%b, 8; add.u64 %%l3, %%l3, %%l4;\n"
        "ld.global.u64 %%l5, [%%l3];\n"
        "{ .param .b32 x; .param .b32 o; st.param.b32 [x], %%a;\n"
        "targets: .calltargets instructions_plus, instructions_minus;\n"
        "call (o), %%l5, (x), targets; ld.param.b32 %%d1, [o]; }");
    indirect->prologue =
        ".func (.param .b32 o) instructions_plus(.param .b32 x)\n"
        "{ .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 1000; st.param.b32 [o], %a; ret; }\n"
        ".func (.param .b32 o) instructions_minus(.param .b32 x)\n"
        "{ .reg .b32 %a; ld.param.b32 %a, [x]; sub.u32 %a, %a, 1000; st.param.b32 [o], %a; ret; }\n"
        ".global .align 8 .u64 instructions_table[2] = {instructions_plus, instructions_minus};";
    struct variant *registers_call = variant_add("call", "call-registers", "32", "i32",
                                                 "call (%%d0), instructions_register, (%%a, 5);");
    registers_call->prologue =
        ".func (.reg .b32 %o) instructions_register(.reg .b32 %x, .reg .b32 %y)\n"
        "{ mul.lo.u32 %o, %x, %y; ret; }";
}

/* Guards, and what a guarded instruction leaves when it is off. */
static void guards(void)
{
    variant_add(
        "guard", "guards", "32 32 64", "i32 bool",
        "setp.ne.u32 %%p0, %%b, 0; mov.u32 %%d0, 1; mov.u64 %%d2, 9; @%%p0 add.u32 %%d0, %%d0, "
        "%%a;\n"
        "@!%%p0 mul.lo.u32 %%d0, %%a, 3; mov.b64 %%l3, %%s; @!%%p0 mov.u64 %%l3, 0;\n"
        "mov.u32 %%d1, 4; @%%p0 st.global.u32 [%%l3], %%a; @%%p0 ld.global.u32 %%d1, [%%l3];\n"
        "@%%p0 cvt.u64.u32 %%d2, %%a;");
}

void variants_special(void)
{
    registers();
    silent();
    flow();
    guards();
}
