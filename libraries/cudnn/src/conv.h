/* SPDX-License-Identifier: MIT */
/* Convolutions between their descriptors and the engine. */
#ifndef DNN_CONV_H
#define DNN_CONV_H

#include "descriptor.h"

/* Fills a convolution. BAD_PARAM if the shapes do not fit together, NOT_SUPPORTED if the types do
 * not. */
cudnnStatus_t dnn_conv_describe(struct dnn_conv *op, enum dnn_conv_direction direction,
                                cudnnConvolutionDescriptor_t conv, const struct dnn_tensor *x,
                                const struct dnn_tensor *w, const struct dnn_tensor *y);

/* True if cuDNN has the algorithm, a number of the direction's enumeration, for the convolution. */
bool dnn_conv_has_algo(const struct dnn_conv *op, int algo);

#endif
