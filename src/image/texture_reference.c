/* SPDX-License-Identifier: MIT */
/* Texture references store their properties and create texture objects from them. */
#include "image/texture_reference.h"

#include "core/error.h"
#include "core/lock.h"
#include "image/texture_object.h"

static void destroy_texture(struct cup_texture *texture)
{
    if (!texture)
        return;
    cup_texture_destroy(texture, CUP_RETIRED_DESTROYED);
    cup_texture_unref(texture);
}

static void reference_finish(struct cup_object *object)
{
    struct CUtexref_st *reference = (struct CUtexref_st *)object;

    if (!reference->of_module)
        cup_context_remove_child(reference->context, &reference->child);
    destroy_texture(reference->made);
    if (reference->image)
        cup_object_unref(reference->image);
    cup_lock_finish(&reference->lock);
    cup_context_unref(reference->context);
}

void cup_reference_register(void)
{
    cup_object_register(CUP_OBJECT_TEXTURE_REFERENCE, sizeof(struct CUtexref_st), reference_finish);
    cup_object_register(CUP_OBJECT_SURFACE_REFERENCE, sizeof(struct CUsurfref_st),
                        reference_finish);
}

static void reference_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_reference_destroy((struct CUtexref_st *)object, reason);
}

CUresult cup_reference_create(enum cup_object_type type, struct CUctx_st *context, bool of_module,
                              struct CUtexref_st **made)
{
    struct CUtexref_st *reference = (struct CUtexref_st *)cup_object_create(type);

    if (!reference)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a reference");
    cup_context_ref(context);
    reference->context = context;
    reference->of_module = of_module;
    cup_lock_init(&reference->lock, CUP_RANK_TEXTURE_REFERENCE);
    reference->format = CU_AD_FORMAT_FLOAT;
    reference->channels = 1;
    for (unsigned axis = 0; axis < 3; axis++)
        reference->texture.addressMode[axis] = CU_TR_ADDRESS_MODE_CLAMP;
    if (!of_module)
        cup_context_add_child(context, &reference->child, &reference->base, reference_end);
    cup_object_publish(&reference->base);
    *made = reference;
    return CUDA_SUCCESS;
}

CUresult cup_reference_find(enum cup_object_type type, const void *handle,
                            struct CUtexref_st **reference)
{
    struct cup_object *object;
    CUresult result = cup_object_find(type, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a reference", handle);
    *reference = (struct CUtexref_st *)object;
    return CUDA_SUCCESS;
}

void cup_reference_destroy(struct CUtexref_st *reference, enum cup_retire_reason reason)
{
    if (cup_object_retire(&reference->base, reason))
        cup_reference_unref(reference); /* the handle's reference */
}

void cup_reference_changed_locked(struct CUtexref_st *reference)
{
    cup_lock_assert_held(&reference->lock);
    struct cup_texture *old = reference->made;

    reference->made = NULL;
    destroy_texture(old);
}

void cup_reference_bind(struct CUtexref_st *reference, enum cup_binding binding,
                        struct cup_object *image, const CUDA_RESOURCE_DESC *resource)
{
    cup_lock_acquire(&reference->lock);
    struct cup_object *old = reference->image;
    reference->binding = binding;
    reference->image = image;
    reference->resource = *resource;
    cup_reference_changed_locked(reference);
    cup_lock_release(&reference->lock);
    if (old)
        cup_object_unref(old);
}

/* The setters store any value. Reduces the values to those that a texture object accepts. */
static CUDA_TEXTURE_DESC sanitized(const struct CUtexref_st *reference)
{
    CUDA_TEXTURE_DESC texture = reference->texture;

    for (unsigned axis = 0; axis < 3; axis++)
        texture.addressMode[axis] = (CUaddress_mode)((unsigned)texture.addressMode[axis] & 3);
    texture.filterMode = texture.filterMode ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    return texture;
}

static CUDA_RESOURCE_DESC resource_of(const struct CUtexref_st *reference)
{
    CUDA_RESOURCE_DESC resource = reference->resource;

    if (reference->binding == CUP_BOUND_TO_LINEAR) {
        resource.res.linear.format = reference->format;
        resource.res.linear.numChannels = reference->channels ? reference->channels : 1;
    }
    return resource;
}

static void create_locked(struct CUtexref_st *reference)
{
    cup_lock_assert_held(&reference->lock);
    CUDA_RESOURCE_DESC resource = resource_of(reference);
    CUDA_TEXTURE_DESC texture = sanitized(reference);

    if (reference->base.type == CUP_OBJECT_SURFACE_REFERENCE)
        cup_surface_create(reference->context, &resource, &reference->made);
    else
        cup_texture_create(reference->context, &resource, &texture, NULL, &reference->made);
    if (reference->made)
        reference->made->of_reference = true;
}

uint64_t cup_reference_number(struct CUtexref_st *reference)
{
    uint64_t number;

    cup_lock_acquire(&reference->lock);
    if (!reference->made && reference->binding != CUP_BOUND_TO_NOTHING)
        create_locked(reference);
    number = reference->made ? reference->made->number : 0;
    cup_lock_release(&reference->lock);
    return number;
}
