/* SPDX-License-Identifier: MIT */
/* Device management: count, names and identities of devices. Arguments are validated in the order
 * of NVIDIA's driver: the output, then the device, then the rest. */
#include "impl.h"
#include "core/error.h"
#include "device/device.h"
#include "image/format.h"
#include "interop/vulkan_device.h"

#include <limits.h>
#include <stdatomic.h>
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
        *uuid = cup_vulkan_uuid(device, cup_config_get()->uuid_source);
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

/* The machine has no fabric: its devices are in no clique of one, and in no cluster. NVML's
 * functions on the fabric are not supported either. */

CUresult impl_cuDeviceGetCliqueCount(size_t *count, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(count, dev, &device);

    if (result == CUDA_SUCCESS)
        *count = 0;
    return result;
}

CUresult impl_cuDeviceGetCliqueInfo(CUcliqueInfo *cliqueInfo, size_t *count, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(count, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cliqueInfo && *count != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the list for %zu cliques is NULL", *count);
    *count = 0;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetFabricClusterUuid(CUuuid *uuid, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(uuid, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "device %d is in no cluster: there is no fabric",
                     dev);
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

/* A one-dimensional texture over linear memory has at most 2^30 texels in at most 2^32 bytes. */
#define LINEAR_TEXELS_MAX (UINT64_C(1) << 30)
#define LINEAR_BYTES_MAX (UINT64_C(1) << 32)

CUresult impl_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                 unsigned numChannels, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(maxWidthInElements, dev, &device);
    const struct cup_format *found = cup_format_find(format);
    uint64_t texels;

    if (result != CUDA_SUCCESS)
        return result;
    if (!found || !cup_format_has_channels(found, numChannels))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no texel has %u channels of format 0x%x",
                         numChannels, (unsigned)format);
    texels = LINEAR_BYTES_MAX / cup_format_element_bytes(found, numChannels);
    *maxWidthInElements = texels < LINEAR_TEXELS_MAX ? texels : LINEAR_TEXELS_MAX;
    return CUDA_SUCCESS;
}

/* Attributes of NvSciSync objects, which exist on embedded platforms only. */
CUresult impl_cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev, int flags)
{
    const int known = CUDA_NVSCISYNC_ATTR_SIGNAL | CUDA_NVSCISYNC_ATTR_WAIT;

    if (!nvSciSyncAttrList)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "no attribute list");
    if (!cup_device_get(dev))
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", dev);
    if (!flags || (flags & ~known))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no such NvSciSync flags: 0x%x",
                         (unsigned)flags);
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "there is no NvSciSync");
}

/* Device memory is memory of the host, and what a network card writes to it is visible in the
 * order in which it was written. A fence is all that is left to do. */
CUresult impl_cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                         CUflushGPUDirectRDMAWritesScope scope)
{
    if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no such target: %d", (int)target);
    if (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
        scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no such scope: %d", (int)scope);
    atomic_thread_fence(memory_order_seq_cst);
    return CUDA_SUCCESS;
}
