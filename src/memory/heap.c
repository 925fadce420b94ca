/* SPDX-License-Identifier: MIT */
/* Allocating and freeing. Two levels of the same kind (extents.h): chunks of the heap's space
 * (heap_chunks.c), and granules of the chunks that small requests share. The bookkeeping is kept
 * apart from the memory it describes, in arrays over the whole heap that are committed only where
 * they are used. */
#include "memory/heap.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/thread.h"
#include "device/notification.h"
#include "memory/redzone.h"
#include "memory/share.h"

enum {
    EMPTY_CHUNKS_KEPT =
        1,      /* a shard's: so that allocating and freeing in turn needs no system call */
    ANY_ID = 0, /* of no allocation: ids begin with 1 */
};

uint64_t cup_heap_free_bytes(struct cup_heap *heap)
{
    uint64_t used = atomic_load(&heap->charged_bytes);

    for (int i = 0; i < CUP_HEAP_SHARDS; i++)
        used -= (uint64_t)atomic_load_explicit(&heap->shards[i].empty_chunks, memory_order_relaxed)
                << CUP_CHUNK_SHIFT;
    return heap->limit_bytes - used;
}

/* Counts memory as used; false when it would be more than there is. */
static bool charge_once(struct cup_heap *heap, uint64_t bytes)
{
    uint64_t charged = atomic_load_explicit(&heap->charged_bytes, memory_order_relaxed);

    do {
        if (bytes > heap->limit_bytes - charged)
            return false;
    } while (!atomic_compare_exchange_weak(&heap->charged_bytes, &charged, charged + bytes));
    if (cup_unlikely(heap->budget_bytes != 0) && charged <= heap->budget_bytes &&
        charged + bytes > heap->budget_bytes)
        cup_notification_over_budget(heap->device, charged + bytes - heap->budget_bytes);
    return true;
}

void cup_heap_discharge(struct cup_heap *heap, uint64_t bytes)
{
    atomic_fetch_sub(&heap->charged_bytes, bytes);
}

struct heap_request {
    uint64_t size_bytes;
    uint32_t owner;
    unsigned flags;
};

/* Writes an allocation's facts and, last, the bit that makes it one. A chunk's words are changed
 * under its shard's lock, or by the one thread that has just taken the chunk. */
void cup_heap_publish(struct cup_heap *heap, uint32_t granule, uint64_t size_bytes, uint32_t owner,
                      unsigned flags)
{
    uint64_t bit = UINT64_C(1) << (granule % 64);
    _Atomic(uint64_t) *word = &heap->start_bits[granule / 64];
    uint32_t size = size_bytes <= CUP_SMALL_BYTES_MAX ? (uint32_t)size_bytes : 0;

    heap->chunks[granule / CUP_CHUNK_GRANULES].written++;
    atomic_store_explicit(&heap->size_flags[granule], flags << CUP_SIZE_FLAGS_SIZE_BITS | size,
                          memory_order_release);
    atomic_store_explicit(&heap->buffer_ids[granule], cup_map_next_id(), memory_order_release);
    atomic_store_explicit(&heap->owners[granule], owner, memory_order_release);
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) | bit,
                          memory_order_release);
}

static void publish(struct cup_heap *heap, uint32_t granule, const struct heap_request *request)
{
    cup_heap_publish(heap, granule, request->size_bytes, request->owner, request->flags);
}

bool cup_heap_unpublish(struct cup_heap *heap, uint32_t granule)
{
    uint64_t bit = UINT64_C(1) << (granule % 64);
    _Atomic(uint64_t) *word = &heap->start_bits[granule / 64];
    uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

    if (!(bits & bit))
        return false;
    atomic_store_explicit(word, bits & ~bit, memory_order_release);
    return true;
}

static void count_empty_locked(struct cup_shard *shard, int by)
{
    uint32_t empty = atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed);

    atomic_store_explicit(&shard->empty_chunks, empty + (uint32_t)by, memory_order_relaxed);
}

