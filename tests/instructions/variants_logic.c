/* SPDX-License-Identifier: MIT */
/*
 * Bits: logic, three-operand tables, shifts, permutes, moves that pack and unpack, selections.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static void logic(void)
{
    static const char *const widths[] = {"16", "32", "64"};

    for (int i = 0; i < 3; i++) {
        char one[8], two[16], shifted[16];
        snprintf(one, sizeof one, "i%s", widths[i]);
        snprintf(two, sizeof two, "i%s i%s", widths[i], widths[i]);
        snprintf(shifted, sizeof shifted, "i%s shift", widths[i]);
        variant_one("and", widths[i], two, "and.b%s", widths[i]);
        variant_one("or", widths[i], two, "or.b%s", widths[i]);
        variant_one("xor", widths[i], two, "xor.b%s", widths[i]);
        variant_one("not", widths[i], one, "not.b%s", widths[i]);
        variant_one("cnot", widths[i], one, "cnot.b%s", widths[i]);
        variant_one("shl", widths[i], shifted, "shl.b%s", widths[i]);
        variant_one("shr", widths[i], shifted, "shr.b%s", widths[i]);
        variant_one("shr", widths[i], shifted, "shr.u%s", widths[i]);
        variant_one("shr", widths[i], shifted, "shr.s%s", widths[i]);
    }
    variant_add("and", "logic.pred", "32", "bool bool",
                "setp.ne.u32 %%p0, %%a, 0; setp.ne.u32 %%p1, %%b, 0; and.pred %%p2, %%p0, %%p1;\n"
                "or.pred %%p3, %%p0, %%p1; xor.pred %%p4, %%p0, %%p1; not.pred %%p5, %%p0;\n"
                "selp.u32 %%r0, 1, 0, %%p2; selp.u32 %%r1, 2, 0, %%p3; selp.u32 %%r2, 4, 0, %%p4;\n"
                "selp.u32 %%r3, 8, 0, %%p5; mov.pred %%p6, %%p1; selp.u32 %%r4, 16, 0, %%p6;\n"
                "or.b32 %%d0, %%r0, %%r1; or.b32 %%d0, %%d0, %%r2; or.b32 %%d0, %%d0, %%r3;\n"
                "or.b32 %%d0, %%d0, %%r4;")
        ->lanes = 128;
    for (int left = 0; left < 2; left++)
        for (int wrap = 0; wrap < 2; wrap++)
            variant_one("shf", "32", "i32 i32 shift", "shf.%c.%s.b32", left ? 'l' : 'r',
                        wrap ? "wrap" : "clamp");
    variant_one("prmt", "32", "i32 i32 i32", "prmt.b32");
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (int i = 0; i < 6; i++)
        variant_one("prmt", "32", "i32 i32 i32", "prmt.b32.%s", modes[i]);
}

/* Sixteen of the 256 tables a kernel. */
static void tables(void)
{
    for (int first = 0; first < 256; first += 16) {
        char name[40], text[2000] = "";
        for (int i = 0; i < 16; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "lop3.b32 %%d%d, %%a, %%b, %%c, %d;\n", i, first + i);
        snprintf(name, sizeof name, "lop3.b32-%d", first);
        variant_add("lop3", name, "32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32", "i32 i32 i32",
                    "%s", text)
            ->lanes = 128;
    }
    for (int i = 0; i < 2; i++)
        variant_add("lop3", i ? "lop3.and.b32" : "lop3.or.b32", "32 32", "i32 i32 i32 bool",
                    "setp.ne.u32 %%p0, %%e, 0; lop3.%s.b32 %%d0|%%p1, %%a, %%b, %%c, 0x1c, %%p0;\n"
                    "selp.u32 %%d1, 1, 0, %%p1;",
                    i ? "and" : "or");
}

