/* SPDX-License-Identifier: MIT */
/* Kernel nodes and launches: what their attributes and arguments may be. */
#include "graphs.h"

#include <math.h>

static CUlaunchConfig config_of(const CUlaunchAttribute *attribute, CUstream stream)
{
    return (CUlaunchConfig){.gridDimX = 1,
                            .gridDimY = 1,
                            .gridDimZ = 1,
                            .blockDimX = 64,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .hStream = stream,
                            .attrs = (CUlaunchAttribute *)attribute,
                            .numAttrs = 1};
}

/* Gives the window to a stream, a kernel node, a launch, a captured launch and an occupancy
 * query, which all answer alike. A captured launch that is refused leaves the capture valid. */
static void check_window(CUaccessPolicyWindow window, CUresult expected)
{
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr words = device_words(64);
    unsigned count = 64, by = 1;
    void *arguments[] = {&words, &count, &by};
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(0);
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW};
    int clusters;

    attribute.value.accessPolicyWindow = window;
    CUlaunchConfig config = config_of(&attribute, stream);
    CUgraph graph = new_graph();
    CUgraphNode node = add_scale(graph, NULL, 0, functions.scale, words, 64, 1);
    check_result(cuStreamSetAttribute(other, attribute.id, &attribute.value), expected);
    check_result(cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value), expected);
    check_result(cuLaunchKernelEx(&config, functions.scale, arguments, NULL), expected);
    check_result(cuOccupancyMaxActiveClusters(&clusters, functions.scale, &config), expected);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result(cuLaunchKernelEx(&config, functions.scale, arguments, NULL), expected);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuStreamSynchronize(stream));
}

static CUaccessPolicyWindow good_window(void)
{
    return (CUaccessPolicyWindow){.base_ptr = (void *)(uintptr_t)device_words(64),
                                  .num_bytes = 256,
                                  .hitRatio = 0.5f,
                                  .hitProp = CU_ACCESS_PROPERTY_PERSISTING,
                                  .missProp = CU_ACCESS_PROPERTY_STREAMING};
}

TEST(access_policy_windows_are_accepted)
{
    int most;

    with_context();
    check_success(
        cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0));
    CUaccessPolicyWindow window = good_window();
    check_window(window, CUDA_SUCCESS);
    window.num_bytes = (size_t)most;
    check_window(window, CUDA_SUCCESS);
    window.hitProp = (CUaccessProperty)9;
    check_window(window, CUDA_SUCCESS);
    window = good_window();
    window.hitRatio = 1;
    check_window(window, CUDA_SUCCESS);
    window.hitRatio = NAN;
    check_window(window, CUDA_SUCCESS);
    check_window((CUaccessPolicyWindow){0}, CUDA_SUCCESS);
}

TEST(access_policy_windows_have_limits)
{
    int most;

    with_context();
    check_success(
        cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0));
    CUaccessPolicyWindow window = good_window();
    window.num_bytes = (size_t)most + 1;
    check_window(window, CUDA_ERROR_INVALID_VALUE);
    window = good_window();
    window.hitRatio = -0.1f;
    check_window(window, CUDA_ERROR_INVALID_VALUE);
    window.hitRatio = 1.1f;
    check_window(window, CUDA_ERROR_INVALID_VALUE);
    window = good_window();
    window.missProp = CU_ACCESS_PROPERTY_PERSISTING;
    check_window(window, CUDA_ERROR_INVALID_VALUE);
}

/* The arguments of one launch of scale(), in both forms. */
struct both {
    CUdeviceptr words;
    unsigned count, by;
    void *pointers[3];
    struct {
        CUdeviceptr words;
        unsigned count, by;
    } buffer;
    size_t bytes;
    void *extra[5];
};

static void both_init(struct both *both)
{
    both->words = both->buffer.words = device_words(64);
    both->count = both->buffer.count = 64;
    both->by = both->buffer.by = 1;
    both->bytes = sizeof(both->buffer);
    void *pointers[] = {&both->words, &both->count, &both->by};
    memcpy(both->pointers, pointers, sizeof(pointers));
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &both->buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &both->bytes, CU_LAUNCH_PARAM_END};
    memcpy(both->extra, extra, sizeof(extra));
}

static CUresult launch(CUfunction function, CUstream stream, void **pointers, void **extra)
{
    return cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, pointers, extra);
}

