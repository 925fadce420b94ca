/* SPDX-License-Identifier: MIT */
/* The calls of state_calls.def with the objects and arguments they use. A program includes this in
 * one file. */
#ifndef STATE_OBJECTS_H
#define STATE_OBJECTS_H

#include "recorder.h"

static CUdeviceptr first_ptr, second_ptr, out_ptr;
static char host_bytes[8192] __attribute__((aligned(4096))),
    host_page[8192] __attribute__((aligned(4096)));
static void *pinned;
static CUstream stream;
static CUarray array, second_array;
static CUmipmappedArray mip, second_mip;
static CUevent event;
static CUcontext owner;

static size_t size_out, second_size_out;
static unsigned flags_out;
static int int_out;
static unsigned char bytes[256];
static void *byte_outputs[2] = {bytes, bytes + 64};
static CUmemoryPool pool;
static CUmemGenericAllocationHandle allocation;
static CUdeviceptr reserved;
static CUipcMemHandle memory_handle;
static CUipcEventHandle event_handle;
static CUasyncCallbackHandle notification;
static CUexternalMemory external_memory;
static CUexternalSemaphore external_semaphore;
static CUmemPoolPtrExportData exported;

static CUDA_ARRAY_DESCRIPTOR descriptor2d = {64, 64, 1, 1};
static CUDA_ARRAY3D_DESCRIPTOR descriptor3d = {64, 64, 0, 1, 1, 0};
static CUDA_ARRAY_SPARSE_PROPERTIES sparse;
static CUDA_ARRAY_MEMORY_REQUIREMENTS requirements_out;
static CUpointer_attribute pointer_attributes[2] = {2, 8};
static CUmem_range_attribute range_attributes[2] = {1, 2};
static size_t sizes[2] = {64, 64}, data_sizes[2] = {4, 4}, indices[2] = {0, 0};
static CUdeviceptr dsts[2], srcs[2];
static CUmemLocation device_location = {1, 0};
static CUmemcpyAttributes copy_attributes = {.srcAccessOrder = 1};
static CUmemAllocationProp allocation_properties = {.type = 1, .location = {1, 0}};
static CUmemAccessDesc access_wanted = {{1, 0}, 3};
static CUmemPoolProps pool_properties = {.allocType = 1, .location = {1, 0}};
static unsigned long long wide_out;
static CUmemAccess_flags access_out;

static CUDA_MEMCPY2D copy2d_of(void)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = 2,
                           .srcDevice = first_ptr,
                           .srcPitch = 64,
                           .dstMemoryType = 2,
                           .dstDevice = second_ptr,
                           .dstPitch = 64,
                           .WidthInBytes = 32,
                           .Height = 4};
}

static CUDA_MEMCPY3D copy3d_of(void)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = 2,
                           .srcDevice = first_ptr,
                           .srcPitch = 64,
                           .srcHeight = 4,
                           .dstMemoryType = 2,
                           .dstDevice = second_ptr,
                           .dstPitch = 64,
                           .dstHeight = 4,
                           .WidthInBytes = 32,
                           .Height = 4,
                           .Depth = 1};
}

static CUDA_MEMCPY3D_PEER copy3d_peer_of(void)
{
    return (CUDA_MEMCPY3D_PEER){.srcMemoryType = 2,
                                .srcDevice = first_ptr,
                                .srcPitch = 64,
                                .srcHeight = 4,
                                .srcContext = owner,
                                .dstContext = owner,
                                .dstMemoryType = 2,
                                .dstDevice = second_ptr,
                                .dstPitch = 64,
                                .dstHeight = 4,
                                .WidthInBytes = 32,
                                .Height = 4,
                                .Depth = 1};
}

static CUDA_MEMCPY2D copy2d;
static CUDA_MEMCPY3D copy3d;
static CUDA_MEMCPY3D_PEER copy3d_peer;
static CUDA_MEMCPY3D_BATCH_OP batch_operation;
static CUmemDecompressParams decompress;
static CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory_desc = {
    .type = 1, .handle = {.fd = -1}, .size = 4096};
static CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer_desc = {.size = 4096};
static CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC mip_desc = {.numLevels = 1};
static CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore_desc = {.type = 1, .handle = {.fd = -1}};
static CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params;
static CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params;
static CUgraphicsResource resource;

static void notified(CUasyncNotificationInfo *info, void *data, CUasyncCallbackHandle handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

#define CALL(function, ...)                                                                        \
    static CUresult call_##function(void)                                                          \
    {                                                                                              \
        return cuda.function(__VA_ARGS__);                                                         \
    }
#include "state_calls.def"
#undef CALL

/* Makes live objects in the current context. */
static void objects_create(void)
{
    first_ptr = device_alloc(65536);
    second_ptr = device_alloc(65536);
    stream = stream_new(0);
    cuda.cuEventCreate(&event, 2);
    cuda.cuArray3DCreate(&array, &descriptor3d);
    cuda.cuArray3DCreate(&second_array, &descriptor3d);
    cuda.cuMipmappedArrayCreate(&mip, &descriptor3d, 2);
    pinned = pinned_alloc(4096);
    out_ptr = managed_alloc(4096);
    cuda.cuDeviceGetDefaultMemPool(&pool, 0);
    cuda.cuCtxGetCurrent(&owner);
}

static void arguments_prepare(void)
{
    copy2d = copy2d_of();
    copy3d = copy3d_of();
    copy3d_peer = copy3d_peer_of();
    dsts[0] = second_ptr;
    srcs[0] = first_ptr;
    memset(&batch_operation, 0, sizeof batch_operation);
    batch_operation.src.type = batch_operation.dst.type = 1;
    batch_operation.src.op.ptr.ptr = first_ptr;
    batch_operation.dst.op.ptr.ptr = second_ptr;
    batch_operation.extent = (CUextent3D){16, 1, 1};
    batch_operation.srcAccessOrder = 1;
    decompress = (CUmemDecompressParams){.srcNumBytes = 8,
                                         .dstNumBytes = 8,
                                         .src = as_host(first_ptr),
                                         .dst = as_host(second_ptr),
                                         .dstActBytes = (void *)bytes,
                                         .algo = 1};
}

#endif
