/* SPDX-License-Identifier: MIT */
/* Logic, shifts, bit fields and permutations. */
#include "jit/lower/builder.h"

bool low_emit_and(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)i;
    r[0] = low_and(l, s[0], s[1]);
    return true;
}

bool low_emit_or(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                 low_value *r)
{
    (void)i;
    r[0] = low_or(l, s[0], s[1]);
    return true;
}

bool low_emit_xor(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)i;
    r[0] = low_xor(l, s[0], s[1]);
    return true;
}

bool low_emit_not(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)i;
    r[0] = low_not(l, s[0]);
    return true;
}

bool low_emit_cnot(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    (void)i;
    r[0] = low_resize(l, low_icmpi(l, LLVMIntEQ, s[0], 0), low_width(s[0]), false);
    return true;
}

/* Clamps a 32-bit shift amount to the width, in the type of the shifted value. */
static low_value amount(struct jit_lower *l, low_value by, unsigned width)
{
    return low_resize(l, low_int_min(l, by, low_int(l, 32, width), false), width, false);
}

bool low_emit_shl(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)i;
    r[0] = low_shl_clamp(l, s[0], amount(l, s[1], low_width(s[0])));
    return true;
}

bool low_emit_shr(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    r[0] = low_shr_clamp(l, s[0], amount(l, s[1], low_width(s[0])), low_is_signed(i->types[0]));
    return true;
}

/* Funnel shift: 32 bits of b:a. */
bool low_emit_shf(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    bool left = ptx_has(i, PTX_MOD_L);
    low_value by = s[2], value, result;

    if (ptx_has(i, PTX_MOD_WRAP)) {
        r[0] = low_call3(l, left ? "llvm.fshl" : "llvm.fshr", s[1], s[0], by);
        return true;
    }
    by = low_resize(l, low_int_min(l, by, low_int(l, 32, 32), false), 64, false);
    value =
        low_or(l, low_shli(l, low_resize(l, s[1], 64, false), 32), low_resize(l, s[0], 64, false));
    result = left ? low_lshri(l, LLVMBuildShl(l->builder, value, by, ""), 32)
                  : LLVMBuildLShr(l->builder, value, by, "");
    r[0] = low_resize(l, result, 32, false);
    return true;
}

/* lop3 with any truth table: the or of the rows for which it is true. The optimiser simplifies the
 * result. */
static low_value table3(struct jit_lower *l, unsigned table, const low_value *s)
{
    low_value result = NULL;

    switch (table) {
    case 0x00:
        return low_int(l, 32, 0);
    case 0xff:
        return low_int(l, 32, 0xffffffff);
    case 0x96:
        return low_xor(l, low_xor(l, s[0], s[1]), s[2]);
    case 0xfe:
        return low_or(l, low_or(l, s[0], s[1]), s[2]);
    case 0x80:
        return low_and(l, low_and(l, s[0], s[1]), s[2]);
    case 0xca:
        return low_xor(l, low_and(l, low_xor(l, s[1], s[2]), s[0]), s[2]);
    }
    for (unsigned row = 0; row < 8; row++) {
        low_value term;

        if (!(table >> row & 1))
            continue;
        term = low_and(l, row & 4 ? s[0] : low_not(l, s[0]), row & 2 ? s[1] : low_not(l, s[1]));
        term = low_and(l, term, row & 1 ? s[2] : low_not(l, s[2]));
        result = result ? low_or(l, result, term) : term;
    }
    return result;
}

bool low_emit_lop3(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    r[0] = table3(l, i->lut, s);
    if (i->dst[1].kind != PTX_OPERAND_NONE) {
        low_value any = low_icmpi(l, LLVMIntNE, r[0], 0);

        r[1] = ptx_has(i, PTX_MOD_AND) ? low_and(l, any, s[4]) : low_or(l, any, s[4]);
    }
    return true;
}

static bool has_prmt_mode(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_MOD_F4E) || ptx_has(i, PTX_MOD_B4E) || ptx_has(i, PTX_MOD_RC8) ||
           ptx_has(i, PTX_MOD_ECL) || ptx_has(i, PTX_MOD_ECR) || ptx_has(i, PTX_MOD_RC16);
}

/* The selector of result byte k: the byte's number, and bit 3 to replicate its sign. */
static low_value prmt_selector(struct jit_lower *l, const struct ptx_instruction *i,
                               low_value control, unsigned k)
{
    low_value low2;

    if (!has_prmt_mode(i))
        return low_andi(l, low_lshri(l, control, 4 * k), 15);
    low2 = low_andi(l, control, 3);
    if (ptx_has(i, PTX_MOD_F4E))
        return low_addi(l, low2, k);
    if (ptx_has(i, PTX_MOD_B4E))
        return low_andi(l, low_addi(l, low2, -(int64_t)k), 7);
    if (ptx_has(i, PTX_MOD_RC8))
        return low2;
    if (ptx_has(i, PTX_MOD_ECL))
        return low_int_max(l, low2, low_int(l, 32, k), false);
    if (ptx_has(i, PTX_MOD_ECR))
        return low_int_min(l, low2, low_int(l, 32, k), false);
    return low_addi(l, low_shli(l, low_andi(l, control, 1), 1), k & 1);
}

