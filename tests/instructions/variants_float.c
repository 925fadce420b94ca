/* SPDX-License-Identifier: MIT */
/*
 * IEEE arithmetic of 16, 32 and 64 bit floats: bit exact, with every rounding and modifier.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};

static void single(void)
{
    static const char *const two[] = {"add", "sub", "mul"};

    for (int ftz = 0; ftz < 2; ftz++) {
        const char *f = ftz ? ".ftz" : "";
        for (int sat = 0; sat < 2; sat++) {
            const char *s = sat ? ".sat" : "";
            for (int i = 0; i < 3; i++) {
                variant_one(two[i], "32", "f32 f32", "%s%s%s.f32", two[i], f, s);
                for (int r = 0; r < 4; r++)
                    variant_one(two[i], "32", "f32 f32", "%s%s%s%s.f32", two[i], roundings[r], f,
                                s);
            }
            for (int r = 0; r < 4; r++) {
                variant_one("fma", "32", "f32 f32 f32", "fma%s%s%s.f32", roundings[r], f, s);
                variant_one("mad", "32", "f32 f32 f32", "mad%s%s%s.f32", roundings[r], f, s);
            }
        }
        for (int r = 0; r < 4; r++) {
            variant_one("div", "32", "f32 f32", "div%s%s.f32", roundings[r], f);
            variant_one("rcp", "32", "f32", "rcp%s%s.f32", roundings[r], f);
            variant_one("sqrt", "32", "f32", "sqrt%s%s.f32", roundings[r], f);
        }
        variant_one("abs", "32", "f32", "abs%s.f32", f);
        variant_one("neg", "32", "f32", "neg%s.f32", f);
        for (int m = 0; m < 2; m++)
            for (int nan = 0; nan < 2; nan++)
                for (int x = 0; x < 2; x++)
                    variant_one(m ? "max" : "min", "32", "f32 f32", "%s%s%s%s.f32",
                                m ? "max" : "min", f, nan ? ".NaN" : "", x ? ".xorsign.abs" : "");
    }
    variant_one("copysign", "32", "f32 f32", "copysign.f32");
    /* What must not become one operation. */
    variant_add("fma", "mul-then-add.f32", "32 32", "f32 f32 f32",
                "mul.rn.f32 %%d1, %%a, %%b; add.rn.f32 %%d0, %%d1, %%c;");
    variant_add("fma", "mul-then-sub.rz.f32", "32", "f32 f32 f32",
                "mul.rz.f32 %%d0, %%a, %%b; sub.rz.f32 %%d0, %%d0, %%c;");
}

static void twice(void)
{
    static const char *const two[] = {"add", "sub", "mul", "div"};

    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < 4; i++)
            variant_one(two[i], "64", "f64 f64", "%s%s.f64", two[i], roundings[r]);
        variant_one("fma", "64", "f64 f64 f64", "fma%s.f64", roundings[r]);
        variant_one("mad", "64", "f64 f64 f64", "mad%s.f64", roundings[r]);
        variant_one("rcp", "64", "f64", "rcp%s.f64", roundings[r]);
        variant_one("sqrt", "64", "f64", "sqrt%s.f64", roundings[r]);
    }
    for (int i = 0; i < 3; i++)
        variant_one(two[i], "64", "f64 f64", "%s.f64", two[i]);
    variant_one("abs", "64", "f64", "abs.f64");
    variant_one("neg", "64", "f64", "neg.f64");
    variant_one("min", "64", "f64 f64", "min.f64");
    variant_one("max", "64", "f64 f64", "max.f64");
    variant_one("copysign", "64", "f64 f64", "copysign.f64");
}

static void tests(void)
{
    static const char *const properties[] = {"finite",     "infinite", "number",
                                             "notanumber", "normal",   "subnormal"};

    for (int i = 0; i < 6; i++)
        for (int wide = 0; wide < 2; wide++) {
            char name[40];
            const char *type = wide ? "f64" : "f32";
            snprintf(name, sizeof name, "testp.%s.%s", properties[i], type);
            variant_add("testp", name, "8", type,
                        "testp.%s.%s %%p0, %%a; selp.u16 %%d0, 1, 0, %%p0;", properties[i], type);
        }
}

/* What needs a newer target than the module's is refused. */
static void newer(void)
{
    variant_one("add", "64", "i64 i64", "add.rn.f32x2");
    variant_one("mul", "64", "i64 i64", "mul.rn.f32x2");
    variant_one("fma", "64", "i64 i64 i64", "fma.rn.f32x2");
    variant_one("add", "32", "f16 f32", "add.rn.f32.f16");
    variant_one("fma", "32", "f16 f16 f32", "fma.rn.f32.f16");
    variant_add("min", "min.f32-three", "32", "f32 f32 f32", "min.f32 %%d0, %%a, %%b, %%c;");
    variant_add("max", "max.NaN.f32-three", "32", "f32 f32 f32",
                "max.NaN.f32 %%d0, %%a, %%b, %%c;");
}

void variants_float(void)
{
    single();
    twice();
    tests();
    newer();
}

static void half_of(const char *type, const char *bits, int brain)
{
    static const char *const two[] = {"add", "sub", "mul"};
    char operands[40];
    const char *one = type;

    snprintf(operands, sizeof operands, "%s %s", type, type);
    for (int ftz = 0; ftz < (brain ? 1 : 2); ftz++) {
        const char *f = ftz ? ".ftz" : "";
        for (int i = 0; i < 3; i++) {
            if (!brain) {
                variant_one(two[i], bits, operands, "%s%s.%s", two[i], f, type);
                variant_one(two[i], bits, operands, "%s%s.sat.%s", two[i], f, type);
                variant_one(two[i], bits, operands, "%s.rn%s.sat.%s", two[i], f, type);
            }
            variant_one(two[i], bits, operands, "%s.rn%s.%s", two[i], f, type);
        }
        variant_one("abs", bits, one, "abs%s.%s", f, type);
        variant_one("neg", bits, one, "neg%s.%s", f, type);
        for (int m = 0; m < 2; m++)
            for (int nan = 0; nan < 2; nan++)
                for (int x = 0; x < 2; x++)
                    variant_one(m ? "max" : "min", bits, operands, "%s%s%s%s.%s", m ? "max" : "min",
                                f, nan ? ".NaN" : "", x ? ".xorsign.abs" : "", type);
        char three[60];
        snprintf(three, sizeof three, "%s %s %s", type, type, type);
        static const char *const ends[] = {"", ".sat", ".relu", ".oob", ".oob.relu"};
        for (int i = 0; i < 5; i++)
            variant_one("fma", bits, three, "fma.rn%s%s.%s", f, ends[i], type);
    }
    for (int i = 0; i < 3; i++)
        variant_one(two[i], bits, operands, "%s.rz.%s", two[i], type);
}

void variants_half(void)
{
    half_of("f16", "16", 0);
    half_of("f16x2", "32", 0);
    half_of("bf16", "16", 1);
    half_of("bf16x2", "32", 1);
}
