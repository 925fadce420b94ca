/* SPDX-License-Identifier: MIT */
/* Memory pools: usage counters, lifetimes of memory and pools, default and current pools. Reuse of
 * memory is in test_pool_order.c, sharing between processes in test_pool_share.c. */
#include "pools.h"

TEST(nothing_is_an_allocation_of_nothing)
{
    CUdeviceptr ptr = 7;

    with_context();
    check_success(cuMemAllocAsync(&ptr, 0, 0));
    check(ptr == 0);
    check_success(cuMemFreeAsync(0, 0));
    check_result(cuMemAllocAsync(NULL, 64, 0), CUDA_ERROR_INVALID_VALUE);
    check_counts(default_pool(), 0, 0);
}

TEST(a_stream_is_needed_before_all_else)
{
    CUdeviceptr ptr = 7;

    check_result(cuMemAllocAsync(&ptr, 64, 0), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuMemAllocAsync(NULL, 64, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuMemFreeAsync(0, 0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(memory_is_counted_as_asked_for_and_reserved_in_blocks)
{
    static const struct {
        size_t bytes, reserved;
    } rows[] = {
        {1, BLOCK}, {513, BLOCK}, {MIB, BLOCK}, {2 * MIB + 1, BLOCK}, {33 * MIB, 2 * BLOCK}};
    CUmemoryPool pool;

    with_context();
    pool = default_pool();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CUdeviceptr ptr = allocate(rows[i].bytes, 0), base;
        size_t bytes;
        check(ptr % 512 == 0);
        check_success(cuMemGetAddressRange(&base, &bytes, ptr + rows[i].bytes - 1));
        check(base == ptr && bytes == rows[i].bytes);
        check_result(cuMemGetAddressRange(&base, &bytes, ptr + rows[i].bytes),
                     CUDA_ERROR_NOT_FOUND);
        check_counts(pool, rows[i].reserved, rows[i].bytes);
        check_success(cuMemFreeAsync(ptr, 0));
        check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0);
        check_success(cuStreamSynchronize(0));
        check_counts(pool, 0, 0);
    }
}

/* A pool grows at its end, where what is free counts. */
TEST(a_pool_grows_behind_what_it_has)
{
    CUmemoryPool pool;
    CUdeviceptr small, large, larger;

    with_context();
    pool = default_pool();
    small = allocate(1000, 0);
    large = allocate(40 * MIB, 0);
    check_counts(pool, 2 * BLOCK, 40 * MIB + 1000);
    larger = allocate(100 * MIB, 0);
    check_counts(pool, 5 * BLOCK, 140 * MIB + 1000);
    check_success(cuMemFreeAsync(large, 0));
    check_success(cuMemFreeAsync(small, 0));
    check_success(cuMemFreeAsync(larger, 0));
    check_success(cuStreamSynchronize(0));
    check_counts(pool, 0, 0);
}

TEST(reserved_memory_is_the_devices)
{
    size_t before, during, after, total;

    with_context();
    check_success(cuMemGetInfo(&before, &total));
    CUdeviceptr ptr = allocate(1, 0);
    check_success(cuMemGetInfo(&during, &total));
    check(before - during == BLOCK);
    check_success(cuMemFreeAsync(ptr, 0));
    check_success(cuCtxSynchronize());
    check_success(cuMemGetInfo(&after, &total));
    check(after == before);
}

TEST(highs_stay_until_they_are_reset)
{
    CUdeviceptr first, second;
    cuuint64_t value = 0;
    CUmemoryPool pool;
    CUstream other;

    with_context();
    pool = default_pool();
    other = new_stream(CU_STREAM_NON_BLOCKING);
    first = allocate(40 * MIB, 0);
    second = allocate(1000, other);
    check_success(cuMemFreeAsync(first, 0));
    check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 40 * MIB + 1000);
    check_success(cuStreamSynchronize(0));
    check(wide(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) >= 2 * BLOCK);
    check_success(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    check_success(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value));
    check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) <= 1000);
    check(wide(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) <= BLOCK);
    value = 1;
    check_result(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFreeAsync(second, other));
}

/* However the calls are spread over threads, what is used at one time is the high. */
static void *use_once(void *argument)
{
    CUcontext context = argument;

    check_success(cuCtxSetCurrent(context));
    for (int i = 0; i < 100; i++)
        check_success(cuMemFreeAsync(allocate(4096, CU_STREAM_PER_THREAD), CU_STREAM_PER_THREAD));
    return NULL;
}

TEST(high_is_exact_over_threads_one_after_the_other)
{
    CUcontext context = with_context();
    CUmemoryPool pool = default_pool();

    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, use_once, context) == 0);
        check(pthread_join(thread, NULL) == 0);
    }
    check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0);
    check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 4096);
}

