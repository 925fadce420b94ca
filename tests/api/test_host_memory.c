/* SPDX-License-Identifier: MIT */
/* Host memory the device can reach: pinned, and the application's own, registered. */
#include "test.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

static CUdeviceptr device_address(const void *ptr)
{
    return (CUdeviceptr)(uintptr_t)ptr;
}

static unsigned char *map_pages(size_t bytes, int protection)
{
    void *pages = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(pages != MAP_FAILED);
    return pages;
}

static unsigned char *readable_pages(size_t bytes)
{
    return map_pages(bytes, PROT_READ | PROT_WRITE);
}

static void check_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(bytes[i] == 0);
}

TEST(pinned_memory_begins_as_zero)
{
    static const size_t sizes[] = {1, 64, 4096, 100000, 1 << 20, (1 << 20) + 1, 9 << 20};
    void *ptr;

    with_context();
    only_cupipe();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_success(cuMemAllocHost(&ptr, sizes[i]));
        check_zero(ptr, sizes[i]);
        memset(ptr, 0xa5, sizes[i]);
        check_success(cuMemFreeHost(ptr));
        check_success(cuMemAllocHost(&ptr, sizes[i]));
        check_zero(ptr, sizes[i]);
    }
}

TEST(pinned_memory_of_no_size_is_null)
{
    void *ptr = &ptr;

    with_context();
    check_success(cuMemAllocHost(&ptr, 0));
    check(ptr == NULL);
    check_result(cuMemAllocHost(NULL, 64), CUDA_ERROR_INVALID_VALUE);
}

TEST(pinned_memory_keeps_its_flags)
{
    unsigned flags;
    void *ptr;

    with_context();
    for (unsigned asked = 0; asked < 8; asked++) {
        check_success(cuMemHostAlloc(&ptr, 100, asked));
        check_success(cuMemHostGetFlags(&flags, (char *)ptr + 50));
        check(flags == (asked | CU_MEMHOSTALLOC_DEVICEMAP));
        check_success(cuMemFreeHost(ptr));
        check_result(cuMemHostGetFlags(&flags, ptr), CUDA_ERROR_INVALID_VALUE);
    }
    check_result(cuMemHostAlloc(&ptr, 100, 8), CUDA_ERROR_INVALID_VALUE);
    check(ptr == NULL);
}

