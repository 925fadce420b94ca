/* SPDX-License-Identifier: MIT */
/* The device table, and the properties that differ between devices: PCI address, memory, UUID.
 * profile.c has the common ones. */
#include "device/device.h"

#include "device/usage.h"
#include "os/clock.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A bus has sixteen devices, starting at a slot that is usually free. */
enum { DEVICES_PER_BUS = 16, FIRST_PCI_DEVICE = 6 };

static struct cup_device devices[CUP_MAX_DEVICES];
static unsigned device_count;

/* With a chosen model a device has no more memory than the model, and no more than the host has to
 * give. */
static uint64_t memory_bytes(const struct cup_config *config, const struct cup_gpu *gpu)
{
    uint64_t model = (uint64_t)gpu->memory_mib << 20;

    model -= model % CUP_MEMORY_STEP_BYTES;
    return config->gpus_chosen && !config->memory_given && model < config->memory_bytes
               ? model
               : config->memory_bytes;
}

void cup_device_fill(struct cup_device *device, const struct cup_config *config, unsigned physical)
{
    const struct cup_gpu *gpu = config->gpus[physical];

    device->physical = physical;
    cup_profile_init(&device->profile, gpu, config->capability, config->sms);
    cup_config_device_name(config, physical, device->name);
    device->uuid = cup_config_uuid(config, device->physical);
    device->pci_domain = 0;
    device->pci_bus = device->physical / DEVICES_PER_BUS;
    device->pci_device = FIRST_PCI_DEVICE + device->physical % DEVICES_PER_BUS;
    device->memory_bytes = memory_bytes(config, gpu);
}

static void publish_usage(void)
{
    CUuuid uuids[CUP_MAX_DEVICES];

    for (unsigned i = 0; i < device_count; i++)
        uuids[i] = devices[i].uuid;
    struct cup_monitor_page *page = cup_usage_publish(uuids, device_count);
    for (unsigned i = 0; i < device_count; i++)
        devices[i].usage = &page->devices[i];
}

CUresult cup_device_init(void)
{
    const struct cup_config *config = cup_config_get();

    if (device_count)
        return CUDA_SUCCESS;
    for (unsigned i = 0; i < config->visible_count; i++) {
        devices[i].ordinal = (int)i;
        cup_device_fill(&devices[i], config, config->visible[i]);
    }
    device_count = config->visible_count;
    publish_usage();
    return device_count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

unsigned cup_device_count(void)
{
    return device_count;
}

struct cup_device *cup_device_get(CUdevice ordinal)
{
    if (ordinal < 0 || (unsigned)ordinal >= device_count)
        return NULL;
    return &devices[ordinal];
}

struct cup_device *cup_device_with_uuid(const CUuuid *uuid)
{
    for (unsigned i = 0; i < device_count; i++) {
        if (memcmp(&devices[i].uuid, uuid, sizeof(*uuid)) == 0)
            return &devices[i];
    }
    return NULL;
}

bool cup_device_linked_physical(enum cup_topology topology, unsigned one, unsigned other)
{
    switch (topology) {
    case CUP_TOPOLOGY_NONE:
        return false;
    case CUP_TOPOLOGY_PAIRS:
        return one / 2 == other / 2;
    default:
        return true;
    }
}

bool cup_device_linked(const struct cup_device *one, const struct cup_device *other)
{
    return one != other &&
           cup_device_linked_physical(cup_config_get()->topology, one->physical, other->physical);
}

struct cup_device *cup_device_find_pci(unsigned domain, unsigned bus, unsigned device)
{
    for (unsigned i = 0; i < device_count; i++) {
        if (devices[i].pci_domain == domain && devices[i].pci_bus == bus &&
            devices[i].pci_device == device)
            return &devices[i];
    }
    return NULL;
}

/* True if another device of the machine is linked to this one, visible or not, and the GPU is of a
 * generation that has multicast. */
static bool has_multicast(const struct cup_device *device)
{
    const struct cup_config *config = cup_config_get();
    int major = cup_device_property(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    for (unsigned other = 0; major >= 9 && other < config->device_count; other++) {
        if (other != device->physical &&
            cup_device_linked_physical(config->topology, device->physical, other))
            return true;
    }
    return false;
}

bool cup_device_attribute(const struct cup_device *device, CUdevice_attribute attribute, int *value)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value = (int)device->pci_bus;
        return true;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        *value = (int)device->pci_device;
        return true;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
        *value = (int)device->pci_domain;
        return true;
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
        *value = has_multicast(device);
        return true;
    default:
        return cup_profile_attribute(&device->profile, attribute, value);
    }
}

int cup_device_property(const struct cup_device *device, CUdevice_attribute attribute)
{
    int value = 0;
    bool known = cup_device_attribute(device, attribute, &value);

    assert(known);
    (void)known;
    return value;
}

CUresult cup_device_report_failure(struct cup_device *device, CUresult error)
{
    uint64_t told_from_ns = atomic_load(&device->told_from_ns);
    CUresult reported = error;

    if (told_from_ns != 0 && cup_clock_ns() < told_from_ns)
        return CUDA_SUCCESS;
    if (cup_device_error_passes(error) &&
        !atomic_compare_exchange_strong(&device->sticky, &reported, CUDA_SUCCESS))
        return reported; /* another call has returned it, or the device now has a permanent error */
    return error;
}
