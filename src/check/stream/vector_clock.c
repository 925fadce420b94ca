/* SPDX-License-Identifier: MIT */
#include "check/stream/vector_clock.h"

#include <string.h>

/* The index of the agent's time, or the place where it belongs. */
static size_t place_of(const struct cup_order_clock *clock, uint64_t agent)
{
    size_t low = 0, high = clock->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (clock->times[middle].agent < agent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has(const struct cup_order_clock *clock, size_t place, uint64_t agent)
{
    return place < clock->count && clock->times[place].agent == agent;
}

uint64_t cup_order_clock_get(const struct cup_order_clock *clock, uint64_t agent)
{
    size_t place = place_of(clock, agent);

    return has(clock, place, agent) ? clock->times[place].time : 0;
}

static bool raise_time(struct cup_order_clock *clock, uint64_t agent, uint64_t time)
{
    size_t place = place_of(clock, agent);

    if (has(clock, place, agent)) {
        if (clock->times[place].time >= time)
            return false;
        clock->times[place].time = time;
        return true;
    }
    if (!cup_dynarray_reserve(&clock->array, 1, sizeof(*clock->times)))
        return false;
    memmove(&clock->times[place + 1], &clock->times[place],
            (clock->count - place) * sizeof(*clock->times));
    clock->times[place] = (struct cup_order_time){agent, time};
    clock->count++;
    return true;
}

void cup_order_clock_raise(struct cup_order_clock *clock, uint64_t agent, uint64_t time)
{
    raise_time(clock, agent, time);
}

bool cup_order_clock_join(struct cup_order_clock *clock, const struct cup_order_clock *other)
{
    bool changed = false;

    for (size_t i = 0; clock != other && i < other->count; i++)
        changed |= raise_time(clock, other->times[i].agent, other->times[i].time);
    return changed;
}

void cup_order_clock_copy(struct cup_order_clock *clock, const struct cup_order_clock *other)
{
    clock->count = 0;
    if (other->count && cup_dynarray_reserve(&clock->array, other->count, sizeof(*clock->times))) {
        memcpy(clock->times, other->times, other->count * sizeof(*clock->times));
        clock->count = other->count;
    }
}

void cup_order_clock_finish(struct cup_order_clock *clock)
{
    free(clock->times);
    *clock = (struct cup_order_clock){.count = 0};
}
