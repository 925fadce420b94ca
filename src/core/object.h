/* SPDX-License-Identifier: MIT */
/* Everything the ABI hands out as an opaque handle: contexts, streams, events.
 *
 * An object lives in a slot of a slab that is never unmapped and never changes its type. So any
 * number an application passes as a handle can be judged without touching memory that is not ours:
 * it lies in a slab of the type or not, and the slot carries the stamp of a live object or not. The
 * memory of a slab with nothing in it may go back to the system; its addresses stay.
 *
 * Two lifetimes: the handle's (create … retire) and the object's (until the last reference goes).
 * A retired object still runs its pending work; its handle is already an error. */
#ifndef CUP_CORE_OBJECT_H
#define CUP_CORE_OBJECT_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cup_object_type {
    CUP_OBJECT_CONTEXT,
    CUP_OBJECT_STREAM,
    CUP_OBJECT_EVENT,
    CUP_OBJECT_PHYSICAL,
    CUP_OBJECT_ARRAY,
    CUP_OBJECT_MIPMAP,
    CUP_OBJECT_POOL,
    CUP_OBJECT_NOTIFICATION,
    CUP_OBJECT_EXTERNAL_MEMORY,
    CUP_OBJECT_EXTERNAL_SEMAPHORE,
    CUP_OBJECT_GRAPHICS,
    CUP_OBJECT_MODULE,
    CUP_OBJECT_FUNCTION,
    CUP_OBJECT_LIBRARY,
    CUP_OBJECT_KERNEL,
    CUP_OBJECT_LINK,
    CUP_OBJECT_TEXTURE,
    CUP_OBJECT_SURFACE,
    CUP_OBJECT_TEXTURE_REFERENCE,
    CUP_OBJECT_SURFACE_REFERENCE,
    CUP_OBJECT_GRAPH,
    CUP_OBJECT_GRAPH_NODE,
    CUP_OBJECT_GRAPH_EXEC,
    CUP_OBJECT_USER_OBJECT,
    CUP_OBJECT_TYPE_COUNT,
};

/* Why a handle is no longer valid; NVIDIA's driver tells the three apart. */
enum cup_retire_reason {
    CUP_RETIRED_DESTROYED = 1, /* CUDA_ERROR_INVALID_HANDLE */
    CUP_RETIRED_CONTEXT_GONE,  /* its context was destroyed: CUDA_ERROR_INVALID_CONTEXT */
    CUP_RETIRED_CONTEXT_RESET, /* its primary context was reset: CUDA_ERROR_CONTEXT_IS_DESTROYED */
};

struct cup_object {
    _Atomic(uint64_t) stamp; /* the address and type while the handle is valid, else a reason */
    _Atomic(uint32_t) refs;  /* 0: the slot is free */
    uint32_t type;
    struct cup_object *next_free;
};

/* Announces a type: its size and what to do when the last reference to one goes. */
void cup_object_register(enum cup_object_type type, size_t size_bytes,
                         void (*finish)(struct cup_object *object));

/* A zeroed object with one reference, not yet a valid handle; NULL when memory is out. */
struct cup_object *cup_object_create(enum cup_object_type type);

/* From here on the pointer is a valid handle. */
void cup_object_publish(struct cup_object *object);

/* Ends the handle. True for the one caller that ended it; the reference stays with the caller. */
bool cup_object_retire(struct cup_object *object, enum cup_retire_reason reason);

/* Looks a handle up and takes a reference; on failure *object stays untouched. */
CUresult cup_object_find(enum cup_object_type type, const void *handle, struct cup_object **object);

/* Was the pointer ever handed out as an object of this type? */
bool cup_object_was(enum cup_object_type type, const void *handle);

void cup_object_ref(struct cup_object *object);
void cup_object_unref(struct cup_object *object);
bool cup_object_try_ref(struct cup_object *object); /* false: the last reference has just gone */

/* A number below 2^32 for the slot, and back. */
uint32_t cup_object_index(const struct cup_object *object);
struct cup_object *cup_object_at(uint32_t index);

#endif
