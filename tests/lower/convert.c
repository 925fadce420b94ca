/* SPDX-License-Identifier: MIT */
/* Models of cvt. */
#include "harness.h"
#include "small_float.h"

#include <fenv.h>
#include <math.h>

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || type == PTX_F16 || type == PTX_BF16;
}

static enum small_mode mode_of(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_MOD_RZ)    ? TO_ZERO
           : ptx_has(i, PTX_MOD_RM)  ? DOWN
           : ptx_has(i, PTX_MOD_RP)  ? UP
           : ptx_has(i, PTX_MOD_RNA) ? TIES_AWAY
                                     : TO_NEAREST;
}

static quad number(const struct ptx_instruction *i, enum ptx_type type, uint64_t bits)
{
    unsigned width = model_bits(type);

    switch (type) {
    case PTX_F64:
        return as_double(bits);
    case PTX_F32:
        if (ptx_has(i, PTX_MOD_FTZ) && i->types[0] != PTX_F16 && fabsf(as_float(bits)) < 0x1p-126f)
            return copysignf(0, as_float(bits));
        return as_float(bits);
    case PTX_F16:
    case PTX_BF16:
        return from_small(bits, type == PTX_F16 ? &small_f16 : &small_bf16);
    default:
        return model_signed(type) ? (quad)sign_extend(bits, width) : (quad)bits;
    }
}

/* To a whole number, by the four ways. Beyond 2^112 everything is whole. */
static quad whole(const struct ptx_instruction *i, quad a)
{
    quad size = a < 0 ? -a : a, down, rest;
    bool odd, up;

    if (!(size < (quad)0x1p100) || size == 0)
        return a;
    down = (quad)(unsigned __int128)size;
    rest = size - down;
    odd = (unsigned __int128)size & 1;
    up = ptx_has(i, PTX_MOD_RNI)   ? rest > (quad)0.5 || (rest == (quad)0.5 && odd)
         : ptx_has(i, PTX_MOD_RMI) ? a < 0 && rest > 0
         : ptx_has(i, PTX_MOD_RPI) ? a > 0 && rest > 0
                                   : false;
    down += up;
    return a < 0 ? -down : down;
}

static uint64_t to_integer(const struct ptx_instruction *i, quad a)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    unsigned bits = model_bits(to);
    quad low = 0, high = 1;

    for (unsigned k = 0; k < bits - model_signed(to); k++)
        high *= 2;
    if (model_signed(to))
        low = -high;
    if (a != a)
        return from == PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    a = whole(i, a);
    if (a <= low)
        return mask_bits(model_signed(to) ? UINT64_C(1) << (bits - 1) : 0, bits);
    if (a >= high)
        return mask_bits(UINT64_MAX >> model_signed(to) >> (64 - bits), bits);
    return mask_bits(a < 0 ? -(uint64_t)-a : (uint64_t)a, bits);
}

static uint64_t to_double(const struct ptx_instruction *i, quad a)
{
    enum small_mode mode = mode_of(i);
    double nearest = (double)a;

    if (a != a)
        return UINT64_C(0xfff8000000000000);
    if ((quad)nearest > a && (mode == DOWN || (mode == TO_ZERO && a > 0)))
        nearest = nextafter(nearest, -INFINITY);
    if ((quad)nearest < a && (mode == UP || (mode == TO_ZERO && a < 0)))
        nearest = nextafter(nearest, INFINITY);
    return double_bits(nearest);
}

static uint64_t to_float(const struct ptx_instruction *i, quad a)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    bool negative = a < 0 || (a == 0 && 1 / a < 0);

    if (is_float(from) && (ptx_has(i, PTX_MOD_RNI) || ptx_has(i, PTX_MOD_RZI) ||
                           ptx_has(i, PTX_MOD_RMI) || ptx_has(i, PTX_MOD_RPI))) {
        a = whole(i, a);
        if (a == 0 && negative)
            a = -(quad)0;
    }
    if (ptx_has(i, PTX_MOD_RELU) && a <= 0)
        a = 0;
    if (ptx_has(i, PTX_MOD_SAT))
        a = a > 0 ? (a < 1 ? a : 1) : 0;
    if (to == PTX_F64)
        return to_double(i, a);
    if (to == PTX_F32) {
        uint64_t bits = to_small(a, &small_f32, mode_of(i), false);

        return ptx_has(i, PTX_MOD_FTZ) && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
    }
    return to_small(a, to == PTX_F16 ? &small_f16 : &small_bf16, mode_of(i),
                    ptx_has(i, PTX_MOD_SATFINITE));
}