static void moves(void)
{
    variant_add("mov", "mov.b32-unpack-b16", "16 16", "i32", "mov.b32 {%%d0, %%d1}, %%a;");
    variant_add("mov", "mov.b32-pack-b16", "32", "i16 i16", "mov.b32 %%d0, {%%a, %%b};");
    variant_add("mov", "mov.b64-unpack-b32", "32 32", "i64", "mov.b64 {%%d0, %%d1}, %%a;");
    variant_add("mov", "mov.b64-pack-b32", "64", "i32 i32", "mov.b64 %%d0, {%%a, %%b};");
    variant_add("mov", "mov.b64-unpack-b16", "16 16 16 16", "i64",
                "mov.b64 {%%d0, %%d1, %%d2, %%d3}, %%a;");
    variant_add("mov", "mov.b64-pack-b16", "64", "i16 i16 i16 i16",
                "mov.b64 %%d0, {%%a, %%b, %%c, %%e};");
    variant_add("mov", "mov.b32-unpack-half", "16", "i32", "mov.b32 {_, %%d0}, %%a;");
    variant_add("mov", "mov.b32-unpack-b8", "32 32 32 32", "i32",
                ".reg .b8 %%y<4>; mov.b32 {%%y0, %%y1, %%y2, %%y3}, %%a; cvt.u32.u8 %%d0, %%y0;\n"
                "cvt.s32.s8 %%d1, %%y1; cvt.u32.u8 %%d2, %%y2; cvt.s32.s8 %%d3, %%y3;");
    variant_add("mov", "mov.b16-pack-b8", "16", "i8 i8",
                ".reg .b8 %%y<2>; cvt.u8.u16 %%y0, %%a; cvt.u8.u16 %%y1, %%b;\n"
                "mov.b16 %%d0, {%%y0, %%y1};");
    variant_add("mov", "mov.b128", "64 64", "i64 i64",
                ".reg .b128 %%q; mov.b128 %%q, {%%a, %%b}; mov.b128 {%%d1, %%d0}, %%q;");
    variant_add("mov", "mov-types", "16 32 32 64 64 32", "i16 i32 i64",
                "mov.u16 %%d0, %%a; mov.s32 %%d1, %%b; mov.f32 %%d2, %%b; mov.f64 %%d3, %%c;\n"
                "mov.u64 %%d4, 0x123456789; mov.f32 %%d5, 0f3FC00000;");
    variant_add("mov", "mov-constants", "32 32 32 64 64 32 32 64", "i32",
                "mov.u32 %%d0, 0xffffffffU; mov.s32 %%d1, -5; mov.u32 %%d2, (7 + 3 * 4) << 2 | 1;\n"
                "mov.f64 %%d3, 0d3FF8000000000001; mov.f64 %%d4, 2.5e-3; mov.f32 %%d5, 1.1;\n"
                "mov.u32 %%d6, 017 + 0b101; mov.s64 %%d7, -1 >> 3;")
        ->lanes = 128;
}

static void selections(void)
{
    static const char *const types[] = {"b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64"};

    for (int i = 0; i < 8; i++) {
        char operands[40];
        const char *bits = types[i] + 1;
        snprintf(operands, sizeof operands, "i%s i%s bool", bits, bits);
        char name[40];
        snprintf(name, sizeof name, "selp.%s", types[i]);
        variant_add("selp", name, bits, operands,
                    "setp.ne.u32 %%p0, %%c, 0; selp.%s %%d0, %%a, %%b, %%p0;", types[i])
            ->lanes = 128;
        snprintf(operands, sizeof operands, "i%s i%s i32", bits, bits);
        variant_one("slct", bits, operands, "slct.%s.s32", types[i])->lanes = 128;
        snprintf(operands, sizeof operands, "i%s i%s f32", bits, bits);
        variant_one("slct", bits, operands, "slct.%s.f32", types[i])->lanes = 256;
        variant_one("slct", bits, operands, "slct.ftz.%s.f32", types[i])->lanes = 256;
    }
}

void variants_logic(void)
{
    logic();
    tables();
    moves();
    selections();
}
