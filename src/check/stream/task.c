/* SPDX-License-Identifier: MIT */
/* Tasks: which are kept, and which are compared. */
#include "check/stream/task.h"

#include "check/stream/agent.h"
#include "core/thread.h"
#include "os/mutex.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES_MAX = 256 << 20 };

static uint64_t numbers, memory_bytes; /* guarded by cup_order_lock, as all here */
uint64_t cup_order_ticks;

struct cup_order_task *cup_order_task_create_locked(struct cup_order_agent *agent, const char *name)
{
    struct cup_order_task *task = calloc(1, sizeof(*task));

    cup_mutex_assert_held(&cup_order_lock);
    if (!task)
        return NULL;
    task->agent = agent->id;
    task->time = agent->time;
    task->number = ++numbers;
    task->is_pending = true;
    task->name = name;
    task->site = cup_thread_check(cup_thread_self())->site;
    memcpy(task->where, agent->name, sizeof(task->where));
    cup_order_clock_copy(&task->clock, &agent->clock);
    *agent->last = task;
    agent->last = &task->next;
    return task;
}

static void task_free(struct cup_order_task *task)
{
    cup_order_clock_finish(&task->clock);
    cup_touched_finish(&task->touched);
    free(task);
}

/* Takes the task off its agent's list and frees it. */
void cup_order_task_remove_locked(struct cup_order_task *task)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_agent *agent = cup_order_agent_find_locked(task->agent);
    struct cup_order_task **place = &agent->first;

    while (*place != task)
        place = &(*place)->next;
    *place = task->next;
    if (agent->last == &task->next)
        agent->last = place;
    memory_bytes -= task->memory_bytes;
    task_free(task);
}

/* Lowers `least`, the times up to which everything comes before all that is pending or still to
 * come, to what a pending task knows. The task's own stream is in order anyway. */
static void lower_locked(struct cup_order_clock *least, const struct cup_order_task *task)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (size_t i = 0; i < least->count; i++) {
        struct cup_order_time *time = &least->times[i];
        uint64_t known = cup_order_clock_get(&task->clock, time->agent);

        if (time->agent != task->agent && known < time->time)
            time->time = known;
    }
}

/* Forgets what comes before everything that can still come. */
void cup_order_forget_settled_locked(void)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_clock least = {.count = 0};

    cup_order_clock_copy(&least, &cup_order_host.clock);
    for (size_t i = 0; i < cup_order_agents.count; i++) {
        for (struct cup_order_task *task = cup_order_agents.list[i]->first; task;
             task = task->next) {
            if (!task->is_pending)
                continue;
            cup_order_settle_locked(&task->clock);
            lower_locked(&least, task);
        }
    }
    cup_order_forget_late_locked();
    for (size_t i = cup_order_agents.count; i > 0; i--) {
        struct cup_order_agent *agent = cup_order_agents.list[i - 1];
        uint64_t settled = cup_order_clock_get(&least, agent->id);

        for (struct cup_order_task *task = agent->first, *next; task; task = next) {
            next = task->next;
            if (!task->is_pending && task->time <= settled)
                cup_order_task_remove_locked(task);
        }
        if (agent->is_gone && !agent->first)
            cup_order_agent_end_locked(agent);
    }
    cup_order_clock_finish(&least);
}

/* Too much is kept: forgets the oldest tasks that have ended, which are then not compared. */
static void forget_oldest_locked(void)
{
    cup_mutex_assert_held(&cup_order_lock);
    while (memory_bytes > MEMORY_BYTES_MAX) {
        struct cup_order_task *oldest = NULL;

        for (size_t i = 0; i < cup_order_agents.count; i++) {
            struct cup_order_task *task = cup_order_agents.list[i]->first;

            while (task && task->is_pending)
                task = task->next;
            if (task && (!oldest || task->number < oldest->number))
                oldest = task;
        }
        if (!oldest)
            return;
        cup_order_task_remove_locked(oldest);
    }
}

/* Comparing. */

static bool is_ordered(const struct cup_order_task *ended, const struct cup_order_task *task)
{
    bool same = ended->agent == task->agent && ended->time == task->time;

    if (same)
        return !task->before || !ended->before || task->plan != ended->plan ||
               task->node == ended->node || task->before(task->plan, ended->node, task->node) ||
               task->before(task->plan, task->node, ended->node);
    if (ended->agent == task->agent ||
        cup_order_clock_get(&task->clock, ended->agent) >= ended->time)
        return true;
    /* A kernel that waits may have waited for the other. */
    return (ended->waits && task->began < ended->ended) || task->waits;
}

/* Counts the memory of a task, whose set changes when it is compared. */
static void account_locked(struct cup_order_task *task)
{
    cup_mutex_assert_held(&cup_order_lock);
    memory_bytes -= task->memory_bytes;
    task->memory_bytes = sizeof(*task) + cup_touched_memory_bytes(&task->touched);
    memory_bytes += task->memory_bytes;
}

static bool conflicts_locked(struct cup_order_task *ended, struct cup_order_task *task,
                             struct cup_touched_conflict *conflict)
{
    cup_mutex_assert_held(&cup_order_lock);
    bool conflicts = cup_touched_conflicts(&ended->touched, &task->touched, conflict);

    account_locked(ended);
    return conflicts;
}

static void compare_locked(struct cup_order_task *task, struct cup_order_findings *findings)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_touched_conflict conflict;

    for (size_t i = 0; i < cup_order_agents.count; i++) {
        const struct cup_order_agent *agent = cup_order_agents.list[i];

        if (agent->id == task->agent && !task->before)
            continue;
        for (struct cup_order_task *each = agent->first; each; each = each->next) {
            if (each == task || each->is_pending || is_ordered(each, task) ||
                findings->count == CUP_ORDER_FINDINGS || !conflicts_locked(each, task, &conflict))
                continue;
            cup_order_find_locked(each, task, &conflict, &findings->list[findings->count++]);
        }
    }
}

/* A node in the body of a loop: what it did in the last round is forgotten. */
static void forget_last_round_locked(const struct cup_order_task *task)
{
    struct cup_order_task *next;

    cup_mutex_assert_held(&cup_order_lock);
    for (struct cup_order_task *each = cup_order_agent_find_locked(task->agent)->first; each;
         each = next) {
        next = each->next;
        if (!each->is_pending && each->time == task->time && each->plan == task->plan &&
            each->node == task->node && strcmp(each->kernel, task->kernel) == 0)
            cup_order_task_remove_locked(each);
    }
}

/* The task is over: compares it, and keeps it or frees it. */
void cup_order_task_end_locked(struct cup_order_task *task, struct cup_order_findings *findings)
{
    cup_mutex_assert_held(&cup_order_lock);
    if (task->waits)
        cup_order_add_late_locked(task->agent, task->time, NULL);
    cup_touched_seal(&task->touched);
    if (cup_touched_is_empty(&task->touched)) {
        cup_order_task_remove_locked(task);
        return;
    }
    cup_order_settle_locked(&task->clock);
    task->ended = ++cup_order_ticks;
    if (task->before)
        forget_last_round_locked(task);
    compare_locked(task, findings);
    task->is_pending = false;
    account_locked(task);
    forget_oldest_locked();
}
