/* SPDX-License-Identifier: MIT */
/* Pairs CUDA devices with Vulkan devices. Programs that use both match devices by UUID, so a device
 * returns the UUID of its Vulkan counterpart.
 *
 * Vulkan is queried on the first request, and only if the program has loaded Vulkan itself: the
 * query takes about ten milliseconds and loads a compiler into the process. CUPIPE_DEVICE_UUID
 * overrides this. The n-th device is paired with the n-th Vulkan device that runs on the CPU;
 * devices without a counterpart have UUIDs of their own. */
#ifndef CUP_INTEROP_VULKAN_DEVICE_H
#define CUP_INTEROP_VULKAN_DEVICE_H

#include "device/device.h"
#include "memory/physical.h"

#include <cuda.h>

/* The result of cuDeviceGetUuid(), by the configured source. Works before cuInit(). */
CUuuid cup_vulkan_uuid(const struct cup_device *device, enum cup_uuid_source source);

/* The form of memory for export that the device's Vulkan driver can import. NULL is the host. */
enum cup_physical_form cup_vulkan_form(const struct cup_device *device);

#endif
