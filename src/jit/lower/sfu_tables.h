/* SPDX-License-Identifier: MIT */
/* What the special function unit of sm_90 computes: a quadratic in integers for each segment of the
 * argument's fraction. With x the bits of the fraction behind those that name the segment, it is
 *
 *   P = (c0 << shift) + constant + c1 * x + (c2 * square(x) << square_shift)
 *
 * and the result is P, cut off at 24 significant bits. square() is sfu.c's. */
#ifndef CUP_JIT_LOWER_SFU_TABLES_H
#define CUP_JIT_LOWER_SFU_TABLES_H

#include "core/reciprocal.h"

#include <stdint.h>

enum jit_sfu_name {
    SFU_RCP,   /* 1 / 1.m, P in 2^-39 */
    SFU_RSQRT, /* P in 2^-40; segments 0 to 63 for 2 * 1.m, the others for 1.m */
    SFU_SQRT,  /* as SFU_RSQRT */
    SFU_LOG2,  /* of 1.m, P in 2^-38 */
    SFU_EXP2,  /* of 0.m, P in 2^-38 */
    SFU_SINE,  /* of 0.m quarters of a turn, P in 2^-37 */
    SFU_TANH,  /* of 2^-8 to 8, P in 2^-39; a different number of segments in each binade */
    SFU_FUNCTIONS
};

struct jit_sfu_function {
    const struct cup_quadratic *segments;
    unsigned count, shift;
    int constant;
    unsigned square_shift;
    int square_sign; /* of every c2 */
};

extern const struct jit_sfu_function jit_sfu_functions[SFU_FUNCTIONS];

#endif
