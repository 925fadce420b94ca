/* SPDX-License-Identifier: MIT */
/* cvt between integers and floats. A conversion to a float that must not round twice goes through
 * a wider float that is rounded to odd. The packed forms are in convert_packed.c.
 *
 * A conversion to an integer is clamped to its range. A NaN becomes 0 if both types have at most
 * 32 bits, else the number with only the top bit set. */
#include "jit/lower/builder.h"

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || type == PTX_F16 || type == PTX_BF16;
}

static low_value limit(struct jit_lower *l, enum ptx_type type, unsigned width, bool max)
{
    unsigned bits = low_bits(type);
    uint64_t top = UINT64_MAX >> (64 - bits);

    if (low_is_signed(type))
        return low_int(l, width, max ? top >> 1 : ~(top >> 1));
    return low_int(l, width, max ? top : 0);
}

/* Converts between integers; .sat clamps to the range of the destination. */
static low_value integer_to_integer(struct jit_lower *l, const struct ptx_instruction *i,
                                    enum ptx_type to, enum ptx_type from, low_value a)
{
    bool to_signed = low_is_signed(to), from_signed = low_is_signed(from);
    unsigned to_bits = low_bits(to), from_bits = low_bits(from);
    unsigned width = to_bits > from_bits ? to_bits : from_bits;

    a = low_resize(l, a, width, from_signed);
    if (ptx_has(i, PTX_MOD_SAT) && (to_bits < from_bits || to_signed != from_signed)) {
        if (from_signed && (!to_signed || to_bits < from_bits))
            a = low_int_max(l, a, limit(l, to, width, false), true);
        if (to_bits < from_bits || (to_bits == from_bits && to_signed))
            a = low_int_min(l, a, limit(l, to, width, true), from_signed);
    }
    return low_resize(l, a, to_bits, to_signed);
}

/* Converts a 64-bit integer to .f64, rounded to odd: the last bit is set if bits were lost. */
static low_value wide_integer_to_odd(struct jit_lower *l, low_value a, bool is_signed)
{
    low_value sign = is_signed ? low_ashri(l, a, 63) : low_int(l, 64, 0);
    low_value size = is_signed ? low_sub(l, low_xor(l, a, sign), sign) : a;
    low_value big = low_icmpi(l, LLVMIntUGE, size, UINT64_C(1) << 53);
    low_value lost = low_icmpi(l, LLVMIntNE, low_andi(l, size, 2047), 0);
    low_value kept = low_or(l, low_lshri(l, size, 11), low_resize(l, lost, 64, false));
    low_value scale = low_select(l, big, low_float(l, 64, 2048), low_float(l, 64, 1));
    low_value result =
        LLVMBuildUIToFP(l->builder, low_select(l, big, kept, size), low_float_type(l, 64), "");

    result = LLVMBuildFMul(l->builder, result, scale, "");
    return low_from_bits(l,
                         low_or(l, low_to_bits(l, result), low_andi(l, sign, UINT64_C(1) << 63)));
}

/* hi * 2^32 and lo are exact in .f64, so only their sum is rounded. */
static low_value wide_integer_to_double(struct jit_lower *l, low_value a, bool is_signed,
                                        enum low_rounding rounding)
{
    LLVMTypeRef f64 = low_float_type(l, 64);
    low_value hi, lo;

    if (rounding == LOW_RN)
        return is_signed ? LLVMBuildSIToFP(l->builder, a, f64, "")
                         : LLVMBuildUIToFP(l->builder, a, f64, "");
    hi = is_signed ? LLVMBuildSIToFP(l->builder, low_ashri(l, a, 32), f64, "")
                   : LLVMBuildUIToFP(l->builder, low_lshri(l, a, 32), f64, "");
    lo = LLVMBuildUIToFP(l->builder, low_andi(l, a, UINT32_MAX), f64, "");
    hi = LLVMBuildFMul(l->builder, hi, low_float(l, 64, 0x1p32), "");
    return low_arithmetic(l, LOW_ADD, rounding, hi, lo, NULL);
}

static low_value integer_to_float(struct jit_lower *l, const struct ptx_instruction *i,
                                  enum ptx_type to, enum ptx_type from, low_value a)
{
    bool is_signed = low_is_signed(from);
    unsigned bits = low_bits(from);
    enum low_rounding rounding = low_rounding_of(i);
    low_value wide;

