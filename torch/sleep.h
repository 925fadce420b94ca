/* SPDX-License-Identifier: MIT */
#ifndef CUPIPE_TORCH_SLEEP_H
#define CUPIPE_TORCH_SLEEP_H

#include <cstdint>

namespace cupipe
{

/* Keeps the current stream busy for so many cycles of the card's clock: torch.cuda._sleep. */
void sleep_on_device(int64_t cycles);

} // namespace cupipe

#endif
