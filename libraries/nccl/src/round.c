/* SPDX-License-Identifier: MIT */
/* Rounds: collective operations of all ranks with the same number. One thread at a time works on
 * those of a team, in their order; it is whichever comes by when there is work. */
#include "eager.h"
#include "execute.h"
#include "fault.h"
#include "hosts.h"
#include "peer.h"
#include "round.h"
#include "segment.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct nccl_round *round_create_locked(struct nccl_team *team, uint64_t number)
{
    size_t parts = (size_t)team->local_count * sizeof(struct nccl_operation *);
    struct nccl_round *round = team->unused;

    if (round)
        team->unused = round->next;
    else
        round = malloc(sizeof(*round) + parts);
    if (!round)
        return NULL;
    *round = (struct nccl_round){.number = number, .parts = (struct nccl_operation **)(round + 1)};
    memset(round->parts, 0, parts);
    return round;
}

/* The round of a number, or NULL. There are a few at a time, in order. */
static struct nccl_round *find_locked(struct nccl_team *team, uint64_t number)
{
    struct nccl_round *round = team->first;

    while (round && round->number != number)
        round = round->next;
    return round;
}

bool nccl_round_post_locked(struct nccl_team *team, struct nccl_operation *operation)
{
    struct nccl_rank *rank = operation->rank;
    struct nccl_round **place = &team->first;

    while (*place && (*place)->number < rank->posted)
        place = &(*place)->next;
    if (!*place) {
        *place = round_create_locked(team, rank->posted);
        if (!*place)
            return false;
    }
    (*place)->parts[rank->local_index] = operation;
    (*place)->posted++;
    rank->posted++;
    return true;
}

bool nccl_round_insert_locked(struct nccl_team *team, uint64_t number,
                              struct nccl_operation *operation)
{
    struct nccl_round *round = round_create_locked(team, number);

    if (!round)
        return false;
    round->parts[0] = operation;
    round->posted = 1;
    round->is_eager = true;
    round->next = team->first;
    team->first = round;
    return true;
}

static uint64_t least(struct nccl_team *team, bool of_published)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < team->process_count; i++) {
        struct nccl_segment *segment = team->segments[i];
        uint64_t count = i == team->process
                             ? (of_published ? team->published : team->executed)
                             : atomic_load(of_published ? &segment->published : &segment->executed);

        least = count < least ? count : least;
    }
    return least;
}

/* True if a round waits for a rank that has destroyed the communicator. */
static bool is_stuck(struct nccl_team *team)
{
    struct nccl_round *last = team->first;

    while (last && last->next)
        last = last->next;
    for (int i = 0; last && i < team->process_count; i++) {
        uint64_t end = atomic_load(&team->segments[i]->end);

        if (end && last->number + 1 >= end)
            return true;
    }
    return false;
}

static void ring_all(struct nccl_team *team)
{
    for (int i = 0; i < team->process_count; i++)
        nccl_team_ring(team, i);
}

/* Threads that look for the round (direct.c) see it themselves. */
void nccl_round_ring_for(struct nccl_team *team, uint64_t round)
{
    for (int i = 0; i < team->process_count; i++)
        if (atomic_load(&team->segments[i]->looked_for) != round + 1)
            nccl_team_ring(team, i);
}

/* Rings for rounds that this process has published, from `before` on, if it is the last one to
 * publish the first of them: nobody could go on before. Those that are not last look when they
 * publish it, and so does everyone who comes later. */
static void ring_for_published(struct nccl_team *team, uint64_t before)
{
    if (least(team, true) > before)
        nccl_round_ring_for(team, before);
}

/* Rings for a round that this process has executed, if it is the last one to do so: for those that
 * wait for the end of the round, if it is not eager, and those that have no room to publish another
 * one. */
static void ring_for_executed(struct nccl_team *team, bool is_eager)
{
    if (least(team, false) < team->executed)
        return;
    for (int i = 0; i < team->process_count; i++)
        if (!is_eager ||
            atomic_load(&team->segments[i]->published) + 1 >= team->executed + NCCL_SEGMENT_ROUNDS)
            nccl_team_ring(team, i);
}

void nccl_rounds_end_locked(struct nccl_team *team, uint64_t count)
{
    uint64_t end = atomic_load(&team->segment->end);

    if (end == 0 || count + 1 < end)
        atomic_store(&team->segment->end, count + 1);
    if (team->gone_count == team->local_count)
        atomic_store(&team->segment->has_left, 1);
    ring_all(team);
}

