/* SPDX-License-Identifier: MIT */
/* Reads the properties of a device: nearly all are attributes of the driver's. */
#include "properties.h"

#include <stddef.h>
#include <string.h>

struct property {
    CUdevice_attribute attribute;
    size_t offset;
    bool wide; /* size_t */
};

static const struct property properties[] = {
#define RT_INT(field, name)                                                                        \
    {CU_DEVICE_ATTRIBUTE_##name, offsetof(struct cudaDeviceProp, field), false},
#define RT_SIZE(field, name)                                                                       \
    {CU_DEVICE_ATTRIBUTE_##name, offsetof(struct cudaDeviceProp, field), true},
#include "properties.inc"
#undef RT_INT
#undef RT_SIZE
};

cudaError_t rt_properties_read(CUdevice device, struct cudaDeviceProp *out)
{
    CUresult result;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct property *property = &properties[i];
        char *field = (char *)out + property->offset;
        int value = 0;

        result = rt_driver.cuDeviceGetAttribute(&value, property->attribute, device);
        if (result != CUDA_SUCCESS)
            return rt_result(result);
        if (property->wide)
            memcpy(field, &(size_t){(size_t)value}, sizeof(size_t));
        else
            memcpy(field, &value, sizeof value);
    }
    result = rt_driver.cuDeviceGetName(out->name, sizeof out->name, device);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceGetUuid_v2((CUuuid *)(void *)&out->uuid, device);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceTotalMem_v2(&out->totalGlobalMem, device);
    /* Only Windows has such an identifier. */
    if (result == CUDA_SUCCESS &&
        rt_driver.cuDeviceGetLuid(out->luid, &out->luidDeviceNodeMask, device) != CUDA_SUCCESS) {
        memset(out->luid, 0, sizeof out->luid);
        out->luidDeviceNodeMask = 0;
    }
    return rt_result(result);
}
