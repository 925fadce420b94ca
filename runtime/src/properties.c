/* SPDX-License-Identifier: MIT */
/* Reads the properties of a device; nearly all are attributes of the driver. */
#include "properties.h"

#include <stddef.h>
#include <string.h>

struct property {
    CUdevice_attribute attribute;
    size_t offset;
    bool wide; /* size_t */
};

#define PROPERTY(type, field, name, wide) {CU_DEVICE_ATTRIBUTE_##name, offsetof(type, field), wide},

static const struct property properties[] = {
#define RT_INT(field, name) PROPERTY(struct cudaDeviceProp, field, name, false)
#define RT_SIZE(field, name) PROPERTY(struct cudaDeviceProp, field, name, true)
#define RT_NEW(field, name) PROPERTY(struct cudaDeviceProp, field, name, false)
#define RT_OLD(field, name)
#include "properties.inc"
#undef RT_INT
#undef RT_SIZE
#undef RT_NEW
#undef RT_OLD
};

static const struct property properties_v12[] = {
#define RT_INT(field, name) PROPERTY(struct cudaDeviceProp_v12, field, name, false)
#define RT_SIZE(field, name) PROPERTY(struct cudaDeviceProp_v12, field, name, true)
#define RT_NEW(field, name)
#define RT_OLD(field, name) PROPERTY(struct cudaDeviceProp_v12, field, name, false)
#include "properties.inc"
#undef RT_INT
#undef RT_SIZE
#undef RT_NEW
#undef RT_OLD
};

/* The structs have the same beginning, with fields that are not attributes. */
_Static_assert(offsetof(struct cudaDeviceProp, totalGlobalMem) ==
                   offsetof(struct cudaDeviceProp_v12, totalGlobalMem),
               "both begin alike");

static cudaError_t read_begin(CUdevice device, struct cudaDeviceProp_v12 *out)
{
    CUresult result = rt_driver.cuDeviceGetName(out->name, sizeof out->name, device);

    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceGetUuid_v2((CUuuid *)(void *)&out->uuid, device);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceTotalMem_v2(&out->totalGlobalMem, device);
    /* Only Windows has LUIDs. */
    if (result == CUDA_SUCCESS &&
        rt_driver.cuDeviceGetLuid(out->luid, &out->luidDeviceNodeMask, device) != CUDA_SUCCESS) {
        memset(out->luid, 0, sizeof out->luid);
        out->luidDeviceNodeMask = 0;
    }
    return rt_result(result);
}

static cudaError_t read_attributes(CUdevice device, const struct property *table, size_t count,
                                   void *out)
{
    for (size_t i = 0; i < count; i++) {
        char *field = (char *)out + table[i].offset;
        int value = 0;
        CUresult result = rt_driver.cuDeviceGetAttribute(&value, table[i].attribute, device);

        if (result != CUDA_SUCCESS)
            return rt_result(result);
        if (table[i].wide)
            memcpy(field, &(size_t){(size_t)value}, sizeof(size_t));
        else
            memcpy(field, &value, sizeof value);
    }
    return cudaSuccess;
}

cudaError_t rt_properties_read(CUdevice device, struct cudaDeviceProp *out)
{
    cudaError_t result;

    memset(out, 0, sizeof *out);
    result = read_begin(device, (struct cudaDeviceProp_v12 *)(void *)out);
    if (result != cudaSuccess)
        return result;
    return read_attributes(device, properties, sizeof properties / sizeof *properties, out);
}

cudaError_t rt_properties_read_v12(CUdevice device, struct cudaDeviceProp_v12 *out)
{
    cudaError_t result;

    memset(out, 0, sizeof *out);
    result = read_begin(device, out);
    if (result != cudaSuccess)
        return result;
    return read_attributes(device, properties_v12, sizeof properties_v12 / sizeof *properties_v12,
                           out);
}
