/* SPDX-License-Identifier: MIT */
/* Ranks that end, in every phase of a communicator, and what stays behind. Nobody waits for ever:
 * a test that hangs runs out of time. */
#include "nccl_test.h"

#include <dirent.h>
#include <stdio.h>

enum { DEAD = 1 };

enum phase { IN_SPLIT, IN_OPERATION, IN_GROUP, IN_FINALIZE, PHASES };

/* The rank with number DEAD ends when it comes here. */
static void die_in(const struct rank *self, enum phase now)
{
    if (self->rank == DEAD && *(enum phase *)self->argument == now)
        kill(getpid(), SIGKILL);
}

/* What a call may answer, of a rank whose peer may have died already. */
static bool is_fair(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclRemoteError || result == ncclInProgress;
}

static void live(struct rank *self)
{
    int *data = device_memory(64 * sizeof(int));
    ncclComm_t other = NULL;

    die_in(self, IN_SPLIT);
    check(is_fair(ncclCommSplit(self->comm, 0, self->rank, &other, NULL)));
    die_in(self, IN_OPERATION);
    check(is_fair(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream)));
    check(is_fair(ncclGroupStart()));
    ncclSend(data, 1, ncclInt, (self->rank + 1) % self->count, self->comm, self->stream);
    die_in(self, IN_GROUP);
    ncclRecv(data + 1, 1, ncclInt, (self->rank + self->count - 1) % self->count, self->comm,
             self->stream);
    check(is_fair(ncclGroupEnd()));
    check_success(cuStreamSynchronize(self->stream));
    die_in(self, IN_FINALIZE);
    check(is_fair(ncclCommFinalize(self->comm)));
    if (other)
        check(is_fair(ncclCommAbort(other)));
    check(is_fair(ncclCommAbort(self->comm)));
    self->comm = NULL;
}

TEST(a_rank_dies_in_any_phase)
{
    need_cupipe_in_processes();
    for (enum phase phase = 0; phase < PHASES; phase++)
        run_processes_but(3, DEAD, live, &phase);
}

/* It never comes to the creation; the others give up in time. */
static void *init_alone(void *argument)
{
    struct rank_thread *self = argument;
    ncclResult_t result;
    ncclComm_t comm = NULL;

    enter_device(self->rank);
    result = ncclCommInitRank(&comm, self->count, self->id, self->rank);
    check(result == ncclRemoteError);
    check(!comm);
    return NULL;
}

TEST(a_rank_that_never_comes_is_an_error_in_the_others)
{
    struct rank_thread threads[2];
    ncclUniqueId id;

    setenv("CUPIPE_NCCL_TIMEOUT", "1", 1);
    prepare_devices();
    need_devices(1);
    only_cupipe();
    check_done(ncclGetUniqueId(&id));
    for (int i = 0; i < 2; i++) {
        threads[i] = (struct rank_thread){.rank = i, .count = 3, .id = id};
        check(pthread_create(&threads[i].thread, NULL, init_alone, &threads[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i].thread, NULL);
}

/* A small operation is over on a rank as soon as all have come to it, and its process may end
 * before the others have looked. */
static void leave_at_once(struct rank *self)
{
    int one = 1, got, *data = upload(&one, sizeof(one));

    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    fetch(self, &got, data, sizeof(got));
    check(got == self->count);
    _exit(0);
}

TEST(a_process_ends_behind_its_last_operation)
{
    need_cupipe_in_processes();
    for (int i = 0; i < 5; i++)
        run_processes(3, leave_at_once, NULL);
}

/* exit() runs what libraries have for the end of the process. */
static void exit_with_work(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    ncclResult_t error;

    if (self->rank == 0)
        ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream);
    if (self->rank == 0)
        exit(0);
    do {
        nap();
        check_done(ncclCommGetAsyncError(self->comm, &error));
    } while (error == ncclSuccess);
    check(error == ncclRemoteError);
    check_done(ncclCommAbort(self->comm));
    self->comm = NULL;
}

TEST(a_process_exits_with_an_operation_under_way)
{
    need_cupipe_in_processes();
    run_processes(3, exit_with_work, NULL);
}

static void *abort_later(void *comm)
{
    nap();
    check_done(ncclCommAbort(comm));
    return NULL;
}

/* The other rank does not come, and a second thread gives up. */
static void aborted_by_a_thread(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    pthread_t thread;

    if (self->rank == 0)
        check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, self->comm, self->stream));
    check(pthread_create(&thread, NULL, abort_later, self->comm) == 0);
    check_success(cuStreamSynchronize(self->stream));
    pthread_join(thread, NULL);
    self->comm = NULL;
}

TEST(another_thread_aborts_in_threads)
{
    run_threads(2, aborted_by_a_thread, NULL);
}

TEST(another_thread_aborts_in_processes)
{
    need_cupipe_in_processes();
    run_processes(2, aborted_by_a_thread, NULL);
}

/* Two communicators in the opposite order, each in a stream of its own. */
static void crossed(struct rank *self)
{
    int one = 1, got, *data[2];
    ncclComm_t comms[2] = {self->comm};
    CUstream streams[2] = {self->stream};

    check_done(ncclCommSplit(self->comm, 0, self->rank, &comms[1], NULL));
    check_success(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 2; i++)
        data[i] = upload(&one, sizeof(one));
    for (int i = 0; i < 50; i++)
        for (int k = 0; k < 2; k++) {
            int which = (self->rank + k) % 2;

            check_done(ncclAllReduce(data[which], data[which], 1, ncclInt, ncclMax, comms[which],
                                     streams[which]));
        }
    for (int i = 0; i < 2; i++) {
        check_done(ncclAllReduce(data[i], data[i], 1, ncclInt, ncclSum, comms[i], streams[i]));
        check_success(cuStreamSynchronize(streams[i]));
        fetch(self, &got, data[i], sizeof(got));
        check(got == self->count);
    }
    check_done(ncclCommDestroy(comms[1]));
}

TEST(communicators_in_opposite_order_in_threads)
{
    run_threads(2, crossed, NULL);
}

TEST(communicators_in_opposite_order_in_processes)
{
    need_cupipe_in_processes();
    run_processes(2, crossed, NULL);
}

static int count_entries(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static int count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0;

    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static void make_and_use(struct rank *self)
{
    int *data = device_memory(sizeof(int));
    ncclComm_t other;

    check_done(ncclCommSplit(self->comm, 0, self->rank, &other, NULL));
    check_done(ncclAllReduce(data, data, 1, ncclInt, ncclSum, other, self->stream));
    check_success(cuStreamSynchronize(self->stream));
    check_done(ncclCommFinalize(other));
    check_done(ncclCommDestroy(other));
}

/* Descriptors, mappings and threads of the process. */
static void measure(int *descriptors, int *mappings, int *threads)
{
    *descriptors = count_entries("/proc/self/fd");
    *mappings = count_lines("/proc/self/maps");
    *threads = count_entries("/proc/self/task");
}

static void leave_nothing(struct rank *self)
{
    enum { WARM = 5, ROUNDS = 30, SLACK = 8 };
    int before[3], after[3];

    for (int i = 0; i < WARM; i++)
        make_and_use(self);
    measure(&before[0], &before[1], &before[2]);
    for (int i = 0; i < ROUNDS; i++)
        make_and_use(self);
    measure(&after[0], &after[1], &after[2]);
    for (int i = 0; i < 3; i++)
        check(after[i] <= before[i] + SLACK);
}

TEST(communicators_leave_nothing_behind)
{
    need_cupipe_in_processes();
    run_processes(3, leave_nothing, NULL);
}
