/* SPDX-License-Identifier: MIT */
/* Texture and surface references, the older interface. The application sets a reference's
 * properties one by one and binds it to memory; a kernel that names the reference uses the binding
 * at launch. Each reference has a texture or surface object, which is recreated on the first use
 * after a change. */
#ifndef CUP_IMAGE_TEXTURE_REFERENCE_H
#define CUP_IMAGE_TEXTURE_REFERENCE_H

#include "core/lock.h"
#include "core/object.h"
#include "device/context.h"

#include <cuda.h>

enum cup_binding {
    CUP_BOUND_TO_NOTHING,
    CUP_BOUND_TO_ARRAY,
    CUP_BOUND_TO_MIPMAP,
    CUP_BOUND_TO_LINEAR,
    CUP_BOUND_TO_PITCHED,
};

struct CUtexref_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    bool of_module;           /* its module destroys it; otherwise its context does */
    struct cup_context_child child;

    struct cup_lock lock; /* guards the fields below */
    CUDA_TEXTURE_DESC texture;
    CUarray_format format;
    unsigned channels;
    enum cup_binding binding;
    struct cup_object *image; /* holds a reference, or NULL */
    CUDA_RESOURCE_DESC resource;
    /* the object that kernels use (holds a reference); NULL: create on use */
    struct cup_texture *made;
};

/* A surface reference uses only the binding to an array. */
struct CUsurfref_st {
    struct CUtexref_st reference;
};

void cup_reference_register(void);

/* `type` is CUP_OBJECT_TEXTURE_REFERENCE or CUP_OBJECT_SURFACE_REFERENCE. */
CUresult cup_reference_create(enum cup_object_type type, struct CUctx_st *context, bool of_module,
                              struct CUtexref_st **made);
CUresult cup_reference_find(enum cup_object_type type, const void *handle,
                            struct CUtexref_st **reference); /* takes a reference */
void cup_reference_destroy(struct CUtexref_st *reference, enum cup_retire_reason reason);

/* Binds the reference. Takes over the reference on `image`; the descriptor has been validated. */
void cup_reference_bind(struct CUtexref_st *reference, enum cup_binding binding,
                        struct cup_object *image, const CUDA_RESOURCE_DESC *resource);

/* Drops the texture object after a change, so that the next use creates a new one. The caller holds
 * the lock. */
void cup_reference_changed_locked(struct CUtexref_st *reference);

/* Returns the handle number that kernels use; 0: not bound. */
uint64_t cup_reference_number(struct CUtexref_st *reference);

static inline void cup_reference_unref(struct CUtexref_st *reference)
{
    cup_object_unref(&reference->base);
}

#endif
