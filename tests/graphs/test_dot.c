/* SPDX-License-Identifier: MIT */
/* DOT files of graphs: what programs look for in them. */
#include "graphs.h"

enum { TEXT_BYTES = 1 << 18 };

static char text[TEXT_BYTES];

/* Writes the graph and reads the file. */
static void print(CUgraph graph, unsigned flags)
{
    char path[64];

    snprintf(path, sizeof(path), "/tmp/cupipe-test-%d.dot", (int)getpid());
    check_success(cuGraphDebugDotPrint(graph, path, flags));
    FILE *file = fopen(path, "r");
    check(file != NULL);
    size_t bytes = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    unlink(path);
    text[bytes] = '\0';
}

static unsigned count_of(const char *word)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

static void add_copy_between(CUgraph graph, CUmemorytype from, CUmemorytype to, void *host,
                             CUdeviceptr device, CUarray array)
{
    CUDA_MEMCPY3D params = {.srcMemoryType = from,
                            .srcHost = host,
                            .srcDevice = device,
                            .srcArray = array,
                            .dstMemoryType = to,
                            .dstHost = (char *)host + 64,
                            .dstDevice = device + 64,
                            .dstArray = array,
                            .WidthInBytes = 64,
                            .Height = 1,
                            .Depth = 1};
    CUgraphNode node;

    check_success(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &params, current_context()));
}

TEST(copies_have_their_kind_and_size)
{
    CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = 64, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    with_context();
    CUdeviceptr device = device_words(64);
    void *host = pinned_words(64);
    CUgraph graph = new_graph();
    check_success(cuArrayCreate(&array, &descriptor));
    static const struct {
        CUmemorytype from, to;
        const char *kind;
    } kinds[] = {{CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, "(HtoD,64)"},
                 {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, "(DtoH,64)"},
                 {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE, "(DtoD,64)"},
                 {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST, "(HtoH,64)"},
                 {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_ARRAY, "(HtoA,64)"},
                 {CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST, "(AtoH,64)"},
                 {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED, "(UtoU,64)"}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        add_copy_between(graph, kinds[i].from, kinds[i].to, host, device, array);
    print(graph, 0);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        check(count_of(kinds[i].kind) == 1);
    check(count_of("shape=\"trapezium\"") == 7);
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS);
    check(count_of("shape=\"record\"") == 7 && count_of("HtoD") == 0);
    check(count_of("HOST (HOST PINNED)") == 6 && count_of("ARRAY (DEVICE)") == 2);
    print(graph,
          CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS | CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES);
    check(count_of("{kind | HtoD (HOST PINNED to DEVICE)}") == 1);
    check(count_of("{kind | default (DEVICE to DEVICE)}") == 1);
}

TEST(fills_have_their_value_and_size)
{
    with_context();
    CUgraph graph = new_graph();
    add_fill(graph, NULL, 0, device_words(64), 7, 4, 16);
    print(graph, 0);
    check(count_of("shape=\"invtrapezium\"") == 1 && count_of("(7,64)") == 1);
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS);
    check(count_of("shape=\"record\"") == 1 && count_of(" | 0 | 7 | 4 | 16 | 1}}}") == 1);
}

TEST(kernels_have_what_the_flags_ask_for)
{
    CUkernelNodeAttrValue value = {{0}};

    with_context();
    CUgraph graph = new_graph();
    CUgraphNode node =
        add_scale(graph, NULL, 0, graph_functions_load().scale, device_words(128), 128, 2);
    value.priority = -1;
    check_success(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    print(graph, 0);
    check(count_of("shape=\"octagon\"") == 1 && count_of("scale\n\"];") == 1);
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS);
    check(count_of("\\<\\<\\<2,64,0\\>\\>\\>") == 1);
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES);
    check(count_of("KERNEL") == 1 && count_of("{priority | -1}") == 1);
    check(count_of("handle") == 0);
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES);
    check(count_of("node handle: 0x") == 1 && count_of("func handle: 0x") == 1);
}

/* Nodes keep their numbers, and graphs in nodes are clusters behind that of the graph. */
TEST(nodes_edges_and_graphs_have_numbers)
{
    CUgraphNode nodes[3], child;
    char edge[96];
    unsigned number;

    with_context();
    CUgraph inner = new_graph(), graph = new_graph();
    check_success(cuGraphAddEmptyNode(&nodes[0], inner, NULL, 0));
    check_success(cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
    check_success(cuGraphAddEmptyNode(&nodes[1], graph, NULL, 0));
    check_success(cuGraphAddEmptyNode(&nodes[2], graph, nodes, 2));
    check_success(cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    check_success(cuGraphDestroyNode(nodes[0]));
    print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO);
    check(sscanf(text, "digraph dot {\nsubgraph cluster_%u {", &number) == 1);
    snprintf(edge, sizeof(edge), "\"graph_%u_node_1\" -> \"graph_%u_node_2\" [headlabel=0];",
             number, number);
    check(count_of(edge) == 1 && count_of("->") == 1);
    check(count_of("subgraph cluster_") == 2);
    check(count_of("label=\"3 (topoId: 0)\ngraph_") == 1);
    check(count_of("label=\"2 (topoId: 1)\nEMPTY\n\"];") == 1);
    check(count_of("label=\"1 (topoId: 2)\nEMPTY\n\"];") == 1);
}
