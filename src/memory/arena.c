/* SPDX-License-Identifier: MIT */
/* Two levels of free extents (extents.h): the instance's chunks, and the granules of the chunks
 * that a shard has. A small allocation begins and ends under the lock of its shard, a large one
 * ends under the lock of the arena. arena_free.c ends and returns them. */
#include "memory/arena.h"

#include "core/checks.h"
#include "core/object.h"
#include "core/thread.h"
#include "memory/arena_shard.h"

#include <cuda.h>

struct cup_arena_padding cup_arena_padding = {.unit_bytes = CUP_GRANULE_BYTES};

void cup_arena_init(struct cup_arena *arena, const struct cup_arena_ops *ops,
                    struct cup_metadata *metadata, uint32_t id, struct cup_arena_ranks ranks,
                    struct cup_extent_node *chunk_nodes, uint64_t *chunk_bits)
{
    arena->ops = *ops;
    arena->metadata = metadata;
    arena->id = id;
    cup_lock_init(&arena->lock, ranks.chunks);
    cup_extents_init(&arena->chunks, chunk_nodes, chunk_bits,
                     chunk_bits + (metadata->chunk_count + 63) / 64);
    for (int i = 0; i < CUP_ARENA_SHARDS; i++) {
        cup_lock_init(&arena->shards[i].lock, ranks.shard);
        cup_extents_init(&arena->shards[i].granules, metadata->granule_nodes,
                         metadata->granule_first_bits, metadata->granule_last_bits);
    }
}

/* Counting. */

static void count_used(struct cup_arena *arena, struct cup_shard *shard, uint64_t bytes)
{
    uint64_t credit = atomic_load_explicit(&shard->credit_bytes, memory_order_relaxed);

    while (credit >= bytes) {
        if (cup_likely(atomic_compare_exchange_weak_explicit(&shard->credit_bytes, &credit,
                                                             credit - bytes, memory_order_relaxed,
                                                             memory_order_relaxed)))
            return;
    }
    arena->ops.count_used(arena, bytes);
}

/* Credit is only a counter that publishes no other data, so relaxed order is enough. */
uint64_t cup_arena_collect_credit(struct cup_arena *arena)
{
    uint64_t collected = 0;

    for (int i = 0; i < CUP_ARENA_SHARDS; i++) {
        if (atomic_load_explicit(&arena->shards[i].credit_bytes, memory_order_relaxed))
            collected +=
                atomic_exchange_explicit(&arena->shards[i].credit_bytes, 0, memory_order_relaxed);
    }
    return collected;
}

uint64_t cup_arena_empty_bytes(const struct cup_arena *arena)
{
    uint64_t bytes = 0;

    for (int i = 0; i < CUP_ARENA_SHARDS; i++)
        bytes +=
            (uint64_t)atomic_load_explicit(&arena->shards[i].empty_chunks, memory_order_relaxed)
            << CUP_CHUNK_SHIFT;
    return bytes;
}

/* Allocating. */

static const char *name_of(const struct cup_metadata *metadata, unsigned flags)
{
    if (flags & CUP_RANGE_HIDDEN)
        return "an array or the driver's own memory";
    if (flags & CUP_RANGE_VARIABLE)
        return "a module's variables";
    return metadata->kind == CUP_RANGE_DEVICE   ? "device memory"
           : metadata->kind == CUP_RANGE_PINNED ? "pinned host memory"
                                                : "managed memory";
}

/* Arrays are never read by their addresses, and a module writes its variables itself. Other
 * processes may write memory that is in a file; memory that is allocated in the order of a stream
 * still has its owner. */
static void report_allocation(const struct cup_arena *arena, uint64_t address,
                              const struct cup_arena_request *request, bool is_new)
{
    const struct cup_metadata *metadata = arena->metadata;
    bool is_tracked = metadata->kind == CUP_RANGE_DEVICE && !metadata->large_at_chunk &&
                      !request->in_stream_order;

    cup_checks.allocated(&(struct cup_check_allocation){
        .address = address,
        .size_bytes = request->size_bytes,
        .what = name_of(metadata, request->flags),
        .has_redzones = is_new,
        .is_initialised = request->flags & (CUP_RANGE_HIDDEN | CUP_RANGE_VARIABLE),
        .space_base = metadata->base,
        .space_bytes = is_tracked ? metadata->chunk_count * CUP_CHUNK_BYTES : 0,
    });
}

/* Makes memory that begins at the granule an allocation. `is_new`: it has padding, and was none
 * before. */
static uint64_t publish(struct cup_arena *arena, uint32_t granule,
                        const struct cup_arena_request *request, bool is_new)
{
    if (is_new)
        granule += cup_arena_leading_granules(arena->metadata, request->size_bytes);
    uint64_t address = cup_metadata_address(arena->metadata, granule);
    if (cup_unlikely(cup_checks.allocated != NULL))
        report_allocation(arena, address, request, is_new);
    cup_metadata_publish(arena->metadata, granule, request->size_bytes, request->owner,
                         request->flags);
    return address;
}

