/* SPDX-License-Identifier: MIT */
#ifndef CUPIPE_TORCH_NONDETERMINISTIC_H
#define CUPIPE_TORCH_NONDETERMINISTIC_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cupipe
{

/* Under torch.use_deterministic_algorithms, refuses the operators whose kernels for the card are
 * not deterministic, or warns of them: a program that runs here also runs on a card. */
void alert_nondeterministic(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

} // namespace cupipe

#endif
