/* SPDX-License-Identifier: MIT */
/* Messages of ncclSend() and ncclRecv(). Those of a pair of ranks meet in the order of the calls,
 * in a queue (struct nccl_lane) of the rank that receives. The receiver's process copies.
 *
 * To another process a message is an entry of a channel (segment.h). The sender's operation ends
 * when the entry is acknowledged. */
#include "fault.h"
#include "hosts.h"
#include "peer.h"
#include "segment.h"
#include "team.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 512 * 1024 };

/* A message of another process that nobody has received yet. */
struct nccl_arrival {
    struct nccl_arrival *next;
    struct nccl_message message;
    int process;
};

/* What a process sends to another one, and how far it has read what comes from there. */
struct nccl_outbox {
    struct nccl_operation *first, *last;                     /* that have no entry yet */
    struct nccl_operation *under_way[NCCL_CHANNEL_MESSAGES]; /* by serial */
    uint64_t sent, taken, acknowledged, acknowledgements_taken;
};

struct copy {
    char *to;
    const char *from;
    size_t bytes;
};

/* What has come of operations that have met. */
struct meeting {
    bool fits; /* the one to the other */
    struct nccl_fault fault;
};

static void copy_part(void *argument, size_t index)
{
    const struct copy *copy = argument;
    size_t at = index * PART_BYTES, left = copy->bytes - at;

    memcpy(copy->to + at, copy->from + at, left < PART_BYTES ? left : PART_BYTES);
}

static void copy_all(void *data)
{
    const struct copy *copy = data;

    lib_parallel((copy->bytes + PART_BYTES - 1) / PART_BYTES, copy_part, data);
}

static void transfer(void *to, const void *from, size_t bytes, struct nccl_fault *fault)
{
    struct copy copy = {to, from, bytes};

    if (to != from)
        nccl_fault_guard(copy_all, &copy, fault);
}

static struct nccl_lane *lane_locked(struct nccl_rank *receiver, int sender)
{
    if (!receiver->lanes)
        receiver->lanes = calloc((size_t)receiver->team->rank_count, sizeof(*receiver->lanes));
    return receiver->lanes ? &receiver->lanes[sender] : NULL;
}

static void append(struct nccl_operation **first, struct nccl_operation **last,
                   struct nccl_operation *operation)
{
    operation->next = NULL;
    if (*first)
        (*last)->next = operation;
    else
        *first = operation;
    *last = operation;
}

static struct nccl_operation *take(struct nccl_operation **first)
{
    struct nccl_operation *operation = *first;

    *first = operation->next;
    return operation;
}

/* Works through ended operations; the lock is released meanwhile. */
static void end_unlocked(struct nccl_team *team, struct nccl_operation *ended)
{
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
    pthread_mutex_lock(&team->lock);
}

/* Fails the team because of a fault; memory that is nobody's here is that of the sender's process.
 */
static void blame_locked(struct nccl_team *team, const struct nccl_fault *fault,
                         struct nccl_operation *receive, struct nccl_operation *send,
                         struct nccl_operation **ended)
{
    bool is_received = nccl_fault_blame(fault, receive);
    bool is_sent = send && nccl_fault_blame(fault, send);
    char problem[NCCL_PROBLEM_BYTES];

    nccl_fault_explain(fault, is_received ? receive->rank->rank : receive->request.root, problem,
                       sizeof(problem));
    nccl_team_fail_locked(team, is_received || is_sent ? ncclUnhandledCudaError : ncclRemoteError,
                          problem, ended);
}

