/* SPDX-License-Identifier: MIT */
/* Objects behind the opaque handles of the ABI: contexts, streams, events.
 *
 * An object is in a slot of a slab that is never unmapped and never changes its type. Any value
 * that an application passes as a handle can therefore be validated without reading foreign memory:
 * it is a slot of the type or not, and the slot has the stamp of a live object or not. The memory
 * of an empty slab may be returned to the system; its addresses stay reserved.
 *
 * There are two lifetimes: the handle's (create ... retire) and the object's (until the last
 * reference is dropped). A retired object still completes its pending work, but its handle is
 * invalid. */
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
    CUP_OBJECT_RESOURCE_DESCRIPTOR,
    CUP_OBJECT_TYPE_COUNT,
};

/* Why a handle is no longer valid; NVIDIA's driver distinguishes them. */
enum cup_retire_reason {
    CUP_RETIRED_DESTROYED = 1, /* CUDA_ERROR_INVALID_HANDLE */
    CUP_RETIRED_CONTEXT_GONE,  /* its context was destroyed: CUDA_ERROR_INVALID_CONTEXT */
    CUP_RETIRED_CONTEXT_RESET, /* its primary context was reset: CUDA_ERROR_CONTEXT_IS_DESTROYED */
    CUP_RETIRED_DETACHED,      /* a stream without its green context, which can only be destroyed:
                                  CUDA_ERROR_STREAM_DETACHED */
    CUP_RETIRED_LAST = CUP_RETIRED_DETACHED,
};

struct cup_object {
    /* address and type while the handle is valid, otherwise the retire reason */
    _Atomic(uint64_t) stamp;
    _Atomic(uint32_t) refs; /* 0: the slot is free */
    uint32_t type;
    struct cup_object *next_free;
};

/* Registers a type: its size, and the function to call when the last reference is dropped. */
void cup_object_register(enum cup_object_type type, size_t size_bytes,
                         void (*finish)(struct cup_object *object));

/* Returns a zeroed object with one reference and without a valid handle; NULL if memory is out. */
struct cup_object *cup_object_create(enum cup_object_type type);

/* Makes the pointer a valid handle. */
void cup_object_publish(struct cup_object *object);

/* Invalidates the handle. Returns true for the one caller that did; the caller keeps its
 * reference. */
bool cup_object_retire(struct cup_object *object, enum cup_retire_reason reason);

/* Changes the reason of a retired handle whose object still has a reference. Returns the object for
 * the one caller that did, NULL if the handle is not retired for the reason `from`. */
struct cup_object *cup_object_retire_again(enum cup_object_type type, const void *handle,
                                           enum cup_retire_reason from, enum cup_retire_reason to);

/* Looks up a handle and takes a reference. *object is not changed on failure. */
CUresult cup_object_find(enum cup_object_type type, const void *handle, struct cup_object **object);

/* True if the pointer was ever a handle of this type. */
bool cup_object_was(enum cup_object_type type, const void *handle);

/* True if the test holds for an object with a valid handle, which is referenced meanwhile. */
bool cup_object_any(enum cup_object_type type, bool (*test)(struct cup_object *object));

void cup_object_ref(struct cup_object *object);
void cup_object_unref(struct cup_object *object);
bool cup_object_try_ref(struct cup_object *object); /* false: the last reference was just dropped */

/* Convert between a slot and a number below 2^32. */
uint32_t cup_object_index(const struct cup_object *object);

/* Returns a number that differs by one between objects of a type that were created in sequence. */
uint32_t cup_object_ordinal(uint32_t index);
struct cup_object *cup_object_at(uint32_t index);

#endif
