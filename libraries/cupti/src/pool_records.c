/* SPDX-License-Identifier: MIT */
/* Records of memory pools that are created, trimmed and destroyed. A device's default pool counts
 * as created when memory is first taken from it. */
#include "lock.h"
#include "tool.h"

#include <stdlib.h>
#include <unistd.h>

struct known_pool {
    struct known_pool *next;
    CUmemoryPool pool;
};

TOOL_LOCK(lock)
static struct known_pool *pools; /* guarded by lock; those whose creation is recorded */

static uint64_t pool_number(CUmemoryPool pool, CUmemPool_attribute attribute)
{
    uint64_t value = 0;

    lib_driver()->pool_get_attribute(pool, attribute, &value);
    return value;
}

void tool_describe_pool(CUmemoryPool pool, struct tool_pool *description)
{
    *description = (struct tool_pool){
        .address = (uint64_t)(uintptr_t)pool,
        .threshold = pool_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD),
        .bytes = pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT),
        .used_bytes = pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
    };
}

static void record(const struct cupipe_call *call, CUmemoryPool pool,
                   CUpti_ActivityMemoryPoolOperationType operation, size_t kept_bytes)
{
    struct tool_pool now;

    if (!tool_records(CUPTI_ACTIVITY_KIND_MEMORY_POOL))
        return;
    tool_describe_pool(pool, &now);
    CUpti_ActivityMemoryPool3 made = {
        .kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL,
        .memoryPoolOperationType = operation,
        .memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL,
        .correlationId = call->correlation,
        .processId = (uint32_t)getpid(),
        .deviceId = tool_current_device_id(),
        .minBytesToKeep = kept_bytes,
        .address = now.address,
        .size = now.bytes,
        .releaseThreshold = now.threshold,
        .timestamp = tool_time(call->has_ended ? call->end_ns : call->start_ns),
        .utilizedSize = now.used_bytes,
    };
    tool_record(&made, sizeof(made));
}

/* False: it was known. */
static bool know(CUmemoryPool pool)
{
    struct known_pool *each;

    pthread_mutex_lock(&lock);
    for (each = pools; each && each->pool != pool; each = each->next)
        ;
    struct known_pool *made = each ? NULL : malloc(sizeof(*made));
    if (made) {
        *made = (struct known_pool){pools, pool};
        pools = made;
    }
    pthread_mutex_unlock(&lock);
    return made != NULL;
}

static void forget(CUmemoryPool pool)
{
    struct known_pool **slot = &pools, *gone;

    pthread_mutex_lock(&lock);
    while (*slot && (*slot)->pool != pool)
        slot = &(*slot)->next;
    gone = *slot;
    if (gone)
        *slot = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
}

void tool_pool_used(const struct cupipe_call *call, CUmemoryPool pool)
{
    if (know(pool))
        record(call, pool, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED, 0);
}

CUmemoryPool tool_current_pool(void)
{
    CUmemoryPool pool = NULL;

    lib_driver()->device_get_pool(&pool, (CUdevice)tool_current_device_id());
    return pool;
}

static bool records_pools(void)
{
    return tool_records(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
}

/* Of a call that has succeeded. */
void tool_record_pool(const struct cupipe_call *call, uint32_t id)
{
    void *const *params = call->params;

    if (!records_pools())
        return;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuMemPoolCreate) /* pool, properties */
        tool_pool_used(call, *(const CUmemoryPool *)params[0]);
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuMemPoolTrimTo) /* pool, bytes */
        record(call, (CUmemoryPool)params[0], CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED,
               (size_t)params[1]);
}

/* A pool is described before it goes. */
void tool_record_pool_destruction(const struct cupipe_call *call, uint32_t id)
{
    if (id != CUPTI_DRIVER_TRACE_CBID_cuMemPoolDestroy || !records_pools())
        return;
    CUmemoryPool pool = *(const CUmemoryPool *)call->params;
    if (!pool)
        return;
    record(call, pool, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED, 0);
    forget(pool);
}
