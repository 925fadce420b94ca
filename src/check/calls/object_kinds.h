/* SPDX-License-Identifier: MIT */
/* The names of the kinds of objects that CUPIPE_CHECK records, and whether an object still exists.
 * That is not stored but looked up in the handle table and the address map, so an object that ended
 * with its context, or in any other way, is never reported as a leak. */
#ifndef CUP_CHECK_CALLS_OBJECT_KINDS_H
#define CUP_CHECK_CALLS_OBJECT_KINDS_H

#include "check/report/records.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the object exists. The caller sets kind and handle in `resources`; the call fills
 * in the other fields that cup_tracked_made needs. size_bytes is 0 for objects without a size. */
bool cup_callcheck_kind_is_alive(struct cup_tracked *resources);

/* The name of the kind, such as "stream", and of the missing operation, such as "destroyed". */
const char *cup_callcheck_kind_name(const struct cup_tracked *record);
const char *cup_callcheck_kind_verb(const struct cup_tracked *record);

/* Whether a kind of record is memory that a call returned. */
bool cup_callcheck_kind_is_memory(int kind);

#endif
