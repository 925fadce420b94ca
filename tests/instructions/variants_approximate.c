/* SPDX-License-Identifier: MIT */
/*
 * Approximations. They have the recorded bits, unless CUPIPE_MATH is fast: then they are held to
 * the error bounds that the PTX ISA documents. There, results that are no numbers in range (NaN,
 * infinity) are compared exactly; the rest with the truth, computed in double.
 */
#include "variants.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bound holds with CUPIPE_MATH=fast only. */
static void bounded(struct variant *variant, enum function function, enum format format, double ulp,
                    double relative, double absolute)
{
    variant->tolerance = (struct tolerance){
        function, format, ulp, relative, absolute, strstr(variant->name, ".ftz") != NULL};
}

void variants_approximate(void)
{
    for (int ftz = 0; ftz < 2; ftz++) {
        const char *f = ftz ? ".ftz" : "";
        bounded(variant_one("div", "32", "f32 f32", "div.approx%s.f32", f), DIV, FORMAT_F32, 2, 0,
                0);
        bounded(variant_one("div", "32", "f32 f32", "div.full%s.f32", f), DIV, FORMAT_F32, 2, 0, 0);
        bounded(variant_one("rcp", "32", "f32", "rcp.approx%s.f32", f), RCP, FORMAT_F32, 1, 0, 0);
        bounded(variant_one("sqrt", "32", "f32", "sqrt.approx%s.f32", f), SQRT, FORMAT_F32, 0,
                ldexp(1, -23), 0);
        bounded(variant_one("rsqrt", "32", "f32", "rsqrt.approx%s.f32", f), RSQRT, FORMAT_F32, 0,
                pow(2, -22.9), 0);
        bounded(variant_one("sin", "32", "f32", "sin.approx%s.f32", f), SIN, FORMAT_F32, 0, 0,
                pow(2, -20.5));
        bounded(variant_one("cos", "32", "f32", "cos.approx%s.f32", f), COS, FORMAT_F32, 0, 0,
                pow(2, -20.5));
        bounded(variant_one("lg2", "32", "f32", "lg2.approx%s.f32", f), LG2, FORMAT_F32, 0,
                ldexp(1, -22), ldexp(1, -22));
        bounded(variant_one("ex2", "32", "f32", "ex2.approx%s.f32", f), EX2, FORMAT_F32, 2.5, 0, 0);
    }
    bounded(variant_one("tanh", "32", "f32", "tanh.approx.f32"), TANH, FORMAT_F32, 0, ldexp(1, -11),
            0);
    bounded(variant_one("rcp", "64", "f64", "rcp.approx.ftz.f64"), RCP, FORMAT_F64, 0,
            ldexp(1, -19), 0);
    bounded(variant_one("rsqrt", "64", "f64", "rsqrt.approx.ftz.f64"), RSQRT, FORMAT_F64, 0,
            ldexp(1, -19), 0);
    bounded(variant_one("rsqrt", "64", "f64", "rsqrt.approx.f64"), RSQRT, FORMAT_F64, 0,
            ldexp(1, -51), 0);
    bounded(variant_one("tanh", "16", "f16", "tanh.approx.f16"), TANH, FORMAT_F16, 0, 0,
            pow(2, -10.987));
    bounded(variant_one("tanh", "32", "f16x2", "tanh.approx.f16x2"), TANH, FORMAT_F16, 0, 0,
            pow(2, -10.987));
    bounded(variant_one("tanh", "16", "bf16", "tanh.approx.bf16"), TANH, FORMAT_BF16, 0,
            ldexp(1, -8), 0);
    bounded(variant_one("tanh", "32", "bf16x2", "tanh.approx.bf16x2"), TANH, FORMAT_BF16, 0,
            ldexp(1, -8), 0);
    bounded(variant_one("ex2", "16", "f16", "ex2.approx.f16"), EX2, FORMAT_F16, 0, pow(2, -9.9), 0);
    bounded(variant_one("ex2", "32", "f16x2", "ex2.approx.f16x2"), EX2, FORMAT_F16, 0, pow(2, -9.9),
            0);
    bounded(variant_one("ex2", "16", "bf16", "ex2.approx.ftz.bf16"), EX2, FORMAT_BF16, 0,
            ldexp(1, -7), 0);
    bounded(variant_one("ex2", "32", "bf16x2", "ex2.approx.ftz.bf16x2"), EX2, FORMAT_BF16, 0,
            ldexp(1, -7), 0);
}

struct layout {
    int bits, exponent_bits, fraction_bits;
};

