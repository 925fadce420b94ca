/* SPDX-License-Identifier: MIT */
/* The box of a copy as the application describes it, and the two operands it becomes: plain memory
 * or part of an array on either side. */
#ifndef CUP_IMAGE_COPY_BOX_H
#define CUP_IMAGE_COPY_BOX_H

#include "memory/copy_endpoint.h"

#include <cuda.h>

/* How many bytes an element has; what batched copies count widths in. */
CUresult cup_array_copy_element(CUarray handle, unsigned *element_bytes);

/* Is it a layered array of one dimension? */
bool cup_array_has_row_layers(CUarray handle);

/* A box in an array, which must hold it. */
CUresult cup_array_copy_endpoint(struct cup_copy_endpoint *operand, CUarray handle,
                                 const struct cup_offset *at, const struct cup_extent *extent);

/* Both sides of a copy, of which no extent is zero. The destination is judged first. Pitches,
 * heights and levels of detail are read for the kind of operand that has them. */
CUresult cup_array_copy_box(const CUDA_MEMCPY3D *copy, struct cup_copy_endpoint *to,
                            struct cup_copy_endpoint *from);

static inline uint64_t cup_array_address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

#endif
