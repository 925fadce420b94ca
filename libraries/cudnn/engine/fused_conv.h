/* SPDX-License-Identifier: MIT */
/* Parts of batch normalisation beside convolutions: factors of a normalisation before, statistics
 * for one behind. */
#ifndef DNN_ENGINE_FUSED_CONV_H
#define DNN_ENGINE_FUSED_CONV_H

#include "engine.h"

/* Sums of a convolution's result become the factors of a batch normalisation: y = x * eq_scale +
 * eq_bias. Inference takes the running statistics. All tensors have one element for each channel,
 * and those that are absent are left out. */
struct dnn_bn_finalize {
    bool inference;
    struct dnn_tensor sum, sqsum, scale, bias;
    struct dnn_tensor running_mean, running_variance;           /* read */
    struct dnn_tensor next_running_mean, next_running_variance; /* written; may be the same */
    struct dnn_tensor saved_mean, saved_inverse, eq_scale, eq_bias;
    double count, epsilon, factor;
};
CUresult dnn_bn_finalize_run(const struct dnn_bn_finalize *op);

/* A convolution, or a gradient of its filter, of relu(x * scale + bias). */
struct dnn_fused_conv {
    struct dnn_conv conv;
    struct dnn_tensor scale, bias; /* absent: 1 and 0 */
    bool relu;
    struct dnn_tensor sum, sqsum; /* of y and of its squares, for each channel; may be absent */
};
CUresult dnn_fused_conv_run(const struct dnn_fused_conv *op);

#endif
