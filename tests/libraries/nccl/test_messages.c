/* SPDX-License-Identifier: MIT */
/* Send, receive, and groups. */
#include "nccl_test.h"

enum { COUNT = 5000 };

static int *filled(int value)
{
    static _Thread_local int host[COUNT];

    for (int i = 0; i < COUNT; i++)
        host[i] = value + i;
    return upload(host, sizeof(host));
}

static void check_filled(const struct rank *self, const int *device, int value)
{
    static _Thread_local int host[COUNT];

    fetch(self, host, device, sizeof(host));
    for (int i = 0; i < COUNT; i++)
        check(host[i] == value + i);
}

/* Each rank sends to the next and receives from the one before. */
static void ring(struct rank *self)
{
    int next = (self->rank + 1) % self->count,
        before = (self->rank + self->count - 1) % self->count;
    int *send = filled(self->rank * 1000), *recv = device_memory(COUNT * sizeof(int));

    check_done(ncclGroupStart());
    check_done(ncclSend(send, COUNT, ncclInt, next, self->comm, self->stream));
    check_done(ncclRecv(recv, COUNT, ncclInt, before, self->comm, self->stream));
    check_done(ncclGroupEnd());
    check_filled(self, recv, before * 1000);
}

TEST(ring_in_threads)
{
    run_threads(4, ring, NULL);
}

TEST(ring_in_processes)
{
    run_processes(4, ring, NULL);
}

/* Receives are posted in another order than sends, to oneself too. */
static void everyone_to_everyone(struct rank *self)
{
    int *send = filled(self->rank * 1000), **recv = calloc((size_t)self->count, sizeof(*recv));

    check_done(ncclGroupStart());
    for (int i = self->count - 1; i >= 0; i--) {
        recv[i] = device_memory(COUNT * sizeof(int));
        check_done(ncclRecv(recv[i], COUNT, ncclInt, i, self->comm, self->stream));
    }
    for (int i = 0; i < self->count; i++)
        check_done(ncclSend(send, COUNT, ncclInt, i, self->comm, self->stream));
    check_done(ncclGroupEnd());
    for (int i = 0; i < self->count; i++)
        check_filled(self, recv[i], i * 1000);
    free(recv);
}

TEST(everyone_to_everyone_in_threads)
{
    run_threads(8, everyone_to_everyone, NULL);
}

TEST(everyone_to_everyone_in_processes)
{
    run_processes(4, everyone_to_everyone, NULL);
}

/* Messages of a pair arrive in the order of the calls. More of them than a channel has room for. */
static void many_messages(struct rank *self)
{
    enum { MESSAGES = 3000 };
    int numbers[MESSAGES], *device;

    for (int i = 0; i < MESSAGES; i++)
        numbers[i] = self->rank == 0 ? i : -1;
    device = upload(numbers, sizeof(numbers));
    check_done(ncclGroupStart());
    for (int i = 0; i < MESSAGES; i++)
        check_done(self->rank == 0 ? ncclSend(device + i, 1, ncclInt, 1, self->comm, self->stream)
                                   : ncclRecv(device + i, 1, ncclInt, 0, self->comm, self->stream));
    check_done(ncclGroupEnd());
    fetch(self, numbers, device, sizeof(numbers));
    for (int i = 0; i < MESSAGES; i++)
        check(numbers[i] == i);
}

TEST(many_messages_in_threads)
{
    run_threads(2, many_messages, NULL);
}

TEST(many_messages_in_processes)
{
    run_processes(2, many_messages, NULL);
}

/* A collective and a message in one group, in another order on each rank. */
static void mixed_group(struct rank *self)
{
    int *sum = filled(1), *data = filled(self->rank ? 0 : 77);

    check_done(ncclGroupStart());
    if (self->rank == 0)
        check_done(ncclSend(data, COUNT, ncclInt, 1, self->comm, self->stream));
    check_done(ncclAllReduce(sum, sum, COUNT, ncclInt, ncclMax, self->comm, self->stream));
    if (self->rank == 1)
        check_done(ncclRecv(data, COUNT, ncclInt, 0, self->comm, self->stream));
    check_done(ncclGroupEnd());
    check_filled(self, sum, 1);
    if (self->rank == 1)
        check_filled(self, data, 77);
}

TEST(group_of_a_collective_and_messages)
{
    run_threads(2, mixed_group, NULL);
}

