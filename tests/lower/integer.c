/* SPDX-License-Identifier: MIT */
/* Models of integer arithmetic: in 128 bits, then cut. */
#include "harness.h"

typedef __int128 wide;

static wide take(const struct ptx_instruction *i, uint64_t value)
{
    unsigned bits = model_bits(i->types[0]);

    return model_signed(i->types[0]) ? (wide)sign_extend(value, bits) : (wide)value;
}

static wide limit(const struct ptx_instruction *i, wide value)
{
    unsigned bits = model_bits(i->types[0]);
    wide low = model_signed(i->types[0]) ? -((wide)1 << (bits - 1)) : 0;
    wide high = model_signed(i->types[0]) ? ((wide)1 << (bits - 1)) - 1 : ((wide)1 << bits) - 1;

    return value < low ? low : value > high ? high : value;
}

static uint64_t cut(const struct ptx_instruction *i, wide value)
{
    return mask_bits((uint64_t)value, model_bits(i->types[0]));
}

static void add(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide sum = take(i, s[0]) + take(i, s[1]);

    r[0] = cut(i, ptx_has(i, PTX_MOD_SAT) ? limit(i, sum) : sum);
}

static void sub(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide difference = take(i, s[0]) - take(i, s[1]);

    r[0] = cut(i, ptx_has(i, PTX_MOD_SAT) ? limit(i, difference) : difference);
}

static void add_carry(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned bits = model_bits(i->types[0]);
    unsigned __int128 sum = (unsigned __int128)s[0] + s[1] + (i->op == PTX_OP_addc ? s[2] : 0);

    r[0] = cut(i, (wide)sum);
    r[1] = (uint64_t)(sum >> bits) & 1;
}

/* The flag is set where nothing is borrowed. */
static void sub_borrow(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide difference = (wide)s[0] - (wide)s[1] - (i->op == PTX_OP_subc ? (wide)!s[2] : 0);

    r[0] = cut(i, difference);
    r[1] = difference >= 0;
}

static wide product(const struct ptx_instruction *i, const uint64_t *s)
{
    wide p = (wide)((unsigned __int128)take(i, s[0]) * (unsigned __int128)take(i, s[1]));
    unsigned bits = model_bits(i->types[0]);

    if (!ptx_has(i, PTX_MOD_HI))
        return p;
    return model_signed(i->types[0]) ? p >> bits : (wide)((unsigned __int128)p >> bits);
}

static void mul(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide p = product(i, s);
    unsigned bits = model_bits(i->types[0]);

    r[0] = ptx_has(i, PTX_MOD_WIDE) ? mask_bits((uint64_t)p, bits * 2) : cut(i, p);
}

static void mad(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide p = product(i, s);
    unsigned bits = model_bits(i->types[0]);

    if (ptx_has(i, PTX_MOD_WIDE))
        r[0] = mask_bits((uint64_t)p + s[2], bits * 2);
    else if (ptx_has(i, PTX_MOD_SAT))
        r[0] = cut(i, limit(i, p + take(i, s[2])));
    else
        r[0] = cut(i, p + (wide)s[2]);
}

static void mad_carry(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned __int128 sum =
        (unsigned __int128)cut(i, product(i, s)) + s[2] + (i->op == PTX_OP_madc ? s[3] : 0);

    r[0] = cut(i, (wide)sum);
    r[1] = (uint64_t)(sum >> model_bits(i->types[0])) & 1;
}

static void mul24(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool is_signed = model_signed(i->types[0]);
    int64_t a = is_signed ? sign_extend(s[0], 24) : (int64_t)(s[0] & 0xffffff);
    int64_t b = is_signed ? sign_extend(s[1], 24) : (int64_t)(s[1] & 0xffffff);
    int64_t p = a * b;

    r[0] = cut(i, ptx_has(i, PTX_MOD_HI) ? p >> 16 : p);
    if (i->op != PTX_OP_mad24)
        return;
    if (ptx_has(i, PTX_MOD_SAT))
        r[0] = cut(i, limit(i, take(i, r[0]) + take(i, s[2])));
    else
        r[0] = cut(i, (wide)r[0] + (wide)s[2]);
}

static void divide(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide a = take(i, s[0]), b = take(i, s[1]);

    if (i->op == PTX_OP_div)
        r[0] = cut(i, b ? a / b : -1);
    else
        r[0] = cut(i, b ? a % b : -1);
}

static void unary(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide a = take(i, s[0]);

    r[0] = cut(i, i->op == PTX_OP_neg || a < 0 ? -a : a);
}

static wide smaller(wide a, wide b)
{
    return a < b ? a : b;
}

static void min_max(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide a = take(i, s[0]), b = take(i, s[1]);
    wide best = i->op == PTX_OP_min ? smaller(a, b) : -smaller(-a, -b);

    r[0] = cut(i, ptx_has(i, PTX_MOD_RELU) && best < 0 ? 0 : best);
}

static void pairs(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    r[0] = 0;
    for (unsigned k = 0; k < 2; k++) {
        bool is_signed = i->types[0] == PTX_S16X2;
        uint64_t ua = s[0] >> 16 * k & 0xffff, ub = s[1] >> 16 * k & 0xffff;
        int64_t a = is_signed ? sign_extend(ua, 16) : (int64_t)ua;
        int64_t b = is_signed ? sign_extend(ub, 16) : (int64_t)ub;
        int64_t c = i->op == PTX_OP_add ? a + b : (a < b) == (i->op == PTX_OP_min) ? a : b;

        if (ptx_has(i, PTX_MOD_RELU) && c < 0)
            c = 0;
        r[0] |= ((uint64_t)c & 0xffff) << 16 * k;
    }
}

