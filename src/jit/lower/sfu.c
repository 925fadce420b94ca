/* SPDX-License-Identifier: MIT */
/* The special function unit of sm_90, bit for bit: reciprocal, square roots, logarithm, power, sine
 * and hyperbolic tangent of .f32, with its special values. sfu_tables.h says what it
 * computes, sfu_quadratic.c does. The unit takes subnormal arguments for zeros (but for tanh)
 * and cuts off instead of rounding. The code is lane by lane and without branches. */
#include "jit/lower/sfu.h"

static const uint32_t nan_bits = 0x7fffffff, infinity_bits = 0x7f800000;

/* value * 2^-places, cut off at 24 bits; value has at most 53. */
static low_value cut_off(struct jit_lower *l, low_value value, unsigned places)
{
    low_value wide = LLVMBuildUIToFP(l->builder, value, low_float_type(l, 64), "");
    low_value cut = low_andi(l, low_to_bits(l, wide), ~UINT64_C(0x1fffffff));
    low_value narrow =
        LLVMBuildFPTrunc(l->builder, low_from_bits(l, cut), low_float_type(l, 32), "");

    return LLVMBuildFMul(l->builder, narrow, low_float(l, 32, 1.0 / (double)(1ull << places)), "");
}

static low_value bits_if(struct jit_lower *l, low_value condition, uint32_t bits, low_value other)
{
    return low_select(l, condition, low_int(l, 32, bits), other);
}

static low_value magnitude(struct jit_lower *l, low_value bits)
{
    return low_andi(l, bits, 0x7fffffff);
}

static low_value nan_where(struct jit_lower *l, low_value argument, low_value result)
{
    low_value nan = low_icmpi(l, LLVMIntUGT, magnitude(l, argument), infinity_bits);

    return bits_if(l, nan, nan_bits, result);
}

/* Of 1.m: the 24 bits of the reciprocal, of a power of two 2^24. */
low_value low_sfu_reciprocal_digits(struct jit_lower *l, low_value bits)
{
    return low_addi(l, low_sfu_narrow(l, SFU_RCP, low_andi(l, bits, 0x7fffff)),
                    -((int64_t)252 << 23));
}

/* Of 1.m * 2^-1 or, if bit 23 is set, of 1.m. */
low_value low_sfu_rsqrt_digits(struct jit_lower *l, low_value bits)
{
    low_value odd = low_andi(l, bits, 0x800000), result;

    result = low_ori(l, low_andi(l, bits, 0xffffff), 126 << 23);
    return low_addi(l, low_add(l, low_sfu_narrow(l, SFU_RSQRT, result), odd), -(126 << 23));
}

static low_value reciprocal(struct jit_lower *l, low_value a)
{
    low_value size = magnitude(l, a), sign = low_xor(l, a, size);
    low_value result = low_sfu_narrow(l, SFU_RCP, size);
    low_value zero = low_icmpi(l, LLVMIntULT, size, 0x00800000);

    result = bits_if(l, low_icmpi(l, LLVMIntSLT, result, 0x00800000), 0, result);
    result = bits_if(l, zero, infinity_bits, result);
    return nan_where(l, a, low_or(l, result, sign));
}

/* The special values of functions that are defined above 0 only. */
static low_value positive_only(struct jit_lower *l, low_value a, low_value result,
                               low_value at_zero, uint32_t at_infinity)
{
    low_value zero = low_icmpi(l, LLVMIntULT, magnitude(l, a), 0x00800000);

    result = bits_if(l, low_icmpi(l, LLVMIntEQ, a, infinity_bits), at_infinity, result);
    result = bits_if(l, low_icmpi(l, LLVMIntUGT, a, infinity_bits), nan_bits, result);
    return low_select(l, zero, at_zero, result);
}

static low_value sign_of(struct jit_lower *l, low_value a)
{
    return low_andi(l, a, 0x80000000);
}

