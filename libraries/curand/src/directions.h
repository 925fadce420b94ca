/* SPDX-License-Identifier: MIT */
/* The tables of Sobol's sequences in 20000 dimensions: direction vectors after Joe and Kuo
 * ("Constructing Sobol sequences with better two-dimensional projections", 2008), the same
 * scrambled by a matrix for each dimension, and the constants that scrambled sequences start with.
 */
#ifndef CURAND_DIRECTIONS_H
#define CURAND_DIRECTIONS_H

#include <curand.h>

enum { RAND_DIMENSIONS = 20000 };

struct rand_directions {
    curandDirectionVectors32_t *plain32, *scrambled32;
    curandDirectionVectors64_t *plain64, *scrambled64;
    unsigned int *constants32;
    unsigned long long *constants64;
};

/* Returns NULL without memory. The tables stay as long as the process. */
const struct rand_directions *rand_directions(void);

/* What data/directions.bin holds; data/README.md describes it. */
extern const unsigned char rand_direction_data[];

#endif
