/* SPDX-License-Identifier: MIT */
/* Contexts. A context owns the streams created and the memory allocated in it.
 *
 * The primary context of a device is one object for the life of the process. A reset ends it, and
 * the next retain revives it under the same handle with a new id.
 *
 * A green context is a part of a device's multiprocessors with streams of its own. Everything else
 * that is made in it belongs to the primary context, its owner, and outlives it. */
#ifndef CUP_DEVICE_CONTEXT_H
#define CUP_DEVICE_CONTEXT_H

#include "core/list.h"
#include "core/lock.h"
#include "core/object.h"
#include "device/device.h"
#include "device/resource.h"
#include "device/upcalls.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct cup_access_rights;
struct cup_coredump;
struct cup_devrt;

enum cup_context_state {
    CUP_CONTEXT_LIVE,
    CUP_CONTEXT_DESTROYED,
};

enum { CUP_CONTEXT_LIMIT_COUNT = CU_LIMIT_MAX };

/* Stream priorities. A smaller number is a higher priority. */
enum { CUP_PRIORITY_LEAST = 0, CUP_PRIORITY_GREATEST = -5 };

/* Links an object to its context, so that it ends with the context. Embedded in the object;
 * zero-initialised: not linked. */
struct cup_context_child {
    struct cup_object *object;
    void (*end)(struct cup_object *object, enum cup_retire_reason reason);
    struct cup_list link; /* guarded by the context's lock */
};

struct CUctx_st {
    struct cup_object base;
    struct cup_device *device;
    _Atomic(uint64_t) id; /* changes with each reset of a primary context */
    unsigned api_version;
    _Atomic(unsigned) flags;
    bool is_primary;
    struct CUctx_st *owner; /* owns what is made in this context: itself, or the primary context of
                               a green one, which then holds a reference */
    const struct cup_sm_set *sms; /* of a green context: in its descriptor, which is never freed */
    struct cup_workqueue workqueue; /* of a green context */
    _Atomic(enum cup_context_state) state;

    struct cup_lock lock;
    struct CUstream_st *legacy; /* the default stream that all threads share; holds a reference */
    struct cup_list streams;    /* streams with work or a handle, also those of green contexts
                                   that it owns; guarded by lock */
    struct cup_list events;     /* events with a handle; guarded by lock */
    struct cup_list children;   /* objects of the parts above; guarded by lock */
    size_t limits[CUP_CONTEXT_LIMIT_COUNT]; /* guarded by lock */
    _Atomic(unsigned) limits_fixed;         /* bit per limit that a launched kernel depends on */
    CUfunc_cache cache_config;              /* guarded by lock */
    _Atomic(uint64_t) peers;                /* physical devices whose memory is also accessible */
    _Atomic(struct cup_access_rights *) access_rights; /* the table used last, see access.c */
    unsigned attach_count;                             /* cuCtxAttach; guarded by lock */

    struct cup_coredump *coredump;     /* coredump.c locks it; a green context uses its owner's */
    _Atomic(struct cup_devrt *) devrt; /* output and allocations of kernels; NULL until the first */

    /* Number of busy streams: all in the low half, blocking ones in the high half. */
    _Atomic(uint64_t) busy_streams;
};

#define CUP_BUSY_ANY UINT64_C(1)
#define CUP_BUSY_BLOCKING (UINT64_C(1) << 32)

void cup_context_register(void);

/* Creates a live context with one reference that is not current in any thread. */
CUresult cup_context_create(struct cup_device *device, unsigned flags, unsigned api_version,
                            bool is_primary, struct CUctx_st **context);

/* The same for a green context of the primary context `owner`, without a handle: stream/green.c
 * completes and publishes it. */
CUresult cup_context_create_green(struct CUctx_st *owner,
                                  const struct CUdevResourceDesc_st *descriptor,
                                  struct CUctx_st **context);

static inline bool cup_context_is_green(const struct CUctx_st *context)
{
    return context->owner != context;
}

/* Ends the context: waits for its work and frees what it owns. The handle becomes invalid, except
 * that of a primary context, which can be revived. Returns false if it has ended before. */
bool cup_context_end(struct CUctx_st *context);
CUresult cup_context_revive(struct CUctx_st *context, unsigned flags);

/* Takes a reference. Returns CONTEXT_IS_DESTROYED for the handle of a destroyed context,
 * INVALID_CONTEXT for anything else. */
CUresult cup_context_find_exact(CUcontext handle, struct CUctx_st **context);

/* The same, but finds the owner of a green context: for calls that are about memory, modules and
 * all else that green contexts do not own. */
CUresult cup_context_find(CUcontext handle, struct CUctx_st **context);

/* As cup_context_find_exact(), but also finds recently destroyed contexts. */
CUresult cup_context_find_any(CUcontext handle, struct CUctx_st **context);

CUresult cup_context_usable(struct CUctx_st *context); /* error if destroyed or sticky */
bool cup_context_is_live(struct CUctx_st *context);

/* Sets the flags that can be changed and keeps the others. */
void cup_context_set_flags(struct CUctx_st *context, unsigned flags);

/* Consumes the id of a context that could not be created. */
void cup_context_skip_id(void);

/* True if this process ever created a context. */
bool cup_context_was_made(void);

/* True if work of the context may access memory of the device: always for its own, for others after
 * cuCtxEnablePeerAccess(). */
bool cup_context_may_access(struct CUctx_st *context, const struct cup_device *device);

/* The calling thread's context stack. `current` is the owner of what the thread creates now;
 * `current_exact` differs from it in a green context. */
struct CUctx_st *cup_context_current(void);
struct CUctx_st *cup_context_current_exact(void);
CUresult cup_context_push(struct CUctx_st *context);
CUresult cup_context_pop(struct CUctx_st **context); /* passes the reference to the caller */
CUresult cup_context_set_current(struct CUctx_st *context);

/* cup_device_look() for the current context's device; CUDA_SUCCESS without a current context. */
CUresult cup_context_look_current(void);

/* Waits until all work submitted to the context has completed. */
CUresult cup_context_synchronize(struct CUctx_st *context);

static inline void cup_context_ref(struct CUctx_st *context)
{
    cup_object_ref(&context->base);
}

static inline void cup_context_unref(struct CUctx_st *context)
{
    cup_object_unref(&context->base);
}

/* Records an asynchronous error; the first one stays. As in NVIDIA's driver, it makes all contexts
 * of the device unusable, later ones too, until the process ends, except for a transient error
 * (cup_device_error_passes()). A kernel's exception is told later (cup_device_look()). */
void cup_context_fail(struct CUctx_st *context, CUresult error, bool in_kernel);

/* Links the object to the context: when the context ends, `end` is called and retires the handle.
 * The object calls cup_context_remove_child() when it is freed. */
void cup_context_add_child(struct CUctx_st *context, struct cup_context_child *child,
                           struct cup_object *object,
                           void (*end)(struct cup_object *object, enum cup_retire_reason reason));
void cup_context_remove_child(struct CUctx_st *context, struct cup_context_child *child);

/* Writes pending kernel output of the context; called at every synchronisation. */
static inline void cup_context_show_output(struct CUctx_st *context)
{
    if (cup_unlikely(atomic_load_explicit(&context->devrt, memory_order_acquire) != NULL))
        cup_device_upcalls.write_output(context);
}

#endif
