/* SPDX-License-Identifier: MIT */
/* Execution of a stream's queue: its states, and running, parking and finishing the head. submit.c
 * appends to the queue.
 *
 * A job that its caller runs at once (enter) takes no lock: it first becomes visible as running and
 * then checks the other streams, so that it and a concurrent submission cannot miss each other. */
#include "stream/stream.h"

#include "core/checks.h"
#include "core/fail.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "core/trace.h"
#include "device/device.h"
#include "device/usage.h"
#include "os/clock.h"
#include "os/futex.h"
#include "stream/deferred.h"
#include "stream/engine.h"
#include "stream/host_function.h"
#include "stream/watch.h"

#include <limits.h>
#include <sched.h>

/* The stream whose graph this thread has started and may end in the same call. */
struct started_graph {
    struct CUstream_st *stream; /* NULL: none */
};

CUP_THREAD_STATE(started_graph, struct started_graph);

static uint64_t busy_weight(const struct CUstream_st *stream)
{
    return stream->blocking && !cup_stream_is_legacy(stream) ? CUP_BUSY_ANY + CUP_BUSY_BLOCKING
                                                             : CUP_BUSY_ANY;
}

void cup_stream_begin_queue_locked(struct CUstream_st *stream)
{
    cup_lock_assert_held(&stream->lock);
    if (stream->has_queue)
        return;
    stream->has_queue = true;
    cup_stream_ref(stream);
    atomic_fetch_add(&stream->context->busy_streams, busy_weight(stream));
}

static void mark_idle(struct CUstream_st *stream)
{
    atomic_fetch_sub(&stream->context->busy_streams, busy_weight(stream));
}

/* Changes the state bits; the count beside them may grow at the same time. */
static void set_state(struct CUstream_st *stream, enum cup_stream_state state)
{
    uint64_t word = atomic_load(&stream->word);

    while (!atomic_compare_exchange_weak(&stream->word, &word, (word & ~CUP_STREAM_STATE) | state))
        ;
}

void cup_stream_set_capturing(struct CUstream_st *stream, bool capturing)
{
    if (capturing)
        atomic_fetch_or(&stream->word, CUP_STREAM_CAPTURING);
    else
        atomic_fetch_and(&stream->word, ~CUP_STREAM_CAPTURING);
}

/* Removes from the list, and returns, the streams that are parked on a point that has been
 * reached. */
static struct CUstream_st *take_waiters(struct CUstream_st *stream)
{
    struct CUstream_st *reached = NULL, *kept = NULL, *next;

    cup_lock_acquire(&stream->lock);
    uint64_t completed = atomic_load(&stream->completed);
    for (struct CUstream_st *waiter = atomic_load(&stream->waiters); waiter; waiter = next) {
        struct CUstream_st **list = waiter->parked_on.sequence <= completed ? &reached : &kept;
        next = waiter->waiter_next;
        waiter->waiter_next = *list;
        *list = waiter;
    }
    atomic_store(&stream->waiters, kept);
    cup_lock_release(&stream->lock);
    return reached;
}

/* Counts one more completed job and wakes those who wait for it. */
static void advance(struct CUstream_st *stream)
{
    atomic_store(&stream->completed,
                 atomic_load_explicit(&stream->completed, memory_order_relaxed) + 1);
    if (cup_unlikely(atomic_load(&stream->waiters) != NULL)) {
        struct CUstream_st *waiter = take_waiters(stream), *next;
        for (; waiter; waiter = next) {
            next = waiter->waiter_next;
            cup_stream_unpark(waiter);
        }
    }
    if (cup_unlikely(atomic_load(&stream->sleepers) != 0)) {
        atomic_fetch_add(&stream->progress, 1);
        cup_futex_wake(&stream->progress, INT_MAX);
    }
}

/* Ends a job that its caller ran. Jobs submitted by others meanwhile go to the workers. */
static void leave(struct CUstream_st *stream)
{
    advance(stream);
    uint64_t count = atomic_load(&stream->completed);
    uint64_t word = count << CUP_STREAM_COUNT_SHIFT | CUP_STREAM_RUNNING;
    while (cup_unlikely(!atomic_compare_exchange_strong(
        &stream->word, &word, (word & ~CUP_STREAM_STATE) | CUP_STREAM_IDLE))) {
        if ((word & ~CUP_STREAM_CAPTURING) >> CUP_STREAM_COUNT_SHIFT == count)
            continue; /* a capture began or ended meanwhile */
        set_state(stream, CUP_STREAM_READY);
        cup_engine_add(stream);
        return;
    }
}

