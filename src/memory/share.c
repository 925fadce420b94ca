/* SPDX-License-Identifier: MIT */
/* Finds the heap that an allocation is in. A heap that is a file of its pool is shared as that
 * file; memory of any other heap moves to a file of its own (share_piece.h). */
#include "memory/share.h"

#include "core/error.h"
#include "memory/heap.h"
#include "memory/heap_file.h"
#include "memory/share_piece.h"

/* False when the memory is in a pool's file. */
static bool backing_of(const struct cup_range *range, struct cup_share_backing *backing)
{
    struct cup_region *region = cup_map_region(range->base);

    if (!region || region->find != cup_heap_find)
        return false;
    *backing = cup_heap_backing((const struct cup_heap *)region);
    return true;
}

CUresult cup_share_block(const struct cup_range *range, struct cup_ipcfile_handle *handle)
{
    struct cup_share_backing backing;

    if (!backing_of(range, &backing))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "memory of a pool cannot be shared by an IPC handle");
    return cup_share_piece_block(&backing, range, handle);
}

CUresult cup_share_range(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd)
{
    struct cup_share_backing backing;

    if (!backing_of(range, &backing))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the memory is already in a file of its own");
    return cup_share_piece_range(&backing, range, address, size_bytes, fd);
}

CUresult cup_share_file(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                        int *fd, uint64_t *offset)
{
    struct cup_share_backing backing;
    CUresult result = CUDA_SUCCESS;

    if (backing_of(range, &backing))
        result = cup_share_piece_file(&backing, address, size_bytes, fd, offset);
    else if (!cup_heap_file_share(address, fd, offset))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "freed by another thread");
    if (result == CUDA_SUCCESS && *fd < 0)
        result = cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    return result;
}

CUresult cup_share_place(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd, uint64_t *offset)
{
    struct cup_share_backing backing;

    if (backing_of(range, &backing))
        return cup_share_piece_place(&backing, address, size_bytes, fd, offset);
    if (!cup_heap_file_place(address, fd, offset))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "freed by another thread");
    return CUDA_SUCCESS;
}
