/* SPDX-License-Identifier: MIT */
/* A stream: a queue of jobs that run in order, one at a time.
 *
 * Two numbers say where it stands: how many jobs were submitted, and how many are completed.
 * Whoever moves the state to RUNNING owns the head of the queue until it moves it on.
 *
 *     IDLE ──submit──→ READY ──worker, or a thread that waits──→ RUNNING ──empty──→ IDLE
 *       └──enter (a small job, run by the caller)──────────────────↑ ↓
 *                                                              PARKED (another stream, a value,
 *                                                                      a host function)
 */
#ifndef CUP_STREAM_STREAM_H
#define CUP_STREAM_STREAM_H

#include "core/compiler.h"
#include "core/lock.h"
#include "core/object.h"
#include "device/context.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_capture_branch;

enum cup_stream_kind {
    CUP_STREAM_CREATED,
    CUP_STREAM_LEGACY,
    CUP_STREAM_PER_THREAD,
    CUP_STREAM_JOIN, /* hidden: the end of all work of a context (context_event.c) */
    CUP_STREAM_HOLD, /* hidden: what new streams of a context wait for (context_event.c) */
    CUP_STREAM_LANE, /* hidden: a node of a graph that may wait (graph/plan.h) */
    CUP_STREAM_PEER, /* hidden: what is waited for in other processes (event.c) */
};

enum cup_stream_state {
    CUP_STREAM_IDLE,
    CUP_STREAM_READY,
    CUP_STREAM_RUNNING,
    CUP_STREAM_PARKED,
};

/* The parts of a stream's word. A stream that captures is not entered, whatever its state. */
#define CUP_STREAM_STATE UINT64_C(3)
#define CUP_STREAM_CAPTURING (UINT64_C(1) << 63)
enum { CUP_STREAM_COUNT_SHIFT = 2 };

/* Up to where another stream has run before anything submitted from now on does. */
struct cup_stream_order {
    uint64_t stream_id; /* 0: none */
    uint64_t sequence;
};

enum { CUP_STREAM_ORDERS = 4 };

/* What cuStreamSetAttribute sets beside the priority. Kept and answered; nothing here obeys it. */
struct cup_stream_attributes {
    CUaccessPolicyWindow access_policy;
    CUsynchronizationPolicy sync_policy;
    CUlaunchMemSyncDomainMap domain_map;
    CUlaunchMemSyncDomain domain;
};

struct CUstream_st {
    struct cup_object base;
    struct CUctx_st *context;                            /* a reference is held */
    struct CUstream_st *context_next, *context_previous; /* guarded by the context's lock */
    enum cup_stream_kind kind;
    unsigned flags;
    _Atomic(int) priority; /* from CUP_PRIORITY_GREATEST to CUP_PRIORITY_LEAST */
    uint64_t id;
    bool blocking; /* ordered with the legacy default stream */

    /* How many jobs were submitted, whether a graph is captured from it, and the state: one word,
     * so that an idle stream is taken, used and given back without a lock. Whoever appends a job
     * holds the lock. */
    _Atomic(uint64_t) word;
    _Atomic(uint64_t) completed;
    struct cup_lock lock;
    struct cup_job *head, *tail; /* guarded by lock; the head belongs to the runner */
    bool has_queue; /* counted as busy, and a reference held, until the last job is done; guarded by
                       lock */
    _Atomic(struct CUstream_st *) waiters; /* streams parked on this one; changed under lock */
    struct CUstream_st *waiter_next;       /* in the list of the stream this one is parked on */
    struct cup_point parked_on;            /* what this stream waits for; set by its runner */
    struct cup_stream_order orders[CUP_STREAM_ORDERS]; /* the latest waits; guarded by lock */

    struct CUstream_st *ready_next, *ready_previous; /* guarded by the engine's lock */
    unsigned ready_bucket; /* the list it is on; guarded by the engine's lock */
    bool ready_linked;     /* guarded by the engine's lock */
    uint32_t ready_tick; /* the watchdog's, since when it is ready; guarded by the engine's lock */
    uint64_t overdue; /* up to this job it was ready for too long; guarded by the engine's lock */
    _Atomic(uint64_t) stuck_since_ns; /* no job brings it on, for deferred schedules; 0: not so */

    _Atomic(uint32_t) progress; /* futex: moves when a job ends and somebody sleeps */
    _Atomic(uint32_t) sleepers;
    _Atomic(uint32_t) host_functions; /* futex: those done with, for deferred schedules */

    struct cup_stream_attributes attributes; /* guarded by lock */
    struct cup_capture_branch *branch; /* its part of a capture (graph/capture.c); NULL: none */
};

static inline uint64_t cup_stream_submitted(struct CUstream_st *stream)
{
    return (atomic_load(&stream->word) & ~CUP_STREAM_CAPTURING) >> CUP_STREAM_COUNT_SHIFT;
}

