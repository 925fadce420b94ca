/* SPDX-License-Identifier: MIT */
/* Dropout with a mask of bits. */
#ifndef DNN_ENGINE_DROPOUT_H
#define DNN_ENGINE_DROPOUT_H

#include "engine.h"

/* What is kept in the memory for states. */
struct dnn_dropout_states {
    uint64_t seed, offset;
};

struct dnn_dropout {
    bool backward; /* the mask is read */
    double probability;
    struct dnn_tensor x, y;
    uint32_t *mask; /* a bit for each element, set: kept */
    struct dnn_dropout_states *states;
};
CUresult dnn_dropout_run(const struct dnn_dropout *op);

#endif
