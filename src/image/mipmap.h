/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays. Each level is an array with a handle of its own; level handles are valid until
 * the mipmapped array is destroyed. */
#ifndef CUP_IMAGE_MIPMAP_H
#define CUP_IMAGE_MIPMAP_H

#include "image/array.h"

struct CUmipmappedArray_st {
    struct cup_object base;
    struct CUctx_st *context;           /* holds a reference */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* descriptor of level 0 */
    struct cup_shape shape;             /* includes the number of levels */
    struct cup_storage storage;         /* unused if there is an owner */
    struct cup_object *owner;           /* owner of the memory (holds a reference), or NULL */
    struct cup_context_child child;
    struct CUarray_st *levels[CUP_LEVELS_MAX]; /* each holds the reference of its handle */
};

void cup_mipmap_register(void);

/* Creates a mipmapped array from a descriptor that passed cup_shape_check(). The number of levels
 * is clamped to what the extents allow, and is at least 1. */
CUresult cup_mipmap_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           unsigned levels, struct CUmipmappedArray_st **mipmap);

/* The same in memory that `owner` owns, starting at `address`. Only the owner destroys it. Levels
 * are contiguous in the layout of cup_box_init(). */
CUresult cup_mipmap_create_over(struct cup_object *owner, struct CUctx_st *context,
                                const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                uint64_t address, struct CUmipmappedArray_st **mipmap);

/* The same in memory that the caller mapped (`mapped`). The call takes the mapping over and unmaps
 * it when the image is destroyed or the call fails. `boxes` has the layout of each level. */
CUresult cup_mipmap_create_mapped(struct CUctx_st *context,
                                  const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                  const struct cup_box *boxes, void *mapped, uint64_t mapped_bytes,
                                  struct CUmipmappedArray_st **mipmap);

/* Looks up a live handle and takes a reference. */
CUresult cup_mipmap_find(CUmipmappedArray handle, struct CUmipmappedArray_st **mipmap);

/* Retires the handle and the handles of the levels. Returns false if another thread did so
 * first. */
bool cup_mipmap_destroy(struct CUmipmappedArray_st *mipmap, enum cup_retire_reason reason);

static inline void cup_mipmap_unref(struct CUmipmappedArray_st *mipmap)
{
    cup_object_unref(&mipmap->base);
}

#endif
