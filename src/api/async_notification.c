/* SPDX-License-Identifier: MIT */
/* Notifications about a device. NVIDIA's driver crashes if the output is NULL or the handle is
 * invalid. */
#include "impl.h"
#include "core/error.h"
#include "device/notification.h"

CUresult impl_cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
                                                void *userData, CUasyncCallbackHandle *callback)
{
    struct cup_device *found = cup_device_get(device);

    if (!found)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", device);
    if (!callbackFunc || !callback)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the function or the pointer for the handle is NULL");
    return cup_notification_add(found, callbackFunc, userData, callback);
}

CUresult impl_cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback)
{
    struct cup_device *found = cup_device_get(device);

    if (!found)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", device);
    return cup_notification_remove(found, callback);
}
