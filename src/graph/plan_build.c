/* SPDX-License-Identifier: MIT */
/* Making a plan of a graph. The graph's structure is copied under the lock; jobs are made
 * afterwards, because kernels may have to be compiled.
 *
 * A child becomes a node, its content, and an end node: the content depends on the node, and
 * successors of the child depend on the end. */
#include "graph/plan.h"

#include "core/dynarray.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "graph/condition.h"

#include <stdlib.h>

#define DEVICE_LAUNCH ((uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)

struct pair {
    uint32_t from, to;
};

struct builder {
    struct cup_plan *plan;
    struct {
        CUP_DYNARRAY(struct pair, list);
    } pairs;
    uint64_t flags;
    bool for_device;
    const struct CUctx_st *body_context; /* of the conditional node whose body it is; NULL: none */
    struct cup_plan_refusal *refusal;
};

static CUresult refuse(const struct builder *builder, CUgraphInstantiateResult reason,
                       struct CUgraphNode_st *node)
{
    builder->refusal->reason = reason;
    builder->refusal->node = node;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the graph cannot be instantiated: reason %d",
                     (int)reason);
}

static size_t count_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t count = graph->node_count;

    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH)
            count += 1 + count_locked(node->params->given.graph.graph);
    }
    return count;
}

enum { UNSEEN, ENTERED, LEFT };

/* Finds a cycle by depth-first search: an edge to a node on the current path closes one. */
static CUresult find_circle_locked(const struct builder *builder, struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct step {
        struct CUgraphNode_st *node;
        uint32_t next;
    } *stack = malloc((graph->node_count + 1) * sizeof(*stack));
    CUresult result = stack ? CUDA_SUCCESS : cup_plan_out_of_memory();
    size_t depth = 0;

    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->mark = UNSEEN;
    for (struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next) {
        if (node->mark != UNSEEN)
            continue;
        node->mark = ENTERED;
        stack[depth++] = (struct step){node, 0};
        while (depth && result == CUDA_SUCCESS) {
            struct step *top = &stack[depth - 1];
            if (top->next == top->node->out.count) {
                top->node->mark = LEFT;
                depth--;
                continue;
            }
            struct CUgraphNode_st *to = top->node->out.edges[top->next++].node;
            if (to->mark == ENTERED)
                result = refuse(builder, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, top->node);
            if (to->mark == UNSEEN) {
                to->mark = ENTERED;
                stack[depth++] = (struct step){to, 0};
            }
        }
    }
    free(stack);
    return result;
}

static bool add_pair(struct builder *builder, uint32_t from, uint32_t to)
{
    struct pair *added = cup_dynarray_add(&builder->pairs.array, sizeof(*added));

    if (added)
        *added = (struct pair){from, to};
    return added != NULL;
}

static struct cup_plan_node *add_node(struct builder *builder)
{
    struct cup_plan_node *node = &builder->plan->nodes[builder->plan->count++];

    node->plan = builder->plan;
    node->is_enabled = true;
    return node;
}

static uint32_t index_of(const struct cup_plan_node *node)
{
    return (uint32_t)(node - node->plan->nodes);
}

static uint32_t end_of(const struct builder *builder, const struct CUgraphNode_st *node)
{
    const struct cup_plan_node *planned = &builder->plan->nodes[node->mark];

    return planned->child_end ? planned->child_end : node->mark;
}

static CUresult collect_locked(struct builder *builder, struct CUgraph_st *graph);

static CUresult build_locked(struct CUgraph_st *graph, uint64_t flags,
                             const struct CUctx_st *body_context, struct cup_plan **plan,
                             struct cup_plan_refusal *refusal);

static CUresult collect_child_locked(struct builder *builder, struct cup_plan_node *begin)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *child = begin->params->given.graph.graph;
    CUresult result = collect_locked(builder, child);
    bool added = true;

    if (result != CUDA_SUCCESS)
        return result;
    uint32_t end = index_of(add_node(builder));
    begin->child_end = end;
    if (child->node_count == 0)
        added = add_pair(builder, index_of(begin), end);
    for (struct CUgraphNode_st *node = child->first; node && added; node = node->next) {
        if (node->in.count == 0)
            added = add_pair(builder, index_of(begin), node->mark);
        if (node->out.count == 0)
            added = added && add_pair(builder, end_of(builder, node), end);
    }
    return added ? CUDA_SUCCESS : cup_plan_out_of_memory();
}

