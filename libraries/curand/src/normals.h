/* SPDX-License-Identifier: MIT */
/* Normal numbers of arrays of words, as a device computes them and as a host generator does with
 * the C library. Arrays are at most RAND_RUN long. */
#ifndef CURAND_NORMALS_H
#define CURAND_NORMALS_H

#include "distribution.h"

#define RAND_MRG_UNIT 2.3283065498378288e-10

struct rand_normals {
    /* Pairs of numbers after Box and Muller. */
    void (*pairs)(const uint32_t *a, const uint32_t *b, size_t count, float *sine, float *cosine);
    void (*pairs_mrg)(const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                      float *cosine);
    void (*pairs_double)(const uint32_t *const words[4], size_t count, double *sine,
                         double *cosine);
    void (*pairs_mrg_double)(const uint32_t *a, const uint32_t *b, size_t count, double *sine,
                             double *cosine);
    /* Numbers by the inverse of the distribution. */
    void (*inverse)(const uint32_t *words, size_t count, float *normals);
    void (*inverse_double)(const uint32_t *words, size_t count, double *normals);
    void (*inverse_long_double)(const uint64_t *words, size_t count, double *normals);
    /* mean + deviation * number, and e to that power. In place. */
    void (*scale)(float *normals, size_t count, float mean, float deviation);
    void (*scale_double)(double *normals, size_t count, double mean, double deviation);
    void (*power)(float *normals, size_t count);
    void (*power_double)(double *normals, size_t count);
};

extern const struct rand_normals rand_normals_device, rand_normals_host;

#endif
