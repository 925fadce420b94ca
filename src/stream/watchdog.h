/* SPDX-License-Identifier: MIT */
/* The watchdog of the deferred schedules (schedule.h).
 *
 * Those run work in threads that call the library. A correct program may wait for its work without
 * a call: in another process, in a host function, for a word in mapped memory. So one thread runs
 * pending work when no thread of the program has called the library for a while, and any stream
 * that nobody has run for much longer. It starts with the first pending work and sleeps while there
 * is none. With the eager schedule it does not exist. */
#ifndef CUP_STREAM_WATCHDOG_H
#define CUP_STREAM_WATCHDOG_H

#include <stdatomic.h>
#include <stdint.h>

/* How often the watchdog has looked. Time is counted in looks: while the whole process is stopped,
 * none passes. */
extern _Atomic(uint32_t) cup_watchdog_ticks;

/* A stream has turned ready. */
void cup_watchdog_pending(void);

/* A thread enters a call of the API, and leaves it. */
void cup_watchdog_call_begins(void);
void cup_watchdog_call_ends(void);

#endif
