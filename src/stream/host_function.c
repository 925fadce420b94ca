/* SPDX-License-Identifier: MIT */
/* A growing pool of threads. A stream that needs a thread is put on a list; if no idle thread is
 * free for it, a new thread starts. Idle threads exit after a while, except a few. */
#include "stream/host_function.h"

#include "os/mutex.h"
#include "os/thread.h"
#include "stream/stream.h"

#include <pthread.h>
#include <time.h>

enum {
    IDLE_SECONDS = 5,
    IDLE_KEPT = 2,
};

/* Leaf mutex: guards the pool of threads for host functions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_arrived = PTHREAD_COND_INITIALIZER;
static struct CUstream_st *queue_head, *queue_tail; /* linked by waiter_next; guarded by lock */
static unsigned queued, idle;                       /* guarded by lock */

static struct CUstream_st *queue_take_locked(void)
{
    cup_mutex_assert_held(&lock);
    struct CUstream_st *stream = queue_head;

    if (stream) {
        queue_head = stream->waiter_next;
        if (!queue_head)
            queue_tail = NULL;
        queued--;
    }
    return stream;
}

static void queue_append_locked(struct CUstream_st *stream)
{
    cup_mutex_assert_held(&lock);
    stream->waiter_next = NULL;
    if (queue_tail)
        queue_tail->waiter_next = stream;
    else
        queue_head = stream;
    queue_tail = stream;
    queued++;
}

/* False if nothing was queued for a while and the thread is not needed. */
static bool wait_locked(void)
{
    cup_mutex_assert_held(&lock);
    struct timespec deadline;
    int result = 0;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += IDLE_SECONDS;
    idle++;
    while (!queue_head && result == 0)
        result = pthread_cond_timedwait(&work_arrived, &lock, &deadline);
    idle--;
    return queue_head || idle < IDLE_KEPT;
}

static void *host_thread_main(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    do {
        struct CUstream_st *stream;
        while ((stream = queue_take_locked())) {
            pthread_mutex_unlock(&lock);
            stream->operations->run_head(stream);
            pthread_mutex_lock(&lock);
        }
    } while (wait_locked());
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool withdraw_locked(struct CUstream_st *stream)
{
    cup_mutex_assert_held(&lock);
    struct CUstream_st *kept_head = NULL, *kept_tail = NULL, *each;
    unsigned before = queued;

    while ((each = queue_take_locked())) {
        if (each == stream)
            continue;
        each->waiter_next = NULL;
        if (kept_tail)
            kept_tail->waiter_next = each;
        else
            kept_head = each;
        kept_tail = each;
    }
    queue_head = kept_head;
    queue_tail = kept_tail;
    for (each = kept_head; each; each = each->waiter_next)
        queued++;
    return queued < before;
}

bool cup_host_function_dispatch(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    queue_append_locked(stream);
    bool covered = idle >= queued;
    if (covered)
        pthread_cond_signal(&work_arrived);
    pthread_mutex_unlock(&lock);
    if (covered || cup_os_thread_start(host_thread_main, NULL, "cupipe host"))
        return true;
    /* No thread is available: remove the stream from the list, unless another thread has taken it
     * meanwhile. */
    pthread_mutex_lock(&lock);
    bool withdrawn = withdraw_locked(stream);
    pthread_mutex_unlock(&lock);
    return !withdrawn;
}
