/* SPDX-License-Identifier: MIT */
/* A CUDA array is a strided box: a base address and the bytes from one row, and one slice, to the next.
 * Arrays of our own, levels of a mipmap, planes of a video format and images of other drivers are the
 * same struct with other numbers, so that copies and sampling know only this. */
#ifndef CUP_IMAGE_ARRAY_H
#define CUP_IMAGE_ARRAY_H

#include "core/object.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct cup_format;

struct cup_box {
    uint64_t base;          /* of the first element; 0: no memory (yet) */
    unsigned element_bytes; /* of a block, for block-compressed formats */
    size_t row_elements;    /* in blocks where the format has blocks */
    size_t rows;            /* at least 1 */
    size_t slices;          /* at least 1: depth, or layers, or faces */
    size_t row_bytes;       /* from one row to the next */
    size_t slice_bytes;     /* from one slice to the next */
};

struct CUarray_st {
    struct cup_object base;
    struct CUctx_st *context;           /* a reference is held */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* as asked for */
    const struct cup_format *format;
    struct cup_box box;
    struct cup_object *parent; /* the mipmap or array this is a part of, with a reference, or NULL */
};

/* Takes a reference. */
CUresult cup_array_find(CUarray handle, struct CUarray_st **array);

static inline void cup_array_unref(struct CUarray_st *array)
{
    cup_object_unref(&array->base);
}

#endif
