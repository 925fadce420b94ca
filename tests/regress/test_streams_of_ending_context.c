/* SPDX-License-Identifier: MIT */
/* Found by reading: a stream that the library makes by itself, such as a thread's default stream,
 * got the reference of its maker after its context could know it. Another thread that reset the
 * context in between ended the stream, which then came to life again and ended twice; debug builds
 * see it at once, others lose the context after a while. */
#include "test.h"

enum { THREADS = 2, SECONDS = 3 };

static CUcontext primary;
static pthread_t threads[THREADS];
static struct flag over;

/* Whatever the calls answer: the context may be ending just now. */
static void *use(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(primary));
    while (!flag_is_raised(&over)) {
        CUevent event;

        cuStreamQuery(CU_STREAM_PER_THREAD);
        if (cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
            continue;
        cuCtxRecordEvent(primary, event);
        cuEventDestroy(event);
    }
    return NULL;
}

static void pause_there(int number)
{
    const struct timespec pause = {0, 20000};

    (void)number;
    nanosleep(&pause, NULL);
}

/* Stops the threads wherever they are, so that the context ends while they are there. */
static void *stop_often(void *unused)
{
    const struct timespec pause = {0, 150000};

    (void)unused;
    while (!flag_is_raised(&over)) {
        for (int i = 0; i < THREADS; i++)
            pthread_kill(threads[i], SIGUSR1);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

TEST(a_context_is_reset_while_threads_begin_to_use_it)
{
    struct sigaction action = {.sa_handler = pause_there, .sa_flags = SA_RESTART};
    time_t end = time(NULL) + SECONDS;
    pthread_t stopping;
    CUcontext again;

    primary = with_context();
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, use, NULL) == 0);
    check(pthread_create(&stopping, NULL, stop_often, NULL) == 0);
    while (time(NULL) < end) {
        check_success(cuDevicePrimaryCtxReset(0));
        check_success(cuDevicePrimaryCtxRetain(&again, 0));
        check(again == primary);
    }
    flag_raise(&over);
    pthread_join(stopping, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_success(cuDevicePrimaryCtxReset(0));
    check_success(cuDevicePrimaryCtxRetain(&again, 0));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
}
