/* SPDX-License-Identifier: MIT */
/* Functions of one value, as CUDA computes them on the device. */
#ifndef CUPIPE_TORCH_RANDOM_VALUES_H
#define CUPIPE_TORCH_RANDOM_VALUES_H

#include "sfu.h"

#define CUP_PI 3.14159265358979323846
#define CUP_LN2 0x1.62e43p-1f /* log(2) as a float */

/* Above 0, up to 1. */
CUP_INLINE float cup_uniform_float(uint32_t word)
{
    return fmaf((float)word, 0x1p-32f, 0x1p-33f);
}

CUP_INLINE double cup_uniform_double(uint32_t low, uint32_t high)
{
    uint64_t digits = (uint64_t)low ^ (uint64_t)high << 21;

    return fma((double)digits, 0x1p-53, 0x1p-54);
}

/* The natural logarithm of a positive, normal number. The digits are divided by a power of two to
 * lie between 2/3 and 4/3. The result is that of the card for every float from 2^-33 to 1. */
CUP_INLINE float cup_log_float(float a)
{
    static const float c[] = {-0x1.0aa04ep-3f, 0x1.2073ecp-3f,  -0x1.f19b98p-4f,
                              0x1.1e52aap-3f,  -0x1.55b172p-3f, 0x1.99da16p-3f,
                              -0x1.fffe44p-3f, 0x1.5554fp-2f,   -0.5f};
    uint32_t bits = cup_float_bits(a), power = (bits - 0x3f2aaaab) & 0xff800000;
    float exponent = (float)(int32_t)power * 0x1p-23f, x = cup_float_of(bits - power) - 1;
    float sum = c[0];

    CUP_UNROLL
    for (int i = 1; i < 9; i++)
        sum = fmaf(sum, x, c[i]);
    return fmaf(exponent, 0x1.62e43p-1f, fmaf(sum * x, x, x));
}

/* The fast functions, which are one instruction of the unit and a product. */
CUP_INLINE float cup_fast_log(float a)
{
    return cup_sfu_log2_of(a) * CUP_LN2;
}

CUP_INLINE float cup_fast_exp(float a)
{
    return cup_sfu_exp2_of(a * 0x1.715476p+0f);
}

CUP_INLINE float cup_fast_tan(float a)
{
    uint32_t turns = cup_sfu_turns(a);
    float tangent = cup_sfu_sine_of(turns, 0) * cup_sfu_reciprocal_of(cup_sfu_sine_of(turns, 1));

    return a < 0 ? -tangent : tangent;
}

/* e^a: two to the power of the whole part of a / log(2), times the unit's power of the rest. */
CUP_INLINE float cup_exp_float(float a)
{
    float place = fminf(fmaxf(fmaf(a, 0x1.77313ap-8f, 0.5f), 0), 1); /* in 252 powers of two */
    float whole = (float)floor(252.0 * (double)place) - 126;
    float rest = fmaf(a, 0x1.4ae0cp-26f, fmaf(a, 0x1.715476p+0f, -whole));

    return cup_sfu_exp2_of(rest) * ldexpf(1, (int)whole);
}

/* a^b of positive a: log2(a) in two words, times b, and a polynomial for the power of two. */
CUP_INLINE float cup_pow_float(float a, float b)
{
    static const float c[] = {0x1.5865c8p-11f, 0x1.a5cfb6p-9f, 0x1.2776e6p-6f, 0x1.ec709ep-4f};
    static const float d[] = {0x1.3f971cp-13f,
                              0x1.5f0bdap-10f,
                              0x1.3b30acp-7f,
                              0x1.c6af76p-5f,
                              0x1.ebfbd8p-3f,
                              0x1.62e43p-1f,
                              1};
    const float log2_e = 0x1.715476p+0f, log2_e_rest = 0x1.4abc68p-26f;
    uint32_t bits = cup_float_bits(a), power = (bits - 0x3f3504f3) & 0xff800000;
    float m = cup_float_of(bits - power), exponent = (float)(int32_t)power * 0x1p-23f, f = m - 1;
    float r = cup_sfu_reciprocal_of(m + 1), u = 2 * f * r, rest = r * fmaf(-u, f, 2 * (f - u));
    float sum = c[0], high, low, whole, x;

    CUP_UNROLL
    for (int i = 1; i < 4; i++)
        sum = fmaf(sum, u * u, c[i]);
    sum *= u * u;
    high = fmaf(u, log2_e, exponent);
    low = fmaf(rest, log2_e, fmaf(u, log2_e, exponent - high));
    low = fmaf(sum, u, fmaf(sum * 3, rest, fmaf(u, log2_e_rest, low)));
    x = high + low;
    low = (high - x) + low;
    high = x * b;
    low = fmaf(low, b, fmaf(x, b, -high));
    whole = rintf(high);
    x = (high - whole) + low;
    sum = d[0];
    CUP_UNROLL
    for (int i = 1; i < 7; i++)
        sum = fmaf(sum, x, d[i]);
    return ldexpf(sum, (int)whole);
}

/* Two words make two numbers of the normal distribution (Box and Muller): a size times the sine and
 * the cosine of an angle. */
CUP_INLINE float cup_normal_size(uint32_t word)
{
    return sqrtf(-2.0f * cup_log_float(cup_uniform_float(word)));
}

CUP_INLINE float cup_normal_angle(uint32_t word)
{
    return fmaf((float)word, 0x1.921fb6p-30f, 0x1.921fb6p-31f);
}

CUP_INLINE void cup_normal_floats(uint32_t word0, uint32_t word1, float *sine, float *cosine)
{
    uint32_t turns = cup_sfu_turns(cup_normal_angle(word1));
    float size = cup_normal_size(word0);

    *sine = cup_sfu_sine_of(turns, 0) * size;
    *cosine = cup_sfu_sine_of(turns, 1) * size;
}

/* Of a positive, normal number. */
double cup_reciprocal_double(double a);
double cup_log_double(double a);
double cup_exp_double(double a);
/* Of numbers up to half of pi. */
double cup_tan_double(double a);

/* Of an angle from 0 to 2 half turns. */
void cup_sine_and_cosine(double half_turns, double *sine, double *cosine);

void cup_normal_doubles(const uint32_t words[4], double *sine, double *cosine);

#endif
