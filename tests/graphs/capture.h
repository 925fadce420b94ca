/* SPDX-License-Identifier: MIT */
/* Shared by the tests of stream capture. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "hold.h"

enum { WORDS = 64 };

static inline CUdeviceptr new_words(void)
{
    CUdeviceptr words;

    check_success(cuMemAlloc(&words, WORDS * 4));
    return words;
}

static inline void fill(CUdeviceptr words, unsigned value, CUstream stream)
{
    check_success(cuMemsetD32Async(words, value, WORDS, stream));
}

static inline CUstreamCaptureStatus status_of(CUstream stream)
{
    CUstreamCaptureStatus status;

    check_success(cuStreamIsCapturing(stream, &status));
    return status;
}

static inline void begin(CUstream stream, CUstreamCaptureMode mode)
{
    check_success(cuStreamBeginCapture(stream, mode));
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

/* Ends a capture that is well: the graph has this many nodes and edges. */
static inline CUgraph end(CUstream stream, size_t nodes, size_t edges)
{
    CUgraph graph = NULL;
    size_t count = 0;

    check_success(cuStreamEndCapture(stream, &graph));
    check(graph != NULL);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    check_success(cuGraphGetNodes(graph, NULL, &count));
    check(count == nodes);
    check_success(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
    check(count == edges);
    return graph;
}

/* Ends a capture that something made invalid. */
static inline void end_invalid(CUstream stream)
{
    CUgraph graph = (CUgraph)16;

    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check(graph == NULL);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

/* What follows an event in the other stream is part of the first one's capture. */
static inline void fork_to(CUstream from, CUstream to, CUevent event)
{
    check_success(cuEventRecord(event, from));
    check_success(cuStreamWaitEvent(to, event, 0));
}

static inline CUgraphNodeType type_of_only_node(CUgraph graph)
{
    CUgraphNode node;
    CUgraphNodeType type;
    size_t count = 1;

    check_success(cuGraphGetNodes(graph, &node, &count));
    check_success(cuGraphNodeGetType(node, &type));
    return type;
}

#endif