/* A fresh chunk for the shard's small requests, charged. */
static bool shard_grow_locked(struct cup_heap *heap, uint32_t index)
{
    struct cup_shard *shard = &heap->shards[index];
    uint32_t first;

    if (!charge_once(heap, CUP_CHUNK_BYTES))
        return false;
    uint32_t chunk = cup_heap_chunks_take(heap, 1);
    if (chunk == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, CUP_CHUNK_BYTES);
        return false;
    }
    atomic_store_explicit(&heap->chunks[chunk].shard, index, memory_order_relaxed);
    heap->chunks[chunk].used_granules = 0;
    atomic_store_explicit(&heap->chunks[chunk].id, cup_map_next_block_id(), memory_order_relaxed);
    atomic_store_explicit(&heap->chunks[chunk].role, CUP_CHUNK_SMALL, memory_order_release);
    cup_extents_give(&shard->granules, chunk * CUP_CHUNK_GRANULES, CUP_CHUNK_GRANULES,
                     chunk * CUP_CHUNK_GRANULES, (chunk + 1) * CUP_CHUNK_GRANULES, &first);
    count_empty_locked(shard, 1);
    return true;
}

static uint32_t granules_take_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t count)
{
    uint32_t granule = cup_extents_take(&shard->granules, count);

    if (granule == CUP_EXTENT_NONE)
        return granule;
    struct cup_chunk *chunk = &heap->chunks[granule / CUP_CHUNK_GRANULES];
    if (chunk->used_granules == 0)
        count_empty_locked(shard, -1);
    chunk->used_granules += count;
    return granule;
}

/* An empty chunk leaves the shard. Once the lock is released it is to be given back. */
static void chunk_leave_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t chunk)
{
    cup_extents_remove(&shard->granules, chunk * CUP_CHUNK_GRANULES);
    atomic_store_explicit(&heap->chunks[chunk].role, CUP_CHUNK_FREE, memory_order_release);
}

static uint32_t granule_count(uint64_t size_bytes)
{
    return (uint32_t)((size_bytes + CUP_GRANULE_BYTES - 1) >> CUP_GRANULE_SHIFT);
}

static uint32_t small_granules(uint64_t size_bytes)
{
    return cup_unlikely(cup_redzones_enabled) ? cup_redzone_small_granules(size_bytes)
                                              : granule_count(size_bytes);
}

static uint64_t large_bytes(uint64_t size_bytes)
{
    return cup_unlikely(cup_redzones_enabled)
               ? cup_redzone_large_bytes(size_bytes)
               : (size_bytes + CUP_CHUNK_BYTES - 1) & ~(uint64_t)(CUP_CHUNK_BYTES - 1);
}

/* One attempt in one shard. */
static bool allocate_in_shard(struct cup_heap *heap, uint32_t index, bool may_grow,
                              const struct heap_request *request, uint64_t *address)
{
    struct cup_shard *shard = &heap->shards[index];
    uint32_t count = small_granules(request->size_bytes);

    cup_lock_acquire(&shard->lock);
    uint32_t granule = granules_take_locked(heap, shard, count);
    if (cup_unlikely(granule == CUP_EXTENT_NONE) && may_grow && shard_grow_locked(heap, index))
        granule = granules_take_locked(heap, shard, count);
    if (cup_likely(granule != CUP_EXTENT_NONE)) {
        if (cup_unlikely(cup_redzones_enabled)) {
            granule += cup_redzone_leading_granules(request->size_bytes);
            cup_redzone_place(heap, cup_heap_address(heap, granule), request->size_bytes,
                              request->flags, false);
        }
        publish(heap, granule, request);
        *address = cup_heap_address(heap, granule);
    }
    cup_lock_release(&shard->lock);
    return granule != CUP_EXTENT_NONE;
}

/* Where a thread's requests for a context go. Contexts, and flags within one, are kept apart:
 * NVIDIA's driver never lets them share a chunk, here they seldom do. */
static uint32_t home_shard(const struct heap_request *request)
{
    uint64_t mixed =
        ((uint64_t)request->owner << 32 | request->flags) * UINT64_C(0x9e3779b97f4a7c15);

    return (cup_thread_id() + (uint32_t)(mixed >> 60)) % CUP_HEAP_SHARDS;
}

/* Gives back the chunks shards keep empty: memory is short. True if there were any. */
static bool shards_trim(struct cup_heap *heap)
{
    bool trimmed = false;

    for (uint32_t index = 0; index < CUP_HEAP_SHARDS; index++) {
        struct cup_shard *shard = &heap->shards[index];
        uint32_t granule = CUP_EXTENT_NONE;
        cup_lock_acquire(&shard->lock);
        if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed)) {
            granule = cup_extents_take(&shard->granules, CUP_CHUNK_GRANULES); /* the whole chunk */
            count_empty_locked(shard, -1);
            atomic_store_explicit(&heap->chunks[granule / CUP_CHUNK_GRANULES].role, CUP_CHUNK_FREE,
                                  memory_order_release);
        }
        cup_lock_release(&shard->lock);
        if (granule == CUP_EXTENT_NONE)
            continue;
        cup_heap_chunks_return(heap, granule / CUP_CHUNK_GRANULES, 1);
        cup_heap_discharge(heap, CUP_CHUNK_BYTES);
        trimmed = true;
    }
    return trimmed;
}

