/* SPDX-License-Identifier: MIT */
/* Ranks on several hosts, which NCCL_HOSTID makes of processes of this one: collective operations
 * in pieces and not, in place and not, messages, a rank that dies, and ranks that do not agree. */
#include "nccl_test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

enum { RANKS = 5, LARGE = 5000001 };

/* Ranks 0 and 1, 2 and 3, 4: hosts of two and of one. */
static void set_host(int rank)
{
    char name[16];

    snprintf(name, sizeof(name), "host%d", rank / 2);
    setenv("NCCL_HOSTID", name, 1);
}

static int *device_vector(size_t count, int first, int step)
{
    int *host = malloc(count * sizeof(int));
    CUdeviceptr device;

    for (size_t i = 0; i < count; i++)
        host[i] = first + step * (int)(i % 1000);
    check_success(cuMemAlloc(&device, count * sizeof(int) + 4));
    check_success(cuMemcpyHtoD(device, host, count * sizeof(int)));
    free(host);
    return (int *)device;
}

static void check_vector(struct rank *self, const int *device, size_t count, int first, int step)
{
    int *host = malloc(count * sizeof(int) + 4);

    check_success(cuStreamSynchronize(self->stream));
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)device, count * sizeof(int)));
    for (size_t i = 0; i < count; i++)
        check(host[i] == first + step * (int)(i % 1000));
    free(host);
}

static void reductions(struct rank *self)
{
    static const size_t counts[] = {1, 4, 1000, LARGE};
    int r = self->rank, sum = RANKS * (RANKS - 1) / 2;

    for (int i = 0; i < 4; i++) {
        size_t n = counts[i];
        int *send = device_vector(n, r, 1), *recv = device_vector(n, 0, 0);

        check_done(
            ncclAllReduce(send, recv, n, ncclInt32, ncclSum, self->comm, (void *)self->stream));
        check_vector(self, recv, n, sum, RANKS);
        check_done(
            ncclAllReduce(send, send, n, ncclInt32, ncclMax, self->comm, (void *)self->stream));
        check_vector(self, send, n, RANKS - 1, 1);
        check_done(
            ncclReduce(send, recv, n, ncclInt32, ncclAvg, 3, self->comm, (void *)self->stream));
        check_vector(self, recv, n, r == 3 ? RANKS - 1 : sum, r == 3 ? 1 : RANKS);
    }
}

/* Each rank gets the sum of one block. */
static void scattered_sum(struct rank *self)
{
    size_t block = 2000;
    int *send = device_vector(block * RANKS, self->rank, 1), *recv = device_vector(block, 0, 0);

    check_done(
        ncclReduceScatter(send, recv, block, ncclInt32, ncclSum, self->comm, (void *)self->stream));
    check_vector(self, recv, block, RANKS * (RANKS - 1) / 2, RANKS);
}

static void movements(struct rank *self)
{
    size_t n = 3000;
    int r = self->rank;
    int *one = device_vector(n, 10 * r, 1), *all = device_vector(n * RANKS, -1, 0);

    check_done(ncclAllGather(one, all, n, ncclInt32, self->comm, (void *)self->stream));
    for (int i = 0; i < RANKS; i++)
        check_vector(self, all + (size_t)i * n, n, 10 * i, 1);
    check_done(ncclBroadcast(one, one, n, ncclInt32, 4, self->comm, (void *)self->stream));
    check_vector(self, one, n, 40, 1);
    /* Block i of rank r, in place, is now that of rank r. */
    check_done(ncclAlltoAll(all, all, n, ncclInt32, self->comm, (void *)self->stream));
    for (int i = 0; i < RANKS; i++)
        check_vector(self, all + (size_t)i * n, n, 10 * r, 1);
    check_done(
        ncclGather(all + (size_t)r * n, all, n, ncclInt32, 2, self->comm, (void *)self->stream));
    for (int i = 0; i < RANKS && r == 2; i++)
        check_vector(self, all + (size_t)i * n, n, 10 * i, 1);
    check_done(ncclScatter(all, one, n, ncclInt32, 2, self->comm, (void *)self->stream));
    check_vector(self, one, n, 10 * r, 1);
}

/* Each rank sends to the next one and receives from the one before, which is on another host or
 * not; messages of one pair arrive in order. */
