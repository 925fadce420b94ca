/* SPDX-License-Identifier: MIT */
/* Memory of other drivers: import, map, destroy. A table has one row of requirements per handle
 * type; only descriptors can be imported on Linux. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "image/shape.h"
#include "interop/external_memory.h"

#include <string.h>

enum handle_kind {
    HANDLE_NONE,    /* no such type */
    HANDLE_OPAQUE,  /* a descriptor */
    HANDLE_DMA_BUF, /* a descriptor */
    HANDLE_POINTER, /* of Windows, Direct3D and NvSci: not available on Linux */
};

static const struct handle_type {
    enum handle_kind kind;
    bool is_dedicated; /* the dedicated flag is required */
} handle_types[] = {
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD] = {HANDLE_OPAQUE, false},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32] = {HANDLE_POINTER, false},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT] = {HANDLE_POINTER, false},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP] = {HANDLE_POINTER, false},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE] = {HANDLE_POINTER, true},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE] = {HANDLE_POINTER, true},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT] = {HANDLE_POINTER, true},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF] = {HANDLE_POINTER, false},
    [CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD] = {HANDLE_DMA_BUF, false},
};

static bool is_zero(const unsigned *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] != 0)
            return false;
    }
    return true;
}

static const struct handle_type *find_type(CUexternalMemoryHandleType type)
{
    size_t index = (size_t)cup_driver_enumerator(CUP_ENUM_EXTERNAL_MEMORY, (int)type);

    return index < CUP_ARRAY_COUNT(handle_types) && handle_types[index].kind != HANDLE_NONE
               ? &handle_types[index]
               : NULL;
}

static CUresult check_handle(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *asked)
{
    const struct handle_type *type = find_type(asked->type);
    bool dedicated = asked->flags & CUDA_EXTERNAL_MEMORY_DEDICATED;

    if (!type || asked->size == 0 || (asked->flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED) ||
        !is_zero(asked->reserved, CUP_ARRAY_COUNT(asked->reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid handle type %d, size of %llu bytes or flags 0x%x",
                         (int)asked->type, asked->size, asked->flags);
    if (type->kind == HANDLE_DMA_BUF && (asked->handle.fd < 0 || dedicated))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a dma-buf needs a file descriptor and no flags");
    if (type->kind != HANDLE_POINTER)
        return CUDA_SUCCESS;
    if ((type->is_dedicated && !dedicated) ||
        (asked->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF && dedicated) ||
        (!asked->handle.win32.handle && !asked->handle.win32.name))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the handle is NULL, or the dedicated flag is missing");
    return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                     "handles of type %d are not supported on this system", (int)asked->type);
}

CUresult impl_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                     const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    if (!extMem_out || !memHandleDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the memory's description or the pointer for it is NULL");
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC asked = *memHandleDesc;
    CUresult result = check_handle(&asked);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_external_memory_import(cup_context_current(), asked.handle.fd,
                                      asked.type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD,
                                      asked.flags & CUDA_EXTERNAL_MEMORY_DEDICATED, asked.size,
                                      extMem_out);
}

CUresult impl_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                              const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    struct CUextMemory_st *memory;
    uint64_t address;

    if (!devPtr || !bufferDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the buffer's description or the pointer for it is NULL");
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC asked = *bufferDesc;
    if (asked.flags || !is_zero(asked.reserved, CUP_ARRAY_COUNT(asked.reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%x, or reserved fields, are not 0",
                         asked.flags);
    CUresult result = cup_external_memory_find(extMem, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_external_memory_map_buffer(memory, asked.offset, asked.size, &address);
    cup_external_memory_unref(memory);
    if (result == CUDA_SUCCESS)
        *devPtr = address;
    return result;
}

/* An imported image already has memory, and may be a color attachment, unlike arrays created
 * here. */
static CUresult check_image(const struct cup_device *device,
                            const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels)
{
    CUDA_ARRAY3D_DESCRIPTOR array = *descriptor;
    struct cup_shape shape;

    array.Flags &= ~(unsigned)CUDA_ARRAY3D_COLOR_ATTACHMENT;
    if (array.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "an image with external memory cannot be sparse");
    CUresult result = cup_shape_check(device, &array, true, levels);
    if (result != CUDA_SUCCESS)
        return result;
    if (cup_format_find(array.Format)->plane_count != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "planar format 0x%x is not supported for external images",
                         (unsigned)array.Format);
    cup_shape_init(&shape, &array, true, levels);
    if (shape.levels != levels)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%u levels exceed the %u of such an image",
                         levels, shape.levels);
    return CUDA_SUCCESS;
}

static CUresult map_image(struct CUextMemory_st *memory,
                          const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *asked,
                          CUmipmappedArray *mipmap)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = asked->arrayDesc;

    if (memory->is_dma_buf)
        return cup_error(
            CUDA_ERROR_NOT_SUPPORTED,
            "images in a dma-buf are not supported: it does not describe their layout");
    cup_descriptor_truncate(&descriptor);
    CUresult result = check_image(memory->context->device, &descriptor, asked->numLevels);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_external_memory_map_image(memory, asked->offset, &descriptor, asked->numLevels,
                                         mipmap);
}

CUresult impl_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc)
{
    struct CUextMemory_st *memory;

    if (!mipmap || !mipmapDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the image's description or the pointer for it is NULL");
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC asked = *mipmapDesc;
    if (!is_zero(asked.reserved, CUP_ARRAY_COUNT(asked.reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "reserved fields are not 0");
    CUresult result = cup_external_memory_find(extMem, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    result = map_image(memory, &asked, mipmap);
    cup_external_memory_unref(memory);
    return result;
}

CUresult impl_cuDestroyExternalMemory(CUexternalMemory extMem)
{
    struct CUextMemory_st *memory;
    CUresult result = cup_external_memory_find(extMem, &memory);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_external_memory_destroy(memory, CUP_RETIRED_DESTROYED))
        result =
            cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread destroyed %p", (void *)extMem);
    cup_external_memory_unref(memory);
    return result;
}
