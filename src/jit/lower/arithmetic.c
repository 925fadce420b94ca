/* SPDX-License-Identifier: MIT */
/* Arithmetic of .f32 and .f64: IEEE operations in all rounding modes, flushing, saturation, NaN.
 *
 * Rounding to nearest is LLVM's default. A directed rounding is a small function of the module,
 * never inlined, that sets the rounding mode of the CPU, executes the one operation on all lanes,
 * and restores the mode. So no other operation is scheduled while the mode is changed, and none is
 * folded: inside, everything is a constrained intrinsic.
 *
 * A NaN of .f32 has one bit pattern on NVIDIA's hardware, whatever the operands are. A NaN of .f64
 * is the operand's, made quiet; if no operand is a NaN, it is the negative one without payload. */
#include "jit/lower/builder.h"

#include <stdio.h>
#include <string.h>

enum low_rounding low_rounding_of(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_MOD_RZ)   ? LOW_RZ
           : ptx_has(i, PTX_MOD_RM) ? LOW_RM
           : ptx_has(i, PTX_MOD_RP) ? LOW_RP
                                    : LOW_RN;
}

low_value low_zero_like(struct jit_lower *l, low_value a)
{
    return low_from_bits(l, low_andi(l, low_to_bits(l, a), UINT64_C(1) << (low_width(a) - 1)));
}

low_value low_flush(struct jit_lower *l, low_value a)
{
    bool is_float = low_width(a) == 32;
    low_value smallest = low_float(l, low_width(a), is_float ? 0x1p-126 : 0x1p-1022);

    return low_select(l, low_fcmp(l, LLVMRealOLT, low_fabs(l, a), smallest), low_zero_like(l, a),
                      a);
}

low_value low_saturate(struct jit_lower *l, low_value a)
{
    unsigned width = low_width(a);
    low_value zero = low_float(l, width, 0), one = low_float(l, width, 1);
    low_value below = low_select(l, low_fcmp(l, LLVMRealOLT, a, one), a, one);

    return low_select(l, low_fcmp(l, LLVMRealOGT, a, zero), below, zero);
}

low_value jit_lower_canonical_nan(struct jit_lower *l, low_value a)
{
    low_value nan;

    if (low_width(a) != 32)
        return a;
    nan = LLVMBuildBitCast(l->builder, low_int(l, 32, 0x7fffffff), LLVMTypeOf(a), "");
    return low_select(l, low_is_nan(l, low_from_bits(l, a)), nan, a);
}

static low_value quiet(struct jit_lower *l, low_value a)
{
    return low_from_bits(l, low_ori(l, low_to_bits(l, a), UINT64_C(1) << 51));
}

/* Gives a NaN result the device's bits. For .f64 these are the bits of the first operand given that
 * is a NaN. */
low_value low_settle_nan(struct jit_lower *l, low_value result, const low_value *operands,
                         unsigned count)
{
    low_value nan;

    if (l->raw_nan)
        return result;
    if (low_width(result) == 32)
        return jit_lower_canonical_nan(l, result);
    nan = low_from_bits(l, low_int(l, 64, UINT64_C(0xfff8) << 48));
    while (count--)
        nan = low_select(l, low_is_nan(l, operands[count]), quiet(l, operands[count]), nan);
    return low_select(l, low_is_nan(l, result), nan, result);
}

/* A metadata string, as constrained intrinsics take for the rounding mode and the exceptions. */
static low_value word(struct jit_lower *l, const char *text)
{
    return LLVMMetadataAsValue(l->context, LLVMMDStringInContext2(l->context, text, strlen(text)));
}

static LLVMAttributeRef attribute(struct jit_lower *l, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    return LLVMCreateEnumAttribute(l->context, kind, 0);
}

static low_value call_constrained(struct jit_lower *l, enum low_operation operation,
                                  low_value *arguments, unsigned count)
{
    static const char *const names[] = {
        [LOW_ADD] = "llvm.experimental.constrained.fadd",
        [LOW_SUB] = "llvm.experimental.constrained.fsub",
        [LOW_MUL] = "llvm.experimental.constrained.fmul",
        [LOW_DIV] = "llvm.experimental.constrained.fdiv",
        [LOW_FMA] = "llvm.experimental.constrained.fma",
        [LOW_SQRT] = "llvm.experimental.constrained.sqrt",
        [LOW_NARROW] = "llvm.experimental.constrained.fptrunc",
    };
    bool narrow = operation == LOW_NARROW;
    LLVMTypeRef from = LLVMTypeOf(arguments[0]);
    LLVMTypeRef types[2] = {narrow ? low_float_type(l, 32) : from, from};
    low_value call;

    arguments[count++] = word(l, "round.dynamic");
    arguments[count++] = word(l, "fpexcept.strict");
    call = low_call(l, names[operation], types, narrow ? 2 : 1, arguments, count);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute(l, "strictfp"));
    return call;
}

static void set_rounding(struct jit_lower *l, enum low_rounding rounding)
{
    static const unsigned modes[] = {[LOW_RN] = 1, [LOW_RZ] = 0, [LOW_RM] = 3, [LOW_RP] = 2};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    low_value mode = LLVMConstInt(i32, modes[rounding], false);
    low_value call = low_call(l, "llvm.set.rounding", NULL, 0, &mode, 1);

    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute(l, "strictfp"));
}

