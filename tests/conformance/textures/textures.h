/* SPDX-License-Identifier: MIT */
/*
 * The groups about texture and surface objects and references: what descriptors are taken and what
 * handles answer. What a texture samples is compared in tests/textures.
 */
#ifndef CONFORMANCE_TEXTURES_H
#define CONFORMANCE_TEXTURES_H

#include "../recorder.h"

struct texture_functions {
#define FUNCTION(name) __typeof__(name) *name;
#include "functions.def"
#undef FUNCTION
};
extern struct texture_functions driver;

/* The driver's functions found and the primary context current. */
void use_textures(void);

/* Arrays that are made for a group; these end it when they fail. */
CUarray array_new(size_t width, size_t height, size_t depth, CUarray_format format,
                  unsigned channels, unsigned flags);
CUmipmappedArray mipmap_new(size_t width, size_t height, size_t depth, CUarray_format format,
                            unsigned channels, unsigned flags, unsigned levels);
CUDA_RESOURCE_DESC resource_of_array(CUarray array);
CUDA_RESOURCE_DESC resource_of_mipmap(CUmipmappedArray mipmap);
CUDA_RESOURCE_DESC resource_of_linear(CUdeviceptr at, CUarray_format format, unsigned channels,
                                      size_t bytes);
CUDA_RESOURCE_DESC resource_of_pitch(CUdeviceptr at, CUarray_format format, unsigned channels,
                                     size_t width, size_t height, size_t pitch);
/* Clamped, point, texels. */
CUDA_TEXTURE_DESC plain_texture(void);

/* Creates an object, records the result under the name, and destroys it. */
void texture_check(const char *name, const CUDA_RESOURCE_DESC *resource,
                   const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view);
void surface_check(const char *name, const CUDA_RESOURCE_DESC *resource);

/* Two kernels of texture and surface references, and some of objects. */
extern const char ptx_textures[];

#endif
