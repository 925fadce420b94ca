/* SPDX-License-Identifier: MIT */
/* Memory freed in streams that have not reached the free yet. Each piece is kept with the point at
 * which it is free, in a queue of its stream. Before that point it can be reused by its own stream,
 * by one that waits for the point, or by one that is made to wait. */
#ifndef CUP_MEMORY_FREE_QUEUE_H
#define CUP_MEMORY_FREE_QUEUE_H

#include "core/lock.h"
#include "stream/job.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_free_queue_stream;

enum { CUP_FREE_QUEUE_BUCKETS = 32 };

struct cup_free_queue {
    struct cup_lock lock;
    struct cup_free_queue_stream
        *buckets[CUP_FREE_QUEUE_BUCKETS]; /* by stream id; guarded by lock */
    /* How many streams there are whose id has the same rest; changed under lock. */
    _Atomic(uint32_t) counts[CUP_FREE_QUEUE_BUCKETS];
    _Atomic(uint64_t) piece_count; /* changed under lock */
};

struct cup_freed {
    uint64_t address;
    uint64_t held_bytes;    /* as in pool_arena.h */
    struct cup_point point; /* where it is free; a reference on the stream is the caller's */
    bool whole;             /* nothing is left of the piece it was taken from */
};

/* Which pieces a request may have. */
enum cup_free_queue_choice {
    CUP_FREE_QUEUE_OWN,      /* those freed in the stream itself */
    CUP_FREE_QUEUE_FOLLOWED, /* those the stream is known to wait for */
    CUP_FREE_QUEUE_ANY,
};

void cup_free_queue_init(struct cup_free_queue *order);

/* Nothing is kept any more. */
void cup_free_queue_finish(struct cup_free_queue *order);

/* False when memory is out. */
bool cup_free_queue_add(struct cup_free_queue *order, struct cup_point point, uint64_t address,
                        uint64_t held_bytes);

/* Takes so many bytes out of one piece; false when there is none. */
bool cup_free_queue_take(struct cup_free_queue *order, struct CUstream_st *stream,
                         enum cup_free_queue_choice choice, uint64_t held_bytes,
                         struct cup_freed *freed);

/* Takes the next piece whose point has been reached: of one stream, or with NULL of any. */
bool cup_free_queue_next_reached(struct cup_free_queue *order, struct CUstream_st *stream,
                                 struct cup_freed *freed);

static inline bool cup_free_queue_is_empty(const struct cup_free_queue *order)
{
    return atomic_load_explicit(&order->piece_count, memory_order_relaxed) == 0;
}

#endif
