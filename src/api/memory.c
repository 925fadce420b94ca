/* SPDX-License-Identifier: MIT */
/* Device memory: allocate, free, query. */
#include "core/align.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "impl.h"
#include "memory/external_mapping.h"
#include "memory/graph_memory.h"
#include "memory/heap.h"
#include "memory/managed.h"
#include "memory/map.h"
#include "memory/owner.h"
#include "memory/pool.h"

enum { PITCH_ALIGN = 512 };

CUresult impl_cuMemGetInfo_v2(size_t *free, size_t *total)
{
    struct cup_heap *heap = cup_context_current()->device->heap;

    if (free)
        *free = cup_heap_free_bytes(heap);
    if (total)
        *total = heap->limit_bytes;
    return CUDA_SUCCESS;
}

/* Not in any header; NVIDIA's driver answers this whatever it is asked, even before cuInit. */
CUresult impl_cuMemGetAttribute_v2(void *first, void *second, void *third)
{
    (void)first;
    (void)second;
    (void)third;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "memory has no attributes of this kind");
}

/* Outputs are zeroed before the check for a context. */
CUresult impl_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    struct CUctx_st *context;
    uint64_t address = 0;

    if (dptr)
        *dptr = 0;
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    if (bytesize == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0 bytes requested");
    context = cup_context_current();
    result = cup_heap_allocate(context->device->heap, bytesize, cup_object_index(&context->base), 0,
                               &address);
    if (result == CUDA_SUCCESS)
        *dptr = address;
    return result;
}

/* Sizes wrap at 2^64 as in NVIDIA's driver; a product of 0 is then an allocation of size 0. */
CUresult impl_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
                                 size_t Height, unsigned int ElementSizeBytes)
{
    size_t pitch = cup_align_up(WidthInBytes, PITCH_ALIGN);

    if (dptr)
        *dptr = 0;
    if (pPitch)
        *pPitch = 0;
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!dptr || !pPitch)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "an output is NULL");
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "element size %u is not 4, 8 or 16",
                         ElementSizeBytes);
    if (pitch == 0 || Height == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu x %zu bytes requested", WidthInBytes,
                         Height);
    *pPitch = pitch;
    return impl_cuMemAlloc_v2(dptr, pitch * Height);
}

CUresult impl_cuMemFree_v2(CUdeviceptr dptr)
{
    struct CUctx_st *context = cup_context_current();
    struct cup_span span;
    CUresult result = context ? cup_context_usable(context) : CUDA_SUCCESS;

    if (result != CUDA_SUCCESS || dptr == 0)
        return result;
    if (!cup_map_find(dptr, &span) || span.base != dptr || (span.flags & CUP_RANGE_VARIABLE) ||
        (span.kind != CUP_RANGE_DEVICE && span.kind != CUP_RANGE_MANAGED &&
         span.kind != CUP_RANGE_EXTERNAL && span.kind != CUP_RANGE_GRAPH &&
         !(span.flags & CUP_RANGE_POOL)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of an allocation",
                         (unsigned long long)dptr);
    if (span.flags & CUP_RANGE_POOL)
        return cup_pool_free(dptr, NULL);
    if (span.kind == CUP_RANGE_EXTERNAL)
        return cup_extmem_unmap(dptr);
    if (span.kind == CUP_RANGE_GRAPH) {
        if (context)
            cup_context_synchronize(context);
        return cup_graphmem_free(dptr, NULL);
    }
    struct cup_heap *heap = (struct cup_heap *)cup_map_region(dptr);
    cup_owner_wait(cup_heap_owner(heap, dptr));
    result = cup_context_look_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (!(span.kind == CUP_RANGE_MANAGED ? cup_managed_free(dptr) : cup_heap_free(heap, dptr)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx was freed by another thread",
                         (unsigned long long)dptr);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    struct cup_span span;

    if (pbase)
        *pbase = 0;
    if (psize)
        *psize = 0;
    if (!pbase && !psize)
        return CUDA_SUCCESS;
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_map_find(dptr, &span) || (span.flags & CUP_RANGE_NO_READ))
        return cup_error(CUDA_ERROR_NOT_FOUND, "0x%llx is not CUDA memory, or cannot be read",
                         (unsigned long long)dptr);
    if (pbase)
        *pbase = span.base;
    if (psize)
        *psize = span.size_bytes;
    return CUDA_SUCCESS;
}