struct eager_writing {
    struct nccl_team *team;
    const struct nccl_round *round;
    struct nccl_operation *part;
};

static void write_eager(void *data)
{
    const struct eager_writing *writing = data;

    nccl_eager_write(writing->team, writing->round->number, writing->part);
}

/* Writes what the other processes must know of a round. False: memory of a rank is not there. */
static bool write_requests_locked(struct nccl_team *team, struct nccl_round *round)
{
    struct nccl_fault fault;

    round->is_eager = nccl_eager_applies(team, &round->parts[0]->request);
    for (int i = 0; i < team->local_count; i++) {
        struct nccl_operation *part = round->parts[i];

        *nccl_segment_request(team->segment, team->rank_count, round->number, part->rank->rank) =
            part->request;
        if (!nccl_eager_applies(team, &part->request) ||
            nccl_fault_guard(write_eager, &(struct eager_writing){team, round, part}, &fault))
            continue;
        part->status = fault.error;
        nccl_fault_explain(&fault, part->rank->rank, team->problem, sizeof(team->problem));
        return false;
    }
    return true;
}

bool nccl_round_has_room_locked(struct nccl_team *team)
{
    if (team->published >= team->least_executed + NCCL_SEGMENT_ROUNDS)
        team->least_executed = least(team, false);
    return team->published < team->least_executed + NCCL_SEGMENT_ROUNDS;
}

/* Tells the other processes of rounds that all local ranks have posted. False: the team has failed.
 */
static bool publish_locked(struct nccl_team *team, struct nccl_operation **ended)
{
    struct nccl_round *round = find_locked(team, team->published);
    uint64_t before = team->published;

    for (; round && round->posted == team->local_count; round = round->next) {
        if (team->process_count > 1) {
            if (!nccl_round_has_room_locked(team))
                break;
            if (!write_requests_locked(team, round)) {
                nccl_team_fail_locked(team, ncclUnhandledCudaError, team->problem, ended);
                return false;
            }
        }
        team->published++;
    }
    if (team->process_count > 1 && team->published != before) {
        atomic_store(&team->segment->published, team->published);
        ring_for_published(team, before);
    }
    return true;
}

/* The request of a rank. Another process may write to it, so each field is read once. */
static const struct nccl_request *request_of(struct nccl_team *team, const struct nccl_round *round,
                                             int rank)
{
    int local = team->local_index[rank];

    return local >= 0 ? &round->parts[local]->request
                      : nccl_segment_request(team->segments[team->process_of[rank]],
                                             team->rank_count, round->number, rank);
}

static const char *explain_difference(struct nccl_team *team, const struct nccl_request *a,
                                      const struct nccl_request *b, int a_rank, int b_rank)
{
    snprintf(team->problem, sizeof(team->problem),
             "ranks do not agree: rank %d calls %s with count %llu, type %u, operator %u, root %d; "
             "rank %d calls %s with count %llu, type %u, operator %u, root %d",
             a_rank, nccl_kind_name(a->kind), (unsigned long long)a->count, a->type, a->op, a->root,
             b_rank, nccl_kind_name(b->kind), (unsigned long long)b->count, b->type, b->op,
             b->root);
    return team->problem;
}

static const char *explain_unreachable(struct nccl_team *team, int rank)
{
    snprintf(team->problem, sizeof(team->problem),
             "the memory of rank %d, of process %d, cannot be reached", rank,
             (int)team->members[rank].pid);
    return team->problem;
}

static bool agree(const struct nccl_request *a, const struct nccl_request *b)
{
    return a->kind == b->kind && a->type == b->type && a->op == b->op && a->root == b->root &&
           a->count == b->count;
}

