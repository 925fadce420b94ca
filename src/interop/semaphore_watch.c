/* SPDX-License-Identifier: MIT */
/* A futex_word is read before its semaphore is looked at, and slept on as it was read: a signal in
 * between keeps the thread awake. The thread's own futex_word is the first of all; it rings for new
 * waits and for semaphores destroyed. */
#include "interop/semaphore_watch.h"

#include "interop/semaphore_job.h"
#include "os/clock.h"
#include "os/futex.h"
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
    FUTEX_WORDS_MAX = 128, /* what the system sleeps on at once */
    FUTEX_WORD_32_BITS = 2,
    FUTEX_WORD_PRIVATE = 128,
    SLEEP_NS = 20000000, /* how long before somebody asks whether the others live */
    NAP_NS_LEAST = 10000,
    NAP_NS_MOST = 500000,
};

/* One word to sleep on, as the system wants it. */
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

/* What the thread is about to sleep on. */
struct sleep {
    unsigned count;
    bool naps; /* not everything that is waited for has a futex_word in the list */
    struct futex_word futex_words[FUTEX_WORDS_MAX];
};

static void sleep_add(struct sleep *sleep, _Atomic(uint32_t) *word, uint32_t flags)
{
    if (sleep->count == FUTEX_WORDS_MAX) {
        sleep->naps = true;
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
        sleep->naps = true;
        return;
    }
    if (!item->entered)
        semaphore->type->enter(semaphore->payload);
    item->entered = true;
    sleep_add(sleep, semaphore->type->futex_word(semaphore->payload), 0);
}

/* Puts the futex_words of the stream's wait into the list and then looks whether it is over. */
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

static void nap(int64_t ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

/* False: the system cannot sleep on several words. */
static bool sleep_on_futex_words(const struct sleep *sleep)
{
    uint64_t end_ns = cup_clock_ns() + SLEEP_NS;
    struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};

    return syscall(SYS_futex_waitv, sleep->futex_words, sleep->count, 0, &end, CLOCK_MONOTONIC) >=
               0 ||
           (errno != ENOSYS && errno != EPERM);
}

static void rest(const struct sleep *sleep, int64_t *nap_ns)
{
    static bool cannot_sleep;

    if (!sleep->naps && !cannot_sleep) {
        cannot_sleep = !sleep_on_futex_words(sleep);
        *nap_ns = NAP_NS_LEAST;
        return;
    }
    nap(*nap_ns);
    if (*nap_ns < NAP_NS_MOST)
        *nap_ns += *nap_ns / 8;
}

static void *watch_main(void *argument)
{
    static struct sleep sleep;
    int64_t nap_ns = NAP_NS_LEAST;
    uint32_t rung = 0;

    (void)argument;
    for (;;) {
        sleep.count = 0;
        sleep.naps = false;
        sleep_add(&sleep, &own_futex_word, FUTEX_WORD_PRIVATE);
        pthread_mutex_lock(&lock);
        struct CUstream_st *over = collect_locked(&sleep);
        bool none = !watched;
        pthread_mutex_unlock(&lock);
        if (over || rung != sleep.futex_words[0].value)
            nap_ns = NAP_NS_LEAST;
        rung = (uint32_t)sleep.futex_words[0].value;
        while (over) {
            struct CUstream_st *next = over->waiter_next;
            cup_stream_unpark(over);
            over = next;
        }
        if (none)
            cup_futex_wait(&own_futex_word, rung, -1);
        else
            rest(&sleep, &nap_ns);
    }
    return NULL;
}

static void ring(void)
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
        ring();
    return added;
}

void cup_semaphore_watch_look(void)
{
    ring();
}

bool cup_semaphore_watch_asks(struct cup_semaphore_job *job)
{
    uint64_t now_ns = cup_clock_ns();

    if (job->asked_ns == 0)
        job->asked_ns = now_ns;
    if (now_ns - job->asked_ns < SLEEP_NS)
        return false;
    job->asked_ns = now_ns;
    return true;
}
