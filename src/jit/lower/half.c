/* SPDX-License-Identifier: MIT */
/* 16-bit floats, .f16 and .bf16, single and in pairs; a pair is two lanes.
 *
 * They are computed as .f32. Rounding a sum or product to .f32 and then to 16 bits gives the same
 * as one rounding, because .f32 has more than twice the digits. This does not hold for fma: there
 * the sum is rounded to odd, which keeps what the second rounding needs. */
#include "jit/lower/builder.h"

low_value low_half_to_float(struct jit_lower *l, low_value bits, bool bf16)
{
    if (bf16)
        return low_from_bits(l, low_shli(l, low_resize(l, bits, 32, false), 16));
    return LLVMBuildFPExt(l->builder, low_from_bits(l, bits), low_float_type(l, 32), "");
}

/* Rounds to nearest. The result for a NaN is arbitrary. */
static low_value to_nearest(struct jit_lower *l, low_value a, bool bf16)
{
    low_value bits, last;

    if (!bf16)
        return low_to_bits(l, LLVMBuildFPTrunc(l->builder, a, low_float_type(l, 16), ""));
    bits = low_to_bits(l, a);
    last = low_andi(l, low_lshri(l, bits, 16), 1);
    bits = low_add(l, low_addi(l, bits, 0x7fff), last);
    return low_resize(l, low_lshri(l, bits, 16), 16, false);
}

/* Directed rounding: rounds the magnitude to nearest, then corrects it by one step if it was
 * rounded in the wrong direction. */
static low_value directed(struct jit_lower *l, low_value a, enum low_rounding rounding, bool bf16)
{
    low_value size = low_fabs(l, a), nearest = to_nearest(l, size, bf16);
    low_value back = low_half_to_float(l, nearest, bf16);
    low_value sign = low_resize(l, low_lshri(l, low_to_bits(l, a), 31), 1, false);
    low_value too_big = low_fcmp(l, LLVMRealOGT, back, size);
    low_value too_small = low_fcmp(l, LLVMRealOLT, back, size);
    low_value outward = rounding == LOW_RZ   ? low_int(l, 1, 0)
                        : rounding == LOW_RM ? sign
                                             : low_not(l, sign);
    low_value up = low_resize(l, low_and(l, too_small, outward), 16, false);
    low_value down = low_resize(l, low_and(l, too_big, low_not(l, outward)), 16, false);
    low_value bits = low_sub(l, low_add(l, nearest, up), down);

    return low_or(l, bits, low_shli(l, low_resize(l, sign, 16, false), 15));
}

low_value low_nan_to_half(struct jit_lower *l, low_value a, bool bf16)
{
    low_value bits = low_to_bits(l, a), half = low_resize(l, low_lshri(l, bits, 16), 16, false);
    low_value digits;

    if (bf16)
        return half;
    digits = low_andi(l, low_resize(l, low_lshri(l, bits, 13), 16, false), 0x3ff);
    return low_or(l, low_ori(l, low_andi(l, half, 0x8000), 0x7c00), digits);
}

low_value low_float_to_half(struct jit_lower *l, low_value a, enum low_rounding rounding, bool bf16)
{
    low_value bits = rounding == LOW_RN ? to_nearest(l, a, bf16) : directed(l, a, rounding, bf16);

    return low_select(l, low_is_nan(l, a), low_int(l, 16, 0x7fff), bits);
}

static low_value flush_half(struct jit_lower *l, low_value a, bool bf16)
{
    low_value subnormal = low_icmpi(l, LLVMIntEQ, low_andi(l, a, bf16 ? 0x7f80 : 0x7c00), 0);

    return low_select(l, subnormal, low_andi(l, a, 0x8000), a);
}

/* a * b + c, rounded to odd before it is rounded to 16 bits. The product of two .f16 is exact in
 * .f32; that of two .bf16 needs the exponent range of .f64. */
static low_value fma_to_odd(struct jit_lower *l, const low_value *s, bool bf16)
{
    low_value a[3];

    for (unsigned k = 0; k < 3; k++) {
        a[k] = low_half_to_float(l, s[k], bf16);
        if (bf16)
            a[k] = LLVMBuildFPExt(l->builder, a[k], low_float_type(l, 64), "");
    }
    a[0] = low_add_to_odd(l, LLVMBuildFMul(l->builder, a[0], a[1], ""), a[2]);
    return bf16 ? low_narrow_to_odd(l, a[0]) : a[0];
}

/* Rounds a product to .f16; .ftz flushes it by what it is after rounding to 11 bits, with the
 * exponent that it has, as for .f32. */
static low_value round_product(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                               bool bf16)
{
    low_value bits = low_float_to_half(l, a, LOW_RN, bf16), tiny;

    if (!ptx_has(i, PTX_MOD_FTZ))
        return bits;
    tiny = low_fcmp(l, LLVMRealOLT, low_fabs(l, a), low_float(l, 32, 0x1.ffep-15));
    return low_select(l, tiny, low_andi(l, bits, 0x8000), bits);
}

