/* SPDX-License-Identifier: MIT */
/* The weighted sum of texels, bit for bit as the hardware computes it.
 *
 * Weights are multiples of 1/256, or 1/512 and 1/1024 with several samples, that add up to 1.
 * Normalised values are 16-bit integers; their sum is rounded to an integer, halves up. Floats are
 * summed in groups of four: each is aligned to the exponent of the group's largest value with a
 * nonzero weight and truncated four bits below that value's last bit, or at its eighth bit for sRGB
 * colours of compressed blocks (a colour's exponent is that of its part of the sRGB table). The
 * result is rounded to the precision of the format, halves away from zero. */
#include "image/view.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

/* Rounds to `precision` bits, but no finer than the format's smallest step. */
static float rounded(double value, int precision, int smallest)
{
    int exponent;
    double magnitude = fabs(value);

    frexp(magnitude, &exponent);
    int step = exponent - precision < smallest ? smallest : exponent - precision;
    magnitude = floor(magnitude * power_of_two(-step) + 0.5) * power_of_two(step);
    return (float)copysign(magnitude, value);
}

/* All NaN results have the same bits. */
static float not_finite(double sum, bool is_half)
{
    union {
        uint32_t u;
        float f;
    } nan = {is_half ? 0x7fffe000 : 0x7fffffff};

    return sum != sum ? nan.f : (float)sum;
}

/* How floats of a format are summed: the bits of the result, the bits kept of a texel with the
 * largest exponent, the exponent of the smallest step, and whether texels are of the sRGB table. */
struct precision {
    int bits, kept, smallest;
    bool is_srgb;
};

static struct precision precision_of(const struct cup_texel_format *format, bool is_half)
{
    if (!is_half)
        return (struct precision){24, 28, -149, false};
    bool is_srgb = format->kind == CUP_TEXEL_SRGB;
    return (struct precision){11, is_srgb ? 8 : 15, -24, is_srgb};
}

/* A sum in units of the weights and of a power of two, or what is not finite. */
struct partial_sum {
    double units;
    int exponent;
    bool is_finite;
};

/* The largest exponent, as frexp has it, of texels with a weight. Returns false if a texel, with a
 * weight or without, is not finite. */
static bool largest_exponent(const union cup_texel *texels, const uint16_t *weights, unsigned c,
                             const struct precision *precision, int *exponent)
{
    uint32_t largest = 0;
    float value = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t bits = texels[i].u[c] & 0x7fffffff;
        if (bits >= 0x7f800000)
            return false;
        if (weights[i] && bits > largest) {
            largest = bits;
            value = texels[i].f[c];
        }
    }
    *exponent =
        precision->is_srgb && value > 0 ? cup_srgb_exponent(value) : (int)(largest >> 23) - 126;
    if (*exponent < precision->smallest + precision->bits)
        *exponent = precision->smallest + precision->bits;
    return true;
}

/* Sums four texels. */
static struct partial_sum quad_sum(const union cup_texel *texels, const uint16_t *weights,
                                   unsigned c, const struct precision *precision)
{
    struct partial_sum sum = {.units = 0};
    double scale = 1;

    sum.is_finite = largest_exponent(texels, weights, c, precision, &sum.exponent);
    if (sum.is_finite) {
        sum.exponent -= precision->kept;
        scale = power_of_two(-sum.exponent);
    }
    for (unsigned i = 0; i < 4; i++) {
        double value = (double)texels[i].f[c] * scale;
        sum.units += (sum.is_finite ? trunc(value) : value) * weights[i];
    }
    return sum;
}

static struct partial_sum sum_of(struct partial_sum a, struct partial_sum b)
{
    int exponent = a.exponent < b.exponent ? a.exponent : b.exponent;

    if (!a.is_finite || !b.is_finite)
        return (struct partial_sum){(a.is_finite ? 0 : a.units) + (b.is_finite ? 0 : b.units), 0,
                                    false};
    if (a.units == 0 || b.units == 0)
        return a.units == 0 ? b : a;
    return (struct partial_sum){ldexp(a.units, a.exponent - exponent) +
                                    ldexp(b.units, b.exponent - exponent),
                                exponent, true};
}

