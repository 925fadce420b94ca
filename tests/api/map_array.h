/* SPDX-License-Identifier: MIT */
/* Mapping memory to arrays in one line. The tile of an array of 32-bit numbers is 128 x 128, in 3D
 * 32 x 32 x 16. */
#ifndef MAP_ARRAY_H
#define MAP_ARRAY_H

#include "images.h"

enum { TILE = 65536, POOL = 4 << 20 };

#define U32 CU_AD_FORMAT_UNSIGNED_INT32
#define SPARSE CUDA_ARRAY3D_SPARSE
#define DEFERRED CUDA_ARRAY3D_DEFERRED_MAPPING

static inline CUmemGenericAllocationHandle new_memory(size_t bytes, unsigned usage)
{
    CUmemGenericAllocationHandle memory;
    CUmemAllocationProp wanted = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
        .allocFlags = {.usage = (unsigned short)usage},
    };

    check_success(cuMemCreate(&memory, bytes, &wanted, 0));
    return memory;
}

static inline CUmemGenericAllocationHandle new_pool(void)
{
    return new_memory(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
}

struct region {
    unsigned x, y, z, width, height, depth;
};

static const struct region first_tile = {0, 0, 0, 128, 128, 1};

/* Without memory it unmaps. */
static inline CUarrayMapInfo of_level(CUarray array, struct region region,
                                      CUmemGenericAllocationHandle memory,
                                      unsigned long long offset)
{
    return (CUarrayMapInfo){
        .resourceType = CU_RESOURCE_TYPE_ARRAY,
        .resource.array = array,
        .subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
        .subresource.sparseLevel = {0, 0, region.x, region.y, region.z, region.width, region.height,
                                    region.depth},
        .memOperationType = memory ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP,
        .memHandleType = CU_MEM_HANDLE_TYPE_GENERIC,
        .memHandle.memHandle = memory,
        .offset = offset,
        .deviceBitMask = 1,
    };
}

static inline CUarrayMapInfo of_tail(CUarray array, unsigned layer, unsigned long long at,
                                     unsigned long long bytes, CUmemGenericAllocationHandle memory,
                                     unsigned long long offset)
{
    CUarrayMapInfo info = of_level(array, first_tile, memory, offset);

    info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
    memset(&info.subresource, 0, sizeof(info.subresource));
    info.subresource.miptail.layer = layer;
    info.subresource.miptail.offset = at;
    info.subresource.miptail.size = bytes;
    return info;
}

static inline CUarrayMapInfo of_mipmap(CUarrayMapInfo info, CUmipmappedArray mipmap)
{
    info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    info.resource.mipmap = mipmap;
    return info;
}

static inline CUresult map(CUarrayMapInfo info)
{
    return cuMemMapArrayAsync(&info, 1, NULL);
}

static inline void map_tile(CUarray array, unsigned x, unsigned y,
                            CUmemGenericAllocationHandle memory, unsigned page)
{
    struct region region = {x * 128, y * 128, 0, 128, 128, 1};

    check_success(map(of_level(array, region, memory, (unsigned long long)page * TILE)));
}

static inline void copy_one(CUarray to, CUarray from, unsigned *value, size_t x, size_t y, size_t z)
{
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = from ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .srcArray = from,
        .srcHost = value,
        .dstMemoryType = to ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .dstArray = to,
        .dstHost = value,
        .WidthInBytes = sizeof(*value),
        .Height = 1,
        .Depth = 1,
    };

    *(to ? &copy.dstXInBytes : &copy.srcXInBytes) = x * sizeof(*value);
    *(to ? &copy.dstY : &copy.srcY) = y;
    *(to ? &copy.dstZ : &copy.srcZ) = z;
    check_success(cuMemcpy3D(&copy));
}

static inline void put(CUarray array, size_t x, size_t y, size_t z, unsigned value)
{
    copy_one(array, NULL, &value, x, y, z);
}

static inline unsigned get(CUarray array, size_t x, size_t y, size_t z)
{
    unsigned value = 0xdeadbeef;

    copy_one(NULL, array, &value, x, y, z);
    return value;
}

static inline CUarray new_sparse(size_t width, size_t height)
{
    return new_array(describe(width, height, 0, U32, 1, SPARSE));
}

#endif