static low_value settle_nan(struct jit_lower *l, low_value a, bool bf16)
{
    low_value nan = low_icmpi(l, LLVMIntUGT, low_andi(l, a, 0x7fff), bf16 ? 0x7f80 : 0x7c00);

    return low_select(l, nan, low_int(l, 16, 0x7fff), a);
}

static low_value min_max(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                         bool bf16)
{
    bool max = i->op == PTX_OP_max, nan = ptx_has(i, PTX_MOD_NAN);
    bool magnitudes = ptx_has(i, PTX_MOD_XORSIGN);
    low_value best = NULL, signs = NULL, bits;

    for (unsigned k = 0; k < i->source_count; k++) {
        low_value a = low_half_to_float(l, magnitudes ? low_andi(l, s[k], 0x7fff) : s[k], bf16);

        signs = signs ? low_xor(l, signs, s[k]) : s[k];
        best = best ? low_float_min_max(l, best, a, max, nan) : a;
    }
    bits = low_float_to_half(l, best, LOW_RN, bf16);
    if (!magnitudes)
        return bits;
    return settle_nan(l, low_or(l, low_andi(l, bits, 0x7fff), low_andi(l, signs, 0x8000)), bf16);
}

/* The device cuts off the result of its special function unit, but .f16 is infinite from 2^16 on.
 */
static low_value approximate(struct jit_lower *l, unsigned op, low_value a, bool bf16)
{
    low_value wide, result, infinite;

    if (l->fast_math) {
        a = op == PTX_OP_ex2 ? low_exp2(l, a) : low_tanh(l, a);
        return low_float_to_half(l, a, LOW_RN, bf16);
    }
    wide = low_exact_unit(l, op, a);
    if (bf16)
        return low_resize(l, low_lshri(l, low_to_bits(l, wide), 16), 16, false);
    result = low_float_to_half(l, wide, LOW_RZ, false);
    infinite = low_fcmp(l, LLVMRealOGE, low_fabs(l, wide), low_float(l, 32, 0x1p16));
    return low_select(l, infinite, low_int(l, 16, 0x7c00), result);
}

static low_value compute(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                         bool bf16)
{
    low_value a, b;

    switch (i->op) {
    case PTX_OP_neg:
        return settle_nan(l, low_xor(l, s[0], low_int(l, 16, 0x8000)), bf16);
    case PTX_OP_abs:
        return settle_nan(l, low_andi(l, s[0], 0x7fff), bf16);
    case PTX_OP_min:
    case PTX_OP_max:
        return min_max(l, i, s, bf16);
    case PTX_OP_fma:
        return round_product(l, i, fma_to_odd(l, s, bf16), bf16);
    case PTX_OP_ex2:
    case PTX_OP_tanh:
        return approximate(l, i->op, low_half_to_float(l, s[0], bf16), bf16);
    default:
        break;
    }
    a = low_half_to_float(l, s[0], bf16);
    b = low_half_to_float(l, s[1], bf16);
    if (i->op == PTX_OP_mul)
        return round_product(l, i, LLVMBuildFMul(l->builder, a, b, ""), bf16);
    a = i->op == PTX_OP_add ? LLVMBuildFAdd(l->builder, a, b, "")
                            : LLVMBuildFSub(l->builder, a, b, "");
    return low_float_to_half(l, a, LOW_RN, bf16);
}

/* .relu and .sat replace negative numbers by +0; .sat also replaces NaN by 0 and clamps to 1. */
static low_value clamp(struct jit_lower *l, const struct ptx_instruction *i, low_value a, bool bf16)
{
    low_value size = low_andi(l, a, 0x7fff), zero = low_int(l, 16, 0);
    low_value negative = low_icmpi(l, LLVMIntSLT, a, 0);
    low_value nan = low_icmpi(l, LLVMIntUGT, size, bf16 ? 0x7f80 : 0x7c00);
    low_value one = low_int(l, 16, bf16 ? 0x3f80 : 0x3c00);

    if (ptx_has(i, PTX_MOD_RELU))
        a = low_select(l, low_and(l, negative, low_not(l, nan)), zero, a);
    if (ptx_has(i, PTX_MOD_SAT))
        a = low_select(l, low_or(l, negative, nan), zero, low_int_min(l, a, one, false));
    return a;
}

bool low_emit_half(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    enum ptx_type type = i->types[0];
    bool bf16 = type == PTX_BF16 || type == PTX_BF16X2, ftz = ptx_has(i, PTX_MOD_FTZ);
    struct jit_lower lanes = *l;
    low_value a[3], result;

    for (unsigned k = 0; k < i->source_count && k < 3; k++) {
        a[k] = low_is_packed(type) ? low_split(l, s[k], 16, &lanes) : s[k];
        if (ftz)
            a[k] = flush_half(&lanes, a[k], bf16);
        if (i->src[k].negated)
            a[k] = low_xor(&lanes, a[k], low_int(&lanes, 16, 0x8000));
    }
    result = compute(&lanes, i, a, bf16);
    if (ftz)
        result = flush_half(&lanes, result, bf16);
    result = clamp(&lanes, i, result, bf16);
    r[0] = low_is_packed(type) ? low_join(l, result, 32) : result;
    return true;
}
