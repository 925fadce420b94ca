/* SPDX-License-Identifier: MIT */
/* The calls that arguments cannot simply be drawn for, and the list of all. */
#include "api_calls.h"

#include "../tests/api/kernels.h"
#include "fuzz_calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What makes things is called more often than its share, so that there is something to use. */

static CUresult make_memory(struct draw *draw)
{
    CUdeviceptr memory = 0;
    void *pinned = NULL;
    CUresult result;

    switch (draw_below(draw, 4)) {
    case 0:
        result = cuMemAllocManaged(&memory, 1 + draw_below(draw, 4 << 20), CU_MEM_ATTACH_GLOBAL);
        break;
    case 1:
        result = cuMemHostAlloc(&pinned, 1 + draw_below(draw, 1 << 20), draw_below(draw, 8));
        memory = (CUdeviceptr)(uintptr_t)pinned;
        break;
    case 2:
        result = cuMemAllocAsync(&memory, 1 + draw_below(draw, 4 << 20),
                                 draw_handle(draw, KIND_CUstream));
        break;
    default:
        result = cuMemAlloc_v2(&memory, 1 + draw_below(draw, 4 << 20));
        break;
    }
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_ADDRESS, memory);
    return result;
}

static CUresult make_stream(struct draw *draw)
{
    CUstream stream;
    CUresult result =
        cuStreamCreateWithPriority(&stream, draw_below(draw, 2), (int)draw_number(draw));

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUstream, (uintptr_t)stream);
    return result;
}

static CUresult make_array(struct draw *draw)
{
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_FLOAT,
                                             CU_AD_FORMAT_HALF, CU_AD_FORMAT_BC1_UNORM};
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        1 + draw_below(draw, 300), draw_below(draw, 200),
        draw_below(draw, 3) * 3,   formats[draw_below(draw, 4)],
        1u << draw_below(draw, 3), draw_below(draw, 4) ? 0 : (unsigned)draw_number(draw)};
    CUmipmappedArray mipmap;
    CUarray array;
    CUresult result;

    if (draw_below(draw, 3) == 0) {
        result = cuMipmappedArrayCreate(&mipmap, &shape, draw_below(draw, 5));
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUmipmappedArray, (uintptr_t)mipmap);
        return result;
    }
    result = cuArray3DCreate_v2(&array, &shape);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUarray, (uintptr_t)array);
    return result;
}

static CUresult make_virtual(struct draw *draw)
{
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = (int)draw_below(draw, 2)},
    };
    CUmemGenericAllocationHandle memory;
    CUdeviceptr space;
    CUresult result = cuMemCreate(&memory, (size_t)(1 + draw_below(draw, 3)) << 21, &properties, 0);

    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_CUmemGenericAllocationHandle, memory);
    result = cuMemAddressReserve(&space, 8 << 20, 0, 0, 0);
    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_ADDRESS, space);
    return cuMemMap(space, 2 << 20, 0, memory, 0);
}

static CUresult make_pool(struct draw *draw)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = draw_below(draw, 2) ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = (int)draw_below(draw, 2)},
    };
    CUmemoryPool pool;
    CUresult result = cuMemPoolCreate(&pool, &properties);

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUmemoryPool, (uintptr_t)pool);
    return result;
}

/* Descriptors: exported, imported, and such as nobody has open. */
static CUresult share(struct draw *draw)
{
    CUmemGenericAllocationHandle memory;
    CUmemoryPool pool;
    int fd = 100000 + (int)draw_below(draw, 100);
    bool pools = draw_below(draw, 2);
    CUresult result =
        pools ? cuMemPoolExportToShareableHandle(&fd, draw_handle(draw, KIND_CUmemoryPool),
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)
              : cuMemExportToShareableHandle(&fd,
                                             (CUmemGenericAllocationHandle)(uintptr_t)draw_handle(
                                                 draw, KIND_CUmemGenericAllocationHandle),
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    bool exported = result == CUDA_SUCCESS;

    if (pools) {
        result = cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd,
                                                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUmemoryPool, (uintptr_t)pool);
    } else {
        result = cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)fd,
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUmemGenericAllocationHandle, memory);
    }
    if (exported)
        close(fd);
    return result;
}