/* A stream entered this way does not count as busy: two threads that enter the legacy stream and a
 * blocking stream at the same moment have no order between them, and neither waits for the other.
 * The stream checks the others after it is visible as running, so that it and a concurrent
 * submission cannot miss each other. */
bool cup_stream_enter(struct CUstream_st *stream)
{
    uint64_t word = atomic_load_explicit(&stream->word, memory_order_relaxed);
    uint64_t taken =
        ((word >> CUP_STREAM_COUNT_SHIFT) + 1) << CUP_STREAM_COUNT_SHIFT | CUP_STREAM_RUNNING;

    if (cup_unlikely((word & (CUP_STREAM_STATE | CUP_STREAM_CAPTURING)) != CUP_STREAM_IDLE ||
                     cup_schedule_deferred() ||
                     atomic_load_explicit(&stream->context->device->sticky, memory_order_relaxed) !=
                         CUDA_SUCCESS ||
                     !atomic_compare_exchange_strong(&stream->word, &word, taken)))
        return false;
    if (cup_likely(!cup_stream_must_follow_others(stream)))
        return true;
    leave(stream);
    return false;
}

/* A sticky error that the device had before this job was reported earlier; do not report it
 * again. */
static inline CUresult run_job(struct cup_job *job, CUresult failed)
{
    CUresult result = job->run(job, failed);

    return cup_likely(result == CUDA_SUCCESS) || result == failed ? CUDA_SUCCESS : result;
}

/* The same; work of the host counts as activity of the device, as kernels do. */
static inline CUresult run_counted(struct CUstream_st *stream, struct cup_job *job, CUresult failed)
{
    struct cup_monitor_activity *activity = &stream->context->device->usage->kernels;

    if (job->kind != CUP_JOB_HOST_WORK)
        return run_job(job, failed);
    cup_usage_begin(activity);
    CUresult result = run_job(job, failed);
    cup_usage_end(activity);
    return result;
}

void cup_stream_observe_job(const struct CUstream_st *stream, const struct cup_job *job,
                            uint64_t start_ns, uint64_t end_ns)
{
    if (!cup_observed() || !job->describe)
        return;
    struct cupipe_activity activity = {
        .name = job->name,
        .correlation = job->origin.correlation,
        .device = (uint32_t)stream->context->device->ordinal,
        .context_id = stream->context->id,
        .stream_id = stream->trace_id,
        .graph = job->origin.graph,
        .graph_node = job->origin.graph_node,
        .is_async = job->origin.is_async,
        .submitted_ns = job->origin.submitted_ns,
        .start_ns = start_ns,
        .end_ns = end_ns,
    };

    job->describe(job, &activity);
    cup_observer_tell(&activity);
}

CUresult cup_stream_run_job(struct CUstream_st *stream, struct cup_job *job, CUresult failed)
{
    cup_check_job_started(job);
    if (cup_likely(!(cup_call_hooks_load() & (CUP_HOOK_TRACE | CUP_HOOK_FAIL | CUP_HOOK_OBSERVE))))
        return run_counted(stream, job, failed);
    uint64_t start_ns = cup_clock_ns();
    CUresult refused = failed || !cup_fail_enabled() ? CUDA_SUCCESS : cup_fail_job();
    CUresult result = run_counted(stream, job, refused ? refused : failed);
    if (refused)
        result = refused;
    uint64_t end_ns = cup_clock_ns();
    cup_trace_work((unsigned)stream->context->device->ordinal, stream->trace_id, job->name,
                   start_ns, end_ns, job->bytes);
    if (failed == CUDA_SUCCESS && result == CUDA_SUCCESS)
        cup_stream_observe_job(stream, job, start_ns, end_ns);
    return result;
}

