/* SPDX-License-Identifier: MIT */
/* One thread and one point at a time, oldest first. Waiting for a point that does not come nearer
 * runs other streams, too, so a point that depends on a later one holds nothing up. */
#include "interop/semaphore_ask.h"

#include "os/thread.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <pthread.h>
#include <stdlib.h>

struct asked {
    struct asked *next;
    struct cup_point point; /* a reference on its stream is held */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: nothing is taken inside */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct asked *first, **end = &first; /* guarded by lock */
static bool started;                        /* guarded by lock */

static void *ask_main(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!first)
            pthread_cond_wait(&arrived, &lock);
        struct asked *asked = first;
        first = asked->next;
        if (!first)
            end = &first;
        pthread_mutex_unlock(&lock);
        cup_schedule_wait(asked->point);
        cup_stream_unref(asked->point.stream);
        free(asked);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

void cup_semaphore_ask(struct cup_point point)
{
    struct asked *asked = calloc(1, sizeof(*asked));

    if (!asked)
        return;
    asked->point = point;
    pthread_mutex_lock(&lock);
    if (!started)
        started = cup_os_thread_start(ask_main, NULL, "cupipe ask");
    bool taken = started;
    if (taken) {
        cup_stream_ref(point.stream);
        *end = asked;
        end = &asked->next;
        pthread_cond_signal(&arrived);
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        free(asked);
}
