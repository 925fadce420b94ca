/* SPDX-License-Identifier: MIT */
#include "check/stream/agent.h"

#include "device/context.h"
#include "os/mutex.h"
#include "stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_TIMES = 64 }; /* clocks with fewer are not pruned */

/* A clock that a wait acquired when it was over, at a time of its agent. */
struct late_order {
    struct late_order *next;
    uint64_t agent, time;
    struct cup_order_clock clock;
};

/* Leaf mutex: guards the order of streams. */
pthread_mutex_t cup_order_lock = PTHREAD_MUTEX_INITIALIZER;
struct cup_order_agent cup_order_host = {.last = &cup_order_host.first, .name = "the host"};
struct cup_order_agents cup_order_agents;
static uint64_t last_rest = UINT64_MAX; /* id of the agent made last by rest_of_locked */
static struct late_order *lates;

static size_t place_of_locked(uint64_t id)
{
    cup_mutex_assert_held(&cup_order_lock);
    size_t low = 0, high = cup_order_agents.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (cup_order_agents.list[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cup_order_agent *cup_order_agent_find_locked(uint64_t id)
{
    cup_mutex_assert_held(&cup_order_lock);
    size_t place = place_of_locked(id);

    return place < cup_order_agents.count && cup_order_agents.list[place]->id == id
               ? cup_order_agents.list[place]
               : NULL;
}

static bool add_agent_locked(struct cup_order_agent *agent)
{
    cup_mutex_assert_held(&cup_order_lock);
    size_t place = place_of_locked(agent->id);

    if (!cup_dynarray_reserve(&cup_order_agents.array, 1, sizeof(*cup_order_agents.list)))
        return false;
    memmove(&cup_order_agents.list[place + 1], &cup_order_agents.list[place],
            (cup_order_agents.count - place) * sizeof(*cup_order_agents.list));
    cup_order_agents.list[place] = agent;
    cup_order_agents.count++;
    return true;
}

static void name_agent(struct cup_order_agent *agent, struct CUstream_st *stream)
{
    static const char *const names[] = {
        [CUP_STREAM_LEGACY] = "the default stream",
        [CUP_STREAM_PER_THREAD] = "the per-thread default stream",
        [CUP_STREAM_GREEN] = "the default stream of a green context",
    };

    if (stream->kind < CUP_ARRAY_COUNT(names) && names[stream->kind])
        snprintf(agent->name, sizeof(agent->name), "%s", names[stream->kind]);
    else
        snprintf(agent->name, sizeof(agent->name), "stream %p", (void *)stream);
}

static struct cup_order_agent *agent_create_locked(uint64_t id, const struct CUctx_st *context,
                                                   bool is_blocking)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_agent *agent = calloc(1, sizeof(*agent));

    if (!agent)
        return NULL;
    agent->id = id;
    agent->last = &agent->first;
    agent->context = context;
    agent->is_blocking = is_blocking;
    if (add_agent_locked(agent))
        return agent;
    free(agent);
    return NULL;
}

struct cup_order_agent *cup_order_agent_of_locked(struct CUstream_st *stream)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_agent *agent = cup_order_agent_find_locked(stream->id);

    if (agent)
        return agent;
    agent = agent_create_locked(stream->id, stream->context, stream->blocking);
    if (!agent)
        return NULL;
    agent->is_legacy = cup_stream_is_legacy(stream);
    agent->is_default = stream->kind == CUP_STREAM_LEGACY || stream->kind == CUP_STREAM_PER_THREAD;
    name_agent(agent, stream);
    return agent;
}

bool cup_order_has_contexts_locked(void)
{
    cup_mutex_assert_held(&cup_order_lock);
    const struct CUctx_st *seen = NULL;

    for (size_t i = 0; i < cup_order_agents.count; i++) {
        const struct CUctx_st *context = cup_order_agents.list[i]->context;

        if (seen && context && context != seen)
            return true;
        seen = context ? context : seen;
    }
    return false;
}

/* The agent that has the clocks of the context's streams that have ended. It has no tasks. */
static struct cup_order_agent *rest_of_locked(const struct CUctx_st *context, bool is_blocking)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_agent *rest;

    for (size_t i = cup_order_agents.count; i > 0 && cup_order_agents.list[i - 1]->id >= last_rest;
         i--) {
        rest = cup_order_agents.list[i - 1];
        if (rest->context == context && rest->is_blocking == is_blocking)
            return rest;
    }
    rest = agent_create_locked(last_rest - 1, context, is_blocking);
    last_rest -= rest != NULL;
    return rest;
}

