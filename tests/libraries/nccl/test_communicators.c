/* SPDX-License-Identifier: MIT */
/* Communicators: how they are made, split, shrunk and ended. */
#include "nccl_test.h"

static int sum_of(ncclComm_t comm, CUstream stream, int value)
{
    int got, *sum = upload(&value, sizeof(value));

    check_done(ncclAllReduce(sum, sum, 1, ncclInt, ncclSum, comm, stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)sum, sizeof(got)));
    return got;
}

/* Even and odd ranks, in reverse order; the last rank stays out. */
static void split(struct rank *self)
{
    bool is_last = self->rank == self->count - 1;
    ncclComm_t half = NULL;
    int count, rank, members = 0, sum = 0;

    for (int i = self->rank % 2; i < self->count - 1; i += 2) {
        members++;
        sum += i;
    }
    check_done(ncclCommSplit(self->comm, is_last ? NCCL_SPLIT_NOCOLOR : self->rank % 2, -self->rank,
                             &half, NULL));
    check(is_last == !half);
    if (is_last)
        return;
    check_done(ncclCommCount(half, &count));
    check_done(ncclCommUserRank(half, &rank));
    check(count == members);
    check(rank == members - 1 - self->rank / 2);
    check(sum_of(half, self->stream, self->rank) == sum);
    check_done(ncclCommDestroy(half));
}

static void split_twice(struct rank *self)
{
    split(self);
    split(self);
    check(sum_of(self->comm, self->stream, 1) == self->count);
}

TEST(split_in_threads)
{
    run_threads(7, split_twice, NULL);
}

TEST(split_in_processes)
{
    run_processes(5, split_twice, NULL);
}

static void shrink(struct rank *self)
{
    int excluded = 1, count;
    ncclComm_t rest = NULL;

    if (self->rank == excluded)
        return;
    check_done(ncclCommShrink(self->comm, &excluded, 1, &rest, NULL, NCCL_SHRINK_DEFAULT));
    check_done(ncclCommCount(rest, &count));
    check(count == self->count - 1);
    check(sum_of(rest, self->stream, 1) == count);
    check_done(ncclCommDestroy(rest));
}

/* The new ranks are known before the others have come. */
static void shrink_without_waiting(struct rank *self)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state = ncclInProgress, begun;
    int excluded = 1, rank = -1, count = 0;
    ncclComm_t rest = NULL;

    if (self->rank == excluded)
        return;
    config.blocking = 0;
    begun = ncclCommShrink(self->comm, &excluded, 1, &rest, &config, NCCL_SHRINK_DEFAULT);
    check(begun == ncclInProgress || begun == ncclSuccess);
    only_cupipe();
    check_done(ncclCommUserRank(rest, &rank));
    check_done(ncclCommCount(rest, &count));
    check(rank == (self->rank > excluded ? self->rank - 1 : self->rank));
    check(count == self->count - 1);
    while (state == ncclInProgress)
        check_done(ncclCommGetAsyncError(rest, &state));
    check_done(state);
    check(sum_of(rest, self->stream, 1) == count);
    check_done(ncclCommDestroy(rest));
}

TEST(shrink_tells_ranks_at_once)
{
    run_threads(4, shrink_without_waiting, NULL);
}

TEST(shrink_in_threads)
{
    run_threads(4, shrink, NULL);
}

TEST(shrink_in_processes)
{
    run_processes(4, shrink, NULL);
}

/* As NCCL declares them beside what is for kernels. */
typedef struct ncclTeam {
    int nRanks, rank, stride;
} ncclTeam_t;
ncclTeam_t ncclTeamWorld(ncclComm_t comm);
ncclTeam_t ncclTeamLsa(ncclComm_t comm);
ncclTeam_t ncclTeamRail(ncclComm_t comm);
int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank);
int ncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank);

static void ask_for_teams(struct rank *self)
{
    ncclTeam_t world = ncclTeamWorld(self->comm), lsa = ncclTeamLsa(self->comm);
    ncclTeam_t rail = ncclTeamRail(self->comm);

    check(world.nRanks == self->count && world.rank == self->rank && world.stride == 1);
    check(lsa.nRanks * rail.nRanks == self->count && lsa.stride == 1);
    check(rail.stride == lsa.nRanks && rail.rank * lsa.nRanks + lsa.rank == self->rank);
    check(ncclTeamRankToWorld(self->comm, lsa, lsa.rank) == self->rank);
    check(ncclTeamRankToWorld(self->comm, rail, 0) == lsa.rank);
    check(ncclTeamRankToLsa(self->comm, world, self->rank) == lsa.rank);
}

TEST(teams_of_ranks_in_threads)
{
    run_threads(4, ask_for_teams, NULL);
}

static void set_host_of_two(int process)
{
    setenv("NCCL_HOSTID", process < 2 ? "a" : "b", 1);
}

