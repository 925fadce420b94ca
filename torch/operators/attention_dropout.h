/* SPDX-License-Identifier: MIT */
/* Which elements dropout keeps in the attention kernels of the card, as their Philox streams say.
 */
#ifndef CUPIPE_TORCH_OPERATORS_ATTENTION_DROPOUT_H
#define CUPIPE_TORCH_OPERATORS_ATTENTION_DROPOUT_H

#include "../random/philox.h"

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace cupipe
{

/* Reads a place in the stream from the tensors that a forward kernel gave: one tensor with seed and
 * offset, or two with one each. */
cup_philox philox_start_of(const at::Tensor &seed, const at::Tensor &offset);

/* Bool (heads, queries, keys) of one batch, as the flash kernels do it: 7 rounds, a byte for an
 * element, 16 x 32 elements for a warp. */
at::Tensor flash_keep(cup_philox start, double dropout_p, int64_t batch, int64_t heads,
                      int64_t queries, int64_t keys);

/* The same as the memory-efficient kernels do it: element n of (batch, heads, queries, keys) is
 * value n of the stream. */
at::Tensor efficient_keep(cup_philox start, double dropout_p, int64_t batch, int64_t heads,
                          int64_t queries, int64_t keys);

/* The uniform numbers that efficient_keep() compares with. `into` is a float CPU tensor. */
void fill_uniform(cup_philox start, const at::Tensor &into);

} // namespace cupipe

#endif
