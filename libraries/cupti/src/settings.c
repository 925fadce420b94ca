/* SPDX-License-Identifier: MIT */
/* How activities are recorded: attributes, threads' ids, clocks, and what is left out or added. */
#include "lock.h"
#include "tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int thread_id_type;
/* Functions whose calls are left out: cuptiActivityEnableDriverApi and its sibling. */
static atomic_bool hidden[2][CUPTI_DRIVER_TRACE_CBID_SIZE];
static atomic_bool has_latency, has_unready_queries;

bool tool_records_call(uint32_t id, bool is_runtime)
{
    return !atomic_load_explicit(&hidden[is_runtime][id], memory_order_relaxed);
}

uint32_t tool_thread_id(void)
{
    if (atomic_load(&thread_id_type) == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
        return (uint32_t)syscall(SYS_gettid);
    return (uint32_t)(uintptr_t)pthread_self();
}

bool tool_records_latency(void)
{
    return atomic_load(&has_latency);
}

bool tool_records_unready_queries(void)
{
    return atomic_load(&has_unready_queries);
}

/* Attributes of buffers on the device are kept and mean nothing here. */
struct attribute {
    uint8_t bytes; /* 0: not supported */
    _Atomic size_t value;
};
static struct attribute attributes[] = {
    [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE] = {8, 3200000},
    [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP] = {8, 8388608},
    [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT] = {8, 250},
    [CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE] = {0, 0},
    [CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT] = {0, 0},
    [CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER] = {1, 0},
    [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE] = {8, 3},
    [CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE] = {0, 0},
    [CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED] = {1, 0},
    [CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = {1, 1},
    [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS] = {8, 16777216},
};

static CUptiResult find_attribute(CUpti_ActivityAttribute attr, const size_t *size,
                                  const void *value, struct attribute **found)
{
    if ((unsigned)attr >= sizeof(attributes) / sizeof(*attributes) || !size || !value)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *found = &attributes[attr];
    if ((*found)->bytes == 0)
        return CUPTI_ERROR_NOT_SUPPORTED;
    return *size < (*found)->bytes ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value)
{
    struct attribute *attribute;
    CUptiResult result = find_attribute(attr, valueSize, value, &attribute);

    if (result != CUPTI_SUCCESS)
        return result;
    size_t stored = atomic_load(&attribute->value);
    memcpy(value, &stored, attribute->bytes);
    *valueSize = attribute->bytes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value)
{
    struct attribute *attribute;
    CUptiResult result = find_attribute(attr, valueSize, value, &attribute);
    size_t stored = 0;

    if (result != CUPTI_SUCCESS)
        return result;
    memcpy(&stored, value, attribute->bytes);
    atomic_store(&attribute->value, stored);
    return CUPTI_SUCCESS;
}

static CUptiResult show_call(CUpti_CallbackId id, bool is_runtime, uint8_t enable)
{
    if (id >= tool_callback_count(tool_api(is_runtime)))
        return CUPTI_ERROR_INVALID_PARAMETER;
    atomic_store(&hidden[is_runtime][id], !enable);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable)
{
    return show_call(cbid, false, enable);
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable)
{
    return show_call(cbid, true, enable);
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    if ((unsigned)type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE)
        return CUPTI_ERROR_NOT_SUPPORTED;
    atomic_store(&thread_id_type, (int)type);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type)
{
    if (!type)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *type = (CUpti_ActivityThreadIdType)atomic_load(&thread_id_type);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp)
{
    return tool_set_clock(funcTimestamp);
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
    atomic_store(&has_latency, enable != 0);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
    atomic_store(&has_unready_queries, enable != 0);
    return CUPTI_SUCCESS;
}

/* What records of this library do not have can be switched off, which it is, and not on. */
static CUptiResult stay_off(uint8_t enable)
{
    return enable ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t enable)
{
    return stay_off(enable);
}

CUptiResult cuptiActivityEnableDeviceGraph(uint8_t enable)
{
    return stay_off(enable);
}

CUptiResult cuptiActivityEnableHWTrace(uint8_t enable)
{
    return stay_off(enable);
}

CUptiResult cuptiActivityEnableAllocationSource(uint8_t enable)
{
    return stay_off(enable);
}

CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
    return stay_off(enable);
}

/* Buffers are given back from time to time by a thread that lives while there is a period. */
TOOL_LOCK(period_lock)
static pthread_cond_t period_changed = PTHREAD_COND_INITIALIZER;
static uint32_t period_ms; /* guarded by period_lock; 0: none */
static bool has_flusher;   /* guarded by period_lock */

static struct timespec after_ms(uint32_t ms)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += (long)(ms % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    return end;
}

static void *flush_periodically(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&period_lock);
    while (period_ms) {
        struct timespec end = after_ms(period_ms);

        if (pthread_cond_timedwait(&period_changed, &period_lock, &end) == 0)
            continue;
        pthread_mutex_unlock(&period_lock);
        cuptiActivityFlushAll(0);
        pthread_mutex_lock(&period_lock);
    }
    has_flusher = false;
    pthread_mutex_unlock(&period_lock);
    return NULL;
}

CUptiResult cuptiActivityFlushPeriod(uint32_t time)
{
    CUptiResult result = CUPTI_SUCCESS;
    pthread_t thread;

    pthread_mutex_lock(&period_lock);
    period_ms = time;
    pthread_cond_signal(&period_changed);
    if (time && !has_flusher) {
        has_flusher = pthread_create(&thread, NULL, flush_periodically, NULL) == 0;
        if (has_flusher)
            pthread_detach(thread);
        else
            result = CUPTI_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_unlock(&period_lock);
    return result;
}
