/* SPDX-License-Identifier: MIT */
/* Short names for LLVM's builder, over lanes. Of PTX, this file knows only the width of types. */
#include "jit/lower/builder.h"

#include <string.h>

unsigned low_bits(enum ptx_type type)
{
    switch (type) {
    case PTX_PRED:
        return 1;
    case PTX_U2:
    case PTX_S2:
        return 2;
    case PTX_U4:
    case PTX_S4:
        return 4;
    case PTX_B8:
    case PTX_U8:
    case PTX_S8:
        return 8;
    case PTX_B16:
    case PTX_U16:
    case PTX_S16:
    case PTX_F16:
    case PTX_BF16:
    case PTX_E4M3X2:
    case PTX_E5M2X2:
        return 16;
    case PTX_B64:
    case PTX_U64:
    case PTX_S64:
    case PTX_F64:
    case PTX_F32X2:
        return 64;
    case PTX_B128:
        return 128;
    default:
        return 32;
    }
}

bool low_is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64 ||
           type == PTX_S16X2 || type == PTX_S4 || type == PTX_S2;
}

bool low_is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

bool low_is_packed(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

LLVMTypeRef low_over_lanes(struct jit_lower *l, LLVMTypeRef element)
{
    return l->lanes == 1 ? element : LLVMVectorType(element, l->lanes);
}

LLVMTypeRef low_int_type(struct jit_lower *l, unsigned bits)
{
    return low_over_lanes(l, LLVMIntTypeInContext(l->context, bits));
}

static LLVMTypeRef scalar_float_type(struct jit_lower *l, unsigned bits)
{
    return bits == 16   ? LLVMHalfTypeInContext(l->context)
           : bits == 32 ? LLVMFloatTypeInContext(l->context)
                        : LLVMDoubleTypeInContext(l->context);
}

LLVMTypeRef low_float_type(struct jit_lower *l, unsigned bits)
{
    return low_over_lanes(l, scalar_float_type(l, bits));
}

static low_value spread(struct jit_lower *l, low_value constant)
{
    low_value elements[256];

    if (l->lanes == 1)
        return constant;
    for (unsigned k = 0; k < l->lanes; k++)
        elements[k] = constant;
    return LLVMConstVector(elements, l->lanes);
}

low_value low_int(struct jit_lower *l, unsigned bits, uint64_t value)
{
    return spread(l, LLVMConstInt(LLVMIntTypeInContext(l->context, bits), value, false));
}

low_value low_float(struct jit_lower *l, unsigned bits, double value)
{
    return spread(l, LLVMConstReal(scalar_float_type(l, bits), value));
}

unsigned low_width(low_value value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return LLVMGetIntTypeWidth(type);
    }
}

low_value low_add(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildAdd(l->builder, a, b, "");
}

low_value low_sub(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildSub(l->builder, a, b, "");
}

low_value low_mul(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildMul(l->builder, a, b, "");
}

low_value low_and(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildAnd(l->builder, a, b, "");
}

low_value low_or(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildOr(l->builder, a, b, "");
}

low_value low_xor(struct jit_lower *l, low_value a, low_value b)
{
    return LLVMBuildXor(l->builder, a, b, "");
}

low_value low_not(struct jit_lower *l, low_value a)
{
    return LLVMBuildNot(l->builder, a, "");
}

low_value low_andi(struct jit_lower *l, low_value a, uint64_t b)
{
    return low_and(l, a, low_int(l, low_width(a), b));
}

low_value low_ori(struct jit_lower *l, low_value a, uint64_t b)
{
    return low_or(l, a, low_int(l, low_width(a), b));
}

low_value low_addi(struct jit_lower *l, low_value a, int64_t b)
{
    return low_add(l, a, low_int(l, low_width(a), (uint64_t)b));
}

low_value low_shli(struct jit_lower *l, low_value a, unsigned by)
{
    return LLVMBuildShl(l->builder, a, low_int(l, low_width(a), by), "");
}

low_value low_lshri(struct jit_lower *l, low_value a, unsigned by)
{
    return LLVMBuildLShr(l->builder, a, low_int(l, low_width(a), by), "");
}

low_value low_ashri(struct jit_lower *l, low_value a, unsigned by)
{
    return LLVMBuildAShr(l->builder, a, low_int(l, low_width(a), by), "");
}

/* Masks the shift amount before the shift: shifting by the width or more is poison, which a select
 * after it may let through when the optimiser rewrites it. */
low_value low_shl_clamp(struct jit_lower *l, low_value a, low_value by)
{
    unsigned width = low_width(a);
    low_value small = low_andi(l, by, width - 1);
    low_value shifted = LLVMBuildShl(l->builder, a, small, "");

    return low_select(l, low_icmpi(l, LLVMIntULT, by, width), shifted, low_int(l, width, 0));
}

