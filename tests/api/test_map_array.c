/* SPDX-License-Identifier: MIT */
/* Valid and invalid mappings of memory to sparse and deferred arrays. */
#include "map_array.h"

TEST(an_empty_list_is_wrong_even_before_init)
{
    CUarrayMapInfo info = {.flags = 0};

    check_result(cuMemMapArrayAsync(NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemMapArrayAsync(NULL, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemMapArrayAsync(&info, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemMapArrayAsync(&info, 1, NULL), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(without_a_context_a_stream_must_be_named)
{
    CUcontext context;
    CUstream stream;

    with_context();
    CUarrayMapInfo info = of_level(new_sparse(256, 256), first_tile, new_pool(), 0);
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuCtxPopCurrent(&context));
    check_result(cuMemMapArrayAsync(&info, 1, NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuMemMapArrayAsync(&info, 1, stream));
}

#define check_invalid(field, value)                                                                \
    do {                                                                                           \
        CUarrayMapInfo wrong = valid;                                                              \
        wrong.field = (value);                                                                     \
        check_result(map(wrong), CUDA_ERROR_INVALID_VALUE);                                        \
    } while (0)

TEST(every_field_counts)
{
    with_context();
    CUarray array = new_sparse(1024, 1024);
    CUarrayMapInfo valid = of_level(array, first_tile, new_pool(), 0);

    check_success(map(valid));
    check_invalid(resourceType, CU_RESOURCE_TYPE_LINEAR);
    check_invalid(resourceType, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
    check_invalid(resource.array, NULL);
    check_invalid(subresourceType, (CUarraySparseSubresourceType)2);
    check_invalid(memOperationType, (CUmemOperationType)0);
    check_invalid(memOperationType, (CUmemOperationType)3);
    check_invalid(memHandleType, (CUmemHandleType)1);
    check_invalid(flags, 1);
    check_invalid(reserved[0], 1);
    check_invalid(reserved[1], 1);
    check_invalid(deviceBitMask, 0);
    check_invalid(deviceBitMask, 2);
    check_invalid(deviceBitMask, 3);
    check_invalid(subresource.sparseLevel.layer, 1);
    check_invalid(subresource.sparseLevel.level, 1);
    check_invalid(offset, 4096);
    check_invalid(offset, TILE / 2);
    check_invalid(offset, POOL);
    check_invalid(memHandle.memHandle, new_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL << 1));
}

TEST(regions_consist_of_tiles)
{
    static const struct {
        struct region region;
        bool valid;
    } rows[] = {
        {{0, 0, 0, 128, 128, 1}, true},    {{896, 896, 0, 104, 104, 1}, true},
        {{0, 0, 0, 1000, 1000, 1}, true},  {{0, 0, 0, 1024, 1024, 1}, false},
        {{896, 0, 0, 128, 128, 1}, false}, {{896, 0, 0, 100, 128, 1}, false},
        {{64, 0, 0, 128, 128, 1}, false},  {{0, 64, 0, 128, 128, 1}, false},
        {{0, 0, 1, 128, 128, 1}, false},   {{0, 0, 0, 128, 128, 2}, false},
        {{0, 0, 0, 0, 128, 1}, false},     {{0, 0, 0, 128, 0, 1}, false},
        {{0, 0, 0, 128, 128, 0}, false},   {{1024, 0, 0, 128, 128, 1}, false},
    };

    with_context();
    CUarray array = new_sparse(1000, 1000);
    CUmemGenericAllocationHandle pool = new_pool();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CUresult expected = rows[i].valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        check_result(map(of_level(array, rows[i].region, pool, 0)), expected);
        check_result(map(of_level(array, rows[i].region, 0, 0)), expected);
    }
}

TEST(arithmetic_does_not_wrap)
{
    struct region wrapping = {0xffffff80, 0, 0, 256, 128, 1};

    with_context();
    only_cupipe();
    CUarray array = new_sparse(1024, 1024);
    CUmemGenericAllocationHandle pool = new_pool();
    check_result(map(of_level(array, wrapping, pool, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, pool, ~0ull << 16)), CUDA_ERROR_INVALID_VALUE);
}

TEST(bad_handles_are_invalid_values)
{
    with_context();
    only_cupipe();
    CUarray gone = new_sparse(256, 256), array = new_sparse(256, 256);
    CUmemGenericAllocationHandle pool = new_pool(), released = new_pool();
    check_success(cuArrayDestroy(gone));
    check_success(cuMemRelease(released));
    CUarrayMapInfo nothing = of_level(array, first_tile, 0, 0);
    nothing.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
    check_result(map(of_level(gone, first_tile, pool, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, released, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, 0x1234, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(nothing), CUDA_ERROR_INVALID_VALUE);
}

TEST(arrays_with_memory_and_parts_are_refused)
{
    CUarray level;

    with_context();
    CUmemGenericAllocationHandle pool = new_pool();
    CUmipmappedArray mipmap = new_mipmap(describe(1024, 1024, 0, U32, 1, SPARSE), 11);
    CUarray plain = new_array(describe(1024, 1024, 0, U32, 1, 0));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    check_result(map(of_level(plain, first_tile, pool, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(level, first_tile, pool, 0)), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_bad_entry_spoils_the_whole_list)
{
    with_context();
    CUarray array = new_sparse(256, 256);
    CUmemGenericAllocationHandle pool = new_pool();
    CUarrayMapInfo list[2] = {of_level(array, first_tile, pool, 0),
                              of_level(array, first_tile, pool, 1)};
    check_result(cuMemMapArrayAsync(list, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    put(array, 0, 0, 0, 7);
    check(get(array, 0, 0, 0) == 0);
}

/* One block of 8 bytes, the second in a row, to an array or from it. */
static uint64_t copy_block(CUarray to, CUarray from, size_t row, uint64_t block)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = from ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .srcArray = from,
        .srcHost = &block,
        .dstMemoryType = to ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .dstArray = to,
        .dstHost = &block,
        .WidthInBytes = sizeof(block),
        .Height = 1,
    };

    *(to ? &copy.dstXInBytes : &copy.srcXInBytes) = sizeof(block);
    *(to ? &copy.dstY : &copy.srcY) = row;
    check_success(cuMemcpy2D(&copy));
    copy.WidthInBytes = 4; /* blocks are copied whole */
    check_result(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    return block;
}

TEST(compressed_formats_count_pixels)
{
    struct region tile = {0, 0, 0, 512, 256, 1}, blocks = {0, 0, 0, 128, 64, 1};
    CUDA_ARRAY_SPARSE_PROPERTIES properties;

    with_context();
    CUarray array = new_array(describe(1024, 1024, 0, CU_AD_FORMAT_BC1_UNORM, 4, SPARSE));
    CUmemGenericAllocationHandle pool = new_pool();
    check_success(cuArrayGetSparseProperties(&properties, array));
    check(properties.tileExtent.width == 512 && properties.tileExtent.height == 256);
    check_success(map(of_level(array, tile, pool, 0)));
    check_result(map(of_level(array, blocks, pool, 0)), CUDA_ERROR_INVALID_VALUE);
    copy_block(array, NULL, 63, 9);
    copy_block(array, NULL, 64, 9);
    check(copy_block(NULL, array, 63, 1) == 9 && copy_block(NULL, array, 64, 1) == 0);
}

TEST(pages_of_a_tail)
{
    static const struct {
        unsigned layer;
        unsigned long long at, bytes, offset;
        bool valid;
    } rows[] = {
        {0, 0, TILE, 0, true},
        {0, TILE, TILE, 0, true},
        {0, 0, 5 * TILE, 0, true},
        {0, 0, 6 * TILE, 0, false},
        {0, 4 * TILE, TILE, 0, true},
        {0, 5 * TILE, TILE, 0, false},
        {0, 0, 0, 0, false},
        {0, 0, 4096, 0, false},
        {0, 4096, TILE, 0, false},
        {0, 0, TILE, 4096, false},
        {0, 0, TILE, POOL, false},
        {1, 0, TILE, 0, false},
        {0, ~0ull << 16, TILE, 0, false},
    };

    with_context();
    CUarray array = new_sparse(100, 600); /* narrower than a tile: all of it is tail */
    CUmemGenericAllocationHandle pool = new_pool();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_result(
            map(of_tail(array, rows[i].layer, rows[i].at, rows[i].bytes, pool, rows[i].offset)),
            rows[i].valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, pool, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_tail(new_sparse(256, 256), 0, 0, TILE, pool, 0)), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_memory_of_a_tile_pool_has_no_address)
{
    CUdeviceptr address;

    with_context();
    check_success(cuMemAddressReserve(&address, POOL, 0, 0, 0));
    check_result(cuMemMap(address, POOL, 0, new_pool(), 0), CUDA_ERROR_INVALID_VALUE);
}
