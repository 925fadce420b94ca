/* SPDX-License-Identifier: MIT */
/* Floats of 16 and 8 bits for the models: to a number with very many digits, exactly, and from it
 * with one rounding. */
#ifndef LOWER_SMALL_FLOAT_H
#define LOWER_SMALL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* 113 digits wherever we run. */
#if defined __x86_64__
typedef __float128 quad;
#else
typedef long double quad;
#endif

struct small_float {
    int digits; /* after the point */
    int bias;
    bool no_infinity; /* the largest exponent has numbers too; only all ones is NaN */
    int bits;
};

extern const struct small_float small_f16, small_bf16, small_e4m3, small_e5m2, small_f32;

enum small_mode { TO_NEAREST, TO_ZERO, DOWN, UP, TIES_AWAY };

quad from_small(uint64_t bits, const struct small_float *format);
/* NaN becomes all ones below the sign. Overflow becomes infinity or, with `finite` or when the
 * direction says so, the largest number. */
uint64_t to_small(quad value, const struct small_float *format, enum small_mode mode, bool finite);

#endif
