/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of every type and vector width in every space, address conversions. A thread
 * writes operands as bytes into memory of its own and reads them back another way.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32",
                                    "u32", "s32", "f32", "b64", "u64", "s64", "f64"};
enum { TYPE_COUNT = 14 };

static int bits_of(const char *type)
{
    int bits = 0;

    sscanf(type + 1, "%d", &bits);
    return bits;
}

/* Memory of a space: where it begins in %l3, 32 bytes for the thread, and how it is called. */
static const struct {
    const char *name, *suffix, *set_up;
} spaces[] = {
    {"global", ".global", "mov.b64 %l3, %s;\n"},
    {"generic", "", "cvta.global.u64 %l3, %s;\n"},
    {"shared", ".shared",
     ".shared .align 16 .b8 room[4096]; mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 5; mov.u64 %l3, "
     "room;\n"
     "cvt.u64.u32 %l4, %r0; add.u64 %l3, %l3, %l4;\n"},
    {"shared-generic", "",
     ".shared .align 16 .b8 room[4096]; mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 5; mov.u64 %l3, "
     "room;\n"
     "cvt.u64.u32 %l4, %r0; add.u64 %l3, %l3, %l4; cvta.shared.u64 %l3, %l3;\n"},
    {"local", ".local", ".local .align 16 .b8 room[32]; mov.u64 %l3, room;\n"},
    {"local-generic", "",
     ".local .align 16 .b8 room[32]; mov.u64 %l3, room; cvta.local.u64 %l3, %l3;\n"},
};
enum { SPACE_COUNT = 6 };

/* Registers of the results, as a list for a vector. */
static const char *list_of(int count)
{
    return count == 1 ? "%d0" : count == 2 ? "{%d0, %d1}" : "{%d0, %d1, %d2, %d3}";
}

static void loads(void)
{
    for (int space = 0; space < SPACE_COUNT; space++)
        for (int t = 0; t < TYPE_COUNT; t++)
            for (int count = 1; count <= 4; count *= 2) {
                int bits = bits_of(types[t]);
                char name[60], results[40] = "";
                if (bits * count > 128)
                    continue;
                for (int i = 0; i < count; i++)
                    strcat(results, bits == 64 ? "64 " : "32 ");
                /* Of 16 bits and fewer, a wider register shows how they are extended. */
                const char *vector = count == 1 ? "" : count == 2 ? ".v2" : ".v4";
                if (types[t][0] == 'b' && bits < 32 && space)
                    continue;
                snprintf(name, sizeof name, "ld%s%s.%s-%s", spaces[space].suffix, vector, types[t],
                         spaces[space].name);
                variant_add("ld", name, results, "i64 i64",
                            "%sst%s.b64 [%%l3], %%a; st%s.b64 [%%l3+8], %%b;\n"
                            "ld%s%s.%s %s, [%%l3];",
                            spaces[space].set_up, spaces[space].suffix, spaces[space].suffix,
                            spaces[space].suffix, vector, types[t], list_of(count))
                    ->lanes = 128;
            }
}

static void stores(void)
{
    for (int space = 0; space < SPACE_COUNT; space++)
        for (int t = 0; t < TYPE_COUNT; t++)
            for (int count = 1; count <= 4; count *= 2) {
                int bits = bits_of(types[t]);
                char name[60];
                if (bits * count > 128 || types[t][0] == 'b' || (space && types[t][0] == 's'))
                    continue;
                const char *vector = count == 1 ? "" : count == 2 ? ".v2" : ".v4";
                const char *list = bits == 64   ? count == 1 ? "%a" : "{%b, %a}"
                                   : count == 1 ? "%r4"
                                   : count == 2 ? "{%r4, %r5}"
                                                : "{%r4, %r5, %r6, %r7}";
                snprintf(name, sizeof name, "st%s%s.%s-%s", spaces[space].suffix, vector, types[t],
                         spaces[space].name);
                variant_add("st", name, "64 64", "i64 i64",
                            "%smov.u64 %%l5, 0x1122334455667788; st%s.b64 [%%l3], %%l5;\n"
                            "st%s.b64 [%%l3+8], %%l5; mov.b64 {%%r4, %%r5}, %%a;\n"
                            "mov.b64 {%%r6, %%r7}, %%b; st%s%s.%s [%%l3], %s;\n"
                            "ld%s.b64 %%d0, [%%l3]; ld%s.b64 %%d1, [%%l3+8];",
                            spaces[space].set_up, spaces[space].suffix, spaces[space].suffix,
                            spaces[space].suffix, vector, types[t], list, spaces[space].suffix,
                            spaces[space].suffix)
                    ->lanes = 128;
            }
}

