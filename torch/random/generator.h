/* SPDX-License-Identifier: MIT */
/* PyTorch's generator of a CUDA device, as the functions in C want it. */
#ifndef CUPIPE_TORCH_RANDOM_GENERATOR_H
#define CUPIPE_TORCH_RANDOM_GENERATOR_H

#include "distribution.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/util/FunctionRef.h>

namespace cupipe
{

/* What one kernel gets of a generator. Under capture seed and offset stand in device memory, which
 * each replay sets: they are read when the work runs. */
class philox_input
{
  public:
    /* Without random numbers. */
    philox_input() = default;

    /* Takes `words` words of each subsequence. Without a generator it is the current device's. */
    philox_input(const std::optional<at::Generator> &generator, uint64_t words);

    /* The same of the default generator of a device. */
    philox_input(c10::Device device, uint64_t words);

    cup_philox read() const;

    bool captured() const
    {
        return state.captured_;
    }

  private:
    at::PhiloxCudaState state;
};

/* The grid of a kernel over `count` values on the current device. */
cup_grid grid_of(int64_t count, unsigned values);

/* The words that a kernel over the grid takes of each subsequence. */
uint64_t words_of(const cup_grid &grid);

cup_element element_of(at::ScalarType type);

/* float64, float32, float16 and bfloat16. */
bool is_floating(at::ScalarType type);
/* Those and the whole numbers that kernels have had for long: not bool, and not the unsigned ones
 * of more than 8 bits. */
bool is_usual(at::ScalarType type);
/* Throws what PyTorch throws if a kernel does not support a type. */
void check_type(bool supported, const char *kernel, at::ScalarType type);

/* Calls `part` for parts of 0 to `count` - 1 on the threads of an operator. */
void in_parallel(uint64_t count, uint64_t grain, c10::function_ref<void(uint64_t, uint64_t)> part);

} // namespace cupipe

#endif
