/* SPDX-License-Identifier: MIT */
/* What PyTorch's kernels make of Philox's words: the values of a tensor in the order in which a
 * kernel writes them. Nothing here knows PyTorch.
 *
 * The kernels run over a grid of at most as many threads as the device holds at a time. Each thread
 * takes a block of four words and makes four values of it (two, if values are 64 bits wide), which
 * lie the whole grid apart; then it takes its next block. */
#ifndef CUPIPE_TORCH_RANDOM_DISTRIBUTION_H
#define CUPIPE_TORCH_RANDOM_DISTRIBUTION_H

#include "philox.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cup_element {
    CUP_FLOAT,
    CUP_DOUBLE,
    CUP_HALF,
    CUP_BFLOAT16,
    CUP_INT8,
    CUP_INT16,
    CUP_INT32,
    CUP_INT64,
    CUP_UINT8,
    CUP_UINT16,
    CUP_UINT32,
    CUP_UINT64,
    CUP_BOOL
};

enum cup_distribution_name {
    CUP_UNIFORM,     /* from a to b, without b */
    CUP_NORMAL,      /* mean a, standard deviation b */
    CUP_LOG_NORMAL,  /* the exponential function of the normal one */
    CUP_EXPONENTIAL, /* rate a */
    CUP_CAUCHY,      /* median a, scale b */
    CUP_GEOMETRIC,   /* probability a */
    CUP_BERNOULLI,   /* probability a */
    CUP_INTEGERS,    /* `range` whole numbers from `base` on; a range of 0 has all of 64 bits */
    CUP_POSITIVE     /* whole numbers from 0 to the largest that the type represents exactly */
};

struct cup_distribution {
    enum cup_distribution_name name;
    enum cup_element element;
    double a, b;
    uint64_t range;
    int64_t base;
};

/* The grid of a kernel over `count` values. */
struct cup_grid {
    uint64_t count; /* > 0 */
    uint64_t threads;
    unsigned values; /* that a thread makes of a block */
    uint64_t blocks; /* that a thread takes */
};

struct cup_grid cup_grid_of(uint64_t count, unsigned values, unsigned multiprocessors,
                            unsigned threads_per_multiprocessor);

unsigned cup_distribution_values(const struct cup_distribution *distribution);

/* Writes the values of the blocks `first` to `last` - 1, of grid.threads * grid.blocks blocks,
 * where block i is the one that thread i % threads takes as its i / threads'th. `out` is the
 * tensor. */
void cup_distribution_fill(const struct cup_distribution *distribution,
                           const struct cup_philox *generator, const struct cup_grid *grid,
                           uint64_t first, uint64_t last, void *out);

size_t cup_element_size(enum cup_element element);

#ifdef __cplusplus
}
#endif

#endif
