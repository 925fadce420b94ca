/* SPDX-License-Identifier: MIT */
/*
 * The PTX that the kernel groups load.
 */
#include "kernels.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

const char ptx_empty_module[] = HEAD;

const char *const basic_kernels[] = {
    "empty",       "store",          "mixed",       "bounded",      "required",     "shared_static",
    "shared_full", "shared_dynamic", "local_array", "hidden_entry", "bounded_only", NULL};

const char ptx_basic[] = HEAD
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .global .align 8 .b8 table[40] = {1, 2, 3};\n"
    ".visible .global .align 8 .u64 pointer_to_table = table;\n"
    ".visible .global .align 8 .u64 generic_to_table = generic(table);\n"
    ".visible .const .align 4 .u32 factor = 5;\n"
    ".visible .const .align 4 .u32 factors[4] = {1, 2, 3, 4};\n"
    ".visible .global .attribute(.managed) .align 4 .u32 managed_word = 3;\n"
    ".global .align 4 .u32 hidden = 9;\n"
    ".visible .global .align 1 .b8 one_byte;\n"
    ".visible .global .align 256 .b8 big[1000000];\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .func (.param .u32 result) device_function(.param .u32 x)\n"
    "{ .reg .u32 a; ld.param.u32 a, [x]; add.u32 a, a, 1; st.param.u32 [result], a; ret; }\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry store(.param .u64 p, .param .u32 v)\n"
    "{ .reg .u64 a; .reg .u32 b; ld.param.u64 a, [p]; ld.param.u32 b, [v];\n"
    "  cvta.to.global.u64 a, a; st.global.u32 [a], b; ret; }\n"
    ".visible .entry mixed(.param .u8 a, .param .u16 b, .param .u32 c, .param .u64 d,\n"
    "    .param .align 16 .b8 e[48], .param .f64 f, .param .u8 g)\n"
    "{ ret; }\n"
    ".visible .entry bounded() .maxntid 128, 2, 1 .minnctapersm 2 { ret; }\n"
    ".visible .entry required() .reqntid 64, 2, 1 { ret; }\n"
    ".visible .entry shared_static(.param .u64 p)\n"
    "{ .shared .align 4 .b8 block[1000]; .reg .u64 a; .reg .u32 b, c; ld.param.u64 a, [p];\n"
    "  mov.u32 b, %tid.x; mov.u32 c, block; add.u32 c, c, b; st.shared.u8 [c], b; bar.sync 0;\n"
    "  ld.shared.u8 b, [c + 4]; cvta.to.global.u64 a, a; st.global.u32 [a], b; ret; }\n"
    ".visible .entry shared_full(.param .u64 p)\n"
    "{ .shared .align 4 .b8 block[49152]; .reg .u64 a; .reg .u32 b, c; ld.param.u64 a, [p];\n"
    "  mov.u32 b, %tid.x; mov.u32 c, block; add.u32 c, c, b; st.shared.u8 [c], b; bar.sync 0;\n"
    "  ld.shared.u8 b, [c + 4]; cvta.to.global.u64 a, a; st.global.u32 [a], b; ret; }\n"
    ".visible .entry shared_dynamic(.param .u64 p)\n"
    "{ .reg .u64 a; .reg .u32 b; ld.param.u64 a, [p]; mov.u32 b, %dynamic_smem_size;\n"
    "  st.shared.u32 [dynamic], b; ld.shared.u32 b, [dynamic]; cvta.to.global.u64 a, a;\n"
    "  st.global.u32 [a], b; ret; }\n"
    ".visible .entry local_array(.param .u64 p)\n"
    "{ .local .align 4 .b8 room[256]; .reg .u64 a, c; .reg .u32 b, d; ld.param.u64 a, [p];\n"
    "  mov.u32 b, %tid.x; and.b32 b, b, 63; mul.wide.u32 c, b, 4; mov.u32 d, 77;\n"
    "  .reg .u64 e; mov.u64 e, room; add.u64 c, e, c; st.local.u32 [c], d; xor.b32 b, b, 1;\n"
    "  mul.wide.u32 c, b, 4; add.u64 c, e, c; ld.local.u32 d, [c]; cvta.to.global.u64 a, a;\n"
    "  st.global.u32 [a], d; ret; }\n"
    ".entry hidden_entry() { ret; }\n"
    ".visible .entry bounded_only() .maxntid 64 { ret; }\n";

