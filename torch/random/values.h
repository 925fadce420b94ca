/* SPDX-License-Identifier: MIT */
/* Functions of one value, as CUDA computes them on the device. */
#ifndef CUPIPE_TORCH_RANDOM_VALUES_H
#define CUPIPE_TORCH_RANDOM_VALUES_H

#include "sfu.h"

#define CUP_PI 3.14159265358979323846

/* Above 0, up to 1. */
static inline float cup_uniform_float(uint32_t word)
{
    return fmaf((float)word, 0x1p-32f, 0x1p-33f);
}

static inline double cup_uniform_double(uint32_t low, uint32_t high)
{
    uint64_t digits = (uint64_t)low ^ (uint64_t)high << 21;

    return fma((double)digits, 0x1p-53, 0x1p-54);
}

/* The natural logarithm of a positive, normal number. The digits are divided by a power of two to
 * lie between 2/3 and 4/3. The result is that of the card for every float from 2^-33 to 1. */
static inline float cup_log_float(float a)
{
    static const float c[] = {-0x1.0aa04ep-3f, 0x1.2073ecp-3f,  -0x1.f19b98p-4f, 0x1.1e52aap-3f,
                              -0x1.55b172p-3f, 0x1.99da16p-3f,  -0x1.fffe44p-3f, 0x1.5554fp-2f,
                              -0.5f};
    uint32_t bits = cup_float_bits(a), power = (bits - 0x3f2aaaab) & 0xff800000;
    float exponent = (float)(int32_t)power * 0x1p-23f, x = cup_float_of(bits - power) - 1;
    float sum = c[0];

    for (int i = 1; i < 9; i++)
        sum = fmaf(sum, x, c[i]);
    return fmaf(exponent, 0x1.62e43p-1f, fmaf(sum * x, x, x));
}

/* The fast functions, which are one instruction of the unit and a product. */
static inline float cup_fast_log(float a)
{
    return cup_sfu_log2_of(a) * 0x1.62e43p-1f;
}

static inline float cup_fast_exp(float a)
{
    return cup_sfu_exp2_of(a * 0x1.715476p+0f);
}

static inline float cup_fast_tan(float a)
{
    uint32_t turns = cup_sfu_turns(a);
    float tangent = cup_sfu_sine_of(turns, 0) * cup_sfu_reciprocal_of(cup_sfu_sine_of(turns, 1));

    return a < 0 ? -tangent : tangent;
}

/* Two numbers of the normal distribution from two words (Box and Muller). */
static inline void cup_normal_floats(uint32_t word0, uint32_t word1, float *sine, float *cosine)
{
    float size = sqrtf(-2.0f * cup_log_float(cup_uniform_float(word0)));
    float angle = fmaf((float)word1, 0x1.921fb6p-30f, 0x1.921fb6p-31f);
    uint32_t turns = cup_sfu_turns(angle);

    *sine = cup_sfu_sine_of(turns, 0) * size;
    *cosine = cup_sfu_sine_of(turns, 1) * size;
}

void cup_normal_doubles(const uint32_t words[4], double *sine, double *cosine);

#endif
