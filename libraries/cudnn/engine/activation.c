/* SPDX-License-Identifier: MIT */
/* Activations are pointwise operations. Backward, the gradients of tanh, the sigmoid and ELU
 * come from y, the others from x. */
#include "activation.h"

#include "pointwise.h"

#include <math.h>

static const struct {
    int forward, backward;
    bool from_y;
} modes[] = {
    [CUDNN_ACTIVATION_SIGMOID] = {CUDNN_POINTWISE_SIGMOID_FWD, DNN_POINTWISE_SIGMOID_FROM_Y, true},
    [CUDNN_ACTIVATION_RELU] = {CUDNN_POINTWISE_RELU_FWD, CUDNN_POINTWISE_RELU_BWD, false},
    [CUDNN_ACTIVATION_TANH] = {CUDNN_POINTWISE_TANH_FWD, DNN_POINTWISE_TANH_FROM_Y, true},
    [CUDNN_ACTIVATION_CLIPPED_RELU] = {CUDNN_POINTWISE_RELU_FWD, CUDNN_POINTWISE_RELU_BWD, false},
    [CUDNN_ACTIVATION_ELU] = {CUDNN_POINTWISE_ELU_FWD, DNN_POINTWISE_ELU_FROM_Y, true},
    [CUDNN_ACTIVATION_IDENTITY] = {CUDNN_POINTWISE_IDENTITY, CUDNN_POINTWISE_IDENTITY, false},
    [CUDNN_ACTIVATION_SWISH] = {CUDNN_POINTWISE_SWISH_FWD, CUDNN_POINTWISE_SWISH_BWD, false},
};

CUresult dnn_activation_run(const struct dnn_activation *op)
{
    struct dnn_pointwise line = {
        .mode = (cudnnPointwiseMode_t)modes[op->mode].forward,
        .x = op->x,
        .y = op->y,
        .elu_alpha = op->limit,
        .swish_beta = op->swish_beta,
        .has_relu = true,
        .relu_upper = op->mode == CUDNN_ACTIVATION_CLIPPED_RELU ? op->limit : (double)INFINITY,
        .blend = op->blend};

    if (op->backward) {
        line.mode = (cudnnPointwiseMode_t)modes[op->mode].backward;
        line.x = modes[op->mode].from_y ? op->y : op->x;
        line.b = op->dy;
        line.y = op->dx;
    }
    return dnn_pointwise_run(&line);
}
