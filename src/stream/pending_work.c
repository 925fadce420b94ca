/* SPDX-License-Identifier: MIT */
#include "stream/pending_work.h"

#include "core/checks.h"
#include "core/config.h"
#include "core/error.h"
#include "core/fail.h"
#include "core/thread.h"
#include "core/trace.h"
#include "device/device.h"
#include "device/usage.h"
#include "os/clock.h"
#include "stream/host_work.h"
#include "stream/host_work_profile.h"
#include "stream/operand_access.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { IDLE, BEGUN, ENDED };

struct cupipe_pending {
    struct cup_job base;
    struct cupipe_pending_work work;
    _Atomic(int) state;
    uint64_t start_ns; /* 0: nobody asks */
    CUresult result;   /* ENDED: for a thread that looks for it */
    struct cupipe_range ranges[];
};

static uint64_t start_time(void)
{
    bool wanted = cup_config_get()->profile_path ||
                  cup_call_hooks_load() & (CUP_HOOK_TRACE | CUP_HOOK_OBSERVE);

    return wanted ? cup_clock_ns() : 0;
}

/* What keeps the work from beginning. */
static CUresult refusal(struct cupipe_pending *pending)
{
    CUresult result = cup_fail_enabled() ? cup_fail_job() : CUDA_SUCCESS;

    if (cup_unlikely(cup_checks.host_work_started != NULL))
        cup_check_host_work_started(&pending->work.work);
    return result != CUDA_SUCCESS ? result : cup_operand_check_access(&pending->work.work);
}

static struct cup_monitor_activity *activity_of(struct CUstream_st *stream)
{
    return &stream->context->device->usage->kernels;
}

/* Ends the job: that of a parked stream at once, another when the thread that runs it looks. */
static void end(struct cupipe_pending *pending, CUresult result)
{
    struct CUstream_st *stream = pending->base.point.stream;

    pending->base.point.stream = NULL;
    pending->result = result;
    if (!stream) {
        atomic_store(&pending->state, ENDED);
        return;
    }
    atomic_store(&pending->state, IDLE);
    cup_stream_finish_head(stream, result);
}

/* A stream that is parked looks at no result. Without a lane, a thread runs the job until it has
 * ended (graph/plan_run.c). */
static CUresult pending_run(struct cup_job *base, CUresult failed)
{
    struct cupipe_pending *pending = (struct cupipe_pending *)base;
    struct cup_thread *self = cup_thread_self();
    bool was_inside = self->in_host_function, is_parked = base->point.stream != NULL;

    if (atomic_load(&pending->state) == IDLE) {
        CUresult refused = failed ? CUDA_SUCCESS : refusal(pending);

        if (failed || refused) {
            if (pending->work.refused)
                pending->work.refused(pending->work.work.data);
            if (is_parked)
                end(pending, refused);
            return refused;
        }
        atomic_store(&pending->state, BEGUN);
        pending->start_ns = start_time();
        if (is_parked)
            cup_usage_begin(activity_of(base->point.stream));
        if (pending->work.meeting)
            cup_check_job_released(base, pending->work.meeting);
        self->in_host_function = true;
        pending->work.begin(pending->work.work.data, pending);
        self->in_host_function = was_inside;
    }
    if (is_parked || atomic_load(&pending->state) != ENDED)
        return CUDA_ERROR_NOT_READY;
    atomic_store(&pending->state, IDLE);
    return pending->result;
}

static void record_time(const struct cupipe_pending *pending)
{
    const struct CUstream_st *stream = pending->base.point.stream;
    uint64_t now_ns = cup_clock_ns();

    if (cup_host_work_is_profiled())
        cup_host_work_profile_add(&pending->work.work, now_ns - pending->start_ns);
    if (!stream)
        return;
    cup_trace_work((unsigned)stream->context->device->ordinal, stream->trace_id, pending->base.name,
                   pending->start_ns, now_ns, pending->base.bytes);
    cup_stream_observe_job(stream, &pending->base, pending->start_ns, now_ns);
}