static void fill_rounded_function(const struct jit_lower *outer, LLVMValueRef function,
                                  enum low_operation operation, enum low_rounding rounding,
                                  unsigned count)
{
    struct jit_lower l = *outer;
    low_value arguments[5], result;

    l.builder = LLVMCreateBuilderInContext(l.context);
    LLVMPositionBuilderAtEnd(l.builder, LLVMAppendBasicBlockInContext(l.context, function, ""));
    LLVMGetParams(function, arguments);
    set_rounding(&l, rounding);
    result = call_constrained(&l, operation, arguments, count);
    set_rounding(&l, LOW_RN);
    LLVMBuildRet(l.builder, result);
    LLVMDisposeBuilder(l.builder);
}

static low_value call_rounded(struct jit_lower *l, enum low_operation operation,
                              enum low_rounding rounding, low_value *arguments, unsigned count)
{
    LLVMTypeRef from = LLVMTypeOf(arguments[0]);
    LLVMTypeRef to = operation == LOW_NARROW ? low_float_type(l, 32) : from;
    LLVMTypeRef type = LLVMFunctionType(to, (LLVMTypeRef[]){from, from, from}, count, false);
    LLVMValueRef function;
    char name[64];

    snprintf(name, sizeof name, "cup.rounded.%d.%d.%u.%u", operation, rounding,
             low_width(arguments[0]), l->lanes);
    function = LLVMGetNamedFunction(l->module, name);
    if (!function) {
        function = LLVMAddFunction(l->module, name, type);
        LLVMSetLinkage(function, LLVMInternalLinkage);
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(l, "noinline"));
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(l, "strictfp"));
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(l, "nounwind"));
        fill_rounded_function(l, function, operation, rounding, count);
    }
    return LLVMBuildCall2(l->builder, type, function, arguments, count, "");
}

low_value low_arithmetic(struct jit_lower *l, enum low_operation operation,
                         enum low_rounding rounding, low_value a, low_value b, low_value c)
{
    low_value arguments[5] = {a, b, c};

    if (rounding != LOW_RN)
        return call_rounded(l, operation, rounding, arguments, c ? 3 : b ? 2 : 1);
    switch (operation) {
    case LOW_ADD:
        return LLVMBuildFAdd(l->builder, a, b, "");
    case LOW_SUB:
        return LLVMBuildFSub(l->builder, a, b, "");
    case LOW_MUL:
        return LLVMBuildFMul(l->builder, a, b, "");
    case LOW_DIV:
        return LLVMBuildFDiv(l->builder, a, b, "");
    case LOW_FMA:
        return low_fma(l, a, b, c);
    case LOW_SQRT:
        return low_call1(l, "llvm.sqrt", a);
    case LOW_NARROW:
        return LLVMBuildFPTrunc(l->builder, a, low_float_type(l, 32), "");
    }
    return NULL;
}

/* Rounds to odd: of the two neighbours of the exact value, the one whose last bit is set. `rounded`
 * is one of them; if `inexact`, the exact value is larger in magnitude (`outward`) or smaller. */
static low_value make_odd(struct jit_lower *l, low_value rounded, low_value inexact,
                          low_value outward)
{
    low_value bits = low_to_bits(l, rounded);
    unsigned width = low_width(bits);
    low_value even = low_icmpi(l, LLVMIntEQ, low_andi(l, bits, 1), 0);
    low_value step = low_select(l, outward, low_int(l, width, 1), low_int(l, width, UINT64_MAX));
    low_value odd = low_add(l, bits, step);

    return low_from_bits(l, low_select(l, low_and(l, inexact, even), odd, bits));
}

low_value low_narrow_to_odd(struct jit_lower *l, low_value a)
{
    low_value narrow = LLVMBuildFPTrunc(l->builder, a, low_float_type(l, 32), "");
    low_value back = LLVMBuildFPExt(l->builder, narrow, low_float_type(l, 64), "");
    low_value size = low_fabs(l, a), back_size = low_fabs(l, back);
    low_value outward = low_fcmp(l, LLVMRealOLT, back_size, size);
    low_value inward = low_fcmp(l, LLVMRealOGT, back_size, size);

    return make_odd(l, narrow, low_or(l, outward, inward), outward);
}

/* Rounds a sum to odd. Its exact error is a float, which Knuth's two-sum computes. */
low_value low_add_to_odd(struct jit_lower *l, low_value a, low_value b)
{
    LLVMBuilderRef builder = l->builder;
    low_value sum = LLVMBuildFAdd(builder, a, b, "");
    low_value b_part = LLVMBuildFSub(builder, sum, a, "");
    low_value a_part = LLVMBuildFSub(builder, sum, b_part, "");
    low_value error = LLVMBuildFAdd(builder, LLVMBuildFSub(builder, a, a_part, ""),
                                    LLVMBuildFSub(builder, b, b_part, ""), "");
    low_value zero = low_float(l, low_width(a), 0);
    low_value inexact = low_fcmp(l, LLVMRealONE, error, zero);
    low_value signs = low_xor(l, low_to_bits(l, error), low_to_bits(l, sum));
    low_value outward = low_icmpi(l, LLVMIntSGE, signs, 0);

    return make_odd(l, sum, inexact, outward);
}

/* Minimum or maximum. -0 is less than +0. A number wins over a NaN, unless `nan`: then the NaN
 * wins. The result of two NaNs is some NaN. */
low_value low_float_min_max(struct jit_lower *l, low_value a, low_value b, bool max, bool nan)
{
    low_value best = low_call2(l, max ? "llvm.maximum" : "llvm.minimum", a, b);

    if (nan) { /* selected explicitly: LLVM 19 loses the NaN of a widened half on x86 */
        best = low_select(l, low_is_nan(l, b), b, best);
        return low_select(l, low_is_nan(l, a), a, best);
    }
    best = low_select(l, low_is_nan(l, b), a, best);
    return low_select(l, low_is_nan(l, a), b, best);
}
