/* SPDX-License-Identifier: MIT */
/* Processes of other hosts: their connections, transfers, and the notices by which they say that
 * they leave or have failed. */
#include "hosts_state.h"

#include <stdlib.h>
#include <string.h>

enum { PREFIX_BITS = 22, CLASS_BITS = 2, RANK_BITS = 20 };
enum { NOTICE_HELLO = 1, NOTICE_LEAVES, NOTICE_FAILED };

static uint64_t tag_of(uint32_t prefix, enum nccl_tag_class tag_class, int from, int to)
{
    return (uint64_t)prefix << (CLASS_BITS + 2 * RANK_BITS) | (uint64_t)tag_class << 2 * RANK_BITS |
           (uint64_t)from << RANK_BITS | (uint64_t)to;
}

static void hosts_unref(struct nccl_hosts *hosts)
{
    if (atomic_fetch_sub(&hosts->references, 1) != 1)
        return;
    nccl_hosts_round_free(hosts->round);
    pthread_mutex_destroy(&hosts->lock);
    pthread_mutex_destroy(&hosts->reconnecting);
    free(hosts->host_of);
    free(hosts->ranks);
    free(hosts->first);
    free(hosts->remotes);
    free(hosts->remote_of);
    free(hosts->records);
    free(hosts->arriving);
    free(hosts);
}

ncclResult_t nccl_hosts_open(enum nccl_network_kind network, struct nccl_hosts **hosts,
                             struct nccl_hosts_record *record)
{
    static _Atomic(uint32_t) prefixes;
    struct nccl_hosts *made = calloc(1, sizeof(*made));
    ncclResult_t result;
    size_t bytes = 0;

    if (!made)
        return ncclSystemError;
    made->references = 1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->reconnecting, NULL);
    made->prefix = atomic_fetch_add(&prefixes, 1) % (1u << PREFIX_BITS);
    result = nccl_network_open(network, &made->network);
    if (result != ncclSuccess) {
        hosts_unref(made);
        return result;
    }
    memset(record, 0, sizeof(*record));
    record->prefix = made->prefix;
    result = nccl_network_address(made->network, record->address, &bytes);
    record->address_bytes = (uint32_t)bytes;
    if (result != ncclSuccess) {
        nccl_network_close(made->network);
        hosts_unref(made);
        return result;
    }
    *hosts = made;
    return ncclSuccess;
}

/* Numbers the hosts in the order of their lowest ranks, and lists their ranks. */
static void number_hosts(struct nccl_hosts *hosts, const struct nccl_member *members)
{
    uint64_t own = members[hosts->own_rank].host;
    int count = 0;

    for (int rank = 0; rank < hosts->rank_count; rank++) {
        int first = 0;

        while (members[first].host != members[rank].host)
            first++;
        hosts->host_of[rank] = first < rank ? hosts->host_of[first] : hosts->host_count++;
        if (members[rank].host == own)
            hosts->host = hosts->host_of[rank];
    }
    for (int host = 0; host < hosts->host_count; host++) {
        hosts->first[host] = count;
        for (int rank = 0; rank < hosts->rank_count; rank++)
            if (hosts->host_of[rank] == host)
                hosts->ranks[count++] = rank;
    }
    hosts->first[hosts->host_count] = count;
}

static bool same_process(const struct nccl_member *a, const struct nccl_member *b)
{
    return a->host == b->host && a->process == b->process;
}

static void fail(struct nccl_hosts *hosts)
{
    bool had_failed;

    pthread_mutex_lock(&hosts->lock);
    had_failed = hosts->has_failed;
    pthread_mutex_unlock(&hosts->lock);
    if (!had_failed)
        hosts->events->failed(hosts);
}

/* The connection has ended. */
static void remote_gone(void *context)
{
    struct nccl_remote *remote = context;
    bool has_left;

    pthread_mutex_lock(&remote->hosts->lock);
    has_left = remote->has_left;
    remote->is_gone = true;
    pthread_mutex_unlock(&remote->hosts->lock);
    if (!has_left)
        fail(remote->hosts);
}

static void notice_arrived(void *context, ncclResult_t result);

