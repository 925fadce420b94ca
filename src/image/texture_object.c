/* SPDX-License-Identifier: MIT */
/* Creation, look-up and destruction of texture and surface objects. */
#include "image/texture_object.h"

#include "core/error.h"
#include "core/lock.h"
#include "image/handle_table.h"
#include "image/texture_check.h"

/* Destroyed objects that kernels in flight may still use. */
static struct cup_lock retired_lock = CUP_LOCK_INITIALIZER(CUP_RANK_TEXTURE);
static struct cup_texture *retired; /* guarded by retired_lock; each holds a reference */

static struct cup_handle_table *handle_table_of(uint32_t type)
{
    return type == CUP_OBJECT_SURFACE ? &cup_surface_handles : &cup_texture_handles;
}

static void texture_finish(struct cup_object *object)
{
    struct cup_texture *texture = (struct cup_texture *)object;

    cup_context_remove_child(texture->context, &texture->child);
    if (texture->view)
        cup_view_destroy(texture->view);
    if (texture->image)
        cup_object_unref(texture->image);
    cup_context_unref(texture->context);
}

void cup_texture_register(void)
{
    cup_object_register(CUP_OBJECT_TEXTURE, sizeof(struct cup_texture), texture_finish);
    cup_object_register(CUP_OBJECT_SURFACE, sizeof(struct cup_texture), texture_finish);
}

/* Returns the number to the table and drops the handle's reference. Called once per texture. */
static void release(struct cup_texture *texture)
{
    if (atomic_exchange(&texture->released, true))
        return;
    cup_handle_table_remove(handle_table_of(texture->base.type), texture->number);
    cup_texture_unref(texture); /* the handle's reference */
}

static bool is_busy(struct CUctx_st *context)
{
    return atomic_load(&context->busy_streams) != 0;
}

/* Unlinks the textures whose context has become idle. */
static struct cup_texture *unlink_idle_locked(void)
{
    cup_lock_assert_held(&retired_lock);
    struct cup_texture *idle = NULL, **at = &retired;

    while (*at) {
        struct cup_texture *texture = *at;

        if (is_busy(texture->context)) {
            at = &texture->next_retired;
            continue;
        }
        *at = texture->next_retired;
        texture->next_retired = idle;
        idle = texture;
    }
    return idle;
}

static void release_idle(void)
{
    cup_lock_acquire(&retired_lock);
    struct cup_texture *idle = retired ? unlink_idle_locked() : NULL;
    cup_lock_release(&retired_lock);
    while (idle) {
        struct cup_texture *next = idle->next_retired;

        release(idle);
        cup_texture_unref(idle); /* the list's reference */
        idle = next;
    }
}

bool cup_texture_destroy(struct cup_texture *texture, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&texture->base, reason))
        return false;
    if (is_busy(texture->context)) {
        cup_object_ref(&texture->base);
        cup_lock_acquire(&retired_lock);
        texture->next_retired = retired;
        retired = texture;
        cup_lock_release(&retired_lock);
    } else {
        release(texture);
    }
    release_idle();
    return true;
}

/* Called when the context ends: no kernel runs in it. */
static void texture_end(struct cup_object *object, enum cup_retire_reason reason)
{
    struct cup_texture *texture = (struct cup_texture *)object;

    cup_object_retire(object, reason);
    release_idle();
    release(texture);
}

static CUresult publish(struct cup_texture *texture)
{
    uint32_t number;

    cup_object_ref(&texture->base); /* the caller's reference */
    number = cup_handle_table_add(handle_table_of(texture->base.type), texture);
    if (!number) {
        cup_texture_unref(texture);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many texture objects");
    }
    texture->number = number;
    cup_context_add_child(texture->context, &texture->child, &texture->base, texture_end);
    cup_object_publish(&texture->base);
    return CUDA_SUCCESS;
}

/* Takes over the source's reference, also on failure. */
static CUresult create(enum cup_object_type type, struct CUctx_st *context,
                       struct cup_texture_source *source, const CUDA_RESOURCE_DESC *resource,
                       const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view_desc,
                       struct cup_texture **made)
{
    struct cup_texture *new = (struct cup_texture *)cup_object_create(type);
    CUDA_RESOURCE_VIEW_DESC within;
    CUresult result;

