/* SPDX-License-Identifier: MIT */
/* Stream capture: its life cycle, forks and joins, and the nodes that calls become. */
#include "capture.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                            CU_STREAM_CAPTURE_MODE_RELAXED};

TEST(captured_work_does_not_run)
{
    unsigned word = 7;

    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    fill(words, 5, stream);
    check_success(cuStreamSynchronize(stream));
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    fill(words, 6, stream);
    CUgraph graph = end(stream, 1, 0);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&word, words, 4));
    check(word == 5);
    check(type_of_only_node(graph) == CU_GRAPH_NODE_TYPE_MEMSET);
    check_success(cuGraphDestroy(graph));
}

TEST(work_behind_a_capture_runs)
{
    unsigned word = 7;

    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 1; i <= 3; i++) {
        begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
        fill(words, 100, stream);
        check_success(cuGraphDestroy(end(stream, 1, 0)));
        fill(words, i, stream);
        check_success(cuStreamSynchronize(stream));
        check_success(cuMemcpyDtoH(&word, words, 4));
        check(word == i);
    }
}

/* What was submitted before goes on while the stream captures. */
TEST(pending_work_goes_on)
{
    unsigned word = 7;

    with_context();
    CUdeviceptr words = new_words();
    atomic_uint *hold = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    fill(words, 1, stream);
    hold_until(stream, hold);
    fill(words, 2, stream);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    fill(words, 3, stream);
    atomic_store(hold, 1);
    check_success(cuGraphDestroy(end(stream, 1, 0)));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&word, words, 4));
    check(word == 2);
}

TEST(nodes_follow_each_other)
{
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    for (unsigned i = 0; i < 100; i++)
        fill(words, i, stream);
    end(stream, 100, 99);
}