/* Orders, scopes and cache hints: what is read is the same. */
static void qualifiers(void)
{
    static const char *const loads_of[] = {".volatile.global",
                                           ".relaxed.cta.global",
                                           ".relaxed.gpu.global",
                                           ".relaxed.sys.global",
                                           ".acquire.cta.global",
                                           ".acquire.gpu.global",
                                           ".acquire.sys.global",
                                           ".weak.global",

                                           ".global.ca",
                                           ".global.cg",
                                           ".global.cs",
                                           ".global.lu",
                                           ".global.cv",
                                           ".global.L1::evict_last",
                                           ".global.L1::no_allocate",
                                           ".global.L2::128B",
                                           ".mmio.relaxed.sys.global",
                                           ".volatile",
                                           ".relaxed.gpu",
                                           ".acquire.gpu"};
    static const char *const stores_of[] = {
        ".volatile.global",    ".relaxed.cta.global", ".relaxed.gpu.global",
        ".release.cta.global", ".release.gpu.global", ".release.sys.global",
        ".weak.global",        ".global.wb",          ".global.cg",
        ".global.cs",          ".global.wt",          ".mmio.relaxed.sys.global",
        ".volatile",           ".release.gpu"};
    char name[80];

    for (size_t i = 0; i < sizeof loads_of / sizeof *loads_of; i++) {
        snprintf(name, sizeof name, "ld%s.u32", loads_of[i]);
        variant_add("ld", name, "32", "i32", "st.global.u32 [%%s], %%a; ld%s.u32 %%d0, [%%s];",
                    loads_of[i])
            ->lanes = 128;
    }
    for (size_t i = 0; i < sizeof stores_of / sizeof *stores_of; i++) {
        snprintf(name, sizeof name, "st%s.u32", stores_of[i]);
        variant_add("st", name, "32", "i32", "st%s.u32 [%%s], %%a; ld.global.u32 %%d0, [%%s];",
                    stores_of[i])
            ->lanes = 128;
    }
    struct variant *constant = variant_add(
        "ld", "ld.const", "32 16 64 32", "i32",
        "and.b32 %%r0, %%a, 12; mov.u64 %%l3, instructions_const; cvt.u64.u32 %%l4, %%r0;\n"
        "add.u64 %%l3, %%l3, %%l4; ld.const.u32 %%d0, [%%l3]; ld.const.s16 %%d1, [%%l3];\n"
        "ld.const.u64 %%d2, [instructions_const+8]; cvta.const.u64 %%l3, %%l3;\n"
        "ld.s8 %%d3, [%%l3+1];");
    constant->prologue =
        ".const .align 16 .b32 instructions_const[4] = {0x80818283, 5, -1, 0x7fff8000};";
    constant->lanes = 128;
    struct variant *initialised = variant_add(
        "ld", "ld.global-initialised", "32 64 32 64", "i32",
        "and.b32 %%r0, %%a, 12; mov.u64 %%l3, instructions_global; cvt.u64.u32 %%l4, %%r0;\n"
        "add.u64 %%l3, %%l3, %%l4; ld.global.u32 %%d0, [%%l3];\n"
        "ld.global.f64 %%d1, [instructions_double]; ld.global.u64 %%l5, "
        "[instructions_pointer];\n"
        "ld.global.u32 %%d2, [%%l5]; ld.global.b64 %%d3, [instructions_double+8];");
    initialised->prologue =
        ".global .align 4 .s32 instructions_global[4] = {1, -2, 0x30};\n"
        ".global .align 8 .f64 instructions_double[2] = {0d3FF8000000000000, 1.5e10};\n"
        ".global .align 8 .u64 instructions_pointer = instructions_global+4;";
    initialised->lanes = 128;
}

