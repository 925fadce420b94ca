/* SPDX-License-Identifier: MIT */
/* Kernel nodes: two forms of their parameters, and attributes. */
#include "api/graph_node.h"
#include "core/error.h"
#include "impl.h"
#include "os/guard.h"

#include <string.h>

CUresult impl_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v2(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v1(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, &params);

    if (result != CUDA_SUCCESS)
        return result;
    memcpy(nodeParams, &params->given.kernel, sizeof(*nodeParams));
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult result = impl_cuGraphKernelNodeGetParams_v2(hNode, nodeParams ? &params : NULL);

    if (result == CUDA_SUCCESS)
        memcpy(nodeParams, &params,
               sizeof(*nodeParams)); /* the old form is a prefix of the new one */
    return result;
}

CUresult impl_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                            const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v2(nodeParams);
    return cup_api_graph_set(hNode, &params);
}

CUresult impl_cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                         const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v1(nodeParams);
    return cup_api_graph_set(hNode, &params);
}

CUresult impl_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            CUkernelNodeAttrValue *value_out)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_KERNEL, value_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_kernel_attribute_get(&params->attributes, attr, value_out);
    cup_node_params_unref(params);
    return result;
}

/* Replaces the node's parameters by the changed copy. */
static CUresult put(CUgraphNode handle, struct cup_node_params *changed)
{
    struct CUgraphNode_st *node;
    CUresult result = cup_node_find(handle, &node);

    if (result == CUDA_SUCCESS) {
        if (changed->attributes.updatable && cup_node_is_in_body(node))
            result = cup_error(CUDA_ERROR_INVALID_VALUE,
                               "nodes of conditional bodies cannot be updated by a device");
        else
            result = cup_node_set_params(node, changed);
        cup_node_unref(node);
    }
    if (result != CUDA_SUCCESS)
        cup_node_params_unref(changed);
    return result;
}

CUresult impl_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            const CUkernelNodeAttrValue *value)
{
    struct cup_node_params *params, *changed;
    CUkernelNodeAttrValue copy;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_KERNEL, value, &params);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_guard_copy(&copy, value, sizeof(copy))
                 ? cup_node_kernel_attribute_set(params, attr, &copy, &changed)
                 : cup_error(CUDA_ERROR_INVALID_VALUE, "the value to set is not readable");
    cup_node_params_unref(params);
    if (result != CUDA_SUCCESS)
        return result;
    CUgraphDeviceNode device_node = (CUgraphDeviceNode)(uintptr_t)changed->attributes.device_node;
    result = put(hNode, changed);
    if (result == CUDA_SUCCESS && attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
        (void)cup_guard_copy(
            &((CUkernelNodeAttrValue *)(uintptr_t)value)->deviceUpdatableKernelNode.devNode,
            &device_node, sizeof(device_node));
    return result;
}

CUresult impl_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    struct cup_node_params *to, *from, *changed = NULL;
    CUresult result = cup_api_graph_get(dst, CU_GRAPH_NODE_TYPE_KERNEL, &changed, &to);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_api_graph_get(src, CU_GRAPH_NODE_TYPE_KERNEL, &changed, &from);
    if (result == CUDA_SUCCESS) {
        result = cup_node_kernel_attributes_copy(to, from, &changed);
        cup_node_params_unref(from);
    }
    cup_node_params_unref(to);
    return result == CUDA_SUCCESS ? put(dst, changed) : result;
}
