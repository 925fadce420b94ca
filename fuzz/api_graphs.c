/* SPDX-License-Identifier: MIT */
/* Calls that make, change and run graphs, and that capture streams into them. Structures are what
 * the program vouches for: their arrays are there and as long as they say. Handles in them may be
 * anything. A loop of a graph begins with 0, so that it ends. */
#include "api_calls.h"
#include "api_graph_nodes.h"

#include <string.h>

enum { NODES = 12 };

static CUgraph draw_graph(struct draw *draw)
{
    return draw_handle(draw, KIND_CUgraph);
}

static CUgraphNode draw_node(struct draw *draw)
{
    return draw_handle(draw, KIND_CUgraphNode);
}

static CUgraphExec draw_exec(struct draw *draw)
{
    return draw_handle(draw, KIND_CUgraphExec);
}

/* Nodes that another depends on; as a rule few, of the same graph if the draw is lucky. */
static unsigned draw_nodes(struct draw *draw, CUgraphNode nodes[NODES])
{
    unsigned count = draw_below(draw, 2) ? 0 : draw_below(draw, draw_below(draw, 4) ? 3 : NODES);

    for (unsigned i = 0; i < NODES; i++)
        nodes[i] = draw_node(draw);
    return count;
}

static CUresult make_graph(struct draw *draw)
{
    CUgraph graph;
    CUresult result = cuGraphCreate(&graph, draw_below(draw, 16) == 0);

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUgraph, (uintptr_t)graph);
    return result;
}

static unsigned draw_type(struct draw *draw)
{
    return draw_below(draw, 32) ? draw_below(draw, CU_GRAPH_NODE_TYPE_CONDITIONAL + 1)
                                : (unsigned)draw_number(draw);
}

/* ---- Adding nodes ---- */

typedef CUresult add_function(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                              CUgraphNodeParams *one);

static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                           CUgraphNodeParams *one)
{
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    CUDA_KERNEL_NODE_PARAMS second;

    memcpy(&first, &one->kernel, sizeof(first));
    memcpy(&second, &one->kernel, sizeof(second));
    return one->kernel.ctx ? cuGraphAddKernelNode_v2(node, graph, on, count, &second)
                           : cuGraphAddKernelNode(node, graph, on, count, &first);
}

static CUresult add_memcpy(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                           CUgraphNodeParams *one)
{
    return cuGraphAddMemcpyNode(node, graph, on, count, &one->memcpy.copyParams,
                                one->memcpy.copyCtx);
}

static CUresult add_memset(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                           CUgraphNodeParams *one)
{
    CUDA_MEMSET_NODE_PARAMS first;

    memcpy(&first, &one->memset, sizeof(first));
    return cuGraphAddMemsetNode(node, graph, on, count, &first, one->memset.ctx);
}

static CUresult add_host(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                         CUgraphNodeParams *one)
{
    CUDA_HOST_NODE_PARAMS first = {one->host.fn, one->host.userData};

    return cuGraphAddHostNode(node, graph, on, count, &first);
}

static CUresult add_child(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                          CUgraphNodeParams *one)
{
    return cuGraphAddChildGraphNode(node, graph, on, count, one->graph.graph);
}

static CUresult add_empty(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                          CUgraphNodeParams *one)
{
    (void)one;
    return cuGraphAddEmptyNode(node, graph, on, count);
}

static CUresult add_wait(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                         CUgraphNodeParams *one)
{
    return cuGraphAddEventWaitNode(node, graph, on, count, one->eventWait.event);
}

static CUresult add_record(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                           CUgraphNodeParams *one)
{
    return cuGraphAddEventRecordNode(node, graph, on, count, one->eventRecord.event);
}

static CUresult add_signals(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                            CUgraphNodeParams *one)
{
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS first;

    memcpy(&first, &one->extSemSignal, sizeof(first));
    return cuGraphAddExternalSemaphoresSignalNode(node, graph, on, count, &first);
}

static CUresult add_waits(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                          CUgraphNodeParams *one)
{
    CUDA_EXT_SEM_WAIT_NODE_PARAMS first;

    memcpy(&first, &one->extSemWait, sizeof(first));
    return cuGraphAddExternalSemaphoresWaitNode(node, graph, on, count, &first);
}

static CUresult add_allocation(CUgraphNode *node, CUgraph graph, const CUgraphNode *on,
                               size_t count, CUgraphNodeParams *one)
{
    CUDA_MEM_ALLOC_NODE_PARAMS first;

    memcpy(&first, &one->alloc, sizeof(first));
    CUresult result = cuGraphAddMemAllocNode(node, graph, on, count, &first);
    one->alloc.dptr = first.dptr;
    return result;
}

static CUresult add_free(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                         CUgraphNodeParams *one)
{
    return cuGraphAddMemFreeNode(node, graph, on, count, one->free.dptr);
}

