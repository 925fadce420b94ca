/* SPDX-License-Identifier: MIT */
/* Locations of memory that name a locality domain: a part of a device with memory and
 * multiprocessors of its own. Each device has one domain, which is the whole device. */
#ifndef CUP_DEVICE_LOCATION_H
#define CUP_DEVICE_LOCATION_H

#include <cuda.h>

/* Replaces a locality domain by its device, as the manual says of devices with a single domain.
 * Whether the device exists is left to the caller. Other locations stay as they are, and so does a
 * domain if the driver is too old to know them; the caller refuses it like an unknown type. Returns
 * CUDA_ERROR_INVALID_VALUE if there is no such domain. */
CUresult cup_location_settle(CUmemLocation *location);

#endif