low_value low_shr_clamp(struct jit_lower *l, low_value a, low_value by, bool arithmetic)
{
    unsigned width = low_width(a);
    low_value small;

    if (arithmetic) {
        small = low_int_min(l, by, low_int(l, width, width - 1), false);
        return LLVMBuildAShr(l->builder, a, small, "");
    }
    small = low_andi(l, by, width - 1);
    return low_select(l, low_icmpi(l, LLVMIntULT, by, width),
                      LLVMBuildLShr(l->builder, a, small, ""), low_int(l, width, 0));
}

low_value low_icmp(struct jit_lower *l, LLVMIntPredicate predicate, low_value a, low_value b)
{
    return LLVMBuildICmp(l->builder, predicate, a, b, "");
}

low_value low_icmpi(struct jit_lower *l, LLVMIntPredicate predicate, low_value a, uint64_t b)
{
    return low_icmp(l, predicate, a, low_int(l, low_width(a), b));
}

low_value low_resize(struct jit_lower *l, low_value a, unsigned bits, bool is_signed)
{
    LLVMTypeRef type = low_int_type(l, bits);
    unsigned from = low_width(a);

    if (from == bits)
        return a;
    if (from > bits)
        return LLVMBuildTrunc(l->builder, a, type, "");
    return is_signed ? LLVMBuildSExt(l->builder, a, type, "")
                     : LLVMBuildZExt(l->builder, a, type, "");
}

low_value low_select(struct jit_lower *l, low_value condition, low_value a, low_value b)
{
    return LLVMBuildSelect(l->builder, condition, a, b, "");
}

low_value low_int_min(struct jit_lower *l, low_value a, low_value b, bool is_signed)
{
    return low_call2(l, is_signed ? "llvm.smin" : "llvm.umin", a, b);
}

low_value low_int_max(struct jit_lower *l, low_value a, low_value b, bool is_signed)
{
    return low_call2(l, is_signed ? "llvm.smax" : "llvm.umax", a, b);
}

low_value low_fcmp(struct jit_lower *l, LLVMRealPredicate predicate, low_value a, low_value b)
{
    return LLVMBuildFCmp(l->builder, predicate, a, b, "");
}

low_value low_is_nan(struct jit_lower *l, low_value a)
{
    return low_fcmp(l, LLVMRealUNO, a, a);
}

low_value low_to_bits(struct jit_lower *l, low_value a)
{
    return LLVMBuildBitCast(l->builder, a, low_int_type(l, low_width(a)), "");
}

low_value low_from_bits(struct jit_lower *l, low_value a)
{
    return LLVMBuildBitCast(l->builder, a, low_float_type(l, low_width(a)), "");
}

low_value low_fabs(struct jit_lower *l, low_value a)
{
    return low_call1(l, "llvm.fabs", a);
}

low_value low_fma(struct jit_lower *l, low_value a, low_value b, low_value c)
{
    return low_call3(l, "llvm.fma", a, b, c);
}

low_value low_call(struct jit_lower *l, const char *name, LLVMTypeRef *overloads,
                   unsigned overload_count, low_value *arguments, unsigned argument_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    low_value function = LLVMGetIntrinsicDeclaration(l->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->context, id, overloads, overload_count);

    return LLVMBuildCall2(l->builder, type, function, arguments, argument_count, "");
}

low_value low_call1(struct jit_lower *l, const char *name, low_value a)
{
    LLVMTypeRef type = LLVMTypeOf(a);

    return low_call(l, name, &type, 1, &a, 1);
}

low_value low_call2(struct jit_lower *l, const char *name, low_value a, low_value b)
{
    LLVMTypeRef type = LLVMTypeOf(a);

    return low_call(l, name, &type, 1, (low_value[]){a, b}, 2);
}

low_value low_call3(struct jit_lower *l, const char *name, low_value a, low_value b, low_value c)
{
    LLVMTypeRef type = LLVMTypeOf(a);

    return low_call(l, name, &type, 1, (low_value[]){a, b, c}, 3);
}

low_value low_split(struct jit_lower *l, low_value a, unsigned element_bits,
                    struct jit_lower *narrow)
{
    *narrow = *l;
    narrow->lanes = l->lanes * (low_width(a) / element_bits);
    return LLVMBuildBitCast(l->builder, a, low_int_type(narrow, element_bits), "");
}

low_value low_join(struct jit_lower *l, low_value a, unsigned bits)
{
    return LLVMBuildBitCast(l->builder, a, low_int_type(l, bits), "");
}

low_value low_every(struct jit_lower *l, low_value a, unsigned first, unsigned step)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef elements[256];

    if (l->lanes == 1)
        return LLVMBuildExtractElement(l->builder, a, LLVMConstInt(i32, first, false), "");
    for (unsigned k = 0; k < l->lanes; k++)
        elements[k] = LLVMConstInt(i32, first + k * step, false);
    return LLVMBuildShuffleVector(l->builder, a, LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(elements, l->lanes), "");
}
