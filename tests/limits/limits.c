/* SPDX-License-Identifier: MIT */
/* Limits: a great many of everything at once, or little of what the system gives. Each either works
 * or answers an error; when all is destroyed, memory, descriptors and threads are back to where
 * they were. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* So many, or as many times that as the environment says. */
static size_t many(size_t count)
{
    const char *times = getenv("CUPIPE_LIMITS");

    return times ? count * strtoul(times, NULL, 0) : count;
}

struct use {
    size_t resident_bytes;
    unsigned descriptors, threads, mappings;
};

static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;

    check(folder != NULL);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct use use_now(void)
{
    struct use use = {0};
    unsigned long total, resident;
    char line[4096];
    FILE *file = fopen("/proc/self/statm", "r");

    check(file && fscanf(file, "%lu %lu", &total, &resident) == 2);
    fclose(file);
    use.resident_bytes = resident * (size_t)sysconf(_SC_PAGESIZE);
    use.descriptors = count_entries("/proc/self/fd");
    use.threads = count_entries("/proc/self/task");
    file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof(line), file))
        use.mappings += strstr(line, "memfd:") != NULL; /* not the stacks glibc keeps */
    fclose(file);
    return use;
}

/* Slots of handles are never unmapped: so many bytes a handle may stay. */
static void check_back(struct use before, size_t handles, size_t bytes_a_handle)
{
    struct use now = use_now();
    size_t stays = handles * bytes_a_handle + (8u << 20);

    printf("resident %zu KiB before, %zu KiB after; %u and %u descriptors, %u and %u threads, "
           "%u and %u mappings\n",
           before.resident_bytes >> 10, now.resident_bytes >> 10, before.descriptors,
           now.descriptors, before.threads, now.threads, before.mappings, now.mappings);
    check(now.resident_bytes <= before.resident_bytes + stays);
    check(now.descriptors <= before.descriptors);
    check(now.threads <= before.threads + (size_t)sysconf(_SC_NPROCESSORS_ONLN) + 8); /* workers */
    check(now.mappings <= before.mappings + 64);
}

TEST(a_million_allocations)
{
    size_t count = many(1000000), made = 0;
    CUdeviceptr *memory = calloc(count, sizeof(*memory));
    struct use before;

    with_context();
    check(memory != NULL);
    memset(memory, 1, count * sizeof(*memory));
    before = use_now();
    while (made < count && cuMemAlloc(&memory[made], 512) == CUDA_SUCCESS)
        made++;
    printf("%zu of %zu allocations\n", made, count);
    check(made > 10000);
    for (size_t i = 0; i < made; i++)
        check_success(cuMemFree(memory[i]));
    check_back(before, made, 48);
}

TEST(a_hundred_thousand_streams)
{
    size_t count = many(100000), made = 0;
    CUstream *streams = calloc(count, sizeof(*streams));
    struct use before;

    with_context();
    check(streams != NULL);
    before = use_now();
    while (made < count && cuStreamCreate(&streams[made], CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS)
        made++;
    printf("%zu of %zu streams\n", made, count);
    check(made > 1000);
    for (size_t i = 0; i < made; i++)
        check_success(cuStreamDestroy(streams[i]));
    check_back(before, made, 1024);
}

TEST(a_hundred_thousand_events)
{
    size_t count = many(100000), made = 0;
    CUevent *events = calloc(count, sizeof(*events));
    struct use before;

    with_context();
    check(events != NULL);
    before = use_now();
    while (made < count && cuEventCreate(&events[made], 0) == CUDA_SUCCESS) {
        check_success(cuEventRecord(events[made], NULL));
        made++;
    }
    printf("%zu of %zu events\n", made, count);
    check(made > 1000);
    for (size_t i = 0; i < made; i++)
        check_success(cuEventDestroy(events[i]));
    check_back(before, made, 1024);
}

TEST(ten_thousand_arrays)
{
    enum { COUNT = 10000 };
    static CUarray arrays[COUNT];
    CUDA_ARRAY3D_DESCRIPTOR shape = {32, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
    size_t made = 0;
    struct use before;

    with_context();
    before = use_now();
    while (made < COUNT && cuArray3DCreate(&arrays[made], &shape) == CUDA_SUCCESS)
        made++;
    printf("%zu of %d arrays\n", made, COUNT);
    check(made > 1000);
    for (size_t i = 0; i < made; i++)
        check_success(cuArrayDestroy(arrays[i]));
    check_back(before, made, 1024);
}

static void *work_in_thread(void *failed)
{
    CUdeviceptr memory;
    unsigned value = 0;
    CUcontext context;

    if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 4096) != CUDA_SUCCESS) {
        atomic_fetch_add((_Atomic(int) *)failed, 1);
        return NULL;
    }
    if (cuMemsetD32Async(memory, 7, 1024, CU_STREAM_PER_THREAD) != CUDA_SUCCESS ||
        cuMemcpyDtoHAsync(&value, memory, 4, CU_STREAM_PER_THREAD) != CUDA_SUCCESS ||
        cuStreamSynchronize(CU_STREAM_PER_THREAD) != CUDA_SUCCESS || value != 7)
        atomic_fetch_add((_Atomic(int) *)failed, 1);
    cuMemFree(memory);
    cuDevicePrimaryCtxRelease(0);
    return NULL;
}

