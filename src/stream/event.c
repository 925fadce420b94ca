/* SPDX-License-Identifier: MIT */
/* Recording into an idle stream is done on the spot. Otherwise a marker job goes into the stream: its
 * place is the event's point, and running it takes the time. */
#include "stream/event.h"

#include "core/error.h"
#include "os/clock.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <stdlib.h>

struct marker_job {
    struct cup_job base;
    struct CUevent_st *event; /* a reference is held */
    uint64_t record_number;
};

static void context_unlink(struct CUevent_st *event)
{
    struct CUctx_st *context = event->context;

    cup_lock_acquire(&context->lock);
    if (event->context_previous)
        event->context_previous->context_next = event->context_next;
    else
        context->events = (struct cup_object *)event->context_next;
    if (event->context_next)
        event->context_next->context_previous = event->context_previous;
    cup_lock_release(&context->lock);
}

static void context_link(struct CUevent_st *event, struct CUctx_st *context)
{
    struct CUevent_st *first;

    event->context = context;
    cup_context_ref(context);
    cup_lock_acquire(&context->lock);
    first = (struct CUevent_st *)context->events;
    event->context_next = first;
    if (first)
        first->context_previous = event;
    context->events = &event->base;
    cup_lock_release(&context->lock);
}

static void event_finish(struct cup_object *object)
{
    struct CUevent_st *event = (struct CUevent_st *)object;

    context_unlink(event);
    if (event->point.stream)
        cup_stream_unref(event->point.stream);
    cup_lock_finish(&event->lock);
    cup_context_unref(event->context);
}

void cup_event_register(void)
{
    cup_object_register(CUP_OBJECT_EVENT, sizeof(struct CUevent_st), event_finish);
}

CUresult cup_event_create(struct CUctx_st *context, unsigned flags, struct CUevent_st **event)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_EVENT);

    if (!object)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    struct CUevent_st *made = (struct CUevent_st *)object;
    made->flags = flags;
    cup_lock_init(&made->lock, CUP_RANK_EVENT);
    context_link(made, context);
    cup_object_publish(object);
    *event = made;
    return CUDA_SUCCESS;
}

CUresult cup_event_find(CUevent handle, struct CUevent_st **event)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_EVENT, handle, &object);

    if (cup_unlikely(result != CUDA_SUCCESS))
        return cup_error(result, "%p is no event", (void *)handle);
    struct CUevent_st *found = (struct CUevent_st *)object;
    result = cup_context_usable(found->context);
    if (cup_unlikely(result != CUDA_SUCCESS)) {
        cup_event_unref(found);
        return result;
    }
    *event = found;
    return CUDA_SUCCESS;
}

void cup_event_destroy(struct CUevent_st *event, enum cup_object_fate fate)
{
    if (cup_object_retire(&event->base, fate))
        cup_event_unref(event); /* the handle's */
}

static struct CUevent_st *some_event(struct CUctx_st *context)
{
    struct CUevent_st *found = NULL;

    cup_lock_acquire(&context->lock);
    for (struct CUevent_st *each = (struct CUevent_st *)context->events; each && !found;
         each = each->context_next) {
        if (atomic_load(&each->base.stamp) > CUP_FATE_CONTEXT_RESET &&
            cup_object_try_ref(&each->base))
            found = each;
    }
    cup_lock_release(&context->lock);
    return found;
}

void cup_event_end_all(struct CUctx_st *context)
{
    enum cup_object_fate fate =
        context->is_primary ? CUP_FATE_CONTEXT_RESET : CUP_FATE_CONTEXT_GONE;
    struct CUevent_st *event;

    while ((event = some_event(context))) {
        cup_event_destroy(event, fate);
        cup_event_unref(event);
    }
}

static void set_time(struct CUevent_st *event, uint64_t number)
{
    uint64_t now_ns = cup_clock_ns();

    cup_lock_acquire(&event->lock);
    if (number > event->timed) {
        event->timed = number;
        event->time_ns = now_ns;
    }
    cup_lock_release(&event->lock);
}

static CUresult marker_run(struct cup_job *job, CUresult failed)
{
    struct marker_job *marker = (struct marker_job *)job;

    (void)failed;
    set_time(marker->event, marker->record_number);
    return CUDA_SUCCESS;
}

static void marker_release(struct cup_job *job)
{
    cup_event_unref(((struct marker_job *)job)->event);
    free(job);
}

static uint64_t begin_recording(struct CUevent_st *event)
{
    cup_lock_acquire(&event->lock);
    uint64_t number = ++event->begun;
    cup_lock_release(&event->lock);
    return number;
}

/* Makes the point the event's, unless a later recording has been quicker. */
static void set_point(struct CUevent_st *event, uint64_t number, struct cup_point point)
{
    struct CUstream_st *unwanted = point.stream;

    cup_stream_ref(point.stream);
    cup_lock_acquire(&event->lock);
    if (number > event->recorded) {
        unwanted = event->point.stream;
        event->recorded = number;
        event->point = point;
        atomic_store_explicit(&event->reached, false, memory_order_release);
    }
    cup_lock_release(&event->lock);
    if (unwanted)
        cup_stream_unref(unwanted);
}

