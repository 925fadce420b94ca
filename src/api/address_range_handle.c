/* SPDX-License-Identifier: MIT */
/* Exports a range of device memory as a descriptor: a dma-buf where the kernel creates dma-bufs
 * from memory files, otherwise a memory file of exactly the range. */
#include "impl.h"
#include "core/align.h"
#include "core/error.h"
#include "core/precondition.h"
#include "memory/granule.h"
#include "memory/map.h"
#include "memory/share.h"
#include "memory/virtual.h"
#include "os/dma_buffer.h"
#include "os/page.h"

#include <unistd.h>

/* Creates a dma-buf from the file that holds the memory. Takes ownership of the descriptor. */
static int dma_buffer_from(int file, uint64_t offset, size_t size)
{
    int made = cup_dma_buffer_create(file, offset, size);

    close(file);
    return made;
}

static CUresult export_allocation(const struct cup_range *range, uint64_t address, size_t size,
                                  int *fd)
{
    uint64_t offset;
    int file;

    if (cup_share_file(range, address, size, &file, &offset) == CUDA_SUCCESS &&
        (*fd = dma_buffer_from(file, offset, size)) >= 0)
        return CUDA_SUCCESS;
    return cup_share_range(range, address, size, fd);
}

/* The end of the range that may be exported from this allocation. Memory after the allocation in
 * its block may be exported with it, as NVIDIA's driver does. In a pool's block only the
 * allocation's own chunks count, because a chunk that is returned ends all exports of it. */
static uint64_t export_end(const struct cup_range *range)
{
    uint64_t end = range->base + range->size_bytes;
    uint64_t chunks_end = cup_align_up(end, CUP_CHUNK_BYTES);
    uint64_t block_end = range->block_base + range->block_bytes;

    if (range->kind == CUP_RANGE_VIRTUAL || block_end < end)
        return end;
    return chunks_end < block_end ? chunks_end : block_end;
}

static CUresult export_range(uint64_t address, size_t size, unsigned long long flags, int *fd)
{
    struct cup_range range;

    if (!cup_map_describe(address, &range) ||
        (range.kind != CUP_RANGE_DEVICE && range.kind != CUP_RANGE_VIRTUAL) ||
        !cup_range_on_device(range.kind, range.flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "0x%llx is not device memory that can be exported",
                         (unsigned long long)address);
    struct cup_span span = cup_range_span(&range);
    span.size_bytes = export_end(&range) - range.base;
    if (!cup_map_holds(&span, address, size, 0))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu bytes exceed the memory", size);
    if (flags)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the memory cannot be mapped over PCIe");
    if (range.kind == CUP_RANGE_VIRTUAL)
        return cup_virtual_share(address, size, fd);
    return export_allocation(&range, address, size, fd);
}

static bool is_whole_pages(uint64_t address, size_t size)
{
    uint64_t page = cup_page_bytes();

    return size != 0 && size % page == 0 && address % page == 0;
}

CUresult impl_cuMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
                                            CUmemRangeHandleType handleType,
                                            unsigned long long flags)
{
    int *out = handle, fd = -1;

    if (!handle || !dptr ||
        (flags & ~(unsigned long long)CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE) ||
        !is_whole_pages(dptr, size))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "an argument is NULL, unknown or not a multiple of the page size");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid handle type %d", (int)handleType);
    *out = -1;
    result = export_range(dptr, size, flags, &fd);
    if (result == CUDA_SUCCESS)
        *out = fd;
    return result;
}