void cup_pending_work_finish(struct cupipe_pending *pending, CUresult result)
{
    if (cup_unlikely(result == CUDA_ERROR_NOT_READY))
        result = CUDA_ERROR_UNKNOWN;
    if (cup_unlikely(cup_checks.written != NULL) && result == CUDA_SUCCESS)
        cup_host_work_note_written(&pending->work.work);
    if (pending->work.meeting)
        cup_check_job_acquired(&pending->base, pending->work.meeting);
    if (cup_unlikely(pending->start_ns != 0))
        record_time(pending);
    if (pending->base.point.stream)
        cup_usage_end(activity_of(pending->base.point.stream));
    end(pending, result);
}

static void pending_touches(struct cup_job *base)
{
    cup_host_work_touch(base, &((struct cupipe_pending *)base)->work.work);
}

/* Work that the stream has refused stays with the caller. */
static void pending_release(struct cup_job *base)
{
    const struct cupipe_work *work = &((struct cupipe_pending *)base)->work.work;

    if (work->release && base->is_queued)
        work->release(work->data);
    free(base);
}

struct cupipe_pending *cup_pending_work_create(const struct cupipe_pending_work *work)
{
    size_t bytes = cup_host_work_ranges_bytes(&work->work);
    struct cupipe_pending *pending = malloc(sizeof(*pending) + bytes);

    if (!pending)
        return NULL;
    *pending = (struct cupipe_pending){
        .base = {.kind = CUP_JOB_PENDING,
                 .name = work->work.name ? work->work.name : "host work",
                 .run = pending_run,
                 .release = pending_release,
                 .touches = pending_touches,
                 .describe = cup_host_work_describe,
                 .is_brief = work->is_brief},
        .work = *work,
    };
    cup_host_work_keep_ranges(&pending->work.work, pending->ranges, bytes);
    return pending;
}

struct cup_job *cup_pending_work_job(struct cupipe_pending *pending)
{
    return &pending->base;
}

/* Work that the call which submits it may end. */
struct pending_attempt {
    struct cup_job base;
    const struct cupipe_pending_work *work;
    CUresult result;
};

static CUresult attempt_run(struct cup_job *base, CUresult failed)
{
    struct pending_attempt *attempt = (struct pending_attempt *)base;
    struct cup_thread *self = cup_thread_self();
    bool was_inside = self->in_host_function;

    attempt->result = failed ? failed : cup_operand_check_access(&attempt->work->work);
    if (attempt->result != CUDA_SUCCESS)
        return attempt->result;
    self->in_host_function = true;
    attempt->result = attempt->work->attempt(attempt->work->work.data);
    self->in_host_function = was_inside;
    return attempt->result;
}

/* A trace, a profile and the checks see one job, from its beginning to its end. */
static bool is_observed(void)
{
    return cup_call_hooks_load() & (CUP_HOOK_TRACE | CUP_HOOK_FAIL | CUP_HOOK_OBSERVE) ||
           cup_host_work_is_profiled() || cup_host_work_wants_ranges();
}

/* True if the work is over, and has been released. */
static bool is_over_at_once(struct CUstream_st *stream, const struct cupipe_pending_work *work)
{
    struct pending_attempt attempt = {.base = {.kind = CUP_JOB_HOST_WORK,
                                               .name = work->work.name,
                                               .run = attempt_run,
                                               .describe = cup_host_work_describe},
                                      .work = work};

    if (!work->attempt || is_observed() || !cup_host_work_enter(stream))
        return false;
    cup_stream_run_now(stream, &attempt.base);
    if (attempt.result == CUDA_ERROR_NOT_READY)
        return false;
    if (work->work.release)
        work->work.release(work->work.data);
    return true;
}

CUresult cup_pending_work_submit(struct CUstream_st *stream, const struct cupipe_pending_work *work)
{
    struct cupipe_pending *pending;

    if (is_over_at_once(stream, work))
        return CUDA_SUCCESS;
    pending = cup_pending_work_create(work);
    if (!pending)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the work %s", work->work.name);
    return cup_stream_submit(stream, &pending->base, NULL);
}
