/* SPDX-License-Identifier: MIT */
/* The contents of sparse and deferred arrays while memory is mapped to them and afterwards. */
#include "map_array.h"

TEST(unmapped_tiles_read_as_zero_and_take_nothing)
{
    with_context();
    CUarray array = new_sparse(256, 256);
    put(array, 3, 3, 0, 5);
    check(get(array, 3, 3, 0) == 0);
    map_tile(array, 1, 1, new_pool(), 0);
    put(array, 3, 3, 0, 5);
    put(array, 128, 128, 0, 6);
    check(get(array, 3, 3, 0) == 0 && get(array, 128, 128, 0) == 6);
}

TEST(a_copy_across_tiles_stays_in_those_mapped)
{
    static unsigned values[256 * 256];
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = values,
                          .srcPitch = 1024,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = 1024,
                          .Height = 256};

    with_context();
    copy.dstArray = new_sparse(256, 256);
    map_tile(copy.dstArray, 0, 0, new_pool(), 0);
    memset(values, 0x42, sizeof(values));
    check_success(cuMemcpy2D(&copy));
    check(get(copy.dstArray, 127, 127, 0) == 0x42424242);
    check(get(copy.dstArray, 128, 0, 0) == 0 && get(copy.dstArray, 0, 128, 0) == 0);
}

TEST(bytes_stay_with_the_memory)
{
    with_context();
    CUarray array = new_sparse(512, 512), other = new_sparse(300, 300);
    CUmemGenericAllocationHandle pool = new_pool();
    struct region four = {0, 0, 0, 256, 256, 1};
    check_success(map(of_level(array, four, pool, 0)));
    for (unsigned i = 0; i < 4; i++)
        put(array, i % 2 * 128 + 1, i / 2 * 128 + 2, 0, 0xa0 + i);
    check_success(map(of_level(array, four, 0, 0)));
    check(get(array, 1, 2, 0) == 0);
    for (unsigned i = 0; i < 4; i++) {
        map_tile(array, 0, 0, pool, i);
        check(get(array, 1, 2, 0) == 0xa0 + i);
    }
    map_tile(other, 1, 0, pool, 2);
    check(get(other, 129, 2, 0) == 0xa2);
}

TEST(mapped_again_before_it_is_unmapped)
{
    with_context();
    CUarray array = new_sparse(512, 512), other = new_sparse(512, 512);
    CUmemGenericAllocationHandle pool = new_pool();
    map_tile(array, 0, 0, pool, 1);
    put(array, 0, 0, 0, 0x88);
    map_tile(other, 1, 0, pool, 1);
    check(get(other, 128, 0, 0) == 0x88 && get(array, 0, 0, 0) == 0x88);
    put(other, 128, 0, 0, 0x99);
    map_tile(array, 0, 0, 0, 0);
    check(get(other, 128, 0, 0) == 0x99);
    map_tile(other, 1, 0, pool, 2);
    map_tile(other, 0, 0, pool, 1);
    check(get(other, 0, 0, 0) == 0x99 && get(other, 128, 0, 0) == 0);
}

TEST(tiles_of_a_volume_go_x_then_y_then_z)
{
    struct region all = {0, 0, 0, 64, 64, 32}, one = {0, 0, 0, 32, 32, 16};

    with_context();
    CUarray array = new_array(describe(64, 64, 32, U32, 1, SPARSE));
    CUmemGenericAllocationHandle pool = new_pool();
    check_success(map(of_level(array, all, pool, 0)));
    for (unsigned i = 0; i < 8; i++)
        put(array, i % 2 * 32 + 5, i / 2 % 2 * 32 + 6, i / 4 * 16 + 7, 0xb0 + i);
    check_success(map(of_level(array, all, 0, 0)));
    for (unsigned i = 0; i < 8; i++) {
        check_success(map(of_level(array, one, pool, (unsigned long long)i * TILE)));
        check(get(array, 5, 6, 7) == 0xb0 + i);
    }
}

TEST(layers_are_mapped_one_by_one)
{
    with_context();
    CUarray array = new_array(describe(256, 256, 4, U32, 1, SPARSE | CUDA_ARRAY3D_LAYERED));
    CUarrayMapInfo info = of_level(array, first_tile, new_pool(), 0);
    info.subresource.sparseLevel.layer = 4;
    check_result(map(info), CUDA_ERROR_INVALID_VALUE);
    info.subresource.sparseLevel.layer = 3;
    check_success(map(info));
    put(array, 0, 0, 3, 4);
    put(array, 0, 0, 2, 4);
    check(get(array, 0, 0, 3) == 4 && get(array, 0, 0, 2) == 0);
}

