/* SPDX-License-Identifier: MIT */
/* Small mutexes with ranks. A thread acquires locks in increasing rank only; debug builds assert
 * it, so the first test that uses a wrong order finds it, not the first deadlock. No lock is held
 * across a callback, a compilation, a copy or a kernel.
 *
 * A function whose name ends in _locked begins with cup_lock_assert_held(): the calling thread
 * holds this very lock, not another one of its rank. Release builds do not evaluate the argument.
 * os/mutex.h has the same for plain mutexes.
 *
 * Acquiring a free lock is one atomic operation, releasing it a plain store: a third of the cost of
 * a pthread mutex, on paths that take a hundred nanoseconds. The release checks for sleepers
 * without the fence that would make the check reliable; a sleeper that it misses wakes by
 * timeout. */
#ifndef CUP_CORE_LOCK_H
#define CUP_CORE_LOCK_H

#include "core/compiler.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_lock_rank {
    CUP_RANK_CHECKPOINT,        /* locking, checkpointing and restoring the process */
    CUP_RANK_LIBRARY,           /* initialisation */
    CUP_RANK_GRAPH_EXEC,        /* the parameters of an executable graph */
    CUP_RANK_GRAPH,             /* the structure of graphs */
    CUP_RANK_LIBRARY_MODULES,   /* a library's modules per context */
    CUP_RANK_PRIMARY,           /* creation and end of a device's primary context */
    CUP_RANK_TEXTURE_REFERENCE, /* the binding of a texture reference */
    CUP_RANK_CONTEXT,           /* a context's lists */
    CUP_RANK_GRAPH_PENDING,     /* nodes of graphs that wait in their lanes */
    CUP_RANK_STREAM,            /* a stream's queue */
    CUP_RANK_FUNCTION,          /* a launch built by the API before CUDA 4 */
    CUP_RANK_EVENT,             /* the last record of an event */
    CUP_RANK_GRAPHICS,          /* an object of a graphics driver and its map state */
    CUP_RANK_EGL_CONTEXT,       /* the private context of an EGL display */
    CUP_RANK_GRAPHICS_LIST,     /* the list of graphics objects */
    CUP_RANK_IPC_EVENT,         /* pools of interprocess events */
    CUP_RANK_POOLS,             /* the list of memory pools */
    CUP_RANK_POOL,              /* a pool's free queue */
    CUP_RANK_POOL_ARENA_SHARD,  /* a shard of a pool's memory */
    CUP_RANK_POOL_ARENA,        /* a pool's 2 MiB chunks */
    CUP_RANK_GRAPH_MEMORY,      /* addresses of graphs' allocations and their memory */
    CUP_RANK_MULTICAST,         /* the memory bound to a multicast object */
    CUP_RANK_VIRTUAL,           /* reserved addresses and their mappings */
    CUP_RANK_MANAGED,           /* advice about managed memory */
    CUP_RANK_HEAP,              /* a shard of a heap */
    CUP_RANK_SPACE,             /* a heap's 2 MiB chunks */
    CUP_RANK_SHARE,             /* parts of a heap in separate files */
    CUP_RANK_IMPORT,            /* memory opened from other processes */
    CUP_RANK_ACCESS,            /* access rights of devices to memory */
    CUP_RANK_MAP,               /* ranges the application registered */
    CUP_RANK_RANDOM,            /* the random schedule */
    CUP_RANK_TILES,             /* the memory mapped to the tiles of images */
    CUP_RANK_GRID,              /* suspended blocks of a launch */
    CUP_RANK_FRAME,             /* unused frames of blocks */
    CUP_RANK_OUTPUT,            /* output of kernels */
    CUP_RANK_MALLOC_HEAP,       /* the heap of malloc() in kernels */
    CUP_RANK_TEXTURE,           /* handle numbers of textures and surfaces */
    CUP_RANK_RESOURCE,          /* descriptors of device resources */
    CUP_RANK_OBJECT,            /* free slots of an object type */
    CUP_RANK_ARENA,             /* address space of object slots */
};

struct cup_lock {
    _Atomic(uint32_t) held;
    _Atomic(uint16_t) sleepers;
    uint16_t rank;
};

#define CUP_LOCK_INITIALIZER(lock_rank)                                                            \
    {                                                                                              \
        0, 0, (lock_rank)                                                                          \
    }

void cup_lock_init(struct cup_lock *lock, enum cup_lock_rank rank);
void cup_lock_finish(struct cup_lock *lock);
void cup_lock_wait(struct cup_lock *lock);
void cup_lock_wake(struct cup_lock *lock);

#ifdef NDEBUG
#define cup_lock_assert_held(lock) ((void)sizeof((lock)->rank))

static inline void cup_lock_check_acquire(const struct cup_lock *lock)
{
    (void)lock;
}

static inline void cup_lock_check_release(const struct cup_lock *lock)
{
    (void)lock;
}
#else
#define cup_lock_assert_held(lock) assert(cup_lock_is_held(lock))

bool cup_lock_is_held(const struct cup_lock *lock); /* by the calling thread */
void cup_lock_check_acquire(const struct cup_lock *lock);
void cup_lock_check_release(const struct cup_lock *lock);
#endif

static inline void cup_lock_acquire(struct cup_lock *lock)
{
    uint32_t free_lock = 0;

    cup_lock_check_acquire(lock);
    if (cup_unlikely(!atomic_compare_exchange_strong_explicit(
            &lock->held, &free_lock, 1, memory_order_acquire, memory_order_relaxed)))
        cup_lock_wait(lock);
}

static inline void cup_lock_release(struct cup_lock *lock)
{
    cup_lock_check_release(lock);
    atomic_store_explicit(&lock->held, 0, memory_order_release);
    if (cup_unlikely(atomic_load_explicit(&lock->sleepers, memory_order_relaxed) != 0))
        cup_lock_wake(lock);
}

#endif
