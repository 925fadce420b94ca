/* SPDX-License-Identifier: MIT */
/* The tool's buffers: one is filled at a time. A full one is given back by the thread that finds it
 * full, outside of the lock, because the tool's functions may call this library. */
#include "lock.h"
#include "tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    uint8_t *data; /* NULL: there is none */
    size_t size, used;
    size_t records, records_max; /* records_max 0: as many as fit */
};

TOOL_LOCK(lock)
static __thread bool is_in_tool; /* in one of the tool's two functions */
static pthread_cond_t renewed = PTHREAD_COND_INITIALIZER;
/* All guarded by lock. */
static struct buffer current;
static bool is_renewing;
static size_t dropped;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

void tool_set_buffers(CUpti_BuffersCallbackRequestFunc new_request,
                      CUpti_BuffersCallbackCompleteFunc new_complete)
{
    pthread_mutex_lock(&lock);
    request = new_request;
    complete = new_complete;
    pthread_mutex_unlock(&lock);
}

static bool fits_locked(size_t bytes)
{
    return current.data && current.size - current.used >= bytes &&
           (current.records_max == 0 || current.records < current.records_max);
}

/* Gives the buffer back and, if `bytes` is not 0, asks for another. The caller holds the lock,
 * which is open meanwhile. */
static void renew_locked(size_t bytes)
{
    struct buffer old = current, made = {0};

    if (is_in_tool || tool_is_child())
        return;
    while (is_renewing)
        pthread_cond_wait(&renewed, &lock);
    if (bytes && fits_locked(bytes))
        return;
    old = current;
    current = (struct buffer){0};
    is_renewing = true;
    pthread_mutex_unlock(&lock);
    is_in_tool = true;
    if (old.data)
        complete(NULL, 0, old.data, old.size, old.used);
    if (bytes && request)
        request(&made.data, &made.size, &made.records_max);
    is_in_tool = false;
    pthread_mutex_lock(&lock);
    current = made;
    is_renewing = false;
    pthread_cond_broadcast(&renewed);
}

void tool_record(const void *record, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (!fits_locked(bytes))
        renew_locked(bytes);
    if (fits_locked(bytes)) {
        memcpy(current.data + current.used, record, bytes);
        current.used += bytes;
        current.records++;
    } else {
        dropped++;
    }
    pthread_mutex_unlock(&lock);
}

void tool_flush(void)
{
    pthread_mutex_lock(&lock);
    if (current.used > 0 || is_renewing)
        renew_locked(0);
    pthread_mutex_unlock(&lock);
}

size_t tool_take_dropped(void)
{
    pthread_mutex_lock(&lock);
    size_t count = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return count;
}

/* The size of a record by its kind; 0: no record of this library has it. */
static size_t record_bytes(CUpti_ActivityKind kind)
{
    static const uint16_t sizes[CUPTI_ACTIVITY_KIND_COUNT] = {
        [CUPTI_ACTIVITY_KIND_MEMCPY] = sizeof(CUpti_ActivityMemcpy6),
        [CUPTI_ACTIVITY_KIND_MEMSET] = sizeof(CUpti_ActivityMemset4),
        [CUPTI_ACTIVITY_KIND_KERNEL] = sizeof(CUpti_ActivityKernel10),
        [CUPTI_ACTIVITY_KIND_DRIVER] = sizeof(CUpti_ActivityAPI),
        [CUPTI_ACTIVITY_KIND_RUNTIME] = sizeof(CUpti_ActivityAPI),
        [CUPTI_ACTIVITY_KIND_DEVICE] = sizeof(CUpti_ActivityDevice5),
        [CUPTI_ACTIVITY_KIND_CONTEXT] = sizeof(CUpti_ActivityContext3),
        [CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = sizeof(CUpti_ActivityKernel10),
        [CUPTI_ACTIVITY_KIND_MARKER] = sizeof(CUpti_ActivityMarker2),
        [CUPTI_ACTIVITY_KIND_MARKER_DATA] = sizeof(CUpti_ActivityMarkerData2),
        [CUPTI_ACTIVITY_KIND_NAME] = sizeof(CUpti_ActivityName),
        [CUPTI_ACTIVITY_KIND_MEMCPY2] = sizeof(CUpti_ActivityMemcpyPtoP4),
        [CUPTI_ACTIVITY_KIND_CUDA_EVENT] = sizeof(CUpti_ActivityCudaEvent2),
        [CUPTI_ACTIVITY_KIND_STREAM] = sizeof(CUpti_ActivityStream),
        [CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] = sizeof(CUpti_ActivitySynchronization2),
        [CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION] = sizeof(CUpti_ActivityExternalCorrelation),
        [CUPTI_ACTIVITY_KIND_MEMORY] = sizeof(CUpti_ActivityMemory),
        [CUPTI_ACTIVITY_KIND_MEMORY2] = sizeof(CUpti_ActivityMemory4),
        [CUPTI_ACTIVITY_KIND_GRAPH_TRACE] = sizeof(CUpti_ActivityGraphTrace2),
        [CUPTI_ACTIVITY_KIND_OVERHEAD] = sizeof(CUpti_ActivityOverhead3),
        [CUPTI_ACTIVITY_KIND_FUNCTION] = sizeof(CUpti_ActivityFunction),
        [CUPTI_ACTIVITY_KIND_MEMORY_POOL] = sizeof(CUpti_ActivityMemoryPool3),
        [CUPTI_ACTIVITY_KIND_JIT] = sizeof(CUpti_ActivityJit2),
    };

    return (unsigned)kind < CUPTI_ACTIVITY_KIND_COUNT ? sizes[kind] : 0;
}

/* `*record` is the record before, or NULL. */
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes,
                                       CUpti_Activity **record)
{
    uint8_t *next = buffer, *end = buffer + validBufferSizeBytes;

    if (!buffer || !record)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (*record)
        next = (uint8_t *)*record + record_bytes((*record)->kind);
    if (next < buffer || next >= end || (size_t)(end - next) < sizeof(CUpti_Activity))
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    size_t bytes = record_bytes(((CUpti_Activity *)next)->kind);
    if (bytes == 0)
        return CUPTI_ERROR_INVALID_KIND;
    if ((size_t)(end - next) < bytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

/* Texts of records, each stored once. */
enum { TEXT_SLOTS = 4096 };
struct text {
    struct text *next;
    char characters[];
};
TOOL_LOCK(text_lock)
static struct text *texts[TEXT_SLOTS];

const char *tool_text(const char *text)
{
    uint32_t hash = 5381;
    struct text *each;

    for (const char *c = text; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    pthread_mutex_lock(&text_lock);
    for (each = texts[hash % TEXT_SLOTS]; each; each = each->next)
        if (strcmp(each->characters, text) == 0)
            break;
    if (!each) {
        size_t bytes = strlen(text) + 1;

        each = malloc(sizeof(*each) + bytes);
        if (each) {
            memcpy(each->characters, text, bytes);
            each->next = texts[hash % TEXT_SLOTS];
            texts[hash % TEXT_SLOTS] = each;
        }
    }
    pthread_mutex_unlock(&text_lock);
    return each ? each->characters : "";
}
