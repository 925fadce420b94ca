/* SPDX-License-Identifier: MIT */
/* Locks that a forked child has free. In the child CUDA answers that it is not initialised, so
 * nothing is told there, and what the locks guard is not looked at again but by the tool itself. */
#ifndef CUPTI_LOCK_H
#define CUPTI_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/* Defines a lock of the file. */
#define TOOL_LOCK(name)                                                                            \
    static pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER;                                       \
    __attribute__((constructor)) static void free_##name##_in_children(void)                       \
    {                                                                                              \
        tool_free_in_children(&name);                                                              \
    }

void tool_free_in_children(pthread_mutex_t *lock);
/* True in a process that was forked after the library had called CUDA. */
bool tool_is_child(void);

#endif
