/* SPDX-License-Identifier: MIT */
/* Collective operations of ranks on several hosts, by the leaders of the hosts, in steps: a step
 * begins transfers, and the next one begins when all of them have ended.
 *
 * Reductions go piece by piece. The elements of a piece are divided into regions, one for each
 * host. A leader reduces the vectors of its host's ranks, in the order of the ranks, to a partial
 * result, and sends each region to its host. That host reduces the partial results in the order of
 * the hosts, so that all hosts get the same bits; AllReduce sends them back to all. Every element
 * crosses the network as often as in a ring, with two steps in place of as many as there are hosts.
 *
 * Everything else moves blocks from rank to rank. A block that all ranks of a host get crosses the
 * network once, to the host's first rank. */
#include "fault.h"
#include "hosts_state.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 8 << 20, PART_ELEMENTS = 64 << 10 };

/* One operation at a time, whose memory is kept for the next one. */
struct nccl_hosts_round {
    struct nccl_hosts *hosts;
    struct nccl_work work;
    nccl_network_done *done;
    void *context;
    size_t element_bytes;
    int step;
    uint64_t at, length;      /* elements of the piece */
    _Atomic(int) outstanding; /* transfers, and one while they are begun */
    _Atomic(int) result;      /* ncclResult_t */
    char *memory;
    size_t memory_bytes;
    char *partial; /* regions of all hosts, one behind the other */
    char *arrived; /* this host's region, from each host */
    struct nccl_fault fault;
};

void nccl_hosts_round_free(struct nccl_hosts_round *round)
{
    if (round)
        free(round->memory);
    free(round);
}

static bool reserve(struct nccl_hosts_round *round, size_t bytes)
{
    if (bytes <= round->memory_bytes)
        return true;
    free(round->memory);
    round->memory = malloc(bytes);
    round->memory_bytes = round->memory ? bytes : 0;
    return round->memory;
}

static void run(struct nccl_hosts_round *round);

static void note(struct nccl_hosts_round *round, ncclResult_t result)
{
    int none = ncclSuccess;

    if (result != ncclSuccess)
        atomic_compare_exchange_strong(&round->result, &none, (int)result);
}

static bool has_failed(const struct nccl_hosts_round *round)
{
    return atomic_load(&round->result) != ncclSuccess;
}

static void note_fault(struct nccl_hosts_round *round, const struct nccl_fault *fault)
{
    round->fault = *fault;
    note(round, ncclUnhandledCudaError);
}

/* Copies memory of ranks of this host. */
static void copy(struct nccl_hosts_round *round, void *to, const void *from, size_t bytes)
{
    struct nccl_fault fault;

    if (to != from && !has_failed(round) && !nccl_fault_copy(to, from, bytes, &fault))
        note_fault(round, &fault);
}

static void transfer_done(void *context, ncclResult_t result)
{
    struct nccl_hosts_round *round = context;

    note(round, result);
    if (result != ncclSuccess)
        nccl_hosts_fail(round->hosts); /* ends the other transfers of the step, too */
    if (atomic_fetch_sub(&round->outstanding, 1) == 1)
        run(round);
}

static void transfer(struct nccl_hosts_round *round, int from, int to, const void *data,
                     size_t bytes)
{
    if (bytes == 0)
        return;
    atomic_fetch_add(&round->outstanding, 1);
    nccl_hosts_transfer(round->hosts, NCCL_TAG_COLLECTIVE, from, to, (void *)data, bytes,
                        transfer_done, round);
}

static void send_to(struct nccl_hosts_round *round, int host, const void *data, size_t bytes)
{
    transfer(round, round->hosts->own_rank, nccl_hosts_leader(round->hosts, host), data, bytes);
}

static void receive_from(struct nccl_hosts_round *round, int host, void *data, size_t bytes)
{
    transfer(round, nccl_hosts_leader(round->hosts, host), round->hosts->own_rank, data, bytes);
}

/* A reduction of vectors that lie at the same place of each source, in parts on the driver's
 * workers. Every part has an array of `source_count` pointers of its own. */
struct reducing {
    const struct nccl_reduction *reduction;
    char *out;
    const char **sources, **shifted;
    size_t source_count, element_bytes, parts;
    uint64_t count;
    bool is_last;
};

static void reduce_part(void *argument, size_t index)
{
    const struct reducing *r = argument;
    uint64_t at = index * (uint64_t)PART_ELEMENTS, left = r->count - at;
    const char **sources = r->shifted + index * r->source_count;

    for (size_t i = 0; i < r->source_count; i++)
        sources[i] = r->sources[i] + at * r->element_bytes;
    nccl_reduce(r->reduction, r->out + at * r->element_bytes, (const void *const *)sources,
                r->source_count, left < PART_ELEMENTS ? left : PART_ELEMENTS, r->is_last);
}

