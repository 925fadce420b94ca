/* SPDX-License-Identifier: MIT */
/* Futexes: private to this process or shared with others. */
#ifndef CUP_OS_FUTEX_H
#define CUP_OS_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while *word == expected. timeout_ns < 0 means no timeout. May wake spuriously. */
static inline void cup_futex_wait(_Atomic(uint32_t) *word, uint32_t expected, int64_t timeout_ns)
{
    struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? NULL : &timeout, NULL,
            0);
}

static inline void cup_futex_wake(_Atomic(uint32_t) *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* The same for a word in memory that other processes also map. */
static inline void cup_futex_wait_shared(_Atomic(uint32_t) *word, uint32_t expected,
                                         int64_t timeout_ns)
{
    struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout_ns < 0 ? NULL : &timeout, NULL, 0);
}

static inline void cup_futex_wake_shared(_Atomic(uint32_t) *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#endif
