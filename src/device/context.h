/* SPDX-License-Identifier: MIT */
/* A context: one application's world on one device. It owns the streams made in it and the memory
 * allocated in it, and ends with the sticky error of its device.
 *
 * A device's primary context is one object for the life of the process; resetting it ends one
 * incarnation of it and the next retain begins another, under the same handle. */
#ifndef CUP_DEVICE_CONTEXT_H
#define CUP_DEVICE_CONTEXT_H

#include "core/lock.h"
#include "core/object.h"
#include "device/device.h"
#include "device/upcalls.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct cup_access_rights;
struct cup_devrt;

enum cup_context_state {
    CUP_CONTEXT_LIVE,
    CUP_CONTEXT_DESTROYED,
};

enum { CUP_CONTEXT_LIMIT_COUNT = CU_LIMIT_MAX };

/* The priorities of streams. A smaller number is more urgent. */
enum { CUP_PRIORITY_LEAST = 0, CUP_PRIORITY_GREATEST = -5 };

/* What makes an object of a part above end with its context. Embedded in the object; all zero: not
 * anybody's. */
struct cup_context_child {
    struct cup_object *object;
    void (*end)(struct cup_object *object, enum cup_retire_reason reason);
    struct cup_context_child *next, *previous; /* guarded by the context's lock */
};

struct CUctx_st {
    struct cup_object base;
    struct cup_device *device;
    _Atomic(uint64_t) id; /* another one after each reset of a primary context */
    unsigned api_version;
    _Atomic(unsigned) flags;
    bool is_primary;
    _Atomic(enum cup_context_state) state;

    struct cup_lock lock;
    struct CUstream_st *legacy;  /* the default stream all threads share; a reference is held */
    struct CUstream_st *streams; /* every stream with work or a handle; guarded by lock */
    struct cup_object *events;   /* every event with a handle; guarded by lock */
    struct cup_context_child *children;     /* objects of the parts above; guarded by lock */
    size_t limits[CUP_CONTEXT_LIMIT_COUNT]; /* guarded by lock */
    _Atomic(unsigned) limits_fixed; /* a bit for each limit that a launched kernel relies on */
    CUfunc_cache cache_config;      /* guarded by lock */
    _Atomic(uint64_t) peers;        /* physical devices whose memory may be touched, too */
    _Atomic(struct cup_access_rights *) access_rights; /* the table last used, see access.c */
    unsigned attach_count;                             /* cuCtxAttach; guarded by lock */

    _Atomic(struct cup_devrt *) devrt; /* what kernels printed and allocated; NULL until
                                                      one does */

    /* How many streams are busy: all of them in the low half, blocking ones in the high half. */
    _Atomic(uint64_t) busy_streams;
};

#define CUP_BUSY_ANY UINT64_C(1)
#define CUP_BUSY_BLOCKING (UINT64_C(1) << 32)

void cup_context_register(void);

/* A live context with one reference, not current anywhere. */
CUresult cup_context_create(struct cup_device *device, unsigned flags, unsigned api_version,
                            bool is_primary, struct CUctx_st **context);

/* Ends the context: waits for its work, frees what it owns. The handle of a context that is not
 * primary becomes invalid; a primary context can be revived. */
void cup_context_end(struct CUctx_st *context);
CUresult cup_context_revive(struct CUctx_st *context, unsigned flags);

/* Takes a reference. CONTEXT_IS_DESTROYED for a handle that was a context's, INVALID_CONTEXT for
 * any other. */
CUresult cup_context_find(CUcontext handle, struct CUctx_st **context);

/* The same for a context that has ended, while it is remembered. */
CUresult cup_context_find_any(CUcontext handle, struct CUctx_st **context);

CUresult cup_context_usable(struct CUctx_st *context); /* destroyed or sticky error? */
bool cup_context_is_live(struct CUctx_st *context);

/* Sets those of the flags that can be changed, and keeps the others. */
void cup_context_set_flags(struct CUctx_st *context, unsigned flags);

/* Uses up the id of a context that could not be made. */
void cup_context_skip_id(void);

/* Did this process ever make a context? */
bool cup_context_was_made(void);

/* May work of the context touch memory of the device? Its own always; another's after
 * cuCtxEnablePeerAccess. */
bool cup_context_may_access(struct CUctx_st *context, const struct cup_device *device);

/* The calling thread's stack. */
struct CUctx_st *cup_context_current(void);
CUresult cup_context_push(struct CUctx_st *context);
CUresult cup_context_pop(struct CUctx_st **context); /* the reference goes to the caller */
CUresult cup_context_set_current(struct CUctx_st *context);

/* Waits until everything submitted to the context so far has run. */
CUresult cup_context_synchronize(struct CUctx_st *context);

static inline void cup_context_ref(struct CUctx_st *context)
{
    cup_object_ref(&context->base);
}

static inline void cup_context_unref(struct CUctx_st *context)
{
    cup_object_unref(&context->base);
}

/* Records an asynchronous failure; the first one stays. As with NVIDIA's driver it is the end of
 * every context on the device, those made later too, until the process ends; but for one that
 * passes (cup_device_error_passes). */
void cup_context_fail(struct CUctx_st *context, CUresult error);

/* From here on the object ends with the context: then `end` is called, which retires its handle.
 * The object disowns it when it finishes. */
void cup_context_add_child(struct CUctx_st *context, struct cup_context_child *child,
                           struct cup_object *object,
                           void (*end)(struct cup_object *object, enum cup_retire_reason reason));
void cup_context_remove_child(struct CUctx_st *context, struct cup_context_child *child);

/* Writes out what kernels of the context printed, at every synchronisation. */
static inline void cup_context_show_output(struct CUctx_st *context)
{
    if (cup_unlikely(atomic_load_explicit(&context->devrt, memory_order_acquire) != NULL))
        cup_device_upcalls.write_output(context);
}

#endif
