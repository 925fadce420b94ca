/* SPDX-License-Identifier: MIT */
/* What the measurements of CUDA's libraries share: clocks, and the end of a program whose calls
 * fail. */
#ifndef BENCH_LIBRARIES_BENCH_H
#define BENCH_LIBRARIES_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds, and seconds of all processors that the program has used. */
static inline double bench_now(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

static inline double bench_processor_time(void)
{
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void bench_must(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "%s: %d\n", what, failed);
        exit(1);
    }
}

#endif
