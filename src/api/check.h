/* SPDX-License-Identifier: MIT */
/* What the door tells CUPIPE_CHECK of calls, and the report of what is left at the end. */
#ifndef CUP_API_CHECK_H
#define CUP_API_CHECK_H

#include "core/call.h"

#include <cuda.h>
#include <stdint.h>

/* Before the body runs, and behind it. */
void cup_check_enter(const struct cup_call_site *site, const uint64_t *values);
void cup_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result);

/* Says on stderr what was made and is still there: CUPIPE_CHECK=leaks. */
void cup_check_report_leaks(void);

#endif
