/* SPDX-License-Identifier: MIT */
/* Communicators out of others. The ranks that take part exchange three records: what they want, the
 * shared memory of their processes for the new communicator, and whether they are ready. */
#include "config.h"
#include "driver.h"
#include "exchange.h"
#include "group.h"
#include "hosts.h"
#include "init.h"

#include <stdlib.h>
#include <string.h>

/* Records of the exchanges, in turn. */
struct wish {
    int32_t color, key;
};

struct share {
    uint64_t segment_inode;
    int32_t segment_fd;
    uint32_t prefix; /* of messages from other hosts (hosts.h) */
};

struct split_init {
    struct nccl_init base;
    struct nccl_rank *parent; /* a reference */
    struct wish wish;
    uint64_t exchange; /* the one under way */
    bool *takes_part;  /* by rank of the parent, as the next */
    unsigned char (*records)[NCCL_EXCHANGE_BYTES];
    int *members;           /* ranks of the parent, by new rank */
    struct nccl_team *team; /* NULL: the rank has its reference */
};

static ncclResult_t get(struct split_init *init)
{
    ncclResult_t result = nccl_exchange_get(init->parent, init->exchange, init->takes_part,
                                            &init->base.comm->patience, init->records);

    if (result == ncclRemoteError)
        return nccl_error(result, "a rank of the parent is gone");
    return result;
}

static void give(struct split_init *init, const void *record, size_t bytes)
{
    init->exchange = nccl_exchange_give(init->parent, record, bytes);
}

static struct wish wish_of(const struct split_init *init, int rank)
{
    struct wish wish;

    memcpy(&wish, init->records[rank], sizeof(wish));
    return wish;
}

