/* SPDX-License-Identifier: MIT */
/* Records that follow from calls: the calls themselves, waits, events, streams, contexts. */
#include "lock.h"
#include "tool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events have numbers in records, given when they are first recorded. */
enum { EVENT_SLOTS = 1024 };
struct event {
    struct event *next;
    CUevent handle;
    uint32_t id;
    uint64_t last_record; /* the number of its last recording; 0: none */
};
TOOL_LOCK(event_lock)
static struct event *events[EVENT_SLOTS]; /* all guarded by event_lock */
static uint32_t event_count;
static uint64_t recording_count;

static struct event **event_slot_locked(CUevent handle)
{
    struct event **slot = &events[((uintptr_t)handle >> 4) % EVENT_SLOTS];

    while (*slot && (*slot)->handle != handle)
        slot = &(*slot)->next;
    return slot;
}

static struct event find_event(CUevent handle, bool is_recorded)
{
    struct event found = {.id = CUPTI_SYNCHRONIZATION_INVALID_VALUE};

    pthread_mutex_lock(&event_lock);
    struct event **slot = event_slot_locked(handle);
    if (!*slot) {
        *slot = calloc(1, sizeof(**slot));
        if (*slot)
            **slot = (struct event){.handle = handle, .id = ++event_count};
    }
    if (*slot && is_recorded)
        (*slot)->last_record = ++recording_count;
    if (*slot)
        found = **slot;
    pthread_mutex_unlock(&event_lock);
    return found;
}

/* Another event may get the handle. */
static void forget_event(CUevent handle)
{
    pthread_mutex_lock(&event_lock);
    struct event **slot = event_slot_locked(handle), *gone = *slot;
    if (gone)
        *slot = gone->next;
    free(gone);
    pthread_mutex_unlock(&event_lock);
}

static void record_wait(const struct cupipe_call *call, CUpti_ActivitySynchronizationType type,
                        uint32_t stream, const struct event *event)
{
    CUpti_ActivitySynchronization2 record = {
        .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
        .type = type,
        .start = tool_time(call->start_ns),
        .end = tool_time(call->end_ns),
        .correlationId = call->correlation,
        .contextId = tool_current_context_id(),
        .streamId = stream,
        .cudaEventId = event ? event->id : CUPTI_SYNCHRONIZATION_INVALID_VALUE,
        .cudaEventSyncId = event ? event->last_record : CUPTI_SYNCHRONIZATION_INVALID_VALUE,
        .returnValue = (uint32_t)call->result,
    };

    tool_record(&record, sizeof(record));
}

static void record_event_wait(const struct cupipe_call *call,
                              CUpti_ActivitySynchronizationType type, uint32_t stream,
                              CUevent handle)
{
    struct event event = find_event(handle, false);

    record_wait(call, type, stream, &event);
}

/* A query that finds work unfinished is no wait. */
static bool is_over(const struct cupipe_call *call)
{
    return call->result == CUDA_SUCCESS || tool_records_unready_queries();
}

static void record_waits(const struct cupipe_call *call, uint32_t id)
{
    void *const *params = call->params;

    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz:
        if (!is_over(call))
            break;
        /* fall through */
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
        record_wait(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
                    tool_stream_id((CUstream)params[0], strstr(call->name, "_ptsz") != NULL), NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2:
        record_wait(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
                    CUPTI_SYNCHRONIZATION_INVALID_VALUE, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventQuery:
        if (!is_over(call))
            break;
        /* fall through */
    case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
        record_event_wait(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
                          CUPTI_SYNCHRONIZATION_INVALID_VALUE, (CUevent)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz:
        record_event_wait(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
                          tool_stream_id((CUstream)params[0], strstr(call->name, "_ptsz") != NULL),
                          (CUevent)params[1]);
        break;
    default:
        break;
    }
}

static void record_event(const struct cupipe_call *call)
{
    void *const *params = call->params; /* event, stream */
    bool per_thread = strstr(call->name, "_ptsz") != NULL;
    struct event event = find_event((CUevent)params[0], true);
    CUpti_ActivityCudaEvent2 record = {
        .kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT,
        .correlationId = call->correlation,
        .contextId = tool_current_context_id(),
        .streamId = tool_stream_id((CUstream)params[1], per_thread),
        .eventId = event.id,
        .deviceId = tool_current_device_id(),
        .cudaEventSyncId = event.last_record,
    };
    if (tool_records(CUPTI_ACTIVITY_KIND_CUDA_EVENT))
        tool_record(&record, sizeof(record));
}

static void record_stream(const struct cupipe_call *call)
{
    CUstream stream = **(CUstream *const *)call->params;
    unsigned flags = 0;
    int priority = 0;

    lib_driver()->stream_get_flags(stream, &flags);
    lib_driver()->stream_get_priority(stream, &priority);
    CUpti_ActivityStream record = {
        .kind = CUPTI_ACTIVITY_KIND_STREAM,
        .contextId = tool_current_context_id(),
        .streamId = tool_stream_id(stream, false),
        .priority = (uint32_t)priority,
        .flag = flags & CU_STREAM_NON_BLOCKING ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING
                                               : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT,
        .correlationId = call->correlation,
    };
    tool_record(&record, sizeof(record));
}

/* Devices are recorded when their first context is. */
static void record_new_context(const struct cupipe_call *call)
{
    static _Atomic uint32_t last_seen;
    CUcontext context = **(CUcontext *const *)call->params;
    uint32_t before;

    if (!tool_is_new_context(context, &last_seen, &before))
        return;
    if (before == 0 && tool_records(CUPTI_ACTIVITY_KIND_DEVICE))
        tool_record_devices();
    if (tool_records(CUPTI_ACTIVITY_KIND_CONTEXT))
        tool_record_context(context);
}

static void record_resources(const struct cupipe_call *call, uint32_t id)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord:
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags:
    case CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz:
        if (tool_records(CUPTI_ACTIVITY_KIND_CUDA_EVENT) ||
            tool_records(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION))
            record_event(call);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2:
        forget_event(*(const CUevent *)call->params);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreate:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreateWithPriority:
        if (tool_records(CUPTI_ACTIVITY_KIND_STREAM))
            record_stream(call);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v3:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v4:
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRetain:
        if (tool_records(CUPTI_ACTIVITY_KIND_CONTEXT) || tool_records(CUPTI_ACTIVITY_KIND_DEVICE))
            record_new_context(call);
        break;
    default:
        break;
    }
}

/* The driver's calls that the runtime makes are not recorded as calls. */
void tool_record_call(const struct cupipe_call *call, uint32_t id)
{
    CUpti_ActivityKind kind =
        call->is_runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
    CUpti_ActivityAPI record = {
        .kind = kind,
        .cbid = id,
        .start = tool_time(call->start_ns),
        .end = tool_time(call->end_ns),
        .processId = (uint32_t)getpid(),
        .correlationId = call->correlation,
        .returnValue = (uint32_t)call->result,
    };

    if (!call->is_runtime && tool_records(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION))
        record_waits(call, id);
    if (!call->is_runtime && call->params && call->result == CUDA_SUCCESS) {
        record_resources(call, id);
        tool_record_memory(call, id);
        tool_record_pool(call, id);
        tool_record_functions(call, id);
    }
    if (id == 0 || call->is_nested || !tool_records(kind) ||
        !tool_records_call(id, call->is_runtime))
        return;
    record.threadId = tool_thread_id();
    tool_record(&record, sizeof(record));
}
