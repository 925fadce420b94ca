/* SPDX-License-Identifier: MIT */
/* A futex word is read before its semaphore is checked, and the thread sleeps on the value that was
 * read, so a signal in between keeps it awake. The first word of the list is the thread's own; it
 * is incremented for new waits and destroyed semaphores. */
#include "interop/semaphore_watch.h"

#include "interop/semaphore_job.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/mutex.h"
#include "os/thread.h"
#include "stream/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449 /* the same on every architecture */
#endif

enum {
    FUTEX_WORDS_MAX = 128, /* the limit of futex_waitv() */
    FUTEX_WORD_32_BITS = 2,
    FUTEX_WORD_PRIVATE = 128,
    SLEEP_NS = 20000000, /* interval of checks for dead peers */
    POLL_NS_MIN = 10000,
    POLL_NS_MAX = 500000,
};

/* struct futex_waitv of the kernel. */
struct futex_word {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};

/* Leaf mutex: guards the list of waits. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *watched;      /* linked by waiter_next; guarded by lock */
static bool started;                     /* guarded by lock */
static _Atomic(uint32_t) own_futex_word; /* futex */

/* The words that the thread is about to sleep on. */
struct sleep {
    unsigned count;
    bool polls; /* some semaphore has no futex word in the list: poll */
    struct futex_word futex_words[FUTEX_WORDS_MAX];
};

static void sleep_add(struct sleep *sleep, _Atomic(uint32_t) *word, uint32_t flags)
{
    if (sleep->count == FUTEX_WORDS_MAX) {
        sleep->polls = true;
        return;
    }
    sleep->futex_words[sleep->count++] = (struct futex_word){
        .value = atomic_load(word),
        .address = (uintptr_t)word,
        .flags = FUTEX_WORD_32_BITS | flags,
    };
}

static void sleep_add_item(struct sleep *sleep, struct cup_semaphore_item *item)
{
    struct CUextSemaphore_st *semaphore = item->use.semaphore;

    if (item->done)
        return;
    if (!semaphore->type->futex_word) {
        sleep->polls = true;
        return;
    }
    if (!item->entered)
        semaphore->type->enter(semaphore->payload);
    item->entered = true;
    sleep_add(sleep, semaphore->type->futex_word(semaphore->payload), 0);
}

/* Adds the futex words of the stream's wait to the list, then checks whether the wait is still
 * pending. */
static bool still_waits(struct CUstream_st *stream, struct sleep *sleep)
{
    struct cup_semaphore_job *job = (struct cup_semaphore_job *)stream->head;
    CUresult failed = atomic_load(&stream->context->device->sticky);

    for (unsigned i = 0; i < job->count; i++)
        sleep_add_item(sleep, &job->items[i]);
    return job->base.run(&job->base, failed) == CUDA_ERROR_NOT_READY;
}

static struct CUstream_st *collect_locked(struct sleep *sleep)
{
    cup_mutex_assert_held(&lock);
    struct CUstream_st *over = NULL, **link = &watched;

    while (*link) {
        struct CUstream_st *stream = *link;
        unsigned count = sleep->count;
        if (still_waits(stream, sleep)) {
            link = &stream->waiter_next;
            continue;
        }
        sleep->count = count;
        *link = stream->waiter_next;
        stream->waiter_next = over;
        over = stream;
    }
    return over;
}

/* Returns false if the kernel cannot wait on several words. */
static bool sleep_on_futex_words(const struct sleep *sleep)
{
    uint64_t end_ns = cup_clock_ns() + SLEEP_NS;
    struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};

    return syscall(SYS_futex_waitv, sleep->futex_words, sleep->count, 0, &end, CLOCK_MONOTONIC) >=
               0 ||
           (errno != ENOSYS && errno != EPERM);
}

static void wait_for_change(const struct sleep *sleep, int64_t *poll_ns)
{
    static bool must_poll;

    if (!sleep->polls && !must_poll) {
        must_poll = !sleep_on_futex_words(sleep);
        *poll_ns = POLL_NS_MIN;
        return;
    }
    cup_clock_sleep_ns(*poll_ns);
    if (*poll_ns < POLL_NS_MAX)
        *poll_ns += *poll_ns / 8;
}

static void *watch_main(void *argument)
{
    static struct sleep sleep;
    int64_t poll_ns = POLL_NS_MIN;
    uint32_t woken = 0;

    (void)argument;
    for (;;) {
        sleep.count = 0;
        sleep.polls = false;
        sleep_add(&sleep, &own_futex_word, FUTEX_WORD_PRIVATE);
        pthread_mutex_lock(&lock);
        struct CUstream_st *over = collect_locked(&sleep);
        bool none = !watched;
        pthread_mutex_unlock(&lock);
        if (over || woken != sleep.futex_words[0].value)
            poll_ns = POLL_NS_MIN;
        woken = (uint32_t)sleep.futex_words[0].value;
        while (over) {
            struct CUstream_st *next = over->waiter_next;
            cup_stream_unpark(over);
            over = next;
        }
        if (none)
            cup_futex_wait(&own_futex_word, woken, -1);
        else
            wait_for_change(&sleep, &poll_ns);
    }
    return NULL;
}

static void wake_thread(void)
{
    atomic_fetch_add(&own_futex_word, 1);
    cup_futex_wake(&own_futex_word, 1);
}

bool cup_semaphore_watch_add(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    if (!started)
        started = cup_os_thread_start(watch_main, NULL, "cupipe sem");
    bool added = started;
    if (added) {
        stream->waiter_next = watched;
        watched = stream;
    }
    pthread_mutex_unlock(&lock);
    if (added)
        wake_thread();
    return added;
}

void cup_semaphore_watch_wake(void)
{
    wake_thread();
}

bool cup_semaphore_watch_check_due(struct cup_semaphore_job *job)
{
    uint64_t now_ns = cup_clock_ns();

    if (job->checked_ns == 0)
        job->checked_ns = now_ns;
    if (now_ns - job->checked_ns < SLEEP_NS)
        return false;
    job->checked_ns = now_ns;
    return true;
}
