/* SPDX-License-Identifier: MIT */
/* Collective operations: what each rank gets, in threads and in processes, in place and not. Values
 * are small integers, so that sums are exact in any order. */
#include "nccl_test.h"

enum { SMALL = 7, COUNT = 1001, LARGE = 300000 };

static int value(int rank, size_t i)
{
    return (int)((i * 7 + (size_t)rank * 13) % 101) - 50;
}

static int *numbers(int rank, size_t count)
{
    int *host = malloc(count * sizeof(*host));

    for (size_t i = 0; i < count; i++)
        host[i] = value(rank, i);
    return host;
}

static int sum_at(const struct rank *self, size_t i)
{
    int sum = 0;

    for (int rank = 0; rank < self->count; rank++)
        sum += value(rank, i);
    return sum;
}

/* Runs `call` with the rank's numbers, and returns what it has received. */
static int *received(struct rank *self, size_t send_count, size_t recv_count, size_t in_place_at,
                     bool in_place, void (*call)(struct rank *self, const void *send, void *recv))
{
    int *host = numbers(self->rank, send_count), *result = malloc(recv_count * sizeof(int));
    size_t most = send_count > recv_count ? send_count : recv_count;
    char *send, *recv;

    if (in_place) {
        recv = device_memory(2 * most * sizeof(int));
        send = recv + in_place_at * sizeof(int);
        if (recv_count < send_count) {
            send = recv;
            recv = send + in_place_at * sizeof(int);
        }
        check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)send, host, send_count * sizeof(int)));
    } else {
        send = upload(host, send_count * sizeof(int));
        recv = device_memory(recv_count * sizeof(int));
    }
    call(self, send, recv);
    fetch(self, result, recv, recv_count * sizeof(int));
    free(host);
    return result;
}

static size_t count; /* of one block */

static void call_all_reduce(struct rank *self, const void *send, void *recv)
{
    check_done(ncclAllReduce(send, recv, count, ncclInt, ncclSum, self->comm, self->stream));
}

static void call_reduce(struct rank *self, const void *send, void *recv)
{
    check_done(
        ncclReduce(send, recv, count, ncclInt, ncclMax, self->count - 1, self->comm, self->stream));
}

static void call_broadcast(struct rank *self, const void *send, void *recv)
{
    check_done(
        ncclBroadcast(send, recv, count, ncclInt, self->count / 2, self->comm, self->stream));
}

static void call_all_gather(struct rank *self, const void *send, void *recv)
{
    check_done(ncclAllGather(send, recv, count, ncclInt, self->comm, self->stream));
}

static void call_reduce_scatter(struct rank *self, const void *send, void *recv)
{
    check_done(ncclReduceScatter(send, recv, count, ncclInt, ncclSum, self->comm, self->stream));
}

static void call_all_to_all(struct rank *self, const void *send, void *recv)
{
    check_done(ncclAlltoAll(send, recv, count, ncclInt, self->comm, self->stream));
}

static void call_gather(struct rank *self, const void *send, void *recv)
{
    check_done(ncclGather(send, recv, count, ncclInt, 0, self->comm, self->stream));
}

static void call_scatter(struct rank *self, const void *send, void *recv)
{
    check_done(ncclScatter(send, recv, count, ncclInt, 0, self->comm, self->stream));
}

static void check_reductions(struct rank *self, bool in_place)
{
    size_t ranks = (size_t)self->count, mine = (size_t)self->rank;
    int *got = received(self, count, count, 0, in_place, call_all_reduce);

    for (size_t i = 0; i < count; i++)
        check(got[i] == sum_at(self, i));
    free(got);
    got = received(self, count, count, 0, in_place, call_reduce);
    for (size_t i = 0; i < count && self->rank == self->count - 1; i++) {
        int most = value(0, i);

        for (int rank = 1; rank < self->count; rank++)
            most = value(rank, i) > most ? value(rank, i) : most;
        check(got[i] == most);
    }
    free(got);
    got = received(self, ranks * count, count, mine * count, in_place, call_reduce_scatter);
    for (size_t i = 0; i < count; i++)
        check(got[i] == sum_at(self, mine * count + i));
    free(got);
}

static void check_copies(struct rank *self, bool in_place)
{
    size_t ranks = (size_t)self->count, mine = (size_t)self->rank;
    int *got = received(self, count, count, 0, in_place, call_broadcast);

    for (size_t i = 0; i < count; i++)
        check(got[i] == value(self->count / 2, i));
    free(got);
    got = received(self, count, ranks * count, mine * count, in_place, call_all_gather);
    for (size_t i = 0; i < ranks * count; i++)
        check(got[i] == value((int)(i / count), i % count));
    free(got);
    got = received(self, ranks * count, ranks * count, 0, false, call_all_to_all);
    for (size_t i = 0; i < ranks * count; i++)
        check(got[i] == value((int)(i / count), mine * count + i % count));
    free(got);
    got = received(self, count, ranks * count, mine * count, in_place && mine == 0, call_gather);
    for (size_t i = 0; i < ranks * count && mine == 0; i++)
        check(got[i] == value((int)(i / count), i % count));
    free(got);
    got = received(self, ranks * count, count, 0, in_place && mine == 0, call_scatter);
    for (size_t i = 0; i < count; i++)
        check(got[i] == value(0, mine * count + i));
    free(got);
}

