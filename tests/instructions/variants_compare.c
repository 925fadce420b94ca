/* SPDX-License-Identifier: MIT */
/*
 * Comparisons: setp and set with every operator, type and combination with a predicate.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const floats[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                     "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const signeds[] = {"eq", "ne", "lt", "le", "gt", "ge"};
static const char *const unsigneds[] = {"eq", "ne", "lo", "ls", "hi", "hs", "lt", "le", "gt", "ge"};

static const struct {
    const char *type, *operand, *ftz;
    const char *const *comparisons;
    int count, packed;
} kinds[] = {{"b16", "i16", "", signeds, 2, 0},         {"b32", "i32", "", signeds, 2, 0},
             {"b64", "i64", "", signeds, 2, 0},         {"u16", "i16", "", unsigneds, 10, 0},
             {"u32", "i32", "", unsigneds, 10, 0},      {"u64", "i64", "", unsigneds, 10, 0},
             {"s16", "i16", "", signeds, 6, 0},         {"s32", "i32", "", signeds, 6, 0},
             {"s64", "i64", "", signeds, 6, 0},         {"f32", "f32", "", floats, 14, 0},
             {"f32", "f32", ".ftz", floats, 14, 0},     {"f64", "f64", "", floats, 14, 0},
             {"f16", "f16", "", floats, 14, 0},         {"f16", "f16", ".ftz", floats, 14, 0},
             {"bf16", "bf16", "", floats, 14, 0},       {"f16x2", "f16x2", "", floats, 14, 1},
             {"f16x2", "f16x2", ".ftz", floats, 14, 1}, {"bf16x2", "bf16x2", "", floats, 14, 1}};

/* Bit by bit: both predicates of the plain form, then of and, or, xor with a predicate and with its
 * complement. */
static void predicates(int kind, const char *comparison)
{
    static const char *const combinations[] = {".and", ".or", ".xor", ".and", ".or", ".xor"};
    const char *t = kinds[kind].type, *f = kinds[kind].ftz;
    char name[60], operands[60], text[4000];
    int length;

    /* Halves have one predicate in the scalar form. */
    const char *pair = strstr(t, "f16") && !kinds[kind].packed ? "" : "|%p2";

    snprintf(name, sizeof name, "setp.%s%s.%s", comparison, f, t);
    snprintf(operands, sizeof operands, "%s %s bool", kinds[kind].operand, kinds[kind].operand);
    length = snprintf(text, sizeof text,
                      "setp.ne.u32 %%p0, %%c, 0; setp.ne.u32 %%p2, 0, 0;\n"
                      "setp.%s%s.%s %%p1%s, %%a, %%b;\n"
                      "selp.u32 %%d0, 1, 0, %%p1; @%%p2 or.b32 %%d0, %%d0, 2;\n",
                      comparison, f, t, pair);
    for (int i = 0; i < 6; i++)
        length += snprintf(text + length, sizeof text - length,
                           "setp.%s%s%s.%s %%p1%s, %%a, %%b, %s%%p0;\n"
                           "@%%p1 or.b32 %%d0, %%d0, %d; @%%p2 or.b32 %%d0, %%d0, %d;\n",
                           comparison, combinations[i], f, t, pair, i < 3 ? "" : "!", 4 << 2 * i,
                           8 << 2 * i);
    variant_add("setp", name, "32", operands, "%s", text);
}

static void numbers(int kind, const char *comparison)
{
    const char *t = kinds[kind].type, *f = kinds[kind].ftz;
    char name[60], operands[60];

    snprintf(name, sizeof name, "set.%s%s.%s", comparison, f, t);
    snprintf(operands, sizeof operands, "%s %s bool", kinds[kind].operand, kinds[kind].operand);
    if (kinds[kind].packed || strstr(t, "f16")) {
        /* A result of the operand's own type. */
        variant_add("set", name, kinds[kind].packed ? "32 32" : "16 16", operands,
                    "setp.ne.u32 %%p0, %%c, 0; set.%s%s.%s.%s %%d0, %%a, %%b;\n"
                    "set.%s.xor%s.%s.%s %%d1, %%a, %%b, !%%p0;",
                    comparison, f, t, t, comparison, f, t, t)
            ->lanes = 512;
        if (kinds[kind].packed)
            return;
        snprintf(name, sizeof name, "set.%s%s.u32.%s", comparison, f, t);
        variant_add("set", name, "32 32", operands,
                    "setp.ne.u32 %%p0, %%c, 0; set.%s%s.u32.%s %%d0, %%a, %%b;\n"
                    "set.%s.and%s.s32.%s %%d1, %%a, %%b, %%p0;",
                    comparison, f, t, comparison, f, t)
            ->lanes = 512;
        return;
    }
    variant_add(
        "set", name, "32 32 32 32", operands,
        "setp.ne.u32 %%p0, %%c, 0; set.%s%s.u32.%s %%d0, %%a, %%b;\n"
        "set.%s.and%s.s32.%s %%d1, %%a, %%b, %%p0; set.%s.or%s.f32.%s %%d2, %%a, %%b, %%p0;\n"
        "set.%s.xor%s.u32.%s %%d3, %%a, %%b, !%%p0;",
        comparison, f, t, comparison, f, t, comparison, f, t, comparison, f, t)
        ->lanes = 512;
}

void variants_compare(void)
{
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int i = 0; i < kinds[kind].count; i++) {
            predicates((int)kind, kinds[kind].comparisons[i]);
            numbers((int)kind, kinds[kind].comparisons[i]);
        }
}
