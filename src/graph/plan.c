/* SPDX-License-Identifier: MIT */
/* Making a plan. The graph's structure is copied under the lock; jobs are made afterwards, because
 * kernels may have to be compiled.
 *
 * A child becomes a node, its content, and an end node: the content depends on the node, and
 * successors of the child depend on the end. */
#include "graph/plan.h"

#include "core/dynarray.h"
#include "core/error.h"
#include "device/context.h"
#include "graph/condition.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

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
    bool for_device, is_body;
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

static CUresult out_of_memory(void)
{
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
}

static size_t count_locked(const struct CUgraph_st *graph)
{
    size_t count = graph->node_count;

    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (node->params->type == &cup_node_child)
            count += 1 + count_locked(node->params->given.graph.graph);
    }
    return count;
}

enum { UNSEEN, ENTERED, LEFT };

/* Finds a cycle by depth-first search: an edge to a node on the current path closes one. */
static CUresult find_circle_locked(const struct builder *builder, struct CUgraph_st *graph)
{
    struct step {
        struct CUgraphNode_st *node;
        uint32_t next;
    } *stack = malloc((graph->node_count + 1) * sizeof(*stack));
    CUresult result = stack ? CUDA_SUCCESS : out_of_memory();
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

static CUresult build_locked(struct CUgraph_st *graph, uint64_t flags, bool is_body,
                             struct cup_plan **plan, struct cup_plan_refusal *refusal);

static CUresult collect_child_locked(struct builder *builder, struct cup_plan_node *begin)
{
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
    return added ? CUDA_SUCCESS : out_of_memory();
}

static CUresult collect_bodies_locked(struct builder *builder, struct cup_plan_node *planned)
{
    const CUDA_CONDITIONAL_NODE_PARAMS *given = &planned->params->given.conditional;
    CUresult result = CUDA_SUCCESS;

    planned->condition = cup_condition_find_locked(planned->node->graph, given->handle);
    planned->bodies = calloc(given->size, sizeof(*planned->bodies));
    if (!planned->bodies || !planned->condition)
        return out_of_memory();
    cup_condition_ref(planned->condition);
    builder->plan->has_conditions = true;
    for (unsigned i = 0; i < given->size && result == CUDA_SUCCESS; i++) {
        result = build_locked(given->phGraph_out[i], builder->flags & ~DEVICE_LAUNCH, true,
                              &planned->bodies[i], builder->refusal);
        if (result == CUDA_SUCCESS)
            planned->bodies[i]->parent = planned;
    }
    return result;
}

static CUresult check_locked(const struct builder *builder, struct CUgraphNode_st *node)
{
    const struct cup_node_type *type = node->params->type;

    if ((builder->is_body && !type->runs_in_bodies) ||
        (builder->for_device && !type->runs_from_device && type != &cup_node_child))
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
    int priority =
        params->type == &cup_node_kernel ? params->attributes.priority : CUP_PRIORITY_LEAST;
    return (uint8_t)(priority - CUP_PRIORITY_GREATEST);
}

static CUresult collect_node_locked(struct builder *builder, struct CUgraphNode_st *node)
{
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
    if (node->params->type == &cup_node_batch)
        builder->plan->has_batches = true;
    CUresult result = check_locked(builder, node);
    if (result == CUDA_SUCCESS && node->params->type == &cup_node_child)
        result = collect_child_locked(builder, planned);
    if (result == CUDA_SUCCESS && node->params->type == &cup_node_conditional)
        result = collect_bodies_locked(builder, planned);
    if (result == CUDA_SUCCESS && node->params->type == &cup_node_event_record)
        planned->event = builder->plan->event_count++;
    if (result == CUDA_SUCCESS && node->params->type == &cup_node_event_wait)
        planned->event = builder->plan->wait_count++;
    return result;
}

static CUresult collect_locked(struct builder *builder, struct CUgraph_st *graph)
{
    CUresult result = find_circle_locked(builder, graph);

    if (result == CUDA_SUCCESS && !cup_conditions_are_used_locked(graph))
        result = refuse(builder, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, NULL);
    for (struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next)
        result = collect_node_locked(builder, node);
    for (struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next) {
        for (uint32_t i = 0; i < node->out.count && result == CUDA_SUCCESS; i++) {
            if (!add_pair(builder, end_of(builder, node), node->out.edges[i].node->mark))
                result = out_of_memory();
        }
    }
    return result;
}

/* Divides the slots among the rings: each has as many as nodes belong to it. */
static void divide_slots(struct cup_plan *plan)
{
    uint32_t counts[CUP_TASK_RINGS] = {0}, place = 0;

    for (uint32_t i = 0; i < plan->count; i++)
        counts[plan->nodes[i].ring]++;
    for (uint32_t i = 0; i < plan->queue.ring_count; i++) {
        plan->queue.rings[i].slots = plan->slots + place;
        place += counts[i];
    }
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
    divide_slots(plan);
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

static CUresult build_locked(struct CUgraph_st *graph, uint64_t flags, bool is_body,
                             struct cup_plan **plan, struct cup_plan_refusal *refusal)
{
    struct builder builder = {.flags = flags,
                              .for_device = flags & DEVICE_LAUNCH,
                              .is_body = is_body,
                              .refusal = refusal};
    size_t count = count_locked(graph);

    builder.plan = calloc(1, sizeof(*builder.plan));
    if (!builder.plan)
        return out_of_memory();
    atomic_store(&builder.plan->refs, 1);
    cup_list_init(&builder.plan->pending);
    builder.plan->queue.ring_count =
        flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? CUP_TASK_RINGS : 1;
    builder.plan->nodes = calloc(count + 1, sizeof(*builder.plan->nodes));
    CUresult result =
        builder.plan->nodes && count < CUP_PLAN_NONE - 1 ? CUDA_SUCCESS : out_of_memory();
    if (result == CUDA_SUCCESS)
        result = collect_locked(&builder, graph);
    if (result == CUDA_SUCCESS && !join(&builder))
        result = out_of_memory();
    free(builder.pairs.list);
    if (result == CUDA_SUCCESS)
        *plan = builder.plan;
    else
        cup_plan_unref(builder.plan);
    return result;
}

enum { JOB_ALIGNMENT = 64 };

static size_t job_room(const struct cup_plan_node *node)
{
    const struct cup_node_params *params = node->params;

    if (!params || !params->type->job_bytes)
        return 0;
    return (params->type->job_bytes(params) + JOB_ALIGNMENT - 1) / JOB_ALIGNMENT * JOB_ALIGNMENT;
}

/* One block for all jobs: an allocation a node costs more than making the job. */
static bool reserve_jobs(struct cup_plan *plan)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < plan->count; i++)
        bytes += job_room(&plan->nodes[i]);
    if (bytes == 0)
        return true;
    plan->jobs = aligned_alloc(JOB_ALIGNMENT, bytes);
    if (!plan->jobs)
        return false;
    bytes = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        size_t room = job_room(&plan->nodes[i]);
        plan->nodes[i].place = room ? plan->jobs + bytes : NULL;
        bytes += room;
    }
    return true;
}

