/* SPDX-License-Identifier: MIT */
/* Turns the box of a copy as the application describes it (CUDA_MEMCPY3D) into two copy endpoints:
 * linear memory or part of an array on either side. */
#ifndef CUP_IMAGE_COPY_BOX_H
#define CUP_IMAGE_COPY_BOX_H

#include "memory/copy_endpoint.h"

#include <cuda.h>

/* Returns the size of an element. Batched copies count widths in elements. */
CUresult cup_array_copy_element(CUarray handle, unsigned *element_bytes);

/* True if it is a 1D layered array. */
bool cup_array_has_row_layers(CUarray handle);

/* Initialises an endpoint for a box inside an array. INVALID_VALUE if the array does not contain
 * the box. */
CUresult cup_array_copy_endpoint(struct cup_copy_endpoint *endpoint, CUarray handle,
                                 const struct cup_offset *at, const struct cup_extent *extent);

/* Initialises both endpoints of a copy whose extents are all nonzero. The destination is validated
 * first. Pitches, heights and levels are read only for the memory types that use them. */
CUresult cup_array_copy_box(const CUDA_MEMCPY3D *copy, struct cup_copy_endpoint *to,
                            struct cup_copy_endpoint *from);

/* Returns CUDA_ERROR_INVALID_VALUE for a copy between compressed blocks and elements of another
 * size. Arrays without compression exchange bytes whatever their elements. A graph's copy node is
 * checked when the graph is launched, any other copy when it is submitted. */
CUresult cup_array_copy_check_blocks(const struct cup_copy_endpoint *to,
                                     const struct cup_copy_endpoint *from);

static inline uint64_t cup_array_address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

#endif
