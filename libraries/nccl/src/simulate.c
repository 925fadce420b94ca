/* SPDX-License-Identifier: MIT */
/* The usual model of collective operations: a latency, and the bytes that a rank moves over a
 * bandwidth. The figures are rounded from docs/performance/collectives.md: ranks on one host of 16
 * processors, and hosts that a network of 10 Gbit/s joins. They order alternatives; they are no
 * measurement of this machine. */
#include "simulate.h"

static const struct path {
    double latency_us, bytes_per_us;
} memory = {2, 8000}, network = {30, 1000};

/* What a rank sends, or gets if that is more, in bytes, with the algorithm that moves least. */
static double moved_bytes(const struct nccl_request *request, int rank, int rank_count)
{
    double others = rank_count - 1;
    double block = (double)request->count * (double)nccl_type_bytes((ncclDataType_t)request->type);

    switch (request->kind) {
    case NCCL_ALL_REDUCE:
        return 2 * block * others / rank_count;
    case NCCL_ALL_GATHER:
    case NCCL_REDUCE_SCATTER:
    case NCCL_ALL_TO_ALL:
        return block * others;
    case NCCL_GATHER:
    case NCCL_SCATTER:
        return rank == request->root ? block * others : block;
    default:
        return block;
    }
}

double nccl_simulate(const struct nccl_request *request, int rank, int rank_count,
                     bool has_other_hosts)
{
    const struct path *path = has_other_hosts ? &network : &memory;

    return path->latency_us + moved_bytes(request, rank, rank_count) / path->bytes_per_us;
}