static low_value reciprocal_root(struct jit_lower *l, low_value a)
{
    return positive_only(l, a, low_sfu_narrow(l, SFU_RSQRT, a),
                         low_ori(l, sign_of(l, a), infinity_bits), 0);
}

static low_value root(struct jit_lower *l, low_value a)
{
    return positive_only(l, a, low_sfu_narrow(l, SFU_SQRT, a), sign_of(l, a), infinity_bits);
}

low_value low_sfu_plain(struct jit_lower *l, unsigned op, low_value a, low_value *special)
{
    low_value bits = low_to_bits(l, a);
    enum jit_sfu_name name = op == PTX_OP_rcp ? SFU_RCP : op == PTX_OP_sqrt ? SFU_SQRT : SFU_RSQRT;

    if (op == PTX_OP_rcp)
        *special =
            low_icmpi(l, LLVMIntUGE, low_addi(l, magnitude(l, bits), -0x00800000), 252 << 23);
    else
        *special = low_sfu_not_positive(l, a);
    return low_from_bits(l, low_sfu_narrow(l, name, bits));
}

/* 36 places; a negative logarithm's magnitude is its ones' complement. */
static low_value logarithm(struct jit_lower *l, low_value a)
{
    low_value p =
        low_sfu_wide(l, SFU_LOG2, low_andi(l, low_lshri(l, a, 17), 63), low_andi(l, a, 0x1ffff));
    low_value exponent = low_addi(l, low_lshri(l, magnitude(l, a), 23), -127);
    low_value value, sign, result;

    value = low_add(l, low_shli(l, low_resize(l, exponent, 64, true), 38), p);
    value = low_ashri(l, value, 2);
    sign = low_ashri(l, value, 63);
    result = low_to_bits(l, cut_off(l, low_xor(l, value, sign), 36));
    result = low_or(l, result, low_andi(l, low_resize(l, sign, 32, false), 0x80000000));
    result = bits_if(l, low_icmpi(l, LLVMIntEQ, a, 0x3f800000), 0, result);
    return positive_only(l, a, result, low_int(l, 32, 0xff800000), infinity_bits);
}

/* The argument in 2^-23, cut off; a negative one that is not whole is a step lower, as its ones'
 * complement is. */
static low_value power(struct jit_lower *l, low_value a)
{
    LLVMTypeRef types[2] = {low_int_type(l, 32), low_float_type(l, 32)};
    low_value scaled = LLVMBuildFMul(l->builder, low_from_bits(l, a), low_float(l, 32, 0x1p23), "");
    low_value value = low_call(l, "llvm.fptosi.sat", types, 2, &scaled, 1);
    low_value whole = low_icmpi(l, LLVMIntEQ, low_andi(l, value, 0x7fffff), 0);
    low_value exponent, result;

    value = low_add(l, value, low_select(l, whole, low_int(l, 32, 0), low_ashri(l, value, 31)));
    result = low_sfu_narrow(l, SFU_EXP2, value);
    exponent = low_ashri(l, value, 23);
    result = bits_if(l, low_icmpi(l, LLVMIntSLT, exponent, (uint32_t)-126), 0, result);
    result = bits_if(l, low_icmpi(l, LLVMIntSGT, exponent, 127), infinity_bits, result);
    return nan_where(l, a, result);
}

/* a / (2 pi), cut off. For subnormal results, which count as zeros, it may be rounded. */
static low_value turns(struct jit_lower *l, low_value a)
{
    low_value factor = low_from_bits(l, low_int(l, 32, 0x3e22f983));
    low_value size = low_from_bits(l, magnitude(l, a));
    low_value product = LLVMBuildFMul(l->builder, size, factor, "");
    low_value rest = low_fma(l, size, factor, LLVMBuildFNeg(l->builder, product, ""));
    low_value rounded_up = low_fcmp(l, LLVMRealOLT, rest, low_float(l, 32, 0));

    return low_add(l, low_to_bits(l, product), low_resize(l, rounded_up, 32, true));
}

