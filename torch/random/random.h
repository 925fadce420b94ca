/* SPDX-License-Identifier: MIT */
/* The random operators of CUDA tensors. They give the numbers that PyTorch gives on an H200 for the
 * same seed, and advance the generator by as much. */
#ifndef CUPIPE_TORCH_RANDOM_RANDOM_H
#define CUPIPE_TORCH_RANDOM_RANDOM_H

#include <torch/library.h>

namespace cupipe
{

/* Registers them with the library of aten's kernels for CUDA. */
void register_random(torch::Library &aten_cuda);

/* Parts of it. */
void register_fills(torch::Library &aten_cuda);
void register_samples(torch::Library &aten_cuda);
void register_masks(torch::Library &aten_cuda);
void register_choices(torch::Library &aten_cuda);

} // namespace cupipe

#endif