TEST(memory_above_the_threshold_goes_back_when_the_program_synchronises)
{
    CUmemoryPool pool;
    CUevent event;

    with_context();
    event = new_event(0);
    pool = new_pool(0);
    check_success(cuMemFreeAsync(allocate_from(pool, 64 * MIB, 0), 0));
    check_counts(pool, 2 * BLOCK, 0);
    check_success(cuEventRecord(event, 0));
    check_success(cuEventSynchronize(event));
    check_counts(pool, 0, 0);
    keep_everything(pool);
    check_success(cuMemFreeAsync(allocate_from(pool, 64 * MIB, 0), 0));
    check_success(cuStreamSynchronize(0));
    check_success(cuCtxSynchronize());
    check_counts(pool, 2 * BLOCK, 0);
    check_success(cuMemPoolTrimTo(pool, BLOCK));
    check_counts(pool, BLOCK, 0);
    check_success(cuMemPoolTrimTo(pool, SIZE_MAX));
    check_counts(pool, BLOCK, 0);
    check_success(cuMemPoolTrimTo(pool, 0));
    check_counts(pool, 0, 0);
    check_success(cuMemPoolDestroy(pool));
}

TEST(a_block_in_use_is_not_trimmed)
{
    CUmemoryPool pool;
    CUdeviceptr kept;

    with_context();
    pool = new_pool(0);
    kept = allocate_from(pool, 100, 0);
    check_success(cuMemFreeAsync(allocate_from(pool, 64 * MIB, 0), 0));
    check_success(cuStreamSynchronize(0));
    check_counts(pool, BLOCK, 100);
    check_success(cuMemsetD8(kept, 1, 100));
    check_success(cuMemFreeAsync(kept, 0));
}

