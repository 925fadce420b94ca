/* SPDX-License-Identifier: MIT */
/* Capturing work again into a graph that has its nodes; and captures into command lists, which the
 * device does not support. */
#include "graphs.h"
#include "capture.h"

/* What the callback was told, and what it answers. */
struct told {
    unsigned calls;
    CUgraphNode node;
    CUgraphNodeParams before, after;
    CUgraphRecaptureStatus status;
    CUresult answer;
};

static CUresult CUDA_CB tell(void *data, CUgraphNode node, const CUgraphNodeParams *original,
                             const CUgraphNodeParams *recaptured, CUgraphRecaptureStatus status)
{
    struct told *told = data;
    CUgraphNodeType type;

    check_success(cuGraphNodeGetType(node, &type));
    check(original->type == type && recaptured->type == type);
    told->calls++;
    told->node = node;
    told->before = *original;
    told->after = *recaptured;
    told->status = status;
    return told->answer;
}

static void begin_again(CUstream stream, CUgraph graph, struct told *told)
{
    check_success(cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_RELAXED, graph,
                                                told ? tell : NULL, told));
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

/* Two fills and a copy, one behind the other. */
static void submit(CUstream stream, CUdeviceptr words, unsigned value)
{
    fill(words, value, stream);
    check_success(cuMemsetD32Async(words, value + 1, 1, stream));
    check_success(cuMemcpyDtoDAsync(words + 8, words, 4, stream));
}

static CUgraph captured(CUstream stream, CUdeviceptr words, unsigned value)
{
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    submit(stream, words, value);
    return end(stream, 3, 2);
}

/* The capture is over and the graph is left to the application. */
static void end_failed(CUstream stream, CUgraph graph)
{
    size_t count;

    end_invalid(stream);
    check_success(cuGraphGetNodes(graph, NULL, &count));
    check_success(cuGraphDestroy(graph));
}

TEST(the_same_work_is_met_again)
{
    struct told told = {0};
    CUgraphNode before[3], after[3];
    size_t count = 3;

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    check_success(cuGraphGetNodes(graph, before, &count));
    begin_again(stream, graph, &told);
    submit(stream, words, 5);
    check(end(stream, 3, 2) == graph);
    check(told.calls == 0);
    check_success(cuGraphGetNodes(graph, after, &count));
    check(memcmp(before, after, sizeof(before)) == 0);
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 6 && device_word(words + 4) == 5 && device_word(words + 8) == 6);
}

/* The callback hears of each difference, and the graph takes it. */
TEST(differences_are_told_and_taken)
{
    struct told told = {0};
    CUgraphNode nodes[3];
    size_t count = 3;

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphGetNodes(graph, nodes, &count));
    begin_again(stream, graph, &told);
    fill(words, 5, stream);
    check(told.calls == 0);
    check_success(cuMemsetD32Async(words, 30, 1, stream));
    check(told.calls == 1 && told.node == nodes[1]);
    check(told.before.memset.value == 6 && told.after.memset.value == 30);
    check(told.status == CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
    check_success(cuMemcpyDtoDAsync(words + 12, words, 4, stream));
    check(told.calls == 2 && told.node == nodes[2]);
    check(told.before.memcpy.copyParams.dstDevice == words + 8);
    check(told.after.memcpy.copyParams.dstDevice == words + 12);
    check(end(stream, 3, 2) == graph);
    check_success(cuGraphExecUpdate(exec, graph, NULL));
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 30 && device_word(words + 12) == 30 && device_word(words + 8) == 5);
}

TEST(without_a_callback_differences_are_taken)
{
    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    for (unsigned i = 10; i < 30; i++) {
        begin_again(stream, graph, NULL);
        submit(stream, words, i);
        check(end(stream, 3, 2) == graph);
    }
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 30 && device_word(words + 4) == 29);
}