/* Work that failed, or comes after a failure, has no order and touches nothing that counts. */
static inline void end_order(struct CUstream_st *stream, struct cup_job *job, CUresult result)
{
    if (cup_likely(!cup_checks.streams))
        return;
    if (result != CUDA_SUCCESS || atomic_load(&stream->context->device->sticky) != CUDA_SUCCESS)
        cup_check_job_dropped(job);
    else
        cup_check_job_ended(job);
}

/* The job is asynchronous work that happens to run at once, so its failure becomes the device's
 * sticky error. */
void cup_stream_run_now(struct CUstream_st *stream, struct cup_job *job)
{
    cup_job_submitted(stream, job);
    CUresult result = cup_stream_run_job(stream, job, CUDA_SUCCESS);

    if (cup_unlikely(result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY))
        cup_context_fail(stream->context, result, job->is_kernel);
    end_order(stream, job, result);
    leave(stream);
}

bool cup_stream_claim(struct CUstream_st *stream)
{
    uint64_t word = atomic_load(&stream->word);

    while ((word & CUP_STREAM_STATE) == CUP_STREAM_READY) {
        if (atomic_compare_exchange_weak(&stream->word, &word,
                                         (word & ~CUP_STREAM_STATE) | CUP_STREAM_RUNNING))
            return true;
    }
    return false;
}

/* Takes a reference, because once the stream is READY a waiting thread may run all its jobs and
 * release it. */
void cup_stream_unpark(struct CUstream_st *stream)
{
    cup_stream_ref(stream);
    cup_lock_acquire(&stream->lock);
    stream->parked_on.stream = NULL;
    set_state(stream, CUP_STREAM_READY);
    cup_lock_release(&stream->lock);
    cup_engine_add(stream);
    cup_stream_unref(stream);
}

static void park(struct CUstream_st *stream, enum cup_stream_state state,
                 struct cup_point parked_on)
{
    cup_lock_acquire(&stream->lock);
    stream->parked_on = parked_on;
    set_state(stream, state);
    cup_lock_release(&stream->lock);
}

/* Parks the stream until the point is reached; false if it is reached already. Once the stream is
 * on the target's list, another thread may run it. */
static bool park_on_point(struct CUstream_st *stream, struct cup_point point)
{
    struct CUstream_st *target = point.stream;

    park(stream, CUP_STREAM_PARKED, point);
    cup_lock_acquire(&target->lock);
    stream->waiter_next = atomic_load(&target->waiters);
    atomic_store(&target->waiters, stream);
    /* The target counts first and then checks for waiters, so one of the two sees the other. */
    bool reached = cup_point_reached(point);
    if (reached)
        atomic_store(&target->waiters, stream->waiter_next);
    cup_lock_release(&target->lock);
    if (reached)
        park(stream, CUP_STREAM_RUNNING, (struct cup_point){0});
    return !reached;
}

/* Gives the head to a thread of host_function.c: a kernel under a deferred schedule, because the
 * current thread belongs to the program, and the kernel may wait for that very thread; a graph with
 * work of the host. False: no thread is available, and the head runs here after all. */
static bool run_elsewhere(struct CUstream_st *stream)
{
    park(stream, CUP_STREAM_PARKED, (struct cup_point){0});
    if (cup_host_function_dispatch(stream))
        return true;
    park(stream, CUP_STREAM_RUNNING, (struct cup_point){0});
    atomic_fetch_add(&stream->host_functions, 1); /* the schedule does not wait for this one */
    return false;
}

/* Starts a head that cup_stream_finish_head() ends, perhaps before this returns. */
static void start_head(struct CUstream_st *stream, struct cup_job *job, CUresult failed)
{
    cup_check_job_started(job);
    park(stream, CUP_STREAM_PARKED, (struct cup_point){0});
    job->run(job, failed);
}

