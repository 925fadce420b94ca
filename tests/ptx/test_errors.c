/* SPDX-License-Identifier: MIT */
/* Errors of invalid PTX: the kind of failure, the line, the message. */
#include "ptx_test.h"

struct wrong {
    const char *text;
    enum ptx_failure failure;
    const char *message; /* part of it */
};

static void refuse(const char *text, size_t length, const struct wrong *wrong)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text, length, &log, &failure);

    if (program || failure != wrong->failure || !log.text || !strstr(log.text, wrong->message)) {
        printf("# %s\n# gave %d, %s\n", wrong->text, failure, log.text ? log.text : "nothing");
        check(false);
    }
    ptx_program_free(program);
    ptx_log_free(&log);
}

static bool reads(const char *version, bool assembled)
{
    char text[99];
    enum ptx_failure failure;
    int length =
        snprintf(text, sizeof text, ".version %s\n.target sm_75\n.entry k() { ret; }", version);
    struct ptx_program *program = assembled
                                      ? ptx_parse_assembled(text, (size_t)length, NULL, &failure)
                                      : ptx_parse(text, (size_t)length, NULL, &failure);
    bool good = program;

    check(good || failure == PTX_UNSUPPORTED_VERSION);
    ptx_program_free(program);
    return good;
}

/* Without a limit every version is read, except those that cannot come to exist. */
TEST(versions)
{
    static const char *const good[] = {"6.5", "8.8",  "9.0",  "9.5",  "9.6",
                                       "9.9", "9.10", "9.12", "10.0", "99.0"},
                             *const bad[] = {"6.6", "7.9", "8.9", "6.10", "7.10", "8.10", "8.50"};
    static const struct wrong newer = {
        ".version 9.1\n.target sm_90", PTX_UNSUPPORTED_VERSION,
        "line 1; fatal   : Unsupported .version 9.1; current version "
        "is '9.0'"};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check(reads(good[i], false) && reads(good[i], true));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check(!reads(bad[i], false) && !reads(bad[i], true));
    ptx_limit_version(90);
    refuse(newer.text, strlen(newer.text), &newer);
    check(reads("8.8", false) && reads("9.0", false));
    check(!reads("9.1", false) && !reads("9.9", false) && !reads("10.0", false));
    check(!reads("9.10", false) && !reads("8.10", false));
    check(reads("9.1", true) && reads("9.9", true) && reads("9.10", true));
    check(!reads("10.0", true) && !reads("10.10", true));
    ptx_limit_version(0);
}