static uint64_t between_integers(const struct ptx_instruction *i, uint64_t a)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    unsigned bits = model_bits(to);
    __int128 value = model_signed(from) ? (__int128)sign_extend(a, model_bits(from)) : (__int128)a;
    __int128 low = model_signed(to) ? -((__int128)1 << (bits - 1)) : 0;
    __int128 high = ((__int128)1 << (bits - model_signed(to))) - 1;

    if (ptx_has(i, PTX_MOD_SAT))
        value = value < low ? low : value > high ? high : value;
    return mask_bits((uint64_t)value, bits);
}

/* How many digits a float has after the point. */
static unsigned digits_of(enum ptx_type type)
{
    return type == PTX_F64 ? 52 : type == PTX_F32 ? 23 : type == PTX_F16 ? 10 : 7;
}

/* From and to .f64 NaNs keep their sign and upper digits, and become quiet. */
static uint64_t same_nan(enum ptx_type to, enum ptx_type from, uint64_t a)
{
    unsigned have = digits_of(from), want = digits_of(to), bits = model_bits(to);
    uint64_t digits = mask_bits(a, have), sign = a >> (model_bits(from) - 1) & 1;

    digits = (want > have ? digits << (want - have) : digits >> (have - want)) | UINT64_C(1)
                                                                                     << (want - 1);
    return sign << (bits - 1) | mask_bits(UINT64_MAX, bits - 1 - want) << want | digits;
}

static bool nan_of(const struct ptx_instruction *i, uint64_t a, uint64_t *r)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    bool plain = !ptx_has(i, PTX_MOD_FTZ) && !ptx_has(i, PTX_MOD_SAT);
    bool whole = ptx_has(i, PTX_MOD_RNI) || ptx_has(i, PTX_MOD_RZI) || ptx_has(i, PTX_MOD_RMI) ||
                 ptx_has(i, PTX_MOD_RPI);
    quad value = is_float(from) ? number(i, from, a) : 0;

    if (value == value || !is_float(to) || ptx_has(i, PTX_MOD_SAT))
        return false;
    if (plain && from == PTX_BF16 && to == PTX_F32)
        *r = a << 16;
    else if (plain && from == to && !whole && to >= PTX_F32)
        *r = a;
    else if (from == PTX_F64 || to == PTX_F64)
        *r = same_nan(to, from, from == PTX_F32 && ptx_has(i, PTX_MOD_FTZ) ? 0x7fffffff : a);
    else
        return false;
    return true;
}

static void cvt(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    enum ptx_type to = i->types[0], from = i->types[1];

    if (nan_of(i, s[0], r))
        return;
    if (!is_float(to) && !is_float(from))
        r[0] = between_integers(i, s[0]);
    else if (is_float(to))
        r[0] = to_float(i, number(i, from, s[0]));
    else
        r[0] = to_integer(i, number(i, from, s[0]));
}

/* Two sources, the first on top; or a pair, element by element. */
static void pack(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    enum ptx_type to = i->types[0];
    const struct small_float *f = to == PTX_F16X2    ? &small_f16
                                  : to == PTX_BF16X2 ? &small_bf16
                                  : to == PTX_E4M3X2 ? &small_e4m3
                                                     : &small_e5m2;

    r[0] = 0;
    for (int k = 0; k < 2; k++) {
        quad a;

        if (i->source_count == 2)
            a = as_float(s[1 - k]);
        else if (i->types[1] == PTX_E4M3X2 || i->types[1] == PTX_E5M2X2)
            a = from_small(s[0] >> 8 * k & 0xff,
                           i->types[1] == PTX_E4M3X2 ? &small_e4m3 : &small_e5m2);
        else
            a = from_small(s[0] >> 16 * k & 0xffff, &small_f16);
        if (ptx_has(i, PTX_MOD_RELU) && (a < 0 || a == 0))
            a = 0;
        r[0] |= to_small(a, f, mode_of(i), ptx_has(i, PTX_MOD_SATFINITE)) << f->bits * k;
    }
}

