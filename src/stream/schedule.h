/* SPDX-License-Identifier: MIT */
/* When asynchronous work runs (CUPIPE_SCHEDULE).
 *
 * eager runs work at once, on the workers. lazy and random are deferred: workers do not run
 * streams; jobs run in the threads that call the library, one at a time. lazy runs a job only when
 * a thread waits for it, so work that nothing synchronises with does not run. random runs, at every
 * call, a random number of jobs of random streams, drawn from the seed: the same calls give the
 * same order. If no call arrives for a while, the watchdog runs pending work, so that a correct
 * program is late but does not hang. */
#ifndef CUP_STREAM_SCHEDULE_H
#define CUP_STREAM_SCHEDULE_H

#include "stream/deferred.h"
#include "stream/job.h"

#include <stdbool.h>
#include <stdint.h>

void cup_schedule_init(void);

/* The functions below are for deferred schedules. */
void cup_schedule_submitted(void);               /* a job was appended to a stream */
void cup_schedule_asked(struct cup_point point); /* a caller queried whether the point is reached */
void cup_schedule_wait(struct cup_point point);  /* runs jobs until the point is reached */

/* For the watchdog. The first runs one job of any ready stream; the second runs one job of a stream
 * that became ready at tick `tick` or before. Both return false if there is none. */
bool cup_schedule_run_any(void);
bool cup_schedule_run_older(uint32_t tick);

#endif
