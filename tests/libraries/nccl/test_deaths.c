/* SPDX-License-Identifier: MIT */
/* Ranks that end while communicators are made: the others are told at once, also those that come
 * later. NCCL waits for ever. */
#include "nccl_test.h"

#include <time.h>

/* Longer than it takes, shorter than the time that ranks have to come. */
enum { AT_ONCE_SECONDS = 20 };

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void nap_long(int count)
{
    for (int i = 0; i < count; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void fails_at_once(int count, ncclUniqueId id, int rank)
{
    double begin = seconds();
    ncclComm_t comm;

    check_nccl(ncclCommInitRank(&comm, count, id, rank), ncclRemoteError);
    check(comm == NULL);
    check(seconds() - begin < AT_ONCE_SECONDS);
}

/* Begins to make a communicator, and ends before the others have come. */
static void dies(int count, ncclUniqueId id, int rank)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm;

    config.blocking = 0;
    check_nccl(ncclCommInitRankConfig(&comm, count, id, rank, &config), ncclInProgress);
    nap_long(5);
    kill(getpid(), SIGKILL);
}

typedef void part(int count, ncclUniqueId id, int rank);

/* The process of the id can be asked as long as it runs. */
static void fails_and_stays(int count, ncclUniqueId id, int rank)
{
    fails_at_once(count, id, rank);
    nap_long(40);
}

static void fails_late(int count, ncclUniqueId id, int rank)
{
    nap_long(20);
    fails_at_once(count, id, rank);
}

/* With the process of the id all is gone that a rank could ask. */
static void finds_nobody(int count, ncclUniqueId id, int rank)
{
    ncclComm_t comm;

    nap_long(20);
    check_nccl(ncclCommInitRank(&comm, count, id, rank), ncclSystemError);
}

/* Each rank is a process and plays its part. The id is that of rank 0. */
static void play(int count, part *const *parts)
{
    int channel[2], status;
    pid_t children[8];
    ncclUniqueId id;

    prepare_devices();
    need_cupipe_in_processes();
    check(pipe(channel) == 0);
    for (int i = 0; i < count; i++) {
        children[i] = fork();
        check(children[i] >= 0);
        if (children[i] > 0)
            continue;
        enter_device(i);
        share_id(&id, i == 0, count, channel);
        parts[i](count, id, i);
        exit(0);
    }
    for (int i = 0; i < count; i++) {
        check(waitpid(children[i], &status, 0) == children[i]);
        if (parts[i] == dies)
            check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        else
            check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

TEST(the_rank_that_dies_is_told_to_those_that_wait)
{
    play(4, (part *[]){fails_and_stays, dies, fails_at_once, fails_late});
}

TEST(the_rank_with_the_id_dies)
{
    play(4, (part *[]){dies, fails_at_once, fails_at_once, finds_nobody});
}

/* A new communicator of ranks that know each other already. */
static void dies_in_split(struct rank *self)
{
    int one = 1, got, *data = upload(&one, sizeof(one));
    double begin = seconds();
    ncclComm_t child;

    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, data, sizeof(got));
    if (self->rank == 1)
        kill(getpid(), SIGKILL);
    check_nccl(ncclCommSplit(self->comm, 0, self->rank, &child, NULL), ncclRemoteError);
    check(seconds() - begin < AT_ONCE_SECONDS);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_rank_dies_while_others_split)
{
    need_cupipe_in_processes();
    run_processes_but(3, 1, dies_in_split, NULL);
}

/* A second communicator of the same processes, of which one ends as soon as it has it. */
static void dies_in_second(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    double begin = seconds();
    ncclComm_t child;

    check_done(ncclCommSplit(self->comm, 0, self->rank, &child, NULL));
    if (self->rank == 1)
        kill(getpid(), SIGKILL);
    ncclAllReduce(data, data, 1, ncclInt, ncclSum, child, self->stream);
    check_success(cuStreamSynchronize(self->stream));
    check(seconds() - begin < AT_ONCE_SECONDS);
    check_done(ncclCommAbort(child));
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_rank_dies_when_it_has_a_second_communicator)
{
    need_cupipe_in_processes();
    run_processes_but(3, 1, dies_in_second, NULL);
}