static void two_hosts(struct rank *self)
{
    ask_for_teams(self);
    check(ncclTeamLsa(self->comm).nRanks == 2);
}

TEST(teams_of_ranks_on_two_hosts)
{
    need_hosts(set_host_of_two);
    run_processes(4, two_hosts, NULL);
}

TEST(nothing_has_no_team)
{
    int no_communicator = 0;

    enter_device(0);
    only_cupipe();
    check(ncclTeamWorld(NULL).nRanks == 0);
    check(ncclTeamLsa((ncclComm_t)&no_communicator).nRanks == 0);
}

TEST(ranks_are_made_in_a_group)
{
    enum { RANKS = 4 };
    ncclComm_t comms[RANKS];
    ncclUniqueId id;

    prepare_devices();
    need_devices(RANKS);
    check_done(ncclGetUniqueId(&id));
    check_done(ncclGroupStart());
    for (int i = 0; i < RANKS; i++) {
        enter_device(i);
        check_done(ncclCommInitRank(&comms[i], RANKS, id, i));
    }
    check_done(ncclGroupEnd());
    for (int i = 0; i < RANKS; i++) {
        int rank = -1, device = -1;

        check_done(ncclCommUserRank(comms[i], &rank));
        check_done(ncclCommCuDevice(comms[i], &device));
        check(rank == i && device == i);
    }
    for (int i = 0; i < RANKS; i++)
        check_done(ncclCommDestroy(comms[i]));
}

static void *make_without_blocking(void *argument)
{
    struct rank_thread *self = argument;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t result;
    ncclComm_t comm;
    CUstream stream;

    enter_device(self->rank);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    config.blocking = 0;
    result = ncclCommInitRankConfig(&comm, self->count, self->id, self->rank, &config);
    check(result == ncclSuccess || result == ncclInProgress);
    do {
        nap();
        check_done(ncclCommGetAsyncError(comm, &result));
    } while (result == ncclInProgress);
    check(result == ncclSuccess);
    check(sum_of(comm, stream, 1) == self->count);
    check_done(ncclCommFinalize(comm));
    check_done(ncclCommDestroy(comm));
    return NULL;
}

TEST(communicators_that_do_not_block)
{
    enum { RANKS = 3 };
    struct rank_thread threads[RANKS];
    ncclUniqueId id;

    prepare_devices();
    need_devices(RANKS);
    check_done(ncclGetUniqueId(&id));
    for (int i = 0; i < RANKS; i++) {
        threads[i] = (struct rank_thread){.rank = i, .count = RANKS, .id = id};
        check(pthread_create(&threads[i].thread, NULL, make_without_blocking, &threads[i]) == 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i].thread, NULL);
}

/* The other rank never comes. */
TEST(the_creation_of_a_communicator_can_be_aborted)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state;
    ncclUniqueId id;
    ncclComm_t comm;

    prepare_devices();
    enter_device(0);
    config.blocking = 0;
    check_done(ncclGetUniqueId(&id));
    check_nccl(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
    check_done(ncclCommGetAsyncError(comm, &state));
    check(state == ncclInProgress);
    check_done(ncclCommAbort(comm));
}

TEST(ranks_need_devices_of_their_own)
{
    enum { RANKS = 2 };
    ncclComm_t comms[RANKS] = {NULL};
    ncclUniqueId id;

    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "0", 1);
    enter_device(0);
    check_done(ncclGetUniqueId(&id));
    check_done(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        check_done(ncclCommInitRank(&comms[i], RANKS, id, i));
    check_nccl(ncclGroupEnd(), ncclInvalidUsage);
}

TEST(an_id_must_be_one)
{
    ncclUniqueId id;
    ncclComm_t comm = NULL;

    enter_device(0);
    memset(&id, 0x5a, sizeof(id));
    only_cupipe();
    check_nccl(ncclCommInitRank(&comm, 2, id, 0), ncclInvalidArgument);
}

TEST(stale_handles_are_refused)
{
    ncclComm_t comm;
    int device = 0, count;
    void *registered, *memory;

    enter_device(0);
    only_cupipe();
    check_done(ncclCommInitAll(&comm, 1, &device));
    memory = device_memory(4096);
    check_done(ncclCommRegister(comm, memory, 4096, &registered));
    check_done(ncclCommDeregister(comm, registered));
    check_nccl(ncclCommDeregister(comm, registered), ncclInvalidArgument);
    check_done(ncclCommDestroy(comm));
    check_nccl(ncclCommCount(comm, &count), ncclInvalidArgument);
    check_nccl(ncclCommDestroy(comm), ncclInvalidArgument);
    check_nccl(ncclAllReduce(memory, memory, 1, ncclInt, ncclSum, comm, NULL), ncclInvalidArgument);
    check_nccl(ncclCommCount((ncclComm_t)&count, &count), ncclInvalidArgument);
}
