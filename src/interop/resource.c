/* SPDX-License-Identifier: MIT */
/* The state machine of graphics resources. The thread that changes the state to BUSY maps or
 * unmaps; other threads find the resource in neither state and return an error. No lock of the
 * resource is held while the graphics driver works; two resources of one object are kept apart by
 * the object's lock (gl_lock.h). */
#include "interop/resource.h"

#include "core/error.h"
#include "stream/stream.h"

static bool state_change(struct CUgraphicsResource_st *resource, enum cup_resource_state from,
                         enum cup_resource_state to)
{
    return atomic_compare_exchange_strong(&resource->state, &from, to);
}

/* Unmaps a mapped or half-unmapped resource, if the calling thread can. */
static void unmap_remaining(struct CUgraphicsResource_st *resource)
{
    if (state_change(resource, CUP_RESOURCE_MAPPED, CUP_RESOURCE_BUSY) ||
        state_change(resource, CUP_RESOURCE_HALF, CUP_RESOURCE_BUSY)) {
        resource->ops->unmap(resource);
        atomic_store(&resource->state, CUP_RESOURCE_UNMAPPED);
    }
}

/* Called after the handle was retired. */
static void resource_close(struct CUgraphicsResource_st *resource, enum cup_retire_reason reason)
{
    unmap_remaining(resource);
    if (resource->ops->close)
        resource->ops->close(resource, reason);
    cup_resource_unref(resource); /* the handle's reference */
}

/* A thread that was mapping the resource when the handle was retired may have completed since. */
static void resource_finish(struct cup_object *object)
{
    struct CUgraphicsResource_st *resource = (struct CUgraphicsResource_st *)object;

    unmap_remaining(resource);
    cup_context_remove_child(resource->context, &resource->child);
    resource->ops->finish(resource);
    cup_context_unref(resource->context);
}

void cup_resource_register(void)
{
    cup_object_register(CUP_OBJECT_GRAPHICS, sizeof(struct CUgraphicsResource_st), resource_finish);
}

static void resource_end(struct cup_object *object, enum cup_retire_reason reason)
{
    if (cup_object_retire(object, reason))
        resource_close((struct CUgraphicsResource_st *)object, reason);
}

CUresult cup_resource_create(struct CUctx_st *context, const struct cup_resource_ops *ops,
                             void *body, unsigned flags, struct CUgraphicsResource_st **resource)
{
    struct CUgraphicsResource_st *made =
        (struct CUgraphicsResource_st *)cup_object_create(CUP_OBJECT_GRAPHICS);

    if (!made) {
        struct CUgraphicsResource_st failed = {.context = context, .ops = ops, .body = body};
        if (ops->close)
            ops->close(&failed, CUP_RETIRED_DESTROYED);
        ops->finish(&failed);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    }
    cup_context_ref(context);
    made->context = context;
    made->ops = ops;
    made->body = body;
    made->flags = flags;
    cup_context_add_child(context, &made->child, &made->base, resource_end);
    cup_object_publish(&made->base);
    *resource = made;
    return CUDA_SUCCESS;
}

CUresult cup_resource_find(CUgraphicsResource handle, struct CUgraphicsResource_st **resource)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_GRAPHICS, handle, &object);

    if (result == CUDA_ERROR_INVALID_CONTEXT)
        result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a graphics resource", (void *)handle);
    *resource = (struct CUgraphicsResource_st *)object;
    return CUDA_SUCCESS;
}

/* NVIDIA's driver rejects these calls for resources that are always mapped. */
static CUresult check_mappable(unsigned count, struct CUgraphicsResource_st **resources)
{
    for (unsigned i = 0; i < count; i++) {
        if (resources[i]->ops->always_mapped)
            return cup_error(CUDA_ERROR_UNKNOWN, "an EGL image is always mapped");
    }
    return CUDA_SUCCESS;
}

static CUresult map_one(struct CUgraphicsResource_st *resource)
{
    if (atomic_load(&resource->state) == CUP_RESOURCE_HALF) {
        CUresult result = resource->ops->unregister(resource);
        return result != CUDA_SUCCESS
                   ? result
                   : cup_error(CUDA_ERROR_ALREADY_MAPPED, "the graphics API has not unmapped it");
    }
    if (!state_change(resource, CUP_RESOURCE_UNMAPPED, CUP_RESOURCE_BUSY))
        return cup_error(CUDA_ERROR_ALREADY_MAPPED, "%p is already mapped", (void *)resource);
    CUresult result = resource->ops->map(resource, atomic_load(&resource->flags));
    atomic_store(&resource->state,
                 result == CUDA_SUCCESS ? CUP_RESOURCE_MAPPED : CUP_RESOURCE_UNMAPPED);
    return result;
}

static CUresult unmap_one(struct CUgraphicsResource_st *resource)
{
    if (!state_change(resource, CUP_RESOURCE_MAPPED, CUP_RESOURCE_BUSY))
        return cup_error(CUDA_ERROR_NOT_MAPPED, "%p is not mapped", (void *)resource);
    CUresult result = resource->ops->unmap(resource);
    atomic_store(&resource->state, result == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT
                                       ? CUP_RESOURCE_HALF
                                       : CUP_RESOURCE_UNMAPPED);
    return result;
}

CUresult cup_resources_map(unsigned count, struct CUgraphicsResource_st **resources)
{
    CUresult result = check_mappable(count, resources);
    unsigned done = 0;

    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
        if (cup_resource_is_mapped(resources[i]))
            result = cup_error(CUDA_ERROR_ALREADY_MAPPED, "resource %u is already mapped", i);
    }
    if (result != CUDA_SUCCESS)
        return result;
    while (done < count && (result = map_one(resources[done])) == CUDA_SUCCESS)
        done++;
    if (result == CUDA_SUCCESS)
        return result;
    while (done > 0)
        unmap_one(resources[--done]);
    return result;
}

CUresult cup_resources_unmap(unsigned count, struct CUgraphicsResource_st **resources,
                             struct CUstream_st *stream)
{
    CUresult result = check_mappable(count, resources);

    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
        if (!cup_resource_is_mapped(resources[i]))
            result = cup_error(CUDA_ERROR_NOT_MAPPED, "resource %u is not mapped", i);
    }
    if (result == CUDA_SUCCESS)
        result = cup_stream_synchronize(stream);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++)
        result = unmap_one(resources[i]);
    return result;
}

CUresult cup_resource_set_flags(struct CUgraphicsResource_st *resource, unsigned flags)
{
    if (flags > CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid map flags 0x%x", flags);
    if (!resource->ops->always_mapped && cup_resource_is_mapped(resource))
        return cup_error(CUDA_ERROR_ALREADY_MAPPED,
                         "flags cannot change while the resource is mapped");
    atomic_store(&resource->flags, flags);
    return CUDA_SUCCESS;
}

CUresult cup_resource_unregister(struct CUgraphicsResource_st *resource)
{
    if (!resource->ops->always_mapped && cup_resource_is_mapped(resource))
        return cup_error(CUDA_ERROR_ALREADY_MAPPED, "it is still mapped");
    CUresult result = resource->ops->unregister(resource);
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_object_retire(&resource->base, CUP_RETIRED_DESTROYED))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread unregistered %p",
                         (void *)resource);
    resource_close(resource, CUP_RETIRED_DESTROYED);
    return CUDA_SUCCESS;
}
