/* SPDX-License-Identifier: MIT */
/* Texture and surface references: the older way. A reference is set piece by piece and bound to
 * memory; a kernel that names one uses what is bound to it when it is launched. Behind each there
 * is a texture or surface, made anew when it was changed and is needed. */
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
    struct CUctx_st *context; /* a reference is held */
    bool of_module;           /* ends with its module alone; else with its context */
    struct cup_context_child child;

    struct cup_lock lock; /* guards all that follows */
    CUDA_TEXTURE_DESC texture;
    CUarray_format format;
    unsigned channels;
    enum cup_binding binding;
    struct cup_object *image; /* with a reference, or NULL */
    CUDA_RESOURCE_DESC resource;
    struct cup_texture *made; /* what it is for kernels; NULL: to be made. A reference */
};

/* A surface's has of all that only the array. */
struct CUsurfref_st {
    struct CUtexref_st reference;
};

void cup_reference_register(void);

/* type: CUP_OBJECT_TEXTURE_REFERENCE or CUP_OBJECT_SURFACE_REFERENCE. */
CUresult cup_reference_create(enum cup_object_type type, struct CUctx_st *context, bool of_module,
                              struct CUtexref_st **made);
CUresult cup_reference_find(enum cup_object_type type, const void *handle,
                            struct CUtexref_st **reference); /* takes a reference */
void cup_reference_destroy(struct CUtexref_st *reference, enum cup_retire_reason reason);

/* Binds it; `image` is taken over, the descriptor has been judged. */
void cup_reference_bind(struct CUtexref_st *reference, enum cup_binding binding,
                        struct cup_object *image, const CUDA_RESOURCE_DESC *resource);

/* It was changed: what was made of it is not up to date. The lock is held. */
void cup_reference_changed_locked(struct CUtexref_st *reference);

/* The number kernels are to use; 0: it is bound to nothing. */
uint64_t cup_reference_number(struct CUtexref_st *reference);

static inline void cup_reference_unref(struct CUtexref_st *reference)
{
    cup_object_unref(&reference->base);
}

#endif
