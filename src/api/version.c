/* SPDX-License-Identifier: MIT */
/* Version management: the CUDA version of this library. Works before cuInit. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"

CUresult impl_cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the version is NULL");
    *driverVersion = (int)cup_driver_current()->cuda;
    return CUDA_SUCCESS;
}
