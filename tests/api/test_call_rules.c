/* SPDX-License-Identifier: MIT */
/* Rules found by random calls against NVIDIA's driver: the order in which arguments are checked,
 * the contents of outputs after an error, and the results for memory of another kind than the
 * function is for. */
#include "test.h"
#include "virtual.h"

#include <unistd.h>

enum { BYTES = 1 << 16 };
static const CUmemLocation device_0 = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

static CUdeviceptr mapped(CUmemAccess_flags flags)
{
    CUmemGenericAllocationHandle handle = create(UNIT, 0);
    CUdeviceptr at = reserve(UNIT);

    check_success(cuMemMap(at, UNIT, 0, handle, 0));
    if (flags)
        allow(at, UNIT, flags);
    return at;
}

static CUdeviceptr pooled(size_t bytes)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAllocAsync(&ptr, bytes, NULL));
    check_success(cuCtxSynchronize());
    return ptr;
}

static CUresult get_access(CUdeviceptr ptr, int type, int id, unsigned long long *flags)
{
    CUmemLocation location = {(CUmemLocationType)type, id};

    *flags = 99;
    return cuMemGetAccess(flags, &location, ptr);
}

TEST(access_of_memory_that_is_not_mapped_is_none)
{
    unsigned long long flags;
    CUdeviceptr device, managed;
    void *host;

    with_context();
    check_success(cuMemAlloc(&device, BYTES));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemHostAlloc(&host, BYTES, 0));
    CUdeviceptr all[] = {device, managed, (CUdeviceptr)(uintptr_t)host, pooled(BYTES)};
    for (int i = 0; i < 4; i++) {
        check_success(get_access(all[i] + 100, CU_MEM_LOCATION_TYPE_DEVICE, 0, &flags));
        check(flags == 0);
    }
}

TEST(access_looks_at_the_location_before_the_address)
{
    unsigned long long flags;
    char mine[16];
    CUdeviceptr unknown = (CUdeviceptr)(uintptr_t)mine;

    with_context();
    check_result(get_access(unknown, CU_MEM_LOCATION_TYPE_DEVICE, 1000, &flags),
                 CUDA_ERROR_INVALID_DEVICE);
    check_result(get_access(unknown, 0, 0, &flags), CUDA_ERROR_INVALID_DEVICE);
    check(flags == 99);
    check_result(get_access(unknown, CU_MEM_LOCATION_TYPE_DEVICE, 0, &flags),
                 CUDA_ERROR_INVALID_VALUE);
    check(flags == 0);
    check_result(get_access(0, 0, 0, &flags), CUDA_ERROR_INVALID_VALUE);
    check(flags == 99);
}

