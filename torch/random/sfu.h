/* SPDX-License-Identifier: MIT */
/* The special function unit of sm_90, bit for bit, for the arguments that random operators have:
 * finite and normal. Its functions are quadratics in integers, one for each segment of the
 * argument's fraction, cut off at 24 significant bits (docs/architecture/exactness.md). */
#ifndef CUPIPE_TORCH_RANDOM_SFU_H
#define CUPIPE_TORCH_RANDOM_SFU_H

#include "vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct cup_sfu_segment {
    int32_t c0, c1, c2;
};

struct cup_sfu_function {
    const struct cup_sfu_segment *segments;
    unsigned shift;
    int constant;
    unsigned square_shift;
};

extern const struct cup_sfu_function cup_sfu_reciprocal, cup_sfu_rsqrt, cup_sfu_log2, cup_sfu_exp2,
    cup_sfu_sine;

CUP_INLINE uint32_t cup_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

CUP_INLINE float cup_float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The square of 17 bits over 2^19, without the partial products of the columns below 2^19. */
CUP_INLINE int32_t cup_sfu_square(uint32_t x)
{
    uint32_t upper = x >> 10, sum = 2 * upper * (upper + (x >> 9 & 1));

    CUP_UNROLL
    for (unsigned i = 2; i < 9; i++)
        sum += (0u - (x >> i & 1)) & (x >> (18 - i));
    return (int32_t)sum;
}

/* x: the 17 bits of the fraction that follow those which name the segment. */
CUP_INLINE int64_t cup_sfu_quadratic(const struct cup_sfu_function *function, uint32_t segment,
                                     uint32_t x)
{
    const struct cup_sfu_segment *s = &function->segments[segment];

    return ((int64_t)s->c0 << function->shift) + function->constant + (int64_t)s->c1 * (int32_t)x +
           (int64_t)s->c2 * cup_sfu_square(x) * (1 << function->square_shift);
}

/* A whole number of at most 53 bits times `unit`, cut off at 24 significant bits. */
CUP_INLINE float cup_sfu_cut_off(double value, double unit)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits &= ~(uint64_t)0x1fffffff;
    memcpy(&value, &bits, sizeof(bits));
    return (float)(value * unit);
}

/* log2 of a positive number. The unit complements the bits of a negative result. */
CUP_INLINE float cup_sfu_log2_of(float a)
{
    uint32_t bits = cup_float_bits(a), fraction = bits & 0x7fffff;
    int64_t value = ((int64_t)(bits >> 23) - 127) * ((int64_t)1 << 38);
    uint32_t result;
    float size;

    value = (value + cup_sfu_quadratic(&cup_sfu_log2, fraction >> 17, fraction & 0x1ffff)) >> 2;
    size = cup_sfu_cut_off((double)(value ^ value >> 63), 0x1p-36);
    result = cup_float_bits(size) | (uint32_t)(value >> 63) << 31;
    return cup_float_of(bits == 0x3f800000 ? 0 : result);
}

/* 2^a where .ftz is not asked for: below -126 the square of 2^(a/2). */
CUP_INLINE float cup_sfu_exp2_of(float a)
{
    int low = a < -126, exponent;
    float size = fabsf(low ? a / 2 : a);
    int64_t value;
    float result;

    if (size >= 256)
        return a < 0 ? 0 : INFINITY;
    value = (int64_t)(size * 0x1p23f); /* the product is exact */
    if (a < 0)
        value = value & 0x7fffff ? ~value : -value;
    exponent = 127 + (int)(value >> 23);
    if (exponent >= 255)
        return INFINITY;
    value = cup_sfu_quadratic(&cup_sfu_exp2, value >> 17 & 63, (uint32_t)value & 0x1ffff) >> 15;
    result = cup_float_of((uint32_t)exponent << 23 | ((uint32_t)value & 0x7fffff));
    return low ? result * result : result;
}

/* The angle in turns of 2^25: the product with 1 / (2 pi) is cut off at 24 bits, then at 2^-25. */
CUP_INLINE uint32_t cup_sfu_turns(float radians)
{
    double turns = (double)fabsf(radians) * (double)0x1.45f306p-3f;
    uint64_t bits;

    memcpy(&bits, &turns, sizeof(bits));
    bits &= ~(uint64_t)0x1fffffff;
    memcpy(&turns, &bits, sizeof(bits));
    return (uint32_t)(int32_t)(turns * 0x1p25);
}

/* The sine of `turns` + `quarters` quarters of a turn. */
CUP_INLINE float cup_sfu_sine_of(uint32_t turns, uint32_t quarters)
{
    uint32_t quarter = (turns >> 23) + quarters, f = (quarter & 1 ? ~turns : turns) & 0x7fffff;
    float size =
        cup_sfu_cut_off((double)cup_sfu_quadratic(&cup_sfu_sine, f >> 17, f & 0x1ffff), 0x1p-37);

    return cup_float_of(cup_float_bits(size) ^ (quarter & 2) << 30);
}

/* 1 / a, where the result is normal. */
CUP_INLINE float cup_sfu_reciprocal_of(float a)
{
    uint32_t bits = cup_float_bits(a), fraction = bits & 0x7fffff;
    int64_t value = cup_sfu_quadratic(&cup_sfu_reciprocal, fraction >> 16, (fraction & 0xffff) * 2);
    const struct cup_sfu_segment *s = &cup_sfu_reciprocal.segments[fraction >> 16];

    value -= (int64_t)s->c1 * (int32_t)(fraction & 0xffff); /* the segments have 16 bits */
    return copysignf(ldexpf((float)(value >> 15), -24 + 127 - (int)(bits >> 23 & 255)), a);
}

#endif
