/* SPDX-License-Identifier: MIT */
/* The video instructions. The scalar ones take bytes or halves of their operands, compute with
 * more digits, saturate, and merge the result into a third operand or combine it with that. The
 * SIMD ones do the same to two halves or four bytes at once, which are lanes here.
 *
 * The hardware has few of them; NVIDIA's compiler expands the scalar ones to other instructions,
 * whose results differ from the manual where they do not fit. This file computes what those give.
 */
#include "jit/lower/builder.h"

/* Clamps to the range of an integer of so many bits. */
static low_value clamp(struct jit_lower *l, low_value a, unsigned bits, bool is_signed)
{
    unsigned width = low_width(a);
    uint64_t top = (UINT64_C(1) << (bits - is_signed)) - 1;

    a = low_int_max(l, a, low_int(l, width, is_signed ? ~top : 0), true);
    return low_int_min(l, a, low_int(l, width, top), true);
}

/* The number of bits that a selector of a scalar instruction means, and the first of them. */
static unsigned selected_bits(unsigned selector, unsigned *first)
{
    if (selector >= 1 && selector <= 4) {
        *first = (selector - 1) * 8;
        return 8;
    }
    *first = selector == 6 ? 16 : 0;
    return selector == 5 || selector == 6 ? 16 : 32;
}

/* The selected part of an operand, extended to 64 bits by the sign of its type. */
static low_value select_part(struct jit_lower *l, low_value a, const struct ptx_operand *operand,
                             enum ptx_type type)
{
    unsigned first, bits = selected_bits(operand->selector, &first);
    low_value part = low_resize(l, low_lshri(l, a, first), bits, false);

    return low_resize(l, part, 64, low_is_signed(type));
}

/* The operation on two numbers, in a type that holds any result. */
static low_value combine(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                         low_value b)
{
    low_value sum, up;

    switch (i->op) {
    case PTX_OP_vadd:
    case PTX_OP_vadd2:
    case PTX_OP_vadd4:
        return low_add(l, a, b);
    case PTX_OP_vsub:
    case PTX_OP_vsub2:
    case PTX_OP_vsub4:
        return low_sub(l, a, b);
    case PTX_OP_vabsdiff:
    case PTX_OP_vabsdiff2:
    case PTX_OP_vabsdiff4:
        return low_sub(l, low_int_max(l, a, b, true), low_int_min(l, a, b, true));
    case PTX_OP_vmin:
    case PTX_OP_vmin2:
    case PTX_OP_vmin4:
        return low_int_min(l, a, b, true);
    case PTX_OP_vmax:
    case PTX_OP_vmax2:
    case PTX_OP_vmax4:
        return low_int_max(l, a, b, true);
    case PTX_OP_vset:
    case PTX_OP_vset2:
    case PTX_OP_vset4:
        /* Both are extended to a wider type, so the signed comparison is right for either
         * signedness. */
        return low_resize(l, low_compare(l, i, PTX_S64, a, b), low_width(a), false);
    default: /* vavrg: halves are rounded away from zero */
        sum = low_add(l, a, b);
        up = low_resize(l, low_icmpi(l, LLVMIntSGE, sum, 0), low_width(a), false);
        return low_ashri(l, low_add(l, sum, up), 1);
    }
}

/* With .sat the shifted value has 34 bits; bits shifted beyond them are lost. */
static low_value shift(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                       low_value by)
{
    by = ptx_has(i, PTX_MOD_WRAP) ? low_andi(l, by, 31)
                                  : low_int_min(l, by, low_int(l, 64, 32), false);
    if (i->op == PTX_OP_vshr)
        return LLVMBuildAShr(l->builder, a, by, "");
    a = LLVMBuildShl(l->builder, a, by, "");
    return ptx_has(i, PTX_MOD_SAT) ? low_ashri(l, low_shli(l, a, 30), 30) : a;
}

