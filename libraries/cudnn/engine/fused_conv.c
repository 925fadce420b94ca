/* SPDX-License-Identifier: MIT */
/* What comes before a convolution goes into an array of f32, which is then convolved. */
#include "fused_conv.h"

#include "array.h"
#include "channel.h"

#include <math.h>

CUresult dnn_bn_finalize_run(const struct dnn_bn_finalize *op)
{
    int64_t channels = dnn_channels(&op->scale);
    double count = op->count, factor = op->factor;

    for (int64_t c = 0; c < channels; c++) {
        double old_mean = dnn_channel_get(&op->running_mean, c);
        double old_variance = dnn_channel_get(&op->running_variance, c);
        double mean = op->inference ? old_mean : dnn_channel_get(&op->sum, c) / count;
        double variance =
            op->inference ? old_variance : dnn_channel_get(&op->sqsum, c) / count - mean * mean;
        double inverse = 1 / sqrt(variance + op->epsilon);
        double unbiased = count > 1 ? variance * count / (count - 1) : variance;
        double slope = dnn_channel_get(&op->scale, c) * inverse;

        dnn_channel_set(&op->next_running_mean, c, (1 - factor) * old_mean + factor * mean);
        dnn_channel_set(&op->next_running_variance, c,
                        (1 - factor) * old_variance + factor * unbiased);
        dnn_channel_set(&op->saved_mean, c, mean);
        dnn_channel_set(&op->saved_inverse, c, inverse);
        dnn_channel_set(&op->eq_scale, c, slope);
        dnn_channel_set(&op->eq_bias, c, dnn_channel_get(&op->bias, c) - mean * slope);
    }
    return CUDA_SUCCESS;
}

/* t = op(t, b); without b, or with a relu that there is not, nothing happens. */
static CUresult apply(cudnnPointwiseMode_t mode, const struct dnn_tensor *from,
                      const struct dnn_tensor *b, const struct dnn_tensor *to)
{
    struct dnn_pointwise step = {.mode = mode, .x = *from, .y = *to};

    if (b)
        step.b = *b;
    return dnn_pointwise_run(&step);
}

static CUresult run_before(const struct dnn_fused_conv *op, const struct dnn_tensor *numbers)
{
    CUresult result = apply(CUDNN_POINTWISE_IDENTITY, &op->conv.x, NULL, numbers);

    if (result == CUDA_SUCCESS && op->scale.address)
        result = apply(CUDNN_POINTWISE_MUL, numbers, &op->scale, numbers);
    if (result == CUDA_SUCCESS && op->bias.address)
        result = apply(CUDNN_POINTWISE_ADD, numbers, &op->bias, numbers);
    if (result == CUDA_SUCCESS && op->relu)
        result = apply(CUDNN_POINTWISE_RELU_FWD, numbers, NULL, numbers);
    return result;
}

CUresult dnn_fused_conv_run(const struct dnn_fused_conv *op)
{
    struct dnn_conv conv = op->conv;
    struct dnn_array array = {0};
    CUresult result = CUDA_SUCCESS;

    if (op->scale.address || op->bias.address || op->relu) {
        if (!dnn_array_new(&array, dnn_count(&conv.x), false))
            return CUDA_ERROR_OUT_OF_MEMORY;
        conv.x = dnn_packed(array.data, CUDNN_DATA_FLOAT, conv.x.rank, conv.x.dims);
        result = run_before(op, &conv.x);
    }
    if (result == CUDA_SUCCESS)
        result = dnn_conv_run(&conv);
    if (result == CUDA_SUCCESS && op->sum.address && op->sqsum.address)
        result = dnn_genstats_run(
            &(struct dnn_genstats){.x = conv.y, .sum = op->sum, .sqsum = op->sqsum});
    dnn_array_free(&array);
    return result;
}
