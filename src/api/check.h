/* SPDX-License-Identifier: MIT */
/* What the entry point tells CUPIPE_CHECK of calls, and the report of what is left at the end. */
#ifndef CUP_API_CHECK_H
#define CUP_API_CHECK_H

#include "core/call.h"

#include <cuda.h>
#include <stdint.h>

/* Once, when the environment asks for checks. */
void cup_api_check_begin(void);

/* Before the body runs, and behind it. */
void cup_api_check_enter(const struct cup_call_site *site, const uint64_t *values);
void cup_api_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result);

/* At the end of the process: looks at memory once more, and says on stderr what was made and is
 * still there, each as CUPIPE_CHECK asks for it. */
void cup_api_check_report(void);

#endif
