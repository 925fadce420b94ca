/* SPDX-License-Identifier: MIT */
/* Pairing follows the order of order.c, as NVIDIA's driver does: the nodes that nothing depends on
 * are paired, the latest first, then the dependencies of each pair in the order of their edges. A
 * node that would get two partners, and pairs with different numbers of dependencies, mean that
 * the topology has changed. The order of creation does not matter otherwise. */
#include "graph/exec_pair.h"

#include "core/error.h"
#include "core/lock.h"
#include "graph/node.h"

#include <stdlib.h>
#include <string.h>

/* Of one level: the nodes of the plan between `first` and `end`, without those of children, and the
 * nodes of a graph. `mark` of the latter is the index of their partner and 1, or 0. */
struct pairing {
    struct cup_plan *plan;
    uint32_t first, end;
    struct CUgraph_st *graph;
    uint32_t count;
    uint32_t *queue; /* of the plan's nodes that are paired */
    uint32_t queued;
    struct CUgraphNode_st **exits;    /* of the graph */
    struct CUgraphNode_st **partners; /* of the plan's nodes, from `first` on */
    struct cup_graph_update *update;
    struct cup_pairs *pairs;
};

static CUresult fail(const struct pairing *pairing, CUgraphExecUpdateResult result,
                     struct CUgraphNode_st *node, struct CUgraphNode_st *from)
{
    pairing->update->result = result;
    pairing->update->node = node;
    pairing->update->from = from;
    return cup_error(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "update result %d", (int)result);
}

static CUresult fail_topology(const struct pairing *pairing, struct CUgraphNode_st *node,
                              struct CUgraphNode_st *from)
{
    return fail(pairing, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node, from);
}

static uint32_t next_in(const struct pairing *pairing, uint32_t index)
{
    uint32_t child_end = pairing->plan->nodes[index].child_end;

    return child_end ? child_end + 1 : index + 1;
}

static uint64_t exit_number(const struct pairing *pairing, uint32_t index)
{
    return pairing->plan->places[index].exit_number;
}

/* Lists the plan's nodes that nothing depends on in the queue, the latest first. There are few as a
 * rule, and they come in order. */
static uint32_t list_exits(const struct pairing *pairing)
{
    uint32_t count = 0;

    for (uint32_t i = pairing->first; i < pairing->end; i = next_in(pairing, i)) {
        if (!exit_number(pairing, i))
            continue;
        uint32_t place = count++;
        for (;
             place > 0 && exit_number(pairing, pairing->queue[place - 1]) < exit_number(pairing, i);
             place--)
            pairing->queue[place] = pairing->queue[place - 1];
        pairing->queue[place] = i;
    }
    return count;
}

static bool pair(struct pairing *pairing, uint32_t index, struct CUgraphNode_st *node)
{
    struct cup_pair *added = cup_dynarray_add(&pairing->pairs->array, sizeof(*added));

    if (!added)
        return false;
    *added = (struct cup_pair){node->id, &pairing->plan->nodes[index]};
    pairing->partners[index - pairing->first] = node;
    node->mark = index + 1;
    return true;
}

/* The first form of cuGraphExecUpdate reports a node where the second reports none: the latest that
 * something has begun to depend on. */
static struct CUgraphNode_st *latest_with_dependents(const struct pairing *pairing)
{
    struct CUgraphNode_st *found = NULL, *node = pairing->graph->first;

    for (uint32_t i = pairing->first; i < pairing->end && node;
         i = next_in(pairing, i), node = node->next) {
        if (exit_number(pairing, i) && node->out.count)
            found = node;
    }
    return found;
}

static CUresult pair_exits_locked(struct pairing *pairing)
{
    cup_lock_assert_held(&cup_graph_lock);
    uint32_t count = list_exits(pairing);
    size_t graph_count = cup_graph_exits_locked(pairing->graph, pairing->exits);

    if (graph_count > count)
        return fail_topology(pairing, pairing->exits[count], NULL);
    if (graph_count < count) {
        pairing->update->older_node = latest_with_dependents(pairing);
        return fail_topology(pairing, NULL, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!pair(pairing, pairing->queue[i], pairing->exits[i]))
            return cup_plan_out_of_memory();
    }
    pairing->queued = count;
    return CUDA_SUCCESS;
}

