/* SPDX-License-Identifier: MIT */
/* Threads of the library's own: detached, named, deaf to the application's signals. */
#ifndef CUP_OS_THREAD_H
#define CUP_OS_THREAD_H

#include <stdbool.h>

bool cup_os_thread_start(void *(*entry)(void *argument), void *argument, const char *name);

/* Does another thread of the process run, or wait for a processor or a disk? False where /proc does
 * not tell. */
bool cup_os_thread_others_can_run(void);

#endif
