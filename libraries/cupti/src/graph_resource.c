/* SPDX-License-Identifier: MIT */
/* Callbacks of graphs, their nodes and dependencies. A node is told with three: that its creation
 * starts, its dependencies, that it is created. All of them come when the call has ended, because
 * the node has no handle before. What is destroyed is told when the call begins. NVIDIA's library
 * also tells of the copies that instantiating a graph makes for itself; there are none here. */
#include "tool.h"

#include <stdlib.h>

static bool wants_graphs(void)
{
    for (uint32_t id = CUPTI_CBID_RESOURCE_GRAPH_CREATED;
         id <= CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS; id++)
        if (tool_wants_callback(CUPTI_CB_DOMAIN_RESOURCE, id))
            return true;
    return false;
}

static void tell_in(CUcontext context, CUpti_CallbackIdResource id, CUpti_GraphData data)
{
    CUpti_ResourceData resource = {.context = context, .resourceDescriptor = &data};

    if (tool_wants_callback(CUPTI_CB_DOMAIN_RESOURCE, id))
        tool_call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

static void tell(CUpti_CallbackIdResource id, CUpti_GraphData data)
{
    tell_in(NULL, id, data);
}

/* The nodes of a graph, or those that a node depends on; the caller frees them. NULL: there are
 * none. */
static CUgraphNode *nodes_of(CUgraph graph, size_t *count)
{
    CUgraphNode *nodes = NULL;

    *count = 0;
    if (lib_driver()->graph_get_nodes(graph, NULL, count) == CUDA_SUCCESS && *count > 0)
        nodes = calloc(*count, sizeof(*nodes));
    if (nodes && lib_driver()->graph_get_nodes(graph, nodes, count) == CUDA_SUCCESS)
        return nodes;
    *count = 0;
    free(nodes);
    return NULL;
}

typedef CUresult neighbours_function(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);

static CUgraphNode *neighbours_of(neighbours_function *get, CUgraphNode node,
                                  CUgraphEdgeData **edges, size_t *count)
{
    CUgraphNode *nodes = NULL;

    *count = 0;
    *edges = NULL;
    if (get(node, NULL, NULL, count) == CUDA_SUCCESS && *count > 0) {
        nodes = calloc(*count, sizeof(*nodes));
        *edges = calloc(*count, sizeof(**edges));
    }
    if (nodes && *edges && get(node, nodes, *edges, count) == CUDA_SUCCESS)
        return nodes;
    *count = 0;
    return nodes;
}

/* Tells of an edge for each neighbour. */
static void tell_edges(CUpti_CallbackIdResource id, CUgraph graph, CUgraphNode node,
                       bool to_dependents)
{
    const struct lib_driver *cuda = lib_driver();
    CUgraphEdgeData *edges;
    size_t count;
    CUgraphNode *others = neighbours_of(to_dependents ? cuda->graph_node_get_dependents
                                                      : cuda->graph_node_get_dependencies,
                                        node, &edges, &count);

    for (size_t i = 0; i < count; i++)
        tell(id, (CUpti_GraphData){.graph = graph,
                                   .node = to_dependents ? others[i] : node,
                                   .dependency = to_dependents ? node : others[i]});
    free(others);
    free(edges);
}

static void tell_creation_starts(CUgraph graph, CUgraphNode node)
{
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;

    lib_driver()->graph_node_get_type(node, &type);
    tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING,
         (CUpti_GraphData){.graph = graph, .node = node, .nodeType = type});
}

/* A graph that was copied from another: its nodes, then its dependencies. */
static void tell_copy(CUgraph graph, CUgraph original)
{
    size_t count;
    CUgraphNode *nodes = nodes_of(original, &count), copy;

    tell(CUPTI_CBID_RESOURCE_GRAPH_CREATED, (CUpti_GraphData){.graph = graph});
    for (size_t i = 0; i < count; i++) {
        if (lib_driver()->graph_node_find_in_clone(&copy, nodes[i], graph) != CUDA_SUCCESS)
            continue;
        tell_creation_starts(graph, copy);
        tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
             (CUpti_GraphData){.graph = graph, .node = copy});
        tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, (CUpti_GraphData){.graph = graph,
                                                                     .originalGraph = original,
                                                                     .node = copy,
                                                                     .originalNode = nodes[i]});
    }
    for (size_t i = 0; i < count; i++)
        if (lib_driver()->graph_node_find_in_clone(&copy, nodes[i], graph) == CUDA_SUCCESS)
            tell_edges(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, graph, copy, false);
    free(nodes);
}

static void tell_node(CUgraph graph, CUgraphNode node)
{
    tell_creation_starts(graph, node);
    tell_edges(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, graph, node, false);
    tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, (CUpti_GraphData){.graph = graph, .node = node});
}

static void tell_captured(CUgraph graph)
{
    size_t count;
    CUgraphNode *nodes = graph ? nodes_of(graph, &count) : NULL;

    if (!graph)
        return;
    tell(CUPTI_CBID_RESOURCE_GRAPH_CREATED, (CUpti_GraphData){.graph = graph});
    for (size_t i = 0; nodes && i < count; i++)
        tell_node(graph, nodes[i]);
    free(nodes);
}

