/* SPDX-License-Identifier: MIT */
/* The ends of memory: running out of it, getting it back, very many pieces. Small devices make that
 * quick, so most of this is about cupipe alone. */
#include "test.h"

#include <sys/resource.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

static void with_memory(const char *size)
{
    setenv("CUPIPE_MEMORY", size, 1);
    with_context();
    only_cupipe();
}

static size_t free_bytes(void)
{
    size_t available, total;

    check_success(cuMemGetInfo(&available, &total));
    return available;
}

/* Until there is no more. */
static int fill_up(CUdeviceptr *ptr, int count_max, size_t bytes)
{
    int count = 0;

    while (count < count_max && cuMemAlloc(&ptr[count], bytes) == CUDA_SUCCESS)
        count++;
    return count;
}

static void free_all(const CUdeviceptr *ptr, int count)
{
    for (int i = 0; i < count; i++)
        check_success(cuMemFree(ptr[i]));
}

TEST(a_request_beyond_all_memory_is_refused)
{
    CUdeviceptr ptr = 7;

    with_context();
    for (int shift = 44; shift < 64; shift++) {
        check_result(cuMemAlloc(&ptr, (size_t)1 << shift), CUDA_ERROR_OUT_OF_MEMORY);
        check(ptr == 0);
    }
    check_result(cuMemAlloc(&ptr, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuMemAlloc(&ptr, 512));
}

TEST(memory_has_the_size_asked_for)
{
    size_t available, total;

    with_memory("64M");
    check_success(cuMemGetInfo(&available, &total));
    check(total == 64 * MIB);
    check(available <= total && available > 60 * MIB);
}

TEST(memory_is_counted_in_2_mib)
{
    CUdeviceptr small[4], large;
    size_t before;

    with_memory("64M");
    before = free_bytes();
    check(fill_up(small, 4, 1000) == 4);
    check(before - free_bytes() == 2 * MIB);
    check_success(cuMemAlloc(&large, 2 * MIB + 1));
    check(before - free_bytes() == 6 * MIB);
    free_all(small, 4);
    check_success(cuMemFree(large));
    check(free_bytes() == before);
}

TEST(all_of_memory_can_be_one_allocation)
{
    CUdeviceptr all, more;
    size_t bytes;

    with_memory("64M");
    bytes = free_bytes();
    check_success(cuMemAlloc(&all, bytes));
    check(free_bytes() == 0);
    check_result(cuMemAlloc(&more, 1), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuMemsetD8(all, 1, bytes));
    check_success(cuMemFree(all));
    check_success(cuMemAlloc(&more, 1));
}

TEST(running_out_of_memory_loses_nothing)
{
    static const size_t sizes[] = {300, 5000, 70000, MIB, MIB + 1, 2 * MIB, 5 * MIB};
    static CUdeviceptr ptr[200000];
    size_t before;

    with_memory("64M");
    before = free_bytes();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int count = fill_up(ptr, 200000, sizes[i]);
        check_result(cuMemAlloc(&ptr[count], sizes[i]), CUDA_ERROR_OUT_OF_MEMORY);
        free_all(ptr, count);
        check(free_bytes() == before);
        check(fill_up(ptr, 200000, sizes[i]) == count);
        free_all(ptr, count);
    }
}

/* The last small request goes into a unit that another thread's requests have filled in part. */
static void *allocate_one(void *ptr)
{
    CUdevice device;
    CUcontext context;

    check_success(cuDeviceGet(&device, 0));
    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
    check_success(cuMemAlloc(ptr, 4096));
    return NULL;
}

TEST(the_last_memory_is_found_by_every_thread)
{
    CUdeviceptr first, large, last;
    pthread_t thread;

    with_memory("64M");
    check_success(cuMemAlloc(&first, 4096));
    check_success(cuMemAlloc(&large, free_bytes()));
    check(free_bytes() == 0);
    check(pthread_create(&thread, NULL, allocate_one, &last) == 0);
    pthread_join(thread, NULL);
    check(last != first);
}

TEST(scattered_memory_is_not_lost)
{
    CUdeviceptr ptr[32], half;
    int count;

    with_memory("64M");
    count = fill_up(ptr, 32, 2 * MIB);
    check(free_bytes() == 0);
    for (int i = 0; i < count; i += 2)
        check_success(cuMemFree(ptr[i]));
    check_success(cuMemAlloc(&half, free_bytes()));
    check_success(cuMemsetD8(half, 1, 30 * MIB));
    check_success(cuCtxSynchronize());
}

TEST(pinned_memory_beyond_the_host_is_refused)
{
    void *ptr = &ptr;

    with_context();
    check_result(cuMemAllocHost(&ptr, (size_t)1 << 46), CUDA_ERROR_OUT_OF_MEMORY);
    check(ptr == NULL);
    check_success(cuMemAllocHost(&ptr, 512));
}

