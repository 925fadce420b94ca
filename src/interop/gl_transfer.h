/* SPDX-License-Identifier: MIT */
/* OpenGL images: what they are, and their pixels in and out of memory. OpenGL's state is left as it
 * was; whether something failed is for cup_gl_failed to say, or for the result. */
#ifndef CUP_INTEROP_GL_TRANSFER_H
#define CUP_INTEROP_GL_TRANSFER_H

#include "interop/gl.h"
#include "interop/gl_format.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* A texture or renderbuffer as it is now. Levels are counted as its storage has them: a view of a
 * texture, or one with a base level, begins later. There are no gaps in it: it can be compared. */
struct cup_gl_image_info {
    const struct cup_gl_format *format;
    unsigned target; /* GL_RENDERBUFFER, or what the texture is, whatever the caller took it for */
    unsigned width, height; /* of the first level */
    unsigned depth;         /* of the first level of a 3D texture; else 1 */
    unsigned layers;        /* layers or faces, at least 1 */
    unsigned first_level;
    unsigned levels;     /* how many from the first on */
    unsigned view_level; /* which level of the storage OpenGL's level 0 is */
};

/* INVALID_HANDLE when there is no such object, INVALID_VALUE for one that CUDA does not take,
 * NOT_SUPPORTED where this OpenGL cannot be asked. */
CUresult cup_gl_image_describe(struct cup_gl_work *work, unsigned name, unsigned target,
                               struct cup_gl_image_info *info);

/* Is it still the one that was described? Levels above the first are not looked at. */
bool cup_gl_image_is(struct cup_gl_work *work, unsigned name, const struct cup_gl_image_info *info);

/* Some layers, faces or slices of one level, beside memory for them. */
struct cup_gl_slab {
    unsigned name;
    unsigned level; /* counted from the first */
    unsigned first, count;
    void *memory; /* of the first one */
    size_t row_bytes, slice_bytes;
};

/* Does OpenGL have the level, of the size it must have? */
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
