/* SPDX-License-Identifier: MIT */
/* Virtual memory management: address ranges, physical memory, and mappings. None of it needs a
 * context.
 *
 * Granularity is always 2 MiB. A mapping covers the whole memory, and rights apply to whole
 * mappings. The rules follow recordings of NVIDIA's driver. */
#include "impl.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/map.h"
#include "memory/multicast.h"
#include "memory/physical.h"
#include "memory/virtual.h"
#include "os/system.h"
#include "stream/schedule.h"

#include <string.h>

enum { GRANULARITY = CUP_PHYSICAL_CHUNK_BYTES };

/* The properties are not validated, except that the pointer must not be NULL. */
CUresult impl_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                            CUmemAllocationGranularity_flags option)
{
    if (!granularity || !prop)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "granularity or prop is NULL");
    if (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid option %d", (int)option);
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

static bool is_granular(uint64_t size_bytes)
{
    return size_bytes != 0 && size_bytes % GRANULARITY == 0;
}

CUresult impl_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                  unsigned long long flags)
{
    uint64_t address;

    if (!ptr || flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "ptr is NULL, or flags 0x%llx are not 0", flags);
    if (!is_granular(size) || addr % GRANULARITY != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "size 0x%zx or address 0x%llx is not a multiple of 2 MiB", size,
                         (unsigned long long)addr);
    if (alignment & (alignment - 1))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "alignment 0x%zx is not a power of 2",
                         alignment);
    CUresult result = cup_virtual_reserve(size, alignment, addr, &address);
    if (result == CUDA_SUCCESS)
        *ptr = address;
    return result;
}

CUresult impl_cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    return cup_virtual_free(ptr, size);
}

static CUresult check_location(const CUmemLocation *location)
{
    switch (cup_driver_enumerator(CUP_ENUM_MEMORY_LOCATION, (int)location->type)) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        if (!cup_device_get(location->id))
            return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", location->id);
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST:
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        if (!cup_system_has_node(location->id))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "NUMA node %d does not exist", location->id);
        return CUDA_SUCCESS;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "memory cannot be at a location of type %d",
                         (int)location->type);
    }
}

/* The flag for RDMA over PCIe refines gpuDirectRDMACapable. An older driver ignores it, as it
 * ignores all unknown usages. */
static CUresult check_rdma(const CUmemAllocationProp *prop)
{
    if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE && prop->allocFlags.gpuDirectRDMACapable)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "GPUDirect RDMA is for device memory only");
    if ((prop->allocFlags.usage & CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE) &&
        !prop->allocFlags.gpuDirectRDMACapable && cup_driver_has(13040))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "usage 0x%x needs gpuDirectRDMACapable, which is 0",
                         prop->allocFlags.usage);
    return CUDA_SUCCESS;
}

/* Unknown handle types are ignored; those of other systems and of the fabric are rejected. */
static CUresult check_properties(const CUmemAllocationProp *prop)
{
    static const unsigned char zero[sizeof(prop->allocFlags.reserved)];
    CUresult result = check_location(&prop->location);

    if (result != CUDA_SUCCESS)
        return result;
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid memory type %d", (int)prop->type);
    if (prop->allocFlags.compressionType > CU_MEM_ALLOCATION_COMP_GENERIC ||
        memcmp(prop->allocFlags.reserved, zero, sizeof(zero)) != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "unknown compression, or reserved is not 0");
    if (prop->allocFlags.compressionType != CU_MEM_ALLOCATION_COMP_NONE &&
        (prop->allocFlags.usage & CU_MEM_CREATE_USAGE_HW_DECOMPRESS))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "memory for decompression cannot be compressible");
    result = check_rdma(prop);
    if (result != CUDA_SUCCESS)
        return result;
    if (prop->requestedHandleTypes & (CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the handle type is not supported on this system");
    if (prop->location.type == CU_MEM_LOCATION_TYPE_HOST && prop->requestedHandleTypes)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "memory of the whole host cannot be shared as handle type 0x%x",
                         (unsigned)prop->requestedHandleTypes);
    if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE && prop->requestedHandleTypes &&
        (prop->allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "memory for tiles cannot be shared");
    if (prop->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC)
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "fabric handles are not supported");
    return CUDA_SUCCESS;
}

