/* SPDX-License-Identifier: MIT */
#include "ladder.h"

#include "../api/kernels.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t work_draw(struct work *work, uint64_t below)
{
    work->random ^= work->random << 13;
    work->random ^= work->random >> 7;
    work->random ^= work->random << 17;
    return work->random % below;
}

static void fill(unsigned char *bytes, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)((i * 167 + (i >> 8) * 31 + seed * 101 + 1) >> (i & 1));
}

static bool compare(struct work *work, const void *came, const void *wanted, size_t count,
                    const char *what)
{
    work->bytes += count;
    if (memcmp(came, wanted, count) == 0)
        return true;
    work->wrong = what;
    return false;
}

/* The device whose context is current. */
static CUmemLocation current_device(void)
{
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

    cuCtxGetDevice(&location.id);
    return location;
}

struct buffers {
    unsigned char *sent, *came;
    size_t size;
};

/* The program's own memory is not at stake. */
static struct buffers buffers_make(struct work *work, size_t size)
{
    struct buffers made = {malloc(size), calloc(1, size), size};

    if (!made.sent || !made.came)
        abort();
    fill(made.sent, size, work_draw(work, 256));
    return made;
}

static void buffers_free(struct buffers *buffers)
{
    free(buffers->sent);
    free(buffers->came);
}

static bool run_memory(struct work *work)
{
    struct buffers both = buffers_make(work, 1 + work_draw(work, work->largest));
    CUdeviceptr first = 0, second = 0, managed = 0, pitched = 0;
    size_t pitch;
    void *pinned = NULL;

    TRY(cuMemAlloc(&first, both.size));
    TRY(cuMemAlloc(&second, both.size));
    TRY(cuMemAllocManaged(&managed, both.size, CU_MEM_ATTACH_GLOBAL));
    TRY(cuMemAllocHost(&pinned, both.size));
    TRY(cuMemAllocPitch(&pitched, &pitch, 100, 10, 4));
    TRY(cuMemcpyHtoD(first, both.sent, both.size));
    TRY(cuMemcpyDtoD(second, first, both.size));
    TRY(cuMemcpyAsync(managed, second, both.size, NULL));
    TRY(cuMemcpyDtoHAsync(pinned, managed, both.size, NULL));
    TRY(cuCtxSynchronize());
    TRY(cuMemcpyDtoH(both.came, (CUdeviceptr)(uintptr_t)pinned, both.size));
    compare(work, both.came, both.sent, both.size, "memory: a copy through all kinds");
    TRY(cuMemsetD8(first, 0x5a, both.size));
    TRY(cuMemcpyDtoH(both.came, first, both.size));
    memset(both.sent, 0x5a, both.size);
    compare(work, both.came, both.sent, both.size, "memory: a fill");
out:
    GIVE_BACK(cuMemFree(first));
    GIVE_BACK(cuMemFree(second));
    GIVE_BACK(cuMemFree(managed));
    GIVE_BACK(cuMemFree(pitched));
    if (pinned)
        GIVE_BACK(cuMemFreeHost(pinned));
    buffers_free(&both);
    return is_good(work);
}

static bool run_registered(struct work *work)
{
    size_t size = 4096 * (1 + work_draw(work, WORK_PLACE_BYTES / 4096));
    struct buffers both = buffers_make(work, size);
    unsigned char *own = work->place ? work->place : aligned_alloc(4096, size);
    CUdeviceptr device = 0, memory = 0;
    bool registered = false;

    if (!own)
        abort();
    memset(own, 0, size);
    TRY(cuMemHostRegister(own, size, CU_MEMHOSTREGISTER_DEVICEMAP));
    registered = true;
    TRY(cuMemHostGetDevicePointer(&device, own, 0));
    TRY(cuMemAlloc(&memory, size));
    TRY(cuMemcpyHtoDAsync(memory, both.sent, size, NULL));
    TRY(cuMemcpyDtoDAsync(device, memory, size, NULL));
    TRY(cuStreamSynchronize(NULL));
    compare(work, own, both.sent, size, "registered memory");
out:
    if (registered)
        GIVE_BACK(cuMemHostUnregister(own));
    GIVE_BACK(cuMemFree(memory));
    if (own != work->place)
        free(own);
    buffers_free(&both);
    return is_good(work);
}

static void CUDA_CB count_call(void *counter)
{
    __atomic_fetch_add((int *)counter, 1, __ATOMIC_SEQ_CST);
}

