/* SPDX-License-Identifier: MIT */
/* CPU kernels for types that only the card has.
 *
 * Some CPU kernels lack types that the CUDA kernel of the same operator takes, mostly half
 * precision. Such a kernel says `"name" not implemented for 'Half'`. Then the operator runs on
 * wider copies: float for half precision, int64 for integers. */
#ifndef CUPIPE_TORCH_OPERATORS_WIDEN_H
#define CUPIPE_TORCH_OPERATORS_WIDEN_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cupipe
{

/* Calls the kernel of `op` for `keys` with the arguments on the stack, which are CPU tensors. If
 * the kernel lacks their type, calls it with wider ones; the results have the types that they would
 * have without. Errors are those of the first call if the second fails, too. */
void call_or_widen(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                   torch::jit::Stack *stack);

/* The second part alone: replaces the arguments on the stack by the results. Returns false and
 * leaves the stack if no argument has a type that can be widened. */
bool widen_and_run(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                   torch::jit::Stack *stack);

} // namespace cupipe

#endif
