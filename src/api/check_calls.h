/* SPDX-License-Identifier: MIT */
/* The calls that create, destroy, map or wait for objects, as CUPIPE_CHECK knows them. */
#ifndef CUP_API_CHECK_CALLS_H
#define CUP_API_CHECK_CALLS_H

#include <stdbool.h>

enum cup_api_checked_role {
    CUP_API_CHECKED_OTHER,
    CUP_API_CHECKED_MAKES,    /* `argument` points to the new handle, or is the handle (by_value) */
    CUP_API_CHECKED_RETAINS,  /* the same, for an object that may exist already */
    CUP_API_CHECKED_RELEASES, /* gives back what a call for the device `argument` retained */
    CUP_API_CHECKED_ENDS,     /* `argument` is the handle */
    CUP_API_CHECKED_MAPS,     /* resources: a count and a list */
    CUP_API_CHECKED_UNMAPS,
    CUP_API_CHECKED_NAMES, /* an OpenGL buffer, by its OpenGL name */
    CUP_API_CHECKED_SYNCS, /* waits for work, so memory is checked */
};

struct cup_api_checked_call {
    const char *base; /* a trailing * matches any suffix */
    enum cup_api_checked_role role;
    int kind; /* enum cup_object_type or enum cup_check_kind */
    unsigned argument;
    bool by_value;
};

/* The entry of a call; never NULL. */
const struct cup_api_checked_call *cup_api_checked_call_find(const char *base);

#endif