/* Ranks of one color, ordered by key and then by rank. */
static void choose_members(struct split_init *init)
{
    struct ncclComm *comm = init->base.comm;
    int count = 0;

    for (int rank = 0; rank < init->parent->team->rank_count; rank++) {
        struct wish wish = wish_of(init, rank);
        int place = count;

        if (!init->takes_part[rank] || wish.color != init->wish.color)
            continue;
        for (; place > 0 && wish_of(init, init->members[place - 1]).key > wish.key; place--)
            init->members[place] = init->members[place - 1];
        init->members[place] = rank;
        count++;
    }
    if (comm->rank_number >= 0)
        return; /* the program may be reading both numbers */
    comm->rank_count = count;
    for (int i = 0; i < count; i++)
        if (init->members[i] == init->parent->rank)
            comm->rank_number = i;
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* All members compute the same key. */
static struct nccl_key child_key(const struct split_init *init)
{
    struct nccl_key key = init->parent->team->key;
    uint64_t what = init->exchange << 32 | (uint32_t)init->wish.color;

    key.words[0] = mix(key.words[0] + mix(what));
    key.words[1] = mix(key.words[1] + key.words[0]);
    return key;
}

static bool has_other_hosts(const struct split_init *init)
{
    const struct nccl_team *parent = init->parent->team;

    for (int i = 0; i < init->base.comm->rank_count; i++)
        if (parent->process_of[init->members[i]] < 0)
            return true;
    return false;
}

/* A process has the same address for the new communicator, and another prefix. */
static ncclResult_t connect_hosts(struct split_init *init)
{
    size_t count = (size_t)init->base.comm->rank_count;
    struct nccl_hosts_record *records = calloc(count, sizeof(*records));
    ncclResult_t result = ncclSystemError;

    for (size_t i = 0; i < count && records; i++) {
        struct share share;

        memcpy(&share, init->records[init->members[i]], sizeof(share));
        records[i] = *nccl_hosts_record_of(init->parent->team->hosts, init->members[i]);
        records[i].prefix = share.prefix;
    }
    if (records)
        result = nccl_team_connect(init->team, records);
    free(records);
    return result;
}

static ncclResult_t share_memory(struct split_init *init)
{
    ncclResult_t result = get(init);
    struct share share = {0};

    if (result == ncclSuccess && !init->base.has_no_comm) {
        choose_members(init);
        init->team = nccl_team_join(child_key(init), init->base.comm->rank_count);
        if (!init->team)
            return nccl_error(ncclSystemError, "no memory for a communicator");
        nccl_team_choose_network(init->team, init->parent->team->network);
        share.segment_fd = init->team->segment_fd;
        share.segment_inode = init->team->segment_inode;
        if (has_other_hosts(init)) {
            result = nccl_team_open_hosts(init->team);
            share.prefix = result == ncclSuccess ? init->team->record->prefix : 0;
        }
    }
    if (result == ncclSuccess)
        give(init, &share, sizeof(share));
    return result;
}

static ncclResult_t attach(struct split_init *init)
{
    struct ncclComm *comm = init->base.comm;
    struct nccl_member *members = calloc((size_t)comm->rank_count, sizeof(*members));
    ncclResult_t result = ncclSystemError;

    if (!members)
        return nccl_error(ncclSystemError, "no memory for a communicator");
    for (int i = 0; i < comm->rank_count; i++) {
        struct share share;

        memcpy(&share, init->records[init->members[i]], sizeof(share));
        members[i] = init->parent->team->members[init->members[i]];
        members[i].segment_fd = share.segment_fd;
        members[i].segment_inode = share.segment_inode;
    }
    result = nccl_team_attach(init->team, members);
    free(members);
    if (result == ncclSuccess && init->team->hosts)
        result = connect_hosts(init);
    if (result != ncclSuccess)
        return result;
    comm->rank = nccl_rank_create(init->team, comm->rank_number, comm->device);
    if (!comm->rank)
        return ncclSystemError;
    init->team = NULL;
    return ncclSuccess;
}

static ncclResult_t attach_and_tell(struct split_init *init)
{
    ncclResult_t result = get(init);
    char is_ready;

    if (result == ncclSuccess && !init->base.has_no_comm)
        result = attach(init);
    is_ready = result == ncclSuccess;
    give(init, &is_ready, 1);
    return result;
}

static ncclResult_t await_ready(struct split_init *init)
{
    ncclResult_t result = get(init);

    for (int i = 0; i < init->base.comm->rank_count && result == ncclSuccess; i++)
        if (!init->base.has_no_comm && !init->records[init->members[i]][0])
            result = nccl_error(ncclRemoteError, "rank %d of the parent cannot take part",
                                init->members[i]);
    if (result == ncclSuccess && !init->base.has_no_comm)
        nccl_comm_show(init->base.comm);
    return result;
}

static ncclResult_t split_step(struct nccl_init *base, int step, bool *is_over)
{
    struct split_init *init = (struct split_init *)base;

    switch (step) {
    case 0:
        give(init, &init->wish, sizeof(init->wish));
        return ncclSuccess;
    case 1:
        return share_memory(init);
    case 2:
        return attach_and_tell(init);
    default:
        *is_over = true;
        return await_ready(init);
    }
}

static void split_finish(struct nccl_init *base)
{
    struct split_init *init = (struct split_init *)base;

    if (init->team)
        nccl_team_unref(init->team);
    if (init->parent)
        nccl_rank_unref(init->parent);
    free(init->takes_part);
    free(init->records);
    free(init->members);
}

/* What a rank can be told at once if all that take part have the same color: its new number, and
 * how many there are. */
static void number_ranks(struct ncclComm *comm, int old_rank, const bool *takes_part, int count)
{
    comm->rank_count = 0;
    for (int rank = 0; rank < count; rank++) {
        if (rank == old_rank)
            comm->rank_number = comm->rank_count;
        comm->rank_count += takes_part[rank];
    }
}

/* Starts the creation of the communicator of the ranks that take part and have the same color. */
static ncclResult_t derive(struct ncclComm *parent, const bool *takes_part, struct wish wish,
                           bool has_one_color, ncclComm_t *out, const ncclConfig_t *config)
{
    static const struct nccl_init_type type = {split_step, split_finish};
    struct split_init *init = calloc(1, sizeof(*init));
    size_t count = (size_t)parent->rank_count;
    ncclResult_t result = ncclSystemError;

    if (!init)
        return ncclSystemError;
    init->takes_part = calloc(count, sizeof(bool));
    init->records = calloc(count, sizeof(*init->records));
    init->members = calloc(count, sizeof(int));
    if (init->takes_part && init->records && init->members)
        result = nccl_comm_create(0, -1, config, &init->base.comm);
    if (result != ncclSuccess) {
        split_finish(&init->base);
        free(init);
        return result;
    }
    memcpy(init->takes_part, takes_part, count * sizeof(bool));
    if (has_one_color)
        number_ranks(init->base.comm, parent->rank_number, takes_part, parent->rank_count);
    init->base.comm->device = parent->device;
    init->base.comm->context = parent->context;
    init->base.comm->is_blocking = nccl_config_blocks(config, parent->is_blocking);
    init->base.type = &type;
    init->base.out = out;
    init->base.has_no_comm = wish.color == NCCL_SPLIT_NOCOLOR;
    init->wish = wish;
    init->parent = parent->rank;
    nccl_rank_ref(parent->rank);
    return nccl_init_run(&init->base);
}

static ncclResult_t split(ncclComm_t comm, int color, int key, ncclComm_t *out,
                          const ncclConfig_t *config)
{
    ncclResult_t result = nccl_comm_check(comm);
    bool *all;

    if (result == ncclSuccess)
        result = comm->rank->team->error; /* the others may not come */
    if (result != ncclSuccess)
        return result;
    if (!out)
        return nccl_error(ncclInvalidArgument, "ncclCommSplit: newcomm is NULL");
    all = malloc((size_t)comm->rank_count * sizeof(bool));
    if (!all)
        return ncclSystemError;
    memset(all, true, (size_t)comm->rank_count * sizeof(bool));
    result = derive(comm, all, (struct wish){color, key}, false, out, config);
    free(all);
    return result;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
                           ncclConfig_t *config)
{
    return nccl_group_note(split(comm, color, key, newcomm, config));
}

static ncclResult_t exclude(const struct ncclComm *comm, const int *ranks, int count, bool *remain)
{
    memset(remain, true, (size_t)comm->rank_count * sizeof(bool));
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= comm->rank_count || ranks[i] == comm->rank_number)
            return nccl_error(ncclInvalidArgument, "ncclCommShrink: rank %d cannot be excluded",
                              ranks[i]);
        remain[ranks[i]] = false;
    }
    return ncclSuccess;
}

