/* SPDX-License-Identifier: MIT */
/* Tensors of one element for each channel. One that is not there reads as 0 and takes nothing. */
#ifndef DNN_ENGINE_CHANNEL_H
#define DNN_ENGINE_CHANNEL_H

#include "tensor.h"

static inline char *dnn_channel_address(const struct dnn_tensor *tensor, int64_t channel)
{
    int64_t at = tensor->rank > 1 ? channel * tensor->strides[1] : channel;

    return (char *)tensor->address + (size_t)at * dnn_type_bytes(tensor->type);
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
