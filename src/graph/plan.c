/* SPDX-License-Identifier: MIT */
/* The plan as an object: the jobs of its nodes, copies, references, and the replacement of a node's
 * parameters. plan_build.c makes it, plan_run.c runs it. */
#include "graph/plan.h"

#include "core/dynarray.h"
#include "core/error.h"
#include "exec/exec.h"
#include "graph/condition.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

void cup_plan_divide_slots(struct cup_plan *plan)
{
    uint32_t counts[CUP_TASK_RINGS] = {0}, place = 0;

    for (uint32_t i = 0; i < plan->count; i++)
        counts[plan->nodes[i].ring]++;
    for (uint32_t i = 0; i < plan->queue.ring_count; i++) {
        plan->queue.rings[i].slots = plan->slots + place;
        place += counts[i];
    }
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

static unsigned body_count(const struct cup_plan_node *node)
{
    return node->bodies ? node->params->given.conditional.size : 0;
}

struct wanted_codes {
    CUP_DYNARRAY(struct cup_exec_wanted, list);
};

/* Without memory for the list, kernels are compiled when their jobs are made. */
static void collect_wanted(const struct cup_plan *plan, struct wanted_codes *codes)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct cup_plan_node *node = &plan->nodes[i];
        struct cup_exec_wanted wanted, *added;
        if (node->params && node->params->type->wants_code &&
            node->params->type->wants_code(node, &wanted) &&
            (added = cup_dynarray_add(&codes->array, sizeof(*added))))
            *added = wanted;
        for (unsigned body = 0; body < body_count(node); body++)
            collect_wanted(node->bodies[body], codes);
    }
}

/* Compiles the kernels of the plan at the same time; jobs are made one after the other. */
static void prepare_codes(const struct cup_plan *plan)
{
    struct wanted_codes codes = {0};

    collect_wanted(plan, &codes);
    if (codes.count > 1)
        cup_exec_prepare_all(codes.list, codes.count);
    free(codes.list);
}

static CUresult make_jobs(struct cup_plan *plan, struct cup_plan_refusal *refusal)
{
    CUresult result = reserve_jobs(plan) ? CUDA_SUCCESS : cup_plan_out_of_memory();

    for (uint32_t i = 0; i < plan->count && result == CUDA_SUCCESS; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (node->params && node->params->type->plan)
            result = node->params->type->plan(node);
        if (result != CUDA_SUCCESS)
            *refusal = (struct cup_plan_refusal){CUDA_GRAPH_INSTANTIATE_ERROR, node->node};
        for (unsigned body = 0; body < body_count(node) && result == CUDA_SUCCESS; body++)
            result = make_jobs(node->bodies[body], refusal);
    }
    return result;
}

CUresult cup_plan_make_jobs(struct cup_plan *plan, struct cup_plan_refusal *refusal)
{
    prepare_codes(plan);
    return make_jobs(plan, refusal);
}

static bool copy_into(const struct cup_plan *plan, struct cup_plan *copy)
{
    copy->count = plan->count;
    copy->root_count = plan->root_count;
    copy->event_count = plan->event_count;
    copy->wait_count = plan->wait_count;
    copy->successor_count = plan->successor_count;
    copy->has_conditions = plan->has_conditions;
    copy->checks_launches = plan->checks_launches;
    copy->has_awaited = plan->has_awaited;
    copy->has_host_work = plan->has_host_work;
    copy->nodes = calloc(plan->count + 1, sizeof(*copy->nodes));
    copy->successors = malloc((plan->successor_count + 1) * sizeof(*copy->successors));
    copy->roots = malloc((plan->count + 1) * sizeof(*copy->roots));
    copy->slots = calloc(plan->count + 1, sizeof(*copy->slots));
    copy->places = malloc((plan->count + 1) * sizeof(*copy->places));
    copy->queue.ring_count = plan->queue.ring_count;
    if (!copy->nodes || !copy->successors || !copy->roots || !copy->slots || !copy->places ||
        !cup_dynarray_reserve(&copy->befores.array, plan->befores.count,
                              sizeof(*plan->befores.list)))
        return false;
    memcpy(copy->places, plan->places, plan->count * sizeof(*copy->places));
    copy->befores.count = plan->befores.count;
    if (plan->befores.count)
        memcpy(copy->befores.list, plan->befores.list,
               plan->befores.count * sizeof(*plan->befores.list));
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
        cup_plan_divide_slots(copy);
        return copy;
    }
    cup_plan_unref(copy);
    return NULL;
}

CUresult cup_plan_copy(const struct cup_plan *plan, struct cup_plan **copy)
{
    struct cup_plan_refusal refusal;
    struct cup_plan *made = copy_without_work(plan);
    CUresult result = made ? cup_plan_make_jobs(made, &refusal) : cup_plan_out_of_memory();

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
    for (unsigned i = 0; i < body_count(node); i++) {
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
    free(plan->places);
    free(plan->befores.list);
    free(plan->roots);
    free(plan->slots);
    free(plan->jobs);
    free(atomic_load(&plan->after));
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
    node->is_awaited = made.is_awaited;
    cup_node_params_unref(old);
    return CUDA_SUCCESS;
}
