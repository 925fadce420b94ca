/* SPDX-License-Identifier: MIT */
/* Functions of f32 that compilers turn into vector code: without calls, tables or branches that
 * stay. Each is right to three units in the last place. The polynomials are least-squares fits
 * of the relative error on the intervals that stand beside them. */
#ifndef DNN_ENGINE_VECTOR_MATH_H
#define DNN_ENGINE_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>

static inline float vector_from_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } both = {.bits = bits};

    return both.value;
}

static inline uint32_t vector_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {.value = value};

    return both.bits;
}

/* 2^n, for n from -126 to 127. */
static inline float vector_power_of_two(int32_t n)
{
    return vector_from_bits((uint32_t)(n + 127) << 23);
}

/* e^x = 2^n * e^r with |r| <= log(2) / 2. Two factors of 2^n reach the denormal numbers. */
static inline float vector_exp(float x)
{
    const float shift = 0x1.8p23F;
    float low = x < -104.0F ? -104.0F : x, clamped = low > 89.0F ? 89.0F : low;
    float rounded = clamped * 1.44269504F + shift, n = rounded - shift;
    float r = (clamped - n * 0.693145752F) - n * 1.42860677e-6F;
    float p = 0.00139504768F;
    int32_t whole = (int32_t)(vector_bits(rounded) - vector_bits(shift)), half = whole >> 1;

    p = p * r + 0.00836888243F;
    p = p * r + 0.041666206F;
    p = p * r + 0.166665189F;
    p = p * r + 0.50000001F;
    p = p * r * r + r + 1;
    p = p * vector_power_of_two(half) * vector_power_of_two(whole - half);
    return x != x ? x : p;
}

/* A polynomial near 0, where 1 - 2 / (e^2x + 1) loses digits. */
static inline float vector_tanh(float x)
{
    float size = fabsf(x), square = x * x, far = 1 - 2 / (vector_exp(2 * size) + 1);
    float p = -0.00571703656F;

    p = p * square + 0.020650579F;
    p = p * square - 0.0537434953F;
    p = p * square + 0.133314912F;
    p = p * square - 0.333332839F;
    p = x + x * square * p;
    return size < 0.625F ? p : copysignf(far, x);
}

/* log(m * 2^n) with m from sqrt(1/2) to sqrt(2). */
static inline float vector_log(float x)
{
    float scaled = x < 0x1p-126F ? x * 0x1p23F : x, offset = x < 0x1p-126F ? -23 : 0;
    int32_t bits = (int32_t)vector_bits(scaled), n = (bits - 0x3f3504f3) >> 23;
    float m = vector_from_bits((uint32_t)(bits - n * (1 << 23))) - 1, e = (float)n + offset;
    float p = 0.0674660132F, result;

    p = p * m - 0.116756413F;
    p = p * m + 0.118881746F;
    p = p * m - 0.124055914F;
    p = p * m + 0.142195509F;
    p = p * m - 0.166679957F;
    p = p * m + 0.200021187F;
    p = p * m - 0.250000096F;
    p = p * m + 0.333333126F;
    p = p * m * m * m - 0.5F * m * m + e * 1.42860677e-6F;
    result = p + m + e * 0.693145752F;
    result = x == INFINITY ? x : result;
    result = x == 0 ? -INFINITY : result;
    return x < 0 || x != x ? NAN : result;
}

/* log(1 + x) for x >= 0, by the logarithm of the rounded sum and what the rounding left. */
static inline float vector_log1p(float x)
{
    float sum = 1 + x, rest = x - (sum - 1);

    return vector_log(sum) + (sum < INFINITY ? rest / sum : 0);
}

static inline float vector_erf(float x)
{
    float size = fabsf(x), square = x * x, t = 2 / (2 + size), far;
    float near = 7.88911956e-05F, p = 0.118703645F;

    near = near * square - 0.000802084129F;
    near = near * square + 0.00518953534F;
    near = near * square - 0.0268544446F;
    near = near * square + 0.112836002F;
    near = near * square - 0.376126271F;
    near = near * square + 1.12837917F;
    p = p * t - 0.468975888F;
    p = p * t + 0.559998659F;
    p = p * t - 0.100952239F;
    p = p * t + 0.346510184F;
    p = p * t + 0.260063239F;
    p = p * t + 0.284852129F;
    p = p * t - 0.00015003812F;
    far = size > 4 ? 1 : 1 - p * vector_exp(-square);
    return size < 1 ? x * near : x != x ? x : copysignf(far, x);
}

/* e^x - 1 = tanh(x / 2) * (e^x + 1), which keeps the digits of small x. */
static inline float vector_expm1(float x)
{
    float power = vector_exp(x);

    return fabsf(x) < 1 ? vector_tanh(0.5F * x) * (power + 1) : power - 1;
}

#endif
