/* SPDX-License-Identifier: MIT */
/* Helpers of the calls on arrays and on mipmapped arrays. */
#ifndef CUP_API_IMAGE_H
#define CUP_API_IMAGE_H

#include "core/object.h"
#include "image/shape.h"

#include <cuda.h>

struct CUctx_st;

/* The result for a handle that was not found. A handle that never was an array has no context;
 * NVIDIA's driver returns that for memory that is all zero, and crashes on other memory. */
CUresult cup_api_image_bad_handle(enum cup_object_type type, const void *handle, CUresult found);

/* The same for queries, which report any context that has ended as destroyed. */
CUresult cup_api_image_bad_handle_in_query(enum cup_object_type type, const void *handle,
                                           CUresult found);

/* Waits for work that may still use the image. */
CUresult cup_api_image_wait(struct CUctx_st *context);

void cup_api_image_requirements(const struct cup_shape *shape,
                                CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements);

#endif
