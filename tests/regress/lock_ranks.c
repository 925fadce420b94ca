/* SPDX-License-Identifier: MIT */
/* Debug builds keep the ranks of the locks a thread holds as bits; the bits of ranks beyond 31 fell
 * out of the word, so that a wrong order of those would not have been noticed, and a right one of
 * others taken for wrong. Built with the lock itself, and with its checks. */
#include "core/lock.h"

#include "test.h"

static void acquire(struct cup_lock *lock, enum cup_lock_rank rank)
{
    cup_lock_init(lock, rank);
    cup_lock_acquire(lock);
}

/* Whether a thread may take a lock of the second rank while it has one of the first. */
static bool may_take(enum cup_lock_rank held, enum cup_lock_rank taken)
{
    struct cup_lock first, second;
    int status;
    pid_t pid = fork();

    check(pid >= 0);
    if (pid == 0) {
        close(STDERR_FILENO);
        acquire(&first, held);
        acquire(&second, taken);
        cup_lock_release(&second);
        cup_lock_release(&first);
        acquire(&first, taken); /* nothing is left of either */
        cup_lock_release(&first);
        acquire(&second, held);
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status) || WTERMSIG(status) == SIGABRT);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(locks_are_taken_in_growing_rank_whatever_the_rank)
{
    check(CUP_RANK_ARENA > 31);
    for (int held = 0; held <= CUP_RANK_ARENA; held++) {
        check(!may_take(held, held));
        if (held < CUP_RANK_ARENA)
            check(may_take(held, CUP_RANK_ARENA) && !may_take(CUP_RANK_ARENA, held));
        if (held > 0)
            check(may_take(held - 1, held) && !may_take(held, held - 1));
    }
}
