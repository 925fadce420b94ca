/* SPDX-License-Identifier: MIT */
/* Copies and fills between devices. A copy of what cuMemAlloc made needs nobody's leave: where two
 * devices do not reach each other it goes through the host. Memory of pools and of cuMemMap is no
 * context's, so there is nobody to do that half of the copy: the device that copies, which is the
 * stream's, or for a peer copy that of the context named with the memory, must have been given
 * access. So NVIDIA's driver is known to answer; peer copies are its way to say where memory is. */
#ifndef CUP_MEMORY_PEER_ACCESS_H
#define CUP_MEMORY_PEER_ACCESS_H

#include "device/access.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_device;

/* May a copy done by the device do that (CUP_GRANT_READ, CUP_GRANT_WRITE) with all of the memory?
 * Always true where there is one device: then the processor and the address map know. */
bool cup_peer_access_is_allowed(const struct cup_device *device, uint64_t address,
                                uint64_t size_bytes, unsigned wanted);

static inline bool cup_peer_access_allows(const struct cup_device *device, uint64_t address,
                                          uint64_t size_bytes, unsigned wanted)
{
    return !cup_access_is_limited() ||
           cup_peer_access_is_allowed(device, address, size_bytes, wanted);
}

#endif
