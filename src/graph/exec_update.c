/* SPDX-License-Identifier: MIT */
/* Changing an executable graph. A single node is changed in the plan, or in a copy of it if
 * launches are pending: these run as they were launched. Updating from a whole graph makes a new
 * plan; its nodes keep the identities of the nodes from which the executable graph was
 * instantiated. */
#include "core/error.h"
#include "core/lock.h"
#include "graph/exec.h"
#include "graph/exec_pair.h"
#include "graph/node.h"

#include <stdlib.h>

static CUresult not_of_it(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the executable graph has no such node");
}

/* Finds the plan's node, in a plan that no pending launch uses. */
static CUresult open_node_locked(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node,
                                 struct cup_plan_node **planned)
{
    cup_lock_assert_held(&exec->lock);
    struct cup_plan *copy;

    if (!cup_plan_find(exec->plan, node->id))
        return not_of_it();
    if (atomic_load(&exec->plan->refs) > 1) {
        CUresult result = cup_plan_copy(exec->plan, &copy);
        if (result != CUDA_SUCCESS)
            return result;
        cup_plan_unref(exec->plan);
        exec->plan = copy;
    }
    *planned = cup_plan_find(exec->plan, node->id);
    return CUDA_SUCCESS;
}

/* For a child node alone, nodes are compared in the order of their creation, the latest first:
 * types, then edges, then parameters. Updates from whole graphs are in exec_pair.c. */

static CUresult fail(struct cup_graph_update *update, CUgraphExecUpdateResult result,
                     struct CUgraphNode_st *node, struct CUgraphNode_st *from)
{
    update->result = result;
    update->node = node;
    update->from = from;
    return cup_error(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "update result %d", (int)result);
}

/* One level of a plan (the graph's own nodes, or those of one child), with the nodes of the graph
 * that it is compared with. */
struct level {
    struct cup_plan *plan;
    uint32_t first, end;
    uint32_t *indices;
    struct CUgraphNode_st **nodes;
    size_t count;
};

static uint32_t next_in_level(const struct level *level, uint32_t index)
{
    uint32_t child_end = level->plan->nodes[index].child_end;

    return child_end ? child_end + 1 : index + 1;
}

static bool level_open_locked(struct level *level, struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    uint32_t mark = 0;

    level->count = 0;
    for (uint32_t i = level->first; i < level->end; i = next_in_level(level, i))
        level->count++;
    level->indices = malloc((level->count + 1) * sizeof(*level->indices));
    level->nodes = malloc((graph->node_count + 1) * sizeof(struct CUgraphNode_st *));
    if (!level->indices || !level->nodes)
        return false;
    for (uint32_t i = level->first; i < level->end; i = next_in_level(level, i))
        level->indices[mark++] = i;
    mark = 0;
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        level->nodes[mark] = node;
        node->mark = mark++;
    }
    return true;
}

static void level_close(struct level *level)
{
    free(level->indices);
    free(level->nodes);
}

static CUresult compare_locked(struct level *level, struct CUgraph_st *graph,
                               struct cup_graph_update *update);

static CUresult compare_inside_locked(const struct cup_plan_node *planned,
                                      struct CUgraphNode_st *node, struct cup_graph_update *update)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = CUDA_SUCCESS;

    if (planned->child_end) {
        struct level inside = {.plan = planned->plan,
                               .first = (uint32_t)(planned - planned->plan->nodes) + 1,
                               .end = planned->child_end};
        result = compare_locked(&inside, node->params->given.graph.graph, update);
    }
    for (unsigned i = 0;
         planned->bodies && i < planned->params->given.conditional.size && result == CUDA_SUCCESS;
         i++) {
        struct level inside = {.plan = planned->bodies[i], .end = planned->bodies[i]->count};
        result = compare_locked(&inside, node->params->given.conditional.phGraph_out[i], update);
    }
    return result;
}

/* Compares the outgoing edges of a node. `mark` of the graph's nodes is their index. A plan does
 * not store edge data, only whether a node's edges have any. */
