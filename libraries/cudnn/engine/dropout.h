/* SPDX-License-Identifier: MIT */
/* Dropout with a mask of bits. The bits come from generators in the program's memory, as many as
 * the device runs threads: element i takes the next number of generator i % threads. */
#ifndef DNN_ENGINE_DROPOUT_H
#define DNN_ENGINE_DROPOUT_H

#include "engine.h"

/* A state of XORWOW as the device's functions of cuRAND keep it. */
struct dnn_generator {
    uint32_t counter, v[5];
    uint32_t others[6]; /* of normal numbers; 0 here */
};

struct dnn_generators {
    struct dnn_generator *memory;
    int64_t threads; /* a multiple of 32 */
};

/* Seeds them: each begins 2^67 numbers behind the one before. */
CUresult dnn_generators_seed(const struct dnn_generators *generators, uint64_t seed);

/* Draws a bit for each of `count` elements: 1, kept, if a number in (0, 1] is above the
 * probability. */
void dnn_dropout_draw(const struct dnn_generators *generators, double probability, int64_t count,
                      uint32_t *mask);

struct dnn_dropout {
    bool backward; /* the mask is read */
    double probability;
    struct dnn_tensor x, y;
    uint32_t *mask; /* a bit for each element, set: kept */
    struct dnn_generators generators;
};
CUresult dnn_dropout_run(const struct dnn_dropout *op);

#endif
