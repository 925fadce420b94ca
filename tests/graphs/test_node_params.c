/* SPDX-License-Identifier: MIT */
/* cuGraphNodeGetParams, and the fields of parameters that came after CUDA 13.0: how a host function
 * is waited for, and the context that a node prefers. */
#include "graphs.h"

static CUgraphNodeParams params_of(CUgraphNode node)
{
    CUgraphNodeParams params;

    memset(&params, 0xa5, sizeof(params));
    check_success(cuGraphNodeGetParams(node, &params));
    return params;
}

static CUgraphNode add(CUgraph graph, CUgraphNodeParams *params)
{
    CUgraphNode node;

    check_success(cuGraphAddNode(&node, graph, NULL, NULL, 0, params));
    return node;
}

static CUgraphNode only_node(CUgraph graph)
{
    CUgraphNode node;
    size_t count = 1;

    check_success(cuGraphGetNodes(graph, &node, &count));
    check(count == 1);
    return node;
}

static void count_call(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void other_call(void *data)
{
    (void)data;
}

static CUcontext second_context(void)
{
    CUcontext before = current_context(), context;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuCtxSetCurrent(before));
    return context;
}

static CUgraphNodeParams host_params(unsigned mode, CUcontext context, void *data)
{
    return (CUgraphNodeParams){
        .type = CU_GRAPH_NODE_TYPE_HOST,
        .host = {.fn = count_call, .userData = data, .syncMode = mode, .ctx = context}};
}

TEST(a_kernel_node_answers_its_parameters)
{
    CUdeviceptr words = 0;
    unsigned count = 64, by = 3;
    void *arguments[] = {&words, &count, &by};

    need_driver(13040);
    with_context();
    struct graph_functions functions = graph_functions_load();
    words = device_words(64);
    CUDA_KERNEL_NODE_PARAMS given = kernel_params(functions.scale, arguments, count);
    CUgraphNode node;
    check_success(cuGraphAddKernelNode(&node, new_graph(), NULL, 0, &given));
    CUgraphNodeParams params = params_of(node);
    check(params.type == CU_GRAPH_NODE_TYPE_KERNEL && params.kernel.func == functions.scale);
    check(params.kernel.gridDimX == 1 && params.kernel.blockDimX == 64);
    check(params.kernel.ctx == current_context());
    check(*(CUdeviceptr *)params.kernel.kernelParams[0] == words);
    check(*(unsigned *)params.kernel.kernelParams[2] == 3);
}

/* What the answer points to stays as long as the node. */
TEST(answered_arrays_outlive_a_change)
{
    CUdeviceptr words = 0;
    unsigned count = 64, by = 3;
    void *arguments[] = {&words, &count, &by};

    need_driver(13040);
    with_context();
    struct graph_functions functions = graph_functions_load();
    CUDA_KERNEL_NODE_PARAMS given = kernel_params(functions.scale, arguments, count);
    CUgraphNode node;
    check_success(cuGraphAddKernelNode(&node, new_graph(), NULL, 0, &given));
    CUgraphNodeParams first = params_of(node);
    for (by = 4; by < 40; by++)
        check_success(cuGraphKernelNodeSetParams(node, &given));
    check(*(unsigned *)first.kernel.kernelParams[2] == 3);
    check(*(unsigned *)params_of(node).kernel.kernelParams[2] == 39);
}

TEST(copies_and_fills_answer_their_parameters)
{
    need_driver(13040);
    with_context();
    CUdeviceptr words = device_words(64);
    CUgraph graph = new_graph();
    CUgraphNodeParams copy = params_of(add_copy(graph, NULL, 0, words, words + 64, 32));
    check(copy.type == CU_GRAPH_NODE_TYPE_MEMCPY && copy.memcpy.copyCtx == current_context());
    check(copy.memcpy.copyParams.dstDevice == words && copy.memcpy.copyParams.WidthInBytes == 32);
    CUgraphNodeParams fill = params_of(add_fill(graph, NULL, 0, words, 7, 4, 8));
    check(fill.type == CU_GRAPH_NODE_TYPE_MEMSET && fill.memset.ctx == current_context());
    check(fill.memset.dst == words && fill.memset.value == 7 && fill.memset.width == 8);
}

