/* SPDX-License-Identifier: MIT */
#ifndef CUP_EXEC_TEXTURE_VALIDATE_H
#define CUP_EXEC_TEXTURE_VALIDATE_H

#include "exec/grid.h"
#include "image/texture_object.h"

#include <stdbool.h>
#include <stdint.h>

/* A kernel uses the texture or surface for the first time, NULL where nothing is behind the number:
 * for CUPIPE_CHECK alone. */
void cup_texcall_validate(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                          const struct cup_texture *texture);

#endif
