/* SPDX-License-Identifier: MIT */
/* The result of cudaGetDeviceProperties, in the struct of 13.0 and in that of 12.x. */
#ifndef RT_PROPERTIES_H
#define RT_PROPERTIES_H

#include "driver.h"
#include "driver_types.h"
#include "legacy_api.h"

cudaError_t rt_properties_read(CUdevice device, struct cudaDeviceProp *properties);
cudaError_t rt_properties_read_v12(CUdevice device, struct cudaDeviceProp_v12 *properties);

#endif
