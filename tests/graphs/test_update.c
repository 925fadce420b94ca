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

/* A graph of empty nodes with edges such as "01 12". */
struct drawn {
    CUgraph graph;
    CUgraphNode nodes[6];
};

static struct drawn draw(unsigned count, const char *edges)
{
    struct drawn drawn = {.graph = new_graph()};

    for (unsigned i = 0; i < count; i++)
        check_success(cuGraphAddEmptyNode(&drawn.nodes[i], drawn.graph, NULL, 0));
    for (; *edges; edges += edges[2] ? 3 : 2)
        check_success(cuGraphAddDependencies(drawn.graph, &drawn.nodes[edges[0] - '0'],
                                             &drawn.nodes[edges[1] - '0'], NULL, 1));
    return drawn;
}

TEST(nodes_are_paired_from_the_last_ones_on)
{
    static const struct {
        unsigned count;
        const char *from, *to;
    } same[] = {{3, "01 12", "02 21"},
                {3, "01 12", "21 10"},
                {3, "01", "10"},
                {4, "01 23", "03 12"},
                {4, "01 02 13 23", "02 01 23 13"},
                {5, "02 12 34", "02 14 32"},
                {6, "01 12 23 34 45", "54 43 32 21 10"}};

    with_context();
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        check_updated(executable(draw(same[i].count, same[i].from).graph),
                      draw(same[i].count, same[i].to).graph);
}

TEST(a_changed_topology_is_reported_where_pairing_fails)
{
    enum { NONE = 6 };
    static const struct {
        unsigned count;
        const char *from, *to;
        unsigned node, dependency;
    } cases[] = {{3, "01", "12", 2, NONE},
                 {3, "01", "", 0, NONE},
                 {3, "", "01", NONE, NONE},
                 {4, "01 02 13 23", "01 02 03", 2, NONE},
                 {4, "01 12 23", "01 13 23", 3, NONE},
                 {5, "01 02 34", "01 32 04", 1, 0},
                 {5, "01 12 34", "01 34 32", 1, NONE},
                 {6, "03 04 15 25", "03 14 05 25", 3, 0}};

    with_context();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct drawn from = draw(cases[i].count, cases[i].from),
                     to = draw(cases[i].count, cases[i].to);
        check_refused(executable(from.graph), to.graph, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
                      cases[i].node == NONE ? NULL : to.nodes[cases[i].node],
                      cases[i].dependency == NONE ? NULL : to.nodes[cases[i].dependency]);
    }
}

TEST(edge_data_is_part_of_the_topology)
{
    CUgraphEdgeData data = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                            .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
    CUgraphNode nodes[2][2];
    CUgraph graphs[2];

    with_context();
    CUfunction scale = graph_functions_load().scale;
    CUdeviceptr words = device_words(64);
    for (unsigned i = 0; i < 2; i++) {
        graphs[i] = new_graph();
        nodes[i][0] = add_scale(graphs[i], NULL, 0, scale, words, 64, 2);
        nodes[i][1] = add_scale(graphs[i], NULL, 0, scale, words, 64, 2);
        check_success(
            cuGraphAddDependencies(graphs[i], &nodes[i][0], &nodes[i][1], i ? &data : NULL, 1));
    }
    for (unsigned i = 0; i < 2; i++)
        check_refused(executable(graphs[1 - i]), graphs[i],
                      CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nodes[i][1], nodes[i][0]);
}

/* A node without dependents is later the later it lost them; a clone keeps that. */
TEST(the_order_of_pairing_follows_the_calls)
{
    CUgraphNode node;
    CUgraph clone;

    with_context();
    CUdeviceptr words = device_words(4);
    struct drawn first = draw(1, ""), second = draw(1, "");
    add_fill(first.graph, NULL, 0, words, 1, 4, 1);
    CUgraphExec exec = executable(first.graph);
    node = add_fill(second.graph, NULL, 0, words, 1, 4, 1);
    check_updated(exec, second.graph);
    check_success(cuGraphAddDependencies(second.graph, &second.nodes[0], &node, NULL, 1));
    check_success(cuGraphRemoveDependencies(second.graph, &second.nodes[0], &node, NULL, 1));
    check_refused(exec, second.graph, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, second.nodes[0],
                  NULL);
    check_success(cuGraphClone(&clone, second.graph));
    check_success(cuGraphNodeFindInClone(&node, second.nodes[0], clone));
    check_refused(exec, clone, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node, NULL);
}

/* The nodes of the executable graph keep their identity: it is that of the paired node. */
TEST(paired_nodes_take_each_others_parameters)
{
    CUgraphNode first[2], second[2];

    with_context();
    CUdeviceptr words = device_words(1);
    CUgraph graph = new_graph(), other = new_graph();
    first[0] = add_fill(graph, NULL, 0, words, 1, 4, 1);
    first[1] = add_fill(graph, &first[0], 1, words, 2, 4, 1);
    second[0] = add_fill(other, NULL, 0, words, 3, 4, 1); /* the last to run */
    second[1] = add_fill(other, NULL, 0, words, 4, 4, 1);
    check_success(cuGraphAddDependencies(other, &second[1], &second[0], NULL, 1));
    CUgraphExec exec = executable(graph);
    check_updated(exec, other);
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == 3);
    CUDA_MEMSET_NODE_PARAMS params = {
        .dst = words, .value = 5, .elementSize = 4, .width = 1, .height = 1};
    check_success(cuGraphExecMemsetNodeSetParams(exec, first[0], &params, current_context()));
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == 3);
    check_success(cuGraphExecMemsetNodeSetParams(exec, first[1], &params, current_context()));
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == 5);
}