TEST(a_launch_takes_its_arguments_in_one_form)
{
    struct both both;
    CUgraph graph;

    with_context();
    CUfunction scale = graph_functions_load().scale;
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    both_init(&both);
    check_success(launch(scale, stream, both.pointers, NULL));
    check_success(launch(scale, stream, NULL, both.extra));
    check_success(launch(scale, stream, both.pointers, &both.extra[4]));
    check_result(launch(scale, stream, both.pointers, both.extra), CUDA_ERROR_INVALID_VALUE);
    CUlaunchAttribute ignored = {.id = CU_LAUNCH_ATTRIBUTE_IGNORE};
    CUlaunchConfig config = config_of(&ignored, stream);
    check_result(cuLaunchKernelEx(&config, scale, both.pointers, both.extra),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result(launch(scale, stream, both.pointers, both.extra), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuStreamSynchronize(stream));
    check(device_word(both.words) == 3);
}

TEST(a_kernel_node_takes_its_arguments_in_one_form)
{
    struct both both;
    CUgraphNode node;

    with_context();
    CUfunction scale = graph_functions_load().scale;
    CUgraph graph = new_graph();
    both_init(&both);
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(scale, both.pointers, 64);
    params.extra = both.extra;
    check_result(cuGraphAddKernelNode(&node, graph, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params.extra = &both.extra[4]; /* lists nothing */
    check_success(cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUgraphExec exec = executable(graph);
    params.extra = both.extra;
    check_result(cuGraphKernelNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphExecKernelNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(both.words) == 1);
}

/* A kernel whose threads store 99 in dynamic shared memory, at the given offset, and add it up. */
static const char shared_kernel[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 4 .b8 memory[];\n"
    ".visible .entry touch(.param .u64 p, .param .u32 last) {\n"
    ".reg .u64 %rd<4>; .reg .u32 %r<5>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [last]; mov.u32 %r2, memory;\n"
    "add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], 99; ld.shared.u32 %r4, [%r3];\n"
    "atom.global.add.u32 %r2, [%rd1], %r4; ret;\n}\n";

static CUfunction shared_function(void)
{
    CUfunction function;
    CUmodule module;

    check_success(cuModuleLoadData(&module, shared_kernel));
    check_success(cuModuleGetFunction(&function, module, "touch"));
    return function;
}

static unsigned device_limit(CUdevice_attribute attribute)
{
    int value;

    check_success(cuDeviceGetAttribute(&value, attribute, 0));
    return (unsigned)value;
}

/* A launch of one thread to a block, with `bytes` of shared memory. */
static CUresult launch_shared(CUfunction function, unsigned blocks, unsigned bytes,
                              CUlaunchAttribute *attributes, unsigned count, CUdeviceptr words,
                              CUstream stream)
{
    unsigned last = bytes - 4;
    void *arguments[] = {&words, &last};
    CUlaunchConfig config = config_of(attributes, stream);

    config.gridDimX = blocks;
    config.blockDimX = 1;
    config.sharedMemBytes = bytes;
    config.numAttrs = count;
    return cuLaunchKernelEx(&config, function, arguments, NULL);
}

static CUlaunchAttribute shared_mode(CUsharedMemoryMode mode)
{
    return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE,
                               .value.sharedMemoryMode = mode};
}

/* The mode of a launch counts, not the limit that the function has. */
TEST(a_launch_chooses_its_limit_of_shared_memory)
{
    with_context();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    unsigned portable = device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
             most = device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    CUlaunchAttribute modes[5];
    for (int i = 0; i < 5; i++)
        modes[i] = shared_mode((CUsharedMemoryMode)i);
    check(most > portable);
    check_result(launch_shared(function, 1, most, modes, 1, words, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(launch_shared(function, 1, most, &modes[1], 1, words, stream),
                 CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 2; i < 5; i++)
        check_success(launch_shared(function, 1, most, &modes[i], 1, words, stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 3 * 99);
    check_result(launch_shared(function, 1, most + 4, &modes[2], 1, words, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)most));
    check_success(launch_shared(function, 1, most, modes, 1, words, stream));
    check_result(launch_shared(function, 1, portable + 4, &modes[1], 1, words, stream),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(launch_shared(function, 1, portable, &modes[1], 1, words, stream));
    check_success(cuStreamSynchronize(stream));
    modes[0] = shared_mode((CUsharedMemoryMode)5);
    check_result(launch_shared(function, 1, 64, modes, 1, words, stream), CUDA_ERROR_INVALID_VALUE);
}

static CUlaunchAttribute cluster_mode(CUlaunchAttributePortableClusterMode mode)
{
    return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE,
                               .value.portableClusterSizeMode = mode};
}

TEST(a_launch_chooses_whether_its_cluster_is_portable)
{
    with_context();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUlaunchAttribute attributes[] = {
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {16, 1, 1}},
        cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT)};
    check_result(launch_shared(function, 16, 64, attributes, 2, words, stream),
                 CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attributes[1] = cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE);
    check_success(launch_shared(function, 16, 64, attributes, 2, words, stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 16 * 99);
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    attributes[1] = cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE);
    check_result(launch_shared(function, 16, 64, attributes, 2, words, stream),
                 CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attributes[1] = cluster_mode((CUlaunchAttributePortableClusterMode)3);
    check_result(launch_shared(function, 16, 64, attributes, 2, words, stream),
                 CUDA_ERROR_INVALID_VALUE);
}

static CUkernelNodeAttrValue node_attribute(CUgraphNode node, CUkernelNodeAttrID id)
{
    CUkernelNodeAttrValue value;

    memset(&value, 0xa5, sizeof(value));
    check_success(cuGraphKernelNodeGetAttribute(node, id, &value));
    return value;
}

TEST(captured_launches_keep_their_modes)
{
    CUgraphNode node;
    CUgraph graph;
    size_t count = 1;

    with_context();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    unsigned most = device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    CUlaunchAttribute attributes[] = {
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {16, 1, 1}},
        cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE),
        shared_mode(CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE)};
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(launch_shared(function, 16, most, attributes, 3, words, stream));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphGetNodes(graph, &node, &count));
    check(node_attribute(node, attributes[1].id).portableClusterSizeMode ==
          CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE);
    check(node_attribute(node, attributes[2].id).sharedMemoryMode ==
          CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE);
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 16 * 99);
}

/* A node's mode stays when its parameters are set, and counts then. */
TEST(nodes_have_modes)
{
    CUgraphNode node;

    with_context();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    unsigned last = 0, most = device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    void *arguments[] = {&words, &last};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, arguments, 1);
    CUgraph graph = new_graph();
    check_success(cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUlaunchAttribute allow = shared_mode(CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE),
                      require = shared_mode(CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE),
                      wrong = shared_mode((CUsharedMemoryMode)-1);
    check(node_attribute(node, allow.id).sharedMemoryMode == CU_SHARED_MEMORY_MODE_DEFAULT);
    params.sharedMemBytes = most;
    check_result(cuGraphKernelNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphKernelNodeSetAttribute(node, allow.id, &allow.value));
    check_success(cuGraphKernelNodeSetParams(node, &params));
    check_result(cuGraphKernelNodeSetAttribute(node, require.id, &require.value),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphKernelNodeSetAttribute(node, wrong.id, &wrong.value),
                 CUDA_ERROR_INVALID_VALUE);
    check(node_attribute(node, allow.id).sharedMemoryMode ==
          CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE);
    CUlaunchAttribute cluster = cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE);
    check_success(cuGraphKernelNodeSetAttribute(node, cluster.id, &cluster.value));
    check(node_attribute(node, cluster.id).portableClusterSizeMode ==
          CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE);
    check_success(cuGraphLaunch(executable(graph), NULL));
    check_success(cuCtxSynchronize());
    check(device_word(words) == 64 * 99);
}