/* A file of memory whose first bytes look like a label, or do not. */
static int make_file(struct draw *draw, size_t bytes)
{
    static const char *const labels[] = {"cup sem\1", "cupipe", "", "cup sem\2"};
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const char *label = labels[draw_below(draw, 4)];
    uint64_t words[8];

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return fd;
    for (int i = 0; i < 8; i++)
        words[i] = draw_below(draw, 3) ? draw_number(draw) : draw_bits(draw);
    memcpy(words, label, strlen(label));
    if (pwrite(fd, words, sizeof(words), draw_below(draw, 2) ? 0 : 4096) < 0)
        return fd;
    if (draw_below(draw, 2))
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}

static CUresult import_memory(struct draw *draw)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = (CUexternalMemoryHandleType)draw_number(draw)};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {0};
    size_t bytes = draw_below(draw, 3 << 20);
    CUexternalMemory memory;
    CUdeviceptr mapped;

    if (draw_below(draw, 4))
        file.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    file.handle.fd = draw_below(draw, 8) ? make_file(draw, bytes) : 100000;
    file.size = draw_below(draw, 4) ? bytes : draw_size(draw);
    CUresult result = cuImportExternalMemory(&memory, &file);
    if (result != CUDA_SUCCESS) {
        if (file.handle.fd < 100000)
            close(file.handle.fd);
        return result;
    }
    keep(draw, KIND_CUexternalMemory, (uintptr_t)memory);
    part.size = draw_below(draw, 4) ? bytes : draw_size(draw);
    part.offset = draw_below(draw, 4) ? 0 : draw_size(draw);
    result = cuExternalMemoryGetMappedBuffer(&mapped, memory, &part);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_ADDRESS, mapped);
    return result;
}

static CUresult import_semaphore(struct draw *draw)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC file = {
        .type = (CUexternalSemaphoreHandleType)draw_number(draw)};
    CUexternalSemaphore semaphore;

    file.handle.fd = draw_below(draw, 8) ? make_file(draw, 8192) : 100000;
    CUresult result = cuImportExternalSemaphore(&semaphore, &file);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUexternalSemaphore, (uintptr_t)semaphore);
    else if (file.handle.fd < 100000)
        close(file.handle.fd);
    return result;
}

/* A text of ours, now and then with a byte changed. */
static CUresult load_module(struct draw *draw)
{
    static const char *const texts[] = {ptx_fill, ptx_variables};
    char *text = strdup(texts[draw_below(draw, 2)]);
    CUmodule module;
    CUlibrary library;
    CUresult result;

    if (!text)
        abort();
    if (draw_below(draw, 3) == 0)
        text[draw_below(draw, (unsigned)strlen(text))] = (char)draw_bits(draw);
    if (draw_below(draw, 2)) {
        result = cuModuleLoadData(&module, text);
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUmodule, (uintptr_t)module);
    } else {
        result = cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUlibrary, (uintptr_t)library);
    }
    free(text);
    return result;
}

/* A kernel with good arguments, in a shape that may be wrong. */
static CUresult launch(struct draw *draw)
{
    CUdeviceptr memory;
    CUfunction function;
    CUmodule module = draw_handle(draw, KIND_CUmodule);
    unsigned value = 7, count = 16;
    void *arguments[] = {&memory, &value, &count};
    CUresult result = cuModuleGetFunction(&function, module, "fill");

    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_CUfunction, (uintptr_t)function);
    result = cuMemAlloc_v2(&memory, 4096);
    if (result != CUDA_SUCCESS)
        return result;
    result = cuLaunchKernel(function, (unsigned)draw_number(draw), 1, 1, (unsigned)draw_size(draw),
                            1, 1, 0, draw_handle(draw, KIND_CUstream), arguments, NULL);
    cuMemFree_v2(memory);
    return result;
}

static void CUDA_CB host_function(void *counter)
{
    (void)counter;
    cuCtxSynchronize(); /* not permitted here, and must say so */
}

