/* SPDX-License-Identifier: MIT */
/* Pools shared between processes: a pool is exported as a file descriptor, a pointer as 64 bytes.
 * The importer can use and free exported memory; it cannot allocate, nor get or set attributes. */
#include "impl.h"
#include "core/error.h"
#include "memory/map.h"
#include "memory/pool.h"
#include "memory/pool_file.h"

#include <string.h>

/* Only file descriptors are supported; the device lists other handle types, too. */
static CUresult check_kind(CUmemAllocationHandleType type, unsigned long long flags)
{
    if (flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%llx are not 0", flags);
    if (type == CU_MEM_HANDLE_TYPE_FABRIC)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "pools cannot be shared over a fabric: there is none");
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a pool cannot be exported as handle type 0x%x",
                         (unsigned)type);
    return CUDA_SUCCESS;
}

static CUresult export_pool(void *handle, struct CUmemPoolHandle_st *pool,
                            CUmemAllocationHandleType type, unsigned long long flags)
{
    int fd;

    if (!(pool->properties.handleTypes & (unsigned)type))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pool was not created for export as handle type 0x%x", (unsigned)type);
    CUresult result = check_kind(type, flags);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pool_file_export(pool->file, &fd);
    if (result == CUDA_SUCCESS) {
        atomic_store(&pool->is_exported, true);
        memcpy(handle, &fd, sizeof(fd));
    }
    return result;
}

CUresult impl_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                               CUmemAllocationHandleType handleType,
                                               unsigned long long flags)
{
    struct CUmemPoolHandle_st *found;

    if (!handle_out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "handle_out is NULL");
    CUresult result = cup_pool_find(pool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    result = export_pool(handle_out, found, handleType, flags);
    cup_pool_unref(found);
    return result;
}

CUresult impl_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                 CUmemAllocationHandleType handleType,
                                                 unsigned long long flags)
{
    struct cup_pool_file *file;
    CUmemPoolProps properties;

    if (!pool_out || !handle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pool_out or the handle is NULL");
    CUresult result = check_kind(handleType, flags);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pool_file_import((int)(intptr_t)handle, &file, &properties);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pool_create_imported(&properties, file, pool_out);
    if (result != CUDA_SUCCESS)
        cup_pool_file_close(file);
    return result;
}

CUresult impl_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    struct cup_range range;

    if (!shareData_out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "shareData_out is NULL");
    if (!cup_map_describe(ptr, &range) || range.base != ptr || !(range.flags & CUP_RANGE_POOL))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of memory of a pool",
                         (unsigned long long)ptr);
    return cup_pool_export_pointer(&range, shareData_out);
}

CUresult impl_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                     CUmemPoolPtrExportData *shareData)
{
    struct CUmemPoolHandle_st *found;
    uint64_t address;

    if (!ptr_out || !shareData)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "ptr_out or shareData is NULL");
    CUresult result = cup_pool_find(pool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pool_import_pointer(found, shareData, &address);
    if (result == CUDA_SUCCESS)
        *ptr_out = address;
    cup_pool_unref(found);
    return result;
}
