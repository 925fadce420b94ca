/* SPDX-License-Identifier: MIT */
/* Strides of results that are others on a card than the CPU's or the Meta kernel's. Compiled code
 * of Inductor asserts that the operators that it calls give them. */
#ifndef CUPIPE_TORCH_CARD_STRIDES_H
#define CUPIPE_TORCH_CARD_STRIDES_H

#include "operands.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>
#include <optional>

namespace cupipe
{

using dimension_list = c10::SmallVector<int64_t, 5>;

/* The strides that the card gives a new tensor of these sizes, the result of this number; nothing
 * if they are the CPU's. */
std::optional<dimension_list> strides_on_card(const c10::OperatorHandle &op, size_t result,
                                              const operands &arguments, c10::IntArrayRef sizes);

} // namespace cupipe

#endif