/* Recording into an idle stream: begun, reached and timed in one. The point is one that has been
 * reached, whatever happens to the stream later. */
static CUresult now_run(struct cup_job *job, CUresult failed)
{
    struct CUevent_st *event = ((struct marker_job *)job)->event;
    struct CUstream_st *stream = job->point.stream, *unwanted = NULL;
    uint64_t now_ns = event->flags & CU_EVENT_DISABLE_TIMING ? 0 : cup_clock_ns();

    (void)failed;
    cup_lock_acquire(&event->lock);
    uint64_t number = ++event->begun;
    event->recorded = event->timed = number;
    event->time_ns = now_ns;
    if (event->point.stream != stream) {
        unwanted = event->point.stream;
        cup_stream_ref(stream);
    }
    event->point = (struct cup_point){stream, 0};
    atomic_store_explicit(&event->reached, true, memory_order_release);
    cup_lock_release(&event->lock);
    if (unwanted)
        cup_stream_unref(unwanted);
    return CUDA_SUCCESS;
}

static CUresult record_behind_work(struct CUevent_st *event, struct CUstream_st *stream)
{
    struct marker_job *job = calloc(1, sizeof(*job));
    struct cup_point point;

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record an event");
    uint64_t number = begin_recording(event);
    job->base.kind = CUP_JOB_WORK;
    job->base.name = "event";
    job->base.run = marker_run;
    job->base.release = marker_release;
    job->event = event;
    job->record_number = number;
    cup_object_ref(&event->base);
    CUresult result = cup_stream_submit(stream, &job->base, &point);
    if (result == CUDA_SUCCESS)
        set_point(event, number, point);
    return result;
}

CUresult cup_event_record(struct CUevent_st *event, struct CUstream_st *stream)
{
    struct marker_job marker = {
        .base = {.kind = CUP_JOB_WORK, .name = "event", .run = now_run, .point = {stream, 0}},
        .event = event,
    };

    if (!cup_stream_enter(stream))
        return record_behind_work(event, stream);
    cup_stream_run_now(stream, &marker.base);
    return CUDA_SUCCESS;
}

struct cup_point cup_event_point(struct CUevent_st *event)
{
    cup_lock_acquire(&event->lock);
    struct cup_point point = event->point;
    if (point.stream)
        cup_stream_ref(point.stream);
    cup_lock_release(&event->lock);
    return point;
}

/* True, and no reference taken, when there is nothing to wait for. */
static bool already_reached(struct CUevent_st *event)
{
    if (atomic_load_explicit(&event->reached, memory_order_acquire))
        return true;
    cup_lock_acquire(&event->lock);
    bool reached = cup_point_reached(event->point);
    if (reached)
        atomic_store_explicit(&event->reached, true, memory_order_release);
    cup_lock_release(&event->lock);
    return reached;
}

CUresult cup_event_query(struct CUevent_st *event)
{
    if (already_reached(event))
        return CUDA_SUCCESS;
    if (cup_schedule_deferred()) {
        struct cup_point point = cup_event_point(event);
        cup_schedule_asked(point);
        cup_stream_unref(point.stream);
    }
    return CUDA_ERROR_NOT_READY;
}

CUresult cup_event_synchronize(struct CUevent_st *event)
{
    if (already_reached(event))
        return CUDA_SUCCESS;
    struct cup_point point = cup_event_point(event);
    cup_point_wait(point);
    CUresult result = atomic_load(&point.stream->context->device->sticky);
    cup_stream_unref(point.stream);
    return result;
}

/* When the event was reached: NOT_READY before that, INVALID_HANDLE if it keeps no time. */
static CUresult event_time(struct CUevent_st *event, uint64_t *time_ns)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&event->lock);
    if (!event->recorded || (event->flags & CU_EVENT_DISABLE_TIMING))
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (!cup_point_reached(event->point))
        result = CUDA_ERROR_NOT_READY;
    *time_ns = event->time_ns;
    cup_lock_release(&event->lock);
    return result;
}

CUresult cup_event_elapsed(struct CUevent_st *start, struct CUevent_st *end, float *milliseconds)
{
    uint64_t start_ns, end_ns;
    CUresult start_result = event_time(start, &start_ns);
    CUresult end_result = event_time(end, &end_ns);

    if (start_result == CUDA_ERROR_INVALID_HANDLE || end_result == CUDA_ERROR_INVALID_HANDLE)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "an event has no time: not recorded, or made "
                                                    "with CU_EVENT_DISABLE_TIMING");
    if (start_result != CUDA_SUCCESS || end_result != CUDA_SUCCESS)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((double)(int64_t)(end_ns - start_ns) / 1e6);
    return CUDA_SUCCESS;
}