static CUresult add_ops(CUgraphNode *node, CUgraph graph, const CUgraphNode *on, size_t count,
                        CUgraphNodeParams *one)
{
    CUDA_BATCH_MEM_OP_NODE_PARAMS first;

    memcpy(&first, &one->memOp, sizeof(first));
    return cuGraphAddBatchMemOpNode(node, graph, on, count, &first);
}

static add_function *const add_functions[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = add_kernel,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = add_memcpy,
    [CU_GRAPH_NODE_TYPE_MEMSET] = add_memset,
    [CU_GRAPH_NODE_TYPE_HOST] = add_host,
    [CU_GRAPH_NODE_TYPE_GRAPH] = add_child,
    [CU_GRAPH_NODE_TYPE_EMPTY] = add_empty,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = add_wait,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = add_record,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = add_signals,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = add_waits,
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = add_allocation,
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = add_free,
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = add_ops,
};

static CUresult add_node(struct draw *draw)
{
    CUgraphNodeParams one;
    struct node_storage storage;
    CUgraphNode node, on[NODES];
    CUgraphEdgeData edges[NODES] = {{0}};
    unsigned type = draw_type(draw), count = draw_nodes(draw, on), way = draw_below(draw, 6);
    CUgraph graph = draw_graph(draw);
    CUresult result;

    draw_node_parameters(draw, &one, type, &storage);
    edges[draw_below(draw, NODES)].type = draw_below(draw, 8) == 0;
    if (way < 3 && type < sizeof(add_functions) / sizeof(add_functions[0]))
        result = add_functions[type](&node, graph, on, count, &one);
    else if (way == 3)
        result = cuGraphAddNode(&node, graph, on, count, &one);
    else if (way == 4)
        result = cuGraphAddNode_v2(&node, graph, on, edges, count, &one);
    else
        result = cuGraphAddNode_v3(&node, graph, on, edges, count, &one);
    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_CUgraphNode, (uintptr_t)node);
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        keep(draw, KIND_ADDRESS, one.alloc.dptr);
    if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL && one.conditional.phGraph_out)
        keep(draw, KIND_CUgraph, (uintptr_t)one.conditional.phGraph_out[0]);
    return result;
}

/* ---- Looking at nodes and changing them ---- */

static CUresult get_parameters(struct draw *draw)
{
    CUgraphNode node = draw_node(draw);
    void *out = draw_buffer(draw);

    switch (draw_below(draw, 12)) {
    case 0:
        return cuGraphKernelNodeGetParams(node, out);
    case 1:
        return cuGraphKernelNodeGetParams_v2(node, out);
    case 2:
        return cuGraphMemcpyNodeGetParams(node, out);
    case 3:
        return cuGraphMemsetNodeGetParams(node, out);
    case 4:
        return cuGraphHostNodeGetParams(node, out);
    case 5:
        return cuGraphMemAllocNodeGetParams(node, out);
    case 6:
        return cuGraphMemFreeNodeGetParams(node, out);
    case 7:
        return cuGraphExternalSemaphoresSignalNodeGetParams(node, out);
    case 8:
        return cuGraphExternalSemaphoresWaitNodeGetParams(node, out);
    case 9:
        return cuGraphBatchMemOpNodeGetParams(node, out);
    default:
        return cuGraphNodeGetParams(node, out);
    }
}

