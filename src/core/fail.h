/* SPDX-License-Identifier: MIT */
/* Failures on request: what CUPIPE_FAIL asks for. A rule names something that can fail and says
 * which times it does:
 *
 *     cuMemAlloc:3                    the third call of any form of cuMemAlloc
 *     cuMem*:every=10                 every tenth call of what begins with cuMem
 *     cuStreamCreate:p=0.01,seed=7    one in a hundred, drawn from the seed
 *     stream:5:ILLEGAL_ADDRESS        the fifth job that runs on a stream, as the device's own
 * error os:12                           the twelfth time the library asks the system for something
 *
 * Rules are separated by semicolons. Without the variable nothing here is ever reached: calls and
 * jobs look at cup_call_hooks, and the system's functions are put aside only when an os rule is
 * there. */
#ifndef CUP_CORE_FAIL_H
#define CUP_CORE_FAIL_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads the rules; `why` is a sentence when one of them makes no sense. */
bool cup_fail_parse(const char *text, char *why, size_t why_bytes);

/* From here on the rules that were read hold. */
void cup_fail_start(void);

/* Counts a call. True when it is to fail, with *result and without being done. */
bool cup_fail_call(const struct cup_call_site *site, CUresult *result);

/* Counts a job that is about to run: what it is to fail with, or CUDA_SUCCESS. */
CUresult cup_fail_job(void);

static inline bool cup_fail_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_FAIL) != 0);
}

/* Says on stderr how often each rule was asked and failed something. Nothing without rules. */
void cup_fail_report(void);

#endif
