/* SPDX-License-Identifier: MIT */
/* The special function unit of sm_90, bit for bit: reciprocal, square roots, logarithm, power, sine
 * and hyperbolic tangent of .f32, with its special values. lower_sfu_tables.h says what it
 * computes. The unit takes subnormal arguments for zeros (but for tanh) and cuts off instead of
 * rounding.
 *
 * The code is lane by lane and without branches. A segment's coefficients are one entry of 64 bits
 * in a constant of the module, so each lane loads once. Where the result has a known binade, all
 * arithmetic is in 32 bits: the sum's upper and lower parts are added separately. */
#include "jit/lower_build.h"
#include "jit/lower_sfu_tables.h"

#include <stdio.h>

enum { SQUARE_BITS = 11, LARGE_SQUARE = 1 << SQUARE_BITS };

static const uint32_t nan_bits = 0x7fffffff, infinity_bits = 0x7f800000;

struct coefficients {
    low_value c0, c1, c2; /* c2 without its sign */
};

/* The upper half of an entry is c0, the lower one c1 and the magnitude of c2, whose bits beyond 11
 * are above c0. */
static uint64_t entry_of(const struct jit_sfu_segment *segment)
{
    uint32_t square = (uint32_t)(segment->c2 < 0 ? -segment->c2 : segment->c2);
    uint32_t upper = (uint32_t)segment->c0 | square >> SQUARE_BITS << 27;
    uint32_t lower = (uint32_t)segment->c1 << SQUARE_BITS | (square & (LARGE_SQUARE - 1));

    return (uint64_t)upper << 32 | lower;
}

static LLVMValueRef constant_table(struct jit_lower *l, const char *name, const uint64_t *values,
                                   unsigned count, unsigned bits)
{
    LLVMTypeRef element = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef table = LLVMGetNamedGlobal(l->module, name), constants[128];

    if (table)
        return table;
    for (unsigned k = 0; k < count; k++)
        constants[k] = LLVMConstInt(element, values[k], false);
    table = LLVMAddGlobal(l->module, LLVMArrayType2(element, count), name);
    LLVMSetInitializer(table, LLVMConstArray2(element, constants, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetAlignment(table, 64);
    return table;
}

static LLVMValueRef segment_table(struct jit_lower *l, enum jit_sfu_name name)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    uint64_t entries[128];
    char text[32];

    for (unsigned k = 0; k < f->count; k++)
        entries[k] = entry_of(&f->segments[k]);
    snprintf(text, sizeof text, "cup.sfu.%d", (int)name);
    return constant_table(l, text, entries, f->count, 64);
}

/* Element `index` of the table in each lane. */
static low_value look_up(struct jit_lower *l, LLVMValueRef table, low_value index, unsigned bits)
{
    LLVMTypeRef element = LLVMIntTypeInContext(l->context, bits), types[2];
    low_value pointers, arguments[4];

    index = low_resize(l, index, 64, false);
    pointers = LLVMBuildGEP2(l->builder, element, table, &index, 1, "");
    if (l->lanes == 1)
        return LLVMBuildLoad2(l->builder, element, pointers, "");
    types[0] = low_int_type(l, bits);
    types[1] = LLVMTypeOf(pointers);
    arguments[0] = pointers;
    arguments[1] = LLVMConstInt(LLVMInt32TypeInContext(l->context), bits / 8, false);
    arguments[2] = low_int(l, 1, 1);
    arguments[3] = LLVMGetPoison(types[0]);
    return low_call(l, "llvm.masked.gather", types, 2, arguments, 4);
}

static struct coefficients coefficients_of(struct jit_lower *l, enum jit_sfu_name name,
                                           low_value index)
{
    low_value entry = look_up(l, segment_table(l, name), index, 64);
    struct jit_lower halves;
    low_value words = low_split(l, entry, 32, &halves);
    low_value lower = low_every(l, words, 0, 2), upper = low_every(l, words, 1, 2);
    struct coefficients c = {upper, low_ashri(l, lower, SQUARE_BITS),
                             low_andi(l, lower, LARGE_SQUARE - 1)};

    if (name == SFU_TANH) {
        c.c0 = low_andi(l, upper, (1 << 27) - 1);
        c.c2 = low_or(l, c.c2, low_shli(l, low_lshri(l, upper, 27), SQUARE_BITS));
    }
    return c;
}

/* The square of 17 bits over 2^19, without the partial products of the columns below 2^19: the unit
 * leaves them out before it adds. Bits 9 to 16 among themselves lose only the square of bit 9; each
 * lower bit meets those upper ones that reach the column. At most 15 bits. */
static low_value square(struct jit_lower *l, low_value x)
{
    low_value upper = low_lshri(l, x, 9);
    low_value sum = low_lshri(l, low_mul(l, upper, upper), 1);

    for (unsigned bit = 2; bit < 9; bit++) {
        low_value clear = low_icmpi(l, LLVMIntEQ, low_andi(l, x, 1u << bit), 0);
        low_value more = low_add(l, sum, low_lshri(l, x, 18 - bit));

        sum = low_select(l, clear, sum, more);
    }
    return low_andi(l, sum, 0x7fff);
}

/* P >> (shift + 2), where it has 24 bits and one more in powers of two. x has 17 bits; the unit's
 * c1 * x has 34. So x is split, and what lies above bit `shift` of c0 is added at the end. */
static low_value polynomial(struct jit_lower *l, enum jit_sfu_name name, low_value index,
                            low_value x)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    struct coefficients c = coefficients_of(l, name, index);
    low_value sum, low, term;

    term = square(l, name == SFU_RCP ? low_shli(l, x, 1) : x);
    term = low_shli(l, low_mul(l, c.c2, term), f->square_shift);
    sum = low_addi(l, low_mul(l, c.c1, low_andi(l, x, 15)), f->constant);
    sum = f->square_sign < 0 ? low_sub(l, sum, term) : low_add(l, sum, term);
    sum = low_add(l, low_ashri(l, sum, 4), low_mul(l, c.c1, low_lshri(l, x, 4)));
    low = low_shli(l, low_andi(l, c.c0, 3), f->shift - 4);
    sum = low_ashri(l, low_add(l, sum, low), f->shift - 2);
    return low_add(l, low_lshri(l, c.c0, 2), sum);
}

