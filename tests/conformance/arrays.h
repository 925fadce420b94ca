/* SPDX-License-Identifier: MIT */
/*
 * Arrays and mipmapped arrays as text, and the shapes that several groups create.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "recorder.h"

struct shape {
    const char *name;
    size_t width, height, depth;
    unsigned flags;
};

/* Ends with a row whose name is NULL. */
extern const struct shape usual_shapes[];

/* What the driver tells about an array, or the error's name. */
const char *describe3d(CUarray array);
const char *describe2d(CUarray array);
const char *requirements(CUarray array);
const char *mip_requirements(CUmipmappedArray mip);
const char *sparse_properties(CUarray array);
const char *mip_sparse_properties(CUmipmappedArray mip);

#endif
