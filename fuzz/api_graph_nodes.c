/* SPDX-License-Identifier: MIT */
/* Parameters of nodes of graphs, of every kind. */
#include "api_graph_nodes.h"

#include "api_calls.h"

#include <string.h>

enum { TARGET_BYTES = 4096 };

void CUDA_CB node_host_function(void *counter)
{
    (void)counter;
}

static void draw_kernel_parameters(struct draw *draw, CUDA_KERNEL_NODE_PARAMS_v3 *kernel,
                                   struct node_storage *storage)
{
    CUdeviceptr target = 0;

    if (draw_below(draw, 32) && cuMemAlloc_v2(&target, TARGET_BYTES) == CUDA_SUCCESS)
        keep(draw, KIND_ADDRESS, target);
    storage->words[0] = target;
    for (unsigned i = 1; i < NODE_ARGUMENTS; i++)
        storage->words[i] = i == 1 ? draw_number(draw) : 16;
    for (unsigned i = 0; i < NODE_ARGUMENTS; i++)
        storage->arguments[i] = &storage->words[i];
    kernel->func = api_draw_kernel(draw);
    kernel->gridDimX = draw_below(draw, 8) ? 1 + draw_below(draw, 3) : (unsigned)draw_size(draw);
    kernel->gridDimY = kernel->gridDimZ = 1;
    kernel->blockDimX = draw_below(draw, 8) ? 32 : (unsigned)draw_number(draw);
    kernel->blockDimY = kernel->blockDimZ = 1;
    kernel->sharedMemBytes = draw_below(draw, 8) ? 0 : (unsigned)draw_size(draw);
    kernel->kernelParams = draw_below(draw, 32) ? storage->arguments : NULL;
    kernel->ctx = draw_below(draw, 4) ? NULL : draw_handle(draw, KIND_CUcontext);
}

static void draw_copy(struct draw *draw, CUDA_MEMCPY3D *copy)
{
    bool to_device = draw_below(draw, 2);

    copy->srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy->dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy->srcHost = draw_host(draw);
    copy->srcDevice = draw_address(draw);
    copy->dstDevice = draw_address(draw);
    copy->srcArray = copy->dstArray = draw_handle(draw, KIND_CUarray);
    if (draw_below(draw, 8) == 0)
        copy->dstMemoryType = (CUmemorytype)draw_number(draw);
    copy->srcPitch = copy->dstPitch = draw_below(draw, 8) ? 256 : draw_size(draw);
    copy->srcHeight = copy->dstHeight = draw_below(draw, 8) ? 4 : draw_number(draw);
    copy->WidthInBytes = draw_below(draw, 8) ? draw_below(draw, 256) : draw_size(draw);
    copy->Height = 1 + draw_below(draw, 3);
    copy->Depth = 1 + draw_below(draw, 2);
}

static void draw_fill(struct draw *draw, CUDA_MEMSET_NODE_PARAMS_v2 *fill)
{
    fill->dst = draw_address(draw);
    fill->value = (unsigned)draw_bits(draw);
    fill->elementSize =
        draw_below(draw, 8) ? 1u << draw_below(draw, 3) : (unsigned)draw_number(draw);
    fill->width = draw_below(draw, 8) ? 1 + draw_below(draw, 64) : draw_size(draw);
    fill->height = draw_below(draw, 4) ? 1 : draw_size(draw);
    fill->pitch = draw_below(draw, 2) ? 256 : draw_size(draw);
    fill->ctx = draw_below(draw, 4) ? NULL : draw_handle(draw, KIND_CUcontext);
}

static void draw_semaphores(struct draw *draw, struct node_storage *storage)
{
    for (unsigned i = 0; i < NODE_ARRAY; i++) {
        storage->semaphores[i] = draw_handle(draw, KIND_CUexternalSemaphore);
        storage->signals[i].params.fence.value = draw_number(draw);
        storage->waits[i].params.fence.value = draw_number(draw);
    }
}

static void draw_allocation(struct draw *draw, CUDA_MEM_ALLOC_NODE_PARAMS_v2 *alloc,
                            struct node_storage *storage)
{
    alloc->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    alloc->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    alloc->poolProps.location.id = (int)draw_below(draw, 3);
    alloc->bytesize = draw_below(draw, 8) ? 1 + draw_below(draw, 1 << 16) : draw_size(draw);
    storage->access.location = alloc->poolProps.location;
    storage->access.flags = (CUmemAccess_flags)draw_number(draw);
    alloc->accessDescs = &storage->access;
    alloc->accessDescCount = draw_below(draw, 2);
}

static void draw_ops(struct draw *draw, CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *ops,
                     struct node_storage *storage)
{
    for (unsigned i = 0; i < NODE_ARRAY; i++)
        api_draw_memory_op(draw, &storage->ops[i]);
    ops->ctx = draw_handle(draw, KIND_CUcontext);
    ops->count = draw_below(draw, NODE_ARRAY + 1);
    ops->paramArray = storage->ops;
    ops->flags = draw_below(draw, 8) ? 0 : (unsigned)draw_number(draw);
}

static void draw_condition(struct draw *draw, CUDA_CONDITIONAL_NODE_PARAMS *conditional)
{
    CUgraphConditionalHandle handle = draw_bits(draw);
    unsigned type = draw_below(draw, 4);

    /* A kernel of another thread does not know the handle, so what it begins with stays. */
    cuGraphConditionalHandleCreate(
        &handle, draw_handle(draw, KIND_CUgraph), draw_handle(draw, KIND_CUcontext),
        type == CU_GRAPH_COND_TYPE_WHILE ? 0 : draw_below(draw, 4), CU_GRAPH_COND_ASSIGN_DEFAULT);
    conditional->handle = handle;
    conditional->type = (CUgraphConditionalNodeType)type;
    conditional->size = draw_below(draw, 8) ? 1 + draw_below(draw, 3) : (unsigned)draw_number(draw);
    conditional->ctx = draw_below(draw, 2) ? NULL : draw_handle(draw, KIND_CUcontext);
}

void draw_node_parameters(struct draw *draw, CUgraphNodeParams *node, unsigned type,
                          struct node_storage *storage)
{
    memset(node, 0, sizeof(*node));
    memset(storage, 0, sizeof(*storage));
    node->type = (CUgraphNodeType)type;
    draw_semaphores(draw, storage);
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        draw_kernel_parameters(draw, &node->kernel, storage);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        draw_copy(draw, &node->memcpy.copyParams);
        node->memcpy.copyCtx = draw_handle(draw, KIND_CUcontext);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        draw_fill(draw, &node->memset);
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        node->host.fn = draw_below(draw, 16) ? node_host_function : NULL;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        node->graph.graph = draw_handle(draw, KIND_CUgraph);
        node->graph.ownership = (CUgraphChildGraphNodeOwnership)draw_below(draw, 3);
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        node->eventWait.event = draw_handle(draw, KIND_CUevent);
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        node->eventRecord.event = draw_handle(draw, KIND_CUevent);
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        node->extSemSignal.extSemArray = storage->semaphores;
        node->extSemSignal.paramsArray = storage->signals;
        node->extSemSignal.numExtSems = draw_below(draw, NODE_ARRAY + 1);
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        node->extSemWait.extSemArray = storage->semaphores;
        node->extSemWait.paramsArray = storage->waits;
        node->extSemWait.numExtSems = draw_below(draw, NODE_ARRAY + 1);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        draw_allocation(draw, &node->alloc, storage);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        node->free.dptr = draw_address(draw);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        draw_ops(draw, &node->memOp, storage);
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        draw_condition(draw, &node->conditional);
        break;
    default:
        break;
    }
}
