/* SPDX-License-Identifier: MIT */
/* Functions of one value as a CUDA device computes them: the inverse of the complementary error
 * function, of numbers above 0 and up to 1. Their coefficients and the order of their steps are
 * those that nvcc writes into the PTX of a program that calls erfcinvf() and erfcinv(). */
#ifndef CURAND_DEVICE_MATH_H
#define CURAND_DEVICE_MATH_H

#include <random/values.h>

/* The 24 digits of the unit's reciprocal root, from the lowest bit of the exponent and 23 digits.
 * With an odd exponent 2^24 stands for 1, with an even one 2^23. */
CUP_INLINE int64_t rand_rsqrt_digits(uint32_t bits)
{
    int64_t digits = cup_sfu_quadratic(&cup_sfu_rsqrt, bits >> 17 & 127, bits & 0x1ffff) >> 16;

    return (bits & 0xffffff) == 0x800000 ? 1 << 24 : digits;
}

/* rsqrt.approx.ftz.f32 of a positive, normal number. */
CUP_INLINE float rand_rsqrt_float(float a)
{
    uint32_t bits = cup_float_bits(a), exponent = bits >> 23, odd = exponent & 1;
    uint32_t power =
        127 - 23 - odd - ((exponent - 126 - odd) >> 1 | (exponent < 126 ? 1u << 31 : 0));

    return (float)rand_rsqrt_digits(bits) * cup_float_of(power << 23);
}

/* erfcinvf(): in the middle, from RAND_ERFCINV_MIDDLE on, and near 0. */
#define RAND_ERFCINV_MIDDLE 0x1.bda512p-9f

CUP_INLINE float rand_erfcinv_middle(float a)
{
    static const float c[] = {-0x1.14c6ep-32f, 0x1.43ec8ap-27f,  -0x1.02dfb4p-23f, 0x1.d1f08cp-23f,
                              0x1.0e8554p-17f, -0x1.09b69ap-15f, -0x1.95fd42p-11f, 0x1.6b804ep-8f,
                              0x1.495c1ep-3f,  0x1.c5bf88p-1f};
    float t = -cup_sfu_log2_of((2 - a) * a), sum = c[0];

    CUP_UNROLL
    for (int i = 1; i < 10; i++)
        sum = fmaf(sum, t, c[i]);
    return fmaf(sum, -a, sum);
}

CUP_INLINE float rand_erfcinv_end(float a)
{
    static const float c[] = {-0x1.f8e7e2p+5f, 0x1.fdf052p+6f,  -0x1.c86c38p+6f,
                              0x1.e29b36p+5f,  -0x1.5ca366p+4f, 0x1.9dea08p+2f,
                              -0x1.d53c0ap+0f, -0x1.f0e3e8p-6f, 0x1.aa6eeap-1f};
    float t = -cup_sfu_log2_of(a), r = rand_rsqrt_float(t), sum = c[0];

    CUP_UNROLL
    for (int i = 1; i < 9; i++)
        sum = fmaf(sum, r, c[i]);
    return sum * (r * t);
}

double rand_erfcinv_double(double a);

#endif