/* Ends operations that have met: a receive, and a send of this process. */
static void end_pair_locked(struct nccl_team *team, struct nccl_operation *receive,
                            struct nccl_operation *send, size_t sent_bytes,
                            const struct meeting *meeting)
{
    bool is_reachable = sent_bytes != receive->recv_bytes; /* the sizes alone keep them apart */
    struct nccl_operation *ended = NULL;
    char problem[NCCL_PROBLEM_BYTES];

    snprintf(problem, sizeof(problem), "rank %d receives %zu bytes from rank %d, which sends %zu%s",
             receive->rank->rank, receive->recv_bytes, receive->request.root, sent_bytes,
             is_reachable ? "" : " that cannot be reached");
    if (meeting->fault.error != CUDA_SUCCESS)
        blame_locked(team, &meeting->fault, receive, send, &ended);
    else if (!meeting->fits) /* a process whose memory is not there has ended, or has freed it */
        nccl_team_fail_locked(team, is_reachable ? ncclInvalidUsage : ncclRemoteError, problem,
                              &ended);
    nccl_operation_end_locked(receive, &ended);
    if (send)
        nccl_operation_end_locked(send, &ended);
    end_unlocked(team, ended);
}

static void end_send_locked(struct nccl_team *team, struct nccl_operation *send)
{
    struct nccl_operation *ended = NULL;

    nccl_operation_end_locked(send, &ended);
    end_unlocked(team, ended);
}

static void meet_locked(struct nccl_team *team, struct nccl_operation *send,
                        struct nccl_operation *receive)
{
    struct meeting meeting = {.fits = send->send_bytes == receive->recv_bytes};

    pthread_mutex_unlock(&team->lock);
    if (meeting.fits)
        transfer((void *)receive->request.recv, (const void *)send->request.send,
                 receive->recv_bytes, &meeting.fault);
    pthread_mutex_lock(&team->lock);
    end_pair_locked(team, receive, send, send->send_bytes, &meeting);
}

static struct nccl_outbox *outbox_locked(struct nccl_team *team, int process)
{
    if (!team->outboxes[process])
        team->outboxes[process] = calloc(1, sizeof(struct nccl_outbox));
    return team->outboxes[process];
}

static void acknowledge_locked(struct nccl_team *team, int process, uint64_t serial)
{
    struct nccl_channel *channel = nccl_segment_channel(team->segment, team->rank_count, process);
    struct nccl_outbox *box = outbox_locked(team, process);

    if (!box)
        return;
    channel->acknowledgements[box->acknowledged % NCCL_CHANNEL_MESSAGES] = serial;
    atomic_store(&channel->acknowledged, ++box->acknowledged);
    nccl_team_ring(team, process);
}

static void meet_arrival_locked(struct nccl_team *team, struct nccl_arrival *arrival,
                                struct nccl_operation *receive)
{
    struct nccl_peer *peer = team->peers[arrival->process];
    const struct nccl_message *message = &arrival->message;
    struct meeting meeting = {0};
    const void *from = NULL;

    pthread_mutex_unlock(&team->lock);
    if (message->bytes == receive->recv_bytes)
        from = nccl_peer_map(peer, &message->place, message->bytes);
    meeting.fits = from;
    if (from)
        transfer((void *)receive->request.recv, from, message->bytes, &meeting.fault);
    pthread_mutex_lock(&team->lock);
    acknowledge_locked(team, arrival->process, message->serial);
    size_t sent_bytes = message->bytes;
    free(arrival);
    end_pair_locked(team, receive, NULL, sent_bytes, &meeting);
}

/* Writes waiting messages to the channel of a process, as far as there is room. */
static void send_waiting_locked(struct nccl_team *team, int process)
{
    struct nccl_channel *channel = nccl_segment_channel(team->segment, team->rank_count, process);
    struct nccl_outbox *box = team->outboxes[process];
    uint64_t before = box->sent;

    while (box->first && !box->under_way[box->sent % NCCL_CHANNEL_MESSAGES]) {
        struct nccl_operation *send = take(&box->first);
        uint64_t slot = box->sent % NCCL_CHANNEL_MESSAGES;

        box->under_way[slot] = send;
        channel->messages[slot] = (struct nccl_message){.serial = box->sent++,
                                                        .sender = send->rank->rank,
                                                        .receiver = send->request.root,
                                                        .bytes = send->send_bytes,
                                                        .place = send->request.send_place};
    }
    if (box->sent == before)
        return;
    atomic_store(&channel->sent, box->sent);
    nccl_team_ring(team, process);
}

