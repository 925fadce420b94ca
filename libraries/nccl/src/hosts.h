/* SPDX-License-Identifier: MIT */
/* A communicator with ranks on several hosts, as one process sees it. On each host one process, the
 * one with the lowest rank, leads: it does the collective operations of the host's ranks with the
 * leaders of other hosts. Messages of ncclSend() and ncclRecv() go from process to process.
 *
 * A process tells the others when it leaves, so that the end of a connection without that is a
 * failure. Functions are thread-safe. */
#ifndef NCCL_HOSTS_H
#define NCCL_HOSTS_H

#include "execute.h"
#include "network.h"
#include "segment.h"
#include "team.h"

struct nccl_fault;
struct nccl_hosts;

/* By what a process is reached; the same for all its ranks. */
struct nccl_hosts_record {
    uint32_t prefix; /* of the tags of messages to the process for this communicator */
    uint32_t address_bytes;
    unsigned char address[NCCL_NETWORK_ADDRESS_BYTES];
};

/* A record of an exchange (exchange.h). */
struct nccl_hosts_given {
    uint64_t number;
    unsigned char record[NCCL_EXCHANGE_BYTES];
};

/* Opens the engine, and fills in the record of this process. */
ncclResult_t nccl_hosts_open(enum nccl_network_kind network, struct nccl_hosts **hosts,
                             struct nccl_hosts_record *record);

/* What is called in the progress thread. */
struct nccl_hosts_events {
    /* At most once, when another process has failed or is gone. */
    void (*failed)(struct nccl_hosts *hosts);
    /* A rank of another host has given a record. */
    void (*arrived)(struct nccl_hosts *hosts, int rank, const struct nccl_hosts_given *given);
};

/* Connects to the processes of other hosts. `own_rank` is the lowest rank of this process. */
ncclResult_t nccl_hosts_connect(struct nccl_hosts *hosts, int rank_count, int own_rank,
                                const struct nccl_member *members,
                                const struct nccl_hosts_record *records,
                                const struct nccl_hosts_events *events);

/* Leaves. Nothing may be under way, unless nccl_hosts_fail() was called. */
void nccl_hosts_close(struct nccl_hosts *hosts);

/* Tells the others that the communicator has failed, and ends what is under way with an error. */
void nccl_hosts_fail(struct nccl_hosts *hosts);

/* After a failure: connects again to the processes of the ranks that take part, for records alone.
 * Only the first call does something. */
ncclResult_t nccl_hosts_reconnect(struct nccl_hosts *hosts, const bool *takes_part);

/* The record of a rank, as nccl_hosts_connect() was given it. */
const struct nccl_hosts_record *nccl_hosts_record_of(const struct nccl_hosts *hosts, int rank);

/* Gives a record of a rank of this process to all processes of other hosts. */
void nccl_hosts_give(struct nccl_hosts *hosts, int rank, const struct nccl_hosts_given *given);

/* Tells whether the process of a rank of another host has left, or cannot be reached. */
bool nccl_hosts_has_left(struct nccl_hosts *hosts, int rank);

/* Does a collective operation for the ranks of this host, whose buffers `work` has; those of others
 * are ignored. `work` is copied, its arrays are not. `done` is called once, also before this
 * returns. One operation at a time. */
void nccl_hosts_execute(struct nccl_hosts *hosts, const struct nccl_work *work,
                        nccl_network_done *done, void *context);

/* What has ended the last one; NULL: no fault in memory of ranks of this host. */
const struct nccl_fault *nccl_hosts_fault(const struct nccl_hosts *hosts);

/* Sends or receives the next message from a rank to another one; one of them is of this process,
 * the other one of another host. `done` is called once, in the progress thread, in case of an error
 * too. */
void nccl_hosts_send(struct nccl_hosts *hosts, int from, int to, const void *data, size_t bytes,
                     nccl_network_done *done, void *context);
void nccl_hosts_receive(struct nccl_hosts *hosts, int from, int to, void *data, size_t bytes,
                        nccl_network_done *done, void *context);

#endif
