/* SPDX-License-Identifier: MIT */
/* The weighted sum of texels, bit for bit as the hardware has it.
 *
 * Weights are whole numbers of 1/256 that sum up to 256. Fractions are 16-bit integers, and the sum
 * is rounded to such an integer, halves up. Floats come in fours: they are brought to the exponent
 * of the largest of the four that has a weight, and cut off four bits below that one's last. Sums
 * are exact from there on and rounded to the format's precision in the end, halves away from zero.
 */
#include "image/view.h"

#include <math.h>
#include <string.h>

static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

/* To `precision` bits, and no finer than the format's smallest step. */
static float rounded(double value, int precision, int smallest)
{
    int exponent;
    double magnitude = fabs(value);

    frexp(magnitude, &exponent);
    int step = exponent - precision < smallest ? smallest : exponent - precision;
    magnitude = floor(magnitude * power_of_two(-step) + 0.5) * power_of_two(step);
    return (float)copysign(magnitude, value);
}

/* There is one NaN. */
static float not_finite(double sum, bool is_half)
{
    union {
        uint32_t u;
        float f;
    } nan = {is_half ? 0x7fffe000 : 0x7fffffff};

    return sum != sum ? nan.f : (float)sum;
}

/* Four texels at most. */
static double quad_sum(const union cup_texel *texels, const uint16_t *weights, unsigned count,
                       unsigned c, int precision, int smallest)
{
    uint32_t largest = 0;
    double sum = 0, plain = 0;

    for (unsigned i = 0; i < count; i++) {
        uint32_t bits = weights[i] ? texels[i].u[c] & 0x7f800000 : 0;
        largest = bits > largest ? bits : largest;
        if (weights[i])
            plain += (double)texels[i].f[c] * weights[i];
    }
    if (largest == 0x7f800000)
        return plain; /* an infinity, or NaN */
    int exponent = (int)(largest >> 23) - 126;
    if (exponent < smallest + precision)
        exponent = smallest + precision;
    double scale = power_of_two(precision + 4 - exponent);
    for (unsigned i = 0; i < count; i++) {
        if (weights[i])
            sum += trunc((double)texels[i].f[c] * scale) * weights[i];
    }
    return sum * power_of_two(exponent - precision - 4 - 8);
}

static float float_sum(const union cup_texel *texels, const uint16_t *weights, unsigned count,
                       unsigned c, bool is_half)
{
    const int precision = is_half ? 11 : 24, smallest = is_half ? -24 : -149;
    double sum = 0;

    for (unsigned i = 0; i < count; i += 4)
        sum += quad_sum(texels + i, weights + i, count - i < 4 ? count - i : 4, c, precision,
                        smallest);
    return isfinite(sum) ? rounded(sum, precision, smallest) : not_finite(sum, is_half);
}

static int32_t snorm_rounded(int64_t sum)
{
    int64_t unit = 256 * CUP_SNORM_UNIT, value = sum + unit / 2;

    return (int32_t)((value - (value % unit + unit) % unit) / unit) * CUP_SNORM_UNIT;
}

/* Integers of 8 and 16 bits to nearest, halves up; those of 32 bits are cut off. */
static uint32_t raw_sum(const union cup_texel *texels, const uint16_t *weights, unsigned count,
                        unsigned c, const struct cup_texel_format *format)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < count; i++) {
        bool is_signed = format->is_signed || format->channel_bits < 32;
        sum += (is_signed ? (int64_t)texels[i].i[c] : (int64_t)texels[i].u[c]) * weights[i];
    }
    return (uint32_t)((sum + (format->channel_bits < 32 ? 128 : 0)) >> 8);
}

void cup_filter(const struct cup_texel_format *format, const union cup_texel *texels,
                const uint16_t *weights, unsigned count, union cup_texel *result)
{
    for (unsigned c = 0; c < 4; c++) {
        enum cup_texel_kind kind = cup_texel_channel_kind(format, c);
        int64_t sum = 0;
        if (kind == CUP_TEXEL_RAW) {
            result->u[c] = raw_sum(texels, weights, count, c, format);
            continue;
        }
        if (kind >= CUP_TEXEL_HALF) {
            result->f[c] = float_sum(texels, weights, count, c, kind == CUP_TEXEL_HALF);
            continue;
        }
        for (unsigned i = 0; i < count; i++)
            sum += (int64_t)texels[i].i[c] * weights[i];
        result->i[c] = kind == CUP_TEXEL_SNORM ? snorm_rounded(sum) : (int32_t)(sum + 128) >> 8;
    }
}

void cup_texel_finish(const struct cup_texel_format *format, bool exact, union cup_texel *texel)
{
    for (unsigned c = 0; c < 4; c++) {
        enum cup_texel_kind kind = cup_texel_channel_kind(format, c);
        if (kind == CUP_TEXEL_UNORM && exact && format->channel_bits == 10 && c < 3)
            texel->f[c] = (float)((double)(texel->i[c] >> 6) / 1023);
        else if (kind == CUP_TEXEL_UNORM)
            texel->f[c] = cup_unorm_float(texel->i[c]);
        else if (kind == CUP_TEXEL_SNORM)
            texel->f[c] = cup_snorm_float(texel->i[c]);
    }
    if (format->opaque)
        texel->f[3] = 1;
}
