/* SPDX-License-Identifier: MIT */
#include "memory/pool.h"

#include "core/checks.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/heap.h"
#include "memory/heap_file.h"
#include "memory/managed.h"
#include "memory/pinned.h"
#include "memory/pool_file.h"
#include "memory/pool_list.h"
#include "os/clock.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

enum { GUARDED_WAITS = 2000 }; /* a millisecond each */

/* Creation and destruction. */

static void pool_finish(struct cup_object *object)
{
    struct CUmemPoolHandle_st *pool = (struct CUmemPoolHandle_st *)object;

    cup_object_retire(object, CUP_RETIRED_DESTROYED);
    cup_pool_list_remove(pool);
    cup_pool_arena_finish(&pool->pool_arena);
    cup_free_queue_finish(&pool->free_queue);
    if (pool->file)
        cup_pool_file_close(pool->file);
}

void cup_pool_register(void)
{
    cup_object_register(CUP_OBJECT_POOL, sizeof(struct CUmemPoolHandle_st), pool_finish);
}

/* The heap of a pool that is not shared; NULL if there is none for its location. */
static struct cup_heap *home_of(const CUmemPoolProps *properties)
{
    if (properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
        return cup_managed_heap();
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return cup_device_get(properties->location.id)->heap;
    return cup_pinned_heap();
}

static struct CUmemPoolHandle_st *pool_new(const CUmemPoolProps *properties)
{
    struct CUmemPoolHandle_st *pool =
        (struct CUmemPoolHandle_st *)cup_object_create(CUP_OBJECT_POOL);

