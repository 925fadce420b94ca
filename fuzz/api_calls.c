/* SPDX-License-Identifier: MIT */
/* The calls that arguments cannot simply be drawn for, and the list of all. */
#include "api_calls.h"

#include "api_images.h"
#include "fuzz_calls.h"
#include "waits.h"

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
    CUmemAccessDesc access = {.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
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
    result = cuMemMap(space, 2 << 20, 0, memory, 0);
    if (result != CUDA_SUCCESS || draw_below(draw, 4) == 0)
        return result;
    access.location.id = (int)draw_below(draw, 3);
    return cuMemSetAccess(space, 2 << 20, &access, 1);
}

static CUresult make_pool(struct draw *draw)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = draw_below(draw, 2) ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = (int)draw_below(draw, 2)},
    };
    CUmemoryPool pool;
    CUdeviceptr memory;

    if (draw_below(draw, 2)) { /* of any kind, anywhere */
        properties.allocType = (CUmemAllocationType)draw_below(draw, 3);
        properties.location.type = (CUmemLocationType)draw_below(draw, 5);
        properties.usage = (unsigned short)draw_below(draw, 3);
    }
    CUresult result = cuMemPoolCreate(&pool, &properties);

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUmemoryPool, (uintptr_t)pool);
    if (result == CUDA_SUCCESS &&
        cuMemAllocFromPoolAsync(&memory, 1 + draw_below(draw, 1 << 20), pool,
                                draw_handle(draw, KIND_CUstream)) == CUDA_SUCCESS)
        keep(draw, KIND_ADDRESS, memory);
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

/* Files that are no semaphores, or damaged ones; what is taken for one is not waited for. */
static CUresult import_wrong_semaphore(struct draw *draw)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC file = {
        .type = (CUexternalSemaphoreHandleType)draw_number(draw)};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS given = {0};
    CUexternalSemaphore semaphore;

    file.handle.fd = draw_below(draw, 8) ? make_file(draw, 8192) : 100000;
    CUresult result = cuImportExternalSemaphore(&semaphore, &file);
    if (result == CUDA_SUCCESS) {
        cuSignalExternalSemaphoresAsync(&semaphore, &given, 1, NULL);
        cuDestroyExternalSemaphore(semaphore);
    } else if (file.handle.fd < 100000) {
        close(file.handle.fd);
    }
    return result;
}

/* Arrays of places that the program vouches for. */
static CUresult get_attributes(struct draw *draw)
{
    enum { COUNT = 4 };
    CUpointer_attribute of_pointer[COUNT];
    CUmem_range_attribute of_range[COUNT];
    void *places[COUNT];
    size_t sizes[COUNT];

    for (int i = 0; i < COUNT; i++) {
        of_pointer[i] = (CUpointer_attribute)draw_below(draw, 24);
        of_range[i] = (CUmem_range_attribute)draw_below(draw, 10);
        places[i] = draw_struct(draw);
        sizes[i] = draw_below(draw, 64);
    }
    if (draw_below(draw, 2))
        return cuPointerGetAttributes(draw_below(draw, COUNT + 1), of_pointer, places,
                                      draw_address(draw));
    return cuMemRangeGetAttributes(places, sizes, of_range, draw_below(draw, COUNT + 1),
                                   draw_address(draw), draw_size(draw));
}

/* As many locations as there is room for. */
static CUresult get_locations(struct draw *draw)
{
    enum { COUNT = 4 };
    CUmemLocation locations[COUNT];
    size_t size = draw_size(draw), part = size / (1 + draw_below(draw, COUNT)) + 1;

    return cuMemGetLocationInfo(draw_address(draw), size, part, draw_size(draw),
                                draw_below(draw, 8) ? locations : NULL);
}

