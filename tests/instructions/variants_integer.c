/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic: plain, extended precision, 24 bit, packed, dot products, bit counts.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const types[] = {"u16", "s16", "u32", "s32", "u64", "s64"};
enum { TYPE_COUNT = 6 };

static const char *bits_of(const char *type)
{
    return type + 1;
}

/* "i32 i32" and the like for so many operands of a type. */
static const char *operands_of(const char *type, int count)
{
    static char text[4][80];
    static int next;
    char *words = text[next = (next + 1) & 3];

    words[0] = 0;
    for (int i = 0; i < count; i++)
        snprintf(words + strlen(words), 80 - strlen(words), "i%s ", bits_of(type));
    return words;
}

static void plain(void)
{
    static const char *const two[] = {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"};
    static const char *const three[] = {"mad.lo", "mad.hi", "sad"};

    for (int t = 0; t < TYPE_COUNT; t++) {
        char opcode[8];
        for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
            snprintf(opcode, sizeof opcode, "%.3s", two[i]);
            variant_one(opcode, bits_of(types[t]), operands_of(types[t], 2), "%s.%s", two[i],
                        types[t]);
        }
        for (size_t i = 0; i < sizeof three / sizeof *three; i++) {
            snprintf(opcode, sizeof opcode, "%.3s", three[i]);
            variant_one(opcode, bits_of(types[t]), operands_of(types[t], 3), "%s.%s", three[i],
                        types[t]);
        }
        if (types[t][0] == 's') {
            variant_one("abs", bits_of(types[t]), operands_of(types[t], 1), "abs.%s", types[t]);
            variant_one("neg", bits_of(types[t]), operands_of(types[t], 1), "neg.%s", types[t]);
        }
        if (t < 4) {
            const char *wide = t < 2 ? "32" : "64", *third = t < 2 ? "i16 i16 i32" : "i32 i32 i64";
            variant_one("mul", wide, operands_of(types[t], 2), "mul.wide.%s", types[t]);
            variant_one("mad", wide, third, "mad.wide.%s", types[t]);
        }
    }
    variant_one("add", "32", "i32 i32", "add.sat.s32");
    variant_one("sub", "32", "i32 i32", "sub.sat.s32");
    variant_one("mad", "32", "i32 i32 i32", "mad.hi.sat.s32");
    variant_one("min", "32", "i32 i32", "min.relu.s32");
    variant_one("max", "32", "i32 i32", "max.relu.s32");
    for (int sign = 0; sign < 2; sign++) {
        const char *type = sign ? "s32" : "u32", *packed = sign ? "s16x2" : "u16x2";
        variant_one("mul24", "32", "i32 i32", "mul24.lo.%s", type);
        variant_one("mul24", "32", "i32 i32", "mul24.hi.%s", type);
        variant_one("mad24", "32", "i32 i32 i32", "mad24.lo.%s", type);
        variant_one("mad24", "32", "i32 i32 i32", "mad24.hi.%s", type);
        variant_one("add", "32", "i16x2 i16x2", "add.%s", packed);
        variant_one("min", "32", "i16x2 i16x2", "min.%s", packed);
        variant_one("max", "32", "i16x2 i16x2", "max.%s", packed);
    }
    variant_one("mad24", "32", "i32 i32 i32", "mad24.hi.sat.s32");
    variant_one("min", "32", "i16x2 i16x2", "min.relu.s16x2");
    variant_one("max", "32", "i16x2 i16x2", "max.relu.s16x2");
}

static void dot_products(void)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const char *x = a ? "s32" : "u32", *y = b ? "s32" : "u32";
            variant_one("dp4a", "32", "i32 i32 i32", "dp4a.%s.%s", x, y);
            variant_one("dp2a", "32", "i32 i32 i32", "dp2a.lo.%s.%s", x, y);
            variant_one("dp2a", "32", "i32 i32 i32", "dp2a.hi.%s.%s", x, y);
        }
}