/* Finds the buffers of a rank, for what `first` asks. False: they cannot be reached. */
static bool find_buffers(struct nccl_team *team, const struct nccl_round *round, int rank,
                         const struct nccl_request *first)
{
    const struct nccl_request *request = request_of(team, round, rank);
    int local = team->local_index[rank];

    team->scalars[rank] = request->scalar;
    if (local >= 0) {
        const struct nccl_operation *part = round->parts[local];

        team->send[rank] = part->send_copy ? part->send_copy : (const char *)request->send;
        team->recv[rank] = part->recv_copy ? part->recv_copy : (char *)request->recv;
        return true;
    }
    if (round->is_eager) {
        team->send[rank] = nccl_eager_data(team, round->number, rank);
        team->recv[rank] = NULL;
        return true;
    }
    size_t send_bytes = nccl_request_send_bytes(first, rank, team->rank_count);
    size_t recv_bytes = nccl_request_recv_bytes(first, rank, team->rank_count);
    struct nccl_peer *peer = team->peers[team->process_of[rank]];
    const struct nccl_place send_place = request->send_place, recv_place = request->recv_place;
    team->send[rank] = send_bytes ? nccl_peer_map(peer, &send_place, send_bytes) : NULL;
    team->recv[rank] = recv_bytes ? nccl_peer_map(peer, &recv_place, recv_bytes) : NULL;
    return (team->send[rank] || !send_bytes) && (team->recv[rank] || !recv_bytes);
}

static int first_rank_here(const struct nccl_team *team)
{
    int rank = 0;

    while (team->process_of[rank] < 0)
        rank++;
    return rank;
}

/* NULL: all ranks of this host call the same. */
static const char *check_agreement(struct nccl_team *team, const struct nccl_round *round,
                                   const struct nccl_request *first)
{
    for (int rank = 0; rank < team->rank_count; rank++) {
        if (team->process_of[rank] < 0)
            continue;
        const struct nccl_request *request = request_of(team, round, rank);
        if (!agree(first, request))
            return explain_difference(team, first, request, first_rank_here(team), rank);
    }
    return NULL;
}

/* Ends the operations whose memory is not there; where it is that of another process, that one
 * does.
 */
static ncclResult_t blame(struct nccl_team *team, const struct nccl_round *round,
                          const struct nccl_fault *fault)
{
    int rank = -1;

    for (int i = 0; i < team->local_count; i++)
        if (nccl_fault_blame(fault, round->parts[i]))
            rank = round->parts[i]->rank->rank;
    if (rank >= 0)
        nccl_fault_explain(fault, rank, team->problem, sizeof(team->problem));
    else
        snprintf(team->problem, sizeof(team->problem),
                 "memory of a rank of another process is not there");
    return rank >= 0 ? ncclUnhandledCudaError : ncclRemoteError;
}

struct share {
    const struct nccl_work *work;
    unsigned index, count;
};

static void execute_share(void *data)
{
    const struct share *share = data;

    nccl_execute(share->work, share->index, share->count);
}

static void hosts_done(void *context, ncclResult_t result);

/* With other hosts the first process does it for all of its host, and hosts_done() is called
 * later. */
ncclResult_t nccl_round_execute(struct nccl_team *team, const struct nccl_round *round,
                                const char **problem)
{
    const struct nccl_request first = *request_of(team, round, first_rank_here(team));
    struct nccl_work work = {
        .kind = (enum nccl_kind)first.kind,
        .type = (ncclDataType_t)first.type,
        .reduction = {.type = (ncclDataType_t)first.type,
                      .op = (enum nccl_operator)first.op,
                      .divisor = (uint64_t)team->rank_count,
                      .scalars = first.op == NCCL_OP_SCALED_SUM ? team->scalars : NULL},
        .rank_count = team->rank_count,
        .root = first.root,
        .count = first.count,
        .send = team->send,
        .recv = team->recv,
    };
    struct share share = {&work, 0, 1};
    struct nccl_fault fault;

    *problem = check_agreement(team, round, &first);
    if (*problem)
        return ncclInvalidUsage;
    for (int rank = 0; rank < team->rank_count && !*problem; rank++)
        if (team->process_of[rank] >= 0 && !find_buffers(team, round, rank, &first))
            *problem = explain_unreachable(team, rank);
    if (*problem)
        return ncclRemoteError; /* that process has ended, or has freed the memory */
    if (team->hosts) {
        nccl_hosts_execute(team->hosts, &work, hosts_done, team);
        return ncclSuccess;
    }
    if (!round->is_eager)
        share = (struct share){&work, (unsigned)team->process, (unsigned)team->process_count};
    if (nccl_fault_guard(execute_share, &share, &fault))
        return ncclSuccess;
    *problem = team->problem;
    return blame(team, round, &fault);
}