static bool allocate_small(struct cup_heap *heap, const struct heap_request *request,
                           uint64_t *address)
{
    uint32_t home = home_shard(request);

    if (cup_likely(allocate_in_shard(heap, home, true, request, address)))
        return true;
    /* The heap is full: the other shards may have room in chunks they already hold. */
    for (uint32_t i = 1; i < CUP_HEAP_SHARDS; i++) {
        if (allocate_in_shard(heap, (home + i) % CUP_HEAP_SHARDS, false, request, address))
            return true;
    }
    return false;
}

bool cup_heap_charge(struct cup_heap *heap, uint64_t bytes)
{
    while (!charge_once(heap, bytes)) {
        if (!shards_trim(heap))
            return false;
    }
    return true;
}

static bool allocate_large(struct cup_heap *heap, const struct heap_request *request,
                           uint64_t *address)
{
    uint64_t bytes = large_bytes(request->size_bytes);
    uint32_t count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);

    if (bytes < request->size_bytes || bytes > heap->limit_bytes || !cup_heap_charge(heap, bytes))
        return false;
    uint32_t first = cup_heap_chunks_take(heap, count);
    if (first == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, bytes);
        return false;
    }
    atomic_store_explicit(&heap->chunks[first].id, cup_map_next_block_id(), memory_order_relaxed);
    atomic_store_explicit(&heap->chunks[first].large_bytes, request->size_bytes,
                          memory_order_release);
    uint32_t granule = first * CUP_CHUNK_GRANULES;
    if (cup_unlikely(cup_redzones_enabled)) {
        granule += cup_redzone_leading_granules(request->size_bytes);
        cup_redzone_place(heap, cup_heap_address(heap, granule), request->size_bytes,
                          request->flags, true);
    }
    *address = cup_heap_address(heap, granule);
    publish(heap, granule, request);
    for (uint32_t chunk = first; chunk < first + count; chunk++) {
        atomic_store_explicit(&heap->chunks[chunk].start, first, memory_order_relaxed);
        atomic_store_explicit(&heap->chunks[chunk].role, CUP_CHUNK_LARGE, memory_order_release);
    }
    return true;
}

CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address)
{
    struct heap_request request = {size_bytes, owner, flags};
    bool large = size_bytes > CUP_SMALL_BYTES_MAX;

    if (cup_likely(large ? allocate_large(heap, &request, address)
                         : allocate_small(heap, &request, address)))
        return CUDA_SUCCESS;
    if (cup_redzones_enabled && cup_redzone_evict_all())
        return cup_heap_allocate(heap, size_bytes, owner, flags, address);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes asked for, %llu of %llu free",
                     (unsigned long long)size_bytes, (unsigned long long)cup_heap_free_bytes(heap),
                     (unsigned long long)heap->limit_bytes);
}

/* The shard a chunk of small requests belongs to, locked; NULL when the chunk is no longer such a
 * chunk. It stays one while the lock is held. */
static struct cup_shard *shard_of_chunk_acquire(struct cup_heap *heap, struct cup_chunk *chunk)
{
    uint32_t index = atomic_load_explicit(&chunk->shard, memory_order_relaxed);
    struct cup_shard *shard = &heap->shards[index % CUP_HEAP_SHARDS];

    if (cup_unlikely(index >= CUP_HEAP_SHARDS))
        return NULL; /* a pool's */
    cup_lock_acquire(&shard->lock);
    if (atomic_load_explicit(&chunk->role, memory_order_relaxed) == CUP_CHUNK_SMALL &&
        atomic_load_explicit(&chunk->shard, memory_order_relaxed) == index)
        return shard;
    cup_lock_release(&shard->lock);
    return NULL;
}

