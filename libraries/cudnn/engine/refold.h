/* SPDX-License-Identifier: MIT */
/* Copies that change how a tensor is laid out for convolutions. */
#ifndef DNN_ENGINE_REFOLD_H
#define DNN_ENGINE_REFOLD_H

#include "engine.h"

/* Pads x, and folds positions of the spatial dimensions into channels: channel (f * c + i) of y has
 * channel i at the positions whose remainders are number f, the last dimension's changing fastest.
 * Unfolding is the reverse. y is 0 where x has nothing. */
struct dnn_refold {
    struct dnn_tensor x, y;
    bool unfolds;
    int64_t before[DNN_RANK_MOST]; /* padding in front of each dimension; may be negative */
    int64_t fold[DNN_RANK_MOST];   /* of each dimension; 1 for the first two */
    struct dnn_blend blend;
};
CUresult dnn_refold_run(const struct dnn_refold *op);

/* columns[c * window][n][positions]: what each element of a window sees, for all images. */
struct dnn_im2col {
    struct dnn_tensor x;
    void *columns; /* of x's type */
    int spatial;
    int64_t window[DNN_RANK_MOST], out[DNN_RANK_MOST];
    int64_t pad[DNN_RANK_MOST], stride[DNN_RANK_MOST], dilation[DNN_RANK_MOST];
    bool flip;
};
CUresult dnn_im2col_run(const struct dnn_im2col *op);

/* The order of int8 filters in which a card's kernels read them: k[filters][channels / 32][window]
 * of 32 channels each becomes [channels / 32][window][filters / 8][2][8][4] of 4 channels each. */
struct dnn_reorder {
    const void *filter;
    void *reordered;
    int64_t filters, channels, window;
    const float *bias; /* or NULL */
    float *reordered_bias;
};
CUresult dnn_reorder_run(const struct dnn_reorder *op);

#endif