/* All of P, in 64 bits. */
static low_value wide_polynomial(struct jit_lower *l, enum jit_sfu_name name, low_value index,
                                 low_value x)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    struct coefficients c = coefficients_of(l, name, index);
    low_value term = low_resize(l, low_mul(l, c.c2, square(l, x)), 64, false);
    low_value sum = low_shli(l, low_resize(l, c.c0, 64, false), f->shift);

    sum = low_addi(l, sum, f->constant);
    sum = low_add(l, sum, low_mul(l, low_resize(l, c.c1, 64, true), low_resize(l, x, 64, false)));
    return low_sub(l, sum, low_shli(l, term, f->square_shift));
}

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
    return polynomial(l, SFU_RCP, low_andi(l, low_lshri(l, bits, 16), 127),
                      low_andi(l, bits, 0xffff));
}

/* Bit 23 says whether 1.m is doubled. */
static low_value root_digits(struct jit_lower *l, enum jit_sfu_name name, low_value bits)
{
    return polynomial(l, name, low_andi(l, low_lshri(l, bits, 17), 127),
                      low_andi(l, bits, 0x1ffff));
}

static low_value is_power_of_four(struct jit_lower *l, low_value bits)
{
    return low_icmpi(l, LLVMIntEQ, low_andi(l, bits, 0xffffff), 0x800000);
}

/* The unit is exact for a power of four, the sum is below. */
low_value low_sfu_rsqrt_digits(struct jit_lower *l, low_value bits)
{
    return low_select(l, is_power_of_four(l, bits), low_int(l, 32, 1 << 24),
                      root_digits(l, SFU_RSQRT, bits));
}

