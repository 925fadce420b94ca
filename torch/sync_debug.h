/* SPDX-License-Identifier: MIT */
/* torch.cuda.set_sync_debug_mode(): a warning or an error for each wait of the host. */
#ifndef CUPIPE_TORCH_SYNC_DEBUG_H
#define CUPIPE_TORCH_SYNC_DEBUG_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cupipe
{

/* Warns of the operator, or throws, if the mode is on and its kernels on a card wait. Whether the
 * operator waits here is another matter. */
void note_waits(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

/* The same for a copy that the host waits for. */
void note_wait();

} // namespace cupipe

#endif
