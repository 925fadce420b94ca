/* SPDX-License-Identifier: MIT */
/* A shape folded into two dimensions: those that stay, and those over which an operation goes
 * (sums, softmax, statistics), which come last. Tensors of the shape are loaded as arrays
 * [outer][inner] and stored from them. */
#ifndef DNN_ENGINE_FOLD_H
#define DNN_ENGINE_FOLD_H

#include "array.h"

struct dnn_fold {
    int rank, kept; /* order[0 .. kept) stay, order[kept .. rank) are folded */
    int order[DNN_RANK_MOST];
    int64_t outer, inner;
};

/* `folded` has a bit for each dimension of x that is folded. */
void dnn_fold_init(struct dnn_fold *fold, const struct dnn_tensor *x, unsigned folded);

/* Orders the dimensions that stay, and those that are folded, as they lie in x's memory. */
void dnn_fold_sort(struct dnn_fold *fold, const struct dnn_tensor *x);

/* The tensor with its dimensions in the fold's order. */
struct dnn_tensor dnn_fold_tensor(const struct dnn_fold *fold, const struct dnn_tensor *tensor);

/* A factor of each element whose dimensions are x's or 1. */
struct dnn_factor {
    struct dnn_array array;
    bool by_outer, by_inner; /* it differs along these; array has [outer], [inner] or all */
};
bool dnn_factor_load(struct dnn_factor *factor, const struct dnn_fold *fold,
                     const struct dnn_tensor *tensor, const struct dnn_tensor *x, bool wide);

/* Where the numbers for (outer, inner) lie in the factor's array. */
static inline int64_t dnn_factor_at(const struct dnn_factor *factor, const struct dnn_fold *fold,
                                    int64_t outer, int64_t inner)
{
    if (factor->by_outer)
        return factor->by_inner ? outer * fold->inner + inner : outer;
    return factor->by_inner ? inner : 0;
}

#endif