/* In vmad, an operand without a selector and the addend are signed whatever their types. */
static low_value factor(struct jit_lower *l, low_value a, const struct ptx_operand *operand,
                        enum ptx_type type)
{
    return select_part(l, a, operand, operand->selector ? type : PTX_S32);
}

/* vmad: a * b + c in 64 bits. */
static low_value multiply_add(struct jit_lower *l, const struct ptx_instruction *i,
                              const low_value *s)
{
    bool negate_product = i->src[0].negated != i->src[1].negated, negate_c = i->src[2].negated;
    bool is_signed =
        low_is_signed(i->types[1]) || low_is_signed(i->types[2]) || negate_product || negate_c;
    low_value product = low_mul(l, factor(l, s[0], &i->src[0], i->types[1]),
                                factor(l, s[1], &i->src[1], i->types[2]));
    low_value c = low_resize(l, s[2], 64, true);
    unsigned by = ptx_has(i, PTX_MOD_SHR7) ? 7 : ptx_has(i, PTX_MOD_SHR15) ? 15 : 0;

    if (ptx_has(i, PTX_MOD_PO))
        c = low_addi(l, c, 1);
    else if (negate_product)
        product = LLVMBuildNeg(l->builder, product, "");
    else if (negate_c)
        c = LLVMBuildNeg(l->builder, c, "");
    product = low_add(l, product, c);
    product = is_signed ? low_ashri(l, product, by) : low_lshri(l, product, by);
    if (ptx_has(i, PTX_MOD_SAT))
        product = clamp(l, product, 32, is_signed);
    return low_resize(l, product, 32, false);
}

static bool is_sum(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_vadd || i->op == PTX_OP_vsub;
}

static bool is_shift(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_vshl || i->op == PTX_OP_vshr;
}

/* Saturates to the range of the result. For a selected part, negative numbers count as large ones;
 * an unsigned 32-bit result is clamped at 0 only. */
static low_value saturate(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                          bool is_signed)
{
    unsigned first, bits = selected_bits(i->dst[0].selector, &first);
    uint64_t top = (UINT64_C(1) << (bits - is_signed)) - 1;

    if (is_shift(i) || (bits == 32 && is_signed))
        return clamp(l, a, 32, is_signed);
    if (bits == 32)
        return low_int_max(l, a, low_int(l, 64, 0), true);
    return low_int_min(l, a, low_int(l, 64, top), false);
}

/* What minimum and maximum compare with the third operand. Sums, and shifts with .sat, have 32 bits
 * and a sign, so an unsigned one from 2^31 on counts as larger than any number. */
static low_value compared(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    if (!is_sum(i) && !(is_shift(i) && ptx_has(i, PTX_MOD_SAT)))
        return a;
    return low_resize(l, low_resize(l, a, 32, false), 64, true);
}

/* Merges the result into the third operand or combines both. Merging into .h1 takes the upper half
 * of the result, as the device does. */
static low_value second_operation(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                                  low_value c, bool is_signed)
{
    unsigned first, bits = selected_bits(i->dst[0].selector, &first);
    low_value wide = low_resize(l, c, 64, is_signed), narrow;
    uint64_t mask;

    if (ptx_has(i, PTX_MOD_MIN))
        a = low_int_min(l, compared(l, i, a), wide, is_signed);
    else if (ptx_has(i, PTX_MOD_MAX))
        a = low_int_max(l, compared(l, i, a), wide, is_signed);
    else if (ptx_has(i, PTX_MOD_ADD))
        a = low_add(l, a, wide);
    narrow = low_resize(l, a, 32, false);
    if (bits == 32)
        return narrow;
    mask = ((UINT64_C(1) << bits) - 1) << first;
    if (i->dst[0].selector != 6)
        narrow = low_shli(l, narrow, first);
    return low_or(l, low_andi(l, narrow, mask), low_andi(l, c, ~mask & 0xffffffff));
}

