/* SPDX-License-Identifier: MIT */
/* The numbers that records have for contexts, streams, devices and graphs, and the records of
 * devices and contexts. */
#include "tool.h"

#include <stdatomic.h>
#include <string.h>

enum { NAME_BYTES = 256 };

uint32_t tool_context_id(CUcontext context)
{
    unsigned long long id = 0;

    if (!context || lib_driver()->context_get_id(context, &id) != CUDA_SUCCESS)
        return 0;
    return (uint32_t)id;
}

bool tool_is_new_context(CUcontext context, _Atomic uint32_t *last_seen, uint32_t *before)
{
    uint32_t id = tool_context_id(context);

    *before = atomic_load(last_seen);
    while (id > *before)
        if (atomic_compare_exchange_weak(last_seen, before, id))
            return true;
    return false;
}

uint32_t tool_current_context_id(void)
{
    CUcontext context = NULL;

    lib_driver()->context_get_current(&context);
    return tool_context_id(context);
}

uint32_t tool_current_device_id(void)
{
    CUdevice device = 0;

    lib_driver()->context_get_device(&device);
    return (uint32_t)device;
}

uint32_t tool_stream_id(CUstream stream, bool per_thread)
{
    unsigned long long id;

    if (!stream && per_thread)
        stream = CU_STREAM_PER_THREAD;
    if (lib_driver()->stream_get_id(stream, &id) != CUDA_SUCCESS)
        return CUPTI_INVALID_STREAM_ID;
    return (uint32_t)id;
}

static uint32_t attribute(CUdevice device, CUdevice_attribute attribute)
{
    int value = 0;

    lib_driver()->device_get_attribute(&value, attribute, device);
    return (uint32_t)value;
}

