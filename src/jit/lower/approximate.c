/* SPDX-License-Identifier: MIT */
/* The instructions that PTX calls approximate: rcp, sqrt, rsqrt, div, sin, cos, lg2, ex2, tanh with
 * .approx. exact.c has them as an H200 computes them. With CUPIPE_MATH=fast they are within
 * the errors that PTX documents: where the CPU has the exact operation, that is the approximation;
 * polynomials.c has the others. */
#include "jit/lower/builder.h"

/* The device multiplies by the reciprocal, which is flushed to 0 if it is subnormal. */
static low_value divide(struct jit_lower *l, low_value a, low_value b)
{
    low_value zero = low_call2(l, "llvm.copysign", low_float(l, 32, 0), b);
    low_value huge = low_fcmp(l, LLVMRealOGT, low_fabs(l, b), low_float(l, 32, 0x1p126));

    return low_select(l, huge, LLVMBuildFMul(l->builder, a, zero, ""),
                      LLVMBuildFDiv(l->builder, a, b, ""));
}

/* .f64: the device uses and returns the upper 32 bits only. */
static low_value upper(struct jit_lower *l, low_value a)
{
    return low_from_bits(l, low_andi(l, low_to_bits(l, a), ~(uint64_t)UINT32_MAX));
}

static low_value approximate_double(struct jit_lower *l, const struct ptx_instruction *i,
                                    low_value a)
{
    bool coarse = ptx_has(i, PTX_MOD_FTZ);
    low_value source = a;

    if (coarse)
        a = low_flush(l, upper(l, a));
    if (i->op == PTX_OP_rsqrt)
        a = low_call1(l, "llvm.sqrt", a);
    a = LLVMBuildFDiv(l->builder, low_float(l, 64, 1), a, "");
    if (!coarse)
        return low_settle_nan(l, a, &source, 1);
    return low_select(l, low_is_nan(l, a),
                      low_from_bits(l, low_int(l, 64, UINT64_C(0x7fffffff) << 32)),
                      low_flush(l, upper(l, a)));
}

static low_value approximate_float(struct jit_lower *l, const struct ptx_instruction *i,
                                   low_value a, low_value b)
{
    switch (i->op) {
    case PTX_OP_div:
        return divide(l, a, b);
    case PTX_OP_rcp:
        return LLVMBuildFDiv(l->builder, low_float(l, 32, 1), a, "");
    case PTX_OP_sqrt:
        return low_call1(l, "llvm.sqrt", a);
    case PTX_OP_rsqrt:
        return LLVMBuildFDiv(l->builder, low_float(l, 32, 1), low_call1(l, "llvm.sqrt", a), "");
    case PTX_OP_sin:
        return low_sine(l, a, false);
    case PTX_OP_cos:
        return low_sine(l, a, true);
    case PTX_OP_lg2:
        return low_log2(l, a);
    case PTX_OP_ex2:
        return low_exp2(l, a);
    default:
        return low_tanh(l, a);
    }
}

bool low_emit_approximate(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                          low_value *r)
{
    bool ftz = ptx_has(i, PTX_MOD_FTZ), two = i->op == PTX_OP_div;
    low_value a = s[0], b = two ? s[1] : NULL;

    if (low_is_half(i->types[0]))
        return low_emit_half(l, i, s, r);
    if (!l->fast_math) {
        r[0] = low_exact(l, i, a, b);
        return true;
    }
    if (i->types[0] == PTX_F64) {
        r[0] = approximate_double(l, i, a);
        return true;
    }
    if (ftz) {
        a = low_flush(l, a);
        b = two ? low_flush(l, b) : NULL;
    }
    a = approximate_float(l, i, a, b);
    r[0] = low_settle_nan(l, ftz ? low_flush(l, a) : a, NULL, 0);
    return true;
}
