/* SPDX-License-Identifier: MIT */
/* Logical endpoints of a fabric. Devices of cupipe have none, as the attributes LOGICAL_ENDPOINT_*
 * say: arguments are checked, then the call is refused. No id can be reserved, so that of a call is
 * not looked up. */
#include "impl.h"
#include "core/error.h"
#include "device/device.h"

#include <stdbool.h>

static CUresult refuse(void)
{
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "no device has logical endpoints");
}

static CUresult refuse_unless(bool valid, const char *what)
{
    return valid ? refuse() : cup_error(CUDA_ERROR_INVALID_VALUE, "%s", what);
}

static CUresult no_device(CUdevice dev)
{
    return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", dev);
}

static CUresult check_properties(const CUlogicalEndpointProp *prop)
{
    if (!prop)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the properties are NULL");
    switch (prop->type) {
    case CU_LOGICAL_ENDPOINT_TYPE_UNICAST:
        return cup_device_get(prop->unicast.device) ? refuse() : no_device(prop->unicast.device);
    case CU_LOGICAL_ENDPOINT_TYPE_MULTICAST:
        return refuse_unless(prop->multicast.numDevices != 0, "no devices are to take part");
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid type of endpoint %d", (int)prop->type);
    }
}

static CUresult check_handle(const void *handle, CUlogicalEndpointIpcHandleType type)
{
    if (type != CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid type of handle %d", (int)type);
    return refuse_unless(handle, "the handle is NULL");
}

static CUresult check_binding(CUdevice dev, cuuint64_t size, unsigned long long flags)
{
    if (!cup_device_get(dev))
        return no_device(dev);
    return refuse_unless(size != 0 && flags == 0, "the size is 0, or the flags are not");
}

CUresult impl_cuLogicalEndpointIdReserve(CUlogicalEndpointId *baseLeId, cuuint32_t count)
{
    return refuse_unless(baseLeId && count != 0, "no ids are asked for, or nowhere to put them");
}

CUresult impl_cuLogicalEndpointIdRelease(CUlogicalEndpointId baseLeId, cuuint32_t count)
{
    (void)baseLeId;
    return refuse_unless(count != 0, "no ids are to be released");
}

CUresult impl_cuLogicalEndpointCreate(CUlogicalEndpointId leId, const CUlogicalEndpointProp *prop)
{
    (void)leId;
    return check_properties(prop);
}

CUresult impl_cuLogicalEndpointAddDevice(CUlogicalEndpointId leId, CUdevice dev)
{
    (void)leId;
    return cup_device_get(dev) ? refuse() : no_device(dev);
}

CUresult impl_cuLogicalEndpointDestroy(CUlogicalEndpointId leId)
{
    (void)leId;
    return refuse();
}

CUresult impl_cuLogicalEndpointBindAddr(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                        void *ptr, cuuint64_t size, unsigned long long flags)
{
    (void)leId;
    (void)offset;
    if (!ptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the address is NULL");
    return check_binding(dev, size, flags);
}

CUresult impl_cuLogicalEndpointBindMem(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                       CUmemGenericAllocationHandle memHandle, cuuint64_t memOffset,
                                       cuuint64_t size, unsigned long long flags)
{
    (void)leId;
    (void)offset;
    (void)memHandle;
    (void)memOffset;
    return check_binding(dev, size, flags);
}

CUresult impl_cuLogicalEndpointUnbind(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                      cuuint64_t size)
{
    (void)leId;
    (void)offset;
    return check_binding(dev, size, 0);
}

CUresult impl_cuLogicalEndpointExport(void *handle, CUlogicalEndpointId leId,
                                      CUlogicalEndpointIpcHandleType handleType)
{
    (void)leId;
    return check_handle(handle, handleType);
}

CUresult impl_cuLogicalEndpointImport(CUlogicalEndpointId leId, const void *handle,
                                      CUlogicalEndpointIpcHandleType handleType)
{
    (void)leId;
    return check_handle(handle, handleType);
}

CUresult impl_cuLogicalEndpointGetLimits(cuuint64_t *bindAlignment, cuuint64_t *maxSize,
                                         const CUlogicalEndpointProp *prop)
{
    if (!bindAlignment || !maxSize)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a place for a limit is NULL");
    return check_properties(prop);
}

CUresult impl_cuLogicalEndpointQuery(CUlogicalEndpointId leId, cuuint32_t count, int *queryStatus)
{
    (void)leId;
    return refuse_unless(queryStatus && count != 0, "no endpoints are asked about");
}