CUresult impl_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct cup_physical *physical;
    CUmemAllocationProp settled;

    if (!handle || !prop || flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "handle or prop is NULL, or flags 0x%llx are not 0", flags);
    if (!is_granular(size))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "size 0x%zx is not a multiple of 2 MiB", size);
    settled = *prop;
    CUresult result = cup_location_settle(&settled.location);
    if (result == CUDA_SUCCESS)
        result = check_properties(&settled);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_physical_create(&settled, size, &physical);
    if (result == CUDA_SUCCESS)
        *handle = cup_physical_handle(physical);
    return result;
}

CUresult impl_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct cup_physical *physical;
    CUresult result = cup_physical_find(handle, &physical);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_physical_release(physical);
    cup_physical_unref(physical);
    return result;
}

CUresult impl_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                     CUmemGenericAllocationHandle handle)
{
    struct cup_physical *physical;

    if (!prop)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "prop is NULL");
    CUresult result = cup_physical_find(handle, &physical);
    if (result != CUDA_SUCCESS)
        return result;
    *prop = physical->properties;
    cup_physical_unref(physical);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    struct cup_physical *physical;

    if (!handle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "handle is NULL");
    CUresult result = cup_virtual_retain((uint64_t)(uintptr_t)addr, &physical);
    if (result == CUDA_SUCCESS)
        *handle = cup_physical_handle(physical);
    return result;
}

/* Only the whole memory can be mapped. This is checked before the addresses. */
CUresult impl_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct cup_physical *physical;

    if (size == 0 || flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "size is 0, or flags 0x%llx are not 0", flags);
    CUresult result = cup_physical_find(handle, &physical);
    if (result != CUDA_SUCCESS)
        return result;
    if (physical->properties.allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL)
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "the memory of a tile pool can be mapped to arrays only");
    else if (offset != 0 || size != physical->size_bytes)
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED,
                           "0x%zx bytes at offset 0x%zx are not the whole memory of 0x%llx bytes",
                           size, offset, (unsigned long long)physical->size_bytes);
    else if (physical->multicast)
        result = cup_multicast_await_team(physical);
    if (result == CUDA_SUCCESS)
        result = cup_virtual_map(ptr, physical);
    cup_physical_unref(physical);
    return result;
}

static void wait_for(struct CUctx_st *context)
{
    if (context && (atomic_load(&context->busy_streams) != 0 || cup_checks.streams))
        cup_context_synchronize(context);
}

/* Waits for work before unmapping. On a device, work that reaches a removed mapping faults, but
 * there the work is usually done by then, so programs that do not wait nearly always work. Here
 * they always do, except under the schedules that exist to expose such mistakes. Mappings belong to
 * no context, so this waits for the current context and the primary contexts. */
static void wait_for_work(void)
{
    if (cup_schedule_deferred())
        return;
    wait_for(cup_context_current());
    for (unsigned i = 0; i < cup_device_count(); i++)
        wait_for(cup_device_get((CUdevice)i)->primary);
}

CUresult impl_cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    wait_for_work();
    return cup_virtual_unmap(ptr, size);
}

static CUresult check_access(const CUmemAccessDesc *desc)
{
    if (desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
        desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
        desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid access flags 0x%x",
                         (unsigned)desc->flags);
    switch (desc->location.type) {
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return CUDA_SUCCESS; /* validity depends on the memory */
    case CU_MEM_LOCATION_TYPE_DEVICE:
        if (cup_device_get(desc->location.id))
            return CUDA_SUCCESS;
        return cup_error(CUDA_ERROR_INVALID_VALUE, "device %d does not exist", desc->location.id);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a location of type %d cannot have access",
                         (int)desc->location.type);
    }
}

