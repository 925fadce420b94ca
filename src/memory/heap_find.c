/* SPDX-License-Identifier: MIT */
/* Looking an address up in a heap, against threads that allocate and free at the same time.
 *
 * An allocation exists while its start bit is set. Its metadata is written before (only its flags
 * may change while it lives), and its buffer id is never used again. A look-up finds the start bit,
 * reads the id, reads the metadata, and checks that bit and id are still the same: no lock, no
 * retry. The metadata is stored with release: a reader that saw a newer entry also sees that the
 * bit was cleared before it. */
#include "core/checks.h"
#include "memory/heap.h"

#include "core/align.h"
#include "core/compiler.h"
#include "memory/owner.h"

/* The first granule of the allocation that may contain the granule, or CUP_EXTENT_NONE. Allocations
 * do not cross chunks, so the search ends at the chunk's first word. */
static uint32_t start_at_or_before(const struct cup_metadata *metadata, uint32_t granule)
{
    uint32_t word = granule / 64,
             first_word = granule / CUP_CHUNK_GRANULES * (CUP_CHUNK_GRANULES / 64);
    uint64_t bits = atomic_load_explicit(&metadata->start_bits[word], memory_order_acquire) &
                    (~UINT64_C(0) >> (63 - granule % 64));

    while (!bits) {
        if (word == first_word)
            return CUP_EXTENT_NONE;
        bits = atomic_load_explicit(&metadata->start_bits[--word], memory_order_acquire);
    }
    return word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
}

/* The first granule of the allocation that may contain the offset, or CUP_EXTENT_NONE. */
static uint32_t first_granule(const struct cup_metadata *metadata, uint64_t offset, uint32_t *role)
{
    const struct cup_chunk *chunk = &metadata->chunks[offset >> CUP_CHUNK_SHIFT];

    *role = atomic_load_explicit(&chunk->role, memory_order_relaxed);
    if (cup_likely(*role == CUP_CHUNK_SMALL))
        return start_at_or_before(metadata, (uint32_t)(offset >> CUP_GRANULE_SHIFT));
    if (*role == CUP_CHUNK_FREE)
        return CUP_EXTENT_NONE;
    uint32_t first = atomic_load_explicit(&chunk->start, memory_order_relaxed);
    uint32_t granule = first * CUP_CHUNK_GRANULES;
    if (cup_checks.redzones)
        granule += cup_arena_leading_granules(
            metadata,
            atomic_load_explicit(&metadata->chunks[first].large_bytes, memory_order_relaxed));
    return cup_metadata_is_start(metadata, granule) ? granule : CUP_EXTENT_NONE;
}

static uint64_t size_at(const struct cup_metadata *metadata, uint32_t granule, uint32_t role,
                        uint32_t size_flags)
{
    if (cup_likely(role == CUP_CHUNK_SMALL))
        return cup_size_flags_size(size_flags);
    return atomic_load_explicit(&metadata->chunks[granule / CUP_CHUNK_GRANULES].large_bytes,
                                memory_order_relaxed);
}

/* Size and flags are in one word, so that they always belong to the same allocation. */
bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    uint64_t offset = address - region->base;
    uint32_t role, granule = first_granule(&heap->metadata, offset, &role);

    if (granule == CUP_EXTENT_NONE)
        return false;
    uint32_t size_flags =
        atomic_load_explicit(&heap->metadata.size_flags[granule], memory_order_relaxed);
    span->base = cup_metadata_address(&heap->metadata, granule);
    span->size_bytes = size_at(&heap->metadata, granule, role, size_flags);
    span->kind = heap->metadata.kind;
    span->flags = cup_size_flags_flags(size_flags);
    return address - span->base < span->size_bytes && !(span->flags & CUP_RANGE_HIDDEN);
}

bool cup_heap_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    struct cup_span span;

    if (!cup_heap_find(region, address, &span))
        return false;
    uint32_t granule = cup_metadata_granule(&heap->metadata, span.base);
    range->buffer_id =
        atomic_load_explicit(&heap->metadata.buffer_ids[granule], memory_order_relaxed);
    cup_load_fence();
    if (!cup_heap_find(region, address, &span) ||
        span.base != cup_metadata_address(&heap->metadata, granule))
        return false; /* freed since */
    range->base = span.base;
    range->size_bytes = span.size_bytes;
    range->kind = span.kind;
    range->flags = span.flags;
    range->owner = atomic_load_explicit(&heap->metadata.owners[granule], memory_order_relaxed);
    const struct cup_chunk *chunk = &heap->metadata.chunks[granule / CUP_CHUNK_GRANULES];
    range->block_base = cup_align_down(range->base, CUP_CHUNK_BYTES);
    range->block_bytes =
        cup_align_up(range->base + range->size_bytes, CUP_CHUNK_BYTES) - range->block_base;
    range->block_id = atomic_load_explicit(&chunk->id, memory_order_relaxed);
    if (heap->device && !(range->flags & CUP_RANGE_POOL))
        range->device = heap->device;
    else
        cup_owner_describe(range);
    cup_load_fence();
    return cup_metadata_is_start(&heap->metadata, granule) &&
           atomic_load_explicit(&heap->metadata.buffer_ids[granule], memory_order_relaxed) ==
               range->buffer_id;
}
