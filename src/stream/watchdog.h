/* SPDX-License-Identifier: MIT */
/* The watchdog of the deferred schedules (schedule.h).
 *
 * Deferred schedules run work in threads that call the library. A correct program may wait for its
 * work without a call: in another process, in a host function, for a word in mapped memory. So one
 * thread runs pending work when no thread of the program has called the library for a while, and
 * any stream that has stayed ready for much longer. It starts with the first pending work and
 * sleeps while there is none. The eager schedule does not have it. */
#ifndef CUP_STREAM_WATCHDOG_H
#define CUP_STREAM_WATCHDOG_H

/* Starts the thread with the first work that a deferred schedule holds. deferred.h wakes it. */
void cup_watchdog_start(void);

/* Called when a thread enters and leaves an API call. */
void cup_watchdog_call_begins(void);
void cup_watchdog_call_ends(void);

#endif