    if (bits < 32)
        a = low_resize(l, a, 32, is_signed);
    if (to == PTX_F64 && bits == 64)
        return wide_integer_to_double(l, a, is_signed, rounding);
    if (to == PTX_F32 && bits < 64 && rounding == LOW_RN)
        return is_signed ? LLVMBuildSIToFP(l->builder, a, low_float_type(l, 32), "")
                         : LLVMBuildUIToFP(l->builder, a, low_float_type(l, 32), "");
    if (bits == 64)
        wide = wide_integer_to_odd(l, a, is_signed);
    else
        wide = is_signed ? LLVMBuildSIToFP(l->builder, a, low_float_type(l, 64), "")
                         : LLVMBuildUIToFP(l->builder, a, low_float_type(l, 64), "");
    if (to == PTX_F64)
        return wide;
    if (to == PTX_F32)
        return low_arithmetic(l, LOW_NARROW, rounding, wide, NULL, NULL);
    return low_float_to_half(l, low_narrow_to_odd(l, wide), rounding, to == PTX_BF16);
}

static low_value to_whole(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    const char *name = ptx_has(i, PTX_MOD_RNI)   ? "llvm.roundeven"
                       : ptx_has(i, PTX_MOD_RZI) ? "llvm.trunc"
                       : ptx_has(i, PTX_MOD_RMI) ? "llvm.floor"
                       : ptx_has(i, PTX_MOD_RPI) ? "llvm.ceil"
                                                 : NULL;

    return name ? low_call1(l, name, a) : a;
}

static low_value float_to_integer(struct jit_lower *l, const struct ptx_instruction *i,
                                  enum ptx_type to, enum ptx_type from, low_value a)
{
    bool is_signed = low_is_signed(to);
    unsigned bits = low_bits(to), wide = bits < 32 ? 32 : bits;
    LLVMTypeRef types[2];
    low_value result, of_nan;

    a = to_whole(l, i, a);
    types[0] = low_int_type(l, wide);
    types[1] = LLVMTypeOf(a);
    result = low_call(l, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &a, 1);
    if (bits < 32) {
        if (is_signed)
            result = low_int_max(l, result, limit(l, to, 32, false), true);
        result = low_int_min(l, result, limit(l, to, 32, true), is_signed);
        result = low_resize(l, result, bits, is_signed);
    }
    if (from != PTX_F64 && bits < 64)
        return result;
    of_nan = low_int(l, bits, UINT64_C(1) << (bits - 1));
    return low_select(l, low_is_nan(l, a), of_nan, result);
}

/* Converts between .f32 and .f64. */
static low_value float_to_float(struct jit_lower *l, const struct ptx_instruction *i,
                                enum ptx_type to, low_value a)
{
    bool from_double = low_width(a) == 64;

    if (to == PTX_F64 && !from_double)
        return LLVMBuildFPExt(l->builder, a, low_float_type(l, 64), "");
    if (to == PTX_F32 && from_double)
        return low_arithmetic(l, LOW_NARROW, low_rounding_of(i), a, NULL, NULL);
    return to_whole(l, i, a);
}

/* Converts .f32 or .f64 to .f16 or .bf16. A NaN of .f64 keeps its sign and the payload bits that
 * fit. */
static low_value convert_to_half(struct jit_lower *l, const struct ptx_instruction *i,
                                 enum ptx_type to, enum ptx_type from, low_value a)
{
    bool bf16 = to == PTX_BF16;
    low_value zero = low_float(l, 32, 0), result;

    a = from == to ? to_whole(l, i, a) : a;
    if (low_width(a) == 64)
        a = low_narrow_to_odd(l, a);
    if (ptx_has(i, PTX_MOD_RELU))
        a = low_select(l, low_fcmp(l, LLVMRealOLE, a, zero), zero, a);
    if (ptx_has(i, PTX_MOD_SAT))
        a = low_saturate(l, a);
    result = low_float_to_half(l, a, low_rounding_of(i), bf16);
    if (from != PTX_F64)
        return result;
    return low_select(l, low_is_nan(l, a), low_nan_to_half(l, a, bf16), result);
}

/* Whether the conversion replaces a NaN by the canonical one. Conversions from and to .f64, of .f32
 * to itself and of .bf16 to .f32 keep the payload bits that fit. */