static void reduce_parts(void *data)
{
    struct reducing *r = data;

    lib_parallel(r->parts, reduce_part, r);
}

static void reduce(struct nccl_hosts_round *round, struct reducing *r)
{
    struct nccl_fault fault;

    r->parts = (r->count + PART_ELEMENTS - 1) / PART_ELEMENTS;
    r->element_bytes = round->element_bytes;
    r->shifted = malloc(r->parts * r->source_count * sizeof(*r->shifted) + 1);
    if (!r->shifted)
        note(round, ncclSystemError);
    else if (!nccl_fault_guard(reduce_parts, r, &fault))
        note_fault(round, &fault);
    free(r->shifted);
}

/* The elements of a host's region in the piece. */
static uint64_t region_elements(const struct nccl_hosts_round *round, int host)
{
    const struct nccl_hosts *hosts = round->hosts;
    uint64_t hosts_count = (uint64_t)hosts->host_count, h = (uint64_t)host;

    if (round->work.kind == NCCL_ALL_REDUCE)
        return round->length * (h + 1) / hosts_count - round->length * h / hosts_count;
    if (round->work.kind == NCCL_REDUCE)
        return hosts->host_of[round->work.root] == host ? round->length : 0;
    return round->length * (uint64_t)(hosts->first[host + 1] - hosts->first[host]);
}

static char *region(const struct nccl_hosts_round *round, int host)
{
    uint64_t before = 0;

    for (int i = 0; i < host; i++)
        before += region_elements(round, i);
    return round->partial + before * round->element_bytes;
}

static char *arrived_from(const struct nccl_hosts_round *round, int host)
{
    if (host == round->hosts->host)
        return region(round, host);
    return round->arrived +
           (uint64_t)host * region_elements(round, round->hosts->host) * round->element_bytes;
}

/* Reduces `count` elements at element `from` of this host's ranks. */
static void reduce_ranks(struct nccl_hosts_round *round, uint64_t from, uint64_t count, char *out)
{
    const struct nccl_hosts *hosts = round->hosts;
    const int *ranks = hosts->ranks + hosts->first[hosts->host];
    size_t rank_count = (size_t)(hosts->first[hosts->host + 1] - hosts->first[hosts->host]);
    const char **sources = malloc(rank_count * sizeof(*sources));
    uint64_t *scalars = malloc(rank_count * sizeof(*scalars));
    struct nccl_reduction reduction = round->work.reduction;

    for (size_t i = 0; i < rank_count && sources && scalars; i++) {
        sources[i] = round->work.send[ranks[i]] + from * round->element_bytes;
        scalars[i] = reduction.scalars ? reduction.scalars[ranks[i]] : reduction.scalar;
    }
    reduction.scalars = scalars;
    if (sources && scalars)
        reduce(round, &(struct reducing){.reduction = &reduction,
                                         .out = out,
                                         .sources = sources,
                                         .source_count = rank_count,
                                         .count = count});
    else
        note(round, ncclSystemError);
    free(sources);
    free(scalars);
}

/* Makes the partial result of the piece. */
static void make_partial(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;
    uint64_t count = round->work.count;

    if (round->work.kind != NCCL_REDUCE_SCATTER) {
        reduce_ranks(round, round->at, round->length, round->partial);
        return;
    }
    for (int i = 0; i < hosts->rank_count; i++)
        reduce_ranks(round, (uint64_t)hosts->ranks[i] * count + round->at, round->length,
                     round->partial + (uint64_t)i * round->length * round->element_bytes);
}

/* Reduces `count` elements of this host's region, from element `from` of it on. */
static void reduce_hosts(struct nccl_hosts_round *round, uint64_t from, uint64_t count, char *out)
{
    const struct nccl_hosts *hosts = round->hosts;
    size_t host_count = (size_t)hosts->host_count;
    const char **sources = malloc(host_count * sizeof(*sources));
    struct nccl_reduction reduction = round->work.reduction;

    if (!sources) {
        note(round, ncclSystemError);
        return;
    }
    if (reduction.op == NCCL_OP_SCALED_SUM)
        reduction.op = NCCL_OP_SUM; /* the ranks' numbers were scaled */
    for (int host = 0; host < hosts->host_count; host++)
        sources[host] = arrived_from(round, host) + from * round->element_bytes;
    reduce(round, &(struct reducing){.reduction = &reduction,
                                     .out = out,
                                     .sources = sources,
                                     .source_count = host_count,
                                     .count = count,
                                     .is_last = true});
    free(sources);
}