    if (!new) {
        cup_texture_source_release(source);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a texture");
    }
    cup_context_ref(context);
    new->context = context;
    new->image = source->image;
    source->image = NULL;
    new->resource = *resource;
    if (texture)
        new->texture = *texture;
    if (view_desc && new->image) { /* the view descriptor does not apply to linear memory */
        new->view_desc = *view_desc;
        new->has_view_desc = true;
        within = cup_texture_view_within(source, view_desc);
    }
    result = cup_view_create(resource, texture, new->has_view_desc ? &within : NULL, context,
                             &new->view);
    if (result == CUDA_SUCCESS)
        result = publish(new);
    if (result != CUDA_SUCCESS) {
        cup_texture_unref(new);
        return result;
    }
    *made = new;
    return CUDA_SUCCESS;
}

CUresult cup_texture_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            const CUDA_TEXTURE_DESC *texture,
                            const CUDA_RESOURCE_VIEW_DESC *view_desc, struct cup_texture **made)
{
    struct cup_texture_source source;
    CUresult result = cup_texture_source_find(context, resource, &source);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_texture_check(&source, texture, view_desc);
    if (result != CUDA_SUCCESS) {
        cup_texture_source_release(&source);
        return result;
    }
    release_idle();
    return create(CUP_OBJECT_TEXTURE, context, &source, resource, texture, view_desc, made);
}

bool cup_texture_view_lacks_format_only(struct CUctx_st *context,
                                        const CUDA_RESOURCE_DESC *resource,
                                        const CUDA_TEXTURE_DESC *texture,
                                        const CUDA_RESOURCE_VIEW_DESC *view_desc)
{
    CUDA_RESOURCE_VIEW_DESC other = *view_desc;
    struct cup_texture_source source;
    bool fits = false;

    if (view_desc->format != CU_RES_VIEW_FORMAT_NONE ||
        cup_texture_source_find(context, resource, &source) != CUDA_SUCCESS)
        return false;
    for (int id = CU_RES_VIEW_FORMAT_UINT_1X8; !fits && id <= CU_RES_VIEW_FORMAT_FLOAT_4X32; id++) {
        other.format = (CUresourceViewFormat)id;
        fits = cup_texture_check(&source, texture, &other) == CUDA_SUCCESS;
    }
    cup_texture_source_release(&source);
    return fits;
}

CUresult cup_surface_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            struct cup_texture **made)
{
    struct cup_texture_source source;
    CUresult result;

    if (resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "only arrays are surfaces");
    result = cup_texture_source_find(context, resource, &source);
    if (result != CUDA_SUCCESS)
        return result;
    release_idle();
    return create(CUP_OBJECT_SURFACE, context, &source, resource, NULL, NULL, made);
}

/* Objects are never unmapped, so taking a reference on a freed one is safe; the number is compared
 * afterwards. */
static struct cup_texture *find_and_ref(enum cup_object_type type, const struct CUctx_st *context,
                                        uint64_t number)
{
    const struct cup_handle_table *numbers = handle_table_of(type);
    struct cup_texture *texture = cup_handle_table_find(numbers, number);

    if (!texture || !cup_object_try_ref(&texture->base))
        return NULL;
    if (cup_handle_table_find(numbers, number) == texture && texture->context == context)
        return texture;
    cup_texture_unref(texture);
    return NULL;
}

CUresult cup_texture_find(enum cup_object_type type, const struct CUctx_st *context,
                          uint64_t number, struct cup_texture **texture)
{
    struct cup_texture *found = find_and_ref(type, context, number);
    struct cup_object *object;

    if (found) {
        CUresult live = cup_object_find(type, found, &object);

        cup_texture_unref(found);
        if (live == CUDA_SUCCESS) {
            *texture = (struct cup_texture *)object;
            return CUDA_SUCCESS;
        }
    }
    return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not a valid %s",
                     (unsigned long long)number,
                     type == CUP_OBJECT_SURFACE ? "surface" : "texture");
}

struct cup_texture *cup_texture_for_kernel(enum cup_object_type type,
                                           const struct CUctx_st *context, uint64_t number,
                                           bool *bad)
{
    *bad = !cup_handle_table_has(handle_table_of(type), number);
    return *bad ? NULL : find_and_ref(type, context, number);
}
