/* SPDX-License-Identifier: MIT */
/* The slow paths of a lock, and the rank check of debug builds: each thread keeps the ranks it holds as
 * bits. Two locks of one rank are never held together. */
#include "core/lock.h"

#include "os/futex.h"

#include <assert.h>

void cup_lock_init(struct cup_lock *lock, enum cup_lock_rank rank)
{
    atomic_store(&lock->word, 0);
    lock->rank = rank;
}

void cup_lock_finish(struct cup_lock *lock)
{
    assert(atomic_load(&lock->word) == 0);
    (void)lock;
}

void cup_lock_wait(struct cup_lock *lock)
{
    enum { SPINS = 60 };

    for (int i = 0; i < SPINS; i++) {
        uint32_t free_word = 0;
        if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_weak_explicit(&lock->word, &free_word, 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        cup_relax();
    }
    while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) != 0)
        cup_futex_wait(&lock->word, 2, -1);
}

void cup_lock_wake(struct cup_lock *lock)
{
    cup_futex_wake(&lock->word, 1);
}

#ifndef NDEBUG
static CUP_THREAD_LOCAL unsigned held_ranks;

void cup_lock_check_acquire(const struct cup_lock *lock)
{
    assert(held_ranks >> lock->rank == 0);
    held_ranks |= 1u << lock->rank;
}

void cup_lock_check_release(const struct cup_lock *lock)
{
    assert(held_ranks & (1u << lock->rank));
    held_ranks &= ~(1u << lock->rank);
}
#endif
