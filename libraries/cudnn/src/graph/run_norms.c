/* SPDX-License-Identifier: MIT */
/* Normalisations, and the parts of batch normalisations that stand between convolutions. */
#include "channel.h"
#include "fused_conv.h"
#include "operation.h"
#include "peers.h"

#include <math.h>

#define OPERAND(name) graph_operand(frame, operation, CUDNN_ATTR_OPERATION_##name, 0)

/* Where no statistics are kept, the scale tells what they are taken over: a layer normalisation
 * takes the dimensions that the scale has, an adaptive one those besides the first, an instance
 * normalisation those behind the second. */
static void set_statistics(struct dnn_norm *norm, cudnnBackendNormMode_t mode)
{
    const struct dnn_tensor *x = &norm->x, *scale = &norm->scale;

    norm->has_stats_dims = true;
    for (int i = 0; i < x->rank; i++) {
        bool scaled = scale->address ? scale->dims[i] != 1 : i > 0;
        bool reduced;

        if (mode == CUDNN_INSTANCE_NORM)
            reduced = i > 1;
        else if (mode == CUDNN_BATCH_NORM)
            reduced = i != 1;
        else
            reduced = scaled && (i > 0 || mode != CUDNN_ADA_LAYER_NORM);
        norm->stats_dims[i] = reduced ? 1 : x->dims[i];
    }
}

static CUresult run_forward(struct graph_frame *frame, const struct graph_content *operation)
{
    cudnnBackendNormMode_t mode =
        (cudnnBackendNormMode_t)graph_integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, 0, 0);
    bool training = graph_integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 0, 0) ==
                    CUDNN_NORM_FWD_TRAINING;
    struct dnn_norm norm = {
        .pass = DNN_NORM_TRAINING,
        .rms = mode == CUDNN_RMS_NORM,
        .x = OPERAND(NORM_FWD_XDESC),
        .y = OPERAND(NORM_FWD_YDESC),
        .scale = OPERAND(NORM_FWD_SCALE_DESC),
        .bias = OPERAND(NORM_FWD_BIAS_DESC),
        .mean = OPERAND(NORM_FWD_MEAN_DESC),
        .inv_variance = OPERAND(NORM_FWD_INV_VARIANCE_DESC),
        .running_mean = OPERAND(NORM_FWD_INPUT_RUNNING_MEAN_DESC),
        .running_variance = OPERAND(NORM_FWD_INPUT_RUNNING_VAR_DESC),
        .next_running_mean = OPERAND(NORM_FWD_OUTPUT_RUNNING_MEAN_DESC),
        .next_running_variance = OPERAND(NORM_FWD_OUTPUT_RUNNING_VAR_DESC),
        .epsilon = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, 0),
        .factor =
            graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, 1),
    };

    if (!training && norm.inv_variance.address)
        norm.pass = DNN_NORM_INFERENCE;
    else if (!training)
        norm.mean.address = NULL; /* taken from x, and not written */
    if (!norm.inv_variance.address && !norm.mean.address)
        set_statistics(&norm, mode);
    return dnn_norm_run(&norm);
}

static CUresult run_backward(struct graph_frame *frame, const struct graph_content *operation)
{
    cudnnBackendNormMode_t mode =
        (cudnnBackendNormMode_t)graph_integer(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, 0, 0);
    struct dnn_norm norm = {
        .pass = DNN_NORM_BACKWARD,
        .rms = mode == CUDNN_RMS_NORM,
        .x = OPERAND(NORM_BWD_XDESC),
        .dy = OPERAND(NORM_BWD_DYDESC),
        .scale = OPERAND(NORM_BWD_SCALE_DESC),
        .mean = OPERAND(NORM_BWD_MEAN_DESC),
        .inv_variance = OPERAND(NORM_BWD_INV_VARIANCE_DESC),
        .dx = OPERAND(NORM_BWD_DXDESC),
        .dscale = OPERAND(NORM_BWD_DSCALE_DESC),
        .dbias = OPERAND(NORM_BWD_DBIAS_DESC),
        .epsilon = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC, 0),
    };

    if (!norm.inv_variance.address && !norm.mean.address)
        set_statistics(&norm, mode);
    return dnn_norm_run(&norm);
}