TEST(a_pool_has_a_largest_size)
{
    CUdeviceptr ptr = 7;
    CUmemoryPool pool;

    with_context();
    pool = new_pool(8 * MIB);
    allocate_from(pool, 4 * MIB, 0);
    check_result(cuMemAllocFromPoolAsync(&ptr, 64 * MIB, pool, 0), CUDA_ERROR_OUT_OF_MEMORY);
    check(ptr == 0);
    check_result(cuMemAllocFromPoolAsync(&ptr, SIZE_MAX, pool, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

/* Freeing. */

TEST(memory_is_freed_once)
{
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(4096, 0);
    check_result(cuMemFreeAsync(ptr + 512, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFreeAsync(ptr, 0));
    check_result(cuMemFreeAsync(ptr, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeAsync(0x123456000, 0), CUDA_ERROR_INVALID_VALUE);
    ptr = allocate(3 * MIB, 0);
    check_success(cuMemFree(ptr));
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(plain_memory_freed_in_a_stream_goes_when_the_program_synchronises)
{
    CUdeviceptr ptr, base;
    size_t bytes;

    with_context();
    check_success(cuMemAlloc(&ptr, 4096));
    check_success(cuMemFreeAsync(ptr, 0));
    check_success(cuStreamSynchronize(0));
    check_result(cuMemGetAddressRange(&base, &bytes, ptr), CUDA_ERROR_NOT_FOUND);
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);

    check_success(cuMemAlloc(&ptr, 4096));
    check_success(cuMemFreeAsync(ptr, 0));
    check_success(cuMemFree(ptr));
    check_success(cuMemAlloc(&base, 4096)); /* at the same place: not to be taken for the other */
    check_success(cuStreamSynchronize(0));
    check_success(cuMemFree(base));
}

TEST(host_memory_is_not_freed_in_a_stream)
{
    void *pinned;

    with_context();
    check_success(cuMemHostAlloc(&pinned, 4096, 0));
    check_result(cuMemFreeAsync(address_of(pinned), 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFreeHost(pinned));
}

/* Pools. */

TEST(properties_are_checked)
{
    CUmemPoolProps properties, good;
    CUmemoryPool pool;

    with_context();
    good = properties = properties_of(0);
    check_result(cuMemPoolCreate(NULL, &good), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolCreate(&pool, NULL), CUDA_ERROR_INVALID_VALUE);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = properties_of(99);
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = good;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = good;
    properties.reserved[sizeof(properties.reserved) - 1] = 1;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = good;
    properties.maxSize = SIZE_MAX;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(handles_that_are_none_are_refused)
{
    static char zeros[65536];
    CUmemoryPool pools[] = {NULL, (CUmemoryPool)(uintptr_t)0x1234, (CUmemoryPool)zeros, NULL};
    CUdeviceptr ptr;
    cuuint64_t value;

    with_context();
    only_cupipe();
    pools[3] = new_pool(0);
    check_success(cuMemPoolDestroy(pools[3]));
    for (int i = 0; i < 4; i++) {
        check_result(cuMemPoolGetAttribute(pools[i], 4, &value), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemPoolTrimTo(pools[i], 0), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemPoolDestroy(pools[i]), CUDA_ERROR_INVALID_VALUE);
        check_result(cuDeviceSetMemPool(0, pools[i]), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemAllocFromPoolAsync(&ptr, 64, pools[i], 0), CUDA_ERROR_INVALID_VALUE);
    }
    check_result(cuMemPoolDestroy(default_pool()), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_current_pool_of_a_device_can_be_set)
{
    CUmemoryPool pool, current;

    with_context();
    pool = new_pool(0);
    check_success(cuDeviceSetMemPool(0, pool));
    check_success(cuDeviceGetMemPool(&current, 0));
    check(current == pool);
    CUdeviceptr ptr = allocate(100, 0);
    check_counts(pool, BLOCK, 100);
    check_success(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr));
    check(current == pool);
    check_success(cuMemPoolDestroy(pool));
    check_success(cuDeviceGetMemPool(&current, 0));
    check(current == default_pool());
    check_success(cuMemsetD8(ptr, 3, 100));
    check_success(cuMemFreeAsync(ptr, 0));
}

TEST(a_destroyed_pool_gives_all_back_when_its_last_memory_is_free)
{
    size_t before, after, total;
    CUmemoryPool pool;
    atomic_uint *word;
    CUstream stream;

    with_context();
    word = pinned_words(1);
    check_success(cuMemGetInfo(&before, &total));
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    pool = new_pool(0);
    keep_everything(pool);
    CUdeviceptr small = allocate_from(pool, 100, stream),
                large = allocate_from(pool, 5 * MIB, stream);
    hold_until(stream, word);
    check_success(cuMemFreeAsync(small, stream));
    check_success(cuMemPoolDestroy(pool));
    check_success(cuMemFreeAsync(large, stream));
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemGetInfo(&after, &total));
    check(after == before);
}

TEST(pools_come_and_go)
{
    with_context();
    for (int i = 0; i < 1000; i++) {
        CUmemoryPool pool = new_pool(0);
        CUdeviceptr ptr = allocate_from(pool, 64 * KIB, 0);
        check_success(cuMemFreeAsync(ptr, 0));
        check_success(cuMemPoolDestroy(pool));
    }
}

TEST(there_are_pools_of_the_host_and_of_managed_memory)
{
    static const CUmemAllocationType types[] = {CU_MEM_ALLOCATION_TYPE_PINNED,
                                                CU_MEM_ALLOCATION_TYPE_MANAGED};
    CUmemLocation host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUstream stream;

    with_context();
    only_cupipe();
    stream = new_stream(0);
    for (int i = 0; i < 2; i++) {
        CUmemoryPool pool, current;
        unsigned managed = 7;
        check_success(cuMemGetDefaultMemPool(&pool, &host, types[i]));
        check_success(cuMemGetMemPool(&current, &host, types[i]));
        check(current == pool && pool != default_pool());
        CUdeviceptr ptr = allocate_from(pool, 4096, stream);
        check_success(cuMemsetD8Async(ptr, 7, 4096, stream));
        check_success(cuStreamSynchronize(stream));
        check(((unsigned char *)(uintptr_t)ptr)[4095] == 7);
        check_success(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr));
        check(managed == (types[i] == CU_MEM_ALLOCATION_TYPE_MANAGED));
        check_success(cuMemFreeAsync(ptr, stream));
        ptr = allocate_from(pool, 4096, stream);
        check_result(cuMemFreeHost((void *)(uintptr_t)ptr), CUDA_ERROR_INVALID_VALUE);
        check_success(cuMemFree(ptr));
    }
}

/* Copies take it as host or unified memory only. */
TEST(memory_of_a_pool_of_the_host_is_not_device_memory)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemoryPool pool;
    CUcontext context;
    char host[64] = {0};

    with_context();
    check_success(cuCtxGetCurrent(&context));
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    CUdeviceptr pooled = allocate_from(pool, 4096, NULL), device = allocate(4096, NULL);
    check_result(cuMemcpyHtoD(pooled, host, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoH(host, pooled, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoD(pooled, device, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoDAsync(device, pooled, 64, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyPeer(pooled, context, device, context, 64), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemcpy(pooled, device, 64));
    check_success(cuMemcpyAsync(device, pooled, 64, NULL));
    check_success(cuMemsetD8(pooled, 1, 64));
    check_success(cuCtxSynchronize());
}

TEST(memory_of_a_pool_is_nobodys_but_the_pools)
{
    CUcontext context;
    CUdeviceptr ptr;
    size_t bytes;

    with_context();
    ptr = allocate(5000, 0);
    check_success(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, ptr));
    check(context == NULL);
    check_success(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, ptr));
    check(bytes == BLOCK);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_success(cuMemFreeAsync(ptr, 0));
}

TEST(other_devices_are_given_access)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags;
    CUmemoryPool pool;
    CUcontext other;
    CUdeviceptr found;
    int count;

    setenv("CUPIPE_DEVICES", "2", 1);
    with_context();
    check_success(cuDeviceGetCount(&count));
    if (count < 2)
        skip("one device");
    pool = default_pool();
    CUdeviceptr ptr = allocate(4096, 0);
    check_success(cuDevicePrimaryCtxRetain(&other, 1));
    check_success(cuCtxSetCurrent(other));
    check_success(cuMemPoolGetAccess(&flags, pool, &access.location));
    check(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    check_result(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, ptr),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    check_success(cuMemPoolGetAccess(&flags, pool, &access.location));
    check(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, ptr));
    check(found == ptr);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    check_result(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_NOT_SUPPORTED);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    access.location.id = 0;
    check_result(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceSetMemPool(1, pool), CUDA_ERROR_INVALID_VALUE);
}