/* Ends what is under way. Connections with other hosts end with it, and are made anew. */
static ncclResult_t give_up_parent(struct nccl_rank *rank, const bool *remain)
{
    struct nccl_team *team = rank->team;

    nccl_rank_fail(rank, ncclRemoteError, NULL);
    return team->hosts ? nccl_hosts_reconnect(team->hosts, remain) : ncclSuccess;
}

/* The parent may have failed; that is what this function is for. */
static ncclResult_t shrink(ncclComm_t comm, const int *ranks, int count, ncclComm_t *out,
                           const ncclConfig_t *config, int flags)
{
    ncclResult_t result;
    bool *remain;

    if (!lib_object_is(comm, &nccl_comm_type) || !comm->rank)
        return nccl_error(ncclInvalidArgument, "ncclCommShrink: comm is not a communicator");
    if (!out || count < 1 || !ranks || (flags & ~NCCL_SHRINK_ABORT))
        return nccl_error(ncclInvalidArgument, "ncclCommShrink: newcomm, the list or the flags");
    remain = malloc((size_t)comm->rank_count * sizeof(bool));
    result = remain ? exclude(comm, ranks, count, remain) : ncclSystemError;
    if (result == ncclSuccess && !(flags & NCCL_SHRINK_ABORT))
        result = comm->rank->team->error;
    if (result == ncclSuccess && (flags & NCCL_SHRINK_ABORT))
        result = give_up_parent(comm->rank, remain);
    if (result == ncclSuccess)
        result = derive(comm, remain, (struct wish){0, comm->rank_number}, true, out, config);
    free(remain);
    return result;
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int *ranks, int count, ncclComm_t *newcomm,
                            ncclConfig_t *config, int flags)
{
    return nccl_group_note(shrink(comm, ranks, count, newcomm, config, flags));
}
