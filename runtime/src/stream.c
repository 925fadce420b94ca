/* SPDX-License-Identifier: MIT */
/* Streams: creating, destroying, waiting, querying, attributes, callbacks. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

/* NVIDIA's driver leaves a handle behind when it fails. The program sees it unless the call failed
 * for want of a context. */
static cudaError_t deliver(CUresult result, const cudaStream_t *made, cudaStream_t *out)
{
    if (rt_likely(result == CUDA_SUCCESS) || rt_context_is_live())
        *out = *made;
    return rt_result(result);
}

cudaError_t impl_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    cudaStream_t made;

    if (!pStream)
        return rt_result(rt_driver.cuStreamCreate(NULL, flags));
    made = *pStream;
    return deliver(rt_driver.cuStreamCreate(&made, flags), &made, pStream);
}

cudaError_t impl_cudaStreamCreate(cudaStream_t *pStream)
{
    return impl_cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t impl_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags,
                                              int priority)
{
    cudaStream_t made;

    if (!pStream)
        return rt_result(rt_driver.cuStreamCreateWithPriority(NULL, flags, priority));
    made = *pStream;
    return deliver(rt_driver.cuStreamCreateWithPriority(&made, flags, priority), &made, pStream);
}

cudaError_t impl_cudaStreamDestroy(cudaStream_t stream)
{
    return rt_result(rt_driver.cuStreamDestroy_v2(stream));
}

cudaError_t impl_cudaStreamQuery(cudaStream_t stream)
{
    return rt_result(rt_driver.cuStreamQuery(stream));
}

cudaError_t impl_cudaStreamSynchronize(cudaStream_t stream)
{
    return rt_result(rt_driver.cuStreamSynchronize(stream));
}

cudaError_t impl_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return rt_result(rt_driver.cuStreamWaitEvent(stream, event, flags));
}

cudaError_t impl_cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    return rt_result(rt_driver.cuStreamGetFlags(hStream, flags));
}

cudaError_t impl_cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    return rt_result(rt_driver.cuStreamGetPriority(hStream, priority));
}

cudaError_t impl_cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    return rt_result(rt_driver.cuStreamGetId(hStream, streamId));
}

cudaError_t impl_cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    if (!device)
        return cudaErrorInvalidValue;
    return rt_result(rt_driver.cuStreamGetDevice(hStream, device));
}

/* Attributes have the driver's ids and layouts. */
_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUstreamAttrValue),
               "values of stream attributes are the driver's");

cudaError_t impl_cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    return rt_result(rt_driver.cuStreamCopyAttributes(dst, src));
}

cudaError_t impl_cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        cudaLaunchAttributeValue *value_out)
{
    return rt_result(rt_driver.cuStreamGetAttribute(hStream, (CUstreamAttrID)attr,
                                                    (CUstreamAttrValue *)(void *)value_out));
}

cudaError_t impl_cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        const cudaLaunchAttributeValue *value)
{
    return rt_result(rt_driver.cuStreamSetAttribute(
        hStream, (CUstreamAttrID)attr, (const CUstreamAttrValue *)(const void *)value));
}

/* The callbacks differ only in the type of the error, and errors share their numbers. */
cudaError_t impl_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                       void *userData, unsigned int flags)
{
    return rt_result(
        rt_driver.cuStreamAddCallback(stream, (CUstreamCallback)(void *)callback, userData, flags));
}

cudaError_t impl_cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                          unsigned int flags)
{
    return rt_result(
        rt_driver.cuStreamAttachMemAsync(stream, (CUdeviceptr)(uintptr_t)devPtr, length, flags));
}