/* 64 KiB share a block of 2 MiB, which is portable if its first allocation was. */
TEST(host_flags_are_those_of_the_block)
{
    void *first, *second, *combined;
    unsigned flags;

    with_context();
    check_success(cuMemHostAlloc(&first, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    check_success(cuMemAllocHost(&second, BYTES));
    check_success(cuMemHostAlloc(&combined, BYTES, CU_MEMHOSTALLOC_WRITECOMBINED));
    check_success(cuMemHostGetFlags(&flags, second));
    check(flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemHostGetFlags(&flags, combined));
    check(flags == (CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemFreeHost(first));
    check_success(cuMemFreeHost(second));
    check_success(cuMemAllocHost(&first, BYTES));
    check_success(cuMemHostAlloc(&second, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    check_success(cuMemHostGetFlags(&flags, second));
    check(flags == CU_MEMHOSTALLOC_DEVICEMAP);
}

TEST(mapped_memory_answers_as_host_memory)
{
    CUdeviceptr at, ptr;
    unsigned flags;

    needs_address_space();
    with_context();
    at = mapped(READWRITE);
    check_success(cuMemHostGetFlags(&flags, (void *)(uintptr_t)at));
    check(flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemHostGetDevicePointer(&ptr, (void *)(uintptr_t)(at + 1000), 0));
    check(ptr == at);
}

TEST(outputs_are_zero_before_a_context_is_missed)
{
    CUdeviceptr ptr = 7;
    size_t pitch = 7;
    void *host = &ptr;

    with_context();
    check_success(cuCtxSetCurrent(NULL));
    check_result(cuMemAlloc(&ptr, 1), CUDA_ERROR_INVALID_CONTEXT);
    check(ptr == 0);
    check_result(cuMemHostAlloc(&host, 1, 0), CUDA_ERROR_INVALID_CONTEXT);
    check(host == NULL);
    ptr = 7;
    check_result(cuMemAllocPitch(&ptr, &pitch, 1, 1, 4), CUDA_ERROR_INVALID_CONTEXT);
    check(ptr == 0 && pitch == 0);
    ptr = 7;
    check_result(cuMemHostGetDevicePointer(&ptr, &pitch, 0), CUDA_ERROR_INVALID_CONTEXT);
    check(ptr == 0);
    ptr = 7;
    check_result(cuMemAllocManaged(&ptr, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
    check(ptr == 0);
}

TEST(read_only_registered_memory_is_not_written)
{
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUdeviceptr device, registered = (CUdeviceptr)(uintptr_t)pages;
    unsigned access = 0;

    with_context();
    check_success(cuMemAlloc(&device, BYTES));
    check_success(cuMemHostRegister(pages, BYTES, CU_MEMHOSTREGISTER_READ_ONLY));
    check_success(cuMemcpyHtoD(device, pages, BYTES));
    check_result(cuMemcpyDtoH(pages, device, BYTES), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpy(registered, device, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD8(registered, 1, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, registered));
    check(access == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ);
}

TEST(values_are_not_written_to_managed_or_pooled_memory)
{
    CUdeviceptr managed;

    with_context();
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_result(cuStreamWriteValue32(NULL, managed, 1, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWriteValue32(NULL, pooled(BYTES), 1, 0), CUDA_ERROR_INVALID_VALUE);
}

/* Layers of an array of one dimension lie row after row in a device's memory, in the host's a slice
 * apart. */
static void check_layers(CUmemorytype type, CUdeviceptr to, const unsigned char *bytes, size_t step)
{
    enum { WIDTH = 16, LAYERS = 3, ROW = 32, ROWS = 4 };
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        WIDTH, 0, LAYERS, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_LAYERED};
    unsigned char layers[LAYERS * WIDTH], copied[1024];
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = layers,
                          .srcPitch = WIDTH,
                          .srcHeight = 1,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = WIDTH,
                          .Height = 1,
                          .Depth = LAYERS};

    for (int i = 0; i < LAYERS * WIDTH; i++)
        layers[i] = (unsigned char)(i + 1);
    check_success(cuArray3DCreate(&copy.dstArray, &descriptor));
    check_success(cuMemcpy3D(&copy));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = copy.dstArray,
                           .dstMemoryType = type,
                           .dstDevice = to,
                           .dstHost = (void *)(uintptr_t)to,
                           .dstXInBytes = 1,
                           .dstY = 1,
                           .dstZ = 1,
                           .dstPitch = ROW,
                           .dstHeight = ROWS,
                           .WidthInBytes = WIDTH,
                           .Height = 1,
                           .Depth = LAYERS};
    check_success(cuMemcpy3D(&copy));
    if (!bytes) {
        check_success(cuMemcpyDtoH(copied, to, sizeof copied));
        bytes = copied;
    }
    for (int z = 0; z < LAYERS; z++)
        check(memcmp(bytes + 1 + ROW + ROW * ROWS + z * step, layers + z * WIDTH, WIDTH) == 0);
}

TEST(layers_of_one_row_lie_row_after_row)
{
    static unsigned char host[1024];
    CUdeviceptr device;

    with_context();
    check_success(cuMemAlloc(&device, sizeof host));
    check_success(cuMemsetD8(device, 0, sizeof host));
    check_layers(CU_MEMORYTYPE_DEVICE, device, NULL, 32);
    check_layers(CU_MEMORYTYPE_HOST, (CUdeviceptr)(uintptr_t)host, host, 32 * 4);
}

static CUresult copy_row_at(CUdeviceptr to, unsigned type, size_t x, size_t pitch)
{
    char row[16] = {1};
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = row,
                          .srcPitch = sizeof row,
                          .dstMemoryType = (CUmemorytype)type,
                          .dstDevice = to,
                          .dstXInBytes = x,
                          .dstPitch = pitch,
                          .WidthInBytes = sizeof row,
                          .Height = 1};

    return cuMemcpy2D(&copy);
}

TEST(pitches_of_pooled_and_mapped_memory_hold_the_width_alone)
{
    CUdeviceptr device, at;

    needs_address_space();
    with_context();
    at = mapped(READWRITE);
    check_success(cuMemAlloc(&device, BYTES));
    check_result(copy_row_at(device, CU_MEMORYTYPE_DEVICE, 8, 16), CUDA_ERROR_INVALID_VALUE);
    check_success(copy_row_at(at, CU_MEMORYTYPE_DEVICE, 8, 16));
    check_success(copy_row_at(pooled(BYTES), CU_MEMORYTYPE_DEVICE, 8, 16));
    check_result(copy_row_at(at, CU_MEMORYTYPE_DEVICE, 8, 15), CUDA_ERROR_INVALID_VALUE);
    check_result(copy_row_at(device, 5, 0, 16), CUDA_ERROR_INVALID_VALUE);
    check_success(copy_row_at(at, 5, 0, 16)); /* the type is not looked at */
}

TEST(a_mapping_without_access_has_no_range)
{
    CUdeviceptr at, base = 7;
    size_t bytes = 7;

    needs_address_space();
    with_context();
    at = reserve(3 * UNIT);
    check_success(cuMemMap(at + UNIT, UNIT, 0, create(UNIT, 0), 0));
    check_result(cuMemGetAddressRange(&base, &bytes, at + UNIT), CUDA_ERROR_NOT_FOUND);
    check_success(
        cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at + UNIT + 5));
    check_success(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at + UNIT));
    check(base == at && bytes == 3 * UNIT);
    allow(at + UNIT, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    check_success(cuMemGetAddressRange(&base, &bytes, at + UNIT));
    check(base == at + UNIT && bytes == UNIT);
}

TEST(access_may_be_set_over_gaps_and_unmapping_needs_no_units)
{
    CUmemAccessDesc access = {device_0, READWRITE};
    CUmemAccessDesc none = {{CU_MEM_LOCATION_TYPE_HOST, 0}, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    CUdeviceptr at;

    needs_address_space();
    with_context();
    at = reserve(4 * UNIT);
    check_success(cuMemUnmap(at, 4096));
    check_success(cuMemMap(at, UNIT, 0, create(UNIT, 0), 0));
    check_success(cuMemMap(at + 2 * UNIT, UNIT, 0, create(UNIT, 0), 0));
    check_success(cuMemSetAccess(at, 3 * UNIT, &access, 1));
    check_result(cuMemSetAccess(at, 4 * UNIT, &access, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemSetAccess(at, UNIT, &none, 1));
    check_result(cuMemUnmap(at, 4096), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemUnmap(at + UNIT + 4096, 2 * UNIT));
    check_success(cuMemMap(at + 2 * UNIT, UNIT, 0, create(UNIT, 0), 0));
}

TEST(pools_complain_in_the_drivers_order)
{
    CUmemLocation elsewhere = {(CUmemLocationType)5, 0},
                  node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 77};
    CUmemPoolProps properties;
    CUmemAccessDesc access = {elsewhere, READWRITE};
    CUmemAccess_flags flags;
    CUmemPoolPtrExportData data;
    CUmemoryPool pool;
    CUdeviceptr ptr;
    int file;

    with_context();
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = device_0;
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemPoolSetAccess(pool, &access, 0));
    check_result(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_NOT_SUPPORTED);
    access.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 1000};
    check_result(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
    check_success(cuMemPoolGetAccess(&flags, pool, &node));
    check(flags == 0);
    check_result(cuMemGetMemPool(&pool, &elsewhere, CU_MEM_ALLOCATION_TYPE_PINNED),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuDeviceSetMemPool(1000, pool), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAllocFromPoolAsync(&ptr, BYTES, pool, NULL));
    check_result(cuMemPoolExportPointer(&data, ptr), CUDA_ERROR_INVALID_VALUE);
    check_success(
        cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    check_success(cuMemPoolExportPointer(&data, ptr));
    properties.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties.handleTypes = 0;
    properties.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
    properties.maxSize = 1;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
}

TEST(advice_that_names_a_node_never_fails)
{
    CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 7};
    CUdeviceptr device, managed;
    int read_mostly = 7;

    with_context();
    check_success(cuMemAlloc(&device, BYTES));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemAdvise(device, 0, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, node));
    check_success(cuMemAdvise(managed, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, node));
    check_success(cuMemRangeGetAttribute(&read_mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                         managed, BYTES));
    check(read_mostly == 0);
    check_success(cuCtxSetCurrent(NULL));
    check_success(cuMemAdvise(managed, BYTES, CU_MEM_ADVISE_UNSET_READ_MOSTLY, node));
    check_result(cuMemAdvise(managed, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0),
                 CUDA_ERROR_INVALID_CONTEXT);
}

static int range_attribute(CUmem_range_attribute attribute, CUdeviceptr at, size_t bytes)
{
    int value = 77;

    check_success(cuMemRangeGetAttribute(&value, sizeof value, attribute, at, bytes));
    return value;
}

static void prefetch(CUdeviceptr at, size_t bytes, CUmemLocation to)
{
    check_success(cuMemPrefetchAsync(at, bytes, to, 0, NULL));
    check_success(cuCtxSynchronize());
}

/* Of a range that begins within pages of which the same is said, as many at the end do not count as
 * there are such pages before it. */
TEST(a_range_counts_all_of_the_segment_it_begins_in)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    CUdeviceptr managed;

    with_context();
    check_success(cuMemAllocManaged(&managed, 16 * page, CU_MEM_ATTACH_GLOBAL));
    prefetch(managed + page, 6 * page, device_0);
    CUmem_range_attribute last = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    check(range_attribute(last, managed + page, 6 * page) == 0);
    check(range_attribute(last, managed + page, 7 * page) == CU_DEVICE_INVALID);
    check(range_attribute(last, managed + 2 * page, 6 * page) == 0);
    check(range_attribute(last, managed + 2 * page, 7 * page) == CU_DEVICE_INVALID);
    check(range_attribute(last, managed + 6 * page, 6 * page) == 0);
    check(range_attribute(last, managed, page) == CU_DEVICE_INVALID);
    check_success(cuMemAdvise(managed + page, 3 * page, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
    check(range_attribute(last, managed + 2 * page, 6 * page) == 0);
    check(range_attribute(last, managed + 4 * page, 6 * page) == CU_DEVICE_INVALID);
}

/* Small allocations follow one another in steps of 512 bytes and share pages. */
TEST(managed_allocations_share_what_is_said_of_a_page)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    CUdeviceptr first, second;

    with_context();
    check_success(cuMemAllocManaged(&first, page + 100, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemAllocManaged(&second, 2 * page, CU_MEM_ATTACH_GLOBAL));
    check(second == first + page + 512);
    CUmem_range_attribute last = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    prefetch(first, page + 100, device_0);
    check(range_attribute(last, second, 100) == 0);
    check(range_attribute(last, second + page, 100) == CU_DEVICE_INVALID);
    check_success(cuMemFree(first));
    check(range_attribute(last, second, 100) == CU_DEVICE_INVALID);
}

/* One prefetch settles the id of the host; a batch keeps what it was told. */
TEST(prefetch_locations_are_answered_as_they_were_named)
{
    CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 1};
    CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, -1};
    CUdeviceptr managed;
    CUstream stream;
    size_t bytes = BYTES, first = 0;

    with_context();
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    CUmem_range_attribute id = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID;
    CUmem_range_attribute type = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE;
    prefetch(managed, BYTES, host);
    check(range_attribute(id, managed, BYTES) == CU_DEVICE_CPU);
    check_success(cuMemPrefetchBatchAsync(&managed, &bytes, 1, &host, &first, 1, 0, stream));
    check_success(cuStreamSynchronize(stream));
    check(range_attribute(id, managed, BYTES) == 1);
    check_success(cuMemPrefetchBatchAsync(&managed, &bytes, 1, &node, &first, 1, 0, stream));
    check_success(cuStreamSynchronize(stream));
    check(range_attribute(type, managed, BYTES) == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
    check(range_attribute(id, managed, BYTES) == -1);
    check(range_attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, BYTES) ==
          CU_DEVICE_CPU);
}

/* A location that is none is found first; a range that is none when its turn comes. */
TEST(a_batch_of_prefetches_ends_at_the_first_wrong_range)
{
    CUmemLocation places[2] = {device_0, {CU_MEM_LOCATION_TYPE_INVALID, 0}};
    size_t sizes[2] = {BYTES, BYTES}, first[2] = {0, 1};
    CUdeviceptr ranges[2];
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAllocManaged(&ranges[0], BYTES, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemAlloc(&ranges[1], BYTES));
    CUmem_range_attribute last = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    check_result(cuMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 2, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check(range_attribute(last, ranges[0], BYTES) == CU_DEVICE_INVALID);
    check_result(cuMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 1, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check(range_attribute(last, ranges[0], BYTES) == 0);
}

TEST(a_batch_of_prefetches_to_no_device_is_an_invalid_value)
{
    CUmemLocation wrong = {CU_MEM_LOCATION_TYPE_DEVICE, 1000};
    CUdeviceptr managed;
    CUstream stream;
    size_t bytes = BYTES, first = 0;

    with_context();
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_result(cuMemPrefetchBatchAsync(&managed, &bytes, 1, &wrong, &first, 1, 0, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchAsync(managed, bytes, wrong, 0, stream), CUDA_ERROR_INVALID_DEVICE);
    check_success(cuStreamAttachMemAsync(CU_STREAM_LEGACY, managed, 0, CU_MEM_ATTACH_SINGLE));
    check_result(cuStreamAttachMemAsync(NULL, managed, 0, CU_MEM_ATTACH_SINGLE),
                 CUDA_ERROR_INVALID_VALUE);
}

/* What else is in the block is exported as well, and stays as it was. */
TEST(a_range_that_is_exported_ends_with_its_block)
{
    const size_t block = 2 << 20;
    CUdeviceptr device, behind;
    unsigned value = 0;
    int file = -1;

    with_context();
    check_success(cuMemAlloc(&device, 100));
    check_success(cuMemAlloc(&behind, BYTES));
    check(device % block == 0 && behind == device + 512);
    check_success(cuMemsetD32(behind, 0x1234567, BYTES / 4));
    for (unsigned long long flags = 0; flags < 2; flags++)
        check_result(cuMemGetHandleForAddressRange(&file, device, block + BYTES,
                                                   CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, flags),
                     CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemGetHandleForAddressRange(&file, device, block,
                                                CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    check(file >= 0);
    check_success(cuMemFree(device));
    close(file);
    check_success(cuMemcpyDtoH(&value, behind + BYTES - 4, 4));
    check(value == 0x1234567);
    file = -77;
    CUmemRangeHandleType unknown = (CUmemRangeHandleType)3;
    check_result(cuMemGetHandleForAddressRange(&file, device, block, unknown, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxSetCurrent(NULL));
    check_result(cuMemGetHandleForAddressRange(&file, device, block, unknown, 0),
                 CUDA_ERROR_INVALID_CONTEXT);
    check(file == -77);
}

TEST(io_memory_is_known_by_the_first_bytes_of_its_pages)
{
    const size_t page = 4096;
    char *pages = aligned_alloc(page, 4 * page);

    with_context();
    check_success(cuMemHostRegister(pages + page + 100, page, 0));
    check_result(cuMemHostRegister(pages + page, page, CU_MEMHOSTREGISTER_IOMEMORY),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemHostRegister(pages + page, 2 * page, CU_MEMHOSTREGISTER_IOMEMORY),
                 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    check_result(cuMemHostRegister(pages + page + 100, 1, CU_MEMHOSTREGISTER_IOMEMORY),
                 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    check_success(cuMemHostUnregister(pages + page + 100));
    free(pages);
}

/* Compressible memory is not for the decompressor, and memory of the host not for GPUDirect RDMA.
 */
TEST(flags_of_physical_memory_that_exclude_each_other)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device_0};
    CUmemGenericAllocationHandle handle;

    with_context();
    prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    check_success(cuMemCreate(&handle, UNIT, &prop, 0));
    prop.allocFlags.usage = CU_MEM_CREATE_USAGE_HW_DECOMPRESS;
    check_result(cuMemCreate(&handle, UNIT, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
    check_success(cuMemCreate(&handle, UNIT, &prop, 0));
    prop = (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}};
    check_success(cuMemCreate(&handle, UNIT, &prop, 0));
    prop.allocFlags.gpuDirectRDMACapable = 2;
    check_result(cuMemCreate(&handle, UNIT, &prop, 0), CUDA_ERROR_INVALID_VALUE);
}

/* That a compressed format is no surface is said before that it has no single row. */
TEST(compressed_formats_are_no_surfaces_of_any_extent)
{
    CUDA_ARRAY3D_DESCRIPTOR row = {32, 0, 0, CU_AD_FORMAT_BC2_UNORM, 4, 0};
    CUmipmappedArray mipmap;
    CUarray array;

    with_context();
    check_result(cuArray3DCreate(&array, &row), CUDA_ERROR_INVALID_VALUE);
    row.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    check_result(cuArray3DCreate(&array, &row), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMipmappedArrayCreate(&mipmap, &row, 6), CUDA_ERROR_NOT_SUPPORTED);
    row.NumChannels = 2;
    check_result(cuArray3DCreate(&array, &row), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_legacy_stream_is_done_after_the_context_is)
{
    CUdeviceptr device;
    CUstream stream;

    with_context();
    check_success(cuMemAlloc(&device, 1 << 20));
    check_success(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    for (int i = 0; i < 5000; i++) {
        check_success(cuMemsetD8Async(device, (unsigned char)i, 1 << 18, stream));
        check_success(cuCtxSynchronize());
        check_success(cuStreamQuery(NULL));
    }
}
