/* SPDX-License-Identifier: MIT */
/* Operations on values in memory as the application describes them: writes, waits and barriers of
 * cuStreamBatchMemOp, its single forms and batch nodes of graphs. */
#ifndef CUP_MEMORY_VALUE_OP_H
#define CUP_MEMORY_VALUE_OP_H

#include "stream/memop.h"

#include <cuda.h>

enum { CUP_VALUE_OPS_MAX = 255 }; /* in a batch */

/* INVALID_VALUE or NOT_SUPPORTED for what there is not, and for an address that is not aligned. */
CUresult cup_value_op_parse(const CUstreamBatchMemOpParams *given, struct cup_memop *op);

/* Is it inside memory that the device can reach? That memory which may only be read is not written
 * shows when the stream gets there. */
CUresult cup_value_op_check(const struct cup_memop *op);

#endif