static CUresult compare_edges_locked(const struct level *level, uint32_t index,
                                     struct CUgraphNode_st *node, struct cup_graph_update *update)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_plan_node *planned = &level->plan->nodes[index];
    const struct cup_plan_node *end =
        planned->child_end ? &level->plan->nodes[planned->child_end] : planned;
    uint32_t inside = 0;

    for (uint32_t i = 0; i < end->successor_count; i++) {
        uint32_t to = level->plan->successors[end->successors + i];
        bool found = to >= level->end; /* an edge to the end of the child is implicit */
        inside += to < level->end;
        for (uint32_t j = 0; j < node->out.count && !found; j++)
            found = level->indices[node->out.edges[j].node->mark] == to;
        if (!found) {
            update->older_node = node;
            return fail(update, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node, NULL);
        }
    }
    if (node->out.count > inside) {
        update->older_node = node;
        return fail(update, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    }
    for (uint32_t i = 0; i < node->out.count; i++) {
        struct CUgraphNode_st *to = node->out.edges[i].node;
        bool was_default = !(planned->has_edge_data);
        if (was_default && !cup_edge_data_is_default(&node->out.edges[i].data))
            return fail(update, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, to, node);
    }
    return CUDA_SUCCESS;
}

static CUresult compare_params_locked(const struct cup_plan_node *planned,
                                      struct CUgraphNode_st *node, struct cup_graph_update *update)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = planned->params->type;
    CUgraphExecUpdateResult result =
        type->update ? type->update(planned->params, node->params) : CU_GRAPH_EXEC_UPDATE_SUCCESS;

    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return fail(update, result, node, NULL);
    return compare_inside_locked(planned, node, update);
}

static CUresult compare_locked(struct level *level, struct CUgraph_st *graph,
                               struct cup_graph_update *update)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = CUDA_SUCCESS;

    if (!level_open_locked(level, graph))
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to compare graphs");
    if (result == CUDA_SUCCESS && level->count != graph->node_count) {
        update->count_differs = true;
        result = fail(update, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    }
    for (size_t i = level->count; i-- > 0 && result == CUDA_SUCCESS;) {
        if (level->plan->nodes[level->indices[i]].params->type != level->nodes[i]->params->type)
            result =
                fail(update, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, level->nodes[i], NULL);
    }
    for (size_t i = level->count; i-- > 0 && result == CUDA_SUCCESS;)
        result = compare_edges_locked(level, level->indices[i], level->nodes[i], update);
    for (size_t i = level->count; i-- > 0 && result == CUDA_SUCCESS;)
        result =
            compare_params_locked(&level->plan->nodes[level->indices[i]], level->nodes[i], update);
    level_close(level);
    return result;
}

/* Keeps the identities of the nodes, and which of them are enabled. Returns false if the graph has
 * changed since its nodes were paired. */
static bool inherit(struct cup_plan *plan, const struct cup_pairs *pairs)
{
    bool done = true;

    for (uint32_t i = 0; i < plan->count && done; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (!node->params) /* the end of a child */
            continue;
        const struct cup_plan_node *old = cup_pairs_find(pairs, node->node_id);
        done = old != NULL;
        if (done) {
            node->node_id = old->node_id;
            node->is_enabled = old->is_enabled;
        }
        for (unsigned body = 0; node->bodies && body < node->params->given.conditional.size && done;
             body++)
            done = inherit(node->bodies[body], pairs);
    }
    return done;
}

