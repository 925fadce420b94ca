/* SPDX-License-Identifier: MIT */
/* A memory barrier that one thread makes all threads of the process pass. Where one side is rare,
 * it spares the other side its own: of a store and a load behind it, which only the compiler keeps
 * in order there, the barrier comes before both, between them or after both. */
#ifndef CUP_OS_MEMBARRIER_H
#define CUP_OS_MEMBARRIER_H

#include <errno.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline bool cup_membarrier_command(int command)
{
    int saved = errno;
    bool done = syscall(SYS_membarrier, command, 0, 0) == 0;

    errno = saved;
    return done;
}

/* Before the first barrier; false where the system has none. */
static inline bool cup_membarrier_init(void)
{
    return cup_membarrier_command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

static inline bool cup_membarrier_all_threads(void)
{
    return cup_membarrier_command(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

#endif