/* prmt with a constant selector: each byte is a shift of one of the sources. */
static low_value permute_by_constant(struct jit_lower *l, const low_value *s, uint64_t control)
{
    low_value result = low_int(l, 32, 0);

    for (unsigned k = 0; k < 4; k++) {
        unsigned selector = control >> 4 * k & 15, first = (selector & 3) * 8;
        low_value from = selector & 4 ? s[1] : s[0], byte;

        if (selector & 8)
            byte = low_andi(l, low_ashri(l, low_shli(l, from, 24 - first), 31),
                            UINT64_C(0xff) << 8 * k);
        else if (first >= 8 * k)
            byte = low_andi(l, low_lshri(l, from, first - 8 * k), UINT64_C(0xff) << 8 * k);
        else
            byte = low_andi(l, low_shli(l, from, 8 * k - first), UINT64_C(0xff) << 8 * k);
        result = low_or(l, result, byte);
    }
    return result;
}

bool low_emit_prmt(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    low_value both =
        low_or(l, low_shli(l, low_resize(l, s[1], 64, false), 32), low_resize(l, s[0], 64, false));

    if (i->src[2].kind == PTX_OPERAND_IMMEDIATE && !has_prmt_mode(i)) {
        r[0] = permute_by_constant(l, s, i->src[2].value);
        return true;
    }
    r[0] = low_int(l, 32, 0);
    for (unsigned k = 0; k < 4; k++) {
        low_value selector = prmt_selector(l, i, s[2], k);
        low_value by = low_shli(l, low_resize(l, low_andi(l, selector, 7), 64, false), 3);
        low_value byte = low_resize(l, LLVMBuildLShr(l->builder, both, by, ""), 8, false);
        low_value sign = low_ashri(l, byte, 7);

        byte = low_select(l, low_icmpi(l, LLVMIntNE, low_andi(l, selector, 8), 0), sign, byte);
        r[0] = low_or(l, r[0], low_shli(l, low_resize(l, byte, 32, false), 8 * k));
    }
    return true;
}

/* The position or length of a bit field: 32-bit forms use its lowest byte, 64-bit forms clamp it to
 * 255. */
static low_value place(struct jit_lower *l, low_value a, unsigned width)
{
    a = width == 32 ? low_andi(l, a, 255) : low_int_min(l, a, low_int(l, 32, 255), false);
    return low_resize(l, a, width, false);
}

/* Extracts bits pos … pos + len - 1 of a, extended with zeros or with the sign: the field's last
 * bit, or the top bit of a if the field extends beyond it. */
bool low_emit_bfe(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    unsigned width = low_width(s[0]);
    low_value position = place(l, s[1], width);
    low_value length = place(l, s[2], width);
    low_value field, rest, zero = low_int(l, width, 0);

    if (!low_is_signed(i->types[0])) {
        field = low_shr_clamp(l, s[0], position, false);
        rest = low_shl_clamp(l, LLVMConstAllOnes(LLVMTypeOf(field)), length);
        r[0] = low_and(l, field, low_not(l, rest));
        return true;
    }
    field = low_shr_clamp(l, s[0], position, true);
    rest = low_sub(l, low_int(l, width, width),
                   low_int_min(l, length, low_int(l, width, width), false));
    r[0] = low_shr_clamp(l, low_shl_clamp(l, field, rest), rest, true);
    r[0] = low_select(l, low_icmpi(l, LLVMIntEQ, length, 0), zero, r[0]);
    return true;
}

/* bfi f, a, b, pos, len: inserts the low bits of a into b. */
bool low_emit_bfi(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    unsigned width = low_width(s[0]);
    low_value position = place(l, s[2], width);
    low_value length = place(l, s[3], width);
    low_value ones = low_shl_clamp(l, LLVMConstAllOnes(LLVMTypeOf(s[0])), length);
    low_value mask = low_shl_clamp(l, low_not(l, ones), position);

    (void)i;
    r[0] = low_or(l, low_and(l, low_shl_clamp(l, s[0], position), mask),
                  low_and(l, s[1], low_not(l, mask)));
    return true;
}

