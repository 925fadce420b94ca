/* SPDX-License-Identifier: MIT */
/* Which Vulkan device a device of ours stands beside. Programs that use both take the CUDA device
 * and the Vulkan device with the same UUID for one, so ours answers with the other's.
 *
 * Vulkan is asked when a program first wants to know, and only if it has loaded Vulkan itself: it
 * costs some ten milliseconds and brings a compiler into the process. CUPIPE_DEVICE_UUID changes
 * that. The first device here goes with the first Vulkan device that runs on the processor, the
 * second with the second; those that are left over keep UUIDs of their own. */
#ifndef CUP_INTEROP_VULKAN_DEVICE_H
#define CUP_INTEROP_VULKAN_DEVICE_H

#include "device/device.h"
#include "memory/physical.h"

#include <cuda.h>

/* What cuDeviceGetUuid answers. */
CUuuid cup_vulkan_uuid(const struct cup_device *device);

/* In which form memory for export is made, so that the Vulkan driver can import it. NULL stands for
 * the host. */
enum cup_physical_form cup_vulkan_form(const struct cup_device *device);

#endif
