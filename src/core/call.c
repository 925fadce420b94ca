/* SPDX-License-Identifier: MIT */
/* The word that says whether any hook is set. */
#include "core/call.h"

/* Before cuInit() has read the configuration it is unknown whether calls must be recorded, and
 * cuInit() itself should be the first call in the trace. Entry points therefore start on the slow
 * path. */
_Atomic unsigned cup_call_hooks = CUP_HOOK_STARTING;

void cup_call_hook_set(enum cup_call_hook hook)
{
    atomic_fetch_or(&cup_call_hooks, hook);
}

void cup_call_hook_clear(enum cup_call_hook hook)
{
    atomic_fetch_and(&cup_call_hooks, ~(unsigned)hook);
}
