/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=leaks: the report of leaked objects. Each test reads the stderr of a child process
 * that leaks. */
#include "test.h"

#include "checks.h"
#include "hold.h"
#include "images.h"
#include "kernels.h"
#include "peer.h"
#include "virtual.h"

#include <sys/mman.h>

A_FUNCTION leave_things(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUdeviceptr memory, freed;
    CUstream stream;
    CUevent event, destroyed;
    CUarray array;
    CUmodule module;

    with_check("leaks");
    check_success(cuMemAlloc(&memory, 12345));
    check_success(cuMemAlloc(&freed, 54321));
    check_success(cuMemFree(freed));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuEventCreate(&event, 0));
    check_success(cuEventCreate(&destroyed, 0));
    check_success(cuEventDestroy(destroyed));
    check_success(cuArray3DCreate(&array, &shape));
    check_success(cuModuleLoadData(&module, ptx_fill));
}

TEST(what_is_left_is_named_with_its_call)
{
    struct told *told = told_well_by(leave_things);

    check_says(told, "12345 bytes of device memory at 0x");
    check_says_next(told, "12345 bytes of", "  made by cuMemAlloc_v2, called from",
                    "leave_things+0x");
    check_says_next(told, " stream 0x", "  made by cuStreamCreate, called", "leave_things+0x");
    check_says_next(told, " event 0x", "  made by cuEventCreate, called", "leave_things+0x");
    check_says_next(told, " array 0x", "  made by cuArray3DCreate_v2, called", "leave_things+0x");
    check_says_next(told, " module 0x", "  made by cuModuleLoadData, called", "leave_things+0x");
    check_says_next(told, " context 0x", "  made by cuDevicePrimaryCtxRetain, called",
                    "leave_things+0x");
    check_says(told, "api_test_check+0x"); /* the program, in the backtrace */
    check_says(told, "cupipe: CUPIPE_CHECK: 6 left behind\n");
    check_does_not_say(told, "54321");
}

A_FUNCTION leave_nothing(void)
{
    CUdeviceptr memory;
    CUcontext context;
    CUstream stream;

    with_check("leaks");
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemFree(memory));
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuCtxDestroy(context));
    check_success(cuDevicePrimaryCtxRelease(0));
}

TEST(what_ended_with_its_context_is_no_leak)
{
    struct told *told = told_well_by(leave_nothing);

    check(strcmp(told->text, "cupipe: CUPIPE_CHECK: 0 left behind\n") == 0);
}

/* Every kind of memory. */

A_FUNCTION leave_memory(void)
{
    static char own[8192] __attribute__((aligned(4096)));
    CUmemoryPool pool;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr memory;
    size_t pitch;
    void *host;

    with_check("leaks");
    check_success(cuMemAllocPitch(&memory, &pitch, 100, 10, 4));
    check_success(cuMemAllocManaged(&memory, 1001, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemAllocHost(&host, 1002));
    check_success(cuMemHostAlloc(&host, 1003, 0));
    check_success(cuMemHostRegister(own, 8192, 0));
    check_success(cuMemAllocAsync(&memory, 1004, NULL));
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&memory, 1005, pool, NULL));
    CUdeviceptr at = reserve(3 * UNIT);
    CUmemGenericAllocationHandle physical = create(UNIT, 0);
    check_success(cuMemMap(at, UNIT, 0, physical, 0));
}

TEST(every_kind_of_memory_is_named)
{
    struct told *told = told_well_by(leave_memory);

    check_says_next(told, "5120 bytes of device memory at 0x", "  made by cuMemAllocPitch_v2",
                    "leave_memory+0x");
    check_says_next(told, "1001 bytes of managed memory at 0x", "  made by cuMemAllocManaged",
                    "leave_memory+0x");
    check_says_next(told, "1002 bytes of pinned host memory at 0x", "  made by cuMemAllocHost_v2",
                    "leave_memory+0x");
    check_says_next(told, "1003 bytes of pinned host memory at 0x", "  made by cuMemHostAlloc",
                    "leave_memory+0x");
    check_says_next(told, "8192 bytes of registered host memory at 0x",
                    "  made by cuMemHostRegister_v2", "leave_memory+0x");
    check_says(told, "were never unregistered");
    check_says_next(told, "1004 bytes of memory of a pool at 0x", "  made by cuMemAllocAsync",
                    "leave_memory+0x");
    check_says_next(told, "1005 bytes of memory of a pool at 0x",
                    "  made by cuMemAllocFromPoolAsync", "leave_memory+0x");
    check_says_next(told, " memory pool 0x", "  made by cuMemPoolCreate", "leave_memory+0x");
    check_says_next(told, "6291456 bytes of reserved addresses at 0x",
                    "  made by cuMemAddressReserve", "leave_memory+0x");
    check_says_next(told, " memory handle 0x", "  made by cuMemCreate", "leave_memory+0x");
    check_says(told, ", 2097152 bytes, was never released");
    check_says_next(told, "2097152 bytes of mapped memory at 0x", "  made by cuMemMap",
                    "leave_memory+0x");
    check_says(told, "were never unmapped");
    check_says(told, "cupipe: CUPIPE_CHECK: 12 left behind\n");
}

