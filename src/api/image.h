/* SPDX-License-Identifier: MIT */
/* What the calls on arrays and on mipmapped arrays have in common. */
#ifndef CUP_API_IMAGE_H
#define CUP_API_IMAGE_H

#include "core/object.h"
#include "image/shape.h"

#include <cuda.h>

struct CUctx_st;

/* The answer for a handle that was not found. One that never was an array has no context; NVIDIA's
 * driver says so of memory that is all zero, and dies of other memory. */
CUresult cup_api_image_bad_handle(enum cup_object_type type, const void *handle, CUresult found);

/* The same for calls that only ask: they say of every context that is gone that it was destroyed.
 */
CUresult cup_api_image_bad_handle_in_query(enum cup_object_type type, const void *handle,
                                           CUresult found);

/* Work that may still use the image runs to its end. */
void cup_api_image_wait(struct CUctx_st *context);

void cup_api_image_requirements(const struct cup_shape *shape,
                                CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements);

#endif
