/* SPDX-License-Identifier: MIT */
/* Virtual memory: addresses apart from memory, rights, and handles. Sharing between processes is in
 * test_virtual_share.c. */
#include "test.h"
#include "virtual.h"

TEST(memory_appears_where_it_is_mapped)
{
    CUmemGenericAllocationHandle handle;
    unsigned char bytes[256];

    with_context();
    CUdeviceptr at = map_new(2 * UNIT, 0, &handle);
    fill_pattern(at, 2 * UNIT, 3);
    check_pattern(at, 2 * UNIT, 3);
    check_success(cuMemcpyDtoH(bytes, at + UNIT - 128, 256));
    unmap(at, 2 * UNIT, handle);
    check_result(cuMemcpyDtoH(bytes, at, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_is_zero_at_first)
{
    CUmemGenericAllocationHandle handle;

    with_context();
    for (int i = 0; i < 4; i++) {
        CUdeviceptr at = map_new(2 * UNIT, i % 2, &handle);
        check_bytes(at, 2 * UNIT, 0);
        check_success(cuMemsetD8(at, 0xff, 2 * UNIT));
        unmap(at, 2 * UNIT, handle);
    }
}

TEST(two_mappings_of_one_memory_are_the_same_memory)
{
    CUmemGenericAllocationHandle handle;
    unsigned value = 0;

    with_context();
    for (unsigned types = 0; types < 2; types++) {
        CUdeviceptr first = map_new(UNIT, types, &handle), second = reserve(UNIT);
        check_success(cuMemMap(second, UNIT, 0, handle, 0));
        allow(second, UNIT, READWRITE);
        check_success(cuMemsetD32(first + 4096, 0x12345678, 1));
        check_success(cuMemcpyDtoH(&value, second + 4096, sizeof(value)));
        check(value == 0x12345678);
        check_success(cuMemsetD32(second + 4096, 0x9abcdef0, 1));
        check_success(cuMemcpyDtoH(&value, first + 4096, sizeof(value)));
        check(value == 0x9abcdef0);
    }
}

TEST(copies_go_across_neighbouring_mappings)
{
    CUdeviceptr at, linear;

    with_context();
    at = reserve(4 * UNIT);
    for (int i = 0; i < 4; i++)
        check_success(cuMemMap(at + i * UNIT, UNIT, 0, create(UNIT, i % 2), 0));
    allow(at, 3 * UNIT, READWRITE);
    check_success(cuMemAlloc(&linear, 3 * UNIT));
    fill_pattern(linear, 3 * UNIT, 5);
    check_success(cuMemcpyDtoD(at, linear, 3 * UNIT));
    check_pattern(at, 3 * UNIT, 5);
    check_success(cuMemsetD8(at + 100, 7, 2 * UNIT));
    check_bytes(at + 100, 2 * UNIT, 7);
    /* The fourth is mapped, and nobody may touch it. */
    check_result(cuMemcpyDtoD(at, linear, 3 * UNIT + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD8(at, 7, 3 * UNIT + 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_reservation_can_be_extended)
{
    CUmemGenericAllocationHandle handle;
    CUdeviceptr next = 0;

    with_context();
    CUdeviceptr at = map_new(UNIT, 0, &handle);
    check_success(cuMemAddressReserve(&next, UNIT, 0, at + UNIT, 0));
    if (next != at + UNIT)
        skip("the addresses behind it are taken");
    check_success(cuMemMap(next, UNIT, 0, create(UNIT, 0), 0));
    allow(at, 2 * UNIT, READWRITE);
    fill_pattern(at, 2 * UNIT, 9);
    check_pattern(at, 2 * UNIT, 9);
    check_success(cuMemUnmap(at, 2 * UNIT));
    check_success(cuMemAddressFree(next, UNIT));
    check_success(cuMemAddressFree(at, UNIT));
}

/* An address with nothing around it. */
static CUdeviceptr empty_place(void)
{
    size_t gib = (size_t)1 << 30;
    void *hole = mmap(NULL, 3 * gib, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    check(hole != MAP_FAILED && munmap(hole, 3 * gib) == 0);
    return ((CUdeviceptr)(uintptr_t)hole + gib) & ~(CUdeviceptr)(gib - 1);
}

TEST(a_hint_is_followed_where_nothing_is)
{
    CUdeviceptr wanted, at = 0;

    with_context();
    only_cupipe();
    reserve(UNIT); /* whatever the first one needs is there, and not in the empty place */
    wanted = empty_place();
    check_success(cuMemAddressReserve(&at, 3 * UNIT, 0, wanted, 0));
    check(at == wanted);
    check_success(cuMemAddressReserve(&at, UNIT, 0, wanted + 2 * UNIT, 0));
    check(at != wanted + 2 * UNIT);
    check_success(cuMemAddressFree(wanted, 3 * UNIT));
    check_result(cuMemAddressReserve(&at, UNIT, 0, wanted + 4096, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_hint_does_not_replace_what_the_program_mapped)
{
    CUdeviceptr at = 0;
    size_t bytes = (size_t)1 << 30;
    char *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUdeviceptr wanted = ((CUdeviceptr)(uintptr_t)own + UNIT) & ~(UNIT - 1);

    check(own != MAP_FAILED);
    memset(own, 1, 8 * UNIT);
    with_context();
    check_success(cuMemAddressReserve(&at, UNIT, 0, wanted, 0));
    check(at + UNIT <= (CUdeviceptr)(uintptr_t)own || at >= (CUdeviceptr)(uintptr_t)own + bytes);
    check(own[0] == 1 && own[8 * UNIT - 1] == 1);
}

TEST(alignments_are_kept)
{
    needs_address_space();
    with_context();
    for (size_t alignment = 1; alignment <= (size_t)1 << 40; alignment *= 2) {
        CUdeviceptr at = 0;
        check_success(cuMemAddressReserve(&at, 3 * UNIT, alignment, 0, 0));
        check(at % alignment == 0 && at % UNIT == 0);
    }
}

TEST(reservations_do_not_overlap)
{
    enum { COUNT = 500 };
    static CUdeviceptr at[COUNT];
    static size_t bytes[COUNT];

    needs_address_space();
    with_context();
    for (int round = 0; round < 4; round++) {
        for (int i = round % 2; i < COUNT; i += 1 + round % 2) {
            if (at[i])
                check_success(cuMemAddressFree(at[i], bytes[i]));
            bytes[i] = (size_t)(1 + (i * 7 + round) % 40) * UNIT;
            at[i] = reserve(bytes[i]);
        }
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++)
                check(!at[i] || !at[j] || at[i] + bytes[i] <= at[j] || at[j] + bytes[j] <= at[i]);
    }
}

TEST(terabytes_of_addresses_cost_nothing)
{
    size_t bytes = (size_t)16 << 40;
    CUmemGenericAllocationHandle handle = 0;

    needs_address_space();
    with_context();
    handle = create(UNIT, 0);
    for (int i = 0; i < 8; i++) {
        CUdeviceptr at = reserve(bytes);
        check_success(cuMemMap(at + bytes - UNIT, UNIT, 0, handle, 0));
        allow(at + bytes - UNIT, UNIT, READWRITE);
        check_success(cuMemsetD8(at + bytes - UNIT, 1, UNIT));
        check_success(cuMemUnmap(at, bytes));
        check_success(cuMemAddressFree(at, bytes));
    }
}

TEST(without_access_nothing_can_be_done)
{
    CUdeviceptr at, linear;
    char bytes[64] = {0};

    with_context();
    at = reserve(UNIT);
    check_success(cuMemAlloc(&linear, 64));
    check_success(cuMemMap(at, UNIT, 0, create(UNIT, 0), 0));
    for (int round = 0; round < 2; round++) {
        check_result(cuMemcpyHtoD(at, bytes, 64), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyDtoH(bytes, at, 64), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyDtoD(linear, at, 64), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoDAsync(at, bytes, 64, NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemsetD8(at, 0, 64), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemsetD8Async(at, 0, 64, NULL), CUDA_ERROR_INVALID_VALUE);
        allow(at, UNIT, READWRITE);
        check_success(cuMemcpyHtoD(at, bytes, 64));
        allow(at, UNIT, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    }
    check_success(cuCtxSynchronize());
}

TEST(what_may_be_read_only_cannot_be_written)
{
    CUmemGenericAllocationHandle handle;
    char bytes[64] = {0};

    with_context();
    CUdeviceptr at = map_new(UNIT, 0, &handle);
    fill_pattern(at, UNIT, 1);
    allow(at, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    check_pattern(at, UNIT, 1);
    check_result(cuMemcpyHtoD(at, bytes, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoD(at, at + 4096, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD32(at, 0, 16), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamWaitValue32(NULL, at, 0, CU_STREAM_WAIT_VALUE_GEQ));
    check_success(cuCtxSynchronize());
    check_pattern(at, UNIT, 1);
    check_success(cuStreamWriteValue32(NULL, at, 1, 0)); /* is found out when it is done */
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(rights_are_those_of_each_mapping)
{
    CUmemGenericAllocationHandle handle;
    unsigned value = 0;

    with_context();
    CUdeviceptr first = map_new(UNIT, 0, &handle), second = reserve(UNIT);
    check_success(cuMemMap(second, UNIT, 0, handle, 0));
    allow(second, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    check(access_of(first) == READWRITE && access_of(second) == CU_MEM_ACCESS_FLAGS_PROT_READ);
    check_success(cuMemsetD32(first, 77, 1));
    check_success(cuMemcpyDtoH(&value, second, sizeof(value)));
    check(value == 77);
    check_result(cuMemsetD32(second, 78, 1), CUDA_ERROR_INVALID_VALUE);
}

/* Work that was queued before a mapping goes, or a right, comes too late. */
static void end_with_work_pending(bool by_unmap)
{
    CUmemGenericAllocationHandle handle;
    atomic_uint *word;
    CUstream stream;

    setenv("CUPIPE_SCHEDULE", "lazy", 1);
    with_context();
    CUdeviceptr at = map_new(UNIT, 0, &handle);
    check_success(cuMemHostAlloc((void **)&word, sizeof(*word), 0));
    atomic_store(word, 0);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(
        cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    check_success(cuMemsetD8Async(at, 5, UNIT, stream));
    if (by_unmap)
        check_success(cuMemUnmap(at, UNIT));
    else
        allow(at, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    atomic_store(word, 1);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(unmap_does_not_wait_for_work)
{
    end_with_work_pending(true);
}

TEST(narrower_access_does_not_wait_for_work)
{
    end_with_work_pending(false);
}

/* So much luck have programs that do not wait either. */
TEST(unmap_waits_for_work_where_mistakes_are_not_looked_for)
{
    CUmemGenericAllocationHandle handle;

    with_context();
    only_cupipe();
    for (int i = 0; i < 100; i++) {
        CUdeviceptr at = map_new(UNIT, 0, &handle);
        check_success(cuMemsetD8Async(at, 5, UNIT, CU_STREAM_PER_THREAD));
        check_success(cuMemUnmap(at, UNIT));
        check_success(cuMemAddressFree(at, UNIT));
        check_success(cuMemRelease(handle));
    }
    check_success(cuCtxSynchronize());
}

TEST(mappings_are_whole)
{
    CUmemGenericAllocationHandle handle;

    with_context();
    only_cupipe();
    CUdeviceptr at = reserve(4 * UNIT);
    handle = create(2 * UNIT, 0);
    check_result(cuMemMap(at, UNIT, 0, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMemMap(at, UNIT, UNIT, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMemMap(at + 4096, 2 * UNIT, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemMap(at + 3 * UNIT, 2 * UNIT, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemMap(at + UNIT, 2 * UNIT, 0, handle, 0));
    check_result(cuMemMap(at, 2 * UNIT, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemUnmap(at, 2 * UNIT), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemUnmap(at + 2 * UNIT, 2 * UNIT), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAddressFree(at, 4 * UNIT), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemUnmap(at, 4 * UNIT));
    check_success(cuMemUnmap(at, 4 * UNIT));
    check_success(cuMemAddressFree(at, 4 * UNIT));
    check_result(cuMemUnmap(at, 4 * UNIT), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_lives_while_it_is_mapped)
{
    CUmemGenericAllocationHandle handle, retained = 0;
    CUmemAllocationProp properties;

    with_context();
    only_cupipe();
    CUdeviceptr at = map_new(UNIT, 0, &handle);
    fill_pattern(at, UNIT, 4);
    check_success(cuMemRelease(handle));
    check_pattern(at, UNIT, 4);
    check_success(cuMemGetAllocationPropertiesFromHandle(&properties, handle));
    check_success(cuMemRetainAllocationHandle(&retained, (void *)(uintptr_t)(at + 5)));
    check(retained == handle);
    check_success(cuMemUnmap(at, UNIT));
    check_success(cuMemMap(at, UNIT, 0, retained, 0));
    allow(at, UNIT, READWRITE);
    check_pattern(at, UNIT, 4);
    check_success(cuMemUnmap(at, UNIT));
    check_success(cuMemRelease(retained));
    check_result(cuMemRelease(retained), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemMap(at, UNIT, 0, retained, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(garbage_handles_are_refused)
{
    CUmemGenericAllocationHandle garbage[] = {0, 1, 0xdeadbeef, ~0ull, 0};
    CUmemAllocationProp properties;
    CUcontext context = with_context();
    only_cupipe();
    CUdeviceptr at = reserve(UNIT);
    int fd;

    garbage[4] = (CUmemGenericAllocationHandle)(uintptr_t)context;
    for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
        check_result(cuMemRelease(garbage[i]), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemMap(at, UNIT, 0, garbage[i], 0), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemGetAllocationPropertiesFromHandle(&properties, garbage[i]),
                     CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemExportToShareableHandle(&fd, garbage[i], FD_TYPE, 0),
                     CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(memory_counts_as_used_until_nothing_holds_it)
{
    CUmemGenericAllocationHandle handle;
    size_t before, now, total;

    with_context();
    for (unsigned types = 0; types < 2; types++) {
        check_success(cuMemGetInfo(&before, &total));
        CUdeviceptr at = map_new(8 * UNIT, types, &handle);
        check_success(cuMemGetInfo(&now, &total));
        check(now == before - 8 * UNIT);
        check_success(cuMemRelease(handle));
        check_success(cuMemGetInfo(&now, &total));
        check(now == before - 8 * UNIT);
        check_success(cuMemUnmap(at, 8 * UNIT));
        check_success(cuMemGetInfo(&now, &total));
        check(now == before);
    }
}

TEST(more_than_there_is_is_refused)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemGenericAllocationHandle handle;
    size_t before, now, total;

    with_context();
    only_cupipe();
    check_success(cuMemGetInfo(&before, &total));
    for (unsigned types = 0; types < 2; types++) {
        properties.requestedHandleTypes = (CUmemAllocationHandleType)types;
        check_result(cuMemCreate(&handle, total / UNIT * UNIT + UNIT, &properties, 0),
                     CUDA_ERROR_OUT_OF_MEMORY);
    }
    properties = device_memory(0);
    properties.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
    check_result(cuMemCreate(&handle, (size_t)1 << 44, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuMemGetInfo(&now, &total));
    check(now == before);
}

TEST(host_memory_can_be_mapped_for_both)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemAccessDesc both[] = {{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, READWRITE},
                              {{CU_MEM_LOCATION_TYPE_HOST, 0}, READWRITE}};
    CUmemGenericAllocationHandle handle;
    unsigned kind = 0;

    with_context();
    properties.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
    check_success(cuMemCreate(&handle, UNIT, &properties, 0));
    CUdeviceptr at = reserve(UNIT);
    check_success(cuMemMap(at, UNIT, 0, handle, 0));
    check_success(cuMemSetAccess(at, UNIT, both, 2));
    memset((void *)(uintptr_t)at, 6, UNIT);
    check_bytes(at, UNIT, 6);
    check_success(cuMemsetD8(at, 7, UNIT));
    check_success(cuCtxSynchronize());
    check(*(volatile char *)(uintptr_t)at == 7);
    check_success(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    check(kind == CU_MEMORYTYPE_HOST);
}

TEST(pointer_attributes_are_those_of_the_mapping)
{
    CUmemGenericAllocationHandle handle;
    CUdeviceptr base = 0;
    CUcontext owner = (CUcontext)7;
    size_t bytes = 0;
    int value = 7;

    with_context();
    CUdeviceptr at = map_new(2 * UNIT, 1, &handle);
    check_success(cuMemGetAddressRange(&base, &bytes, at + UNIT + 5));
    check(base == at && bytes == 2 * UNIT);
    check_success(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, at));
    check(owner == NULL);
    check_success(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
    check(value == 0);
    check_success(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    check(value == CU_MEMORYTYPE_DEVICE);
    check_success(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at));
    check(value == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    allow(at, 2 * UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    check_success(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at));
    check(value == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ);
    check_result(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);
}

struct worker {
    struct flag *stop;
    int number;
};

static void *map_and_unmap(void *argument)
{
    const struct worker *worker = argument;
    CUmemGenericAllocationHandle handle;

    with_context();
    for (int i = 0; i < 100; i++) {
        size_t bytes = (size_t)(1 + i % 3) * UNIT;
        CUdeviceptr at = map_new(bytes, worker->number % 2, &handle);
        check_success(cuMemsetD32(at + bytes - 4096, (unsigned)(i * 16 + worker->number), 1024));
        unsigned value = 0;
        check_success(cuMemcpyDtoH(&value, at + bytes - 4, sizeof(value)));
        check(value == (unsigned)(i * 16 + worker->number));
        unmap(at, bytes, handle);
    }
    return NULL;
}

/* Looks at addresses that others map and unmap: any answer is right, as long as it is one. */
static void *look_around(void *argument)
{
    const struct worker *worker = argument;
    CUdeviceptr at = reserve(UNIT), base;
    size_t bytes;

    while (!flag_is_raised(worker->stop)) {
        for (int i = -64; i < 64; i++) {
            CUdeviceptr near = at + (CUdeviceptr)(int64_t)i * (CUdeviceptr)UNIT;
            CUresult result = cuMemGetAddressRange(&base, &bytes, near);
            check(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_FOUND ||
                  result == CUDA_ERROR_INVALID_CONTEXT);
            if (result == CUDA_SUCCESS)
                check(near - base < bytes && bytes % UNIT == 0);
        }
    }
    return NULL;
}

static void *look_with_context(void *argument)
{
    with_context();
    return look_around(argument);
}

TEST(threads_map_at_the_same_time)
{
    enum { COUNT = 4 };
    struct flag stop = {0};
    struct worker workers[COUNT + 1];
    pthread_t threads[COUNT + 1];

    with_context();
    for (int i = 0; i <= COUNT; i++) {
        workers[i] = (struct worker){&stop, i};
        check(pthread_create(&threads[i], NULL, i == COUNT ? look_with_context : map_and_unmap,
                             &workers[i]) == 0);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    flag_raise(&stop);
    pthread_join(threads[COUNT], NULL);
}
