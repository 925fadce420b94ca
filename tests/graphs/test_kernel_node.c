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
