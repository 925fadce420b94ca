/* SPDX-License-Identifier: MIT */
/* Work of the host (cupipe.h) that a stream captures: a host node that owns it. */
#include "capture.h"

#include "host_work.h"

static CUstream with_stream(void)
{
    with_context();
    cupipe();
    return new_stream(CU_STREAM_NON_BLOCKING);
}

static CUgraph capture(CUstream stream, struct counted *counted, size_t count)
{
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    for (size_t i = 0; i < count; i++)
        launch(stream, &counted[i]);
    return end(stream, count, count ? count - 1 : 0);
}

static CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec;

    check_success(cuGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void replay(CUgraphExec exec, CUstream stream)
{
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
}

static CUgraphNode only_node(CUgraph graph)
{
    CUgraphNode node;
    size_t count = 1;

    check_success(cuGraphGetNodes(graph, &node, &count));
    check(count == 1);
    return node;
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* A reference that ends with a launch is dropped by a thread of the library. */
static void wait_for_release(struct counted *counted, int releases)
{
    while (atomic_load(&counted->releases) < releases)
        nap();
    check(atomic_load(&counted->releases) == releases);
}

TEST(work_becomes_a_host_node)
{
    static struct counted counted;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    check(type_of_only_node(graph) == CU_GRAPH_NODE_TYPE_HOST);
    check_counts(&counted, 0, 0);
    check_success(cuGraphDestroy(graph));
    check_counts(&counted, 0, 1);
}

TEST(a_graph_runs_its_work_each_time)
{
    enum { COUNT = 50, TIMES = 20 };
    static struct counted counted[COUNT];
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, counted, COUNT);
    CUgraphExec exec = instantiate(graph);

    check_success(cuGraphDestroy(graph));
    for (int i = 0; i < TIMES; i++) {
        replay(exec, stream);
        for (int k = 0; k < COUNT; k++)
            check_counts(&counted[k], i + 1, 0);
    }
    check_success(cuGraphExecDestroy(exec));
    for (int k = 0; k < COUNT; k++) {
        wait_for_release(&counted[k], 1);
        check_counts(&counted[k], TIMES, 1);
    }
}

TEST(an_executable_graph_that_never_ran_releases_at_once)
{
    static struct counted counted;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);
    CUgraphExec exec = instantiate(graph);

    check_success(cuGraphDestroy(graph));
    check_counts(&counted, 0, 0);
    check_success(cuGraphExecDestroy(exec));
    check_counts(&counted, 0, 1);
}

TEST(the_last_clone_releases)
{
    static struct counted counted;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1), clone, outer;
    CUgraphNode node;

    check_success(cuGraphClone(&clone, graph));
    check_success(cuGraphCreate(&outer, 0));
    check_success(cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    check_success(cuGraphDestroy(graph));
    check_counts(&counted, 0, 0);
    CUgraphExec exec = instantiate(outer);
    replay(exec, stream);
    check_counts(&counted, 1, 0);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(clone));
    check_counts(&counted, 1, 0);
    check_success(cuGraphDestroy(outer));
    wait_for_release(&counted, 1);
}

TEST(a_destroyed_node_releases)
{
    static struct counted counted;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    check_success(cuGraphDestroyNode(only_node(graph)));
    check_counts(&counted, 0, 1);
    check_success(cuGraphDestroy(graph));
    check_counts(&counted, 0, 1);
}

TEST(a_capture_that_fails_releases)
{
    static struct counted counted, refused;
    CUstream stream = with_stream();
    struct cupipe_work work = work_of(&refused);

    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    launch(stream, &counted);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_result(cupipe()->launch_work(stream, &work), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    end_invalid(stream);
    wait_for_release(&counted, 1);
    check_counts(&refused, 0, 0);
}

TEST(a_capturing_stream_does_not_run_work_at_once)
{
    static struct counted counted;
    CUstream stream = with_stream();

    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(run_now(stream, &counted), CUDA_ERROR_NOT_READY);
    check_success(cuGraphDestroy(end(stream, 0, 0)));
    check_counts(&counted, 0, 0);
}

/* Updates. */

TEST(an_update_replaces_the_work)
{
    static struct counted first, second;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &first, 1), other = capture(stream, &second, 1);
    CUgraphExec exec = instantiate(graph);
    CUgraphExecUpdateResultInfo info;

    replay(exec, stream);
    check_success(cuGraphExecUpdate(exec, other, &info));
    check(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    check_success(cuGraphDestroy(graph));
    wait_for_release(&first, 1);
    check_success(cuGraphDestroy(other));
    replay(exec, stream);
    check_counts(&first, 1, 1);
    check_counts(&second, 1, 0);
    check_success(cuGraphExecDestroy(exec));
    wait_for_release(&second, 1);
}

TEST(parameters_of_the_node_run_the_work)
{
    static struct counted counted;
    CUDA_HOST_NODE_PARAMS params;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    check_success(cuGraphHostNodeGetParams(only_node(graph), &params));
    check(params.fn != NULL);
    check_success(cuLaunchHostFunc(stream, params.fn, params.userData));
    check_success(cuStreamSynchronize(stream));
    check_counts(&counted, 1, 0);
    check_success(cuGraphDestroy(graph));
    check_counts(&counted, 1, 1);
}

/* A node that is given the parameters of another one owns the work, too. */
TEST(nodes_share_the_work)
{
    static struct counted counted;
    CUDA_HOST_NODE_PARAMS params;
    CUgraphNode node;
    CUgraph other;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    check_success(cuGraphHostNodeGetParams(only_node(graph), &params));
    check_success(cuGraphHostNodeSetParams(only_node(graph), &params));
    check_success(cuGraphCreate(&other, 0));
    check_success(cuGraphAddHostNode(&node, other, NULL, 0, &params));
    check_success(cuGraphDestroy(graph));
    CUgraphExec exec = instantiate(other);
    replay(exec, stream);
    check_counts(&counted, 1, 0);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(other));
    wait_for_release(&counted, 1);
}

