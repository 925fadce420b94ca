/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK for textures and surfaces that kernels use. */
#ifndef CUP_EXEC_TEXTURE_VALIDATE_H
#define CUP_EXEC_TEXTURE_VALIDATE_H

#include "exec/sched/grid.h"
#include "image/texture_object.h"

#include <stdbool.h>
#include <stdint.h>

/* Checks a texture or surface that a kernel uses for the first time; NULL: the number is not a live
 * handle. Only for CUPIPE_CHECK. */
void cup_texcall_validate(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                          const struct cup_texture *texture);

#endif