static void await_notice(struct nccl_remote *remote)
{
    nccl_hosts_transfer(remote->hosts, NCCL_TAG_NOTICE, remote->first_rank, remote->hosts->own_rank,
                        &remote->notice, sizeof(remote->notice), notice_arrived, remote);
}

static void fail_later(void *context, ncclResult_t result)
{
    (void)result;
    fail(context);
    hosts_unref(context);
}

static void notice_arrived(void *context, ncclResult_t result)
{
    struct nccl_remote *remote = context;

    if (result != ncclSuccess)
        return;
    if (remote->notice == NOTICE_HELLO) {
        await_notice(remote);
    } else if (remote->notice == NOTICE_LEAVES) {
        pthread_mutex_lock(&remote->hosts->lock);
        remote->has_left = true;
        pthread_mutex_unlock(&remote->hosts->lock);
    } else { /* the caller may hold the team's lock */
        atomic_fetch_add(&remote->hosts->references, 1);
        if (nccl_network_call(remote->hosts->network, fail_later, remote->hosts, ncclSuccess) !=
            ncclSuccess)
            hosts_unref(remote->hosts);
    }
}

static void ignore(void *context, ncclResult_t result)
{
    (void)context;
    (void)result;
}

static void tell_all(struct nccl_hosts *hosts, int notice)
{
    static uint64_t notices[] = {0, NOTICE_HELLO, NOTICE_LEAVES, NOTICE_FAILED};

    for (int i = 0; i < hosts->remote_count; i++)
        if (hosts->remotes[i].peer)
            nccl_hosts_transfer(hosts, NCCL_TAG_NOTICE, hosts->own_rank,
                                hosts->remotes[i].first_rank, &notices[notice], sizeof(*notices),
                                ignore, NULL);
}

/* Connects to the process of a rank, unless a lower rank of it was first. */
static ncclResult_t connect_rank(struct nccl_hosts *hosts, int rank,
                                 const struct nccl_member *members,
                                 const struct nccl_hosts_record *records)
{
    const struct nccl_hosts_record *record = &records[rank];
    struct nccl_remote *remote = &hosts->remotes[hosts->remote_count];
    int first = 0;

    if (hosts->host_of[rank] == hosts->host)
        return ncclSuccess;
    if (record->address_bytes == 0)
        return ncclRemoteError; /* the rank has failed */
    while (!same_process(&members[first], &members[rank]))
        first++;
    if (first < rank) {
        hosts->remote_of[rank] = hosts->remote_of[first];
        return ncclSuccess;
    }
    *remote = (struct nccl_remote){.hosts = hosts, .prefix = record->prefix, .first_rank = rank};
    hosts->remote_of[rank] = remote;
    hosts->remote_count++;
    return nccl_network_connect(hosts->network, record->address, remote_gone, remote,
                                &remote->peer);
}

static void await_record(struct nccl_arriving *arriving);

static void record_arrived(void *context, ncclResult_t result)
{
    struct nccl_arriving *arriving = context;

    if (result != ncclSuccess)
        return;
    arriving->hosts->events->arrived(arriving->hosts, arriving->rank, &arriving->given);
    await_record(arriving);
}

static void await_record(struct nccl_arriving *arriving)
{
    nccl_hosts_transfer(arriving->hosts, NCCL_TAG_RECORD, arriving->rank, arriving->hosts->own_rank,
                        &arriving->given, sizeof(arriving->given), record_arrived, arriving);
}

static void free_copy(void *context, ncclResult_t result)
{
    (void)result;
    free(context);
}

void nccl_hosts_give(struct nccl_hosts *hosts, int rank, const struct nccl_hosts_given *given)
{
    for (int i = 0; i < hosts->remote_count; i++) {
        struct nccl_hosts_given *copy = malloc(sizeof(*copy));

        if (!copy)
            return; /* the others wait until the communicator is aborted */
        *copy = *given;
        nccl_hosts_transfer(hosts, NCCL_TAG_RECORD, rank, hosts->remotes[i].first_rank, copy,
                            sizeof(*copy), free_copy, copy);
    }
}

bool nccl_hosts_has_left(struct nccl_hosts *hosts, int rank)
{
    bool has_left;

    pthread_mutex_lock(&hosts->lock);
    has_left = hosts->remote_of[rank]->is_gone || hosts->remote_of[rank]->has_left;
    pthread_mutex_unlock(&hosts->lock);
    return has_left;
}

