/* SPDX-License-Identifier: MIT */
/* The library's own threads: detached, named, with the application's signals blocked and at least
 * 8 MiB of stack. */
#ifndef CUP_OS_THREAD_H
#define CUP_OS_THREAD_H

#include <stdbool.h>

bool cup_os_thread_start(void *(*entry)(void *argument), void *argument, const char *name);

/* True if another thread of the process is running or waits for a CPU or a disk. False if /proc is
 * not available. */
bool cup_os_thread_others_can_run(void);

#endif
