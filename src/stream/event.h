/* SPDX-License-Identifier: MIT */
/* An event: remembers a point in a stream, and the time it was reached. */
#ifndef CUP_STREAM_EVENT_H
#define CUP_STREAM_EVENT_H

#include "core/compiler.h"
#include "core/lock.h"
#include "core/object.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_ipc_event;
struct cup_ipcfile_handle;

struct CUevent_st {
    struct cup_object base;
    struct CUctx_st *context;                           /* a reference is held */
    struct CUevent_st *context_next, *context_previous; /* guarded by the context's lock */
    unsigned flags;
    struct cup_ipc_event *ipc; /* what other processes see of it; NULL: nothing */
    /* Waits for recordings of other processes; NULL until one is waited for. A reference is held.
     */
    _Atomic(struct CUstream_st *) peer_stream;

    struct cup_lock lock;
    _Atomic(bool)
        reached; /* the point has been reached: known without the lock; written under it */
    /* All guarded by lock. Recordings are numbered as they begin; the latest one wins. */
    uint64_t begun;         /* how many recordings have begun */
    uint64_t recorded;      /* the number of the one `point` belongs to; 0: never recorded */
    struct cup_point point; /* where that was, with a reference on its stream */
    uint64_t ipc_number;    /* the number of the same one among those of all processes */
    uint64_t timed;         /* the number of the one `time_ns` belongs to */
    uint64_t time_ns;       /* when it was reached */

    /* The number of its recording in a stream capture (graph/capture_event.c), which no other
     * recording has; 0: it was last recorded in a stream that did not capture, or never. */
    _Atomic(uint64_t) captured;
};

void cup_event_register(void);
CUresult cup_event_create(struct CUctx_st *context, unsigned flags, struct CUevent_st **event);

/* An event of another process. MAP_FAILED when the handle names none. */
CUresult cup_event_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                        struct CUevent_st **event);

/* A reference is taken. The event's context is checked for being usable. */
CUresult cup_event_find(CUevent handle, struct CUevent_st **event);
void cup_event_destroy(struct CUevent_st *event, enum cup_retire_reason reason);

/* Every event of a context that ends: the handles become errors. */
void cup_event_end_all(struct CUctx_st *context);

/* Records the end of what the stream has been given so far. */
CUresult cup_event_record(struct CUevent_st *event, struct CUstream_st *stream);

/* Records a point that is reached later: the recording of a graph. Fulfil: it is reached in this
 * moment. */
struct cup_event_ticket {
    uint64_t number, ipc_number;
};
void cup_event_promise(struct CUevent_st *event, struct cup_point point,
                       struct cup_event_ticket *ticket);
void cup_event_fulfil(struct CUevent_st *event, const struct cup_event_ticket *ticket);

/* Was it ever recorded in a stream that did not capture? */
bool cup_event_is_recorded(struct CUevent_st *event);

/* Was it last recorded in a capture? Then it has no point in any stream. */
static inline bool cup_event_is_captured(struct CUevent_st *event)
{
    return cup_unlikely(atomic_load_explicit(&event->captured, memory_order_acquire) != 0);
}

/* The point recorded last, with a reference on its stream; no stream when there is none. What
 * another process has recorded is waited for in a stream of the event's own, and the point is in
 * there. */
struct cup_point cup_event_point(struct CUevent_st *event);

/* INVALID_VALUE for an event that was last recorded in a capture. */
CUresult cup_event_query(struct CUevent_st *event);
CUresult cup_event_synchronize(struct CUevent_st *event);
CUresult cup_event_elapsed(struct CUevent_st *start, struct CUevent_st *end, float *milliseconds);

static inline void cup_event_unref(struct CUevent_st *event)
{
    cup_object_unref(&event->base);
}

#endif
