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

static const char *rule_of_rank_1;

/* The rule is for calls and jobs that have no rank in them. */
static void fail_rank_1(int process)
{
    if (process == 1)
        setenv("CUPIPE_FAIL", rule_of_rank_1, 1);
}

enum { MANY = 20 };

/* A job that fails leaves the context with an error, and no operation of the rank runs. */
static void job_fails(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    CUresult waited = CUDA_SUCCESS;

    for (int i = 0; i < MANY && error_of(self->comm) == ncclSuccess; i++) {
        ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
        waited = cuStreamSynchronize(self->stream);
    }
    while (error_of(self->comm) == ncclSuccess)
        nap();
    if (self->rank == 1)
        check(error_of(self->comm) == ncclUnhandledCudaError &&
              waited == CUDA_ERROR_ILLEGAL_ADDRESS);
    else
        check(error_of(self->comm) == ncclRemoteError && waited == CUDA_SUCCESS);
    give_up(self);
}

TEST(a_job_of_a_rank_fails_on_purpose)
{
    need_cupipe_in_processes();
    rule_of_rank_1 = "stream:8:ILLEGAL_ADDRESS";
    before_rank = fail_rank_1;
    run_processes(3, job_fails, NULL);
}

/* A program that has no memory for what comes next gives up, as a program does that has failed. */
static void allocation_fails(struct rank *self)
{
    CUresult allocated = CUDA_SUCCESS;
    CUdeviceptr memory;

    for (int i = 0; i < MANY && error_of(self->comm) == ncclSuccess; i++) {
        allocated = cuMemAlloc(&memory, 1 << 20);
        if (allocated != CUDA_SUCCESS)
            break;
        ncclAllReduce((void *)(uintptr_t)memory, (void *)(uintptr_t)memory, 1 << 18, ncclInt,
                      ncclSum, self->comm, self->stream);
    }
    if (self->rank == 1)
        check(allocated == CUDA_ERROR_OUT_OF_MEMORY);
    else
        await_error(self);
    if (self->rank != 1)
        check(error_of(self->comm) == ncclRemoteError);
    give_up(self);
}

TEST(an_allocation_of_a_rank_fails_on_purpose)
{
    need_cupipe_in_processes();
    rule_of_rank_1 = "cuMemAlloc:6";
    before_rank = fail_rank_1;
    run_processes(3, allocation_fails, NULL);
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
