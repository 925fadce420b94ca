/* SPDX-License-Identifier: MIT */
/* Tensors of one element for each channel, which lies along dimension 1 if there is one. One that
 * is not there reads as 0 and takes nothing; a single element serves all channels. */
#ifndef DNN_ENGINE_CHANNEL_H
#define DNN_ENGINE_CHANNEL_H

#include "tensor.h"

static inline char *dnn_channel_address(const struct dnn_tensor *tensor, int64_t channel)
{
    int axis = tensor->rank > 1 ? 1 : 0;
    int64_t at = tensor->dims[axis] == 1 ? 0 : channel * tensor->strides[axis];

    return (char *)tensor->address + (size_t)at * dnn_type_bytes(tensor->type);
}

static inline int64_t dnn_channels(const struct dnn_tensor *tensor)
{
    return tensor->dims[tensor->rank > 1 ? 1 : 0];
}

static inline double dnn_channel_get(const struct dnn_tensor *tensor, int64_t channel)
{
    return tensor->address ? dnn_get(tensor->type, dnn_channel_address(tensor, channel)) : 0;
}

static inline void dnn_channel_set(const struct dnn_tensor *tensor, int64_t channel, double value)
{
    if (tensor->address)
        dnn_set(tensor->type, dnn_channel_address(tensor, channel), value);
}

#endif
