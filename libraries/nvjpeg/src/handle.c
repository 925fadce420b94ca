/* SPDX-License-Identifier: MIT */
/* The library's handle, its properties, and the buffers that programs attach to a decode. cupipe
 * decodes into memory of its own, so a buffer holds what its owner resizes it to. */
#include "objects.h"

#include <common/driver.h>

enum { DEFAULT_PADDING = 1024 };

static void finish_buffer(void *object);

const struct lib_object_type jpeg_handle_type = {sizeof(struct nvjpegHandle), NULL};
const struct lib_object_type jpeg_pinned_type = {sizeof(struct nvjpegBufferPinned), finish_buffer};
const struct lib_object_type jpeg_device_type = {sizeof(struct nvjpegBufferDevice), finish_buffer};

nvjpegStatus_t jpeg_status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return NVJPEG_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
        return NVJPEG_STATUS_NOT_INITIALIZED;
    default:
        return NVJPEG_STATUS_EXECUTION_FAILED;
    }
}

static nvjpegStatus_t property(libraryPropertyType type, int *value, int major, int minor,
                               int patch)
{
    if (!value)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    switch (type) {
    case MAJOR_VERSION:
        *value = major;
        return NVJPEG_STATUS_SUCCESS;
    case MINOR_VERSION:
        *value = minor;
        return NVJPEG_STATUS_SUCCESS;
    case PATCH_LEVEL:
        *value = patch;
        return NVJPEG_STATUS_SUCCESS;
    default:
        return NVJPEG_STATUS_INVALID_PARAMETER;
    }
}

nvjpegStatus_t nvjpegGetProperty(libraryPropertyType type, int *value)
{
    return property(type, value, NVJPEG_VER_MAJOR, NVJPEG_VER_MINOR, NVJPEG_VER_PATCH);
}

nvjpegStatus_t nvjpegGetCudartProperty(libraryPropertyType type, int *value)
{
    return property(type, value, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
                    CUDART_VERSION % 10);
}

static nvjpegStatus_t create(nvjpegBackend_t backend, unsigned flags, struct jpeg_allocator device,
                             struct jpeg_allocator pinned, nvjpegHandle_t *result)
{
    struct nvjpegHandle *handle;

    if (!result || (unsigned)backend > NVJPEG_BACKEND_LOSSLESS_JPEG)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    if (!lib_driver() || lib_ensure_context() != CUDA_SUCCESS)
        return NVJPEG_STATUS_NOT_INITIALIZED;
    handle = lib_object_create(&jpeg_handle_type);
    if (!handle)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    handle->backend = backend;
    handle->flags = flags;
    handle->device_padding = handle->pinned_padding = DEFAULT_PADDING;
    handle->device = device;
    handle->pinned = pinned;
    *result = handle;
    return NVJPEG_STATUS_SUCCESS;
}

static struct jpeg_allocator device_allocator(const nvjpegDevAllocator_t *given)
{
    return given ? (struct jpeg_allocator){.device_malloc = given->dev_malloc,
                                           .free = given->dev_free}
                 : (struct jpeg_allocator){0};
}

static struct jpeg_allocator pinned_allocator(const nvjpegPinnedAllocator_t *given)
{
    return given ? (struct jpeg_allocator){.pinned_malloc = given->pinned_malloc,
                                           .free = given->pinned_free}
                 : (struct jpeg_allocator){0};
}

static struct jpeg_allocator device_allocator2(const nvjpegDevAllocatorV2_t *given)
{
    return given ? (struct jpeg_allocator){.malloc2 = given->dev_malloc,
                                           .free2 = given->dev_free,
                                           .context = given->dev_ctx}
                 : (struct jpeg_allocator){0};
}

static struct jpeg_allocator pinned_allocator2(const nvjpegPinnedAllocatorV2_t *given)
{
    return given ? (struct jpeg_allocator){.malloc2 = given->pinned_malloc,
                                           .free2 = given->pinned_free,
                                           .context = given->pinned_ctx}
                 : (struct jpeg_allocator){0};
}

nvjpegStatus_t nvjpegCreateSimple(nvjpegHandle_t *handle)
{
    return create(NVJPEG_BACKEND_DEFAULT, 0, device_allocator(NULL), pinned_allocator(NULL),
                  handle);
}