TEST(levels_and_the_tail_of_a_mipmap)
{
    CUarray level, small;

    with_context();
    CUmipmappedArray mipmap = new_mipmap(describe(1024, 1024, 0, U32, 1, SPARSE), 11);
    CUmemGenericAllocationHandle pool = new_pool();
    CUarrayMapInfo info = of_mipmap(of_level(NULL, first_tile, pool, 0), mipmap);
    CUarrayMapInfo tail = of_mipmap(of_tail(NULL, 0, 0, TILE, pool, TILE), mipmap);
    info.subresource.sparseLevel.level = 3;
    check_success(map(info));
    info.subresource.sparseLevel.level = 4; /* smaller than a tile */
    check_result(map(info), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 3));
    check_success(cuMipmappedArrayGetLevel(&small, mipmap, 10));
    put(level, 127, 127, 0, 0xc3);
    put(small, 0, 0, 0, 0xc5);
    check(get(level, 127, 127, 0) == 0xc3 && get(small, 0, 0, 0) == 0);
    check_success(map(tail));
    put(small, 0, 0, 0, 0xc5);
    check(get(small, 0, 0, 0) == 0xc5);
    tail.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
    check_success(map(tail));
    check(get(small, 0, 0, 0) == 0);
    tail.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
    check_success(map(tail));
    check(get(small, 0, 0, 0) == 0xc5);
}

TEST(each_layer_has_its_tail)
{
    CUarray level;

    with_context();
    CUmipmappedArray mipmap =
        new_mipmap(describe(512, 512, 3, U32, 1, SPARSE | CUDA_ARRAY3D_LAYERED), 10);
    CUmemGenericAllocationHandle pool = new_pool();
    check_result(map(of_mipmap(of_tail(NULL, 3, 0, TILE, pool, 0), mipmap)),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(map(of_mipmap(of_tail(NULL, 2, 0, TILE, pool, 0), mipmap)));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 5));
    put(level, 15, 15, 2, 0xd2);
    put(level, 15, 15, 1, 0xd1);
    check(get(level, 15, 15, 2) == 0xd2 && get(level, 15, 15, 1) == 0);
}

TEST(memory_lives_until_it_is_unmapped)
{
    with_context();
    size_t before = memory_free();
    CUarray array = new_sparse(256, 256),
            whole = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    CUmemGenericAllocationHandle first = new_pool(), second = new_pool();
    map_tile(array, 0, 0, first, 0);
    check_success(map(of_level(whole, first_tile, second, 0)));
    check_success(cuMemRelease(first));
    check_success(cuMemRelease(second));
    check_success(cuCtxSynchronize());
    check(memory_free() == before - 2 * POOL);
    put(array, 1, 1, 0, 3);
    put(whole, 1, 1, 0, 4);
    check(get(array, 1, 1, 0) == 3 && get(whole, 1, 1, 0) == 4);
    map_tile(array, 0, 0, 0, 0);
    check_success(cuCtxSynchronize());
    check(memory_free() == before - POOL);
    check_success(cuArrayDestroy(whole));
    check(memory_free() == before);
}

TEST(destroying_an_array_leaves_bytes_in_the_memory)
{
    with_context();
    CUarray array = new_sparse(256, 256), other = new_sparse(256, 256);
    CUmemGenericAllocationHandle pool = new_pool();
    map_tile(array, 1, 0, pool, 5);
    put(array, 130, 1, 0, 77);
    check_success(cuArrayDestroy(array));
    map_tile(other, 0, 1, pool, 5);
    check(get(other, 2, 129, 0) == 77);
}

TEST(deferred_arrays_are_bound_whole_and_share_memory)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS needed;

    with_context();
    CUarray array = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    CUarray other = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    CUmemGenericAllocationHandle pool = new_pool();
    check_success(cuArrayGetMemoryRequirements(&needed, array, 0));
    check_success(map(of_tail(array, 0, 0, needed.size, pool, TILE)));
    check_success(map(of_level(other, first_tile, pool, TILE)));
    put(array, 255, 255, 0, 0x55);
    check(get(other, 255, 255, 0) == 0x55);
    put(other, 7, 8, 0, 0x56);
    check(get(array, 7, 8, 0) == 0x56);
    check_success(map(of_level(array, first_tile, pool, 8 * TILE)));
    check(get(array, 7, 8, 0) == 0 && get(other, 7, 8, 0) == 0x56);
    check_result(map(of_level(array, first_tile, pool, 4096)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, pool, POOL - TILE)), CUDA_ERROR_INVALID_VALUE);
    check_result(map(of_level(array, first_tile, new_memory(POOL, 0), 0)),
                 CUDA_ERROR_INVALID_VALUE);
}

