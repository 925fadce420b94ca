/* SPDX-License-Identifier: MIT */
/* Locations of memory that name a locality domain: a part of a device with memory and
 * multiprocessors of its own. Each device has one domain, which is the whole device. */
#include "device/device.h"

#include "core/driver_version.h"
#include "core/error.h"

CUresult cup_location_settle(CUmemLocation *location)
{
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN ||
        !cup_driver_knows(CUP_ENUM_MEMORY_LOCATION, (int)location->type))
        return CUDA_SUCCESS;
    if (location->localized.localityDomainId != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "device %d has no locality domain %d: it has one, with the number 0",
                         location->localized.deviceId, location->localized.localityDomainId);
    *location =
        (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = location->localized.deviceId};
    return CUDA_SUCCESS;
}
