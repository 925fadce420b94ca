/* SPDX-License-Identifier: MIT */
/* The approximate instructions as an H200 computes them: each is the special function unit between
 * a few IEEE operations, which scale what the unit would take for zero or flush to zero.
 *
 * The unit is a hundred operations, so each instruction becomes a function of the module, which its
 * uses call: inlining them made n-body no faster. In the optimised tier, where run time counts
 * most, vectors without special cases have a shorter function. Where vectors have 16 lanes, calls
 * follow OpenCL's convention, by which a function keeps half of the registers: loops have their
 * values there. It does not keep the frame pointer, which LLVM 19's callers rely on, so these
 * functions have a frame themselves. */
#include "jit/lower/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static low_value f32(struct jit_lower *l, double value)
{
    return low_float(l, 32, value);
}

static low_value multiply(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildFMul(l->builder, a, b, "");
}

static low_value is_small(struct jit_lower *l, low_value a)
{
    return low_fcmp(l, LLVMRealOLT, low_fabs(l, a), f32(l, 0x1p-126));
}

static low_value is_large(struct jit_lower *l, low_value a, LLVMRealPredicate predicate)
{
    return low_fcmp(l, predicate, low_fabs(l, a), f32(l, 0x1p126));
}

/* The unit's function of a * 2^24 for subnormal a, and the correction of its result. */
static low_value scaled_small(struct jit_lower *l, unsigned op, low_value a)
{
    low_value small = is_small(l, a);
    low_value result = low_sfu(l, op, low_select(l, small, multiply(l, a, f32(l, 0x1p24)), a));

    if (op == PTX_OP_lg2)
        return low_select(l, small, LLVMBuildFSub(l->builder, result, f32(l, 24), ""), result);
    return low_select(l, small, multiply(l, result, f32(l, op == PTX_OP_sqrt ? 0x1p-12 : 0x1p12)),
                      result);
}

static low_value reciprocal(struct jit_lower *l, low_value a)
{
    low_value scale = low_select(l, is_large(l, a, LLVMRealOGE), f32(l, 0.25), f32(l, 1));

    scale = low_select(l, is_small(l, a), f32(l, 0x1p24), scale);
    return multiply(l, low_sfu(l, PTX_OP_rcp, multiply(l, a, scale)), scale);
}

/* Below 2^-126 the square of the power of half the argument. */
static low_value power(struct jit_lower *l, low_value a)
{
    low_value low = low_fcmp(l, LLVMRealOLT, a, f32(l, -126)), result;

    result = low_sfu(l, PTX_OP_ex2, low_select(l, low, multiply(l, a, f32(l, 0.5)), a));
    return low_select(l, low, multiply(l, result, result), result);
}

static low_value of_one(struct jit_lower *l, unsigned op, bool ftz, low_value a)
{
    switch (op) {
    case PTX_OP_rcp:
        return ftz ? low_sfu(l, op, a) : reciprocal(l, a);
    case PTX_OP_ex2:
        return ftz ? low_sfu(l, op, a) : power(l, a);
    case PTX_OP_rsqrt:
    case PTX_OP_sqrt:
    case PTX_OP_lg2:
        return ftz ? low_sfu(l, op, a) : scaled_small(l, op, a);
    default: /* sin, cos and tanh do not depend on .ftz */
        return low_sfu(l, op, a);
    }
}

/* The dividend times the unit's reciprocal. */
static low_value divide(struct jit_lower *l, bool full, bool ftz, low_value a, low_value b)
{
    low_value scale = NULL;

    if (full)
        scale = low_select(l, is_large(l, b, LLVMRealOGT), f32(l, 0.25), f32(l, 1));
    if (ftz)
        a = low_flush(l, a);
    else
        scale = low_select(l, is_small(l, b), f32(l, 0x1p24), scale ? scale : f32(l, 1));
    if (scale) {
        a = multiply(l, a, scale);
        b = multiply(l, b, scale);
    }
    if (ftz)
        a = low_flush(l, a);
    a = multiply(l, a, low_sfu(l, PTX_OP_rcp, b));
    return ftz ? low_flush(l, a) : a;
}

