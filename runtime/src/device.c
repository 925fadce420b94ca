/* SPDX-License-Identifier: MIT */
/* Devices: counting, choosing, flags, limits, reset, versions. */
#include "context.h"
#include "driver.h"
#include "enter.h"
#include "properties.h"
#include "runtime_impl.h"
#include "version.h"

#include <stddef.h>
#include <string.h>

cudaError_t impl_cudaRuntimeGetVersion(int *runtimeVersion)
{
    if (!runtimeVersion)
        return cudaErrorInvalidValue;
    *runtimeVersion = rt_version();
    return cudaSuccess;
}

/* Also works without devices; gives 0 without a driver. */
cudaError_t impl_cudaDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return cudaErrorInvalidValue;
    *driverVersion = 0;
    if (rt_enter() == cudaErrorInsufficientDriver)
        return cudaSuccess;
    return rt_result(rt_driver.cuDriverGetVersion(driverVersion));
}

cudaError_t impl_cudaGetDeviceCount(int *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    *count = rt_driver_devices;
    return cudaSuccess;
}

cudaError_t impl_cudaGetDevice(int *device)
{
    if (!device)
        return cudaErrorInvalidValue;
    return rt_context_device(device);
}

cudaError_t impl_cudaSetDevice(int device)
{
    return rt_context_set_device(device);
}

/* Devices. */

static cudaError_t find_device(int ordinal, CUdevice *device)
{
    return rt_result(rt_driver.cuDeviceGet(device, ordinal));
}

cudaError_t impl_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    CUdevice handle;
    cudaError_t result;

    if (!value)
        return cudaErrorInvalidValue;
    result = find_device(device, &handle);
    if (result != cudaSuccess)
        return result;
    /* The runtime has no names for the driver's decompression attributes and returns 0 for them. */
    if ((CUdevice_attribute)attr == CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK ||
        (CUdevice_attribute)attr == CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH) {
        *value = 0;
        return cudaSuccess;
    }
    return rt_result(rt_driver.cuDeviceGetAttribute(value, (CUdevice_attribute)attr, handle));
}

cudaError_t impl_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    struct cudaDeviceProp found;
    CUdevice handle;
    cudaError_t result;

    if (!prop)
        return cudaErrorInvalidValue;
    result = find_device(device, &handle);
    if (result == cudaSuccess)
        result = rt_properties_read(handle, &found);
    /* The reserved fields stay as they are. */
    if (result == cudaSuccess)
        memcpy(prop, &found, offsetof(struct cudaDeviceProp, reserved));
    return result;
}

/* Whether a device has at least the compute capability that is asked for, whatever its numbers. */
static bool is_as_new(const struct cudaDeviceProp *offered, const struct cudaDeviceProp *asked)
{
    return offered->major != asked->major ? offered->major > asked->major
                                          : offered->minor >= asked->minor;
}

/* Chooses the device that meets most of the requested properties; the first of equal ones. */
cudaError_t impl_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    int count, best = 0, best_score = -1;
    cudaError_t result;

    if (!device || !prop)
        return cudaErrorInvalidValue;
    result = impl_cudaGetDeviceCount(&count);
    for (int i = 0; i < count && result == cudaSuccess; i++) {
        struct cudaDeviceProp offered;
        int score;

        result = impl_cudaGetDeviceProperties(&offered, i);
        if (result != cudaSuccess)
            break;
        score = is_as_new(&offered, prop) + (offered.totalGlobalMem >= prop->totalGlobalMem) +
                (offered.multiProcessorCount >= prop->multiProcessorCount) +
                (offered.integrated == prop->integrated);
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
    if (result == cudaSuccess)
        *device = best;
    return result;
}

cudaError_t impl_cudaSetValidDevices(int *device_arr, int len)
{
    int count;
    CUdevice handle;
    cudaError_t result = impl_cudaGetDeviceCount(&count);

    if (result != cudaSuccess)
        return result;
    if (len < 0 || len > count || (len > 0 && !device_arr))
        return cudaErrorInvalidValue;
    for (int i = 0; i < len; i++) {
        result = find_device(device_arr[i], &handle);
        if (result != cudaSuccess)
            return result;
        for (int k = 0; k < i; k++)
            if (device_arr[k] == device_arr[i])
                return cudaErrorInvalidValue;
    }
    rt_context_set_default_device(len > 0 ? device_arr[0] : 0);
    return cudaSuccess;
}

/* Flags. The runtime's contexts always map host memory; the driver no longer has a flag for it. */

enum { FLAGS_SHOWN = cudaDeviceScheduleMask | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops };

static bool own_context_is_current(CUdevice device)
{
    CUcontext current = NULL, primary = NULL;

    if (rt_driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
        return false;
    return !rt_context_is_primary(current, device, &primary);
}

static cudaError_t set_flags(CUdevice device, unsigned flags)
{
    return rt_result(
        rt_driver.cuDevicePrimaryCtxSetFlags_v2(device, flags & ~(unsigned)cudaDeviceMapHost));
}

cudaError_t impl_cudaSetDeviceFlags(unsigned int flags)
{
    CUdevice device;
    cudaError_t result = rt_context_device(&device);

    if (result != cudaSuccess)
        return result;
    if (own_context_is_current(device))
        return cudaErrorIncompatibleDriverContext;
    result = set_flags(device, flags);
    return result == cudaSuccess ? rt_context_bind() : result;
}

cudaError_t impl_cudaGetDeviceFlags(unsigned int *flags)
{
    unsigned found = 0;
    int active;
    CUdevice device;
    cudaError_t result;

    if (!flags)
        return cudaErrorInvalidValue;
    result = rt_context_device(&device);
    if (result != cudaSuccess)
        return result;
    if (own_context_is_current(device)) {
        result = rt_result(rt_driver.cuCtxGetFlags(&found));
        found &= FLAGS_SHOWN | cudaDeviceMapHost;
    } else {
        result = rt_result(rt_driver.cuDevicePrimaryCtxGetState(device, &found, &active));
        found = (found & FLAGS_SHOWN) | cudaDeviceMapHost;
    }
    if (result == cudaSuccess)
        *flags = found;
    return result;
}

cudaError_t impl_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    CUcontext context;
    CUdevice handle;
    cudaError_t result = find_device(device, &handle);

    if (result == cudaSuccess && (flags & cudaInitDeviceFlagsAreValid))
        result = set_flags(handle, deviceFlags);
    return result == cudaSuccess ? rt_context_retain(handle, &context) : result;
}

cudaError_t impl_cudaDeviceReset(void)
{
    CUdevice device;
    cudaError_t result = rt_context_device(&device);

    return result == cudaSuccess ? rt_context_reset(device) : result;
}

cudaError_t impl_cudaDeviceSynchronize(void)
{
    return rt_result(rt_driver.cuCtxSynchronize());
}

/* Settings of the current context. */

cudaError_t impl_cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return rt_result(rt_driver.cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t impl_cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return rt_result(rt_driver.cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t impl_cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return rt_result(rt_driver.cuCtxGetCacheConfig((CUfunc_cache *)(void *)pCacheConfig));
}

cudaError_t impl_cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return rt_result(rt_driver.cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t impl_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    return rt_result(rt_driver.cuCtxGetSharedMemConfig((CUsharedconfig *)(void *)pConfig));
}

cudaError_t impl_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return rt_result(rt_driver.cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t impl_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    return rt_result(rt_driver.cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t impl_cudaCtxResetPersistingL2Cache(void)
{
    return rt_result(rt_driver.cuCtxResetPersistingL2Cache());
}

cudaError_t impl_cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                                    enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    return rt_result(rt_driver.cuFlushGPUDirectRDMAWrites((CUflushGPUDirectRDMAWritesTarget)target,
                                                          (CUflushGPUDirectRDMAWritesScope)scope));
}

/* PCI bus ids. */

cudaError_t impl_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    CUdevice handle;
    cudaError_t result;

    if (!pciBusId)
        return cudaErrorInvalidValue;
    result = find_device(device, &handle);
    return result != cudaSuccess ? result
                                 : rt_result(rt_driver.cuDeviceGetPCIBusId(pciBusId, len, handle));
}

cudaError_t impl_cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    return rt_result(rt_driver.cuDeviceGetByPCIBusId(device, pciBusId));
}

cudaError_t impl_cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, int device, int flags)
{
    if (!nvSciSyncAttrList)
        return cudaErrorInvalidResourceHandle;
    return rt_result(rt_driver.cuDeviceGetNvSciSyncAttributes(nvSciSyncAttrList, device, flags));
}

cudaError_t impl_cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
                                                     void *userData,
                                                     cudaAsyncCallbackHandle_t *callback)
{
    CUdevice handle;
    cudaError_t result = find_device(device, &handle);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuDeviceRegisterAsyncNotification(
        handle, (CUasyncCallback)(void *)callbackFunc, userData,
        (CUasyncCallbackHandle *)(void *)callback));
}

cudaError_t impl_cudaDeviceUnregisterAsyncNotification(int device,
                                                       cudaAsyncCallbackHandle_t callback)
{
    CUdevice handle;
    cudaError_t result = find_device(device, &handle);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuDeviceUnregisterAsyncNotification(
        handle, (CUasyncCallbackHandle)(void *)callback));
}
