/* SPDX-License-Identifier: MIT */
/* Debug builds know which locks and mutexes the calling thread holds: every function whose name
 * ends in _locked asserts it. Built with the lock itself, and with assertions. */
#include "core/lock.h"
#include "os/mutex.h"

#include "test.h"

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_STREAM);
static struct cup_lock same_rank = CUP_LOCK_INITIALIZER(CUP_RANK_STREAM);
static struct cup_lock next_rank = CUP_LOCK_INITIALIZER(CUP_RANK_STREAM + 1);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* Whether the function gets past its assertion. */
static bool passes(void (*function)(void))
{
    int status;
    pid_t pid = fork();

    check(pid >= 0);
    if (pid == 0) {
        close(STDERR_FILENO);
        function();
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGABRT);
    return WIFEXITED(status);
}

static void *run_in_thread(void *function)
{
    (*(void (**)(void))function)();
    return NULL;
}

static void in_another_thread(void (*function)(void))
{
    pthread_t thread;

    check(pthread_create(&thread, NULL, run_in_thread, &function) == 0);
    check(pthread_join(thread, NULL) == 0);
}

static void assert_lock(void)
{
    cup_lock_assert_held(&lock);
}

static void assert_lock_of_another_thread(void)
{
    cup_lock_acquire(&lock);
    in_another_thread(assert_lock);
}

static void assert_mutex(void)
{
    cup_mutex_assert_held(&mutex);
}

static void assert_mutex_of_another_thread(void)
{
    pthread_mutex_lock(&mutex);
    in_another_thread(assert_mutex);
}

TEST(a_lock_is_held_from_acquire_to_release)
{
    check(!passes(assert_lock));
    cup_lock_acquire(&lock);
    check(passes(assert_lock));
    cup_lock_acquire(&next_rank);
    check(passes(assert_lock));
    cup_lock_release(&lock);
    check(!passes(assert_lock));
    cup_lock_release(&next_rank);
    check(!passes(assert_lock));
}

TEST(another_lock_of_the_same_rank_is_not_enough)
{
    cup_lock_acquire(&same_rank);
    check(!passes(assert_lock));
    cup_lock_release(&same_rank);
}

TEST(a_lock_of_another_thread_is_not_enough)
{
    check(!passes(assert_lock_of_another_thread));
}

static void release_another_of_the_rank(void)
{
    cup_lock_release(&same_rank);
}

TEST(a_lock_is_released_by_its_holder)
{
    cup_lock_acquire(&lock);
    check(!passes(release_another_of_the_rank));
    cup_lock_release(&lock);
}

TEST(a_mutex_is_held_from_lock_to_unlock)
{
    check(!passes(assert_mutex));
    pthread_mutex_lock(&mutex);
    assert_mutex();
    pthread_mutex_unlock(&mutex);
    check(!passes(assert_mutex));
}

TEST(a_mutex_of_another_thread_is_not_enough)
{
    check(!passes(assert_mutex_of_another_thread));
}

TEST(a_mutex_is_held_after_a_wait)
{
    struct timespec past = {0};

    pthread_mutex_lock(&mutex);
    check(pthread_cond_timedwait(&condition, &mutex, &past) != 0);
    assert_mutex();
    pthread_mutex_unlock(&mutex);
}
