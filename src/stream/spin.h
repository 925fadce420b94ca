/* SPDX-License-Identifier: MIT */
/* Spinning for a short time before a thread sleeps. */
#ifndef CUP_STREAM_SPIN_H
#define CUP_STREAM_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* Spins until `is_over` returns true, at most `time_ns`. Returns what it returned last. A thread
 * that loses its processor while it spins takes time from others: for some milliseconds nobody
 * spins then. */
bool cup_spin_until(int (*is_over)(const void *what), const void *what, uint64_t time_ns);

#endif
