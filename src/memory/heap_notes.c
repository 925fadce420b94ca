/* SPDX-License-Identifier: MIT */
/* Giving back the pages of a heap's bookkeeping. What is written about cells takes 32 bytes a cell,
 * and stays when the cells are free. Units are looked at in groups: when all of a group are free,
 * and much was written about allocations in one of them, its pages go back to the system. So a few
 * calls do for 32 MiB of small allocations, and none for large ones. */
#include "memory/heap.h"

#include "os/reserve.h"

enum {
    GROUP_CELLS = CUP_GROUP_UNITS * CUP_UNIT_CELLS,
    WRITTEN_MUCH = 128, /* allocations in a unit */
};

/* Nobody writes about free cells, and who reads about them finds that nothing begins there. */
static void group_forget(struct cup_heap *heap, uint32_t group)
{
    size_t cell = (size_t)group * GROUP_CELLS;

    cup_reserve_discard_private((void *)&heap->hot[cell], GROUP_CELLS * sizeof(*heap->hot));
    cup_reserve_discard_shared((void *)&heap->buffer_ids[cell],
                               GROUP_CELLS * sizeof(*heap->buffer_ids));
    cup_reserve_discard_shared((void *)&heap->owners[cell], GROUP_CELLS * sizeof(*heap->owners));
    cup_reserve_discard_shared(&heap->cell_nodes[cell], GROUP_CELLS * sizeof(*heap->cell_nodes));
    heap->noted_groups[group] = 0;
}

void cup_heap_forget_locked(struct cup_heap *heap, uint32_t unit, uint32_t count,
                            uint32_t free_first, uint32_t free_count)
{
    for (uint32_t each = unit; each < unit + count; each++) {
        if (heap->units[each].written >= WRITTEN_MUCH)
            heap->noted_groups[each / CUP_GROUP_UNITS] = 1;
        heap->units[each].written = 0;
    }
    for (uint32_t group = unit / CUP_GROUP_UNITS; group <= (unit + count - 1) / CUP_GROUP_UNITS;
         group++) {
        uint32_t first = group * CUP_GROUP_UNITS;

        if (heap->noted_groups[group] && first >= free_first &&
            first + CUP_GROUP_UNITS <= free_first + free_count)
            group_forget(heap, group);
    }
}