bool low_emit_video(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    bool is_set = i->op == PTX_OP_vset, is_signed = low_is_signed(i->types[0]);
    low_value a, b, result;

    if (i->op == PTX_OP_vmad) {
        r[0] = multiply_add(l, i, s);
        return true;
    }
    a = select_part(l, s[0], &i->src[0], i->types[!is_set]);
    b = select_part(l, s[1], &i->src[1], i->types[1 + !is_set]);
    result = is_shift(i) ? shift(l, i, a, b) : combine(l, i, a, b);
    if (ptx_has(i, PTX_MOD_SAT))
        result = saturate(l, i, result, is_signed);
    r[0] = i->source_count > 2 ? second_operation(l, i, result, s[2], is_signed)
                               : low_resize(l, result, 32, false);
    return true;
}

/* Selects elements from those of both sources by the operand's selector. `narrow` is the lowering
 * over elements, `count` of them in a lane. */
static low_value select_elements(struct jit_lower *narrow, low_value a, low_value b,
                                 const struct ptx_operand *operand, unsigned count,
                                 uint64_t otherwise)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(narrow->context);
    uint64_t selector = operand->selector == 7 ? operand->value : otherwise;
    LLVMValueRef indices[256];

    for (unsigned k = 0; k < narrow->lanes; k++) {
        unsigned chosen = selector >> 4 * (k % count) & (2 * count - 1);
        unsigned lane = k / count * count;

        indices[k] = LLVMConstInt(
            i32, chosen < count ? lane + chosen : narrow->lanes + lane + chosen - count, false);
    }
    return LLVMBuildShuffleVector(narrow->builder, a, b, LLVMConstVector(indices, narrow->lanes),
                                  "");
}

/* The mask of elements that are written or accumulated; all of them if there is no selector. */
static unsigned written_elements(const struct ptx_instruction *i, unsigned count)
{
    unsigned selector = i->dst[0].selector;

    if (selector == 7)
        return (unsigned)i->dst[0].value;
    if (selector >= 1 && selector <= 4)
        return 1u << (selector - 1);
    if (selector == 5 || selector == 6)
        return 1u << (selector - 5);
    return (1u << count) - 1;
}

bool low_emit_simd_video(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                         low_value *r)
{
    bool is_set = i->op == PTX_OP_vset2 || i->op == PTX_OP_vset4;
    bool four = i->op == PTX_OP_vadd4 || i->op == PTX_OP_vsub4 || i->op == PTX_OP_vavrg4 ||
                i->op == PTX_OP_vabsdiff4 || i->op == PTX_OP_vmin4 || i->op == PTX_OP_vmax4 ||
                i->op == PTX_OP_vset4;
    unsigned count = four ? 4 : 2, bits = 32 / count, written = written_elements(i, count);
    bool is_signed = !is_set && low_is_signed(i->types[0]);
    struct jit_lower narrow;
    low_value a = low_split(l, s[0], bits, &narrow), b = low_split(l, s[1], bits, &narrow), x, y;
    uint64_t mask = 0;

    x = select_elements(&narrow, a, b, &i->src[0], count, four ? 0x3210 : 0x10);
    y = select_elements(&narrow, a, b, &i->src[1], count, four ? 0x7654 : 0x32);
    x = low_resize(&narrow, x, 32, low_is_signed(i->types[!is_set]));
    y = low_resize(&narrow, y, 32, low_is_signed(i->types[1 + !is_set]));
    x = combine(&narrow, i, x, y);
    if (ptx_has(i, PTX_MOD_SAT))
        x = clamp(&narrow, x, bits, is_signed);
    if (ptx_has(i, PTX_MOD_ADD)) {
        r[0] = s[2];
        for (unsigned k = 0; k < count; k++)
            if (written >> k & 1)
                r[0] = low_add(l, r[0], low_every(l, x, k, count));
        return true;
    }
    for (unsigned k = 0; k < count; k++)
        if (written >> k & 1)
            mask |= ((UINT64_C(1) << bits) - 1) << k * bits;
    x = low_join(l, low_resize(&narrow, x, bits, false), 32);
    r[0] = low_or(l, low_andi(l, x, mask), low_andi(l, s[2], ~mask & 0xffffffff));
    return true;
}
