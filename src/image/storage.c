/* SPDX-License-Identifier: MIT */
/* Allocates, reserves and frees the memory of images. */
#include "image/storage.h"

#include "core/align.h"
#include "core/error.h"
#include "device/context.h"
#include "image/tiles.h"
#include "memory/heap.h"
#include "os/reserve.h"

enum { PAGE_BYTES = 65536 };

/* Flags of images that are created without memory. */
enum { WITHOUT_MEMORY = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING };

static CUresult reserve(struct cup_storage *storage, uint64_t size_bytes)
{
    storage->size_bytes = cup_align_up(size_bytes, PAGE_BYTES);
    void *space = cup_reserve_shared("cupipe array", storage->size_bytes, PAGE_BYTES, NULL);
    if (!space)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for an array of %llu bytes",
                         (unsigned long long)size_bytes);
    storage->address = (uint64_t)(uintptr_t)space;
    storage->heap = NULL;
    return CUDA_SUCCESS;
}

CUresult cup_storage_create(struct cup_storage *storage, struct CUctx_st *context, unsigned flags,
                            uint64_t size_bytes)
{
    struct cup_heap *heap = context->device->heap;

    if (flags & WITHOUT_MEMORY)
        return reserve(storage, size_bytes);
    CUresult result = cup_heap_allocate(heap, size_bytes, cup_object_index(&context->base),
                                        CUP_RANGE_HIDDEN, &storage->address);
    if (result != CUDA_SUCCESS)
        return result;
    storage->size_bytes = size_bytes;
    storage->heap = heap;
    return CUDA_SUCCESS;
}

void cup_storage_destroy(struct cup_storage *storage)
{
    if (storage->address == 0)
        return;
    if (storage->heap) {
        cup_heap_free(storage->heap, storage->address);
    } else {
        cup_tiles_destroy(storage->tiles);
        cup_reserve_release((void *)(uintptr_t)storage->address, storage->size_bytes);
    }
    storage->tiles = NULL;
    storage->address = 0;
}
