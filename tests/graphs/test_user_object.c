/* SPDX-License-Identifier: MIT */
/* User objects: who holds references, and who calls the destructor. */
#include "graphs.h"

static atomic_uint destroyed;
static pthread_t caller;

/* The calls under test are made by one thread. */
static void count_here(void *unused)
{
    (void)unused;
    check(pthread_equal(pthread_self(), caller));
    atomic_fetch_add(&destroyed, 1);
}

static void count(void *unused)
{
    (void)unused;
    atomic_fetch_add(&destroyed, 1);
}

static CUuserObject new_object(unsigned references)
{
    CUuserObject object;

    caller = pthread_self();
    check_success(cuUserObjectCreate(&object, NULL, count_here, references,
                                     CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
}

/* A graph that holds the only reference. */
static CUgraph holding_graph(void)
{
    CUgraph graph = new_graph();

    check_success(cuGraphRetainUserObject(graph, new_object(1), 1, CU_GRAPH_USER_OBJECT_MOVE));
    return graph;
}

TEST(the_call_that_releases_the_last_reference_calls_the_destructor)
{
    with_context();
    CUuserObject object = new_object(2);
    check_success(cuUserObjectRelease(object, 1));
    check(destroyed == 0);
    check_success(cuUserObjectRelease(object, 1));
    check(destroyed == 1);
    check_success(cuGraphDestroy(holding_graph()));
    check(destroyed == 2);
}

TEST(moved_references_are_the_graphs_and_a_clone_has_its_own)
{
    CUgraph clone;

    with_context();
    CUgraph graph = new_graph();
    CUuserObject object = new_object(2);
    check_success(cuUserObjectRetain(object, 3));
    check_success(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    check_success(cuGraphClone(&clone, graph));
    check_success(cuUserObjectRelease(object, 3));
    check_success(cuGraphReleaseUserObject(graph, object, 2));
    check_success(cuGraphDestroy(graph));
    check(destroyed == 0);
    check_success(cuGraphDestroy(clone));
    check(destroyed == 1);
}

TEST(references_are_counted_together)
{
    CUgraph clone;

    with_context();
    CUgraph graph = new_graph();
    CUuserObject object = new_object(5);
    check_success(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    check_success(cuGraphClone(&clone, graph));
    check_success(cuUserObjectRelease(object, 5));
    check(destroyed == 0);
    check_success(cuGraphReleaseUserObject(graph, object, 2));
    check(destroyed == 1);
    check_success(cuGraphDestroy(graph));
    check_success(cuGraphDestroy(clone));
    check(destroyed == 1);
}

TEST(more_releases_than_references_do_not_destroy)
{
    with_context();
    CUgraph graph = new_graph();
    check_success(cuUserObjectRelease(new_object(2), 3));
    check_success(cuGraphRetainUserObject(graph, new_object(1), 3, CU_GRAPH_USER_OBJECT_MOVE));
    check_success(cuGraphDestroy(graph));
    check(destroyed == 0);
}

TEST(an_executable_graph_holds_references_of_graphs_inside)
{
    CUgraphNode node;

    with_context();
    CUgraph child = holding_graph(), graph = new_graph();
    check_success(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    check_success(cuGraphDestroy(child));
    CUgraphExec exec = executable(graph);
    check_success(cuGraphDestroyNode(node));
    check_success(cuGraphDestroy(graph));
    check(destroyed == 0);
    check_success(cuGraphExecDestroy(exec));
    check(destroyed == 1);
}

TEST(an_update_releases_what_the_executable_graph_held)
{
    CUgraphExecUpdateResultInfo info;

    with_context();
    CUgraph graph = holding_graph(), other = new_graph();
    CUgraphExec exec = executable(graph);
    check_success(cuGraphDestroy(graph));
    check(destroyed == 0);
    check_success(cuGraphExecUpdate(exec, other, &info));
    check(destroyed == 1);
}

/* No call waits for the launch, so that the destructor has no caller. */
TEST(a_launch_holds_references)
{
    CUuserObject object;

    with_context();
    atomic_uint *hold = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = new_graph();
    check_success(cuUserObjectCreate(&object, NULL, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    check_success(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    add_fill(graph, NULL, 0, device_words(1), 1, 4, 1);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphDestroy(graph));
    hold_until(stream, hold);
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuGraphExecDestroy(exec));
    check(destroyed == 0);
    atomic_store(hold, 1);
    check_success(cuStreamSynchronize(stream));
    while (destroyed == 0)
        nap();
}
