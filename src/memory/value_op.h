/* SPDX-License-Identifier: MIT */
/* Stream memory operations as the application describes them: writes, reductions, waits and
 * barriers of cuStreamBatchMemOp, its single forms and batch nodes of graphs. */
#ifndef CUP_MEMORY_VALUE_OP_H
#define CUP_MEMORY_VALUE_OP_H

#include "stream/memop.h"

#include <cuda.h>

struct CUctx_st;

enum { CUP_VALUE_OPS_MAX = 255 }; /* in a batch */

/* Returns CUDA_ERROR_INVALID_VALUE or CUDA_ERROR_NOT_SUPPORTED for an unknown operation, and for an
 * address that is not aligned. */
CUresult cup_value_op_parse(const CUstreamBatchMemOpParams *given, struct cup_memop *op);

/* Checks that the address is in memory that work of the context can access, by the rules of kernels
 * (device/access.h). A write to memory that is read-only for all fails only when the stream reaches
 * it. */
CUresult cup_value_op_check(const struct cup_memop *op, struct CUctx_st *context);

#endif
