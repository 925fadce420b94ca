/* SPDX-License-Identifier: MIT */
/* Graphics resources: objects of OpenGL or EGL that are registered with CUDA. This file has the
 * common part: the handle, the map state and flags, and the link to the context. The kinds of
 * resources implement struct cup_resource_ops. */
#ifndef CUP_INTEROP_RESOURCE_H
#define CUP_INTEROP_RESOURCE_H

#include "core/object.h"
#include "device/context.h"

#include <cuda.h>
#ifndef EGL_NO_X11
#define EGL_NO_X11
#endif
#ifndef MESA_EGL_NO_X11_HEADERS
#define MESA_EGL_NO_X11_HEADERS
#endif
#include <cudaEGL.h>
#include <stdatomic.h>
#include <stdbool.h>

struct CUstream_st;

/* BUSY: a thread is mapping or unmapping it. HALF: it was unmapped while its graphics context was
 * not current, so the graphics side was not updated. NVIDIA's driver does not map such a resource
 * again either. */
enum cup_resource_state {
    CUP_RESOURCE_UNMAPPED,
    CUP_RESOURCE_MAPPED,
    CUP_RESOURCE_BUSY,
    CUP_RESOURCE_HALF,
};

/* The functions run in the calling thread's graphics context. */
struct cup_resource_ops {
    CUresult (*map)(struct CUgraphicsResource_st *resource, unsigned flags);
    /* INVALID_GRAPHICS_CONTEXT: not done; it is tried again when the resource ends. */
    CUresult (*unmap)(struct CUgraphicsResource_st *resource);
    /* Returns whether the resource may be unregistered now. Not called when its context ends. */
    CUresult (*unregister)(struct CUgraphicsResource_st *resource);
    /* The handle is retired: retires the handles of its arrays. */
    void (*close)(struct CUgraphicsResource_st *resource, enum cup_retire_reason reason);
    void (*finish)(struct CUgraphicsResource_st *resource); /* frees the body */

    /* Queries of a mapped resource; NULL if the kind does not have them. */
    CUresult (*pointer)(struct CUgraphicsResource_st *resource, CUdeviceptr *pointer, size_t *size);
    CUresult (*array)(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                      CUarray *array);
    CUresult (*mipmap)(struct CUgraphicsResource_st *resource, CUmipmappedArray *mipmap);
    CUresult (*frame)(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                      CUeglFrame *frame);
    bool always_mapped; /* from registration to unregistration; cuGraphicsMapResources() fails */
};

struct CUgraphicsResource_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    struct cup_context_child child;
    const struct cup_resource_ops *ops;
    _Atomic(unsigned) flags; /* enum CUgraphicsMapResourceFlags */
    _Atomic(enum cup_resource_state) state;
    void *body; /* owned by the ops */
};

void cup_resource_register(void);

/* Takes the body over, also on failure. */
CUresult cup_resource_create(struct CUctx_st *context, const struct cup_resource_ops *ops,
                             void *body, unsigned flags, struct CUgraphicsResource_st **resource);

/* Takes a reference. */
CUresult cup_resource_find(CUgraphicsResource handle, struct CUgraphicsResource_st **resource);

/* Maps all in order, or none. */
CUresult cup_resources_map(unsigned count, struct CUgraphicsResource_st **resources);

/* Unmaps after the work of the stream. On failure the resources before the failing one are
 * unmapped. */
CUresult cup_resources_unmap(unsigned count, struct CUgraphicsResource_st **resources,
                             struct CUstream_st *stream);

CUresult cup_resource_set_flags(struct CUgraphicsResource_st *resource, unsigned flags);
CUresult cup_resource_unregister(struct CUgraphicsResource_st *resource);

static inline bool cup_resource_is_mapped(struct CUgraphicsResource_st *resource)
{
    return resource->ops->always_mapped || atomic_load(&resource->state) == CUP_RESOURCE_MAPPED;
}

static inline void cup_resource_unref(struct CUgraphicsResource_st *resource)
{
    cup_object_unref(&resource->base);
}

#endif