static CUresult pair_dependencies_locked(struct pairing *pairing, uint32_t index,
                                         struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_plan_place *place = &pairing->plan->places[index];

    if (place->before_count != node->in.count)
        return fail_topology(pairing, node, NULL);
    for (uint32_t i = 0; i < node->in.count; i++) {
        const struct cup_plan_before *before = &pairing->plan->befores.list[place->before + i];
        struct CUgraphNode_st *from = node->in.edges[i].node;
        struct CUgraphNode_st *partner = pairing->partners[before->index - pairing->first];

        if (!partner && !from->mark) {
            if (!pair(pairing, before->index, from))
                return cup_plan_out_of_memory();
            pairing->queue[pairing->queued++] = before->index;
        } else if (partner != from) {
            return fail_topology(pairing, node, from);
        }
        if (memcmp(&before->data, &node->in.edges[i].data, sizeof(before->data)) != 0)
            return fail_topology(pairing, node, from);
    }
    return CUDA_SUCCESS;
}

static CUresult pair_level_locked(struct pairing *pairing);

static CUresult pair_inside_locked(const struct pairing *pairing,
                                   const struct cup_plan_node *planned, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct pairing inside = {.update = pairing->update, .pairs = pairing->pairs};
    CUresult result = CUDA_SUCCESS;

    if (planned->child_end) {
        inside.plan = pairing->plan;
        inside.first = (uint32_t)(planned - pairing->plan->nodes) + 1;
        inside.end = planned->child_end;
        inside.graph = node->params->given.graph.graph;
        result = pair_level_locked(&inside);
    }
    for (unsigned i = 0;
         planned->bodies && i < planned->params->given.conditional.size && result == CUDA_SUCCESS;
         i++) {
        inside = (struct pairing){.plan = planned->bodies[i],
                                  .end = planned->bodies[i]->count,
                                  .graph = node->params->given.conditional.phGraph_out[i],
                                  .update = pairing->update,
                                  .pairs = pairing->pairs};
        result = pair_level_locked(&inside);
    }
    return result;
}

static CUresult compare_locked(const struct pairing *pairing, const struct cup_plan_node *planned,
                               struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = planned->params->type;
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

    if (type != node->params->type)
        result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    else if (type->update)
        result = type->update(planned->params, node->params);
    return result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? pair_inside_locked(pairing, planned, node)
                                                  : fail(pairing, result, node, NULL);
}

static CUresult pair_all_locked(struct pairing *pairing)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = pair_exits_locked(pairing);

    for (uint32_t i = 0; i < pairing->queued && result == CUDA_SUCCESS; i++) {
        uint32_t index = pairing->queue[i];
        struct CUgraphNode_st *node = pairing->partners[index - pairing->first];
        result = compare_locked(pairing, &pairing->plan->nodes[index], node);
        if (result == CUDA_SUCCESS)
            result = pair_dependencies_locked(pairing, index, node);
    }
    return result;
}

static CUresult pair_level_locked(struct pairing *pairing)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = cup_plan_out_of_memory();

    for (uint32_t i = pairing->first; i < pairing->end; i = next_in(pairing, i))
        pairing->count++;
    if (pairing->count != pairing->graph->node_count) {
        pairing->update->count_differs = true;
        return fail_topology(pairing, NULL, NULL);
    }
    for (struct CUgraphNode_st *node = pairing->graph->first; node; node = node->next)
        node->mark = 0;
    pairing->queue = malloc((pairing->count + 1) * sizeof(*pairing->queue));
    pairing->exits = malloc((pairing->count + 1) * sizeof(struct CUgraphNode_st *));
    pairing->partners = calloc(pairing->end - pairing->first + 1, sizeof(struct CUgraphNode_st *));
    if (pairing->queue && pairing->exits && pairing->partners)
        result = pair_all_locked(pairing);
    free(pairing->queue);
    free(pairing->exits);
    free(pairing->partners);
    return result;
}

CUresult cup_graph_exec_pair_locked(struct cup_plan *plan, struct CUgraph_st *graph,
                                    struct cup_graph_update *update, struct cup_pairs *pairs)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct pairing pairing = {
        .plan = plan, .end = plan->count, .graph = graph, .update = update, .pairs = pairs};

    return pair_level_locked(&pairing);
}

static int by_node(const void *a, const void *b)
{
    uint64_t left = ((const struct cup_pair *)a)->node_id,
             right = ((const struct cup_pair *)b)->node_id;

    return left < right ? -1 : left > right;
}

void cup_pairs_sort(struct cup_pairs *pairs)
{
    if (pairs->count)
        qsort(pairs->list, pairs->count, sizeof(*pairs->list), by_node);
}

struct cup_plan_node *cup_pairs_find(const struct cup_pairs *pairs, uint64_t node_id)
{
    struct cup_pair wanted = {node_id, NULL};
    const struct cup_pair *found =
        pairs->count ? bsearch(&wanted, pairs->list, pairs->count, sizeof(wanted), by_node) : NULL;

    return found ? found->planned : NULL;
}