const struct nccl_hosts_record *nccl_hosts_record_of(const struct nccl_hosts *hosts, int rank)
{
    return &hosts->records[rank];
}

ncclResult_t nccl_hosts_connect(struct nccl_hosts *hosts, int rank_count, int own_rank,
                                const struct nccl_member *members,
                                const struct nccl_hosts_record *records,
                                const struct nccl_hosts_events *events)
{
    size_t count = (size_t)rank_count;
    ncclResult_t result = ncclSuccess;

    if (rank_count >= 1 << RANK_BITS)
        return ncclInvalidArgument;
    hosts->events = events;
    hosts->rank_count = rank_count;
    hosts->own_rank = own_rank;
    hosts->records = calloc(count, sizeof(struct nccl_hosts_record));
    hosts->arriving = calloc(count, sizeof(struct nccl_arriving));
    hosts->host_of = calloc(count, sizeof(int));
    hosts->ranks = calloc(count, sizeof(int));
    hosts->first = calloc(count + 1, sizeof(int));
    hosts->remotes = calloc(count, sizeof(struct nccl_remote));
    hosts->remote_of = calloc(count, sizeof(struct nccl_remote *));
    if (!hosts->host_of || !hosts->ranks || !hosts->first || !hosts->remotes || !hosts->remote_of ||
        !hosts->records || !hosts->arriving)
        return ncclSystemError;
    memcpy(hosts->records, records, count * sizeof(*records));
    number_hosts(hosts, members);
    for (int rank = 0; rank < rank_count && result == ncclSuccess; rank++)
        result = connect_rank(hosts, rank, members, records);
    for (int i = 0; i < hosts->remote_count && result == ncclSuccess; i++)
        await_notice(&hosts->remotes[i]);
    for (int rank = 0; rank < rank_count && result == ncclSuccess; rank++) {
        hosts->arriving[rank] = (struct nccl_arriving){.hosts = hosts, .rank = rank};
        if (hosts->remote_of[rank])
            await_record(&hosts->arriving[rank]);
    }
    if (result == ncclSuccess)
        tell_all(hosts, NOTICE_HELLO);
    return result;
}

struct transfer {
    struct nccl_hosts *hosts;
    nccl_network_done *done;
    void *context;
};

static void transfer_done(void *context, ncclResult_t result)
{
    struct transfer *transfer = context;

    transfer->done(transfer->context, result);
    hosts_unref(transfer->hosts);
    free(transfer);
}

void nccl_hosts_transfer(struct nccl_hosts *hosts, enum nccl_tag_class tag_class, int from, int to,
                         void *data, size_t bytes, nccl_network_done *done, void *context)
{
    struct nccl_remote *receiver = hosts->remote_of[to], *sender = hosts->remote_of[from];
    bool is_connected = (receiver ? receiver : sender)->peer != NULL;
    struct transfer *transfer = is_connected ? malloc(sizeof(*transfer)) : NULL;
    ncclResult_t result;

    if (!transfer) {
        done(context, ncclSystemError);
        return;
    }
    *transfer = (struct transfer){hosts, done, context};
    atomic_fetch_add(&hosts->references, 1);
    if (receiver)
        result = nccl_network_send(receiver->peer, tag_of(receiver->prefix, tag_class, from, to),
                                   data, bytes, transfer_done, transfer);
    else
        result = nccl_network_receive(sender->peer, tag_of(hosts->prefix, tag_class, from, to),
                                      data, bytes, transfer_done, transfer);
    if (result != ncclSuccess)
        transfer_done(transfer, result);
}

/* A message of the program. Its owner holds locks while it begins, so its end is told later, even
 * if it comes at once. */
struct message {
    struct nccl_hosts *hosts;
    nccl_network_done *done;
    void *context;
    _Atomic(int) unfinished; /* the beginning, and the transfer */
    ncclResult_t result;
};

static void message_end(void *context, ncclResult_t result)
{
    struct message *message = context;

    message->done(message->context, result);
    free(message);
}