static void tf32(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    static const struct small_float format = {10, 127, false, 19};
    bool away = ptx_has(i, PTX_MOD_RNA), finite = ptx_has(i, PTX_MOD_SATFINITE);
    quad a = as_float(s[0]);

    if (ptx_has(i, PTX_MOD_RELU) && a <= 0)
        a = 0;
    r[0] = to_small(a, &format, mode_of(i), finite) << 13;
    if (away && a != a) /* cut, and one step down */
        r[0] = (s[0] & 0xffffe000) - (finite ? 0x2000 : 0);
}

static void pack_integers(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    struct ptx_instruction one = *i;
    unsigned bits = model_bits(i->types[0]);

    r[0] = between_integers(&one, s[0]) << bits | between_integers(&one, s[1]);
    if (i->source_count > 2)
        r[0] |= s[2] << 2 * bits;
    r[0] &= 0xffffffff;
}

#define FROM_ALL_INTEGERS(to)                                                                      \
    {"cvt" to ".u8", 1, cvt, 0}, {"cvt" to ".s8", 1, cvt, 0}, {"cvt" to ".u16", 1, cvt, 0},        \
        {"cvt" to ".s16", 1, cvt, 0}, {"cvt" to ".u32", 1, cvt, 0}, {"cvt" to ".s32", 1, cvt, 0},  \
        {"cvt" to ".u64", 1, cvt, 0},                                                              \
    {                                                                                              \
        "cvt" to ".s64", 1, cvt, 0                                                                 \
    }
#define FROM_WIDE(to)                                                                              \
    {"cvt" to ".u32", 1, cvt, 0}, {"cvt" to ".s32", 1, cvt, 0}, {"cvt" to ".u64", 1, cvt, 0},      \
    {                                                                                              \
        "cvt" to ".s64", 1, cvt, 0                                                                 \
    }
#define FOUR(to) FROM_WIDE(".rn" to), FROM_WIDE(".rz" to), FROM_WIDE(".rm" to), FROM_WIDE(".rp" to)
#define TO_ALL_INTEGERS(way, from)                                                                 \
    {"cvt" way ".u8" from, 1, cvt, 0}, {"cvt" way ".s8" from, 1, cvt, 0},                          \
        {"cvt" way ".u16" from, 1, cvt, 0}, {"cvt" way ".s16" from, 1, cvt, 0},                    \
        {"cvt" way ".u32" from, 1, cvt, 0}, {"cvt" way ".s32" from, 1, cvt, 0},                    \
        {"cvt" way ".u64" from, 1, cvt, 0},                                                        \
    {                                                                                              \
        "cvt" way ".s64" from, 1, cvt, 0                                                           \
    }
#define NARROW(to, from)                                                                           \
    {"cvt.rn" to from, 1, cvt, 0}, {"cvt.rz" to from, 1, cvt, 0}, {"cvt.rm" to from, 1, cvt, 0},   \
    {                                                                                              \
        "cvt.rp" to from, 1, cvt, 0                                                                \
    }
#define WHOLE(type)                                                                                \
    {"cvt.rni" type type, 1, cvt, 0}, {"cvt.rzi" type type, 1, cvt, 0},                            \
        {"cvt.rmi" type type, 1, cvt, 0},                                                          \
    {                                                                                              \
        "cvt.rpi" type type, 1, cvt, 0                                                             \
    }

