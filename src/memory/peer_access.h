/* SPDX-License-Identifier: MIT */
/* Access checks of copies and fills between devices. A copy of memory from cuMemAlloc needs no
 * permission: if two devices have no peer access, the copy goes through the host. Memory of pools
 * and of cuMemMap belongs to no context that could do one half of such a copy. So the device that
 * copies must have access: the stream's device, or for a peer copy the device of the context named
 * with the memory. NVIDIA's driver is known to behave this way. */
#ifndef CUP_MEMORY_PEER_ACCESS_H
#define CUP_MEMORY_PEER_ACCESS_H

#include "device/access.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_device;

/* True if a copy by the device may access all of the memory in this way (CUP_GRANT_READ,
 * CUP_GRANT_WRITE). Always true with one device, where page protection and the address map check
 * access. */
bool cup_peer_access_is_allowed(const struct cup_device *device, uint64_t address,
                                uint64_t size_bytes, unsigned wanted);

static inline bool cup_peer_access_allows(const struct cup_device *device, uint64_t address,
                                          uint64_t size_bytes, unsigned wanted)
{
    return !cup_access_is_limited() ||
           cup_peer_access_is_allowed(device, address, size_bytes, wanted);
}

#endif
