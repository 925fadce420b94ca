/* SPDX-License-Identifier: MIT */
/* Which calls make, end, map or wait for something: what CUPIPE_CHECK knows of the API. */
#ifndef CUP_API_CHECK_CALLS_H
#define CUP_API_CHECK_CALLS_H

#include <stdbool.h>

enum cup_checked_role {
    CUP_CHECKED_OTHER,
    CUP_CHECKED_MAKES,   /* `argument` is where it leaves the handle; or the handle (by_value) */
    CUP_CHECKED_RETAINS, /* the same, for what may be there already */
    CUP_CHECKED_ENDS,    /* `argument` is the handle */
    CUP_CHECKED_MAPS,    /* resources: a count and a list */
    CUP_CHECKED_UNMAPS,
    CUP_CHECKED_NAMES, /* a buffer of OpenGL, by its name */
    CUP_CHECKED_SYNCS, /* waits for work: memory is looked at */
};

struct cup_checked_call {
    const char *base; /* a star at the end stands for anything */
    enum cup_checked_role role;
    int kind; /* enum cup_object_type or enum cup_check_kind */
    unsigned argument;
    bool by_value;
};

/* What is known of a call; never NULL. */
const struct cup_checked_call *cup_checked_call(const char *base);

#endif
