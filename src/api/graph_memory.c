/* SPDX-License-Identifier: MIT */
/* Graph memory: the amounts per device, and trimming. */
#include "memory/graph_memory.h"

#include "impl.h"
#include "core/error.h"
#include "device/device.h"
#include "os/guard.h"

#include <stdbool.h>

static CUresult find_device(CUdevice ordinal, struct cup_device **device)
{
    *device = cup_device_get(ordinal);
    return *device ? CUDA_SUCCESS
                   : cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", ordinal);
}

CUresult impl_cuDeviceGraphMemTrim(CUdevice device)
{
    struct cup_device *found;
    CUresult result = find_device(device, &found);

    if (result == CUDA_SUCCESS)
        cup_graphmem_trim(found);
    return result;
}

CUresult impl_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    struct cup_device *found;
    CUresult result = find_device(device, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!value)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    struct cup_graphmem_counters count = cup_graphmem_count(found);
    switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = count.bytes;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = count.high_used;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *)value = count.high_reserved;
        return CUDA_SUCCESS;
    }
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid attribute %d", (int)attr);
}

/* A high-water mark can only be set to 0, which resets it to the current value. The value of an
 * attribute that cannot be set is not read. */
CUresult impl_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    bool is_high =
        attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
    struct cup_device *found;
    cuuint64_t wanted;
    CUresult result = find_device(device, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!is_high || !cup_guard_copy(&wanted, value, sizeof(wanted)) || wanted != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set to this value",
                         (int)attr);
    cup_graphmem_reset_high(found, attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
    return CUDA_SUCCESS;
}
