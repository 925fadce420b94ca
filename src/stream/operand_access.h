/* SPDX-License-Identifier: MIT */
/* Whether the memory that host work names is there, before the work begins. Threads of OpenBLAS and
 * oneDNN are not under the fault guard: what they touch must have been looked at before. */
#ifndef CUP_STREAM_OPERAND_ACCESS_H
#define CUP_STREAM_OPERAND_ACCESS_H

#include <cuda.h>
#include <cupipe.h>

/* CUDA_ERROR_ILLEGAL_ADDRESS if the work asks for the check, and an operand is not accessible. */
CUresult cup_operand_check_access(const struct cupipe_work *work);

#endif