/* Makes the result of this host's region. */
static void make_result(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;
    uint64_t elements = region_elements(round, hosts->host);
    size_t offset = round->at * round->element_bytes;

    switch (round->work.kind) {
    case NCCL_ALL_REDUCE:
        reduce_hosts(round, 0, elements, region(round, hosts->host));
        return;
    case NCCL_REDUCE:
        if (elements)
            reduce_hosts(round, 0, elements, round->work.recv[round->work.root] + offset);
        return;
    default:
        for (int i = hosts->first[hosts->host], k = 0; i < hosts->first[hosts->host + 1]; i++, k++)
            reduce_hosts(round, (uint64_t)k * round->length, round->length,
                         round->work.recv[hosts->ranks[i]] + offset);
    }
}

/* Begins the next piece; false: there is none. */
static bool next_piece(struct nccl_hosts_round *round)
{
    struct nccl_hosts *hosts = round->hosts;
    bool scatters = round->work.kind == NCCL_REDUCE_SCATTER;
    uint64_t vectors = scatters ? (uint64_t)hosts->rank_count : 1;
    uint64_t most = PIECE_BYTES / round->element_bytes / vectors;
    size_t partial_bytes;

    round->at += round->length;
    round->length = round->work.count - round->at;
    if (round->length == 0)
        return false;
    if (round->length > most)
        round->length = most ? most : 1;
    partial_bytes = round->length * vectors * round->element_bytes;
    if (!reserve(round, partial_bytes * ((size_t)hosts->host_count + 1))) {
        note(round, ncclSystemError);
        return false;
    }
    round->partial = round->memory;
    round->arrived = round->memory + partial_bytes;
    return true;
}

/* The steps of a reduction: 0 partial results go to the hosts of their regions, 1 results, which
 * AllReduce sends to all hosts, 2 the end of the piece. False: the operation is over. */
static bool reduction_step(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;
    size_t own_bytes, offset = round->at * round->element_bytes;
    bool sends_back = round->work.kind == NCCL_ALL_REDUCE;

    if (round->step == 0) {
        if (!next_piece(round))
            return false;
        make_partial(round);
    } else if (round->step == 1) {
        make_result(round);
    } else {
        for (int i = hosts->first[hosts->host]; sends_back && i < hosts->first[hosts->host + 1];
             i++)
            copy(round, round->work.recv[hosts->ranks[i]] + offset, round->partial,
                 round->length * round->element_bytes);
        round->step = -1;
        return true;
    }
    if (has_failed(round))
        return false;
    own_bytes = region_elements(round, hosts->host) * round->element_bytes;
    for (int host = 0; host < hosts->host_count && (round->step == 0 || sends_back); host++) {
        size_t bytes = region_elements(round, host) * round->element_bytes;

        if (host == hosts->host)
            continue;
        if (round->step == 0) {
            receive_from(round, host, arrived_from(round, host), own_bytes);
            send_to(round, host, region(round, host), bytes);
        } else {
            receive_from(round, host, region(round, host), bytes);
            send_to(round, host, region(round, hosts->host), own_bytes);
        }
    }
    return true;
}

/* A block that one rank gives to another one. */
struct block {
    const char *from;
    char *to;
    size_t bytes;
};

static struct block block_of(const struct nccl_hosts_round *round, int from, int to)
{
    const struct nccl_work *work = &round->work;
    size_t bytes = work->count * round->element_bytes;
    bool gathers = work->kind == NCCL_ALL_GATHER || work->kind == NCCL_GATHER;
    bool scatters = work->kind == NCCL_SCATTER, exchanges = work->kind == NCCL_ALL_TO_ALL;
    const char *send = round->hosts->host_of[from] == round->hosts->host ? work->send[from] : NULL;
    char *recv = round->hosts->host_of[to] == round->hosts->host ? work->recv[to] : NULL;

    return (struct block){
        .from = send ? send + (scatters || exchanges ? (size_t)to * bytes : 0) : NULL,
        .to = recv ? recv + (gathers || exchanges ? (size_t)from * bytes : 0) : NULL,
        .bytes = bytes,
    };
}

/* Whether a rank gives a block to another one. */
static bool gives(const struct nccl_work *work, int from, int to)
{
    switch (work->kind) {
    case NCCL_BROADCAST:
    case NCCL_SCATTER:
        return from == work->root;
    case NCCL_GATHER:
        return to == work->root;
    default:
        return true;
    }
}

