/* SPDX-License-Identifier: MIT */
/* Submission to a stream.
 *
 * The default-stream rules need no extra machinery: a job of the legacy stream is preceded, in its
 * own queue, by a wait for each busy blocking stream, and a job of a blocking stream by a wait for
 * the legacy stream. The context's lock serialises the two kinds of submission. */
#include "core/checks.h"
#include "core/error.h"
#include "stream/engine.h"
#include "stream/schedule.h"
#include "stream/stream.h"
#include "stream/upcalls.h"
#include "stream/watchdog.h"

#include <stdlib.h>
#include <string.h>

/* Counts the job and returns the previous word. An idle stream becomes READY. */
static uint64_t count_locked(struct CUstream_st *stream)
{
    uint64_t word = atomic_load(&stream->word), next;

    cup_lock_assert_held(&stream->lock);
    do {
        next = word + (UINT64_C(1) << CUP_STREAM_COUNT_SHIFT);
        if ((word & CUP_STREAM_STATE) == CUP_STREAM_IDLE)
            next |= CUP_STREAM_READY;
    } while (!atomic_compare_exchange_weak(&stream->word, &word, next));
    return word;
}

/* Remembers a wait. It replaces an older wait for the same stream, or else the oldest one. */
static void note_order_locked(struct CUstream_st *stream, struct cup_point point)
{
    struct cup_stream_order *orders = stream->orders;
    int place = CUP_STREAM_ORDERS - 1;

    cup_lock_assert_held(&stream->lock);
    for (int i = 0; i < CUP_STREAM_ORDERS; i++) {
        if (orders[i].stream_id == point.stream->id)
            place = i;
    }
    if (orders[place].stream_id == point.stream->id && orders[place].sequence > point.sequence)
        point.sequence = orders[place].sequence;
    for (; place > 0; place--)
        orders[place] = orders[place - 1];
    orders[0] = (struct cup_stream_order){point.stream->id, point.sequence};
}

void cup_stream_copy_orders(struct CUstream_st *stream,
                            struct cup_stream_order orders[CUP_STREAM_ORDERS])
{
    cup_lock_acquire(&stream->lock);
    memcpy(orders, stream->orders, sizeof(stream->orders));
    cup_lock_release(&stream->lock);
}

/* What begins a stream that was idle, by its new job, which may be over when it is asked for. */
enum starter { WORKER, HOST_THREAD, CALLER };

static enum starter starter_of(const struct cup_job *job)
{
    if (cup_job_needs_thread(job))
        return HOST_THREAD;
    return job->is_brief && !cup_schedule_deferred() ? CALLER : WORKER;
}

static void start(struct CUstream_st *stream, enum starter starter, uint64_t sequence)
{
    if (starter == CALLER && cup_stream_claim(stream))
        cup_stream_run(stream, sequence);
    else if (starter != HOST_THREAD || !cup_stream_run_on_thread(stream))
        cup_engine_add(stream);
}

/* The caller may not be the starter if it holds a lock. */
static uint64_t append(struct CUstream_st *stream, struct cup_job *job, bool has_lock)
{
    enum starter starter = starter_of(job);

    cup_lock_acquire(&stream->lock);
    job->next = NULL;
    job->is_queued = true;
    if (stream->head)
        stream->tail->next = job;
    else
        stream->head = job;
    stream->tail = job;
    if (job->kind == CUP_JOB_WAIT_POINT)
        note_order_locked(stream, job->point);
    cup_stream_begin_queue_locked(stream);
    uint64_t before = count_locked(stream);
    uint64_t sequence = ((before & ~CUP_STREAM_CAPTURING) >> CUP_STREAM_COUNT_SHIFT) + 1;
    cup_lock_release(&stream->lock);
    if ((before & CUP_STREAM_STATE) == CUP_STREAM_IDLE)
        start(stream, starter == CALLER && has_lock ? WORKER : starter, sequence);
    return sequence;
}

static void wait_job_release(struct cup_job *job)
{
    cup_stream_unref(job->point.stream);
    free(job);
}

static struct cup_job *wait_job_create(struct cup_point point)
{
    struct cup_job *job = calloc(1, sizeof(*job));

