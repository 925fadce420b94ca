/* SPDX-License-Identifier: MIT */
/* OpenGL: the devices of a context, its buffers and images. */
#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "interop/gl_buffer.h"
#include "interop/gl_current.h"
#include "interop/gl_image.h"

enum {
    IMAGE_FLAGS = CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD |
                  CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST |
                  CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER
};

/* OpenGL renders on the CPU, which belongs to every device; device 0 represents it. The
 * availability of OpenGL is checked before the arguments. */
CUresult impl_cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                             unsigned int cudaDeviceCount, CUGLDeviceList deviceList)
{
    if (!cup_gl_is_present())
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "the process has no OpenGL");
    if (!pCudaDeviceCount || !pCudaDevices)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the devices is NULL");
    *pCudaDeviceCount = 0;
    if (deviceList < CU_GL_DEVICE_LIST_ALL || deviceList > CU_GL_DEVICE_LIST_NEXT_FRAME)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid device list %d", (int)deviceList);
    if (!cup_gl_is_current())
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    if (cup_device_count() == 0)
        return cup_error(CUDA_ERROR_NO_DEVICE, "there are no devices");
    if (cudaDeviceCount > 0) {
        pCudaDevices[0] = 0;
        *pCudaDeviceCount = 1;
    }
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, GLuint buffer,
                                         unsigned int Flags)
{
    if (!pCudaResource || buffer == 0 || Flags > CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the pointer for the resource is NULL, or buffer %u or flags 0x%x are invalid", buffer,
            Flags);
    return cup_gl_buffer_register(cup_context_current(), buffer, Flags, pCudaResource);
}

CUresult impl_cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, GLuint image,
                                        GLenum target, unsigned int Flags)
{
    if (!pCudaResource || image == 0 || (Flags & ~(unsigned)IMAGE_FLAGS))
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the pointer for the resource is NULL, or image %u or flags 0x%x are invalid", image,
            Flags);
    return cup_gl_image_register(cup_context_current(), image, target, Flags, pCudaResource);
}