/* The upper word alone: 20 digits in, 20 digits out, the lower word of the result is 0. */
static low_value of_double(struct jit_lower *l, unsigned op, low_value a)
{
    low_value high = low_resize(l, low_lshri(l, low_to_bits(l, a), 32), 32, false);
    low_value size = low_andi(l, high, 0x7fffffff), sign = low_xor(l, high, size);
    low_value digits = low_shli(l, high, 3), infinity = low_int(l, 32, 0x7ff00000), result, zero;
    low_value nan = low_icmp(l, LLVMIntUGT, size, infinity);

    if (op == PTX_OP_rcp) {
        digits = low_lshri(l, low_sfu_reciprocal_digits(l, digits), 3);
        result =
            low_sub(l, low_addi(l, digits, (int64_t)2044 << 20), low_andi(l, size, 0x7ff00000));
        result =
            low_select(l, low_icmpi(l, LLVMIntSLT, result, 1 << 20), low_int(l, 32, 0), result);
    } else {
        digits = low_lshri(l, low_sfu_rsqrt_digits(l, digits), 3);
        result = low_andi(l, low_lshri(l, low_addi(l, high, 1 << 20), 1), 0x7ff00000);
        result = low_sub(l, low_addi(l, digits, (int64_t)1533 << 20), result);
        result = low_select(l, low_icmp(l, LLVMIntEQ, size, infinity), low_int(l, 32, 0), result);
        nan = low_or(l, nan, low_icmpi(l, LLVMIntSLT, high, 0));
    }
    zero = low_icmpi(l, LLVMIntULT, size, 1 << 20);
    result = low_or(l, low_select(l, zero, infinity, result), sign);
    nan = low_and(l, nan, low_not(l, zero));
    result = low_select(l, nan, low_int(l, 32, 0x7fffffff), result);
    return low_from_bits(l, low_shli(l, low_resize(l, result, 64, false), 32));
}

/* rsqrt.approx.f64 refines the unit's y: e = 1 - a y^2, and y + y e (1/2 + 3/8 e). Subnormals are
 * scaled first. */
static low_value refined_rsqrt(struct jit_lower *l, low_value a)
{
    low_value tiny = low_fcmp(l, LLVMRealOLT, low_fabs(l, a), low_float(l, 64, 0x1p-1022));
    low_value one = low_float(l, 64, 1), half = low_float(l, 64, 0.5);
    low_value scaled =
        LLVMBuildFMul(l->builder, a, low_select(l, tiny, low_float(l, 64, 0x1p54), one), "");
    low_value y = of_double(l, PTX_OP_rsqrt, scaled), error, slope, result, ordinary;

    error =
        low_fma(l, scaled, LLVMBuildFNeg(l->builder, LLVMBuildFMul(l->builder, y, y, ""), ""), one);
    slope = low_fma(l, error, low_float(l, 64, 0.375), half);
    result = low_fma(l, slope, LLVMBuildFMul(l->builder, error, y, ""), y);
    result =
        LLVMBuildFMul(l->builder, result, low_select(l, tiny, low_float(l, 64, 0x1p27), one), "");
    ordinary = low_and(l, low_fcmp(l, LLVMRealOGT, scaled, low_float(l, 64, 0)),
                       low_fcmp(l, LLVMRealOLT, scaled, low_float(l, 64, INFINITY)));
    y = low_select(l, low_is_nan(l, a), a, y); /* the unit ignores the lower word, and NaNs there */
    return low_select(l, ordinary, result, low_settle_nan(l, y, &a, 1));
}

struct exact_function {
    unsigned op;
    bool full, ftz, wide; /* wide: .f64 */
};

static low_value compute(struct jit_lower *l, const struct exact_function *f, low_value a,
                         low_value b)
{
    if (f->wide)
        return f->ftz ? of_double(l, f->op, a) : refined_rsqrt(l, a);
    a = b ? divide(l, f->full, f->ftz, a, b) : of_one(l, f->op, f->ftz, a);
    return low_settle_nan(l, a, NULL, 0);
}

static unsigned convention(const struct jit_lower *l)
{
    return l->byte_products ? LLVMIntelOCLBICallConv : LLVMCCallConv;
}

static low_value build_call(const struct jit_lower *l, LLVMTypeRef type, LLVMValueRef function,
                            low_value *arguments, unsigned count)
{
    low_value result = LLVMBuildCall2(l->builder, type, function, arguments, count, "");

    LLVMSetInstructionCallConv(result, convention(l));
    return result;
}

