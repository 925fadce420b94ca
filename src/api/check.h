/* SPDX-License-Identifier: MIT */
/* Reports API calls to CUPIPE_CHECK, and reports at exit what was not released. */
#ifndef CUP_API_CHECK_H
#define CUP_API_CHECK_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_object;

/* Starts the checks. Called once, if the environment enables them. INVALID_VALUE: the files of
 * suppressions or reports cannot be used. */
CUresult cup_api_check_begin(void);

/* Called before and after the body of a call. */
void cup_api_check_enter(const struct cup_call_site *site, const uint64_t *values);
void cup_api_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result);

/* For lower layers (api/upcalls.c). The first returns why the memory may not be accessed, or NULL
 * if it may. The second returns whether the image belongs to a graphics resource that is not
 * mapped. */
const char *cup_api_check_why_protected(uint64_t address);
bool cup_api_check_is_unmapped(const struct cup_object *image);

/* Called at exit: checks memory once more, reports the objects that still exist, each as
 * CUPIPE_CHECK selects, and sums up. Returns the exit code that CUPIPE_CHECK_EXIT demands; 0:
 * none. */
int cup_api_check_report(void);

#endif
