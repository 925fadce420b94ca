/* SPDX-License-Identifier: MIT */
/* Pooling of dense f32, in vectors. */
#ifndef DNN_ENGINE_POOL_H
#define DNN_ENGINE_POOL_H

#include "columns.h"
#include "engine.h"

/* Whether the functions below know the operation: pooling in which every window sees the image. */
bool dnn_pool_fits(const struct dnn_resample *op, const struct dnn_window *window);

/* y = pool(x) for planes [planes][in] and [planes][out], without indices. False: out of memory. */
bool dnn_pool_forward(const struct dnn_resample *op, const struct dnn_window *window,
                      const float *x, float *y, int64_t planes);

/* The same with channels last: x[images][in][channels], y[images][out][channels]. */
bool dnn_pool_forward_last(const struct dnn_resample *op, const struct dnn_window *window,
                           const float *x, float *y, int64_t images, int64_t channels);

/* dx from dy, and from x for the maximum, for planes. False: out of memory. */
bool dnn_pool_backward(const struct dnn_resample *op, const struct dnn_window *window,
                       const float *x, const float *dy, float *dx, int64_t planes);

#endif
