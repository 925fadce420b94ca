/* SPDX-License-Identifier: MIT */
/* Ranks that do not come, and operations that fail on purpose (CUPIPE_FAIL): the others have an
 * error in time. */
#include "nccl_test.h"

static ncclResult_t error_of(ncclComm_t comm)
{
    ncclResult_t error;

    check_done(ncclCommGetAsyncError(comm, &error));
    return error;
}

static void await_error(struct rank *self)
{
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
}

static void give_up(struct rank *self)
{
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_rank_that_never_comes_is_an_error)
{
    ncclUniqueId id;
    ncclComm_t comm;

    setenv("CUPIPE_NCCL_TIMEOUT", "1", 1);
    enter_device(0);
    only_cupipe();
    check_done(ncclGetUniqueId(&id));
    check_nccl(ncclCommInitRank(&comm, 2, id, 0), ncclRemoteError);
    check(comm == NULL);
}

/* The process that has made the id is no rank. */
TEST(a_rank_waits_in_another_process_than_the_id)
{
    int to_child[2], status;
    ncclUniqueId id;
    ncclComm_t comm;
    pid_t child;

    setenv("CUPIPE_NCCL_TIMEOUT", "1", 1);
    need_cupipe_in_processes();
    check(pipe(to_child) == 0);
    child = fork();
    if (child == 0) {
        check(read(to_child[0], &id, sizeof(id)) == (ssize_t)sizeof(id));
        enter_device(0);
        _exit(ncclCommInitRank(&comm, 2, id, 1) == ncclRemoteError ? 0 : 1);
    }
    check_done(ncclGetUniqueId(&id));
    check(write(to_child[1], &id, sizeof(id)) == (ssize_t)sizeof(id));
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void splits_alone(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    ncclComm_t child;

    if (self->rank == 0)
        check_nccl(ncclCommSplit(self->comm, 0, 0, &child, NULL), ncclRemoteError);
    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
}

TEST(a_rank_that_does_not_split_is_an_error)
{
    setenv("CUPIPE_NCCL_TIMEOUT", "1", 1);
    enter_device(0);
    only_cupipe();
    run_threads(2, splits_alone, NULL);
}

static void second_fails(struct rank *self)
{
    int one = 1, got, *data = upload(&one, sizeof(one));

    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, data, sizeof(got));
    check(got == self->count);
    ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
    await_error(self);
    check(error_of(self->comm) == (self->rank == 1 ? ncclUnhandledCudaError : ncclRemoteError));
    give_up(self);
}

TEST(an_operation_of_a_rank_fails_on_purpose)
{
    setenv("CUPIPE_FAIL", "ncclAllReduce:2,rank=1", 1);
    need_cupipe_in_processes();
    run_processes(3, second_fails, NULL);
}

TEST(a_rank_is_killed_on_purpose)
{
    setenv("CUPIPE_FAIL", "ncclAllReduce:2,rank=1,kill", 1);
    need_cupipe_in_processes();
    run_processes_but(3, 1, second_fails, NULL);
}

static void added(struct rank *self)
{
    int one = 1, got = 0, *data = upload(&one, sizeof(one));

    for (int i = 0; i < 3; i++)
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, data, sizeof(got));
    check(got == self->count * self->count * self->count);
}

TEST(an_operation_of_a_rank_is_late_on_purpose)
{
    setenv("CUPIPE_FAIL", "nccl*:every=2,rank=0,late=50", 1);
    enter_device(0);
    only_cupipe();
    run_threads(3, added, NULL);
}