static CUresult set_by_kind(struct draw *draw, CUgraphNode node, CUgraphNodeParams *one)
{
    CUgraphExec exec = draw_exec(draw);
    bool of_exec = draw_below(draw, 2);

    switch ((unsigned)one->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        if (draw_below(draw, 2))
            return of_exec ? cuGraphExecKernelNodeSetParams_v2(exec, node, (void *)&one->kernel)
                           : cuGraphKernelNodeSetParams_v2(node, (void *)&one->kernel);
        return of_exec ? cuGraphExecKernelNodeSetParams(exec, node, (void *)&one->kernel)
                       : cuGraphKernelNodeSetParams(node, (void *)&one->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return of_exec ? cuGraphExecMemcpyNodeSetParams(exec, node, &one->memcpy.copyParams,
                                                        one->memcpy.copyCtx)
                       : cuGraphMemcpyNodeSetParams(node, &one->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return of_exec ? cuGraphExecMemsetNodeSetParams(exec, node, (void *)&one->memset,
                                                        one->memset.ctx)
                       : cuGraphMemsetNodeSetParams(node, (void *)&one->memset);
    case CU_GRAPH_NODE_TYPE_HOST:
        return of_exec ? cuGraphExecHostNodeSetParams(exec, node, (void *)&one->host)
                       : cuGraphHostNodeSetParams(node, (void *)&one->host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphExecChildGraphNodeSetParams(exec, node, one->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return of_exec ? cuGraphExecEventWaitNodeSetEvent(exec, node, one->eventWait.event)
                       : cuGraphEventWaitNodeSetEvent(node, one->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return of_exec ? cuGraphExecEventRecordNodeSetEvent(exec, node, one->eventRecord.event)
                       : cuGraphEventRecordNodeSetEvent(node, one->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return of_exec
                   ? cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node,
                                                                      (void *)&one->extSemSignal)
                   : cuGraphExternalSemaphoresSignalNodeSetParams(node, (void *)&one->extSemSignal);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return of_exec ? cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node,
                                                                        (void *)&one->extSemWait)
                       : cuGraphExternalSemaphoresWaitNodeSetParams(node, (void *)&one->extSemWait);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return of_exec ? cuGraphExecBatchMemOpNodeSetParams(exec, node, (void *)&one->memOp)
                       : cuGraphBatchMemOpNodeSetParams(node, (void *)&one->memOp);
    default:
        return cuGraphNodeSetEnabled(exec, node, draw_below(draw, 2));
    }
}

static CUresult set_parameters(struct draw *draw)
{
    CUgraphNodeParams one;
    struct node_storage storage;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraphNode node = draw_node(draw);
    unsigned drawn;

    cuGraphNodeGetType(node, &type);
    drawn = draw_below(draw, 8) ? (unsigned)type : draw_type(draw);
    draw_node_parameters(draw, &one, drawn, &storage);
    switch (draw_below(draw, 5)) {
    case 0:
        return cuGraphNodeSetParams(node, &one);
    case 1:
        return cuGraphNodeSetParams_v2(node, &one);
    case 2:
        return cuGraphExecNodeSetParams(draw_exec(draw), node, &one);
    default:
        return set_by_kind(draw, node, &one);
    }
}

/* ---- Edges ---- */

static CUresult change_edges(struct draw *draw)
{
    CUgraphNode from[NODES], to[NODES];
    CUgraphEdgeData edges[NODES] = {{0}};
    unsigned count = draw_nodes(draw, from);
    CUgraph graph = draw_graph(draw);

    draw_nodes(draw, to);
    edges[draw_below(draw, NODES)].type = draw_below(draw, 8) == 0;
    switch (draw_below(draw, 4)) {
    case 0:
        return cuGraphAddDependencies(graph, from, to, count);
    case 1:
        return cuGraphAddDependencies_v2(graph, from, to, edges, count);
    case 2:
        return cuGraphRemoveDependencies(graph, from, to, count);
    default:
        return cuGraphRemoveDependencies_v2(graph, from, to, edges, count);
    }
}

static CUresult list(struct draw *draw)
{
    CUgraphNode from[NODES], to[NODES];
    CUgraphEdgeData edges[NODES];
    size_t count = draw_below(draw, NODES + 1);
    CUgraphNode *nodes = draw_below(draw, 4) ? from : NULL;
    CUgraphNode node = draw_node(draw);
    CUgraph graph = draw_graph(draw);

    switch (draw_below(draw, 8)) {
    case 0:
        return cuGraphGetNodes(graph, nodes, &count);
    case 1:
        return cuGraphGetRootNodes(graph, nodes, &count);
    case 2:
        return cuGraphGetEdges(graph, nodes, nodes ? to : NULL, &count);
    case 3:
        return cuGraphGetEdges_v2(graph, nodes, nodes ? to : NULL, nodes ? edges : NULL, &count);
    case 4:
        return cuGraphNodeGetDependencies(node, nodes, &count);
    case 5:
        return cuGraphNodeGetDependencies_v2(node, nodes, nodes ? edges : NULL, &count);
    case 6:
        return cuGraphNodeGetDependentNodes(node, nodes, &count);
    default:
        return cuGraphNodeGetDependentNodes_v2(node, nodes, nodes ? edges : NULL, &count);
    }
}

/* ---- Running ---- */

static CUresult instantiate(struct draw *draw)
{
    enum { LOG_BYTES = 128 };
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {.flags = draw_below(draw, 16),
                                                .hUploadStream = draw_handle(draw, KIND_CUstream)};
    CUgraphExec exec = NULL;
    CUgraphNode wrong;
    CUgraph graph = draw_graph(draw);
    char log[LOG_BYTES];
    CUresult result;

    if (draw_below(draw, 4))
        parameters.flags = 0;
    switch (draw_below(draw, 5)) {
    case 0:
        result = cuGraphInstantiate(&exec, graph, &wrong, log, draw_below(draw, LOG_BYTES + 1));
        break;
    case 1:
        result = cuGraphInstantiate_v2(&exec, graph, &wrong, log, draw_below(draw, LOG_BYTES + 1));
        break;
    case 2:
        result = cuGraphInstantiateWithParams(&exec, graph, &parameters);
        break;
    case 3:
        result = cuGraphInstantiateWithParams_ptsz(&exec, graph, &parameters);
        break;
    default:
        result = cuGraphInstantiateWithFlags(&exec, graph, parameters.flags);
    }
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUgraphExec, (uintptr_t)exec);
    return result;
}

static CUresult run(struct draw *draw)
{
    CUgraphExec exec = draw_exec(draw);
    CUstream stream = draw_handle(draw, KIND_CUstream);

    switch (draw_below(draw, 6)) {
    case 0:
        return cuGraphUpload(exec, stream);
    case 1:
        return cuGraphUpload_ptsz(exec, stream);
    case 2:
        return cuGraphLaunch_ptsz(exec, stream);
    default:
        return cuGraphLaunch(exec, stream);
    }
}

static CUresult update(struct draw *draw)
{
    CUgraphExecUpdateResult what;
    CUgraphExecUpdateResultInfo info;
    CUgraphNode wrong;

    return draw_below(draw, 2) ? cuGraphExecUpdate(draw_exec(draw), draw_graph(draw), &wrong, &what)
                               : cuGraphExecUpdate_v2(draw_exec(draw), draw_graph(draw), &info);
}

static CUresult print(struct draw *draw)
{
    return cuGraphDebugDotPrint(draw_graph(draw),
                                draw_below(draw, 8) ? "/dev/null" : "/no/such/file",
                                draw_below(draw, 2) ? 0 : (unsigned)draw_bits(draw));
}

/* ---- Capture ---- */

static CUresult begin_capture(struct draw *draw)
{
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUstreamCaptureMode mode = (CUstreamCaptureMode)draw_below(draw, 4);
    CUgraphEdgeData edges[NODES] = {{0}};
    CUgraphNode on[NODES];
    unsigned count = draw_nodes(draw, on);

    switch (draw_below(draw, 4)) {
    case 0:
        return cuStreamBeginCaptureToGraph(stream, draw_graph(draw), on, edges, count, mode);
    case 1:
        return cuStreamBeginCaptureToGraph_ptsz(stream, draw_graph(draw), on, edges, count, mode);
    case 2:
        return cuStreamBeginCapture_v2_ptsz(stream, mode);
    default:
        return cuStreamBeginCapture_v2(stream, mode);
    }
}

static CUresult end_capture(struct draw *draw)
{
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUgraph graph = NULL;
    CUresult result = draw_below(draw, 2) ? cuStreamEndCapture(stream, &graph)
                                          : cuStreamEndCapture_ptsz(stream, &graph);

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUgraph, (uintptr_t)graph);
    return result;
}

static CUresult depend_in_capture(struct draw *draw)
{
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUgraphEdgeData edges[NODES] = {{0}};
    CUgraphNode on[NODES];
    unsigned count = draw_nodes(draw, on), flags = draw_below(draw, 3);

    switch (draw_below(draw, 4)) {
    case 0:
        return cuStreamUpdateCaptureDependencies(stream, on, count, flags);
    case 1:
        return cuStreamUpdateCaptureDependencies_ptsz(stream, on, count, flags);
    case 2:
        return cuStreamUpdateCaptureDependencies_v2(stream, on, edges, count, flags);
    default:
        return cuStreamUpdateCaptureDependencies_v2_ptsz(stream, on, edges, count, flags);
    }
}

static CUresult recapture(struct draw *draw)
{
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUstreamCaptureMode mode = (CUstreamCaptureMode)draw_below(draw, 4);

    return draw_below(draw, 2)
               ? cuStreamBeginRecaptureToGraph(stream, mode, draw_graph(draw), NULL, NULL)
               : cuStreamBeginRecaptureToGraph_ptsz(stream, mode, draw_graph(draw), NULL, NULL);
}

static CUresult make_user_object(struct draw *draw)
{
    static int counter;
    CUuserObject object;
    CUresult result =
        cuUserObjectCreate(&object, &counter, draw_below(draw, 8) ? node_host_function : NULL,
                           1 + draw_below(draw, 3), draw_below(draw, 8) != 0);

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUuserObject, (uintptr_t)object);
    return result;
}

const struct call graph_calls[] = {
    {"graph", make_graph},
    {"node", add_node},
    {"node", add_node},
    {"node", add_node},
    {"node", add_node},
    {"get parameters", get_parameters},
    {"set parameters", set_parameters},
    {"set parameters", set_parameters},
    {"edges", change_edges},
    {"list", list},
    {"instantiate", instantiate},
    {"instantiate", instantiate},
    {"run", run},
    {"run", run},
    {"update", update},
    {"print", print},
    {"begin capture", begin_capture},
    {"end capture", end_capture},
    {"end capture", end_capture},
    {"depend in capture", depend_in_capture},
    {"recapture", recapture},
    {"user object", make_user_object},
};
const unsigned graph_call_count = sizeof(graph_calls) / sizeof(graph_calls[0]);
