/* SPDX-License-Identifier: MIT */
/* Running a plan: see plan.h. */
#include "core/checks.h"
#include "core/config.h"
#include "core/error.h"
#include "core/lock.h"
#include "core/trace.h"
#include "device/context.h"
#include "graph/condition.h"
#include "graph/exec.h"
#include "graph/plan.h"
#include "os/clock.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <stdlib.h>

static void plan_begin(struct cup_plan *plan, bool works);
static void begin_run(struct cup_plan *plan, struct cup_graph_launch *launch, bool works);

/* Guards plan->pending of all plans, which the deferred schedules use: the nodes in their lanes,
 * the latest first. The launch's stream is parked on the first of them, so that a thread that waits
 * for the stream knows what to run. */
static struct cup_lock pending_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPH_PENDING);

static struct cup_plan *root_of(struct cup_plan *plan)
{
    while (plan->parent)
        plan = plan->parent->plan;
    return plan;
}

static void park_on_first_locked(struct cup_plan *root)
{
    cup_lock_assert_held(&pending_lock);
    struct cup_plan_node *first =
        cup_list_first(&root->pending, struct cup_plan_node, pending_link);
    struct cup_point point = {first ? first->lane : NULL, 0};

    if (first)
        point = cup_stream_tail(first->lane);
    cup_stream_park_on(root->stream, point);
}

static void pending_add(struct cup_plan_node *node)
{
    struct cup_plan *root = root_of(node->plan);

    cup_lock_acquire(&pending_lock);
    cup_list_insert(&root->pending, &node->pending_link);
    park_on_first_locked(root);
    cup_lock_release(&pending_lock);
}

static void pending_remove(struct cup_plan_node *node)
{
    struct cup_plan *root = root_of(node->plan);

    cup_lock_acquire(&pending_lock);
    cup_list_remove(&node->pending_link);
    park_on_first_locked(root);
    cup_lock_release(&pending_lock);
}

/* True if running the node takes less time than giving it to another thread. */
static bool is_brief(const struct cup_plan_node *node)
{
    enum { BRIEF_BYTES = 4096 };
    const struct cup_job *job = node->job;

    if (node->bodies || node->may_wait)
        return false;
    return !job || (!job->is_kernel && job->bytes > 0 && job->bytes <= BRIEF_BYTES);
}

/* A node has become ready: the calling thread keeps it on its list, or pushes it for any thread.
 * Only the last node of the list may be one that is not brief, so no node waits behind a long one.
 * Returns the first node of the list. */
static uint32_t keep_or_push(struct cup_plan *plan, uint32_t index, uint32_t kept)
{
    struct cup_plan_node *node = &plan->nodes[index];

    if (kept != CUP_PLAN_NONE && !is_brief(node)) {
        cup_engine_push(&plan->queue, node->ring, index);
        return kept;
    }
    node->next_kept = kept;
    return index;
}

/* Decrements the counters of a finished node's successors. Those that become ready are pushed, or
 * kept if the caller has a list of its own. */
static uint32_t release_successors(struct cup_plan_node *node, bool keeps, uint32_t kept)
{
    struct cup_plan *plan = node->plan;

    for (uint32_t i = 0; i < node->successor_count; i++) {
        uint32_t index = plan->successors[node->successors + i];
        if (atomic_fetch_sub(&plan->nodes[index].waiting, 1) != 1)
            continue;
        if (keeps)
            kept = keep_or_push(plan, index, kept);
        else
            cup_engine_push(&plan->queue, plan->nodes[index].ring, index);
    }
    return kept;
}

/* Finishes a node that ran in a lane or a body, and releases its hold on the queue. */
static void finish_elsewhere(struct cup_plan_node *node)
{
    struct cup_plan *plan = node->plan;

    release_successors(node, false, CUP_PLAN_NONE);
    if (cup_unlikely(cup_schedule_deferred()))
        cup_engine_work(&plan->queue); /* without workers, this moves ready nodes to their lanes */
    cup_engine_settle(&plan->queue, CUP_TASK_ONE + 1);
}

static void lane_release(struct cup_job *job)
{
    struct cup_plan_node *node = job->keeper;

    if (node->params->type->after)
        node->params->type->after(node);
    if (cup_unlikely(cup_schedule_deferred()))
        pending_remove(node);
    finish_elsewhere(node);
}

/* That of the launch, unless each node has its own. */
static int priority_of(const struct cup_plan_node *node)
{
    if (node->plan->queue.ring_count == 1)
        return atomic_load(&node->plan->stream->priority);
    return CUP_PRIORITY_GREATEST + node->ring;
}

