/* SPDX-License-Identifier: MIT */
/* The loops of typed_body.h for float. */
#define T float
#define CONJUGATE(x) (x)
#define REAL_PART(x) (x)
#define MAGNITUDE(x) fabsf(x)
#define SQUARE_ROOT(x) sqrtf(x)
#define TABLE sparse_typed_float
#include "typed_body.h"
