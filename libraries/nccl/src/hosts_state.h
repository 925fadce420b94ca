/* SPDX-License-Identifier: MIT */
/* The state of a communicator with several hosts, for hosts.c and hosts_collective.c. */
#ifndef NCCL_HOSTS_STATE_H
#define NCCL_HOSTS_STATE_H

#include "hosts.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a message is for. Messages with the same tag arrive in order, and both sides begin
 * operations in the same order, so a tag needs no number. */
enum nccl_tag_class { NCCL_TAG_COLLECTIVE, NCCL_TAG_MESSAGE, NCCL_TAG_NOTICE, NCCL_TAG_RECORD };

/* A process of another host. */
struct nccl_remote {
    struct nccl_hosts *hosts;
    struct nccl_network_peer *peer;
    uint32_t prefix;
    int first_rank;  /* the lowest one there */
    bool has_left;   /* guarded by the lock */
    bool is_gone;    /* the connection has ended; guarded by the lock */
    uint64_t notice; /* the last one received */
};

/* Where the next record of a rank of another host arrives. */
struct nccl_arriving {
    struct nccl_hosts *hosts;
    int rank;
    struct nccl_hosts_given given;
};

struct nccl_hosts {
    _Atomic(int) references; /* the owner's, and one for each transfer */
    struct nccl_network *network;
    pthread_mutex_t lock;
    uint32_t prefix;
    int rank_count, host_count;
    int host, own_rank; /* this host, and the lowest rank of this process */
    int *host_of;       /* by rank */
    int *ranks, *first; /* ranks by host: those of h from ranks[first[h]] to ranks[first[h + 1]] */
    int remote_count;
    struct nccl_remote *remotes;
    struct nccl_remote **remote_of; /* by rank; NULL: on this host */
    bool has_failed;                /* guarded by the lock */
    pthread_mutex_t reconnecting;   /* held while connections are made anew */
    bool is_reconnected;            /* guarded by reconnecting */
    const struct nccl_hosts_events *events;
    struct nccl_hosts_record *records; /* by rank */
    struct nccl_arriving *arriving;    /* by rank */
    struct nccl_hosts_round *round;    /* hosts_collective.c's; kept between operations */
};

/* The lowest rank of a host, whose process leads. */
static inline int nccl_hosts_leader(const struct nccl_hosts *hosts, int host)
{
    return hosts->ranks[hosts->first[host]];
}

/* Begins a transfer between the processes of two ranks, one of which is this one. `done` is called
 * once, also before this returns, and with an error too. */
void nccl_hosts_transfer(struct nccl_hosts *hosts, enum nccl_tag_class tag_class, int from, int to,
                         void *data, size_t bytes, nccl_network_done *done, void *context);

void nccl_hosts_round_free(struct nccl_hosts_round *round);

#endif
