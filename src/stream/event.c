/* SPDX-License-Identifier: MIT */
/* Recording into an idle stream completes at once. Otherwise the stream gets a marker job: its
 * position is the event's point, and running it takes the timestamp. */
#include "stream/event.h"

#include "core/checks.h"
#include "core/error.h"
#include "os/clock.h"
#include "stream/ipc_event.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <stdlib.h>

struct marker_job {
    struct cup_job base;
    struct CUevent_st *event; /* a reference is held */
    uint64_t record_number;
    uint64_t ipc_number; /* of events that other processes see */
};

/* Waits for a recording of another process. */
struct peer_job {
    struct cup_job base;
    struct CUevent_st *event; /* a reference is held */
    uint64_t number;
    unsigned looks;
};

/* Number of polls of the value per check whether the process that writes it is alive: about 30
 * ms. */
enum { LOOKS_AT_VALUE = 64 };

static void context_unlink(struct CUevent_st *event)
{
    cup_lock_acquire(&event->context->lock);
    cup_list_remove(&event->context_link);
    cup_lock_release(&event->context->lock);
}

static void context_link(struct CUevent_st *event, struct CUctx_st *context)
{
    event->context = context;
    cup_context_ref(context);
    cup_lock_acquire(&context->lock);
    cup_list_insert(&context->events, &event->context_link);
    cup_lock_release(&context->lock);
}

static void event_finish(struct cup_object *object)
{
    struct CUevent_st *event = (struct CUevent_st *)object;

    struct CUstream_st *peer_stream = atomic_load(&event->peer_stream);

    context_unlink(event);
    cup_check_event_destroyed(event);
    if (event->point.stream)
        cup_stream_unref(event->point.stream);
    if (peer_stream) {
        cup_stream_destroy(peer_stream, CUP_RETIRED_DESTROYED);
        cup_stream_unref(peer_stream);
    }
    if (event->ipc)
        cup_ipc_event_release(event->ipc);
    cup_lock_finish(&event->lock);
    cup_context_unref(event->context);
}

void cup_event_register(void)
{
    cup_object_register(CUP_OBJECT_EVENT, sizeof(struct CUevent_st), event_finish);
}

/* Takes ownership of `ipc`, also on failure. */
static CUresult create(struct CUctx_st *context, unsigned flags, struct cup_ipc_event *ipc,
                       struct CUevent_st **event)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_EVENT);

    if (!object) {
        if (ipc)
            cup_ipc_event_release(ipc);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    }
    struct CUevent_st *made = (struct CUevent_st *)object;
    made->flags = flags;
    made->ipc = ipc;
    cup_lock_init(&made->lock, CUP_RANK_EVENT);
    context_link(made, context);
    cup_object_publish(object);
    *event = made;
    return CUDA_SUCCESS;
}

CUresult cup_event_create(struct CUctx_st *context, unsigned flags, struct CUevent_st **event)
{
    struct cup_ipc_event *ipc = NULL;

    if (flags & CU_EVENT_INTERPROCESS) {
        CUresult result = cup_ipc_event_create(&ipc);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return create(context, flags, ipc, event);
}

CUresult cup_event_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                        struct CUevent_st **event)
{
    struct cup_ipc_event *ipc;
    CUresult result = cup_ipc_event_open(handle, &ipc);

    return result == CUDA_SUCCESS ? create(context, CU_EVENT_DISABLE_TIMING, ipc, event) : result;
}

CUresult cup_event_find(CUevent handle, struct CUevent_st **event)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_EVENT, handle, &object);

    if (cup_unlikely(result != CUDA_SUCCESS))
        return cup_error(result, "%p is not an event", (void *)handle);
    struct CUevent_st *found = (struct CUevent_st *)object;
    result = cup_context_usable(found->context);
    if (cup_unlikely(result != CUDA_SUCCESS)) {
        cup_event_unref(found);
        return result;
    }
    *event = found;
    return CUDA_SUCCESS;
}

void cup_event_destroy(struct CUevent_st *event, enum cup_retire_reason reason)
{
    if (cup_object_retire(&event->base, reason))
        cup_event_unref(event); /* the handle's */
}

static struct CUevent_st *some_event(struct CUctx_st *context)
{
    struct CUevent_st *found = NULL;

    cup_lock_acquire(&context->lock);
    cup_list_each (each, &context->events, struct CUevent_st, context_link) {
        if (atomic_load(&each->base.stamp) > CUP_RETIRED_LAST && cup_object_try_ref(&each->base)) {
            found = each;
            break;
        }
    }
    cup_lock_release(&context->lock);
    return found;
}

