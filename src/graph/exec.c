/* SPDX-License-Identifier: MIT */
/* Creating, finding and destroying executable graphs. */
#include "graph/exec.h"

#include "core/error.h"
#include "core/lock.h"
#include "core/precondition.h"
#include "device/context.h"
#include "exec/exec.h"
#include "graph/condition.h"
#include "graph/graph_allocation.h"
#include "memory/graph_memory.h"
#include "stream/stream.h"

#include <stdlib.h>

static void exec_finish(struct cup_object *object)
{
    struct CUgraphExec_st *exec = (struct CUgraphExec_st *)object;

    if (exec->plan)
        cup_plan_unref(exec->plan);
    if (exec->last.stream)
        cup_stream_unref(exec->last.stream);
    cup_graph_exec_allocations_drop(exec->allocations, exec->allocation_count);
    cup_user_references_drop(&exec->users);
    cup_lock_finish(&exec->lock);
}

void cup_graph_exec_register(void)
{
    cup_object_register(CUP_OBJECT_GRAPH_EXEC, sizeof(struct CUgraphExec_st), exec_finish);
}

CUresult cup_graph_exec_allocations_note(struct CUgraph_st *graph,
                                         struct cup_graph_exec_allocation **list, size_t *count)
{
    CUresult result = CUDA_SUCCESS;

    *list = NULL;
    *count = 0;
    cup_lock_acquire(&cup_graph_lock);
    struct cup_graph_allocations *from = graph->allocations;
    if (from && from->count) {
        *list = calloc(from->count, sizeof(**list));
        if (!*list)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
        for (size_t i = 0; *list && i < from->count; i++) {
            const struct cup_graph_allocation *each = &from->list[i];
            (*list)[i] = (struct cup_graph_exec_allocation){each->block, each->size_bytes,
                                                            each->freed_by != NULL};
            cup_graphmem_ref(cup_graphmem_block_memory(each->block));
        }
        *count = *list ? from->count : 0;
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

void cup_graph_exec_allocations_drop(struct cup_graph_exec_allocation *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cup_graphmem_unref(cup_graphmem_block_memory(list[i].block));
    free(list);
}

/* Whether the graph, or one inside, has another executable graph and cannot have two. */
static bool is_taken_locked(const struct CUgraph_st *graph, const struct CUgraphExec_st *exec)
{
    cup_lock_assert_held(&cup_graph_lock);
    bool taken = graph->only_exec && graph->only_exec != exec;

    for (const struct CUgraphNode_st *node = graph->first; node && !taken; node = node->next)
        taken = node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH &&
                is_taken_locked(node->params->given.graph.graph, exec);
    return taken;
}

CUresult cup_graph_exec_bind(struct CUgraphExec_st *exec, struct CUgraph_st *graph, bool is_update)
{
    struct CUgraph_st *old = NULL;
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    bool is_single = cup_graph_has_memory_locked(graph) || graph->conditional_count ||
                     cup_graph_is_updatable_locked(graph);
    if (graph->owner && !is_update) {
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "the graph belongs to a node of another one");
    } else if (is_single && is_taken_locked(graph, exec)) {
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED,
                           "the graph has allocations or conditional nodes and is already "
                           "instantiated; destroy its executable graph first");
    } else if (is_single && exec->graph != graph &&
               !(is_update && !cup_graph_has_memory_locked(graph))) {
        old = exec->graph;
        if (old && old->only_exec == exec)
            old->only_exec = NULL;
        graph->only_exec = exec;
        exec->graph = graph;
        cup_graph_ref(graph);
    }
    cup_lock_release(&cup_graph_lock);
    if (old)
        cup_graph_unref(old);
    return result;
}

static void unbind(struct CUgraphExec_st *exec)
{
    cup_lock_acquire(&cup_graph_lock);
    struct CUgraph_st *graph = exec->graph;
    if (graph && graph->only_exec == exec)
        graph->only_exec = NULL;
    exec->graph = NULL;
    cup_lock_release(&cup_graph_lock);
    if (graph)
        cup_graph_unref(graph);
}

static CUresult fill_in(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                        struct cup_plan_refusal *refusal)
{
    bool for_device = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    CUresult result = cup_graph_exec_bind(exec, graph, false);

    if (result == CUDA_SUCCESS)
        result = cup_plan_create(graph, exec->flags, &exec->plan, refusal);
    if (result == CUDA_SUCCESS && for_device && exec->plan->count == 0)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a device cannot launch an empty graph");
    if (result == CUDA_SUCCESS)
        result =
            cup_graph_exec_allocations_note(graph, &exec->allocations, &exec->allocation_count);
    if (result == CUDA_SUCCESS) {
        cup_lock_acquire(&cup_graph_lock);
        result = cup_user_references_collect_locked(&exec->users, graph);
        cup_lock_release(&cup_graph_lock);
    }
    return result;
}

CUresult cup_graph_exec_create(struct CUgraph_st *graph, uint64_t flags,
                               struct CUgraphExec_st **exec, struct cup_plan_refusal *refusal)
{
    struct CUgraphExec_st *made = (struct CUgraphExec_st *)cup_object_create(CUP_OBJECT_GRAPH_EXEC);

    *refusal = (struct cup_plan_refusal){CUDA_GRAPH_INSTANTIATE_ERROR, NULL};
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    cup_lock_init(&made->lock, CUP_RANK_GRAPH_EXEC);
    made->flags = flags;
    made->number = cup_graph_next_number();
    CUresult result = fill_in(made, graph, refusal);
    if (result != CUDA_SUCCESS) {
        unbind(made);
        cup_graph_exec_unref(made);
        return result;
    }
    refusal->reason = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    cup_object_publish(&made->base);
    *exec = made;
    return CUDA_SUCCESS;
}

CUresult cup_graph_exec_find(CUgraphExec handle, struct CUgraphExec_st **exec)
{
    struct cup_object *object;

    if (!handle || cup_object_find(CUP_OBJECT_GRAPH_EXEC, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not an executable graph", (void *)handle);
    CUresult result = cup_precondition_handle();
    if (result != CUDA_SUCCESS) {
        cup_object_unref(object);
        return result;
    }
    *exec = (struct CUgraphExec_st *)object;
    return CUDA_SUCCESS;
}

struct CUctx_st *cup_graph_exec_context(struct CUgraphExec_st *exec)
{
    struct CUctx_st *context = NULL;

    cup_lock_acquire(&exec->lock);
    for (uint32_t i = 0; i < exec->plan->count && !context; i++)
        context = exec->plan->nodes[i].params ? exec->plan->nodes[i].params->context : NULL;
    if (context)
        cup_context_ref(context);
    cup_lock_release(&exec->lock);
    return context;
}

bool cup_graph_exec_was_launched(struct CUgraphExec_st *exec)
{
    cup_lock_acquire(&exec->lock);
    bool launched = exec->last.stream != NULL;
    cup_lock_release(&exec->lock);
    return launched;
}

void cup_graph_exec_destroy(struct CUgraphExec_st *exec)
{
    if (!cup_object_retire(&exec->base, CUP_RETIRED_DESTROYED))
        return;
    unbind(exec);
    cup_graph_exec_unref(exec); /* the handle's reference; pending launches have their own */
}
