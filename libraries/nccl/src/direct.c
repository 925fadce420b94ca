/* SPDX-License-Identifier: MIT */
/* The thread that calls writes what its rank sends into shared memory, publishes the round, looks
 * until all others have published it, and computes the results of its rank, as eager.h has it. Only
 * this rank can post rounds in this process, and the lock says that it has none under way; while
 * `is_executing` is set, no other thread touches the round. */
#include "direct.h"

#include "driver.h"
#include "eager.h"
#include "round.h"
#include "segment.h"
#include "team.h"
#include "waiting.h"
#include "work.h"

#include <stdlib.h>

struct direct {
    struct nccl_operation operation;
    struct nccl_job *job; /* the operation goes on as one; NULL: it does not */
    uint64_t round;
    bool has_begun;
    /* Until they are false, memory that is not there is a matter of settle(). */
    bool holds_lock, is_executing;
};

/* Rules of CUPIPE_FAIL count operations where they begin (job.c). */
static bool has_rules(void)
{
    static _Atomic(int) known; /* 1: no; 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (!answer) {
        answer = secure_getenv("CUPIPE_FAIL") ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

/* A trace and the checks see one job for each operation. */
static bool is_observed(void)
{
    const struct cupipe_driver_table *cupipe = lib_driver()->cupipe;

    return has_rules() || cupipe->wants_ranges() || cupipe->is_traced();
}

static bool applies(const struct nccl_rank *rank, const struct nccl_request *request,
                    cudaStream_t stream)
{
    const struct nccl_team *team = rank->team;

    /* A default stream is that of the current context. */
    return team->may_look && team->local_count == 1 &&
           (uintptr_t)stream > (uintptr_t)cudaStreamPerThread &&
           nccl_eager_applies(team, request) && !is_observed();
}

static bool can_begin_locked(struct nccl_rank *rank)
{
    struct nccl_team *team = rank->team;

    return team->error == ncclSuccess && rank->unfinished == 0 && !team->is_executing &&
           !team->first && team->published == team->executed && nccl_round_has_room_locked(team);
}

/* A thread that looks for a round is not rung for it. */
static void begin_locked(struct direct *direct)
{
    struct nccl_operation *operation = &direct->operation;
    struct nccl_rank *rank = operation->rank;
    struct nccl_team *team = rank->team;

    direct->round = team->published;
    *nccl_segment_request(team->segment, team->rank_count, direct->round, rank->rank) =
        operation->request;
    nccl_eager_write(team, direct->round, operation); /* may read memory that is not there */
    direct->has_begun = direct->is_executing = true;
    team->published++;
    rank->unfinished++;
    rank->posted++;
    operation->ticket = ++rank->tickets;
    rank->next_ticket = rank->tickets + 1;
    team->is_executing = true;
    atomic_store_explicit(&team->segment->looked_for, direct->round + 1, memory_order_release);
    atomic_store(&team->segment->published, direct->round + 1);
}

struct look {
    struct nccl_team *team;
    uint64_t round;
    int process; /* all before it have published */
};

static int have_published(const void *what)
{
    struct look *look = (struct look *)what;
    struct nccl_team *team = look->team;

    for (; look->process < team->process_count; look->process++)
        if (look->process != team->process &&
            atomic_load(&team->segments[look->process]->published) <= look->round)
            return team->error != ncclSuccess;
    return true;
}

/* Computes what this rank gets, once all have published. */
static void compute(struct direct *direct)
{
    struct nccl_team *team = direct->operation.rank->team;
    struct nccl_operation *parts[] = {&direct->operation}, *ended = NULL;
    const struct nccl_round round = {.number = direct->round, .is_eager = true, .parts = parts};
    ncclResult_t result = ncclSuccess;
    const char *problem = NULL;

    if (team->error == ncclSuccess)
        result = nccl_round_execute(team, &round, &problem);
    direct->is_executing = false;
    pthread_mutex_lock(&team->lock);
    direct->operation.rank->unfinished--;
    team->completed++;
    nccl_round_executed_locked(team, true, result, problem, &ended);
    if (team->error != ncclSuccess)
        atomic_store(&direct->operation.rank->knows_failure, true);
    pthread_cond_broadcast(&team->changed);
    if (team->first)
        nccl_rounds_go_on_locked(team);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
}

/* The others take longer. The operation becomes that of a job, in a round, as if it had been posted
 * and published there. */
static void go_on_as_job(struct direct *direct)
{
    struct nccl_rank *rank = direct->operation.rank;
    struct nccl_team *team = rank->team;
    struct nccl_operation *ended = NULL;

    direct->job = nccl_job_create(1);
    direct->is_executing = false;
    pthread_mutex_lock(&team->lock);
    team->is_executing = false;
    atomic_store(&team->segment->looked_for, 0);
    if (direct->job) {
        nccl_rank_ref(rank);
        nccl_job_begin_as(direct->job, &direct->operation);
        atomic_fetch_add(&team->under_way, 1);
        if (!nccl_round_insert_locked(team, direct->round, direct->job->operations))
            nccl_operation_end_locked(direct->job->operations, &ended);
    } else {
        rank->unfinished--;
    }
    if (!direct->job || ended)
        nccl_team_fail_locked(team, ncclSystemError,
                              "there is no memory for an operation that has begun", &ended);
    nccl_rounds_go_on_locked(team);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
}

static bool begin(struct direct *direct)
{
    struct nccl_team *team = direct->operation.rank->team;
    bool begins;

    pthread_mutex_lock(&team->lock);
    direct->holds_lock = true;
    begins = can_begin_locked(direct->operation.rank);
    if (begins)
        begin_locked(direct);
    direct->holds_lock = false;
    pthread_mutex_unlock(&team->lock);
    return begins;
}

static void act(void *data)
{
    struct direct *direct = data;
    struct nccl_team *team = direct->operation.rank->team;
    struct look look = {.team = team};
    bool is_last;

    if (!begin(direct))
        return;
    look.round = direct->round;
    is_last = have_published(&look);
    if (is_last || nccl_waiting_look_for(team, have_published, &look))
        compute(direct);
    else
        go_on_as_job(direct);
    if (is_last)
        nccl_round_ring_for(team, direct->round);
}

/* Called behind act(), also where that was abandoned because memory is not there. */
static void settle(void *data)
{
    struct direct *direct = data;
    struct nccl_team *team = direct->operation.rank->team;
    struct nccl_operation *ended = NULL;

    if (direct->holds_lock)
        pthread_mutex_unlock(&team->lock);
    if (!direct->is_executing)
        return;
    pthread_mutex_lock(&team->lock);
    team->is_executing = false;
    direct->operation.rank->unfinished--;
    atomic_store(&direct->operation.rank->knows_failure, true);
    nccl_team_fail_locked(team, ncclUnhandledCudaError,
                          "an operation of a rank touched memory that is not there", &ended);
    nccl_rounds_go_on_locked(team);
    pthread_mutex_unlock(&team->lock);
    nccl_operations_end(ended);
}

static CUresult run(void *data)
{
    const struct direct *direct = data;

    lib_finally(act, settle, data);
    return direct->operation.status;
}

bool nccl_direct_try(struct nccl_rank *rank, const struct nccl_request *request,
                     cudaStream_t stream, ncclResult_t *result)
{
    struct direct direct = {.operation = {.request = *request, .rank = rank}};
    struct cupipe_range ranges[2];
    struct cupipe_work work = {.name = nccl_kind_name(request->kind),
                               .run = run,
                               .data = &direct,
                               .ranges = ranges,
                               .range_count = 2,
                               .checks_access = 1};
    CUresult status;

    if (!applies(rank, request, stream))
        return false;
    nccl_operation_measure(&direct.operation);
    ranges[0] = lib_read((const void *)request->send, direct.operation.send_bytes);
    ranges[1] = lib_written((const void *)request->recv, direct.operation.recv_bytes);
    status = lib_driver()->cupipe->run_work((CUstream)stream, &work);
    if (!direct.has_begun) {
        if (status == CUDA_ERROR_ILLEGAL_ADDRESS)
            nccl_rank_fail(rank, ncclUnhandledCudaError,
                           "a CUDA error kept an operation of a rank from running");
        return false;
    }
    *result = direct.job ? nccl_job_submit_begun(direct.job, stream) : ncclSuccess;
    return true;
}
