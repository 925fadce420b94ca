/* SPDX-License-Identifier: MIT */
/* What the kinds of things that CUPIPE_CHECK keeps records of are called, and whether one is still
 * there. That is not kept but asked, of the handles and of the address map: so what ended with its
 * context, or in any other way, is never taken for a leak. */
#ifndef CUP_API_CHECK_KINDS_H
#define CUP_API_CHECK_KINDS_H

#include "core/check.h"

#include <stdbool.h>
#include <stdint.h>

/* Is it there, and what is to be said of it? `resources` has kind and handle, and gets the rest
 * that cup_check_made wants; size_bytes is 0 where there is no such thing. */
bool cup_api_check_kind_is_alive(struct cup_check_record *resources);

/* "stream"; and what was never done to it: "destroyed". */
const char *cup_api_check_kind_name(const struct cup_check_record *record);
const char *cup_api_check_kind_verb(const struct cup_check_record *record);

#endif
