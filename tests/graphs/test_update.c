/* SPDX-License-Identifier: MIT */
/* Updating an executable graph from a whole graph: what may change, and how a refusal is reported.
 */
#include "graphs.h"

/* Checks a refused update: the result, and the node of the graph that is reported. */
static void check_refused(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResult result,
                          CUgraphNode node, CUgraphNode from)
{
    CUgraphExecUpdateResultInfo info = {0};

    check_result(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    check(info.result == result);
    check(info.errorNode == node);
    check(info.errorFromNode == from);
}

static void check_updated(CUgraphExec exec, CUgraph graph)
{
    CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};

    check_success(cuGraphExecUpdate(exec, graph, &info));
    check(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
}

/* A second context of the device, which is current for a moment only. */
static CUfunction scale_of_other_context(CUcontext *other)
{
    CUcontext context = current_context();
    CUctxCreateParams params = {0};
    CUdevice device;

    check_success(cuCtxGetDevice(&device));
    check_success(cuCtxCreate(other, &params, 0, device));
    CUfunction scale = graph_functions_load().scale;
    check_success(cuCtxSetCurrent(context));
    return scale;
}

struct kernel_graph {
    CUgraph graph;
    CUgraphNode node;
};

static struct kernel_graph kernel_graph(CUfunction scale, CUdeviceptr words)
{
    struct kernel_graph made = {.graph = new_graph()};

    made.node = add_scale(made.graph, NULL, 0, scale, words, 64 * 8, 2);
    return made;
}

TEST(a_kernel_of_another_context_is_an_unsupported_change)
{
    CUcontext other;

    with_context();
    CUdeviceptr words = device_words(64 * 8);
    struct kernel_graph first = kernel_graph(graph_functions_load().scale, words),
                        second = kernel_graph(scale_of_other_context(&other), words);
    CUgraphExec exec = executable(first.graph);
    check_refused(exec, second.graph, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
                  second.node, NULL);
}

static CUkernelNodeAttrValue cluster_of(unsigned blocks)
{
    CUkernelNodeAttrValue value = {{0}};

    value.clusterDim.x = blocks;
    value.clusterDim.y = value.clusterDim.z = 1;
    return value;
}

TEST(clusters_may_change)
{
    with_context();
    CUdeviceptr words = device_words(64 * 8);
    CUfunction scale = graph_functions_load().scale;
    struct kernel_graph first = kernel_graph(scale, words), second = kernel_graph(scale, words);
    CUkernelNodeAttrValue two = cluster_of(2), four = cluster_of(4);
    CUgraphExec exec = executable(first.graph);
    check_success(
        cuGraphKernelNodeSetAttribute(second.node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &two));
    check_updated(exec, second.graph);
    check_success(
        cuGraphKernelNodeSetAttribute(second.node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &four));
    check_updated(exec, second.graph);
    check_updated(exec, first.graph);
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == 1);
}

TEST(some_attributes_may_not_change)
{
    CUkernelNodeAttrValue value = {{0}};

    with_context();
    CUdeviceptr words = device_words(64 * 8);
    CUfunction scale = graph_functions_load().scale;
    struct kernel_graph first = kernel_graph(scale, words), second = kernel_graph(scale, words),
                        third = kernel_graph(scale, words);
    CUgraphExec exec = executable(first.graph);
    value.cooperative = 1;
    check_success(
        cuGraphKernelNodeSetAttribute(second.node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    check_refused(exec, second.graph, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, second.node,
                  NULL);
    value = (CUkernelNodeAttrValue){{0}};
    value.nvlinkUtilCentricScheduling = 1;
    check_success(cuGraphKernelNodeSetAttribute(
        third.node, CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, &value));
    check_refused(exec, third.graph, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, third.node,
                  NULL);
}

static CUresult make_updatable(CUgraphNode node, int updatable, CUgraphDeviceNode *handle)
{
    CUkernelNodeAttrValue value = {{0}};

    value.deviceUpdatableKernelNode.deviceUpdatable = updatable;
    CUresult result = cuGraphKernelNodeSetAttribute(
        node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value);
    if (handle)
        *handle = value.deviceUpdatableKernelNode.devNode;
    return result;
}

TEST(a_graph_that_a_device_updates_is_bound_to_one_executable_graph)
{
    CUgraphDeviceNode handle;
    CUgraphExec exec, second;
    CUgraph clone;

    with_context();
    CUdeviceptr words = device_words(64 * 8);
    CUfunction scale = graph_functions_load().scale;
    struct kernel_graph first = kernel_graph(scale, words), plain = kernel_graph(scale, words);
    check_success(make_updatable(first.node, 1, &handle));
    check(handle != NULL);
    check_result(make_updatable(first.node, 0, NULL), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphClone(&clone, first.graph), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphDestroyNode(first.node), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphKernelNodeCopyAttributes(plain.node, first.node), CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuGraphInstantiate(&exec, first.graph, 0));
    check_result(cuGraphInstantiate(&second, first.graph, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphExecUpdate(exec, plain.graph, NULL), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphExecUpdate(executable(plain.graph), first.graph, NULL),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphInstantiate(&exec, first.graph, 0));
}

TEST(attributes_are_returned_in_their_own_member)
{
    CUkernelNodeAttrValue value;

    with_context();
    struct kernel_graph made = kernel_graph(graph_functions_load().scale, device_words(64 * 8));
    memset(&value, 0x5a, sizeof(value));
    check_success(cuGraphKernelNodeGetAttribute(made.node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    check(value.priority == 0 && value.pad[4] == 0x5a);
}
