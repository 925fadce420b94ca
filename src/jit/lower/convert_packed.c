/* SPDX-License-Identifier: MIT */
/* cvt to and from packed and narrow types: pairs of 16-bit types, pairs of 8-bit floats, .tf32,
 * and cvt.pack of integers. The first of two sources becomes the upper part. */
#include "jit/lower/builder.h"

/* An 8-bit float format: digits after the point, exponent bias, largest number. */
struct tiny {
    unsigned digits, bias;
    double largest;
};

static const struct tiny e4m3 = {3, 7, 448}, e5m2 = {2, 15, 57344};

/* Rounds to nearest and clamps to the largest number; NaN is 0x7f. Adding and subtracting a number
 * whose last digit has the weight of the result's last digit rounds to it. After scaling, so that
 * the smallest normal numbers of both formats coincide, the upper bits of the .f32 are the
 * result. */
static low_value to_tiny(struct jit_lower *l, low_value a, const struct tiny *t)
{
    LLVMBuilderRef builder = l->builder;
    low_value bits = low_to_bits(l, a), nan = low_is_nan(l, a);
    low_value size = low_from_bits(l, low_andi(l, bits, 0x7fffffff));
    low_value exponent, magic;

    size = low_select(l, low_fcmp(l, LLVMRealOGT, size, low_float(l, 32, t->largest)),
                      low_float(l, 32, t->largest), size);
    exponent = low_andi(l, low_to_bits(l, size), 0x7f800000);
    exponent = low_int_max(l, exponent, low_int(l, 32, (uint64_t)(128 - t->bias) << 23), false);
    magic = low_from_bits(l, low_addi(l, exponent, ((int64_t)(23 - t->digits) << 23)));
    size = LLVMBuildFSub(builder, LLVMBuildFAdd(builder, size, magic, ""), magic, "");
    size =
        LLVMBuildFMul(builder, size, low_from_bits(l, low_int(l, 32, (uint64_t)t->bias << 23)), "");
    size = low_lshri(l, low_to_bits(l, size), 23 - t->digits);
    size = low_resize(l, low_or(l, size, low_andi(l, low_lshri(l, bits, 24), 0x80)), 8, false);
    return low_select(l, nan, low_int(l, 8, 0x7f), size);
}

/* Converts to .f32; every 8-bit float is exact there. */
static low_value from_tiny(struct jit_lower *l, low_value a, const struct tiny *t)
{
    low_value wide = low_resize(l, a, 32, false), size = low_andi(l, wide, 0x7f);
    low_value sign = low_shli(l, low_andi(l, wide, 0x80), 24);
    low_value scale = low_from_bits(l, low_int(l, 32, (uint64_t)(254 - t->bias) << 23));
    low_value value = low_from_bits(l, low_shli(l, size, 23 - t->digits));
    low_value nan =
        t == &e4m3 ? low_icmpi(l, LLVMIntEQ, size, 0x7f) : low_icmpi(l, LLVMIntUGT, size, 0x7c);

    value = low_to_bits(l, LLVMBuildFMul(l->builder, value, scale, ""));
    if (t == &e5m2)
        value =
            low_select(l, low_icmpi(l, LLVMIntEQ, size, 0x7c), low_int(l, 32, 0x7f800000), value);
    value = low_select(l, nan, low_int(l, 32, 0x7fffffff), value);
    return low_from_bits(l, low_or(l, value, sign));
}

static low_value relu(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    low_value zero = low_float(l, 32, 0);

    if (!ptx_has(i, PTX_MOD_RELU))
        return a;
    return low_select(l, low_fcmp(l, LLVMRealOLE, a, zero), zero, a);
}

static low_value to_tiny_pair(struct jit_lower *l, const struct ptx_instruction *i,
                              const low_value *s, const struct tiny *t)
{
    enum ptx_type from = i->types[1];
    low_value upper, lower;

    if (low_is_packed(from)) {
        struct jit_lower narrow;
        low_value both = low_split(l, s[0], 16, &narrow); /* as twice as many lanes */

        both = low_half_to_float(&narrow, both, from == PTX_BF16X2);
        return low_join(l, to_tiny(&narrow, relu(&narrow, i, both), t), 16);
    }
    upper = low_resize(l, to_tiny(l, relu(l, i, s[0]), t), 16, false);
    lower = low_resize(l, to_tiny(l, relu(l, i, s[1]), t), 16, false);
    return low_or(l, low_shli(l, upper, 8), lower);
}

static low_value from_tiny_pair(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                                const struct tiny *t)
{
    bool bf16 = i->types[0] == PTX_BF16X2;
    struct jit_lower narrow;
    low_value both = low_split(l, a, 8, &narrow);

    both = relu(&narrow, i, from_tiny(&narrow, both, t));
    return low_join(l, low_float_to_half(&narrow, both, LOW_RN, bf16), 32);
}