static void bits(void)
{
    static const char *const find[] = {"u32", "s32", "u64", "s64"};

    for (int wide = 0; wide < 2; wide++) {
        const char *type = wide ? "b64" : "b32", *operand = wide ? "i64" : "i32";
        variant_one("popc", "32", operand, "popc.%s", type);
        variant_one("clz", "32", operand, "clz.%s", type);
        variant_one("brev", wide ? "64" : "32", operand, "brev.%s", type);
    }
    for (int i = 0; i < 4; i++) {
        const char *operand = i < 2 ? "i32" : "i64";
        variant_one("bfind", "32", operand, "bfind.%s", find[i]);
        variant_one("bfind", "32", operand, "bfind.shiftamt.%s", find[i]);
        variant_one("bfe", i < 2 ? "32" : "64", i < 2 ? "i32 shift shift" : "i64 shift shift",
                    "bfe.%s", find[i]);
    }
    variant_one("bfi", "32", "i32 i32 shift shift", "bfi.b32");
    variant_one("bfi", "64", "i64 i64 shift shift", "bfi.b64");
    for (int wrap = 0; wrap < 2; wrap++) {
        const char *mode = wrap ? "wrap" : "clamp";
        variant_one("szext", "32", "i32 shift", "szext.%s.s32", mode);
        variant_one("szext", "32", "i32 shift", "szext.%s.u32", mode);
        variant_one("bmsk", "32", "shift shift", "bmsk.%s.b32", mode);
    }
    /* The third operand is an offset of either sign. */
    variant_add("fns", "fns.b32", "32", "i32 shift shift",
                "and.b32 %%r0, %%b, 31; and.b32 %%r1, %%c, 63; sub.s32 %%r1, %%r1, 20;\n"
                "fns.b32 %%d0, %%a, %%r0, %%r1;");
}

/* Carries go from instruction to instruction. */
static void carries(void)
{
    static const char *const carried[] = {"u32", "s32", "u64", "s64"};

    for (int i = 0; i < 4; i++) {
        const char *t = carried[i];
        const char *three = i < 2 ? "32 32 32" : "64 64 64";
        const char *four = i < 2 ? "32 32 32 32" : "64 64 64 64";
        const char *operands = i < 2 ? "i32 i32 i32 i32" : "i64 i64 i64 i64";
        char name[60];

        snprintf(name, sizeof name, "add.cc-addc.cc-addc.%s", t);
        variant_add("addc", name, three, operands,
                    "add.cc.%s %%d0, %%a, %%b; addc.cc.%s %%d1, %%b, %%c; addc.%s %%d2, %%c, %%e;",
                    t, t, t);
        snprintf(name, sizeof name, "sub.cc-subc.cc-subc.%s", t);
        variant_add("subc", name, three, operands,
                    "sub.cc.%s %%d0, %%a, %%b; subc.cc.%s %%d1, %%b, %%c; subc.%s %%d2, %%c, %%e;",
                    t, t, t);
        snprintf(name, sizeof name, "mad.lo.cc-madc.hi.cc-addc.%s", t);
        variant_add("madc", name, three, operands,
                    "mad.lo.cc.%s %%d0, %%a, %%b, %%c; madc.hi.cc.%s %%d1, %%a, %%b, %%e;\n"
                    "addc.%s %%d2, %%c, %%e;",
                    t, t, t);
        snprintf(name, sizeof name, "mad.hi.cc-madc.lo.cc-madc.hi-madc.lo.%s", t);
        variant_add("madc", name, four, operands,
                    "mad.hi.cc.%s %%d0, %%a, %%b, %%c; madc.lo.cc.%s %%d1, %%c, %%e, %%b;\n"
                    "madc.hi.%s %%d2, %%a, %%c, %%e; madc.lo.%s %%d3, %%a, %%e, %%b;",
                    t, t, t, t);
        /* A carry made before a branch and used behind it. */
        snprintf(name, sizeof name, "add.cc-kept-addc.%s", t);
        variant_add(
            "addc", name, three, operands,
            "add.cc.%s %%d0, %%a, %%b; mul.lo.%s %%d2, %%a, %%c; addc.cc.%s %%d1, %%d2, %%e;\n"
            "addc.%s %%d2, %%d2, 0;",
            t, t, t, t);
    }
    variant_add("addc", "addc.128", "64 64", "i64 i64 i64 i64",
                "add.cc.u64 %%d0, %%a, %%c; addc.u64 %%d1, %%b, %%e;");
    variant_add("madc", "mul.128", "64 64", "i64 i64 i64 i64",
                "mul.lo.u64 %%l0, %%a, %%c; mul.hi.u64 %%l1, %%a, %%c; mov.b64 %%d0, %%l0;\n"
                "mad.lo.cc.u64 %%l1, %%a, %%e, %%l1; madc.lo.u64 %%d1, %%b, %%c, %%l1;");
}

void variants_integer(void)
{
    plain();
    dot_products();
    bits();
    carries();
}