/* The granules are free again; what is to be done when the lock is released, if the chunk is. */
static bool granules_return_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t granule,
                                   uint32_t count)
{
    uint32_t chunk = granule / CUP_CHUNK_GRANULES, low = chunk * CUP_CHUNK_GRANULES, first;
    bool release = false;

    cup_extents_give(&shard->granules, granule, count, low, low + CUP_CHUNK_GRANULES, &first);
    heap->chunks[chunk].used_granules -= count;
    if (heap->chunks[chunk].used_granules == 0) {
        release =
            atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed) >= EMPTY_CHUNKS_KEPT;
        if (release)
            chunk_leave_locked(heap, shard, chunk);
        else
            count_empty_locked(shard, 1);
    }
    return release;
}

static void unit_release(struct cup_heap *heap, uint32_t chunk)
{
    cup_heap_chunks_return(heap, chunk, 1);
    cup_heap_discharge(heap, CUP_CHUNK_BYTES);
}

/* The bit is read first: what has just begun there has written its id before it. */
static bool is_exactly(const struct cup_heap *heap, uint32_t granule, uint64_t buffer_id)
{
    uint64_t bits = atomic_load_explicit(&heap->start_bits[granule / 64], memory_order_acquire);

    return (bits >> (granule % 64) & 1) &&
           atomic_load_explicit(&heap->buffer_ids[granule], memory_order_relaxed) == buffer_id;
}

/* Under the lock it ends under, which keeps an allocation that is there. */
static bool unpublish_locked(struct cup_heap *heap, uint32_t granule, uint64_t buffer_id)
{
    if (cup_unlikely(buffer_id != ANY_ID) && !is_exactly(heap, granule, buffer_id))
        return false;
    return cup_heap_unpublish(heap, granule);
}

static bool free_small(struct cup_heap *heap, uint32_t granule, uint64_t buffer_id)
{
    uint32_t chunk = granule / CUP_CHUNK_GRANULES;
    struct cup_shard *shard = shard_of_chunk_acquire(heap, &heap->chunks[chunk]);
    bool release = false;
    uint64_t size = 0;

    if (!shard)
        return false;
    bool was_there = unpublish_locked(heap, granule, buffer_id);
    if (was_there) {
        uint32_t size_flags =
            atomic_load_explicit(&heap->size_flags[granule], memory_order_relaxed);
        size = cup_size_flags_size(size_flags);
        if (cup_likely(!cup_redzones_enabled))
            release = granules_return_locked(heap, shard, granule, granule_count(size));
        if (cup_unlikely(cup_size_flags_flags(size_flags) & CUP_RANGE_EXPORTED))
            cup_share_freed(heap, cup_heap_address(heap, granule));
    }
    cup_lock_release(&shard->lock);
    if (release)
        unit_release(heap, chunk);
    if (cup_unlikely(cup_redzones_enabled) && was_there)
        cup_redzone_quarantine_of_heap(heap, cup_heap_address(heap, granule), size, false);
    return was_there;
}

static void large_release(struct cup_heap *heap, uint32_t first, uint64_t size_bytes)
{
    uint64_t bytes = large_bytes(size_bytes);
    uint32_t count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);

    for (uint32_t chunk = first; chunk < first + count; chunk++)
        atomic_store_explicit(&heap->chunks[chunk].role, CUP_CHUNK_FREE, memory_order_release);
    cup_heap_chunks_return(heap, first, count);
    cup_heap_discharge(heap, bytes);
}

static bool free_large(struct cup_heap *heap, uint32_t granule, uint64_t buffer_id)
{
    uint32_t first = granule / CUP_CHUNK_GRANULES;

    cup_lock_acquire(&heap->space_lock);
    bool was_there = unpublish_locked(heap, granule, buffer_id);
    cup_lock_release(&heap->space_lock);
    if (!was_there)
        return false;
    uint64_t size = atomic_load_explicit(&heap->chunks[first].large_bytes, memory_order_relaxed);
    if (cup_likely(!cup_redzones_enabled)) {
        large_release(heap, first, size);
        return true;
    }
    if (cup_size_flags_flags(atomic_load(&heap->size_flags[granule])) & CUP_RANGE_EXPORTED)
        cup_share_freed(heap, cup_heap_address(heap, granule));
    cup_redzone_quarantine_of_heap(heap, cup_heap_address(heap, granule), size, true);
    return true;
}

