/* SPDX-License-Identifier: MIT */
/* Models of comparisons and selections. */
#include "harness.h"
#include "small_float.h"

#include <math.h>

enum order { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static double number(const struct ptx_instruction *i, enum ptx_type type, uint64_t bits)
{
    bool ftz = ptx_has(i, PTX_MOD_FTZ);

    if (type == PTX_F64)
        return as_double(bits);
    if (type == PTX_F32)
        return ftz && fabsf(as_float(bits)) < 0x1p-126f ? 0 : as_float(bits);
    if (type == PTX_F16 && ftz && (bits & 0x7c00) == 0)
        return 0;
    return (double)from_small(bits, type == PTX_F16 ? &small_f16 : &small_bf16);
}

static enum order order_of(const struct ptx_instruction *i, enum ptx_type type, uint64_t a,
                           uint64_t b, bool *is_float)
{
    unsigned bits = model_bits(type);

    *is_float = type == PTX_F64 || type == PTX_F32 || type == PTX_F16 || type == PTX_BF16;
    if (*is_float) {
        double x = number(i, type, a), y = number(i, type, b);

        return x < y ? LESS : x == y ? EQUAL : x > y ? GREATER : UNORDERED;
    }
    if (model_signed(type))
        return sign_extend(a, bits) < sign_extend(b, bits) ? LESS : a == b ? EQUAL : GREATER;
    return a < b ? LESS : a == b ? EQUAL : GREATER;
}

static bool holds(const struct ptx_instruction *i, enum ptx_type type, uint64_t a, uint64_t b)
{
    static const struct {
        enum ptx_modifier modifier;
        unsigned orders;
    } table[] = {
        {PTX_MOD_EQ, EQUAL},
        {PTX_MOD_NE, LESS | GREATER},
        {PTX_MOD_LT, LESS},
        {PTX_MOD_LE, LESS | EQUAL},
        {PTX_MOD_GT, GREATER},
        {PTX_MOD_GE, GREATER | EQUAL},
        {PTX_MOD_LO, LESS},
        {PTX_MOD_LS, LESS | EQUAL},
        {PTX_MOD_HI, GREATER},
        {PTX_MOD_HS, GREATER | EQUAL},
        {PTX_MOD_EQU, EQUAL | UNORDERED},
        {PTX_MOD_NEU, LESS | GREATER | UNORDERED},
        {PTX_MOD_LTU, LESS | UNORDERED},
        {PTX_MOD_LEU, LESS | EQUAL | UNORDERED},
        {PTX_MOD_GTU, GREATER | UNORDERED},
        {PTX_MOD_GEU, GREATER | EQUAL | UNORDERED},
        {PTX_MOD_NUM, LESS | EQUAL | GREATER},
        {PTX_MOD_CMP_NAN, UNORDERED},
    };
    bool is_float;
    enum order order = order_of(i, type, a, b, &is_float);

    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++)
        if (ptx_has(i, table[k].modifier))
            return table[k].orders & order;
    return false;
}

static bool combined(const struct ptx_instruction *i, bool c, const uint64_t *s)
{
    if (i->source_count < 3)
        return c;
    return ptx_has(i, PTX_MOD_AND) ? c & s[2] : ptx_has(i, PTX_MOD_OR) ? c | s[2] : c ^ s[2];
}

