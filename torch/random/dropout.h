/* SPDX-License-Identifier: MIT */
/* Dropout: a tensor times a random mask. */
#ifndef CUPIPE_TORCH_RANDOM_DROPOUT_H
#define CUPIPE_TORCH_RANDOM_DROPOUT_H

#include "distribution.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cup_dropout {
    enum cup_element element; /* a floating-point type */
    double keep;              /* the probability that an element stays */
    /* How many elements a thread makes together: 2, 4, or 8 of two blocks. With 1 a thread makes
     * four that lie the whole grid apart, as other distributions do. */
    unsigned vector;
    const void *in;
    void *out;
    uint8_t *mask;
};

/* How often threads make elements. */
uint64_t cup_dropout_steps(const struct cup_dropout *dropout, const struct cup_grid *grid);

/* Makes the steps `first` to `last` - 1, counted as cup_distribution_fill() counts blocks. */
void cup_dropout_fill(const struct cup_dropout *dropout, const struct cup_philox *generator,
                      const struct cup_grid *grid, uint64_t first, uint64_t last);

/* The leaky ReLU with a random slope from `lower` to `upper`: `noise` is the slope, 1 for positive
 * elements. */
struct cup_rrelu {
    enum cup_element element;
    double lower, upper;
    const void *in;
    void *out, *noise;
};

void cup_rrelu_fill(const struct cup_rrelu *rrelu, const struct cup_philox *generator,
                    const struct cup_grid *grid, uint64_t first, uint64_t last);

#ifdef __cplusplus
}
#endif

#endif
