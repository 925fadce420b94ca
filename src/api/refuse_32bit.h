/* SPDX-License-Identifier: MIT */
/* The answer of the functions from before CUDA 3.2, with 32-bit addresses and sizes. They need a
 * context with 32-bit addresses, which does not exist. */
#ifndef CUP_API_REFUSE_32BIT_H
#define CUP_API_REFUSE_32BIT_H

#include "core/error.h"

static inline CUresult cup_api_refuse_32bit(void)
{
    return cup_error(CUDA_ERROR_INVALID_CONTEXT,
                     "32-bit functions are not supported in a 64-bit context");
}

#endif
