/* SPDX-License-Identifier: MIT */
/* membarrier(2): one thread makes all threads of the process execute a memory barrier. If one side
 * of a protocol is rare, it saves the barrier on the frequent side: its store and the following
 * load need only a compiler barrier, because the membarrier takes effect before both, between them,
 * or after both. */
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

/* Call this before the first barrier. Returns false if the system does not support it. */
static inline bool cup_membarrier_init(void)
{
    return cup_membarrier_command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

static inline bool cup_membarrier_all_threads(void)
{
    return cup_membarrier_command(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

#endif
