/* SPDX-License-Identifier: MIT */
/*
 * Atomics: every operation and type. First each thread on a word of its own: the old value, the new
 * one. Then all threads of a block on one word, where the order cannot be seen in the result.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *op, *type, *operand, *bits;
} operations[] = {{"add", "u32", "i32", "32"},
                  {"add", "s32", "i32", "32"},
                  {"add", "u64", "i64", "64"},
                  {"min", "u32", "i32", "32"},
                  {"min", "s32", "i32", "32"},
                  {"min", "u64", "i64", "64"},
                  {"min", "s64", "i64", "64"},
                  {"max", "u32", "i32", "32"},
                  {"max", "s32", "i32", "32"},
                  {"max", "u64", "i64", "64"},
                  {"max", "s64", "i64", "64"},
                  {"and", "b32", "i32", "32"},
                  {"and", "b64", "i64", "64"},
                  {"or", "b32", "i32", "32"},
                  {"or", "b64", "i64", "64"},
                  {"xor", "b32", "i32", "32"},
                  {"xor", "b64", "i64", "64"},
                  {"inc", "u32", "i32", "32"},
                  {"dec", "u32", "i32", "32"},
                  {"add", "f32", "f32", "32"},
                  {"add", "f64", "f64", "64"},
                  {"add.noftz", "f16", "f16", "16"},
                  {"add.noftz", "f16x2", "f16x2", "32"},
                  {"add.noftz", "bf16", "bf16", "16"},
                  {"add.noftz", "bf16x2", "bf16x2", "32"}};
enum { OPERATION_COUNT = 25 };

static const struct {
    const char *name, *suffix, *set_up, *store;
} spaces[] = {{"global", ".global", "mov.b64 %l3, %s;\n", "st.global"},
              {"generic", "", "cvta.global.u64 %l3, %s;\n", "st"},
              {"shared", ".shared",
               ".shared .align 16 .b8 room[2048]; mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 4;\n"
               "mov.u64 %l3, room; cvt.u64.u32 %l4, %r0; add.u64 %l3, %l3, %l4;\n",
               "st.shared"}};

static void alone(void)
{
    for (int i = 0; i < OPERATION_COUNT; i++)
        for (int space = 0; space < 3; space++) {
            char name[80], two[40], results[20];
            const char *bits = operations[i].bits, *suffix = spaces[space].suffix;

            snprintf(two, sizeof two, "%s %s", operations[i].operand, operations[i].operand);
            snprintf(results, sizeof results, "%s %s", bits, bits);
            snprintf(name, sizeof name, "atom%s.%s.%s-%s", suffix, operations[i].op,
                     operations[i].type, spaces[space].name);
            variant_add(
                "atom", name, results, two,
                "%s%s.b%s [%%l3], %%a; atom%s.%s.%s %%d0, [%%l3], %%b; ld%s.b%s %%d1, [%%l3];",
                spaces[space].set_up, spaces[space].store, bits, suffix, operations[i].op,
                operations[i].type, suffix, bits)
                ->lanes = 384;
            if (space == 1)
                continue;
            snprintf(name, sizeof name, "red%s.%s.%s-%s", suffix, operations[i].op,
                     operations[i].type, spaces[space].name);
            variant_add("red", name, bits, two,
                        "%s%s.b%s [%%l3], %%a; red%s.%s.%s [%%l3], %%b; ld%s.b%s %%d0, [%%l3];",
                        spaces[space].set_up, spaces[space].store, bits, suffix, operations[i].op,
                        operations[i].type, suffix, bits)
                ->lanes = 256;
        }
}

static void exchanges(void)
{
    static const char *const widths[] = {"16", "32", "64"};

    for (int w = 0; w < 3; w++)
        for (int space = 0; space < 3; space++) {
            char name[80], three[40], results[20];
            const char *bits = widths[w], *suffix = spaces[space].suffix;

            snprintf(results, sizeof results, "%s %s", bits, bits);
            /* Half of the comparisons are with what is there. */
            snprintf(three, sizeof three, "i%s i%s i%s bool", bits, bits, bits);
            snprintf(name, sizeof name, "atom%s.cas.b%s-%s", suffix, bits, spaces[space].name);
            variant_add("atom", name, results, three,
                        "%s%s.b%s [%%l3], %%a; setp.ne.u32 %%p0, %%e, 0; @%%p0 mov.b%s %%b, %%a;\n"
                        "atom%s.cas.b%s %%d0, [%%l3], %%b, %%c; ld%s.b%s %%d1, [%%l3];",
                        spaces[space].set_up, spaces[space].store, bits, bits, suffix, bits, suffix,
                        bits)
                ->lanes = 256;
            if (w == 0)
                continue;
            snprintf(three, sizeof three, "i%s i%s", bits, bits);
            snprintf(name, sizeof name, "atom%s.exch.b%s-%s", suffix, bits, spaces[space].name);
            variant_add("atom", name, results, three,
                        "%s%s.b%s [%%l3], %%a; atom%s.exch.b%s %%d0, [%%l3], %%b; ld%s.b%s %%d1, "
                        "[%%l3];",
                        spaces[space].set_up, spaces[space].store, bits, suffix, bits, suffix, bits)
                ->lanes = 256;
        }
    variant_add(
        "atom", "atom.global.exch.b128", "64 64 64 64", "i64 i64",
        ".reg .b128 %%q<2>; st.global.v2.b64 [%%s], {%%a, %%b}; mov.b128 %%q0, {%%b, %%b};\n"
        "atom.global.exch.b128 %%q1, [%%s], %%q0; mov.b128 {%%d0, %%d1}, %%q1;\n"
        "ld.global.v2.b64 {%%d2, %%d3}, [%%s];")
        ->lanes = 128;
    variant_add("atom", "atom.global.cas.b128", "64 64 64 64", "i64 i64 bool",
                ".reg .b128 %%q<3>; st.global.v2.b64 [%%s], {%%a, %%b}; setp.ne.u32 %%p0, %%c, 0;\n"
                "selp.b64 %%l0, %%a, %%b, %%p0; mov.b128 %%q0, {%%l0, %%b}; mov.b128 %%q2, {%%b, "
                "%%a};\n"
                "atom.global.cas.b128 %%q1, [%%s], %%q0, %%q2; mov.b128 {%%d0, %%d1}, %%q1;\n"
                "ld.global.v2.b64 {%%d2, %%d3}, [%%s];")
        ->lanes = 128;
    variant_add("atom", "atom.global.v2.f32.add", "32 32 32 32", "f32 f32",
                "st.global.v2.b32 [%%s], {%%a, %%b};\n"
                "atom.global.v2.f32.add {%%d0, %%d1}, [%%s], {%%b, %%a};\n"
                "ld.global.v2.b32 {%%d2, %%d3}, [%%s];");
    variant_add("atom", "atom.global.v4.f32.add", "32 32 32 32", "f32 f32",
                "st.global.v4.b32 [%%s], {%%a, %%b, %%a, %%b};\n"
                "atom.global.v4.f32.add {%%r0, %%r1, %%r2, %%r3}, [%%s], {%%b, %%a, %%a, %%b};\n"
                "ld.global.v4.b32 {%%d0, %%d1, %%d2, %%d3}, [%%s];")
        ->lanes = 256;
    variant_add("red", "red.global.v2.f32.add", "32 32", "f32 f32",
                "st.global.v2.b32 [%%s], {%%a, %%b}; red.global.v2.f32.add [%%s], {%%b, %%a};\n"
                "ld.global.v2.b32 {%%d0, %%d1}, [%%s];")
        ->lanes = 256;
}