static bool post_send_locked(struct nccl_team *team, struct nccl_operation *send)
{
    int receiver = send->request.root, local = team->local_index[receiver];
    struct nccl_rank *rank = local >= 0 ? team->ranks[local] : NULL;
    struct nccl_lane *lane;

    if (local < 0) {
        struct nccl_outbox *box = outbox_locked(team, team->process_of[receiver]);

        if (!box)
            return false;
        append(&box->first, &box->last, send);
        send_waiting_locked(team, team->process_of[receiver]);
        return true;
    }
    lane = rank ? lane_locked(rank, send->rank->rank) : NULL;
    if (!lane)
        return false;
    if (lane->first && lane->first->request.kind == NCCL_RECV)
        meet_locked(team, send, take(&lane->first));
    else
        append(&lane->first, &lane->last, send);
    return true;
}

static bool post_receive_locked(struct nccl_team *team, struct nccl_operation *receive)
{
    struct nccl_lane *lane = lane_locked(receive->rank, receive->request.root);

    if (!lane)
        return false;
    if (lane->first_arrival) {
        struct nccl_arrival *arrival = lane->first_arrival;

        lane->first_arrival = arrival->next;
        meet_arrival_locked(team, arrival, receive);
    } else if (lane->first && lane->first->request.kind == NCCL_SEND) {
        meet_locked(team, take(&lane->first), receive);
    } else {
        append(&lane->first, &lane->last, receive);
    }
    return true;
}

/* A message from or to another host has ended, in the progress thread. */
static void hosts_done(void *context, ncclResult_t result)
{
    struct nccl_operation *operation = context, *ended = NULL;
    struct nccl_team *team = operation->rank->team;

    atomic_fetch_add(&team->references, 1);
    pthread_mutex_lock(&team->lock);
    if (result != ncclSuccess)
        nccl_team_fail_locked(team, result, "a message from or to another host has failed", &ended);
    nccl_operation_end_locked(operation, &ended);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
    nccl_team_unref(team);
}

static void post_to_hosts(struct nccl_team *team, struct nccl_operation *operation)
{
    int own = operation->rank->rank, other = operation->request.root;

    if (operation->request.kind == NCCL_SEND)
        nccl_hosts_send(team->hosts, own, other, (const void *)operation->request.send,
                        operation->send_bytes, hosts_done, operation);
    else
        nccl_hosts_receive(team->hosts, other, own, (void *)operation->request.recv,
                           operation->recv_bytes, hosts_done, operation);
}

bool nccl_message_post_locked(struct nccl_team *team, struct nccl_operation *operation)
{
    if (team->process_of[operation->request.root] < 0) {
        post_to_hosts(team, operation);
        return true;
    }
    return operation->request.kind == NCCL_SEND ? post_send_locked(team, operation)
                                                : post_receive_locked(team, operation);
}

/* Takes in a message. False: it is nonsense, its receiver is gone, or there is no memory. */
static bool arrive_locked(struct nccl_team *team, int process, const struct nccl_message *message)
{
    bool is_valid = message->sender >= 0 && message->sender < team->rank_count &&
                    message->receiver >= 0 && message->receiver < team->rank_count &&
                    team->process_of[message->sender] == process &&
                    team->local_index[message->receiver] >= 0;
    struct nccl_rank *rank = is_valid ? team->ranks[team->local_index[message->receiver]] : NULL;
    struct nccl_lane *lane = rank ? lane_locked(rank, message->sender) : NULL;
    struct nccl_arrival *arrival = lane ? calloc(1, sizeof(*arrival)) : NULL;

    if (!arrival)
        return false;
    arrival->message = *message;
    arrival->process = process;
    if (lane->first) {
        meet_arrival_locked(team, arrival, take(&lane->first));
        return true;
    }
    if (lane->first_arrival)
        lane->last_arrival->next = arrival;
    else
        lane->first_arrival = arrival;
    lane->last_arrival = arrival;
    return true;
}

