/* SPDX-License-Identifier: MIT */
/* The engines between hosts: a worker of UCX for each kind, behind one lock, and their peers.
 *
 * The progress thread drives the worker: it advances it until nothing moves, arms its descriptor
 * and sleeps. An operation that another thread begins and that does not end at once wakes it. */
#include "network_state.h"
#include "progress.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { ENDING_ROUNDS = 1000, LEAVING_S = 2 };

pthread_mutex_t nccl_network_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct nccl_network *networks[NCCL_NETWORK_KINDS]; /* guarded by opening */

const char *nccl_network_name(enum nccl_network_kind kind)
{
    return kind == NCCL_NETWORK_SOCKET ? "Socket" : "UCX";
}

static void peer_failed(void *context, ucp_ep *endpoint, int status)
{
    struct nccl_network_peer *peer = context;

    (void)endpoint;
    (void)status;
    peer->is_gone = true;
    peer->network->has_failures = true;
}

/* Takes one failure that was not told yet. The list may change between two. */
static bool next_failure(struct nccl_network *network, void (**failed)(void *), void **context)
{
    bool found = false;

    pthread_mutex_lock(&nccl_network_lock);
    for (struct nccl_network_peer *peer = network->has_failures ? network->peers : NULL;
         peer && !found; peer = peer->next)
        if (peer->is_gone && peer->failed) {
            *failed = peer->failed;
            *context = peer->context;
            peer->failed = NULL;
            nccl_network_cancel_locked(network, peer);
            found = true;
            network->telling = peer;
            network->teller = pthread_self();
        }
    if (!found) {
        network->has_failures = false;
        network->telling = NULL;
        pthread_cond_broadcast(&told);
    }
    pthread_mutex_unlock(&nccl_network_lock);
    return found;
}

/* Frees the peers whose messages have gone. */
static void free_left_locked(struct nccl_network *network)
{
    struct nccl_network_peer **place = &network->leaving;

    while (*place) {
        struct nccl_network_peer *peer = *place;

        if (network->ucx->request_check_status(peer->closing) > UCX_OK) {
            place = &peer->next;
            continue;
        }
        network->ucx->request_free(peer->closing);
        *place = peer->next;
        free(peer);
    }
}

static void advance(struct nccl_network *network)
{
    void (*failed)(void *);
    void *context;

    pthread_mutex_lock(&nccl_network_lock);
    while (network->ucx->worker_progress(network->worker))
        ;
    free_left_locked(network);
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_network_report(network);
    while (next_failure(network, &failed, &context))
        failed(context);
    nccl_network_report(network);
}

/* Keeps the engine while the progress thread uses it: what is told there may close it. False: it is
 * being closed. */
static bool hold(struct nccl_network *network)
{
    bool is_open;

    pthread_mutex_lock(&opening);
    is_open = network->references > 0;
    if (is_open)
        network->references++;
    pthread_mutex_unlock(&opening);
    return is_open;
}

static void ready(void *context, uint32_t events)
{
    (void)events;
    if (!hold(context))
        return;
    advance(context);
    nccl_network_close(context);
}

static int prepare(void *context)
{
    struct nccl_network *network = context;
    bool is_armed, has_more;

    if (!hold(network))
        return 0;
    advance(network);
    pthread_mutex_lock(&nccl_network_lock);
    is_armed = network->ucx->worker_arm(network->worker) == UCX_OK;
    has_more = network->ended || network->has_failures;
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_network_close(network);
    return !is_armed || has_more;
}

/* A peer that vanishes without closing its connection is noticed after two intervals. */
static int read_config(const struct nccl_network *network, ucp_config **config)
{
    const struct nccl_ucx *ucx = network->ucx;
    int status = ucx->config_read(NULL, NULL, config);

    if (status == UCX_OK && !secure_getenv("UCX_KEEPALIVE_INTERVAL"))
        ucx->config_modify(*config, "KEEPALIVE_INTERVAL", "2s");
    if (status == UCX_OK && network->kind == NCCL_NETWORK_SOCKET)
        status = ucx->config_modify(*config, "TLS", "tcp");
    return status;
}

