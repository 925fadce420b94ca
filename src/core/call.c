/* SPDX-License-Identifier: MIT */
/* The word that says whether anybody looks at calls. */
#include "core/call.h"

/* Until cuInit has read the configuration nobody knows whether calls are to be recorded, and its
 * own call should be the first in the trace. So the entrypoints start on the long way. */
_Atomic unsigned cup_call_hooks = CUP_HOOK_STARTING;

void cup_call_hook_set(enum cup_call_hook hook)
{
    atomic_fetch_or(&cup_call_hooks, hook);
}

void cup_call_hook_clear(enum cup_call_hook hook)
{
    atomic_fetch_and(&cup_call_hooks, ~(unsigned)hook);
}
