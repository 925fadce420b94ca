/* SPDX-License-Identifier: MIT */
/* The progress thread: one in each process, which starts with the first watch. It waits for
 * descriptors and calls the function of each one that is ready. Everything that comes from other
 * processes and hosts comes through it. */
#ifndef NCCL_PROGRESS_H
#define NCCL_PROGRESS_H

#include <nccl.h>
#include <stdint.h>

struct nccl_watch;

/* Called in the progress thread when the descriptor is ready (EPOLLIN and others, level-triggered).
 * It may not wait. */
typedef void nccl_watch_ready(void *context, uint32_t events);

/* Called in the progress thread each time before it waits. Returns true if there may be more to do
 * at once: the thread then only looks at the descriptors and does not sleep. For an engine that
 * must arm its descriptor. May be NULL. */
typedef int nccl_watch_prepare(void *context);

ncclResult_t nccl_progress_add(int descriptor, uint32_t events, nccl_watch_ready *ready,
                               nccl_watch_prepare *prepare, void *context,
                               struct nccl_watch **watch);

/* Removes a watch. When this returns, its functions are not running and are not called again,
 * except if one of them is the caller. Does not close the descriptor. */
void nccl_progress_remove(struct nccl_watch *watch);

/* The same without waiting: its functions may be running, but are not called again. */
void nccl_progress_remove_later(struct nccl_watch *watch);

/* Makes the thread go through its `prepare` functions once more. */
void nccl_progress_wake(void);

#endif