static void messages(struct rank *self)
{
    static const size_t counts[] = {1, 5000, LARGE};
    int next = (self->rank + 1) % RANKS, before = (self->rank + RANKS - 1) % RANKS;

    for (int i = 0; i < 3; i++) {
        size_t n = counts[i];
        int *send = device_vector(n, self->rank, 1), *recv = device_vector(n, 0, 0);
        int *second = device_vector(n, 100 + self->rank, 2), *last = device_vector(n, 0, 0);

        check_done(ncclGroupStart());
        check_done(ncclSend(send, n, ncclInt32, next, self->comm, (void *)self->stream));
        check_done(ncclSend(second, n, ncclInt32, next, self->comm, (void *)self->stream));
        check_done(ncclRecv(recv, n, ncclInt32, before, self->comm, (void *)self->stream));
        check_done(ncclRecv(last, n, ncclInt32, before, self->comm, (void *)self->stream));
        check_done(ncclGroupEnd());
        check_vector(self, recv, n, before, 1);
        check_vector(self, last, n, 100 + before, 2);
    }
}

/* Even and odd ranks, whose hosts differ; then the ranks of one host. */
static void split(struct rank *self)
{
    int color = self->rank % 2, others = color ? 2 : 3, sum = color ? 4 : 6;

    for (int i = 0; i < 2; i++) {
        int *vector = device_vector(1000, self->rank, 1), count = 0;
        ncclComm_t child = NULL;

        check_done(ncclCommSplit(self->comm, color, self->rank, &child, NULL));
        check_done(ncclCommCount(child, &count));
        check(count == others);
        check_done(
            ncclAllReduce(vector, vector, 1000, ncclInt32, ncclSum, child, (void *)self->stream));
        check_vector(self, vector, 1000, sum, others);
        check_done(ncclCommDestroy(child));
        color = self->rank / 2;
        others = color == 2 ? 1 : 2;
        sum = color == 2 ? 4 : 4 * color + 1;
    }
}

/* A communicator that asks for NCCL's network of sockets, and another out of it, beside one that
 * does not ask. */
static void over_sockets(struct rank *self)
{
    void *shared = device_memory(sizeof(ncclUniqueId));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t usual = self->comm;
    ncclUniqueId id = {0};

    if (self->rank == 0) {
        check_done(ncclGetUniqueId(&id));
        check_success(cuMemcpyHtoD((CUdeviceptr)shared, &id, sizeof(id)));
    }
    check_done(ncclBcast(shared, sizeof(id), ncclChar, 0, self->comm, (cudaStream_t)self->stream));
    fetch(self, &id, shared, sizeof(id));
    config.netName = "socket";
    check_done(ncclCommInitRankConfig(&self->comm, self->count, id, self->rank, &config));
    reductions(self);
    split(self);
    check_done(ncclCommDestroy(self->comm));
    self->comm = usual;
    reductions(self);
}

/* Waits for the error of an operation that cannot end. */
static void fails(struct rank *self, ncclResult_t *error)
{
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommGetAsyncError(self->comm, error));
    check(*error != ncclSuccess);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

static void one_dies(struct rank *self)
{
    int *vector = device_vector(1000, 0, 1);
    ncclResult_t error;

    check_done(
        ncclAllReduce(vector, vector, 1000, ncclInt32, ncclMax, self->comm, (void *)self->stream));
    check_success(cuStreamSynchronize(self->stream));
    if (self->rank == 4)
        raise(SIGKILL);
    error =
        ncclAllReduce(vector, vector, 1000, ncclInt32, ncclMax, self->comm, (void *)self->stream);
    check(error == ncclSuccess || error == ncclRemoteError); /* it may be known already */
    fails(self, &error);
    check(error == ncclRemoteError);
}

/* The others, which are on three hosts, go on without a rank that has died. */
static void shrinks(struct rank *self)
{
    int dead = 1, *vector = device_vector(1000, self->rank, 1), count;
    ncclResult_t result;
    ncclComm_t rest;

    if (self->rank == dead)
        raise(SIGKILL);
    result =
        ncclAllReduce(vector, vector, 1000, ncclInt32, ncclSum, self->comm, (void *)self->stream);
    check(result == ncclSuccess || result == ncclRemoteError); /* it may be known already */
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommShrink(self->comm, &dead, 1, &rest, NULL, NCCL_SHRINK_ABORT));
    check_done(ncclCommCount(rest, &count));
    check(count == RANKS - 1);
    vector = device_vector(1000, self->rank, 1);
    check_done(ncclAllReduce(vector, vector, 1000, ncclInt32, ncclSum, rest, (void *)self->stream));
    check_vector(self, vector, 1000, 0 + 2 + 3 + 4, RANKS - 1);
    check_done(ncclCommDestroy(rest));
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