void cup_event_end_all(struct CUctx_st *context)
{
    enum cup_retire_reason reason =
        context->is_primary ? CUP_RETIRED_CONTEXT_RESET : CUP_RETIRED_CONTEXT_GONE;
    struct CUevent_st *event;

    while ((event = some_event(context))) {
        cup_event_destroy(event, reason);
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
    if (cup_unlikely(marker->event->ipc != NULL))
        cup_ipc_event_complete(marker->event->ipc, marker->ipc_number);
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

/* Sets the event's point unless a later recording has set it already. */
static void set_point(struct CUevent_st *event, uint64_t number, uint64_t ipc_number,
                      struct cup_point point)
{
    struct CUstream_st *unwanted = point.stream;

    cup_stream_ref(point.stream);
    cup_lock_acquire(&event->lock);
    if (number > event->recorded) {
        unwanted = event->point.stream;
        event->recorded = number;
        event->ipc_number = ipc_number;
        event->point = point;
        atomic_store_explicit(&event->reached, false, memory_order_release);
        atomic_store_explicit(&event->captured, 0, memory_order_release);
    }
    cup_lock_release(&event->lock);
    if (unwanted)
        cup_stream_unref(unwanted);
}

/* Recording into an idle stream begins, completes and takes the time in one step. The point counts
 * as reached, whatever happens to the stream later. */
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
    atomic_store_explicit(&event->captured, 0, memory_order_release);
    cup_lock_release(&event->lock);
    if (unwanted)
        cup_stream_unref(unwanted);
    if (cup_unlikely(event->ipc != NULL))
        cup_ipc_event_complete(event->ipc, cup_ipc_event_begin(event->ipc));
    return CUDA_SUCCESS;
}

static CUresult record_behind_work(struct CUevent_st *event, struct CUstream_st *stream)
{
    struct marker_job *job = calloc(1, sizeof(*job));
    struct cup_point point;

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record an event");
    uint64_t number = begin_recording(event), ipc_number = 0;
    if (event->ipc)
        ipc_number = cup_ipc_event_begin(event->ipc);
    job->base.kind = CUP_JOB_WORK;
    job->base.name = "event";
    job->base.run = marker_run;
    job->base.release = marker_release;
    job->event = event;
    job->record_number = number;
    job->ipc_number = ipc_number;
    cup_object_ref(&event->base);
    CUresult result = cup_stream_submit(stream, &job->base, &point);
    if (result == CUDA_SUCCESS) {
        set_point(event, number, ipc_number, point);
        cup_check_event_recorded(event, stream);
    } else if (event->ipc)
        cup_ipc_event_complete(event->ipc, ipc_number);
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
    cup_check_event_recorded(event, stream);
    return CUDA_SUCCESS;
}

void cup_event_promise(struct CUevent_st *event, struct cup_point point,
                       struct cup_event_ticket *ticket)
{
    ticket->number = begin_recording(event);
    ticket->ipc_number = event->ipc ? cup_ipc_event_begin(event->ipc) : 0;
    set_point(event, ticket->number, ticket->ipc_number, point);
}

void cup_event_fulfil(struct CUevent_st *event, const struct cup_event_ticket *ticket)
{
    set_time(event, ticket->number);
    if (cup_unlikely(event->ipc != NULL))
        cup_ipc_event_complete(event->ipc, ticket->ipc_number);
}

bool cup_event_is_recorded(struct CUevent_st *event)
{
    cup_lock_acquire(&event->lock);
    bool recorded = event->recorded != 0;
    cup_lock_release(&event->lock);
    return recorded || (event->ipc && cup_ipc_event_latest(event->ipc) != 0);
}

static struct cup_point own_point(struct CUevent_st *event, uint64_t *ipc_number)
{
    cup_lock_acquire(&event->lock);
    struct cup_point point = event->point;
    *ipc_number = event->ipc_number;
    if (point.stream)
        cup_stream_ref(point.stream);
    cup_lock_release(&event->lock);
    return point;
}

static CUresult peer_run(struct cup_job *base, CUresult failed)
{
    struct peer_job *job = (struct peer_job *)base;
    struct cup_ipc_event *ipc = job->event->ipc;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (++job->looks % LOOKS_AT_VALUE == 0)
        cup_ipc_event_check_recorder(ipc);
    if (!cup_ipc_event_is_complete(ipc, job->number))
        return CUDA_ERROR_NOT_READY;
    cup_check_job_acquired(base, 0); /* whatever the other process has waited for */
    return CUDA_SUCCESS;
}

static void peer_release(struct cup_job *base)
{
    cup_event_unref(((struct peer_job *)base)->event);
    free(base);
}

/* The stream in which the event waits for other processes; NULL if out of memory. It delays no
 * other work: it contains only waits for recordings of this event, which complete in order. */
static struct CUstream_st *peer_stream(struct CUevent_st *event)
{
    struct CUstream_st *stream = atomic_load(&event->peer_stream), *none = NULL;

    if (stream)
        return stream;
    if (cup_stream_create(event->context, CUP_STREAM_PEER, CU_STREAM_NON_BLOCKING,
                          CUP_PRIORITY_LEAST, &stream) != CUDA_SUCCESS)
        return NULL;
    if (atomic_compare_exchange_strong(&event->peer_stream, &none, stream))
        return stream;
    cup_stream_destroy(stream, CUP_RETIRED_DESTROYED);
    cup_stream_unref(stream);
    return none; /* another thread created it first */
}

/* A point that is reached when the recording of another process is complete. */
static bool peer_point(struct CUevent_st *event, uint64_t number, struct cup_point *point)
{
    struct CUstream_st *stream = peer_stream(event);
    struct peer_job *job = stream ? calloc(1, sizeof(*job)) : NULL;

    if (!job)
        return false;
    *job = (struct peer_job){
        .base = {.kind = CUP_JOB_WAIT_VALUE,
                 .name = "peer",
                 .run = peer_run,
                 .release = peer_release},
        .event = event,
        .number = number,
    };
    cup_object_ref(&event->base);
    if (cup_stream_submit(stream, &job->base, point) != CUDA_SUCCESS)
        return false;
    cup_stream_ref(stream);
    return true;
}

struct cup_point cup_event_point(struct CUevent_st *event)
{
    uint64_t ipc_number, latest = 0;
    struct cup_point point = own_point(event, &ipc_number);

    if (event->ipc)
        latest = cup_ipc_event_latest(event->ipc);
    if (latest == ipc_number)
        return point;
    if (point.stream)
        cup_stream_unref(point.stream);
    point = (struct cup_point){NULL, 0};
    if (!cup_ipc_event_is_complete(event->ipc, latest) && !peer_point(event, latest, &point))
        cup_ipc_event_wait(event->ipc, latest); /* no memory for a waiting stream, so wait here */
    return point;
}

static void wait_for_peer(struct CUevent_st *event)
{
    struct cup_point point = cup_event_point(event);

    if (!point.stream)
        return;
    cup_point_wait(point);
    cup_stream_unref(point.stream);
}

/* True if there is nothing to wait for. Takes no reference. */
static bool already_reached(struct CUevent_st *event)
{
    if (cup_unlikely(event->ipc != NULL))
        return cup_ipc_event_is_complete(event->ipc, cup_ipc_event_latest(event->ipc));
    if (atomic_load_explicit(&event->reached, memory_order_acquire))
        return true;
    cup_lock_acquire(&event->lock);
    bool reached = cup_point_reached(event->point);
    if (reached)
        atomic_store_explicit(&event->reached, true, memory_order_release);
    cup_lock_release(&event->lock);
    return reached;
}

/* For callers that poll: checking the recorder costs more than the query itself. */
static void check_recorder_sometimes(struct cup_ipc_event *ipc)
{
    static _Atomic(unsigned) looks;

    if (atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed) % LOOKS_AT_VALUE == 0)
        cup_ipc_event_check_recorder(ipc);
}