void *cup_plan_job_place(const struct cup_plan_node *node, size_t size_bytes)
{
    if (node->place)
        return node->place;
    return aligned_alloc(JOB_ALIGNMENT,
                         (size_bytes + JOB_ALIGNMENT - 1) / JOB_ALIGNMENT * JOB_ALIGNMENT);
}

void cup_plan_job_free(const struct cup_plan_node *node, void *place)
{
    if (place != node->place)
        free(place);
}

/* Makes the jobs of all nodes; on failure, refusal->node is the node that failed. */
static CUresult make_work(struct cup_plan *plan, struct cup_plan_refusal *refusal)
{
    CUresult result = reserve_jobs(plan) ? CUDA_SUCCESS : out_of_memory();

    for (uint32_t i = 0; i < plan->count && result == CUDA_SUCCESS; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (node->params && node->params->type->plan)
            result = node->params->type->plan(node);
        if (result != CUDA_SUCCESS)
            *refusal = (struct cup_plan_refusal){CUDA_GRAPH_INSTANTIATE_ERROR, node->node};
        for (unsigned body = 0;
             node->bodies && body < node->params->given.conditional.size && result == CUDA_SUCCESS;
             body++)
            result = make_work(node->bodies[body], refusal);
    }
    return result;
}

CUresult cup_plan_create(struct CUgraph_st *graph, uint64_t flags, struct cup_plan **plan,
                         struct cup_plan_refusal *refusal)
{
    struct cup_plan *made;

    cup_lock_acquire(&cup_graph_lock);
    CUresult result = build_locked(graph, flags, false, &made, refusal);
    cup_lock_release(&cup_graph_lock);
    if (result != CUDA_SUCCESS)
        return result;
    result = make_work(made, refusal);
    if (result == CUDA_SUCCESS)
        *plan = made;
    else
        cup_plan_unref(made);
    return result;
}

static bool copy_into(const struct cup_plan *plan, struct cup_plan *copy)
{
    copy->count = plan->count;
    copy->root_count = plan->root_count;
    copy->event_count = plan->event_count;
    copy->wait_count = plan->wait_count;
    copy->successor_count = plan->successor_count;
    copy->has_conditions = plan->has_conditions;
    copy->has_batches = plan->has_batches;
    copy->nodes = calloc(plan->count + 1, sizeof(*copy->nodes));
    copy->successors = malloc((plan->successor_count + 1) * sizeof(*copy->successors));
    copy->roots = malloc((plan->count + 1) * sizeof(*copy->roots));
    copy->slots = calloc(plan->count + 1, sizeof(*copy->slots));
    copy->queue.ring_count = plan->queue.ring_count;
    if (!copy->nodes || !copy->successors || !copy->roots || !copy->slots)
        return false;
    memcpy(copy->successors, plan->successors, plan->successor_count * sizeof(*copy->successors));
    memcpy(copy->roots, plan->roots, plan->root_count * sizeof(*copy->roots));
    return true;
}

