/* SPDX-License-Identifier: MIT */
/* The level that a step of so many texels along each of up to three axes asks for. */
#ifndef CUP_IMAGE_GRADIENT_H
#define CUP_IMAGE_GRADIENT_H

#include <stdint.h>

/* In 1/256 of a level; the steps are in texels, and zero along axes that there are not. */
int32_t cup_gradient_level(const float *step_x, const float *step_y);

#endif
