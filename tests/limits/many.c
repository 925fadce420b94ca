/* SPDX-License-Identifier: MIT */
/* Very many objects of every kind at once. Each call succeeds or returns an error; when all objects
 * are destroyed, memory, descriptors, threads and mappings are back to where they were.
 * CUPIPE_LIMITS=N multiplies the numbers by N. */
#include "use.h"

#include <sys/mman.h>

enum { MIB = 1 << 20 };

static size_t many(size_t count)
{
    const char *times = getenv("CUPIPE_LIMITS");

    return times ? count * strtoul(times, NULL, 0) : count;
}

/* Room for handles that is counted before. */
static void *room_for(size_t count, size_t bytes)
{
    void *room = mmap(NULL, count * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    check(room != MAP_FAILED);
    return room;
}

/* A context that has done a bit of everything, so that what is made once is there. */
static void with_used_context(void)
{
    CUdeviceptr memory;
    CUstream stream;
    CUevent event;

    with_context();
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuEventCreate(&event, 0));
    check_success(cuMemAlloc(&memory, 4 * MIB));
    check_success(cuMemsetD8Async(memory, 1, 4 * MIB, stream));
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemFree(memory));
    check_success(cuMemAllocManaged(&memory, 512, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemFree(memory));
    check_success(cuMemAllocAsync(&memory, 512, stream));
    check_success(cuMemFreeAsync(memory, stream));
    check_success(cuEventDestroy(event));
    check_success(cuStreamDestroy(stream));
    check_success(cuCtxSynchronize());
}

/* Freed in another order than made: by a step that meets each once. */
static size_t scattered(size_t i, size_t count)
{
    size_t step = 7919;

    return count % step ? i * step % count : i;
}

static void allocate_many(CUresult (*allocate)(CUdeviceptr *at, size_t bytes), size_t bytes,
                          bool in_order)
{
    size_t count = many(1000000), made = 0;
    CUdeviceptr *memory = room_for(count, sizeof(*memory));
    struct use before = use_now();

    while (made < count && allocate(&memory[made], bytes) == CUDA_SUCCESS)
        made++;
    print_peak("allocations", made, count);
    check(made == count);
    for (size_t i = 0; i < made; i++)
        check_success(cuMemFree(memory[in_order ? i : scattered(i, made)]));
    check_success(cuCtxSynchronize()); /* a pool gives back what it need not keep */
    check_back(before, 4 * MIB, 0);
}

TEST(a_million_allocations)
{
    with_used_context();
    allocate_many(cuMemAlloc, 512, true);
}

TEST(a_million_allocations_freed_in_another_order)
{
    with_used_context();
    allocate_many(cuMemAlloc, 700, false);
}

static CUresult allocate_managed(CUdeviceptr *at, size_t bytes)
{
    return cuMemAllocManaged(at, bytes, CU_MEM_ATTACH_GLOBAL);
}

TEST(a_million_managed_allocations)
{
    with_used_context();
    allocate_many(allocate_managed, 100, true);
}

static CUresult allocate_from_pool(CUdeviceptr *at, size_t bytes)
{
    return cuMemAllocAsync(at, bytes, NULL);
}

TEST(a_million_allocations_of_a_pool)
{
    with_used_context();
    allocate_many(allocate_from_pool, 512, false);
}

/* Each with its memory in this process twice, as its own and as somebody else's. */
struct shared_pool {
    CUmemoryPool own, imported;
    CUdeviceptr memory, seen;
};

