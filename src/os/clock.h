/* SPDX-License-Identifier: MIT */
/* Clocks: monotonic time in nanoseconds (the only time base of the library), CPU time of the
 * process and of a thread, and sleep. */
#ifndef CUP_OS_CLOCK_H
#define CUP_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t cup_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of all threads of the process. */
static inline uint64_t cup_clock_process_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of the calling thread, without what others keep it from a processor. */
static inline uint64_t cup_clock_thread_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps less than a second; a signal may end it early. */
static inline void cup_clock_sleep_ns(long ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

#endif
