/* SPDX-License-Identifier: MIT */
/* The functions that libnvidia-ml.so.1 calls. They describe the physical devices by the
 * configuration of the driver or, before cuInit(), by what the environment says: PyTorch counts
 * devices so before it decides which ones to show to CUDA, and before it forks.
 *
 * CUDA_VISIBLE_DEVICES does not matter here. An invalid value of it is the program's mistake, not
 * the monitor's: only the errors of cupipe's own variables count. */
#include "api/export_table.h"
#include "api/monitor.h"

#include "core/config.h"
#include "core/driver_version.h"
#include "core/precondition.h"
#include "device/device.h"
#include "device/monitor.h"
#include "interop/vulkan_device.h"
#include "memory/heap.h"

#include <string.h>

static struct cup_config early_config; /* read before cuInit(); guarded by the library's lock */

static bool driver_is_ready(void)
{
    return atomic_load_explicit(&cup_driver_state, memory_order_acquire) == CUP_DRIVER_READY;
}

/* Copies the configuration that holds now. device_count is 0 if none was read. */
static void config_copy(struct cup_config *config)
{
    cup_api_init_lock();
    *config = driver_is_ready() ? *cup_config_get() : early_config;
    cup_api_init_unlock();
}

static unsigned monitor_device_count(CUresult *result)
{
    struct cup_config config = {0};

    *result = CUDA_SUCCESS;
    cup_api_init_lock();
    if (!driver_is_ready()) {
        *result = cup_config_read(&config);
        if (*result == CUDA_ERROR_INVALID_VALUE)
            config.device_count = 0;
        else
            *result = CUDA_SUCCESS;
        early_config = config;
    }
    cup_api_init_unlock();
    config_copy(&config);
    return config.device_count;
}

static struct cup_device *visible_device(unsigned physical)
{
    for (unsigned i = 0; driver_is_ready() && i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i);
        if (device->physical == physical)
            return device;
    }
    return NULL;
}

static uint64_t linked_devices(const struct cup_config *config, unsigned physical)
{
    uint64_t linked = 0;

    for (unsigned i = 0; i < config->device_count; i++) {
        if (i != physical && cup_device_linked_physical(config->topology, physical, i))
            linked |= UINT64_C(1) << i;
    }
    return linked;
}

static bool monitor_describe(unsigned physical, struct cup_monitor_description *description)
{
    struct cup_config config;
    struct cup_device device = {0}, *visible;

    config_copy(&config);
    if (physical >= config.device_count)
        return false;
    cup_device_fill(&device, &config, physical);
    visible = visible_device(physical);
    memset(description, 0, sizeof(*description));
    memcpy(description->name, device.name, sizeof(description->name));
    description->uuid = cup_vulkan_uuid(&device, config.uuid_source);
    description->page_uuid = device.uuid;
    description->pci_domain = device.pci_domain;
    description->pci_bus = device.pci_bus;
    description->pci_device = device.pci_device;
    description->pci_id = config.gpus[physical]->pci_id;
    description->pci_subsystem_id = config.gpus[physical]->pci_subsystem;
    description->is_visible = visible != NULL;
    description->memory_bytes = device.memory_bytes;
    if (visible)
        description->used_bytes = visible->heap->limit_bytes - cup_heap_free_bytes(visible->heap);
    description->linked = linked_devices(&config, physical);
    return true;
}

static bool monitor_attribute(unsigned physical, CUdevice_attribute attribute, int *value)
{
    struct cup_config config;
    struct cup_device device = {0};

    config_copy(&config);
    if (physical >= config.device_count)
        return false;
    cup_device_fill(&device, &config, physical);
    return cup_device_attribute(&device, attribute, value);
}

static void monitor_driver_version(unsigned *cuda, const char **release)
{
    *cuda = cup_driver_current()->cuda;
    *release = cup_driver_current()->release;
}

static const struct cup_monitor_table table = {
    .head = {.bytes = sizeof(table), .interface = CUPIPE_INTERFACE, .version = CUPIPE_VERSION},
    .device_count = monitor_device_count,
    .describe = monitor_describe,
    .attribute = monitor_attribute,
    .driver_version = monitor_driver_version,
};

const struct cup_api_private_table cup_api_monitor_table = {CUP_MONITOR_TABLE_ID, &table};
