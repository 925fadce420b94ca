/* SPDX-License-Identifier: MIT */
#include "stream/watch.h"

#include "os/clock.h"
#include "os/mutex.h"
#include "os/thread.h"
#include "stream/stream.h"

#include <pthread.h>

enum {
    NAP_NS_LEAST = 10000,
    NAP_NS_MOST = 500000,
};

/* Leaf mutex: guards the list of watched values. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static struct CUstream_st *watched; /* linked by waiter_next; guarded by lock */
static bool started;                /* guarded by lock */
static bool fresh;                  /* a stream was added since the last poll; guarded by lock */

static bool still_waits(struct CUstream_st *stream)
{
    struct cup_job *job = stream->head;
    CUresult failed = atomic_load(&stream->context->device->sticky);

    return job->run(job, failed) == CUDA_ERROR_NOT_READY;
}

/* Removes every stream whose wait is over from the list and returns them. */
static struct CUstream_st *collect_locked(void)
{
    cup_mutex_assert_held(&lock);
    struct CUstream_st *over = NULL, **link = &watched;

    while (*link) {
        struct CUstream_st *stream = *link;
        if (still_waits(stream)) {
            link = &stream->waiter_next;
            continue;
        }
        *link = stream->waiter_next;
        stream->waiter_next = over;
        over = stream;
    }
    return over;
}

static void *watch_main(void *argument)
{
    long nap_ns = NAP_NS_LEAST;

    (void)argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!watched)
            pthread_cond_wait(&added, &lock);
        if (fresh)
            nap_ns = NAP_NS_LEAST;
        fresh = false;
        struct CUstream_st *over = collect_locked();
        pthread_mutex_unlock(&lock);
        while (over) {
            struct CUstream_st *next = over->waiter_next;
            over->operations->unpark(over);
            over = next;
        }
        cup_clock_sleep_ns(nap_ns);
        if (nap_ns < NAP_NS_MOST)
            nap_ns += nap_ns / 8;
    }
    return NULL;
}

bool cup_watch_add(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    if (!started)
        started = cup_os_thread_start(watch_main, NULL, "cupipe watch");
    if (started) {
        stream->waiter_next = watched;
        watched = stream;
        fresh = true;
        pthread_cond_signal(&added);
    }
    bool added_now = started;
    pthread_mutex_unlock(&lock);
    return added_now;
}
