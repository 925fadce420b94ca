/* SPDX-License-Identifier: MIT */
/* Convolutions by oneDNN (version 2, as Debian and PyPI have it), where it is installed. */
#ifndef DNN_ENGINE_ONEDNN_H
#define DNN_ENGINE_ONEDNN_H

#include "engine.h"

/* Computes the convolution without its blend and what follows, from and to the given tensors.
 * CUDA_ERROR_NOT_SUPPORTED: oneDNN is missing or has no way for it, and nothing is written. */
CUresult dnn_onednn_conv(const struct dnn_conv *op, const struct dnn_tensor *x,
                         const struct dnn_tensor *w, const struct dnn_tensor *y);

#endif
