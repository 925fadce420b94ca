/* SPDX-License-Identifier: MIT */
#include "team.h"

#include "host.h"
#include "hosts.h"
#include "peer.h"
#include "registry.h"
#include "segment.h"
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEAVING_S = 4 };

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t team_ended = PTHREAD_COND_INITIALIZER;
static struct nccl_team *registry, *ending; /* without references; guarded by registry_lock */
static uint64_t team_numbers;               /* guarded by registry_lock */

static bool same_key(struct nccl_key a, struct nccl_key b)
{
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

static bool segment_create(struct nccl_team *team)
{
    struct stat file;

    team->segment_bytes = nccl_segment_bytes(team->rank_count);
    team->segment_fd = memfd_create("nccl communicator", MFD_CLOEXEC);
    if (team->segment_fd < 0 || ftruncate(team->segment_fd, (off_t)team->segment_bytes) != 0 ||
        fstat(team->segment_fd, &file) != 0)
        return false;
    team->segment = mmap(NULL, team->segment_bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_NORESERVE, team->segment_fd, 0);
    if (team->segment == MAP_FAILED) {
        team->segment = NULL;
        return false;
    }
    team->segment_inode = file.st_ino;
    return true;
}

/* Tells the other hosts; ranks of this one read the segment. */
static void team_leave(struct nccl_team *team)
{
    if (team->hosts)
        nccl_hosts_close(team->hosts);
    team->hosts = NULL;
}

static void team_free(struct nccl_team *team)
{
    for (struct nccl_round *round = team->unused, *next; round; round = next) {
        next = round->next;
        free(round);
    }
    nccl_messages_free(team);
    free(team->record);
    for (int i = 0; team->peers && i < team->process_count; i++) {
        if (team->segments && team->segments[i] && team->segments[i] != team->segment)
            munmap(team->segments[i], team->segment_bytes);
        if (team->peers[i])
            nccl_peer_close(team->peers[i]);
    }
    if (team->segment)
        munmap(team->segment, team->segment_bytes);
    if (team->segment_fd >= 0)
        close(team->segment_fd);
    pthread_mutex_destroy(&team->lock);
    pthread_cond_destroy(&team->changed);
    free(team->members);
    free(team->local_index);
    free(team->process_of);
    free(team->ranks);
    free(team->peers);
    free(team->segments);
    free(team->send);
    free(team->recv);
    free(team->scalars);
    free(team);
}

static struct nccl_team *team_create(struct nccl_key key, int rank_count)
{
    struct nccl_team *team = calloc(1, sizeof(*team));
    size_t count = (size_t)rank_count;

    if (!team)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    team->key = key;
    team->references = 1;
    team->rank_count = rank_count;
    team->segment_fd = -1;
    team->members = calloc(count, sizeof(*team->members));
    team->local_index = calloc(count, sizeof(*team->local_index));
    team->process_of = calloc(count, sizeof(*team->process_of));
    team->ranks = calloc(count, sizeof(*team->ranks));
    team->send = calloc(count, sizeof(*team->send));
    team->recv = calloc(count, sizeof(*team->recv));
    team->scalars = calloc(count, sizeof(*team->scalars));
    if (!team->members || !team->local_index || !team->process_of || !team->ranks || !team->send ||
        !team->recv || !team->scalars || !segment_create(team)) {
        team_free(team);
        return NULL;
    }
    return team;
}

struct nccl_team *nccl_team_join(struct nccl_key key, int rank_count)
{
    struct nccl_team *team;

    pthread_mutex_lock(&registry_lock);
    for (team = registry; team && !same_key(team->key, key);)
        team = team->next;
    if (team && team->rank_count == rank_count) {
        atomic_fetch_add(&team->references, 1);
    } else if (team) {
        team = NULL;
    } else {
        team = team_create(key, rank_count);
        if (team) {
            team->number = ++team_numbers;
            team->next = registry;
            registry = team;
        }
    }
    pthread_mutex_unlock(&registry_lock);
    return team;
}

static void remove_team(struct nccl_team **list, const struct nccl_team *team)
{
    while (*list != team)
        list = &(*list)->next;
    *list = team->next;
}

void nccl_team_unref(struct nccl_team *team)
{
    bool is_last;

    pthread_mutex_lock(&registry_lock);
    is_last = atomic_fetch_sub(&team->references, 1) == 1;
    if (is_last) {
        remove_team(&registry, team);
        team->next = ending;
        ending = team;
    }
    pthread_mutex_unlock(&registry_lock);
    if (!is_last)
        return;
    team_leave(team);
    pthread_mutex_lock(&registry_lock);
    remove_team(&ending, team);
    pthread_cond_broadcast(&team_ended);
    pthread_mutex_unlock(&registry_lock);
    team_free(team);
}

static bool lists(const struct nccl_team *list, uint64_t number)
{
    while (list && list->number != number)
        list = list->next;
    return list;
}

static void await_end(uint64_t number)
{
    struct timespec end;
    int status = 0;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LEAVING_S;
    pthread_mutex_lock(&registry_lock);
    while (status == 0 && (lists(registry, number) || lists(ending, number)))
        status = pthread_cond_timedwait(&team_ended, &registry_lock, &end);
    pthread_mutex_unlock(&registry_lock);
}

/* Calls a function for each team of several processes. The registry is not locked meanwhile. */
static void each_team(void (*call)(struct nccl_team *team, void *argument), void *argument)
{
    struct nccl_team *team, *next;

    pthread_mutex_lock(&registry_lock);
    team = registry;
    if (team)
        atomic_fetch_add(&team->references, 1);
    pthread_mutex_unlock(&registry_lock);
    for (; team; team = next) {
        call(team, argument);
        pthread_mutex_lock(&registry_lock);
        next = team->next;
        if (next)
            atomic_fetch_add(&next->references, 1);
        pthread_mutex_unlock(&registry_lock);
        nccl_team_unref(team);
    }
}

struct nccl_team *nccl_teams_find_busy(void)
{
    struct nccl_team *team;

    pthread_mutex_lock(&registry_lock);
    for (team = registry; team; team = team->next)
        if (atomic_load(&team->under_way) && team->may_look)
            break;
    if (team)
        atomic_fetch_add(&team->references, 1);
    pthread_mutex_unlock(&registry_lock);
    return team;
}

static void progress_one(struct nccl_team *team, void *argument)
{
    (void)argument;
    nccl_team_progress(team);
}

void nccl_teams_progress(void)
{
    each_team(progress_one, NULL);
}

static void fail_if_peer(struct nccl_team *team, void *argument)
{
    char reason[80];
    int lost = -1; /* the lowest rank of the process */

    nccl_team_progress(team); /* what the process has done before it ended */
    pthread_mutex_lock(&team->lock);
    for (int rank = team->rank_count - 1; team->is_attached && rank >= 0; rank--) {
        int process = team->process_of[rank];

        if (process >= 0 && team->peers[process] == argument &&
            !atomic_load(&team->segments[process]->has_left))
            lost = rank;
    }
    pthread_mutex_unlock(&team->lock);
    if (lost < 0)
        return;
    snprintf(reason, sizeof(reason), "process %d of rank %d has ended", team->members[lost].pid,
             lost);
    nccl_team_fail(team, ncclRemoteError, reason);
}

void nccl_teams_peer_ended(struct nccl_peer *peer)
{
    each_team(fail_if_peer, peer);
}

void nccl_team_choose_network(struct nccl_team *team, enum nccl_network_kind kind)
{
    if (kind == NCCL_NETWORK_UCX)
        return;
    pthread_mutex_lock(&team->lock);
    team->network = kind;
    pthread_mutex_unlock(&team->lock);
}

void nccl_team_describe(struct nccl_team *team, int device, struct nccl_member *member)
{
    *member = (struct nccl_member){
        .host = nccl_host_identity(),
        .process = nccl_process_identity(getpid()),
        .segment_inode = team->segment_inode,
        .segment_fd = team->segment_fd,
        .bell_fd = nccl_bell_descriptor(),
        .pid = getpid(),
        .device = device,
    };
}

/* Numbers the processes of this host in the order of their lowest ranks; true if there are no other
 * hosts. */
static bool number_processes_locked(struct nccl_team *team)
{
    uint64_t host = nccl_host_identity(), process = nccl_process_identity(getpid());

    bool is_one_host = true;

    team->process = -1;
    for (int rank = 0; rank < team->rank_count; rank++) {
        int first = 0;

        team->local_index[rank] = team->process_of[rank] = -1;
        if (team->members[rank].host != host) {
            is_one_host = false;
            continue;
        }
        while (team->members[first].process != team->members[rank].process ||
               team->members[first].host != host)
            first++;
        team->process_of[rank] = first < rank ? team->process_of[first] : team->process_count++;
        if (team->members[rank].process != process)
            continue;
        team->local_index[rank] = team->local_count++;
        team->process = team->process_of[rank];
    }
    return is_one_host;
}

static ncclResult_t open_peer_locked(struct nccl_team *team, int rank)
{
    const struct nccl_member *member = &team->members[rank];
    int process = team->process_of[rank];
    struct nccl_place place = {.fd = member->segment_fd, .inode = member->segment_inode};
    ncclResult_t result;

    if (process < 0 || process == team->process || team->segments[process])
        return ncclSuccess;
    result = nccl_peer_open(member, &team->peers[process]);
    if (result != ncclSuccess)
        return result;
    team->segments[process] =
        nccl_peer_open_file(team->peers[process], &place, team->segment_bytes);
    /* Another team may have been told of its end before this one had it. */
    if (!nccl_peer_is_alive(team->peers[process]))
        return ncclRemoteError;
    return team->segments[process] ? ncclSuccess : ncclSystemError;
}

static ncclResult_t open_hosts_locked(struct nccl_team *team)
{
    struct nccl_hosts *hosts = NULL;
    ncclResult_t result;

    if (team->hosts)
        return ncclSuccess;
    if (!team->record)
        team->record = calloc(1, sizeof(*team->record));
    result = team->record ? nccl_hosts_open(team->network, &hosts, team->record) : ncclSystemError;
    team->hosts = hosts;
    return result;
}

ncclResult_t nccl_team_open_hosts(struct nccl_team *team)
{
    ncclResult_t result;

    pthread_mutex_lock(&team->lock);
    result = open_hosts_locked(team);
    pthread_mutex_unlock(&team->lock);
    return result;
}

static ncclResult_t attach_locked(struct nccl_team *team, const struct nccl_member *members)
{
    ncclResult_t result = ncclSuccess;

    memcpy(team->members, members, (size_t)team->rank_count * sizeof(*members));
    if (!number_processes_locked(team))
        result = open_hosts_locked(team);
    if (result != ncclSuccess)
        return result;
    team->peers = calloc((size_t)team->process_count, sizeof(struct nccl_peer *));
    team->segments = calloc((size_t)team->process_count, sizeof(struct nccl_segment *));
    team->outboxes = calloc((size_t)team->process_count, sizeof(struct nccl_outbox *));
    if (!team->peers || !team->segments || !team->outboxes || team->process < 0)
        return ncclSystemError;
    team->segments[team->process] = team->segment;
    team->may_look = nccl_waiting_has_processors(team);
    for (int rank = 0; rank < team->rank_count && result == ncclSuccess; rank++)
        result = open_peer_locked(team, rank);
    return result;
}

ncclResult_t nccl_team_attach(struct nccl_team *team, const struct nccl_member *members)
{
    ncclResult_t result;

    pthread_mutex_lock(&team->lock);
    if (!team->is_attached && team->error == ncclSuccess) {
        team->error = attach_locked(team, members);
        team->is_attached = team->error == ncclSuccess;
    }
    result = team->error;
    pthread_mutex_unlock(&team->lock);
    return result;
}

static void fail_if_hosts(struct nccl_team *team, void *argument)
{
    if (team->hosts == argument)
        nccl_team_fail(team, ncclRemoteError, "a rank on another host has failed or is gone");
}

static void hosts_failed(struct nccl_hosts *hosts)
{
    each_team(fail_if_hosts, hosts);
}

struct arrival {
    struct nccl_hosts *hosts;
    int rank;
    const struct nccl_hosts_given *given;
};

/* Records of ranks of other hosts go to the places that this process's memory has for them. */
static void take_record(struct nccl_team *team, void *argument)
{
    const struct arrival *arrival = argument;
    struct nccl_exchange_slot *slot;

    if (team->hosts != arrival->hosts)
        return;
    pthread_mutex_lock(&team->lock);
    slot = nccl_segment_exchange(team->segment, team->rank_count, arrival->given->number,
                                 arrival->rank);
    memcpy(slot->record, arrival->given->record, sizeof(arrival->given->record));
    atomic_store(&slot->number, arrival->given->number);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

static void record_arrived(struct nccl_hosts *hosts, int rank, const struct nccl_hosts_given *given)
{
    each_team(take_record, &(struct arrival){hosts, rank, given});
}

ncclResult_t nccl_team_connect(struct nccl_team *team, const struct nccl_hosts_record *records)
{
    static const struct nccl_hosts_events events = {hosts_failed, record_arrived};
    ncclResult_t result;
    int own_rank = 0;

    pthread_mutex_lock(&team->lock);
    while (team->local_index[own_rank] < 0)
        own_rank++;
    if (!team->is_connected && team->error == ncclSuccess)
        team->error = nccl_hosts_connect(team->hosts, team->rank_count, own_rank, team->members,
                                         records, &events);
    team->is_connected = true;
    result = team->error;
    pthread_mutex_unlock(&team->lock);
    return result;
}

void nccl_team_ring(struct nccl_team *team, int process)
{
    if (team->peers[process] && !atomic_load(&team->segments[process]->lookers))
        nccl_peer_ring(team->peers[process]);
}

struct nccl_rank *nccl_rank_create(struct nccl_team *team, int rank, int device)
{
    struct nccl_rank *made = calloc(1, sizeof(*made));

    if (!made)
        return NULL;
    made->references = 1;
    made->team = team;
    made->rank = rank;
    made->local_index = team->local_index[rank];
    made->device = device;
    made->next_ticket = 1;
    pthread_mutex_lock(&team->lock);
    team->ranks[made->local_index] = made;
    pthread_mutex_unlock(&team->lock);
    return made;
}

void nccl_rank_ref(struct nccl_rank *rank)
{
    atomic_fetch_add(&rank->references, 1);
}

void nccl_rank_unref(struct nccl_rank *rank)
{
    struct nccl_team *team = rank->team;

    if (atomic_fetch_sub(&rank->references, 1) != 1)
        return;
    pthread_mutex_lock(&team->lock);
    team->ranks[rank->local_index] = NULL;
    team->gone_count++;
    nccl_rounds_end_locked(team, rank->posted);
    nccl_rounds_go_on_locked(team);
    pthread_mutex_unlock(&team->lock);
    nccl_messages_free_lanes(rank);
    free(rank);
    nccl_team_unref(team);
}

static bool is_idle_locked(const struct nccl_team *team)
{
    for (int i = 0; i < team->local_count; i++)
        if (team->ranks[i] && (team->ranks[i]->unfinished || team->ranks[i]->templates))
            return false;
    return true;
}

void nccl_rank_return(struct nccl_rank *rank)
{
    struct nccl_team *team = rank->team;
    uint64_t number = team->number;
    bool waits;

    pthread_mutex_lock(&team->lock);
    waits = ++team->returned_count == team->local_count && is_idle_locked(team) &&
            (team->process_count > 1 || team->hosts);
    pthread_mutex_unlock(&team->lock);
    nccl_rank_unref(rank);
    if (waits)
        await_end(number);
}

void nccl_team_fail_locked(struct nccl_team *team, ncclResult_t error, const char *reason,
                           struct nccl_operation **ended)
{
    if (team->error != ncclSuccess)
        return;
    team->error = error;
    if (reason)
        fprintf(stderr, "cupipe: NCCL: a communicator of %d ranks has failed: %s\n",
                team->rank_count, reason);
    for (int i = 0; i < team->local_count; i++) {
        struct nccl_rank *rank = team->ranks[i];

        for (struct nccl_operation *next; rank && rank->held; rank->held = next) {
            next = rank->held->next;
            nccl_operation_end_locked(rank->held, ended);
        }
    }
    nccl_rounds_drop_locked(team, ended);
    nccl_messages_drop_locked(team, ended);
    pthread_cond_broadcast(&team->changed);
    if (team->hosts)
        nccl_hosts_fail(team->hosts);
    if (!team->segment)
        return;
    atomic_store(&team->segment->error, (uint32_t)error);
    for (int i = 0; team->peers && i < team->process_count; i++)
        if (team->peers[i])
            nccl_peer_ring(team->peers[i]);
}

void nccl_team_fail(struct nccl_team *team, ncclResult_t error, const char *reason)
{
    struct nccl_operation *ended = NULL;

    pthread_mutex_lock(&team->lock);
    nccl_team_fail_locked(team, error, reason, &ended);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
}

void nccl_rank_fail(struct nccl_rank *rank, ncclResult_t error, const char *reason)
{
    atomic_store(&rank->knows_failure, true);
    nccl_team_fail(rank->team, error, reason);
}

void nccl_team_progress(struct nccl_team *team)
{
    struct nccl_operation *ended = NULL;

    pthread_mutex_lock(&team->lock);
    if (team->is_attached && team->process_count > 1) {
        pthread_cond_broadcast(&team->changed);
        nccl_messages_progress_locked(team);
        nccl_rounds_go_on_locked(team);
        /* After what the others have done before they failed. */
        for (int i = 0; i < team->process_count; i++)
            if (atomic_load(&team->segments[i]->error) != ncclSuccess)
                nccl_team_fail_locked(team, ncclRemoteError, "another rank has failed", &ended);
    }
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
}