static void shared_pool_make(struct shared_pool *shared)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemPoolPtrExportData data;
    unsigned value = 0;
    int fd;

    check_success(cuMemPoolCreate(&shared->own, &properties));
    check_success(cuMemPoolExportToShareableHandle(&fd, shared->own,
                                                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    check_success(cuMemPoolImportFromShareableHandle(&shared->imported, (void *)(intptr_t)fd,
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    check_success(cuMemAllocFromPoolAsync(&shared->memory, 1 * MIB, shared->own, NULL));
    check_success(cuMemPoolExportPointer(&data, shared->memory));
    check_success(cuMemPoolImportPointer(&shared->seen, shared->imported, &data));
    check_success(cuMemsetD32(shared->memory, 7, MIB / 4));
    check_success(cuMemcpyDtoH(&value, shared->seen + MIB - 4, 4));
    check(value == 7);
}

/* The exporter's or the importer's end first; addresses that nobody has any more are no memory. */
static void shared_pool_end(struct shared_pool *shared, bool own_first)
{
    check_success(cuMemFree(own_first ? shared->memory : shared->seen));
    check_success(cuMemPoolDestroy(own_first ? shared->own : shared->imported));
    check_success(cuMemFree(own_first ? shared->seen : shared->memory));
    check_success(cuMemPoolDestroy(own_first ? shared->imported : shared->own));
    check_result(cuMemFree(shared->memory), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(shared->seen), CUDA_ERROR_INVALID_VALUE);
}

TEST(two_hundred_pools_that_are_shared)
{
    size_t count = many(200);
    struct shared_pool *pools = room_for(count, sizeof(*pools));
    struct use before;

    setenv("CUPIPE_MEMORY", "8G", 0);
    mallopt(M_ARENA_MAX, 1); /* whose mappings are not ours */
    with_used_context();
    shared_pool_make(&pools[0]);
    shared_pool_end(&pools[0], true);
    before = use_now();
    for (size_t i = 0; i < count; i++)
        shared_pool_make(&pools[i]);
    print_peak("pools that are shared", count, count);
    for (size_t i = 0; i < count; i++)
        shared_pool_end(&pools[scattered(i, count)], i % 2);
    check_back(before, 16 * MIB, 0); /* room for some handles, which are large, is kept */
    check(use_now().mappings <= before.mappings);
}

TEST(a_hundred_thousand_streams_and_events)
{
    size_t count = many(100000), made = 0;
    CUstream *streams = room_for(count, sizeof(*streams));
    CUevent *events = room_for(count, sizeof(*events));
    struct use before;

    with_used_context();
    before = use_now();
    while (made < count && cuStreamCreate(&streams[made], CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
        check_success(cuEventCreate(&events[made], 0));
        check_success(cuEventRecord(events[made], streams[made]));
        made++;
    }
    print_peak("streams and events", made, count);
    check(made == count);
    for (size_t i = 0; i < made; i++)
        check_success(cuStreamDestroy(streams[scattered(i, made)]));
    for (size_t i = 0; i < made; i++)
        check_success(cuEventDestroy(events[i]));
    check_result(cuStreamQuery(streams[0]), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventQuery(events[made / 2]), CUDA_ERROR_INVALID_HANDLE);
    check_back(before, 4 * MIB, 0);
}

/* They go with their context, and their handles know it. */
TEST(a_hundred_thousand_events_of_a_context)
{
    size_t count = many(100000);
    CUevent *events = room_for(count, sizeof(*events));
    CUcontext context;
    struct use before;

    with_used_context();
    before = use_now();
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    for (size_t i = 0; i < count; i++)
        check_success(cuEventCreate(&events[i], 0));
    check_success(cuCtxDestroy(context));
    CUresult first = cuEventQuery(events[0]);
    for (size_t i = 0; i < count; i++)
        check_result(cuEventQuery(events[i]), first);
    check_back(before, 4 * MIB, 0);
}

TEST(ten_thousand_arrays)
{
    static const CUDA_ARRAY3D_DESCRIPTOR shapes[] = {
        {100, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0},
        {32, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST},
        {16, 16, 4, CU_AD_FORMAT_HALF, 2, 0},
        {16, 16, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED},
        {8, 8, 6, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_CUBEMAP},
    };
    size_t count = many(10000), made = 0;
    CUarray *arrays = room_for(count, sizeof(*arrays));
    CUmipmappedArray *mipmaps = room_for(count, sizeof(*mipmaps));
    struct use before;

    with_used_context();
    before = use_now();
    while (made < count && cuArray3DCreate(&arrays[made], &shapes[made % 5]) == CUDA_SUCCESS) {
        check_success(cuMipmappedArrayCreate(&mipmaps[made], &shapes[made % 5], 3));
        made++;
    }
    print_peak("arrays and mipmaps", made, count);
    check(made == count);
    for (size_t i = 0; i < made; i++) {
        check_success(cuArrayDestroy(arrays[scattered(i, made)]));
        check_success(cuMipmappedArrayDestroy(mipmaps[i]));
    }
    check_back(before, 4 * MIB, 0);
}

/* All have begun before the first calls, and each waits for its own work. */
struct crowd {
    pthread_barrier_t barrier;
    _Atomic(int) failed;
};

static bool work_of_one(void)
{
    CUdeviceptr memory;
    unsigned value = 0;
    CUcontext context;
    CUstream stream;

    if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 4096) != CUDA_SUCCESS ||
        cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return false;
    bool good = cuMemsetD32Async(memory, 7, 1024, CU_STREAM_PER_THREAD) == CUDA_SUCCESS &&
                cuStreamSynchronize(CU_STREAM_PER_THREAD) == CUDA_SUCCESS &&
                cuMemcpyDtoHAsync(&value, memory, 4, stream) == CUDA_SUCCESS &&
                cuStreamSynchronize(stream) == CUDA_SUCCESS && value == 7;
    return cuStreamDestroy(stream) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_SUCCESS &&
           cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS && good;
}

static void *one_of_many(void *argument)
{
    struct crowd *crowd = argument;

    pthread_barrier_wait(&crowd->barrier);
    for (int i = 0; i < 20; i++) {
        if (!work_of_one())
            atomic_fetch_add(&crowd->failed, 1);
    }
    pthread_barrier_wait(&crowd->barrier);
    pthread_barrier_wait(&crowd->barrier);
    return NULL;
}

TEST(a_thousand_threads_at_once)
{
    enum { STACK = 256 << 10 };
    size_t count = many(1000);
    pthread_t *ids = room_for(count, sizeof(*ids));
    char *stacks = mmap(NULL, count * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0); /* libc would keep its own */
    static struct crowd crowd;
    pthread_attr_t attributes;
    struct use before;

    mallopt(M_ARENA_MAX, 1);
    with_used_context();
    check(work_of_one());
    before = use_now();
    pthread_attr_init(&attributes);
    pthread_barrier_init(&crowd.barrier, NULL, (unsigned)count + 1);
    for (size_t i = 0; i < count; i++) {
        check(pthread_attr_setstack(&attributes, stacks + i * STACK, STACK) == 0);
        check(pthread_create(&ids[i], &attributes, one_of_many, &crowd) == 0);
    }
    pthread_barrier_wait(&crowd.barrier);
    pthread_barrier_wait(&crowd.barrier);
    print_peak("threads", count, count);
    pthread_barrier_wait(&crowd.barrier);
    for (size_t i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
    check(crowd.failed == 0);
    madvise(stacks, count * STACK, MADV_DONTNEED);
    check_back(before, 8 * MIB, 0); /* malloc's pieces that are not at its end */
}

TEST(sixty_four_devices)
{
    enum { DEVICES = 64 };
    CUcontext contexts[DEVICES];
    CUdeviceptr memory[DEVICES];
    struct use before;
    int count;

    setenv("CUPIPE_DEVICES", "64", 1);
    setenv("CUPIPE_MEMORY", "64M", 1);
    check_success(cuInit(0));
    only_cupipe();
    check_success(cuDeviceGetCount(&count));
    check(count == DEVICES);
    before = use_now();
    for (int i = 0; i < count; i++) {
        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc(&memory[i], 32 * MIB));
        check_success(cuMemsetD8(memory[i], (unsigned char)i, 1 * MIB));
    }
    for (int i = 0; i < count; i++) {
        unsigned char byte = 0;

        check_success(cuMemcpyPeer(memory[(i + 1) % count], contexts[(i + 1) % count], memory[i],
                                   contexts[i], 4096));
        check_success(cuMemcpyDtoH(&byte, memory[(i + 1) % count] + 5, 1));
        check(byte == 0);
    }
    print_peak("devices", DEVICES, DEVICES);
    for (int i = 0; i < count; i++) {
        check_success(cuCtxSetCurrent(NULL));
        check_success(cuDevicePrimaryCtxRelease(i));
    }
    /* Each keeps some pages of bookkeeping. */
    check_back(before, (size_t)DEVICES * (128 << 10) + 2 * MIB,
               (unsigned)sysconf(_SC_NPROCESSORS_ONLN) + 2);
}
