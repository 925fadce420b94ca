/* SPDX-License-Identifier: MIT */
/* Integers divided by zero.
 *
 * CPU kernels raise ZeroDivisionError. A card has no such error: the bits of the quotient and of
 * the remainder are ones. 64-bit numbers whose upper halves are zero are divided as 32-bit ones
 * there, so that the ones are 32. */
#ifndef CUPIPE_TORCH_OPERATORS_ZERO_DIVISION_H
#define CUPIPE_TORCH_OPERATORS_ZERO_DIVISION_H

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <exception>

namespace cupipe
{

/* A call of div, floor_divide, fmod or remainder: two numbers or CPU tensors, of integers. It keeps
 * what is needed to call the kernel again after an error, so it is made before the first call. */
class integer_division
{
  public:
    integer_division(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

    /* Whether all tensors of the call are of integers. */
    static bool is_one(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

    /* Whether it is the error of a division by zero. */
    static bool raised(const c10::Error &error);

    /* Calls the kernel of `keys` with ones in the place of zeros, and replaces these results. The
     * arguments are on the stack, as before the first call. */
    void run_as_card(c10::DispatchKeySet keys, torch::jit::Stack *stack) const;

  private:
    const c10::OperatorHandle &op;
    at::Tensor dividend;

    at::Tensor quotients_by_zero(at::ScalarType type, bool rounds_down) const;
};

} // namespace cupipe

#endif