static void all_collectives(struct rank *self)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        check_reductions(self, in_place);
        check_copies(self, in_place);
    }
}

TEST(all_collectives_in_threads)
{
    count = COUNT;
    run_threads(4, all_collectives, NULL);
}

TEST(all_collectives_in_processes)
{
    count = COUNT;
    run_processes(4, all_collectives, NULL);
}

TEST(large_collectives_in_threads)
{
    count = LARGE;
    run_threads(3, all_collectives, NULL);
}

TEST(large_collectives_in_processes)
{
    count = LARGE;
    run_processes(3, all_collectives, NULL);
}

/* What each rank sends goes along with its request. */
TEST(small_collectives_in_processes)
{
    count = SMALL;
    run_processes(4, all_collectives, NULL);
}

TEST(collectives_of_processes_with_several_ranks)
{
    for (count = 1; count <= COUNT; count *= 11)
        run_mixed(2, 2, all_collectives, NULL);
}

/* In place on even ranks alone. */
static void all_to_all_in_place(struct rank *self)
{
    size_t ranks = (size_t)self->count, all = ranks * count, mine = (size_t)self->rank;
    int *host = numbers(self->rank, all), *got = malloc(all * sizeof(int));
    int *send = upload(host, all * sizeof(int));
    int *recv = self->rank % 2 ? device_memory(all * sizeof(int)) : send;

    check_done(ncclAlltoAll(send, recv, count, ncclInt, self->comm, self->stream));
    fetch(self, got, recv, all * sizeof(int));
    for (size_t i = 0; i < all; i++)
        check(got[i] == value((int)(i / count), mine * count + i % count));
    free(host);
    free(got);
}

TEST(some_ranks_exchange_all_in_place)
{
    prepare_devices();
    need_devices(1);
    only_cupipe();
    for (count = SMALL; count <= LARGE; count = count * 207)
        run_threads(4, all_to_all_in_place, NULL);
}

TEST(some_ranks_exchange_all_in_place_in_processes)
{
    need_cupipe_in_processes();
    for (count = SMALL; count <= LARGE; count = count * 207) {
        run_processes(3, all_to_all_in_place, NULL);
        run_mixed(2, 2, all_to_all_in_place, NULL);
    }
}

/* Small operations and large ones, of which the latter end later, in one queue. */
static void alternating(struct rank *self)
{
    enum { ROUNDS = 40 };
    int *ones = malloc(LARGE * sizeof(int)), got[2], *sum;

    for (int i = 0; i < LARGE; i++)
        ones[i] = 1;
    sum = upload(ones, LARGE * sizeof(int));
    for (int i = 0; i < ROUNDS; i++)
        check_done(ncclAllReduce(sum, sum, i % 3 ? 1 : LARGE, ncclInt, i % 3 ? ncclMax : ncclMin,
                                 self->comm, self->stream));
    check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, got, sum, sizeof(got));
    check(got[0] == self->count && got[1] == 1);
    free(ones);
}

TEST(small_and_large_operations_alternate)
{
    run_processes(3, alternating, NULL);
}

static void many_rounds(struct rank *self)
{
    float one = 1, got, *sum = upload(&one, sizeof(one));

    for (int i = 0; i < 20; i++)
        check_done(ncclAllReduce(sum, sum, 1, ncclFloat, ncclMax, self->comm, self->stream));
    fetch(self, &got, sum, sizeof(got));
    check(got == 1);
}

TEST(many_rounds_are_queued_in_threads)
{
    run_threads(8, many_rounds, NULL);
}

TEST(many_rounds_are_queued_in_processes)
{
    run_processes(4, many_rounds, NULL);
}

/* More ranks than there could be threads of the driver: nobody blocks one. */
TEST(two_hundred_ranks)
{
    run_threads(200, many_rounds, NULL);
}

/* NCCL orders the operations of a communicator by the calls, in whatever streams they are. */
static void two_streams(struct rank *self)
{
    int one = 1, got, *sum = upload(&one, sizeof(one));
    CUstream other;

    check_success(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 10; i++)
        check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclMax, self->comm,
                                 (i + self->rank) % 2 ? other : self->stream));
    check_success(cuStreamSynchronize(other));
    fetch(self, &got, sum, sizeof(got));
    check(got == 1);
}

TEST(streams_of_a_communicator_keep_the_order_of_calls)
{
    run_threads(4, two_streams, NULL);
}
