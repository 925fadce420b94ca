/* SPDX-License-Identifier: MIT */
/* Posting and ending. The calls of a rank are posted in the order of the calls, also where they are
 * in different streams: each has a ticket, and one that comes early is held. Operations of graphs
 * have none; they are posted when they come. */
#include "operation.h"

#include "driver.h"
#include "shared_copy.h"
#include "team.h"

size_t nccl_request_send_bytes(const struct nccl_request *request, int rank, int rank_count)
{
    size_t block = request->count * nccl_type_bytes((ncclDataType_t)request->type);

    switch ((enum nccl_kind)request->kind) {
    case NCCL_BROADCAST:
        return rank == request->root ? block : 0;
    case NCCL_REDUCE_SCATTER:
    case NCCL_ALL_TO_ALL:
        return block * (size_t)rank_count;
    case NCCL_SCATTER:
        return rank == request->root ? block * (size_t)rank_count : 0;
    case NCCL_RECV:
        return 0;
    default:
        return block;
    }
}

size_t nccl_request_recv_bytes(const struct nccl_request *request, int rank, int rank_count)
{
    size_t block = request->count * nccl_type_bytes((ncclDataType_t)request->type);

    switch ((enum nccl_kind)request->kind) {
    case NCCL_REDUCE:
        return rank == request->root ? block : 0;
    case NCCL_ALL_GATHER:
    case NCCL_ALL_TO_ALL:
        return block * (size_t)rank_count;
    case NCCL_GATHER:
        return rank == request->root ? block * (size_t)rank_count : 0;
    case NCCL_SEND:
        return 0;
    default:
        return block;
    }
}

void nccl_operation_measure(struct nccl_operation *operation)
{
    int rank = operation->rank->rank, rank_count = operation->rank->team->rank_count;

    operation->send_bytes = nccl_request_send_bytes(&operation->request, rank, rank_count);
    operation->recv_bytes = nccl_request_recv_bytes(&operation->request, rank, rank_count);
}

static void hold_locked(struct nccl_operation *operation)
{
    struct nccl_operation **place = &operation->rank->held;

    while (*place && (*place)->ticket < operation->ticket)
        place = &(*place)->next;
    operation->next = *place;
    *place = operation;
}

static void admit_locked(struct nccl_team *team, struct nccl_operation *operation,
                         struct nccl_operation **ended)
{
    bool is_message = operation->request.kind >= NCCL_SEND, is_taken;

    if (operation->ticket)
        operation->rank->next_ticket = operation->ticket + 1;
    operation->next = NULL;
    if (team->error != ncclSuccess) {
        nccl_operation_end_locked(operation, ended);
        return;
    }
    is_taken = is_message ? nccl_message_post_locked(team, operation)
                          : nccl_round_post_locked(team, operation);
    if (!is_taken) {
        nccl_operation_end_locked(operation, ended);
        nccl_team_fail_locked(team, ncclRemoteError, "a rank is gone, or there is no memory",
                              ended);
    }
}

void nccl_operation_post(struct nccl_operation *operation)
{
    struct nccl_rank *rank = operation->rank;
    struct nccl_team *team = rank->team;
    struct nccl_operation *ended = NULL;

    nccl_rank_ref(rank); /* the operation may end here */
    atomic_fetch_add(&team->under_way, 1);
    pthread_mutex_lock(&team->lock);
    if (operation->ticket && operation->ticket != rank->next_ticket && team->error == ncclSuccess)
        hold_locked(operation);
    else
        admit_locked(team, operation, &ended);
    while (rank->held && rank->held->ticket == rank->next_ticket) {
        struct nccl_operation *next = rank->held;

        rank->held = next->next;
        admit_locked(team, next, &ended);
    }
    nccl_rounds_go_on_locked(team);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
    nccl_rank_unref(rank);
}

void nccl_operation_end_locked(struct nccl_operation *operation, struct nccl_operation **ended)
{
    operation->rank->unfinished--;
    if (operation->rank->team->error != ncclSuccess)
        atomic_store(&operation->rank->knows_failure, true);
    atomic_fetch_sub(&operation->rank->team->under_way, 1);
    pthread_cond_broadcast(&operation->rank->team->changed);
    operation->next = *ended;
    *ended = operation;
}

void nccl_operations_end(struct nccl_operation *ended)
{
    while (ended) {
        struct nccl_operation *next = ended->next;
        struct nccl_fault fault;

        if (!nccl_shared_copies_return(ended, &fault))
            nccl_fault_end(&fault, ended);
        nccl_job_count_down(ended->job, ended->status);
        ended = next;
    }
}