    if (!job)
        return NULL;
    job->kind = CUP_JOB_WAIT_POINT;
    job->name = "wait";
    job->release = wait_job_release;
    job->point = point;
    cup_stream_ref(point.stream);
    return job;
}

/* Makes work submitted to `stream` from now on wait for `first`. Returns false if out of memory. */
static bool follow(struct CUstream_st *stream, struct CUstream_st *first)
{
    struct cup_point point = cup_stream_tail(first);

    if (first == stream || cup_point_reached(point) || !cup_object_try_ref(&first->base))
        return true;
    struct cup_job *job = wait_job_create(point);
    cup_stream_unref(first);
    if (job)
        append(stream, job, true);
    return job != NULL;
}

/* The caller holds the context's lock, so that no blocking stream or legacy work is submitted in
 * between. */
static bool follow_others_locked(struct CUstream_st *stream)
{
    struct CUctx_st *context = stream->context;

    cup_lock_assert_held(&stream->context->lock);
    if (!cup_stream_is_legacy(stream))
        return follow(stream, context->legacy);
    cup_list_each (each, &context->streams, struct CUstream_st, context_link) {
        if (each->blocking && !follow(stream, each))
            return false;
    }
    return true;
}

static bool submit_in_order(struct CUstream_st *stream, struct cup_job *job, uint64_t *sequence)
{
    cup_lock_acquire(&stream->context->lock);
    bool submitted = follow_others_locked(stream);
    if (submitted)
        *sequence = append(stream, job, true);
    cup_lock_release(&stream->context->lock);
    return submitted;
}

/* A deferred schedule may run jobs now, and its watchdog has something to watch. */
static void tell_schedule(void)
{
    if (cup_likely(!cup_schedule_deferred()))
        return;
    cup_watchdog_start();
    cup_schedule_submitted();
}

CUresult cup_stream_submit(struct CUstream_st *stream, struct cup_job *job, struct cup_point *point)
{
    struct cup_point end = {stream, 0};

    if (cup_stream_is_capturing(stream)) {
        CUresult refused = cup_stream_upcalls.refuse_captured_work(stream, job->name);
        if (refused != CUDA_SUCCESS) {
            job->release(job);
            return refused;
        }
    }
    cup_job_submitted(stream, job);
    if (!stream->blocking) {
        end.sequence = append(stream, job, false);
    } else if (!submit_in_order(stream, job, &end.sequence)) {
        if (cup_checks.streams)
            cup_check_job_dropped(job);
        job->release(job);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to order a job after other streams");
    }
    tell_schedule();
    if (point)
        *point = end;
    return CUDA_SUCCESS;
}

CUresult cup_stream_wait_point(struct CUstream_st *stream, struct cup_point point)
{
    if (point.stream == stream || cup_point_reached(point))
        return CUDA_SUCCESS;
    struct cup_job *job = wait_job_create(point);
    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to wait for an event");
    /* A wait is no work, so the default-stream rules do not apply to it; they apply to what follows
     * it. */
    append(stream, job, false);
    tell_schedule();
    return CUDA_SUCCESS;
}

CUresult cup_stream_follow_context(struct CUstream_st *stream, struct CUctx_st *first)
{
    bool followed;

    cup_lock_acquire(&first->lock);
    cup_check_stream_waits_stream(stream, first->legacy);
    followed = follow(stream, first->legacy);
    cup_list_each (each, &first->streams, struct CUstream_st, context_link) {
        if (!each->blocking)
            continue;
        cup_check_stream_waits_stream(stream, each);
        followed = followed && follow(stream, each);
    }
    cup_lock_release(&first->lock);
    tell_schedule();
    return followed ? CUDA_SUCCESS
                    : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to wait for a context");
}

CUresult cup_stream_precede_context(struct CUstream_st *stream, struct CUctx_st *later)
{
    bool followed;

    cup_lock_acquire(&later->lock);
    cup_check_stream_waits_stream(later->legacy, stream);
    followed = follow(later->legacy, stream);
    cup_lock_release(&later->lock);
    tell_schedule();
    return followed ? CUDA_SUCCESS
                    : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to make a context wait");
}
