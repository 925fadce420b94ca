/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK for textures and surfaces that kernels use. */
#ifndef CUP_CHECK_KERNEL_TEXTURE_H
#define CUP_CHECK_KERNEL_TEXTURE_H

#include "exec/sched/grid.h"
#include "image/texture_object.h"

#include <stdbool.h>
#include <stdint.h>

/* Checks a texture or surface that a kernel uses for the first time; NULL: the number is not a live
 * handle. Only for CUPIPE_CHECK. */
void cup_kcheck_texture(const struct cup_grid *grid, int type, uint64_t number,
                        const struct cup_texture *texture);

#endif
