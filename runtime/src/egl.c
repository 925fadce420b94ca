/* SPDX-License-Identifier: MIT */
/* EGL: images, streams of frames, syncs. */
#include "array.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>
#include <string.h>

cudaError_t impl_cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource **pCudaResource,
                                              EGLImageKHR image, unsigned int flags)
{
    return rt_result(rt_driver.cuGraphicsEGLRegisterImage(
        (CUgraphicsResource *)(void *)pCudaResource, image, flags));
}

cudaError_t impl_cudaEventCreateFromEGLSync(cudaEvent_t *phEvent, EGLSyncKHR eglSync,
                                            unsigned int flags)
{
    return rt_result(rt_driver.cuEventCreateFromEGLSync(phEvent, eglSync, flags));
}

cudaError_t impl_cudaEGLStreamConsumerConnect(cudaEglStreamConnection *conn, EGLStreamKHR eglStream)
{
    return rt_result(
        rt_driver.cuEGLStreamConsumerConnect((CUeglStreamConnection *)(void *)conn, eglStream));
}

cudaError_t impl_cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection *conn,
                                                       EGLStreamKHR eglStream, unsigned int flags)
{
    return rt_result(rt_driver.cuEGLStreamConsumerConnectWithFlags(
        (CUeglStreamConnection *)(void *)conn, eglStream, flags));
}

cudaError_t impl_cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection *conn)
{
    return rt_result(
        rt_driver.cuEGLStreamConsumerDisconnect((CUeglStreamConnection *)(void *)conn));
}

cudaError_t impl_cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection *conn,
                                                   cudaGraphicsResource_t *pCudaResource,
                                                   cudaStream_t *pStream, unsigned int timeout)
{
    return rt_result(rt_driver.cuEGLStreamConsumerAcquireFrame(
        (CUeglStreamConnection *)(void *)conn, (CUgraphicsResource *)(void *)pCudaResource, pStream,
        timeout));
}

cudaError_t impl_cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection *conn,
                                                   cudaGraphicsResource_t pCudaResource,
                                                   cudaStream_t *pStream)
{
    return rt_result(rt_driver.cuEGLStreamConsumerReleaseFrame(
        (CUeglStreamConnection *)(void *)conn, (CUgraphicsResource)(void *)pCudaResource, pStream));
}

cudaError_t impl_cudaEGLStreamProducerConnect(cudaEglStreamConnection *conn, EGLStreamKHR eglStream,
                                              EGLint width, EGLint height)
{
    return rt_result(rt_driver.cuEGLStreamProducerConnect((CUeglStreamConnection *)(void *)conn,
                                                          eglStream, width, height));
}

cudaError_t impl_cudaEGLStreamProducerDisconnect(cudaEglStreamConnection *conn)
{
    return rt_result(
        rt_driver.cuEGLStreamProducerDisconnect((CUeglStreamConnection *)(void *)conn));
}

/* A frame is described once by the driver, and plane by plane by the runtime. */
static cudaError_t driver_frame(const cudaEglFrame *from, CUeglFrame *to)
{
    cudaError_t result =
        rt_array_format(&from->planeDesc[0].channelDesc, &to->cuFormat, &to->numChannels);

    if (result != cudaSuccess)
        return result;
    for (int i = 0; i < CUDA_EGL_MAX_PLANES; i++) {
        if (from->frameType == cudaEglFrameTypeArray)
            to->frame.pArray[i] = rt_array_handle(from->frame.pArray[i]);
        else
            to->frame.pPitch[i] = from->frame.pPitch[i].ptr;
    }
    to->width = from->planeDesc[0].width;
    to->height = from->planeDesc[0].height;
    to->depth = from->planeDesc[0].depth;
    to->pitch = from->planeDesc[0].pitch;
    to->numChannels = from->planeDesc[0].numChannels;
    to->planeCount = from->planeCount;
    to->frameType = (CUeglFrameType)from->frameType;
    to->eglColorFormat = (CUeglColorFormat)from->eglColorFormat;
    return cudaSuccess;
}

/* Arrays give the sizes of their planes. Planes in memory are assumed to have the size of the
 * first, halved in both directions if there is more than one. */
static void runtime_plane(const CUeglFrame *from, unsigned index, cudaEglFrame *to)
{
    cudaEglPlaneDesc *plane = &to->planeDesc[index];
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    unsigned shift = index > 0;

    plane->width = from->width >> shift;
    plane->height = from->height >> shift;
    plane->depth = from->depth;
    plane->pitch = from->pitch;
    plane->numChannels = from->numChannels;
    plane->channelDesc = rt_array_channels(from->cuFormat, from->numChannels);
    if (from->frameType == CU_EGL_FRAME_TYPE_PITCH) {
        to->frame.pPitch[index] = (struct cudaPitchedPtr){from->frame.pPitch[index], plane->pitch,
                                                          plane->width, plane->height};
        return;
    }
    to->frame.pArray[index] = (cudaArray_t)(void *)from->frame.pArray[index];
    if (rt_driver.cuArray3DGetDescriptor_v2(&descriptor, from->frame.pArray[index]) ==
        CUDA_SUCCESS) {
        plane->width = (unsigned)descriptor.Width;
        plane->height = (unsigned)descriptor.Height;
        plane->numChannels = descriptor.NumChannels;
        plane->channelDesc = rt_array_channels(descriptor.Format, descriptor.NumChannels);
    }
}

static void runtime_frame(const CUeglFrame *from, cudaEglFrame *to)
{
    memset(to, 0, sizeof *to);
    to->planeCount = from->planeCount;
    to->frameType = (cudaEglFrameType)from->frameType;
    to->eglColorFormat = (cudaEglColorFormat)from->eglColorFormat;
    for (unsigned i = 0; i < from->planeCount && i < CUDA_EGL_MAX_PLANES; i++)
        runtime_plane(from, i, to);
}

cudaError_t impl_cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *eglFrame,
                                                       cudaGraphicsResource_t resource,
                                                       unsigned int index, unsigned int mipLevel)
{
    CUeglFrame frame;
    cudaError_t result;

    if (!eglFrame)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuGraphicsResourceGetMappedEglFrame(
        &frame, (CUgraphicsResource)(void *)resource, index, mipLevel));
    if (result == cudaSuccess)
        runtime_frame(&frame, eglFrame);
    return result;
}

cudaError_t impl_cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *conn,
                                                   cudaEglFrame eglframe, cudaStream_t *pStream)
{
    CUeglFrame frame;
    cudaError_t result = driver_frame(&eglframe, &frame);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuEGLStreamProducerPresentFrame(
        (CUeglStreamConnection *)(void *)conn, frame, pStream));
}

cudaError_t impl_cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *conn,
                                                  cudaEglFrame *eglframe, cudaStream_t *pStream)
{
    CUeglFrame frame;
    cudaError_t result;

    if (!eglframe)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuEGLStreamProducerReturnFrame(
        (CUeglStreamConnection *)(void *)conn, &frame, pStream));
    if (result == cudaSuccess)
        runtime_frame(&frame, eglframe);
    return result;
}