/* The attributes came with CUDA 13.2, the modes of oversized memory with 13.4. */
TEST(older_drivers_know_no_modes)
{
    CUlaunchAttribute shared = shared_mode(CU_SHARED_MEMORY_MODE_DEFAULT),
                      cluster = cluster_mode(CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT);

    setenv("CUPIPE_DRIVER", "13.1", 1);
    with_context();
    only_cupipe();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    check_result(launch_shared(function, 1, 64, &shared, 1, words, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(launch_shared(function, 1, 64, &cluster, 1, words, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    CUgraphNode node = add_scale(new_graph(), NULL, 0, graph_functions_load().scale, words, 1, 1);
    check_result(cuGraphKernelNodeSetAttribute(node, shared.id, &shared.value),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphKernelNodeGetAttribute(node, cluster.id, &cluster.value),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(a_driver_of_13_2_has_no_oversized_memory)
{
    CUlaunchAttribute oversized = shared_mode(CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY),
                      allow = shared_mode(CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE);

    setenv("CUPIPE_DRIVER", "13.2", 1);
    with_context();
    only_cupipe();
    CUfunction function = shared_function();
    CUdeviceptr words = device_words(1);
    check_result(launch_shared(function, 1, 64, &oversized, 1, words, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(launch_shared(function, 1, 64, &allow, 1, words, NULL));
    check_success(cuCtxSynchronize());
}
