/* SPDX-License-Identifier: MIT */
/* The call that launches a graph waits for copies to pageable memory, as an asynchronous copy in a
 * stream does, and for nothing else. */
#include "graphs.h"

#include <pthread.h>
#include <stdlib.h>

enum { WORDS = 1024, BYTES = WORDS * 4, VALUE = 77 };

static struct blocker blocker;
static CUdeviceptr source;
static CUstream stream;

static void with_source(void)
{
    with_context();
    source = device_words(WORDS);
    check_success(cuMemsetD32(source, VALUE, WORDS));
    check_success(cuCtxSynchronize());
    stream = new_stream(CU_STREAM_NON_BLOCKING);
}

static unsigned *pageable(void)
{
    return calloc(WORDS, sizeof(unsigned));
}

static CUgraphNode add_blocker(CUgraph graph, const CUgraphNode *before)
{
    CUDA_HOST_NODE_PARAMS params = {.fn = blocker_run, .userData = &blocker};
    CUgraphNode node;

    check_success(cuGraphAddHostNode(&node, graph, before, before ? 1 : 0, &params));
    return node;
}

static CUDA_MEMCPY3D copy_to_host(void *to)
{
    CUDA_MEMCPY3D params = copy_params(0, source, BYTES);

    params.dstMemoryType = CU_MEMORYTYPE_HOST;
    params.dstHost = to;
    return params;
}

static CUgraphNode add_copy_to_host(CUgraph graph, const CUgraphNode *before, void *to)
{
    CUDA_MEMCPY3D params = copy_to_host(to);
    CUgraphNode node;

    check_success(
        cuGraphAddMemcpyNode(&node, graph, before, before ? 1 : 0, &params, current_context()));
    return node;
}

/* Lets the blocker go on some time after it has begun. */
static void *release_later(void *unused)
{
    (void)unused;
    flag_wait(&blocker.started);
    for (unsigned i = 0; i < 100; i++)
        nap();
    flag_raise(&blocker.released);
    return NULL;
}

/* Launches with the blocker in the way of the copy: the words are there when the call returns, and
 * so is the end of the graph. */
static void check_launch_waits(CUgraphExec exec, const unsigned *words)
{
    pthread_t thread;

    blocker = (struct blocker){0};
    check(pthread_create(&thread, NULL, release_later, NULL) == 0);
    check_success(cuGraphLaunch(exec, stream));
    check(words[0] == VALUE && words[WORDS - 1] == VALUE);
    check_success(cuStreamQuery(stream));
    check(pthread_join(thread, NULL) == 0);
}

/* Launches with a blocker that goes on only after the call has returned. */
static void check_launch_returns(CUgraphExec exec)
{
    blocker = (struct blocker){0};
    check_success(cuGraphLaunch(exec, stream));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
}

TEST(a_launch_waits_for_copies_to_pageable_memory)
{
    with_source();
    CUgraph graph = new_graph();
    unsigned *words = pageable();
    CUgraphNode before = add_blocker(graph, NULL);
    add_copy_to_host(graph, &before, words);
    CUgraphExec exec = executable(graph);
    check_launch_waits(exec, words);
    memset(words, 0, BYTES);
    check_launch_waits(exec, words);
}

TEST(a_launch_waits_for_copies_in_child_graphs)
{
    with_source();
    CUgraph graph = new_graph(), child = new_graph();
    unsigned *words = pageable();
    CUgraphNode before = add_blocker(child, NULL), node;
    add_copy_to_host(child, &before, words);
    check_success(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    check_launch_waits(executable(graph), words);
}

TEST(a_launch_waits_for_all_of_several_copies)
{
    with_source();
    CUgraph graph = new_graph();
    unsigned *first = pageable(), *second = pageable();
    CUgraphNode before = add_blocker(graph, NULL);
    add_copy_to_host(graph, NULL, first);
    CUgraphNode copy = add_copy_to_host(graph, &before, second);
    add_fill(graph, &copy, 1, source, VALUE, 4, WORDS);
    CUgraphExec exec = executable(graph);
    pthread_t thread;

    check(pthread_create(&thread, NULL, release_later, NULL) == 0);
    check_success(cuGraphLaunch(exec, stream));
    check(first[WORDS - 1] == VALUE && second[WORDS - 1] == VALUE);
    check_success(cuStreamSynchronize(stream));
    check(pthread_join(thread, NULL) == 0);
}

TEST(a_launch_does_not_wait_for_nodes_after_the_copy)
{
    with_source();
    CUgraph graph = new_graph();
    unsigned *words = pageable();
    CUgraphNode copy = add_copy_to_host(graph, NULL, words);
    add_blocker(graph, &copy);
    CUgraphExec exec = executable(graph);
    blocker = (struct blocker){0};
    check_success(cuGraphLaunch(exec, stream));
    check(words[0] == VALUE && words[WORDS - 1] == VALUE);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
}

TEST(a_launch_does_not_wait_for_nodes_beside_the_copy)
{
    with_source();
    CUgraph graph = new_graph();
    unsigned *words = pageable();
    add_copy_to_host(graph, NULL, words);
    add_blocker(graph, NULL);
    check_launch_returns(executable(graph));
    check(words[0] == VALUE);
}

TEST(a_launch_does_not_wait_for_copies_to_pinned_memory)
{
    with_source();
    CUgraph graph = new_graph();
    CUgraphNode before = add_blocker(graph, NULL);
    add_copy_to_host(graph, &before, pinned_words(WORDS));
    check_launch_returns(executable(graph));
}

/* What counts is the node as it is when the graph is launched. */
TEST(a_launch_waits_for_copies_as_they_are_now)
{
    with_source();
    CUgraph graph = new_graph();
    unsigned *words = pageable();
    CUgraphNode before = add_blocker(graph, NULL);
    CUgraphNode copy = add_copy_to_host(graph, &before, words);
    CUgraphExec exec = executable(graph);
    CUDA_MEMCPY3D pinned = copy_to_host(pinned_words(WORDS)), again = copy_to_host(words);
    check_success(cuGraphNodeSetEnabled(exec, copy, 0));
    check_launch_returns(exec);
    check(words[0] == 0);
    check_success(cuGraphNodeSetEnabled(exec, copy, 1));
    check_launch_waits(exec, words);
    check_success(cuGraphExecMemcpyNodeSetParams(exec, copy, &pinned, current_context()));
    check_launch_returns(exec);
    check_success(cuGraphExecMemcpyNodeSetParams(exec, copy, &again, current_context()));
    memset(words, 0, BYTES);
    check_launch_waits(exec, words);
}
