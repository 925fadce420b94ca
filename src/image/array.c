/* SPDX-License-Identifier: MIT */
/* Arrays and their planes. A planar array has no elements of its own: it owns the memory, and its
 * planes are boxes in it. A part holds a reference on its parent, so the memory lives as long as
 * the part is in use. */
#include "image/array.h"

#include "core/align.h"
#include "core/error.h"
#include "image/layout.h"

enum { ROW_ALIGN = 64 };

static void array_finish(struct cup_object *object)
{
    struct CUarray_st *array = (struct CUarray_st *)object;

    cup_context_remove_child(array->context, &array->child);
    cup_storage_destroy(&array->storage);
    if (array->parent)
        cup_object_unref(array->parent);
    cup_context_unref(array->context);
}

void cup_array_register(void)
{
    cup_object_register(CUP_OBJECT_ARRAY, sizeof(struct CUarray_st), array_finish);
}

void cup_box_init(struct cup_box *box, const struct cup_shape *shape, unsigned level, uint64_t base)
{
    struct cup_level extent = cup_shape_level(shape, level);
    bool planar = shape->format->plane_count != 0;

    box->base = base;
    box->element_bytes = shape->element_bytes;
    box->row_elements = planar ? 0 : extent.width;
    box->rows = extent.height;
    box->slices = (size_t)extent.depth * shape->layers;
    box->row_bytes = cup_align_to_step((uint64_t)extent.width * shape->element_bytes, ROW_ALIGN);
    box->slice_bytes = box->row_bytes * box->rows;
}

/* Allocates the array without publishing a handle. */
static CUresult array_new(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                          struct CUarray_st **array)
{
    struct CUarray_st *made = (struct CUarray_st *)cup_object_create(CUP_OBJECT_ARRAY);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an array");
    cup_context_ref(context);
    made->context = context;
    made->descriptor = *descriptor;
    made->format = cup_format_find(descriptor->Format);
    cup_shape_init(&made->shape, descriptor, false, 1);
    *array = made;
    return CUDA_SUCCESS;
}

static void retire_planes(struct CUarray_st *array, enum cup_retire_reason reason)
{
    for (unsigned i = 0; i < array->format->plane_count; i++)
        cup_array_retire_part(array->planes[i], reason);
}

static CUresult create_planes(struct CUarray_st *array, uint64_t base)
{
    for (unsigned i = 0; i < array->format->plane_count; i++) {
        CUDA_ARRAY3D_DESCRIPTOR descriptor = cup_plane_descriptor(&array->descriptor, i);
        CUresult result = cup_array_create_part(&array->base, array->context, &descriptor, base,
                                                &array->planes[i]);
        if (result != CUDA_SUCCESS) {
            retire_planes(array, CUP_RETIRED_DESTROYED);
            return result;
        }
        base += cup_box_bytes(&array->planes[i]->box);
    }
    return CUDA_SUCCESS;
}

/* A part whose box differs from the library's own layout has no planes. */
static CUresult create_part(struct cup_object *parent, struct CUctx_st *context,
                            const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t base,
                            const struct cup_box *box, struct CUarray_st **part)
{
    struct CUarray_st *made;
    CUresult result = array_new(context, descriptor, &made);

    if (result != CUDA_SUCCESS)
        return result;
    cup_object_ref(parent);
    made->parent = parent;
    if (box) {
        made->box = *box;
    } else {
        cup_box_init(&made->box, &made->shape, 0, base);
        result = create_planes(made, base);
    }
    if (result != CUDA_SUCCESS) {
        cup_array_unref(made);
        return result;
    }
    cup_object_publish(&made->base);
    *part = made;
    return CUDA_SUCCESS;
}

CUresult cup_array_create_part(struct cup_object *parent, struct CUctx_st *context,
                               const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t base,
                               struct CUarray_st **part)
{
    return create_part(parent, context, descriptor, base, NULL, part);
}

CUresult cup_array_create_part_over(struct cup_object *parent, struct CUctx_st *context,
                                    const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                    const struct cup_box *box, struct CUarray_st **part)
{
    return create_part(parent, context, descriptor, 0, box, part);
}

void cup_array_retire_part(struct CUarray_st *part, enum cup_retire_reason reason)
{
    if (!part || !cup_object_retire(&part->base, reason))
        return;
    retire_planes(part, reason);
    cup_array_unref(part); /* the handle's reference */
}

static void array_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_array_destroy((struct CUarray_st *)object, reason);
}

CUresult cup_array_create(struct CUctx_st *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                          struct CUarray_st **array)
{
    struct CUarray_st *made;
    CUresult result = array_new(context, descriptor, &made);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_storage_create(&made->storage, context, descriptor->Flags,
                                cup_layout_bytes(&made->shape));
    if (result == CUDA_SUCCESS)
        result = create_planes(made, made->storage.address);
    if (result != CUDA_SUCCESS) {
        cup_array_unref(made);
        return result;
    }
    cup_box_init(&made->box, &made->shape, 0, made->storage.address);
    cup_context_add_child(context, &made->child, &made->base, array_end);
    cup_object_publish(&made->base);
    *array = made;
    return CUDA_SUCCESS;
}

CUresult cup_array_find(CUarray handle, struct CUarray_st **array)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_ARRAY, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not an array", (void *)handle);
    *array = (struct CUarray_st *)object;
    return CUDA_SUCCESS;
}

bool cup_array_destroy(struct CUarray_st *array, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&array->base, reason))
        return false;
    retire_planes(array, reason);
    cup_array_unref(array); /* the handle's reference */
    return true;
}
