/* SPDX-License-Identifier: MIT */
/* How much memory an image takes on the device. The bytes themselves lie in rows here (array.h);
 * what an application is told, and what is counted as used, is what they take on NVIDIA's devices.
 */
#ifndef CUP_IMAGE_LAYOUT_H
#define CUP_IMAGE_LAYOUT_H

#include "image/shape.h"

#include <stdint.h>

enum { CUP_LAYOUT_PAGE_BYTES = 65536 }; /* memory is mapped to arrays in steps of this */

/* What the device's memory is charged with. */
uint64_t cup_layout_bytes(const struct cup_shape *shape);

/* What has to be mapped to an array that brings no memory of its own: each plane takes whole pages.
 */
uint64_t cup_layout_required_bytes(const struct cup_shape *shape);

/* The tail of a sparse mipmap, from a level on, of one layer and in whole pages. The tile is in
 * elements. */
uint64_t cup_layout_tail_bytes(const struct cup_shape *shape, unsigned first_level,
                               const struct cup_level *tile);

#endif
