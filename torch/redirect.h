/* SPDX-License-Identifier: MIT */
/* The kernel that stands in for an operator's CUDA kernel: it runs the operator's CPU kernel on the
 * same memory. */
#ifndef CUPIPE_TORCH_REDIRECT_H
#define CUPIPE_TORCH_REDIRECT_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cupipe
{

/* Computes the operator as work of the current stream: arguments are taken from the stack, results
 * put there. `key` is the backend of the kernel: CPU, SparseCPU, SparseCsrCPU or
 * QuantizedCPU. */
void redirect(const c10::OperatorHandle &op, c10::DispatchKey key, torch::jit::Stack *stack);

} // namespace cupipe

#endif
