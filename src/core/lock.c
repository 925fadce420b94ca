/* SPDX-License-Identifier: MIT */
/* The slow paths of a lock, and the checks of debug builds: each thread has a bit set of the ranks
 * it holds, and the lock that it holds of each. Two locks of one rank are never held together. */
#include "core/lock.h"

#include "core/thread.h"
#include "os/futex.h"

#include <stddef.h>

void cup_lock_init(struct cup_lock *lock, enum cup_lock_rank rank)
{
    atomic_init(&lock->held, 0);
    atomic_init(&lock->sleepers, 0);
    lock->rank = (uint16_t)rank;
}

void cup_lock_finish(struct cup_lock *lock)
{
    assert(atomic_load(&lock->held) == 0);
    (void)lock;
}

static bool try_acquire(struct cup_lock *lock)
{
    uint32_t free_lock = 0;

    return atomic_load_explicit(&lock->held, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&lock->held, &free_lock, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

void cup_lock_wait(struct cup_lock *lock)
{
    enum { SPINS = 60, SLEEP_NS = 100000 };

    for (int i = 0; i < SPINS; i++) {
        if (try_acquire(lock))
            return;
        cup_relax();
    }
    atomic_fetch_add(&lock->sleepers, 1);
    while (!try_acquire(lock))
        cup_futex_wait(&lock->held, 1, SLEEP_NS);
    atomic_fetch_sub(&lock->sleepers, 1);
}

void cup_lock_wake(struct cup_lock *lock)
{
    cup_futex_wake(&lock->held, 1);
}

#ifndef NDEBUG
static_assert((int)CUP_RANK_ARENA < (int)CUP_THREAD_LOCKS, "the last rank has a bit and a place");

void cup_lock_check_acquire(const struct cup_lock *lock)
{
    struct cup_thread *self = cup_thread_self();

    assert(self->held_ranks >> lock->rank == 0);
    self->held_ranks |= UINT64_C(1) << lock->rank;
    self->held_locks[lock->rank] = lock;
}

bool cup_lock_is_held(const struct cup_lock *lock)
{
    return cup_thread_self()->held_locks[lock->rank] == lock;
}

void cup_lock_check_release(const struct cup_lock *lock)
{
    struct cup_thread *self = cup_thread_self();

    assert(cup_lock_is_held(lock));
    self->held_ranks &= ~(UINT64_C(1) << lock->rank);
    self->held_locks[lock->rank] = NULL;
}
#endif
