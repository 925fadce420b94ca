/* SPDX-License-Identifier: MIT */
/* Send and receive operations of the engine between hosts. UCX reports them while the lock is held,
 * so they go to a list, and `done` is called from there. */
#include "network_state.h"
#include "progress.h"

#include <stdlib.h>

ncclResult_t nccl_network_result(int status)
{
    switch (status) {
    case UCX_OK:
        return ncclSuccess;
    case UCX_CANCELED:
        return ncclInternalError;
    case UCX_NO_MEMORY:
        return ncclSystemError;
    case UCX_TRUNCATED:
        return ncclInvalidUsage;
    default:
        return ncclRemoteError;
    }
}

static void end_operation_locked(struct nccl_network_operation *operation, int status)
{
    struct nccl_network *network = operation->network;

    operation->has_ended = true;
    operation->result = nccl_network_result(status);
    if (!operation->request) /* UCX reports it before it has returned the request */
        return;
    network->ucx->request_free(operation->request);
    *operation->place = operation->next;
    if (operation->next)
        operation->next->place = operation->place;
    if (status == UCX_CANCELED && operation->peer && operation->peer->is_gone)
        operation->result = ncclRemoteError;
    operation->next = NULL;
    *network->newest = operation;
    network->newest = &operation->next;
}

static void sent(void *request, int status, void *user_data)
{
    (void)request;
    end_operation_locked(user_data, status);
}

static void received(void *request, int status, const struct ucp_tag_info *info, void *user_data)
{
    (void)request;
    (void)info;
    end_operation_locked(user_data, status);
}

/* UCX may report an operation while it is being cancelled. */
void nccl_network_cancel_locked(struct nccl_network *network, struct nccl_network_peer *peer)
{
    struct nccl_network_operation *next;

    for (struct nccl_network_operation *operation = network->pending; operation; operation = next) {
        next = operation->next;
        if (operation->peer && (!peer || operation->peer == peer))
            network->ucx->request_cancel(network->worker, operation->request);
    }
    for (struct nccl_network_operation *operation = network->pending; operation;
         operation = operation->next)
        if (operation->peer == peer)
            operation->peer = NULL;
}

void nccl_network_end_all_locked(struct nccl_network *network)
{
    while (network->pending) { /* the worker drops the request when it is destroyed */
        network->pending->request = NULL;
        end_operation_locked(network->pending, UCX_CANCELED);
    }
}

static struct nccl_network_operation *next_ended(struct nccl_network *network)
{
    struct nccl_network_operation *operation;

    pthread_mutex_lock(&nccl_network_lock);
    operation = network->ended;
    if (operation) {
        network->ended = operation->next;
        if (!network->ended)
            network->newest = &network->ended;
    }
    pthread_mutex_unlock(&nccl_network_lock);
    return operation;
}

void nccl_network_report(struct nccl_network *network)
{
    struct nccl_network_operation *operation;

    while ((operation = next_ended(network))) {
        operation->done(operation->context, operation->result);
        free(operation);
    }
}

/* Takes what UCX returned for a new operation: it is under way, or has ended. UCX may have reported
 * the end already, for instance of a message whose fragments had all arrived. */
static ncclResult_t began_locked(struct nccl_network_operation *operation, void *request)
{
    struct nccl_network *network = operation->network;

    if (!nccl_ucx_is_request(request))
        return nccl_network_result(nccl_ucx_status(request));
    if (operation->has_ended) {
        network->ucx->request_free(request);
        return operation->result;
    }
    operation->request = request;
    operation->next = network->pending;
    operation->place = &network->pending;
    if (operation->next)
        operation->next->place = &operation->next;
    network->pending = operation;
    return ncclSuccess;
}

/* Begins an operation. One that ends at once is reported here; else the progress thread looks after
 * it. */
static ncclResult_t begin(struct nccl_network_peer *peer, uint64_t tag, void *data, size_t bytes,
                          bool sends, nccl_network_done *done, void *context)
{
    struct nccl_network *network = peer->network;
    const struct nccl_ucx *ucx = network->ucx;
    struct nccl_network_operation *operation = malloc(sizeof(*operation));
    struct ucp_request_params params = {
        .mask = UCX_REQUEST_CALLBACK | UCX_REQUEST_USER_DATA | UCX_REQUEST_MEMORY,
        .user_data = operation,
        .memory = UCX_MEMORY_HOST,
    };
    ncclResult_t result = ncclRemoteError;
    bool is_under_way;

    if (!operation)
        return ncclSystemError;
    *operation = (struct nccl_network_operation){
        .network = network, .peer = sends ? NULL : peer, .done = done, .context = context};
    if (sends)
        params.done.sent = sent;
    else
        params.done.received = received;
    pthread_mutex_lock(&nccl_network_lock);
    if (!peer->is_gone && sends)
        result =
            began_locked(operation, ucx->tag_send_nbx(peer->endpoint, data, bytes, tag, &params));
    else if (!sends && peer->endpoint)
        result = began_locked(
            operation, ucx->tag_recv_nbx(network->worker, data, bytes, tag, UINT64_MAX, &params));
    is_under_way = operation->request != NULL;
    if (is_under_way && peer->is_gone && !sends) /* what it sent before it left has arrived */
        ucx->request_cancel(network->worker, operation->request);
    pthread_mutex_unlock(&nccl_network_lock);
    if (is_under_way) {
        nccl_progress_wake();
        return ncclSuccess;
    }
    if (result == ncclSuccess)
        done(context, result);
    free(operation);
    return result;
}

ncclResult_t nccl_network_send(struct nccl_network_peer *peer, uint64_t tag, const void *data,
                               size_t bytes, nccl_network_done *done, void *context)
{
    return begin(peer, tag, (void *)data, bytes, true, done, context);
}

ncclResult_t nccl_network_receive(struct nccl_network_peer *peer, uint64_t tag, void *data,
                                  size_t bytes, nccl_network_done *done, void *context)
{
    return begin(peer, tag, data, bytes, false, done, context);
}

ncclResult_t nccl_network_call(struct nccl_network *network, nccl_network_done *done, void *context,
                               ncclResult_t result)
{
    struct nccl_network_operation *operation = malloc(sizeof(*operation));

    if (!operation)
        return ncclSystemError;
    *operation = (struct nccl_network_operation){
        .network = network, .done = done, .context = context, .result = result};
    pthread_mutex_lock(&nccl_network_lock);
    *network->newest = operation;
    network->newest = &operation->next;
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_progress_wake();
    return ncclSuccess;
}