static low_value to_half(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                         bool bf16)
{
    low_value bits, size, largest;

    if (ptx_has(i, PTX_MOD_FTZ))
        a = low_flush(l, a);
    bits = low_float_to_half(l, relu(l, i, a), low_rounding_of(i), bf16);
    if (!ptx_has(i, PTX_MOD_SATFINITE))
        return bits;
    size = low_andi(l, bits, 0x7fff);
    largest = low_ori(l, low_andi(l, bits, 0x8000), bf16 ? 0x7f7f : 0x7bff);
    return low_select(l, low_icmpi(l, LLVMIntEQ, size, bf16 ? 0x7f80 : 0x7c00), largest, bits);
}

static low_value to_pair(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s)
{
    bool bf16 = i->types[0] == PTX_BF16X2;
    low_value upper = low_resize(l, to_half(l, i, s[0], bf16), 32, false);
    low_value lower = low_resize(l, to_half(l, i, s[1], bf16), 32, false);

    return low_or(l, low_shli(l, upper, 16), lower);
}

/* .tf32 is .f32 with 10 digits. .rna rounds ties away from zero. It works on the bits: NaNs are
 * truncated, and .satfinite replaces a result that is not finite by the largest finite one. */
static low_value to_tf32_away(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    low_value bits = low_to_bits(l, a), finite, size;

    finite = low_icmpi(l, LLVMIntULT, low_andi(l, bits, 0x7fffffff), 0x7f800000);
    bits = low_select(l, finite, low_addi(l, bits, 0x1000), bits);
    bits = low_andi(l, bits, 0xffffe000);
    if (!ptx_has(i, PTX_MOD_SATFINITE))
        return bits;
    size = low_andi(l, bits, 0x7fffffff);
    return low_select(l, low_icmpi(l, LLVMIntUGE, size, 0x7f800000), low_addi(l, bits, -0x2000),
                      bits);
}

static low_value to_tf32(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    low_value bits, last, size, largest;

    if (ptx_has(i, PTX_MOD_RNA))
        return to_tf32_away(l, i, a);
    a = relu(l, i, a);
    bits = low_to_bits(l, a);
    last = low_andi(l, low_lshri(l, bits, 13), 1);
    if (ptx_has(i, PTX_MOD_RN))
        bits = low_add(l, low_addi(l, bits, 0xfff), last);
    bits = low_andi(l, bits, 0xffffe000);
    if (ptx_has(i, PTX_MOD_SATFINITE)) {
        size = low_andi(l, bits, 0x7fffffff);
        largest = low_ori(l, low_andi(l, bits, 0x80000000), 0x7f7fe000);
        bits = low_select(l, low_icmpi(l, LLVMIntUGE, size, 0x7f800000), largest, bits);
    }
    return low_select(l, low_is_nan(l, a), low_int(l, 32, 0x7fffe000), bits);
}

/* cvt.pack.sat: clamps both sources to the narrow type and shifts the third operand up by them. */
static bool pack_integers(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                          low_value *r)
{
    bool is_signed = low_is_signed(i->types[0]);
    unsigned bits = low_bits(i->types[0]);
    uint64_t top = (UINT64_C(1) << (bits - is_signed)) - 1;
    low_value parts[2];

    for (unsigned k = 0; k < 2; k++) {
        low_value a = low_int_min(l, s[k], low_int(l, 32, top), true);

        a = low_int_max(l, a, low_int(l, 32, is_signed ? ~top : 0), true);
        parts[k] = low_andi(l, a, (UINT64_C(1) << bits) - 1);
    }
    r[0] = low_or(l, low_shli(l, parts[0], bits), parts[1]);
    if (i->source_count > 2)
        r[0] = low_or(l, low_shli(l, s[2], 2 * bits), r[0]);
    return true;
}

bool low_emit_pack(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    enum ptx_type to = i->types[0], from = i->types[i->type_count > 1];

    if (to == PTX_E4M3X2 || to == PTX_E5M2X2)
        r[0] = to_tiny_pair(l, i, s, to == PTX_E4M3X2 ? &e4m3 : &e5m2);
    else if (from == PTX_E4M3X2 || from == PTX_E5M2X2)
        r[0] = from_tiny_pair(l, i, s[0], from == PTX_E4M3X2 ? &e4m3 : &e5m2);
    else if ((to == PTX_F16X2 || to == PTX_BF16X2) && from == PTX_F32 && i->source_count == 2)
        r[0] = to_pair(l, i, s);
    else if ((to == PTX_F16 || to == PTX_BF16) && from == PTX_F32)
        r[0] = to_half(l, i, s[0], to == PTX_BF16);
    else if (to == PTX_TF32)
        r[0] = to_tf32(l, i, s[0]);
    else if (ptx_has(i, PTX_MOD_PACK))
        return pack_integers(l, i, s, r);
    else
        return false;
    return true;
}
