/* SPDX-License-Identifier: MIT */
/* What the groups about green contexts share. */
#include "green.h"

const char *resource_text_full(const CUdevResource *resource)
{
    return format(
        "type=%d sm=%u min=%u align=%u pad=%s more=%s", (int)resource->type, resource->sm.smCount,
        resource->sm.minSmPartitionSize, resource->sm.smCoscheduledAlignment,
        !strcmp(equal_bytes(resource->_internal_padding, sizeof resource->_internal_padding),
                "zero")
            ? "zero"
            : "set",
        equal_bytes(resource->_oversize + sizeof resource->sm,
                    sizeof resource->_oversize - sizeof resource->sm));
}

const char *resource_text(const CUdevResource *resource)
{
    return !strcmp(equal_bytes(resource, sizeof *resource), "all=a5") ? "kept"
           : (unsigned)resource->type > 100000 || resource->sm.smCount > 100000
               ? "odd"
               : format("%d/%u/%u/%u", (int)resource->type, resource->sm.smCount,
                        resource->sm.minSmPartitionSize, resource->sm.smCoscheduledAlignment);
}

CUdevResource device_resource(void)
{
    CUdevResource resource;
    memset(&resource, 0xa5, sizeof resource);
    if (cuda.cuDeviceGetDevResource(device, &resource, CU_DEV_RESOURCE_TYPE_SM))
        memset(&resource, 0, sizeof resource);
    return resource;
}

CUdevResource split_groups[256], split_rest;

unsigned resource_split(unsigned wanted, unsigned count, unsigned flags)
{
    CUdevResource whole = device_resource();
    unsigned made = wanted;
    memset(split_groups, 0xa5, sizeof split_groups);
    memset(&split_rest, 0xa5, sizeof split_rest);
    return cuda.cuDevSmResourceSplitByCount(split_groups, &made, &whole, &split_rest, flags, count)
               ? 0
               : made;
}

CUgreenCtx green_of_resources(CUdevResource *resources, unsigned count)
{
    CUdevResourceDesc desc = 0;
    CUgreenCtx green = 0;
    if (cuda.cuDevResourceGenerateDesc(&desc, resources, count))
        return 0;
    return cuda.cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM) ? 0 : green;
}

CUgreenCtx green_new(unsigned count)
{
    return resource_split(1, count, 0) ? green_of_resources(split_groups, 1) : 0;
}

CUcontext green_converted(CUgreenCtx green)
{
    CUcontext converted = 0;
    cuda.cuCtxFromGreenCtx(&converted, green);
    return converted;
}

unsigned char *marks;
static int mark_count;

CUresult mark_in_stream(CUstream stream, int *index)
{
    *index = mark_count++ & 4095;
    if (!marks)
        return RESULT_SKIPPED;
    marks[*index] = 0;
    return cuda.cuMemsetD8Async((CUdeviceptr)(uintptr_t)(marks + *index), 1, 1, stream);
}

int mark_is_set(int index)
{
    return marks ? ((volatile unsigned char *)marks)[index] : -1;
}

void record_primary(const char *name)
{
    int active = 9;
    unsigned flags = 99;

    cuda.cuDevicePrimaryCtxGetState(device, &flags, &active);
    RECORD(name, "active=%d flags=%u", active, flags);
}