TEST(modules)
{
    static const struct wrong wrongs[] = {
        {"", PTX_SYNTAX, "line 1; error   : the text does not begin with .version"},
        {"garbage", PTX_SYNTAX, "does not begin with .version, in \"garbage\""},
        {".version 9.0\n.target sm_91", PTX_SYNTAX, "line 2; error   : target sm_91"},
        {".version 9.0\n.target sm_75a", PTX_SYNTAX, "sm_75a is not known"},
        {".version 9.0\n.target sm_90\n.address_size 32", PTX_UNSUPPORTED,
         "32 bits are not supported"},
        {HEAD ".global .u32 x;\n.global .u32 x;", PTX_SYNTAX, "already defined, in line 4"},
        {HEAD ".global .u32 x[2] = {1,2,3};", PTX_SYNTAX, "more values than 'x' has elements"},
        {HEAD ".global .u64 x = y;", PTX_SYNTAX, "'y' is not declared"},
        {HEAD ".global .f32 x = 1;", PTX_SYNTAX, "an integer cannot initialise"},
        {HEAD ".shared .u32 x = 1;", PTX_SYNTAX, "'x' cannot be initialised"},
        {HEAD ".global .align 3 .u32 x;", PTX_SYNTAX, "power of two, not 3"},
        {HEAD ".global .pred x;", PTX_SYNTAX, "type .pred is not allowed for variables"},
        {HEAD ".global .u32 x[];", PTX_SYNTAX, "array 'x' has no size"},
        {HEAD ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }", PTX_SYNTAX,
         "another signature in line 4"},
        {HEAD ".entry k() { ret; }\n.entry k() { ret; }", PTX_SYNTAX, "already defined, in line 4"},
        {HEAD ".entry k() {\nret;\n", PTX_SYNTAX, "the text ends inside a function"},
        {HEAD ".entry k() { ret; }}", PTX_SYNTAX, "a directive is expected, not '}'"},
        {HEAD ".entry k() .nosuch 1 { ret; }", PTX_SYNTAX, "'.nosuch' is not a directive"},
        {HEAD "/* no end", PTX_SYNTAX, "error"},
        {".version 7.8\n.target sm_90a", PTX_SYNTAX, "target sm_90a needs PTX ISA 8.0"},
        {HEAD ".common .const .u32 x;", PTX_SYNTAX, ".common is for variables in .global"},
        {HEAD ".func f() .maxntid 32 { ret; }", PTX_SYNTAX, "are for kernels"},
        {HEAD ".entry k() .minnctapersm 0 { ret; }", PTX_SYNTAX, "at least 1"},
        {HEAD ".func f() { ret; }\n.func a(.param .u32 x);\n.alias a, f;", PTX_SYNTAX,
         "have different signatures"},
        {HEAD ".weak .func f() { ret; }\n.func a();\n.alias a, f;", PTX_SYNTAX,
         "'f' is .weak and cannot have an alias"},
        {HEAD ".func f() { ret; }\n.alias f, f;", PTX_SYNTAX, "it has a body"},
        {".version 8.80\n.target sm_75", PTX_UNSUPPORTED_VERSION, "Unsupported .version 8.80"},
        {".version 7.10\n.target sm_75", PTX_UNSUPPORTED_VERSION, "Unsupported .version 7.10"},
        {".version 0.80\n.target sm_75", PTX_SYNTAX, "PTX ISA 0.80 does not exist"},
        {".version 8.\n.target sm_75", PTX_SYNTAX, ".version needs a number"},
        {".version 8.0\n.target compute_91", PTX_SYNTAX, "target compute_91 is not known"},
        {HEAD ".global .u32 x<3> = 1;", PTX_SYNTAX, "';' is expected"},
        {HEAD ".global .u32 x<3>; .global .u32 x1;", PTX_SYNTAX, "'x1' is already defined"},
        {HEAD ".global .u32 x<70000>;", PTX_SYNTAX, "70000 variables are too many"},
        {".version 8.9\n.target sm_75", PTX_UNSUPPORTED_VERSION, "current version is '9.5'"},
        {".version 99.99", PTX_UNSUPPORTED_VERSION,
         "Unsupported .version 99.99; current version is '9.5'"},
        {".version 9.5", PTX_SYNTAX, ".target is expected after .version"},
        {".version 8.0\n.target sm_75, debug\n.entry k() { ret; }", PTX_SYNTAX,
         "no debug information"},
        {".version 8.0\n.target sm_75, nonsense", PTX_SYNTAX, "option nonsense is not known"},
        {HEAD ".address_size 64", PTX_SYNTAX, "given twice"},
        {HEAD "// \xc3\xa9", PTX_SYNTAX, "line 4; error   : PTX is ASCII"},
        {HEAD ".entry k() { ret; };", PTX_SYNTAX, "a directive is expected, not ';'"},
        {HEAD ".entry k() { ; }", PTX_SYNTAX, "is expected, not ';'"},
        {HEAD ".entry _() { ret; }", PTX_SYNTAX, "'_' is reserved"},
        {HEAD ".global .u32 WARP_SZ;", PTX_SYNTAX, "'WARP_SZ' is reserved"},
        {HEAD ".func f();\n.entry k() { ret; }", PTX_SYNTAX, "line 4; error   : 'f' is declared"},
        {HEAD ".visible .entry k();", PTX_SYNTAX, "'k' is declared without .extern"},
        {HEAD ".entry k() .maxntid 64 .reqntid 64 { ret; }", PTX_SYNTAX, "exclude each other"},
        {HEAD ".entry k() .maxntid 0 { ret; }", PTX_SYNTAX, "at least 1"},
        {HEAD ".entry k() .language \"ptx\" { ret; }", PTX_SYNTAX,
         "'.language' needs .version 9.2"},
        {".version 9.4\n.target sm_90\n.entry k() .language 11 { ret; }", PTX_SYNTAX,
         "must be 0 to 10, not 11"},
        {".version 9.4\n.target sm_90\n.entry k() .language \"rust\" { ret; }", PTX_SYNTAX,
         "language \"rust\" is not known"},
        {".version 9.3\n.target sm_90\n.entry k() .minperctamemory 1 { ret; }", PTX_SYNTAX,
         "'.minperctamemory' needs .version 9.4"},
        {".version 9.4\n.target sm_90\n.func f() .minperctamemory 1 { ret; }", PTX_SYNTAX,
         "'.minperctamemory' is for kernels"},
        {".version 9.4\n.target sm_90\n.nv_intermediate_source_section { .code_block { .ir_name: "
         "\"x\" .sourceFileName: 1 .source_begin } }",
         PTX_SYNTAX, "'.source_begin' without '.source_end'"},
        {".version 9.9\n.target sm_90\n.frobnicate 1;", PTX_SYNTAX,
         "a directive is expected, not '.frobnicate'"},
        {".version 9.9\n.target sm_99", PTX_SYNTAX, "target sm_99 is not known"},
        {".version 9.3\n.target sm_107a", PTX_SYNTAX, "target sm_107a needs PTX ISA 9.4"},
        {HEAD ".entry k() .maxnreg 0 { ret; }", PTX_SYNTAX, "at least 1"},
        {HEAD ".entry k() .maxnctapersm 2 { ret; }", PTX_SYNTAX, "not a directive"},
        {HEAD ".pragma \"whatever\";", PTX_SYNTAX, "the pragma is unknown"},
        {".version 8.0\n.target sm_75\n.entry k(.param .b8 p[4353]) { ret; }", PTX_SYNTAX,
         "the maximum is 4352"},
        {HEAD ".entry k(.param .b8 p[32765]) { ret; }", PTX_SYNTAX, "the maximum is 32764"},
        {".version 8.0\n.target sm_75\n.entry k() { .reg .b128 x; ret; }", PTX_SYNTAX,
         ".version 8.3"},
        {HEAD ".entry k(.param .u32 p) { st.param.u32 [p], 1; ret; }", PTX_SYNTAX,
         "cannot write its parameter"},
        {HEAD ".func (.param .u32 r) f() { ret; }\n.entry k() { .reg .pred q; .reg .b32 x;\n"
              "{ .param .u32 o; call (o), f, (); @q ld.param.u32 x, [o]; } ret; }",
         PTX_SYNTAX, "a guard is not allowed here"},
    };

    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
        refuse(wrongs[i].text, strlen(wrongs[i].text), &wrongs[i]);
}