static void sad(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    wide a = take(i, s[0]), b = take(i, s[1]);

    r[0] = cut(i, (a < b ? b - a : a - b) + (wide)s[2]);
}

static void dot(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned parts = i->op == PTX_OP_dp4a ? 4 : 2, width = 32 / parts;
    unsigned first = ptx_has(i, PTX_MOD_HI) ? 2 : 0;
    int64_t sum = (int64_t)s[2];

    for (unsigned k = 0; k < parts; k++) {
        uint64_t a = mask_bits(s[0] >> width * k, width), b = s[1] >> 8 * (first + k) & 0xff;

        sum += (i->types[0] == PTX_S32 ? sign_extend(a, width) : (int64_t)a) *
               (i->types[1] == PTX_S32 ? sign_extend(b, 8) : (int64_t)b);
    }
    r[0] = (uint32_t)sum;
}

#define EACH(op, count, model)                                                                     \
    {op ".u16", count, model, 0}, {op ".s16", count, model, 0}, {op ".u32", count, model, 0},      \
        {op ".s32", count, model, 0}, {op ".u64", count, model, 0},                                \
    {                                                                                              \
        op ".s64", count, model, 0                                                                 \
    }

const struct lower_row integer_rows[] = {
    EACH("add", 2, add),
    EACH("sub", 2, sub),
    EACH("mul.lo", 2, mul),
    EACH("mul.hi", 2, mul),
    EACH("mad.lo", 3, mad),
    EACH("mad.hi", 3, mad),
    EACH("div", 2, divide),
    EACH("rem", 2, divide),
    EACH("min", 2, min_max),
    EACH("max", 2, min_max),
    EACH("sad", 3, sad),
    {"div.u32 b#7", 2, divide, 0},
    {"div.s32 b#ffffffff", 2, divide, 0},
    {"div.u32 b#0", 2, divide, 0},
    {"rem.s32 b#a", 2, divide, 0},
    {"rem.u64 b#0", 2, divide, 0},
    {"add.sat.s32", 2, add, 0},
    {"sub.sat.s32", 2, sub, 0},
    {"mad.hi.sat.s32", 3, mad, 0},
    {"mul.wide.u16", 2, mul, 0},
    {"mul.wide.s16", 2, mul, 0},
    {"mul.wide.u32", 2, mul, 0},
    {"mul.wide.s32", 2, mul, 0},
    {"mad.wide.u16", 3, mad, 0},
    {"mad.wide.s16", 3, mad, 0},
    {"mad.wide.u32", 3, mad, 0},
    {"mad.wide.s32", 3, mad, 0},
    {"add.cc.u32", 2, add_carry, 0},
    {"add.cc.s64", 2, add_carry, 0},
    {"addc.u32", 2, add_carry, 0},
    {"addc.cc.u32", 2, add_carry, 0},
    {"addc.cc.u64", 2, add_carry, 0},
    {"sub.cc.u32", 2, sub_borrow, 0},
    {"subc.u32", 2, sub_borrow, 0},
    {"subc.cc.u32", 2, sub_borrow, 0},
    {"subc.cc.u64", 2, sub_borrow, 0},
    {"mad.lo.cc.u32", 3, mad_carry, 0},
    {"mad.hi.cc.u32", 3, mad_carry, 0},
    {"mad.hi.cc.s32", 3, mad_carry, 0},
    {"madc.lo.u32", 3, mad_carry, 0},
    {"madc.hi.cc.u64", 3, mad_carry, 0},
    {"madc.lo.cc.s64", 3, mad_carry, 0},
    {"mul24.lo.u32", 2, mul24, 0},
    {"mul24.lo.s32", 2, mul24, 0},
    {"mul24.hi.u32", 2, mul24, 0},
    {"mul24.hi.s32", 2, mul24, 0},
    {"mad24.lo.s32", 3, mul24, 0},
    {"mad24.hi.u32", 3, mul24, 0},
    {"mad24.hi.sat.s32", 3, mul24, 0},
    {"neg.s16", 1, unary, 0},
    {"neg.s32", 1, unary, 0},
    {"neg.s64", 1, unary, 0},
    {"abs.s16", 1, unary, 0},
    {"abs.s32", 1, unary, 0},
    {"abs.s64", 1, unary, 0},
    {"min.relu.s32", 2, min_max, 0},
    {"max.relu.s32", 2, min_max, 0},
    {"add.u16x2", 2, pairs, 0},
    {"add.s16x2", 2, pairs, 0},
    {"min.u16x2", 2, pairs, 0},
    {"max.s16x2", 2, pairs, 0},
    {"min.relu.s16x2", 2, pairs, 0},
    {"dp4a.u32.u32", 3, dot, 0},
    {"dp4a.s32.u32", 3, dot, 0},
    {"dp4a.u32.s32", 3, dot, 0},
    {"dp4a.s32.s32", 3, dot, 0},
    {"dp2a.lo.u32.s32", 3, dot, 0},
    {"dp2a.hi.s32.s32", 3, dot, 0},
    {"dp2a.hi.u32.u32", 3, dot, 0},
    {0},
};
