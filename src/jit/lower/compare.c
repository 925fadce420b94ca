/* SPDX-License-Identifier: MIT */
/* Comparisons and selections. 16-bit floats are compared as .f32, which represents each of them
 * exactly. */
#include "jit/lower/builder.h"

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || low_is_half(type);
}

/* Comparisons with a NaN are false, except those that end in u. */
static low_value compare_floats(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                                low_value b)
{
    static const struct {
        enum ptx_modifier modifier;
        LLVMRealPredicate predicate;
    } table[] = {
        {PTX_MOD_EQ, LLVMRealOEQ},  {PTX_MOD_NE, LLVMRealONE},      {PTX_MOD_LT, LLVMRealOLT},
        {PTX_MOD_LE, LLVMRealOLE},  {PTX_MOD_GT, LLVMRealOGT},      {PTX_MOD_GE, LLVMRealOGE},
        {PTX_MOD_EQU, LLVMRealUEQ}, {PTX_MOD_NEU, LLVMRealUNE},     {PTX_MOD_LTU, LLVMRealULT},
        {PTX_MOD_LEU, LLVMRealULE}, {PTX_MOD_GTU, LLVMRealUGT},     {PTX_MOD_GEU, LLVMRealUGE},
        {PTX_MOD_NUM, LLVMRealORD}, {PTX_MOD_CMP_NAN, LLVMRealUNO},
    };

    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++)
        if (ptx_has(i, table[k].modifier))
            return low_fcmp(l, table[k].predicate, a, b);
    return NULL;
}

/* lo, ls, hi and hs are unsigned whatever the type. */
static low_value compare_integers(struct jit_lower *l, const struct ptx_instruction *i,
                                  bool is_signed, low_value a, low_value b)
{
    static const struct {
        enum ptx_modifier modifier;
        LLVMIntPredicate if_signed, if_unsigned;
    } table[] = {
        {PTX_MOD_EQ, LLVMIntEQ, LLVMIntEQ},   {PTX_MOD_NE, LLVMIntNE, LLVMIntNE},
        {PTX_MOD_LT, LLVMIntSLT, LLVMIntULT}, {PTX_MOD_LE, LLVMIntSLE, LLVMIntULE},
        {PTX_MOD_GT, LLVMIntSGT, LLVMIntUGT}, {PTX_MOD_GE, LLVMIntSGE, LLVMIntUGE},
        {PTX_MOD_LO, LLVMIntULT, LLVMIntULT}, {PTX_MOD_LS, LLVMIntULE, LLVMIntULE},
        {PTX_MOD_HI, LLVMIntUGT, LLVMIntUGT}, {PTX_MOD_HS, LLVMIntUGE, LLVMIntUGE},
    };

    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++)
        if (ptx_has(i, table[k].modifier))
            return low_icmp(l, is_signed ? table[k].if_signed : table[k].if_unsigned, a, b);
    return NULL;
}

low_value low_compare(struct jit_lower *l, const struct ptx_instruction *i, enum ptx_type type,
                      low_value a, low_value b)
{
    if (!is_float(type))
        return compare_integers(l, i, low_is_signed(type), a, b);
    if (low_is_half(type)) {
        bool bf16 = type == PTX_BF16 || type == PTX_BF16X2;

        a = low_half_to_float(l, a, bf16);
        b = low_half_to_float(l, b, bf16);
        /* No flushing: subnormals of .f16 are normal as .f32, and those of .bf16 are not
         * flushed. */
        return compare_floats(l, i, a, b);
    }
    if (ptx_has(i, PTX_MOD_FTZ)) {
        a = low_flush(l, a);
        b = low_flush(l, b);
    }
    return compare_floats(l, i, a, b);
}

static low_value combine(struct jit_lower *l, const struct ptx_instruction *i, low_value a,
                         low_value b)
{
    if (ptx_has(i, PTX_MOD_AND))
        return low_and(l, a, b);
    return ptx_has(i, PTX_MOD_OR) ? low_or(l, a, b) : low_xor(l, a, b);
}

/* With .ftz, flushes subnormals of .f16 to zero with their sign. */
static low_value flush_half(struct jit_lower *l, const struct ptx_instruction *i, low_value a)
{
    low_value subnormal;

    if (!ptx_has(i, PTX_MOD_FTZ))
        return a;
    subnormal = low_icmpi(l, LLVMIntEQ, low_andi(l, a, 0x7c00), 0);
    return low_select(l, subnormal, low_andi(l, a, 0x8000), a);
}

/* Compares elements; pairs are compared as twice as many lanes. *narrow becomes the lowering over
 * them. */
static low_value compare_elements(struct jit_lower *l, const struct ptx_instruction *i,
                                  enum ptx_type type, const low_value *s, struct jit_lower *narrow)
{
    low_value a = s[0], b = s[1];

    *narrow = *l;
    if (low_is_packed(type)) {
        a = low_split(l, a, 16, narrow);
        b = low_split(l, b, 16, narrow);
    }
    if (type == PTX_F16 || type == PTX_F16X2) {
        a = flush_half(narrow, i, a);
        b = flush_half(narrow, i, b);
    }
    return low_compare(narrow, i, type, a, b);
}

