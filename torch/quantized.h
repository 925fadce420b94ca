/* SPDX-License-Identifier: MIT */
/* Quantized tensors: integers with a quantizer, which tells the numbers that they stand for. */
#ifndef CUPIPE_TORCH_QUANTIZED_H
#define CUPIPE_TORCH_QUANTIZED_H

#include <ATen/core/Tensor.h>

namespace cupipe
{

/* A tensor on the storage with the type and the quantizer of `like`, without sizes. `backend` is
 * CPU, CUDA or Meta. */
at::Tensor new_quantized(const at::Tensor &like, c10::Storage storage, c10::DispatchKey backend);

/* Prepares a copy of `from` to `to`, one of which is quantized and on a CUDA device: `to` gets the
 * quantizer of `from`. Returns what is to be copied: `from`, or if that is not quantized its
 * numbers in integers, on the same device. Throws if torch does not allow the copy. */
at::Tensor prepare_quantized_copy(const at::Tensor &to, const at::Tensor &from);

} // namespace cupipe

#endif
