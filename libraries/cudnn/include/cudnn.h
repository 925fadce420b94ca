/* SPDX-License-Identifier: MIT */
/* cuDNN: operations of neural networks on tensors in device memory, as work of a stream. */
#ifndef CUDNN_H_
#define CUDNN_H_

#include "cudnn_adv.h"
#include "cudnn_cnn.h"
#include "cudnn_graph.h"
#include "cudnn_ops.h"
#include "cudnn_version.h"

#include <cuda_runtime_api.h>

#endif
