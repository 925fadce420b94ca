/* SPDX-License-Identifier: MIT */
/* The place in the stream of random numbers from which a kernel with dropout draws. */
#ifndef CUPIPE_TORCH_OPERATORS_PHILOX_SOURCE_H
#define CUPIPE_TORCH_OPERATORS_PHILOX_SOURCE_H

#include "attention_dropout.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>

namespace cupipe
{

class philox_source
{
  public:
    /* Without random numbers. */
    philox_source() = default;

    /* Takes `count` numbers from the default generator of the device. */
    philox_source(c10::Device device, int64_t count);

    /* Where they begin. In a captured graph each replay has its own place: call it in the work. */
    philox_start read() const;

    bool captured() const
    {
        return state.captured_;
    }

  private:
    at::PhiloxCudaState state;
};

/* Reads a place from the tensors that a forward kernel gave: one tensor with both numbers, or two
 * with one each. */
philox_start philox_start_of(const at::Tensor &seed, const at::Tensor &offset);

} // namespace cupipe

#endif
