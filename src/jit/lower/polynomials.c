/* SPDX-License-Identifier: MIT */
/* The functions of approximate instructions, within the errors that PTX documents and with its
 * special values. They are polynomials made by scripts/fit_polynomials.py, in .f32, without
 * branches and tables, so that they are the same over any number of lanes.
 *
 *   ex2   the integer part goes into the exponent, in two steps so that subnormals are exact;
 *   lg2   the exponent, plus the logarithm of a mantissa between sqrt(1/2) and sqrt(2);
 *   sin   of a turn: the argument times 1 / (2 pi), without its integer part, as the hardware does;
 *   tanh  a polynomial near 0, elsewhere by ex2. */
#include "jit/lower/builder.h"

static low_value polynomial(struct jit_lower *l, low_value x, const double *coefficients,
                            unsigned degree)
{
    low_value result = low_float(l, 32, coefficients[degree]);

    while (degree--)
        result = low_fma(l, result, x, low_float(l, 32, coefficients[degree]));
    return result;
}

static low_value f32(struct jit_lower *l, double value)
{
    return low_float(l, 32, value);
}

static low_value to_int32(struct jit_lower *l, low_value a)
{
    LLVMTypeRef types[2] = {low_int_type(l, 32), LLVMTypeOf(a)};

    return low_call(l, "llvm.fptosi.sat", types, 2, &a, 1);
}

/* 2^n for whole n from -126 to 127. */
static low_value power_of_two(struct jit_lower *l, low_value n)
{
    return low_from_bits(l, low_shli(l, low_addi(l, n, 127), 23));
}

low_value low_exp2(struct jit_lower *l, low_value a)
{
    static const double c[] = {1.0000000005541665,   0.6931472057372533,   0.24022646890639762,
                               0.05550328776997124,  0.009618488956502537, 0.0013399931209598873,
                               0.0001534581216426953};
    low_value whole = low_call1(l, "llvm.roundeven", a);
    low_value rest = LLVMBuildFSub(l->builder, a, whole, "");
    low_value n, half, infinite, result;

    n = low_int_max(l, to_int32(l, whole), low_int(l, 32, (uint64_t)-252), true);
    n = low_int_min(l, n, low_int(l, 32, 254), true);
    half = low_ashri(l, n, 1);
    /* inf - inf is NaN: the rest of an infinite argument is 0. */
    infinite =
        low_fcmp(l, LLVMRealOEQ, low_fabs(l, a), low_from_bits(l, low_int(l, 32, 0x7f800000)));
    rest = low_select(l, infinite, f32(l, 0), rest);
    result = polynomial(l, rest, c, 6);
    result = LLVMBuildFMul(l->builder, result, power_of_two(l, half), "");
    return LLVMBuildFMul(l->builder, result, power_of_two(l, low_sub(l, n, half)), "");
}

low_value low_log2(struct jit_lower *l, low_value a)
{
    static const double c[] = {1.442695040829941,   -0.7213473515009722,  0.4808982410577441,
                               -0.3606966493745414, 0.28856740831062255,  -0.2396174043026878,
                               0.20460062196072012, -0.19106275145421814, 0.18617494516672567,
                               -0.10994953749401168};
    low_value zero = f32(l, 0);
    low_value infinity = low_from_bits(l, low_int(l, 32, 0x7f800000));
    low_value small = low_fcmp(l, LLVMRealOLT, a, f32(l, 0x1p-126));
    low_value scaled = low_select(l, small, LLVMBuildFMul(l->builder, a, f32(l, 0x1p24), ""), a);
    low_value bits = low_to_bits(l, scaled);
    low_value exponent = low_ashri(l, low_addi(l, bits, -0x3f3504f3), 23);
    low_value mantissa = low_from_bits(l, low_sub(l, bits, low_shli(l, exponent, 23)));
    low_value x = LLVMBuildFSub(l->builder, mantissa, f32(l, 1), "");
    low_value e = LLVMBuildSIToFP(l->builder, exponent, low_float_type(l, 32), "");
    low_value result;

    e = LLVMBuildFSub(l->builder, e, low_select(l, small, f32(l, 24), zero), "");
    result = low_fma(l, polynomial(l, x, c, 9), x, e);
    result = low_select(l, low_fcmp(l, LLVMRealOEQ, a, infinity), infinity, result);
    result = low_select(l, low_fcmp(l, LLVMRealOEQ, a, zero),
                        low_from_bits(l, low_int(l, 32, 0xff800000)), result);
    return low_select(l, low_fcmp(l, LLVMRealULT, a, zero),
                      low_from_bits(l, low_int(l, 32, 0x7fffffff)), result);
}

/* sin(2πx) = sin(2π(1/2 - x)), so the polynomial covers a quarter turn in either direction. */
low_value low_sine(struct jit_lower *l, low_value a, bool cosine)
{
    static const double c[] = {6.283185280367997, -41.341680722657486, 81.60248511158368,
                               -76.58139641858318, 39.76161706425277};
    LLVMBuilderRef builder = l->builder;
    low_value turns = LLVMBuildFMul(builder, a, f32(l, 0.15915494309189535), "");
    low_value x = LLVMBuildFSub(builder, turns, low_call1(l, "llvm.roundeven", turns), "");
    low_value size = low_fabs(l, x);

    if (cosine) {
        x = LLVMBuildFSub(builder, f32(l, 0.25), size, "");
    } else {
        low_value other = LLVMBuildFSub(builder, f32(l, 0.5), size, "");
        low_value beyond = low_fcmp(l, LLVMRealOGT, size, f32(l, 0.25));
        low_value sign = low_select(l, low_fcmp(l, LLVMRealOEQ, x, f32(l, 0)), a, x);

        x = low_call2(l, "llvm.copysign", low_select(l, beyond, other, size), sign);
    }
    return LLVMBuildFMul(builder, polynomial(l, LLVMBuildFMul(builder, x, x, ""), c, 4), x, "");
}

low_value low_tanh(struct jit_lower *l, low_value a)
{
    static const double c[] = {0.9999999691095598, -0.33332810517604505, 0.13319132237982448,
                               -0.0526027975319641, 0.016337689295768263};
    LLVMBuilderRef builder = l->builder;
    low_value size = low_fabs(l, a), two = f32(l, 2), one = f32(l, 1);
    low_value near =
        LLVMBuildFMul(builder, polynomial(l, LLVMBuildFMul(builder, a, a, ""), c, 4), a, "");
    low_value power = low_exp2(l, LLVMBuildFMul(builder, size, f32(l, 2.885390081777927), ""));
    low_value far = LLVMBuildFDiv(builder, two, LLVMBuildFAdd(builder, power, one, ""), "");

    far = low_call2(l, "llvm.copysign", LLVMBuildFSub(builder, one, far, ""), a);
    return low_select(l, low_fcmp(l, LLVMRealULT, size, f32(l, 0.55)), near, far);
}