    if (!pool)
        return NULL;
    pool->properties = *properties;
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        pool->device = cup_device_get(properties->location.id);
        atomic_store(&pool->accessible, UINT64_C(1) << pool->device->ordinal);
    }
    if (properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
        atomic_store(&pool->accessible, ~UINT64_C(0));
    atomic_store(&pool->follow_events, 1);
    atomic_store(&pool->opportunistic, 1);
    atomic_store(&pool->internal_dependencies, 1);
    cup_free_queue_init(&pool->free_queue);
    return pool;
}

static bool fill(struct CUmemPoolHandle_st *pool, struct cup_heap *home)
{
    uint64_t limit = pool->properties.maxSize ? pool->properties.maxSize : home->limit_bytes;

    if (!(pool->properties.handleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
        return cup_pool_arena_init(&pool->pool_arena, home, NULL, cup_object_index(&pool->base),
                                   limit);
    pool->file = cup_pool_file_create(&pool->properties, limit);
    return pool->file && cup_pool_arena_init(&pool->pool_arena, cup_pool_file_heap(pool->file),
                                             home, cup_object_index(&pool->base), limit);
}

static CUresult publish(struct CUmemPoolHandle_st *made, bool filled,
                        struct CUmemPoolHandle_st **pool)
{
    cup_pool_list_add(made);
    if (!filled) {
        cup_pool_unref(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory or address space for a pool");
    }
    if (made->device && made->properties.allocType != CU_MEM_ALLOCATION_TYPE_MANAGED)
        cup_pool_arena_set_access(&made->pool_arena, &made->accessible);
    cup_object_publish(&made->base);
    *pool = made;
    return CUDA_SUCCESS;
}

CUresult cup_pool_create(const CUmemPoolProps *properties, struct CUmemPoolHandle_st **pool)
{
    struct cup_heap *home = home_of(properties);
    struct CUmemPoolHandle_st *made = home ? pool_new(properties) : NULL;

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a pool");
    return publish(made, fill(made, home), pool);
}

CUresult cup_pool_create_imported(const CUmemPoolProps *properties, struct cup_pool_file *file,
                                  struct CUmemPoolHandle_st **pool)
{
    struct CUmemPoolHandle_st *made = pool_new(properties);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a pool");
    made->is_imported = true;
    bool filled = cup_pool_arena_init(&made->pool_arena, cup_pool_file_heap(file), NULL,
                                      cup_object_index(&made->base), 0);
    if (filled)
        made->file = file;
    return publish(made, filled, pool);
}

void cup_pool_set_access(struct CUmemPoolHandle_st *pool, const struct cup_device *device,
                         bool allowed)
{
    uint64_t bit = UINT64_C(1) << device->ordinal;

    if (allowed)
        atomic_fetch_or(&pool->accessible, bit);
    else
        atomic_fetch_and(&pool->accessible, ~bit);
    if (pool->pool_arena.accessible)
        cup_pool_arena_set_access(&pool->pool_arena, &pool->accessible);
}

CUresult cup_pool_find(CUmemoryPool handle, struct CUmemPoolHandle_st **pool)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_POOL, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a memory pool", (void *)handle);
    *pool = (struct CUmemPoolHandle_st *)object;
    return CUDA_SUCCESS;
}

CUresult cup_pool_find_own(CUmemoryPool handle, struct CUmemPoolHandle_st **pool)
{
    CUresult result = cup_pool_find(handle, pool);

    if (result != CUDA_SUCCESS || !(*pool)->is_imported)
        return result;
    cup_pool_unref(*pool);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the pool belongs to another process");
}

CUresult cup_pool_retire(struct CUmemPoolHandle_st *pool)
{
    if (pool->is_default)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a default pool cannot be destroyed");
    if (atomic_load(&pool->imports) != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%u pointers imported from the pool are not freed",
                         atomic_load(&pool->imports));
    if (!cup_object_retire(&pool->base, CUP_RETIRED_DESTROYED))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "another thread has destroyed the pool");
    return CUDA_SUCCESS;
}

/* An allocation, and memory whose free was not reached, hold a reference on the pool. */
static void keep(struct CUmemPoolHandle_st *pool)
{
    if (!pool->is_default)
        cup_object_ref(&pool->base);
}

static void let_go(struct CUmemPoolHandle_st *pool)
{
    if (!pool->is_default)
        cup_pool_unref(pool);
}

/* Allocating. */

void cup_pool_collect(struct CUmemPoolHandle_st *pool, struct CUstream_st *stream)
{
    struct cup_freed freed;

    while (cup_free_queue_next_reached(&pool->free_queue, stream, &freed)) {
        cup_arena_return(&pool->pool_arena.arena, freed.address, freed.held_bytes);
        cup_stream_unref(freed.point.stream);
        let_go(pool);
    }
}

/* For CUPIPE_CHECK=init: work that was submitted before still reads what the memory holds. */
struct forget_job {
    struct cup_job base;
    uint64_t address, size_bytes;
};

static CUresult forget_run(struct cup_job *base, CUresult failed)
{
    const struct forget_job *job = (const struct forget_job *)base;

    (void)failed;
    cup_check_uninitialised(job->address, job->size_bytes);
    return CUDA_SUCCESS;
}

static void forget_release(struct cup_job *base)
{
    free(base);
}

/* Without memory for the job, the contents count as written. */
static void forget_in_order(struct CUstream_st *stream, uint64_t address, uint64_t size_bytes)
{
    struct forget_job *job = malloc(sizeof(*job));

    if (!job)
        return;
    *job = (struct forget_job){
        .base = {.kind = CUP_JOB_WORK,
                 .name = "allocate",
                 .run = forget_run,
                 .release = forget_release},
        .address = address,
        .size_bytes = size_bytes,
    };
    cup_stream_submit(stream, &job->base, NULL);
}

/* Takes memory whose free was not reached, and makes the stream wait if necessary. With redzones,
 * freed memory goes through the quarantine instead. */
static bool reuse(struct CUmemPoolHandle_st *pool, const struct cup_arena_request *request,
                  struct CUstream_st *stream, enum cup_free_queue_choice choice, uint64_t *address)
{
    struct cup_freed freed;

    if (cup_free_queue_is_empty(&pool->free_queue) || cup_checks.redzones ||
        !cup_free_queue_take(&pool->free_queue, stream, choice,
                             cup_arena_held_bytes(request->size_bytes), &freed))
        return false;
    if (choice == CUP_FREE_QUEUE_ANY)
        cup_check_stream_waits_stream(stream, freed.point.stream);
    bool ordered =
        choice != CUP_FREE_QUEUE_ANY || cup_stream_wait_point(stream, freed.point) == CUDA_SUCCESS;
    if (ordered) {
        cup_arena_reuse(&pool->pool_arena.arena, request, freed.address);
        if (cup_checks.uninitialised)
            forget_in_order(stream, freed.address, request->size_bytes);
        *address = freed.address;
    } else {
        /* Out of memory for the wait job: the caller waits, after which the memory is free. */
        cup_point_wait(freed.point);
        cup_arena_return(&pool->pool_arena.arena, freed.address, freed.held_bytes);
    }
    cup_stream_unref(freed.point.stream);
    if (freed.whole)
        let_go(pool);
    return ordered;
}

static bool is_on(_Atomic(int) *policy)
{
    return atomic_load_explicit(policy, memory_order_relaxed) != 0;
}

/* Tries the kinds of reuse in the order of the manual, the cheapest first. The stream is made to
 * wait for another stream only when the device has no more memory. */
static bool allocate_slowly(struct CUmemPoolHandle_st *pool,
                            const struct cup_arena_request *request, struct CUstream_st *stream,
                            uint64_t *address)
{
    struct cup_arena *arena = &pool->pool_arena.arena;

    if (!cup_free_queue_is_empty(&pool->free_queue)) {
        if (is_on(&pool->follow_events) &&
            reuse(pool, request, stream, CUP_FREE_QUEUE_FOLLOWED, address))
            return true;
        if (is_on(&pool->opportunistic)) {
            cup_pool_collect(pool, NULL);
            if (cup_arena_allocate(arena, request, false, address))
                return true;
        }
    }
    if (cup_arena_allocate(arena, request, true, address))
        return true;
    if (is_on(&pool->internal_dependencies) &&
        reuse(pool, request, stream, CUP_FREE_QUEUE_ANY, address))
        return true;
    /* Blocks that are not adjacent may become so once they are returned to the heap. */
    return cup_pool_arena_trim(&pool->pool_arena, 0) &&
           cup_arena_allocate(arena, request, true, address);
}

/* With redzones, memory cannot be reused before streams reach its free. A caller that finds no
 * other memory waits for it, with a limit, because the stream may wait for the caller. Returns true
 * if there is some. */
static _Atomic(uint32_t) redzone_frees; /* frees that streams have not reached */

static bool wait_for_redzone_frees(void)
{
    uint32_t before = atomic_load(&redzone_frees);

    for (int i = 0; before && i < GUARDED_WAITS && atomic_load(&redzone_frees) >= before; i++)
        cup_clock_sleep_ns(1000000);
    return atomic_load(&redzone_frees) < before;
}

CUresult cup_pool_allocate(struct CUmemPoolHandle_st *pool, uint64_t size_bytes,
                           struct CUstream_st *stream, uint64_t *address)
{
    struct cup_arena_request request = cup_pool_arena_request(&pool->pool_arena, size_bytes);
    bool is_number = cup_arena_held_bytes(size_bytes) >= size_bytes;

    while (is_number) {
        if (reuse(pool, &request, stream, CUP_FREE_QUEUE_OWN, address) ||
            cup_likely(cup_arena_allocate(&pool->pool_arena.arena, &request, false, address)) ||
            allocate_slowly(pool, &request, stream, address)) {
            keep(pool);
            return CUDA_SUCCESS;
        }
        if (!cup_check_quarantine_emptied() && !wait_for_redzone_frees())
            break;
    }
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes requested from a pool of at most %llu",
                     (unsigned long long)size_bytes,
                     (unsigned long long)pool->pool_arena.limit_bytes);
}

/* Freeing. */

static CUresult marker_run(struct cup_job *job, CUresult failed)
{
    (void)job;
    (void)failed;
    return CUDA_SUCCESS;
}

static void marker_release(struct cup_job *job)
{
    free(job);
}

/* A free in a stream that must first follow other streams gets a job of its own as its point. */
static CUresult place_job(struct CUstream_st *stream, struct cup_point *point)
{
    struct cup_job now = {.kind = CUP_JOB_WORK, .name = "free", .run = marker_run};

    if (cup_stream_enter(stream)) {
        *point = cup_stream_tail(stream);
        cup_stream_run_now(stream, &now);
        return CUDA_SUCCESS;
    }
    struct cup_job *job = calloc(1, sizeof(*job));
    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to free in stream order");
    *job = now;
    job->release = marker_release;
    return cup_stream_submit(stream, job, point);
}

/* If the context has no pending work, everything submitted has run. Otherwise the point is the end
 * of the stream, after the waits that the default-stream rules require. */
CUresult cup_pool_location(struct CUstream_st *stream, struct cup_point *point)
{
    *point = cup_stream_tail(stream);
    if (!stream->blocking || cup_likely(atomic_load(&stream->context->busy_streams) == 0))
        return CUDA_SUCCESS;
    return place_job(stream, point);
}

/* Memory whose free the stream has not reached is held and returned when it is reached. */
static CUresult free_in_order(struct CUmemPoolHandle_st *pool, uint64_t address,
                              struct cup_point point)
{
    uint64_t held;