TEST(group_of_a_collective_and_messages_in_processes)
{
    run_processes(2, mixed_group, NULL);
}

/* Memory of the host, which other processes cannot map. */
static void host_memory(struct rank *self)
{
    int *pinned, *managed, *send = filled(self->rank * 1000);
    int other = 1 - self->rank;

    check_success(cuMemHostAlloc((void **)&pinned, COUNT * sizeof(int), 0));
    check_success(
        cuMemAllocManaged((CUdeviceptr *)&managed, COUNT * sizeof(int), CU_MEM_ATTACH_GLOBAL));
    for (int i = 0; i < COUNT; i++)
        pinned[i] = i + self->rank;
    check_done(ncclAllReduce(pinned, managed, COUNT, ncclInt, ncclMax, self->comm, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    for (int i = 0; i < COUNT; i++)
        check(managed[i] == i + 1);
    check_done(ncclGroupStart());
    check_done(
        ncclSend(self->rank ? send : pinned, COUNT, ncclInt, other, self->comm, self->stream));
    check_done(ncclRecv(managed, COUNT, ncclInt, other, self->comm, self->stream));
    check_done(ncclGroupEnd());
    check_success(cuStreamSynchronize(self->stream));
    for (int i = 0; i < COUNT; i++)
        check(managed[i] == (self->rank ? i : i + 1000));
}

TEST(memory_of_the_host_in_processes)
{
    run_processes(2, host_memory, NULL);
}

TEST(memory_of_the_host_in_threads)
{
    run_threads(2, host_memory, NULL);
}

TEST(one_thread_drives_all_ranks)
{
    enum { RANKS = 4 };
    ncclComm_t comms[RANKS];
    CUstream streams[RANKS];
    int *buffers[RANKS], got;

    prepare_devices();
    need_devices(RANKS);
    enter_device(0);
    check_done(ncclCommInitAll(comms, RANKS, NULL));
    for (int i = 0; i < RANKS; i++) {
        int one = i + 1;

        enter_device(i);
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        buffers[i] = upload(&one, sizeof(one));
    }
    check_done(ncclGroupStart());
    check_done(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        check_done(
            ncclAllReduce(buffers[i], buffers[i], 1, ncclInt, ncclSum, comms[i], streams[i]));
    check_done(ncclGroupEnd());
    check_done(ncclGroupEnd());
    for (int i = 0; i < RANKS; i++) {
        enter_device(i);
        check_success(cuStreamSynchronize(streams[i]));
        check_success(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)buffers[i], sizeof(got)));
        check(got == 10);
        check_done(ncclCommFinalize(comms[i]));
    }
    for (int i = 0; i < RANKS; i++)
        check_done(ncclCommDestroy(comms[i]));
}

/* The default stream of each device. */
TEST(default_streams_of_all_ranks)
{
    enum { RANKS = 3 };
    ncclComm_t comms[RANKS];
    int *buffers[RANKS], got;

    prepare_devices();
    need_devices(RANKS);
    enter_device(0);
    check_done(ncclCommInitAll(comms, RANKS, NULL));
    for (int i = 0; i < RANKS; i++) {
        enter_device(i);
        buffers[i] = upload(&i, sizeof(i));
    }
    check_done(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        check_done(ncclBcast(buffers[i], 1, ncclInt, 2, comms[i], NULL));
    check_done(ncclGroupEnd());
    for (int i = 0; i < RANKS; i++) {
        enter_device(i);
        check_success(cuStreamSynchronize(NULL));
        check_success(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)buffers[i], sizeof(got)));
        check(got == 2);
        check_done(ncclCommDestroy(comms[i]));
    }
}

static void bad_call_in_group(struct rank *self)
{
    int *data = filled(0);

    check_done(ncclGroupStart());
    check_done(ncclSend(data, COUNT, ncclInt, 1 - self->rank, self->comm, self->stream));
    check_nccl(ncclSend(data, COUNT, ncclInt, 2, self->comm, self->stream), ncclInvalidArgument);
    check_nccl(ncclGroupEnd(), ncclInvalidArgument);
    check_nccl(ncclGroupEnd(), ncclInvalidUsage);
    check_success(cuStreamSynchronize(self->stream));
}

TEST(a_bad_call_ends_its_group)
{
    run_threads(2, bad_call_in_group, NULL);
}
