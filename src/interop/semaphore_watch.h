/* SPDX-License-Identifier: MIT */
/* Streams that wait for semaphores. While any stream waits, one thread sleeps on the futex words of
 * all semaphores involved. If the kernel cannot wait on several words, or a kind of semaphore has
 * no futex word, the thread polls with increasing intervals. */
#ifndef CUP_INTEROP_SEMAPHORE_WATCH_H
#define CUP_INTEROP_SEMAPHORE_WATCH_H

#include <stdbool.h>

struct CUstream_st;
struct cup_semaphore_job;

/* Adds a parked stream whose first job waits for semaphores; the thread unparks it when the wait
 * ends. Returns false if the thread cannot be started. */
bool cup_semaphore_watch_add(struct CUstream_st *stream);

/* Checks all waits now, because a semaphore was destroyed. */
void cup_semaphore_watch_wake(void);

/* True if it is time for this wait to check for dead peers: every 20 ms. */
bool cup_semaphore_watch_check_due(struct cup_semaphore_job *job);

#endif