    if (!cup_arena_end(&pool->pool_arena.arena, address, CUP_BUFFER_ANY, true, &held))
        return CUDA_ERROR_INVALID_VALUE;
    if (cup_free_queue_add(&pool->free_queue, point, address, held))
        return CUDA_SUCCESS;
    cup_point_wait(point); /* out of memory for the queue entry */
    cup_arena_return(&pool->pool_arena.arena, address, held);
    let_go(pool);
    return CUDA_SUCCESS;
}

/* cuMemFree returns the memory but does not change the count of used bytes, as recorded of NVIDIA's
 * driver. */
static CUresult free_now(struct CUmemPoolHandle_st *pool, uint64_t address, bool counts)
{
    uint64_t held;

    if (pool->is_imported
            ? !cup_arena_end(&pool->pool_arena.arena, address, CUP_BUFFER_ANY, false, &held)
            : !cup_arena_free(&pool->pool_arena.arena, address, CUP_BUFFER_ANY, counts))
        return CUDA_ERROR_INVALID_VALUE;
    if (pool->is_imported)
        atomic_fetch_sub(&pool->imports, 1);
    let_go(pool);
    return CUDA_SUCCESS;
}

/* With redzones the memory becomes inaccessible when the stream reaches the free, and goes into
 * quarantine. */
struct redzone_free {
    struct cup_job base;
    struct cup_quarantined kept;
    bool done;
};

static CUresult redzone_free_run(struct cup_job *base, CUresult failed)
{
    struct redzone_free *job = (struct redzone_free *)base;

    (void)failed;
    cup_check_quarantined(&job->kept);
    job->done = true;
    atomic_fetch_sub(&redzone_frees, 1);
    return CUDA_SUCCESS;
}

static void redzone_free_release(struct cup_job *base)
{
    if (!((struct redzone_free *)base)->done) /* it was never taken */
        redzone_free_run(base, CUDA_SUCCESS);
    free(base);
}

static void kept_release(const struct cup_quarantined *kept)
{
    struct CUmemPoolHandle_st *pool = kept->owner;

    cup_arena_return(&pool->pool_arena.arena, kept->begin, kept->end - kept->begin);
    let_go(pool);
}

static CUresult free_guarded(struct CUmemPoolHandle_st *pool, uint64_t address,
                             struct CUstream_st *stream)
{
    struct redzone_free now = {
        .base = {.kind = CUP_JOB_WORK, .name = "free", .run = redzone_free_run},
        .kept = {.address = address, .owner = pool, .release = kept_release},
    };
    uint64_t held;

