/* SPDX-License-Identifier: MIT */
/* Streams that wait for semaphores. One thread sleeps on the futex_words of all those semaphores at
 * once, for as long as any stream waits; where the system cannot do that, or a kind of semaphore
 * has no futex_word, it looks again and again, quickly at first. */
#ifndef CUP_INTEROP_SEMAPHORE_WATCH_H
#define CUP_INTEROP_SEMAPHORE_WATCH_H

#include <stdbool.h>

struct CUstream_st;
struct cup_semaphore_job;

/* The stream is parked, its head job a wait for semaphores: unpark it when that is over. False when
 * there is no thread to be had. */
bool cup_semaphore_watch_add(struct CUstream_st *stream);

/* Look at all waits now: a semaphore was destroyed. */
void cup_semaphore_watch_look(void);

/* Is it time that this wait asks whether the other processes live? Every few dozen milliseconds. */
bool cup_semaphore_watch_asks(struct cup_semaphore_job *job);

#endif
