/* SPDX-License-Identifier: MIT */
/* Records of what a program says with NVTX: MARKER for marks and both ends of ranges, MARKER_DATA
 * for the attributes of a mark or a beginning, NAME for objects that are named. libnvToolsExt.so.1
 * takes NVTX's calls, and the driver passes them on. */
#include "tool.h"

#include <unistd.h>

enum { UNSIGNED_INT64 = 1, INT64, DOUBLE, UNSIGNED_INT32, INT32, FLOAT }; /* nvtxPayloadType_t */

static CUpti_ActivityObjectKindId this_thread(void)
{
    return (CUpti_ActivityObjectKindId){
        .pt = {.processId = (uint32_t)getpid(), .threadId = tool_thread_id()}};
}

static void record_marker(const struct cupipe_marker *given)
{
    static const CUpti_ActivityFlag flags[] = {
        [CUPIPE_MARKER_MARK] = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS,
        [CUPIPE_MARKER_BEGIN] = CUPTI_ACTIVITY_FLAG_MARKER_START,
        [CUPIPE_MARKER_END] = CUPTI_ACTIVITY_FLAG_MARKER_END,
        [CUPIPE_MARKER_LOCK_WANTED] = CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE,
        [CUPIPE_MARKER_LOCK_TAKEN] = CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_SUCCESS,
        [CUPIPE_MARKER_LOCK_REFUSED] = CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_FAILED,
        [CUPIPE_MARKER_LOCK_RELEASED] = CUPTI_ACTIVITY_FLAG_MARKER_SYNC_RELEASE,
    };
    bool has_name = given->name && given->kind != CUPIPE_MARKER_END;
    CUpti_ActivityMarker2 record = {
        .kind = CUPTI_ACTIVITY_KIND_MARKER,
        .flags = flags[given->kind],
        .timestamp = tool_time(given->time_ns),
        .id = given->number,
        .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
        .objectId = this_thread(),
        .name = has_name ? tool_text(given->name) : NULL,
        .domain = given->domain ? tool_text(given->domain) : NULL,
    };

    tool_record(&record, sizeof(record));
}

static float float_of(uint64_t bits)
{
    union {
        uint32_t bits;
        float value;
    } word = {.bits = (uint32_t)bits};

    return word.value;
}

/* Values of 32 bits are widened. */
static CUpti_MetricValueKind payload_of(const struct cupipe_marker *given, CUpti_MetricValue *value)
{
    switch (given->payload_type) {
    case INT64:
        value->metricValueInt64 = (int64_t)given->payload;
        return CUPTI_METRIC_VALUE_KIND_INT64;
    case INT32:
        value->metricValueInt64 = (int32_t)given->payload;
        return CUPTI_METRIC_VALUE_KIND_INT64;
    case DOUBLE:
        value->metricValueUint64 = given->payload;
        return CUPTI_METRIC_VALUE_KIND_DOUBLE;
    case FLOAT:
        value->metricValueDouble = float_of(given->payload);
        return CUPTI_METRIC_VALUE_KIND_DOUBLE;
    case UNSIGNED_INT32:
        value->metricValueUint64 = (uint32_t)given->payload;
        return CUPTI_METRIC_VALUE_KIND_UINT64;
    case UNSIGNED_INT64:
        value->metricValueUint64 = given->payload;
        return CUPTI_METRIC_VALUE_KIND_UINT64;
    default: /* none, or one with a layout */
        value->metricValueUint64 = 0;
        return CUPTI_METRIC_VALUE_KIND_UINT64;
    }
}

static void record_data(const struct cupipe_marker *given)
{
    CUpti_ActivityMarkerData2 record = {
        .kind = CUPTI_ACTIVITY_KIND_MARKER_DATA,
        .flags = given->has_color ? CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB
                                  : CUPTI_ACTIVITY_FLAG_MARKER_COLOR_NONE,
        .id = given->number,
        .color = given->has_color ? given->color : 0,
        .category = given->category,
    };

    record.payloadKind = payload_of(given, &record.payload);
    tool_record(&record, sizeof(record));
}

/* NVIDIA's library has no data without markers either. */
void tool_record_marker(const struct cupipe_marker *marker)
{
    bool has_data = marker->kind == CUPIPE_MARKER_MARK || marker->kind == CUPIPE_MARKER_BEGIN;

    if (!tool_records(CUPTI_ACTIVITY_KIND_MARKER))
        return;
    record_marker(marker);
    if (has_data && tool_records(CUPTI_ACTIVITY_KIND_MARKER_DATA))
        record_data(marker);
}

/* False: the object is none, or one that records do not name, such as an event. */
static bool describe_object(const struct cupipe_name *name, CUpti_ActivityName *record)
{
    CUpti_ActivityObjectKindId *id = &record->objectId;

    switch (name->kind) {
    case CUPIPE_OBJECT_THREAD:
        record->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
        id->pt.processId = (uint32_t)getpid();
        id->pt.threadId = (uint32_t)name->object;
        return true;
    case CUPIPE_OBJECT_DEVICE:
        record->objectKind = CUPTI_ACTIVITY_OBJECT_DEVICE;
        id->dcs.deviceId = (uint32_t)name->object;
        return true;
    case CUPIPE_OBJECT_CONTEXT:
        record->objectKind = CUPTI_ACTIVITY_OBJECT_CONTEXT;
        return tool_describe_context((CUcontext)(uintptr_t)name->object, id);
    case CUPIPE_OBJECT_STREAM:
        record->objectKind = CUPTI_ACTIVITY_OBJECT_STREAM;
        return tool_describe_stream((CUstream)(uintptr_t)name->object, id);
    default:
        return false;
    }
}

/* A name that is taken away has no record. */
void tool_record_name(const struct cupipe_name *name)
{
    CUpti_ActivityName record = {.kind = CUPTI_ACTIVITY_KIND_NAME};

    if (!tool_records(CUPTI_ACTIVITY_KIND_NAME) || !name->name || !describe_object(name, &record))
        return;
    record.name = tool_text(name->name);
    tool_record(&record, sizeof(record));
}
