/* SPDX-License-Identifier: MIT */
/* The one clock of the library, monotonic nanoseconds; the processor time of the process; sleep. */
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

/* What all threads of the process together have had of processors. */
static inline uint64_t cup_clock_process_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Less than a second; a signal may end it early. */
static inline void cup_clock_sleep_ns(long ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

#endif
