/* SPDX-License-Identifier: MIT */
/* Restoring a checkpoint on other devices: the devices of the process take their identities. */
#include "core/error.h"
#include "device/device.h"
#include "device/usage.h"

#include <string.h>

/* Returns the index of the physical device, or the number of devices. */
static unsigned physical_with(const struct cup_config *config, const CUuuid *uuid)
{
    unsigned physical = 0;

    for (; physical < config->device_count; physical++) {
        CUuuid own = cup_config_uuid(config, physical);
        if (memcmp(&own, uuid, sizeof(own)) == 0)
            break;
    }
    return physical;
}

/* Finds where each physical device goes. */
static bool read_pairs(const struct cup_config *config, const CUcheckpointGpuPair *pairs,
                       unsigned count, unsigned *targets)
{
    uint64_t sources_seen = 0, targets_seen = 0;

    if (count != config->device_count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned source = physical_with(config, &pairs[i].oldUuid);
        unsigned target = physical_with(config, &pairs[i].newUuid);

        if (source == count || target == count || config->gpus[source] != config->gpus[target])
            return false;
        sources_seen |= UINT64_C(1) << source;
        targets_seen |= UINT64_C(1) << target;
        targets[source] = target;
    }
    return sources_seen == targets_seen && __builtin_popcountll(sources_seen) == (int)count;
}

static void take_identity(struct cup_device *device, const struct cup_device *other)
{
    device->uuid = other->uuid;
    device->pci_domain = other->pci_domain;
    device->pci_bus = other->pci_bus;
    device->pci_device = other->pci_device;
    device->usage->uuid = other->uuid;
}

CUresult cup_device_migrate(const CUcheckpointGpuPair *pairs, unsigned count)
{
    const struct cup_config *config = cup_config_get();
    unsigned targets[CUP_MAX_DEVICES];

    if (!read_pairs(config, pairs, count, targets))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pairs do not map the %u devices to each other, model by model",
                         config->device_count);
    for (unsigned i = 0; i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i), other = {0};

        cup_device_fill(&other, config, targets[physical_with(config, &device->uuid)]);
        take_identity(device, &other);
    }
    return CUDA_SUCCESS;
}
