/* SPDX-License-Identifier: MIT */
/* Memory whose free the stream has not reached yet. Each piece is kept, in a queue of its stream,
 * with the point at which it becomes free. Before that point its own stream, a stream that waits
 * for the point, or a stream that is made to wait can reuse it. */
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
    /* Number of streams per bucket; changed under lock. */
    _Atomic(uint32_t) counts[CUP_FREE_QUEUE_BUCKETS];
    _Atomic(uint64_t) piece_count; /* changed under lock */
};

struct cup_freed {
    uint64_t address;
    uint64_t held_bytes;    /* as in pool_arena.h */
    struct cup_point point; /* when it is free; the caller gets a reference on the stream */
    bool whole;             /* the piece that it was taken from is used up */
};

/* Which pieces a request may use. */
enum cup_free_queue_choice {
    CUP_FREE_QUEUE_OWN,      /* pieces freed in the stream itself */
    CUP_FREE_QUEUE_FOLLOWED, /* pieces whose point the stream is known to wait for */
    CUP_FREE_QUEUE_ANY,
};

void cup_free_queue_init(struct cup_free_queue *frees);

/* The queue must be empty. */
void cup_free_queue_finish(struct cup_free_queue *frees);

/* Returns false if out of memory. */
bool cup_free_queue_add(struct cup_free_queue *frees, struct cup_point point, uint64_t address,
                        uint64_t held_bytes);

/* Takes the bytes from one piece. Returns false if no piece fits. */
bool cup_free_queue_take(struct cup_free_queue *frees, struct CUstream_st *stream,
                         enum cup_free_queue_choice choice, uint64_t held_bytes,
                         struct cup_freed *freed);

/* Takes the next piece whose point has been reached, of one stream or, with NULL, of any. */
bool cup_free_queue_next_reached(struct cup_free_queue *frees, struct CUstream_st *stream,
                                 struct cup_freed *freed);

static inline bool cup_free_queue_is_empty(const struct cup_free_queue *frees)
{
    return atomic_load_explicit(&frees->piece_count, memory_order_relaxed) == 0;
}

#endif