TEST(a_thousand_threads)
{
    enum { COUNT = 1000 };
    static pthread_t ids[COUNT];
    static _Atomic(int) failed;
    pthread_attr_t attributes;
    size_t made = 0;
    struct use before;

    with_context();
    work_in_thread(&failed);
    before = use_now();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    while (made < COUNT && pthread_create(&ids[made], &attributes, work_in_thread, &failed) == 0)
        made++;
    for (size_t i = 0; i < made; i++)
        pthread_join(ids[i], NULL);
    printf("%zu of %d threads\n", made, COUNT);
    check(made > 100 && failed == 0);
    check_back(before, made, 8192);
}

TEST(sixty_four_devices)
{
    CUcontext contexts[64];
    struct use before;
    int count;

    setenv("CUPIPE_DEVICES", "64", 1);
    setenv("CUPIPE_MEMORY", "64M", 1);
    check_success(cuInit(0));
    only_cupipe();
    before = use_now();
    check_success(cuDeviceGetCount(&count));
    check(count == 64);
    for (int i = 0; i < count; i++) {
        CUdeviceptr memory;

        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc(&memory, 32 << 20));
        check_success(cuMemsetD8(memory, 1, 1 << 20));
    }
    for (int i = 0; i < count; i++) {
        check_success(cuCtxSetCurrent(NULL));
        check_success(cuDevicePrimaryCtxRelease(i));
    }
    check_back(before, 64, 3 << 20); /* bookkeeping, in huge pages where there are any */
}

/* A call that needs a descriptor answers an error when there is none, and works again later. */
TEST(a_thousand_descriptors_only)
{
    struct rlimit limit = {64, 64};
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
    };
    CUmemGenericAllocationHandle memory;
    int fds[128], count = 0, fd = -1, spare[128], spares = 0;

    with_context();
    check_success(cuMemCreate(&memory, 2 << 20, &properties, 0));
    check(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while (spares < 128 && (spare[spares] = dup(0)) >= 0)
        spares++;
    CUresult result =
        cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    check(result != CUDA_SUCCESS);
    while (spares > 0)
        close(spare[--spares]);
    while (count < 128 && cuMemExportToShareableHandle(&fds[count], memory,
                                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                                       0) == CUDA_SUCCESS)
        count++;
    printf("%d descriptors exported of 64\n", count);
    check(count > 8 && count < 64);
    while (count > 0)
        close(fds[--count]);
    check_success(
        cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    check_success(cuMemRelease(memory));
}

/* Whatever does not fit is an error, and what does is right. */
static void work_in_little_space(void)
{
    static unsigned char bytes[1 << 16], back[1 << 16];
    CUdeviceptr memory, managed;
    CUmemoryPool pool;
    CUstream stream;
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
    };

    check_success(cuMemAlloc(&memory, sizeof(bytes)));
    memset(bytes, 5, sizeof(bytes));
    check_success(cuMemcpyHtoD(memory, bytes, sizeof(bytes)));
    check_success(cuMemcpyDtoH(back, memory, sizeof(bytes)));
    check(memcmp(bytes, back, sizeof(bytes)) == 0);
    check_success(cuMemFree(memory));
    if (cuStreamCreate(&stream, 0) == CUDA_SUCCESS)
        check_success(cuStreamDestroy(stream));
    if (cuMemAllocManaged(&managed, 1 << 20, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS)
        check_success(cuMemFree(managed));
    if (cuArray3DCreate(&array, &shape) == CUDA_SUCCESS)
        check_success(cuArrayDestroy(array));
    if (cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS)
        check_success(cuMemPoolDestroy(pool));
    check_success(cuCtxSynchronize());
}

TEST(little_address_space_left_after_init)
{
    struct rlimit limit;
    unsigned long pages;
    FILE *file;

    setenv("CUPIPE_MEMORY", "256M", 1);
    with_context();
    file = fopen("/proc/self/statm", "r");
    check(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (256u << 20);
    check(setrlimit(RLIMIT_AS, &limit) == 0);
    for (int i = 0; i < 3; i++)
        work_in_little_space();
}

TEST(little_address_space_at_all)
{
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    CUresult result;

    setenv("CUPIPE_MEMORY", "32M", 1);
    check(setrlimit(RLIMIT_AS, &limit) == 0);
    result = cuInit(0);
    printf("cuInit answers %s\n", test_result_name(result));
    check(result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY);
}

/* Files cannot grow: as when the file system of shared memory is full. */
TEST(no_room_in_files)
{
    struct rlimit limit = {0, 0};
    CUdeviceptr memory;
    CUipcMemHandle handle;

    with_context();
    signal(SIGXFSZ, SIG_IGN);
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_success(cuMemsetD8(memory, 9, 1 << 20));
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CUresult result = cuIpcGetMemHandle(&handle, memory);
    check(result != CUDA_SUCCESS);
    unsigned char byte = 0;
    check_success(cuMemcpyDtoH(&byte, memory + 12345, 1));
    check(byte == 9);
    check_success(cuMemFree(memory));
}
