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

#define DIAGONAL (11.0 / 16)

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
static double product(double a, double b)
{
    enum { DROPPED = 6, COMPENSATION = 7 << DROPPED };
    int a_exponent, b_exponent;
    uint32_t left = digits(a, &a_exponent), right = digits(b, &b_exponent), sum = 0;

    for (unsigned i = 0; i < BITS; i++) {
        unsigned lost = i < DROPPED ? DROPPED - i : 0;
        sum += right >> i & 1 ? left >> lost << lost << i : 0;
    }
    double result = left && right ? (sum + COMPENSATION) >> (BITS - 1) : 0;
    result = cut(ldexp(result, a_exponent + b_exponent - BITS - 1), BITS);
    return (a < 0) != (b < 0) ? -result : result;
}

double cup_gradient_texels(double step, uint32_t extent)
{
    if (!(fabs(step) < 0x1p60))
        return isnan(step) ? 0 : copysign(0x1p60, step);
    return product(step, extent);
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

static int32_t level_of(double length)
{
    enum { MOST = 40 * 256 };

    return length > 0x1p40 ? MOST : length > 0x1p-40 ? logarithm(length) : -MOST;
}

/* The two steps and their diagonals. The earliest of the longest is the axis. */
struct axes {
    double vectors[4][3];
    double lengths[4];
};

enum { STEP_X, SUM, STEP_Y, DIFFERENCE };

static void measure_axes(const struct cup_gradient *gradient, struct axes *axes)
{
    for (unsigned i = 0; i < 3; i++) {
        double x = gradient->x[i], y = gradient->y[i];
        axes->vectors[STEP_X][i] = x;
        axes->vectors[STEP_Y][i] = y;
        axes->vectors[SUM][i] = cup_gradient_sum(x, y);
        axes->vectors[DIFFERENCE][i] = cup_gradient_sum(x, -y);
    }
    for (unsigned i = 0; i < 4; i++) {
        bool diagonal = i & 1;
        axes->lengths[i] =
            diagonal && gradient->bent
                ? 0
                : cut(scaled_length(axes->vectors[i], diagonal ? DIAGONAL : 1), BITS);
    }
}

void cup_gradient_measure(const struct cup_gradient *gradient, struct cup_pixel *pixel)
{
    const double *x = gradient->x, *y = gradient->y;
    struct axes axes;
    unsigned longest = 0;

    measure_axes(gradient, &axes);
    for (unsigned i = 1; i < 4; i++)
        longest = axes.lengths[i] > axes.lengths[longest] ? i : longest;
    pixel->longer = level_of(gradient->beyond ? 0x1p41 : axes.lengths[longest]);
    double area = aligned_sum(product(x[0], y[1]), -product(x[1], y[0]), BITS + 1);
    pixel->shorter = level_of(fabs(area)) - pixel->longer;
    bool backwards = longest == DIFFERENCE && axes.lengths[STEP_X] <= axes.lengths[STEP_Y];
    for (unsigned i = 0; i < 2; i++) {
        double part = axes.vectors[longest][i];
        double size = longest & 1 ? scaled(part, DIAGONAL) : fabs(part);
        pixel->axis[i] = (part < 0) != backwards ? -size : size;
    }
}
