/* SPDX-License-Identifier: MIT */
/* Graphs of copies, fills, host functions, child graphs and allocations over a few buffers. A node
 * depends on the last one that touched its buffers, so a launch leaves what the operations leave
 * one after the other. A graph is built by nodes or captured, launched several times, changed
 * between launches, and compared with the operations done in plain C. */
#include "soak.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 4, OPERATIONS = 12, LAUNCHES = 4 };

enum kind { KIND_FILL, KIND_COPY, KIND_ADD, KIND_CHILD_FILL, KIND_THROUGH, KINDS };

struct operation {
    enum kind kind;
    unsigned to, from; /* buffers */
    size_t at, count;
    unsigned char value;
    CUgraphNode node; /* the one whose parameters can be changed; NULL after a capture */
    unsigned char *bytes;
};

struct graphs {
    unsigned char *memory[BUFFERS]; /* pinned: host functions reach it, too */
    unsigned char *model[BUFFERS];
    CUgraphNode last[BUFFERS]; /* the node that touched the buffer last; NULL: none */
    size_t bytes;
    struct operation operations[OPERATIONS];
    unsigned count;
    CUcontext
        context; /* of this round: other threads may not wait for one in which a stream captures */
    CUgraph graph;
    CUgraphExec exec;
    CUstream stream;
};

static void CUDA_CB add(void *argument)
{
    const struct operation *operation = argument;

    for (size_t i = 0; i < operation->count; i++)
        operation->bytes[i] = (unsigned char)(operation->bytes[i] + operation->value);
}

static void draw_operation(struct graphs *graphs, struct operation *operation)
{
    operation->kind = (enum kind)draw(KINDS);
    operation->to = (unsigned)draw(BUFFERS);
    operation->from = (operation->to + 1 + (unsigned)draw(BUFFERS - 1)) % BUFFERS;
    operation->count = draw_size(graphs->bytes);
    operation->at = draw(graphs->bytes - operation->count + 1);
    operation->value = (unsigned char)draw(256);
    operation->node = NULL;
    operation->bytes = graphs->memory[operation->to] + operation->at;
}

static void do_in_model(struct graphs *graphs, const struct operation *operation)
{
    unsigned char *to = graphs->model[operation->to] + operation->at;

    switch (operation->kind) {
    case KIND_COPY:
        memcpy(to, graphs->model[operation->from] + operation->at, operation->count);
        break;
    case KIND_ADD:
        for (size_t i = 0; i < operation->count; i++)
            to[i] = (unsigned char)(to[i] + operation->value);
        break;
    default:
        memset(to, operation->value, operation->count);
    }
}

static CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr at, const struct operation *operation)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = at,
                                     .value = operation->value,
                                     .elementSize = 1,
                                     .width = operation->count,
                                     .height = 1};
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, size_t count)
{
    return (CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = to,
                           .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .WidthInBytes = count,
                           .Height = 1,
                           .Depth = 1};
}

/* Fills memory that the graph allocates, and copies from there. Returns the last node. */
static CUgraphNode add_through(struct graphs *graphs, const struct operation *operation,
                               const CUgraphNode *on, size_t on_count)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, .id = soak->device}},
        .bytesize = operation->count};
    CUgraphNode allocated, filled, copied, freed;

    must(cuGraphAddMemAllocNode(&allocated, graphs->graph, on, on_count, &alloc));
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(alloc.dptr, operation);
    must(cuGraphAddMemsetNode(&filled, graphs->graph, &allocated, 1, &fill, graphs->context));
    CUDA_MEMCPY3D copy = copy_of(address_of(operation->bytes), alloc.dptr, operation->count);
    must(cuGraphAddMemcpyNode(&copied, graphs->graph, &filled, 1, &copy, graphs->context));
    must(cuGraphAddMemFreeNode(&freed, graphs->graph, &copied, 1, alloc.dptr));
    return freed;
}

static CUgraphNode add_child(struct graphs *graphs, const struct operation *operation,
                             const CUgraphNode *on, size_t on_count)
{
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(address_of(operation->bytes), operation);
    CUgraphNode inner, node;
    CUgraph child;

    must(cuGraphCreate(&child, 0));
    must(cuGraphAddMemsetNode(&inner, child, NULL, 0, &fill, graphs->context));
    must(cuGraphAddChildGraphNode(&node, graphs->graph, on, on_count, child));
    must(cuGraphDestroy(child));
    return node;
}