/* Runs or parks on the head job. True: it is done. */
static bool run_head(struct CUstream_st *stream, struct cup_job *job, CUresult *result)
{
    CUresult failed = atomic_load(&stream->context->device->sticky);

    *result = CUDA_SUCCESS;
    if (cup_unlikely(job->prepare != NULL) && failed == CUDA_SUCCESS) {
        job->prepare(job);
        job->prepare = NULL; /* a job that waits comes here again */
    }
    switch (job->kind) {
    case CUP_JOB_WORK:
        if (cup_unlikely(cup_schedule_deferred()) && job->is_kernel && run_elsewhere(stream))
            return false;
        *result = cup_stream_run_job(stream, job, failed);
        return true;
    case CUP_JOB_WAIT_POINT:
        return cup_point_reached(job->point) || !park_on_point(stream, job->point);
    case CUP_JOB_WAIT_VALUE:
        *result = run_job(job, failed);
        if (*result != CUDA_ERROR_NOT_READY)
            return true;
        park(stream, CUP_STREAM_PARKED, (struct cup_point){0});
        while (!(job->park ? job->park(stream) : cup_watch_add(stream)))
            sched_yield(); /* no thread is available now, but the wait must not be lost */
        return false;
    case CUP_JOB_HOST_FUNCTION:
    case CUP_JOB_HOST_WORK:
        park(stream, CUP_STREAM_PARKED, (struct cup_point){0});
        while (!cup_host_function_dispatch(stream))
            sched_yield();
        return false;
    case CUP_JOB_GRAPH:
        if (job->has_host_work && cup_likely(!cup_schedule_deferred()) && run_elsewhere(stream))
            return false;
        start_head(stream, job, failed);
        return false;
    case CUP_JOB_PENDING:
        job->point.stream = stream;
        start_head(stream, job, failed);
        return false;
    }
    return true;
}

/* Takes the head off the queue and counts it as done. */
static void pop_head(struct CUstream_st *stream, CUresult result)
{
    cup_lock_acquire(&stream->lock);
    struct cup_job *job = stream->head;
    stream->head = job->next;
    cup_lock_release(&stream->lock);
    if (cup_unlikely(result != CUDA_SUCCESS))
        cup_context_fail(stream->context, result, job->is_kernel);
    end_order(stream, job, result);
    job->release(job); /* released first: a job may be on the stack of a thread that waits for it */
    advance(stream);
}

/* The next job, or NULL after the stream was released: IDLE, or READY again because `until` is
 * reached. */
static struct cup_job *next_job(struct CUstream_st *stream, uint64_t until)
{
    cup_lock_acquire(&stream->lock);
    struct cup_job *job = stream->head;
    bool enough = job && atomic_load(&stream->completed) >= until;
    stream->has_queue = job != NULL;
    if (!job)
        set_state(stream, CUP_STREAM_IDLE);
    else if (enough)
        set_state(stream, CUP_STREAM_READY);
    cup_lock_release(&stream->lock);
    if (job && !enough)
        return job;
    if (enough) {
        cup_engine_add(stream);
    } else {
        mark_idle(stream);
        cup_stream_unref(stream); /* the queue's */
    }
    return NULL;
}

void cup_stream_run(struct CUstream_st *stream, uint64_t until)
{
    struct cup_job *job;
    CUresult result;

    while ((job = next_job(stream, until))) {
        if (!run_head(stream, job, &result))
            return;
        pop_head(stream, result);
    }
}

void cup_stream_finish_head(struct CUstream_st *stream, CUresult result)
{
    struct CUstream_st **started = &cup_thread_started_graph(cup_thread_self())->stream;

    park(stream, CUP_STREAM_RUNNING, (struct cup_point){0});
    pop_head(stream, result);
    if (*started == stream)
        *started = NULL; /* run_on_thread, further up, goes on with the stream */
    else
        next_job(stream, 0);
}

static void run_ready(struct CUstream_st *stream)
{
    if (cup_stream_claim(stream))
        cup_stream_run(stream, UINT64_MAX);
}

bool cup_stream_run_on_thread(struct CUstream_st *stream)
{
    if (cup_schedule_deferred() || !cup_stream_claim(stream))
        return false;
    park(stream, CUP_STREAM_PARKED, (struct cup_point){0});
    if (cup_host_function_dispatch(stream))
        return true;
    park(stream, CUP_STREAM_READY, (struct cup_point){0});
    return false;
}

/* True if the thread of a host function goes on with the job, because it needs such a thread, too,
 * or takes less time than waking a worker. Nothing begins once the process is exiting. */
