/* SPDX-License-Identifier: MIT */
/* Device management: count, names and identities of devices. Arguments are validated in the order
 * of NVIDIA's driver: the output, then the device, then the rest. */
#include "impl.h"
#include "core/error.h"
#include "device/device.h"
#include "interop/vulkan_device.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* NVIDIA's driver writes this many bytes of the name's buffer, or fewer if the buffer is
 * shorter. */
#define NAME_FILL_BYTES 64

/* "0000:01:00.0" and the final zero. */
#define PCI_ID_BYTES 13

/* The check that every function here begins with. */
static CUresult find_device(const void *output, CUdevice ordinal, struct cup_device **device)
{
    if (!output)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    *device = cup_device_get(ordinal);
    if (!*device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", ordinal);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGet(CUdevice *device, int ordinal)
{
    struct cup_device *found;
    CUresult result = find_device(device, ordinal, &found);

    if (result == CUDA_SUCCESS)
        *device = found->ordinal;
    return result;
}

CUresult impl_cuDeviceGetCount(int *count)
{
    if (!count)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the count is NULL");
    *count = (int)cup_device_count();
    return CUDA_SUCCESS;
}

/* A name that does not fit is truncated without an error. A negative length counts as a large
 * one. */
CUresult impl_cuDeviceGetName(char *name, int len, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(name, dev, &device);
    size_t size = (unsigned)len;
    size_t fill;

    if (result != CUDA_SUCCESS)
        return result;
    if (size == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the buffer for the name has no bytes");
    fill = strlen(device->name) + 1;
    if (fill < NAME_FILL_BYTES)
        fill = NAME_FILL_BYTES;
    if (fill > size)
        fill = size;
    memset(name, 0, fill);
    memcpy(name, device->name, strnlen(device->name, fill - 1));
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(uuid, dev, &device);

    if (result == CUDA_SUCCESS)
        *uuid = cup_vulkan_uuid(device);
    return result;
}

/* A LUID is Windows' name for an adapter. */
CUresult impl_cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(deviceNodeMask ? luid : NULL, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "devices have no LUID on Linux");
}

/* Both forms write 0 bytes for a device that does not exist. */
CUresult impl_cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
    size_t total;
    CUresult result = impl_cuDeviceTotalMem_v2(bytes ? &total : NULL, dev);

    if (bytes)
        *bytes = total < UINT_MAX ? (unsigned int)total : UINT_MAX;
    return result;
}

CUresult impl_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(bytes, dev, &device);

    if (bytes)
        *bytes = result == CUDA_SUCCESS ? device->memory_bytes : 0;
    return result;
}

CUresult impl_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(pi, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_device_attribute(device, attrib, pi))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid device attribute %d", (int)attrib);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(prop, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
#define PROPERTY(name) cup_device_property(device, CU_DEVICE_ATTRIBUTE_##name)
    *prop = (CUdevprop){
        .maxThreadsPerBlock = PROPERTY(MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {PROPERTY(MAX_BLOCK_DIM_X), PROPERTY(MAX_BLOCK_DIM_Y),
                          PROPERTY(MAX_BLOCK_DIM_Z)},
        .maxGridSize = {PROPERTY(MAX_GRID_DIM_X), PROPERTY(MAX_GRID_DIM_Y),
                        PROPERTY(MAX_GRID_DIM_Z)},
        .sharedMemPerBlock = PROPERTY(MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory = PROPERTY(TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = PROPERTY(WARP_SIZE),
        .memPitch = PROPERTY(MAX_PITCH),
        .regsPerBlock = PROPERTY(MAX_REGISTERS_PER_BLOCK),
        .clockRate = PROPERTY(CLOCK_RATE),
        .textureAlign = PROPERTY(TEXTURE_ALIGNMENT),
    };
#undef PROPERTY
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(major ? minor : NULL, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    *major = cup_device_property(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = cup_device_property(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

/* A buffer that is too short gets what fits, and the call fails. A negative length counts as too
 * short. */
CUresult impl_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(pciBusId, dev, &device);
    char id[32];
    size_t size;

    if (result != CUDA_SUCCESS)
        return result;
    snprintf(id, sizeof(id), "%04x:%02x:%02x.0", device->pci_domain, device->pci_bus,
             device->pci_device);
    if (len >= PCI_ID_BYTES) {
        memcpy(pciBusId, id, PCI_ID_BYTES);
        return CUDA_SUCCESS;
    }
    size = len < 0 ? PCI_ID_BYTES - 1 : (size_t)len;
    if (size > 0) {
        memcpy(pciBusId, id, size - 1);
        pciBusId[size - 1] = '\0';
    }
    return cup_error(CUDA_ERROR_INVALID_VALUE, "a PCI id needs %d bytes, not %d", PCI_ID_BYTES,
                     len);
}

/* Three forms: domain:bus:device.function, domain:bus:device and bus:device.function. Each part is
 * whatever scanf accepts as a hexadecimal number, including blanks, sign and 0x. Nothing may
 * follow: the last %c catches trailing text. */
static bool parse_pci_id(const char *text, unsigned part[4])
{
    char rest;

    memset(part, 0, 4 * sizeof(part[0]));
    if (sscanf(text, "%x:%x:%x.%x%c", &part[0], &part[1], &part[2], &part[3], &rest) == 4)
        return true;
    part[3] = 0;
    if (sscanf(text, "%x:%x:%x%c", &part[0], &part[1], &part[2], &rest) == 3)
        return true;
    part[0] = 0;
    return sscanf(text, "%x:%x.%x%c", &part[1], &part[2], &part[3], &rest) == 3;
}

CUresult impl_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    const struct cup_device *device = NULL;
    unsigned part[4];

    if (!dev || !pciBusId)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no %s",
                         dev ? "PCI id" : "place for the device");
    if (!parse_pci_id(pciBusId, part))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "\"%s\" is not a PCI id", pciBusId);
    if (part[3] == 0)
        device = cup_device_find_pci(part[0], part[1], part[2]);
    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "no device has PCI id %s", pciBusId);
    *dev = device->ordinal;
    return CUDA_SUCCESS;
}

/* Contexts cannot be limited to a part of a device, whatever affinity type is queried. */
CUresult impl_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(pi, dev, &device);

    (void)type;
    if (result == CUDA_SUCCESS)
        *pi = 0;
    return result;
}
