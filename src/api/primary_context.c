/* SPDX-License-Identifier: MIT */
/* Primary context management: the context of a device that all parts of a program share. */
#include "api/context_flags.h"
#include "core/error.h"
#include "device/primary.h"
#include "impl.h"

static CUresult find_device(CUdevice ordinal, struct cup_device **device)
{
    *device = cup_device_get(ordinal);
    if (!*device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", ordinal);
    return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pctx)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the context is NULL");
    return cup_primary_retain(device, pctx);
}

CUresult impl_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(dev, &device);

    return result == CUDA_SUCCESS ? cup_primary_release(device) : result;
}

CUresult impl_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    struct cup_device *device;
    CUresult result = find_device(dev, &device);

    return result == CUDA_SUCCESS ? cup_primary_reset(device) : result;
}

CUresult impl_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    struct cup_device *device;
    CUresult result = find_device(dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_api_context_flags_valid(flags) || (flags & CU_CTX_MAP_HOST))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid context flags: 0x%x", flags);
    cup_primary_set_flags(device, flags);
    return CUDA_SUCCESS;
}

CUresult impl_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    struct cup_device *device;
    CUresult result;
    unsigned set;
    bool is_active;

    if (!flags || !active)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the state is NULL");
    result = find_device(dev, &device);
    if (result != CUDA_SUCCESS)
        return result;
    cup_primary_state(device, &set, &is_active);
    *flags = set;
    *active = is_active;
    return CUDA_SUCCESS;
}