static ncclResult_t open_worker(struct nccl_network *network)
{
    const struct nccl_ucx *ucx = network->ucx;
    const struct ucp_params params = {
        .mask = UCX_PARAMS_FEATURES | UCX_PARAMS_NAME,
        .features = UCX_FEATURE_TAG | UCX_FEATURE_WAKEUP,
        .name = "cupipe nccl",
    };
    const struct ucp_worker_params worker_params = {
        .mask = UCX_WORKER_THREADS,
        .thread_mode = UCX_THREADS_SERIALIZED,
    };
    ucp_config *config;
    int descriptor, status = read_config(network, &config);

    if (status != UCX_OK)
        return ncclSystemError;
    status = ucx->init_version(UCX_API_MAJOR, UCX_API_MINOR, &params, config, &network->context);
    ucx->config_release(config);
    if (status != UCX_OK)
        return ncclSystemError;
    if (ucx->worker_create(network->context, &worker_params, &network->worker) != UCX_OK)
        goto cleanup;
    if (ucx->worker_get_efd(network->worker, &descriptor) != UCX_OK)
        goto destroy_worker;
    if (nccl_progress_add(descriptor, EPOLLIN, ready, prepare, network, &network->watch) !=
        ncclSuccess)
        goto destroy_worker;
    return ncclSuccess;

destroy_worker:
    ucx->worker_destroy(network->worker);
cleanup:
    ucx->cleanup(network->context);
    return ncclSystemError;
}

ncclResult_t nccl_network_open(enum nccl_network_kind kind, struct nccl_network **network)
{
    ncclResult_t result = ncclSystemError;
    struct nccl_network *made = NULL;
    const struct nccl_ucx *ucx;

    pthread_mutex_lock(&opening);
    if (networks[kind]) {
        networks[kind]->references++;
        *network = networks[kind];
        result = ncclSuccess;
        goto unlock;
    }
    ucx = nccl_ucx_load();
    made = ucx ? calloc(1, sizeof(*made)) : NULL;
    if (!made)
        goto unlock;
    *made =
        (struct nccl_network){.ucx = ucx, .kind = kind, .references = 1, .newest = &made->ended};
    result = open_worker(made);
    if (result != ncclSuccess) {
        free(made);
        goto unlock;
    }
    *network = networks[kind] = made;
unlock:
    pthread_mutex_unlock(&opening);
    return result;
}