TEST(instructions)
{
    static const struct wrong wrongs[] = {
        {"multimem.ld_reduce.acquire.global.add.u32 %r1, [%rd1];", PTX_SYNTAX,
         "the order needs a scope"},
        {"multimem.st.gpu.global.b32 [%rd1], %r1;", PTX_SYNTAX, "the scope needs an order"},
        {"vsub.s32.u32.s32.add %r1.b3, %r2.b1, %r3.h1, %r4;", PTX_SYNTAX,
         "excludes a second operation"},
        {"tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}], %h1;", PTX_SYNTAX,
         "does not fit .f32"},
        {"ex2.approx.ftz.ftz.f32 %f1, %f2;", PTX_SYNTAX, "'.ftz' is not allowed here"},
        {"add.u32 %r1, sh, %r2;", PTX_SYNTAX, "a register is expected, not the address of 'sh'"},
        {"add.f32 %f1, sh+4, %f2;", PTX_SYNTAX, "a register is expected, not the address of"},
        {"ld.shared.b8 %r1, sh[%f1];", PTX_SYNTAX, "'%f1' of type .f32 cannot be the index"},
        {"ld.shared.b8 %r1, sh[%p1];", PTX_SYNTAX, "'%p1' of type .pred cannot be the index"},
        {"ld.global.b8 %r1, sh[%r1];", PTX_SYNTAX, "not in the instruction's state space"},
        {"T: .branchtargets L<0>;", PTX_SYNTAX, "a range has 1 to"},
        {"T: .branchtargets L<2>; L0:", PTX_SYNTAX, "label 'L1' is not declared"},
        {"# 1", PTX_SYNTAX, "is expected after the number of a line"},
        {"#pragma x", PTX_SYNTAX, "is expected after '#'"},
        {"foo.u32 %r1;", PTX_SYNTAX,
         "line 7; error   : 'foo' is not an instruction, in \"foo.u32 %r1\""},
        {"mbarrier.test_wait.acquire.b64 %p1, [%rd1], %rd2;", PTX_SYNTAX, "'mbarrier' lacks"},
        {"mbarrier.test_wait.cta.b64 %p1, [%rd1], %rd2;", PTX_SYNTAX, "'mbarrier'"},
        {"mbarrier.init.shared::cluster.b64 [%rd1], %r1;", PTX_SYNTAX, "'.shared::cluster'"},
        {"mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];", PTX_SYNTAX, "must be '_'"},
        {"mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r1], 1;", PTX_SYNTAX,
         "cannot be combined with modifier '.noComplete'"},
        {"tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}];", PTX_SYNTAX,
         "'%f1' of type .f32 does not fit .u32"},
        {"tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2,%f3}];", PTX_SYNTAX,
         "the wrong number of coordinates"},
        {"bfe.u32 %r1, %r2, 256, 4;", PTX_SYNTAX, "Argument 2 of instruction 'bfe': value '256'"},
        {"bfi.b32 %r1, %r2, %r3, 4, -1;", PTX_SYNTAX,
         "Argument 4 of instruction 'bfi': value '-1'"},
        {"ld.volatile.local.u32 %r1, [%rd1];", PTX_SYNTAX, "cannot be applied to '.local' space"},
        {"st.volatile.local.u32 [%rd1], %r1;", PTX_SYNTAX, "cannot be applied to '.local' space"},
        {"add.f33 %r1, %r2, %r3;", PTX_SYNTAX, "modifier '.f33' is not known"},
        {"add.wide.s32 %r1, %r2, %r3;", PTX_SYNTAX, "'.wide' is not allowed with 'add'"},
        {"mul.s32 %r1, %r2, %r3;", PTX_SYNTAX, "'mul' lacks a modifier or type"},
        {"div.f32 %f1, %f2, %f3;", PTX_SYNTAX, ".approx"},
        {"cvt.f32.s32 %f1, %r1;", PTX_SYNTAX, ".rn .rz .rm .rp"},
        {"cvt.bf16.f32 %h1, %f1;", PTX_SYNTAX, "'cvt' lacks"},
        {"cvt.rzi.s16.bf16 %r1, %h1;", PTX_SYNTAX, "register '%r1' of type .b32 does not fit .s16"},
        {"add.u32 %r1, %f1, %r2;", PTX_SYNTAX, "register '%f1' of type .f32 does not fit .u32"},
        {"add.u32 %r1, %rd1, %r2;", PTX_SYNTAX, "register '%rd1' of type .b64 does not fit .u32"},
        {"add.f32 %f1, %f2, 1;", PTX_SYNTAX, "an integer where type .f32 is expected"},
        {"add.u32 %r1, %r2, 1.5;", PTX_SYNTAX, "a float where type .u32 is expected"},
        {"mov.u32 %r1, %f1;", PTX_SYNTAX, "does not fit .u32"},
        {"mov.u32 %r1, %r99;", PTX_SYNTAX, "'%r99' is not declared"},
        {"mov.u32 %r1;", PTX_SYNTAX, "'mov' takes 2 operands here, not 1"},
        {"mov.u32 %r1 %r2;", PTX_SYNTAX, "not 1"},
        {"mov.u32 5, %r2;", PTX_SYNTAX, "a destination register is expected, not '5'"},
        {"add.u32 %r1, %tid.x, 1;", PTX_SYNTAX, "can only be read by mov and cvt"},
        {"st.global.v2.u64 [gv], {%tid.x, %tid.y};", PTX_SYNTAX, "'%tid.x' does not fit type .u64"},
        {"st.global.v2.u32 [gv], {%tid, %r1};", PTX_SYNTAX, "needs a component: .x, .y or .z"},
        {"ld.shared.u32 %r1, [gv];", PTX_SYNTAX, "not in the instruction's state space"},
        {"ld.global.u32 %r1, [%r2];", PTX_SYNTAX, "an address has 64 bits here"},
        {"ld.global.v2.u32 %r1, [gv];", PTX_SYNTAX, "a vector of 2 elements is expected"},
        {"ld.global.v4.f64 {%d1,%d1,%d1,%d1}, [gv];", PTX_SYNTAX, "256 bits needs .target sm_100"},
        {"ld.nc.u32 %r1, [gv];", PTX_SYNTAX, "lacks"},
        {"setp.lo.s32 %p1, %r1, %r2;", PTX_SYNTAX, "'.s32' is not allowed here"},
        {"setp.eq.and.s32 %p1, %r1, %r2;", PTX_SYNTAX, "a predicate is expected as last operand"},
        {"bar.sync 16;", PTX_SYNTAX, "barrier must be 0 to 15, not 16"},
        {"cp.async.ca.shared.global [sh], [gv], 5;", PTX_SYNTAX, "4, 8 or 16 bytes, not 5"},
        {"shfl.idx.b32 %r1, %r2, 0, 31;", PTX_SYNTAX, "without '.sync'"},
        {"@%r1 mov.u32 %r1, 1;", PTX_SYNTAX, "guard '%r1' is not a predicate register"},
        {"bra NOWHERE;", PTX_SYNTAX, "line 7; error   : label 'NOWHERE' is not declared"},
        {"{ L: } bra L;", PTX_SYNTAX, "label 'L' is not declared"},
        {"L: L:", PTX_SYNTAX, "'L' is already declared, in line 7"},
        {".reg .b32 %r1;", PTX_SYNTAX, "'%r1' is already declared"},
        {"call nosuch;", PTX_SYNTAX, "'nosuch' is not declared"},
        {"call k;", PTX_SYNTAX, "'k' is a kernel"},
        {"add.u32 %r1, %r2, 1/0;", PTX_SYNTAX, "divides by zero"},
        {"add.f32x2 %rd1, %rd2, %rd3;", PTX_SYNTAX, "needs .target sm_100 or higher"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1}, {%r3}, "
         "{%f1,%f2,%f3,%f4};",
         PTX_SYNTAX, "a vector of 2 registers is expected, not of 1"},
        {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [gv];", PTX_SYNTAX,
         "a vector of 8 registers"},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [sh];", PTX_SYNTAX,
         "a vector of 2 registers"},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, "
         "{%f1,%f2,%f3,%f4,%f1,%f2,%f3,%f4};",
         PTX_SYNTAX, "a vector of 8 registers"},
        {"mad.f32 %f1, %f2, %f3, %f4;", PTX_SYNTAX, "'mad' needs a rounding modifier"},
        {"mov.u32 %r1, %clock64;", PTX_SYNTAX, "does not fit"},
        {"cp.async.bulk.prefetch.L2.global [gv], 16, %rd1;", PTX_SYNTAX,
         "a cache policy needs '.L2::cache_hint'"},
        {"alloca.u32 %r1, %r2;", PTX_UNSUPPORTED, "'alloca' is not supported yet"},
    };
    static char text[4096];

    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        snprintf(text, sizeof(text),
                 HEAD ".global .b8 gv[64]; .shared .b8 sh[64];\n.entry k() {\n"
                      ".reg .pred %%p<5>; .reg .b16 %%h<5>; .reg .b32 %%r<5>; .reg .f32 %%f<5>; "
                      ".reg .b64 %%rd<5>; .reg .f64 %%d<5>;\n%s\nret;\n}\n",
                 wrongs[i].text);
        refuse(text, strlen(text), &wrongs[i]);
    }
}

