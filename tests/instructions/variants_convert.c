/* SPDX-License-Identifier: MIT */
/* Conversions between every pair of types, with every rounding, saturation and flushing. The
 * recording determines which combinations exist: the driver rejects the others. */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static const char *const integers[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
static const char *const integer_roundings[] = {".rni", ".rzi", ".rmi", ".rpi"};
static const char *const float_roundings[] = {".rn", ".rz", ".rm", ".rp"};

/* Types of 8 bits live in wider registers: what lies above is ignored, or filled. */
static const char *operand_of(const char *type)
{
    static const char *const rows[][2] = {
        {"8", "i32"}, {"16", "i16"}, {"32", "i32"}, {"64", "i64"}};

    if (strchr(type, 'f'))
        return type;
    for (int i = 0; i < 4; i++)
        if (!strcmp(type + 1, rows[i][0]))
            return rows[i][1];
    return "i32";
}

static const char *result_of(const char *type)
{
    if (strstr(type, "16"))
        return "16";
    return strstr(type, "64") ? "64" : "32";
}

static void integer_pairs(void)
{
    for (int from = 0; from < 8; from++)
        for (int to = 0; to < 8; to++)
            for (int sat = 0; sat < 2; sat++)
                variant_one("cvt", result_of(integers[to]), operand_of(integers[from]),
                            "cvt%s.%s.%s", sat ? ".sat" : "", integers[to], integers[from])
                    ->lanes = 256;
}

static void float_to_integer(void)
{
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 8; to++)
            for (int r = 0; r < 4; r++)
                for (int ftz = 0; ftz < (from == 2 ? 2 : 1); ftz++)
                    variant_one("cvt", result_of(integers[to]), floats[from], "cvt%s%s.%s.%s",
                                integer_roundings[r], ftz ? ".ftz" : "", integers[to], floats[from])
                        ->lanes = 256;
    for (int to = 0; to < 8; to++)
        variant_one("cvt", result_of(integers[to]), "f32", "cvt.rzi.sat.%s.f32", integers[to])
            ->lanes = 256;
}

static void integer_to_float(void)
{
    for (int from = 0; from < 8; from++)
        for (int to = 0; to < 4; to++) {
            for (int r = 0; r < 4; r++)
                variant_one("cvt", result_of(floats[to]), operand_of(integers[from]), "cvt%s.%s.%s",
                            float_roundings[r], floats[to], integers[from])
                    ->lanes = 256;
            variant_one("cvt", result_of(floats[to]), operand_of(integers[from]),
                        "cvt.rn.sat.%s.%s", floats[to], integers[from])
                ->lanes = 128;
        }
}

/* Narrowing needs a rounding; widening takes none; to the same type rounds to whole numbers. */
static void float_pairs(void)
{
    static const char *const ends[] = {"", ".ftz", ".sat", ".ftz.sat"};

    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            for (int e = 0; e < 4; e++) {
                if (strstr(ends[e], "ftz") && from != 2 && to != 2)
                    continue;
                variant_one("cvt", result_of(floats[to]), floats[from], "cvt%s.%s.%s", ends[e],
                            floats[to], floats[from])
                    ->lanes = 256;
                for (int r = 0; r < 4; r++)
                    variant_one("cvt", result_of(floats[to]), floats[from], "cvt%s%s.%s.%s",
                                from == to ? integer_roundings[r] : float_roundings[r], ends[e],
                                floats[to], floats[from])
                        ->lanes = 512;
            }
        }
    static const char *const modes[] = {".rn.relu", ".rz.relu", ".rn.satfinite", ".rz.satfinite",
                                        ".rn.relu.satfinite"};
    for (int i = 0; i < 5; i++) {
        for (int to = 0; to < 2; to++)
            for (int packed = 0; packed < 2; packed++)
                variant_one("cvt", packed ? "32" : "16", packed ? "f32 f32" : "f32",
                            "cvt%s.%s%s.f32", modes[i], floats[to], packed ? "x2" : "");
        variant_one("cvt", "32", "f32", "cvt%s.tf32.f32", modes[i]);
    }
    static const char *const single[] = {".rn", ".rz"};
    for (int i = 0; i < 2; i++) {
        variant_one("cvt", "32", "f32 f32", "cvt%s.f16x2.f32", single[i]);
        variant_one("cvt", "32", "f32 f32", "cvt%s.bf16x2.f32", single[i]);
        variant_one("cvt", "32", "f32", "cvt%s.tf32.f32", single[i]);
    }
    variant_one("cvt", "32", "f32", "cvt.rna.tf32.f32");
    variant_one("cvt", "32", "f32", "cvt.rna.satfinite.tf32.f32");
}

static void eight_bit_floats(void)
{
    static const char *const types[] = {"e4m3x2", "e5m2x2"};

    for (int t = 0; t < 2; t++)
        for (int relu = 0; relu < 2; relu++) {
            const char *r = relu ? ".relu" : "";
            variant_one("cvt", "16", "f32 f32", "cvt.rn.satfinite%s.%s.f32", r, types[t]);
            variant_one("cvt", "16", "f16x2", "cvt.rn.satfinite%s.%s.f16x2", r, types[t]);
            variant_one("cvt", "32", "i16", "cvt.rn%s.f16x2.%s", r, types[t]);
        }
}

static void packed_integers(void)
{
    variant_one("cvt", "32", "i32 i32", "cvt.pack.sat.u16.s32");
    variant_one("cvt", "32", "i32 i32", "cvt.pack.sat.s16.s32");
    static const char *const narrow[] = {"u8", "s8", "u4", "s4", "u2", "s2"};
    for (int i = 0; i < 6; i++)
        variant_one("cvt", "32", "i32 i32 i32", "cvt.pack.sat.%s.s32.b32", narrow[i]);
}

void variants_convert(void)
{
    integer_pairs();
    float_to_integer();
    integer_to_float();
    float_pairs();
    eight_bit_floats();
    packed_integers();
}