bool low_convert_makes_nan(const struct ptx_instruction *i)
{
    enum ptx_type from = i->types[i->type_count - 1];
    bool whole = ptx_has(i, PTX_MOD_RNI) || ptx_has(i, PTX_MOD_RZI) || ptx_has(i, PTX_MOD_RMI) ||
                 ptx_has(i, PTX_MOD_RPI);

    if (i->types[0] != PTX_F32 || from == PTX_F64 || !is_float(from))
        return false;
    return from == PTX_F16 || whole || ptx_has(i, PTX_MOD_FTZ);
}

/* Whether a double becomes a denormal float: it is below the smallest normal one after rounding to
 * 24 bits, as if exponents had no limit. */
static low_value is_denormal_float(struct jit_lower *l, enum low_rounding rounding, low_value a)
{
    low_value smallest = low_float(l, 64, 0x1p-126), magnitude = low_fabs(l, a), away;
    low_value tiny = low_fcmp(l, LLVMRealOLT, magnitude, smallest);

    if (rounding == LOW_RZ)
        return tiny;
    if (rounding == LOW_RN) /* half a unit below rounds up */
        return low_fcmp(l, LLVMRealOLT, magnitude, low_float(l, 64, 0x1p-126 - 0x1p-151));
    away = low_fcmp(l, rounding == LOW_RP ? LLVMRealOGT : LLVMRealOLT, a, low_float(l, 64, 0));
    return low_select(
        l, away, low_fcmp(l, LLVMRealOLE, magnitude, low_float(l, 64, 0x1p-126 - 0x1p-150)), tiny);
}

/* Converts .f64 to .f32 with .ftz. */
static low_value narrow_and_flush(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    enum low_rounding rounding = low_rounding_of(i);
    low_value result = low_arithmetic(l, LOW_NARROW, rounding, a, NULL, NULL);

    return low_select(l, is_denormal_float(l, rounding, a), low_zero_like(l, result), result);
}

/* Converts between floats; .ftz applies to .f32 only. */
static low_value convert_float(struct jit_lower *l, const struct ptx_instruction *i,
                               enum ptx_type to, enum ptx_type from, low_value a)
{
    bool ftz = ptx_has(i, PTX_MOD_FTZ);

    if (to == PTX_F16 || to == PTX_BF16)
        return convert_to_half(l, i, to, from, a);
    if (ftz && from == PTX_F32)
        a = jit_lower_canonical_nan(l, a);
    if (ftz && from == PTX_F64) {
        a = narrow_and_flush(l, i, a);
    } else {
        a = float_to_float(l, i, to, a);
        if (ftz && to == PTX_F32)
            a = low_flush(l, a);
    }
    if (ptx_has(i, PTX_MOD_SAT))
        return low_saturate(l, a);
    return low_convert_makes_nan(i) ? low_settle_nan(l, a, NULL, 0) : a;
}

static low_value convert(struct jit_lower *l, const struct ptx_instruction *i, enum ptx_type to,
                         enum ptx_type from, low_value a)
{
    if (!is_float(from)) {
        low_value result;

        if (!is_float(to))
            return integer_to_integer(l, i, to, from, a);
        result = integer_to_float(l, i, to, from, a);
        if (!ptx_has(i, PTX_MOD_SAT))
            return result;
        if (low_bits(to) > 16)
            return low_saturate(l, result);
        result = low_saturate(l, low_half_to_float(l, result, to == PTX_BF16));
        return low_float_to_half(l, result, LOW_RN, to == PTX_BF16);
    }
    if (from == PTX_F16 || from == PTX_BF16)
        a = low_half_to_float(l, a, from == PTX_BF16);
    if (from == PTX_F32 && to != PTX_F16 && ptx_has(i, PTX_MOD_FTZ))
        a = low_flush(l, a);
    return is_float(to) ? convert_float(l, i, to, from, a) : float_to_integer(l, i, to, from, a);
}

bool low_emit_cvt(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    enum ptx_type to = i->types[0], from = i->types[i->type_count - 1];

    if (low_is_packed(to) || low_is_packed(from) || to == PTX_TF32 || to == PTX_E4M3X2 ||
        to == PTX_E5M2X2 || ptx_has(i, PTX_MOD_PACK) || ptx_has(i, PTX_MOD_SATFINITE))
        return low_emit_pack(l, i, s, r);
    r[0] = convert(l, i, to, from, s[0]);
    return true;
}
