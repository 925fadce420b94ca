/* SPDX-License-Identifier: MIT */
/* Signals between ranks that share memory: words that are 0 or 1. PyTorch's symmetric memory
 * launches kernels for them that are no operators. */
#ifndef CUPIPE_TORCH_SIGNALS_H
#define CUPIPE_TORCH_SIGNALS_H

#include <c10/util/ArrayRef.h>
#include <cstdint>

namespace cupipe
{

/* Work of the current stream: sets each word at the addresses `put` from 0 to 1 and each at `wait`
 * from 1 to 0, in any order, and waits until all have changed. After `timeout_ms`, if that is not
 * 0, it fails, as the card's kernel traps; `rank` is for its message. */
void exchange_signals(c10::ArrayRef<int64_t> put, c10::ArrayRef<int64_t> wait, int64_t rank,
                      int64_t timeout_ms);

} // namespace cupipe

#endif
