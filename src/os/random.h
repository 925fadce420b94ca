/* SPDX-License-Identifier: MIT */
/* Cryptographic random numbers. */
#ifndef CUP_OS_RANDOM_H
#define CUP_OS_RANDOM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/random.h>

/* Returns a nonzero number, or false if the system has no randomness. */
static inline bool cup_random(uint64_t *number)
{
    int saved = errno;
    bool done;

    do {
        done = getrandom(number, sizeof(*number), 0) == (ssize_t)sizeof(*number);
    } while (done && *number == 0);
    errno = saved;
    return done;
}

#endif
