/* SPDX-License-Identifier: MIT */
/* How devices lie to each other and to the processors. All are in the memory of one host; which of
 * them can reach each other follows CUPIPE_TOPOLOGY. */
#include "device.h"
#include "nvml_impl.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_BITS = sizeof(unsigned long) * CHAR_BIT };

static bool is_linked(nvmlDevice_t one, nvmlDevice_t other)
{
    return one->description.linked >> other->index & 1;
}

/* An index that names no capability is answered with 0, and a device has none with itself, as an
 * H200 shows. */
nvmlReturn_t nvml_impl_nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                              nvmlGpuP2PCapsIndex_t p2pIndex,
                                              nvmlGpuP2PStatus_t *p2pStatus)
{
    bool linked = device1 != device2 && is_linked(device1, device2);

    if (!p2pStatus)
        return NVML_ERROR_INVALID_ARGUMENT;
    *p2pStatus = (unsigned)p2pIndex >= NVML_P2P_CAPS_INDEX_UNKNOWN ||
                         (linked && p2pIndex != NVML_P2P_CAPS_INDEX_NVLINK)
                     ? NVML_P2P_STATUS_OK
                     : NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

static nvmlGpuTopologyLevel_t level_of(nvmlDevice_t one, nvmlDevice_t other)
{
    return is_linked(one, other) ? NVML_TOPOLOGY_SINGLE : NVML_TOPOLOGY_HOSTBRIDGE;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1,
                                                           nvmlDevice_t device2,
                                                           nvmlGpuTopologyLevel_t *pathInfo)
{
    if (!pathInfo || device1 == device2)
        return NVML_ERROR_INVALID_ARGUMENT;
    *pathInfo = level_of(device1, device2);
    return NVML_SUCCESS;
}

/* Writes devices as far as there is room; the count becomes that of all. */
static nvmlReturn_t write_devices(uint64_t which, unsigned int *count, nvmlDevice_t *places)
{
    unsigned room, found = 0;

    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    room = places ? *count : 0;
    for (unsigned i = 0; i < nvml_device_count(); i++) {
        if (!(which >> i & 1))
            continue;
        if (found < room)
            places[found] = nvml_device(i);
        found++;
    }
    *count = found;
    return !places || found <= room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device,
                                                        nvmlGpuTopologyLevel_t level,
                                                        unsigned int *count,
                                                        nvmlDevice_t *deviceArray)
{
    uint64_t which = 0;

    for (unsigned i = 0; i < nvml_device_count(); i++) {
        if (nvml_device(i) != device && level_of(device, nvml_device(i)) == level)
            which |= UINT64_C(1) << i;
    }
    return write_devices(which, count, deviceArray);
}

/* Every processor is as near to every device as any other. */
nvmlReturn_t nvml_impl_nvmlSystemGetTopologyGpuSet(unsigned int cpuNumber, unsigned int *count,
                                                   nvmlDevice_t *deviceArray)
{
    (void)cpuNumber;
    return write_devices(UINT64_MAX, count, deviceArray);
}

nvmlReturn_t nvml_impl_nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2,
                                             int *onSameBoard)
{
    if (!onSameBoard)
        return NVML_ERROR_INVALID_ARGUMENT;
    *onSameBoard = device1 == device2;
    return NVML_SUCCESS;
}

/* No device is part of a fabric of switches. As on an H200, which is in none either, the first two
 * forms are filled with zeros, and of the third the state alone is written. */
nvmlReturn_t nvml_impl_nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device,
                                                  nvmlGpuFabricInfo_t *gpuFabricInfo)
{
    (void)device;
    if (!gpuFabricInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(gpuFabricInfo->clusterUuid, 0, sizeof(gpuFabricInfo->clusterUuid));
    gpuFabricInfo->status = NVML_SUCCESS;
    gpuFabricInfo->cliqueId = 0;
    gpuFabricInfo->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device,
                                                   nvmlGpuFabricInfoV_t *gpuFabricInfo)
{
    (void)device;
    if (!gpuFabricInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (gpuFabricInfo->version != nvmlGpuFabricInfo_v2 &&
        gpuFabricInfo->version != nvmlGpuFabricInfo_v3)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (gpuFabricInfo->version == nvmlGpuFabricInfo_v2) {
        memset(gpuFabricInfo->clusterUuid, 0, sizeof(gpuFabricInfo->clusterUuid));
        gpuFabricInfo->status = NVML_SUCCESS;
        gpuFabricInfo->cliqueId = 0;
        gpuFabricInfo->healthMask = 0;
    }
    gpuFabricInfo->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

/* The processors that may run the workers. */
nvmlReturn_t nvml_impl_nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int cpuSetSize,
                                                unsigned long *cpuSet)
{
    cpu_set_t allowed;

    (void)device;
    if (!cpuSet || cpuSetSize == 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return NVML_ERROR_NOT_SUPPORTED; /* more processors than the set holds */
    memset(cpuSet, 0, cpuSetSize * sizeof(*cpuSet));
    for (unsigned i = 0; i < CPU_SETSIZE && i / LONG_BITS < cpuSetSize; i++) {
        if (CPU_ISSET(i, &allowed))
            cpuSet[i / LONG_BITS] |= 1ul << i % LONG_BITS;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device,
                                                           unsigned int cpuSetSize,
                                                           unsigned long *cpuSet,
                                                           nvmlAffinityScope_t scope)
{
    if (scope > NVML_AFFINITY_SCOPE_SOCKET)
        return NVML_ERROR_INVALID_ARGUMENT;
    return nvml_impl_nvmlDeviceGetCpuAffinity(device, cpuSetSize, cpuSet);
}

/* Sets the bits of a list such as 0-1,3. */
static void read_list(const char *list, unsigned long *set, unsigned longs)
{
    char *end;

    for (; *list >= '0' && *list <= '9'; list = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(list, &end, 10), last = first;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first / LONG_BITS < longs; first++)
            set[first / LONG_BITS] |= 1ul << first % LONG_BITS;
    }
}

/* The NUMA nodes that may hold the memory of this process, and with it that of its devices. */
nvmlReturn_t nvml_impl_nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int nodeSetSize,
                                                   unsigned long *nodeSet,
                                                   nvmlAffinityScope_t scope)
{
    static const char key[] = "Mems_allowed_list:\t";
    char line[256];
    FILE *status;

    (void)device;
    if (!nodeSet || nodeSetSize == 0 || scope > NVML_AFFINITY_SCOPE_SOCKET)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(nodeSet, 0, nodeSetSize * sizeof(*nodeSet));
    status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof(line), status)) {
        if (strncmp(line, key, sizeof(key) - 1) == 0)
            read_list(line + sizeof(key) - 1, nodeSet, nodeSetSize);
    }
    if (status)
        fclose(status);
    if (nodeSet[0] == 0) /* a kernel that knows no nodes has one */
        nodeSet[0] = 1;
    return NVML_SUCCESS;
}