static void message_done(void *context, ncclResult_t result)
{
    struct message *message = context;

    message->result = result;
    if (atomic_fetch_sub(&message->unfinished, 1) == 1)
        message_end(message, result);
}

static void begin_message(struct nccl_hosts *hosts, int from, int to, void *data, size_t bytes,
                          nccl_network_done *done, void *context)
{
    struct message *message = calloc(1, sizeof(*message));

    if (!message) {
        nccl_network_call(hosts->network, done, context, ncclSystemError);
        return;
    }
    message->hosts = hosts;
    message->done = done;
    message->context = context;
    message->unfinished = 2;
    nccl_hosts_transfer(hosts, NCCL_TAG_MESSAGE, from, to, data, bytes, message_done, message);
    if (atomic_fetch_sub(&message->unfinished, 1) == 1)
        nccl_network_call(hosts->network, message_end, message, message->result);
}

void nccl_hosts_send(struct nccl_hosts *hosts, int from, int to, const void *data, size_t bytes,
                     nccl_network_done *done, void *context)
{
    begin_message(hosts, from, to, (void *)data, bytes, done, context);
}

void nccl_hosts_receive(struct nccl_hosts *hosts, int from, int to, void *data, size_t bytes,
                        nccl_network_done *done, void *context)
{
    begin_message(hosts, from, to, data, bytes, done, context);
}

void nccl_hosts_fail(struct nccl_hosts *hosts)
{
    bool had_failed;

    pthread_mutex_lock(&hosts->lock);
    had_failed = hosts->has_failed;
    hosts->has_failed = true;
    for (int i = 0; i < hosts->remote_count && !had_failed; i++)
        hosts->remotes[i].is_gone = true;
    pthread_mutex_unlock(&hosts->lock);
    if (had_failed)
        return;
    tell_all(hosts, NOTICE_FAILED);
    for (int i = 0; i < hosts->remote_count; i++)
        if (hosts->remotes[i].peer)
            nccl_network_break(hosts->remotes[i].peer);
}

/* The old connection may have ended only here, so that the process is still there. */
static ncclResult_t reconnect(struct nccl_hosts *hosts, struct nccl_remote *remote)
{
    const struct nccl_hosts_record *record = &hosts->records[remote->first_rank];
    struct nccl_network_peer *peer = NULL;
    ncclResult_t result;

    nccl_network_disconnect(remote->peer);
    remote->peer = NULL;
    pthread_mutex_lock(&hosts->lock);
    remote->is_gone = false;
    pthread_mutex_unlock(&hosts->lock);
    result = nccl_network_connect(hosts->network, record->address, remote_gone, remote, &peer);
    remote->peer = peer;
    for (int rank = 0; rank < hosts->rank_count && result == ncclSuccess; rank++)
        if (hosts->remote_of[rank] == remote)
            await_record(&hosts->arriving[rank]);
    return result;
}

static bool has_part(const struct nccl_hosts *hosts, const struct nccl_remote *remote,
                     const bool *takes_part)
{
    for (int rank = 0; rank < hosts->rank_count; rank++)
        if (hosts->remote_of[rank] == remote && takes_part[rank])
            return true;
    return false;
}

ncclResult_t nccl_hosts_reconnect(struct nccl_hosts *hosts, const bool *takes_part)
{
    ncclResult_t result = ncclSuccess;

    pthread_mutex_lock(&hosts->reconnecting);
    for (int i = 0; i < hosts->remote_count && result == ncclSuccess; i++)
        if (!hosts->is_reconnected && hosts->remotes[i].peer &&
            has_part(hosts, &hosts->remotes[i], takes_part))
            result = reconnect(hosts, &hosts->remotes[i]);
    hosts->is_reconnected = true;
    pthread_mutex_unlock(&hosts->reconnecting);
    return result;
}

void nccl_hosts_close(struct nccl_hosts *hosts)
{
    struct nccl_network *network = hosts->network;

    if (!hosts->has_failed)
        tell_all(hosts, NOTICE_LEAVES);
    for (int i = 0; i < hosts->remote_count; i++)
        if (hosts->remotes[i].peer)
            nccl_network_disconnect(hosts->remotes[i].peer);
    nccl_network_see_off(network);
    hosts_unref(hosts);
    nccl_network_close(network);
}
