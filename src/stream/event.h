/* SPDX-License-Identifier: MIT */
/* An event: a recorded point in a stream, and the time at which the stream reached it. */
#ifndef CUP_STREAM_EVENT_H
#define CUP_STREAM_EVENT_H

#include "core/compiler.h"
#include "core/list.h"
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
    struct CUctx_st *context;     /* a reference is held */
    struct cup_list context_link; /* guarded by the context's lock */
    unsigned flags;
    struct cup_ipc_event *ipc; /* what other processes see; NULL if not interprocess */
    /* The stream that waits for recordings of other processes; NULL until one is waited for. A
     * reference is held. */
    _Atomic(struct CUstream_st *) peer_stream;

    struct cup_lock lock;
    _Atomic(bool) reached; /* the point has been reached; written under `lock`, read without it */
    /* All guarded by lock. Recordings are numbered as they begin; the latest one wins. */
    uint64_t begun;         /* number of recordings that have begun */
    uint64_t recorded;      /* number of the recording that `point` belongs to; 0: never recorded */
    struct cup_point point; /* where it was recorded, with a reference on the stream */
    uint64_t ipc_number;    /* number of the same recording among those of all processes */
    uint64_t timed;         /* number of the recording that `time_ns` belongs to */
    uint64_t time_ns;       /* when it was reached */

    /* Number of the event's recording in a stream capture (graph/capture_event.c), unique among all
     * recordings. 0: the event was last recorded in a stream that did not capture, or never
     * recorded. */
    _Atomic(uint64_t) captured;

    struct cup_order_clock *order; /* CUPIPE_CHECK=streams: of the last recording; NULL: none */
};

void cup_event_register(void);
CUresult cup_event_create(struct CUctx_st *context, unsigned flags, struct CUevent_st **event);

/* Opens an event of another process. Returns CUDA_ERROR_MAP_FAILED if the handle names no event. */
CUresult cup_event_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                        struct CUevent_st **event);

/* Looks up an event and takes a reference. Fails if the event's context is not usable. */
CUresult cup_event_find(CUevent handle, struct CUevent_st **event);
void cup_event_destroy(struct CUevent_st *event, enum cup_retire_reason reason);

/* Destroys all events of a context that ends; their handles become invalid. */
void cup_event_end_all(struct CUctx_st *context);

/* Records the point at which all work submitted to the stream so far is done. */
CUresult cup_event_record(struct CUevent_st *event, struct CUstream_st *stream);

/* Promise records a point that is reached later, for an event record node of a graph. Fulfil marks
 * the promised recording as reached now. */
struct cup_event_ticket {
    uint64_t number, ipc_number;
};
void cup_event_promise(struct CUevent_st *event, struct cup_point point,
                       struct cup_event_ticket *ticket);
void cup_event_fulfil(struct CUevent_st *event, const struct cup_event_ticket *ticket);

/* True if the event was ever recorded in a stream that did not capture. */
bool cup_event_is_recorded(struct CUevent_st *event);

/* True if the event was last recorded in a capture. Such an event has no point in any stream. */
static inline bool cup_event_is_captured(struct CUevent_st *event)
{
    return cup_unlikely(atomic_load_explicit(&event->captured, memory_order_acquire) != 0);
}

/* The point recorded last, with a reference on its stream; the stream is NULL if there is none. If
 * another process recorded last, a stream of the event's own waits for that recording and the point
 * is in that stream. */
struct cup_point cup_event_point(struct CUevent_st *event);

/* All three return CUDA_ERROR_INVALID_VALUE for an event that was last recorded in a capture. */
CUresult cup_event_query(struct CUevent_st *event);
CUresult cup_event_synchronize(struct CUevent_st *event);
CUresult cup_event_elapsed(struct CUevent_st *start, struct CUevent_st *end, float *milliseconds);

static inline void cup_event_unref(struct CUevent_st *event)
{
    cup_object_unref(&event->base);
}

#endif
