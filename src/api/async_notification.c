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
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", device);
    if (!callbackFunc || !callback)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no function, or no place for the handle");
    return cup_notification_add(found, callbackFunc, userData, callback);
}

CUresult impl_cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback)
{
    struct cup_device *found = cup_device_get(device);

    if (!found)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", device);
    return cup_notification_remove(found, callback);
}
