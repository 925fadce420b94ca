/* SPDX-License-Identifier: MIT */
/* The first OpenGL functions, which identify a buffer by its OpenGL name. Each such name is a
 * graphics resource of its context (interop/gl_buffer_names.h). */
#include "impl.h"
#include "api/refuse_32bit.h"
#include "core/error.h"
#include "interop/gl_buffer_names.h"

static CUresult find(GLuint buffer, CUgraphicsResource *resource)
{
    *resource = cup_gl_name_find(buffer);
    if (*resource)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "buffer %u is not registered", buffer);
}

CUresult impl_cuGLInit(void)
{
    return CUDA_SUCCESS;
}

CUresult impl_cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device)
{
    return impl_cuCtxCreate_v2(pCtx, Flags, device);
}

CUresult impl_cuGLCtxCreate(CUcontext *pCtx, unsigned int Flags, CUdevice device)
{
    return impl_cuCtxCreate(pCtx, Flags, device);
}

CUresult impl_cuGLRegisterBufferObject(GLuint buffer)
{
    CUgraphicsResource resource;

    if (cup_gl_name_find(buffer))
        return cup_error(CUDA_ERROR_ALREADY_MAPPED, "buffer %u is already registered", buffer);
    CUresult result = impl_cuGraphicsGLRegisterBuffer(&resource, buffer, 0);
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_gl_name_add(buffer, resource)) {
        impl_cuGraphicsUnregisterResource(resource);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the name of a buffer");
    }
    return CUDA_SUCCESS;
}

/* As with NVIDIA's driver, the name is removed even if the buffer is still mapped, which is an
 * error; the resource then ends with its context. */
CUresult impl_cuGLUnregisterBufferObject(GLuint buffer)
{
    CUgraphicsResource resource = cup_gl_name_take(buffer);

    if (!resource)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "buffer %u is not registered", buffer);
    return impl_cuGraphicsUnregisterResource(resource);
}

CUresult impl_cuGLSetBufferObjectMapFlags(GLuint buffer, unsigned int Flags)
{
    CUgraphicsResource resource;
    CUresult result = find(buffer, &resource);

    return result == CUDA_SUCCESS ? impl_cuGraphicsResourceSetMapFlags(resource, Flags) : result;
}

CUresult impl_cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer,
                                          CUstream hStream)
{
    CUgraphicsResource resource;

    if (dptr)
        *dptr = 0;
    if (size)
        *size = 0;
    if (!dptr || !size)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the address or for the size is NULL");
    CUresult result = find(buffer, &resource);
    if (result == CUDA_SUCCESS)
        result = impl_cuGraphicsMapResources(1, &resource, hStream);
    if (result == CUDA_SUCCESS)
        result = impl_cuGraphicsResourceGetMappedPointer_v2(dptr, size, resource);
    return result;
}

CUresult impl_cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer,
                                     CUstream default_stream)
{
    return impl_cuGLMapBufferObjectAsync_v2(dptr, size, buffer, default_stream);
}

CUresult impl_cuGLUnmapBufferObjectAsync(GLuint buffer, CUstream hStream)
{
    CUgraphicsResource resource;
    CUresult result = find(buffer, &resource);

    return result == CUDA_SUCCESS ? impl_cuGraphicsUnmapResources(1, &resource, hStream) : result;
}

CUresult impl_cuGLUnmapBufferObject(GLuint buffer)
{
    return impl_cuGLUnmapBufferObjectAsync(buffer, NULL);
}

/* The forms with 32-bit addresses. */
CUresult impl_cuGLMapBufferObject(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer)
{
    (void)dptr;
    (void)size;
    (void)buffer;
    return cup_api_refuse_32bit();
}

CUresult impl_cuGLMapBufferObjectAsync(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer,
                                       CUstream hStream)
{
    (void)hStream;
    return impl_cuGLMapBufferObject(dptr, size, buffer);
}
