/* SPDX-License-Identifier: MIT */
/* Small operations between processes, which may end inside their calls: with ranks that are late,
 * in several streams, among others that are larger, and when they cannot end. */
#include "nccl_test.h"

#include <time.h>

static ncclResult_t error_of(ncclComm_t comm)
{
    ncclResult_t error;

    check_done(ncclCommGetAsyncError(comm, &error));
    return error;
}

/* The same numbers on each rank, and others on each. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 16;
}

static void be_late_sometimes(unsigned *own)
{
    if (draw(own) % 16 == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(draw(own) % 200) * 1000}, NULL);
}

enum { OPERATIONS = 2000, MOST = 4096 };

/* Each sum is of ones, and of what the sum before was. */
static void adds(struct rank *self)
{
    int host[MOST];
    unsigned common = 7, own = (unsigned)self->rank + 1;
    CUstream streams[2] = {self->stream};
    int *data[2], got[MOST];

    check_success(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < OPERATIONS; i++) {
        /* Mostly eager ones, sometimes one that is not. */
        size_t count = draw(&common) % 8 ? draw(&common) % 64 + 1 : MOST;
        int way = (int)(draw(&common) % 2);

        if (i < 2) {
            way = i;
            for (int k = 0; k < MOST; k++)
                host[k] = 1;
            data[way] = upload(host, sizeof(host));
            continue;
        }
        be_late_sometimes(&own);
        check_success(cuMemsetD32Async((CUdeviceptr)(uintptr_t)data[way], 1, MOST, streams[way]));
        check_done(
            ncclAllReduce(data[way], data[way], count, ncclInt, ncclSum, self->comm, streams[way]));
        if (draw(&own) % 4 == 0)
            continue;
        check_success(cuStreamSynchronize(streams[way]));
        check_success(cuMemcpyDtoH(got, (CUdeviceptr)(uintptr_t)data[way], sizeof(got)));
        for (size_t k = 0; k < MOST; k++)
            check(got[k] == (k < count ? self->count : 1));
    }
    check_success(cuStreamSynchronize(streams[1]));
}

TEST(small_sums_of_two_processes)
{
    run_processes(2, adds, NULL);
}

TEST(small_sums_of_five_processes)
{
    run_processes(5, adds, NULL);
}

TEST(small_sums_of_processes_with_two_ranks)
{
    run_mixed(2, 2, adds, NULL);
}

/* Operations follow messages and come before them, in the order of the calls. */
static void among_messages(struct rank *self)
{
    int next = (self->rank + 1) % self->count,
        before = (self->rank + self->count - 1) % self->count;
    int *sum = device_memory(sizeof(int)), *token = device_memory(sizeof(int)), got;

    for (int i = 0; i < 200; i++) {
        check_success(cuMemsetD32Async((CUdeviceptr)(uintptr_t)sum, (unsigned)i, 1, self->stream));
        check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, self->comm, self->stream));
        check_done(ncclGroupStart());
        check_done(ncclSend(sum, 1, ncclInt, next, self->comm, self->stream));
        check_done(ncclRecv(token, 1, ncclInt, before, self->comm, self->stream));
        check_done(ncclGroupEnd());
        check_done(ncclAllReduce(token, token, 1, ncclInt, ncclMax, self->comm, self->stream));
        fetch(self, &got, token, sizeof(got));
        check(got == i * self->count);
    }
}

TEST(small_sums_among_messages)
{
    run_processes(3, among_messages, NULL);
}

/* A rank that never comes: the one that waits can abort. */
static void waits_alone(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    for (int i = 0; i < 50; i++)
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    if (self->rank == 0) {
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
        check(cuStreamQuery(self->stream) == CUDA_ERROR_NOT_READY);
        check_done(ncclCommAbort(self->comm));
        check_success(cuStreamSynchronize(self->stream));
    } else {
        while (error_of(self->comm) == ncclSuccess)
            nap();
        check(error_of(self->comm) == ncclRemoteError);
        check_done(ncclCommAbort(self->comm));
    }
    self->comm = NULL;
}

TEST(a_small_operation_is_aborted)
{
    run_processes(2, waits_alone, NULL);
}

/* Ranks that differ say so, and nobody waits. */
static void differs(struct rank *self)
{
    int *data = device_memory(64 * sizeof(int));

    for (int i = 0; i < 50; i++)
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    ncclAllReduce(data, data, self->rank ? 2 : 1, ncclInt, ncclSum, self->comm, self->stream);
    check_success(cuStreamSynchronize(self->stream));
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check(error_of(self->comm) == ncclInvalidUsage || error_of(self->comm) == ncclRemoteError);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(small_operations_that_differ)
{
    run_processes(2, differs, NULL);
}

/* Memory that is not there is an error of the context, as that of a kernel, and the others are
 * told. */
static void reads_nothing(struct rank *self)
{
    int *data = device_memory(sizeof(int));

    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    if (self->rank == 0) {
        ncclAllReduce((void *)8, data, 1, ncclInt, ncclSum, self->comm, self->stream);
        check(cuStreamSynchronize(self->stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
        check(error_of(self->comm) == ncclUnhandledCudaError);
    } else {
        ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
        check_success(cuStreamSynchronize(self->stream));
        while (error_of(self->comm) == ncclSuccess)
            nap();
        check(error_of(self->comm) == ncclRemoteError);
    }
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_small_operation_reads_memory_that_is_not_there)
{
    need_cupipe_in_processes();
    run_processes(2, reads_nothing, NULL);
}
