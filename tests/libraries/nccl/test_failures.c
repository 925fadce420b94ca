/* SPDX-License-Identifier: MIT */
/* What happens to the other ranks when one ends, gives up or calls something else. NVIDIA's library
 * leaves some of this undefined, and waits for ever. */
#include "nccl_test.h"

#include <sys/resource.h>

static ncclResult_t error_of(ncclComm_t comm)
{
    ncclResult_t error;

    check_done(ncclCommGetAsyncError(comm, &error));
    return error;
}

/* A call may come after the failure that it is about. */
static void check_called(ncclResult_t result)
{
    check(result == ncclSuccess || result == ncclRemoteError);
}

/* The stream goes on, and the communicator says why. */
static void expect_failure(struct rank *self, ncclResult_t expected)
{
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check(error_of(self->comm) == expected);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

static void killed(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    if (self->rank == 1)
        kill(getpid(), SIGKILL);
    check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    expect_failure(self, ncclRemoteError);
}

TEST(a_rank_is_killed)
{
    run_processes_but(3, 1, killed, NULL);
}

static void killed_before_receiving(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    if (self->rank == 1)
        kill(getpid(), SIGKILL);
    if (self->rank == 0)
        check_called(ncclSend(data, 1, ncclInt, 1, self->comm, self->stream));
    else
        check_called(ncclRecv(data, 1, ncclInt, 1, self->comm, self->stream));
    expect_failure(self, ncclRemoteError);
}

TEST(a_rank_is_killed_before_a_message)
{
    run_processes_but(3, 1, killed_before_receiving, NULL);
}

/* The others make a communicator without the rank that was killed. */
static void shrunk(struct rank *self)
{
    int one = 1, got, *data = upload(&one, sizeof(one)), dead = 1;
    ncclComm_t rest;

    if (self->rank == dead)
        kill(getpid(), SIGKILL);
    check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommShrink(self->comm, &dead, 1, &rest, NULL, NCCL_SHRINK_ABORT));
    data = upload(&one, sizeof(one));
    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, rest, self->stream));
    fetch(self, &got, data, sizeof(got));
    check(got == self->count - 1);
    check_done(ncclCommDestroy(rest));
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(the_others_go_on_without_a_rank_that_was_killed)
{
    run_processes_but(4, 1, shrunk, NULL);
}

static void aborted(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    if (self->rank != 0)
        check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    if (self->rank == 1)
        check_done(ncclCommAbort(self->comm));
    if (self->rank == 2) {
        expect_failure(self, ncclRemoteError);
        return;
    }
    if (self->rank == 0)
        while (error_of(self->comm) == ncclSuccess)
            nap();
    check_success(cuStreamSynchronize(self->stream));
    if (self->rank == 0)
        check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_rank_aborts_while_it_waits_in_threads)
{
    run_threads(3, aborted, NULL);
}

TEST(a_rank_aborts_while_it_waits_in_processes)
{
    run_processes(3, aborted, NULL);
}

static void left(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    if (self->rank == 0) {
        check_done(ncclCommDestroy(self->comm));
        self->comm = NULL;
        return;
    }
    check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    expect_failure(self, ncclRemoteError);
}

TEST(a_rank_leaves_in_threads)
{
    run_threads(3, left, NULL);
}

TEST(a_rank_leaves_in_processes)
{
    run_processes(3, left, NULL);
}

static void other_count(struct rank *self)
{
    int *data = device_memory(64 * sizeof(int));

    check_done(ncclAllReduce(data, data, self->rank ? 64 : 32, ncclInt, ncclSum, self->comm,
                             self->stream));
    check_success(cuStreamSynchronize(self->stream));
    check(error_of(self->comm) != ncclSuccess);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(ranks_with_other_counts_in_threads)
{
    run_threads(3, other_count, NULL);
}

TEST(ranks_with_other_counts_in_processes)
{
    run_processes(3, other_count, NULL);
}

static void other_size(struct rank *self)
{
    int *data = device_memory(64 * sizeof(int));

    check_done(self->rank ? ncclSend(data, 32, ncclInt, 0, self->comm, self->stream)
                          : ncclRecv(data, 64, ncclInt, 1, self->comm, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_message_of_another_size_in_threads)
{
    run_threads(2, other_size, NULL);
}

TEST(a_message_of_another_size_in_processes)
{
    run_processes(2, other_size, NULL);
}

/* A fault of a rank, after which its operation does not run. */
static void faulted(struct rank *self)
{
    int *data = self->rank ? device_memory(sizeof(int)) : (int *)0x1000;

    ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
    if (self->rank == 0) {
        check(cuStreamSynchronize(self->stream) != CUDA_SUCCESS);
        ncclCommAbort(self->comm);
        self->comm = NULL;
        return;
    }
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(an_address_of_a_rank_is_wrong)
{
    run_processes(3, faulted, NULL);
}

/* Two communicators whose operations wait for each other. */
static void crossed(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    ncclComm_t other;

    check_done(ncclCommSplit(self->comm, 0, self->rank, &other, NULL));
    check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->rank ? other : self->comm,
                               self->stream));
    check_called(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->rank ? self->comm : other,
                               self->stream));
    check(cuStreamQuery(self->stream) == CUDA_ERROR_NOT_READY || error_of(other) ||
          error_of(self->comm));
    check_done(ncclCommAbort(self->comm));
    check_done(ncclCommAbort(other));
    check_success(cuStreamSynchronize(self->stream));
    self->comm = NULL;
}

TEST(a_deadlock_can_be_aborted)
{
    run_threads(2, crossed, NULL);
}

TEST(a_fork_cannot_use_the_communicators)
{
    int device = 0, status, *data;
    ncclComm_t comm;
    pid_t child;

    enter_device(0);
    only_cupipe();
    check_done(ncclCommInitAll(&comm, 1, &device));
    data = device_memory(sizeof(int));
    child = fork();
    if (child == 0)
        _exit(ncclAllReduce(data, data, 1, ncclInt, ncclSum, comm, NULL) != ncclSuccess ? 0 : 1);
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_done(ncclCommDestroy(comm));
}

/* Memory of the host is copied for other processes, which a rank may not be able to do. */
static void cannot_copy(struct rank *self)
{
    enum { BYTES = 1 << 20 };
    const struct rlimit limit = {BYTES, BYTES};
    void *data;

    check_success(cuMemHostAlloc(&data, BYTES, 0));
    memset(data, 0, BYTES);
    if (self->rank == 1) {
        signal(SIGXFSZ, SIG_IGN);
        check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    check_called(
        ncclAllReduce(data, data, BYTES / sizeof(int), ncclInt, ncclSum, self->comm, self->stream));
    expect_failure(self, self->rank == 1 ? ncclSystemError : ncclRemoteError);
}

TEST(a_rank_cannot_copy_for_others)
{
    need_cupipe_in_processes();
    run_processes(3, cannot_copy, NULL);
}