bool low_emit_setp(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    enum ptx_type type = i->types[0];
    bool two = i->dst[1].kind != PTX_OPERAND_NONE;
    struct jit_lower narrow;
    low_value c = compare_elements(l, i, type, s, &narrow);

    if (!c)
        return false;
    if (low_is_packed(type)) {
        r[0] = low_every(l, c, 0, 2);
        if (two)
            r[1] = low_every(l, c, 1, 2);
        if (i->source_count > 2) {
            r[0] = combine(l, i, r[0], s[2]);
            if (two)
                r[1] = combine(l, i, r[1], s[2]);
        }
        return true;
    }
    r[0] = i->source_count > 2 ? combine(l, i, c, s[2]) : c;
    if (two)
        r[1] = i->source_count > 2 ? combine(l, i, low_not(l, c), s[2]) : low_not(l, c);
    return true;
}

/* The result of set: all ones for integers, 1.0 for floats, or 0. */
static low_value truth(struct jit_lower *l, enum ptx_type type, low_value c)
{
    unsigned width = low_is_packed(type) ? 16 : low_bits(type);

    if (type == PTX_F32 || type == PTX_F64)
        return low_select(l, c, low_float(l, width, 1), low_float(l, width, 0));
    if (!low_is_half(type))
        return low_resize(l, c, width, true);
    return low_select(l, c, low_int(l, 16, type == PTX_F16 || type == PTX_F16X2 ? 0x3c00 : 0x3f80),
                      low_int(l, 16, 0));
}

bool low_emit_set(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                  low_value *r)
{
    enum ptx_type to = i->types[0], type = i->types[i->type_count - 1];
    struct jit_lower narrow;
    low_value c = compare_elements(l, i, type, s, &narrow);

    if (!c)
        return false;
    if (i->source_count > 2) {
        low_value third = s[2];

        if (low_is_packed(type)) { /* duplicates each lane's predicate for its two elements */
            third = low_resize(l, third, 32, true);
            third = low_resize(&narrow, low_split(l, third, 16, &narrow), 1, false);
        }
        c = combine(&narrow, i, c, third);
    }
    r[0] = truth(&narrow, to, c);
    if (low_is_packed(type))
        r[0] = low_join(l, low_resize(&narrow, r[0], 16, true), 32);
    return true;
}

bool low_emit_selp(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    (void)i;
    r[0] = low_select(l, s[2], s[0], s[1]);
    return true;
}

/* slct: a if c >= 0, else b. A NaN selects b, -0 selects a. */
bool low_emit_slct(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                   low_value *r)
{
    low_value c = s[2];

    if (i->types[1] == PTX_F32) {
        if (ptx_has(i, PTX_MOD_FTZ))
            c = low_flush(l, c);
        c = low_fcmp(l, LLVMRealOGE, c, low_float(l, 32, 0));
    } else {
        c = low_icmpi(l, LLVMIntSGE, c, 0);
    }
    r[0] = low_select(l, c, s[0], s[1]);
    return true;
}

/* The sign of the first source with the magnitude of the second. */
bool low_emit_copysign(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                       low_value *r)
{
    uint64_t sign = UINT64_C(1) << (low_width(s[0]) - 1);
    low_value rest = low_andi(l, low_to_bits(l, s[1]), ~sign);

    (void)i;
    r[0] = low_from_bits(l, low_or(l, low_andi(l, low_to_bits(l, s[0]), sign), rest));
    return true;
}

/* Zero counts as normal. */
bool low_emit_testp(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                    low_value *r)
{
    bool is_float = low_width(s[0]) == 32;
    uint64_t infinity = is_float ? 0x7f800000 : UINT64_C(0x7ff) << 52;
    uint64_t smallest = is_float ? 0x00800000 : UINT64_C(1) << 52;
    low_value size = low_andi(l, low_to_bits(l, s[0]), is_float ? 0x7fffffff : UINT64_MAX >> 1);

    if (ptx_has(i, PTX_MOD_FINITE))
        r[0] = low_icmpi(l, LLVMIntULT, size, infinity);
    else if (ptx_has(i, PTX_MOD_INFINITE))
        r[0] = low_icmpi(l, LLVMIntEQ, size, infinity);
    else if (ptx_has(i, PTX_MOD_NUMBER))
        r[0] = low_icmpi(l, LLVMIntULE, size, infinity);
    else if (ptx_has(i, PTX_MOD_NOTANUMBER))
        r[0] = low_icmpi(l, LLVMIntUGT, size, infinity);
    else if (ptx_has(i, PTX_MOD_NORMAL))
        r[0] = low_and(l, low_not(l, low_icmpi(l, LLVMIntULT, low_addi(l, size, -1), smallest - 1)),
                       low_icmpi(l, LLVMIntULT, size, infinity));
    else
        r[0] = low_icmpi(l, LLVMIntULT, low_addi(l, size, -1), smallest - 1);
    return true;
}