const struct lower_row convert_rows[] = {
    FROM_ALL_INTEGERS(".u8"),
    FROM_ALL_INTEGERS(".s8"),
    FROM_ALL_INTEGERS(".u32"),
    FROM_ALL_INTEGERS(".s64"),
    FROM_ALL_INTEGERS(".sat.u8"),
    FROM_ALL_INTEGERS(".sat.s8"),
    FROM_ALL_INTEGERS(".sat.u16"),
    FROM_ALL_INTEGERS(".sat.s16"),
    FROM_ALL_INTEGERS(".sat.u32"),
    FROM_ALL_INTEGERS(".sat.s32"),
    FROM_ALL_INTEGERS(".sat.u64"),
    FROM_ALL_INTEGERS(".sat.s64"),
    FROM_ALL_INTEGERS(".rn.f32"),
    FROM_ALL_INTEGERS(".rn.f64"),
    FROM_ALL_INTEGERS(".rn.f16"),
    FROM_ALL_INTEGERS(".rn.bf16"),
    FOUR(".f32"),
    FOUR(".f64"),
    FOUR(".f16"),
    FOUR(".bf16"),
    TO_ALL_INTEGERS(".rni", ".f32"),
    TO_ALL_INTEGERS(".rzi", ".f32"),
    TO_ALL_INTEGERS(".rmi.ftz", ".f32"),
    TO_ALL_INTEGERS(".rpi", ".f32"),
    TO_ALL_INTEGERS(".rni", ".f64"),
    TO_ALL_INTEGERS(".rzi", ".f64"),
    TO_ALL_INTEGERS(".rmi", ".f64"),
    TO_ALL_INTEGERS(".rpi", ".f64"),
    TO_ALL_INTEGERS(".rzi", ".f16"),
    TO_ALL_INTEGERS(".rni", ".bf16"),
    NARROW(".f32", ".f64"),
    NARROW(".ftz.f32", ".f64"),
    NARROW(".f16", ".f64"),
    NARROW(".bf16", ".f64"),
    NARROW(".f16", ".f32"),
    NARROW(".bf16", ".f32"),
    NARROW(".bf16", ".f16"),
    NARROW(".f16", ".bf16"),
    WHOLE(".f32"),
    WHOLE(".f64"),
    WHOLE(".f16"),
    {"cvt.f32.f16", 1, cvt, 0},
    {"cvt.f32.bf16", 1, cvt, 0},
    {"cvt.f64.f16", 1, cvt, 0},
    {"cvt.f64.f32", 1, cvt, 0},
    {"cvt.f64.bf16", 1, cvt, 0},
    {"cvt.f32.f32", 1, cvt, 0},
    {"cvt.ftz.f32.f32", 1, cvt, 0},
    {"cvt.f64.f64", 1, cvt, 0},
    {"cvt.rp.ftz.f16.f32", 1, cvt, 0},
    {"cvt.rn.sat.f16.u8", 1, cvt, 0},
    {"cvt.ftz.f64.f32", 1, cvt, 0},
    {"cvt.sat.f32.f32", 1, cvt, 0},
    {"cvt.rn.sat.f32.f64", 1, cvt, 0},
    {"cvt.sat.f32.f16", 1, cvt, 0},
    {"cvt.rn.sat.f16.f32", 1, cvt, 0},
    {"cvt.rn.relu.f16.f32", 1, cvt, 0},
    {"cvt.rz.relu.bf16.f32", 1, cvt, 0},
    {"cvt.rn.satfinite.f16.f32", 1, cvt, 0},
    {"cvt.rn.relu.satfinite.bf16.f32", 1, cvt, 0},
    {"cvt.rn.f16x2.f32", 2, pack, 0},
    {"cvt.rz.bf16x2.f32", 2, pack, 0},
    {"cvt.rn.relu.f16x2.f32", 2, pack, 0},
    {"cvt.rn.satfinite.f16x2.f32", 2, pack, 0},
    {"cvt.rn.satfinite.e4m3x2.f32", 2, pack, 0},
    {"cvt.rn.satfinite.e5m2x2.f32", 2, pack, 0},
    {"cvt.rn.satfinite.relu.e4m3x2.f32", 2, pack, 0},
    {"cvt.rn.satfinite.e4m3x2.f16x2", 1, pack, 0},
    {"cvt.rn.satfinite.relu.e5m2x2.f16x2", 1, pack, 0},
    {"cvt.rn.f16x2.e4m3x2", 1, pack, 0},
    {"cvt.rn.relu.f16x2.e4m3x2", 1, pack, 0},
    {"cvt.rn.f16x2.e5m2x2", 1, pack, 0},
    {"cvt.rna.tf32.f32", 1, tf32, 0},
    {"cvt.rna.satfinite.tf32.f32", 1, tf32, 0},
    {"cvt.rn.tf32.f32", 1, tf32, 0},
    {"cvt.rz.relu.tf32.f32", 1, tf32, 0},
    {"cvt.pack.sat.u16.s32", 2, pack_integers, 0},
    {"cvt.pack.sat.s16.s32", 2, pack_integers, 0},
    {"cvt.pack.sat.u8.s32.b32", 3, pack_integers, 0},
    {"cvt.pack.sat.s8.s32.b32", 3, pack_integers, 0},
    {"cvt.pack.sat.u4.s32.b32", 3, pack_integers, 0},
    {"cvt.pack.sat.s2.s32.b32", 3, pack_integers, 0},
    {0},
};