static void record_device(CUdevice device)
{
    const struct lib_driver *cuda = lib_driver();
    char name[NAME_BYTES] = "";
    size_t bytes = 0;
    CUuuid uuid;

    memset(&uuid, 0, sizeof(uuid));
    cuda->device_get_name(name, sizeof(name), device);
    cuda->device_total_memory(&bytes, device);
    cuda->device_get_uuid(&uuid, device);
    CUpti_ActivityDevice5 record = {
        .kind = CUPTI_ACTIVITY_KIND_DEVICE,
        .flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS,
        /* two transfers a clock, in kB/s */
        .globalMemoryBandwidth =
            2ull * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
            (attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8),
        .globalMemorySize = bytes,
        .constantMemorySize = attribute(device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .l2CacheSize = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        .numThreadsPerWarp = attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .coreClockRate = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .numMemcpyEngines = attribute(device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        .numMultiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .maxIPC = UINT32_MAX,
        .maxWarpsPerMultiprocessor =
            attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
            attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .maxBlocksPerMultiprocessor =
            attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
        .maxSharedMemoryPerMultiprocessor =
            attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .maxRegistersPerMultiprocessor =
            attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
        .maxRegistersPerBlock = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .maxSharedMemoryPerBlock =
            attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .maxThreadsPerBlock = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxBlockDimX = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
        .maxBlockDimY = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
        .maxBlockDimZ = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        .maxGridDimX = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
        .maxGridDimY = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
        .maxGridDimZ = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        .computeCapabilityMajor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        .computeCapabilityMinor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .id = (uint32_t)device,
        .eccEnabled = attribute(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED),
        .uuid = uuid,
        .name = tool_text(name),
        .isCudaVisible = 1,
        .gpuInstanceId = UINT32_MAX,
        .computeInstanceId = UINT32_MAX,
        .numaId = UINT32_MAX,
    };
    tool_record(&record, sizeof(record));
}

void tool_record_devices(void)
{
    int count = 0;

    lib_driver()->device_get_count(&count);
    for (CUdevice device = 0; device < count; device++)
        record_device(device);
}

static CUptiResult device_of(CUcontext context, CUdevice *device)
{
    const struct lib_driver *cuda = lib_driver();
    CUcontext before = NULL;
    CUresult result;

    if (!cuda || cuda->context_get_current(&before) != CUDA_SUCCESS)
        return CUPTI_ERROR_INVALID_DEVICE;
    if (context && context != before && cuda->context_set_current(context) != CUDA_SUCCESS)
        return CUPTI_ERROR_INVALID_CONTEXT;
    result = cuda->context_get_device(device);
    if (context && context != before)
        cuda->context_set_current(before);
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_DEVICE;
}

CUptiResult tool_wait_for_kernels(CUcontext context)
{
    const struct lib_driver *cuda = lib_driver();
    CUcontext before = NULL;
    bool entered = tool_enter();

    cuda->context_get_current(&before);
    CUresult result = before == context ? CUDA_SUCCESS : cuda->context_set_current(context);
    if (result == CUDA_SUCCESS)
        result = cuda->context_synchronize();
    if (before != context)
        cuda->context_set_current(before);
    tool_leave(entered);
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

void tool_record_context(CUcontext context)
{
    CUdevice device = 0;

    device_of(context, &device);
    CUpti_ActivityContext3 record = {
        .kind = CUPTI_ACTIVITY_KIND_CONTEXT,
        .contextId = tool_context_id(context),
        .deviceId = (uint32_t)device,
        .computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA,
        .nullStreamId = (uint16_t)tool_stream_id(CU_STREAM_LEGACY, false),
    };
    tool_record(&record, sizeof(record));
}

bool tool_describe_context(CUcontext context, CUpti_ActivityObjectKindId *id)
{
    CUdevice device;

    id->dcs.contextId = tool_context_id(context);
    if (id->dcs.contextId == 0 || device_of(context, &device) != CUPTI_SUCCESS)
        return false;
    id->dcs.deviceId = (uint32_t)device;
    return true;
}

bool tool_describe_stream(CUstream stream, CUpti_ActivityObjectKindId *id)
{
    CUcontext context;

    id->dcs.streamId = tool_stream_id(stream, false);
    return id->dcs.streamId != CUPTI_INVALID_STREAM_ID &&
           lib_driver()->stream_get_context(stream, &context) == CUDA_SUCCESS &&
           tool_describe_context(context, id);
}

/* The functions below are calls of the tool's: the driver's functions that they use are not told.
 */

CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId)
{
    if (!contextId)
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    *contextId = lib_driver() ? tool_context_id(context) : 0;
    tool_leave(entered);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId)
{
    CUdevice device;
    CUptiResult result;

    if (!deviceId)
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    result = device_of(context, &device);
    tool_leave(entered);
    if (result == CUPTI_SUCCESS)
        *deviceId = (uint32_t)device;
    return result;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream,
                               uint32_t *streamId)
{
    uint32_t id;

    (void)context;
    if (!streamId)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!lib_driver())
        return CUPTI_ERROR_INVALID_STREAM;
    bool entered = tool_enter();
    id = tool_stream_id(stream, perThreadStream != 0);
    tool_leave(entered);
    if (id == CUPTI_INVALID_STREAM_ID)
        return CUPTI_ERROR_INVALID_STREAM;
    *streamId = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId)
{
    return cuptiGetStreamIdEx(context, stream, 0, streamId);
}

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *pId)
{
    if (!graph || !pId || !lib_driver())
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    CUresult result = lib_driver()->graph_get_id(graph, pId);
    tool_leave(entered);
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetGraphExecId(CUgraphExec graphExec, uint32_t *pId)
{
    if (!graphExec || !pId || !lib_driver())
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    CUresult result = lib_driver()->graph_exec_get_id(graphExec, pId);
    tool_leave(entered);
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *nodeId)
{
    unsigned long long id = 0;

    if (!node || !nodeId || !lib_driver())
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    CUresult result = lib_driver()->graph_node_get_tools_id(node, &id);
    tool_leave(entered);
    *nodeId = id;
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
    if (!timestamp)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *timestamp = tool_now();
    return CUPTI_SUCCESS;
}

static CUptiResult check_device(CUdevice device)
{
    const struct lib_driver *cuda = lib_driver();
    int count = 0;

    if (!cuda || cuda->device_get_count(&count) != CUDA_SUCCESS || device < 0 || device >= count)
        return CUPTI_ERROR_INVALID_DEVICE;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceSupported(CUdevice dev, int *support)
{
    if (!support)
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    CUptiResult result = check_device(dev);
    tool_leave(entered);
    *support = result == CUPTI_SUCCESS;
    return result;
}

/* From Volta on, as CUPTI of CUDA 13; older devices do not exist for CUDA 13. */
CUptiResult cuptiComputeCapabilitySupported(int major, int minor, int *support)
{
    (void)minor;
    if (!support)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *support = major >= 7 && major <= 12;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceVirtualizationMode(CUdevice dev, CUpti_DeviceVirtualizationMode *mode)
{
    if (!mode)
        return CUPTI_ERROR_INVALID_PARAMETER;
    bool entered = tool_enter();
    CUptiResult result = check_device(dev);
    tool_leave(entered);
    if (result == CUPTI_SUCCESS)
        *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
    return result;
}