TEST(modes_that_are_none)
{
    with_context();
    CUstream stream = new_stream(0);
    check_result(cuStreamBeginCapture(stream, (CUstreamCaptureMode)3), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamBeginCapture(stream, (CUstreamCaptureMode)-1), CUDA_ERROR_INVALID_VALUE);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(legacy_stream_does_not_capture)
{
    with_context();
    check_result(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED),
                 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    begin(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED);
    end(CU_STREAM_PER_THREAD, 0, 0);
}

/* A call that uses the legacy stream would wait for blocking streams that capture. */
TEST(legacy_stream_ends_captures_of_blocking_streams)
{
    CUstreamCaptureStatus status;

    with_context();
    CUdeviceptr words = new_words();
    CUstream blocking = new_stream(0), other = new_stream(CU_STREAM_NON_BLOCKING);
    begin(other, CU_STREAM_CAPTURE_MODE_RELAXED);
    fill(words, 1, NULL);
    begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    check(status_of(blocking) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    check_result(cuMemsetD32Async(words, 1, WORDS, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    end_invalid(blocking);
    end(other, 0, 0);
    fill(words, 1, NULL);
}

/* The default stream of a thread is a blocking stream, too. */
TEST(legacy_stream_ends_captures_of_per_thread_streams)
{
    CUstream const stream = CU_STREAM_PER_THREAD;
    CUstreamCaptureStatus status;

    for (unsigned i = 0; i < 3; i++) {
        with_context();
        CUdeviceptr words = new_words();
        CUevent event = new_event(0);
        begin(stream, modes[i]);
        check_result(cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        check_result(cuStreamIsCapturing(CU_STREAM_LEGACY, &status),
                     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        check_result(cuMemsetD32Async(words, 1, WORDS, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        end_invalid(stream);
        begin(stream, modes[i]);
        check_result(cuEventRecord(event, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        end_invalid(stream);
        begin(stream, modes[i]);
        check_result(cuStreamQuery(NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        end_invalid(stream);
        fill(words, 1, NULL);
    }
}

TEST(fork_and_join)
{
    for (unsigned i = 0; i < 3; i++) {
        with_context();
        CUdeviceptr words = new_words();
        CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
        CUevent forked = new_event(0), joined = new_event(0);
        begin(first, modes[i]);
        fill(words, 1, first);
        fork_to(first, second, forked);
        check(status_of(second) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        fill(words, 2, second);
        fill(words, 3, first);
        fork_to(second, first, joined);
        fill(words, 4, first);
        end(first, 4, 4); /* 1 to 2, 1 to 3, 2 to 4, 3 to 4 */
        check(status_of(second) == CU_STREAM_CAPTURE_STATUS_NONE);
    }
}

TEST(unjoined_work_is_an_error)
{
    CUgraph graph = (CUgraph)16;

    with_context();
    CUdeviceptr words = new_words();
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
    CUevent event = new_event(0);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    fork_to(first, second, event);
    fill(words, 2, second);
    check_result(cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    check(graph == NULL);
    check(status_of(first) == CU_STREAM_CAPTURE_STATUS_NONE);
    check(status_of(second) == CU_STREAM_CAPTURE_STATUS_NONE);
}

/* A stream that only waited has nothing to join. */
TEST(forked_stream_without_work)
{
    with_context();
    CUdeviceptr words = new_words();
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
    CUevent event = new_event(0);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    fill(words, 1, first);
    fork_to(first, second, event);
    fill(words, 2, first);
    end(first, 2, 1);
}

TEST(capture_ends_where_it_began)
{
    CUgraph graph;

    with_context();
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
    CUevent event = new_event(0);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    fork_to(first, second, event);
    check_result(cuStreamEndCapture(second, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    check(status_of(second) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    end_invalid(first);
    check_result(cuStreamEndCapture(first, &graph), CUDA_ERROR_ILLEGAL_STATE);
}

TEST(events_of_other_captures)
{
    with_context();
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
    CUevent event = new_event(0);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    begin(second, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuEventRecord(event, first));
    check_result(cuStreamWaitEvent(second, event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    end_invalid(first);
    end_invalid(second);
}

TEST(events_from_outside)
{
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(0);
    CUevent event = new_event(0), unrecorded = new_event(0);
    check_success(cuEventRecord(event, other));
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuStreamWaitEvent(stream, unrecorded, 0));
    check_result(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    end_invalid(stream);
}

TEST(captured_events_have_no_time)
{
    float time;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0), other = new_event(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuEventRecord(event, stream));
    check_result(cuEventElapsedTime(&time, event, other), CUDA_ERROR_CAPTURED_EVENT);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    check_result(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
    end_invalid(stream);
    check_result(cuEventQuery(event), CUDA_ERROR_INVALID_VALUE);
    check_result(cuEventSynchronize(event), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuEventRecord(event, stream));
    check_success(cuEventSynchronize(event));
    check_success(cuStreamWaitEvent(stream, event, 0));
}

TEST(external_events_are_nodes)
{
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent recorded = new_event(0), waited = new_event(0);
    check_result(cuEventRecordWithFlags(recorded, stream, CU_EVENT_RECORD_EXTERNAL),
                 CUDA_ERROR_ILLEGAL_STATE);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuStreamWaitEvent(stream, waited, CU_EVENT_WAIT_EXTERNAL));
    check_success(cuEventRecordWithFlags(recorded, stream, CU_EVENT_RECORD_EXTERNAL));
    end(stream, 2, 1);
}

TEST(external_record_counts_when_the_graph_runs)
{
    CUgraph graph;
    CUgraphExec exec;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuEventQuery(event));
    check_success(cuEventSynchronize(event));
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    end(stream, 1, 0);
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuEventSynchronize(event));
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
}

TEST(capture_into_a_graph)
{
    CUgraph graph, ended;
    CUgraphNode nodes[2];
    size_t count;

    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
    check_success(cuGraphAddEmptyNode(&nodes[1], graph, NULL, 0));
    check_success(
        cuStreamBeginCaptureToGraph(stream, graph, nodes, NULL, 2, CU_STREAM_CAPTURE_MODE_RELAXED));
    fill(words, 1, stream);
    check_result(cuGraphDestroy(graph), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuGraphDestroyNode(nodes[0]), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuStreamEndCapture(stream, &ended));
    check(ended == graph);
    check_success(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
    check(count == 2);
    check_success(cuGraphDestroy(graph));
}

TEST(info_and_dependencies)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    CUgraphNode empty;
    CUgraph graph;
    cuuint64_t id;
    size_t count;

    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_result(cuStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0),
                 CUDA_ERROR_ILLEGAL_STATE);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    fill(words, 1, stream);
    check_success(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
    check(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0 && count == 1 && edges != NULL);
    check_success(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    check_success(cuStreamUpdateCaptureDependencies(stream, &empty, NULL, 1,
                                                    CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    check_success(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
    check(count == 2 && nodes[1] == empty);
    check_success(cuStreamUpdateCaptureDependencies(stream, &empty, NULL, 1,
                                                    CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    fill(words, 2, stream);
    check(end(stream, 3, 1) == graph);
}

/* The stream where it began takes the capture with it, another one leaves its work unjoined. */
TEST(streams_end_while_they_capture)
{
    CUdeviceptr word;
    CUgraph graph;

    with_context();
    CUdeviceptr words = new_words();
    CUstream first = new_stream(0), second = new_stream(0);
    CUevent event = new_event(0);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    fill(words, 1, first);
    check_success(cuStreamDestroy(first));
    check_success(cuMemAlloc(&word, 4));
    first = new_stream(0);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    fork_to(first, second, event);
    fill(words, 1, second);
    check_success(cuStreamDestroy(second));
    check_result(cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST(context_ends_while_its_stream_captures)
{
    CUcontext context;
    CUdevice device;
    CUdeviceptr word;

    with_context();
    check_success(cuDeviceGet(&device, 0));
    check_success(cuCtxCreate(&context, NULL, 0, device));
    CUstream stream = new_stream(0);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_success(cuCtxDestroy(context));
    with_context();
    check_success(cuMemAlloc(&word, 4));
}

/* The graph is nobody's then. */
TEST(end_without_a_place_for_the_graph)
{
    with_context();
    CUstream stream = new_stream(0);
    check_result(cuStreamEndCapture(stream, NULL), CUDA_ERROR_ILLEGAL_STATE);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_success(cuStreamEndCapture(stream, NULL));
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(streams_that_wait_are_refused)
{
    for (unsigned i = 0; i < 3; i++) {
        with_context();
        CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
        begin(stream, modes[i]);
        check_result(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        end_invalid(stream);
        begin(stream, modes[i]);
        check_result(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        end_invalid(stream);
    }
}

/* A batch is refused, but the capture stays valid. */
TEST(batches_are_refused)
{
    size_t size = 4, index = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

    with_context();
    CUdeviceptr to = new_words(), from = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(cuMemcpyBatchAsync(&to, &from, &size, 1, &attributes, &index, 1, stream),
                 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end(stream, 0, 0);
}

/* What is wrong with a call leaves the capture as it was. */
TEST(errors_leave_the_capture_alone)
{
    with_context();
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(cuMemcpyDtoDAsync(0, words, 4, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD32Async(words + 1, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeAsync(words, stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemcpyDtoDAsync(words, words, 0, stream));
    end(stream, 0, 0);
}

TEST(allocations_are_nodes)
{
    CUdeviceptr made = 0;

    not_under_tsan("addresses for the memory of graphs are reserved in one piece");
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_success(cuMemAllocAsync(&made, WORDS * 4, stream));
    check(made != 0);
    fill(made, 1, stream);
    check_success(cuMemFreeAsync(made, stream));
    check_result(cuMemFreeAsync(made, stream), CUDA_ERROR_INVALID_VALUE);
    end(stream, 3, 2);
}

TEST(no_bytes_are_no_node)
{
    CUdeviceptr memory = 7;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuMemAllocAsync(&memory, 0, stream));
    check(memory == 0);
    check_success(cuGraphDestroy(end(stream, 0, 0)));
}

/* Not so a launch whose shape is refused: that ends the capture. Its arguments do not. */
TEST(refused_launch_ends_the_capture)
{
    CUmodule module;
    CUfunction function;
    CUgraph graph;
    unsigned value = 3, count = WORDS;

    with_context();
    CUdeviceptr words = new_words();
    void *arguments[] = {&words, &value, &count};
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "fill"));
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
                 CUDA_ERROR_INVALID_HANDLE);
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    check_result(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
                 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(launches_are_kernel_nodes)
{
    CUDA_KERNEL_NODE_PARAMS params;
    CUmodule module;
    CUfunction function;
    CUgraphNode node;
    unsigned value = 3, count = WORDS;
    size_t one = 1;

    with_context();
    CUdeviceptr words = new_words();
    void *arguments[] = {&words, &value, &count};
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "fill"));
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_success(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
    value = 4; /* the node has what the launch was given */
    CUgraph graph = end(stream, 1, 0);
    check_success(cuGraphGetNodes(graph, &node, &one));
    check_success(cuGraphKernelNodeGetParams(node, &params));
    check(params.func == function && params.gridDimX == 2 && params.blockDimX == 32);
    check(*(CUdeviceptr *)params.kernelParams[0] == words);
    check(*(unsigned *)params.kernelParams[1] == 3);
}

/* The log names the call, the stream and the reason, once for each capture. */
TEST(the_log_says_what_made_a_capture_invalid)
{
    char name[] = "/tmp/cupipe_capture_XXXXXX", setting[64], log[4096] = "", expected[64];
    int file = mkstemp(name);
    unsigned long long id;
    CUdeviceptr memory;
    CUgraph graph;

    snprintf(setting, sizeof(setting), "error:%s", name);
    check(file >= 0 && setenv("CUPIPE_LOG", setting, 1) == 0);
    with_context();
    only_cupipe();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuStreamGetId(stream, &id));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_result(cuMemAlloc(&memory, 4096), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_result(cuMemAlloc(&memory, 4096), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check(read(file, log, sizeof(log) - 1) > 0);
    unlink(name);
    snprintf(expected, sizeof(expected),
             "cuMemAlloc_v2 invalidates the capture of stream %llu: ", id);
    char *line = strstr(log, expected);
    check(line != NULL);
    check(strstr(line, "unsafe during a capture") != NULL);
    check(strstr(line + strlen(expected), "invalidates the capture") == NULL);
}

/* A fork of a capture whose other stream has done some work; `joined`: the first stream waits. */
struct forked {
    CUstream first, other;
    CUevent event;
    CUgraph graph;
    CUgraphNode node; /* of the other stream */
};

static CUgraphNode last_of(CUstream stream, CUgraph *graph)
{
    const CUgraphNode *nodes = NULL;
    const CUgraphEdgeData *edges;
    CUstreamCaptureStatus status;
    size_t count = 0;

    check_success(cuStreamGetCaptureInfo(stream, &status, NULL, graph, &nodes, &edges, &count));
    return count ? nodes[count - 1] : NULL;
}

static struct forked fork_with_work(bool joined)
{
    struct forked forked = {.first = new_stream(CU_STREAM_NON_BLOCKING),
                            .other = new_stream(CU_STREAM_NON_BLOCKING),
                            .event = new_event(0)};

    begin(forked.first, CU_STREAM_CAPTURE_MODE_RELAXED);
    fork_to(forked.first, forked.other, forked.event);
    fill(new_words(), 1, forked.other);
    forked.node = last_of(forked.other, &forked.graph);
    if (joined)
        fork_to(forked.other, forked.first, forked.event);
    return forked;
}

static void continue_after(CUstream stream, CUgraphNode *nodes, size_t count)
{
    check_success(cuStreamUpdateCaptureDependencies(stream, nodes, NULL, count,
                                                    CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

static CUgraphNode add_empty(CUgraph graph, const CUgraphNode *before, size_t count)
{
    CUgraphNode node;

    check_success(cuGraphAddEmptyNode(&node, graph, before, count));
    return node;
}

static void check_end(const struct forked *forked, CUresult expected)
{
    CUgraph graph;

    check_result(cuStreamEndCapture(forked->first, &graph), expected);
}

TEST(work_that_was_joined_stays_joined)
{
    with_context();
    struct forked forked = fork_with_work(true);
    continue_after(forked.first, NULL, 0);
    check_end(&forked, CUDA_SUCCESS);

    forked = fork_with_work(true);
    CUgraphNode alone = add_empty(forked.graph, NULL, 0);
    continue_after(forked.first, &alone, 1);
    fill(new_words(), 1, forked.first);
    check_end(&forked, CUDA_SUCCESS);

    forked = fork_with_work(true);
    fill(new_words(), 1, forked.first);
    CUgraphNode next = last_of(forked.first, NULL);
    check_success(cuGraphRemoveDependencies(forked.graph, &forked.node, &next, NULL, 1));
    check_end(&forked, CUDA_SUCCESS);
}

TEST(dependencies_join_work_as_events_do)
{
    with_context();
    struct forked forked = fork_with_work(false);
    continue_after(forked.first, &forked.node, 1);
    continue_after(forked.first, NULL, 0);
    check_end(&forked, CUDA_SUCCESS);

    forked = fork_with_work(false);
    add_empty(forked.graph, &forked.node, 1);
    check_end(&forked, CUDA_SUCCESS);

    forked = fork_with_work(false);
    continue_after(forked.other, NULL, 0);
    check_end(&forked, CUDA_SUCCESS);
}

TEST(work_that_was_never_joined_is_refused)
{
    with_context();
    struct forked forked = fork_with_work(false);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    forked = fork_with_work(false);
    continue_after(forked.first, NULL, 0);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    forked = fork_with_work(true);
    fill(new_words(), 1, forked.other);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    forked = fork_with_work(true);
    continue_after(forked.first, NULL, 0);
    fill(new_words(), 1, forked.other);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

/* Whoever waits for unjoined work must be joined in its place, or give it up. */
TEST(unjoined_work_stays_so_until_the_first_stream_has_it)
{
    with_context();
    CUstream third = new_stream(CU_STREAM_NON_BLOCKING);
    struct forked forked = fork_with_work(false);
    fork_to(forked.other, third, forked.event);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    forked = fork_with_work(false);
    fork_to(forked.other, third, forked.event);
    continue_after(third, NULL, 0);
    check_end(&forked, CUDA_SUCCESS);

    forked = fork_with_work(false);
    fork_to(forked.other, forked.other, forked.event);
    check_end(&forked, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    forked = fork_with_work(false);
    fork_to(forked.other, third, forked.event);
    fork_to(third, forked.first, forked.event);
    continue_after(forked.first, NULL, 0);
    check_end(&forked, CUDA_SUCCESS);
}

/* Captures a launch that records an event, and a fill of another stream that waits for it. */
static void check_event_edge(CUlaunchAttribute attribute, unsigned port, unsigned type)
{
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = new_stream(CU_STREAM_NON_BLOCKING),
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = attribute.value.programmaticEvent.event, back = new_event(0);
    CUgraphNode from, to;
    CUgraphEdgeData edge;
    CUfunction function;
    CUmodule module;
    size_t count = 1;

    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "nothing"));
    begin(config.hStream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cuLaunchKernelEx(&config, function, NULL, NULL));
    check_success(cuStreamWaitEvent(other, event, 0));
    fill(new_words(), 1, other);
    fork_to(other, config.hStream, back);
    CUgraph graph = end(config.hStream, 2, 1);
    check_success(cuGraphGetEdges(graph, &from, &to, &edge, &count));
    check(edge.from_port == port && edge.to_port == 0 && edge.type == type);
}

TEST(events_that_launches_record_are_edges_from_their_ports)
{
    with_context();
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};
    attribute.value.programmaticEvent.event = new_event(CU_EVENT_DISABLE_TIMING);
    check_event_edge(attribute, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                     CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    attribute.value.programmaticEvent.triggerAtBlockStart = 1;
    check_event_edge(attribute, CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
                     CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    CUlaunchAttribute started = {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
    started.value.launchCompletionEvent.event = new_event(CU_EVENT_DISABLE_TIMING);
    check_event_edge(started, CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
                     CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
}

TEST(capture_info_is_written_up_to_what_is_refused)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;
    const CUgraphEdgeData *edges = (const CUgraphEdgeData *)16;
    size_t count = 77;
    cuuint64_t id = 0;
    CUgraph graph = NULL;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuStreamGetCaptureInfo(stream, &status, &id, &graph, NULL, &edges, &count));
    check(status == CU_STREAM_CAPTURE_STATUS_NONE && !id && !graph);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(cuStreamGetCaptureInfo(stream, &status, &id, &graph, NULL, &edges, &count),
                 CUDA_ERROR_INVALID_VALUE);
    check(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && graph);
    check(edges == (const CUgraphEdgeData *)16 && count == 77);
    end(stream, 0, 0);
}

/* The per-thread stream synchronises with the legacy stream as a blocking one does. */
TEST(the_legacy_stream_cannot_be_asked_while_the_per_thread_stream_captures)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;

    with_context();
    check_success(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result(cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    check(status == (CUstreamCaptureStatus)77);
    end(CU_STREAM_PER_THREAD, 0, 0);
}