void nccl_network_see_off(struct nccl_network *network)
{
    struct timespec begin, now;
    bool has_more = true;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    now = begin;
    while (has_more && now.tv_sec <= begin.tv_sec + LEAVING_S) {
        pthread_mutex_lock(&nccl_network_lock);
        network->ucx->worker_progress(network->worker);
        free_left_locked(network);
        has_more = network->leaving;
        pthread_mutex_unlock(&nccl_network_lock);
        if (has_more)
            sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    nccl_progress_wake(); /* to report what has ended here */
}

/* Ends a connection. UCX closes its endpoint in the background; the peer stays until then. */
static void close_endpoint_locked(struct nccl_network_peer *peer, bool at_once)
{
    const struct ucp_request_params params = {.mask = UCX_REQUEST_FLAGS,
                                              .flags = at_once ? UCX_CLOSE_FORCE : 0};
    void *request;

    peer->failed = NULL;
    if (!peer->endpoint)
        return;
    request = peer->network->ucx->ep_close_nbx(peer->endpoint, &params);
    peer->endpoint = NULL;
    peer->closing = nccl_ucx_is_request(request) ? request : NULL;
}

static void disconnect_locked(struct nccl_network_peer *peer)
{
    nccl_network_cancel_locked(peer->network, peer);
    close_endpoint_locked(peer, peer->is_gone);
    if (!peer->closing) {
        free(peer);
        return;
    }
    peer->next = peer->network->leaving;
    peer->network->leaving = peer;
}

/* Ends all that is under way. */
static void end_all(struct nccl_network *network)
{
    pthread_mutex_lock(&nccl_network_lock);
    while (network->peers) {
        struct nccl_network_peer *peer = network->peers;

        network->peers = peer->next;
        peer->is_gone = true;
        disconnect_locked(peer);
    }
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_network_see_off(network);
    pthread_mutex_lock(&nccl_network_lock);
    nccl_network_cancel_locked(network, NULL);
    for (int i = 0; network->pending && i < ENDING_ROUNDS; i++)
        network->ucx->worker_progress(network->worker);
    nccl_network_end_all_locked(network);
    pthread_mutex_unlock(&nccl_network_lock);
}

static void close_network(struct nccl_network *network)
{
    nccl_progress_remove(network->watch);
    end_all(network);
    network->ucx->worker_destroy(network->worker);
    network->ucx->cleanup(network->context);
    nccl_network_report(network);
    while (network->leaving) {
        struct nccl_network_peer *peer = network->leaving;

        network->leaving = peer->next;
        free(peer);
    }
    free(network);
}

void nccl_network_close(struct nccl_network *network)
{
    bool is_last;

    pthread_mutex_lock(&opening);
    is_last = --network->references == 0;
    if (is_last)
        networks[network->kind] = NULL;
    pthread_mutex_unlock(&opening);
    if (is_last)
        close_network(network);
}

ncclResult_t nccl_network_address(struct nccl_network *network,
                                  unsigned char address[NCCL_NETWORK_ADDRESS_BYTES], size_t *bytes)
{
    ncclResult_t result = ncclSystemError;
    void *found;
    size_t length;

    pthread_mutex_lock(&nccl_network_lock);
    if (network->ucx->worker_get_address(network->worker, &found, &length) == UCX_OK) {
        if (length <= NCCL_NETWORK_ADDRESS_BYTES) {
            memcpy(address, found, length);
            *bytes = length;
            result = ncclSuccess;
        }
        network->ucx->worker_release_address(network->worker, found);
    }
    pthread_mutex_unlock(&nccl_network_lock);
    return result;
}

ncclResult_t nccl_network_connect(struct nccl_network *network, const void *address,
                                  void (*failed)(void *context), void *context,
                                  struct nccl_network_peer **peer)
{
    struct nccl_network_peer *made = calloc(1, sizeof(*made));
    struct ucp_endpoint_params params = {
        .mask = UCX_ENDPOINT_ADDRESS | UCX_ENDPOINT_ERRORS | UCX_ENDPOINT_HANDLER,
        .address = address,
        .errors = UCX_ERRORS_OF_PEERS,
        .failed = peer_failed,
        .failed_context = made,
    };
    int status;

    if (!made)
        return ncclSystemError;
    *made = (struct nccl_network_peer){.network = network, .failed = failed, .context = context};
    pthread_mutex_lock(&nccl_network_lock);
    status = network->ucx->ep_create(network->worker, &params, &made->endpoint);
    if (status == UCX_OK) {
        made->next = network->peers;
        network->peers = made;
        *peer = made;
    }
    pthread_mutex_unlock(&nccl_network_lock);
    if (status != UCX_OK)
        free(made);
    nccl_progress_wake();
    return nccl_network_result(status);
}

void nccl_network_break(struct nccl_network_peer *peer)
{
    pthread_mutex_lock(&nccl_network_lock);
    peer->is_gone = true;
    nccl_network_cancel_locked(peer->network, peer);
    close_endpoint_locked(peer, true);
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_progress_wake();
}

void nccl_network_disconnect(struct nccl_network_peer *peer)
{
    struct nccl_network *network = peer->network;
    struct nccl_network_peer **place = &network->peers;

    pthread_mutex_lock(&nccl_network_lock);
    while (network->telling == peer && !pthread_equal(network->teller, pthread_self()))
        pthread_cond_wait(&told, &nccl_network_lock);
    while (*place != peer)
        place = &(*place)->next;
    *place = peer->next;
    disconnect_locked(peer);
    pthread_mutex_unlock(&nccl_network_lock);
    nccl_progress_wake();
}
