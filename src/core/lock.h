/* SPDX-License-Identifier: MIT */
/* Small mutexes with ranks. A thread takes locks in growing rank only; debug builds assert it, so
 * that a wrong order is found by the first test that takes it and not by the first deadlock. No
 * lock is held across a callback, a compile, a copy or a kernel.
 *
 * Taking a free lock is one atomic operation, giving it back a plain store: a third of the price of
 * a pthread mutex, on paths that cost a hundred nanoseconds. Giving back looks for sleepers without
 * the fence that would make the look certain; a sleeper it overlooks wakes by itself after a
 * moment. */
#ifndef CUP_CORE_LOCK_H
#define CUP_CORE_LOCK_H

#include "core/compiler.h"

#include <stdatomic.h>
#include <stdint.h>

enum cup_lock_rank {
    CUP_RANK_LIBRARY,           /* initialisation */
    CUP_RANK_GRAPH_EXEC,        /* what an executable graph is to do */
    CUP_RANK_GRAPH,             /* the structure of graphs */
    CUP_RANK_LIBRARY_MODULES,   /* which module a library has in which context */
    CUP_RANK_PRIMARY,           /* a device's primary context coming and going */
    CUP_RANK_TEXTURE_REFERENCE, /* what a reference to a texture is bound to */
    CUP_RANK_CONTEXT,           /* a context's lists */
    CUP_RANK_GRAPH_PENDING,     /* nodes of graphs that wait in their lanes */
    CUP_RANK_STREAM,            /* a stream's queue */
    CUP_RANK_FUNCTION,          /* a launch being put together piece by piece */
    CUP_RANK_EVENT,             /* what an event was last recorded at */
    CUP_RANK_GRAPHICS,          /* an object of a graphics driver, and whether it is mapped */
    CUP_RANK_EGL_CONTEXT,       /* our context of an EGL display */
    CUP_RANK_GRAPHICS_LIST,     /* those objects */
    CUP_RANK_IPC_EVENT,         /* pools of events shared with other processes */
    CUP_RANK_POOLS,             /* the list of memory pools */
    CUP_RANK_POOL,              /* what was freed in a pool and not yet reached */
    CUP_RANK_POOL_ARENA_SHARD,  /* a shard of a pool's memory */
    CUP_RANK_POOL_ARENA,        /* a pool's 2 MiB chunks */
    CUP_RANK_GRAPH_MEMORY,      /* addresses of graphs' allocations and the memory behind them */
    CUP_RANK_VIRTUAL,           /* reserved addresses and what is mapped there */
    CUP_RANK_MANAGED,           /* what is advised about managed memory */
    CUP_RANK_HEAP,              /* a shard of a heap */
    CUP_RANK_SPACE,             /* a heap's 2 MiB chunks */
    CUP_RANK_SHARE,             /* parts of a heap in files of their own */
    CUP_RANK_IMPORT,            /* memory opened from other processes */
    CUP_RANK_ACCESS,            /* which device may touch which memory */
    CUP_RANK_MAP,               /* ranges the application registered */
    CUP_RANK_RANDOM,            /* the random schedule */
    CUP_RANK_TILES,             /* which memory is mapped to which tile of an image */
    CUP_RANK_GRID,              /* blocks of a launch that wait for others */
    CUP_RANK_FRAME,             /* memory for blocks that is not in use */
    CUP_RANK_OUTPUT,            /* what kernels printed */
    CUP_RANK_MALLOC_HEAP,       /* what kernels allocated */
    CUP_RANK_TEXTURE,           /* numbers of textures, references to them */
    CUP_RANK_OBJECT,            /* free slots of an object type */
    CUP_RANK_ARENA,             /* address space for slots */
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
static inline void cup_lock_check_acquire(const struct cup_lock *lock)
{
    (void)lock;
}

static inline void cup_lock_check_release(const struct cup_lock *lock)
{
    (void)lock;
}
#else
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
