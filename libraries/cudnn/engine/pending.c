/* SPDX-License-Identifier: MIT */
/* Operations that are still to come. */
#include "engine.h"

#define PENDING(name, type)                                                                        \
    __attribute__((weak)) CUresult name(const struct type *op)                                     \
    {                                                                                              \
        (void)op;                                                                                  \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }
PENDING(dnn_conv_run, dnn_conv)
PENDING(dnn_matmul_run, dnn_matmul)
PENDING(dnn_pointwise_run, dnn_pointwise)
PENDING(dnn_reduction_run, dnn_reduction)
PENDING(dnn_resample_run, dnn_resample)
PENDING(dnn_softmax_run, dnn_softmax)
PENDING(dnn_norm_run, dnn_norm)
PENDING(dnn_attention_run, dnn_attention)
PENDING(dnn_random_run, dnn_random)
PENDING(dnn_transform_run, dnn_transform)
PENDING(dnn_reshape_run, dnn_transform)
PENDING(dnn_concat_run, dnn_concat)
PENDING(dnn_slice_run, dnn_slice)
PENDING(dnn_genstats_run, dnn_genstats)

__attribute__((weak)) CUresult dnn_fill_run(const struct dnn_tensor *y, double value)
{
    (void)y;
    (void)value;
    return CUDA_ERROR_NOT_SUPPORTED;
}

__attribute__((weak)) uint64_t dnn_conv_estimate_ns(const struct dnn_conv *op)
{
    (void)op;
    return UINT64_MAX;
}