/* The arrays of cuGraphAddDependencies and its opposite: graph, from, to, and a count behind the
 * data of edges that newer forms have. */
static void tell_dependencies(CUpti_CallbackIdResource id, void *const *params, bool has_edges)
{
    const CUgraphNode *from = params[1], *to = params[2];
    size_t count = (size_t)params[has_edges ? 4 : 3];

    for (size_t i = 0; from && to && i < count; i++)
        tell(id,
             (CUpti_GraphData){.graph = (CUgraph)params[0], .node = to[i], .dependency = from[i]});
}

static CUcontext current_context(void)
{
    CUcontext context = NULL;

    lib_driver()->context_get_current(&context);
    return context;
}

static void tell_executable(void *const *params)
{
    CUpti_GraphData data = {.graph = (CUgraph)params[1], .graphExec = *(CUgraphExec *)params[0]};

    tell_in(current_context(), CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, data);
    tell_in(current_context(), CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, data);
}

static CUpti_GraphData describe_node(CUgraphExec exec, CUgraph graph, CUgraphNode node)
{
    CUpti_GraphData data = {.graph = graph, .node = node, .graphExec = exec};

    lib_driver()->graph_node_get_type(node, &data.nodeType);
    return data;
}

/* An executable graph takes what the nodes of a graph like its own have. */
static void tell_update(CUgraphExec exec, CUgraph graph)
{
    size_t count;
    CUgraphNode *nodes = nodes_of(graph, &count);

    for (size_t i = 0; i < count; i++)
        tell_in(current_context(), CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED,
                describe_node(exec, graph, nodes[i]));
    free(nodes);
}

/* Changes of executable graphs: those of one node begin with the graph and the node. */
static void update_ended(void *const *params, uint32_t id)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2: /* executable graph, graph */
        tell_update((CUgraphExec)params[0], (CUgraph)params[1]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecHostNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventRecordNodeSetEvent:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventWaitNodeSetEvent:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresSignalNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresWaitNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecBatchMemOpNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
        tell_in(current_context(), CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS,
                describe_node((CUgraphExec)params[0], NULL, (CUgraphNode)params[1]));
        break;
    default:
        break;
    }
}

static void call_ended(void *const *params, uint32_t id)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphCreate:
        tell(CUPTI_CBID_RESOURCE_GRAPH_CREATED,
             (CUpti_GraphData){.graph = *(const CUgraph *)params[0]});
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
        tell_captured(*(const CUgraph *)params[1]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphClone: /* clone, original */
        tell_copy(*(const CUgraph *)params[0], (CUgraph)params[1]);
        tell(CUPTI_CBID_RESOURCE_GRAPH_CLONED,
             (CUpti_GraphData){.graph = *(const CUgraph *)params[0],
                               .originalGraph = (CUgraph)params[1]});
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz:
        tell_executable(params);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemcpyNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemsetNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddChildGraphNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddEmptyNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddEventRecordNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddEventWaitNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddExternalSemaphoresSignalNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddExternalSemaphoresWaitNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemAllocNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemFreeNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddBatchMemOpNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2: /* node, graph, ... */
        tell_node((CUgraph)params[1], *(const CUgraphNode *)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddDependencies:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddDependencies_v2:
        tell_dependencies(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, params,
                          id == CUPTI_DRIVER_TRACE_CBID_cuGraphAddDependencies_v2);
        break;
    default:
        break;
    }
}

static void tell_node_goes(CUgraph graph, CUgraphNode node)
{
    tell(CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING,
         (CUpti_GraphData){.graph = graph, .node = node});
}

static void tell_graph_goes(CUgraph graph)
{
    size_t count;
    CUgraphNode *nodes = graph ? nodes_of(graph, &count) : NULL;

    tell(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, (CUpti_GraphData){.graph = graph});
    for (size_t i = 0; nodes && i < count; i++)
        tell_node_goes(graph, nodes[i]);
    free(nodes);
}

static void call_begins(void *const *params, uint32_t id)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy:
        tell_graph_goes((CUgraph)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
        tell(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
             (CUpti_GraphData){.graphExec = (CUgraphExec)params[0]});
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphDestroyNode:
        if (!params[0])
            break;
        tell_node_goes(NULL, (CUgraphNode)params[0]);
        tell_edges(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING, NULL,
                   (CUgraphNode)params[0], true);
        tell_edges(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING, NULL,
                   (CUgraphNode)params[0], false);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphRemoveDependencies:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphRemoveDependencies_v2:
        tell_dependencies(CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING, params,
                          id == CUPTI_DRIVER_TRACE_CBID_cuGraphRemoveDependencies_v2);
        break;
    default:
        break;
    }
}

void tool_graph_call(const struct cupipe_call *call, uint32_t id)
{
    if (!call->params || !wants_graphs())
        return;
    if (!call->has_ended) {
        call_begins(call->params, id);
    } else if (call->result == CUDA_SUCCESS) {
        call_ended(call->params, id);
        update_ended(call->params, id);
    }
}
