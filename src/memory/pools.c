/* SPDX-License-Identifier: MIT */
#include "memory/pools.h"

#include "core/error.h"
#include "core/lock.h"
#include "device/device.h"
#include "memory/heap.h"
#include "memory/pool.h"
#include "stream/stream.h"

#include <stdlib.h>

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_POOLS);

/* Locations. */

struct pools_location {
    struct pools_location *next; /* guarded by lock */
    CUmemLocation location;
    CUmemAllocationType type;
    struct CUmemPoolHandle_st *standard;
    _Atomic(struct CUmemPoolHandle_st *) current;
};

/* Locations are never freed. Those of device memory are looked up on each allocation. */
static _Atomic(struct pools_location *) device_locations[CUP_MAX_DEVICES];
static struct pools_location *other_locations; /* guarded by lock */

/* Only devices and NUMA nodes are distinguished by id; all ids of the host are one location. */
static bool is_same(CUmemLocation a, CUmemLocation b)
{
    bool numbered =
        a.type == CU_MEM_LOCATION_TYPE_DEVICE || a.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;

    return a.type == b.type && (!numbered || a.id == b.id);
}

static bool is_device_memory(CUmemLocation location, CUmemAllocationType type)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

static struct pools_location *find_location_locked(CUmemLocation location, CUmemAllocationType type)
{
    cup_lock_assert_held(&lock);
    if (is_device_memory(location, type))
        return atomic_load(&device_locations[location.id]);
    for (struct pools_location *entry = other_locations; entry; entry = entry->next) {
        if (entry->type == type && is_same(entry->location, location))
            return entry;
    }
    return NULL;
}

static struct pools_location *location_create(CUmemLocation location, CUmemAllocationType type)
{
    CUmemPoolProps properties = {.allocType = type, .location = location};
    struct pools_location *made = calloc(1, sizeof(*made));

    if (!made || cup_pool_create(&properties, &made->standard) != CUDA_SUCCESS) {
        free(made);
        return NULL;
    }
    made->location = location;
    made->type = type;
    made->standard->is_default = true;
    atomic_store(&made->current, made->standard);
    return made;
}

static struct pools_location *location_add(CUmemLocation location, CUmemAllocationType type)
{
    struct pools_location *made = location_create(location, type);

    if (!made)
        return NULL;
    cup_lock_acquire(&lock);
    struct pools_location *entry = find_location_locked(location, type);
    if (!entry && is_device_memory(location, type)) {
        atomic_store(&device_locations[location.id], made);
    } else if (!entry) {
        made->next = other_locations;
        other_locations = made;
    }
    cup_lock_release(&lock);
    if (!entry)
        return made;
    /* Another thread has added the same location first. */
    made->standard->is_default = false;
    cup_pools_destroy(made->standard);
    free(made);
    return entry;
}

static struct pools_location *location_get(CUmemLocation location, CUmemAllocationType type)
{
    struct pools_location *entry = NULL;

    if (cup_likely(is_device_memory(location, type)))
        entry = atomic_load_explicit(&device_locations[location.id], memory_order_acquire);
    if (cup_likely(entry != NULL))
        return entry;
    cup_lock_acquire(&lock);
    entry = find_location_locked(location, type);
    cup_lock_release(&lock);
    return entry ? entry : location_add(location, type);
}

CUresult cup_pools_default(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool)
{
    struct pools_location *entry = location_get(location, type);

    if (!entry)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a default pool");
    *pool = entry->standard;
    return CUDA_SUCCESS;
}

CUresult cup_pools_current(CUmemLocation location, CUmemAllocationType type,
                           struct CUmemPoolHandle_st **pool)
{
    struct pools_location *entry = location_get(location, type);

    if (!entry)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a default pool");
    struct CUmemPoolHandle_st *current =
        atomic_load_explicit(&entry->current, memory_order_relaxed);
    if (cup_unlikely(current != entry->standard) &&
        cup_pool_find(current, &current) != CUDA_SUCCESS)
        current = entry->standard; /* it has just been destroyed */
    *pool = current;
    return CUDA_SUCCESS;
}

CUresult cup_pools_set_current(CUmemLocation location, CUmemAllocationType type,
                               struct CUmemPoolHandle_st *pool)
{
    struct pools_location *entry = location_get(location, type);

