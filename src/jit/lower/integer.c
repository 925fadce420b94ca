/* SPDX-License-Identifier: MIT */
/* Integer arithmetic, with carries and saturation. Instructions whose type is a float are passed
 * on to the files for floats.
 *
 * A carry is an i1. Nothing may trap or be undefined, whatever the values are: a zero divisor, and
 * the most negative number divided by minus one, are replaced before the division. */
#include "jit/lower/builder.h"

static enum ptx_type type_of(const struct ptx_instruction *i)
{
    return i->type_count ? i->types[0] : PTX_B32;
}

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || type == PTX_F32X2;
}

bool low_emit_mov(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)l;
    (void)i;
    r[0] = s[0];
    return true;
}

/* a + b + carry_in, and the carry out. */
static low_value add_carry(struct jit_lower *l, low_value a, low_value b, low_value carry_in,
                           low_value *carry_out)
{
    low_value sum = low_add(l, a, b);
    low_value carry = low_icmp(l, LLVMIntULT, sum, a);

    if (carry_in) {
        low_value more = low_add(l, sum, low_resize(l, carry_in, low_width(a), false));

        carry = low_or(l, carry, low_icmp(l, LLVMIntULT, more, sum));
        sum = more;
    }
    *carry_out = carry;
    return sum;
}

bool low_emit_add(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    enum ptx_type type = type_of(i);
    low_value carry;

    if (is_float(type))
        return low_emit_float_binary(l, i, s, r);
    if (low_is_half(type))
        return low_emit_half(l, i, s, r);
    if (low_is_packed(type)) {
        struct jit_lower narrow;
        low_value a = low_split(l, s[0], 16, &narrow), b = low_split(l, s[1], 16, &narrow);

        if (ptx_has(i, PTX_MOD_SAT))
            a = low_call2(&narrow, type == PTX_S16X2 ? "llvm.sadd.sat" : "llvm.uadd.sat", a, b);
        else
            a = low_add(&narrow, a, b);
        r[0] = low_join(l, a, 32);
        return true;
    }
    if (ptx_has(i, PTX_MOD_SAT)) {
        r[0] = low_call2(l, low_is_signed(type) ? "llvm.sadd.sat" : "llvm.uadd.sat", s[0], s[1]);
        return true;
    }
    r[0] = add_carry(l, s[0], s[1], i->op == PTX_OP_addc ? s[2] : NULL, &carry);
    if (ptx_has(i, PTX_MOD_CC))
        r[1] = carry;
    return true;
}

/* a - b is a + ~b + 1, and the flag is the carry of that sum: set if there was no borrow. So addc
 * after sub.cc, and subc after add.cc, compute what the device does. */
bool low_emit_sub(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    enum ptx_type type = type_of(i);
    low_value borrow;

    if (is_float(type))
        return low_emit_float_binary(l, i, s, r);
    if (low_is_half(type))
        return low_emit_half(l, i, s, r);
    if (ptx_has(i, PTX_MOD_SAT)) {
        r[0] = low_call2(l, low_is_signed(type) ? "llvm.ssub.sat" : "llvm.usub.sat", s[0], s[1]);
        return true;
    }
    r[0] = low_sub(l, s[0], s[1]);
    borrow = low_icmp(l, LLVMIntULT, s[0], s[1]);
    if (i->op == PTX_OP_subc) {
        low_value in = low_resize(l, low_not(l, s[2]), low_width(r[0]), false);

        borrow = low_or(l, borrow, low_icmp(l, LLVMIntULT, r[0], in));
        r[0] = low_sub(l, r[0], in);
    }
    if (ptx_has(i, PTX_MOD_CC))
        r[1] = low_not(l, borrow);
    return true;
}

static low_value multiply_high(struct jit_lower *l, low_value a, low_value b, bool is_signed)
{
    unsigned width = low_width(a);
    low_value product =
        low_mul(l, low_resize(l, a, width * 2, is_signed), low_resize(l, b, width * 2, is_signed));

    return low_resize(l, low_lshri(l, product, width), width, false);
}

static low_value product(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                         low_value b)
{
    bool is_signed = low_is_signed(type_of(i));
    unsigned width = low_width(a);

    if (ptx_has(i, PTX_MOD_WIDE))
        return low_mul(l, low_resize(l, a, width * 2, is_signed),
                       low_resize(l, b, width * 2, is_signed));
    if (ptx_has(i, PTX_MOD_HI))
        return multiply_high(l, a, b, is_signed);
    return low_mul(l, a, b);
}

/* madc.hi of 16 bits, which the manual does not have, adds the upper half of a product of 32 bits:
 * its sign. */
static low_value product_of_madc(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                                 low_value b)
{
    bool is_signed = low_is_signed(type_of(i));

    if (!ptx_has(i, PTX_MOD_HI) || low_width(a) != 16)
        return product(l, i, a, b);
    return low_resize(l,
                      multiply_high(l, low_resize(l, a, 32, is_signed),
                                    low_resize(l, b, 32, is_signed), is_signed),
                      16, false);
}