static bool stays_on_thread(const struct cup_job *job)
{
    enum { BRIEF_BYTES = 4096 };

    if (atomic_load_explicit(&cup_driver_state, memory_order_relaxed) != CUP_DRIVER_READY ||
        job->prepare)
        return false;
    if (job->kind == CUP_JOB_WORK)
        return !job->is_kernel && job->bytes <= BRIEF_BYTES;
    return job->kind == CUP_JOB_WAIT_POINT || cup_job_needs_thread(job);
}

/* Runs a head that needs a thread of host_function.c, in such a thread. False: it is a graph, and
 * other threads end it. */
static bool run_in_own_thread(struct CUstream_st *stream, struct cup_job *job)
{
    struct cup_thread *self = cup_thread_self();
    CUresult failed = atomic_load(&stream->context->device->sticky);

    if (job->kind == CUP_JOB_GRAPH) {
        struct CUstream_st **started = &cup_thread_started_graph(self)->stream;

        *started = stream;
        start_head(stream, job, failed);
        bool ended_here = *started == NULL;
        *started = NULL;
        return ended_here;
    }
    self->in_host_function = true;
    CUresult result = cup_stream_run_job(stream, job, failed);
    self->in_host_function = false;
    pop_head(stream, result);
    return true;
}

/* The job behind the one that the thread of a host function has run, or NULL after the stream was
 * given to others. */
static struct cup_job *next_on_thread(struct CUstream_st *stream, bool deferred)
{
    struct cup_job *job = next_job(stream, deferred ? 0 : UINT64_MAX);

    if (!job || stays_on_thread(job))
        return job;
    set_state(stream, CUP_STREAM_READY);
    cup_engine_add(stream);
    return NULL;
}

/* Goes on with the jobs behind the head, so that a chain of host functions stays on one thread:
 * code of the program keeps state for each thread, such as the threads of OpenMP. A deferred
 * schedule decides itself what comes next. */
static void run_on_thread(struct CUstream_st *stream)
{
    bool deferred = cup_schedule_deferred();
    struct cup_job *job = stream->head;
    CUresult result;

    cup_stream_ref(stream);
    park(stream, CUP_STREAM_RUNNING, (struct cup_point){0});
    bool goes_on = run_in_own_thread(stream, job);
    while (goes_on && (job = next_on_thread(stream, deferred))) {
        if (cup_job_needs_thread(job))
            goes_on = run_in_own_thread(stream, job);
        else if ((goes_on = run_head(stream, job, &result)))
            pop_head(stream, result);
    }
    if (cup_unlikely(deferred)) {
        atomic_fetch_add(&stream->host_functions, 1);
        cup_futex_wake(&stream->host_functions, INT_MAX);
    }
    cup_stream_unref(stream);
}

const struct cup_stream_operations cup_stream_operations = {
    .run = run_ready,
    .run_head = run_on_thread,
    .unpark = cup_stream_unpark,
};

uint64_t cup_stream_promise(struct CUstream_st *stream, struct cup_point behind)
{
    cup_lock_acquire(&stream->lock);
    atomic_fetch_add(&stream->word, UINT64_C(1) << CUP_STREAM_COUNT_SHIFT);
    uint64_t sequence = cup_stream_submitted(stream);
    set_state(stream, CUP_STREAM_PARKED);
    stream->parked_on = behind;
    cup_stream_begin_queue_locked(stream);
    cup_lock_release(&stream->lock);
    return sequence;
}

void cup_stream_fulfil(struct CUstream_st *stream)
{
    cup_lock_acquire(&stream->lock);
    bool is_last = atomic_load(&stream->completed) + 1 == cup_stream_submitted(stream);
    if (is_last) {
        stream->parked_on.stream = NULL;
        stream->has_queue = false;
        set_state(stream, CUP_STREAM_IDLE);
    }
    cup_lock_release(&stream->lock);
    advance(stream);
    if (!is_last)
        return;
    mark_idle(stream);
    cup_stream_unref(stream);
}

void cup_stream_park_on(struct CUstream_st *stream, struct cup_point point)
{
    cup_lock_acquire(&stream->lock);
    if (cup_stream_get_state(stream) == CUP_STREAM_PARKED)
        stream->parked_on = point;
    cup_lock_release(&stream->lock);
}
