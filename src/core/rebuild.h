/* SPDX-License-Identifier: MIT */
/* Which packages `cupipe rebuild` knows. */
#ifndef CUP_CORE_REBUILD_H
#define CUP_CORE_REBUILD_H

struct cup_rebuild {
    const char *name, *title; /* of `cupipe rebuild NAME`; for messages */
    const char *part;         /* of the path of a library of the package */
};

/* The package that a library with NVIDIA's runtime inside belongs to; NULL: none of these. */
const struct cup_rebuild *cup_rebuild_find(const char *path);

#endif