static void addresses(void)
{
    static const char text[] =
        ".shared .align 8 .b64 sh; .local .align 8 .b64 lo;\n"
        "mov.u64 %%l0, sh; cvta.shared.u64 %%l1, %%l0; mov.u64 %%l2, lo; cvta.local.u64 %%l3, "
        "%%l2;\n"
        "cvta.global.u64 %%l4, %%s; mov.u32 %%d0, 0;\n"
        "isspacep.shared %%p0, %%l1; @%%p0 or.b32 %%d0, %%d0, 1;\n"
        "isspacep.local %%p0, %%l3; @%%p0 or.b32 %%d0, %%d0, 2;\n"
        "isspacep.global %%p0, %%l4; @%%p0 or.b32 %%d0, %%d0, 4;\n"
        "isspacep.global %%p0, %%l1; @%%p0 or.b32 %%d0, %%d0, 8;\n"
        "isspacep.global %%p0, %%l3; @%%p0 or.b32 %%d0, %%d0, 16;\n"
        "isspacep.shared %%p0, %%l4; @%%p0 or.b32 %%d0, %%d0, 32;\n"
        "isspacep.local %%p0, %%l4; @%%p0 or.b32 %%d0, %%d0, 64;\n"
        "isspacep.shared %%p0, %%l3; @%%p0 or.b32 %%d0, %%d0, 128;\n"
        "isspacep.local %%p0, %%l1; @%%p0 or.b32 %%d0, %%d0, 256;\n"
        "cvta.to.shared.u64 %%l5, %%l1; setp.eq.u64 %%p0, %%l5, %%l0; @%%p0 or.b32 %%d0, %%d0, "
        "512;\n"
        "cvta.to.local.u64 %%l5, %%l3; setp.eq.u64 %%p0, %%l5, %%l2; @%%p0 or.b32 %%d0, %%d0, "
        "1024;\n"
        "cvta.to.global.u64 %%l5, %%l4; setp.eq.u64 %%p0, %%l5, %%s; @%%p0 or.b32 %%d0, %%d0, "
        "2048;\n"
        "isspacep.const %%p0, %%l4; @%%p0 or.b32 %%d0, %%d0, 4096;\n"
        "isspacep.shared::cta %%p0, %%l1; @%%p0 or.b32 %%d0, %%d0, 8192;\n"
        "isspacep.param %%p0, %%l4; @%%p0 or.b32 %%d0, %%d0, 16384;\n"
        "isspacep.shared::cluster %%p0, %%l1; @%%p0 or.b32 %%d0, %%d0, 32768;";

    variant_add("cvta", "cvta-isspacep", "32", "i32", text)->lanes = 128;
    variant_add("ld", "ld.param", "64 32 64", "i32",
                "ld.param.u64 %%l0, [po]; sub.u64 %%d0, %%l0, %%o; ld.param.u32 %%r0, [po+4];\n"
                "shr.u64 %%l1, %%o, 32; cvt.u32.u64 %%r1, %%l1; sub.u32 %%d1, %%r0, %%r1;\n"
                "ld.param.v2.u64 {%%l2, %%l3}, [po]; sub.u64 %%d2, %%l2, %%o;")
        ->lanes = 128;
}

void variants_memory(void)
{
    loads();
    stores();
    qualifiers();
    addresses();
}