const char ptx_clusters[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry plain() { ret; }\n"
    ".visible .entry pair() .explicitcluster .reqnctapercluster 2 { ret; }\n"
    ".visible .entry open() .explicitcluster { ret; }\n"
    ".visible .entry at_most() .explicitcluster .maxclusterrank 4 { ret; }\n";

/* Each kernel takes one 64 bit word. */
const char ptx_faults[] = HEAD
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,\n"
    "    .param .b64 s);\n"
    ".visible .entry fine(.param .u64 p) { ret; }\n"
    ".visible .entry store_global(.param .u64 p)\n"
    "{ .reg .u64 a; ld.param.u64 a, [p]; st.global.u32 [a], 1; ret; }\n"
    ".visible .entry store_generic(.param .u64 p)\n"
    "{ .reg .u64 a; ld.param.u64 a, [p]; st.u32 [a], 1; ret; }\n"
    ".visible .entry load_global(.param .u64 p)\n"
    "{ .reg .u64 a; .reg .u32 b; ld.param.u64 a, [p]; ld.volatile.global.u32 b, [a]; ret; }\n"
    ".visible .entry atom_global(.param .u64 p)\n"
    "{ .reg .u64 a; .reg .u32 b; ld.param.u64 a, [p]; atom.global.add.u32 b, [a], 1; ret; }\n"
    ".visible .entry store_shared(.param .u64 p)\n"
    "{ .shared .b32 w; .reg .u64 a; .reg .u32 b; ld.param.u64 a, [p]; cvt.u32.u64 b, a;\n"
    "  st.shared.u32 [b], 1; st.volatile.shared.u32 [w], b; ret; }\n"
    ".visible .entry store_local(.param .u64 p)\n"
    "{ .local .b32 w; .reg .u64 a; ld.param.u64 a, [p]; st.local.u32 [a], 1; ret; }\n"
    ".visible .entry do_trap(.param .u64 p) { trap; ret; }\n"
    ".visible .entry do_brkpt(.param .u64 p) { brkpt; ret; }\n"
    ".visible .func (.param .u64 r) deep(.param .u64 x)\n"
    "{ .reg .u64 a, b; .reg .pred q; .local .align 8 .b8 room[128]; ld.param.u64 a, [x];\n"
    "  setp.eq.u64 q, a, 0; @q bra done; mov.u64 b, room; cvta.local.u64 b, b;\n"
    "  st.volatile.u64 [b], a;\n"
    "  sub.u64 a, a, 1; { .param .u64 o; .param .u64 i; st.param.u64 [i], a;\n"
    "  call.uni (o), deep, (i); ld.param.u64 a, [o]; }\n"
    "  ld.volatile.u64 b, [b]; add.u64 a, a, b;\n"
    "done: st.param.u64 [r], a; ret; }\n"
    ".visible .entry recurse(.param .u64 p)\n"
    "{ .reg .u64 a, b; ld.param.u64 a, [p]; { .param .u64 o; .param .u64 i; mov.u64 b, 1000000;\n"
    "  st.param.u64 [i], b; call.uni (o), deep, (i); ld.param.u64 b, [o]; }\n"
    "  st.global.u64 [a], b; ret; }\n"
    ".visible .entry recurse_a_little(.param .u64 p)\n"
    "{ .reg .u64 a, b; ld.param.u64 a, [p]; { .param .u64 o; .param .u64 i; mov.u64 b, 4;\n"
    "  st.param.u64 [i], b; call.uni (o), deep, (i); ld.param.u64 b, [o]; }\n"
    "  st.global.u64 [a], b; ret; }\n"
    ".visible .entry jump_away(.param .u64 p)\n"
    "{ .reg .u64 a; ld.param.u64 a, [p]; prototype: .callprototype _ (); call a, (), prototype;\n"
    "  ret; }\n";

const char ptx_printing[] = HEAD
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 s);\n"
    ".extern .func free(.param .b64 p);\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,\n"
    "    .param .b64 s);\n"
    /* "n %d %s\n" */
    ".global .align 1 .b8 text[9] = {110, 32, 37, 100, 32, 37, 115, 10, 0};\n"
    /* "hi" */
    ".global .align 1 .b8 word[3] = {104, 105, 0};\n"
    /* "x > 1", "file.cu", "func" */
    ".global .align 1 .b8 claim[6] = {120, 32, 62, 32, 49, 0};\n"
    ".global .align 1 .b8 file[8] = {102, 105, 108, 101, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 func_name[5] = {102, 117, 110, 99, 0};\n"
    /* Each thread prints its number; what vprintf answered goes to p[thread]. */
    ".visible .entry print(.param .u64 p)\n"
    "{ .local .align 8 .b8 room[16]; .reg .u64 a, b, c; .reg .u32 t, r, n; ld.param.u64 a, [p];\n"
    "  mov.u32 t, %tid.x; mov.u32 r, %ctaid.x; mov.u32 n, %ntid.x; mad.lo.u32 t, r, n, t;\n"
    "  mov.u64 b, room; st.local.u32 [b], t; cvta.global.u64 c, word;\n"
    "  st.local.u64 [b+8], c; cvta.local.u64 b, b; cvta.global.u64 c, text;\n"
    "  { .param .b64 f; .param .b64 g; .param .b32 o; st.param.b64 [f], c; st.param.b64 [g], b;\n"
    "  call.uni (o), vprintf, (f, g); ld.param.b32 r, [o]; }\n"
    "  mul.wide.u32 c, t, 4; add.u64 a, a, c; st.global.u32 [a], r; ret; }\n"
    ".visible .entry allocate(.param .u64 p, .param .u64 s)\n"
    "{ .reg .u64 a, b, c; .reg .u32 t; ld.param.u64 a, [p]; ld.param.u64 b, [s];\n"
    "  { .param .b64 i; .param .b64 o; st.param.b64 [i], b; call.uni (o), malloc, (i);\n"
    "  ld.param.b64 b, [o]; } mov.u32 t, %tid.x; mul.wide.u32 c, t, 8; add.u64 a, a, c;\n"
    "  st.global.u64 [a], b; ret; }\n"
    ".visible .entry release(.param .u64 p)\n"
    "{ .reg .u64 a; ld.param.u64 a, [p]; { .param .b64 i; st.param.b64 [i], a;\n"
    "  call.uni free, (i); } ret; }\n"
    ".visible .entry claim_fails(.param .u64 p)\n"
    "{ .reg .u64 a, b, c; .reg .u32 l; cvta.global.u64 a, claim; cvta.global.u64 b, file;\n"
    "  cvta.global.u64 c, func_name; { .param .b64 m; .param .b64 f; .param .b32 n; .param .b64 "
    "g;\n"
    "  .param .b64 s; st.param.b64 [m], a; st.param.b64 [f], b; st.param.b32 [n], 42;\n"
    "  st.param.b64 [g], c; st.param.b64 [s], 1; call.uni __assertfail, (m, f, n, g, s); } ret; "
    "}\n";

const char ptx_link_user[] =
    HEAD ".extern .func (.param .u32 r) callee(.param .u32 x);\n"
         ".extern .global .align 4 .u32 common_word;\n"
         ".visible .entry user(.param .u64 p)\n"
         "{ .reg .u64 a; .reg .u32 b, c; ld.param.u64 a, [p]; ld.global.u32 b, [common_word];\n"
         "  { .param .u32 o; .param .u32 i; st.param.u32 [i], b; call.uni (o), callee, (i);\n"
         "  ld.param.u32 c, [o]; } st.global.u32 [a], c; ret; }\n";

const char ptx_link_callee[] =
    HEAD ".visible .global .align 4 .u32 common_word = 41;\n"
         ".visible .func (.param .u32 r) callee(.param .u32 x)\n"
         "{ .reg .u32 a; ld.param.u32 a, [x]; add.u32 a, a, 1; st.param.u32 [r], a; ret; }\n";
