/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays. The levels are contiguous in one allocation. */
#include "image/mipmap.h"

#include "core/error.h"
#include "image/layout.h"
#include "os/reserve.h"

static void mipmap_finish(struct cup_object *object)
{
    struct CUmipmappedArray_st *mipmap = (struct CUmipmappedArray_st *)object;

    cup_context_remove_child(mipmap->context, &mipmap->child);
    cup_storage_destroy(&mipmap->storage);
    if (mipmap->owner)
        cup_object_unref(mipmap->owner);
    cup_context_unref(mipmap->context);
}

void cup_mipmap_register(void)
{
    cup_object_register(CUP_OBJECT_MIPMAP, sizeof(struct CUmipmappedArray_st), mipmap_finish);
}

static void retire_levels(struct CUmipmappedArray_st *mipmap, enum cup_retire_reason reason)
{
    for (unsigned level = 0; level < mipmap->shape.levels; level++)
        cup_array_retire_part(mipmap->levels[level], reason);
}

static CUresult create_levels(struct CUmipmappedArray_st *mipmap, uint64_t base)
{
    for (unsigned level = 0; level < mipmap->shape.levels; level++) {
        CUDA_ARRAY3D_DESCRIPTOR descriptor = cup_level_descriptor(&mipmap->descriptor, level);
        CUresult result = cup_array_create_part(&mipmap->base, mipmap->context, &descriptor, base,
                                                &mipmap->levels[level]);
        if (result != CUDA_SUCCESS) {
            retire_levels(mipmap, CUP_RETIRED_DESTROYED);
            return result;
        }
        base += cup_box_bytes(&mipmap->levels[level]->box);
    }
    return CUDA_SUCCESS;
}

static void mipmap_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_mipmap_destroy((struct CUmipmappedArray_st *)object, reason);
}

/* Allocates the mipmap without publishing a handle. */
static CUresult mipmap_new(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           unsigned levels, struct CUmipmappedArray_st **mipmap)
{
    struct CUmipmappedArray_st *made =
        (struct CUmipmappedArray_st *)cup_object_create(CUP_OBJECT_MIPMAP);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a mipmapped array");
    cup_context_ref(context);
    made->context = context;
    made->descriptor = *descriptor;
    cup_shape_init(&made->shape, descriptor, true, levels);
    *mipmap = made;
    return CUDA_SUCCESS;
}

CUresult cup_mipmap_create_over(struct cup_object *owner, struct CUctx_st *context,
                                const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                uint64_t address, struct CUmipmappedArray_st **mipmap)
{
    struct CUmipmappedArray_st *made = NULL;
    CUresult result = mipmap_new(context, descriptor, levels, &made);

    if (result != CUDA_SUCCESS)
        return result;
    cup_object_ref(owner);
    made->owner = owner;
    result = create_levels(made, address);
    if (result != CUDA_SUCCESS) {
        cup_mipmap_unref(made);
        return result;
    }
    cup_object_publish(&made->base);
    *mipmap = made;
    return CUDA_SUCCESS;
}

static CUresult create_levels_in(struct CUmipmappedArray_st *mipmap, const struct cup_box *boxes)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned level = 0; level < mipmap->shape.levels && result == CUDA_SUCCESS; level++) {
        CUDA_ARRAY3D_DESCRIPTOR descriptor = cup_level_descriptor(&mipmap->descriptor, level);
        result = cup_array_create_part_over(&mipmap->base, mipmap->context, &descriptor,
                                            &boxes[level], &mipmap->levels[level]);
    }
    if (result != CUDA_SUCCESS)
        retire_levels(mipmap, CUP_RETIRED_DESTROYED);
    return result;
}

CUresult cup_mipmap_create_mapped(struct CUctx_st *context,
                                  const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                  const struct cup_box *boxes, void *mapped, uint64_t mapped_bytes,
                                  struct CUmipmappedArray_st **mipmap)
{
    struct CUmipmappedArray_st *made = NULL;
    CUresult result = mipmap_new(context, descriptor, levels, &made);

    if (result != CUDA_SUCCESS) {
        cup_reserve_release(mapped, mapped_bytes);
        return result;
    }
    made->storage.address = (uint64_t)(uintptr_t)mapped;
    made->storage.size_bytes = mapped_bytes;
    result = create_levels_in(made, boxes);
    if (result != CUDA_SUCCESS) {
        cup_mipmap_unref(made);
        return result;
    }
    cup_context_add_child(context, &made->child, &made->base, mipmap_end);
    cup_object_publish(&made->base);
    *mipmap = made;
    return CUDA_SUCCESS;
}

CUresult cup_mipmap_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           unsigned levels, struct CUmipmappedArray_st **mipmap)
{
    struct CUmipmappedArray_st *made = NULL;
    CUresult result = mipmap_new(context, descriptor, levels, &made);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_storage_create(&made->storage, context, descriptor->Flags,
                                cup_layout_bytes(&made->shape));
    if (result == CUDA_SUCCESS)
        result = create_levels(made, made->storage.address);
    if (result != CUDA_SUCCESS) {
        cup_mipmap_unref(made);
        return result;
    }
    cup_context_add_child(context, &made->child, &made->base, mipmap_end);
    cup_object_publish(&made->base);
    *mipmap = made;
    return CUDA_SUCCESS;
}

CUresult cup_mipmap_find(CUmipmappedArray handle, struct CUmipmappedArray_st **mipmap)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_MIPMAP, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a mipmapped array", (void *)handle);
    *mipmap = (struct CUmipmappedArray_st *)object;
    return CUDA_SUCCESS;
}

bool cup_mipmap_destroy(struct CUmipmappedArray_st *mipmap, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&mipmap->base, reason))
        return false;
    retire_levels(mipmap, reason);
    cup_mipmap_unref(mipmap); /* the handle's reference */
    return true;
}