static bool has_lane(struct cup_plan_node *node)
{
    struct CUctx_st *context = node->plan->stream->context;

    if (node->lane && node->lane->context != context) {
        cup_plan_lane_end(node->lane);
        node->lane = NULL;
    }
    if (!node->lane && cup_stream_create(context, CUP_STREAM_LANE, CU_STREAM_NON_BLOCKING,
                                         CUP_PRIORITY_LEAST, &node->lane) != CUDA_SUCCESS)
        return false;
    atomic_store(&node->lane->priority, priority_of(node));
    node->lane->trace_id = node->plan->stream->id;
    return true;
}

static CUresult failed_before(const struct cup_plan *plan)
{
    return atomic_load(&plan->stream->context->device->sticky);
}

/* CUPIPE_CHECK=streams: what a body of a conditional node does counts as done by that node. */
static void order_begin(const struct cup_plan_node *node)
{
    struct cup_job *job = node->job;
    const struct cup_plan *plan = node->plan;

    for (; plan->parent; plan = node->plan)
        node = plan->parent;
    cup_check_node_started(job, &plan->launch->base, cup_plan_precedes, plan,
                           (uint32_t)(node - plan->nodes));
}

/* For an observer: the node's work belongs to the call that launched the graph. */
static void set_origin(struct cup_plan_node *node)
{
    const struct cup_graph_launch *launch = node->plan->launch;

    node->job->origin = (struct cup_observed_origin){
        .submitted_ns = launch->base.origin.submitted_ns,
        .graph_node = (uint64_t)launch->exec->number << 32 | (uint32_t)(node - node->plan->nodes),
        .graph = launch->exec->number,
        .correlation = launch->base.origin.correlation,
        .is_async = true,
    };
}

/* Runs a node in this thread. Work that may wait is run here only if there is no memory for a lane;
 * it then occupies a worker. */
static void run_here(struct cup_plan_node *node)
{
    CUresult result = cup_stream_run_job(node->plan->stream, node->job, failed_before(node->plan));

    while (cup_unlikely(result == CUDA_ERROR_NOT_READY))
        result = cup_stream_run_job(node->plan->stream, node->job, failed_before(node->plan));
    cup_check_job_ended(node->job);
    if (cup_unlikely(result != CUDA_SUCCESS)) {
        struct CUctx_st *context = node->params->context;

        cup_context_fail(context ? context : node->plan->stream->context, result,
                         node->job->is_kernel);
    }
}

static void run_in_lane(struct cup_plan_node *node)
{
    struct cup_plan *plan = node->plan;

    atomic_fetch_add(&plan->queue.pending, 1);
    if (!has_lane(node)) {
        run_here(node);
        finish_elsewhere(node);
        return;
    }
    node->job->keeper = node;
    node->job->release = lane_release;
    if (cup_unlikely(cup_schedule_deferred()))
        pending_add(node);
    cup_stream_submit(node->lane, node->job, NULL); /* submitting to a lane cannot fail */
}

/* The body of a conditional node that runs next; NULL: none. */
static struct cup_plan *body_of(const struct cup_plan_node *node)
{
    const CUDA_CONDITIONAL_NODE_PARAMS *given = &node->params->given.conditional;
    unsigned value = atomic_load(&node->condition->value);
    unsigned index = value;

    if (given->type != CU_GRAPH_COND_TYPE_SWITCH)
        index = value != 0 ? 0 : 1;
    if (index >= given->size || (given->type == CU_GRAPH_COND_TYPE_WHILE && value == 0))
        return NULL;
    return node->bodies[index];
}

/* Runs the next body of a conditional node. The node's hold on the queue is released when no body
 * is left to run. */
static void conditional_go_on(struct cup_plan_node *node, bool is_again)
{
    struct cup_plan *body = failed_before(node->plan) == CUDA_SUCCESS ? body_of(node) : NULL;
    bool loops = node->params->given.conditional.type == CU_GRAPH_COND_TYPE_WHILE;

    while (body && body->count == 0)
        body = loops ? body_of(node) : NULL;
    if (!body) {
        finish_elsewhere(node);
        return;
    }
    body->stream = node->plan->stream;
    body->launch = node->plan->launch;
    plan_begin(body, !is_again);
}

/* Continues a WHILE loop at the end of its body. The next iteration is only pushed, not run in this
 * call, which would recurse deeper with every iteration. */
static void body_finish(struct cup_plan *body)
{
    struct cup_plan_node *node = body->parent;

    if (node->params->given.conditional.type == CU_GRAPH_COND_TYPE_WHILE)
        conditional_go_on(node, true);
    else
        finish_elsewhere(node);
}

/* Threads keep nodes only if all have the same priority. */
static bool keeps_nodes(const struct cup_plan *plan)
{
    return plan->queue.ring_count == 1;
}