    if (!cup_arena_end(&pool->pool_arena.arena, address, CUP_BUFFER_ANY, stream != NULL, &held))
        return CUDA_ERROR_INVALID_VALUE;
    now.kept.begin = cup_arena_held_begin(address, held);
    now.kept.end = now.kept.begin + held;
    atomic_fetch_add(&redzone_frees, 1);
    struct redzone_free *job = stream ? malloc(sizeof(*job)) : NULL;
    if (!job) {
        if (stream)
            cup_stream_synchronize(stream);
        return redzone_free_run(&now.base, CUDA_SUCCESS);
    }
    now.base.release = redzone_free_release;
    *job = now;
    return cup_stream_submit(stream, &job->base, NULL);
}

static CUresult free_from(struct CUmemPoolHandle_st *pool, uint64_t address,
                          struct CUstream_st *stream)
{
    struct cup_point point;

    if (pool->pool_arena.heap->metadata.kind == CUP_RANGE_MANAGED)
        cup_managed_forget(address);
    if (pool->file && !pool->is_imported)
        cup_pool_file_forget(pool->file, address);
    if (cup_unlikely(cup_checks.redzones) && !pool->is_imported)
        return free_guarded(pool, address, stream);
    if (!stream || pool->is_imported)
        return free_now(pool, address, false);
    CUresult result = cup_pool_location(stream, &point);
    if (result != CUDA_SUCCESS)
        return result;
    if (cup_likely(is_on(&pool->opportunistic) && cup_point_reached(point)))
        return free_now(pool, address, true);
    return free_in_order(pool, address, point);
}

/* The allocation and its pool may end concurrently; the check then reads the pool's object slot,
 * which stays valid. A heap that ends with its pool, which is never a default pool, may be gone,
 * too. */
static CUresult free_in_file(uint64_t address, struct CUstream_st *stream)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    uint32_t owner = cup_heap_file_owner(address);

