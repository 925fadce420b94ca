/* SPDX-License-Identifier: MIT */
#include "graph/graph_allocation.h"

#include "core/error.h"
#include "core/lock.h"
#include "memory/graph_memory.h"

#include <stdlib.h>

static struct cup_graph_allocation *add_entry(struct cup_graph_allocations *allocations)
{
    return cup_dynarray_add(&allocations->array, sizeof(*allocations->list));
}

/* Whether `earlier` is an ancestor of the node. Uses `mark` of the nodes. */
static bool comes_behind_locked(struct CUgraphNode_st *node, const struct CUgraphNode_st *earlier)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t depth = 0, room = node->graph->node_count;
    struct CUgraphNode_st **stack = malloc((room + 1) * sizeof(struct CUgraphNode_st *));
    bool found = false;

    if (!stack)
        return false;
    for (struct CUgraphNode_st *each = node->graph->first; each; each = each->next)
        each->mark = 0;
    stack[depth++] = node;
    while (depth && !found) {
        struct CUgraphNode_st *at = stack[--depth];
        for (uint32_t i = 0; i < at->in.count && !found; i++) {
            struct CUgraphNode_st *before = at->in.edges[i].node;
            found = before == earlier;
            if (!before->mark) {
                before->mark = 1;
                stack[depth++] = before;
            }
        }
    }
    free(stack);
    return found;
}

/* Finds a block that an earlier allocation has freed before the node runs, or NULL. The entry of
 * the earlier allocation remains, so only the last entry with a block counts. */
static struct cup_graphmem_block *reusable_locked(struct CUgraphNode_st *node,
                                                  struct cup_device *device, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_graph_allocations *allocations = node->graph->allocations;

    for (size_t i = 0; i < allocations->count; i++) {
        struct cup_graph_allocation *each = &allocations->list[i];
        bool is_last = true;
        for (size_t j = i + 1; j < allocations->count && is_last; j++)
            is_last = allocations->list[j].block != each->block;
        if (is_last && each->size_bytes && each->freed_by &&
            cup_graphmem_device(cup_graphmem_block_memory(each->block)) == device &&
            cup_graphmem_block_room(each->block) >= size_bytes &&
            cup_graphmem_block_room(each->block) - size_bytes < (UINT64_C(2) << 20) &&
            comes_behind_locked(node, each->freed_by))
            return each->block;
    }
    return NULL;
}

/* The graph's memory on the device: that of an existing allocation there, or a new one. */
static CUresult memory_locked(struct cup_graph_allocations *allocations, struct cup_device *device,
                              struct cup_graphmem **memory)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (size_t i = 0; i < allocations->count; i++) {
        struct cup_graph_allocation *each = &allocations->list[i];
        *memory = cup_graphmem_block_memory(each->block);
        if (each->size_bytes && cup_graphmem_device(*memory) == device) {
            cup_graphmem_ref(*memory);
            return CUDA_SUCCESS;
        }
    }
    return cup_graphmem_create(device, memory);
}

static CUresult open_list_locked(struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (!graph->allocations)
        graph->allocations = calloc(1, sizeof(*graph->allocations));
    return graph->allocations ? CUDA_SUCCESS
                              : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
}

CUresult cup_graph_allocation_add_locked(struct CUgraphNode_st *node, struct cup_device *device,
                                         uint64_t size_bytes, CUdeviceptr *address)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_graphmem *memory;
    struct cup_graph_allocation *entry;
    CUresult result = open_list_locked(node->graph);

    if (result != CUDA_SUCCESS)
        return result;
    struct cup_graphmem_block *block = reusable_locked(node, device, size_bytes);
    if (block) {
        memory = cup_graphmem_block_memory(block);
        cup_graphmem_ref(memory);
    } else {
        result = memory_locked(node->graph->allocations, device, &memory);
        if (result != CUDA_SUCCESS)
            return result;
        result = cup_graphmem_block_reserve(memory, size_bytes, &block);
    }
    entry = result == CUDA_SUCCESS ? add_entry(node->graph->allocations) : NULL;
    if (!entry) {
        cup_graphmem_unref(memory);
        return result != CUDA_SUCCESS ? result
                                      : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    *entry = (struct cup_graph_allocation){block, size_bytes, NULL};
    *address = cup_graphmem_block_address(block);
    return CUDA_SUCCESS;
}

CUresult cup_graph_allocation_free_locked(struct CUgraphNode_st *node, CUdeviceptr address)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_graph_allocation *entry = NULL;
    CUresult result = open_list_locked(node->graph);

    if (result != CUDA_SUCCESS)
        return result;
    struct cup_graph_allocations *allocations = node->graph->allocations;
    for (size_t i = allocations->count; i-- > 0 && !entry;) {
        if (cup_graphmem_block_address(allocations->list[i].block) == address)
            entry = &allocations->list[i];
    }
    if (entry && entry->freed_by)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is already freed by another node",
                         (unsigned long long)address);
    if (entry) {
        entry->freed_by = node;
        return CUDA_SUCCESS;
    }
    struct cup_graphmem_block *block = cup_graphmem_block_find(address);
    if (!block)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not an allocation of a graph",
                         (unsigned long long)address);
    entry = add_entry(allocations);
    if (!entry) {
        cup_graphmem_unref(cup_graphmem_block_memory(block));
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    *entry = (struct cup_graph_allocation){block, 0, node};
    return CUDA_SUCCESS;
}

void cup_graph_allocations_drop(struct cup_graph_allocations *allocations)
{
    if (!allocations)
        return;
    for (size_t i = 0; i < allocations->count; i++)
        cup_graphmem_unref(cup_graphmem_block_memory(allocations->list[i].block));
    free(allocations->list);
    free(allocations);
}
