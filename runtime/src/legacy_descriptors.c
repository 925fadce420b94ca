/* SPDX-License-Identifier: MIT */
/* Functions of libcudart.so.12 whose descriptors grew at the end in 13.0: a program of 12 has the
 * shorter ones, so nothing behind their last field may be read or written. Each is copied into one
 * of today's length, whose new fields are 0, for the body that 13 has. */
#include "runtime_impl.h"

#include <stddef.h>
#include <string.h>

#define IS_PREFIX(type, next)                                                                      \
    _Static_assert(sizeof(struct type##_v12) == ((offsetof(struct type, next) + 7) & ~(size_t)7),  \
                   "a descriptor of 12 is the beginning of that of 13")

_Static_assert(offsetof(struct cudaResourceDesc_v12, res) == offsetof(struct cudaResourceDesc, res),
               "a descriptor of 12 is the beginning of that of 13");
IS_PREFIX(cudaResourceViewDesc, reserved);
IS_PREFIX(cudaExternalMemoryHandleDesc, reserved);
IS_PREFIX(cudaExternalMemoryBufferDesc, reserved);
IS_PREFIX(cudaExternalMemoryMipmappedArrayDesc, reserved);
IS_PREFIX(cudaExternalSemaphoreHandleDesc, reserved);

/* Fills `whole` and returns it; NULL stays NULL, which the bodies answer. The bytes that pad a
 * descriptor of 12 are a reserved field of 13: `field_bytes` leaves them out. */
static void *widen(void *whole, size_t whole_bytes, const void *from, size_t field_bytes)
{
    if (!from)
        return NULL;
    memset(whole, 0, whole_bytes);
    memcpy(whole, from, field_bytes);
    return whole;
}

static struct cudaResourceDesc *widen_resource(struct cudaResourceDesc *whole,
                                               const struct cudaResourceDesc_v12 *from)
{
    return widen(whole, sizeof *whole, from, sizeof *from);
}

cudaError_t impl_cudaCreateTextureObject_v12(cudaTextureObject_t *pTexObject,
                                             const struct cudaResourceDesc_v12 *pResDesc,
                                             const struct cudaTextureDesc *pTexDesc,
                                             const struct cudaResourceViewDesc_v12 *pResViewDesc)
{
    struct cudaResourceDesc resource;
    struct cudaResourceViewDesc view;

    return impl_cudaCreateTextureObject(
        pTexObject, widen_resource(&resource, pResDesc), pTexDesc,
        widen(&view, sizeof view, pResViewDesc, offsetof(struct cudaResourceViewDesc, reserved)));
}

cudaError_t impl_cudaCreateSurfaceObject_v12(cudaSurfaceObject_t *pSurfObject,
                                             const struct cudaResourceDesc_v12 *pResDesc)
{
    struct cudaResourceDesc resource;

    return impl_cudaCreateSurfaceObject(pSurfObject, widen_resource(&resource, pResDesc));
}

cudaError_t impl_cudaGetTextureObjectResourceDesc_v12(struct cudaResourceDesc_v12 *pResDesc,
                                                      cudaTextureObject_t texObject)
{
    struct cudaResourceDesc resource;
    cudaError_t result =
        impl_cudaGetTextureObjectResourceDesc(pResDesc ? &resource : NULL, texObject);

    if (result == cudaSuccess)
        memcpy(pResDesc, &resource, sizeof *pResDesc);
    return result;
}

cudaError_t impl_cudaGetSurfaceObjectResourceDesc_v12(struct cudaResourceDesc_v12 *pResDesc,
                                                      cudaSurfaceObject_t surfObject)
{
    struct cudaResourceDesc resource;
    cudaError_t result =
        impl_cudaGetSurfaceObjectResourceDesc(pResDesc ? &resource : NULL, surfObject);

    if (result == cudaSuccess)
        memcpy(pResDesc, &resource, sizeof *pResDesc);
    return result;
}

cudaError_t
impl_cudaGetTextureObjectResourceViewDesc_v12(struct cudaResourceViewDesc_v12 *pResViewDesc,
                                              cudaTextureObject_t texObject)
{
    struct cudaResourceViewDesc view;
    cudaError_t result =
        impl_cudaGetTextureObjectResourceViewDesc(pResViewDesc ? &view : NULL, texObject);

    if (result == cudaSuccess)
        memcpy(pResViewDesc, &view, sizeof *pResViewDesc);
    return result;
}

cudaError_t
impl_cudaImportExternalMemory_v12(cudaExternalMemory_t *extMem_out,
                                  const struct cudaExternalMemoryHandleDesc_v12 *memHandleDesc)
{
    struct cudaExternalMemoryHandleDesc whole;

    return impl_cudaImportExternalMemory(
        extMem_out, widen(&whole, sizeof whole, memHandleDesc,
                          offsetof(struct cudaExternalMemoryHandleDesc, reserved)));
}

cudaError_t impl_cudaExternalMemoryGetMappedBuffer_v12(
    void **devPtr, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryBufferDesc_v12 *bufferDesc)
{
    struct cudaExternalMemoryBufferDesc whole;

    return impl_cudaExternalMemoryGetMappedBuffer(
        devPtr, extMem,
        widen(&whole, sizeof whole, bufferDesc,
              offsetof(struct cudaExternalMemoryBufferDesc, reserved)));
}

cudaError_t impl_cudaExternalMemoryGetMappedMipmappedArray_v12(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc_v12 *mipmapDesc)
{
    struct cudaExternalMemoryMipmappedArrayDesc whole;

    return impl_cudaExternalMemoryGetMappedMipmappedArray(
        mipmap, extMem,
        widen(&whole, sizeof whole, mipmapDesc,
              offsetof(struct cudaExternalMemoryMipmappedArrayDesc, reserved)));
}

cudaError_t impl_cudaImportExternalSemaphore_v12(
    cudaExternalSemaphore_t *extSem_out,
    const struct cudaExternalSemaphoreHandleDesc_v12 *semHandleDesc)
{
    struct cudaExternalSemaphoreHandleDesc whole;

    return impl_cudaImportExternalSemaphore(
        extSem_out, widen(&whole, sizeof whole, semHandleDesc,
                          offsetof(struct cudaExternalSemaphoreHandleDesc, reserved)));
}
