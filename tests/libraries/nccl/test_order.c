/* SPDX-License-Identifier: MIT */
/* The order of additions (docs/COLLECTIVES.md): sums of numbers of very different size, which every
 * other order rounds in another way, are those of that order to the bit. NVIDIA's library has an
 * order of its own for more than two ranks. */
#include "nccl_test.h"

enum { MOST_RANKS = 6 };

static size_t count; /* of one block */

static float number(int rank, size_t i)
{
    uint32_t bits = (uint32_t)(i * 2654435761u) ^ (uint32_t)(rank + 1) * 0x9e3779b9u;

    bits ^= bits >> 15;
    bits *= 0x2c1b3c6du;
    bits ^= bits >> 12;
    return (float)((int32_t)bits >> 8) * (float)(1 << (bits & 15));
}

static float *numbers(int rank, size_t length)
{
    float *host = malloc(length * sizeof(*host));

    for (size_t i = 0; i < length; i++)
        host[i] = number(rank, i);
    return host;
}

/* Round the ring: from the rank behind `last` to `last`. */
static float ring_sum(int ranks, int last, size_t i)
{
    volatile float sum = number((last + 1) % ranks, i);

    for (int k = 2; k <= ranks; k++)
        sum = sum + number((last + k) % ranks, i);
    return sum;
}

static void check_sums(struct rank *self, const float *device, int last, size_t from, size_t length)
{
    float *got = malloc(length * sizeof(float));
    size_t block = (length + (size_t)self->count - 1) / (size_t)self->count;

    fetch(self, got, device, length * sizeof(float));
    for (size_t i = 0; i < length; i++)
        check(got[i] == ring_sum(self->count, last < 0 ? (int)(i / block) : last, from + i));
    free(got);
}

static void ring_sums(struct rank *self)
{
    size_t ranks = (size_t)self->count;
    int root = self->count / 2;
    float *host = numbers(self->rank, ranks * count);
    float *send = upload(host, ranks * count * sizeof(float));
    float *recv = device_memory(count * sizeof(float));

    check_done(ncclAllReduce(send, recv, count, ncclFloat, ncclSum, self->comm, self->stream));
    check_sums(self, recv, -1, 0, count);
    check_done(ncclReduce(send, recv, count, ncclFloat, ncclSum, root, self->comm, self->stream));
    if (self->rank == root)
        check_sums(self, recv, root, 0, count);
    check_done(ncclReduceScatter(send, recv, count, ncclFloat, ncclSum, self->comm, self->stream));
    check_sums(self, recv, self->rank, (size_t)self->rank * count, count);
    free(host);
}

static const size_t counts[] = {1, 37, 1000, 70000};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* With two ranks there is one order, on a card, too. */
TEST(two_ranks_have_one_order)
{
    for (int i = 0; i < COUNTS; i++) {
        count = counts[i];
        run_threads(2, ring_sums, NULL);
    }
}

TEST(sums_go_round_the_ring_in_threads)
{
    prepare_devices();
    need_devices(1);
    only_cupipe();
    for (int i = 0; i < COUNTS; i++) {
        count = counts[i];
        run_threads(5, ring_sums, NULL);
    }
}

TEST(sums_go_round_the_ring_in_processes)
{
    need_cupipe_in_processes();
    for (int i = 0; i < COUNTS; i++) {
        count = counts[i];
        run_processes(3, ring_sums, NULL);
        run_mixed(2, 3, ring_sums, NULL);
    }
}

/* The partial sums of hosts, each in the order of its ranks, in the order of their lowest ranks. */
static float hosts_sum(int ranks, size_t i)
{
    volatile float sum = 0;

    for (int host = 0; host < 2; host++) {
        volatile float partial = number(host * ranks / 2, i);

        for (int rank = host * ranks / 2 + 1; rank < (host + 1) * ranks / 2; rank++)
            partial = partial + number(rank, i);
        sum = host ? sum + partial : partial;
    }
    return sum;
}

static void sums_of_hosts(struct rank *self)
{
    float *host = numbers(self->rank, count), *send = upload(host, count * sizeof(float));
    float *got = malloc(count * sizeof(float)), *recv = device_memory(count * sizeof(float));

    check_done(ncclAllReduce(send, recv, count, ncclFloat, ncclSum, self->comm, self->stream));
    fetch(self, got, recv, count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        check(got[i] == hosts_sum(self->count, i));
    free(host);
    free(got);
}

static void set_host(int process)
{
    setenv("NCCL_HOSTID", process < 3 ? "a" : "b", 1);
}

TEST(sums_of_two_hosts)
{
    need_hosts(set_host);
    for (int i = 0; i < COUNTS; i++) {
        count = counts[i];
        run_processes(MOST_RANKS, sums_of_hosts, NULL);
    }
}
