/* SPDX-License-Identifier: MIT */
/* The arrival of work for worker threads. A worker that finds nothing to do waits for the next
 * arrival: it spins for some microseconds, because work often follows work and waking a thread
 * takes longer than that, and then sleeps.
 *
 * A worker reads the count of arrivals, looks for work, and waits for the count to change. Whoever
 * adds work makes it visible first and then counts it, so no arrival is missed. */
#ifndef CUP_STREAM_ARRIVALS_H
#define CUP_STREAM_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

/* The count of arrivals. */
uint32_t cup_arrivals_seen(void);

/* Counts an arrival of work for up to `wanted` threads. Spinning workers see it by themselves.
 * Returns how many threads should be woken. */
unsigned cup_arrivals_add(unsigned wanted);

/* Wakes up to `count` sleeping workers. */
void cup_arrivals_wake(unsigned count);

/* Spins until the count is not `seen` any more. Returns false if that takes too long, or if
 * `spinners_max` workers spin already. *spin_ns, 0 at first, belongs to the worker: it grows while
 * spinning is worth it. */
bool cup_arrivals_spin(uint32_t seen, unsigned spinners_max, uint32_t *spin_ns);

/* Sleeps until the count is not `seen` any more. May return early. */
void cup_arrivals_sleep(uint32_t seen);

#endif
