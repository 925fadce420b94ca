/* SPDX-License-Identifier: MIT */
/* The state of the engine between hosts, for network.c and network_operation.c. UCX is called, and
 * calls back, with the lock held. */
#ifndef NCCL_NETWORK_STATE_H
#define NCCL_NETWORK_STATE_H

#include "network.h"
#include "ucx.h"

#include <pthread.h>
#include <stdbool.h>

struct nccl_network_peer {
    struct nccl_network_peer *next;
    struct nccl_network *network;
    ucp_ep *endpoint;              /* NULL: the connection was broken */
    void (*failed)(void *context); /* NULL: it was called, or must not be */
    void *context;
    bool is_gone;
    void *closing; /* UCX's request, of a peer on the list `leaving` */
};

/* An operation under way, or one that has ended and whose `done` is to be called. */
struct nccl_network_operation {
    struct nccl_network_operation *next, **place; /* in `pending` or `ended` */
    struct nccl_network *network;
    struct nccl_network_peer *peer; /* of a receive operation; NULL: it was disconnected */
    void *request;                  /* UCX's; NULL: it has not returned it yet */
    nccl_network_done *done;
    void *context;
    ncclResult_t result;
    bool has_ended; /* UCX has reported it */
};

struct nccl_network {
    const struct nccl_ucx *ucx;
    enum nccl_network_kind kind;
    ucp_context *context;
    ucp_worker *worker;
    struct nccl_watch *watch;
    unsigned references; /* guarded by a lock of network.c */
    struct nccl_network_peer *peers;
    struct nccl_network_peer *leaving; /* disconnected, with messages to go */
    struct nccl_network_operation *pending;
    struct nccl_network_operation *ended, **newest; /* in the order in which they ended */
    bool has_failures;                              /* a peer is gone, and was not told */
    struct nccl_network_peer *telling; /* whose `failed` is being called, by this thread: */
    pthread_t teller;
};

extern pthread_mutex_t nccl_network_lock;

/* The meaning of a status of UCX. */
ncclResult_t nccl_network_result(int status);

/* Cancels the receive operations of a peer; of all, if it is NULL. */
void nccl_network_cancel_locked(struct nccl_network *network, struct nccl_network_peer *peer);

/* Ends what UCX does not end. */
void nccl_network_end_all_locked(struct nccl_network *network);

/* Calls the `done` of what has ended. Without the lock. */
void nccl_network_report(struct nccl_network *network);

#endif