TEST(device_pointer_of_host_memory_is_the_same)
{
    unsigned char *pages = readable_pages(PAGE);
    CUdeviceptr device;
    void *ptr;

    with_context();
    check_success(cuMemAllocHost(&ptr, 1000));
    check_success(cuMemHostGetDevicePointer(&device, (char *)ptr + 999, 0));
    check(device == device_address(ptr) + 999);
    check_result(cuMemHostGetDevicePointer(&device, ptr, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostGetDevicePointer(&device, pages, 0), CUDA_ERROR_INVALID_VALUE);
    check(device == 0);
    check_success(cuMemHostRegister(pages, PAGE, 0));
    check_success(cuMemHostGetDevicePointer(&device, pages + 100, 0));
    check(device == device_address(pages) + 100);
}

TEST(free_host_of_other_pointers_is_refused)
{
    unsigned char *pages = readable_pages(PAGE);
    CUdeviceptr device;
    void *ptr;

    with_context();
    check_success(cuMemFreeHost(NULL));
    check_success(cuMemAllocHost(&ptr, 5000));
    check_success(cuMemAlloc(&device, 5000));
    check_success(cuMemHostRegister(pages, PAGE, 0));
    check_result(cuMemFreeHost((char *)ptr + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeHost((char *)ptr + 512), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeHost((void *)(uintptr_t)device), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeHost(pages), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFreeHost(ptr));
    check_result(cuMemFreeHost(ptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(registered_range_is_exact)
{
    static const struct {
        size_t offset, bytes;
    } ranges[] = {{0, 1}, {1, 1}, {64, 64}, {100, 5000}, {4095, 2}, {0, 4097}, {0, 65536}};
    unsigned char *pages = readable_pages(65536);
    CUdeviceptr base;
    size_t bytes;

    with_context();
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        unsigned char *at = pages + ranges[i].offset;
        check_success(cuMemHostRegister(at, ranges[i].bytes, 0));
        check_success(
            cuMemGetAddressRange(&base, &bytes, device_address(at + ranges[i].bytes - 1)));
        check(base == device_address(at) && bytes == ranges[i].bytes);
        check_result(cuMemGetAddressRange(&base, &bytes, device_address(at + ranges[i].bytes)),
                     CUDA_ERROR_NOT_FOUND);
        check_success(cuMemHostUnregister(at));
        check_result(cuMemGetAddressRange(&base, &bytes, device_address(at)), CUDA_ERROR_NOT_FOUND);
    }
}

TEST(registered_ranges_may_share_a_page)
{
    unsigned char *pages = readable_pages(2 * PAGE);
    CUdeviceptr base;
    size_t bytes;

    with_context();
    for (int i = 0; i < 64; i++)
        check_success(cuMemHostRegister(pages + i * 100, 100, 0));
    for (int i = 0; i < 64; i++) {
        check_success(cuMemGetAddressRange(&base, &bytes, device_address(pages + i * 100 + 99)));
        check(base == device_address(pages + i * 100) && bytes == 100);
    }
    for (int i = 0; i < 64; i += 2)
        check_success(cuMemHostUnregister(pages + i * 100));
    for (int i = 0; i < 64; i++)
        check_result(cuMemGetAddressRange(&base, &bytes, device_address(pages + i * 100)),
                     i % 2 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

TEST(registered_ranges_may_not_overlap)
{
    static const struct {
        size_t offset, bytes;
    } taken[] = {{PAGE, PAGE},  {PAGE + 100, 100}, {100, PAGE},     {2 * PAGE - 1, 2},
                 {0, 3 * PAGE}, {PAGE, 10},        {PAGE, 2 * PAGE}};
    unsigned char *pages = readable_pages(3 * PAGE);

    with_context();
    check_success(cuMemHostRegister(pages + PAGE, PAGE, 0));
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        check_result(cuMemHostRegister(pages + taken[i].offset, taken[i].bytes, 0),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    check_success(cuMemHostRegister(pages, PAGE, 0));
    check_success(cuMemHostRegister(pages + 2 * PAGE, PAGE, 0));
}

TEST(unregister_of_other_pointers_is_refused)
{
    unsigned char *pages = readable_pages(2 * PAGE);
    CUdeviceptr device;
    void *ptr;

    with_context();
    check_success(cuMemAllocHost(&ptr, PAGE));
    check_success(cuMemAlloc(&device, PAGE));
    check_success(cuMemHostRegister(pages + 100, PAGE, 0));
    check_result(cuMemHostUnregister(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostUnregister(pages + 101), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostUnregister(pages + 100 + PAGE), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    check_result(cuMemHostUnregister(pages), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    check_result(cuMemHostUnregister(ptr), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostUnregister((void *)(uintptr_t)device), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemHostUnregister(pages + 100));
    check_result(cuMemHostUnregister(pages + 100), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

/* Maps memory far below the addresses that the system gives out, so that no other thread maps
 * something into a hole in it. */
static unsigned char *remote_pages(size_t bytes)
{
    void *pages =
        mmap((void *)0x40000000, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(pages != MAP_FAILED);
    return pages;
}

TEST(register_of_no_memory_is_refused)
{
    unsigned char *hole = remote_pages(3 * PAGE);

    with_context();
    check(munmap(hole + PAGE, PAGE) == 0);
    check_result(cuMemHostRegister(NULL, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(hole, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(hole, SIZE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(hole + PAGE, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(hole, 3 * PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(hole, PAGE, 0x10), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(map_pages(PAGE, PROT_NONE), PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemHostRegister(hole, PAGE, 0));
    check_success(cuMemHostRegister(hole + 2 * PAGE, PAGE, 0));
}

TEST(register_of_cuda_memory_is_refused)
{
    CUdeviceptr device;
    char *ptr;

    with_context();
    check_success(cuMemAllocHost((void **)&ptr, 3 * PAGE));
    check_success(cuMemAlloc(&device, 3 * PAGE));
    check_result(cuMemHostRegister(ptr, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(ptr + PAGE, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister((void *)(uintptr_t)device, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(read_only_memory_is_registered_as_such)
{
    unsigned char *pages = map_pages(PAGE, PROT_READ), byte = 7;
    CUdeviceptr device;

    with_context();
    check_result(cuMemHostRegister(pages, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemHostRegister(pages, PAGE, CU_MEMHOSTREGISTER_READ_ONLY));
    check_success(cuMemAlloc(&device, PAGE));
    check_success(cuMemcpyHtoD(device, pages, PAGE));
    check_success(cuMemcpyDtoH(&byte, device + PAGE - 1, 1));
    check(byte == 0);
    check_success(cuMemHostUnregister(pages));
}

TEST(registering_keeps_what_memory_holds)
{
    unsigned char *pages = readable_pages(4 * PAGE);

    with_context();
    for (size_t i = 0; i < 4 * PAGE; i++)
        pages[i] = (unsigned char)(i * 7);
    check_success(cuMemHostRegister(pages + 10, 4 * PAGE - 20, 0));
    for (size_t i = 0; i < 4 * PAGE; i++)
        check(pages[i] == (unsigned char)(i * 7));
}

TEST(registration_goes_with_its_context)
{
    unsigned char *pages = readable_pages(PAGE);
    CUcontext primary = with_context(), context;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuMemHostRegister(pages, PAGE, 0));
    check_success(cuCtxSetCurrent(primary));
    check_result(cuMemHostRegister(pages, PAGE, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    check_success(cuCtxDestroy(context));
    check_success(cuMemHostRegister(pages, PAGE, 0));
}

TEST(registration_outlives_the_mapping)
{
    unsigned char *pages = readable_pages(PAGE);

    with_context();
    check_success(cuMemHostRegister(pages, PAGE, 0));
    check(munmap(pages, PAGE) == 0);
    check_success(cuMemHostUnregister(pages));
}

struct registrar {
    pthread_t thread;
    CUcontext context;
    unsigned char *pages;
};

enum { REGISTRARS = 8, PIECE = 700, PIECES = 20 };

static void *register_and_look(void *argument)
{
    struct registrar *own = argument;
    CUdeviceptr base;
    size_t bytes;

    check_success(cuCtxSetCurrent(own->context));
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < PIECES; i++)
            check_success(cuMemHostRegister(own->pages + i * PIECE, PIECE, 0));
        for (int i = 0; i < PIECES; i++) {
            check_success(
                cuMemGetAddressRange(&base, &bytes, device_address(own->pages + i * PIECE + 99)));
            check(base == device_address(own->pages + i * PIECE) && bytes == PIECE);
        }
        for (int i = 0; i < PIECES; i++)
            check_success(cuMemHostUnregister(own->pages + i * PIECE));
    }
    return NULL;
}

/* The threads' ranges lie side by side: some pages are shared between threads. */
TEST(threads_register_at_once)
{
    struct registrar threads[REGISTRARS];
    unsigned char *pages = readable_pages(REGISTRARS * PIECE * PIECES);
    CUcontext context = with_context();

    only_cupipe();
    for (int i = 0; i < REGISTRARS; i++) {
        threads[i] = (struct registrar){.context = context, .pages = pages + i * PIECE * PIECES};
        check(pthread_create(&threads[i].thread, NULL, register_and_look, &threads[i]) == 0);
    }
    for (int i = 0; i < REGISTRARS; i++)
        pthread_join(threads[i].thread, NULL);
}
