/* SPDX-License-Identifier: MIT */
/* What is found is reported after the lock is released, because a report needs locks of the dynamic
 * loader. */
#include "check/stream/order.h"

#include "check/stream/agent.h"
#include "check/stream/task.h"
#include "device/context.h"
#include "os/mutex.h"
#include "stream/event.h"
#include "stream/job.h"
#include "stream/stream.h"

#include <stdio.h>
#include <stdlib.h>

/* What was released at an address or an object. */
struct released {
    uint64_t key;
    struct cup_order_clock clock;
};

static struct {
    CUP_DYNARRAY(struct released, keys);
} releases; /* guarded by cup_order_lock */

static struct cup_order_findings *findings_create(void)
{
    return calloc(1, sizeof(struct cup_order_findings));
}

static void report(struct cup_order_findings *findings)
{
    for (unsigned i = 0; i < findings->count; i++)
        cup_order_report(&findings->list[i]);
    free(findings);
}

/* Jobs. */

/* Kernels and work of the host have names of their own; other work is known by its call. */
static void name_task(const struct cup_job *job)
{
    bool is_host_work = job->kind == CUP_JOB_HOST_WORK || job->kind == CUP_JOB_PENDING;

    if (!job->task || !(job->is_kernel || is_host_work))
        return;
    snprintf(job->task->kernel, sizeof(job->task->kernel), "%s", job->name);
    job->task->is_host_work = is_host_work;
}

void cup_order_submit_job(struct CUstream_st *stream, struct cup_job *job)
{
    struct cup_order_agent *agent;

    if (stream->kind == CUP_STREAM_LANE)
        return; /* a node of a graph, which is part of the launch */
    pthread_mutex_lock(&cup_order_lock);
    job->task = NULL;
    agent = cup_order_agent_of_locked(stream);
    if (agent) {
        cup_order_default_rules_locked(agent);
        cup_order_advance_locked(agent);
        job->task = cup_order_task_create_locked(agent, job->name);
        name_task(job);
    }
    pthread_mutex_unlock(&cup_order_lock);
}

/* A kernel has a set of pages before its first access. A host function tells the host whatever
 * comes before it. */