static void end_acknowledged_locked(struct nccl_team *team, struct nccl_outbox *box,
                                    uint64_t serial)
{
    struct nccl_operation **slot = &box->under_way[serial % NCCL_CHANNEL_MESSAGES], *send = *slot;

    *slot = NULL;
    if (send)
        end_send_locked(team, send);
}

static void progress_with_locked(struct nccl_team *team, int process)
{
    struct nccl_channel *channel =
        nccl_segment_channel(team->segments[process], team->rank_count, team->process);
    struct nccl_outbox *box = team->outboxes[process];

    if (!box && (atomic_load(&channel->sent) == 0 || !(box = outbox_locked(team, process))))
        return;
    while (box->taken < atomic_load(&channel->sent) && team->error == ncclSuccess) {
        struct nccl_message message = channel->messages[box->taken++ % NCCL_CHANNEL_MESSAGES];
        struct nccl_operation *ended = NULL;

        if (arrive_locked(team, process, &message))
            continue;
        nccl_team_fail_locked(team, ncclRemoteError, "a message has no receiver", &ended);
        pthread_mutex_unlock(&team->lock);
        nccl_operations_end(ended);
        pthread_mutex_lock(&team->lock);
    }
    while (box->acknowledgements_taken < atomic_load(&channel->acknowledged) &&
           team->error == ncclSuccess)
        end_acknowledged_locked(
            team, box,
            channel->acknowledgements[box->acknowledgements_taken++ % NCCL_CHANNEL_MESSAGES]);
    send_waiting_locked(team, process);
}

void nccl_messages_progress_locked(struct nccl_team *team)
{
    for (int process = 0; process < team->process_count; process++)
        if (process != team->process && team->error == ncclSuccess)
            progress_with_locked(team, process);
}

static void drop_list_locked(struct nccl_operation *list, struct nccl_operation **ended)
{
    for (struct nccl_operation *next; list; list = next) {
        next = list->next;
        nccl_operation_end_locked(list, ended);
    }
}

void nccl_messages_drop_locked(struct nccl_team *team, struct nccl_operation **ended)
{
    for (int i = 0; i < team->local_count; i++) {
        struct nccl_rank *rank = team->ranks[i];

        for (int sender = 0; rank && rank->lanes && sender < team->rank_count; sender++) {
            drop_list_locked(rank->lanes[sender].first, ended);
            rank->lanes[sender].first = NULL;
        }
    }
    for (int process = 0; team->outboxes && process < team->process_count; process++) {
        struct nccl_outbox *box = team->outboxes[process];

        if (!box)
            continue;
        drop_list_locked(box->first, ended);
        box->first = NULL;
        for (int i = 0; i < NCCL_CHANNEL_MESSAGES; i++) {
            if (box->under_way[i])
                nccl_operation_end_locked(box->under_way[i], ended);
            box->under_way[i] = NULL;
        }
    }
}

void nccl_messages_free_lanes(struct nccl_rank *rank)
{
    for (int sender = 0; rank->lanes && sender < rank->team->rank_count; sender++) {
        struct nccl_arrival *next;

        for (struct nccl_arrival *arrival = rank->lanes[sender].first_arrival; arrival;
             arrival = next) {
            next = arrival->next;
            free(arrival);
        }
    }
    free(rank->lanes);
}

void nccl_messages_free(struct nccl_team *team)
{
    for (int process = 0; team->outboxes && process < team->process_count; process++)
        free(team->outboxes[process]);
    free(team->outboxes);
}