void cup_heap_release(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool large)
{
    uint32_t granule = (uint32_t)((address - heap->region.base) >> CUP_GRANULE_SHIFT);

    if (large) {
        large_release(heap, granule / CUP_CHUNK_GRANULES, size_bytes);
        return;
    }
    struct cup_shard *shard =
        shard_of_chunk_acquire(heap, &heap->chunks[granule / CUP_CHUNK_GRANULES]);
    if (!shard)
        return; /* cannot be: the chunk is its shard's while something in it is in use */
    bool release =
        granules_return_locked(heap, shard, granule - cup_redzone_leading_granules(size_bytes),
                               cup_redzone_small_granules(size_bytes));
    cup_lock_release(&shard->lock);
    if (release)
        unit_release(heap, granule / CUP_CHUNK_GRANULES);
}

bool cup_heap_free_exactly(struct cup_heap *heap, uint64_t address, uint64_t buffer_id)
{
    uint64_t offset = address - heap->region.base;

    if (offset >= heap->region.size_bytes || offset % CUP_GRANULE_BYTES != 0)
        return false;
    struct cup_chunk *chunk = &heap->chunks[offset >> CUP_CHUNK_SHIFT];
    switch (atomic_load_explicit(&chunk->role, memory_order_acquire)) {
    case CUP_CHUNK_SMALL:
        return free_small(heap, (uint32_t)(offset >> CUP_GRANULE_SHIFT), buffer_id);
    case CUP_CHUNK_LARGE:
        return (offset % CUP_CHUNK_BYTES == 0 || cup_redzones_enabled) &&
               free_large(heap, (uint32_t)(offset >> CUP_GRANULE_SHIFT), buffer_id);
    default:
        return false;
    }
}

bool cup_heap_free(struct cup_heap *heap, uint64_t address)
{
    return cup_heap_free_exactly(heap, address, ANY_ID);
}

/* The lock under which the allocation at the granule ends: while it is held, one that is there
 * stays.
 */
static struct cup_lock *end_lock_acquire(struct cup_heap *heap, uint32_t granule)
{
    struct cup_chunk *chunk = &heap->chunks[granule / CUP_CHUNK_GRANULES];

    if (atomic_load_explicit(&chunk->role, memory_order_acquire) == CUP_CHUNK_SMALL) {
        struct cup_shard *shard = shard_of_chunk_acquire(heap, chunk);
        return shard ? &shard->lock : NULL;
    }
    cup_lock_acquire(&heap->space_lock);
    return &heap->space_lock;
}

/* The allocation is found without a lock; under the lock its id says whether it is still the same
 * one. */
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    struct cup_range found, now;

    if (!cup_heap_describe(region, address, &found))
        return false;
    uint32_t granule = (uint32_t)((found.base - region->base) >> CUP_GRANULE_SHIFT);
    /* What is a pool's ends under a lock of the pool; there a flag that comes too late does no
     * harm. */
    bool pooled = found.flags & CUP_RANGE_POOL;
    struct cup_lock *lock = pooled ? NULL : end_lock_acquire(heap, granule);
    if (!lock && !pooled)
        return false;
    bool same = cup_heap_describe(region, address, &now) && now.buffer_id == found.buffer_id;
    if (same && on)
        atomic_fetch_or_explicit(&heap->size_flags[granule], flag << CUP_SIZE_FLAGS_SIZE_BITS,
                                 memory_order_relaxed);
    else if (same)
        atomic_fetch_and_explicit(&heap->size_flags[granule], ~(flag << CUP_SIZE_FLAGS_SIZE_BITS),
                                  memory_order_relaxed);
    if (lock)
        cup_lock_release(lock);
    return same;
}

void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner)
{
    struct cup_range range;

    for (uint32_t word = 0; word < atomic_load(&heap->chunk_high) * (CUP_CHUNK_GRANULES / 64);
         word++) {
        if (atomic_load_explicit(&heap->chunks[word / (CUP_CHUNK_GRANULES / 64)].role,
                                 memory_order_acquire) == CUP_CHUNK_FREE) {
            word |= CUP_CHUNK_GRANULES / 64 - 1; /* to the chunk's last word */
            continue;
        }
        uint64_t bits = atomic_load_explicit(&heap->start_bits[word], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            uint64_t at = cup_heap_address(heap, word * 64 + (uint32_t)__builtin_ctzll(bits));
            /* A module's go with the module: somebody may still be using it. */
            if (cup_heap_describe(&heap->region, at, &range) && range.base == at &&
                range.owner == owner && !(range.flags & CUP_RANGE_VARIABLE))
                cup_heap_free_exactly(heap, at, range.buffer_id);
        }
    }
}
