/* SPDX-License-Identifier: MIT */
/* Graphs and nodes of every type with plausible parameters. */
#include "graphs.h"

/* Arguments that stay valid while a graph is built: 256 sets in turn. */
struct kernel_arguments {
    CUdeviceptr p, q;
    unsigned n, v;
    void *pointers[5];
};
static struct kernel_arguments *kernel_arguments_of(int kernel, CUdeviceptr p, CUdeviceptr q,
                                                    unsigned n, unsigned v)
{
    static struct kernel_arguments sets[256];
    static int next;
    struct kernel_arguments *set = &sets[next = (next + 1) & 255];
    set->p = p;
    set->q = q;
    set->n = n;
    set->v = v;
    memset(set->pointers, 0, sizeof set->pointers);
    set->pointers[0] = &set->p;
    if (kernel == KERNEL_MIX) {
        set->pointers[1] = &set->q;
        set->pointers[2] = &set->n;
        set->pointers[3] = &set->v;
    } else {
        set->pointers[1] = &set->n;
        set->pointers[2] = &set->v;
    }
    return set;
}

CUDA_KERNEL_NODE_PARAMS kernel_params(int kernel, CUdeviceptr p, CUdeviceptr q, unsigned n,
                                      unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    struct kernel_arguments *set = kernel_arguments_of(kernel, p, q, n, v);
    params.func = functions[kernel];
    params.gridDimX = kernel == KERNEL_NOP || kernel == KERNEL_SHARED || kernel == KERNEL_INCREMENT
                          ? 1
                          : (n + 255) / 256;
    if (!params.gridDimX)
        params.gridDimX = 1;
    params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = kernel == KERNEL_INCREMENT || kernel == KERNEL_NOP ? 1 : 256;
    params.blockDimY = params.blockDimZ = 1;
    params.sharedMemBytes = kernel == KERNEL_SHARED ? 1024 : 0;
    params.kernelParams = kernel == KERNEL_NOP ? NULL : set->pointers;
    return params;
}

CUDA_KERNEL_NODE_PARAMS_v1 kernel_params_v1(int kernel, CUdeviceptr p, CUdeviceptr q, unsigned n,
                                            unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(kernel, p, q, n, v);
    CUDA_KERNEL_NODE_PARAMS_v1 old;
    memset(&old, 0, sizeof old);
    old.func = params.func;
    old.gridDimX = params.gridDimX;
    old.gridDimY = params.gridDimY;
    old.gridDimZ = params.gridDimZ;
    old.blockDimX = params.blockDimX;
    old.blockDimY = params.blockDimY;
    old.blockDimZ = params.blockDimZ;
    old.sharedMemBytes = params.sharedMemBytes;
    old.kernelParams = params.kernelParams;
    return old;
}

static CUDA_MEMCPY3D copy_of(size_t size)
{
    CUDA_MEMCPY3D copy;
    memset(&copy, 0, sizeof copy);
    copy.WidthInBytes = size;
    copy.Height = 1;
    copy.Depth = 1;
    copy.srcPitch = copy.dstPitch = size;
    copy.srcHeight = copy.dstHeight = 1;
    return copy;
}

CUDA_MEMCPY3D copy_device_to_device(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    CUDA_MEMCPY3D copy = copy_of(size);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = src;
    copy.dstDevice = dst;
    return copy;
}

CUDA_MEMCPY3D copy_host_to_device(CUdeviceptr dst, const void *src, size_t size)
{
    CUDA_MEMCPY3D copy = copy_of(size);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = src;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = dst;
    return copy;
}

CUDA_MEMCPY3D copy_device_to_host(void *dst, CUdeviceptr src, size_t size)
{
    CUDA_MEMCPY3D copy = copy_of(size);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = src;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = dst;
    return copy;
}

CUDA_MEMCPY3D copy_host_to_host(void *dst, const void *src, size_t size)
{
    CUDA_MEMCPY3D copy = copy_of(size);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = src;
    copy.dstHost = dst;
    return copy;
}

CUDA_MEMSET_NODE_PARAMS memset_params(CUdeviceptr dst, unsigned value, unsigned element_size,
                                      size_t width, size_t height, size_t pitch)
{
    CUDA_MEMSET_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.dst = dst;
    params.value = value;
    params.elementSize = element_size;
    params.width = width;
    params.height = height;
    params.pitch = pitch;
    return params;
}

CUgraph graph_new(void)
{
    CUgraph graph = 0;
    if (cuda.cuGraphCreate(&graph, 0))
        graph = 0;
    return graph;
}

CUgraphNode add_kernel(CUgraph graph, const CUgraphNode *deps, size_t count, int kernel,
                       CUdeviceptr p, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(kernel, p, 0, n, v);
    CUgraphNode node = NULL;

    return cuda.cuGraphAddKernelNode(&node, graph, deps, count, &params) ? NULL : node;
}

CUgraphNode add_mix_kernel(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr p,
                           CUdeviceptr q, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(KERNEL_MIX, p, q, n, v);
    CUgraphNode node = NULL;

    return cuda.cuGraphAddKernelNode(&node, graph, deps, count, &params) ? NULL : node;
}

CUgraphNode add_memset(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr dst,
                       unsigned value, unsigned element_size, size_t width)
{
    CUDA_MEMSET_NODE_PARAMS params = memset_params(dst, value, element_size, width, 1, 0);
    CUgraphNode node = NULL;

    return cuda.cuGraphAddMemsetNode(&node, graph, deps, count, &params, context) ? NULL : node;
}

CUgraphNode add_copy(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr dst,
                     CUdeviceptr src, size_t size)
{
    CUDA_MEMCPY3D copy = copy_device_to_device(dst, src, size);
    CUgraphNode node = NULL;

    return cuda.cuGraphAddMemcpyNode(&node, graph, deps, count, &copy, context) ? NULL : node;
}

