/* SPDX-License-Identifier: MIT */
/* Records of memory that is allocated and freed: MEMORY2 for each of both, MEMORY for the two
 * together. */
#include "lock.h"
#include "tool.h"

#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 4096 };
struct allocation {
    struct allocation *next;
    uint64_t address, bytes, start;
    CUpti_ActivityMemoryKind kind;
    CUmemoryPool pool; /* NULL: of none */
};
TOOL_LOCK(lock)
static struct allocation *allocations[SLOTS]; /* guarded by lock */

static struct allocation **slot_of(uint64_t address)
{
    return &allocations[(address >> 8 ^ address >> 20) % SLOTS];
}

static void keep(const struct allocation *given)
{
    struct allocation *made = malloc(sizeof(*made));

    if (!made)
        return;
    *made = *given;
    pthread_mutex_lock(&lock);
    made->next = *slot_of(given->address);
    *slot_of(given->address) = made;
    pthread_mutex_unlock(&lock);
}

static bool take(uint64_t address, struct allocation *taken)
{
    struct allocation **slot, *found;

    pthread_mutex_lock(&lock);
    for (slot = slot_of(address); *slot && (*slot)->address != address; slot = &(*slot)->next)
        ;
    found = *slot;
    if (found)
        *slot = found->next;
    pthread_mutex_unlock(&lock);
    if (found)
        *taken = *found;
    free(found);
    return found != NULL;
}

static void record_operation(const struct cupipe_call *call, const struct allocation *memory,
                             CUpti_ActivityMemoryOperationType operation, uint32_t stream)
{
    CUpti_ActivityMemory4 record = {
        .kind = CUPTI_ACTIVITY_KIND_MEMORY2,
        .memoryOperationType = operation,
        .memoryKind = memory->kind,
        .correlationId = call->correlation,
        .address = memory->address,
        .bytes = memory->bytes,
        .timestamp = tool_time(call->end_ns),
        .processId = (uint32_t)getpid(),
        .deviceId = tool_current_device_id(),
        .contextId = tool_current_context_id(),
        .streamId = stream,
        .isAsync = stream != CUPTI_INVALID_STREAM_ID,
    };

    if (!tool_records(CUPTI_ACTIVITY_KIND_MEMORY2))
        return;
    if (memory->pool) {
        struct tool_pool pool;

        tool_describe_pool(memory->pool, &pool);
        record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
        record.memoryPoolConfig.address = pool.address;
        record.memoryPoolConfig.releaseThreshold = pool.threshold;
        record.memoryPoolConfig.pool.size = pool.bytes;
        record.memoryPoolConfig.utilizedSize = pool.used_bytes;
    }
    tool_record(&record, sizeof(record));
}

static void record_life(const struct cupipe_call *call, const struct allocation *memory)
{
    CUpti_ActivityMemory record = {
        .kind = CUPTI_ACTIVITY_KIND_MEMORY,
        .memoryKind = memory->kind,
        .address = memory->address,
        .bytes = memory->bytes,
        .start = memory->start,
        .end = tool_time(call->end_ns),
        .processId = (uint32_t)getpid(),
        .deviceId = tool_current_device_id(),
        .contextId = tool_current_context_id(),
    };

    if (tool_records(CUPTI_ACTIVITY_KIND_MEMORY))
        tool_record(&record, sizeof(record));
}

static void allocated(const struct cupipe_call *call, uint64_t address, uint64_t bytes,
                      CUpti_ActivityMemoryKind kind, uint32_t stream, CUmemoryPool pool)
{
    struct allocation memory = {
        .address = address,
        .bytes = bytes,
        .start = tool_time(call->end_ns),
        .kind = kind,
        .pool = pool,
    };

    if (pool)
        tool_pool_used(call, pool);
    record_operation(call, &memory, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, stream);
    keep(&memory);
}

/* Memory that was allocated before records were enabled is not known. */
static void freed(const struct cupipe_call *call, uint64_t address, uint32_t stream)
{
    struct allocation memory;

    if (!take(address, &memory))
        return;
    record_life(call, &memory);
    record_operation(call, &memory, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, stream);
}

static uint64_t value_at(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/* The parameters of the calls below, each 8 bytes wide: an address or a size first, then others. */
void tool_record_memory(const struct cupipe_call *call, uint32_t id)
{
    const uint64_t *params = call->params;

    if (!tool_records(CUPTI_ACTIVITY_KIND_MEMORY) && !tool_records(CUPTI_ACTIVITY_KIND_MEMORY2) &&
        !tool_records(CUPTI_ACTIVITY_KIND_MEMORY_POOL))
        return;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
        allocated(call, value_at(params[0]), params[1], CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                  CUPTI_INVALID_STREAM_ID, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: /* address, pitch, width, height */
        allocated(call, value_at(params[0]), value_at(params[1]) * params[3],
                  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_INVALID_STREAM_ID, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged:
        allocated(call, value_at(params[0]), params[1], CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
                  CUPTI_INVALID_STREAM_ID, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2:
        allocated(call, value_at(params[0]), params[1], CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                  CUPTI_INVALID_STREAM_ID, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync: /* address, bytes, stream */
        allocated(call, value_at(params[0]), params[1], CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                  tool_stream_id((CUstream)(uintptr_t)params[2], false), tool_current_pool());
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync: /* address, bytes, pool, stream */
        allocated(call, value_at(params[0]), params[1], CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                  tool_stream_id((CUstream)(uintptr_t)params[3], false),
                  (CUmemoryPool)(uintptr_t)params[2]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
        freed(call, params[0], CUPTI_INVALID_STREAM_ID);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync: /* address, stream */
        freed(call, params[0], tool_stream_id((CUstream)(uintptr_t)params[1], false));
        break;
    default:
        break;
    }
}
