/* SPDX-License-Identifier: MIT */
/* Distributions whose parameter is a tensor. Each value has a subsequence of its own and takes as
 * many words of it as it needs. */
#ifndef CUPIPE_TORCH_RANDOM_SAMPLE_H
#define CUPIPE_TORCH_RANDOM_SAMPLE_H

#include "distribution.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions below make the values `first` to `last` - 1 of contiguous tensors. */

/* Zeros and ones of type `element`. `probability` is of doubles if the element is, otherwise of
 * floats. Four values that follow each other share a subsequence; `first` is a multiple of four.
 * Returns 0 if a probability is not from 0 to 1. */
int cup_sample_bernoulli(const struct cup_philox *generator, enum cup_element element,
                         const void *probability, uint64_t first, uint64_t last, void *out);

/* The types of `shape` and `rate` are that of the results, a floating-point type. */
void cup_sample_gamma(const struct cup_philox *generator, enum cup_element element,
                      const void *shape, uint64_t first, uint64_t last, void *out);
/* Returns 0 if a rate is negative. */
int cup_sample_poisson(const struct cup_philox *generator, enum cup_element element,
                       const void *rate, uint64_t first, uint64_t last, void *out);

/* Divides rows of `columns` numbers by their sums, in place; results are at least the smallest
 * normal number and below 1. `first` and `last` are rows, of `rows`. A sum is made in the device's
 * order, for at most 127 columns. */
enum { CUP_MOST_COLUMNS = 127 };
void cup_share_rows(enum cup_element element, uint64_t rows, uint64_t columns, uint64_t first,
                    uint64_t last, void *values);

/* Here `first` and `last` are subsequences, of cup_binomial_threads(count); each makes up to eight
 * of the `count` values. */
uint64_t cup_binomial_threads(uint64_t count);
void cup_sample_binomial(const struct cup_philox *generator, enum cup_element element,
                         const void *trials, const void *probability, uint64_t count,
                         uint64_t first, uint64_t last, void *out);

#ifdef __cplusplus
}
#endif

#endif