/* Runs the nodes of a list, and their successors that become ready. The caller has a hold. */
static void run_kept(struct cup_plan *plan, uint32_t index)
{
    bool deferred = cup_schedule_deferred();

    while (index != CUP_PLAN_NONE) {
        struct cup_plan_node *node = &plan->nodes[index];
        index = node->next_kept;
        atomic_store_explicit(&node->waiting, node->dependencies, memory_order_relaxed);
        if (node->bodies) {
            atomic_fetch_add(&plan->queue.pending, 1);
            conditional_go_on(node, false);
            continue;
        }
        if (node->job && node->is_enabled &&
            (!node->params->type->before || node->params->type->before(node))) {
            if (cup_unlikely(cup_checks.streams))
                order_begin(node);
            if (cup_observed())
                set_origin(node);
            if (cup_unlikely(node->may_wait || deferred)) {
                run_in_lane(node);
                continue;
            }
            run_here(node);
            if (node->params->type->after)
                node->params->type->after(node);
        }
        index = release_successors(node, keeps_nodes(plan), index);
        cup_engine_settle(&plan->queue, CUP_TASK_ONE); /* the caller's hold keeps it above 0 */
    }
}

static void task_run(struct cup_task_queue *queue, uint32_t index)
{
    struct cup_plan *plan = (struct cup_plan *)queue;

    plan->nodes[index].next_kept = CUP_PLAN_NONE;
    run_kept(plan, index);
}

/* Begins the next graph that a kernel has launched, or ends the launch. The graph that has run is
 * one of them, or the launch's own. */
static void go_on(struct cup_graph_launch *launch, struct cup_plan *done)
{
    struct cup_plan *next = cup_graph_launch_next(launch);

    while (next && next->count == 0) {
        cup_plan_unref(next);
        next = cup_graph_launch_next(launch);
    }
    if (done != launch->plan)
        cup_plan_unref(done);
    launch->awaited = NULL; /* all nodes of the launch's own graph have run */
    if (next)
        begin_run(next, launch, false);
    else
        cup_stream_finish_head(launch->stream, CUDA_SUCCESS);
}

static void tell_tools(const struct cup_plan *plan)
{
    const struct CUstream_st *stream = plan->stream;
    struct cupipe_activity activity = {
        .kind = CUPIPE_ACTIVITY_GRAPH,
        .correlation = plan->launch->base.origin.correlation,
        .device = (uint32_t)stream->context->device->ordinal,
        .context_id = stream->context->id,
        .stream_id = stream->id,
        .graph = plan->launch->exec->number,
        .is_async = 1,
        .start_ns = plan->start_ns,
        .end_ns = cup_clock_ns(),
    };

    cup_trace_graph(activity.device, stream->id, activity.start_ns, activity.end_ns, plan->count);
    if (cup_observed())
        cup_observer_tell(&activity);
}

static void queue_finish(struct cup_task_queue *queue)
{
    struct cup_plan *plan = (struct cup_plan *)queue;

    cup_engine_close(queue);
    if (plan->parent) {
        body_finish(plan);
        return;
    }
    if (plan->start_ns)
        tell_tools(plan);
    go_on(plan->launch, plan);
}

/* Starts a run of the plan. works: the calling thread also executes nodes. */
static void plan_begin(struct cup_plan *plan, bool works)
{
    uint32_t kept = CUP_PLAN_NONE;

    plan->queue.run = task_run;
    plan->queue.finish = queue_finish;
    cup_engine_open(&plan->queue, plan->count);
    for (uint32_t i = 0; i < plan->root_count; i++) {
        if (works && keeps_nodes(plan))
            kept = keep_or_push(plan, plan->roots[i], kept);
        else
            cup_engine_push(&plan->queue, plan->nodes[plan->roots[i]].ring, plan->roots[i]);
    }
    run_kept(plan, kept);
    if (works || cup_schedule_deferred())
        cup_engine_work(&plan->queue);
    cup_engine_settle(&plan->queue, 1);
}

static void assign_defaults(struct cup_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (!node->bodies)
            continue;
        if (node->condition->assigns_default)
            atomic_store(&node->condition->value, node->condition->default_value);
        for (unsigned body = 0; body < node->params->given.conditional.size; body++)
            assign_defaults(node->bodies[body]);
    }
}

static void begin_run(struct cup_plan *plan, struct cup_graph_launch *launch, bool works)
{
    plan->stream = launch->stream;
    plan->launch = launch;
    plan->start_ns = cup_trace_enabled() || cup_observed() ? cup_clock_ns() : 0;
    if (plan->has_conditions)
        assign_defaults(plan);
    plan_begin(plan, works);
}

CUresult cup_plan_launch_run(struct cup_job *job, CUresult failed)
{
    struct cup_graph_launch *launch = (struct cup_graph_launch *)job;

    (void)failed; /* each node checks it */
    launch->running = launch->exec;
    if (launch->plan->count)
        begin_run(launch->plan, launch, true);
    else
        cup_stream_finish_head(launch->stream, CUDA_SUCCESS);
    return CUDA_SUCCESS;
}