/* Logs and core dumps, whose files must not lie about. */
static CUresult write_files(struct draw *draw)
{
    static const char *const paths[] = {"/dev/null", "/no/such/folder/file", "/", ""};
    const char *path = paths[draw_below(draw, 4)];
    CUlogIterator position = (CUlogIterator)draw_number(draw);
    CUcoredumpSettings attribute = (CUcoredumpSettings)draw_number(draw);
    bool is_name = attribute == CU_COREDUMP_FILE || attribute == CU_COREDUMP_PIPE;
    void *value = is_name ? (void *)path : draw_buffer(draw);
    size_t size = draw_below(draw, 8);
    uint64_t off = 0, flags = CU_COREDUMP_SKIP_ABORT | draw_below(draw, 64);

    /* A core dump must not end the process. */
    if (attribute == CU_COREDUMP_TRIGGER_HOST)
        value = &off;
    else if (attribute == CU_COREDUMP_GENERATION_FLAGS)
        value = &flags;
    switch (draw_below(draw, 3)) {
    case 0:
        return cuLogsDumpToFile(draw_below(draw, 2) ? &position : NULL, path, 0);
    case 1:
        return cuCoredumpSetAttribute(attribute, value, &size);
    default:
        return cuCoredumpSetAttributeGlobal(attribute, value, &size);
    }
}

static CUresult get_range_handle(struct draw *draw)
{
    size_t page = 4096;
    int fd = -1;
    CUresult result = cuMemGetHandleForAddressRange(
        &fd, draw_address(draw) / page * page, (1 + draw_below(draw, 64)) * page,
        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, draw_below(draw, 8) ? 0 : draw_number(draw));

    if (result == CUDA_SUCCESS)
        close(fd);
    return result;
}

/* One side of a copy of boxes, good but for a field now and then. */
static void draw_side(struct draw *draw, CUmemorytype *type, const void **host, CUdeviceptr *device,
                      CUarray *array, size_t *pitch)
{
    static const CUmemorytype types[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE,
                                         CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED};

    *type = draw_below(draw, 16) ? types[draw_below(draw, 4)] : (CUmemorytype)draw_number(draw);
    *host = draw_host(draw);
    *device = draw_address(draw);
    *array = draw_handle(draw, KIND_CUarray);
    *pitch = draw_below(draw, 8) ? 512 : draw_size(draw);
}

static CUresult copy_2d(struct draw *draw)
{
    typedef CUresult now_function(const CUDA_MEMCPY2D *);
    typedef CUresult later_function(const CUDA_MEMCPY2D *, CUstream);
    now_function *const now[] = {cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, cuMemcpy2DUnaligned_v2,
                                 cuMemcpy2DUnaligned_v2_ptds};
    later_function *const later[] = {cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz};
    CUDA_MEMCPY2D copy = {.WidthInBytes = draw_below(draw, 512),
                          .Height = 1 + draw_below(draw, 16)};
    const void *host;

    draw_side(draw, &copy.srcMemoryType, &copy.srcHost, &copy.srcDevice, &copy.srcArray,
              &copy.srcPitch);
    draw_side(draw, &copy.dstMemoryType, &host, &copy.dstDevice, &copy.dstArray, &copy.dstPitch);
    copy.dstHost = (void *)(uintptr_t)host;
    copy.srcXInBytes = draw_below(draw, 4) ? 0 : draw_number(draw);
    copy.dstY = draw_below(draw, 4) ? 0 : draw_number(draw);
    if (draw_below(draw, 2))
        return now[draw_below(draw, 4)](&copy);
    return later[draw_below(draw, 2)](&copy, draw_handle(draw, KIND_CUstream));
}

