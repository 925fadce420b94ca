/* SPDX-License-Identifier: MIT */
/* The loops of typed_body.h for float _Complex. */
#define T float _Complex
#define CONJUGATE(x) conjf(x)
#define REAL_PART(x) crealf(x)
#define MAGNITUDE(x) cabsf(x)
#define SQUARE_ROOT(x) csqrtf(x)
#define TABLE sparse_typed_complex_float
#include "typed_body.h"
