/* SPDX-License-Identifier: MIT */
/* Level of detail from gradients, with the hardware's approximations. */
#ifndef CUP_IMAGE_GRADIENT_H
#define CUP_IMAGE_GRADIENT_H

#include <stdbool.h>
#include <stdint.h>

/* How far one step on the screen goes, in texels; components of unused axes are zero. */
struct cup_gradient {
    double x[3], y[3];
    bool bent;   /* an end is beyond an edge of a cube: diagonals do not count */
    bool beyond; /* an end is infinite or on the opposite face: no level is high enough */
};

/* The difference of two coordinates. */
double cup_gradient_difference(double to, double from);
/* Multiplies a step with the extent of the image, which makes texels of it. */
double cup_gradient_texels(double step, uint32_t extent);
/* The sum of two lengths. */
double cup_gradient_sum(double a, double b);
/* The fraction, in 1/256, of a logarithm by the eight bits behind the first of a number. */
extern const uint8_t cup_gradient_logarithms[256];

/* What a pixel covers: levels in 1/256 of the longer axis and, in two dimensions, of the shorter
 * one; the longer axis. */
struct cup_pixel {
    int32_t longer, shorter;
    double axis[2];
};

void cup_gradient_measure(const struct cup_gradient *gradient, struct cup_pixel *pixel);

#endif