static struct cup_plan *copy_without_work(const struct cup_plan *plan)
{
    struct cup_plan *copy = calloc(1, sizeof(*copy));
    bool done = copy != NULL;

    if (!copy)
        return NULL;
    atomic_store(&copy->refs, 1);
    cup_list_init(&copy->pending);
    done = copy_into(plan, copy);
    for (uint32_t i = 0; i < plan->count && done; i++) {
        const struct cup_plan_node *from = &plan->nodes[i];
        struct cup_plan_node *to = &copy->nodes[i];
        atomic_store(&to->waiting, from->dependencies);
        to->dependencies = from->dependencies;
        to->successors = from->successors;
        to->successor_count = from->successor_count;
        to->is_enabled = from->is_enabled;
        to->has_edge_data = from->has_edge_data;
        to->ring = from->ring;
        to->plan = copy;
        to->params = from->params;
        if (to->params)
            cup_node_params_ref(to->params);
        to->node_id = from->node_id;
        to->child_end = from->child_end;
        to->event = from->event;
        if (!from->bodies)
            continue;
        to->condition = from->condition;
        cup_condition_ref(to->condition);
        to->bodies = calloc(from->params->given.conditional.size, sizeof(*to->bodies));
        done = to->bodies != NULL;
        for (unsigned body = 0; body < from->params->given.conditional.size && done; body++) {
            to->bodies[body] = copy_without_work(from->bodies[body]);
            done = to->bodies[body] != NULL;
            if (done)
                to->bodies[body]->parent = to;
        }
    }
    if (done) {
        divide_slots(copy);
        return copy;
    }
    cup_plan_unref(copy);
    return NULL;
}

CUresult cup_plan_copy(const struct cup_plan *plan, struct cup_plan **copy)
{
    struct cup_plan_refusal refusal;
    struct cup_plan *made = copy_without_work(plan);
    CUresult result = made ? make_work(made, &refusal) : out_of_memory();

    if (result == CUDA_SUCCESS)
        *copy = made;
    else if (made)
        cup_plan_unref(made);
    return result;
}

void cup_plan_ref(struct cup_plan *plan)
{
    atomic_fetch_add(&plan->refs, 1);
}

void cup_plan_lane_end(struct CUstream_st *stream)
{
    if (!stream)
        return;
    cup_stream_destroy(stream, CUP_RETIRED_DESTROYED);
    cup_stream_unref(stream);
}

static void node_finish(struct cup_plan_node *node)
{
    if (node->job)
        node->params->type->unplan(node);
    cup_plan_lane_end(node->lane);
    cup_plan_lane_end(node->promises);
    for (unsigned i = 0; node->bodies && i < node->params->given.conditional.size; i++) {
        if (node->bodies[i])
            cup_plan_unref(node->bodies[i]);
    }
    free(node->bodies);
    if (node->condition)
        cup_condition_unref(node->condition);
    if (node->params)
        cup_node_params_unref(node->params);
}

void cup_plan_unref(struct cup_plan *plan)
{
    if (atomic_fetch_sub(&plan->refs, 1) != 1)
        return;
    for (uint32_t i = 0; plan->nodes && i < plan->count; i++)
        node_finish(&plan->nodes[i]);
    free(plan->nodes);
    free(plan->successors);
    free(plan->roots);
    free(plan->slots);
    free(plan->jobs);
    free(plan);
}

struct cup_plan_node *cup_plan_find(struct cup_plan *plan, uint64_t node_id)
{
    struct cup_plan_node *found = NULL;

    for (uint32_t i = 0; i < plan->count && !found; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (node->node_id == node_id)
            return node;
        for (unsigned body = 0;
             node->bodies && body < node->params->given.conditional.size && !found; body++)
            found = cup_plan_find(node->bodies[body], node_id);
    }
    return found;
}

CUresult cup_plan_node_replace(struct cup_plan_node *node, struct cup_node_params *params)
{
    struct cup_plan_node made = *node;

    made.params = params;
    made.job = NULL;
    made.place = NULL;
    if (params->type->plan) {
        CUresult result = params->type->plan(&made);
        if (result != CUDA_SUCCESS)
            return result;
    }
    if (node->job)
        node->params->type->unplan(node);
    struct cup_node_params *old = node->params;
    cup_node_params_ref(params);
    node->params = params;
    node->job = made.job;
    node->place = NULL;
    node->may_wait = made.may_wait;
    cup_node_params_unref(old);
    return CUDA_SUCCESS;
}
