/* SPDX-License-Identifier: MIT */
/* A growing pool of threads. A stream that needs a thread gets the one that has been idle for the
 * shortest time, so that code which keeps state for each thread finds it again; if none is idle, a
 * new one starts. Idle threads exit after a while, except a few. */
#include "stream/host_function.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/mutex.h"
#include "os/thread.h"
#include "stream/stream.h"

#include <pthread.h>

enum { IDLE_KEPT = 2 };

static const uint64_t idle_ns = 5000000000;

/* A thread without a stream, on the thread's stack. */
struct idle_thread {
    struct idle_thread *next;   /* guarded by lock */
    struct CUstream_st *stream; /* what it runs next; valid once `is_given` */
    _Atomic(uint32_t) is_given; /* futex; set under lock */
};

/* Leaf mutex: guards the pool of threads for host functions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct idle_thread *idle; /* the latest first; guarded by lock */
static unsigned idle_count;      /* guarded by lock */

static void push_locked(struct idle_thread *self)
{
    cup_mutex_assert_held(&lock);
    self->next = idle;
    idle = self;
    idle_count++;
}

static void remove_locked(const struct idle_thread *thread)
{
    cup_mutex_assert_held(&lock);
    struct idle_thread **place = &idle;

    while (*place != thread)
        place = &(*place)->next;
    *place = thread->next;
    idle_count--;
}

static void sleep_for_a_while(struct idle_thread *self)
{
    uint64_t deadline_ns = cup_clock_ns() + idle_ns, now_ns;

    while (!atomic_load(&self->is_given) && (now_ns = cup_clock_ns()) < deadline_ns)
        cup_futex_wait(&self->is_given, 0, (int64_t)(deadline_ns - now_ns));
}

/* The stream that this thread runs next; NULL: it is not needed any more. */
static struct CUstream_st *next_stream(void)
{
    struct idle_thread self = {0};
    bool is_needed = true;

    pthread_mutex_lock(&lock);
    push_locked(&self);
    pthread_mutex_unlock(&lock);
    do {
        sleep_for_a_while(&self);
        pthread_mutex_lock(&lock);
        if (!atomic_load(&self.is_given) && idle_count > IDLE_KEPT) {
            remove_locked(&self);
            is_needed = false;
        }
        pthread_mutex_unlock(&lock);
    } while (!atomic_load(&self.is_given) && is_needed);
    return self.stream;
}

static void *host_thread_main(void *argument)
{
    for (struct CUstream_st *stream = argument; stream; stream = next_stream())
        stream->operations->run_head(stream);
    return NULL;
}

bool cup_host_function_dispatch(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    struct idle_thread *thread = idle;
    if (thread) {
        remove_locked(thread);
        thread->stream = stream;
        atomic_store(&thread->is_given, 1);
    }
    pthread_mutex_unlock(&lock);
    if (!thread)
        return cup_os_thread_start(host_thread_main, stream, "cupipe host");
    /* The thread may have taken the stream meanwhile and ended: then this wakes nobody. */
    cup_futex_wake(&thread->is_given, 1);
    return true;
}