TEST(stale_parameters_are_refused)
{
    static struct counted counted;
    CUDA_HOST_NODE_PARAMS params;
    CUgraphNode node;
    CUgraph other;
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    check_success(cuGraphHostNodeGetParams(only_node(graph), &params));
    check_success(cuGraphDestroy(graph));
    check_success(cuGraphCreate(&other, 0));
    check_result(cuGraphAddHostNode(&node, other, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params.userData = NULL;
    check_result(cuGraphAddHostNode(&node, other, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphDestroy(other));
}

TEST(a_host_function_replaces_the_work)
{
    static struct counted counted;
    static struct note note;
    CUDA_HOST_NODE_PARAMS params = {note_run, &note};
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    note.word = pinned_words(1);
    check_success(cuGraphHostNodeSetParams(only_node(graph), &params));
    wait_for_release(&counted, 1);
    CUgraphExec exec = instantiate(graph);
    replay(exec, stream);
    check(flag_is_raised(&note.done));
    check_counts(&counted, 0, 1);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
}

/* Threads. */

static bool is_deferred(void)
{
    const char *schedule = getenv("CUPIPE_SCHEDULE");

    return schedule && strcmp(schedule, "eager") != 0;
}

/* Launch after launch, and with work of the stream between them. */
TEST(chains_stay_on_the_thread_of_the_stream)
{
    enum { COUNT = 20, TIMES = 50 };
    static struct counted counted[COUNT], between[TIMES];
    CUstream stream = with_stream();
    atomic_uint *hold = pinned_words(1);
    CUgraphExec exec = instantiate(capture(stream, counted, COUNT));

    if (is_deferred())
        skip("each node has a thread of its own then");
    hold_until(stream, hold);
    for (int i = 0; i < TIMES; i++) {
        check_success(cuGraphLaunch(exec, stream));
        launch(stream, &between[i]);
    }
    atomic_store(hold, 1);
    check_success(cuStreamSynchronize(stream));
    for (int i = 0; i < TIMES; i++)
        check(pthread_equal(between[i].thread, between[0].thread));
    for (int i = 0; i < COUNT; i++) {
        check(counted[i].runs == TIMES);
        check(pthread_equal(counted[i].thread, between[0].thread));
    }
}

/* Order and errors. */

TEST(branches_keep_their_order)
{
    enum { COUNT = 20, TIMES = 10 };
    static struct counted counted[3][COUNT];
    CUstream stream = with_stream(), branch = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent forked = new_event(CU_EVENT_DISABLE_TIMING),
            joined = new_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;

    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    launch(stream, &counted[0][0]);
    fork_to(stream, branch, forked);
    for (int i = 0; i < COUNT; i++) {
        launch(stream, &counted[1][i]);
        launch(branch, &counted[2][i]);
    }
    fork_to(branch, stream, joined);
    launch(stream, &counted[0][1]);
    check_success(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < TIMES; i++) {
        replay(exec, stream);
        for (int k = 0; k < COUNT; k++)
            check(counted[1][k].runs == i + 1 && counted[2][k].runs == i + 1);
        check(counted[0][1].runs == i + 1);
    }
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
}

TEST(an_error_of_a_node_is_sticky)
{
    static struct counted counted[2] = {{.result = CUDA_ERROR_ASSERT}, {0}};
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, counted, 2);
    CUgraphExec exec = instantiate(graph);

    check_success(cuGraphLaunch(exec, stream));
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ASSERT);
    check_counts(&counted[0], 1, 0);
    check_counts(&counted[1], 0, 0);
}

static void try_cuda(struct counted *counted)
{
    CUdeviceptr memory;

    (void)counted;
    check_result(cuMemAlloc(&memory, 16), CUDA_ERROR_NOT_PERMITTED);
}

TEST(work_of_a_node_may_not_call_cuda)
{
    static struct counted counted = {.then = try_cuda};
    CUstream stream = with_stream();
    CUgraph graph = capture(stream, &counted, 1);

    replay(instantiate(graph), stream);
    check_counts(&counted, 1, 0);
}

/* A release that uses graphs: no lock is held. */
static CUgraph held_graph;

static void destroy_graph(void *data)
{
    check_success(cuGraphDestroy(held_graph));
    counted_release(data);
}

TEST(a_release_may_destroy_graphs)
{
    static struct counted inner, outer;
    CUstream stream = with_stream();
    struct cupipe_work work = work_of(&outer);

    held_graph = capture(stream, &inner, 1);
    work.release = destroy_graph;
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(cupipe()->launch_work(stream, &work));
    check_success(cuGraphDestroy(end(stream, 1, 0)));
    wait_for_release(&outer, 1);
    wait_for_release(&inner, 1);
}

/* A graph with a conditional node; stores the handle and the graph of the node's body. */
static CUgraph conditional_graph(CUgraphConditionalNodeType type, CUgraphConditionalHandle *handle,
                                 CUgraph *body)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    CUcontext context;
    CUgraphNode node;
    CUgraph graph;

    check_success(cuCtxGetCurrent(&context));
    check_success(cuGraphCreate(&graph, 0));
    check_success(
        cuGraphConditionalHandleCreate(handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    params.conditional.handle = *handle;
    params.conditional.type = type;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    check_success(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    *body = params.conditional.phGraph_out[0];
    return graph;
}

/* Calls of CUDA's libraries are kernels on a GPU, and those may be in bodies. */
TEST(work_runs_in_the_body_of_a_conditional_node)
{
    enum { COUNT = 3 };
    static struct counted counted[COUNT];
    CUstream stream = with_stream();
    CUgraphConditionalHandle handle;
    CUgraph body, captured, graph = conditional_graph(CU_GRAPH_COND_TYPE_IF, &handle, &body);

    check_success(
        cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < COUNT; i++)
        launch(stream, &counted[i]);
    check_success(cuStreamEndCapture(stream, &captured));
    CUgraphExec exec = instantiate(graph);
    for (int round = 1; round <= 2; round++) {
        replay(exec, stream);
        for (int i = 0; i < COUNT; i++)
            check_counts(&counted[i], round, 0);
    }
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    for (int i = 0; i < COUNT; i++)
        wait_for_release(&counted[i], 1);
}

/* Work that fails ends the graph, as it does outside of a body. */
TEST(work_that_fails_in_a_body_is_reported)
{
    static struct counted counted = {.result = CUDA_ERROR_LAUNCH_FAILED};
    CUstream stream = with_stream();
    CUgraphConditionalHandle handle;
    CUgraph body, captured, graph = conditional_graph(CU_GRAPH_COND_TYPE_IF, &handle, &body);

    check_success(
        cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    launch(stream, &counted);
    check_success(cuStreamEndCapture(stream, &captured));
    check_success(cuGraphLaunch(instantiate(graph), stream));
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
}

/* Functions of the application may not be there. */
TEST(host_functions_are_refused_in_bodies)
{
    CUDA_HOST_NODE_PARAMS params = {.fn = do_nothing};
    CUgraphConditionalHandle handle;
    CUgraphExec exec;
    CUgraphNode node;
    CUgraph body, graph;

    with_context();
    graph = conditional_graph(CU_GRAPH_COND_TYPE_IF, &handle, &body);
    if (cuGraphAddHostNode(&node, body, NULL, 0, &params) == CUDA_SUCCESS)
        check_result(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
}

/* Threads that capture and destroy at once. */
static void *capture_again_and_again(void *context)
{
    struct counted counted = {0};

    check_success(cuCtxSetCurrent(context));
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 50; i++) {
        CUgraph graph = capture(stream, &counted, 1);
        CUgraphExec exec = instantiate(graph);
        check_success(cuGraphDestroy(graph));
        replay(exec, stream);
        check_success(cuGraphExecDestroy(exec));
    }
    wait_for_release(&counted, 50);
    check_counts(&counted, 50, 50);
    return NULL;
}

TEST(threads_capture_work)
{
    CUcontext context = with_context();
    pthread_t threads[2];

    cupipe();
    for (int i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, capture_again_and_again, context) == 0);
    for (int i = 0; i < 2; i++)
        check(pthread_join(threads[i], NULL) == 0);
}
