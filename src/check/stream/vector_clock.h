/* SPDX-License-Identifier: MIT */
/* Vector clocks for CUPIPE_CHECK=streams: for each agent (a stream, or the host) the time up to
 * which its work comes before something. Agents are numbered by the ids of streams; 0 is the host.
 * A zeroed clock is empty. */
#ifndef CUP_CHECK_STREAM_VECTOR_CLOCK_H
#define CUP_CHECK_STREAM_VECTOR_CLOCK_H

#include "core/dynarray.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_order_time {
    uint64_t agent, time;
};

struct cup_order_clock {
    CUP_DYNARRAY(struct cup_order_time, times); /* sorted by agent */
};

/* The time of an agent; 0: nothing of it comes before. */
uint64_t cup_order_clock_get(const struct cup_order_clock *clock, uint64_t agent);

/* Raises the time of an agent. Memory that is out is ignored: an order that is missing then. */
void cup_order_clock_raise(struct cup_order_clock *clock, uint64_t agent, uint64_t time);

/* Raises all times to those of another clock. Returns whether anything changed. */
bool cup_order_clock_join(struct cup_order_clock *clock, const struct cup_order_clock *other);

/* Replaces the clock by a copy of another. */
void cup_order_clock_copy(struct cup_order_clock *clock, const struct cup_order_clock *other);
void cup_order_clock_finish(struct cup_order_clock *clock);

#endif
