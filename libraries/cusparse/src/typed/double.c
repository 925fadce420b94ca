/* SPDX-License-Identifier: MIT */
/* The loops of typed_body.h for double. */
#define T double
#define CONJUGATE(x) (x)
#define REAL_PART(x) (x)
#define MAGNITUDE(x) fabs(x)
#define SQUARE_ROOT(x) sqrt(x)
#define TABLE sparse_typed_double
#include "typed_body.h"