static CUresult launch_host_function(struct draw *draw)
{
    return cuLaunchHostFunc(draw_handle(draw, KIND_CUstream), host_function, NULL);
}

/* Waits that are over at once, but for memory that is all ones. */
static CUresult wait_value(struct draw *draw)
{
    CUdeviceptr address = draw_address(draw);

    if (draw_below(draw, 2))
        return cuStreamWaitValue32_v2(draw_handle(draw, KIND_CUstream), address, 0,
                                      CU_STREAM_WAIT_VALUE_NOR);
    return cuStreamWriteValue32_v2(draw_handle(draw, KIND_CUstream), address,
                                   (unsigned)draw_number(draw), (unsigned)draw_number(draw) & 1);
}

static CUresult batch(struct draw *draw)
{
    enum { COUNT = 8 };
    CUdeviceptr to[COUNT], from[COUNT];
    size_t sizes[COUNT], index = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = (CUmemcpySrcAccessOrder)draw_number(draw)};

    for (int i = 0; i < COUNT; i++) {
        to[i] = draw_address(draw);
        from[i] = draw_address(draw);
        sizes[i] = draw_size(draw);
    }
    return cuMemcpyBatchAsync_v2(to, from, sizes, draw_below(draw, COUNT + 1), &attributes, &index,
                                 1, draw_handle(draw, KIND_CUstream));
}

static CUresult make_context(struct draw *draw)
{
    CUcontext context;
    CUresult result;

    if (draw_below(draw, 4) == 0) {
        result = cuCtxCreate_v2(&context, draw_below(draw, 32), (int)draw_below(draw, 3));
        if (result == CUDA_SUCCESS)
            keep(draw, KIND_CUcontext, (uintptr_t)context);
        return result;
    }
    result = cuDevicePrimaryCtxRetain(&context, (int)draw_below(draw, 2));
    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_CUcontext, (uintptr_t)context);
    return cuCtxSetCurrent(context);
}

/* A handle of another process: our own, a changed one, or plain bytes. */
static CUresult open_shared(struct draw *draw)
{
    CUipcMemHandle memory;
    CUipcEventHandle event;
    CUdeviceptr address;
    CUevent opened;

    memcpy(&memory, draw_struct(draw), sizeof(memory));
    memcpy(&event, draw_struct(draw), sizeof(event));
    if (draw_below(draw, 2)) {
        cuIpcGetMemHandle(&memory, draw_address(draw));
        cuIpcGetEventHandle(&event, draw_handle(draw, KIND_CUevent));
    }
    ((char *)&memory)[draw_below(draw, sizeof(memory))] ^= (char)draw_number(draw);
    ((char *)&event)[draw_below(draw, sizeof(event))] ^= (char)draw_number(draw);
    if (cuIpcOpenEventHandle(&opened, event) == CUDA_SUCCESS)
        keep(draw, KIND_CUevent, (uintptr_t)opened);
    CUresult result = cuIpcOpenMemHandle_v2(&address, memory, 1);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_ADDRESS, address);
    return result;
}

static const struct call own_calls[] = {
    {"memory", make_memory},
    {"memory", make_memory},
    {"stream", make_stream},
    {"array", make_array},
    {"virtual", make_virtual},
    {"pool", make_pool},
    {"share", share},
    {"import memory", import_memory},
    {"import semaphore", import_semaphore},
    {"module", load_module},
    {"launch", launch},
    {"host function", launch_host_function},
    {"wait value", wait_value},
    {"batch", batch},
    {"context", make_context},
    {"context", make_context},
    {"open shared", open_shared},
};

enum {
    OWN = sizeof(own_calls) / sizeof(own_calls[0]),
    GENERATED = sizeof(generated_calls) / sizeof(generated_calls[0]),
};

const struct call *api_call_draw(struct draw *draw)
{
    if (draw_below(draw, 4) == 0)
        return &own_calls[draw_below(draw, OWN)];
    return &generated_calls[draw_below(draw, GENERATED)];
}

unsigned api_call_count(void)
{
    return GENERATED;
}
