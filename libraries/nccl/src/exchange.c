/* SPDX-License-Identifier: MIT */
/* A rank gives its next record only when it has those of all others, so two slots for each rank are
 * enough. */
#include "exchange.h"

#include "comm.h"
#include "hosts.h"
#include "peer.h"

#include <string.h>
#include <time.h>

static struct nccl_exchange_slot *slot_of(struct nccl_team *team, uint64_t number, int rank)
{
    int process = team->process_of[rank];

    return nccl_segment_exchange(process < 0 ? team->segment : team->segments[process],
                                 team->rank_count, number, rank);
}

uint64_t nccl_exchange_give(struct nccl_rank *rank, const void *record, size_t bytes)
{
    struct nccl_team *team = rank->team;
    struct nccl_hosts_given given = {0};
    struct nccl_exchange_slot *slot;
    uint64_t number;

    pthread_mutex_lock(&team->lock);
    number = ++rank->exchanges;
    slot = slot_of(team, number, rank->rank);
    memcpy(slot->record, record, bytes);
    atomic_store(&slot->number, number);
    pthread_cond_broadcast(&team->changed);
    for (int i = 0; i < team->process_count; i++)
        if (team->peers[i])
            nccl_peer_ring(team->peers[i]);
    if (team->hosts) {
        given.number = number;
        memcpy(given.record, record, bytes);
        nccl_hosts_give(team->hosts, rank->rank, &given);
    }
    pthread_mutex_unlock(&team->lock);
    return number;
}

/* The first rank that takes part and has not given its record; -1: none. */
static int missing_locked(struct nccl_team *team, uint64_t number, const bool *takes_part)
{
    for (int rank = 0; rank < team->rank_count; rank++)
        if (takes_part[rank] && atomic_load(&slot_of(team, number, rank)->number) != number)
            return rank;
    return -1;
}

/* True if the rank will never give its record. */
static bool is_gone_locked(struct nccl_team *team, int rank)
{
    int local = team->local_index[rank];
    struct nccl_peer *peer;

    if (team->process_of[rank] < 0)
        return nccl_hosts_has_left(team->hosts, rank);
    if (local >= 0)
        return !team->ranks[local];
    peer = team->peers[team->process_of[rank]];
    return atomic_load(&team->segments[team->process_of[rank]]->has_left) ||
           !nccl_peer_is_alive(peer);
}

static void wait_locked(struct nccl_team *team)
{
    enum { LOOK_NS = 100000000 };
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
}

ncclResult_t nccl_exchange_get(struct nccl_rank *rank, uint64_t number, const bool *takes_part,
                               const struct nccl_patience *patience,
                               unsigned char (*records)[NCCL_EXCHANGE_BYTES])
{
    struct nccl_team *team = rank->team;
    ncclResult_t result = ncclSuccess;
    int missing;

    pthread_mutex_lock(&team->lock);
    while (result == ncclSuccess && (missing = missing_locked(team, number, takes_part)) >= 0) {
        result = nccl_patience_check(patience);
        if (result == ncclRemoteError)
            nccl_report(result,
                        "rank %d of a communicator has not come to ncclCommSplit or "
                        "ncclCommShrink within %u s (CUPIPE_NCCL_TIMEOUT)",
                        missing, nccl_patience_seconds());
        else if (is_gone_locked(team, missing))
            result = ncclRemoteError;
        else if (result == ncclSuccess)
            wait_locked(team);
    }
    for (int i = 0; i < team->rank_count && result == ncclSuccess; i++)
        if (takes_part[i])
            memcpy(records[i], slot_of(team, number, i)->record, NCCL_EXCHANGE_BYTES);
    pthread_mutex_unlock(&team->lock);
    return result;
}
