/* SPDX-License-Identifier: MIT */
/* The instructions of .f32 and .f64: add, sub, mul, div, fma, rcp, sqrt, neg, abs, min, max. */
#include "jit/lower/builder.h"

/* Flushes and saturates a result and settles its NaN. operands: those that a NaN may come from, in
 * the order of precedence. */
static low_value finish(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                        const low_value *operands, unsigned count)
{
    if (ptx_has(i, PTX_MOD_FTZ) && i->op != PTX_OP_mul && i->op != PTX_OP_fma &&
        i->op != PTX_OP_mad)
        a = low_flush(l, a); /* multiply() flushes itself */
    return ptx_has(i, PTX_MOD_SAT) ? low_saturate(l, a) : low_settle_nan(l, a, operands, count);
}

/* Of sums that became part of a product (fma_contraction.c). */
static low_value negate_if(struct jit_lower *l, bool negated, low_value a)
{
    return negated ? LLVMBuildFNeg(l->builder, a, "") : a;
}

/* Products, and their sums. .ftz flushes what is below the normal numbers once it is rounded to 24
 * bits, with the exponent that it has. .f32 rounds there to fewer bits, perhaps up to the smallest
 * normal number, so the operation is done again with larger numbers to tell. */
static low_value multiply(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                          low_value b, low_value c)
{
    enum low_operation operation = c ? LOW_FMA : LOW_MUL;
    low_value result = low_arithmetic(l, operation, low_rounding_of(i), a, b, c), scale, larger;

    if (!ptx_has(i, PTX_MOD_FTZ))
        return result;
    scale = low_float(l, 32, 0x1p64);
    larger =
        low_arithmetic(l, operation, low_rounding_of(i), LLVMBuildFMul(l->builder, a, scale, ""), b,
                       c ? LLVMBuildFMul(l->builder, c, scale, "") : NULL);
    return low_select(l, low_fcmp(l, LLVMRealOLT, low_fabs(l, larger), low_float(l, 32, 0x1p-62)),
                      low_zero_like(l, result), result);
}

/* div.ftz with a directed rounding also flushes quotients that are normal only because they were
 * rounded up in magnitude. */
static low_value divide(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                        low_value b)
{
    enum low_rounding rounding = low_rounding_of(i);
    low_value result = low_arithmetic(l, LOW_DIV, rounding, a, b, NULL), cut, tiny;

    if (!ptx_has(i, PTX_MOD_FTZ) || (rounding != LOW_RM && rounding != LOW_RP))
        return result;
    cut = low_arithmetic(l, LOW_DIV, LOW_RZ, a, b, NULL);
    tiny = low_fcmp(l, LLVMRealOLT, low_fabs(l, cut), low_float(l, 32, 0x1p-126));
    return low_select(l, tiny, cut, result);
}

/* Widens operands of mixed-precision instructions (add.f32.f16); flushes others if .ftz. */
static low_value take(struct jit_lower *l, const struct ptx_instruction *i, low_value a, bool mixed)
{
    if (mixed && i->type_count == 2)
        return low_half_to_float(l, a, i->types[1] == PTX_BF16);
    return ptx_has(i, PTX_MOD_FTZ) ? low_flush(l, a) : a;
}

/* .f32x2 is computed as two lanes of .f32. */
static bool emit_pair(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                      low_value *r)
{
    struct ptx_instruction one = *i;
    struct jit_lower narrow;
    low_value a[3];

    one.types[0] = PTX_F32;
    for (unsigned k = 0; k < i->source_count && k < 3; k++) {
        a[k] = low_split(l, s[k], 32, &narrow);
        a[k] = low_from_bits(&narrow, a[k]);
    }
    narrow.raw_nan = false;
    if (i->op == PTX_OP_fma)
        low_emit_float_fma(&narrow, &one, a, r);
    else
        low_emit_float_binary(&narrow, &one, a, r);
    r[0] = low_join(l, r[0], 64);
    return true;
}

