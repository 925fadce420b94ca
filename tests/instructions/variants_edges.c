/* SPDX-License-Identifier: MIT */
/* Values at the edge of the normal numbers, which random operands seldom meet: their exact value
 * lies just below the smallest normal number and is rounded up to it. Also the moves of small
 * matrices between registers and shared memory. */
#include "variants.h"
#include <stdio.h>

/* %r0: a number between one and two; %r1: its reciprocal, a few units more or less. */
static const char near_one[] =
    "mul.lo.u32 %r2, %i, 0x9E3779B1; shr.u32 %r3, %r2, 15; xor.b32 %r2, %r2, %r3;\n"
    "mul.lo.u32 %r2, %r2, 0x85EBCA77; shr.u32 %r3, %r2, 13; xor.b32 %r2, %r2, %r3;\n"
    "and.b32 %r0, %r2, 0x7fffff; or.b32 %r0, %r0, 0x3f800000; rcp.rn.f32 %r1, %r0;\n"
    "shr.u32 %r3, %r2, 24; and.b32 %r4, %r3, 3; sub.u32 %r1, %r1, %r4; add.u32 %r1, %r1, 1;\n"
    "shr.u32 %r4, %r3, 2; and.b32 %r4, %r4, 1; shl.b32 %r4, %r4, 31; or.b32 %r0, %r0, %r4;\n";

static void conversions(void)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    char name[80];

    for (int r = 0; r < 4; r++) {
        snprintf(name, sizeof name, "cvt.%s.ftz.f32.f64-near", roundings[r]);
        variant_add("cvt", name, "32 32", "",
                    "%smov.b64 %%l0, 0x3810000000000000; and.b32 %%r2, %%r2, 0x3fffffff; shr.u32 "
                    "%%r3, %%r2, 4; cvt.u64.u32 %%l1, %%r3; sub.u64 %%l0, %%l0, %%l1;\n"
                    "and.b32 %%r2, %%r0, 0x80000000; cvt.u64.u32 %%l1, %%r2; shl.b64 %%l1, %%l1, "
                    "32; or.b64 %%l0, %%l0, %%l1; cvt.%s.ftz.f32.f64 %%d0, %%l0;\n"
                    "cvt.%s.f32.f64 %%d1, %%l0;",
                    near_one, roundings[r], roundings[r])
            ->lanes = 512;
    }
}

static void small_matrices(void)
{
    static const char *const counts[] = {"x1", "x2", "x4"};
    static const char *const lists[] = {"{%r8}", "{%r8,%r9}", "{%r8,%r9,%r10,%r11}"};
    char name[80];

    for (int c = 0; c < 3; c++)
        for (int t = 0; t < 2; t++) {
            const char *trans = t ? ".trans" : "";

            /* Rows lie 48 bytes apart, and each lane's row is another one than its number. */
            snprintf(name, sizeof name, "ldmatrix.sync.aligned.m8n8.%s%s.shared.b16", counts[c],
                     trans);
            variant_add("ldmatrix", name, "32 32 32 32", "i32",
                        ".shared .align 16 .b8 rows[6144]; mov.u32 %%r0, rows; mov.u32 %%r1, "
                        "%%tid.x;\n"
                        "mad.lo.u32 %%r2, %%r1, 48, %%r0; st.shared.b32 [%%r2], %%a; xor.b32 %%r3, "
                        "%%a, %%r1;\n"
                        "st.shared.b32 [%%r2+4], %%r3; mul.lo.u32 %%r3, %%r3, 0x9E3779B1;\n"
                        "st.shared.b32 [%%r2+8], %%r3; not.b32 %%r3, %%r3; st.shared.b32 "
                        "[%%r2+12], %%r3;\n"
                        "xor.b32 %%r1, %%r1, 37; mad.lo.u32 %%r2, %%r1, 48, %%r0; bar.sync 0;\n"
                        "mov.u32 %%r8, 1; mov.u32 %%r9, 2; mov.u32 %%r10, 3; mov.u32 %%r11, 4;\n"
                        "%s %s, [%%r2];\n"
                        "mov.u32 %%d0, %%r8; mov.u32 %%d1, %%r9; mov.u32 %%d2, %%r10; mov.u32 "
                        "%%d3, %%r11;",
                        name, lists[c])
                ->lanes = 128;
            snprintf(name, sizeof name, "stmatrix.sync.aligned.m8n8.%s%s.shared.b16", counts[c],
                     trans);
            variant_add("stmatrix", name, "32 32 32 32", "i32",
                        ".shared .align 16 .b8 rows[2048]; mov.u32 %%r0, rows; mov.u32 %%r1, "
                        "%%tid.x;\n"
                        "shl.b32 %%r2, %%r1, 4; add.u32 %%r2, %%r2, %%r0; st.shared.v4.b32 "
                        "[%%r2], {%%r1,%%r1,%%r1,%%r1}; bar.sync 0;\n"
                        "mov.u32 %%r8, %%a; xor.b32 %%r9, %%a, %%r1; not.b32 %%r10, %%a;\n"
                        "mul.lo.u32 %%r11, %%a, 0x9E3779B1; xor.b32 %%r3, %%r1, 37; shl.b32 %%r3, "
                        "%%r3, 4; add.u32 %%r3, %%r3, %%r0;\n"
                        "%s [%%r3], %s; bar.sync 0;\n"
                        "ld.shared.v4.b32 {%%d0,%%d1,%%d2,%%d3}, [%%r2];",
                        name, lists[c])
                ->lanes = 128;
        }
    variant_one("movmatrix", "32", "i32", "movmatrix.sync.aligned.m8n8.trans.b16")->lanes = 128;
}

void variants_edges(void)
{
    conversions();
    small_matrices();
}

/* Doubles on both sides of the smallest normal float, from one unit of .f64 to two units of a
 * denormal .f32 away. */
void variants_smallest(void)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    char name[80];

    for (int r = 0; r < 4; r++) {
        snprintf(name, sizeof name, "cvt.%s.f32.f64-smallest", roundings[r]);
        variant_add("cvt", name, "32 32 32 32", "",
                    "%sand.b32 %%r3, %%i, 31; shr.u32 %%r3, %%r2, %%r3; cvt.u64.u32 %%l1, %%r3;\n"
                    "shr.u32 %%r4, %%i, 5; and.b32 %%r4, %%r4, 3; setp.ne.u32 %%p0, %%r4, 0;\n"
                    "@!%%p0 neg.s64 %%l1, %%l1; mov.b64 %%l0, 0x3810000000000000;\n"
                    "sub.u64 %%l0, %%l0, %%l1; and.b32 %%r2, %%r0, 0x80000000;\n"
                    "cvt.u64.u32 %%l1, %%r2; shl.b64 %%l1, %%l1, 32; or.b64 %%l0, %%l0, %%l1;\n"
                    "cvt.%s.ftz.f32.f64 %%d0, %%l0; cvt.%s.ftz.sat.f32.f64 %%d1, %%l0;\n"
                    "cvt.%s.f32.f64 %%d2, %%l0; cvt.%s.sat.f32.f64 %%d3, %%l0;",
                    near_one, roundings[r], roundings[r], roundings[r], roundings[r])
            ->lanes = 1024;
    }
}