    if (!entry)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a default pool");
    if (pool->is_imported || pool->properties.allocType != type ||
        !is_same(pool->properties.location, location))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pool belongs to another location or type, or is imported");
    atomic_store(&entry->current, pool);
    return CUDA_SUCCESS;
}

static void replace(struct pools_location *entry, struct CUmemPoolHandle_st *pool)
{
    if (entry)
        atomic_compare_exchange_strong(&entry->current, &pool, entry->standard);
}

static void replace_current(struct CUmemPoolHandle_st *pool)
{
    cup_lock_acquire(&lock);
    for (unsigned i = 0; i < cup_device_count(); i++)
        replace(atomic_load(&device_locations[i]), pool);
    for (struct pools_location *entry = other_locations; entry; entry = entry->next)
        replace(entry, pool);
    cup_lock_release(&lock);
}

CUresult cup_pools_destroy(struct CUmemPoolHandle_st *pool)
{
    CUresult result = cup_pool_retire(pool);

    if (result != CUDA_SUCCESS)
        return result;
    replace_current(pool);
    cup_pools_touch();
    cup_pool_unref(pool); /* the handle's */
    return CUDA_SUCCESS;
}

/* Memory that is to be freed late. */

struct late {
    struct late *next;
    uint64_t address;
    uint64_t buffer_id;     /* if it no longer exists, another call has freed it */
    struct cup_point point; /* a reference on the stream is held */
};

enum { LATE_MAX = 64 }; /* beyond this they are examined without a synchronisation */

static struct late *late_first; /* guarded by lock */
static unsigned late_count;     /* guarded by lock */

/* Removes from the list, and returns, the entries that can be freed now. */
static struct late *late_take(void)
{
    struct late *reached = NULL;

    cup_lock_acquire(&lock);
    for (struct late **link = &late_first; *link;) {
        struct late *late = *link;
        if (!cup_point_reached(late->point)) {
            link = &late->next;
            continue;
        }
        *link = late->next;
        late->next = reached;
        reached = late;
        late_count--;
    }
    cup_lock_release(&lock);
    return reached;
}

static void late_free(void)
{
    struct late *next;

    for (struct late *late = late_take(); late; late = next) {
        struct cup_heap *heap = (struct cup_heap *)cup_map_region(late->address);
        cup_heap_free_exactly(heap, late->address, late->buffer_id);
        next = late->next;
        cup_stream_unref(late->point.stream);
        free(late);
    }
}

CUresult cup_pools_free_late(uint64_t address, struct CUstream_st *stream)
{
    struct late *late = malloc(sizeof(*late));
    struct cup_range range;

    if (!late)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record a free");
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    if (cup_map_describe(address, &range) && range.base == address)
        result = cup_pool_location(stream, &late->point);
    if (result != CUDA_SUCCESS) {
        free(late);
        return cup_error(result, "0x%llx cannot be freed", (unsigned long long)address);
    }
    late->address = address;
    late->buffer_id = range.buffer_id;
    cup_stream_ref(stream);
    cup_lock_acquire(&lock);
    late->next = late_first;
    late_first = late;
    bool many = ++late_count > LATE_MAX;
    cup_lock_release(&lock);
    cup_pools_touch();
    if (many)
        late_free();
    return CUDA_SUCCESS;
}

/* Another stream may reuse memory whose free was reached without an order between the two streams
 * only if the pool's attributes allow it; what the program has waited for is ordered. */
static void release(struct CUmemPoolHandle_st *pool, struct CUstream_st *stream)
{
    uint64_t threshold = atomic_load(&pool->release_threshold);

    cup_pool_collect(pool, atomic_load(&pool->opportunistic) ? NULL : stream);
    if (!pool->is_imported)
        cup_pool_arena_trim(&pool->pool_arena, threshold);
    if (!cup_free_queue_is_empty(&pool->free_queue))
        cup_pools_touch();
}

void cup_pools_release(struct CUstream_st *stream)
{
    struct CUmemPoolHandle_st *pool, *next;

    atomic_store(&cup_pools_touched, false);
    late_free();
    for (pool = cup_pool_list_next(NULL); pool; pool = next) {
        release(pool, stream);
        next = cup_pool_list_next(pool);
        cup_pool_unref(pool);
    }
    cup_lock_acquire(&lock);
    bool later = late_first != NULL;
    cup_lock_release(&lock);
    if (later)
        cup_pools_touch();
}
