/* SPDX-License-Identifier: MIT */
/* The class of each page usually decides. Every copy may access what the host may access. */
#include "memory/peer_access.h"

#include "core/compiler.h"
#include "device/device.h"
#include "memory/map.h"

#define PAGE_BYTES (UINT64_C(1) << CUP_ACCESS_PAGE_SHIFT)

static bool is_hosts(const struct cup_range *range, unsigned wanted)
{
    return range->kind == CUP_RANGE_VIRTUAL &&
           (!(wanted & CUP_GRANT_READ) || (range->flags & CUP_RANGE_HOST_READ)) &&
           (!(wanted & CUP_GRANT_WRITE) || (range->flags & CUP_RANGE_HOST_WRITE));
}

/* Addresses without memory are not checked here. */
static bool is_given(const struct cup_device *device, uint64_t address, unsigned wanted)
{
    struct cup_range range;

    if (!cup_map_describe(address, &range) || is_hosts(&range, wanted))
        return true;
    return (!(wanted & CUP_GRANT_READ) || range.read_by >> device->ordinal & 1) &&
           (!(wanted & CUP_GRANT_WRITE) || range.write_by >> device->ordinal & 1);
}

bool cup_peer_access_is_allowed(const struct cup_device *device, uint64_t address,
                                uint64_t size_bytes, unsigned wanted)
{
    uint64_t end = address + size_bytes;

    while (address < end) {
        if (cup_unlikely(cup_access_class_at(address) >= CUP_ACCESS_FIRST_SET) &&
            !is_given(device, address, wanted))
            return false;
        address = (address | (PAGE_BYTES - 1)) + 1;
        if (address == 0)
            break;
    }
    return true;
}