CUresult graph_run_norm(struct graph_frame *frame, const struct graph_content *operation)
{
    if (graph_peers_attribute(operation))
        return graph_run_norm_of_devices(frame, operation);
    if (operation->kind->type == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR)
        return run_backward(frame, operation);
    return run_forward(frame, operation);
}

CUresult graph_run_genstats(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_genstats statistics = {
        .x = OPERAND(GENSTATS_XDESC),
        .sum = OPERAND(GENSTATS_SUMDESC),
        .sqsum = OPERAND(GENSTATS_SQSUMDESC),
    };

    return dnn_genstats_run(&statistics);
}

CUresult graph_run_bn_finalize(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_bn_finalize finalize = {
        .inference = graph_integer(operation, CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, 0, 0) ==
                     CUDNN_BN_FINALIZE_STATISTICS_INFERENCE,
        .sum = OPERAND(BN_FINALIZE_Y_SUM_DESC),
        .sqsum = OPERAND(BN_FINALIZE_Y_SQ_SUM_DESC),
        .scale = OPERAND(BN_FINALIZE_SCALE_DESC),
        .bias = OPERAND(BN_FINALIZE_BIAS_DESC),
        .running_mean = OPERAND(BN_FINALIZE_PREV_RUNNING_MEAN_DESC),
        .running_variance = OPERAND(BN_FINALIZE_PREV_RUNNING_VAR_DESC),
        .next_running_mean = OPERAND(BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC),
        .next_running_variance = OPERAND(BN_FINALIZE_UPDATED_RUNNING_VAR_DESC),
        .saved_mean = OPERAND(BN_FINALIZE_SAVED_MEAN_DESC),
        .saved_inverse = OPERAND(BN_FINALIZE_SAVED_INV_STD_DESC),
        .eq_scale = OPERAND(BN_FINALIZE_EQ_SCALE_DESC),
        .eq_bias = OPERAND(BN_FINALIZE_EQ_BIAS_DESC),
        .count =
            graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC, 1),
        .epsilon = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC, 0),
        .factor = graph_scalar(frame, operation,
                               CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC, 1),
    };

    return dnn_bn_finalize_run(&finalize);
}

/* The gradients of scale and bias, and the factors with which dx = dy * eq_dy + x * eq_x + eq_bias.
 */
CUresult graph_run_bn_weights(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_norm norm = {
        .pass = DNN_NORM_BACKWARD,
        .x = OPERAND(BN_BWD_WEIGHTS_X_DESC),
        .dy = OPERAND(BN_BWD_WEIGHTS_DY_DESC),
        .scale = OPERAND(BN_BWD_WEIGHTS_BN_SCALE_DESC),
        .mean = OPERAND(BN_BWD_WEIGHTS_MEAN_DESC),
        .inv_variance = OPERAND(BN_BWD_WEIGHTS_INVSTD_DESC),
        .dscale = OPERAND(BN_BWD_WEIGHTS_DBN_SCALE_DESC),
        .dbias = OPERAND(BN_BWD_WEIGHTS_DBN_BIAS_DESC),
    };
    struct dnn_tensor eq_dy = OPERAND(BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC);
    struct dnn_tensor eq_x = OPERAND(BN_BWD_WEIGHTS_EQ_X_SCALE_DESC);
    struct dnn_tensor eq_bias = OPERAND(BN_BWD_WEIGHTS_EQ_BIAS);
    int64_t channels = dnn_channels(&norm.scale);
    double count = channels ? (double)dnn_count(&norm.x) / (double)channels : 1;
    CUresult result = dnn_norm_run(&norm);

    for (int64_t c = 0; c < channels && result == CUDA_SUCCESS; c++) {
        double inverse = dnn_channel_get(&norm.inv_variance, c),
               mean = dnn_channel_get(&norm.mean, c);
        double slope = dnn_channel_get(&norm.scale, c) * inverse;
        double dscale = dnn_channel_get(&norm.dscale, c) / count;
        double dbias = dnn_channel_get(&norm.dbias, c) / count;

        dnn_channel_set(&eq_dy, c, slope);
        dnn_channel_set(&eq_x, c, -slope * inverse * dscale);
        dnn_channel_set(&eq_bias, c, slope * (mean * inverse * dscale - dbias));
    }
    return result;
}
