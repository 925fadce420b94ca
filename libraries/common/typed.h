/* SPDX-License-Identifier: MIT */
/* What a function for all types is told of the exported function that calls it; tables of functions
 * name them as S:function (scripts/libraries.py). */
#ifndef LIBRARIES_TYPED_H
#define LIBRARIES_TYPED_H

#include "openblas.h"

struct lib_typed {
    const char *name; /* the exported function; stays valid as long as the process */
    enum openblas_type type;
    char second; /* the second letter of a name with two; otherwise the first */
};

#endif