/* An executable graph cannot take a write of another size. */
TEST(the_status_says_what_cannot_be_updated)
{
    struct told told = {0};

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuStreamWriteValue32(stream, words, 1, 0));
    CUgraph graph = end(stream, 1, 0);
    begin_again(stream, graph, &told);
    check_success(cuStreamWriteValue64(stream, words, 1, 0));
    check(end(stream, 1, 0) == graph);
    check(told.calls == 1 && told.status == CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE);
    begin_again(stream, graph, &told);
    check_success(cuStreamWriteValue64(stream, words + 8, 1, 0));
    check(end(stream, 1, 0) == graph);
    check(told.calls == 2 && told.status == CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
}

static CUresult launch_scale(CUfunction scale, CUdeviceptr words, unsigned by, CUstream stream)
{
    unsigned count = 1;
    void *arguments[] = {&words, &count, &by};

    return cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
}

TEST(arguments_of_kernels_are_compared)
{
    struct told told = {0};

    need_driver(13030);
    with_context();
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr words = device_words(4);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(launch_scale(functions.scale, words, 1, stream));
    CUgraph graph = end(stream, 1, 0);
    begin_again(stream, graph, &told);
    check_success(launch_scale(functions.scale, words, 1, stream));
    check(end(stream, 1, 0) == graph);
    check(told.calls == 0);
    begin_again(stream, graph, &told);
    check_success(launch_scale(functions.scale, words + 4, 1, stream));
    check(end(stream, 1, 0) == graph);
    check(told.calls == 1 && told.status == CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 0 && device_word(words + 4) == 1);
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

TEST(modes_of_host_functions_are_compared)
{
    struct told told = {0};

    need_driver(13030);
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuLaunchHostFunc(stream, do_nothing, NULL));
    CUgraph graph = end(stream, 1, 0);
    begin_again(stream, graph, &told);
    check_success(cuLaunchHostFunc_v2(stream, do_nothing, NULL, CU_HOST_TASK_BLOCKING));
    end(stream, 1, 0);
    check(told.calls == 0);
    begin_again(stream, graph, &told);
    check_success(cuLaunchHostFunc_v2(stream, do_nothing, NULL, CU_HOST_TASK_SPINWAIT));
    end(stream, 1, 0);
    check(told.calls == 1 && told.after.host.syncMode == CU_HOST_TASK_SPINWAIT);
}

