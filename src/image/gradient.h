/* SPDX-License-Identifier: MIT */
/* Level of detail from gradients, with the hardware's approximations. */
#ifndef CUP_IMAGE_GRADIENT_H
#define CUP_IMAGE_GRADIENT_H

#include <stdint.h>

/* Returns the level in 1/256. The steps are in texels; components of unused axes are zero. */
int32_t cup_gradient_level(const float *step_x, const float *step_y);

#endif
