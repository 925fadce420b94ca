/* SPDX-License-Identifier: MIT */
/* What follows a convolution. */
#ifndef DNN_ENGINE_CONV_H
#define DNN_ENGINE_CONV_H

#include "engine.h"

/* y = act(alpha * sums + z_scale * z + bias), with sums as an array in y's shape, which is
 * overwritten. */
CUresult dnn_conv_finish(const struct dnn_conv *op, void *sums, bool wide);

#endif