/* Two streams that take turns, by events and by a value. */
static bool run_streams(struct work *work)
{
    struct buffers both = buffers_make(work, 1 + work_draw(work, work->largest));
    CUstream streams[2] = {NULL, NULL};
    CUevent event = NULL, end = NULL;
    CUdeviceptr memory = 0, word = 0;
    int called = 0;

    TRY(cuMemAlloc(&memory, both.size));
    TRY(cuMemAlloc(&word, 4));
    TRY(cuMemsetD32(word, 0, 1));
    TRY(cuCtxSynchronize()); /* a stream that does not block is not ordered behind the fill */
    TRY(cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
    TRY(cuStreamCreateWithPriority(&streams[1], 0, -1));
    TRY(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    TRY(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    TRY(cuMemcpyHtoDAsync(memory, both.sent, both.size, streams[0]));
    TRY(cuEventRecord(event, streams[0]));
    TRY(cuStreamWriteValue32(streams[0], word, 7, 0));
    TRY(cuStreamWaitEvent(streams[1], event, 0));
    TRY(cuStreamWaitValue32(streams[1], word, 7, CU_STREAM_WAIT_VALUE_EQ));
    TRY(cuMemcpyDtoHAsync(both.came, memory, both.size, streams[1]));
    TRY(cuLaunchHostFunc(streams[1], count_call, &called));
    TRY(cuEventRecord(end, streams[1]));
    TRY(cuEventSynchronize(end));
    compare(work, both.came, both.sent, both.size, "streams: a copy there and back");
    if (__atomic_load_n(&called, __ATOMIC_SEQ_CST) != 1)
        work->wrong = "streams: a host function was not called once";
out:
    cuCtxSynchronize(); /* the buffers must not go while a stream may use them */
    if (event)
        GIVE_BACK(cuEventDestroy(event));
    if (end)
        GIVE_BACK(cuEventDestroy(end));
    for (int i = 0; i < 2; i++) {
        if (streams[i])
            GIVE_BACK(cuStreamDestroy(streams[i]));
    }
    GIVE_BACK(cuMemFree(memory));
    GIVE_BACK(cuMemFree(word));
    buffers_free(&both);
    return is_good(work);
}

static bool run_arrays(struct work *work)
{
    size_t width = 1 + work_draw(work, 200), height = 1 + work_draw(work, 100);
    struct buffers both = buffers_make(work, width * 4 * height);
    CUDA_ARRAY3D_DESCRIPTOR shape = {width, height, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST, .dstMemoryType = CU_MEMORYTYPE_ARRAY};
    CUDA_MEMCPY2D back = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstMemoryType = CU_MEMORYTYPE_HOST};
    CUmipmappedArray mipmap = NULL;
    CUarray array = NULL, level;

    in.srcHost = both.sent;
    back.dstHost = both.came;
    in.WidthInBytes = back.WidthInBytes = in.srcPitch = back.dstPitch = width * 4;
    in.Height = back.Height = height;
    TRY(cuArray3DCreate(&array, &shape));
    in.dstArray = back.srcArray = array;
    TRY(cuMemcpy2D(&in));
    TRY(cuMemcpy2D(&back));
    compare(work, both.came, both.sent, both.size, "arrays: there and back");
    TRY(cuMipmappedArrayCreate(&mipmap, &shape, 1));
    TRY(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    in.dstArray = back.srcArray = level;
    memset(both.came, 0, both.size);
    TRY(cuMemcpy2DAsync(&in, NULL));
    TRY(cuMemcpy2D(&back));
    compare(work, both.came, both.sent, both.size, "mipmaps: there and back");
out:
    if (mipmap)
        GIVE_BACK(cuMipmappedArrayDestroy(mipmap));
    if (array)
        GIVE_BACK(cuArrayDestroy(array));
    buffers_free(&both);
    return is_good(work);
}

static bool run_pools(struct work *work)
{
    struct buffers both = buffers_make(work, 1 + work_draw(work, work->largest));
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = current_device(),
    };
    CUmemoryPool pool = NULL, imported = NULL;
    CUdeviceptr memory = 0, other = 0;
    CUstream stream = NULL;
    int fd = -1;

    TRY(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    TRY(cuMemAllocAsync(&memory, both.size, stream));
    TRY(cuMemPoolCreate(&pool, &properties));
    TRY(cuMemAllocFromPoolAsync(&other, both.size, pool, stream));
    TRY(cuMemcpyHtoDAsync(memory, both.sent, both.size, stream));
    TRY(cuMemcpyDtoDAsync(other, memory, both.size, stream));
    TRY(cuMemcpyDtoHAsync(both.came, other, both.size, stream));
    TRY(cuStreamSynchronize(stream));
    compare(work, both.came, both.sent, both.size, "pools: there and back");
    TRY(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    TRY(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
out:
    if (memory)
        GIVE_BACK(cuMemFreeAsync(memory, stream));
    if (other)
        GIVE_BACK(cuMemFreeAsync(other, stream));
    if (stream) {
        GIVE_BACK(cuStreamSynchronize(stream));
        GIVE_BACK(cuStreamDestroy(stream));
    }
    if (imported)
        GIVE_BACK(cuMemPoolDestroy(imported));
    if (pool)
        GIVE_BACK(cuMemPoolDestroy(pool));
    if (fd >= 0)
        close(fd);
    CUmemoryPool standard;
    if (cuDeviceGetDefaultMemPool(&standard, properties.location.id) == CUDA_SUCCESS)
        cuMemPoolTrimTo(standard, 0);
    buffers_free(&both);
    return is_good(work);
}

static bool run_virtual(struct work *work)
{
    enum { UNIT = 2 << 20 };
    struct buffers both = buffers_make(work, 1 + work_draw(work, UNIT));
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = current_device(),
    };
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory = 0, imported = 0;
    bool mapped[2] = {false, false};
    CUdeviceptr space = 0;
    int fd = -1;

    TRY(cuMemCreate(&memory, UNIT, &properties, 0));
    TRY(cuMemAddressReserve(&space, 2 * UNIT, 0, 0, 0));
    TRY(cuMemMap(space, UNIT, 0, memory, 0));
    mapped[0] = true;
    TRY(cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    TRY(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    TRY(cuMemMap(space + UNIT, UNIT, 0, imported, 0));
    mapped[1] = true;
    TRY(cuMemSetAccess(space, 2 * UNIT, &access, 1));
    TRY(cuMemcpyHtoD(space, both.sent, both.size));
    TRY(cuMemcpyDtoH(both.came, space + UNIT, both.size));
    compare(work, both.came, both.sent, both.size, "virtual memory: two views of one memory");
out:
    for (int i = 0; i < 2; i++) {
        if (mapped[i])
            GIVE_BACK(cuMemUnmap(space + (size_t)i * UNIT, UNIT));
    }
    if (space)
        GIVE_BACK(cuMemAddressFree(space, 2 * UNIT));
    if (memory)
        GIVE_BACK(cuMemRelease(memory));
    if (imported)
        GIVE_BACK(cuMemRelease(imported));
    if (fd >= 0)
        close(fd);
    buffers_free(&both);
    return is_good(work);
}

/* The half of sharing that one process can do alone. */
static bool run_sharing(struct work *work)
{
    struct buffers both = buffers_make(work, 1 + work_draw(work, work->largest));
    CUipcMemHandle memory_handle;
    CUipcEventHandle event_handle;
    CUdeviceptr memory = 0;
    CUevent event = NULL;

    TRY(cuMemAlloc(&memory, both.size));
    TRY(cuMemcpyHtoD(memory, both.sent, both.size));
    TRY(cuIpcGetMemHandle(&memory_handle, memory));
    TRY(cuMemcpyDtoH(both.came, memory, both.size));
    compare(work, both.came, both.sent, both.size, "sharing: memory that moved to a file");
    TRY(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    TRY(cuIpcGetEventHandle(&event_handle, event));
    TRY(cuEventRecord(event, NULL));
    TRY(cuEventSynchronize(event));
out:
    if (event)
        GIVE_BACK(cuEventDestroy(event));
    GIVE_BACK(cuMemFree(memory));
    buffers_free(&both);
    return is_good(work);
}

static bool run_external(struct work *work)
{
    struct buffers both = buffers_make(work, 1 << 20);
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.size = both.size};
    CUexternalMemory memory = NULL;
    CUdeviceptr mapped = 0;
    int fd = memfd_create("capability", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, (off_t)both.size) != 0)
        abort();
    file.handle.fd = fd;
    file.size = both.size;
    TRY(cuImportExternalMemory(&memory, &file));
    fd = -1; /* the driver's now */
    TRY(cuExternalMemoryGetMappedBuffer(&mapped, memory, &part));
    TRY(cuMemcpyHtoD(mapped, both.sent, both.size));
    TRY(cuMemcpyDtoH(both.came, mapped, both.size));
    compare(work, both.came, both.sent, both.size, "external memory: there and back");
out:
    if (mapped)
        GIVE_BACK(cuMemFree(mapped));
    if (memory)
        GIVE_BACK(cuDestroyExternalMemory(memory));
    if (fd >= 0)
        close(fd);
    buffers_free(&both);
    return is_good(work);
}

static bool run_kernels(struct work *work)
{
    unsigned count = 1 + (unsigned)work_draw(work, 5000),
             value = (unsigned)work_draw(work, 1 << 30);
    size_t size = count * sizeof(unsigned);
    unsigned *came = calloc(count, sizeof(*came));
    CUmodule module = NULL, variables = NULL;
    CUfunction function;
    CUdeviceptr memory = 0, variable;
    CUlibrary library = NULL;
    CUkernel kernel;
    void *arguments[] = {&memory, &value, &count};

    if (!came)
        abort();
    TRY(cuModuleLoadData(&module, ptx_fill));
    TRY(cuModuleGetFunction(&function, module, "fill"));
    TRY(cuMemAlloc(&memory, size));
    TRY(cuLaunchKernel(function, (count + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    TRY(cuMemcpyDtoH(came, memory, size));
    for (unsigned i = 0; i < count && !work->wrong; i++) {
        if (came[i] != value)
            work->wrong = "kernels: what one wrote";
    }
    work->bytes += size;
    TRY(cuModuleLoadData(&variables, ptx_variables));
    TRY(cuModuleGetGlobal(&variable, &size, variables, "counter"));
    TRY(cuMemcpyDtoH(&value, variable, sizeof(value)));
    if (value != 41)
        work->wrong = "kernels: the first value of a variable";
    TRY(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    TRY(cuLibraryGetKernel(&kernel, library, "nothing"));
    TRY(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    TRY(cuCtxSynchronize());
out:
    if (library)
        GIVE_BACK(cuLibraryUnload(library));
    if (variables)
        GIVE_BACK(cuModuleUnload(variables));
    if (module)
        GIVE_BACK(cuModuleUnload(module));
    GIVE_BACK(cuMemFree(memory));
    free(came);
    return is_good(work);
}

/* A context of its own, ended with everything in it still there. */
static bool run_contexts(struct work *work)
{
    struct buffers both = buffers_make(work, 1 + work_draw(work, 100000));
    CUcontext context = NULL, before = NULL;
    CUdeviceptr memory;
    CUstream stream;
    CUevent event;
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};

    TRY(cuCtxGetCurrent(&before));
    TRY(cuCtxCreate(&context, NULL, 0, current_device().id));
    TRY(cuMemAlloc(&memory, both.size));
    TRY(cuStreamCreate(&stream, 0));
    TRY(cuEventCreate(&event, 0));
    TRY(cuArray3DCreate(&array, &shape));
    TRY(cuMemcpyHtoDAsync(memory, both.sent, both.size, stream));
    TRY(cuEventRecord(event, stream));
    TRY(cuMemcpyDtoHAsync(both.came, memory, both.size, stream));
    TRY(cuStreamSynchronize(stream));
    compare(work, both.came, both.sent, both.size, "contexts: there and back");
out:
    if (context)
        GIVE_BACK(cuCtxDestroy(context));
    GIVE_BACK(cuCtxSetCurrent(before));
    buffers_free(&both);
    return is_good(work);
}

/* Many small copies at once: a batch, and rows of an image. */
static bool run_batches(struct work *work)
{
    enum { COUNT = 16, ROWS = 8 };
    size_t piece = 1 + work_draw(work, 4096), sizes[COUNT], index = 0;
    struct buffers both = buffers_make(work, piece * COUNT);
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = both.came,
                         .srcPitch = 2 * piece,
                         .dstPitch = 2 * piece,
                         .WidthInBytes = 2 * piece,
                         .Height = ROWS};
    CUdeviceptr memory = 0, to[COUNT], from[COUNT];
    CUstream stream = NULL;

    TRY(cuStreamCreate(&stream, 0));
    TRY(cuMemAlloc(&memory, both.size));
    for (size_t i = 0; i < COUNT; i++) {
        to[i] = memory + i * piece;
        from[i] = (CUdeviceptr)(uintptr_t)(both.sent + i * piece);
        sizes[i] = piece;
    }
    TRY(cuMemcpyBatchAsync(to, from, sizes, COUNT, &attributes, &index, 1, stream));
    TRY(cuStreamSynchronize(stream));
    box.srcDevice = memory;
    TRY(cuMemcpy2D(&box));
    compare(work, both.came, both.sent, both.size, "batches: there and back");
out:
    cuCtxSynchronize();
    if (stream)
        GIVE_BACK(cuStreamDestroy(stream));
    GIVE_BACK(cuMemFree(memory));
    buffers_free(&both);
    return is_good(work);
}

/* Threads keep what blocks of warps that wait need and their unit for matrix products; sometimes
 * one thread runs them all. */
enum { BLOCK_BYTES = 24 << 10, MATRIX_UNIT_BYTES = 20 << 10 };

const struct capability capabilities[] = {
    {"memory", run_memory, false, 0},
    {"registered", run_registered, false, 0},
    {"streams", run_streams, false, 0},
    {"arrays", run_arrays, false, 0},
    {"pools", run_pools, false, 0},
    {"virtual", run_virtual, false, 0},
    {"sharing", run_sharing, false, 0},
    {"external", run_external, false, 0},
    {"kernels", run_kernels, false, 0},
    {"contexts", run_contexts, false, 0},
    {"batches", run_batches, false, 0},
    {"warps", run_warps, true, BLOCK_BYTES + MATRIX_UNIT_BYTES},
    {"one-kernel", run_one_kernel, true, 0},
};
const unsigned capability_count = sizeof(capabilities) / sizeof(capabilities[0]);
