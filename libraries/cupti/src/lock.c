/* SPDX-License-Identifier: MIT */
#include "lock.h"

#include "tool.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { LOCKS_MAX = 32 };

static pthread_mutex_t *locks[LOCKS_MAX]; /* complete when the library is loaded */
static unsigned count;
static atomic_bool is_child;

static void start_child(void)
{
    for (unsigned i = 0; i < count; i++)
        pthread_mutex_init(locks[i], NULL);
    if (lib_driver_is_loaded())
        atomic_store(&is_child, true);
    tool_stop_in_child();
}

void tool_free_in_children(pthread_mutex_t *lock)
{
    if (count == 0)
        pthread_atfork(NULL, NULL, start_child);
    if (count == LOCKS_MAX)
        abort();
    locks[count++] = lock;
}

bool tool_is_child(void)
{
    return atomic_load_explicit(&is_child, memory_order_relaxed);
}
