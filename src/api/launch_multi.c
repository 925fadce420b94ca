/* SPDX-License-Identifier: MIT */
/* A cooperative launch on several devices: the same kernel, in the same shape, once on each. The
 * whole list is checked before the first launch. Unless the flags say otherwise, no launch begins
 * before the earlier work of all the streams ends, and later work of any of them begins after all
 * launches end. */
#include "impl.h"
#include "core/error.h"
#include "device/device.h"
#include "module/library.h"
#include "stream/event.h"
#include "stream/stream.h"

#include <string.h>

static CUresult device_of(CUstream handle, const struct cup_device **device)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *device = stream->context->device;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

static CUresult name_of(CUfunction handle, const char **name)
{
    return cup_object_was(CUP_OBJECT_KERNEL, handle) ? impl_cuKernelGetName(name, (CUkernel)handle)
                                                     : impl_cuFuncGetName(name, handle);
}

static bool same_shape(const CUDA_LAUNCH_PARAMS *one, const CUDA_LAUNCH_PARAMS *other)
{
    return one->gridDimX == other->gridDimX && one->gridDimY == other->gridDimY &&
           one->gridDimZ == other->gridDimZ && one->blockDimX == other->blockDimX &&
           one->blockDimY == other->blockDimY && one->blockDimZ == other->blockDimZ &&
           one->sharedMemBytes == other->sharedMemBytes;
}

/* Checks a pair of launches of the list. */
static CUresult check_pair(const CUDA_LAUNCH_PARAMS *one, const CUDA_LAUNCH_PARAMS *other)
{
    const struct cup_device *device, *other_device;
    const char *name, *other_name;
    CUresult result = name_of(one->function, &name);

    if (result == CUDA_SUCCESS)
        result = name_of(other->function, &other_name);
    if (result == CUDA_SUCCESS)
        result = device_of(one->hStream, &device);
    if (result == CUDA_SUCCESS)
        result = device_of(other->hStream, &other_device);
    if (result != CUDA_SUCCESS)
        return result;
    if (strcmp(name, other_name) != 0 || !same_shape(one, other))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "kernels %s and %s of one launch differ, or their shapes do", name,
                         other_name);
    if (device == other_device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "two launches are on the same device");
    return CUDA_SUCCESS;
}

static CUresult check_list(const CUDA_LAUNCH_PARAMS *list, unsigned count)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < count; i++)
        if (!list[i].hStream || list[i].hStream == CU_STREAM_LEGACY ||
            list[i].hStream == CU_STREAM_PER_THREAD)
            return cup_error(CUDA_ERROR_INVALID_HANDLE, "launch %u is on a default stream", i);
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = 0; result == CUDA_SUCCESS && j < i; j++)
            result = check_pair(&list[j], &list[i]);
    return result;
}

/* Makes later work of all streams wait for earlier work of the stream. */
static CUresult follow(const CUDA_LAUNCH_PARAMS *list, unsigned count, CUstream handle)
{
    struct CUstream_st *stream;
    struct CUevent_st *event;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_event_create(stream->context, CU_EVENT_DISABLE_TIMING, &event);
    cup_stream_unref(stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = impl_cuEventRecord(event, handle);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++)
        if (list[i].hStream != handle)
            result = impl_cuStreamWaitEvent(list[i].hStream, event, CU_EVENT_WAIT_DEFAULT);
    impl_cuEventDestroy_v2(event);
    return result;
}

static CUresult join(const CUDA_LAUNCH_PARAMS *list, unsigned count)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; result == CUDA_SUCCESS && count > 1 && i < count; i++)
        result = follow(list, count, list[i].hStream);
    return result;
}

CUresult impl_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                                   unsigned int numDevices, unsigned int flags)
{
    const unsigned known = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                           CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;

    if (!launchParamsList || numDevices == 0 || numDevices > cup_device_count() || (flags & ~known))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid launch on %u devices, flags 0x%x",
                         numDevices, flags);
    CUresult result = check_list(launchParamsList, numDevices);
    if (result == CUDA_SUCCESS &&
        !(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC))
        result = join(launchParamsList, numDevices);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < numDevices; i++) {
        const CUDA_LAUNCH_PARAMS *one = &launchParamsList[i];
        result = impl_cuLaunchCooperativeKernel(
            one->function, one->gridDimX, one->gridDimY, one->gridDimZ, one->blockDimX,
            one->blockDimY, one->blockDimZ, one->sharedMemBytes, one->hStream, one->kernelParams);
    }
    if (result == CUDA_SUCCESS &&
        !(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC))
        result = join(launchParamsList, numDevices);
    return result;
}