/* Words and registers that are younger than their instruction. */
TEST(ages)
{
    static const struct {
        const char *head, *statement, *message;
    } cases[] = {
        {".version 7.3\n.target sm_80\n", "ld.global.L2::128B.u32 %r1, [%rd1];",
         "'.L2::128B' of 'ld' needs .version 7.4"},
        {".version 8.0\n.target sm_75\n", "ld.global.L2::256B.u32 %r1, [%rd1];",
         "'.L2::256B' of 'ld' needs .target sm_80"},
        {".version 8.0\n.target sm_80\n", "fence.acq_rel.cluster;",
         "'.cluster' of 'fence' needs .target sm_90"},
        {".version 7.7\n.target sm_80\n", "mov.u32 %r1, %clusterid.x;",
         "%clusterid needs .version 7.8"},
        {".version 7.6\n.target sm_80\n", "isspacep.param %p1, %rd1;", "needs .version 7.7"},
        {".version 8.0\n.target sm_80\n", "mbarrier.arrive.shared.b64 %rd1, [%r1], 2;",
         "a count without '.noComplete' needs .target sm_90"},
        {".version 8.0\n.target sm_90\n", "cvt.rn.satfinite.bf16.f32 %h1, %f1;",
         "needs .version 8.1"},
        {".version 7.4\n.target sm_80\n", "cp.async.ca.shared.global [%r1], [%rd1], 8, %p1;",
         "needs .version 7.5"},
        {".version 9.0\n.target sm_90\n", "ld.volatile.local.u32 %r1, [%rd1];",
         "Modifier '.volatile' cannot be applied to '.local' space"},
        {".version 9.2\n.target sm_90\n", "clmad.lo.u64 %rd1, %rd2, %rd3, %rd4;",
         "this form of 'clmad' needs .version 9.3"},
        {".version 9.3\n.target sm_75\n", "clmad.lo.u64 %rd1, %rd2, %rd3, %rd4;",
         "needs .target sm_80"},
        {".version 9.2\n.target sm_90\n",
         "cp.async.bulk.weak.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
         "'.weak' of 'cp' needs .version 9.3"},
        {".version 9.2\n.target sm_90\n",
         "multimem.cp.async.bulk.weak.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
         "the order of 'multimem.cp' needs .version 9.3"},
        {".version 9.3\n.target sm_90\n",
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
         "multicast::cluster::16b [%r1], [%rd1], %r2, [%r3], %h1;",
         "'.multicast::cluster::16b' of 'cp' needs .version 9.4"},
        {".version 9.4\n.target sm_90\n",
         "cp.async.bulk.relaxed.sys.shared::cluster.global.mbarrier::complete_tx::bytes.b128 "
         "[%r1], [%rd1], %r2, [%r3];",
         "needs a .target with suffix"},
        {".version 9.4\n.target sm_90\n",
         "cp.reduce.async.bulk.relaxed.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], %r2;",
         "the order needs a scope with 'cp'"},
        {".version 9.4\n.target sm_90\n",
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%rd1], "
         "%r2, 3, 16, [%r3];",
         "Argument 5 of instruction 'cp': value '16' out of range"},
        {".version 9.3\n.target sm_90\n", "mov.u32 %r1, %perctamemorysize;",
         "%perctamemorysize needs .version 9.4"},
        {".version 9.4\n.target sm_90\n", "mov.u32 %r1, %perctamemorysize;",
         "'%perctamemorysize' needs .minperctamemory at the kernel"},
        {".version 9.4\n.target sm_90\n",
         "mbarrier.test_wait.phase_type::primary.shared.b64 %p1, %r1, [%r2], %rd1;", "%r1"},
        {".version 9.4\n.target sm_90\n", "add.u8x4 %r1, %r2, %r3;",
         "modifier '.u8x4' is not known"},
        {".version 9.9\n.target sm_90\n", "frobnicate.b32 %r1, %r2;",
         "'frobnicate' is not an instruction"},
        {".version 9.9\n.target sm_90\n", "add.frob.s32 %r1, %r2, %r3;",
         "modifier '.frob' is not known"},
        {".version 9.3\n.target sm_90\n", ".loc_intermediate 1 2 3",
         "'.loc_intermediate' needs .version 9.4"},
    };
    char text[800];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct wrong wrong = {text, PTX_SYNTAX, cases[i].message};

        snprintf(text, sizeof(text),
                 "%s.address_size 64\n.entry k() { .reg .pred %%p<5>; .reg .b16 %%h<5>;\n"
                 ".reg .b32 %%r<5>; .reg .f32 %%f<5>; .reg .b64 %%rd<5>;\n%s ret; }",
                 cases[i].head, cases[i].statement);
        refuse(text, strlen(text), &wrong);
    }
}