/* A function of the module, without a body. */
static LLVMValueRef declare(const struct jit_lower *l, const char *name, LLVMTypeRef type)
{
    static const char *const attributes[] = {"nounwind", "noinline"};
    LLVMValueRef function = LLVMAddFunction(l->module, name, type);

    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(function, convention(l));
    for (unsigned k = 0; k < 2; k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[k], strlen(attributes[k]));

        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(l->context, kind, 0));
    }
    if (convention(l) != LLVMCCallConv)
        LLVMAddTargetDependentFunctionAttr(function, "frame-pointer", "all");
    return function;
}

static void begin(struct jit_lower *l, LLVMValueRef function, low_value arguments[2])
{
    l->raw_nan = false;
    l->builder = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(l->builder, LLVMAppendBasicBlockInContext(l->context, function, ""));
    LLVMGetParams(function, arguments);
}

static LLVMValueRef whole_function(const struct jit_lower *outer, const char *name,
                                   LLVMTypeRef type, const struct exact_function *f)
{
    struct jit_lower l = *outer;
    LLVMValueRef function = LLVMGetNamedFunction(l.module, name), arguments[2] = {NULL, NULL};

    if (function)
        return function;
    function = declare(&l, name, type);
    begin(&l, function, arguments);
    LLVMBuildRet(l.builder, compute(&l, f, arguments[0], arguments[1]));
    LLVMDisposeBuilder(l.builder);
    return function;
}

static low_value any_of(struct jit_lower *l, low_value condition)
{
    return l->lanes == 1 ? condition : low_call1(l, "llvm.vector.reduce.or", condition);
}

/* Most arguments need no special treatment: a function for vectors of them, which calls the whole
 * one for all others. */
static LLVMValueRef plain_function(const struct jit_lower *outer, const char *name,
                                   LLVMTypeRef type, const struct exact_function *f,
                                   LLVMValueRef whole)
{
    struct jit_lower l = *outer;
    LLVMValueRef function = LLVMGetNamedFunction(l.module, name), arguments[2], which, result;
    LLVMBasicBlockRef easy, special;

    if (function)
        return function;
    function = declare(&l, name, type);
    begin(&l, function, arguments);
    result = low_sfu_plain(&l, f->op, arguments[0], &which);
    easy = LLVMAppendBasicBlockInContext(l.context, function, "");
    special = LLVMAppendBasicBlockInContext(l.context, function, "");
    LLVMBuildCondBr(l.builder, any_of(&l, which), special, easy);
    LLVMPositionBuilderAtEnd(l.builder, easy);
    LLVMBuildRet(l.builder, result);
    LLVMPositionBuilderAtEnd(l.builder, special);
    LLVMBuildRet(l.builder, build_call(&l, type, whole, arguments, 1));
    LLVMDisposeBuilder(l.builder);
    return function;
}

static low_value call(struct jit_lower *l, const struct exact_function *f, low_value a, low_value b)
{
    LLVMTypeRef from = LLVMTypeOf(a);
    LLVMTypeRef type = LLVMFunctionType(from, (LLVMTypeRef[]){from, from}, b ? 2 : 1, false);
    bool plain = !b && !f->wide && !l->first_tier &&
                 (f->op == PTX_OP_rcp || f->op == PTX_OP_rsqrt || f->op == PTX_OP_sqrt);
    LLVMValueRef function;
    char name[64];

    snprintf(name, sizeof name, "cup.exact.%u.%d.%d.%d.%u", f->op, f->full, f->ftz, f->wide,
             l->lanes);
    function = whole_function(l, name, type, f);
    if (plain) {
        snprintf(name, sizeof name, "cup.plain.%u.%d.%u", f->op, f->ftz, l->lanes);
        function = plain_function(l, name, type, f, function);
    }
    return build_call(l, type, function, (low_value[]){a, b}, b ? 2 : 1);
}

low_value low_exact(struct jit_lower *l, const struct ptx_instruction *i, low_value a, low_value b)
{
    struct exact_function f = {i->op, ptx_has(i, PTX_MOD_FULL), ptx_has(i, PTX_MOD_FTZ),
                               low_width(a) == 64};

    return call(l, &f, a, b);
}

low_value low_exact_unit(struct jit_lower *l, unsigned op, low_value a)
{
    struct exact_function f = {op, false, true, false};

    return call(l, &f, a, NULL);
}