CUresult impl_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                             size_t count)
{
    bool may_narrow = false;

    if (!desc || count == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the access description is NULL or empty");
    for (size_t i = 0; i < count; i++) {
        CUresult result = check_access(&desc[i]);
        if (result != CUDA_SUCCESS)
            return result;
        may_narrow = may_narrow || desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    if (may_narrow)
        wait_for_work();
    return cup_virtual_set_access(ptr, size, desc, count);
}

static unsigned access_flags(bool read, bool write)
{
    return write  ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
           : read ? CU_MEM_ACCESS_FLAGS_PROT_READ
                  : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

static unsigned device_access(const struct cup_range *range, int ordinal)
{
    return access_flags(range->read_by >> ordinal & 1, range->write_by >> ordinal & 1);
}

/* For the host and a device's memory, NVIDIA's driver returns the device's access; for a NUMA node
 * of the host, no access. */
static unsigned find_access(const struct cup_range *range, const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        return device_access(range, location->id);
    if (location->type == CU_MEM_LOCATION_TYPE_HOST && range->device)
        return device_access(range, range->device->ordinal);
    return access_flags(range->flags & CUP_RANGE_HOST_READ, range->flags & CUP_RANGE_HOST_WRITE);
}

static CUresult check_accessor(const CUmemLocation *location)
{
    switch (location->type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        if (cup_device_get(location->id))
            return CUDA_SUCCESS;
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", location->id);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return CUDA_SUCCESS;
    default:
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "a location of type %d cannot have access",
                         (int)location->type);
    }
}

/* The location is validated before the address, and the output is already set to no access if the
 * address is unknown. Only memory with explicit rights has access flags; for other allocations the
 * result is always no access. */
CUresult impl_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                             CUdeviceptr ptr)
{
    struct cup_range range;

    if (!flags || !location || ptr == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags, location or address is NULL");
    CUresult result = check_accessor(location);
    if (result != CUDA_SUCCESS)
        return result;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (!cup_map_describe(ptr, &range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx",
                         (unsigned long long)ptr);
    if (range.kind == CUP_RANGE_VIRTUAL || range.kind == CUP_RANGE_GRAPHICS)
        *flags = find_access(&range, location);
    return CUDA_SUCCESS;
}

/* The descriptor is new, and the application must close it. */
CUresult impl_cuMemExportToShareableHandle(void *shareableHandle,
                                           CUmemGenericAllocationHandle handle,
                                           CUmemAllocationHandleType handleType,
                                           unsigned long long flags)
{
    struct cup_physical *physical;
    int fd;

    if (!shareableHandle || flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the handle is NULL, flags 0x%llx are not 0, or handle "
                         "type %d is not a file descriptor",
                         flags, (int)handleType);
    CUresult result = cup_physical_find(handle, &physical);
    if (result != CUDA_SUCCESS)
        return result;
    if (!(physical->properties.requestedHandleTypes & handleType))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the memory was not created for export");
    else if (physical->multicast)
        result = cup_multicast_export(physical, &fd);
    else
        result = cup_physical_export(physical, &fd);
    cup_physical_unref(physical);
    if (result == CUDA_SUCCESS)
        memcpy(shareableHandle, &fd, sizeof(fd));
    return result;
}

/* The descriptor is passed in place of the pointer; the application keeps it. */
CUresult impl_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                             CUmemAllocationHandleType shHandleType)
{
    struct cup_physical *physical;

    if (!handle || !osHandle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "handle or osHandle is NULL");
    switch (shHandleType) {
    case CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
        break;
    case CU_MEM_HANDLE_TYPE_WIN32:
    case CU_MEM_HANDLE_TYPE_WIN32_KMT:
    case CU_MEM_HANDLE_TYPE_FABRIC:
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "handles of type %d are not supported on this system", (int)shHandleType);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid handle type %d", (int)shHandleType);
    }
    CUresult result = cup_multicast_import((int)(intptr_t)osHandle, &physical);
    if (result == CUDA_ERROR_UNKNOWN)
        result = cup_physical_import((int)(intptr_t)osHandle, &physical);
    if (result == CUDA_SUCCESS)
        *handle = cup_physical_handle(physical);
    return result;
}