static inline enum cup_stream_state cup_stream_get_state(struct CUstream_st *stream)
{
    return (enum cup_stream_state)(atomic_load(&stream->word) & CUP_STREAM_STATE);
}

/* Does work that is submitted become nodes of a graph? Whoever submits work that a node can do asks
 * this first. */
static inline bool cup_stream_is_capturing(struct CUstream_st *stream)
{
    return cup_unlikely(atomic_load_explicit(&stream->word, memory_order_relaxed) &
                        CUP_STREAM_CAPTURING);
}

/* For src/graph, under its lock. */
void cup_stream_set_capturing(struct CUstream_st *stream, bool capturing);

void cup_stream_register(void);

/* A priority out of range counts as the nearest one in it. The reference is the handle's; of a
 * stream that the application does not create itself there is a second one, which is the maker's:
 * the handle ends with the context, maybe in another thread before this returns. */
CUresult cup_stream_create(struct CUctx_st *context, enum cup_stream_kind kind, unsigned flags,
                           int priority, struct CUstream_st **stream);
void cup_stream_set_priority(struct CUstream_st *stream, int priority);

/* The id of the stream made last, in any context; ids only grow. */
uint64_t cup_stream_newest_id(void);

/* Resolves any CUstream an application may pass: NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a
 * handle. A reference is taken. The stream's context is checked for being usable. */
CUresult cup_stream_find(CUstream handle, struct CUstream_st **stream);

/* Ends the handle; work already submitted still runs. */
void cup_stream_destroy(struct CUstream_st *stream, enum cup_retire_reason reason);

/* Takes the stream if it is idle and nothing it must follow is under way: then the caller runs one
 * job at once, with cup_stream_run_now, and the stream is free again. False: submit the job
 * instead. */
bool cup_stream_enter(struct CUstream_st *stream);
void cup_stream_run_now(struct CUstream_st *stream, struct cup_job *job);

/* Appends a job, behind whatever the default-stream rules put before it, and takes it over, also
 * when it fails. STREAM_CAPTURE_UNSUPPORTED, and an invalid capture, if the stream captures.
 * *point, if wanted, is reached when the job has run; no reference is taken for it.
 */
CUresult cup_stream_submit(struct CUstream_st *stream, struct cup_job *job,
                           struct cup_point *point);

/* Holds back what is submitted to the stream later until the point is reached. */
CUresult cup_stream_wait_point(struct CUstream_st *stream, struct cup_point point);

/* What the stream is known to wait for, latest first. Not all that is so is known. */
void cup_stream_copy_orders(struct CUstream_st *stream,
                            struct cup_stream_order orders[CUP_STREAM_ORDERS]);

/* Where the stream stands now: reached when all that was submitted has run. */
struct cup_point cup_stream_tail(struct CUstream_st *stream);
bool cup_point_reached(struct cup_point point);
void cup_point_wait(struct cup_point point);

/* Waits for what every stream of the context, or every blocking one, has been given so far. */
void cup_stream_wait_all(struct CUctx_st *context, bool blocking_only);

/* The same for a stream as the application sees it: for the legacy stream, the blocking streams
 * too. */
bool cup_stream_reached_end(struct CUstream_st *stream);
CUresult cup_stream_synchronize(struct CUstream_st *stream);

/* For whoever runs a job: calls its `run`, and draws it in the trace. */
CUresult cup_stream_run_job(struct CUstream_st *stream, struct cup_job *job, CUresult failed);

/* For the engine. Claim: READY becomes RUNNING, and the caller owns the head. Run: until the stream
 * is empty, parked, or has reached `until`. */
bool cup_stream_claim(struct CUstream_st *stream);
void cup_stream_run(struct CUstream_st *stream, uint64_t until);

/* For graphs. Promise: a place in a stream that nobody else submits to, reached when it is
 * fulfilled; in the order in which they were made. `behind` is what must run for that, for
 * schedules that run only what is needed; so is where a stream with a graph under way is parked. */
uint64_t cup_stream_promise(struct CUstream_st *stream, struct cup_point behind);
void cup_stream_fulfil(struct CUstream_st *stream);
void cup_stream_park_on(struct CUstream_st *stream, struct cup_point point);

/* For what parked it. Unpark: look at the head job again. Finish: the head job is done. */
void cup_stream_unpark(struct CUstream_st *stream);
void cup_stream_finish_head(struct CUstream_st *stream, CUresult result);

static inline void cup_stream_ref(struct CUstream_st *stream)
{
    cup_object_ref(&stream->base);
}

static inline void cup_stream_unref(struct CUstream_st *stream)
{
    cup_object_unref(&stream->base);
}

#endif
