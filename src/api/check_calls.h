/* SPDX-License-Identifier: MIT */
/* Which calls make, end, map or wait for something: what CUPIPE_CHECK knows of the API. */
#ifndef CUP_API_CHECK_CALLS_H
#define CUP_API_CHECK_CALLS_H

#include <stdbool.h>

enum cup_api_checked_role {
    CUP_API_CHECKED_OTHER,
    CUP_API_CHECKED_MAKES, /* `argument` is where it leaves the handle; or the handle (by_value) */
    CUP_API_CHECKED_RETAINS, /* the same, for what may be there already */
    CUP_API_CHECKED_ENDS,    /* `argument` is the handle */
    CUP_API_CHECKED_MAPS,    /* resources: a count and a list */
    CUP_API_CHECKED_UNMAPS,
    CUP_API_CHECKED_NAMES, /* a buffer of OpenGL, by its name */
    CUP_API_CHECKED_SYNCS, /* waits for work: memory is looked at */
};

struct cup_api_checked_call {
    const char *base; /* a star at the end stands for anything */
    enum cup_api_checked_role role;
    int kind; /* enum cup_object_type or enum cup_check_kind */
    unsigned argument;
    bool by_value;
};

/* What is known of a call; never NULL. */
const struct cup_api_checked_call *cup_api_checked_call_find(const char *base);

#endif
