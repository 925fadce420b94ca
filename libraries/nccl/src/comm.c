/* SPDX-License-Identifier: MIT */
/* Handles of communicators: what can be asked of them, and their end. */
#include "comm.h"

#include "config.h"
#include "debug.h"
#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* A process that was forked cannot use the communicators of its parent. */
static _Atomic(unsigned) forks;

static void count_fork(void)
{
    forks++;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

static void comm_finish(void *object)
{
    struct ncclComm *comm = object;

    if (comm->has_creator)
        pthread_join(comm->creator, NULL);
    if (comm->rank)
        nccl_rank_return(comm->rank);
    free(comm->operators);
}

const struct lib_object_type nccl_comm_type = {sizeof(struct ncclComm), comm_finish};

static ncclResult_t check_handle(const struct ncclComm *comm, const char *function)
{
    if (!lib_object_is(comm, &nccl_comm_type))
        return nccl_error(ncclInvalidArgument, "%s: comm is not a communicator", function);
    if (comm->forks != forks)
        return nccl_error(ncclInvalidUsage,
                          "%s: the communicator is that of the process before "
                          "fork()",
                          function);
    return ncclSuccess;
}

ncclResult_t nccl_comm_check(const struct ncclComm *comm)
{
    ncclResult_t result = check_handle(comm, "NCCL");

    if (result != ncclSuccess)
        return result;
    result = atomic_load(&comm->state);
    if (result == ncclInProgress)
        return nccl_error(ncclInvalidArgument, "the communicator is not ready");
    if (result == ncclSuccess && atomic_load(&comm->rank->knows_failure))
        result = comm->rank->team->error;
    return result;
}

ncclResult_t nccl_comm_create(int rank_count, int rank, const ncclConfig_t *config,
                              struct ncclComm **comm)
{
    const struct lib_driver *driver = lib_driver();
    ncclResult_t result = nccl_config_check(config);
    struct ncclComm *made;
    CUdevice device;

    if (result != ncclSuccess)
        return result;
    if (!driver || lib_ensure_context() != CUDA_SUCCESS)
        return nccl_error(ncclUnhandledCudaError, "there is no CUDA context");
    made = lib_object_create(&nccl_comm_type);
    if (!made)
        return ncclSystemError;
    made->forks = forks;
    driver->context_get_current(&made->context);
    driver->context_get_device(&device);
    made->device = device;
    made->rank_number = rank;
    made->rank_count = rank_count;
    made->is_blocking = nccl_config_blocks(config, true);
    made->network = nccl_config_network(config);
    made->state = ncclInProgress;
    nccl_patience_begin(&made->patience);
    nccl_debug_begin(rank);
    nccl_config_show(config);
    *comm = made;
    return ncclSuccess;
}

void nccl_comm_show(const struct ncclComm *comm)
{
    const struct nccl_team *team = comm->rank->team;

    nccl_info(NCCL_DEBUG_INIT | NCCL_DEBUG_NET, "Using network %s",
              nccl_network_name(team->network));
    nccl_info(NCCL_DEBUG_INIT,
              "comm %p rank %d nranks %d cudaDev %d, %d processes on this host%s - Init COMPLETE",
              (const void *)comm, comm->rank_number, comm->rank_count, comm->device,
              team->process_count, team->hosts ? ", and other hosts" : "");
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    ncclResult_t result = check_handle(comm, "ncclCommCount");

    if (result == ncclSuccess && !count)
        result = nccl_error(ncclInvalidArgument, "ncclCommCount: count is NULL");
    if (result == ncclSuccess)
        *count = comm->rank_count;
    return result;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    ncclResult_t result = check_handle(comm, "ncclCommCuDevice");

    if (result == ncclSuccess && !device)
        result = nccl_error(ncclInvalidArgument, "ncclCommCuDevice: device is NULL");
    if (result == ncclSuccess)
        *device = comm->device;
    return result;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    ncclResult_t result = check_handle(comm, "ncclCommUserRank");

    if (result == ncclSuccess && !rank)
        result = nccl_error(ncclInvalidArgument, "ncclCommUserRank: rank is NULL");
    if (result == ncclSuccess)
        *rank = comm->rank_number;
    return result;
}

static bool has_unfinished(struct ncclComm *comm)
{
    struct nccl_team *team = comm->rank->team;
    bool unfinished;

    pthread_mutex_lock(&team->lock);
    unfinished = comm->rank->unfinished != 0 && team->error == ncclSuccess;
    pthread_mutex_unlock(&team->lock);
    return unfinished;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    ncclResult_t result = check_handle(comm, "ncclCommGetAsyncError");

    if (result == ncclSuccess && !error)
        result = nccl_error(ncclInvalidArgument, "ncclCommGetAsyncError: asyncError is NULL");
    if (result != ncclSuccess)
        return result;
    *error = atomic_load(&comm->state);
    if (*error != ncclSuccess)
        return ncclSuccess;
    *error = comm->rank->team->error;
    if (*error != ncclSuccess)
        atomic_store(&comm->rank->knows_failure, true);
    else if (comm->is_finalized && has_unfinished(comm))
        *error = ncclInProgress;
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    ncclResult_t result = comm ? check_handle(comm, "ncclCommFinalize") : ncclSuccess;
    struct nccl_team *team;

    if (!comm || result != ncclSuccess)
        return result;
    if (comm->is_finalized || atomic_load(&comm->state) != ncclSuccess)
        return nccl_error(ncclInvalidUsage, "the communicator is finalized, or was never ready");
    comm->is_finalized = true;
    if (!comm->is_blocking)
        return has_unfinished(comm) ? ncclInProgress : ncclSuccess;
    team = comm->rank->team;
    pthread_mutex_lock(&team->lock);
    while (comm->rank->unfinished != 0 && team->error == ncclSuccess)
        pthread_cond_wait(&team->changed, &team->lock);
    result = team->error;
    pthread_mutex_unlock(&team->lock);
    return result;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    ncclResult_t result = comm ? check_handle(comm, "ncclCommDestroy") : ncclSuccess;

    if (!comm || result != ncclSuccess)
        return result;
    if (!lib_object_destroy(comm, &nccl_comm_type))
        return ncclInvalidArgument;
    return ncclSuccess;
}

/* Other ranks are told if an operation of this one is under way, because it cannot end. */
static ncclResult_t stop(ncclComm_t comm, const char *function)
{
    ncclResult_t result = check_handle(comm, function);

    if (result != ncclSuccess)
        return result;
    atomic_store(&comm->patience.is_cancelled, true);
    if (comm->has_creator) {
        pthread_join(comm->creator, NULL);
        comm->has_creator = false;
    }
    if (comm->rank && has_unfinished(comm))
        nccl_team_fail(comm->rank->team, ncclRemoteError, NULL);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    ncclResult_t result = comm ? stop(comm, "ncclCommAbort") : ncclSuccess;

    if (!comm || result != ncclSuccess)
        return result;
    return lib_object_destroy(comm, &nccl_comm_type) ? ncclSuccess : ncclInvalidArgument;
}

/* Ends what is under way on all ranks; the handle stays for ncclCommShrink() and
 * ncclCommDestroy(). */
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags)
{
    ncclResult_t result = check_handle(comm, "ncclCommRevoke");

    if (result != ncclSuccess)
        return result;
    if (flags != NCCL_REVOKE_DEFAULT)
        return nccl_error(ncclInvalidArgument, "ncclCommRevoke: flags are %d", flags);
    if (atomic_load(&comm->state) != ncclSuccess)
        return nccl_error(ncclInvalidUsage, "the communicator is not ready");
    nccl_rank_fail(comm->rank, ncclRemoteError, NULL);
    return ncclSuccess;
}
