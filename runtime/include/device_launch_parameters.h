/* SPDX-License-Identifier: MIT */
/*
 * threadIdx, blockIdx, blockDim, gridDim and warpSize belong to device code: CUDA compilers know
 * them without this header, host compilers have none.
 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#endif