void nccl_round_executed_locked(struct nccl_team *team, bool is_eager, ncclResult_t result,
                                const char *problem, struct nccl_operation **ended)
{
    team->is_executing = false;
    team->executed++;
    if (result != ncclSuccess)
        nccl_team_fail_locked(team, result, problem, ended);
    if (team->process_count > 1) {
        atomic_store(&team->segment->executed, team->executed);
        ring_for_executed(team, is_eager);
    }
}

/* The round is the one after team->executed. */
static void executed_locked(struct nccl_team *team, ncclResult_t result, const char *problem,
                            struct nccl_operation **ended)
{
    nccl_round_executed_locked(team, find_locked(team, team->executed)->is_eager, result, problem,
                               ended);
}

/* The operation with other hosts that is the round after team->executed is over. */
static void hosts_executed_locked(struct nccl_team *team, ncclResult_t result,
                                  struct nccl_operation **ended)
{
    const struct nccl_fault *fault = nccl_hosts_fault(team->hosts);
    const char *problem = "an operation with another host has failed";

    if (fault) {
        result = blame(team, find_locked(team, team->executed), fault);
        problem = team->problem;
    }
    executed_locked(team, result, problem, ended);
}

static void execute_locked(struct nccl_team *team, struct nccl_operation **ended)
{
    struct nccl_round *round = find_locked(team, team->executed);
    bool follows = team->hosts && team->process > 0; /* the first process does it */
    ncclResult_t result = ncclSuccess;
    const char *problem = NULL;

    team->is_executing = team->is_starting = true;
    team->has_result = false;
    pthread_mutex_unlock(&team->lock);
    if (!follows)
        result = nccl_round_execute(team, round, &problem);
    pthread_mutex_lock(&team->lock);
    team->is_starting = false;
    if (result != ncclSuccess)
        executed_locked(team, result, problem, ended);
    else if (!team->hosts || follows)
        executed_locked(team, ncclSuccess, NULL, ended);
    else if (team->has_result)
        hosts_executed_locked(team, team->hosts_result, ended);
}

/* The operation with other hosts is over. If it is while it begins, the thread that began it goes
 * on. */
static void hosts_done(void *context, ncclResult_t result)
{
    struct nccl_team *team = context;
    struct nccl_operation *ended = NULL;

    atomic_fetch_add(&team->references, 1);
    pthread_mutex_lock(&team->lock);
    team->has_result = true;
    team->hosts_result = result;
    if (!team->is_starting) {
        hosts_executed_locked(team, result, &ended);
        nccl_rounds_go_on_locked(team);
    }
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
    nccl_team_unref(team);
}

static void complete_first_locked(struct nccl_team *team, struct nccl_operation **ended)
{
    struct nccl_round *round = team->first;

    team->first = round->next;
    for (int i = 0; i < team->local_count; i++)
        if (round->parts[i])
            nccl_operation_end_locked(round->parts[i], ended);
    round->next = team->unused;
    team->unused = round;
}

void nccl_rounds_drop_locked(struct nccl_team *team, struct nccl_operation **ended)
{
    while (team->first && !team->is_executing)
        complete_first_locked(team, ended);
}

/* Others may still read the buffers of a round that is not eager, and write to them. */
static bool is_over_locked(struct nccl_team *team, const struct nccl_round *first)
{
    return team->completed < (first->is_eager ? team->executed : least(team, false));
}

void nccl_rounds_go_on_locked(struct nccl_team *team)
{
    struct nccl_operation *ended = NULL;
    bool goes_on = true;

    while (goes_on && !team->is_executing) {
        goes_on = false;
        if (team->error != ncclSuccess) {
            nccl_rounds_drop_locked(team, &ended);
        } else if (is_stuck(team)) {
            nccl_team_fail_locked(
                team, ncclRemoteError,
                "an operation waits for a rank that has destroyed its communicator", &ended);
        } else if (publish_locked(team, &ended)) {
            if (team->executed < least(team, true)) {
                execute_locked(team, &ended);
                goes_on = true;
            }
            for (; team->first && is_over_locked(team, team->first); team->completed++)
                complete_first_locked(team, &ended);
        }
        if (ended) {
            pthread_mutex_unlock(&team->lock);
            nccl_operations_end(ended);
            ended = NULL;
            pthread_mutex_lock(&team->lock);
            goes_on = true;
        }
    }
}