CUgraphNode add_host(CUgraph graph, const CUgraphNode *deps, size_t count, int index)
{
    CUDA_HOST_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.fn = host_count;
    params.userData = (void *)(uintptr_t)index;
    CUgraphNode node = NULL;

    return cuda.cuGraphAddHostNode(&node, graph, deps, count, &params) ? NULL : node;
}

CUgraphNode add_empty(CUgraph graph, const CUgraphNode *deps, size_t count)
{
    CUgraphNode node = NULL;

    return cuda.cuGraphAddEmptyNode(&node, graph, deps, count) ? NULL : node;
}

CUgraphNode add_child(CUgraph graph, const CUgraphNode *deps, size_t count, CUgraph child)
{
    CUgraphNode node = NULL;

    return cuda.cuGraphAddChildGraphNode(&node, graph, deps, count, child) ? NULL : node;
}

CUgraphNode add_event_record(CUgraph graph, const CUgraphNode *deps, size_t count, CUevent event)
{
    CUgraphNode node = NULL;

    return cuda.cuGraphAddEventRecordNode(&node, graph, deps, count, event) ? NULL : node;
}

CUgraphNode add_event_wait(CUgraph graph, const CUgraphNode *deps, size_t count, CUevent event)
{
    CUgraphNode node = NULL;

    return cuda.cuGraphAddEventWaitNode(&node, graph, deps, count, event) ? NULL : node;
}

static CUDA_MEM_ALLOC_NODE_PARAMS alloc_node_params(size_t size)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.poolProps.location.id = device;
    params.bytesize = size;
    return params;
}

CUgraphNode add_alloc(CUgraph graph, const CUgraphNode *deps, size_t count, size_t size,
                      CUdeviceptr *out)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_node_params(size);
    CUgraphNode node = 0;
    CUresult added = cuda.cuGraphAddMemAllocNode(&node, graph, deps, count, &params);
    if (out)
        *out = added ? 0 : params.dptr;
    return added ? NULL : node;
}

CUgraphNode add_free(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr ptr)
{
    CUgraphNode node = NULL;

    return cuda.cuGraphAddMemFreeNode(&node, graph, deps, count, ptr) ? NULL : node;
}

CUgraphNode add_batch(CUgraph graph, const CUgraphNode *deps, size_t count, CUdeviceptr ptr,
                      unsigned value)
{
    CUstreamBatchMemOpParams operations[1];
    memset(operations, 0, sizeof operations);
    operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = ptr;
    operations[0].writeValue.value = value;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.ctx = context;
    params.count = 1;
    params.paramArray = operations;
    CUgraphNode node = NULL;

    return cuda.cuGraphAddBatchMemOpNode(&node, graph, deps, count, &params) ? NULL : node;
}

CUgraphNode add_conditional(CUgraph graph, const CUgraphNode *deps, size_t count, int type,
                            unsigned size, unsigned initial, CUgraph *bodies)
{
    CUgraphConditionalHandle handle = 0;
    if (cuda.cuGraphConditionalHandleCreate(&handle, graph, context, initial,
                                            CU_GRAPH_COND_ASSIGN_DEFAULT))
        return NULL;
    CUgraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = context;
    CUgraphNode node = 0;
    if (cuda.cuGraphAddNode(&node, graph, deps, NULL, count, &params))
        return NULL;
    if (bodies)
        for (unsigned i = 0; i < size; i++)
            bodies[i] = params.conditional.phGraph_out ? params.conditional.phGraph_out[i] : NULL;
    return node;
}

CUgraphNode add_node_of_type(int type, CUgraph graph, const CUgraphNode *deps, size_t count)
{
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return add_kernel(graph, deps, count, KERNEL_ADD, buffers[0], 64, 3);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return add_copy(graph, deps, count, buffers[1], buffers[0], 256);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return add_memset(graph, deps, count, buffers[2], 7, 4, 64);
    case CU_GRAPH_NODE_TYPE_HOST:
        return add_host(graph, deps, count, 1);
    case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph child = graph_new();
        add_empty(child, NULL, 0);
        CUgraphNode node = add_child(graph, deps, count, child);
        cuda.cuGraphDestroy(child);
        return node;
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return add_empty(graph, deps, count);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return add_event_wait(graph, deps, count, events[0]);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return add_event_record(graph, deps, count, events[1]);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return add_alloc(graph, deps, count, 4096, NULL);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: {
        CUdeviceptr ptr = 0;
        CUgraphNode alloc = add_alloc(graph, deps, count, 4096, &ptr);
        return alloc ? add_free(graph, &alloc, 1, ptr) : NULL;
    }
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return add_batch(graph, deps, count, buffers[3], 5);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return add_conditional(graph, deps, count, CU_GRAPH_COND_TYPE_IF, 1, 0, NULL);
    default:
        return NULL;
    }
}

CUgraphNode diamond_nodes[8];

CUgraph diamond_graph_new(void)
{
    CUgraph graph = graph_new();
    memset(diamond_nodes, 0, sizeof diamond_nodes);
    if (!graph)
        return graph;
    diamond_nodes[0] = add_memset(graph, NULL, 0, buffers[0], 1, 4, 64);
    diamond_nodes[1] = add_kernel(graph, &diamond_nodes[0], 1, KERNEL_ADD, buffers[0], 64, 2);
    diamond_nodes[2] = add_copy(graph, &diamond_nodes[0], 1, buffers[1], buffers[0], 256);
    CUgraphNode d[2] = {diamond_nodes[1], diamond_nodes[2]};
    diamond_nodes[3] = add_host(graph, d, 2, 2);
    diamond_nodes[4] = add_empty(graph, NULL, 0);
    return graph;
}