#define GROUP_HEAD                                                                                 \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { .reg .b32 %r<8>; .reg .b64 "     \
    "%d<3>; "                                                                                      \
    ".reg .pred %p;\n"
#define GROUP_MMA "wgmma.mma_async.sync.aligned."

TEST(products_of_warpgroups)
{
    static const struct wrong wrongs[] = {
        {GROUP_HEAD GROUP_MMA "m64n12k16.f32.f16.f16 {%r0}, %d0, %d1, %p, 1, 1, 0, 0; }",
         PTX_SYNTAX, "no shape .m64n12k16"},
        {GROUP_HEAD GROUP_MMA "m64n8k8.f32.f16.f16 {%r0}, %d0, %d1, %p, 1, 1, 0, 0; }", PTX_SYNTAX,
         "no shape .m64n8k8"},
        {GROUP_HEAD GROUP_MMA "m64n40k32.s32.s8.s8 {%r0}, %d0, %d1, %p; }", PTX_SYNTAX,
         "no shape .m64n40k32"},
        {GROUP_HEAD GROUP_MMA "m64n8k16.f32.f16.f16 {%r0,%r1}, %d0, %d1, %p, 1, 1, 0, 0; }",
         PTX_SYNTAX, "a vector of 4 registers is expected, not of 2"},
        {GROUP_HEAD GROUP_MMA
         "m64n8k16.f32.f16.f16 {%r0,%r1,%r2,%r3}, {%r4,%r5}, %d1, %p, 1, 1, 0; }",
         PTX_SYNTAX, "a vector of 4 registers is expected, not of 2"},
        {GROUP_HEAD GROUP_MMA
         "m64n8k16.f32.f16.f16 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %d1, %p, 1, 1, 0, 0; }",
         PTX_SYNTAX, "the wrong number of operands"},
        {GROUP_HEAD GROUP_MMA "m64n8k16.f32.f16.f16 {%r0,%r1,%r2,%r3}, %d0, %d1, %p, 2, 1, 0, 0; }",
         PTX_SYNTAX, "a scale must be 1 or -1"},
        {GROUP_HEAD GROUP_MMA "m64n8k16.f32.f16.f16 {%r0,%r1,%r2,%r3}, %d0, %d1, %p, 1, 1, 2, 0; }",
         PTX_SYNTAX, "a transposition must be 0 or 1"},
        {GROUP_HEAD "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r0}; }", PTX_SYNTAX,
         "needs .version 8.2 or later"},
        {".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { "
         "wgmma.fence.sync.aligned; }",
         PTX_SYNTAX, "needs a .target with suffix, such as sm_90a"},
    };

    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
        refuse(wrongs[i].text, strlen(wrongs[i].text), &wrongs[i]);
}

