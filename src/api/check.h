/* SPDX-License-Identifier: MIT */
/* What the entry point tells CUPIPE_CHECK of calls, and the report of what is left at the end. */
#ifndef CUP_API_CHECK_H
#define CUP_API_CHECK_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_object;

/* Once, when the environment asks for checks. */
void cup_api_check_begin(void);

/* Before the body runs, and behind it. */
void cup_api_check_enter(const struct cup_call_site *site, const uint64_t *values);
void cup_api_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result);

/* For the parts below (api/upcalls.c): why the memory may not be touched, NULL if it may; and does
 * the image belong to a graphics resource that is not mapped? */
const char *cup_api_check_why_protected(uint64_t address);
bool cup_api_check_is_unmapped(const struct cup_object *image);

/* At the end of the process: looks at memory once more, and says on stderr what was made and is
 * still there, each as CUPIPE_CHECK asks for it. */
void cup_api_check_report(void);

#endif