static CUresult refuse_captured(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the event was last recorded in a capture");
}

CUresult cup_event_query(struct CUevent_st *event)
{
    if (cup_event_is_captured(event))
        return refuse_captured();
    if (already_reached(event)) {
        cup_check_host_waited_event(event);
        return cup_device_look(event->context->device);
    }
    if (event->ipc)
        check_recorder_sometimes(event->ipc);
    if (cup_schedule_deferred()) {
        uint64_t ipc_number;
        struct cup_point point = own_point(event, &ipc_number);
        if (point.stream) {
            cup_schedule_asked(point);
            cup_stream_unref(point.stream);
        }
    }
    return CUDA_ERROR_NOT_READY;
}

CUresult cup_event_synchronize(struct CUevent_st *event)
{
    if (cup_event_is_captured(event))
        return refuse_captured();
    if (already_reached(event)) {
        cup_check_host_waited_event(event);
        cup_context_show_output(event->context);
        return cup_device_look(event->context->device);
    }
    uint64_t latest = event->ipc ? cup_ipc_event_latest(event->ipc) : 0, ipc_number;
    struct cup_point point = own_point(event, &ipc_number);
    if (latest == ipc_number)
        cup_point_wait(point);
    else if (cup_schedule_deferred())
        wait_for_peer(event); /* the peer may wait for work that is pending here */
    else
        cup_ipc_event_wait(event->ipc, latest);
    if (point.stream)
        cup_stream_unref(point.stream);
    cup_check_host_waited_event(event);
    cup_context_show_output(event->context);
    return cup_device_look(event->context->device);
}

/* The time at which the event was reached. Returns NOT_READY before that, and INVALID_HANDLE if the
 * event has timing disabled. */
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
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "the event has no time: it was not recorded, "
                                                    "or was created with CU_EVENT_DISABLE_TIMING");
    if (start_result != CUDA_SUCCESS || end_result != CUDA_SUCCESS)
        return CUDA_ERROR_NOT_READY;
    cup_check_host_waited_event(start);
    cup_check_host_waited_event(end);
    *milliseconds = (float)((double)(int64_t)(end_ns - start_ns) / 1e6);
    return CUDA_SUCCESS;
}
