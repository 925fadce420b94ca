/* SPDX-License-Identifier: MIT */
/* OpenGL buffers. CUDA uses the buffer's own memory (gl_storage.c), except for READ_ONLY mappings:
 * those must not modify the buffer and get a copy per resource. */
#include "interop/gl_buffer.h"

#include "core/checks.h"
#include "core/error.h"
#include "core/lock.h"
#include "interop/gl.h"
#include "interop/gl_storage.h"
#include "memory/registered.h"

#include <stdlib.h>
#include <string.h>

/* The state of one resource. */
struct buffer_view {
    struct cup_gl_storage *storage;
    /* the size that the application sees, even after the buffer was resized */
    size_t registered_bytes;
    bool private;     /* mapped READ_ONLY: the memory is this struct's shadow */
    uint64_t address; /* the address that CUDA uses */
    bool published;   /* registered with the address map */
    struct cup_gl_shadow shadow;
};

/* READ_ONLY: uses a copy that is never written back. */
static CUresult copy_privately(struct cup_gl_work *work, struct buffer_view *view)
{
    struct cup_gl_storage *storage = view->storage;
    CUresult result = cup_gl_storage_map_locked(work, storage, true);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_gl_shadow_resize(&view->shadow, storage->size_bytes))
        result =
            cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy of buffer %u", storage->name);
    else
        memcpy(view->shadow.memory, storage->seen, storage->size_bytes);
    if (storage->mappers == 1 && storage->method == CUP_GL_BY_COPY)
        storage->mappers--; /* there is nothing to write back */
    else
        cup_gl_storage_unmap_locked(work, storage);
    return result;
}

static CUresult publish(struct CUgraphicsResource_st *resource, struct buffer_view *view)
{
    CUresult result = cup_registered_reserve(view->address, view->storage->size_bytes,
                                             cup_object_index(&resource->context->base),
                                             resource->context->device);

    view->published = result == CUDA_SUCCESS;
    if (view->published)
        cup_check_storage_published("a mapped graphics buffer", view->address,
                                    view->storage->size_bytes);
    return result;
}

static void unpublish(struct buffer_view *view)
{
    if (!view->published)
        return;
    cup_registered_return(view->address);
    view->published = false;
    cup_check_storage_withdrawn(view->address);
    if (view->private)
        cup_check_guarded_protect(view->shadow.memory);
}

static CUresult view_map_locked(struct cup_gl_work *work, struct CUgraphicsResource_st *resource,
                                unsigned flags)
{
    struct buffer_view *view = resource->body;
    struct cup_gl_storage *storage = view->storage;
    CUresult result;

    cup_lock_assert_held(storage->lock);
    view->private = flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY;
    if (view->private)
        result = copy_privately(work, view);
    else
        result = cup_gl_storage_map_locked(work, storage,
                                           flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
    if (result != CUDA_SUCCESS)
        return result;
    view->address = (uint64_t)(uintptr_t)(view->private ? view->shadow.memory : storage->seen);
    result = publish(resource, view);
    if (result != CUDA_SUCCESS && !view->private)
        cup_gl_storage_unmap_locked(work, storage);
    return result;
}

static bool view_map_fast(struct CUgraphicsResource_st *resource, unsigned flags)
{
    struct buffer_view *view = resource->body;
    struct cup_gl_storage *storage = view->storage;

    if (flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY)
        return false;
    cup_lock_acquire(storage->lock);
    bool mapped = cup_gl_storage_map_fast_locked(storage);
    if (mapped) {
        view->private = false;
        view->address = (uint64_t)(uintptr_t)storage->seen;
        if (publish(resource, view) != CUDA_SUCCESS) {
            cup_gl_storage_unmap_fast_locked(storage);
            mapped = false;
        }
    }
    cup_lock_release(storage->lock);
    return mapped;
}

static bool view_unmap_fast(struct buffer_view *view)
{
    if (view->private)
        return false;
    cup_lock_acquire(view->storage->lock);
    bool unmapped = cup_gl_storage_unmap_fast_locked(view->storage);
    cup_lock_release(view->storage->lock);
    if (unmapped)
        unpublish(view);
    return unmapped;
}

static CUresult view_map(struct CUgraphicsResource_st *resource, unsigned flags)
{
    struct buffer_view *view = resource->body;
    struct cup_gl_work work;

    if (view_map_fast(resource, flags))
        return CUDA_SUCCESS;
    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    cup_lock_acquire(view->storage->lock);
    CUresult result = view_map_locked(&work, resource, flags);
    cup_lock_release(view->storage->lock);
    cup_gl_end(&work);
    return result;
}

static CUresult view_unmap(struct CUgraphicsResource_st *resource)
{
    struct buffer_view *view = resource->body;
    struct cup_gl_work work;
    CUresult result = CUDA_SUCCESS;

    if (view_unmap_fast(view))
        return CUDA_SUCCESS;
    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    if (!view->private) {
        cup_lock_acquire(view->storage->lock);
        result = cup_gl_storage_unmap_locked(&work, view->storage);
        cup_lock_release(view->storage->lock);
    }
    if (result != CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
        unpublish(view);
    cup_gl_end(&work);
    return result;
}

static CUresult view_pointer(struct CUgraphicsResource_st *resource, CUdeviceptr *pointer,
                             size_t *size)
{
    struct buffer_view *view = resource->body;

    *pointer = view->address;
    *size = view->registered_bytes;
    return CUDA_SUCCESS;
}

static void view_finish(struct CUgraphicsResource_st *resource)
{
    struct buffer_view *view = resource->body;

    unpublish(view);
    cup_gl_shadow_free(&view->shadow);
    cup_gl_storage_unref(view->storage);
    free(view);
}

static const struct cup_resource_ops buffer_ops = {
    .map = view_map,
    .unmap = view_unmap,
    .unregister = cup_gl_unregister,
    .finish = view_finish,
    .pointer = view_pointer,
};

CUresult cup_gl_buffer_register(struct CUctx_st *context, unsigned name, unsigned flags,
                                struct CUgraphicsResource_st **resource)
{
    struct cup_gl_work work;
    struct buffer_view *view = calloc(1, sizeof(*view));

    if (!view)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    if (!cup_gl_begin_uncached(&work)) {
        free(view);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no OpenGL context is current in this thread");
    }
    CUresult result = cup_gl_storage_find(&work, name, &view->registered_bytes, &view->storage);
    if (result == CUDA_SUCCESS)
        result = cup_resource_create(context, &buffer_ops, view, flags, resource);
    else
        free(view);
    cup_gl_end(&work);
    return result;
}