A_FUNCTION give_memory_back(void)
{
    static char own[8192] __attribute__((aligned(4096)));
    CUmemGenericAllocationHandle physical, again;
    CUdeviceptr memory, at;
    void *host;

    with_check("leaks");
    check_success(cuMemAllocManaged(&memory, 1001, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemFree(memory));
    check_success(cuMemAllocHost(&host, 1002));
    check_success(cuMemFreeHost(host));
    check_success(cuMemHostRegister(own, 8192, 0));
    check_success(cuMemHostUnregister(own));
    check_success(cuMemAllocAsync(&memory, 1004, NULL));
    check_success(cuMemFreeAsync(memory, NULL));
    at = reserve(3 * UNIT);
    physical = create(UNIT, 0);
    check_success(cuMemMap(at, UNIT, 0, physical, 0));
    check_success(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)at));
    check(again == physical);
    check_success(cuMemRelease(physical));
    check_success(cuMemRelease(physical));
    check_success(cuMemUnmap(at, UNIT));
    check_success(cuMemAddressFree(at, 3 * UNIT));
    check_success(cuDevicePrimaryCtxRelease(0));
}

TEST(memory_that_was_given_back_is_no_leak)
{
    struct told *told = told_well_by(give_memory_back);

    check(strcmp(told->text, "cupipe: CUPIPE_CHECK: 0 left behind\n") == 0);
}

A_FUNCTION retain_once_too_often(void)
{
    CUmemGenericAllocationHandle again, physical;

    with_check("leaks");
    CUdeviceptr at = reserve(UNIT);
    physical = create(UNIT, 0);
    check_success(cuMemMap(at, UNIT, 0, physical, 0));
    check_success(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)at));
    check_success(cuMemUnmap(at, UNIT));
    check_success(cuMemAddressFree(at, UNIT));
    check_success(cuMemRelease(physical));
    check_success(cuDevicePrimaryCtxRelease(0));
}

TEST(a_handle_that_was_retained_is_a_leak)
{
    struct told *told = told_well_by(retain_once_too_often);

    check_says_next(told, " memory handle 0x", "  made by cuMemCreate", "retain_once_too_often+0x");
    check_says(told, "cupipe: CUPIPE_CHECK: 1 left behind\n");
}

/* Objects. */