nvjpegStatus_t nvjpegCreate(nvjpegBackend_t backend, nvjpegDevAllocator_t *dev_allocator,
                            nvjpegHandle_t *handle)
{
    return create(backend, 0, device_allocator(dev_allocator), pinned_allocator(NULL), handle);
}

nvjpegStatus_t nvjpegCreateEx(nvjpegBackend_t backend, nvjpegDevAllocator_t *dev_allocator,
                              nvjpegPinnedAllocator_t *given_pinned, unsigned int flags,
                              nvjpegHandle_t *handle)
{
    return create(backend, flags, device_allocator(dev_allocator), pinned_allocator(given_pinned),
                  handle);
}

nvjpegStatus_t nvjpegCreateExV2(nvjpegBackend_t backend, nvjpegDevAllocatorV2_t *dev_allocator,
                                nvjpegPinnedAllocatorV2_t *given_pinned, unsigned int flags,
                                nvjpegHandle_t *handle)
{
    return create(backend, flags, device_allocator2(dev_allocator), pinned_allocator2(given_pinned),
                  handle);
}

nvjpegStatus_t nvjpegDestroy(nvjpegHandle_t handle)
{
    return lib_object_destroy(handle, &jpeg_handle_type) ? NVJPEG_STATUS_SUCCESS
                                                         : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegSetDeviceMemoryPadding(size_t padding, nvjpegHandle_t handle)
{
    if (!lib_object_is(handle, &jpeg_handle_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    handle->device_padding = padding;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegGetDeviceMemoryPadding(size_t *padding, nvjpegHandle_t handle)
{
    if (!lib_object_is(handle, &jpeg_handle_type) || !padding)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *padding = handle->device_padding;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegSetPinnedMemoryPadding(size_t padding, nvjpegHandle_t handle)
{
    if (!lib_object_is(handle, &jpeg_handle_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    handle->pinned_padding = padding;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegGetPinnedMemoryPadding(size_t *padding, nvjpegHandle_t handle)
{
    if (!lib_object_is(handle, &jpeg_handle_type) || !padding)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *padding = handle->pinned_padding;
    return NVJPEG_STATUS_SUCCESS;
}

/* There are no engines for JPEG. */
nvjpegStatus_t nvjpegGetHardwareDecoderInfo(nvjpegHandle_t handle, unsigned int *num_engines,
                                            unsigned int *num_cores_per_engine)
{
    if (!lib_object_is(handle, &jpeg_handle_type) || !num_engines || !num_cores_per_engine)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *num_engines = *num_cores_per_engine = 0;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegGetHardwareEncoderInfo(nvjpegHandle_t handle, unsigned int *num_engines)
{
    if (!lib_object_is(handle, &jpeg_handle_type) || !num_engines)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *num_engines = 0;
    return NVJPEG_STATUS_SUCCESS;
}

static int buffer_malloc(struct jpeg_buffer *buffer, size_t bytes, CUstream stream)
{
    const struct jpeg_allocator *allocator = &buffer->allocator;
    const struct lib_driver *driver = lib_driver();
    CUdeviceptr address = 0;

    buffer->stream = stream;
    if (allocator->malloc2)
        return allocator->malloc2(allocator->context, &buffer->memory, bytes, (cudaStream_t)stream);
    if (allocator->device_malloc)
        return allocator->device_malloc(&buffer->memory, bytes);
    if (allocator->pinned_malloc)
        return allocator->pinned_malloc(&buffer->memory, bytes, 0);
    if (buffer->pinned)
        return driver->memory_host_alloc(&buffer->memory, bytes, 0) != CUDA_SUCCESS;
    if (driver->memory_alloc(&address, bytes) != CUDA_SUCCESS)
        return 1;
    buffer->memory = (void *)(uintptr_t)address;
    return 0;
}

static void buffer_free(struct jpeg_buffer *buffer)
{
    const struct jpeg_allocator *allocator = &buffer->allocator;

    if (buffer->memory && allocator->free2)
        allocator->free2(allocator->context, buffer->memory, buffer->bytes,
                         (cudaStream_t)buffer->stream);
    else if (buffer->memory && allocator->free)
        allocator->free(buffer->memory);
    else if (buffer->memory && buffer->pinned)
        lib_driver()->memory_host_free(buffer->memory);
    else if (buffer->memory)
        lib_driver()->memory_free((CUdeviceptr)(uintptr_t)buffer->memory);
    buffer->memory = NULL;
    buffer->bytes = 0;
}

static void finish_buffer(void *object)
{
    buffer_free(object);
}

static nvjpegStatus_t create_buffer(nvjpegHandle_t handle, bool pinned,
                                    const struct jpeg_allocator *given, void *result)
{
    struct jpeg_buffer *buffer;

    if (!lib_object_is(handle, &jpeg_handle_type) || !result)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    buffer = lib_object_create(pinned ? &jpeg_pinned_type : &jpeg_device_type);
    if (!buffer)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    buffer->pinned = pinned;
    buffer->allocator = given ? *given : pinned ? handle->pinned : handle->device;
    *(struct jpeg_buffer **)result = buffer;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegBufferPinnedCreate(nvjpegHandle_t handle, nvjpegPinnedAllocator_t *given,
                                        nvjpegBufferPinned_t *buffer)
{
    const struct jpeg_allocator allocator = pinned_allocator(given);

    return create_buffer(handle, true, given ? &allocator : NULL, buffer);
}

nvjpegStatus_t nvjpegBufferPinnedCreateV2(nvjpegHandle_t handle, nvjpegPinnedAllocatorV2_t *given,
                                          nvjpegBufferPinned_t *buffer)
{
    const struct jpeg_allocator allocator = pinned_allocator2(given);

    return create_buffer(handle, true, given ? &allocator : NULL, buffer);
}

nvjpegStatus_t nvjpegBufferDeviceCreate(nvjpegHandle_t handle, nvjpegDevAllocator_t *given,
                                        nvjpegBufferDevice_t *buffer)
{
    const struct jpeg_allocator allocator = device_allocator(given);

    return create_buffer(handle, false, given ? &allocator : NULL, buffer);
}

nvjpegStatus_t nvjpegBufferDeviceCreateV2(nvjpegHandle_t handle, nvjpegDevAllocatorV2_t *given,
                                          nvjpegBufferDevice_t *buffer)
{
    const struct jpeg_allocator allocator = device_allocator2(given);

    return create_buffer(handle, false, given ? &allocator : NULL, buffer);
}

static nvjpegStatus_t resize(struct jpeg_buffer *buffer, size_t bytes, CUstream stream)
{
    if (bytes <= buffer->bytes)
        return NVJPEG_STATUS_SUCCESS;
    buffer_free(buffer);
    if (buffer_malloc(buffer, bytes, stream) != 0) {
        buffer->memory = NULL;
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    }
    buffer->bytes = bytes;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegBufferPinnedResize(nvjpegBufferPinned_t buffer, size_t size,
                                        cudaStream_t stream)
{
    return lib_object_is(buffer, &jpeg_pinned_type)
               ? resize(&buffer->buffer, size, (CUstream)stream)
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegBufferDeviceResize(nvjpegBufferDevice_t buffer, size_t size,
                                        cudaStream_t stream)
{
    return lib_object_is(buffer, &jpeg_device_type)
               ? resize(&buffer->buffer, size, (CUstream)stream)
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegBufferPinnedDestroy(nvjpegBufferPinned_t buffer)
{
    return lib_object_destroy(buffer, &jpeg_pinned_type) ? NVJPEG_STATUS_SUCCESS
                                                         : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegBufferDeviceDestroy(nvjpegBufferDevice_t buffer)
{
    return lib_object_destroy(buffer, &jpeg_device_type) ? NVJPEG_STATUS_SUCCESS
                                                         : NVJPEG_STATUS_INVALID_PARAMETER;
}

static nvjpegStatus_t retrieve(const struct jpeg_buffer *buffer, size_t *size, void **pointer)
{
    if (!size || !pointer)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *size = buffer->bytes;
    *pointer = buffer->memory;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegBufferPinnedRetrieve(nvjpegBufferPinned_t buffer, size_t *size, void **ptr)
{
    return lib_object_is(buffer, &jpeg_pinned_type) ? retrieve(&buffer->buffer, size, ptr)
                                                    : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegBufferDeviceRetrieve(nvjpegBufferDevice_t buffer, size_t *size, void **ptr)
{
    return lib_object_is(buffer, &jpeg_device_type) ? retrieve(&buffer->buffer, size, ptr)
                                                    : NVJPEG_STATUS_INVALID_PARAMETER;
}
