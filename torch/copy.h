/* SPDX-License-Identifier: MIT */
#ifndef CUPIPE_TORCH_COPY_H
#define CUPIPE_TORCH_COPY_H

#include <torch/library.h>

namespace cupipe
{

/* Copies between tensors of which at least one is on a CUDA device. */
void register_copy(torch::Library &aten);

} // namespace cupipe

#endif
