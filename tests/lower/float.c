/* SPDX-License-Identifier: MIT */
/* Models of .f32 and .f64: the C library in the rounding mode of the instruction. */
#include "harness.h"

#include <fenv.h>
#include <math.h>

static void set_mode(const struct ptx_instruction *i)
{
    fesetround(ptx_has(i, PTX_MOD_RZ)   ? FE_TOWARDZERO
               : ptx_has(i, PTX_MOD_RM) ? FE_DOWNWARD
               : ptx_has(i, PTX_MOD_RP) ? FE_UPWARD
                                        : FE_TONEAREST);
}

static float flushed(const struct ptx_instruction *i, float a)
{
    return ptx_has(i, PTX_MOD_FTZ) && fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}

static uint64_t finished(const struct ptx_instruction *i, float a)
{
    a = flushed(i, a);
    if (ptx_has(i, PTX_MOD_SAT))
        a = a > 0 ? (a < 1 ? a : 1) : 0;
    return a != a ? 0x7fffffff : float_bits(a);
}

/* The NaN of one of the operands, in this order of them. */
static uint64_t finished_double(double a, const uint64_t *s, const char *order)
{
    if (a == a)
        return double_bits(a);
    for (; *order; order++)
        if (isnan(as_double(s[*order - 'a'])))
            return s[*order - 'a'] | UINT64_C(1) << 51;
    return UINT64_C(0xfff8000000000000);
}

#define COMPUTE(type, suffix)                                                                      \
    static type compute_##type(const struct ptx_instruction *i, type a, type b, type c)            \
    {                                                                                              \
        volatile type x = a, y = b, z = c, result;                                                 \
                                                                                                   \
        set_mode(i);                                                                               \
        switch (i->op) {                                                                           \
        case PTX_OP_add:                                                                           \
            result = x + y;                                                                        \
            break;                                                                                 \
        case PTX_OP_sub:                                                                           \
            result = x - y;                                                                        \
            break;                                                                                 \
        case PTX_OP_mul:                                                                           \
            result = x * y;                                                                        \
            break;                                                                                 \
        case PTX_OP_div:                                                                           \
            result = x / y;                                                                        \
            break;                                                                                 \
        case PTX_OP_rcp:                                                                           \
            result = 1 / x;                                                                        \
            break;                                                                                 \
        case PTX_OP_sqrt:                                                                          \
            result = sqrt##suffix(x);                                                              \
            break;                                                                                 \
        default:                                                                                   \
            result = fma##suffix(x, y, z);                                                         \
        }                                                                                          \
        fesetround(FE_TONEAREST);                                                                  \
        return result;                                                                             \
    }

COMPUTE(float, f)
COMPUTE(double, )

static void arithmetic(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned n = i->source_count;

    if (i->types[0] == PTX_F64)
        r[0] = finished_double(compute_double(i, as_double(s[0]), n > 1 ? as_double(s[1]) : 0,
                                              n > 2 ? as_double(s[2]) : 0),
                               s,
                               n == 1                ? "a"
                               : n == 3              ? "bca"
                               : i->op == PTX_OP_div ? "ab"
                                                     : "ba");
    else
        r[0] = finished(i, compute_float(i, flushed(i, as_float(s[0])),
                                         n > 1 ? flushed(i, as_float(s[1])) : 0,
                                         n > 2 ? flushed(i, as_float(s[2])) : 0));
}

/* Directed quotients with .ftz that are normal only by their rounding are flushed. */
static void quotient(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool rcp = i->op == PTX_OP_rcp;
    double a = rcp ? 1 : flushed(i, as_float(s[0])), b = flushed(i, as_float(s[!rcp]));
    double exact = a / b;

    arithmetic(i, s, r);
    if (ptx_has(i, PTX_MOD_FTZ) && !ptx_has(i, PTX_MOD_RN) && fabs(exact) < 0x1p-126)
        r[0] = signbit(exact) ? 0x80000000 : 0;
}

static void two_floats(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    uint64_t part[3] = {0}, low, high;
    unsigned n = i->source_count;
    struct ptx_instruction one = *i;

    one.types[0] = PTX_F32;
    for (unsigned k = 0; k < n; k++)
        part[k] = s[k] & 0xffffffff;
    arithmetic(&one, part, &low);
    for (unsigned k = 0; k < n; k++)
        part[k] = s[k] >> 32;
    arithmetic(&one, part, &high);
    r[0] = high << 32 | low;
}

