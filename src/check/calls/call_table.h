/* SPDX-License-Identifier: MIT */
/* The calls that create, destroy, map or wait for objects, as CUPIPE_CHECK knows them. */
#ifndef CUP_CHECK_CALLS_CALL_TABLE_H
#define CUP_CHECK_CALLS_CALL_TABLE_H

#include <stdbool.h>

enum cup_callcheck_role {
    CUP_CALLCHECK_OTHER,
    CUP_CALLCHECK_MAKES,    /* `argument` points to the new handle, or is the handle (by_value) */
    CUP_CALLCHECK_RETAINS,  /* the same, for an object that may exist already */
    CUP_CALLCHECK_RELEASES, /* gives back what a call for the device `argument` retained */
    CUP_CALLCHECK_ENDS,     /* `argument` is the handle */
    CUP_CALLCHECK_MAPS,     /* resources: a count and a list */
    CUP_CALLCHECK_UNMAPS,
    CUP_CALLCHECK_NAMES, /* an OpenGL buffer, by its OpenGL name */
    CUP_CALLCHECK_SYNCS, /* waits for work, so memory is checked */
};

struct cup_callcheck {
    const char *base; /* a trailing * matches any suffix */
    enum cup_callcheck_role role;
    int kind; /* enum cup_object_type or enum cup_tracked_kind */
    unsigned argument;
    bool by_value;
};

/* The entry of a call; never NULL. */
const struct cup_callcheck *cup_callcheck_find(const char *base);

#endif
