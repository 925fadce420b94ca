/* SPDX-License-Identifier: MIT */
/* A stream: a queue of jobs that run in order, one at a time.
 *
 * Two counters give its position: the jobs submitted and the jobs completed.
 * The thread that sets the state to RUNNING owns the head of the queue until it changes the state.
 *
 *     IDLE ──submit──→ READY ──worker, or a thread that waits──→ RUNNING ──empty──→ IDLE
 *       └──enter (a small job, run by the caller)──────────────────↑ ↓
 *                                                              PARKED (another stream, a value,
 *                                                                      a host function)
 */
#ifndef CUP_STREAM_STREAM_H
#define CUP_STREAM_STREAM_H

#include "core/checks.h"
#include "core/compiler.h"
#include "core/list.h"
#include "core/lock.h"
#include "core/object.h"
#include "device/context.h"
#include "stream/job.h"

#include <cuda.h>
#include <cupipe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_capture_branch;

enum cup_stream_kind {
    CUP_STREAM_CREATED,
    CUP_STREAM_LEGACY,
    CUP_STREAM_PER_THREAD,
    CUP_STREAM_GREEN, /* the default stream of a green context */
    CUP_STREAM_JOIN,  /* hidden: joins all work of a context (context_event.c) */
    CUP_STREAM_HOLD,  /* hidden: what new streams of a context wait for (context_event.c) */
    CUP_STREAM_LANE,  /* hidden: runs a graph node that may wait (graph/plan.h) */
    CUP_STREAM_PEER,  /* hidden: waits for recordings of other processes (event.c) */
};

enum cup_stream_state {
    CUP_STREAM_IDLE,
    CUP_STREAM_READY,
    CUP_STREAM_RUNNING,
    CUP_STREAM_PARKED,
};

/* The fields of a stream's `word`. A capturing stream cannot be entered, whatever its state. */
#define CUP_STREAM_STATE UINT64_C(3)
#define CUP_STREAM_CAPTURING (UINT64_C(1) << 63)
enum { CUP_STREAM_COUNT_SHIFT = 2 };

/* A known ordering: `stream_id` has run up to `sequence` before anything submitted from now on
 * runs. */
struct cup_stream_order {
    uint64_t stream_id; /* 0: none */
    uint64_t sequence;
};

enum { CUP_STREAM_ORDERS = 4 };

/* The attributes that cuStreamSetAttribute sets besides the priority. They are stored and returned
 * and have no other effect. */
struct cup_stream_attributes {
    CUaccessPolicyWindow access_policy;
    CUsynchronizationPolicy sync_policy;
    CUlaunchMemSyncDomainMap domain_map;
    CUlaunchMemSyncDomain domain;
};

/* What threads of the library do with a stream that queue.c has given to them. */
struct cup_stream_operations {
    void (*run)(struct CUstream_st *stream);      /* engine.c: the stream is ready */
    void (*run_head)(struct CUstream_st *stream); /* host_function.c: its head needs a thread */
    void (*unpark)(struct CUstream_st *stream);   /* watch.c: its head has its value */
};

extern const struct cup_stream_operations cup_stream_operations; /* queue.c */

struct CUstream_st {
    struct cup_object base;
    const struct cup_stream_operations *operations;
    struct CUctx_st *context;     /* a reference is held */
    struct cup_list context_link; /* guarded by the context's lock */
    struct CUctx_st *green; /* the green context, which `context` owns; a reference is held. NULL:
                               the stream uses the whole device */
    enum cup_stream_kind kind;
    unsigned flags;
    _Atomic(int) priority; /* from CUP_PRIORITY_GREATEST to CUP_PRIORITY_LEAST */
    uint64_t id;
    uint64_t trace_id; /* the stream in whose rows the trace shows its work; of a lane, that of the
                          launch */
    bool blocking;     /* ordered with the legacy default stream */

    /* The number of submitted jobs, the capture flag and the state in one word, so that a thread
     * can take, use and release an idle stream without a lock. Appending a job requires the
     * lock. */
    _Atomic(uint64_t) word;
    _Atomic(uint64_t) completed;
    struct cup_lock lock;
    struct cup_job *head, *tail; /* guarded by lock; the runner owns the head */
    bool has_queue; /* the stream counts as busy and holds a reference until its last job is done;
                       guarded by lock */
    _Atomic(struct CUstream_st *) waiters; /* streams parked on this one; changed under lock */
    struct CUstream_st *waiter_next;       /* in the list of the stream this one is parked on */
    struct cup_point parked_on; /* what this stream waits for; set by the thread that runs it */
    struct cup_stream_order orders[CUP_STREAM_ORDERS]; /* the latest waits; guarded by lock */