/* Ends an agent without tasks. Its clock still counts for who waits for the whole context. */
void cup_order_agent_end_locked(struct cup_order_agent *agent)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct cup_order_agent *rest = rest_of_locked(agent->context, agent->is_blocking);
    size_t place;

    if (!rest)
        return;
    cup_order_clock_join(&rest->clock, &agent->clock);
    place = place_of_locked(agent->id);
    memmove(&cup_order_agents.list[place], &cup_order_agents.list[place + 1],
            (--cup_order_agents.count - place) * sizeof(*cup_order_agents.list));
    cup_order_clock_finish(&agent->clock);
    cup_order_clock_finish(&agent->begun);
    free(agent);
}

/* Takes times of agents out of a clock that are no more: there is nothing to compare with. */
void cup_order_prune_locked(struct cup_order_clock *clock)
{
    cup_mutex_assert_held(&cup_order_lock);
    size_t kept = 0, agent = 0;

    if (clock->count < CLOCK_TIMES || clock->count < 2 * cup_order_agents.count)
        return;
    for (size_t i = 0; i < clock->count; i++) {
        while (agent < cup_order_agents.count &&
               cup_order_agents.list[agent]->id < clock->times[i].agent)
            agent++;
        if (agent < cup_order_agents.count &&
            cup_order_agents.list[agent]->id == clock->times[i].agent)
            clock->times[kept++] = clock->times[i];
    }
    clock->count = kept;
}

/* Adds what waits before something have acquired, if anything. */
void cup_order_settle_locked(struct cup_order_clock *clock)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (bool changed = lates != NULL; changed;) {
        changed = false;
        for (struct late_order *late = lates; late; late = late->next) {
            if (cup_order_clock_get(clock, late->agent) >= late->time)
                changed |= cup_order_clock_join(clock, &late->clock);
        }
    }
}

/* The rules of the legacy default stream: it and the blocking streams of its context come after
 * each other. */
void cup_order_default_rules_locked(struct cup_order_agent *agent)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (size_t i = 0; i < cup_order_agents.count; i++) {
        const struct cup_order_agent *each = cup_order_agents.list[i];

        if (each != agent && each->context == agent->context &&
            (agent->is_legacy ? each->is_blocking : agent->is_blocking && each->is_legacy))
            cup_order_clock_join(&agent->clock, &each->clock);
    }
}

/* The next time of an agent, after what the host has done. */
void cup_order_advance_locked(struct cup_order_agent *agent)
{
    cup_mutex_assert_held(&cup_order_lock);
    if (agent != &cup_order_host)
        cup_order_clock_join(&agent->clock, &cup_order_host.clock);
    cup_order_clock_raise(&agent->clock, agent->id, ++agent->time);
    cup_order_settle_locked(&agent->clock);
    cup_order_prune_locked(&agent->clock);
}

/* Everything that has begun. */
void cup_order_join_begun_locked(struct cup_order_clock *clock)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (size_t i = 0; i < cup_order_agents.count; i++)
        cup_order_clock_join(clock, &cup_order_agents.list[i]->begun);
}

bool cup_order_start(void)
{
    pthread_mutex_lock(&cup_order_lock);
    bool added = add_agent_locked(&cup_order_host);
    pthread_mutex_unlock(&cup_order_lock);
    return added;
}

/* What comes after a wait comes after what it waited for. */
void cup_order_add_late_locked(uint64_t agent, uint64_t time, const struct cup_order_clock *clock)
{
    cup_mutex_assert_held(&cup_order_lock);
    struct late_order *late = calloc(1, sizeof(*late));

    if (!late)
        return;
    late->agent = agent;
    late->time = time;
    cup_order_clock_copy(&late->clock, &cup_order_host.clock);
    if (clock)
        cup_order_clock_join(&late->clock, clock);
    else
        cup_order_join_begun_locked(&late->clock);
    late->next = lates;
    lates = late;
}

/* Waits that the host knows of are in its clock, and so in the clocks of all that is submitted from
 * now on. Tasks that are pending have taken what they need. */
void cup_order_forget_late_locked(void)
{
    cup_mutex_assert_held(&cup_order_lock);
    for (struct late_order **place = &lates; *place;) {
        struct late_order *late = *place;

        if (cup_order_clock_get(&cup_order_host.clock, late->agent) < late->time) {
            place = &late->next;
            continue;
        }
        *place = late->next;
        cup_order_clock_finish(&late->clock);
        free(late);
    }
}
