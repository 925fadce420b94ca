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
#include <stdint.h>
#include <string.h>

enum { BITS = 10, FLOAT_BITS = 24 };

#define DIAGONAL (11.0 / 16)

/* frexp(), ldexp() and trunc() without calls, for what occurs here: zero and normal numbers far
 * from the ends of the range, and integers of 32 bits. */
static inline double split(double value, int *exponent)
{
    uint64_t bits;

    *exponent = 0;
    if (value == 0)
        return value;
    memcpy(&bits, &value, sizeof(bits));
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(1022) << 52;
    memcpy(&value, &bits, sizeof(bits));
    return value;
}

static inline double scaled_by(double value, int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof(bits));
    return value * power;
}

static inline double whole(double value)
{
    return (double)(int32_t)value;
}

/* Keeps so many significant bits. */
static double cut(double value, int bits)
{
    int exponent;
    double part = split(value, &exponent);

    return scaled_by(whole(scaled_by(part, bits)), exponent - bits);
}

static double aligned_sum(double a, double b, int bits)
{
    int exponent;

    (void)split(fabs(a) > fabs(b) ? a : b, &exponent);
    double sum = whole(scaled_by(a, bits - exponent)) + whole(scaled_by(b, bits - exponent));
    return scaled_by(sum, exponent - bits);
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
    return (uint32_t)scaled_by(fabs(split(value, exponent)), BITS);
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
    result = cut(scaled_by(result, a_exponent + b_exponent - BITS - 1), BITS);
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
    double product = whole(part * 2 * split(factor, &factor_exponent) + 0.5);

    return cut(scaled_by(product, exponent + factor_exponent - BITS - 1), BITS);
}

static double scaled_length(const double *step, double scale)
{
    double a = fabs(step[0]), b = fabs(step[1]), c = fabs(step[2]);
    double most = fmax(a, fmax(b, c)), least = fmin(a, fmin(b, c));
    double between = fmax(fmin(a, b), fmin(fmax(a, b), c));

    return scaled(most, scale) + scaled(between, scale * 11 / 32) + scaled(least, scale / 4);
}

/* log2(1 + i / 256) in 1/256, of the middle of each of 256 steps: log2(1 + i / 256 + 1 / 512) * 256
 * + 0.47, cut, but 0 of the first and at most 255. */
_Alignas(4) const uint8_t cup_gradient_logarithms[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,
    27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,
    52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,
    75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,
    97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136,
    137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
    155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
    173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188,
    189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205,
    205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220,
    221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235,
    236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249,
    250, 251, 251, 252, 253, 253, 254, 255, 255,
};

static int32_t logarithm(double value)
{
    int exponent;
    double part = split(value, &exponent);

    return (exponent - 1) * 256 + cup_gradient_logarithms[(unsigned)(int32_t)(part * 512) - 256];
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
