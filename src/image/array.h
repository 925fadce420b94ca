/* SPDX-License-Identifier: MIT */
/* A CUDA array is a strided box: a base address and the bytes from one row, and one slice, to the
 * next. Arrays of our own, levels of a mipmap, planes of a video format and images of other drivers
 * are the same struct with other numbers, so that copies and sampling know only this. */
#ifndef CUP_IMAGE_ARRAY_H
#define CUP_IMAGE_ARRAY_H

#include "core/object.h"
#include "device/context.h"
#include "image/format.h"
#include "image/shape.h"
#include "image/storage.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_box {
    uint64_t base;          /* of the first element; 0: no memory (yet) */
    unsigned element_bytes; /* of a block, for block-compressed formats */
    size_t
        row_elements; /* in blocks where the format has blocks; 0: only its planes have elements */
    size_t rows;      /* at least 1 */
    size_t slices;    /* at least 1: depth, or layers, or faces */
    size_t row_bytes; /* from one row to the next */
    size_t slice_bytes; /* from one slice to the next */
};

struct CUarray_st {
    struct cup_object base;
    struct CUctx_st *context;           /* a reference is held */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* as asked for */
    const struct cup_format *format;
    struct cup_box box;
    struct cup_object
        *parent; /* the mipmap or array this is a part of, with a reference, or NULL */

    struct cup_shape shape;
    struct cup_storage storage;     /* none where there is a parent */
    struct cup_context_child child; /* to the context, where there is no parent */
    struct CUarray_st
        *planes[CUP_PLANES_MAX]; /* as many as the format has; their handles' references */
};

void cup_array_register(void);

/* Of a descriptor that the device takes, see cup_shape_check; OUT_OF_MEMORY alone is left to fail.
 */
CUresult cup_array_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                          struct CUarray_st **array);

/* A level or a plane, with a handle of its own, of an image that has the memory; laid out as ours
 * are, or as the box says. */
CUresult cup_array_create_part(struct cup_object *parent, struct CUctx_st *context,
                               const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t base,
                               struct CUarray_st **part);
CUresult cup_array_create_part_over(struct cup_object *parent, struct CUctx_st *context,
                                    const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                    const struct cup_box *box, struct CUarray_st **part);

/* Takes a reference. */
CUresult cup_array_find(CUarray handle, struct CUarray_st **array);

/* Ends the handle, and those of its planes; false when another thread was quicker. Only for an
 * array that is not a part: parts end with the whole. */
bool cup_array_destroy(struct CUarray_st *array, enum cup_retire_reason reason);

/* Ends the handle of a part; NULL is no part. */
void cup_array_retire_part(struct CUarray_st *part, enum cup_retire_reason reason);

/* Was it, or the whole that it is a part of, made without memory? */
static inline bool cup_array_is_unbacked(const struct CUarray_st *array)
{
    return array->descriptor.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING);
}

/* Is it a level of a mipmap? */
static inline bool cup_array_is_level(const struct CUarray_st *array)
{
    return array->parent && array->parent->type == CUP_OBJECT_MIPMAP;
}

/* Lays a box over one level; rows begin at multiples of 64 bytes. */
void cup_box_init(struct cup_box *box, const struct cup_shape *shape, unsigned level,
                  uint64_t base);

static inline uint64_t cup_box_bytes(const struct cup_box *box)
{
    return (uint64_t)box->slice_bytes * box->slices;
}

static inline void cup_array_unref(struct CUarray_st *array)
{
    cup_object_unref(&array->base);
}

#endif
