/* SPDX-License-Identifier: MIT */
/* Managed memory: one pointer for host and device, and its use in streams. */
#include "managed.h"

#include <sys/mman.h>

static int pointer_int(CUdeviceptr ptr, CUpointer_attribute attribute)
{
    int value = -99;

    check_success(cuPointerGetAttribute(&value, attribute, ptr));
    return value;
}

TEST(allocation_needs_a_size_and_one_flag)
{
    CUdeviceptr ptr = 7;

    with_context();
    check_result(cuMemAllocManaged(NULL, PAGE, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAllocManaged(&ptr, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
    check(ptr == 0);
    ptr = 7;
    check_result(cuMemAllocManaged(&ptr, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check(ptr == 0);
    check_result(cuMemAllocManaged(&ptr, PAGE, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAllocManaged(&ptr, PAGE, CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAllocManaged(&ptr, PAGE, CU_MEM_ATTACH_HOST));
    check_success(cuMemFree(ptr));
    check_result(cuMemAllocManaged(&ptr, SIZE_MAX, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(allocation_without_a_context_is_refused)
{
    CUdeviceptr ptr;

    check_result(cuMemAllocManaged(&ptr, PAGE, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuMemAllocManaged(&ptr, PAGE, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(host_and_device_see_the_same_bytes)
{
    CUdeviceptr ptr, copy;
    unsigned char back[PAGE];

    with_context();
    ptr = allocate(PAGE);
    check_success(cuMemAlloc(&copy, PAGE));
    memset(bytes_at(ptr), 0x5a, PAGE);
    check_success(cuMemcpyDtoD(copy, ptr, PAGE));
    check_success(cuMemcpyDtoH(back, copy, PAGE));
    for (int i = 0; i < PAGE; i++)
        check(back[i] == 0x5a);
    check_success(cuMemsetD8(ptr, 0xa5, PAGE));
    check_success(cuCtxSynchronize());
    check(bytes_at(ptr)[0] == 0xa5 && bytes_at(ptr)[PAGE - 1] == 0xa5);
}

TEST(more_can_be_had_than_the_device_has)
{
    size_t before, after, total;
    CUdeviceptr ptr;

    with_context();
    check_success(cuMemGetInfo(&before, &total));
    ptr = allocate(total + total / 4);
    check_success(cuMemGetInfo(&after, &total));
    check(before == after);
    bytes_at(ptr)[total + total / 4 - 1] = 1;
    check_success(cuMemFree(ptr));
}

TEST(pointer_attributes_know_managed_memory)
{
    CUdeviceptr ptr, pointer = 0;

    with_context();
    ptr = allocate(5000);
    check(pointer_int(ptr + 10, CU_POINTER_ATTRIBUTE_IS_MANAGED) == 1);
    check(pointer_int(ptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_DEVICE);
    check(pointer_int(ptr, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE) == 0);
    check(pointer_int(ptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 1);
    check(pointer_int(ptr, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) == 0);
    check_success(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, ptr + 10));
    check(pointer == ptr + 10);
    check_success(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, ptr + 10));
    check(pointer == ptr + 10);
}

TEST(it_is_not_host_memory)
{
    CUdeviceptr ptr, pointer;
    unsigned flags = 0;

    with_context();
    ptr = allocate(2 * PAGE);
    check_success(cuMemHostGetFlags(&flags, bytes_at(ptr)));
    check(flags == CU_MEMHOSTALLOC_DEVICEMAP);
    check_result(cuMemHostGetDevicePointer(&pointer, bytes_at(ptr), 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(bytes_at(ptr), PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostUnregister(bytes_at(ptr)), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeHost(bytes_at(ptr)), CUDA_ERROR_INVALID_VALUE);
}

TEST(free_ends_it_once_and_from_its_start)
{
    CUdeviceptr ptr;
    int value;

    with_context();
    ptr = allocate(PAGE);
    check_success(cuMemAdvise(ptr, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
    check_result(cuMemFree(ptr + 8), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFree(ptr));
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemRangeGetAttribute(&value, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, ptr, PAGE),
                 CUDA_ERROR_INVALID_VALUE);
}

/* The next allocation at the same place begins afresh. */
TEST(advice_ends_with_the_allocation)
{
    CUdeviceptr ptr;

    with_context();
    for (int i = 0; i < 4; i++) {
        ptr = allocate(PAGE);
        check(ask(ptr, PAGE, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
        check_success(cuMemAdvise(ptr, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
        check_success(cuMemFree(ptr));
    }
}

TEST(it_ends_with_its_context)
{
    CUcontext context;
    CUdeviceptr ptr;
    int value;

    with_context();
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    ptr = allocate(PAGE);
    check_success(cuMemAdvise(ptr, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
    check_success(cuCtxDestroy(context));
    check_result(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(free_waits_for_work)
{
    atomic_uint *word;
    CUdeviceptr ptr;
    CUstream stream;

    with_context();
    word = pinned_words(1);
    ptr = allocate(MIB);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 64; i++)
        check_success(cuMemsetD8Async(ptr, (unsigned char)i, MIB, stream));
    write_word(stream, word, 1);
    check_success(cuMemFree(ptr));
    check(atomic_load(word) == 1);
}

TEST(attaching_needs_a_whole_allocation_and_one_flag)
{
    CUdeviceptr ptr, device;
    CUstream stream;

    with_context();
    ptr = allocate(PAGE);
    stream = new_stream(0);
    check_success(cuMemAlloc(&device, PAGE));
    check_success(cuStreamAttachMemAsync(stream, ptr, 0, CU_MEM_ATTACH_SINGLE));
    check_success(cuStreamAttachMemAsync(stream, ptr, PAGE, CU_MEM_ATTACH_HOST));
    check_success(cuStreamAttachMemAsync(NULL, ptr, 0, CU_MEM_ATTACH_GLOBAL));
    check_result(cuStreamAttachMemAsync(NULL, ptr, 0, CU_MEM_ATTACH_SINGLE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAttachMemAsync(stream, ptr, 100, CU_MEM_ATTACH_SINGLE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAttachMemAsync(stream, ptr + 64, 0, CU_MEM_ATTACH_SINGLE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAttachMemAsync(stream, device, 0, CU_MEM_ATTACH_SINGLE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAttachMemAsync(stream, ptr, 0, 3), CUDA_ERROR_INVALID_VALUE);
}

/* NVIDIA's driver dies of this. */
TEST(attaching_to_nobody_is_refused)
{
    with_context();
    only_cupipe();
    check_result(cuStreamAttachMemAsync(NULL, allocate(PAGE), 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(prefetch_keeps_the_contents)
{
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(BYTES);
    memset(bytes_at(ptr), 9, BYTES);
    check_success(cuMemPrefetchAsync(ptr, BYTES, device_0, 0, NULL));
    check_success(cuMemPrefetchAsync(ptr, BYTES, host, 0, NULL));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < BYTES; i++)
        check(bytes_at(ptr)[i] == 9);
    check(prefetched(ptr, BYTES) == CU_DEVICE_CPU);
    check(ask(ptr, BYTES, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE) ==
          CU_MEM_LOCATION_TYPE_HOST);
}

TEST(prefetch_takes_its_turn_in_the_stream)
{
    atomic_uint *word;
    CUdeviceptr ptr;
    CUstream stream;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    ptr = allocate(BYTES);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    hold_until(stream, word);
    check_success(cuMemPrefetchAsync(ptr, BYTES, device_0, 0, stream));
    check(prefetched(ptr, BYTES) == CU_DEVICE_INVALID);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(prefetched(ptr, BYTES) == 0);
}

/* A prefetch that comes too late says nothing of what is there now. */
TEST(prefetch_of_freed_memory_is_forgotten)
{
    CUcontext first = with_context(), second;
    CUdeviceptr ptr, next;
    atomic_uint *word;
    CUstream stream;

    only_cupipe();
    word = pinned_words(1);
    ptr = allocate(4 * MIB);
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    hold_until(stream, word);
    check_success(cuMemPrefetchAsync(ptr, BYTES, device_0, 0, stream));
    check_success(cuCtxSetCurrent(first));
    check_success(cuMemFree(ptr));
    next = allocate(4 * MIB);
    check(next == ptr);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(prefetched(next, BYTES) == CU_DEVICE_INVALID);
}

TEST(batch_prefetches_each_run_to_its_place)
{
    CUdeviceptr ptrs[3];
    size_t sizes[3] = {PAGE, PAGE, PAGE}, first[2] = {0, 2};
    CUmemLocation places[2] = {host, device_0};
    CUstream stream;

    with_context();
    stream = new_stream(0);
    for (int i = 0; i < 3; i++)
        ptrs[i] = allocate(PAGE);
    check_success(cuMemPrefetchBatchAsync(ptrs, sizes, 3, places, first, 2, 0, stream));
    check_success(cuStreamSynchronize(stream));
    check(prefetched(ptrs[0], PAGE) == CU_DEVICE_CPU);
    check(prefetched(ptrs[1], PAGE) == CU_DEVICE_CPU);
    check(prefetched(ptrs[2], PAGE) == 0);
}

/* What was to be discarded before is prefetched as well; whether it still holds something is
 * undefined, and here it does. */
TEST(batch_with_a_bad_range_prefetches_those_before_it)
{
    CUdeviceptr ptrs[2];
    size_t sizes[2] = {PAGE, PAGE}, first[1] = {0}, wrong[1] = {1};
    CUmemLocation place = device_0;
    CUstream stream;

    with_context();
    only_cupipe();
    stream = new_stream(0);
    ptrs[0] = allocate(PAGE);
    check_success(cuMemAlloc(&ptrs[1], PAGE));
    bytes_at(ptrs[0])[0] = 5;
    check_result(cuMemPrefetchBatchAsync(ptrs, sizes, 1, &place, wrong, 1, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchBatchAsync(ptrs, sizes, 1, &place, first, 1, 0, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchBatchAsync(ptrs, sizes, 1, &place, first, 2, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemDiscardBatchAsync(ptrs, sizes, 0, 0, stream), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check(prefetched(ptrs[0], PAGE) == CU_DEVICE_INVALID);
    check_result(cuMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 2, &place, first, 1, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check(bytes_at(ptrs[0])[0] == 5);
    check(prefetched(ptrs[0], PAGE) == 0);
}

/* What is beside the discarded range stays, also in the pages it shares with it. */
TEST(discard_takes_its_turn_and_only_its_range)
{
    CUdeviceptr ptr, part;
    size_t bytes = BYTES - 200;
    atomic_uint *word;
    CUstream stream;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    ptr = allocate(BYTES);
    part = ptr + 100;
    memset(bytes_at(ptr), 7, BYTES);
    hold_until(stream, word);
    check_success(cuMemDiscardBatchAsync(&part, &bytes, 1, 0, stream));
    check(bytes_at(ptr)[BYTES / 2] == 7);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check(bytes_at(ptr)[BYTES / 2] == 0);
    check(bytes_at(ptr)[99] == 7 && bytes_at(ptr)[BYTES - 100] == 7);
    memset(bytes_at(ptr), 8, BYTES);
    check(bytes_at(ptr)[BYTES / 2] == 8);
}

/* A place where registered memory once was cannot be managed memory's. */
TEST(registered_memory_that_went_is_not_in_the_way)
{
    enum { PLACES = 4 };
    size_t bytes = (size_t)1 << 30;
    CUdeviceptr ptr;

    with_context();
    for (int i = 0; i < PLACES; i++) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        check(memory != MAP_FAILED);
        for (size_t at = 0; at < bytes; at += bytes / 4) {
            check_success(cuMemHostRegister((char *)memory + at, PAGE, 0));
            check_success(cuMemHostUnregister((char *)memory + at));
        }
        munmap(memory, bytes);
    }
    ptr = allocate(BYTES);
    check(pointer_int(ptr, CU_POINTER_ATTRIBUTE_IS_MANAGED) == 1);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
    check_success(cuMemFree(ptr));
}

static CUcontext shared_context;

static void *thread_run(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data;

    check_success(cuCtxSetCurrent(shared_context));
    for (int i = 0; i < 300; i++) {
        size_t bytes = 1 + (size_t)rand_r(&seed) % (64 * KIB);
        CUdeviceptr ptr = allocate(bytes);
        check(ask(ptr, bytes, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
        check_success(cuMemAdvise(ptr, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
        check_success(cuMemPrefetchAsync(ptr, bytes, device_0, 0, CU_STREAM_PER_THREAD));
        check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
        check(ask(ptr, bytes, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
        check(prefetched(ptr, bytes) == 0);
        check_success(cuMemFree(ptr));
    }
    return NULL;
}

/* Small allocations share pages with NVIDIA's driver, and what is advised of these. */
TEST(threads_do_not_disturb_each_other)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];

    shared_context = with_context();
    only_cupipe();
    for (uintptr_t i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, thread_run, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}
