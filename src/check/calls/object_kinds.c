/* SPDX-License-Identifier: MIT */
#include "check/calls/object_kinds.h"

#include "device/context.h"
#include "device/primary.h"
#include "image/array.h"
#include "image/handle_table.h"
#include "image/mipmap.h"
#include "image/texture_object.h"
#include "interop/external_memory.h"
#include "memory/imported.h"
#include "memory/map.h"
#include "memory/physical.h"
#include "memory/pool.h"
#include "memory/virtual.h"

#include <stddef.h>

struct check_kind_ops {
    const char *name, *verb;
    uint64_t (*size)(const struct cup_object *object);
};

static uint64_t array_bytes(const struct cup_object *object)
{
    return ((const struct CUarray_st *)object)->storage.size_bytes;
}

static uint64_t mipmap_bytes(const struct cup_object *object)
{
    return ((const struct CUmipmappedArray_st *)object)->storage.size_bytes;
}

static uint64_t physical_bytes(const struct cup_object *object)
{
    return ((const struct cup_physical *)object)->size_bytes;
}

static uint64_t pool_bytes(const struct cup_object *object)
{
    return cup_pool_arena_count(&((struct CUmemPoolHandle_st *)object)->pool_arena).used_bytes;
}

static uint64_t external_bytes(const struct cup_object *object)
{
    return ((const struct CUextMemory_st *)object)->size_bytes;
}

/* Functions, kernels and surface references belong to their modules, and are not here. */
static const struct check_kind_ops kinds[CUP_TRACKED_KIND_COUNT] = {
    [CUP_OBJECT_CONTEXT] = {"context", "destroyed", NULL},
    [CUP_OBJECT_STREAM] = {"stream", "destroyed", NULL},
    [CUP_OBJECT_EVENT] = {"event", "destroyed", NULL},
    [CUP_OBJECT_PHYSICAL] = {"memory handle", "released", physical_bytes},
    [CUP_OBJECT_ARRAY] = {"array", "destroyed", array_bytes},
    [CUP_OBJECT_MIPMAP] = {"mipmapped array", "destroyed", mipmap_bytes},
    [CUP_OBJECT_POOL] = {"memory pool", "destroyed", pool_bytes},
    [CUP_OBJECT_NOTIFICATION] = {"notification", "unregistered", NULL},
    [CUP_OBJECT_EXTERNAL_MEMORY] = {"external memory", "destroyed", external_bytes},
    [CUP_OBJECT_EXTERNAL_SEMAPHORE] = {"external semaphore", "destroyed", NULL},
    [CUP_OBJECT_GRAPHICS] = {"graphics resource", "unregistered", NULL},
    [CUP_OBJECT_MODULE] = {"module", "unloaded", NULL},
    [CUP_OBJECT_LIBRARY] = {"library", "unloaded", NULL},
    [CUP_OBJECT_LINK] = {"link", "destroyed", NULL},
    [CUP_OBJECT_TEXTURE] = {"texture object", "destroyed", NULL},
    [CUP_OBJECT_SURFACE] = {"surface object", "destroyed", NULL},
    [CUP_OBJECT_TEXTURE_REFERENCE] = {"texture reference", "destroyed", NULL},
    [CUP_OBJECT_GRAPH] = {"graph", "destroyed", NULL},
    [CUP_OBJECT_GRAPH_EXEC] = {"executable graph", "destroyed", NULL},
    [CUP_TRACKED_ADDRESSES] = {"reserved addresses", "freed", NULL},
};

static const struct {
    const char *name, *verb;
} memories[] = {
    [CUP_RANGE_DEVICE] = {"device memory", "freed"},
    [CUP_RANGE_GRAPH] = {"memory of a graph", "freed"},
    [CUP_RANGE_PINNED] = {"pinned host memory", "freed"},
    [CUP_RANGE_REGISTERED] = {"registered host memory", "unregistered"},
    [CUP_RANGE_VIRTUAL] = {"mapped memory", "unmapped"},
    [CUP_RANGE_MANAGED] = {"managed memory", "freed"},
    [CUP_RANGE_IPC] = {"memory of another process", "closed"},
    [CUP_RANGE_EXTERNAL] = {"mapped external memory", "freed"},
    [CUP_RANGE_GRAPHICS] = {"a mapped graphics buffer", "unmapped"},
};

static const char pool_name[] = "memory of a pool";

static bool memory_is_alive(struct cup_tracked *resources)
{
    struct cup_span span;
    uint32_t owner;

    if (!cup_map_find(resources->handle, &span) || span.base != resources->handle)
        return false;
    if (span.kind == CUP_RANGE_IPC && !cup_imported_owner(resources->handle, &owner))
        return false;
    resources->base = span.base;
    resources->size_bytes = span.size_bytes;
    resources->what = span.flags & CUP_RANGE_POOL ? pool_name : memories[span.kind].name;
    return true;
}

static bool texture_is_alive(const struct cup_tracked *resources)
{
    struct cup_texture *texture = cup_handle_table_find(
        resources->kind == CUP_OBJECT_SURFACE ? &cup_surface_handles : &cup_texture_handles,
        resources->handle);
    struct cup_object *object;

    if (!texture || cup_object_find((enum cup_object_type)resources->kind, texture, &object) != 0)
        return false;
    cup_object_unref(object);
    return true;
}

/* A primary context always exists; it is alive while it is retained. */
static bool context_is_retained(const struct cup_object *object)
{
    const struct CUctx_st *context = (const struct CUctx_st *)object;
    bool active = true;
    unsigned flags;

    if (context->is_primary)
        cup_primary_state(context->device, &flags, &active);
    return active;
}

static bool object_is_alive(struct cup_tracked *resources)
{
    const struct check_kind_ops *kind = &kinds[resources->kind];
    struct cup_object *object;

    if (cup_object_find((enum cup_object_type)resources->kind,
                        (const void *)(uintptr_t)resources->handle, &object) != CUDA_SUCCESS)
        return false;
    bool alive = resources->kind != CUP_OBJECT_CONTEXT || context_is_retained(object);
    resources->what = kind->name;
    resources->size_bytes = kind->size ? kind->size(object) : 0;
    cup_object_unref(object);
    return alive;
}

bool cup_callcheck_kind_is_alive(struct cup_tracked *resources)
{
    switch (resources->kind) {
    case CUP_TRACKED_STORAGE:
        return false;
    case CUP_TRACKED_MEMORY:
        return memory_is_alive(resources);
    case CUP_TRACKED_ADDRESSES:
        resources->what = kinds[resources->kind].name;
        resources->base = resources->handle;
        resources->size_bytes = cup_virtual_reserved_bytes(resources->handle);
        return resources->size_bytes != 0;
    case CUP_OBJECT_TEXTURE:
    case CUP_OBJECT_SURFACE:
        resources->what = kinds[resources->kind].name;
        return texture_is_alive(resources);
    default:
        return object_is_alive(resources);
    }
}

const char *cup_callcheck_kind_name(const struct cup_tracked *record)
{
    return record->what ? record->what : kinds[record->kind].name;
}

const char *cup_callcheck_kind_verb(const struct cup_tracked *record)
{
    if (record->kind != CUP_TRACKED_MEMORY)
        return kinds[record->kind].verb;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(memories); i++) {
        if (memories[i].name == record->what)
            return memories[i].verb;
    }
    return "freed";
}

/* Arrays have memory in a heap, which keeps records of it. */
bool cup_callcheck_kind_is_memory(int kind)
{
    return kind == CUP_TRACKED_MEMORY || kind == CUP_TRACKED_ADDRESSES;
}
