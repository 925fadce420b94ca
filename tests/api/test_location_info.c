/* SPDX-License-Identifier: MIT */
/* cuMemGetLocationInfo: where managed and pageable memory is, summarised. */
#include "managed.h"

#include <sys/mman.h>

/* Parts are large enough for the host's pages, of whatever size, not to reach into the next. */
enum { PART = 4 * MIB, PARTS = 4, WHOLE = PARTS * PART };

static CUmemLocation found[PARTS + 1];

static void begin(void)
{
    need_driver(13040);
    with_context();
    for (size_t i = 0; i <= PARTS; i++)
        found[i].type = (CUmemLocationType)77;
}

static void prefetch(CUdeviceptr ptr, size_t bytes, CUmemLocation to)
{
    check_success(cuMemPrefetchAsync(ptr, bytes, to, 0, NULL));
    check_success(cuStreamSynchronize(NULL));
}

TEST(prefetched_memory_is_where_it_went)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    memset(bytes_at(ptr), 1, WHOLE);
    prefetch(ptr + PART, PART, device_0);
    prefetch(ptr + 2 * PART, PART, host);
    check_success(cuMemGetLocationInfo(ptr, WHOLE, PART, 2 * MIB, found));
    check(found[1].type == CU_MEM_LOCATION_TYPE_DEVICE && found[1].id == 0);
    check(found[2].type == CU_MEM_LOCATION_TYPE_HOST);
    check(found[4].type == (CUmemLocationType)77);
    prefetch(ptr + PART, PART, host);
    check_success(cuMemGetLocationInfo(ptr + PART, PART, PART, 0, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_HOST);
}

TEST(memory_that_was_not_touched_is_nowhere)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    memset(bytes_at(ptr), 1, PART);
    check_success(cuMemGetLocationInfo(ptr, WHOLE, PART, 64 * KIB, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_HOST);
    for (size_t i = 1; i < PARTS; i++)
        check(found[i].type == CU_MEM_LOCATION_TYPE_NONE);
}

TEST(the_most_frequent_location_wins)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    memset(bytes_at(ptr), 1, WHOLE);
    prefetch(ptr, 3 * PART / 4, device_0);
    prefetch(ptr + PART, PART / 4, device_0);
    prefetch(ptr + PART + PART / 4, 3 * PART / 4, host);
    check_success(cuMemGetLocationInfo(ptr, 2 * PART, PART, 1, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_DEVICE);
    check(found[1].type == CU_MEM_LOCATION_TYPE_HOST);
    /* one sample a part, at its beginning */
    check_success(cuMemGetLocationInfo(ptr, 2 * PART, PART, PART, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_DEVICE);
    check(found[1].type == CU_MEM_LOCATION_TYPE_DEVICE);
}

TEST(the_last_part_may_be_shorter)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    prefetch(ptr, PART, host);
    prefetch(ptr + PART, PART, device_0);
    check_success(cuMemGetLocationInfo(ptr, PART + 1, PART, PART - 1, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_HOST);
    check(found[1].type == CU_MEM_LOCATION_TYPE_DEVICE);
    check(found[2].type == (CUmemLocationType)77);
}

TEST(pageable_memory_is_at_the_host_or_nowhere)
{
    begin();
    char *memory = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(memory != MAP_FAILED);
    madvise(memory, WHOLE, MADV_NOHUGEPAGE);
    memset(memory + PART, 1, PART);
    check_success(cuMemGetLocationInfo(address_of(memory), WHOLE, PART, PAGE, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_NONE);
    check(found[1].type == CU_MEM_LOCATION_TYPE_HOST);
    check(found[2].type == CU_MEM_LOCATION_TYPE_NONE);
}

static void check_refused(CUdeviceptr ptr, size_t size, size_t summary, size_t sampling)
{
    check_result(cuMemGetLocationInfo(ptr, size, summary, sampling, found),
                 CUDA_ERROR_INVALID_VALUE);
    check(found[0].type == (CUmemLocationType)77);
}

TEST(granularities_must_fit)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    check_refused(ptr, WHOLE, 0, 0);
    check_refused(ptr, WHOLE, WHOLE + 1, 1);
    check_refused(ptr, WHOLE, PART, PART + 1);
    check_refused(ptr, 0, 0, 0);
    check_refused(ptr, 0, 1, 1);
    check_result(cuMemGetLocationInfo(ptr, WHOLE, PART, PART, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(other_memory_is_refused)
{
    CUdeviceptr device, managed;
    void *pinned;

    begin();
    managed = allocate(WHOLE);
    check_success(cuMemAlloc(&device, WHOLE));
    check_success(cuMemHostAlloc(&pinned, WHOLE, 0));
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED);
    check_success(cuMemHostRegister(memory + PAGE, PAGE, 0));
    check_refused(device, PART, PART, PART);
    check_refused(address_of(pinned), PART, PART, PART);
    check_refused(address_of(memory + PAGE), PAGE, PAGE, PAGE);
    check_refused(address_of(memory), 2 * PAGE, 2 * PAGE, PAGE);
    check_refused(managed, WHOLE + 1, PART, PART);
    check_refused(managed, SIZE_MAX, SIZE_MAX, SIZE_MAX);
    check_refused(0, PAGE, PAGE, PAGE);
    check_refused(~(CUdeviceptr)0, PAGE, PAGE, PAGE);
    check_success(cuMemHostUnregister(memory + PAGE));
    check(munmap(memory + PAGE, PAGE) == 0);
    check_refused(address_of(memory), 2 * PAGE, 2 * PAGE, PAGE);
    check_success(cuMemGetLocationInfo(address_of(memory), PAGE, PAGE, PAGE, found));
}

/* The time it takes does not grow with a size that no memory has. */
TEST(sizes_that_no_memory_has_are_refused)
{
    CUdeviceptr pageable;

    begin();
    pageable = (CUdeviceptr)(uintptr_t)calloc(1, 1 << 20);
    for (unsigned shift = 40; shift < 63; shift++)
        check_result(
            cuMemGetLocationInfo(pageable, (size_t)1 << shift, (size_t)1 << shift, 0, found),
            CUDA_ERROR_INVALID_VALUE);
    free((void *)(uintptr_t)pageable);
}

TEST(a_context_is_needed)
{
    begin();
    CUdeviceptr ptr = allocate(WHOLE);
    check_success(cuCtxSetCurrent(NULL));
    check_result(cuMemGetLocationInfo(ptr, WHOLE, PART, PART, found), CUDA_ERROR_INVALID_CONTEXT);
}

/* A million pages, of which the last has memory: the system is asked for many at once. */
TEST(a_very_large_range_is_looked_at)
{
    size_t bytes = (size_t)4 << 30;

    begin();
    char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(area != MAP_FAILED);
    area[bytes - 1] = 1;
    check_success(cuMemGetLocationInfo((CUdeviceptr)(uintptr_t)area, bytes, bytes, 4096, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_NONE);
    check_success(
        cuMemGetLocationInfo((CUdeviceptr)(uintptr_t)area + bytes - 4096, 4096, 4096, 4096, found));
    check(found[0].type == CU_MEM_LOCATION_TYPE_HOST);
    munmap(area, bytes);
}
