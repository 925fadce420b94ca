/* SPDX-License-Identifier: MIT */
/* Captured operations: each launch of the graph communicates again. */
#include "nccl_test.h"

static void captured(struct rank *self)
{
    int ones[2] = {1, 1}, got, wanted = 1, *sum = upload(ones, sizeof(ones));
    CUgraph graph;
    CUgraphExec exec;

    check_success(cuStreamBeginCapture(self->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, self->comm, self->stream));
    check_done(ncclGroupStart());
    check_done(ncclSend(sum, 1, ncclInt, (self->rank + 1) % self->count, self->comm, self->stream));
    check_done(ncclRecv(sum + 1, 1, ncclInt, (self->rank + self->count - 1) % self->count,
                        self->comm, self->stream));
    check_done(ncclGroupEnd());
    check_success(cuStreamEndCapture(self->stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 5; i++)
        check_success(cuGraphLaunch(exec, self->stream));
    check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, sum, sizeof(got));
    for (int i = 0; i < 6; i++)
        wanted *= self->count;
    check(got == wanted);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
}

TEST(a_graph_communicates_at_each_launch)
{
    run_threads(4, captured, NULL);
}

TEST(a_graph_communicates_in_processes)
{
    run_processes(3, captured, NULL);
}

static void three_rounds(struct rank *self)
{
    int one = 1, got, *sum = upload(&one, sizeof(one));

    for (int i = 0; i < 3; i++)
        check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, sum, sizeof(got));
    check(got == 27);
}

TEST(a_lazy_schedule_ends)
{
    setenv("CUPIPE_SCHEDULE", "lazy", 1);
    run_threads(3, three_rounds, NULL);
}

TEST(a_random_schedule_ends)
{
    setenv("CUPIPE_SCHEDULE", "random:7", 1);
    run_threads(3, three_rounds, NULL);
}

TEST(one_worker_is_enough)
{
    setenv("CUPIPE_THREADS", "1", 1);
    run_threads(3, three_rounds, NULL);
}

TEST(checks_know_the_operands)
{
    setenv("CUPIPE_CHECK", "memory,init,streams", 1);
    run_threads(3, three_rounds, NULL);
}