static low_value leading_zeros(struct jit_lower *l, low_value a)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    low_value zero_is_fine = LLVMConstInt(LLVMInt1TypeInContext(l->context), 0, false);

    return low_call(l, "llvm.ctlz", &type, 1, (low_value[]){a, zero_is_fine}, 2);
}

bool low_emit_bfind(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    unsigned width = low_width(s[0]);
    low_value a = s[0], zeros;

    if (low_is_signed(i->types[0]))
        a = low_xor(l, a, low_ashri(l, a, width - 1));
    zeros = low_resize(l, leading_zeros(l, a), 32, false);
    if (!ptx_has(i, PTX_MOD_SHIFTAMT))
        zeros = low_sub(l, low_int(l, 32, width - 1), zeros);
    r[0] = low_select(l, low_icmpi(l, LLVMIntEQ, a, 0), low_int(l, 32, 0xffffffff), zeros);
    return true;
}

/* A mask of b ones from bit a on. */
bool low_emit_bmsk(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    low_value ones = low_int(l, 32, 0xffffffff), a = s[0], b = s[1];

    if (ptx_has(i, PTX_MOD_WRAP)) {
        a = low_andi(l, a, 31);
        b = low_andi(l, b, 31);
    }
    r[0] = low_shl_clamp(l, low_not(l, low_shl_clamp(l, ones, b)), a);
    return true;
}

bool low_emit_brev(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    (void)i;
    r[0] = low_call1(l, "llvm.bitreverse", s[0]);
    return true;
}

bool low_emit_clz(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    (void)i;
    r[0] = low_resize(l, leading_zeros(l, s[0]), 32, false);
    return true;
}

bool low_emit_popc(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    (void)i;
    r[0] = low_resize(l, low_call1(l, "llvm.ctpop", s[0]), 32, false);
    return true;
}

/* The position of the n-th set bit of a, counted from 0, or 32. Binary search by population counts
 * of prefixes: five steps for any n. */
static low_value nth_bit(struct jit_lower *l, low_value a, low_value n)
{
    low_value at = low_int(l, 32, 0), left = n;

    for (unsigned step = 16; step; step /= 2) {
        low_value window = LLVMBuildLShr(l->builder, a, at, "");
        low_value count = low_call1(l, "llvm.ctpop", low_andi(l, window, (1u << step) - 1));
        low_value beyond = low_icmp(l, LLVMIntUGE, left, count);

        left = low_select(l, beyond, low_sub(l, left, count), left);
        at = low_select(l, beyond, low_addi(l, at, step), at);
    }
    return at;
}

/* Finds the offset-th set bit of the mask from the base bit upwards, or downwards if the offset is
 * negative. Offset 0 gives the base bit if it is set. The result is -1 if there is none. */
bool low_emit_fns(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    low_value none = low_int(l, 32, 0xffffffff), zero = low_int(l, 32, 0);
    low_value down = low_icmp(l, LLVMIntSLT, s[2], zero);
    low_value at_base = low_icmp(l, LLVMIntEQ, s[2], zero);
    low_value upward = low_select(l, down, low_call1(l, "llvm.bitreverse", s[0]), s[0]);
    low_value base = low_select(l, down, low_sub(l, low_int(l, 32, 31), s[1]), s[1]);
    low_value count = low_select(l, down, low_sub(l, zero, s[2]), s[2]);
    low_value above = low_shl_clamp(l, none, base);
    low_value candidates = low_and(l, upward, above);
    low_value at, found;

    (void)i;
    candidates = low_select(
        l, at_base, low_and(l, candidates, low_shl_clamp(l, low_int(l, 32, 1), base)), candidates);
    count = low_select(l, at_base, zero, low_addi(l, count, -1));
    found = low_icmp(l, LLVMIntULT, count, low_call1(l, "llvm.ctpop", candidates));
    at = nth_bit(l, candidates, count);
    at = low_select(l, down, low_sub(l, low_int(l, 32, 31), at), at);
    r[0] = low_select(l, found, at, none);
    return true;
}

/* The low b bits of a, extended: with their sign or with zeros. */
bool low_emit_szext(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    low_value ones = low_int(l, 32, 0xffffffff), by = s[1], rest;

    if (ptx_has(i, PTX_MOD_WRAP))
        by = low_andi(l, by, 31);
    if (!low_is_signed(i->types[0])) {
        r[0] = low_and(l, s[0], low_not(l, low_shl_clamp(l, ones, by)));
        return true;
    }
    rest = low_sub(l, low_int(l, 32, 32), low_int_min(l, by, low_int(l, 32, 32), false));
    r[0] = low_shr_clamp(l, low_shl_clamp(l, s[0], rest), rest, true);
    r[0] = low_select(l, low_icmpi(l, LLVMIntEQ, by, 0), low_int(l, 32, 0), r[0]);
    return true;
}
