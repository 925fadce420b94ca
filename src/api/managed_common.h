/* SPDX-License-Identifier: MIT */
/* Helpers of the calls on managed memory. */
#ifndef CUP_API_MANAGED_COMMON_H
#define CUP_API_MANAGED_COMMON_H

#include "memory/migration.h"

#include <cuda.h>

struct CUstream_st;

/* Returns CUDA_ERROR_INVALID_DEVICE for a device that does not exist, and CUDA_ERROR_INVALID_VALUE
 * for any other invalid location. */
CUresult cup_api_managed_check_location(CUmemLocation location);

/* Finds a stream and takes a reference. Fails unless the library is initialised and the current
 * context, if there is one, is usable. */
CUresult cup_api_managed_find_stream(CUstream handle, struct CUstream_st **stream);

#endif