bool low_emit_float_binary(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                           low_value *r)
{
    enum low_operation operation = i->op == PTX_OP_add   ? LOW_ADD
                                   : i->op == PTX_OP_sub ? LOW_SUB
                                   : i->op == PTX_OP_mul ? LOW_MUL
                                                         : LOW_DIV;
    low_value a, b;

    if (i->types[0] == PTX_F32X2)
        return emit_pair(l, i, s, r);
    if (operation == LOW_DIV &&
        (ptx_has(i, PTX_MOD_APPROX) || (ptx_has(i, PTX_MOD_FULL) && !l->fast_math)))
        return low_emit_approximate(l, i, s, r);
    a = take(l, i, s[0], operation == LOW_ADD || operation == LOW_SUB);
    b = take(l, i, s[1], false);
    if (operation == LOW_DIV)
        r[0] = finish(l, i, divide(l, i, a, b), (low_value[]){a, b}, 2);
    else
        r[0] = finish(l, i,
                      operation == LOW_MUL
                          ? multiply(l, i, a, b, NULL)
                          : low_arithmetic(l, operation, low_rounding_of(i), a, b, NULL),
                      (low_value[]){b, a}, 2);
    return true;
}

bool low_emit_float_fma(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                        low_value *r)
{
    low_value a, b, c;

    if (i->types[0] == PTX_F32X2)
        return emit_pair(l, i, s, r);
    a = take(l, i, s[0], true);
    b = take(l, i, s[1], true);
    c = take(l, i, s[2], false);
    r[0] = finish(
        l, i,
        multiply(l, i, negate_if(l, i->src[0].negated, a), b, negate_if(l, i->src[2].negated, c)),
        (low_value[]){b, c, a}, 3);
    return true;
}

/* neg and abs; a NaN of .f64 keeps its sign, also where others have the CPU's bits. */
static low_value change_sign(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    low_value result = i->op == PTX_OP_neg ? LLVMBuildFNeg(l->builder, a, "") : low_fabs(l, a);
    struct jit_lower exact = *l;

    exact.raw_nan = l->raw_nan && low_width(a) != 64;
    return low_settle_nan(&exact, result, &a, 1);
}

bool low_emit_float_unary(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                          low_value *r)
{
    low_value a = take(l, i, s[0], false), result;

    if (ptx_has(i, PTX_MOD_APPROX))
        return low_emit_approximate(l, i, s, r);
    switch (i->op) {
    case PTX_OP_neg:
    case PTX_OP_abs:
        r[0] = change_sign(l, i, a);
        return true;
    case PTX_OP_rcp:
        result = divide(l, i, low_float(l, low_width(a), 1), a);
        break;
    default:
        result = low_arithmetic(l, LOW_SQRT, low_rounding_of(i), a, NULL, NULL);
    }
    r[0] = finish(l, i, result, &a, 1);
    return true;
}

bool low_emit_float_min_max(struct jit_lower *l, const struct ptx_instruction *i,
                            const low_value *s, low_value *r)
{
    bool max = i->op == PTX_OP_max, nan = ptx_has(i, PTX_MOD_NAN);
    bool magnitudes = ptx_has(i, PTX_MOD_XORSIGN);
    unsigned width = low_width(s[0]);
    low_value signs = NULL, best = NULL;

    for (unsigned k = 0; k < i->source_count; k++) {
        low_value a = take(l, i, s[k], false), bits = low_to_bits(l, a);

        signs = signs ? low_xor(l, signs, bits) : bits;
        if (magnitudes)
            a = low_fabs(l, a);
        best = best ? low_float_min_max(l, best, a, max, nan) : a;
    }
    if (magnitudes) {
        low_value sign = low_andi(l, signs, UINT64_C(1) << (width - 1));

        best = low_from_bits(l, low_or(l, low_to_bits(l, low_fabs(l, best)), sign));
    }
    r[0] = low_settle_nan(l, best, (low_value[]){s[1], s[0]}, 2);
    return true;
}
