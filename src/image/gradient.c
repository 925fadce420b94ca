/* SPDX-License-Identifier: MIT */
/* The level that gradients select: the logarithm of the number of texels that one step on the
 * screen covers, with the hardware's approximations.
 *
 * Numbers have 10 significant bits; what does not fit is cut off. The length of a vector is its
 * largest component plus 11/32 of the next plus 1/4 of the smallest. The longest of the two steps
 * and their diagonals (scaled by 11/16, about 1 / sqrt 2) counts. Sums align the smaller operand
 * with the larger one and keep one more bit meanwhile. */
#include "image/gradient.h"

#include <math.h>

enum { BITS = 10, FLOAT_BITS = 24 };

/* Keeps so many significant bits. */
static double cut(double value, int bits)
{
    int exponent;
    double part = frexp(value, &exponent);

    return ldexp(trunc(ldexp(part, bits)), exponent - bits);
}

static double aligned_sum(double a, double b, int bits)
{
    int exponent;

    (void)frexp(fmax(fabs(a), fabs(b)), &exponent);
    double sum = trunc(ldexp(a, bits - exponent)) + trunc(ldexp(b, bits - exponent));
    return ldexp(sum, exponent - bits);
}

double cup_gradient_difference(double to, double from)
{
    return isfinite(to) && isfinite(from) ? aligned_sum(to, -from, FLOAT_BITS + 1) : to - from;
}

double cup_gradient_sum(double a, double b)
{
    return cut(aligned_sum(a, b, BITS + 1), BITS);
}

/* The significant bits as an integer from 512 to 1023, or 0. */
static uint32_t digits(double value, int *exponent)
{
    return (uint32_t)ldexp(fabs(frexp(value, exponent)), BITS);
}

/* The product of two numbers of 10 bits without the partial products of its six lowest columns;
 * 7/8 of a unit makes up for them. */
double cup_gradient_texels(double step, uint32_t extent)
{
    enum { DROPPED = 6 };
    int step_exponent, exponent;
    uint32_t sum = 0;

    if (!(fabs(step) < 0x1p60))
        return isnan(step) ? 0 : copysign(0x1p60, step);
    uint32_t a = digits(step, &step_exponent), b = digits(extent, &exponent);
    for (unsigned i = 0; i < BITS; i++) {
        unsigned lost = i < DROPPED ? DROPPED - i : 0;
        sum += b >> i & 1 ? a >> lost << lost << i : 0;
    }
    double product = (sum + (7u << (DROPPED - 3) << 3)) >> (BITS - 1);
    return cut(copysign(ldexp(product, step_exponent + exponent - BITS - 1), step), BITS);
}

/* A product with a constant, rounded where the last bit of the value ends up. */
static double scaled(double value, double factor)
{
    int exponent, factor_exponent;
    uint32_t part = digits(value, &exponent);
    double product = floor(part * 2 * frexp(factor, &factor_exponent) + 0.5);

    return cut(ldexp(product, exponent + factor_exponent - BITS - 1), BITS);
}

static double scaled_length(const double *step, double scale)
{
    double a = fabs(step[0]), b = fabs(step[1]), c = fabs(step[2]);
    double most = fmax(a, fmax(b, c)), least = fmin(a, fmin(b, c));
    double between = fmax(fmin(a, b), fmin(fmax(a, b), c));

    return scaled(most, scale) + scaled(between, scale * 11 / 32) + scaled(least, scale / 4);
}

/* Returns log2 in 1/256. The hardware's table has the logarithm of the middle of each of 256 steps,
 * with 8 bits. */
static int32_t logarithm(double value)
{
    int exponent;
    double part = cut(frexp(value, &exponent), BITS - 1) * 2 - 1;
    double middle = log2(1 + part + 1.0 / 512) * 256 + 0.47;
    int32_t entry = part == 0 ? 0 : middle >= 255 ? 255 : (int32_t)middle;

    return (exponent - 1) * 256 + entry;
}

int32_t cup_gradient_level(const struct cup_gradient *gradient)
{
    const double *x = gradient->x, *y = gradient->y;
    double length = fmax(scaled_length(x, 1), scaled_length(y, 1)), sum[3], difference[3];

    for (unsigned i = 0; i < 3; i++) {
        sum[i] = cup_gradient_sum(x[i], y[i]);
        difference[i] = cup_gradient_sum(x[i], -y[i]);
    }
    if (!gradient->bent)
        length =
            fmax(length, fmax(scaled_length(sum, 11.0 / 16), scaled_length(difference, 11.0 / 16)));
    if (gradient->beyond || length > 0x1p40)
        return 40 * 256;
    return length > 0x1p-40 ? logarithm(length) : -40 * 256;
}
