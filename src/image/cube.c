/* SPDX-License-Identifier: MIT */
/* The geometry of a cube of six faces. */
#include "image/cube.h"

#include "core/reciprocal.h"
#include "image/gradient.h"

#include <math.h>
#include <string.h>

/* The axes, and their signs, of a face's normal, columns and rows. */
struct face {
    uint8_t axis[3];
    int8_t sign[3];
};

static const struct face faces[6] = {{{0, 2, 1}, {1, -1, -1}}, {{0, 2, 1}, {-1, 1, -1}},
                                     {{1, 0, 2}, {1, 1, 1}},   {{1, 0, 2}, {-1, 1, -1}},
                                     {{2, 0, 1}, {1, 1, -1}},  {{2, 0, 1}, {-1, -1, -1}}};

bool cup_cube_cross_edge(int32_t n, int32_t *x, int32_t *y, int32_t *slice)
{
    const struct face *from = &faces[*slice % 6];
    /* In half texels from the centre of the cube. */
    int32_t at[3] = {n, 2 * *x + 1 - n, 2 * *y + 1 - n}, place[3];
    bool beyond[3] = {false, *x < 0 || *x >= n, *y < 0 || *y >= n};

    if (beyond[1] && beyond[2])
        return false;
    unsigned side = beyond[1] ? 1 : 2;
    int32_t sign = at[side] < 0 ? -1 : 1;
    at[0] = n - 1;
    at[side] = sign * n;
    for (unsigned i = 0; i < 3; i++)
        place[from->axis[i]] = from->sign[i] * at[i];
    unsigned face = from->axis[side] * 2u + (place[from->axis[side]] < 0);
    const struct face *to = &faces[face];
    *slice = *slice / 6 * 6 + (int32_t)face;
    *x = (to->sign[1] * place[to->axis[1]] + n - 1) / 2;
    *y = (to->sign[2] * place[to->axis[2]] + n - 1) / 2;
    return true;
}

static float divide_approximately(float value, float largest)
{
    if (largest == 0 || (isinf(largest) && !isfinite(value)))
        return NAN;
    value = isinf(largest)        ? 0
            : largest < 0x1p-126f ? value / largest
            : largest > 0x1p126f  ? value * (1 / largest)
                                  : value * cup_reciprocal(largest);
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

/* Divides a direction by its largest component, which turns infinite components into NaN. NaN is
 * never the largest component. Returns the face that it meets. */
static unsigned face_of(const float *direction, float *result)
{
    float length = fmaxf(fabsf(direction[0]), fmaxf(fabsf(direction[1]), fabsf(direction[2])));

    for (unsigned i = 0; i < 3; i++)
        result[i] = divide_approximately(direction[i], length);
    float x = fabsf(result[0]), y = fabsf(result[1]), z = fabsf(result[2]);
    float largest = fmaxf(x, fmaxf(y, z));
    if (z != largest && y == largest)
        return signbit(result[1]) ? 3 : 2;
    if (z != largest && x == largest)
        return signbit(result[0]) ? 1 : 0;
    return result[2] == result[2] && signbit(result[2]) ? 5 : 4;
}

/* The coordinates along the axes of a face. NaN is the middle. */
static void turn(const struct face *face, const float *direction, float *result)
{
    for (unsigned i = 0; i < 3; i++) {
        float value = direction[face->axis[i]] * face->sign[i];
        result[i] = isnan(value) ? 0 : value;
    }
}

/* Maps [-1, 1] to [0, 1], truncated: a value slightly below the middle stays below it. */
static float on_face(float value)
{
    return (floorf(value * 0x1p22f) + 0x1p22f) * 0x1p-23f;
}

unsigned cup_cube_project(float *at)
{
    float scaled[3], turned[3];
    unsigned face = face_of(at, scaled);

    turn(&faces[face], scaled, turned);
    at[0] = on_face(turned[1]);
    at[1] = on_face(turned[2]);
    return face;
}

/* Is a direction too short for its reciprocal to be finite? */
static bool is_subnormal(const float *direction)
{
    return fmaxf(fabsf(direction[0]), fmaxf(fabsf(direction[1]), fabsf(direction[2]))) < 0x1p-126f;
}

enum cup_cube_reach cup_cube_step(const float *from, const float *to, uint32_t width, double *step)
{
    float start[3], end[3], scaled[3];
    unsigned face = face_of(from, scaled);

    turn(&faces[face], scaled, start);
    unsigned other = face_of(to, scaled);
    turn(&faces[face], scaled, end);
    if (other != face && (other == (face ^ 1) || is_subnormal(from) || is_subnormal(to)))
        return CUP_CUBE_NO_FACE;
    for (unsigned i = 0; i < 2; i++)
        step[i] = cup_gradient_texels(cup_gradient_difference(end[i + 1], start[i + 1]) / 2, width);
    if (other == face)
        return CUP_CUBE_SAME_FACE;
    /* to the edge, and from there on */
    unsigned side = faces[other].axis[0] == faces[face].axis[1] ? 0 : 1;
    float sign = copysignf(1, end[side + 1]);
    step[side] = cup_gradient_sum(cup_gradient_texels((1 - sign * start[side + 1]) / 2, width),
                                  cup_gradient_texels((1 - end[0]) / 2, width));
    return CUP_CUBE_NEXT_FACE;
}
