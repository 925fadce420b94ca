/* SPDX-License-Identifier: MIT */
/* Size of images in device memory. Here the bytes are stored in rows (array.h), but the sizes that
 * applications see and that are accounted as used are those of NVIDIA's devices. */
#ifndef CUP_IMAGE_LAYOUT_H
#define CUP_IMAGE_LAYOUT_H

#include "image/shape.h"

#include <stdint.h>

enum { CUP_LAYOUT_PAGE_BYTES = 65536 }; /* granularity of mappings to arrays */

/* Bytes accounted as used device memory. */
uint64_t cup_layout_bytes(const struct cup_shape *shape);

/* Bytes that must be mapped to an array that was created without memory; each plane takes whole
 * pages. */
uint64_t cup_layout_required_bytes(const struct cup_shape *shape);

/* Bytes of the mip tail of one layer, from `first_level` on, in whole pages. The tile is in
 * elements. */
uint64_t cup_layout_tail_bytes(const struct cup_shape *shape, unsigned first_level,
                               const struct cup_level *tile);

#endif
