/* SPDX-License-Identifier: MIT */
/* The activations of cuDNN's older interface, whose backward pass takes both x and y. */
#ifndef DNN_ENGINE_ACTIVATION_H
#define DNN_ENGINE_ACTIVATION_H

#include "engine.h"

struct dnn_activation {
    cudnnActivationMode_t mode;
    bool backward;
    bool propagate_nan;
    double limit;      /* clipped ReLU's upper bound, ELU's alpha */
    double swish_beta; /* 0 means 1 */
    struct dnn_tensor x, y, dy, dx;
    struct dnn_blend blend;
};
CUresult dnn_activation_run(const struct dnn_activation *op);

#endif
