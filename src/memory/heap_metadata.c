/* SPDX-License-Identifier: MIT */
/* Giving back the pages of a heap's bookkeeping. What is written about granules takes 32 bytes a
 * granule, and stays when the granules are free. Chunks are looked at in groups: when all of a
 * group are free, and much was written about allocations in one of them, its pages go back to the
 * system. So a few calls do for 32 MiB of small allocations, and none for large ones. */
#include "memory/heap.h"

#include "os/reserve.h"

enum {
    GROUP_GRANULES = CUP_GROUP_CHUNKS * CUP_CHUNK_GRANULES,
    WRITTEN_MUCH = 128, /* allocations in a chunk */
};

/* Nobody writes about free granules, and who reads about them finds that nothing begins there. */
static void group_forget(struct cup_heap *heap, uint32_t group)
{
    size_t granule = (size_t)group * GROUP_GRANULES;

    cup_reserve_discard_private((void *)&heap->size_flags[granule],
                                GROUP_GRANULES * sizeof(*heap->size_flags));
    cup_reserve_discard_shared((void *)&heap->buffer_ids[granule],
                               GROUP_GRANULES * sizeof(*heap->buffer_ids));
    cup_reserve_discard_shared((void *)&heap->owners[granule],
                               GROUP_GRANULES * sizeof(*heap->owners));
    cup_reserve_discard_shared(&heap->granule_nodes[granule],
                               GROUP_GRANULES * sizeof(*heap->granule_nodes));
    heap->recorded_groups[group] = 0;
}

void cup_heap_forget_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count,
                            uint32_t free_first, uint32_t free_count)
{
    for (uint32_t each = chunk; each < chunk + count; each++) {
        if (heap->chunks[each].written >= WRITTEN_MUCH)
            heap->recorded_groups[each / CUP_GROUP_CHUNKS] = 1;
        heap->chunks[each].written = 0;
    }
    for (uint32_t group = chunk / CUP_GROUP_CHUNKS; group <= (chunk + count - 1) / CUP_GROUP_CHUNKS;
         group++) {
        uint32_t first = group * CUP_GROUP_CHUNKS;

        if (heap->recorded_groups[group] && first >= free_first &&
            first + CUP_GROUP_CHUNKS <= free_first + free_count)
            group_forget(heap, group);
    }
}