static CUresult replace_plan_locked(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                    const struct cup_pairs *pairs)
{
    cup_lock_assert_held(&exec->lock);
    struct cup_plan_refusal refusal;
    struct cup_graph_exec_allocation *allocations;
    struct cup_user_references users = {0};
    struct cup_plan *plan;
    size_t allocation_count;
    CUresult result = cup_plan_create(
        graph, exec->flags & ~(uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, &plan, &refusal);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_exec_allocations_note(graph, &allocations, &allocation_count);
    if (result == CUDA_SUCCESS) {
        cup_lock_acquire(&cup_graph_lock);
        result = cup_user_references_collect_locked(&users, graph);
        cup_lock_release(&cup_graph_lock);
    }
    if (result != CUDA_SUCCESS || plan->count != exec->plan->count || !inherit(plan, pairs)) {
        cup_plan_unref(plan);
        cup_user_references_drop(&users);
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    cup_plan_unref(exec->plan);
    exec->plan = plan;
    cup_graph_exec_allocations_drop(exec->allocations, exec->allocation_count);
    exec->allocations = allocations;
    exec->allocation_count = allocation_count;
    cup_user_references_drop(&exec->users);
    exec->users = users;
    return CUDA_SUCCESS;
}

static CUresult check_updatable_locked(const struct cup_plan *plan, const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    bool updatable = cup_graph_is_updatable_locked(graph);

    for (uint32_t i = 0; i < plan->count && !updatable; i++)
        updatable = plan->nodes[i].params && plan->nodes[i].params->attributes.updatable;
    return updatable ? cup_error(CUDA_ERROR_NOT_SUPPORTED, "a device updates the nodes")
                     : CUDA_SUCCESS;
}

CUresult cup_graph_exec_update(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                               struct cup_graph_update *update)
{
    struct cup_pairs pairs = {0};

    *update = (struct cup_graph_update){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    cup_lock_acquire(&exec->lock);
    cup_lock_acquire(&cup_graph_lock);
    CUresult result =
        graph->is_gone || graph->owner ? not_of_it() : check_updatable_locked(exec->plan, graph);
    if (result == CUDA_SUCCESS)
        result = cup_graph_exec_pair_locked(exec->plan, graph, update, &pairs);
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS)
        result = cup_graph_exec_bind(exec, graph, true);
    cup_pairs_sort(&pairs);
    if (result == CUDA_SUCCESS)
        result = replace_plan_locked(exec, graph, &pairs);
    cup_lock_release(&exec->lock);
    free(pairs.list);
    return result;
}

/* The graph that replaces a child's has the same nodes, created in the same order. */
static CUresult set_child_locked(struct CUgraphExec_st *exec, struct cup_plan_node *planned,
                                 const CUgraphNodeParams *given)
{
    cup_lock_assert_held(&exec->lock);
    struct cup_graph_update update = {0};
    struct cup_plan_refusal refusal;
    struct CUgraph_st *graph;
    struct cup_plan *plan;
    CUresult result = cup_graph_find(given->graph.graph, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    uint32_t first = (uint32_t)(planned - planned->plan->nodes) + 1;
    struct level inside = {.plan = planned->plan, .first = first, .end = planned->child_end};
    cup_lock_acquire(&cup_graph_lock);
    result = compare_locked(&inside, graph, &update);
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS)
        result = cup_plan_create(graph,
                                 exec->flags & ~(uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
                                 &plan, &refusal);
    if (result == CUDA_SUCCESS) {
        for (uint32_t i = 0; i < plan->count && result == CUDA_SUCCESS; i++) {
            if (plan->nodes[i].params)
                result =
                    cup_plan_node_replace(&planned->plan->nodes[first + i], plan->nodes[i].params);
        }
        cup_plan_unref(plan);
    }
    cup_graph_unref(graph);
    return result;
}

static CUresult set_params_locked(const struct CUgraphExec_st *exec, struct cup_plan_node *planned,
                                  const CUgraphNodeParams *given, enum cup_node_form form)
{
    cup_lock_assert_held(&exec->lock);
    const struct cup_node_type *type = planned->params->type;
    struct cup_node_params *params;
    CUgraphNodeParams whole = *given;

    cup_node_complete(&whole, form, planned->params);
    CUresult result = cup_node_params_remake(&whole, form, &planned->params->attributes, &params);
    if (result != CUDA_SUCCESS)
        return result;
    if (type->update && type->update(planned->params, params) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "the node cannot be changed to these parameters");
    if (result == CUDA_SUCCESS)
        result = cup_plan_node_replace(planned, params);
    cup_node_params_unref(params);
    return result;
}

CUresult cup_graph_exec_set(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                            const CUgraphNodeParams *given, enum cup_node_form form)
{
    struct cup_plan_node *planned;

    cup_lock_acquire(&exec->lock);
    CUresult result = open_node_locked(exec, node, &planned);
    if (result == CUDA_SUCCESS) {
        const struct cup_node_type *type = planned->params->type;
        if (type->id != given->type)
            result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has another type");
        else if (type->is_fixed)
            result = cup_error(CUDA_ERROR_NOT_SUPPORTED,
                               "the parameters of such a node cannot be changed");
        else if (type->id == CU_GRAPH_NODE_TYPE_GRAPH)
            result = set_child_locked(exec, planned, given);
        else
            result = set_params_locked(exec, planned, given, form);
    }
    cup_lock_release(&exec->lock);
    return result;
}

CUresult cup_graph_exec_set_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool enabled)
{
    struct cup_plan_node *planned;

    cup_lock_acquire(&exec->lock);
    CUresult result = open_node_locked(exec, node, &planned);
    if (result == CUDA_SUCCESS && !planned->params->type->can_be_disabled)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "such a node cannot be disabled");
    if (result == CUDA_SUCCESS)
        planned->is_enabled = enabled;
    cup_lock_release(&exec->lock);
    return result;
}

CUresult cup_graph_exec_get_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool *enabled)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&exec->lock);
    struct cup_plan_node *planned = cup_plan_find(exec->plan, node->id);
    if (!planned || !planned->params->type->can_be_disabled)
        result = not_of_it();
    else
        *enabled = planned->is_enabled;
    cup_lock_release(&exec->lock);
    return result;
}
