/* SPDX-License-Identifier: MIT */
/* The worker threads of the process. They run ready streams, higher priority first, and help with
 * work that splits into parts. They start with the first work that needs them. */
#ifndef CUP_STREAM_ENGINE_H
#define CUP_STREAM_ENGINE_H

#include "core/list.h"
#include "device/context.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

/* Adds a stream that has become READY, so that a worker runs it. */
void cup_engine_add(struct CUstream_st *stream);

/* Removes a stream from the ready list. Returns false if it was not on the list. */
bool cup_engine_remove(struct CUstream_st *stream);

/* Removes a ready stream from the list and returns it with a reference, or NULL if there is none.
 * `choose(count)` selects it by an index below `count`. Deferred schedules use this to run streams
 * by their own rules. */
struct CUstream_st *cup_engine_take(unsigned (*choose)(unsigned count));

/* Removes and returns the stream that has been ready longest, if it became ready at watchdog tick
 * `tick` or before; NULL if there is none. The stream stays overdue until all jobs that it has now
 * are done. */
struct CUstream_st *cup_engine_take_older(uint32_t tick);

/* True if a ready stream may still be started. */
bool cup_engine_has_ready(void);

/* Runs action(argument, i) for each i below `parts`, on the calling thread and on idle workers, and
 * returns when all parts are done. It never waits for a worker that is busy with other work. */
void cup_engine_parallel(void (*action)(void *argument, size_t part), void *argument, size_t parts);

/* The same on at most `width` threads, the calling one included. */
void cup_engine_parallel_within(unsigned width, void (*action)(void *argument, size_t part),
                                void *argument, size_t parts);

/* True if a ready stream has no worker. A part that makes no progress should then return. */
bool cup_engine_is_wanted(void);

/* Work that its owner will do when it comes to it, and that an idle worker may do before: the
 * compilation of a kernel whose launch is queued. */
struct cup_offer {
    struct cup_list link; /* guarded by the engine's lock */
    void (*run)(struct cup_offer *offer);
    _Atomic(uint32_t) state; /* futex word; 0: not offered */
};

/* Offers the work to workers that have nothing else to do. One worker never takes any, so that
 * streams find one. */
void cup_engine_offer(struct cup_offer *offer);

/* Takes the offer back, or waits for the worker that runs it. Safe for one that was not made. */
void cup_engine_withdraw(struct cup_offer *offer);

/* Tasks of one priority, in the order in which they became ready. */
struct cup_task_ring {
    _Atomic(uint32_t) head, tail;
    _Atomic(uint32_t) *slots; /* one per task, zeroed at first; holds the task's number plus 1 */
};

enum { CUP_TASK_RINGS = CUP_PRIORITY_LEAST - CUP_PRIORITY_GREATEST + 1 };

/* A queue of tasks that become ready one after the other, each once per run: the nodes of a graph
 * that executes. Pushing takes no lock; workers take tasks as they arrive, those of the first ring
 * that has any. The upper half of
 * `pending` counts unfinished tasks. The lower half counts holds: threads that work on the queue,
 * and tasks that complete elsewhere. The thread that brings `pending` to 0 calls `finish`. */
struct cup_task_queue {
    struct cup_list link; /* list of open queues; guarded by the engine's lock */
    void (*run)(struct cup_task_queue *queue, uint32_t task);
    void (*finish)(struct cup_task_queue *queue);
    _Atomic(uint64_t) pending;
    uint32_t ring_count; /* 1: all tasks have the same priority */
    struct cup_task_ring rings[CUP_TASK_RINGS];
};

#define CUP_TASK_ONE (UINT64_C(1) << 32)

/* Opens a queue for a run of `tasks` tasks. The caller owns the first hold. */
void cup_engine_open(struct cup_task_queue *queue, uint32_t tasks);

/* Closes a queue whose run is over. `finish` calls this before it does anything else. */
void cup_engine_close(struct cup_task_queue *queue);

void cup_engine_push(struct cup_task_queue *queue, uint32_t ring, uint32_t task);

/* Runs tasks until none is ready. The caller must have a hold. */
void cup_engine_work(struct cup_task_queue *queue);

/* Subtracts `amount` from `pending`, and calls `finish` if that makes it 0. */
static inline void cup_engine_settle(struct cup_task_queue *queue, uint64_t amount)
{
    if (atomic_fetch_sub(&queue->pending, amount) == amount)
        queue->finish(queue);
}

/* The number of threads that can run at the same time. */
unsigned cup_engine_width(void);

/* True if there are processors enough for threads to spin before they sleep. */
bool cup_engine_spins(void);

/* Prevents new work from starting, because the process is exiting. */
void cup_engine_stop(void);

#endif
