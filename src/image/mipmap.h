/* SPDX-License-Identifier: MIT */
/* A mipmapped array: an image and smaller and smaller copies of it. Each level is an array with a
 * handle of its own that lives as long as the whole. */
#ifndef CUP_IMAGE_MIPMAP_H
#define CUP_IMAGE_MIPMAP_H

#include "image/array.h"

struct CUmipmappedArray_st {
    struct cup_object base;
    struct CUctx_st *context;           /* a reference is held */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* of level 0 */
    struct cup_shape shape;             /* knows how many levels there are */
    struct cup_storage storage;         /* none where there is an owner */
    struct cup_object *owner;           /* whose memory it shows, with a reference, or NULL */
    struct cup_context_child child;
    struct CUarray_st *levels[CUP_LEVELS_MAX]; /* their handles' references */
};

void cup_mipmap_register(void);

/* Of a descriptor that the device takes. It gets as many of the levels as there can be, and at
 * least one. */
CUresult cup_mipmap_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           unsigned levels, struct CUmipmappedArray_st **mipmap);

/* The same over memory of another object's, from the address on, and ended by that object alone.
 * Levels lie one behind the other as cup_box_init lays them. */
CUresult cup_mipmap_create_over(struct cup_object *owner, struct CUctx_st *context,
                                const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                uint64_t address, struct CUmipmappedArray_st **mipmap);

/* The same over memory that was mapped for it and is unmapped with it, or when this fails. A box
 * for each level says how it lies there. */
CUresult cup_mipmap_create_mapped(struct CUctx_st *context,
                                  const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                  const struct cup_box *boxes, void *mapped, uint64_t mapped_bytes,
                                  struct CUmipmappedArray_st **mipmap);

/* Takes a reference. */
CUresult cup_mipmap_find(CUmipmappedArray handle, struct CUmipmappedArray_st **mipmap);

/* Ends the handle and those of the levels; false when another thread was quicker. */
bool cup_mipmap_destroy(struct CUmipmappedArray_st *mipmap, enum cup_retire_reason reason);

static inline void cup_mipmap_unref(struct CUmipmappedArray_st *mipmap)
{
    cup_object_unref(&mipmap->base);
}

#endif
