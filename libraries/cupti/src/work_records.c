/* SPDX-License-Identifier: MIT */
/* Records of work: kernels, copies, fills and launches of graphs. */
#include "tool.h"

enum { CLUSTER_POLICY_DEFAULT = 1 };

static void record_kernel(const struct cupipe_activity *work)
{
    bool is_concurrent = tool_records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CUpti_ActivityKernel10 record = {
        .kind = is_concurrent ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL : CUPTI_ACTIVITY_KIND_KERNEL,
        .registersPerThread = (uint16_t)work->kernel.registers,
        .partitionedGlobalCacheRequested =
            CUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_NOT_SUPPORTED,
        .partitionedGlobalCacheExecuted =
            CUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_NOT_SUPPORTED,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .completed = tool_time(work->end_ns),
        .deviceId = work->device,
        .contextId = (uint32_t)work->context_id,
        .streamId = (uint32_t)work->stream_id,
        .gridX = (int32_t)work->kernel.grid[0],
        .gridY = (int32_t)work->kernel.grid[1],
        .gridZ = (int32_t)work->kernel.grid[2],
        .blockX = (int32_t)work->kernel.block[0],
        .blockY = (int32_t)work->kernel.block[1],
        .blockZ = (int32_t)work->kernel.block[2],
        .staticSharedMemory = (int32_t)work->kernel.shared_static_bytes,
        .dynamicSharedMemory = (int32_t)work->kernel.shared_dynamic_bytes,
        .localMemoryPerThread = work->kernel.local_bytes,
        .correlationId = work->correlation,
        .gridId = (int64_t)work->kernel.grid_id,
        .name = tool_text(work->name),
        .queued = tool_records_latency() ? tool_time(work->submitted_ns) : 0,
        .submitted = tool_records_latency() ? tool_time(work->submitted_ns) : 0,
        .launchType = work->kernel.is_cooperative
                          ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                          : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR,
        .graphNodeId = work->graph_node,
        .graphId = work->graph,
        .channelType = CUPTI_CHANNEL_TYPE_COMPUTE,
        .clusterX = work->kernel.cluster[0],
        .clusterY = work->kernel.cluster[1],
        .clusterZ = work->kernel.cluster[2],
        .clusterSchedulingPolicy = CLUSTER_POLICY_DEFAULT,
    };

    tool_record(&record, sizeof(record));
}

static bool is_host(enum cupipe_memory_kind kind)
{
    return kind == CUPIPE_MEMORY_PAGEABLE || kind == CUPIPE_MEMORY_PINNED;
}

static uint8_t copy_kind(enum cupipe_memory_kind from, enum cupipe_memory_kind to)
{
    /* host, array, device */
    static const uint8_t kinds[3][3] = {
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA,
         CUPTI_ACTIVITY_MEMCPY_KIND_HTOD},
        {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA,
         CUPTI_ACTIVITY_MEMCPY_KIND_ATOD},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA,
         CUPTI_ACTIVITY_MEMCPY_KIND_DTOD},
    };
    int row = is_host(from) ? 0 : from == CUPIPE_MEMORY_ARRAY ? 1 : 2;
    int column = is_host(to) ? 0 : to == CUPIPE_MEMORY_ARRAY ? 1 : 2;

    return kinds[row][column];
}

static void record_peer_copy(const struct cupipe_activity *work)
{
    CUpti_ActivityMemcpyPtoP4 record = {
        .kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
        .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
        .srcKind = (uint8_t)work->copy.from,
        .dstKind = (uint8_t)work->copy.to,
        .flags = work->is_async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0,
        .bytes = work->copy.bytes,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .deviceId = work->device,
        .contextId = (uint32_t)work->context_id,
        .streamId = (uint32_t)work->stream_id,
        .srcDeviceId = work->copy.from_device,
        .srcContextId = (uint32_t)work->context_id,
        .dstDeviceId = work->copy.to_device,
        .dstContextId = (uint32_t)work->context_id,
        .correlationId = work->correlation,
        .graphNodeId = work->graph_node,
        .graphId = work->graph,
        .channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY,
    };

    tool_record(&record, sizeof(record));
}

static void record_copy(const struct cupipe_activity *work)
{
    CUpti_ActivityMemcpy6 record = {
        .kind = CUPTI_ACTIVITY_KIND_MEMCPY,
        .copyKind = copy_kind(work->copy.from, work->copy.to),
        .srcKind = (uint8_t)work->copy.from,
        .dstKind = (uint8_t)work->copy.to,
        .flags = work->is_async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0,
        .bytes = work->copy.bytes,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .deviceId = work->device,
        .contextId = (uint32_t)work->context_id,
        .streamId = (uint32_t)work->stream_id,
        .correlationId = work->correlation,
        .graphNodeId = work->graph_node,
        .graphId = work->graph,
        .channelType =
            is_host(work->copy.to) ? CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY : CUPTI_CHANNEL_TYPE_COMPUTE,
        .copyCount = 1,
    };
    bool is_peer = !is_host(work->copy.from) && !is_host(work->copy.to) &&
                   work->copy.from_device != work->copy.to_device;

    if (is_peer && tool_records(CUPTI_ACTIVITY_KIND_MEMCPY2))
        record_peer_copy(work);
    else if (!is_peer && tool_records(CUPTI_ACTIVITY_KIND_MEMCPY))
        tool_record(&record, sizeof(record));
}

static void record_fill(const struct cupipe_activity *work)
{
    CUpti_ActivityMemset4 record = {
        .kind = CUPTI_ACTIVITY_KIND_MEMSET,
        .value = work->fill.value,
        .bytes = work->fill.bytes,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .deviceId = work->device,
        .contextId = (uint32_t)work->context_id,
        .streamId = (uint32_t)work->stream_id,
        .correlationId = work->correlation,
        .flags = work->is_async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0,
        .memoryKind = (uint16_t)work->fill.memory,
        .graphNodeId = work->graph_node,
        .graphId = work->graph,
        .channelType = CUPTI_CHANNEL_TYPE_COMPUTE,
    };

    if (tool_records(CUPTI_ACTIVITY_KIND_MEMSET))
        tool_record(&record, sizeof(record));
}

static void record_graph(const struct cupipe_activity *work)
{
    CUpti_ActivityGraphTrace2 record = {
        .kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
        .correlationId = work->correlation,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .deviceId = work->device,
        .graphId = work->graph,
        .contextId = (uint32_t)work->context_id,
        .streamId = (uint32_t)work->stream_id,
        .endDeviceId = work->device,
        .endContextId = (uint32_t)work->context_id,
    };

    if (tool_records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE))
        tool_record(&record, sizeof(record));
}

/* The launch of a graph is recorded as a whole, or node by node. */
void tool_record_work(const struct cupipe_activity *work)
{
    if (work->kind != CUPIPE_ACTIVITY_GRAPH && work->graph != 0 &&
        tool_records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE))
        return;
    switch (work->kind) {
    case CUPIPE_ACTIVITY_KERNEL:
        if (tool_records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
            tool_records(CUPTI_ACTIVITY_KIND_KERNEL))
            record_kernel(work);
        break;
    case CUPIPE_ACTIVITY_COPY:
        record_copy(work);
        break;
    case CUPIPE_ACTIVITY_FILL:
        record_fill(work);
        break;
    case CUPIPE_ACTIVITY_GRAPH:
        record_graph(work);
        break;
    case CUPIPE_ACTIVITY_COMPILE:
        tool_record_compile(work);
        break;
    }
}
