/* SPDX-License-Identifier: MIT */
/* The loops of typed_body.h for double _Complex. */
#define T double _Complex
#define CONJUGATE(x) conj(x)
#define REAL_PART(x) creal(x)
#define MAGNITUDE(x) cabs(x)
#define SQUARE_ROOT(x) csqrt(x)
#define TABLE sparse_typed_complex_double
#include "typed_body.h"
