/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory and init for work of the host (cupipe.h): calls of CUDA's libraries and
 * operators of PyTorch. The work names the memory that it touches; these look at it before it
 * runs. */
#ifndef CUP_CHECK_MEMORY_OPERANDS_H
#define CUP_CHECK_MEMORY_OPERANDS_H

#include <cupipe.h>

/* Reports ranges that leave their allocation, or whose memory was freed. */
void cup_operands_check_bounds(const struct cupipe_work *work);

/* Reports bytes that the work reads and nothing has written. */
void cup_operands_check_written(const struct cupipe_work *work);

#endif