static void sign(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned top = model_bits(i->types[0]) - 1;
    uint64_t a = top == 31 ? float_bits(flushed(i, as_float(s[0]))) : s[0];
    uint64_t bit = UINT64_C(1) << top;

    r[0] = i->op == PTX_OP_neg ? a ^ bit : a & ~bit;
    if (top == 31 && isnan(as_float(a)))
        r[0] = 0x7fffffff;
    if (top == 63 && isnan(as_double(a)))
        r[0] = a | UINT64_C(1) << 51;
}

/* In the order of the numbers, -0 before +0; NaN loses, or wins with .NaN. */
static double better(const struct ptx_instruction *i, double a, double b)
{
    if (a != a || b != b)
        return ptx_has(i, PTX_MOD_NAN) ? (double)NAN : a != a ? b : a;
    if (a == b)
        return (i->op == PTX_OP_min) == (signbit(a) != 0) ? a : b;
    return (a < b) == (i->op == PTX_OP_min) ? a : b;
}

static void min_max(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool negative = false;
    double best = 0;

    for (unsigned k = 0; k < i->source_count; k++) {
        double a = i->types[0] == PTX_F64 ? as_double(s[k]) : flushed(i, as_float(s[k]));

        negative ^= signbit(a) != 0;
        a = ptx_has(i, PTX_MOD_XORSIGN) ? fabs(a) : a;
        best = k ? better(i, best, a) : a;
    }
    if (ptx_has(i, PTX_MOD_XORSIGN) && negative)
        best = -best;
    r[0] = i->types[0] == PTX_F64 ? finished_double(best, s, "ba") : finished(i, (float)best);
}

#define ROUNDED(op, type, count, model)                                                            \
    {op ".rn" type, count, model, 0}, {op ".rz" type, count, model, 0},                            \
        {op ".rm" type, count, model, 0},                                                          \
    {                                                                                              \
        op ".rp" type, count, model, 0                                                             \
    }

#define ALL(op, count)                                                                             \
    ROUNDED(op, ".f32", count, arithmetic), ROUNDED(op, ".ftz.f32", count, arithmetic),            \
        ROUNDED(op, ".f64", count, arithmetic)

const struct lower_row float_rows[] = {
    ALL("add", 2),
    ALL("sub", 2),
    ALL("mul", 2),
    ALL("fma", 3),
    ROUNDED("div", ".f32", 2, arithmetic),
    ROUNDED("div", ".ftz.f32", 2, quotient),
    ROUNDED("div", ".f64", 2, arithmetic),
    ROUNDED("rcp", ".f32", 1, arithmetic),
    ROUNDED("rcp", ".ftz.f32", 1, quotient),
    ROUNDED("rcp", ".f64", 1, arithmetic),
    ALL("sqrt", 1),
    ROUNDED("add", ".sat.f32", 2, arithmetic),
    ROUNDED("fma", ".ftz.sat.f32", 3, arithmetic),
    {"add.f32", 2, arithmetic, 0},
    {"mul.f64", 2, arithmetic, 0},
    {"mul.sat.f32", 2, arithmetic, 0},
    {"mad.rn.f32", 3, arithmetic, 0},
    {"div.full.f32", 2, arithmetic, 0},
    {"add.f32x2", 2, two_floats, 0},
    {"sub.rz.f32x2", 2, two_floats, 0},
    {"mul.ftz.f32x2", 2, two_floats, 0},
    {"fma.rn.f32x2", 3, two_floats, 0},
    {"neg.f32", 1, sign, 0},
    {"neg.ftz.f32", 1, sign, 0},
    {"neg.f64", 1, sign, 0},
    {"abs.f32", 1, sign, 0},
    {"abs.ftz.f32", 1, sign, 0},
    {"abs.f64", 1, sign, 0},
    {"min.f32", 2, min_max, 0},
    {"max.f32", 2, min_max, 0},
    {"min.ftz.f32", 2, min_max, 0},
    {"max.NaN.f32", 2, min_max, 0},
    {"min.NaN.f32", 2, min_max, 0},
    {"min.xorsign.abs.f32", 2, min_max, 0},
    {"max.NaN.xorsign.abs.f32", 2, min_max, 0},
    {"min.f32", 3, min_max, 0},
    {"max.NaN.f32", 3, min_max, 0},
    {"min.f64", 2, min_max, 0},
    {"max.f64", 2, min_max, 0},
    {0},
};