static CUresult collect_bodies_locked(struct builder *builder, struct cup_plan_node *planned)
{
    cup_lock_assert_held(&cup_graph_lock);
    const CUDA_CONDITIONAL_NODE_PARAMS *given = &planned->params->given.conditional;
    CUresult result = CUDA_SUCCESS;

    planned->condition = cup_condition_find_locked(planned->node->graph, given->handle);
    planned->bodies = calloc(given->size, sizeof(*planned->bodies));
    if (!planned->bodies || !planned->condition)
        return cup_plan_out_of_memory();
    cup_condition_ref(planned->condition);
    builder->plan->has_conditions = true;
    for (unsigned i = 0; i < given->size && result == CUDA_SUCCESS; i++) {
        result = build_locked(given->phGraph_out[i], builder->flags & ~DEVICE_LAUNCH,
                              planned->params->context, &planned->bodies[i], builder->refusal);
        if (result == CUDA_SUCCESS)
            planned->bodies[i]->parent = planned;
    }
    return result;
}

/* Kernels and fills of a body run in the context of the conditional node. Work of CUDA's libraries,
 * which host nodes own, may be there: on a GPU it is kernels. */
static CUresult check_in_body_locked(const struct builder *builder, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = node->params->type;

    if (!type->runs_in_bodies && !node->params->work)
        return refuse(builder, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, node);
    if (node->params->context == builder->body_context)
        return CUDA_SUCCESS;
    if (type->id == CU_GRAPH_NODE_TYPE_KERNEL || type->id == CU_GRAPH_NODE_TYPE_MEMSET)
        return refuse(builder, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, node);
    return type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL
               ? refuse(builder, CUDA_GRAPH_INSTANTIATE_ERROR, NULL)
               : CUDA_SUCCESS;
}

static CUresult check_locked(const struct builder *builder, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = node->params->type;

    if (builder->body_context)
        return check_in_body_locked(builder, node);
    if (builder->for_device && !type->runs_from_device && type->id != CU_GRAPH_NODE_TYPE_GRAPH)
        return refuse(builder, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, node);
    for (uint32_t i = 0; builder->for_device && i < node->mark; i++) {
        const struct cup_node_params *other = builder->plan->nodes[i].params;
        if (other && other->context != node->params->context)
            return refuse(builder, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, node);
    }
    return CUDA_SUCCESS;
}

/* Kernels have priorities, and other work has the least. A node without work only releases others,
 * which should not be late for it. */
static uint8_t ring_of(const struct cup_plan *plan, const struct cup_node_params *params)
{
    if (plan->queue.ring_count == 1 || !params->type->plan)
        return 0;
    int priority = params->type->id == CU_GRAPH_NODE_TYPE_KERNEL ? params->attributes.priority
                                                                 : CUP_PRIORITY_LEAST;
    return (uint8_t)(priority - CUP_PRIORITY_GREATEST);
}

