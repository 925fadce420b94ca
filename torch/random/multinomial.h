/* SPDX-License-Identifier: MIT */
/* Samples of categories with given weights, with replacement. */
#ifndef CUPIPE_TORCH_RANDOM_MULTINOMIAL_H
#define CUPIPE_TORCH_RANDOM_MULTINOMIAL_H

#include "distribution.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cup_multinomial_result {
    CUP_MULTINOMIAL_DONE,
    CUP_MULTINOMIAL_NEGATIVE, /* a weight is negative */
    CUP_MULTINOMIAL_EMPTY,    /* all weights of a row are 0 */
    CUP_MULTINOMIAL_NO_MEMORY
};

struct cup_multinomial {
    enum cup_element element; /* of the weights: a floating-point type */
    uint64_t rows, categories, samples;
    unsigned most_rows; /* of a grid; further rows take further blocks of the same threads */
    const void *weights;
    int64_t *out;
};

/* Makes the rows `first` to `last` - 1. */
enum cup_multinomial_result cup_multinomial_fill(const struct cup_multinomial *multinomial,
                                                 const struct cup_philox *generator, uint64_t first,
                                                 uint64_t last);

#ifdef __cplusplus
}
#endif

#endif
