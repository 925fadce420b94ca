/* SPDX-License-Identifier: MIT */
/* An operation is a space of elements: those of the results, block after block. A share, and a part
 * of it for one thread, is a range of that space; each element is read and written by one thread,
 * so that buffers used in place need no care. Results of ranks without a receive buffer are left
 * out: another process makes them.
 *
 * Sums are made in the order of a ring of the ranks: the block that ends at rank r begins at rank
 * r + 1. AllReduce has as many blocks as ranks, as a ring has. */
#include "execute.h"

#include "work.h"

#include <alloca.h>
#include <string.h>

enum { PART_BYTES = 256 * 1024, ALIGNED_ELEMENTS = 256, COPY_BYTES = 16 * 1024 };

struct range {
    const struct nccl_work *work;
    uint64_t begin, end, step; /* `step` elements for each part */
};

static uint64_t space_of(const struct nccl_work *work)
{
    uint64_t ranks = (uint64_t)work->rank_count;

    switch (work->kind) {
    case NCCL_ALL_GATHER:
    case NCCL_REDUCE_SCATTER:
    case NCCL_GATHER:
    case NCCL_SCATTER:
        return ranks * work->count;
    case NCCL_ALL_TO_ALL:
        return ranks * ranks * work->count;
    default:
        return work->count;
    }
}

/* The bytes that an element of the space moves, for the size of parts. */
static uint64_t weight_of(const struct nccl_work *work)
{
    uint64_t bytes = nccl_type_bytes(work->type), ranks = (uint64_t)work->rank_count;

    if (nccl_kind_reduces(work->kind) || work->kind == NCCL_BROADCAST ||
        work->kind == NCCL_ALL_GATHER)
        return bytes * ranks;
    return bytes;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from)
        memcpy(to, from, bytes);
}

/* Reduces `count` elements at byte offset `from` of all sources, in the order of the ring that ends
 * at rank `last`, and writes them at byte offset `to` of the destinations. */
static void reduce_ring(const struct nccl_work *work, int last, uint64_t from, void **destinations,
                        size_t destination_count, uint64_t count)
{
    size_t ranks = (size_t)work->rank_count;
    const void **sources = alloca(ranks * sizeof(*sources));
    uint64_t *scalars = alloca(ranks * sizeof(*scalars));
    struct nccl_reduction reduction = work->reduction;

    for (size_t i = 0; i < ranks; i++) {
        size_t rank = ((size_t)last + 1 + i) % ranks;

        sources[i] = work->send[rank] + from;
        scalars[i] = reduction.scalars ? reduction.scalars[rank] : 0;
    }
    if (reduction.scalars)
        reduction.scalars = scalars;
    nccl_reduce_all(&reduction, destinations, destination_count, sources, ranks, count, true);
}

/* Fills in where elements at byte offset `at` of all results go; returns how many places. */
static size_t find_destinations(const struct nccl_work *work, uint64_t at, void **destinations)
{
    size_t count = 0;

    for (int rank = 0; rank < work->rank_count; rank++)
        if (work->recv[rank])
            destinations[count++] = work->recv[rank] + at;
    return count;
}

static void all_reduce(const struct nccl_work *work, uint64_t begin, uint64_t end)
{
    uint64_t bytes = nccl_type_bytes(work->type), ranks = (uint64_t)work->rank_count;
    uint64_t block = (work->count + ranks - 1) / ranks;
    void **destinations = alloca(ranks * sizeof(*destinations));

    while (begin < end) {
        uint64_t rank = begin / block, stop = (rank + 1) * block;

        stop = stop < end ? stop : end;
        reduce_ring(work, (int)rank, begin * bytes, destinations,
                    find_destinations(work, begin * bytes, destinations), stop - begin);
        begin = stop;
    }
}

static void reduce(const struct nccl_work *work, uint64_t begin, uint64_t end)
{
    uint64_t bytes = nccl_type_bytes(work->type);
    void *destination = work->recv[work->root] + begin * bytes;

    if (!work->recv[work->root])
        return;
    reduce_ring(work, work->root, begin * bytes, &destination, 1, end - begin);
}

static void broadcast(const struct nccl_work *work, uint64_t begin, uint64_t end)
{
    uint64_t bytes = nccl_type_bytes(work->type);

    for (uint64_t at = begin * bytes, stop = end * bytes; at < stop;) {
        size_t piece = stop - at < COPY_BYTES ? stop - at : COPY_BYTES;

        for (int rank = 0; rank < work->rank_count; rank++)
            if (work->recv[rank])
                copy(work->recv[rank] + at, work->send[work->root] + at, piece);
        at += piece;
    }
}