TEST(references_of_another_kind)
{
    static const struct {
        const char *mode, *statement, *message;
    } cases[] = {
        {"", "txq.width.b32 %r0, [canvas];", "a .texref is expected, not '[canvas]'"},
        {"", "txq.filter_mode.b32 %r0, [canvas];", "a .texref is expected"},
        {"", "txq.level.width.b32 %r0, [given_canvas], 0;", "a .texref is expected"},
        {"", "txq.force_unnormalized_coords.b32 %r0, [image];", "a .samplerref is expected"},
        {"", "txq.force_unnormalized_coords.b32 %r0, [given];", "a .samplerref is expected"},
        {"", "suq.width.b32 %r0, [image];", "a .surfref is expected"},
        {"", "suq.width.b32 %r0, [given];", "a .surfref is expected"},
        {"", "suld.b.1d.b32.trap %r0, [image, {%r1}];", "a .surfref is expected"},
        {"", "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [canvas, {%r0}];", "a .texref is expected"},
        {", texmode_independent", "txq.filter_mode.b32 %r0, [image];", "a .samplerref is expected"},
        {", texmode_independent", "txq.addr_mode_1.b32 %r0, [given];", "a .samplerref is expected"},
        {", texmode_independent", "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [image, image, {%r0}];",
         "a .samplerref is expected"},
    };
    char text[700];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct wrong wrong = {text, PTX_SYNTAX, cases[i].message};

        snprintf(text, sizeof(text),
                 ".version 9.0\n.target sm_90%s\n.address_size 64\n.global .texref image;\n"
                 ".global .surfref canvas;\n.entry k(.param .texref given, .param .surfref "
                 "given_canvas) {\n.reg .b32 %%r<5>;\n%s ret; }",
                 cases[i].mode, cases[i].statement);
        refuse(text, strlen(text), &wrong);
    }
}