static void CUDA_CB on_notification(CUasyncNotificationInfo *info, void *data,
                                    CUasyncCallbackHandle handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

A_FUNCTION leave_objects(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    CUasyncCallbackHandle notification;
    CUmipmappedArray mipmap;
    CUtexObject texture, destroyed;
    CUsurfObject surface;
    CUlinkState link;
    CUlibrary library;
    CUcontext context;
    CUtexref reference;
    CUarray array;

    with_check("leaks");
    memset(&resource, 0, sizeof(resource));
    memset(&sampling, 0, sizeof(sampling));
    check_success(cuArray3DCreate(&array, &shape));
    check_success(cuMipmappedArrayCreate(&mipmap, &shape, 2));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    check_success(cuTexObjectCreate(&destroyed, &resource, &sampling, NULL));
    check_success(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    check_success(cuTexObjectDestroy(destroyed));
    check_success(cuSurfObjectCreate(&surface, &resource));
    check_success(cuTexRefCreate(&reference));
    check_success(cuLinkCreate(0, NULL, NULL, &link));
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuDeviceRegisterAsyncNotification(0, on_notification, NULL, &notification));
    check_success(cuCtxCreate(&context, NULL, 0, 0));
}

TEST(every_kind_of_object_is_named)
{
    struct told *told = told_well_by(leave_objects);

    check_says_next(told, " mipmapped array 0x", "  made by cuMipmappedArrayCreate, called",
                    "leave_objects+0x");
    check_says_next(told, " texture object 0x", "  made by cuTexObjectCreate, called",
                    "leave_objects+0x");
    check_says_next(told, " surface object 0x", "  made by cuSurfObjectCreate, called",
                    "leave_objects+0x");
    check_says_next(told, " texture reference 0x", "  made by cuTexRefCreate, called",
                    "leave_objects+0x");
    check_says_next(told, " link 0x", "  made by cuLinkCreate_v2, called", "leave_objects+0x");
    check_says_next(told, " library 0x", "  made by cuLibraryLoadData, called", "leave_objects+0x");
    check_says_next(told, " notification 0x", "  made by cuDeviceRegisterAsyncNotification",
                    "leave_objects+0x");
    check_says(told, "  made by cuCtxCreate_v4, called");
    check_says(told, "cupipe: CUPIPE_CHECK: 10 left behind\n");
}

A_FUNCTION give_objects_back(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    CUtexObject texture;
    CUsurfObject surface;
    CUarray array;

    with_check("leaks");
    memset(&resource, 0, sizeof(resource));
    memset(&sampling, 0, sizeof(sampling));
    check_success(cuArray3DCreate(&array, &shape));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    check_success(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    check_success(cuSurfObjectCreate(&surface, &resource));
    check_success(cuTexObjectDestroy(texture));
    check_success(cuSurfObjectDestroy(surface));
    check_success(cuArrayDestroy(array));
    check_success(cuDevicePrimaryCtxRelease(0));
}

TEST(objects_that_were_destroyed_are_no_leaks)
{
    struct told *told = told_well_by(give_objects_back);

    check(strcmp(told->text, "cupipe: CUPIPE_CHECK: 0 left behind\n") == 0);
}

/* What comes from elsewhere. */

A_FUNCTION leave_imports(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part;
    CUexternalMemory memory;
    CUdeviceptr buffer;

    with_check("leaks");
    memset(&handle, 0, sizeof(handle));
    memset(&part, 0, sizeof(part));
    CUmemGenericAllocationHandle physical = create(UNIT, FD_TYPE);
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.size = UNIT;
    check_success(cuMemExportToShareableHandle(&handle.handle.fd, physical, FD_TYPE, 0));
    check_success(cuMemRelease(physical));
    check_success(cuImportExternalMemory(&memory, &handle));
    part.size = 4096;
    check_success(cuExternalMemoryGetMappedBuffer(&buffer, memory, &part));
    check_success(cuDevicePrimaryCtxRelease(0));
}

A_FUNCTION keep_primary_and_leave_imports(void)
{
    CUcontext context;

    setenv("CUPIPE_CHECK", "leaks", 1);
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    leave_imports();
}

TEST(imported_memory_is_named)
{
    struct told *told = told_well_by(keep_primary_and_leave_imports);

    check_says_next(told, " external memory 0x", "  made by cuImportExternalMemory",
                    "leave_imports+0x");
    check_says(told, ", 2097152 bytes, was never destroyed");
    check_says_next(told, "4096 bytes of mapped external memory at 0x",
                    "  made by cuExternalMemoryGetMappedBuffer", "leave_imports+0x");
    check_says(told, "cupipe: CUPIPE_CHECK: 3 left behind\n");
}

static CUipcMemHandle given_memory;

A_FUNCTION give_memory(int socket)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;

    with_context();
    check_success(cuMemAlloc(&memory, 5000));
    check_success(cuIpcGetMemHandle(&handle, memory));
    peer_send(socket, &handle, sizeof(handle));
    peer_await(socket);
}

A_FUNCTION leave_opened(void)
{
    CUdeviceptr memory, again;

    with_check("leaks");
    check_success(cuIpcOpenMemHandle(&memory, given_memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    check_success(cuIpcOpenMemHandle(&again, given_memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    check(memory == again);
    check_success(cuIpcCloseMemHandle(memory));
}

A_FUNCTION close_opened(void)
{
    CUdeviceptr memory;

    with_check("leaks");
    check_success(cuIpcOpenMemHandle(&memory, given_memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    check_success(cuIpcCloseMemHandle(memory));
    check_success(cuDevicePrimaryCtxRelease(0));
}

TEST(memory_of_another_process_is_named)
{
    struct peer peer = peer_start(give_memory);

    peer_receive(peer.socket, &given_memory, sizeof(given_memory));
    struct told *opened = told_well_by(leave_opened), *closed = told_well_by(close_opened);
    peer_signal(peer.socket);
    check_says_next(opened, "5000 bytes of memory of another process at 0x",
                    "  made by cuIpcOpenMemHandle_v2", "leave_opened+0x");
    check_says(opened, "were never closed");
    check(strcmp(closed->text, "cupipe: CUPIPE_CHECK: 0 left behind\n") == 0);
}

/* Kernels. */

static const char ptx_malloc[] =
    PTX_HEAD ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"
             ".visible .entry allocate()\n"
             "{\n"
             "    .param .b64 size, result;\n"
             "    st.param.b64 [size], 100;\n"
             "    call (result), malloc, (size);\n"
             "    ret;\n"
             "}\n";

A_FUNCTION leave_in_kernels(void)
{
    CUfunction function;
    CUmodule module;

    with_check("leaks");
    check_success(cuModuleLoadData(&module, ptx_malloc));
    check_success(cuModuleGetFunction(&function, module, "allocate"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 7, 1, 1, 0, NULL, NULL, NULL));
    check_success(cuCtxSynchronize());
}

TEST(what_kernels_allocated_is_counted)
{
    struct told *told = told_well_by(leave_in_kernels);

    check_says(told, "  7 pieces, 896 bytes, were allocated by its kernels and never freed\n");
}
