/* SPDX-License-Identifier: MIT */
/* The one clock of the library: monotonic nanoseconds. */
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

#endif