static void scopes(void)
{
    static const char *const orders[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
    static const char *const reaches[] = {"", ".cta", ".gpu", ".sys", ".cluster"};

    for (int o = 0; o < 5; o++)
        for (int r = 0; r < 5; r++) {
            char name[80];
            snprintf(name, sizeof name, "atom%s%s.global.add.u32", orders[o], reaches[r]);
            variant_add("atom", name, "32 32", "i32 i32",
                        "st.global.u32 [%%s], %%a; atom%s%s.global.add.u32 %%d0, [%%s], %%b;\n"
                        "ld.global.u32 %%d1, [%%s];",
                        orders[o], reaches[r])
                ->lanes = 128;
            snprintf(name, sizeof name, "red%s%s.global.max.s32", orders[o], reaches[r]);
            variant_add("red", name, "32", "i32 i32",
                        "st.global.u32 [%%s], %%a; red%s%s.global.max.s32 [%%s], %%b;\n"
                        "ld.global.u32 %%d0, [%%s];",
                        orders[o], reaches[r])
                ->lanes = 128;
        }
}

/* One word for the block: the first thread's cell, which no other uses. */
static void together(void)
{
    for (int i = 0; i < OPERATION_COUNT; i++)
        for (int shared = 0; shared < 2; shared++) {
            const char *bits = operations[i].bits, *type = operations[i].type;
            const char *space = shared ? "shared" : "global";
            char name[80], value[200];

            if (!strcmp(bits, "16"))
                continue;
            /* Floats that are small whole numbers, so that every order gives the same sum. */
            if (!strcmp(type, "f32"))
                snprintf(value, sizeof value,
                         "and.b32 %%r2, %%a, 255; cvt.rn.f32.u32 %%r3, %%r2;\n");
            else if (!strcmp(type, "f64"))
                snprintf(value, sizeof value,
                         "and.b32 %%r2, %%a, 255; cvt.rn.f64.u32 %%l5, %%r2;\n");
            else if (strstr(type, "f16x2"))
                snprintf(value, sizeof value, "mov.u32 %%r3, %s;\n",
                         type[0] == 'b' ? "0x3f803f80" : "0x3c003c00");
            else if (!strcmp(operations[i].op, "inc") || !strcmp(operations[i].op, "dec"))
                snprintf(value, sizeof value,
                         "mov.u32 %%r3, 50;\n"); /* wraps at the same for all */
            else
                snprintf(value, sizeof value,
                         "mov.b32 %%r3, %%a; mul.wide.s32 %%l5, %%a, 0x10001;\n");
            snprintf(name, sizeof name, "atom.%s.%s.%s-together", space, operations[i].op, type);
            variant_add(
                "atom", name, bits, "i32",
                ".shared .align 8 .b64 cell; mov.u32 %%r0, %%tid.x;\n"
                "mul.wide.u32 %%l0, %%r0, 64; sub.u64 %%l3, %%s, %%l0;\n%s%s"
                "mov.u64 %%l1, 0; setp.eq.u32 %%p0, %%r0, 0; @%%p0 st.%s.b64 [%%l3], %%l1;\n"
                "bar.sync 0; atom.%s.%s.%s %%d0, [%%l3], %s;\n"
                "bar.sync 0; ld.volatile.%s.b%s %%d0, [%%l3];",
                shared ? "mov.u64 %l3, cell;\n" : "", value, space, space, operations[i].op, type,
                !strcmp(bits, "64") ? "%l5" : "%r3", space, bits)
                ->lanes = 256;
            struct variant *last = variant_add(
                "red", "", bits, "i32",
                ".shared .align 8 .b64 cell; mov.u32 %%r0, %%tid.x;\n"
                "mul.wide.u32 %%l0, %%r0, 64; sub.u64 %%l3, %%s, %%l0;\n%s%s"
                "mov.u64 %%l1, 0; setp.eq.u32 %%p0, %%r0, 0; @%%p0 st.%s.b64 [%%l3], %%l1;\n"
                "bar.sync 0; red.%s.%s.%s [%%l3], %s;\n"
                "bar.sync 0; ld.volatile.%s.b%s %%d0, [%%l3];",
                shared ? "mov.u64 %l3, cell;\n" : "", value, space, space, operations[i].op, type,
                !strcmp(bits, "64") ? "%l5" : "%r3", space, bits);
            snprintf(name, sizeof name, "red.%s.%s.%s-together", space, operations[i].op, type);
            last->name = strdup(name);
            last->lanes = 256;
        }
}

void variants_atomic(void)
{
    alone();
    exchanges();
    scopes();
    together();
}
