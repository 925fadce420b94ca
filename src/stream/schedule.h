/* SPDX-License-Identifier: MIT */
/* When asynchronous work runs (CUPIPE_SCHEDULE).
 *
 * eager: at once, on the workers. lazy and random are deferred: no worker touches a stream; jobs
 * run in the threads that call the library, one at a time and by a rule. lazy runs a job only when
 * somebody waits for it, so work nobody synchronises with has not happened yet. random runs, at
 * every call, any number of jobs of any streams, drawn from the seed: the same calls give the same
 * order. Where no call comes for a while, the watchdog runs what is pending, so that a correct
 * program is late but does not hang. */
#ifndef CUP_STREAM_SCHEDULE_H
#define CUP_STREAM_SCHEDULE_H

#include "stream/job.h"

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic(bool) cup_schedule_is_deferred;

static inline bool cup_schedule_deferred(void)
{
    return atomic_load_explicit(&cup_schedule_is_deferred, memory_order_relaxed);
}

/* No worker could be started: from here on as lazy does. */
void cup_schedule_defer(void);

void cup_schedule_init(void);

/* The rest is for deferred schedules. */
void cup_schedule_submitted(void);               /* a job was appended somewhere */
void cup_schedule_asked(struct cup_point point); /* somebody asked whether the point is reached */
void cup_schedule_wait(struct cup_point point);  /* runs what it takes */

/* For the watchdog. One job of some ready stream; one of a stream that has been ready since its
 * look `tick` or longer. False when there is none. */
bool cup_schedule_run_any(void);
bool cup_schedule_run_older(uint32_t tick);

#endif