bool low_emit_mul(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    if (is_float(type_of(i)))
        return low_emit_float_binary(l, i, s, r);
    if (low_is_half(type_of(i)))
        return low_emit_half(l, i, s, r);
    r[0] = product(l, i, s[0], s[1]);
    return true;
}

bool low_emit_mad(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    low_value carry;

    if (is_float(type_of(i)))
        return low_emit_float_fma(l, i, s, r);
    if (low_is_half(type_of(i)))
        return low_emit_half(l, i, s, r);
    r[0] = i->op == PTX_OP_madc ? product_of_madc(l, i, s[0], s[1]) : product(l, i, s[0], s[1]);
    if (ptx_has(i, PTX_MOD_SAT)) {
        r[0] = low_call2(l, "llvm.sadd.sat", r[0], s[2]);
        return true;
    }
    r[0] = add_carry(l, r[0], s[2], i->op == PTX_OP_madc ? s[3] : NULL, &carry);
    if (ptx_has(i, PTX_MOD_CC))
        r[1] = carry;
    return true;
}

/* mul24.lo is bits 0 to 31 of the 48-bit product, mul24.hi bits 16 to 47. */
static low_value product24(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s)
{
    bool is_signed = low_is_signed(type_of(i));
    low_value a = low_resize(l, low_resize(l, s[0], 24, false), 64, is_signed);
    low_value b = low_resize(l, low_resize(l, s[1], 24, false), 64, is_signed);
    low_value p = low_mul(l, a, b);

    return low_resize(l, ptx_has(i, PTX_MOD_HI) ? low_lshri(l, p, 16) : p, 32, false);
}

bool low_emit_mul24(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    r[0] = product24(l, i, s);
    return true;
}

bool low_emit_mad24(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    r[0] = product24(l, i, s);
    r[0] = ptx_has(i, PTX_MOD_SAT) ? low_call2(l, "llvm.sadd.sat", r[0], s[2])
                                   : low_add(l, r[0], s[2]);
    return true;
}

/* Integer division with divisors that cannot trap: zero is replaced by one, and so is minus one,
 * whose quotient is the negated dividend. */
static low_value divide_whole(struct jit_lower *l, low_value a, low_value b, bool is_signed)
{
    low_value one = low_int(l, low_width(b), 1), zero = low_icmpi(l, LLVMIntEQ, b, 0), minus;

    if (!is_signed)
        return LLVMBuildUDiv(l->builder, a, low_select(l, zero, one, b), "");
    minus = low_icmp(l, LLVMIntEQ, b, LLVMConstAllOnes(LLVMTypeOf(b)));
    b = low_select(l, low_or(l, zero, minus), one, b);
    return low_select(l, minus, LLVMBuildNeg(l->builder, a, ""),
                      LLVMBuildSDiv(l->builder, a, b, ""));
}

/* Divides as floats, because vector units have no integer division. The float type has more than
 * twice the digits, so the truncated quotient is exact: a quotient that is not an integer is
 * further from the next integer than the rounding error. */
static low_value divide_as_float(struct jit_lower *l, low_value a, low_value b, bool is_signed)
{
    unsigned width = low_width(a), wide = width * 2;
    LLVMTypeRef number = low_float_type(l, wide), whole = low_int_type(l, wide);
    low_value one = low_int(l, width, 1), quotient;

    b = low_select(l, low_icmpi(l, LLVMIntEQ, b, 0), one, b);
    if (is_signed) {
        quotient = LLVMBuildFDiv(l->builder, LLVMBuildSIToFP(l->builder, a, number, ""),
                                 LLVMBuildSIToFP(l->builder, b, number, ""), "");
        quotient = LLVMBuildFPToSI(l->builder, quotient, whole, "");
    } else {
        quotient = LLVMBuildFDiv(l->builder, LLVMBuildUIToFP(l->builder, a, number, ""),
                                 LLVMBuildUIToFP(l->builder, b, number, ""), "");
        quotient = LLVMBuildFPToUI(l->builder, quotient, whole, "");
    }
    return low_resize(l, quotient, width, false);
}

/* The quotient; arbitrary if b is 0. LLVM turns constant divisors into multiplications. */
static low_value quotient_of(struct jit_lower *l, const struct ptx_instruction *i,
                             const low_value *s)
{
    bool is_signed = low_is_signed(type_of(i));

    if (l->lanes > 1 && low_width(s[0]) <= 32 && i->src[1].kind != PTX_OPERAND_IMMEDIATE)
        return divide_as_float(l, s[0], s[1], is_signed);
    return divide_whole(l, s[0], s[1], is_signed);
}

bool low_emit_div(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    if (is_float(type_of(i)))
        return low_emit_float_binary(l, i, s, r);
    r[0] = low_select(l, low_icmpi(l, LLVMIntEQ, s[1], 0), LLVMConstAllOnes(LLVMTypeOf(s[1])),
                      quotient_of(l, i, s));
    return true;
}

bool low_emit_rem(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    low_value rest = low_sub(l, s[0], low_mul(l, quotient_of(l, i, s), s[1]));

    r[0] =
        low_select(l, low_icmpi(l, LLVMIntEQ, s[1], 0), LLVMConstAllOnes(LLVMTypeOf(rest)), rest);
    return true;
}

