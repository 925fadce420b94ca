/* SPDX-License-Identifier: MIT */
/* Approximations: within the errors that the PTX manual documents, with its special values. */
#include "harness.h"
#include "small_float.h"

#include <math.h>

static float flushed(const struct ptx_instruction *i, float a)
{
    return ptx_has(i, PTX_MOD_FTZ) && fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}

/* Same bits of infinities, zeros and NaN; else within so many units of the last digit. */
static bool within_digits(const struct ptx_instruction *i, uint64_t got, double exact, double units)
{
    float value = as_float(got), nearest = flushed(i, (float)exact);
    double last;

    if (nearest != nearest)
        return got == 0x7fffffff;
    if (isinf(nearest) || nearest == 0)
        return got == float_bits(nearest) ||
               (nearest == 0 && !ptx_has(i, PTX_MOD_FTZ) && fabsf(value) <= 0x1p-149f) ||
               (nearest == 0 && fabs(exact) >= 0x1p-127 && fabsf(value) <= 0x1p-126f) ||
               (isinf(nearest) && fabs(exact) < 0x1.000002p128 && fabsf(value) >= 0x1.fffffcp127f);
    last = fmax(ldexp(1, ilogb(exact) - 23), 0x1p-149);
    return fabs(value - exact) <= units * last ||
           (ptx_has(i, PTX_MOD_FTZ) && fabs(exact) < 0x1.00001p-126 && value == 0);
}

static bool reciprocal(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    return within_digits(i, got, 1 / (double)flushed(i, as_float(s[0])), 1);
}

static bool root(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    return within_digits(i, got, sqrt(flushed(i, as_float(s[0]))), 1);
}

static bool reciprocal_root(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    double exact = 1 / sqrt(flushed(i, as_float(s[0])));

    if (isnan(exact) || isinf(exact) || exact == 0)
        return within_digits(i, got, exact, 1);
    return fabs(as_float(got) - exact) <= exact * exp2(-22.9);
}

static bool quotient(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    double a = flushed(i, as_float(s[0])), b = flushed(i, as_float(s[1]));

    if (fabs(b) > 0x1p126 && !isinf(b))
        return isnan(a) || isinf(a) ? got == 0x7fffffff : as_float(got) == 0;
    return within_digits(i, got, a / b, 2);
}

static bool power(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    return within_digits(i, got, exp2(flushed(i, as_float(s[0]))), 2);
}

static bool logarithm(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    double a = flushed(i, as_float(s[0])), exact = log2(a);

    if (a > 0.5 && a < 2)
        return fabs(as_float(got) - exact) <= 0x1p-22;
    return within_digits(i, got, exact, 2);
}

static bool sine(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    double a = flushed(i, as_float(s[0])), exact = i->op == PTX_OP_sin ? sin(a) : cos(a);

    if (isnan(exact))
        return got == 0x7fffffff;
    if (fabs(a) > 100 * M_PI)
        return fabsf(as_float(got)) <= 1;
    if (a == 0)
        return got == (i->op == PTX_OP_sin ? float_bits((float)a) : 0x3f800000);
    return fabs(as_float(got) - exact) <= (fabs(a) <= M_PI ? exp2(-20.5) : 0x1p-14);
}

static bool tangent(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    double exact = tanh(as_float(s[0]));

    (void)i;
    if (isnan(exact))
        return got == 0x7fffffff;
    return fabs(as_float(got) - exact) <= fabs(exact) * 0x1p-20 && got >> 31 == s[0] >> 31;
}

static bool half_function(const struct ptx_instruction *i, uint64_t a, uint64_t got)
{
    const struct small_float *f =
        i->types[0] == PTX_F16 || i->types[0] == PTX_F16X2 ? &small_f16 : &small_bf16;
    double x = (double)from_small(a, f), exact;
    uint64_t nearest;

    if (ptx_has(i, PTX_MOD_FTZ) && (a & 0x7f80) == 0)
        x = 0;
    exact = i->op == PTX_OP_ex2 ? exp2(x) : tanh(x);
    nearest = to_small(exact, f, TO_NEAREST, false);
    if (ptx_has(i, PTX_MOD_FTZ) && (nearest & 0x7f80) == 0)
        nearest = 0;
    return got == nearest || (got + 1 == nearest) || got == nearest + 1;
}

static bool halves(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    bool pair = i->types[0] == PTX_F16X2 || i->types[0] == PTX_BF16X2;

    return half_function(i, s[0] & 0xffff, got & 0xffff) &&
           (!pair || half_function(i, s[0] >> 16, got >> 16));
}

static bool double_function(const struct ptx_instruction *i, const uint64_t *s, uint64_t got)
{
    bool coarse = ptx_has(i, PTX_MOD_FTZ);
    double a = as_double(coarse ? s[0] & ~(uint64_t)UINT32_MAX : s[0]), exact;

    if (coarse && fabs(a) < 0x1p-1022)
        a = copysign(0, a);
    exact = i->op == PTX_OP_rcp ? 1 / a : 1 / sqrt(a);
    if (isnan(exact) && coarse)
        return got == UINT64_C(0x7fffffff00000000);
    if (isnan(exact))
        return got == (isnan(a) ? s[0] | UINT64_C(1) << 51 : UINT64_C(0xfff8000000000000));
    if (coarse && got & 0xffffffff)
        return false;
    if (isinf(exact) || exact == 0)
        return got == double_bits(exact);
    if (coarse && fabs(exact) < 0x1p-1022)
        return as_double(got) == 0;
    return fabs(as_double(got) - exact) <= fabs(exact) * (coarse ? 0x1p-18 : 0x1p-51);
}

const struct lower_row approximate_rows[] = {
    {"rcp.approx.f32", 1, 0, reciprocal},
    {"rcp.approx.ftz.f32", 1, 0, reciprocal},
    {"sqrt.approx.f32", 1, 0, root},
    {"sqrt.approx.ftz.f32", 1, 0, root},
    {"rsqrt.approx.f32", 1, 0, reciprocal_root},
    {"rsqrt.approx.ftz.f32", 1, 0, reciprocal_root},
    {"div.approx.f32", 2, 0, quotient},
    {"div.approx.ftz.f32", 2, 0, quotient},
    {"ex2.approx.f32", 1, 0, power},
    {"ex2.approx.ftz.f32", 1, 0, power},
    {"lg2.approx.f32", 1, 0, logarithm},
    {"lg2.approx.ftz.f32", 1, 0, logarithm},
    {"sin.approx.f32", 1, 0, sine},
    {"sin.approx.ftz.f32", 1, 0, sine},
    {"cos.approx.f32", 1, 0, sine},
    {"tanh.approx.f32", 1, 0, tangent},
    {"ex2.approx.f16", 1, 0, halves},
    {"ex2.approx.f16x2", 1, 0, halves},
    {"ex2.approx.ftz.bf16", 1, 0, halves},
    {"ex2.approx.ftz.bf16x2", 1, 0, halves},
    {"tanh.approx.f16", 1, 0, halves},
    {"tanh.approx.bf16x2", 1, 0, halves},
    {"rcp.approx.ftz.f64", 1, 0, double_function},
    {"rsqrt.approx.ftz.f64", 1, 0, double_function},
    {"rsqrt.approx.f64", 1, 0, double_function},
    {0},
};
