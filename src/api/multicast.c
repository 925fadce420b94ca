/* SPDX-License-Identifier: MIT */
/* cuMulticast*: memory of several devices behind one address. It needs devices that are linked; one
 * device alone answers NOT_SUPPORTED before anything else, as recorded. */
#include "core/config.h"
#include "core/error.h"
#include "device/device.h"
#include "impl.h"
#include "memory/multicast.h"
#include "memory/physical.h"
#include "memory/virtual.h"

static CUresult check_supported(void)
{
    for (unsigned i = 0; i < cup_device_count(); i++) {
        if (cup_device_property(cup_device_get((CUdevice)i),
                                CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED))
            return CUDA_SUCCESS;
    }
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "no devices are linked");
}

static CUresult check_properties(const CUmulticastObjectProp *prop)
{
    if (!prop || prop->numDevices == 0 || prop->numDevices > cup_config_get()->device_count ||
        prop->flags)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no properties, flags, or no such team");
    if (prop->handleTypes & ~(unsigned long long)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "multicast objects are exported as file descriptors only");
    return CUDA_SUCCESS;
}

CUresult impl_cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                        CUmulticastGranularity_flags option)
{
    CUresult result = check_supported();

    if (result != CUDA_SUCCESS)
        return result;
    if (!granularity || (option != CU_MULTICAST_GRANULARITY_MINIMUM &&
                         option != CU_MULTICAST_GRANULARITY_RECOMMENDED))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "granularity is NULL, or invalid option %d",
                         (int)option);
    result = check_properties(prop);
    if (result == CUDA_SUCCESS)
        *granularity = CUP_PHYSICAL_CHUNK_BYTES;
    return result;
}

CUresult impl_cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                                const CUmulticastObjectProp *prop)
{
    CUresult result = check_supported();
    struct cup_physical *object;

    if (result != CUDA_SUCCESS)
        return result;
    if (!mcHandle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the handle");
    result = check_properties(prop);
    if (result != CUDA_SUCCESS)
        return result;
    if (prop->size == 0 || prop->size % CUP_PHYSICAL_CHUNK_BYTES)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "size 0x%zx is not a multiple of 2 MiB",
                         prop->size);
    result = cup_multicast_create(prop->numDevices, prop->size,
                                  (CUmemAllocationHandleType)prop->handleTypes, &object);
    if (result == CUDA_SUCCESS)
        *mcHandle = cup_physical_handle(object);
    return result;
}

/* Looks up an object, with a reference. */
static CUresult find_object(CUmemGenericAllocationHandle handle, struct cup_physical **object)
{
    CUresult result = check_supported();

    return result == CUDA_SUCCESS ? cup_physical_find(handle, object) : result;
}

static CUresult find_device(CUdevice ordinal, struct cup_device **device)
{
    *device = cup_device_get(ordinal);
    return *device ? CUDA_SUCCESS
                   : cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", ordinal);
}

CUresult impl_cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev)
{
    struct cup_physical *object;
    struct cup_device *device;
    CUresult result = find_object(mcHandle, &object);

    if (result != CUDA_SUCCESS)
        return result;
    result = find_device(dev, &device);
    if (result == CUDA_SUCCESS &&
        !cup_device_property(device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED))
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "device %d is not linked to another", dev);
    if (result == CUDA_SUCCESS)
        result = cup_multicast_add(object, device);
    cup_physical_unref(object);
    return result;
}

/* `device` is that of the memory, where it is NULL. CUDA_ERROR_MULTICAST_RESOURCE_FULL is about
 * offsets that are not multiples of the granularity, which need compute capability 10.7. */
static CUresult bind_memory(CUmemGenericAllocationHandle mcHandle, const struct cup_device *device,
                            size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                            size_t memOffset, size_t size, unsigned long long flags)
{
    struct cup_physical *object, *memory;
    CUresult result = find_object(mcHandle, &object);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_physical_find(memHandle, &memory);
    if (result == CUDA_SUCCESS) {
        result = flags ? cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%llx are not 0", flags)
                       : cup_multicast_bind(object, device, mcOffset, memory, memOffset, size);
        cup_physical_unref(memory);
    }
    cup_physical_unref(object);
    return result;
}

static CUresult bind_address(CUmemGenericAllocationHandle mcHandle, const struct cup_device *device,
                             size_t mcOffset, CUdeviceptr memptr, size_t size,
                             unsigned long long flags)
{
    struct cup_physical *object, *memory;
    CUresult result = find_object(mcHandle, &object);
    uint64_t offset;

    if (result != CUDA_SUCCESS)
        return result;
    memory = cup_virtual_find_memory(memptr, &offset);
    if (!memory || flags)
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "no memory of cuMemCreate is mapped at 0x%llx, or flags 0x%llx",
                           (unsigned long long)memptr, flags);
    else
        result = cup_multicast_bind(object, device, mcOffset, memory, offset, size);
    if (memory)
        cup_physical_unref(memory);
    cup_physical_unref(object);
    return result;
}

CUresult impl_cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                 CUmemGenericAllocationHandle memHandle, size_t memOffset,
                                 size_t size, unsigned long long flags)
{
    return bind_memory(mcHandle, NULL, mcOffset, memHandle, memOffset, size, flags);
}

CUresult impl_cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                  CUdeviceptr memptr, size_t size, unsigned long long flags)
{
    return bind_address(mcHandle, NULL, mcOffset, memptr, size, flags);
}

/* The support is checked before the device, as in the other calls. */
static CUresult find_member(CUdevice ordinal, struct cup_device **device)
{
    CUresult result = check_supported();

    return result == CUDA_SUCCESS ? find_device(ordinal, device) : result;
}

CUresult impl_cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                    size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                                    size_t memOffset, size_t size, unsigned long long flags)
{
    struct cup_device *device;
    CUresult result = find_member(dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    return bind_memory(mcHandle, device, mcOffset, memHandle, memOffset, size, flags);
}

CUresult impl_cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                     size_t mcOffset, CUdeviceptr memptr, size_t size,
                                     unsigned long long flags)
{
    struct cup_device *device;
    CUresult result = find_member(dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    return bind_address(mcHandle, device, mcOffset, memptr, size, flags);
}

CUresult impl_cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, size_t size)
{
    struct cup_physical *object;
    struct cup_device *device;
    CUresult result = find_object(mcHandle, &object);

    if (result != CUDA_SUCCESS)
        return result;
    result = find_device(dev, &device);
    if (result == CUDA_SUCCESS)
        result = cup_multicast_unbind(object, device, mcOffset, size);
    cup_physical_unref(object);
    return result;
}