void cup_order_start_job(struct cup_job *job)
{
    struct cup_order_task *task = job->task;
    struct cup_order_agent *agent;

    if (!task)
        return;
    if (job->is_kernel)
        cup_touched_begin(&task->touched);
    task->waits = job->is_kernel && job->kind == CUP_JOB_HOST_FUNCTION;
    pthread_mutex_lock(&cup_order_lock);
    cup_order_settle_locked(&task->clock);
    task->began = ++cup_order_ticks;
    agent = cup_order_agent_find_locked(task->agent);
    cup_order_clock_join(&agent->begun, &task->clock);
    if (job->kind == CUP_JOB_HOST_FUNCTION && !job->is_kernel)
        cup_order_clock_join(&cup_order_host.clock, &task->clock);
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_end_job(struct cup_job *job)
{
    struct cup_order_task *task = job->task;
    struct cup_order_findings *findings = task ? findings_create() : NULL;

    if (!findings)
        return;
    if (job->touches)
        job->touches(job);
    job->task = NULL;
    pthread_mutex_lock(&cup_order_lock);
    cup_order_task_end_locked(task, findings);
    pthread_mutex_unlock(&cup_order_lock);
    report(findings);
}

void cup_order_drop_job(struct cup_job *job)
{
    if (!job->task)
        return;
    pthread_mutex_lock(&cup_order_lock);
    cup_order_task_remove_locked(job->task);
    pthread_mutex_unlock(&cup_order_lock);
    job->task = NULL;
}

void cup_order_begin_node(struct cup_job *job, const struct cup_job *launch,
                          cup_check_before *before, const void *plan, uint32_t index)
{
    const struct cup_order_task *whole = launch->task;
    struct cup_order_agent *agent;

    job->task = NULL;
    if (!whole)
        return;
    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_find_locked(whole->agent);
    job->task = cup_order_task_create_locked(agent, job->name);
    if (job->task) {
        job->task->time = whole->time;
        job->task->number = whole->number;
        job->task->site = whole->site;
        job->task->before = before;
        job->task->plan = plan;
        job->task->node = index;
        cup_order_clock_copy(&job->task->clock, &whole->clock);
        name_task(job);
    }
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_touch(struct cup_job *job, uint64_t address, uint64_t bytes, enum cup_touch touch)
{
    if (job->task)
        cup_touched_add_range(&job->task->touched, address, bytes, touch);
}

struct cup_touched *cup_order_touched(struct cup_order_task *task)
{
    return task->touched.table ? &task->touched : NULL;
}

void cup_order_kernel_signals(struct cup_order_task *task)
{
    if (atomic_exchange(&task->signals, true))
        return;
    pthread_mutex_lock(&cup_order_lock);
    cup_order_clock_join(&cup_order_host.clock, &task->clock);
    pthread_mutex_unlock(&cup_order_lock);
}

/* Values and semaphores. */

static struct released *find_release_locked(uint64_t key)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (size_t i = 0; i < releases.count; i++) {
        if (releases.keys[i].key == key)
            return &releases.keys[i];
    }
    return NULL;
}

void cup_order_release(const struct cup_job *job, uint64_t key)
{
    struct released *released;

    if (!job->task)
        return;
    pthread_mutex_lock(&cup_order_lock);
    released = find_release_locked(key);
    if (!released && (released = cup_dynarray_add(&releases.array, sizeof(*released))))
        *released = (struct released){.key = key};
    if (released) {
        cup_order_settle_locked(&job->task->clock);
        cup_order_clock_join(&released->clock, &job->task->clock);
    }
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_acquire(const struct cup_job *job, uint64_t key)
{
    if (!job->task)
        return;
    pthread_mutex_lock(&cup_order_lock);
    const struct released *released = find_release_locked(key);
    cup_order_add_late_locked(job->task->agent, job->task->time,
                              released ? &released->clock : NULL);
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_forget(uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&cup_order_lock);
    for (size_t i = 0; i < cup_order_agents.count; i++) {
        for (struct cup_order_task *task = cup_order_agents.list[i]->first; task;
             task = task->next) {
            if (!task->is_pending)
                cup_touched_forget(&task->touched, address, bytes);
        }
    }
    pthread_mutex_unlock(&cup_order_lock);
}

/* Streams and events. */

/* A recording whose clock finds no memory orders nothing. */
static void record_locked(struct CUevent_st *event, const struct cup_order_clock *clock)
{
    cup_mutex_assert_held(&cup_order_lock);
    if (!event->order)
        event->order = calloc(1, sizeof(*event->order));
    if (event->order)
        cup_order_clock_copy(event->order, clock);
}

static void join_event_locked(struct cup_order_clock *clock, const struct CUevent_st *event)
{
    cup_mutex_assert_held(&cup_order_lock);
    if (event->order)
        cup_order_clock_join(clock, event->order);
}

void cup_order_record(struct CUevent_st *event, struct CUstream_st *stream)
{
    struct cup_order_agent *agent;

    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_of_locked(stream);
    if (agent)
        record_locked(event, &agent->clock);
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_wait_event(struct CUstream_st *stream, struct CUevent_st *event,
                          struct CUstream_st *recorded_in)
{
    struct cup_order_agent *agent;

    if (recorded_in && recorded_in->kind == CUP_STREAM_PEER)
        cup_order_wait_stream(stream, recorded_in);
    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_of_locked(stream);
    if (agent) {
        join_event_locked(&agent->clock, event);
        if (event->ipc)
            cup_order_join_begun_locked(&agent->clock);
        cup_order_advance_locked(agent);
    }
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_wait_stream(struct CUstream_st *stream, struct CUstream_st *first)
{
    struct cup_order_agent *agent, *before;

    if (!first)
        return;
    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_of_locked(stream);
    before = cup_order_agent_of_locked(first);
    if (agent && before) {
        cup_order_clock_join(&agent->clock, &before->clock);
        cup_order_advance_locked(agent);
    }
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_event_ends(struct CUevent_st *event)
{
    pthread_mutex_lock(&cup_order_lock);
    if (event->order)
        cup_order_clock_finish(event->order);
    free(event->order);
    event->order = NULL;
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_stream_ends(struct CUstream_st *stream)
{
    struct cup_order_agent *agent;

    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_find_locked(stream->id);
    if (agent && agent->first)
        agent->is_gone = true;
    else if (agent)
        cup_order_agent_end_locked(agent);
    pthread_mutex_unlock(&cup_order_lock);
}

/* The host. */

static void host_has_waited_locked(void)
{
    cup_mutex_assert_held(&cup_order_lock);
    cup_order_settle_locked(&cup_order_host.clock);
    cup_order_forget_settled_locked();
    cup_order_prune_locked(&cup_order_host.clock);
}

void cup_order_host_stream(struct CUstream_st *stream)
{
    struct cup_order_agent *agent;

    pthread_mutex_lock(&cup_order_lock);
    agent = cup_order_agent_of_locked(stream);
    if (agent) {
        if (agent->is_legacy)
            cup_order_default_rules_locked(agent);
        cup_order_clock_join(&cup_order_host.clock, &agent->clock);
    }
    host_has_waited_locked();
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_host_context(struct CUctx_st *context, bool blocking_only)
{
    pthread_mutex_lock(&cup_order_lock);
    for (size_t i = 0; i < cup_order_agents.count; i++) {
        const struct cup_order_agent *agent = cup_order_agents.list[i];

        if (agent->context == context->owner && (agent->is_blocking || !blocking_only))
            cup_order_clock_join(&cup_order_host.clock, &agent->clock);
    }
    host_has_waited_locked();
    pthread_mutex_unlock(&cup_order_lock);
}

void cup_order_host_event(struct CUevent_st *event)
{
    pthread_mutex_lock(&cup_order_lock);
    join_event_locked(&cup_order_host.clock, event);
    if (event->ipc)
        cup_order_join_begun_locked(&cup_order_host.clock);
    host_has_waited_locked();
    pthread_mutex_unlock(&cup_order_lock);
}
