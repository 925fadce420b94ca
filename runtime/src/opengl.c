/* SPDX-License-Identifier: MIT */
/* OpenGL: resources, devices, and the deprecated buffer objects. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                                  unsigned int cudaDeviceCount, enum cudaGLDeviceList deviceList)
{
    return rt_result(rt_driver.cuGLGetDevices_v2(pCudaDeviceCount, (CUdevice *)(void *)pCudaDevices,
                                                 cudaDeviceCount, (CUGLDeviceList)deviceList));
}

cudaError_t impl_cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image,
                                             GLenum target, unsigned int flags)
{
    return rt_result(rt_driver.cuGraphicsGLRegisterImage((CUgraphicsResource *)(void *)resource,
                                                         image, target, flags));
}

cudaError_t impl_cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer,
                                              unsigned int flags)
{
    return rt_result(rt_driver.cuGraphicsGLRegisterBuffer((CUgraphicsResource *)(void *)resource,
                                                          buffer, flags));
}

/* OpenGL contexts need no preparation any more: only chooses the device. */
cudaError_t impl_cudaGLSetGLDevice(int device)
{
    return rt_context_set_device(device);
}

cudaError_t impl_cudaGLRegisterBufferObject(GLuint bufObj)
{
    return rt_result(rt_driver.cuGLRegisterBufferObject(bufObj));
}

cudaError_t impl_cudaGLUnregisterBufferObject(GLuint bufObj)
{
    return rt_result(rt_driver.cuGLUnregisterBufferObject(bufObj));
}

cudaError_t impl_cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags)
{
    return rt_result(rt_driver.cuGLSetBufferObjectMapFlags(bufObj, flags));
}

cudaError_t impl_cudaGLMapBufferObjectAsync(void **devPtr, GLuint bufObj, cudaStream_t stream)
{
    size_t size;

    return rt_result(rt_driver.cuGLMapBufferObjectAsync_v2((CUdeviceptr *)(void *)devPtr, &size,
                                                           bufObj, stream));
}

cudaError_t impl_cudaGLMapBufferObject(void **devPtr, GLuint bufObj)
{
    return impl_cudaGLMapBufferObjectAsync(devPtr, bufObj, NULL);
}

cudaError_t impl_cudaGLUnmapBufferObject(GLuint bufObj)
{
    return rt_result(rt_driver.cuGLUnmapBufferObject(bufObj));
}

cudaError_t impl_cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream)
{
    return rt_result(rt_driver.cuGLUnmapBufferObjectAsync(bufObj, stream));
}