    struct cup_list ready_link; /* guarded by the engine's lock */
    bool ready_linked;          /* guarded by the engine's lock */
    uint32_t ready_tick; /* watchdog tick at which it became ready; guarded by the engine's lock */
    uint64_t overdue; /* the stream was ready for too long, with jobs up to this one; guarded by the
                         engine's lock */
    _Atomic(uint64_t) stuck_since_ns; /* since when no job makes progress, for deferred schedules;
                                         0: progress is possible */

    _Atomic(uint32_t) progress; /* futex: changes when a job ends and a thread sleeps */
    _Atomic(uint32_t) sleepers;
    _Atomic(uint32_t) host_functions; /* futex: completed host functions (deferred) */

    struct cup_stream_attributes attributes; /* guarded by lock */
    struct cup_capture_branch *branch;       /* branch of a capture (graph/capture.c); NULL: none */
};

static inline uint64_t cup_stream_submitted(struct CUstream_st *stream)
{
    return (atomic_load(&stream->word) & ~CUP_STREAM_CAPTURING) >> CUP_STREAM_COUNT_SHIFT;
}

static inline enum cup_stream_state cup_stream_get_state(struct CUstream_st *stream)
{
    return (enum cup_stream_state)(atomic_load(&stream->word) & CUP_STREAM_STATE);
}

static inline bool cup_stream_is_busy(struct CUstream_st *stream)
{
    return atomic_load(&stream->completed) != cup_stream_submitted(stream);
}

static inline bool cup_stream_is_legacy(const struct CUstream_st *stream)
{
    return stream->kind == CUP_STREAM_LEGACY;
}

/* True if other streams have pending work that the default-stream rules put first. */
static inline bool cup_stream_must_follow_others(struct CUstream_st *stream)
{
    if (cup_stream_is_legacy(stream))
        return atomic_load(&stream->context->busy_streams) >= CUP_BUSY_BLOCKING;
    return stream->blocking && cup_stream_is_busy(stream->context->legacy);
}

/* True if submitted work becomes nodes of a graph. Entry points do not ask: cup_work_submit()
 * (graph/work_submit.h) does. */
static inline bool cup_stream_is_capturing(struct CUstream_st *stream)
{
    return cup_unlikely(atomic_load_explicit(&stream->word, memory_order_relaxed) &
                        CUP_STREAM_CAPTURING);
}

/* For src/graph, which calls this with its lock held. */
void cup_stream_set_capturing(struct CUstream_st *stream, bool capturing);

void cup_stream_register(void);

/* True if the stream belongs to the context. The primary context has the streams of its green
 * contexts too. */
static inline bool cup_stream_is_of(const struct CUstream_st *stream,
                                    const struct CUctx_st *context)
{
    return stream->context == context || stream->green == context;
}

/* Creates a stream; those of a green context are never ordered with a default stream. A priority
 * out of range is clamped. The handle owns one reference. A stream of another kind than CREATED or
 * LEGACY has a second reference, owned by the caller, because the context may end and release the
 * handle in another thread before this function returns. */
CUresult cup_stream_create(struct CUctx_st *context, enum cup_stream_kind kind, unsigned flags,
                           int priority, struct CUstream_st **stream);

/* The id of the stream created last, in any context. Ids only grow. */
uint64_t cup_stream_newest_id(void);

/* stream_find.c. Resolves any CUstream that an application may pass: NULL, CU_STREAM_LEGACY,
 * CU_STREAM_PER_THREAD or a handle. Takes a reference. Fails if the stream's context is not usable.
 */
CUresult cup_stream_find(CUstream handle, struct CUstream_st **stream);

/* Invalidates the handle. Work already submitted still runs. With CUP_RETIRED_DETACHED the handle
 * keeps its reference, so that no other stream gets it before cup_stream_destroy_detached(). */
void cup_stream_destroy(struct CUstream_st *stream, enum cup_retire_reason reason);

/* Frees a stream that is detached. Returns false, and does nothing, for any other handle. */
bool cup_stream_destroy_detached(CUstream handle);

/* Enter takes the stream if it is idle and no work that must run before is pending. The caller then
 * runs one job with cup_stream_run_now, which also releases the stream. If enter returns false, the
 * caller submits the job instead. */