TEST(a_callback_can_refuse)
{
    struct told told = {.answer = CUDA_ERROR_UNKNOWN};

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    begin_again(stream, graph, &told);
    check_result(cuMemsetD32Async(words, 6, WORDS, stream), CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    check_result(cuMemsetD32Async(words, 5, WORDS, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check(told.calls == 1);
    end_failed(stream, graph);
    fill(words, 7, stream);
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 7);
}

TEST(work_of_another_type_fails)
{
    struct told told = {0};

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    begin_again(stream, graph, &told);
    check_result(cuMemcpyDtoDAsync(words + 8, words, 4, stream),
                 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    check(told.calls == 0);
    end_failed(stream, graph);
}

TEST(too_much_work_fails)
{
    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    begin_again(stream, graph, NULL);
    submit(stream, words, 5);
    check_result(cuMemsetD32Async(words, 5, WORDS, stream), CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    end_failed(stream, graph);
}

TEST(too_little_work_fails)
{
    CUgraph ended = (CUgraph)16;
    size_t count;

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    begin_again(stream, graph, NULL);
    fill(words, 5, stream);
    check_result(cuStreamEndCapture(stream, &ended), CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    check(ended == NULL && status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    check_success(cuGraphGetNodes(graph, NULL, &count));
    check_success(cuGraphDestroy(graph));
}

/* Two branches that a third node joins. */
static void submit_forked(CUstream stream, CUstream other, CUevent event, CUdeviceptr words,
                          bool join)
{
    fill(words, 1, stream);
    fork_to(stream, other, event);
    fill(words, 2, other);
    fill(words, 3, stream);
    if (join)
        fork_to(other, stream, event);
    check_success(cuMemcpyDtoDAsync(words + 8, words, 4, stream));
}

TEST(forks_are_met_again)
{
    struct told told = {0};
    CUgraph ended;

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(0);
    CUevent event = new_event(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    submit_forked(stream, other, event, words, true);
    CUgraph graph = end(stream, 4, 4);
    for (unsigned i = 0; i < 3; i++) {
        begin_again(stream, graph, &told);
        submit_forked(stream, other, event, words, true);
        check(end(stream, 4, 4) == graph);
    }
    check(told.calls == 0);
    begin_again(stream, graph, &told);
    fill(words, 1, stream);
    fork_to(stream, other, event);
    fill(words, 2, other);
    fill(words, 3, stream);
    check_result(cuStreamEndCapture(stream, &ended), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    check(status_of(other) == CU_STREAM_CAPTURE_STATUS_NONE);
    check_success(cuGraphDestroy(graph));
}

TEST(other_dependencies_fail)
{
    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(0);
    CUevent event = new_event(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    submit_forked(stream, other, event, words, true);
    CUgraph graph = end(stream, 4, 4);
    begin_again(stream, graph, NULL);
    fill(words, 1, stream);
    fork_to(stream, other, event);
    fill(words, 2, other);
    fill(words, 3, stream);
    check_result(cuMemcpyDtoDAsync(words + 8, words, 4, stream),
                 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    end_failed(stream, graph);
}

/* Allocations keep their addresses; they and frees cannot change. */
TEST(memory_nodes_must_be_the_same)
{
    struct told told = {0};
    CUdeviceptr first, again;

    need_driver(13030);
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuMemAllocAsync(&first, 4096, stream));
    check_success(cuMemsetD32Async(first, 7, 1024, stream));
    check_success(cuMemFreeAsync(first, stream));
    CUgraph graph = end(stream, 3, 2);
    begin_again(stream, graph, &told);
    check_success(cuMemAllocAsync(&again, 4096, stream));
    check(again == first);
    check_success(cuMemsetD32Async(again, 7, 1024, stream));
    check_success(cuMemFreeAsync(again, stream));
    check(end(stream, 3, 2) == graph);
    check(told.calls == 0);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuGraphExecDestroy(exec));
    begin_again(stream, graph, &told);
    check_result(cuMemAllocAsync(&again, 8192, stream), CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    check(told.calls == 0);
    end_failed(stream, graph);
}

static void CUDA_CB count_end(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

TEST(user_objects_are_released)
{
    static atomic_uint ended;
    CUuserObject object;

    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    check_success(
        cuUserObjectCreate(&object, &ended, count_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    check_success(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    check(atomic_load(&ended) == 0);
    begin_again(stream, graph, NULL);
    check(atomic_load(&ended) == 1);
    submit(stream, words, 5);
    check(end(stream, 3, 2) == graph);
    check_success(cuGraphDestroy(graph));
    check(atomic_load(&ended) == 1);
}

static CUstream callback_stream;

static CUresult CUDA_CB submit_more(void *data, CUgraphNode node, const CUgraphNodeParams *original,
                                    const CUgraphNodeParams *recaptured,
                                    CUgraphRecaptureStatus status)
{
    (void)node, (void)original, (void)recaptured, (void)status;
    check_result(cuMemsetD32Async(*(CUdeviceptr *)data, 1, 1, callback_stream),
                 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    return CUDA_SUCCESS;
}

static CUresult CUDA_CB end_it(void *data, CUgraphNode node, const CUgraphNodeParams *original,
                               const CUgraphNodeParams *recaptured, CUgraphRecaptureStatus status)
{
    CUgraph ended;

    (void)data, (void)node, (void)original, (void)recaptured, (void)status;
    check_result(cuStreamEndCapture(callback_stream, &ended), CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    return CUDA_SUCCESS;
}

/* The manual does not say what a callback may do; here it may do anything but go on with the
 * capture. */
TEST(a_callback_cannot_go_on_with_the_capture)
{
    need_driver(13030);
    with_context();
    only_cupipe();
    CUdeviceptr words = new_words();
    callback_stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(callback_stream, words, 5);
    check_success(cuStreamBeginRecaptureToGraph(callback_stream, CU_STREAM_CAPTURE_MODE_RELAXED,
                                                graph, submit_more, &words));
    check_result(cuMemsetD32Async(words, 6, WORDS, callback_stream),
                 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    end_failed(callback_stream, graph);
    graph = captured(callback_stream, words, 5);
    check_success(cuStreamBeginRecaptureToGraph(callback_stream, CU_STREAM_CAPTURE_MODE_RELAXED,
                                                graph, end_it, NULL));
    check_result(cuMemsetD32Async(words, 6, WORDS, callback_stream),
                 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE);
    check(status_of(callback_stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    check_success(cuGraphDestroy(graph));
}

TEST(a_stream_that_ends_leaves_the_graph)
{
    need_driver(13030);
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 5);
    begin_again(stream, graph, NULL);
    fill(words, 5, stream);
    check_success(cuStreamDestroy(stream));
    check_success(cuGraphDestroy(graph));
}

TEST(wrong_arguments_are_refused)
{
    const CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    need_driver(13030);
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(0);
    CUgraph graph = new_graph();
    check_result(cuStreamBeginRecaptureToGraph(stream, (CUstreamCaptureMode)3, graph, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamBeginRecaptureToGraph(stream, mode, NULL, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamBeginRecaptureToGraph(CU_STREAM_LEGACY, mode, graph, NULL, NULL),
                 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    begin_again(stream, graph, NULL);
    check_result(cuStreamBeginRecaptureToGraph(stream, mode, graph, NULL, NULL),
                 CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuStreamBeginRecaptureToGraph(other, mode, graph, NULL, NULL),
                 CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuGraphDestroy(graph), CUDA_ERROR_ILLEGAL_STATE);
    check(end(stream, 0, 0) == graph);
}

TEST(older_drivers_do_not_recapture)
{
    setenv("CUPIPE_DRIVER", "13.2", 1);
    need_driver(13030);
    with_context();
    only_cupipe();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_result(cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_RELAXED, new_graph(),
                                               NULL, NULL),
                 CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}

/* Command lists of Direct3D 12 do not exist on Linux. */
TEST(captures_into_command_lists_are_not_supported)
{
    CUstreamCigParam list = {STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST, &list};
    CUstreamCigCaptureParams params = {&list};
    int supported = 7;

    need_driver(13030);
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(
        cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED, 0));
    if (supported)
        skip("the device supports it");
    check_result(cuStreamBeginCaptureToCig(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamBeginCaptureToCig(stream, &params), CUDA_ERROR_NOT_SUPPORTED);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    check_result(cuStreamEndCaptureToCig(stream), CUDA_ERROR_INVALID_VALUE);
    list.streamSharedDataType = (CUstreamCigDataType)2;
    check_result(cuStreamBeginCaptureToCig(stream, &params), CUDA_ERROR_INVALID_VALUE);
    params.streamCigParams = NULL;
    check_result(cuStreamBeginCaptureToCig(stream, &params), CUDA_ERROR_INVALID_VALUE);
}

/* Captures its own graph again, many times; each time one parameter differs. */
static void *recapture_many(void *argument)
{
    CUdeviceptr words = *(CUdeviceptr *)argument;
    struct told told = {0};

    need_driver(13030);
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = captured(stream, words, 0);
    for (unsigned i = 1; i <= 200; i++) {
        check_success(cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                    graph, tell, &told));
        submit(stream, words, i);
        check(end(stream, 3, 2) == graph);
        check(told.calls == 2 * i);
    }
    check_success(cuGraphLaunch(executable(graph), stream));
    check_success(cuStreamSynchronize(stream));
    return NULL;
}

TEST(threads_recapture_their_own_graphs)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    CUdeviceptr words[THREADS];

    need_driver(13030);
    with_context();
    for (unsigned i = 0; i < THREADS; i++)
        words[i] = new_words();
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, recapture_many, &words[i]) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        check(device_word(words[i]) == 201 && device_word(words[i] + 4) == 200);
}