static CUresult collect_node_locked(struct builder *builder, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_plan_node *planned = add_node(builder);

    planned->params = node->params;
    cup_node_params_ref(planned->params);
    planned->node = node;
    planned->node_id = node->id;
    planned->ring = ring_of(builder->plan, node->params);
    node->mark = index_of(planned);
    for (uint32_t i = 0; i < node->out.count; i++)
        planned->has_edge_data =
            planned->has_edge_data || !cup_edge_data_is_default(&node->out.edges[i].data);
    CUresult result = check_locked(builder, node);
    if (result == CUDA_SUCCESS && node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH)
        result = collect_child_locked(builder, planned);
    if (result == CUDA_SUCCESS && node->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        result = collect_bodies_locked(builder, planned);
    if (result == CUDA_SUCCESS && node->params->type->id == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        planned->event = builder->plan->event_count++;
    if (result == CUDA_SUCCESS && node->params->type->id == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
        planned->event = builder->plan->wait_count++;
    return result;
}

/* Notes where a node stands, once all nodes of its graph are in the plan. */
static bool note_place_locked(struct builder *builder, const struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_plan *plan = builder->plan;
    struct cup_plan_place *place = &plan->places[node->mark];

    *place = (struct cup_plan_place){.before = (uint32_t)plan->befores.count,
                                     .before_count = node->in.count,
                                     .exit_number = node->out.count ? 0 : node->exit_number};
    for (uint32_t i = 0; i < node->in.count; i++) {
        struct cup_plan_before *before = cup_dynarray_add(&plan->befores.array, sizeof(*before));
        if (!before)
            return false;
        *before = (struct cup_plan_before){node->in.edges[i].node->mark, node->in.edges[i].data};
    }
    return true;
}

static CUresult collect_locked(struct builder *builder, struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = find_circle_locked(builder, graph);

    if (result == CUDA_SUCCESS && !cup_conditions_are_used_locked(graph))
        result = refuse(builder, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, NULL);
    for (struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next)
        result = collect_node_locked(builder, node);
    for (struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next) {
        if (!note_place_locked(builder, node))
            result = cup_plan_out_of_memory();
        for (uint32_t i = 0; i < node->out.count && result == CUDA_SUCCESS; i++) {
            if (!add_pair(builder, end_of(builder, node), node->out.edges[i].node->mark))
                result = cup_plan_out_of_memory();
        }
    }
    return result;
}

/* Lists the roots by priority, because workers begin with the first root while the others are still
 * being pushed. */
static void list_roots(struct cup_plan *plan)
{
    for (uint32_t ring = 0; ring < plan->queue.ring_count; ring++) {
        for (uint32_t i = 0; i < plan->count; i++) {
            if (plan->nodes[i].ring == ring && plan->nodes[i].dependencies == 0)
                plan->roots[plan->root_count++] = i;
        }
    }
}

/* Turns the list of edges into successor lists and dependency counters. */
static bool join(struct builder *builder)
{
    struct cup_plan *plan = builder->plan;
    uint32_t place = 0;

    plan->successors = malloc((builder->pairs.count + 1) * sizeof(*plan->successors));
    plan->roots = malloc((plan->count + 1) * sizeof(*plan->roots));
    plan->slots = calloc(plan->count + 1, sizeof(*plan->slots));
    if (!plan->successors || !plan->roots || !plan->slots)
        return false;
    cup_plan_divide_slots(plan);
    for (size_t i = 0; i < builder->pairs.count; i++) {
        plan->nodes[builder->pairs.list[i].from].successor_count++;
        plan->nodes[builder->pairs.list[i].to].dependencies++;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        node->successors = place;
        place += node->successor_count;
        node->successor_count = 0;
        atomic_store_explicit(&node->waiting, node->dependencies, memory_order_relaxed);
    }
    list_roots(plan);
    for (size_t i = 0; i < builder->pairs.count; i++) {
        struct cup_plan_node *from = &plan->nodes[builder->pairs.list[i].from];
        plan->successors[from->successors + from->successor_count++] = builder->pairs.list[i].to;
    }
    plan->successor_count = (uint32_t)builder->pairs.count;
    return true;
}

static CUresult build_locked(struct CUgraph_st *graph, uint64_t flags,
                             const struct CUctx_st *body_context, struct cup_plan **plan,
                             struct cup_plan_refusal *refusal)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct builder builder = {.flags = flags,
                              .for_device = flags & DEVICE_LAUNCH,
                              .body_context = body_context,
                              .refusal = refusal};
    size_t count = count_locked(graph);

    builder.plan = calloc(1, sizeof(*builder.plan));
    if (!builder.plan)
        return cup_plan_out_of_memory();
    atomic_store(&builder.plan->refs, 1);
    cup_list_init(&builder.plan->pending);
    builder.plan->queue.ring_count =
        flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? CUP_TASK_RINGS : 1;
    builder.plan->nodes = calloc(count + 1, sizeof(*builder.plan->nodes));
    builder.plan->places = calloc(count + 1, sizeof(*builder.plan->places));
    CUresult result = builder.plan->nodes && builder.plan->places && count < CUP_PLAN_NONE - 1
                          ? CUDA_SUCCESS
                          : cup_plan_out_of_memory();
    if (result == CUDA_SUCCESS)
        result = collect_locked(&builder, graph);
    if (result == CUDA_SUCCESS && !join(&builder))
        result = cup_plan_out_of_memory();
    free(builder.pairs.list);
    if (result == CUDA_SUCCESS)
        *plan = builder.plan;
    else
        cup_plan_unref(builder.plan);
    return result;
}

CUresult cup_plan_create(struct CUgraph_st *graph, uint64_t flags, struct cup_plan **plan,
                         struct cup_plan_refusal *refusal)
{
    struct cup_plan *made;

    cup_lock_acquire(&cup_graph_lock);
    CUresult result = build_locked(graph, flags, NULL, &made, refusal);
    cup_lock_release(&cup_graph_lock);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_plan_make_jobs(made, refusal);
    if (result == CUDA_SUCCESS)
        *plan = made;
    else
        cup_plan_unref(made);
    return result;
}