/* Rounds down to a unit. */
static struct partial_sum cut_at(struct partial_sum sum, int exponent)
{
    if (sum.is_finite && sum.exponent < exponent)
        sum =
            (struct partial_sum){floor(ldexp(sum.units, sum.exponent - exponent)), exponent, true};
    return sum;
}

/* The samples of several levels and places are rounded down to units of the first, or their own if
 * these are larger, before they are added. */
static float float_sum(const struct cup_texel_format *format, const union cup_texel *texels,
                       const struct cup_weights *weights, unsigned c, bool is_half)
{
    const struct precision precision = precision_of(format, is_half);
    struct partial_sum sum = {.is_finite = true};
    int least = INT_MIN;

    for (unsigned i = 0; i < weights->count; i += 8) {
        struct partial_sum front = quad_sum(texels + i, weights->of + i, c, &precision);
        struct partial_sum behind = quad_sum(texels + i + 4, weights->of + i + 4, c, &precision);
        struct partial_sum sample = sum_of(front, behind);
        int unit = front.units == 0 || (behind.units != 0 && behind.exponent > front.exponent)
                       ? behind.exponent
                       : front.exponent;
        if (sample.units != 0 && least == INT_MIN)
            least = unit;
        unit = (unit > least ? unit : least) + (int)weights->scale - 8;
        sum = sum_of(sum, weights->count > 8 ? cut_at(sample, unit) : sample);
    }
    if (!sum.is_finite)
        return not_finite(sum.units, is_half);
    return rounded(ldexp(sum.units, sum.exponent - (int)weights->scale), precision.bits,
                   precision.smallest);
}

static int32_t snorm_rounded(int64_t sum, unsigned scale)
{
    int64_t unit = (int64_t)CUP_SNORM_UNIT << scale, value = sum + unit / 2;

    return (int32_t)((value - (value % unit + unit) % unit) / unit) * CUP_SNORM_UNIT;
}

/* Signed bytes are summed as they are. The 7-bit result is replicated to 16 bits, which
 * approximates a factor of 32767 / 127. */
static int32_t snorm8_rounded(int64_t sum, unsigned scale)
{
    int64_t bytes = sum / (32767 * 32), half = (int64_t)1 << (scale - 1);

    return (int32_t)((258 * bytes + (32 << (scale - 8)) * (bytes >> (scale + 4)) + half) >> scale) *
           CUP_SNORM_UNIT;
}

/* Sums of 8- and 16-bit integers are rounded to nearest, halves up; sums of 32-bit integers are
 * truncated. */
static uint32_t raw_sum(const union cup_texel *texels, const struct cup_weights *weights,
                        unsigned c, const struct cup_texel_format *format)
{
    int64_t sum = 0, half = (int64_t)1 << (weights->scale - 1);

    for (unsigned i = 0; i < weights->count; i++) {
        bool is_signed = format->is_signed || format->channel_bits < 32;
        sum += (is_signed ? (int64_t)texels[i].i[c] : (int64_t)texels[i].u[c]) * weights->of[i];
    }
    return (uint32_t)((sum + (format->channel_bits < 32 ? half : 0)) >> weights->scale);
}

void cup_filter(const struct cup_texel_format *format, const union cup_texel *texels,
                const struct cup_weights *weights, union cup_texel *result)
{
    unsigned scale = weights->scale;

    for (unsigned c = 0; c < 4; c++) {
        enum cup_texel_kind kind = cup_texel_channel_kind(format, c);
        int64_t sum = 0;
        if (kind == CUP_TEXEL_RAW) {
            result->u[c] = raw_sum(texels, weights, c, format);
            continue;
        }
        if (kind >= CUP_TEXEL_HALF) {
            result->f[c] = float_sum(format, texels, weights, c, kind == CUP_TEXEL_HALF);
            continue;
        }
        for (unsigned i = 0; i < weights->count; i++)
            sum += (int64_t)texels[i].i[c] * weights->of[i];
        if (kind == CUP_TEXEL_UNORM)
            result->i[c] = (int32_t)((sum + (1 << (scale - 1))) >> scale);
        else
            result->i[c] =
                format->channel_bits == 8 ? snorm8_rounded(sum, scale) : snorm_rounded(sum, scale);
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