static CUresult copy_3d(struct draw *draw)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = draw_below(draw, 512),
                          .Height = 1 + draw_below(draw, 16),
                          .Depth = 1 + draw_below(draw, 3)};
    const void *host;

    draw_side(draw, &copy.srcMemoryType, &copy.srcHost, &copy.srcDevice, &copy.srcArray,
              &copy.srcPitch);
    draw_side(draw, &copy.dstMemoryType, &host, &copy.dstDevice, &copy.dstArray, &copy.dstPitch);
    copy.dstHost = (void *)(uintptr_t)host;
    copy.srcHeight = copy.dstHeight = 16;
    copy.srcZ = draw_below(draw, 4) ? 0 : draw_number(draw);
    switch (draw_below(draw, 4)) {
    case 0:
        return cuMemcpy3D_v2(&copy);
    case 1:
        return cuMemcpy3D_v2_ptds(&copy);
    case 2:
        return cuMemcpy3DAsync_v2(&copy, draw_handle(draw, KIND_CUstream));
    default:
        return cuMemcpy3DAsync_v2_ptsz(&copy, draw_handle(draw, KIND_CUstream));
    }
}

static CUresult init_again(struct draw *draw)
{
    return cuInit((unsigned)draw_number(draw));
}

static CUresult make_context(struct draw *draw)
{
    CUcontext context;
    CUresult result;

    if (draw_below(draw, 4) == 0) {
        CUexecAffinityParam affinity = {.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT,
                                        .param.smCount.val = (unsigned)draw_number(draw)};
        CUctxCreateParams parameters = {.execAffinityParams = &affinity,
                                        .numExecAffinityParams = (int)draw_below(draw, 2)};
        unsigned flags = draw_below(draw, 32);
        int device = (int)draw_below(draw, 3);

        switch (draw_below(draw, 4)) {
        case 0:
            result = cuCtxCreate_v3(&context, &affinity, (int)draw_below(draw, 2), flags, device);
            break;
        case 1:
            result =
                cuCtxCreate_v4(&context, draw_below(draw, 2) ? &parameters : NULL, flags, device);
            break;
        default:
            result = cuCtxCreate_v2(&context, flags, device);
        }
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
    {"import wrong semaphore", import_wrong_semaphore},
    {"attributes", get_attributes},
    {"locations", get_locations},
    {"write_files", write_files},
    {"range handle", get_range_handle},
    {"copy 2d", copy_2d},
    {"copy 3d", copy_3d},
    {"init", init_again},
    {"context", make_context},
    {"context", make_context},
    {"open shared", open_shared},
};

enum {
    OWN = sizeof(own_calls) / sizeof(own_calls[0]),
    GENERATED = sizeof(generated_calls) / sizeof(generated_calls[0]),
};

/* Of sixteen calls so many are about graphs: FUZZ_GRAPHS makes a target of its own for them. */
#ifdef FUZZ_GRAPHS
enum { GRAPH_SHARE = 10 };
#else
enum { GRAPH_SHARE = 2 };
#endif

const struct call *call_draw(struct draw *draw)
{
    if (draw_below(draw, 16) < GRAPH_SHARE)
        return &graph_calls[draw_below(draw, graph_call_count)];
    switch (draw_below(draw, 16)) {
    case 0:
        return &code_calls[draw_below(draw, code_call_count)];
    case 1:
        return &stream_calls[draw_below(draw, stream_call_count)];
    case 2:
        return &image_calls[draw_below(draw, image_call_count)];
    case 3:
        return draw_below(draw, 4) ? &own_calls[draw_below(draw, OWN)]
                                   : &process_calls[draw_below(draw, process_call_count)];
    case 4:
    case 5:
        return &own_calls[draw_below(draw, OWN)];
    default:
        return &generated_calls[draw_below(draw, GENERATED)];
    }
}

const struct call *api_call_generated(size_t index)
{
    return index < GENERATED ? &generated_calls[index] : NULL;
}

unsigned call_count(void)
{
    return GENERATED + CALLED_BY_HAND;
}

void calls_begin_program(void)
{
    CUcontext context;

    if (cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS)
        cuCtxSetCurrent(context);
    waits_register();
}

void calls_begin_thread(bool has_gl)
{
    if (has_gl)
        images_open_gl();
}