/* Elements [begin, end) of block `block` of operations whose space has a block for each rank. */
static void one_block(const struct nccl_work *work, uint64_t block, uint64_t begin, uint64_t end)
{
    uint64_t bytes = nccl_type_bytes(work->type), base = block * work->count * bytes;
    uint64_t at = begin * bytes, length = (end - begin) * bytes;
    void *destination = work->recv[block] + at;

    switch (work->kind) {
    case NCCL_REDUCE_SCATTER:
        if (work->recv[block])
            reduce_ring(work, (int)block, base + at, &destination, 1, end - begin);
        return;
    case NCCL_ALL_GATHER:
        for (int rank = 0; rank < work->rank_count; rank++)
            if (work->recv[rank])
                copy(work->recv[rank] + base + at, work->send[block] + at, length);
        return;
    case NCCL_GATHER:
        if (work->recv[work->root])
            copy(work->recv[work->root] + base + at, work->send[block] + at, length);
        return;
    default:
        if (work->recv[block])
            copy(destination, work->send[work->root] + base + at, length);
    }
}

/* Two copies of which each may overwrite what the other one reads. */
static void copy_both(char *to_a, const char *from_a, char *to_b, const char *from_b, size_t bytes)
{
    char held[1024];

    for (size_t at = 0; at < bytes; at += sizeof(held)) {
        size_t piece = bytes - at < sizeof(held) ? bytes - at : sizeof(held);

        memcpy(held, from_a + at, piece);
        copy(to_b + at, from_b + at, piece);
        memcpy(to_a + at, held, piece);
    }
}

static bool is_in_place(const struct nccl_work *work, uint64_t rank)
{
    return work->send[rank] == work->recv[rank];
}

/* Block `pair` is what rank pair / ranks gets from rank pair % ranks. If one of the two works in
 * place, what they send each other is copied at once. */
static void exchange_block(const struct nccl_work *work, uint64_t pair, uint64_t begin,
                           uint64_t end)
{
    uint64_t bytes = nccl_type_bytes(work->type), ranks = (uint64_t)work->rank_count;
    uint64_t to = pair / ranks, from = pair % ranks, block = work->count * bytes;
    uint64_t sent = to * block + begin * bytes, received = from * block + begin * bytes;
    size_t length = (end - begin) * bytes;

    if (!work->recv[to])
        return;
    if (!work->recv[from] || (!is_in_place(work, to) && !is_in_place(work, from)))
        copy(work->recv[to] + received, work->send[from] + sent, length);
    else if (to < from)
        copy_both(work->recv[to] + received, work->send[from] + sent, work->recv[from] + sent,
                  work->send[to] + received, length);
    else if (to == from)
        copy(work->recv[to] + received, work->send[to] + sent, length);
}

static void do_range(const struct nccl_work *work, uint64_t begin, uint64_t end)
{
    if (work->kind == NCCL_ALL_REDUCE) {
        all_reduce(work, begin, end);
        return;
    }
    if (work->kind == NCCL_REDUCE || work->kind == NCCL_BROADCAST) {
        (work->kind == NCCL_REDUCE ? reduce : broadcast)(work, begin, end);
        return;
    }
    while (begin < end) {
        uint64_t block = begin / work->count, first = block * work->count;
        uint64_t stop = first + work->count < end ? first + work->count : end;

        if (work->kind == NCCL_ALL_TO_ALL)
            exchange_block(work, block, begin - first, stop - first);
        else
            one_block(work, block, begin - first, stop - first);
        begin = stop;
    }
}

static void do_part(void *argument, size_t index)
{
    const struct range *range = argument;
    uint64_t begin = range->begin + index * range->step, end = begin + range->step;

    do_range(range->work, begin, end < range->end ? end : range->end);
}

static uint64_t boundary(uint64_t space, unsigned share, unsigned shares)
{
    uint64_t at =
        share == shares ? space : space / shares * share + space % shares * share / shares;

    return share == shares ? space : at / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
}

void nccl_execute(const struct nccl_work *work, unsigned share, unsigned shares)
{
    uint64_t space = space_of(work), step = PART_BYTES / weight_of(work);
    struct range range = {work, boundary(space, share, shares), boundary(space, share + 1, shares),
                          step / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS};

    if (range.step == 0)
        range.step = ALIGNED_ELEMENTS;
    if (range.begin < range.end)
        lib_parallel((range.end - range.begin + range.step - 1) / range.step, do_part, &range);
}
