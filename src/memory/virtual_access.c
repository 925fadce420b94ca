/* SPDX-License-Identifier: MIT */
/* The access rights of mappings: which devices, and whether the host, may read and write them. */
#include "memory/virtual.h"

#include "core/error.h"
#include "core/lock.h"
#include "device/access.h"
#include "device/device.h"
#include "memory/space.h"
#include "memory/virtual_mapping.h"
#include "os/reserve.h"

struct rights {
    uint64_t read_by, write_by;
    bool host_read, host_write;
};

static bool is_of_host(const CUmemAccessDesc *wanted)
{
    return wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

static struct rights rights_after(const struct cup_mapping *mapping, const CUmemAccessDesc *wanted,
                                  size_t count)
{
    struct rights rights = {
        .read_by = mapping->read_by,
        .write_by = mapping->write_by,
        .host_read = (mapping->flags & CUP_RANGE_HOST_READ) != 0,
        .host_write = (mapping->flags & CUP_RANGE_HOST_WRITE) != 0,
    };

    for (size_t i = 0; i < count; i++) {
        bool read = wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
        bool write = wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (is_of_host(&wanted[i])) {
            rights.host_read = read;
            rights.host_write = write;
            continue;
        }
        uint64_t bit = UINT64_C(1) << wanted[i].location.id;
        rights.read_by = read ? rights.read_by | bit : rights.read_by & ~bit;
        rights.write_by = write ? rights.write_by | bit : rights.write_by & ~bit;
    }
    return rights;
}

/* The addresses of a multicast object stay inaccessible. */
static bool protect_locked(const struct cup_mapping *mapping, bool read, bool write)
{
    cup_lock_assert_held(&cup_virtual_lock);
    return (mapping->flags & CUP_RANGE_MULTICAST) ||
           cup_reserve_protect((void *)(uintptr_t)mapping->base, mapping->size_bytes, read, write);
}

/* Widens page protection before it publishes new rights, and publishes reduced rights before it
 * narrows protection: a reader that checks the rights first never faults. */
static bool apply_locked(struct cup_mapping *mapping, struct rights rights)
{
    cup_lock_assert_held(&cup_virtual_lock);
    bool read = rights.read_by || rights.host_read, write = rights.write_by || rights.host_write;
    bool could_read = !(mapping->flags & CUP_RANGE_NO_READ);
    bool could_write = !(mapping->flags & CUP_RANGE_NO_WRITE);

    if (((read && !could_read) || (write && !could_write)) && !protect_locked(mapping, read, write))
        return false;
    atomic_store_explicit(&mapping->read_by, rights.read_by, memory_order_relaxed);
    atomic_store_explicit(&mapping->write_by, rights.write_by, memory_order_relaxed);
    cup_access_mark(mapping->base, mapping->size_bytes,
                    cup_access_class_of_set(rights.read_by, rights.write_by));
    cup_mapping_change_flag(mapping, CUP_RANGE_HOST_READ, rights.host_read);
    cup_mapping_change_flag(mapping, CUP_RANGE_HOST_WRITE, rights.host_write);
    cup_mapping_change_flag(mapping, CUP_RANGE_NO_READ, !read);
    cup_mapping_change_flag(mapping, CUP_RANGE_NO_WRITE, !write);
    return !((could_read && !read) || (could_write && !write)) ||
           protect_locked(mapping, read, write);
}

/* True if all devices that get access have peer access to the device of the memory. */
static bool are_linked(const struct cup_mapping *mapping, const CUmemAccessDesc *wanted,
                       size_t count)
{
    const struct cup_device *home = mapping->device;

    for (size_t i = 0; home && i < count; i++) {
        if (is_of_host(&wanted[i]) || wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
            continue;
        const struct cup_device *device = cup_device_get(wanted[i].location.id);
        if (device != home && !cup_device_linked(device, home))
            return false;
    }
    return true;
}

/* The range must begin and end with whole mappings; gaps between them do not matter. */
static bool is_range_of_mappings_locked(uint64_t address, uint64_t end)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t at = address, first = end, last = address;
    struct cup_mapping *mapping;

    while (at < end && (mapping = cup_mapping_next_locked(&at, end))) {
        if (!cup_mapping_is_inside(mapping, address, end))
            return false;
        first = mapping->base < first ? mapping->base : first;
        last = at;
    }
    return first == address && last == end;
}

static CUresult check_access_locked(uint64_t address, uint64_t end, const CUmemAccessDesc *wanted,
                                    size_t count)
{
    cup_lock_assert_held(&cup_virtual_lock);
    bool for_host = false;
    struct cup_mapping *mapping;

    if (!is_range_of_mappings_locked(address, end))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the range does not consist of whole mappings");
    for (size_t i = 0; i < count; i++)
        for_host = for_host ||
                   (is_of_host(&wanted[i]) && wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
    for (uint64_t at = address; at < end && (mapping = cup_mapping_next_locked(&at, end));) {
        if (for_host && mapping->device)
            return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the host cannot access a device's memory");
        if (!are_linked(mapping, wanted, count))
            return cup_error(CUDA_ERROR_INVALID_DEVICE,
                             "the memory's device is not linked to this one");
    }
    return CUDA_SUCCESS;
}

static CUresult set_access_locked(uint64_t address, uint64_t size_bytes,
                                  const CUmemAccessDesc *wanted, size_t count)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t end = address + size_bytes;

    if (!cup_space_is_reserved_locked(address, size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size_bytes);
    CUresult result = check_access_locked(address, end, wanted, count);
    struct cup_mapping *mapping;
    for (uint64_t at = address;
         result == CUDA_SUCCESS && at < end && (mapping = cup_mapping_next_locked(&at, end));) {
        if (!apply_locked(mapping, rights_after(mapping, wanted, count)))
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    return result;
}

CUresult cup_virtual_set_access(uint64_t address, uint64_t size_bytes,
                                const CUmemAccessDesc *wanted, size_t count)
{
    cup_lock_acquire(&cup_virtual_lock);
    CUresult result = set_access_locked(address, size_bytes, wanted, count);
    cup_lock_release(&cup_virtual_lock);
    return result;
}
