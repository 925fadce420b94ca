/* SPDX-License-Identifier: MIT */
/* Types that the CPU's kernels take and the card's do not, such as products of integers. A program
 * that uses them fails on a card, so it fails here, with the card's words. */
#ifndef CUPIPE_TORCH_REFUSED_TYPES_H
#define CUPIPE_TORCH_REFUSED_TYPES_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cupipe
{

/* Whether the card refuses some types for this operator. */
bool refuses_types(const c10::OperatorHandle &op);

/* Raises the card's error if it refuses the type of the first tensor of this call. */
void check_types_of_card(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

} // namespace cupipe

#endif