/* Moves the block of a pair of ranks, as far as this host has to do with it. Blocks that all ranks
 * of a host get go to the first of them. */
static void move(struct nccl_hosts_round *round, int from, int to)
{
    const struct nccl_hosts *hosts = round->hosts;
    struct block block = block_of(round, from, to);
    bool is_shared = round->work.kind == NCCL_BROADCAST || round->work.kind == NCCL_ALL_GATHER;
    bool is_first = nccl_hosts_leader(hosts, hosts->host_of[to]) == to;
    int here = hosts->host;

    if (hosts->host_of[from] == here && hosts->host_of[to] == here) {
        copy(round, block.to, block.from, block.bytes);
    } else if (is_shared && !is_first) {
        return;
    } else if (hosts->host_of[from] == here) {
        send_to(round, hosts->host_of[to], block.from, block.bytes);
    } else if (hosts->host_of[to] == here) {
        receive_from(round, hosts->host_of[from], block.to, block.bytes);
    }
}

/* Gives the blocks that the first rank of this host got to the others. */
static void share_out(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;
    int first = nccl_hosts_leader(hosts, hosts->host);

    for (int from = 0; from < hosts->rank_count; from++)
        for (int i = hosts->first[hosts->host] + 1; i < hosts->first[hosts->host + 1]; i++)
            if (hosts->host_of[from] != hosts->host && gives(&round->work, from, first))
                copy(round, block_of(round, from, hosts->ranks[i]).to,
                     block_of(round, from, first).to, round->work.count * round->element_bytes);
}

/* AllToAll in place would overwrite blocks that are still to be sent. */
static void copy_sources(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;
    size_t bytes = round->work.count * round->element_bytes * (size_t)hosts->rank_count, used = 0;
    const char **send = (const char **)round->work.send;

    for (int i = hosts->first[hosts->host]; i < hosts->first[hosts->host + 1]; i++)
        used += send[hosts->ranks[i]] == round->work.recv[hosts->ranks[i]] ? bytes : 0;
    if (!reserve(round, used)) {
        note(round, ncclSystemError);
        return;
    }
    used = 0;
    for (int i = hosts->first[hosts->host]; i < hosts->first[hosts->host + 1]; i++) {
        int rank = hosts->ranks[i];

        if (send[rank] != round->work.recv[rank])
            continue;
        copy(round, round->memory + used, send[rank], bytes);
        send[rank] = round->memory + used;
        used += bytes;
    }
}

static bool movement_step(struct nccl_hosts_round *round)
{
    const struct nccl_hosts *hosts = round->hosts;

    if (round->step == 0 && round->work.kind == NCCL_ALL_TO_ALL)
        copy_sources(round);
    if (round->step == 0 && !has_failed(round)) {
        for (int from = 0; from < hosts->rank_count; from++)
            for (int to = 0; to < hosts->rank_count; to++)
                if (gives(&round->work, from, to))
                    move(round, from, to);
        return true;
    }
    if (round->work.kind == NCCL_BROADCAST || round->work.kind == NCCL_ALL_GATHER)
        share_out(round);
    return false;
}

/* Takes steps until one has to wait. */
static void run(struct nccl_hosts_round *round)
{
    bool goes_on = true;

    do {
        if (has_failed(round))
            break;
        atomic_store(&round->outstanding, 1);
        goes_on =
            nccl_kind_reduces(round->work.kind) ? reduction_step(round) : movement_step(round);
        round->step++;
        if (atomic_fetch_sub(&round->outstanding, 1) != 1)
            return;
    } while (goes_on);
    round->done(round->context, (ncclResult_t)atomic_load(&round->result));
}

void nccl_hosts_execute(struct nccl_hosts *hosts, const struct nccl_work *work,
                        nccl_network_done *done, void *context)
{
    struct nccl_hosts_round *round = hosts->round;

    if (!round)
        round = hosts->round = calloc(1, sizeof(*round));
    if (!round) {
        done(context, ncclSystemError);
        return;
    }
    round->hosts = hosts;
    round->work = *work;
    round->done = done;
    round->context = context;
    round->element_bytes = nccl_type_bytes(work->type);
    round->step = 0;
    round->at = round->length = 0;
    round->fault = (struct nccl_fault){0};
    atomic_store(&round->result, ncclSuccess);
    run(round);
}

const struct nccl_fault *nccl_hosts_fault(const struct nccl_hosts *hosts)
{
    return hosts->round && hosts->round->fault.error != CUDA_SUCCESS ? &hosts->round->fault : NULL;
}
