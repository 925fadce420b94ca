/* SPDX-License-Identifier: MIT */
/* The level that gradients select: the logarithm of the number of texels that one step on the
 * screen covers, with the hardware's approximations. The length of a vector is its largest
 * component plus 11/32 of the next plus 1/4 of the smallest. The longest of the two steps and their
 * diagonals (scaled by 11/16, about 1 / sqrt 2) counts. Mantissas are truncated to 9 bits before
 * and 8 bits after. */
#include "image/gradient.h"

#include <math.h>

static float truncate_mantissa(float value, int bits)
{
    union {
        float f;
        uint32_t u;
    } both = {value};

    both.u &= ~((1u << (23 - bits)) - 1);
    return both.f;
}

static float length_of(const float *step)
{
    float a = fabsf(step[0]), b = fabsf(step[1]), c = fabsf(step[2]);
    float most = fmaxf(a, fmaxf(b, c)), least = fminf(a, fminf(b, c));
    float between = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));

    return most + between * (11.0f / 32) + least * (1.0f / 4);
}

/* Returns log2 in 1/256 of a number with a 9-bit mantissa. The hardware's table has the logarithm
 * of the middle of each step, with 8 bits. */
static int32_t logarithm(float value)
{
    int exponent;
    float part = frexpf(value, &exponent) * 2 - 1; /* 0 to 1, in steps of 1/256 */
    float middle = log2f(1 + part + 1.0f / 512) * 256 + 0.47f;
    int32_t entry = part == 0 ? 0 : middle >= 255 ? 255 : (int32_t)middle;

    return (exponent - 1) * 256 + entry;
}

int32_t cup_gradient_level(const float *step_x, const float *step_y)
{
    float x[3], y[3], sum[3], difference[3];

    for (unsigned i = 0; i < 3; i++) {
        x[i] = truncate_mantissa(step_x[i], 9);
        y[i] = truncate_mantissa(step_y[i], 9);
        sum[i] = x[i] + y[i];
        difference[i] = x[i] - y[i];
    }
    float length = fmaxf(length_of(x), length_of(y));
    length = fmaxf(length, fmaxf(length_of(sum), length_of(difference)) * (11.0f / 16));
    length = truncate_mantissa(length, 8);
    if (!(length > 0x1p-40f))
        return -40 * 256;
    if (length > 0x1p40f)
        return 40 * 256;
    return logarithm(length);
}