TEST(events_and_values_answer_their_parameters)
{
    CUstreamBatchMemOpParams operation = {
        .writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32}};
    CUgraphNode node;
    CUevent event;

    need_driver(13040);
    with_context();
    CUgraph graph = new_graph();
    check_success(cuEventCreate(&event, 0));
    check_success(cuGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    check(params_of(node).type == CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    check(params_of(node).eventRecord.event == event && !params_of(node).eventRecord.ctx);
    check_success(cuGraphAddEventWaitNode(&node, graph, NULL, 0, event));
    check(params_of(node).type == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    check(params_of(node).eventWait.event == event);
    operation.writeValue.address = device_words(1);
    operation.writeValue.value = 9;
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {
        .ctx = current_context(), .count = 1, .paramArray = &operation};
    check_success(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch));
    CUgraphNodeParams params = params_of(node);
    check(params.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP && params.memOp.count == 1);
    check(params.memOp.paramArray != &operation &&
          params.memOp.paramArray[0].writeValue.value == 9);
}

TEST(memory_nodes_answer_their_address)
{
    CUDA_MEM_ALLOC_NODE_PARAMS given = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}},
        .bytesize = 4096};
    CUgraphNode alloc, free;

    need_driver(13040);
    with_context();
    CUgraph graph = new_graph();
    check_success(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &given));
    check_success(cuGraphAddMemFreeNode(&free, graph, &alloc, 1, given.dptr));
    check(params_of(alloc).type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    check(params_of(alloc).alloc.dptr == given.dptr && params_of(alloc).alloc.bytesize == 4096);
    check(params_of(free).type == CU_GRAPH_NODE_TYPE_MEM_FREE);
    check(params_of(free).free.dptr == given.dptr);
}

TEST(conditional_and_empty_nodes_answer)
{
    CUgraphNodeParams given = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                               .conditional = {.type = CU_GRAPH_COND_TYPE_IF, .size = 1}};
    CUgraphNode empty;

    need_driver(13040);
    with_context();
    CUgraph graph = new_graph();
    given.conditional.ctx = current_context();
    check_success(
        cuGraphConditionalHandleCreate(&given.conditional.handle, graph, current_context(), 0, 0));
    CUgraphNodeParams params = params_of(add(graph, &given));
    check(params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL);
    check(params.conditional.handle == given.conditional.handle);
    check(params.conditional.phGraph_out[0] == given.conditional.phGraph_out[0]);
    check_success(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    check(params_of(empty).type == CU_GRAPH_NODE_TYPE_EMPTY);
}