TEST(all_errors_are_reported_up_to_twenty)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    static char text[1 << 14];
    size_t length = (size_t)sprintf(text, HEAD ".entry k() {\n");

    length += (size_t)sprintf(text + length, "foo;\nret;\nmov.u32 %%x, {1};\nbar.sync 99;\n}\n");
    check(!ptx_parse(text, length, &log, &failure) && log.errors == 3);
    check(strstr(log.text, "line 5;") && strstr(log.text, "line 7;") &&
          strstr(log.text, "line 8;"));
    ptx_log_free(&log);
    length = (size_t)sprintf(text, HEAD ".entry k() {\n");
    for (int i = 0; i < 500; i++)
        length += (size_t)sprintf(text + length, "foo%d;\n", i);
    check(!ptx_parse(text, length, &log, &failure));
    check(strstr(log.text, "foo19") && !strstr(log.text, "foo20") && strstr(log.text, "too many"));
    ptx_log_free(&log);
}

TEST(a_syntax_error_goes_before_what_is_not_supported)
{
    static const struct wrong wrong = {HEAD ".entry k() {\nmma.sync.foo;\nfoo;\n}", PTX_SYNTAX,
                                       "line 6;"};

    refuse(wrong.text, strlen(wrong.text), &wrong);
}

/* Every prefix of a text is refused or read, but nothing is touched behind it. */
TEST(texts_that_end_anywhere)
{
    static const char text[] =
        HEAD ".global .u64 x[2] = {generic(x)+4, 0xFF};\n.func (.param .b32 r) f(.param .b32 a);\n"
             ".entry k(.param .u64 p) .maxntid 3 { .reg .b32 %r<5>; .reg .pred p; { .param .b32 q; "
             "call (q), f, (q); } @!p ld.global.v2.b32 {%r1, %r2}, [x+8]; /* c */ \"s\" }\n"
             ".section .debug { .b8 1 }";

    for (size_t i = 0; i <= sizeof(text) - 1; i++) {
        struct ptx_log log = {0};
        enum ptx_failure failure;
        char *copy = malloc(i + 1);

        memcpy(copy, text, i);
        ptx_program_free(ptx_parse(copy, i, &log, &failure));
        ptx_log_free(&log);
        free(copy);
    }
    check(true);
}

TEST(nesting_has_an_end)
{
    static char text[1 << 16];
    static const struct wrong scopes = {"scopes", PTX_SYNTAX, "nested deeper"},
                              expression = {"expression", PTX_SYNTAX, "nested too deeply"};
    size_t length = (size_t)sprintf(text, HEAD ".entry k() { ");

    memset(text + length, '{', 5000);
    refuse(text, length + 5000, &scopes);
    length = (size_t)sprintf(text, HEAD ".global .u32 x = ");
    memset(text + length, '(', 5000);
    refuse(text, length + 5000, &expression);
    memset(text + length, '-', 5000);
    refuse(text, length + 5000, &expression);
}

int main(void)
{
    return run_tests();
}