static void read_sizes(size_t *mapped, size_t *resident)
{
    FILE *file = fopen("/proc/self/statm", "r");

    check(file && fscanf(file, "%zu %zu", mapped, resident) == 2);
    fclose(file);
    *mapped *= (size_t)sysconf(_SC_PAGESIZE);
    *resident *= (size_t)sysconf(_SC_PAGESIZE);
}

/* TSan keeps a shadow of every page that was touched, and takes its time. */
#ifdef __SANITIZE_THREAD__
enum { SHADOWED = 1, MANY = 100000 };
#else
enum { SHADOWED = 0, MANY = 1000000 };
#endif

/* Pages of all kinds that the process has in memory. */
static size_t resident_bytes(void)
{
    size_t mapped, resident;

    if (SHADOWED)
        skip("not all memory is the program's");
    read_sizes(&mapped, &resident);
    return resident;
}

TEST(untouched_memory_costs_nothing)
{
    CUdeviceptr ptr;
    size_t before;

    with_context();
    only_cupipe();
    before = resident_bytes();
    check_success(cuMemAlloc(&ptr, 512 * MIB));
    check(resident_bytes() < before + 10 * MIB);
}

TEST(freed_device_memory_returns_to_the_system)
{
    CUdeviceptr ptr;
    size_t before;

    with_context();
    only_cupipe();
    before = resident_bytes();
    check_success(cuMemAlloc(&ptr, 512 * MIB));
    check_success(cuMemsetD8(ptr, 1, 512 * MIB));
    check_success(cuCtxSynchronize());
    check(resident_bytes() > before + 500 * MIB);
    check_success(cuMemFree(ptr));
    check(resident_bytes() < before + 40 * MIB);
}

TEST(freed_small_memory_returns_to_the_system)
{
    enum { COUNT = 4000 };
    static CUdeviceptr ptr[COUNT];
    size_t before;

    with_context();
    only_cupipe();
    before = resident_bytes();
    check(fill_up(ptr, COUNT, 64 * KIB) == COUNT);
    for (int i = 0; i < COUNT; i++)
        check_success(cuMemsetD8(ptr[i], 1, 64 * KIB));
    check_success(cuCtxSynchronize());
    check(resident_bytes() > before + 240 * MIB);
    free_all(ptr, COUNT);
    check(resident_bytes() < before + 40 * MIB);
}

TEST(freed_pinned_memory_returns_to_the_system)
{
    void *ptr;
    size_t before;

    with_context();
    only_cupipe();
    before = resident_bytes();
    check_success(cuMemAllocHost(&ptr, 256 * MIB));
    memset(ptr, 1, 256 * MIB);
    check_success(cuMemFreeHost(ptr));
    check(resident_bytes() < before + 40 * MIB);
}

TEST(memory_of_a_context_returns_to_the_system)
{
    CUcontext context;
    CUdeviceptr ptr;
    size_t before;

    with_context();
    only_cupipe();
    before = resident_bytes();
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuMemAlloc(&ptr, 256 * MIB));
    check_success(cuMemsetD8(ptr, 1, 256 * MIB));
    check_success(cuCtxDestroy(context));
    check(resident_bytes() < before + 40 * MIB);
}

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The bound is generous: a sanitizer may be at work. It is there for what is not linear. */
TEST(a_million_live_allocations)
{
    CUdeviceptr *ptr = malloc(MANY * sizeof(*ptr)), base;
    double start;
    size_t before, bytes;

    with_memory("1G");
    before = free_bytes();
    start = seconds();
    for (int i = 0; i < MANY; i++)
        check_success(cuMemAlloc(&ptr[i], 512));
    for (int i = 0; i < MANY; i++) {
        check_success(cuMemGetAddressRange(&base, &bytes, ptr[i] + 511));
        check(base == ptr[i] && bytes == 512);
    }
    for (unsigned i = 0; i < MANY; i++) /* in an order that joins late */
        check_success(cuMemFree(ptr[(uint64_t)i * 7919 % MANY]));
    check(free_bytes() == before);
    check(seconds() - start < 60);
    free(ptr);
}

/* Room for far less than the device's memory. */
TEST(little_address_space_is_an_error_and_not_a_crash)
{
    struct rlimit limit;
    size_t mapped, resident;
    CUresult result;

    setenv("CUPIPE_MEMORY", "8G", 1);
    read_sizes(&mapped, &resident);
    limit.rlim_cur = limit.rlim_max = mapped + 256 * MIB;
    check(setrlimit(RLIMIT_AS, &limit) == 0);
    result = cuInit(0);
    check(result != CUDA_SUCCESS);
    check_result(cuInit(0), result);
}