/* The caller owns the chunks exclusively. */
static uint64_t publish_large(struct cup_arena *arena, uint32_t granule,
                              const struct cup_arena_request *request, bool is_new)
{
    uint32_t first = granule / CUP_CHUNK_GRANULES;
    struct cup_chunk *chunk = &arena->metadata->chunks[first];
    uint64_t held_bytes = cup_arena_held_bytes(request->size_bytes), address;

    atomic_store_explicit(&chunk->large_bytes, request->size_bytes, memory_order_release);
    atomic_store_explicit(&chunk->shard, cup_arena_shard_word(arena, 0), memory_order_relaxed);
    address = publish(arena, granule, request, is_new);
    cup_arena_set_roles(arena, first, (uint32_t)(held_bytes >> CUP_CHUNK_SHIFT), CUP_CHUNK_LARGE);
    return address;
}

static bool allocate_large(struct cup_arena *arena, const struct cup_arena_request *request,
                           bool may_grow, uint64_t *address)
{
    uint64_t held_bytes = cup_arena_held_bytes(request->size_bytes);

    if (held_bytes < request->size_bytes ||
        held_bytes >> CUP_CHUNK_SHIFT > arena->metadata->chunk_count)
        return false;
    uint32_t first =
        arena->ops.chunks_take(arena, (uint32_t)(held_bytes >> CUP_CHUNK_SHIFT), may_grow);
    if (first == CUP_EXTENT_NONE)
        return false;
    if (arena->ops.count_used)
        arena->ops.count_used(arena, request->size_bytes);
    *address = publish_large(arena, first * CUP_CHUNK_GRANULES, request, true);
    return true;
}

static bool shard_grow_locked(struct cup_arena *arena, uint32_t index, bool may_grow)
{
    struct cup_shard *shard = &arena->shards[index];
    cup_lock_assert_held(&shard->lock);
    uint32_t chunk = arena->ops.chunks_take(arena, 1, may_grow), unused;

    if (chunk == CUP_EXTENT_NONE)
        return false;
    struct cup_chunk *fresh = &arena->metadata->chunks[chunk];
    atomic_store_explicit(&fresh->shard, cup_arena_shard_word(arena, index), memory_order_relaxed);
    fresh->used_granules = 0;
    atomic_store_explicit(&fresh->role, CUP_CHUNK_SMALL, memory_order_release);
    cup_extents_give(&shard->granules, chunk * CUP_CHUNK_GRANULES, CUP_CHUNK_GRANULES,
                     chunk * CUP_CHUNK_GRANULES, (chunk + 1) * CUP_CHUNK_GRANULES, &unused);
    cup_shard_count_empty_locked(shard, 1);
    return true;
}

static uint32_t granules_take_locked(struct cup_arena *arena, struct cup_shard *shard,
                                     uint32_t count)
{
    cup_lock_assert_held(&shard->lock);
    uint32_t granule = cup_extents_take(&shard->granules, count);

    if (granule == CUP_EXTENT_NONE)
        return granule;
    struct cup_chunk *chunk = &arena->metadata->chunks[granule / CUP_CHUNK_GRANULES];
    if (chunk->used_granules == 0)
        cup_shard_count_empty_locked(shard, -1);
    chunk->used_granules += count;
    return granule;
}

/* Pinned memory is portable if the first allocation in its chunk was, because that determines how
 * the chunk is mapped. Several contexts or kinds rarely share a chunk; allocations that do keep the
 * flags of their own request. */
static struct cup_arena_request settle_portable_locked(struct cup_arena *arena,
                                                       const struct cup_shard *shard,
                                                       uint32_t granule, uint32_t count,
                                                       const struct cup_arena_request *asked)
{
    cup_lock_assert_held(&shard->lock);
    struct cup_chunk *chunk = &arena->metadata->chunks[granule / CUP_CHUNK_GRANULES];
    struct cup_arena_request request = *asked;

    if (chunk->used_granules == count) {
        chunk->first_owner = request.owner;
        chunk->first_flags = request.flags;
    } else if (chunk->first_owner == request.owner &&
               ((chunk->first_flags ^ request.flags) & CU_MEMHOSTALLOC_WRITECOMBINED) == 0) {
        request.flags &= ~(unsigned)CU_MEMHOSTALLOC_PORTABLE;
        request.flags |= chunk->first_flags & CU_MEMHOSTALLOC_PORTABLE;
    }
    return request;
}

enum growth { GROWTH_NONE, GROWTH_FREE_CHUNK, GROWTH_SOURCE };