/* Measured on an H200: the copy is accepted, and the device is lost. */
TEST(writing_an_unbound_deferred_array_fails)
{
    with_context();
    CUarray array = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    put(array, 9, 9, 0, 1);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(reading_an_unbound_deferred_array_fails)
{
    with_context();
    CUarray array = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    CUdeviceptr memory;
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuMemcpyAtoD(memory, array, 0, 64));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(deferred_arrays_can_be_bound_again)
{
    with_context();
    CUarray array = new_array(describe(256, 256, 0, U32, 1, DEFERRED));
    CUmemGenericAllocationHandle pool = new_pool();
    check_success(map(of_level(array, first_tile, pool, 0)));
    put(array, 9, 9, 0, 1);
    check(get(array, 9, 9, 0) == 1);
    check_success(map(of_level(array, first_tile, 0, 0)));
    check_success(map(of_level(array, first_tile, pool, 0)));
    check(get(array, 9, 9, 0) == 1);
}

TEST(deferred_mipmaps_are_bound_whole)
{
    CUarray first, last;

    with_context();
    CUmipmappedArray mipmap = new_mipmap(describe(512, 512, 0, U32, 1, DEFERRED), 10);
    check_success(map(of_mipmap(of_level(NULL, first_tile, new_pool(), 0), mipmap)));
    check_success(cuMipmappedArrayGetLevel(&first, mipmap, 0));
    check_success(cuMipmappedArrayGetLevel(&last, mipmap, 9));
    put(first, 511, 511, 0, 1);
    put(last, 0, 0, 0, 2);
    check(get(first, 511, 511, 0) == 1 && get(last, 0, 0, 0) == 2);
    check_success(cuMipmappedArrayDestroy(mipmap));
}

TEST(mapping_keeps_the_order_of_the_stream)
{
    unsigned written = 1, read = 7;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    CUarray array = new_sparse(256, 256);
    CUmemGenericAllocationHandle pool = new_pool();
    CUarrayMapInfo in = of_level(array, first_tile, pool, 0),
                   out = of_level(array, first_tile, 0, 0);
    check_success(cuMemMapArrayAsync(&in, 1, stream));
    check_success(cuMemcpyHtoAAsync(array, 0, &written, 4, stream));
    check_success(cuStreamSynchronize(stream));
    hold_until(stream, word);
    check_success(cuMemMapArrayAsync(&out, 1, stream));
    check_success(cuMemcpyAtoH(&read, array, 0, 4));
    check(read == 1); /* not unmapped yet */
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyAtoH(&read, array, 0, 4));
    check(read == 0);
}

struct user {
    CUcontext context;
    CUmemGenericAllocationHandle pool;
    unsigned page;
    CUarray shared;
};

static void *map_and_unmap(void *argument)
{
    const struct user *user = argument;
    struct region mine = {user->page % 2 * 128, user->page / 2 * 128, 0, 128, 128, 1};
    CUstream stream;

    check_success(cuCtxSetCurrent(user->context));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < 50; i++) {
        CUarray array = new_sparse(256, 256);
        CUarrayMapInfo in = of_level(array, first_tile, user->pool, user->page * TILE);
        CUarrayMapInfo beside = of_level(user->shared, mine, user->pool, (8 + user->page) * TILE);
        check_success(cuMemMapArrayAsync(&beside, 1, stream));
        check_success(cuMemMapArrayAsync(&in, 1, stream));
        check_success(cuStreamSynchronize(stream));
        check(get(array, 0, 0, 0) == i);
        put(array, 0, 0, 0, i + 1);
        check_success(cuArrayDestroy(array));
    }
    return NULL;
}

TEST(threads_map_pages_of_one_memory)
{
    pthread_t threads[4];
    struct user users[4];
    CUcontext context = with_context();
    CUmemGenericAllocationHandle pool = new_pool();
    CUarray shared = new_sparse(256, 256);

    for (unsigned i = 0; i < 4; i++) {
        users[i] = (struct user){context, pool, i, shared};
        check(pthread_create(&threads[i], NULL, map_and_unmap, &users[i]) == 0);
    }
    for (unsigned i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_success(cuArrayDestroy(shared));
}
