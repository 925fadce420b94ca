/* SPDX-License-Identifier: MIT */
/* What cudaGetDeviceProperties tells. */
#ifndef RT_PROPERTIES_H
#define RT_PROPERTIES_H

#include "driver.h"
#include "driver_types.h"

cudaError_t rt_properties_read(CUdevice device, struct cudaDeviceProp *properties);

#endif
