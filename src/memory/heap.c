/* SPDX-License-Identifier: MIT */
/* Allocating and freeing in a heap, by its arena, and the flags of allocations. */
#include "memory/heap.h"

#include "core/align.h"
#include "core/checks.h"
#include "core/error.h"

/* Releases the chunks that shards keep empty and the memory in quarantine before a request
 * fails. */
CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address)
{
    struct cup_arena_request request = {.size_bytes = size_bytes, .owner = owner, .flags = flags};

    while (cup_unlikely(!cup_arena_allocate(&heap->arena, &request, false, address))) {
        if (size_bytes <= heap->limit_bytes && cup_arena_trim(&heap->arena))
            continue;
        if (cup_check_quarantine_emptied())
            continue;
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes requested, %llu of %llu free",
                         (unsigned long long)size_bytes,
                         (unsigned long long)cup_heap_free_bytes(heap),
                         (unsigned long long)heap->limit_bytes);
    }
    return CUDA_SUCCESS;
}

bool cup_heap_free_exactly(struct cup_heap *heap, uint64_t address, uint64_t buffer_id)
{
    if (address - heap->region.base >= heap->region.size_bytes ||
        !cup_is_aligned(address, CUP_GRANULE_BYTES))
        return false;
    return cup_arena_free(&heap->arena, address, buffer_id, false);
}

bool cup_heap_free(struct cup_heap *heap, uint64_t address)
{
    return cup_heap_free_exactly(heap, address, CUP_BUFFER_ANY);
}

/* Finds the allocation without a lock; under the lock in which it ends, its id shows whether it is
 * still the same one. An allocation of a pool ends under a lock of the pool; a flag that is set too
 * late there does no harm. */
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    struct cup_range found, now;
    struct cup_lock *lock = NULL;

    if (!cup_heap_describe(region, address, &found))
        return false;
    uint32_t granule = cup_metadata_granule(&heap->metadata, found.base);
    if (!(found.flags & CUP_RANGE_POOL) &&
        !(lock = cup_arena_end_lock_acquire(&heap->arena, granule)))
        return false;
    bool same = cup_heap_describe(region, address, &now) && now.buffer_id == found.buffer_id;
    _Atomic(uint32_t) *size_flags = &heap->metadata.size_flags[granule];
    if (same && on)
        atomic_fetch_or_explicit(size_flags, flag << CUP_SIZE_FLAGS_SIZE_BITS,
                                 memory_order_relaxed);
    else if (same)
        atomic_fetch_and_explicit(size_flags, ~(flag << CUP_SIZE_FLAGS_SIZE_BITS),
                                  memory_order_relaxed);
    if (lock)
        cup_lock_release(lock);
    return same;
}

/* Frees the owner's allocations among those that begin in 64 granules. Variables of a module are
 * freed with the module, which may still be in use. */
static void free_owned_in_word(struct cup_heap *heap, uint32_t word, uint32_t owner)
{
    uint64_t bits = atomic_load_explicit(&heap->metadata.start_bits[word], memory_order_acquire);
    struct cup_range range;

    for (; bits; bits &= bits - 1) {
        uint64_t at =
            cup_metadata_address(&heap->metadata, word * 64 + (uint32_t)__builtin_ctzll(bits));
        if (cup_heap_describe(&heap->region, at, &range) && range.base == at &&
            range.owner == owner && !(range.flags & CUP_RANGE_VARIABLE))
            cup_heap_free_exactly(heap, at, range.buffer_id);
    }
}

void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner)
{
    enum { CHUNK_WORDS = CUP_CHUNK_GRANULES / 64 };

    for (uint32_t chunk = 0; chunk < atomic_load(&heap->chunk_high); chunk++) {
        for (uint32_t i = 0; i < CHUNK_WORDS; i++) {
            if (atomic_load_explicit(&heap->metadata.chunks[chunk].role, memory_order_acquire) ==
                CUP_CHUNK_FREE)
                break;
            free_owned_in_word(heap, chunk * CHUNK_WORDS + i, owner);
        }
    }
}