    if (owner == CUP_OWNER_NONE)
        return result;
    struct CUmemPoolHandle_st *pool = (struct CUmemPoolHandle_st *)cup_object_at(owner);
    if (pool->base.type != CUP_OBJECT_POOL || !cup_object_try_ref(&pool->base))
        return result;
    struct cup_heap *heap = pool->pool_arena.heap;
    if (pool->file && address - heap->region.base < heap->region.size_bytes)
        result = free_from(pool, address, stream);
    cup_pool_unref(pool);
    return result;
}

static CUresult free_in_heap(struct cup_heap *heap, uint64_t address, struct CUstream_st *stream)
{
    struct CUmemPoolHandle_st *pool =
        (struct CUmemPoolHandle_st *)cup_object_at(cup_heap_owner(heap, address));
    CUresult result = CUDA_ERROR_INVALID_VALUE;

    if (pool->base.type != CUP_OBJECT_POOL)
        return result;
    if (cup_likely(pool->is_default))
        return free_from(pool, address, stream);
    if (cup_object_try_ref(&pool->base)) {
        if (pool->pool_arena.heap == heap)
            result = free_from(pool, address, stream);
        cup_pool_unref(pool);
    }
    return result;
}

CUresult cup_pool_free(uint64_t address, struct CUstream_st *stream)
{
    struct cup_region *region = cup_map_region(address);
    CUresult result;

    if (cup_likely(region && region->find == cup_heap_find))
        result = free_in_heap((struct cup_heap *)region, address, stream);
    else
        result = free_in_file(address, stream);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return cup_error(result, "0x%llx was freed by another thread", (unsigned long long)address);
    cup_pools_touch();
    return result;
}

void cup_pool_trim(struct CUmemPoolHandle_st *pool, uint64_t keep_bytes)
{
    cup_pool_collect(pool, NULL);
    cup_pool_arena_trim(&pool->pool_arena, keep_bytes);
}

/* Sharing. */

CUresult cup_pool_export_pointer(const struct cup_range *range, CUmemPoolPtrExportData *data)
{
    struct CUmemPoolHandle_st *pool = (struct CUmemPoolHandle_st *)cup_object_at(range->owner);
    CUresult result = CUDA_ERROR_INVALID_VALUE;

    if (!cup_object_try_ref(&pool->base))
        return cup_error(result, "the memory was freed by another thread");
    if (pool->file && !pool->is_imported && atomic_load(&pool->is_exported))
        result = cup_pool_file_export_pointer(pool->file, range->base, range->size_bytes, data);
    cup_pool_unref(pool);
    return result == CUDA_SUCCESS ? result : cup_error(result, "the pool cannot be exported");
}

CUresult cup_pool_import_pointer(struct CUmemPoolHandle_st *pool,
                                 const CUmemPoolPtrExportData *data, uint64_t *address)
{
    struct cup_arena_request request = cup_pool_arena_request(&pool->pool_arena, 0);

    if (!pool->is_imported)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pool was not imported");
    CUresult result = cup_pool_file_find_pointer(pool->file, data, address, &request.size_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    keep(pool);
    if (cup_arena_adopt(&pool->pool_arena.arena, &request, *address))
        atomic_fetch_add(&pool->imports, 1);
    else
        let_go(pool); /* imported before: the same allocation again */
    return CUDA_SUCCESS;
}

bool cup_pool_reserved_is_zero(const CUmemPoolProps *properties)
{
    static const unsigned char zero[sizeof(properties->reserved)];

    return memcmp(properties->reserved, zero, sizeof(zero)) == 0 &&
           (!properties->gpuDirectRDMACapable || cup_driver_has(13040));
}
