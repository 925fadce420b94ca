/* SPDX-License-Identifier: MIT */
/* Finding devices, and what a device is: names, UUID, PCI address, architecture. */
#include "device.h"
#include "nvml_impl.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    PCI_CLASS_DISPLAY = 3,
    PCI_SUBCLASS_3D = 2,
};

nvmlReturn_t nvml_impl_nvmlDeviceGetCount_v2(unsigned int *deviceCount)
{
    if (!deviceCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    *deviceCount = nvml_device_count();
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    if (!device || index >= nvml_device_count())
        return NVML_ERROR_INVALID_ARGUMENT;
    *device = nvml_device(index);
    return NVML_SUCCESS;
}

static void uuid_write(const CUuuid *uuid, char text[NVML_DEVICE_UUID_ASCII_LEN])
{
    const unsigned char *b = (const unsigned char *)uuid->bytes;

    snprintf(text, NVML_DEVICE_UUID_ASCII_LEN,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

/* The UUID may change while the process runs: a device takes that of its Vulkan counterpart once
 * the process has loaded Vulkan. */
static CUuuid uuid_of(nvmlDevice_t device)
{
    struct cup_monitor_description now;

    return nvml_driver()->describe(device->index, &now) ? now.uuid : device->description.uuid;
}

/* The prefix may be missing: programs that have the UUID from CUDA write it so. Capital letters
 * matter, as an H200 shows. */
nvmlReturn_t nvml_impl_nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    static const char prefix[] = "GPU-";
    char text[NVML_DEVICE_UUID_ASCII_LEN];

    if (!uuid || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strncmp(uuid, prefix, sizeof(prefix) - 1) == 0)
        uuid += sizeof(prefix) - 1;
    for (unsigned i = 0; i < nvml_device_count(); i++) {
        CUuuid each = uuid_of(nvml_device(i));

        uuid_write(&each, text);
        if (strcmp(text + sizeof(prefix) - 1, uuid) == 0) {
            *device = nvml_device(i);
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device)
{
    char text[NVML_DEVICE_UUID_ASCII_LEN];
    CUuuid bytes;

    if (!uuid || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (uuid->version != nvmlUUID_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (uuid->type == NVML_UUID_TYPE_BINARY) {
        memcpy(&bytes, uuid->value.bytes, sizeof(bytes));
        uuid_write(&bytes, text);
    } else if (uuid->type == NVML_UUID_TYPE_ASCII) {
        snprintf(text, sizeof(text), "%.*s", (int)sizeof(uuid->value.str) - 1, uuid->value.str);
    } else {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvml_impl_nvmlDeviceGetHandleByUUID(text, device);
}

/* As programs write it: domain:bus:device with or without .function, or bus:device alone. */
static bool pci_parse(const char *text, unsigned address[3])
{
    unsigned function = 0;
    int end = 0;

    if (sscanf(text, "%x:%x:%x%n", &address[0], &address[1], &address[2], &end) != 3) {
        address[0] = 0;
        if (sscanf(text, "%x:%x%n", &address[1], &address[2], &end) != 2)
            return false;
    }
    text += end;
    if (*text == '.' && sscanf(text, ".%x%n", &function, &end) == 1)
        text += end;
    return *text == '\0' && function == 0;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId, nvmlDevice_t *device)
{
    unsigned address[3];

    if (!pciBusId || !device || !pci_parse(pciBusId, address))
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < nvml_device_count(); i++) {
        const struct cup_monitor_description *each = &nvml_device(i)->description;

        if (each->pci_domain == address[0] && each->pci_bus == address[1] &&
            each->pci_device == address[2]) {
            *device = nvml_device(i);
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    return nvml_text(name, length, "%s", device->description.name);
}

/* NVIDIA calls all data centre cards by its own name since Ampere. */
nvmlReturn_t nvml_impl_nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *type)
{
    if (!type)
        return NVML_ERROR_INVALID_ARGUMENT;
    *type = strstr(device->description.name, "GeForce") ? NVML_BRAND_GEFORCE : NVML_BRAND_NVIDIA;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    if (!index)
        return NVML_ERROR_INVALID_ARGUMENT;
    *index = device->index;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    char text[NVML_DEVICE_UUID_ASCII_LEN];
    CUuuid now = uuid_of(device);

    uuid_write(&now, text);
    return nvml_text(uuid, length, "%s", text);
}

nvmlReturn_t nvml_impl_nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    const struct cup_monitor_description *own = &device->description;

    if (!pci)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(pci, 0, sizeof(*pci));
    pci->domain = own->pci_domain;
    pci->bus = own->pci_bus;
    pci->device = own->pci_device;
    pci->pciDeviceId = own->pci_id;
    pci->pciSubSystemId = own->pci_subsystem_id;
    snprintf(pci->busIdLegacy, sizeof(pci->busIdLegacy), "%04X:%02X:%02X.0",
             own->pci_domain & 0xffff, own->pci_bus & 0xff, own->pci_device & 0xff);
    snprintf(pci->busId, sizeof(pci->busId), "%08X:%02X:%02X.0", own->pci_domain, own->pci_bus,
             own->pci_device);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_v2_t *pci)
{
    nvmlPciInfo_t full;

    if (!pci)
        return NVML_ERROR_INVALID_ARGUMENT;
    nvml_impl_nvmlDeviceGetPciInfo_v3(device, &full);
    memset(pci, 0, sizeof(*pci));
    memcpy(pci, &full, offsetof(nvmlPciInfo_t, busId)); /* the same fields up to here */
    return NVML_SUCCESS;
}

/* The first form's structure ends before pciSubSystemId. */
nvmlReturn_t nvml_impl_nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_v2_t *pci)
{
    nvmlPciInfo_t full;

    if (!pci)
        return NVML_ERROR_INVALID_ARGUMENT;
    nvml_impl_nvmlDeviceGetPciInfo_v3(device, &full);
    memcpy(pci, &full, offsetof(nvmlPciInfo_t, pciSubSystemId));
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci)
{
    nvmlPciInfo_t full;

    if (!pci)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (pci->version != nvmlPciInfoExt_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvml_impl_nvmlDeviceGetPciInfo_v3(device, &full);
    pci->domain = full.domain;
    pci->bus = full.bus;
    pci->device = full.device;
    pci->pciDeviceId = full.pciDeviceId;
    pci->pciSubSystemId = full.pciSubSystemId;
    pci->baseClass = PCI_CLASS_DISPLAY;
    pci->subClass = PCI_SUBCLASS_3D;
    memcpy(pci->busId, full.busId, sizeof(pci->busId));
    return NVML_SUCCESS;
}

/* Devices on one board have the same; here each has a board of its own. */
nvmlReturn_t nvml_impl_nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned int *boardId)
{
    const struct cup_monitor_description *own = &device->description;

    if (!boardId)
        return NVML_ERROR_INVALID_ARGUMENT;
    *boardId = own->pci_domain << 16 | own->pci_bus << 8 | own->pci_device;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *multiGpuBool)
{
    (void)device;
    if (!multiGpuBool)
        return NVML_ERROR_INVALID_ARGUMENT;
    *multiGpuBool = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t *type)
{
    (void)device;
    if (!type)
        return NVML_ERROR_INVALID_ARGUMENT;
    *type = NVML_BUS_TYPE_PCIE;
    return NVML_SUCCESS;
}

static int capability(nvmlDevice_t device)
{
    return 10 * nvml_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           nvml_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* The first capability of each architecture, the newest first; cores of a multiprocessor are those
 * for f32. */
static const struct {
    int capability;
    unsigned architecture;
    unsigned cores;
} architectures[] = {
    {100, NVML_DEVICE_ARCH_BLACKWELL, 128}, {90, NVML_DEVICE_ARCH_HOPPER, 128},
    {89, NVML_DEVICE_ARCH_ADA, 128},        {86, NVML_DEVICE_ARCH_AMPERE, 128},
    {80, NVML_DEVICE_ARCH_AMPERE, 64},      {75, NVML_DEVICE_ARCH_TURING, 64},
    {70, NVML_DEVICE_ARCH_VOLTA, 64},       {61, NVML_DEVICE_ARCH_PASCAL, 128},
    {60, NVML_DEVICE_ARCH_PASCAL, 64},      {50, NVML_DEVICE_ARCH_MAXWELL, 128},
    {30, NVML_DEVICE_ARCH_KEPLER, 192},     {0, NVML_DEVICE_ARCH_UNKNOWN, 0},
};

static size_t architecture_of(nvmlDevice_t device)
{
    size_t i = 0;

    while (capability(device) < architectures[i].capability)
        i++;
    return i;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetArchitecture(nvmlDevice_t device,
                                                 nvmlDeviceArchitecture_t *arch)
{
    if (!arch)
        return NVML_ERROR_INVALID_ARGUMENT;
    *arch = architectures[architecture_of(device)].architecture;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major,
                                                          int *minor)
{
    if (!major || !minor)
        return NVML_ERROR_INVALID_ARGUMENT;
    *major = nvml_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = nvml_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *numCores)
{
    if (!numCores)
        return NVML_ERROR_INVALID_ARGUMENT;
    *numCores = architectures[architecture_of(device)].cores *
                (unsigned)nvml_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int *busWidth)
{
    if (!busWidth)
        return NVML_ERROR_INVALID_ARGUMENT;
    *busWidth = (unsigned)nvml_attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetAddressingMode(nvmlDevice_t device,
                                                   nvmlDeviceAddressingMode_t *mode)
{
    if (!mode)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (mode->version != nvmlDeviceAddressingMode_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (!nvml_attribute(device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS))
        mode->value = NVML_DEVICE_ADDRESSING_MODE_NONE;
    else if (!nvml_attribute(device,
                             CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES))
        mode->value = NVML_DEVICE_ADDRESSING_MODE_HMM;
    else
        mode->value = NVML_DEVICE_ADDRESSING_MODE_ATS;
    return NVML_SUCCESS;
}

/* The bytes of the UUID that differ from device to device, folded. */
nvmlReturn_t nvml_impl_nvmlDeviceGetPdi(nvmlDevice_t device, nvmlPdi_t *pdi)
{
    CUuuid uuid = uuid_of(device);
    uint64_t halves[2];

    if (!pdi)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (pdi->version != nvmlPdi_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memcpy(halves, &uuid, sizeof(halves));
    pdi->value = halves[0] ^ halves[1];
    return NVML_SUCCESS;
}

/* No memory of other hosts is the device's own. */
nvmlReturn_t nvml_impl_nvmlDeviceGetCapabilities(nvmlDevice_t device,
                                                 nvmlDeviceCapabilities_t *caps)
{
    (void)device;
    if (!caps)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (caps->version != nvmlDeviceCapabilities_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    caps->capMask = 0;
    return NVML_SUCCESS;
}

/* Nothing needs a licence. */
nvmlReturn_t nvml_impl_nvmlDeviceGetGridLicensableFeatures_v4(
    nvmlDevice_t device, nvmlGridLicensableFeatures_t *pGridLicensableFeatures)
{
    (void)device;
    if (!pGridLicensableFeatures)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(pGridLicensableFeatures, 0, sizeof(*pGridLicensableFeatures));
    return NVML_SUCCESS;
}
