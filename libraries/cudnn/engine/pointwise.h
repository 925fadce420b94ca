/* SPDX-License-Identifier: MIT */
/* The arithmetic of pointwise operations on a line of numbers, for f32 and for f64. */
#ifndef DNN_ENGINE_POINTWISE_H
#define DNN_ENGINE_POINTWISE_H

#include <cudnn_graph.h>
#include <stdbool.h>
#include <stddef.h>

/* Modes besides cuDNN's: the gradients of activations by their results instead of operands. */
enum {
    DNN_POINTWISE_TANH_FROM_Y = 10000,
    DNN_POINTWISE_SIGMOID_FROM_Y,
    DNN_POINTWISE_ELU_FROM_Y,
};

struct dnn_pointwise_factors {
    double lower, upper, slope; /* ReLU */
    double elu_alpha, softplus_beta, swish_beta;
};

struct dnn_pointwise;
struct dnn_pointwise_factors dnn_pointwise_constants(const struct dnn_pointwise *op);

/* y[i] = op(x[i], b[i], t[i]). Operands that a mode does not have are not read. */
typedef void dnn_pointwise_line(const struct dnn_pointwise_factors *factors, void *y, const void *x,
                                const void *b, const void *t, size_t count);

/* NULL: no such mode. The loops for f32 are in kernels.h. */
dnn_pointwise_line *dnn_pointwise_line_f64(cudnnPointwiseMode_t mode);

#endif