static void add_node(struct graphs *graphs, struct operation *operation)
{
    CUdeviceptr to = address_of(operation->bytes);
    CUgraphNode on[2];
    size_t count = 0;

    if (graphs->last[operation->to])
        on[count++] = graphs->last[operation->to];
    if (operation->kind == KIND_COPY && graphs->last[operation->from] &&
        (count == 0 || graphs->last[operation->from] != on[0]))
        on[count++] = graphs->last[operation->from];
    if (operation->kind == KIND_FILL) {
        CUDA_MEMSET_NODE_PARAMS fill = fill_of(to, operation);
        must(cuGraphAddMemsetNode(&operation->node, graphs->graph, on, count, &fill,
                                  graphs->context));
    } else if (operation->kind == KIND_COPY) {
        CUDA_MEMCPY3D copy = copy_of(
            to, address_of(graphs->memory[operation->from] + operation->at), operation->count);
        must(cuGraphAddMemcpyNode(&operation->node, graphs->graph, on, count, &copy,
                                  graphs->context));
        graphs->last[operation->from] = operation->node;
    } else if (operation->kind == KIND_ADD) {
        CUDA_HOST_NODE_PARAMS call = {add, operation};
        must(cuGraphAddHostNode(&operation->node, graphs->graph, on, count, &call));
    } else if (operation->kind == KIND_CHILD_FILL) {
        operation->node = add_child(graphs, operation, on, count);
    } else {
        operation->node = add_through(graphs, operation, on, count);
    }
    graphs->last[operation->to] = operation->node;
}

static void capture(struct graphs *graphs)
{
    must(cuStreamBeginCapture(graphs->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    for (unsigned i = 0; i < graphs->count; i++) {
        struct operation *operation = &graphs->operations[i];
        CUdeviceptr to = address_of(operation->bytes), temporary;

        switch (operation->kind) {
        case KIND_COPY:
            must(cuMemcpyAsync(to, address_of(graphs->memory[operation->from] + operation->at),
                               operation->count, graphs->stream));
            break;
        case KIND_ADD:
            must(cuLaunchHostFunc(graphs->stream, add, operation));
            break;
        case KIND_THROUGH:
            must(cuMemAllocAsync(&temporary, operation->count, graphs->stream));
            must(cuMemsetD8Async(temporary, operation->value, operation->count, graphs->stream));
            must(cuMemcpyAsync(to, temporary, operation->count, graphs->stream));
            must(cuMemFreeAsync(temporary, graphs->stream));
            break;
        default:
            must(cuMemsetD8Async(to, operation->value, operation->count, graphs->stream));
        }
    }
    must(cuStreamEndCapture(graphs->stream, &graphs->graph));
}

static void build(struct graphs *graphs)
{
    for (unsigned i = 0; i < graphs->count; i++)
        draw_operation(graphs, &graphs->operations[i]);
    if (one_in(3)) {
        capture(graphs);
        return;
    }
    must(cuGraphCreate(&graphs->graph, 0));
    for (unsigned i = 0; i < graphs->count; i++)
        add_node(graphs, &graphs->operations[i]);
}

/* Another value for a fill: in the executable graph, or in the graph, which then updates it. */
static void change(struct graphs *graphs)
{
    struct operation *operation = &graphs->operations[draw(graphs->count)];
    CUgraphExecUpdateResultInfo info;

    if (operation->kind != KIND_FILL || !operation->node)
        return;
    operation->value++;
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(address_of(operation->bytes), operation);
    must(cuGraphMemsetNodeSetParams(operation->node, &fill));
    if (one_in(2))
        must(cuGraphExecMemsetNodeSetParams(graphs->exec, operation->node, &fill, graphs->context));
    else
        must(cuGraphExecUpdate(graphs->exec, graphs->graph, &info));
}

static void launch(struct graphs *graphs)
{
    unsigned launches = 1 + (unsigned)draw(LAUNCHES);

    for (unsigned i = 0; i < launches; i++) {
        must(cuGraphLaunch(graphs->exec, graphs->stream));
        for (unsigned k = 0; k < graphs->count; k++)
            do_in_model(graphs, &graphs->operations[k]);
        if (one_in(2)) {
            must(cuStreamSynchronize(graphs->stream)); /* host functions read their operation */
            change(graphs);
        }
    }
    must(cuStreamSynchronize(graphs->stream));
}

void soak_graphs(void)
{
    struct graphs graphs = {.bytes = draw_size(one_in(20) ? 4 << 20 : 60000),
                            .count = 1 + (unsigned)draw(OPERATIONS)};

    must(cuCtxCreate(&graphs.context, NULL, 0, soak->device));
    must(cuStreamCreate(&graphs.stream, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < BUFFERS; i++) {
        must(cuMemHostAlloc((void **)&graphs.memory[i], graphs.bytes, 0));
        graphs.model[i] = room(graphs.bytes);
        fill(graphs.model[i], graphs.bytes, draw(1 << 30));
        memcpy(graphs.memory[i], graphs.model[i], graphs.bytes);
    }
    build(&graphs);
    must(cuGraphInstantiate(&graphs.exec, graphs.graph, 0));
    launch(&graphs);
    for (unsigned i = 0; i < BUFFERS; i++) {
        same(graphs.memory[i], graphs.model[i], graphs.bytes, "a buffer that a graph used");
        must(cuMemFreeHost(graphs.memory[i]));
        free(graphs.model[i]);
    }
    must(cuGraphExecDestroy(graphs.exec));
    must(cuGraphDestroy(graphs.graph));
    must(cuStreamDestroy(graphs.stream));
    must(cuCtxDestroy(graphs.context));
    must(cuCtxSetCurrent(soak->context));
    must(cuDeviceGraphMemTrim(soak->device));
}
