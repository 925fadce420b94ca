/* SPDX-License-Identifier: MIT */
/* What a call answers when another rank has failed before: success, as NVIDIA's does, because a
 * call cannot know whether the other fails before or after it. The rank is told asynchronously;
 * from then on its calls answer with the error. */
#include "nccl_test.h"

static ncclResult_t error_of(ncclComm_t comm)
{
    ncclResult_t error;

    check_done(ncclCommGetAsyncError(comm, &error));
    return error;
}

/* What rank 0 does, and what rank 1 calls when it has done that. */
enum failure { SHRINKS, ABORTS, REVOKES, IS_KILLED };
enum call { ALL_REDUCE, SEND, RECEIVE, GROUP };

struct plan {
    enum failure failure;
    enum call call;
    int done[2]; /* a pipe */
};

static void fail(struct rank *self, const struct plan *plan)
{
    int excluded = 1, *data = device_memory(sizeof(int));
    ncclComm_t rest;

    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    if (plan->failure == IS_KILLED)
        kill(getpid(), SIGKILL);
    if (plan->failure == SHRINKS) {
        check_done(ncclCommShrink(self->comm, &excluded, 1, &rest, NULL, NCCL_SHRINK_ABORT));
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, rest, self->stream));
        check_success(cuStreamSynchronize(self->stream));
        check_done(ncclCommDestroy(rest));
    }
    if (plan->failure == REVOKES) {
        check_done(ncclCommRevoke(self->comm, NCCL_REVOKE_DEFAULT));
        check_nccl(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream),
                   ncclRemoteError);
    }
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
    check(write(plan->done[1], "", 1) == 1);
}

static ncclResult_t call(struct rank *self, enum call which, int *data)
{
    switch (which) {
    case SEND:
        return ncclSend(data, 1, ncclInt, 0, self->comm, self->stream);
    case RECEIVE:
        return ncclRecv(data, 1, ncclInt, 0, self->comm, self->stream);
    case GROUP:
        check_done(ncclGroupStart());
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
        check_done(ncclSend(data, 1, ncclInt, 0, self->comm, self->stream));
        return ncclGroupEnd();
    default:
        return ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
    }
}

static void behind(struct rank *self)
{
    const struct plan *plan = self->argument;
    int *data;
    char byte;

    if (self->rank == 0) {
        fail(self, plan);
        return;
    }
    data = device_memory(sizeof(int));
    if (plan->failure != IS_KILLED)
        check(read(plan->done[0], &byte, 1) == 1);
    nap(); /* this process may have heard of it, or not */
    check_done(call(self, plan->call, data));
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check(error_of(self->comm) == ncclRemoteError);
    check_nccl(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream),
               ncclRemoteError);
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

static void run(enum failure failure, enum call call, bool in_threads)
{
    struct plan plan = {.failure = failure, .call = call};

    check(pipe(plan.done) == 0);
    if (in_threads)
        run_threads(2, behind, &plan);
    else
        run_processes_but(2, failure == IS_KILLED ? 0 : -1, behind, &plan);
    close(plan.done[0]);
    close(plan.done[1]);
}

TEST(another_rank_has_failed_in_threads)
{
    enter_device(0);
    only_cupipe();
    for (enum failure failure = SHRINKS; failure < IS_KILLED; failure++)
        run(failure, ALL_REDUCE, true);
}

TEST(another_rank_has_failed_in_processes)
{
    need_cupipe_in_processes();
    for (enum failure failure = SHRINKS; failure <= IS_KILLED; failure++)
        run(failure, ALL_REDUCE, false);
}

TEST(a_message_after_another_rank_has_shrunk)
{
    enter_device(0);
    only_cupipe();
    for (enum call which = SEND; which <= GROUP; which++)
        run(SHRINKS, which, true);
}

TEST(a_message_to_a_process_that_has_shrunk)
{
    need_cupipe_in_processes();
    for (enum call which = SEND; which <= GROUP; which++)
        run(SHRINKS, which, false);
}

/* The rank was told, and has called nothing. */
static void told(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    const struct plan *plan = self->argument;
    ncclComm_t child;

    if (self->rank == 0) {
        fail(self, plan);
        return;
    }
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check_nccl(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream),
               ncclRemoteError);
    check_nccl(ncclCommSplit(self->comm, 0, 0, &child, NULL), ncclRemoteError);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_rank_that_was_told_has_the_error_from_its_calls)
{
    struct plan plan = {.failure = SHRINKS};

    check(pipe(plan.done) == 0);
    need_cupipe_in_processes();
    run_processes(2, told, &plan);
}
