/* SPDX-License-Identifier: MIT */
/* Graphics resources of any origin. NVIDIA's driver validates the handles first, then the stream,
 * and needs no context for queries of a mapped resource. */
#include "impl.h"
#include "api/refuse_32bit.h"
#include "core/error.h"
#include "graph/capture.h"
#include "interop/resource.h"
#include "stream/stream.h"

#include <stdlib.h>

enum { FEW = 16 };

/* The resources of one call, with a reference on each. */
struct list {
    unsigned count;
    struct CUgraphicsResource_st **resources;
    struct CUgraphicsResource_st *few[FEW];
};

static void list_finish(struct list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        cup_resource_unref(list->resources[i]);
    if (list->resources != list->few)
        free(list->resources);
}

static CUresult list_init(struct list *list, unsigned count, const CUgraphicsResource *handles)
{
    CUresult result = CUDA_SUCCESS;

    list->count = 0;
    if (count == 0 || !handles)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no resources");
    list->resources = count <= FEW ? list->few : calloc(count, sizeof(handles[0]));
    if (!list->resources)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of %u", count);
    for (; list->count < count && result == CUDA_SUCCESS; list->count++) {
        result = cup_resource_find(handles[list->count], &list->resources[list->count]);
        if (result != CUDA_SUCCESS)
            break;
    }
    if (result != CUDA_SUCCESS)
        list_finish(list);
    return result;
}

/* All resources must belong to the stream's context. */
static CUresult find_stream(const struct list *list, CUstream handle, struct CUstream_st **stream)
{
    CUresult result = cup_stream_find(handle, stream);

    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < list->count && result == CUDA_SUCCESS; i++) {
        if (list->resources[i]->context != (*stream)->context)
            result =
                cup_error(CUDA_ERROR_INVALID_HANDLE, "resource %u belongs to another context", i);
    }
    /* The resources are validated first, so the entry point cannot check this. */
    if (result == CUDA_SUCCESS && (cup_call_hooks_load() & CUP_HOOK_CAPTURE))
        result = cup_capture_check_stream(CUP_CALL_REFUSED | CUP_CALL_UNSAFE, *stream);
    if (result != CUDA_SUCCESS)
        cup_stream_unref(*stream);
    return result;
}

CUresult impl_cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources,
                                     CUstream hStream)
{
    struct CUstream_st *stream;
    struct list list;
    CUresult result = list_init(&list, count, resources);

    if (result != CUDA_SUCCESS)
        return result;
    result = find_stream(&list, hStream, &stream);
    if (result == CUDA_SUCCESS) {
        result = cup_resources_map(list.count, list.resources);
        cup_stream_unref(stream);
    }
    list_finish(&list);
    return result;
}

CUresult impl_cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                       CUstream hStream)
{
    struct CUstream_st *stream;
    struct list list;
    CUresult result = list_init(&list, count, resources);

    if (result != CUDA_SUCCESS)
        return result;
    result = find_stream(&list, hStream, &stream);
    if (result == CUDA_SUCCESS) {
        result = cup_resources_unmap(list.count, list.resources, stream);
        cup_stream_unref(stream);
    }
    list_finish(&list);
    return result;
}

/* Finds a resource that is mapped. */
static CUresult find_mapped(CUgraphicsResource handle, struct CUgraphicsResource_st **resource)
{
    CUresult result = cup_resource_find(handle, resource);

    if (result != CUDA_SUCCESS || cup_resource_is_mapped(*resource))
        return result;
    cup_resource_unref(*resource);
    return cup_error(CUDA_ERROR_NOT_MAPPED, "%p is not mapped", (void *)handle);
}

/* Either output may be NULL; both are set to 0 on failure. */
CUresult impl_cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                                    CUgraphicsResource resource)
{
    struct CUgraphicsResource_st *found;
    CUdeviceptr pointer = 0;
    size_t size = 0;
    CUresult result = find_mapped(resource, &found);

    if (result == CUDA_SUCCESS) {
        if (found->ops->pointer)
            result = found->ops->pointer(found, &pointer, &size);
        else
            result = cup_error(CUDA_ERROR_NOT_MAPPED_AS_POINTER,
                               "an image has no pointer; use cuGraphicsSubResourceGetMappedArray");
        cup_resource_unref(found);
    }
    if (pDevPtr)
        *pDevPtr = pointer;
    if (pSize)
        *pSize = size;
    return result;
}

/* The first form, with 32-bit addresses. */
CUresult impl_cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1 *pDevPtr, unsigned int *pSize,
                                                 CUgraphicsResource resource)
{
    struct CUgraphicsResource_st *found;

    if (pDevPtr)
        *pDevPtr = 0;
    if (pSize)
        *pSize = 0;
    CUresult result = find_mapped(resource, &found);
    if (result != CUDA_SUCCESS)
        return result;
    cup_resource_unref(found);
    return cup_api_refuse_32bit();
}

CUresult impl_cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel)
{
    struct CUgraphicsResource_st *found;
    CUresult result = find_mapped(resource, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!found->ops->array)
        result = cup_error(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "a buffer is not an array");
    else if (!pArray)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the array is NULL");
    else
        result = found->ops->array(found, arrayIndex, mipLevel, pArray);
    cup_resource_unref(found);
    return result;
}

CUresult impl_cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
                                                        CUgraphicsResource resource)
{
    struct CUgraphicsResource_st *found;
    CUresult result = find_mapped(resource, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!found->ops->mipmap)
        result = cup_error(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "the resource is not a mipmapped array");
    else if (!pMipmappedArray)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the mipmapped array is NULL");
    else
        result = found->ops->mipmap(found, pMipmappedArray);
    cup_resource_unref(found);
    return result;
}

CUresult impl_cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags)
{
    struct CUgraphicsResource_st *found;
    CUresult result = cup_resource_find(resource, &found);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_resource_set_flags(found, flags);
    cup_resource_unref(found);
    return result;
}

CUresult impl_cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    struct CUgraphicsResource_st *found;
    CUresult result = cup_resource_find(resource, &found);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_resource_unregister(found);
    cup_resource_unref(found);
    return result;
}
