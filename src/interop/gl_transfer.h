/* SPDX-License-Identifier: MIT */
/* Describes OpenGL images and transfers their pixels. OpenGL's state is preserved. Errors are
 * reported by the result or by cup_gl_failed(). */
#ifndef CUP_INTEROP_GL_TRANSFER_H
#define CUP_INTEROP_GL_TRANSFER_H

#include "interop/gl.h"
#include "interop/gl_format.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* Properties of a texture or renderbuffer. Levels are counted in the texture's storage: a texture
 * view, or a texture with a base level, starts at a later one. The struct has no padding, so it can
 * be compared with memcmp(). */
struct cup_gl_image_info {
    const struct cup_gl_format *format;
    unsigned target; /* GL_RENDERBUFFER, or the texture's real target, whatever the caller passed */
    unsigned width, height; /* of the first level */
    unsigned depth;         /* of the first level of a 3D texture, otherwise 1 */
    unsigned layers;        /* layers or faces, at least 1 */
    unsigned first_level;
    unsigned levels;     /* number of levels, from first_level on */
    unsigned view_level; /* the level of the storage that is OpenGL's level 0 */
};

/* Returns INVALID_HANDLE if there is no such object, INVALID_VALUE if CUDA does not support it,
 * NOT_SUPPORTED if this OpenGL has no way to query it. */
CUresult cup_gl_image_describe(struct cup_gl_work *work, unsigned name, unsigned target,
                               struct cup_gl_image_info *info);

/* True if the object still matches the description. Levels above the first are not compared. */
bool cup_gl_image_is(struct cup_gl_work *work, unsigned name, const struct cup_gl_image_info *info);

/* A range of layers, faces or slices of one level, and the memory for their pixels. */
struct cup_gl_slab {
    unsigned name;
    unsigned level; /* relative to first_level */
    unsigned first, count;
    void *memory; /* memory of the first layer */
    size_t row_bytes, slice_bytes;
};

/* True if OpenGL has the level with the expected size. */
bool cup_gl_level_exists(struct cup_gl_work *work, unsigned name,
                         const struct cup_gl_image_info *info, unsigned level);

bool cup_gl_read(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                 const struct cup_gl_slab *slab);
bool cup_gl_write(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                  const struct cup_gl_slab *slab);

static inline unsigned cup_gl_level_extent(unsigned extent, unsigned level)
{
    return extent >> level > 0 ? extent >> level : 1;
}

#endif
