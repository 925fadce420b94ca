/* SPDX-License-Identifier: MIT */
/* The worker threads of the process: they run ready streams, higher priority first, and lend a hand
 * with work that splits into parts. They start with the first work that needs them. */
#ifndef CUP_STREAM_ENGINE_H
#define CUP_STREAM_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

/* A stream has turned READY: somebody will run it. */
void cup_engine_add(struct CUstream_st *stream);

/* Takes a stream off the list; false when it was not on it. */
bool cup_engine_remove(struct CUstream_st *stream);

/* Some ready stream taken off the list, chosen by `choose(count)` in 0..count-1, NULL when there is
 * none. The caller gets a reference. For schedules that run streams by other rules. */
struct CUstream_st *cup_engine_take(unsigned (*choose)(unsigned count));

/* The stream that has been ready since the watchdog's look `tick` or longer, and longest; NULL when
 * there is none. It stays overdue until all that it has now is done. */
struct CUstream_st *cup_engine_take_older(uint32_t tick);

/* Is there a ready stream that may still be begun? */
bool cup_engine_has_ready(void);

/* Runs action(argument, i) for each i below parts, here and on idle workers, and returns when all
 * are done. Never waits for a worker that has other work. */
void cup_engine_parallel(void (*action)(void *argument, size_t part), void *argument, size_t parts);

/* Is there a stream that no worker has come for? Then a part that does not get on should end. */
bool cup_engine_is_wanted(void);

/* Tasks that become ready one after the other, each once in a run: nodes of a graph under way. Who
 * pushes them takes no lock; workers take them as they come. `pending` has the tasks that are not
 * done in its upper half and the holds in its lower one: threads that are inside, and tasks that
 * are done elsewhere. Whoever makes it 0 calls `finish`. */
struct cup_task_queue {
    struct cup_task_queue *next, *previous; /* of the open ones; guarded by the engine's lock */
    void (*run)(struct cup_task_queue *queue, uint32_t task);
    void (*finish)(struct cup_task_queue *queue);
    _Atomic(uint64_t) pending;
    _Atomic(uint32_t) head, tail;
    _Atomic(uint32_t)
        *slots; /* as many as there are tasks, zeroed: the number of the task, and 1 */
};

#define CUP_TASK_ONE (UINT64_C(1) << 32)

/* Opens a queue for a run of so many tasks, with one hold, which is the caller's. */
void cup_engine_open(struct cup_task_queue *queue, uint32_t tasks);

/* A run is over: by `finish`, before anything else. */
void cup_engine_close(struct cup_task_queue *queue);

void cup_engine_push(struct cup_task_queue *queue, uint32_t task);

/* Runs tasks until none is ready, by somebody who has a hold. */
void cup_engine_work(struct cup_task_queue *queue);

/* Takes this off `pending`. */
static inline void cup_engine_settle(struct cup_task_queue *queue, uint64_t amount)
{
    if (atomic_fetch_sub(&queue->pending, amount) == amount)
        queue->finish(queue);
}

/* How many threads can work at once. */
unsigned cup_engine_width(void);

/* No new work is begun from here on; the process is exiting. */
void cup_engine_stop(void);

#endif
