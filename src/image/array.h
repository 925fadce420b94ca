/* SPDX-License-Identifier: MIT */
/* A CUDA array is a strided box: a base address, a row pitch and a slice pitch. Arrays that the
 * library allocates, levels of a mipmapped array, planes of a video format and images of other
 * drivers use the same struct with different numbers, so copies and sampling handle one layout
 * only. */
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
    uint64_t base;          /* address of the first element; 0: no memory (yet) */
    unsigned element_bytes; /* size of a block for block-compressed formats */
    /* in blocks for block-compressed formats; 0 for a planar array: only its planes have
     * elements */
    size_t row_elements;
    size_t rows;        /* at least 1 */
    size_t slices;      /* at least 1: depth, layers or cube faces */
    size_t row_bytes;   /* row pitch */
    size_t slice_bytes; /* slice pitch */
};

struct CUarray_st {
    struct cup_object base;
    struct CUctx_st *context;           /* holds a reference */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* as the application passed it */
    const struct cup_format *format;
    struct cup_box box;
    /* the mipmap or array that this is a part of (holds a reference), or NULL */
    struct cup_object *parent;

    struct cup_shape shape;
    struct cup_storage storage;     /* unused if there is a parent */
    struct cup_context_child child; /* linked to the context if there is no parent */
    /* as many as the format has; each holds the reference of its handle */
    struct CUarray_st *planes[CUP_PLANES_MAX];
};

void cup_array_register(void);

/* Creates an array and publishes its handle. The descriptor must have passed cup_shape_check(), so
 * OUT_OF_MEMORY is the only error left. */
CUresult cup_array_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                          struct CUarray_st **array);

/* Create an array for a level or a plane of `parent`, which owns the memory. The part has a handle
 * of its own and holds a reference on the parent. The first form uses the library's own layout from
 * `base` on, the second the layout that the box describes. */
CUresult cup_array_create_part(struct cup_object *parent, struct CUctx_st *context,
                               const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t base,
                               struct CUarray_st **part);
CUresult cup_array_create_part_over(struct cup_object *parent, struct CUctx_st *context,
                                    const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                    const struct cup_box *box, struct CUarray_st **part);

/* Looks up a live handle and takes a reference. */
CUresult cup_array_find(CUarray handle, struct CUarray_st **array);

/* Retires the handle and the handles of the planes. Returns false if another thread did so first.
 * Only for arrays without a parent: the owner of a part retires it. */
bool cup_array_destroy(struct CUarray_st *array, enum cup_retire_reason reason);

/* Retires the handle of a part. NULL is ignored. */
void cup_array_retire_part(struct CUarray_st *part, enum cup_retire_reason reason);

/* True if the array, or the image that it is a part of, was created without memory. */
static inline bool cup_array_is_unbacked(const struct CUarray_st *array)
{
    return array->descriptor.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING);
}

/* True if the array is a level of a mipmapped array. */
static inline bool cup_array_is_level(const struct CUarray_st *array)
{
    return array->parent && array->parent->type == CUP_OBJECT_MIPMAP;
}

/* Initialises a box for one level in the library's own layout: rows start at multiples of 64
 * bytes. */
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