/* The low 25 bits of the turns in 2^-25: two for the quarter, 23 inside it. */
static low_value sine(struct jit_lower *l, low_value a, bool cosine)
{
    low_value size = turns(l, a), value, digits, quarter, odd, sign, up, result;
    low_value shift = low_addi(l, low_lshri(l, size, 23), -125);

    digits = low_ori(l, low_andi(l, size, 0x7fffff), 0x800000);
    up = low_icmpi(l, LLVMIntSGE, shift, 0);
    value = low_select(l, up, low_shl_clamp(l, digits, shift),
                       low_shr_clamp(l, digits, low_sub(l, low_int(l, 32, 0), shift), false));
    quarter = low_addi(l, low_lshri(l, value, 23), cosine);
    odd = low_sub(l, low_int(l, 32, 0), low_andi(l, quarter, 1));
    value = low_andi(l, low_xor(l, value, odd), 0x7fffff);
    result = low_to_bits(
        l,
        cut_off(l, low_sfu_wide(l, SFU_SINE, low_lshri(l, value, 17), low_andi(l, value, 0x1ffff)),
                37));
    sign = low_shli(l, low_lshri(l, quarter, 1), 31);
    if (!cosine)
        sign = low_xor(l, sign, sign_of(l, a));
    result = low_or(l, result, sign);
    return bits_if(l, low_icmpi(l, LLVMIntUGE, magnitude(l, a), infinity_bits), nan_bits, result);
}

/* Each binade from 2^-8 to 4 has 1 to 16 segments. */
static low_value tangent_part(struct jit_lower *l, enum jit_sfu_name name, low_value a,
                              low_value same)
{
    static const unsigned char first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    static const unsigned char bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    uint64_t binades[16] = {0};
    low_value size = magnitude(l, a), fraction = low_andi(l, a, 0x7fffff), index, x, count;
    low_value binade[2], result;

    for (unsigned k = 0; k < sizeof first; k++)
        binades[k] = first[k] | (uint64_t)bits[k] << 32;
    index = low_andi(l, low_addi(l, low_lshri(l, size, 23), -119), 15);
    low_sfu_look_up(l, "cup.sfu.binades", binades, 16, index, binade);
    count = binade[1];
    index = LLVMBuildLShr(l->builder, fraction, low_sub(l, low_int(l, 32, 23), count), "");
    index = low_add(l, index, binade[0]);
    x = LLVMBuildLShr(l->builder, fraction, low_sub(l, low_int(l, 32, 6), count), "");
    result = low_to_bits(l, cut_off(l, low_sfu_wide(l, name, index, low_andi(l, x, 0x1ffff)), 39));
    result = bits_if(l, low_icmpi(l, LLVMIntUGE, size, 0x41000000), 0x3f800000, result);
    result = low_select(l, low_icmpi(l, LLVMIntULT, size, 0x3b800000), size, result);
    return nan_where(l, a, low_or(l, result, sign_of(l, same)));
}

static low_value tangent(struct jit_lower *l, low_value a)
{
    return low_sfu_by_registers(l, tangent_part, SFU_TANH, a, a);
}

low_value low_sfu(struct jit_lower *l, unsigned op, low_value a)
{
    low_value bits = low_to_bits(l, a), result;

    switch (op) {
    case PTX_OP_rcp:
        result = reciprocal(l, bits);
        break;
    case PTX_OP_rsqrt:
        result = reciprocal_root(l, bits);
        break;
    case PTX_OP_sqrt:
        result = root(l, bits);
        break;
    case PTX_OP_lg2:
        result = logarithm(l, bits);
        break;
    case PTX_OP_ex2:
        result = power(l, bits);
        break;
    case PTX_OP_tanh:
        result = tangent(l, bits);
        break;
    default:
        result = sine(l, bits, op == PTX_OP_cos);
        break;
    }
    return low_from_bits(l, result);
}