static low_value reciprocal(struct jit_lower *l, low_value a)
{
    low_value size = magnitude(l, a), sign = low_xor(l, a, size);
    low_value digits = low_sfu_reciprocal_digits(l, a);
    low_value exponent = low_andi(l, size, infinity_bits), result;

    result = low_sub(l, low_addi(l, digits, (int64_t)252 << 23), exponent);
    result = bits_if(l, low_icmpi(l, LLVMIntSLT, result, 0x00800000), 0, result);
    result = bits_if(l, low_icmpi(l, LLVMIntEQ, exponent, 0), infinity_bits, result);
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

static low_value halved_exponent(struct jit_lower *l, low_value a)
{
    return low_andi(l, low_lshri(l, low_addi(l, a, 0x00800000), 1), infinity_bits);
}

static low_value sign_of(struct jit_lower *l, low_value a)
{
    return low_andi(l, a, 0x80000000);
}

/* From the digits and the argument's exponent, for normal arguments above 0. */
static low_value with_root_exponent(struct jit_lower *l, low_value a, low_value digits,
                                    bool inverse)
{
    low_value exponent = halved_exponent(l, a);

    if (inverse)
        return low_sub(l, low_addi(l, digits, (int64_t)189 << 23), exponent);
    return low_add(l, low_addi(l, digits, (int64_t)62 << 23), exponent);
}

static low_value reciprocal_root(struct jit_lower *l, low_value a)
{
    low_value result = with_root_exponent(l, a, low_sfu_rsqrt_digits(l, a), true);

    return positive_only(l, a, result, low_ori(l, sign_of(l, a), infinity_bits), 0);
}

static low_value root(struct jit_lower *l, low_value a)
{
    low_value result = with_root_exponent(l, a, root_digits(l, SFU_SQRT, a), false);

    return positive_only(l, a, result, sign_of(l, a), infinity_bits);
}

low_value low_sfu_plain(struct jit_lower *l, unsigned op, low_value a, low_value *is_plain)
{
    low_value bits = low_to_bits(l, a), size = magnitude(l, bits), result;
    low_value exponent = low_addi(l, op == PTX_OP_rcp ? size : bits, -0x00800000);

    switch (op) {
    case PTX_OP_rsqrt:
    case PTX_OP_sqrt:
        *is_plain = low_icmpi(l, LLVMIntULT, exponent, 0x7f000000);
        if (op == PTX_OP_rsqrt)
            *is_plain = low_and(l, *is_plain, low_not(l, is_power_of_four(l, bits)));
        result = root_digits(l, op == PTX_OP_sqrt ? SFU_SQRT : SFU_RSQRT, bits);
        result = with_root_exponent(l, bits, result, op == PTX_OP_rsqrt);
        break;
    case PTX_OP_rcp:
        *is_plain = low_icmpi(l, LLVMIntULT, exponent, 252 << 23);
        result = low_addi(l, low_sfu_reciprocal_digits(l, bits), (int64_t)252 << 23);
        result =
            low_or(l, low_sub(l, result, low_andi(l, size, infinity_bits)), low_xor(l, bits, size));
        break;
    default:
        return NULL;
    }
    return low_from_bits(l, result);
}

/* 36 places; a negative logarithm's magnitude is its ones' complement. */
static low_value logarithm(struct jit_lower *l, low_value a)
{
    low_value p =
        wide_polynomial(l, SFU_LOG2, low_andi(l, low_lshri(l, a, 17), 63), low_andi(l, a, 0x1ffff));
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
    result = polynomial(l, SFU_EXP2, low_andi(l, low_lshri(l, value, 17), 63),
                        low_andi(l, value, 0x1ffff));
    exponent = low_ashri(l, value, 23);
    result = low_add(l, result, low_shli(l, low_addi(l, exponent, 126), 23));
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
    result = low_to_bits(l, cut_off(l,
                                    wide_polynomial(l, SFU_SINE, low_lshri(l, value, 17),
                                                    low_andi(l, value, 0x1ffff)),
                                    37));
    sign = low_shli(l, low_lshri(l, quarter, 1), 31);
    if (!cosine)
        sign = low_xor(l, sign, sign_of(l, a));
    result = low_or(l, result, sign);
    return bits_if(l, low_icmpi(l, LLVMIntUGE, magnitude(l, a), infinity_bits), nan_bits, result);
}

/* Each binade from 2^-8 to 4 has 1 to 16 segments. */
static low_value tangent(struct jit_lower *l, low_value a)
{
    static const unsigned char first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    static const unsigned char bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    uint64_t binades[16] = {0};
    low_value size = magnitude(l, a), fraction = low_andi(l, a, 0x7fffff), binade, index, x, count;
    low_value result;

    for (unsigned k = 0; k < sizeof first; k++)
        binades[k] = first[k] | (uint64_t)bits[k] << 8;
    index = low_andi(l, low_addi(l, low_lshri(l, size, 23), -119), 15);
    binade = look_up(l, constant_table(l, "cup.sfu.binades", binades, 16, 32), index, 32);
    count = low_lshri(l, binade, 8);
    index = LLVMBuildLShr(l->builder, fraction, low_sub(l, low_int(l, 32, 23), count), "");
    index = low_add(l, index, low_andi(l, binade, 255));
    x = LLVMBuildLShr(l->builder, fraction, low_sub(l, low_int(l, 32, 6), count), "");
    result = low_to_bits(
        l, cut_off(l, wide_polynomial(l, SFU_TANH, index, low_andi(l, x, 0x1ffff)), 39));
    result = bits_if(l, low_icmpi(l, LLVMIntUGE, size, 0x41000000), 0x3f800000, result);
    result = low_select(l, low_icmpi(l, LLVMIntULT, size, 0x3b800000), size, result);
    return nan_where(l, a, low_or(l, result, sign_of(l, a)));
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