bool cup_stream_enter(struct CUstream_st *stream);
void cup_stream_run_now(struct CUstream_st *stream, struct cup_job *job);

/* submit.c. Appends a job after any waits that the default-stream rules require. The stream owns
 * the job from here on, also when the call fails. Returns CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED and
 * invalidates the capture if the stream captures. If `point` is not NULL, *point is reached when
 * the job has run; no reference is taken for it. */
CUresult cup_stream_submit(struct CUstream_st *stream, struct cup_job *job,
                           struct cup_point *point);

/* Makes work submitted to the stream later wait until the point is reached. */
CUresult cup_stream_wait_point(struct CUstream_st *stream, struct cup_point point);

/* Order a stream with another context, which is live, as the default-stream rules order streams of
 * one context: after all work of its legacy and blocking streams, or before all later work of
 * theirs. */
CUresult cup_stream_follow_context(struct CUstream_st *stream, struct CUctx_st *first);
CUresult cup_stream_precede_context(struct CUstream_st *stream, struct CUctx_st *later);

/* Copies the waits that the stream remembers, latest first. Older waits may be missing. */
void cup_stream_copy_orders(struct CUstream_st *stream,
                            struct cup_stream_order orders[CUP_STREAM_ORDERS]);

/* The current end of the stream. It is reached when all submitted work has run. */
static inline struct cup_point cup_stream_tail(struct CUstream_st *stream)
{
    return (struct cup_point){stream, cup_stream_submitted(stream)};
}

static inline bool cup_point_reached(struct cup_point point)
{
    return !point.stream || atomic_load(&point.stream->completed) >= point.sequence;
}

/* synchronize.c: waits for the point, and runs the stream meanwhile if no other thread does. */
void cup_point_wait(struct cup_point point);

/* Waits for all work submitted so far to the streams of the context, or only to its blocking
 * streams. */
void cup_stream_wait_all(struct CUctx_st *context, bool blocking_only);

/* Query and wait with the semantics of the API: for the legacy stream they include the blocking
 * streams. */
bool cup_stream_reached_end(struct CUstream_st *stream);
CUresult cup_stream_synchronize(struct CUstream_st *stream);

/* Calls the job's `run` and records it in the trace. For all code that runs a job. */
CUresult cup_stream_run_job(struct CUstream_st *stream, struct cup_job *job, CUresult failed);

/* Tells an observer, if there is one, of a job that has run. */
void cup_stream_observe_job(const struct CUstream_st *stream, const struct cup_job *job,
                            uint64_t start_ns, uint64_t end_ns);

/* Tells checks that a stream takes a job, and keeps for an observer which call submits it. That of
 * a graph's node is known already. */
static inline void cup_job_submitted(struct CUstream_st *stream, struct cup_job *job)
{
    cup_check_job_submitted(stream, job);
    if (cup_observed() && !job->keeper)
        job->origin = cup_observer_origin();
}

/* help_waits() of cupipe.h. */
typedef void cup_wait_help(cupipe_is_over *is_over, const void *what);
void cup_stream_set_wait_help(cup_wait_help *help);

/* For the engine. Claim turns READY into RUNNING; the caller then owns the head of the queue. Run
 * continues until the stream is empty, is parked, or has reached `until`. */
bool cup_stream_claim(struct CUstream_st *stream);
void cup_stream_run(struct CUstream_st *stream, uint64_t until);

/* For graphs. Promise reserves a point in a stream that has no other submitter; fulfil reaches the
 * promised points in the order in which they were made. `behind` is the point that must run first,
 * for schedules that run only what is needed. Park_on sets the same for a stream on which a graph
 * executes. */
uint64_t cup_stream_promise(struct CUstream_st *stream, struct cup_point behind);
void cup_stream_fulfil(struct CUstream_st *stream);
void cup_stream_park_on(struct CUstream_st *stream, struct cup_point point);

/* For submit.c. A queue that is not empty holds a reference and counts as busy. The caller holds
 * the stream's lock. */
void cup_stream_begin_queue_locked(struct CUstream_st *stream);

/* For submit.c. Gives a stream that has become READY with a job for a host function's thread to
 * such a thread, without a worker between. False: no thread is available, or another thread has the
 * stream; the caller adds it to the engine. */
bool cup_stream_run_on_thread(struct CUstream_st *stream);

/* For the code that parked the stream. Unpark examines the head job again. Finish completes the
 * head job. */
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
