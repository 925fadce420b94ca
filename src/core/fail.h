/* SPDX-License-Identifier: MIT */
/* Failure injection (CUPIPE_FAIL). A rule names what can fail and which occurrences do:
 *
 *     cuMemAlloc:3                    the third call of any form of cuMemAlloc
 *     cuMem*:every=10                 every tenth call whose name starts with cuMem
 *     cuStreamCreate:p=0.01,seed=7    one call in a hundred, chosen by the seed
 *     stream:5:ILLEGAL_ADDRESS        the fifth stream job, as a sticky error
 *     os:12                           the twelfth system call for a resource
 *     ncclAllReduce:3,rank=1          the third operation of rank 1, where a library asks
 *     cuMemcpy*:late=100              later by 100 ms, instead of a failure
 *     ncclAllReduce:3,rank=1,kill     the process ends
 *
 * Rules are separated by semicolons. Without the variable this code is never reached: calls and
 * jobs test cup_call_hooks, and system functions are interposed only if there is an os rule. */
#ifndef CUP_CORE_FAIL_H
#define CUP_CORE_FAIL_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Parses the rules. On failure `why` receives a message. */
bool cup_fail_parse(const char *text, char *why, size_t why_bytes);

/* Activates the parsed rules. */
void cup_fail_start(void);

/* Counts a call. Returns true if it must fail with *result without being executed. */
bool cup_fail_call(const struct cup_call_site *site, CUresult *result);

/* Counts a job that is about to run. Returns the error it must fail with, or CUDA_SUCCESS. */
CUresult cup_fail_job(void);

/* Counts an operation of a rank of a library. Returns the error it must fail with, or
 * CUDA_SUCCESS. */
CUresult cup_fail_operation(const char *name, int rank);

static inline bool cup_fail_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_FAIL) != 0);
}

/* Reports on stderr how often each rule matched and failed. Does nothing without rules. */
void cup_fail_report(void);

#endif
