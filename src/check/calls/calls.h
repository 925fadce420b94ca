/* SPDX-License-Identifier: MIT */
/* Reports API calls to CUPIPE_CHECK, and reports at exit what was not released. */
#ifndef CUP_CHECK_CALLS_CALLS_H
#define CUP_CHECK_CALLS_CALLS_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* Called before and after the body of a call. */
void cup_callcheck_enter(const struct cup_call_site *site, const uint64_t *values);
void cup_callcheck_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result);

/* In leaks.c. Called at exit: checks memory once more, reports the objects that still exist, each
 * as CUPIPE_CHECK selects, and sums up. Returns the exit code that CUPIPE_CHECK_EXIT demands; 0:
 * none. */
int cup_callcheck_report(void);

/* True if a runtime makes the thread's current call for itself, and not for the program. */
bool cup_callcheck_is_for_runtime(void);

#endif