/* A rank of another host receives less than is sent. */
static void sizes_differ(struct rank *self)
{
    int *vector = device_vector(1000, 0, 1);
    ncclResult_t error;

    if (self->rank == 0)
        check_done(ncclSend(vector, 1000, ncclInt32, 4, self->comm, (void *)self->stream));
    else if (self->rank == 4)
        check_done(ncclRecv(vector, 10, ncclInt32, 0, self->comm, (void *)self->stream));
    else /* the failure may be known already */
        ncclRecv(vector, 10, ncclInt32, 4, self->comm, (void *)self->stream);
    if (self->rank != 0)
        fails(self, &error);
}

static _Atomic(int) *have_left; /* ranks; in memory of all processes */

static void share_count(void)
{
    have_left =
        mmap(NULL, sizeof(*have_left), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(have_left != MAP_FAILED);
}

/* Returns its communicator and ends, without what a program does at its end. */
static void leave(struct rank *self)
{
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommDestroy(self->comm));
    atomic_fetch_add(have_left, 1);
    _exit(0);
}

/* The messages have arrived before the receive operations begin. */
static void receives_from_the_gone(struct rank *self)
{
    static const size_t counts[] = {1, 700};
    int *data = device_vector(1000, self->rank, 1);

    for (int i = 0; i < 2 && self->rank == 1; i++)
        check_done(ncclSend(data, counts[i], ncclInt32, 0, self->comm, (void *)self->stream));
    if (self->rank == 1)
        leave(self);
    while (atomic_load(have_left) == 0)
        usleep(1000);
    usleep(200000); /* the end of the connection is noticed */
    for (int i = 0; i < 2; i++) {
        int *got = device_vector(1000, 7, 0);

        check_done(ncclRecv(got, counts[i], ncclInt32, 1, self->comm, (void *)self->stream));
        check_vector(self, got, counts[i], 1, 1);
    }
}

static void set_host_of_its_own(int rank)
{
    setenv("NCCL_HOSTID", rank ? "one" : "other", 1);
}

/* A rank that is still at work sees no failure when others leave. */
static void sums_and_leaves(struct rank *self)
{
    int *vector = device_vector(1000, self->rank, 0);
    ncclResult_t error;

    check_done(
        ncclAllReduce(vector, vector, 1, ncclInt32, ncclSum, self->comm, (void *)self->stream));
    check_vector(self, vector, 1, self->count * (self->count - 1) / 2, 0);
    while (self->rank == 0 && atomic_load(have_left) < self->count - 1)
        usleep(1000);
    if (self->rank == 0)
        usleep(20000);
    check_done(ncclCommGetAsyncError(self->comm, &error));
    check_nccl(error, ncclSuccess);
    leave(self);
}

static void end_many_times(void)
{
    share_count();
    for (int i = 0; i < 8; i++) {
        atomic_store(have_left, 0);
        run_processes(RANKS, sums_and_leaves, NULL);
    }
}

TEST(hosts_receive_what_a_rank_sent_before_it_left)
{
    need_hosts(set_host_of_its_own);
    share_count();
    run_processes(2, receives_from_the_gone, NULL);
}

TEST(hosts_leave_without_a_failure)
{
    need_hosts(set_host);
    end_many_times();
}

TEST(processes_leave_without_a_failure)
{
    need_cupipe_in_processes();
    before_rank = NULL;
    end_many_times();
}

TEST(hosts_reduce)
{
    need_hosts(set_host);
    run_processes(RANKS, reductions, NULL);
}

TEST(hosts_reduce_scatter)
{
    need_hosts(set_host);
    run_processes(RANKS, scattered_sum, NULL);
}

TEST(hosts_move)
{
    need_hosts(set_host);
    run_processes(RANKS, movements, NULL);
}

TEST(hosts_send_and_receive)
{
    need_hosts(set_host);
    run_processes(RANKS, messages, NULL);
}

TEST(hosts_split)
{
    need_hosts(set_host);
    run_processes(RANKS, split, NULL);
}

TEST(hosts_reduce_over_sockets_alone)
{
    need_hosts(set_host);
    run_processes(RANKS, over_sockets, NULL);
}

TEST(hosts_notice_a_dead_rank)
{
    need_hosts(set_host);
    run_processes_but(RANKS, 4, one_dies, NULL);
}

TEST(hosts_go_on_without_a_dead_rank)
{
    need_hosts(set_host);
    run_processes_but(RANKS, 1, shrinks, NULL);
}

TEST(hosts_notice_a_message_that_is_too_long)
{
    need_hosts(set_host);
    run_processes(RANKS, sizes_differ, NULL);
}