static bool allocate_in_shard(struct cup_arena *arena, uint32_t index, enum growth growth,
                              const struct cup_arena_request *request, uint64_t *address)
{
    struct cup_shard *shard = &arena->shards[index];
    uint32_t count = (uint32_t)(cup_arena_held_bytes(request->size_bytes) >> CUP_GRANULE_SHIFT);

    cup_lock_acquire(&shard->lock);
    uint32_t granule = granules_take_locked(arena, shard, count);
    if (cup_unlikely(granule == CUP_EXTENT_NONE) && growth != GROWTH_NONE &&
        shard_grow_locked(arena, index, growth == GROWTH_SOURCE))
        granule = granules_take_locked(arena, shard, count);
    if (cup_likely(granule != CUP_EXTENT_NONE)) {
        struct cup_arena_request settled;
        if (arena->metadata->kind == CUP_RANGE_PINNED) {
            settled = settle_portable_locked(arena, shard, granule, count, request);
            request = &settled;
        }
        if (arena->ops.count_used)
            count_used(arena, shard, request->size_bytes);
        *address = publish(arena, granule, request, true);
    }
    cup_lock_release(&shard->lock);
    return granule != CUP_EXTENT_NONE;
}

/* Keeps contexts, and flags within one, apart: NVIDIA's driver never lets them share a chunk; here
 * they rarely do, and contexts created in sequence never by the hash. For pinned memory only the
 * write-combined flag counts. */
static uint32_t home_shard(const struct cup_arena *arena, const struct cup_arena_request *request)
{
    unsigned flags = arena->metadata->kind == CUP_RANGE_PINNED
                         ? request->flags & CU_MEMHOSTALLOC_WRITECOMBINED
                         : request->flags;
    uint32_t folded = (flags ^ flags >> 3 ^ flags >> 6 ^ flags >> 8) & 7;
    uint32_t mixed = cup_object_ordinal(request->owner) * 0x9e3779b9u + folded * 0x451eb852u;

    return (cup_thread_id() + (mixed >> 28)) % CUP_ARENA_SHARDS;
}

/* Tries the chunks of other shards, which is better than growing. */
bool cup_arena_allocate(struct cup_arena *arena, const struct cup_arena_request *request,
                        bool may_grow, uint64_t *address)
{
    if (cup_size_is_large(request->size_bytes))
        return allocate_large(arena, request, may_grow, address);
    uint32_t home = home_shard(arena, request);
    if (cup_likely(allocate_in_shard(arena, home, GROWTH_FREE_CHUNK, request, address)))
        return true;
    for (uint32_t i = 1; i < CUP_ARENA_SHARDS; i++) {
        if (allocate_in_shard(arena, (home + i) % CUP_ARENA_SHARDS, GROWTH_NONE, request, address))
            return true;
    }
    return may_grow && allocate_in_shard(arena, home, GROWTH_SOURCE, request, address);
}

/* Allocations in memory that is held already. */

void cup_arena_reuse(struct cup_arena *arena, const struct cup_arena_request *asked,
                     uint64_t address)
{
    struct cup_arena_request reused = *asked, *request = &reused;
    uint32_t granule = cup_metadata_granule(arena->metadata, address),
             index = granule / CUP_CHUNK_GRANULES;

    reused.in_stream_order = true;
    if (cup_size_is_large(request->size_bytes)) {
        if (arena->ops.count_used)
            arena->ops.count_used(arena, request->size_bytes);
        publish_large(arena, granule, request, false);
        return;
    }
    struct cup_shard *shard = cup_arena_shard_acquire(arena, &arena->metadata->chunks[index]);
    if (arena->ops.count_used)
        count_used(arena, shard, request->size_bytes);
    publish(arena, granule, request, false);
    cup_lock_release(&shard->lock);
}

/* Adopted allocations all belong to the first shard, which has no granules. */
bool cup_arena_adopt(struct cup_arena *arena, const struct cup_arena_request *request,
                     uint64_t address)
{
    struct cup_metadata *metadata = arena->metadata;
    uint32_t granule = cup_metadata_granule(metadata, address);
    struct cup_chunk *chunk = &metadata->chunks[granule / CUP_CHUNK_GRANULES];
    struct cup_shard *shard = &arena->shards[0];
    struct cup_span found;

    cup_lock_acquire(&shard->lock);
    bool is_new = !cup_map_find(address, &found);
    if (is_new && cup_size_is_large(request->size_bytes)) {
        cup_lock_acquire(&arena->lock);
        publish_large(arena, granule, request, false);
        cup_lock_release(&arena->lock);
    } else if (is_new) {
        publish(arena, granule, request, false);
        atomic_store_explicit(&chunk->shard, cup_arena_shard_word(arena, 0), memory_order_relaxed);
        atomic_store_explicit(&chunk->role, CUP_CHUNK_SMALL, memory_order_release);
    }
    cup_lock_release(&shard->lock);
    return is_new;
}