static struct layout layout_of(enum format format)
{
    switch (format) {
    case FORMAT_F16:
        return (struct layout){16, 5, 10};
    case FORMAT_BF16:
        return (struct layout){16, 8, 7};
    case FORMAT_F64:
        return (struct layout){64, 11, 52};
    default:
        return (struct layout){32, 8, 23};
    }
}

static double decoded(struct layout layout, uint64_t bits)
{
    int bias = (1 << (layout.exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> layout.fraction_bits & ((1u << layout.exponent_bits) - 1));
    uint64_t fraction = bits & ((1ull << layout.fraction_bits) - 1);
    double sign = bits >> (layout.bits - 1) & 1 ? -1 : 1;

    if (exponent == (1 << layout.exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexp((double)fraction, 1 - bias - layout.fraction_bits);
    return sign * ldexp((double)(fraction | 1ull << layout.fraction_bits),
                        exponent - bias - layout.fraction_bits);
}

static double truth_of(enum function function, double a, double b)
{
    switch (function) {
    case RCP:
        return 1 / a;
    case DIV:
        return a / b;
    case SQRT:
        return sqrt(a);
    case RSQRT:
        return 1 / sqrt(a);
    case SIN:
        return sin(a);
    case COS:
        return cos(a);
    case LG2:
        return log2(a);
    case EX2:
        return exp2(a);
    case TANH:
        return tanh(a);
    default:
        return NAN;
    }
}

/* How far from the truth is allowed. */
static double slack_of(const struct tolerance *t, struct layout layout, double a, double truth)
{
    int bias = (1 << (layout.exponent_bits - 1)) - 1;
    double smallest = ldexp(1, 1 - bias - layout.fraction_bits);
    double unit = ldexp(1, ilogb(truth) - layout.fraction_bits);
    double slack = t->relative * fabs(truth);

    if (t->function == SIN || t->function == COS) {
        if (fabs(a) > 100 * M_PI)
            return 2;
        slack = fabs(a) > 2 * M_PI ? pow(2, -14.7) : t->absolute;
    } else if (t->function == LG2) {
        slack = a > 0.5 && a < 2 ? t->absolute : slack;
    } else if (t->absolute > slack) {
        slack = t->absolute;
    }
    if (t->ulp * fmax(unit, smallest) > slack)
        slack = t->ulp * fmax(unit, smallest);
    /* The result itself is rounded. */
    slack += fmax(unit, smallest) / 2;
    return t->flushes ? fmax(slack, ldexp(1, 1 - bias)) : slack;
}

static int lane_agrees(const struct tolerance *t, uint64_t a_bits, uint64_t b_bits,
                       uint64_t recorded, uint64_t got)
{
    struct layout layout = layout_of(t->format);
    double a = decoded(layout, a_bits), b = decoded(layout, b_bits);
    double was = decoded(layout, recorded), is = decoded(layout, got);

    if (recorded == got)
        return 1;
    if (isnan(was) || isinf(was) || isnan(is) || isinf(is))
        return 0;
    double least = ldexp(1, 2 - (1 << (layout.exponent_bits - 1)));
    if (t->flushes && fabs(a) < least)
        a = copysign(0, a);
    if (t->flushes && fabs(b) < least)
        b = copysign(0, b);
    double truth = truth_of(t->function, a, b);
    if (isnan(truth) || isinf(truth) || truth == 0)
        return 0;
    if (t->function == DIV && was == 0 && fabs(b) > ldexp(1, 126))
        return 0; /* documented to be zero there */
    return fabs(is - truth) <= slack_of(t, layout, a, truth);
}

static int math_is_fast(void)
{
    const char *math = getenv("CUPIPE_MATH");

    return math && !strcmp(math, "fast");
}

int result_agrees(const struct variant *variant, int result, unsigned lane, uint64_t recorded,
                  uint64_t got)
{
    const struct tolerance *t = &variant->tolerance;
    uint64_t operand[2] = {0, 0};

    if (recorded == got)
        return 1;
    if (t->function == EXACT || result > 0 || !math_is_fast())
        return 0;
    for (int i = 0; i < variant->operand_count && i < 2; i++)
        operand[i] = input_value(variant, i, lane);
    if (variant->result_bits[0] == layout_of(t->format).bits)
        return lane_agrees(t, operand[0], operand[1], recorded, got);
    return lane_agrees(t, operand[0] & 0xffff, 0, recorded & 0xffff, got & 0xffff) &&
           lane_agrees(t, operand[0] >> 16, 0, recorded >> 16, got >> 16);
}
