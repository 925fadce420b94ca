/* SPDX-License-Identifier: MIT */
/* EGL: images and streams. Events from EGL sync objects are missing, because NVIDIA's driver for
 * this kind of device does not export the function. */
#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "interop/egl_image.h"
#include "interop/resource.h"

CUresult impl_cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource, EGLImageKHR image,
                                         unsigned int flags)
{
    if (!pCudaResource || flags > CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the pointer for the resource is NULL, or flags 0x%x are invalid for an EGL image",
            flags);
    return cup_egl_image_register(cup_context_current(), image, flags, pCudaResource);
}

CUresult impl_cuGraphicsResourceGetMappedEglFrame(CUeglFrame *eglFrame, CUgraphicsResource resource,
                                                  unsigned int index, unsigned int mipLevel)
{
    struct CUgraphicsResource_st *found;
    CUresult result = cup_resource_find(resource, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!eglFrame || !found->ops->frame)
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE,
                      "the pointer for the frame is NULL, or the resource is not an EGL image");
    else
        result = found->ops->frame(found, index, mipLevel, eglFrame);
    cup_resource_unref(found);
    return result;
}

/* No software implementation of EGL has streams. */
static CUresult refuse_stream(const void *connection, const void *stream)
{
    if (!connection || !stream)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "the EGL stream or the connection is NULL");
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "EGL streams are not supported");
}

CUresult impl_cuEGLStreamConsumerConnect(CUeglStreamConnection *conn, EGLStreamKHR stream)
{
    return refuse_stream(conn, stream);
}

CUresult impl_cuEGLStreamConsumerConnectWithFlags(CUeglStreamConnection *conn, EGLStreamKHR stream,
                                                  unsigned int flags)
{
    (void)flags;
    return refuse_stream(conn, stream);
}

CUresult impl_cuEGLStreamConsumerDisconnect(CUeglStreamConnection *conn)
{
    return refuse_stream(conn, conn);
}

CUresult impl_cuEGLStreamConsumerAcquireFrame(CUeglStreamConnection *conn,
                                              CUgraphicsResource *pCudaResource, CUstream *pStream,
                                              unsigned int timeout)
{
    (void)pCudaResource;
    (void)pStream;
    (void)timeout;
    return refuse_stream(conn, conn);
}

CUresult impl_cuEGLStreamConsumerReleaseFrame(CUeglStreamConnection *conn,
                                              CUgraphicsResource pCudaResource, CUstream *pStream)
{
    (void)pCudaResource;
    (void)pStream;
    return refuse_stream(conn, conn);
}

CUresult impl_cuEGLStreamProducerConnect(CUeglStreamConnection *conn, EGLStreamKHR stream,
                                         EGLint width, EGLint height)
{
    (void)width;
    (void)height;
    return refuse_stream(conn, stream);
}

CUresult impl_cuEGLStreamProducerDisconnect(CUeglStreamConnection *conn)
{
    return refuse_stream(conn, conn);
}

CUresult impl_cuEGLStreamProducerPresentFrame(CUeglStreamConnection *conn, CUeglFrame eglframe,
                                              CUstream *pStream)
{
    (void)eglframe;
    (void)pStream;
    return refuse_stream(conn, conn);
}

CUresult impl_cuEGLStreamProducerReturnFrame(CUeglStreamConnection *conn, CUeglFrame *eglframe,
                                             CUstream *pStream)
{
    (void)eglframe;
    (void)pStream;
    return refuse_stream(conn, conn);
}

/* NVIDIA's libEGL exchanges private functions with NVIDIA's driver here; their layout is not
 * public. */
CUresult impl_cuEGLApiInit(void *first, void *second, void *third, void *fourth, void *fifth,
                           void *sixth)
{
    (void)first;
    (void)second;
    (void)third;
    (void)fourth;
    (void)fifth;
    (void)sixth;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "EGL has no private interface to this driver");
}