bool low_emit_neg(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    if (is_float(type_of(i)))
        return low_emit_float_unary(l, i, s, r);
    if (low_is_half(type_of(i)))
        return low_emit_half(l, i, s, r);
    r[0] = LLVMBuildNeg(l->builder, s[0], "");
    return true;
}

bool low_emit_abs(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    if (is_float(type_of(i)))
        return low_emit_float_unary(l, i, s, r);
    if (low_is_half(type_of(i)))
        return low_emit_half(l, i, s, r);
    r[0] =
        low_select(l, low_icmpi(l, LLVMIntSLT, s[0], 0), LLVMBuildNeg(l->builder, s[0], ""), s[0]);
    return true;
}

static bool emit_min_max(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                         low_value *r, bool max)
{
    enum ptx_type type = type_of(i);
    bool is_signed = low_is_signed(type);
    struct jit_lower lanes = *l;
    low_value a = s[0], b = s[1];

    if (is_float(type))
        return low_emit_float_min_max(l, i, s, r);
    if (low_is_half(type))
        return low_emit_half(l, i, s, r);
    if (low_is_packed(type)) {
        a = low_split(l, a, 16, &lanes);
        b = low_split(l, b, 16, &lanes);
    }
    a = max ? low_int_max(&lanes, a, b, is_signed) : low_int_min(&lanes, a, b, is_signed);
    if (ptx_has(i, PTX_MOD_RELU))
        a = low_int_max(&lanes, a, low_int(&lanes, low_width(a), 0), true);
    r[0] = low_is_packed(type) ? low_join(l, a, 32) : a;
    return true;
}

bool low_emit_min(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    return emit_min_max(l, i, s, r, false);
}

bool low_emit_max(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    return emit_min_max(l, i, s, r, true);
}

/* The lower half of a product without carries. Each factor is split into four parts with every
 * fourth bit. A product of two parts has sums of ones at every fourth bit; up to the 15th such
 * place they fit into the four bits there, so no carry reaches the next, and the lowest bit of each
 * is that of the product without carries. */
static low_value multiply_carryless(struct jit_lower *l, low_value a, low_value b)
{
    const uint64_t every_fourth = UINT64_C(0x1111111111111111);
    low_value parts[2][4], result = NULL;

    for (unsigned k = 0; k < 4; k++) {
        parts[0][k] = low_andi(l, a, every_fourth << k);
        parts[1][k] = low_andi(l, b, every_fourth << k);
    }
    for (unsigned k = 0; k < 4; k++) {
        low_value sum = low_mul(l, parts[0][0], parts[1][k]);

        for (unsigned n = 1; n < 4; n++)
            sum = low_xor(l, sum, low_mul(l, parts[0][n], parts[1][(k - n) % 4]));
        sum = low_andi(l, sum, every_fourth << k);
        result = result ? low_or(l, result, sum) : sum;
    }
    return result;
}

/* The upper half is the lower half of the reversed factors' product, reversed: of its 127 bits the
 * highest is bit 126. */
bool low_emit_clmad(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    low_value product;

    if (ptx_has(i, PTX_MOD_HI)) {
        product = multiply_carryless(l, low_call1(l, "llvm.bitreverse", s[0]),
                                     low_call1(l, "llvm.bitreverse", s[1]));
        product = low_lshri(l, low_call1(l, "llvm.bitreverse", product), 1);
    } else {
        product = multiply_carryless(l, s[0], s[1]);
    }
    r[0] = low_xor(l, product, s[2]);
    return true;
}

bool low_emit_sad(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    bool is_signed = low_is_signed(type_of(i));
    low_value larger = low_int_max(l, s[0], s[1], is_signed);
    low_value smaller = low_int_min(l, s[0], s[1], is_signed);

    r[0] = low_add(l, low_sub(l, larger, smaller), s[2]);
    return true;
}

/* Part k of a, of `bits` bits, extended to 32 bits. */
static low_value part(struct jit_lower *l, low_value a, unsigned k, unsigned bits, bool is_signed)
{
    low_value narrow = low_resize(l, low_lshri(l, a, k * bits), bits, false);

    return low_resize(l, narrow, 32, is_signed);
}

bool low_emit_dp4a(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    bool sa = i->types[0] == PTX_S32, sb = i->types[1] == PTX_S32;

    r[0] = s[2];
    for (unsigned k = 0; k < 4; k++)
        r[0] = low_add(l, r[0], low_mul(l, part(l, s[0], k, 8, sa), part(l, s[1], k, 8, sb)));
    return true;
}

/* The two halves of a times the two lower or upper bytes of b, accumulated. */
bool low_emit_dp2a(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    bool sa = i->types[0] == PTX_S32, sb = i->types[1] == PTX_S32;
    unsigned first = ptx_has(i, PTX_MOD_HI) ? 2 : 0;

    r[0] = s[2];
    for (unsigned k = 0; k < 2; k++)
        r[0] =
            low_add(l, r[0], low_mul(l, part(l, s[0], k, 16, sa), part(l, s[1], first + k, 8, sb)));
    return true;
}
