/* SPDX-License-Identifier: MIT */
/* A graphics resource: an object of OpenGL or EGL that CUDA has been told of. What is the same for
 * all of them is here: the handle, whether it is mapped, with which flags, and that it ends with
 * its context. What they are is behind a table of functions. */
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

/* BUSY: some thread is about to map or unmap it. HALF: it was unmapped where its graphics context
 * was not current, so that the other side never heard of it; NVIDIA's driver does not map such a
 * one again either. */
enum cup_resource_state {
    CUP_RESOURCE_UNMAPPED,
    CUP_RESOURCE_MAPPED,
    CUP_RESOURCE_BUSY,
    CUP_RESOURCE_HALF,
};

/* The functions work in the calling thread's graphics context. */
struct cup_resource_ops {
    CUresult (*map)(struct CUgraphicsResource_st *resource, unsigned flags);
    /* INVALID_GRAPHICS_CONTEXT: not done, and to be done at the end if it can be. */
    CUresult (*unmap)(struct CUgraphicsResource_st *resource);
    /* May the resource go now? Not called when its context ends. */
    CUresult (*unregister)(struct CUgraphicsResource_st *resource);
    /* The handle ends: so do those of its arrays. */
    void (*close)(struct CUgraphicsResource_st *resource, enum cup_retire_reason reason);
    void (*finish)(struct CUgraphicsResource_st *resource); /* frees the body */

    /* Of a mapped resource; NULL where it is not of that kind. */
    CUresult (*pointer)(struct CUgraphicsResource_st *resource, CUdeviceptr *pointer, size_t *size);
    CUresult (*array)(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                      CUarray *array);
    CUresult (*mipmap)(struct CUgraphicsResource_st *resource, CUmipmappedArray *mipmap);
    CUresult (*frame)(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                      CUeglFrame *frame);
    bool always_mapped; /* from registering to unregistering; cannot be mapped */
};

struct CUgraphicsResource_st {
    struct cup_object base;
    struct CUctx_st *context; /* a reference is held */
    struct cup_context_child child;
    const struct cup_resource_ops *ops;
    _Atomic(unsigned) flags; /* of enum CUgraphicsMapResourceFlags */
    _Atomic(enum cup_resource_state) state;
    void *body; /* the functions' */
};

void cup_resource_register(void);

/* Takes the body over, also when it fails. */
CUresult cup_resource_create(struct CUctx_st *context, const struct cup_resource_ops *ops,
                             void *body, unsigned flags, struct CUgraphicsResource_st **resource);

/* Takes a reference. */
CUresult cup_resource_find(CUgraphicsResource handle, struct CUgraphicsResource_st **resource);

/* All or none, in their order. */
CUresult cup_resources_map(unsigned count, struct CUgraphicsResource_st **resources);

/* After the work of the stream. Those before one that fails are unmapped. */
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
