/* SPDX-License-Identifier: MIT */
/* One request on a view while cup_sample_general() executes it: what all lanes share, a lane's
 * operands, and which level and samples they select. */
#ifndef CUP_IMAGE_SAMPLING_H
#define CUP_IMAGE_SAMPLING_H

#include "image/view.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The operands of one lane. */
struct cup_lane {
    float at[3];
    float direction[3]; /* for cubes */
    int32_t integer[3];
    int32_t offset[3];
    int32_t moved[3]; /* from the lane's place to the sample's, in 1/256 of a texel */
    uint32_t layer;
    bool is_integer;
};

struct cup_sampling {
    const struct cup_view *view;
    const struct cup_texture_request *request;
    unsigned axes;
    bool linear;
    bool cube;
    bool seamless; /* texels beyond an edge belong to the adjacent face */
    bool missing;  /* no memory is mapped to one of the lane's texels */
};

/* The level in 1/256, clamped to the view's range, and which samples of it are taken: the logarithm
 * of the ratio of a pixel's axes, and the direction of the longer one. */
struct cup_detail {
    int32_t level, ratio;
    int32_t direction[2];
};

struct cup_detail cup_detail_of(const struct cup_sampling *s, const struct cup_lane *at,
                                unsigned lane);

/* Flushes subnormal operands to zero. */
static inline float cup_float_of(uint32_t bits)
{
    float value;

    if ((bits & 0x7f800000) == 0)
        bits &= 0x80000000;
    memcpy(&value, &bits, 4);
    return value;
}

/* Saturates; NaN becomes zero. */
static inline int64_t cup_fixed_of(double value)
{
    const double far = 0x1p45;

    if (!(value < far))
        return value != value ? 0 : (int64_t)far;
    return value < -far ? -(int64_t)far : (int64_t)floor(value);
}

#endif