static bool packed(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

static bool element_holds(const struct ptx_instruction *i, enum ptx_type type, const uint64_t *s,
                          unsigned k)
{
    if (!packed(type))
        return holds(i, type, s[0], s[1]);
    return holds(i, type == PTX_F16X2 ? PTX_F16 : PTX_BF16, s[0] >> 16 * k & 0xffff,
                 s[1] >> 16 * k & 0xffff);
}

static void setp(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool c = element_holds(i, i->types[0], s, 0);

    r[0] = combined(i, c, s);
    r[1] = combined(i, packed(i->types[0]) ? element_holds(i, i->types[0], s, 1) : !c, s);
}

static uint64_t truth(enum ptx_type type)
{
    switch (type) {
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80;
    default:
        return mask_bits(UINT64_MAX, model_bits(type));
    }
}

static void set(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    enum ptx_type to = i->types[0], type = i->types[1];
    uint64_t one = truth(to);

    if (packed(type))
        r[0] = (combined(i, element_holds(i, type, s, 1), s) ? (one & 0xffff) << 16 : 0) |
               (combined(i, element_holds(i, type, s, 0), s) ? one & 0xffff : 0);
    else
        r[0] = combined(i, element_holds(i, type, s, 0), s) ? one : 0;
}

static void selp(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    (void)i;
    r[0] = s[2] ? s[0] : s[1];
}

static void slct(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool first = i->types[1] == PTX_F32 ? number(i, PTX_F32, s[2]) >= 0 : (int32_t)s[2] >= 0;

    r[0] = first ? s[0] : s[1];
}

static void copysign_model(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    uint64_t sign = UINT64_C(1) << (model_bits(i->types[0]) - 1);

    r[0] = (s[0] & sign) | (s[1] & ~sign);
}

static void testp(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    int class = i->types[0] == PTX_F64 ? fpclassify(as_double(s[0])) : fpclassify(as_float(s[0]));

    r[0] = ptx_has(i, PTX_MOD_FINITE)       ? class != FP_NAN && class != FP_INFINITE
           : ptx_has(i, PTX_MOD_INFINITE)   ? class == FP_INFINITE
           : ptx_has(i, PTX_MOD_NUMBER)     ? class != FP_NAN
           : ptx_has(i, PTX_MOD_NOTANUMBER) ? class == FP_NAN
           : ptx_has(i, PTX_MOD_NORMAL)     ? class == FP_NORMAL || class == FP_ZERO
                                            : class == FP_SUBNORMAL;
}

#define ORDERED(op, type, model, count)                                                            \
    {op ".eq" type, count, model, 0}, {op ".ne" type, count, model, 0},                            \
        {op ".lt" type, count, model, 0}, {op ".le" type, count, model, 0},                        \
        {op ".gt" type, count, model, 0},                                                          \
    {                                                                                              \
        op ".ge" type, count, model, 0                                                             \
    }
#define FLOATS(op, type, model, count)                                                             \
    ORDERED(op, type, model, count), {op ".equ" type, count, model, 0},                            \
        {op ".neu" type, count, model, 0}, {op ".ltu" type, count, model, 0},                      \
        {op ".leu" type, count, model, 0}, {op ".gtu" type, count, model, 0},                      \
        {op ".geu" type, count, model, 0}, {op ".num" type, count, model, 0},                      \
    {                                                                                              \
        op ".nan" type, count, model, 0                                                            \
    }

const struct lower_row compare_rows[] = {
    ORDERED("setp", ".s32 q", setp, 2),
    ORDERED("setp", ".u64", setp, 2),
    ORDERED("setp", ".s16 q", setp, 2),
    FLOATS("setp", ".f32 q", setp, 2),
    FLOATS("setp", ".f64", setp, 2),
    FLOATS("setp", ".f16", setp, 2),
    FLOATS("setp", ".ftz.f16x2 q", setp, 2),
    {"setp.lo.u32", 2, setp, 0},
    {"setp.ls.u16", 2, setp, 0},
    {"setp.hi.u64", 2, setp, 0},
    {"setp.hs.u32", 2, setp, 0},
    {"setp.eq.b32", 2, setp, 0},
    {"setp.lt.and.s32 q", 3, setp, 0},
    {"setp.lt.or.ftz.f32 q", 3, setp, 0},
    {"setp.ge.xor.f64", 3, setp, 0},
    {"setp.lt.bf16", 2, setp, 0},
    {"setp.ltu.and.bf16x2 q", 3, setp, 0},
    {"set.lt.u32.f32", 2, set, 0},
    {"set.gtu.or.ftz.f32.f32", 3, set, 0},
    {"set.eq.s32.u64", 2, set, 0},
    {"set.lt.f16.f16", 2, set, 0},
    {"set.lt.u16.f16", 2, set, 0},
    {"set.ge.u32.f16", 2, set, 0},
    {"set.ge.bf16.bf16", 2, set, 0},
    {"set.lt.ftz.f16x2.f16x2", 2, set, 0},
    {"set.ge.and.f16x2.f16x2", 3, set, 0},
    {"set.ge.xor.u32.bf16x2", 3, set, 0},
    {"selp.b16", 3, selp, 0},
    {"selp.f32", 3, selp, 0},
    {"selp.f64", 3, selp, 0},
    {"selp.u64", 3, selp, 0},
    {"slct.u32.s32", 3, slct, 0},
    {"slct.f64.f32", 3, slct, 0},
    {"slct.ftz.b16.f32", 3, slct, 0},
    {"copysign.f32", 2, copysign_model, 0},
    {"copysign.f64", 2, copysign_model, 0},
    {"testp.finite.f32", 1, testp, 0},
    {"testp.infinite.f32", 1, testp, 0},
    {"testp.number.f64", 1, testp, 0},
    {"testp.notanumber.f32", 1, testp, 0},
    {"testp.normal.f32", 1, testp, 0},
    {"testp.normal.f64", 1, testp, 0},
    {"testp.subnormal.f32", 1, testp, 0},
    {"testp.subnormal.f64", 1, testp, 0},
    {0},
};
