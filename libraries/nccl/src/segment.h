/* SPDX-License-Identifier: MIT */
/* The memory by which the processes of a communicator on one host talk: each process writes to one
 * file of its own and reads those of the others. There is no lock in it, because its holder could
 * die, and nothing in it is trusted: a reader checks what it uses. */
#ifndef NCCL_SEGMENT_H
#define NCCL_SEGMENT_H

#include "operation.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NCCL_SEGMENT_ROUNDS = 16,     /* that can be published and not over */
    NCCL_CHANNEL_MESSAGES = 1024, /* to one process that are not acknowledged */
    NCCL_EXCHANGE_BYTES = 64,
    NCCL_EAGER_BYTES = 4096, /* that a rank sends beside its request (eager.h) */
};

/* A message that waits for its receiver. */
struct nccl_message {
    uint64_t serial;
    int32_t sender, receiver; /* ranks */
    uint64_t bytes;
    struct nccl_place place;
};

/* From the process of the segment to another one: messages, and acknowledgements of messages that
 * came from there. A count is that of all entries ever written. */
struct nccl_channel {
    _Atomic(uint64_t) sent, acknowledged;
    struct nccl_message messages[NCCL_CHANNEL_MESSAGES];
    uint64_t acknowledgements[NCCL_CHANNEL_MESSAGES]; /* serials */
};

/* What a rank says to the others when a communicator is split. */
struct nccl_exchange_slot {
    _Atomic(uint64_t) number;
    unsigned char record[NCCL_EXCHANGE_BYTES];
};

struct nccl_segment {
    _Atomic(uint32_t) error;               /* ncclResult_t */
    _Atomic(uint64_t) published, executed; /* rounds */
    /* Rounds that all ranks of the process take part in, and one; 0: there is no end yet. */
    _Atomic(uint64_t) end;
    /* The round that a thread looks for without a bell, and one (direct.c). It is not taken back
     * when that has come. */
    _Atomic(uint64_t) looked_for;
    _Atomic(uint32_t) has_left; /* all ranks of the process have destroyed the communicator */
    /* Threads that look without a bell (waiting.c); not in the line that others wait for. */
    _Alignas(64) _Atomic(uint32_t) lookers;
};

/* Behind the head: requests by round and rank, exchanges by parity and rank, channels by process,
 * eager data by round and rank. Untouched pages take no memory. */
static inline size_t nccl_segment_requests_at(void)
{
    return 4096;
}

static inline size_t nccl_segment_exchanges_at(int rank_count)
{
    return nccl_segment_requests_at() +
           NCCL_SEGMENT_ROUNDS * (size_t)rank_count * sizeof(struct nccl_request);
}

static inline size_t nccl_segment_channels_at(int rank_count)
{
    size_t end = nccl_segment_exchanges_at(rank_count) +
                 2 * (size_t)rank_count * sizeof(struct nccl_exchange_slot);

    return (end + 4095) / 4096 * 4096;
}

static inline size_t nccl_segment_eager_at(int rank_count)
{
    size_t end =
        nccl_segment_channels_at(rank_count) + (size_t)rank_count * sizeof(struct nccl_channel);

    return (end + 4095) / 4096 * 4096;
}

static inline size_t nccl_segment_bytes(int rank_count)
{
    return nccl_segment_eager_at(rank_count) +
           NCCL_SEGMENT_ROUNDS * (size_t)rank_count * NCCL_EAGER_BYTES;
}

static inline struct nccl_request *nccl_segment_request(struct nccl_segment *segment,
                                                        int rank_count, uint64_t round, int rank)
{
    struct nccl_request *requests = (void *)((char *)segment + nccl_segment_requests_at());

    return &requests[round % NCCL_SEGMENT_ROUNDS * (uint64_t)rank_count + (uint64_t)rank];
}

static inline struct nccl_exchange_slot *
nccl_segment_exchange(struct nccl_segment *segment, int rank_count, uint64_t number, int rank)
{
    struct nccl_exchange_slot *slots =
        (void *)((char *)segment + nccl_segment_exchanges_at(rank_count));

    return &slots[number % 2 * (uint64_t)rank_count + (uint64_t)rank];
}

static inline struct nccl_channel *nccl_segment_channel(struct nccl_segment *segment,
                                                        int rank_count, int process)
{
    struct nccl_channel *channels =
        (void *)((char *)segment + nccl_segment_channels_at(rank_count));

    return &channels[process];
}

static inline char *nccl_segment_eager(struct nccl_segment *segment, int rank_count, uint64_t round,
                                       int rank)
{
    size_t slot = (size_t)(round % NCCL_SEGMENT_ROUNDS) * (size_t)rank_count + (size_t)rank;

    return (char *)segment + nccl_segment_eager_at(rank_count) + slot * NCCL_EAGER_BYTES;
}

#endif