/* Whether the graph was copied or moved: it belongs to the node now, and cannot be added again. */
TEST(a_child_graph_has_no_valid_ownership)
{
    CUgraph child;

    need_driver(13040);
    with_context();
    CUgraph graph = new_graph();
    for (int ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
         ownership <= CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE; ownership++) {
        CUgraphNodeParams given = {
            .type = CU_GRAPH_NODE_TYPE_GRAPH,
            .graph = {.graph = new_graph(),
                      .ownership = (CUgraphChildGraphNodeOwnership)ownership}};
        CUgraphNode node = add(graph, &given);
        CUgraphNodeParams params = params_of(node);
        check_success(cuGraphChildGraphNodeGetGraph(node, &child));
        check(params.graph.graph == child);
        check(params.graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID);
        check_result(cuGraphAddNode(&node, new_graph(), NULL, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(answers_add_equal_nodes)
{
    need_driver(13040);
    with_context();
    atomic_uint *calls = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr words = device_words(4);
    CUgraph graph = new_graph(), copy = new_graph();
    CUgraphNodeParams host = host_params(CU_HOST_TASK_SPINWAIT, NULL, calls);
    CUgraphNodeParams params[] = {params_of(add(graph, &host)),
                                  params_of(add_fill(graph, NULL, 0, words, 7, 4, 4))};
    check_success(cuGraphDestroy(graph));
    for (unsigned i = 0; i < 2; i++)
        add(copy, &params[i]);
    check_success(cuGraphLaunch(executable(copy), stream));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(calls) == 1 && device_word(words + 12) == 7);
}

TEST(params_need_a_node_and_an_output)
{
    CUgraphNodeParams params;
    CUgraphNode node;

    check_result(cuGraphNodeGetParams(NULL, &params), CUDA_ERROR_NOT_INITIALIZED);
    need_driver(13040);
    with_context();
    check_success(cuGraphAddEmptyNode(&node, new_graph(), NULL, 0));
    check_result(cuGraphNodeGetParams(NULL, &params), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetParams(node, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(reserved_types_are_refused)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_RESERVED_16};
    CUgraphNode node;

    need_driver(13040);
    with_context();
    check_result(cuGraphAddNode(&node, new_graph(), NULL, NULL, 0, &params),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphAddNode_v3(&node, new_graph(), NULL, NULL, 0, &params),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(host_nodes_keep_their_mode)
{
    CUgraphNode node;

    need_driver(13040);
    with_context();
    atomic_uint *calls = pinned_words(1);
    CUgraph graph = new_graph();
    for (unsigned mode = CU_HOST_TASK_BLOCKING; mode <= CU_HOST_TASK_SPINWAIT; mode++) {
        CUgraphNodeParams params = host_params(mode, NULL, calls);
        check(params_of(add(graph, &params)).host.syncMode == mode);
    }
    CUgraphNodeParams wrong = host_params(2, NULL, calls);
    check_result(cuGraphAddNode(&node, graph, NULL, NULL, 0, &wrong), CUDA_ERROR_INVALID_VALUE);
}

/* cuGraphHostNodeSetParams knows no mode and no context: both stay. */
TEST(specific_setters_keep_what_they_lack)
{
    CUDA_HOST_NODE_PARAMS other = {.fn = other_call};
    CUevent events[2];

    need_driver(13040);
    with_context();
    atomic_uint *calls = pinned_words(1);
    CUgraph graph = new_graph();
    CUgraphNodeParams params = host_params(CU_HOST_TASK_SPINWAIT, current_context(), calls);
    CUgraphNode node = add(graph, &params);
    check_success(cuGraphHostNodeSetParams(node, &other));
    check(params_of(node).host.fn == other_call);
    check(params_of(node).host.syncMode == CU_HOST_TASK_SPINWAIT);
    check(params_of(node).host.ctx == current_context());
    for (unsigned i = 0; i < 2; i++)
        check_success(cuEventCreate(&events[i], 0));
    CUgraphNodeParams record = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                .eventRecord = {.event = events[0], .ctx = current_context()}};
    CUgraphNode recording = add(graph, &record);
    check_success(cuGraphEventRecordNodeSetEvent(recording, events[1]));
    check(params_of(recording).eventRecord.event == events[1]);
    check(params_of(recording).eventRecord.ctx == current_context());
    CUgraphExec exec = executable(graph);
    check_success(cuGraphExecHostNodeSetParams(exec, node, &other));
    check_success(cuGraphExecEventRecordNodeSetEvent(exec, recording, events[0]));
}

static void refuse_context(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams params)
{
    check_result(cuGraphExecNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
}

/* An executable graph's nodes keep the contexts that they prefer. */
TEST(preferred_contexts_cannot_change_in_an_executable_graph)
{
    CUevent event;

    need_driver(13040);
    with_context();
    CUcontext second = second_context();
    atomic_uint *calls = pinned_words(1);
    CUgraph graph = new_graph();
    check_success(cuEventCreate(&event, 0));
    CUgraphNodeParams host = host_params(0, current_context(), calls);
    CUgraphNodeParams record = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                .eventRecord = {.event = event}};
    CUgraphNodeParams signal = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL};
    CUgraphNodeParams wait = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT};
    CUgraphNode nodes[] = {add(graph, &host), add(graph, &record), add(graph, &signal),
                           add(graph, &wait)};
    CUgraphExec exec = executable(graph);
    check_success(cuGraphExecNodeSetParams(exec, nodes[0], &host));
    check_success(cuGraphExecNodeSetParams(exec, nodes[1], &record));
    check_success(cuGraphExecNodeSetParams(exec, nodes[2], &signal));
    check_success(cuGraphExecNodeSetParams(exec, nodes[3], &wait));
    host.host.ctx = record.eventRecord.ctx = signal.extSemSignal.ctx = wait.extSemWait.ctx = second;
    refuse_context(exec, nodes[0], host);
    refuse_context(exec, nodes[1], record);
    refuse_context(exec, nodes[2], signal);
    refuse_context(exec, nodes[3], wait);
    check_success(cuGraphNodeSetParams(nodes[0], &host));
    check(params_of(nodes[0]).host.ctx == second);
}

TEST(a_green_context_can_be_preferred)
{
    CUdevResource resource;
    CUdevResourceDesc description;
    CUgreenCtx green;

    need_driver(13040);
    with_context();
    check_success(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
    check_success(cuDevResourceGenerateDesc(&description, &resource, 1));
    check_success(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    atomic_uint *calls = pinned_words(1);
    CUgraph graph = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST,
                                .host = {.fn = count_call, .userData = calls, .gCtx = green}};
    check(params_of(add(graph, &params)).host.gCtx == green);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(calls) == 1);
}

TEST(a_destroyed_context_cannot_be_preferred)
{
    CUgraphNode node;

    need_driver(13040);
    with_context();
    CUcontext second = second_context();
    check_success(cuCtxDestroy(second));
    only_cupipe();
    CUgraphNodeParams params = host_params(0, second, NULL);
    check_result(cuGraphAddNode(&node, new_graph(), NULL, NULL, 0, &params),
                 CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/* The third form of cuGraphAddNode compares a function with the context of the node; the second
 * ignores the context. */
TEST(functions_belong_to_the_context_of_their_node)
{
    CUgraphNode node;

    need_driver(13040);
    with_context();
    CUcontext second = second_context();
    struct graph_functions functions = graph_functions_load();
    CUgraph graph = new_graph();
    CUdeviceptr words = device_words(64);
    unsigned count = 64, by = 3;
    void *arguments[] = {&words, &count, &by};
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                                .kernel = {.func = functions.scale,
                                           .gridDimX = 1,
                                           .gridDimY = 1,
                                           .gridDimZ = 1,
                                           .blockDimX = 64,
                                           .blockDimY = 1,
                                           .blockDimZ = 1,
                                           .kernelParams = arguments,
                                           .ctx = second}};
    check_success(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    check_success(cuGraphNodeSetParams(node, &params));
    check_result(cuGraphNodeSetParams_v2(node, &params), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, &params),
                 CUDA_ERROR_INVALID_CONTEXT);
    params.kernel.ctx = current_context();
    check_success(cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, &params));
    check_success(cuGraphNodeSetParams_v2(node, &params));
    params.kernel.ctx = NULL;
    check_success(cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, &params));
    check_result(cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeSetParams_v2(node, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_third_form_adds_edges)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUgraphNode first, second, found;
    size_t count = 1;

    need_driver(13040);
    with_context();
    CUgraph graph = new_graph();
    check_success(cuGraphAddNode_v3(&first, graph, NULL, NULL, 0, &params));
    check_success(cuGraphAddNode_v3(&second, graph, &first, NULL, 1, &params));
    check_success(cuGraphNodeGetDependencies(second, &found, NULL, &count));
    check(count == 1 && found == first);
}

TEST(host_functions_have_a_mode)
{
    need_driver(13040);
    with_context();
    atomic_uint *calls = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuLaunchHostFunc_v2(stream, count_call, calls, CU_HOST_TASK_BLOCKING));
    check_success(cuLaunchHostFunc_v2(stream, count_call, calls, CU_HOST_TASK_SPINWAIT));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(calls) == 2);
    check_result(cuLaunchHostFunc_v2(stream, count_call, calls, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchHostFunc_v2(stream, NULL, calls, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(calls) == 2);
}

TEST(a_captured_host_function_keeps_its_mode)
{
    CUgraph graph;

    need_driver(13040);
    with_context();
    atomic_uint *calls = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned mode = CU_HOST_TASK_BLOCKING; mode <= CU_HOST_TASK_SPINWAIT; mode++) {
        check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        check_success(cuLaunchHostFunc_v2(stream, count_call, calls, mode));
        check_success(cuStreamEndCapture(stream, &graph));
        check(params_of(only_node(graph)).host.syncMode == mode);
        check_success(cuGraphLaunch(executable(graph), stream));
        check_success(cuStreamSynchronize(stream));
        check(atomic_load(calls) == mode + 1);
    }
}

/* To a driver of 13.0 these fields are reserved bytes, which must be zero. */
TEST(older_drivers_refuse_later_fields)
{
    CUgraphNode node;
    CUevent event;

    setenv("CUPIPE_DRIVER", "13.0", 1);
    need_driver(13040);
    with_context();
    only_cupipe();
    CUgraph graph = new_graph();
    check_success(cuEventCreate(&event, 0));
    CUgraphNodeParams params[] = {
        host_params(CU_HOST_TASK_SPINWAIT, NULL, NULL),
        host_params(0, current_context(), NULL),
        {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
         .eventRecord = {.event = event, .ctx = current_context()}},
        {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, .extSemWait = {.ctx = current_context()}}};
    for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
        check_result(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params[i]),
                     CUDA_ERROR_INVALID_VALUE);
    CUgraphNodeParams plain = host_params(0, NULL, NULL);
    check_success(cuGraphAddNode(&node, graph, NULL, NULL, 0, &plain));
    check_result(cuGraphNodeGetParams(node, &plain), CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}

/* syncMode came before the context. */
TEST(a_driver_of_13_1_knows_modes_but_no_contexts)
{
    CUgraphNode node;

    setenv("CUPIPE_DRIVER", "13.1", 1);
    need_driver(13040);
    with_context();
    only_cupipe();
    CUgraphNodeParams mode = host_params(CU_HOST_TASK_SPINWAIT, NULL, NULL);
    check_success(cuGraphAddNode(&node, new_graph(), NULL, NULL, 0, &mode));
    CUgraphNodeParams context = host_params(0, current_context(), NULL);
    check_result(cuGraphAddNode(&node, new_graph(), NULL, NULL, 0, &context),
                 CUDA_ERROR_INVALID_VALUE);
}
