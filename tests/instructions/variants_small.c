/* SPDX-License-Identifier: MIT */
/* Results just below the smallest normal number, which .ftz flushes or not, by the exact value or
 * by the rounded one. Random operands seldom meet them, so kernels make their own: products of a
 * number and nearly its reciprocal, and sums that leave a little less than a normal number. */
#include "variants.h"
#include <stdio.h>

/* %r2: a hash of the thread's index. */
static const char hash[] =
    "mul.lo.u32 %r2, %i, 0x9E3779B1; shr.u32 %r3, %r2, 15; xor.b32 %r2, %r2, %r3;\n"
    "mul.lo.u32 %r2, %r2, 0x85EBCA77; shr.u32 %r3, %r2, 13; xor.b32 %r2, %r2, %r3;\n"
    "mul.lo.u32 %r2, %r2, 0xC2B2AE3D; shr.u32 %r3, %r2, 16; xor.b32 %r2, %r2, %r3;\n";

/* %r0 and %r1: of random signs, with a product of 2^-126, or a few units less or more. %r8: either
 * zero. */
static const char factors[] =
    "and.b32 %r0, %r2, 0x7fffff; or.b32 %r0, %r0, 0x3f800000; rcp.rn.f32 %r1, %r0;\n"
    "bfe.u32 %r3, %r2, 23, 2; sub.u32 %r1, %r1, %r3; add.u32 %r1, %r1, 1;\n"
    "sub.u32 %r0, %r0, 0x1f800000; sub.u32 %r1, %r1, 0x1f800000; and.b32 %r3, %r2, 0x80000000;\n"
    "or.b32 %r0, %r0, %r3; shl.b32 %r3, %r2, 6; and.b32 %r3, %r3, 0x80000000; or.b32 %r1, %r1, "
    "%r3;\n"
    "shl.b32 %r8, %r2, 5; and.b32 %r8, %r8, 0x80000000;\n";

/* %r4: a number from 2^-126 on; %r5 and %r6: a product a little larger than what %r4 has beyond
 * 2^-126, with the other sign; %r7: the product's largest part alone. */
static const char terms[] =
    "and.b32 %r0, %r2, 0x7fffff; or.b32 %r0, %r0, 0x3f800000; bfe.u32 %r3, %r2, 23, 2;\n"
    "add.u32 %r4, %r3, 0x00800000; bfe.u32 %r9, %r2, 25, 4; cvt.rn.f32.u32 %r9, %r9;\n"
    "sub.u32 %r5, %r0, 0x1e000000; mul.rn.f32 %r6, %r9, 0fA1000000; neg.f32 %r6, %r6;\n"
    "and.b32 %r3, %r2, 0x80000000; xor.b32 %r4, %r4, %r3; xor.b32 %r6, %r6, %r3;\n"
    "mov.b32 %r7, 0x00800001; xor.b32 %r7, %r7, %r3; xor.b32 %r7, %r7, 0x80000000;\n";

static const char *const roundings[] = {"rn", "rz", "rm", "rp"};

/* `rest` is a word for the name. */
static void small(const char *opcode, const char *operands, const char *make, const char *rest,
                  const char *instruction)
{
    char name[80];

    snprintf(name, sizeof name, "%s-small%s", instruction, rest);
    variant_add(opcode, name, "32", "", "%s%s%s %%d0, %s;", hash, make, instruction, operands)
        ->lanes = 512;
}

static void singles(void)
{
    static const char *const saturations[] = {"", ".sat"};
    char text[40];

    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 2; s++) {
            snprintf(text, sizeof text, "mul.%s.ftz%s.f32", roundings[r], saturations[s]);
            small("mul", "%r0, %r1", factors, "", text);
            snprintf(text, sizeof text, "fma.%s.ftz%s.f32", roundings[r], saturations[s]);
            small("fma", "%r0, %r1, %r8", factors, "", text);
            snprintf(text, sizeof text, "mad.%s.ftz%s.f32", roundings[r], saturations[s]);
            small("mad", "%r5, %r6, %r4", terms, "", text);
            snprintf(text, sizeof text, "add.%s.ftz%s.f32", roundings[r], saturations[s]);
            small("add", "%r4, %r7", terms, "", text);
            snprintf(text, sizeof text, "sub.%s.ftz%s.f32", roundings[r], saturations[s]);
            small("sub", "%r4, %r7", terms, "", text);
        }
    small("mul", "%r0, %r1", factors, "", "mul.ftz.f32");
    small("mul", "%r0, %r1", factors, "", "mul.ftz.sat.f32");
}

/* Halves: all products near 2^-14 of two numbers from 1/128 on, in both halves of a word. */
static void halves(void)
{
    static const char make[] =
        "and.b32 %r0, %r2, 0x83ff83ff; add.u32 %r0, %r0, 0x20002000; and.b32 %r4, %r2, 0x3ff;\n"
        "add.u32 %r4, %r4, 0x3c00; cvt.u16.u32 %h0, %r4; cvt.f32.f16 %r4, %h0; rcp.rn.f32 %r4, "
        "%r4;\n"
        "cvt.rn.f16.f32 %h0, %r4; cvt.u32.u16 %r4, %h0; bfe.u32 %r3, %r2, 26, 2; add.u32 %r4, %r4, "
        "%r3; sub.u32 %r4, %r4, 0x1c02;\n"
        "shl.b32 %r1, %r4, 16; or.b32 %r1, %r1, %r4; shr.u32 %r3, %r2, 16; and.b32 %r8, %r3, "
        "0x8000; shr.u32 %r3, %r2, 5; and.b32 %r3, %r3, 0x00030003; add.u32 %r9, %r3, "
        "0x04000400;\n"
        "and.b32 %r3, %r2, 0x80008000; xor.b32 %r3, %r3, 0x80008000; xor.b32 %r9, %r9, %r3;\n";

    small("mul", "%r0, %r1", make, "", "mul.rn.ftz.f16x2");
    small("mul", "%r0, %r1", make, "", "mul.rn.ftz.sat.f16x2");
    small("fma", "%r0, %r1, %r8", make, "", "fma.rn.ftz.f16x2");
    small("fma", "%r0, %r1, %r8", make, "", "fma.rn.ftz.sat.f16x2");
    small("fma", "%r0, %r1, %r8", make, "", "fma.rn.ftz.relu.f16x2");
    small("fma", "%r0, %r1, %r9", make, "-sum", "fma.rn.ftz.f16x2");
    small("add", "%r0, %r9", make, "", "add.rn.ftz.f16x2");
    small("sub", "%r9, %r8", make, "", "sub.rn.ftz.f16x2");
}

void variants_small(void)
{
    singles();
    halves();
}
