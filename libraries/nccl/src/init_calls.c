/* SPDX-License-Identifier: MIT */
/* The functions that create communicators. */
#include "bootstrap.h"
#include "driver.h"
#include "group.h"
#include "init.h"

#include <stdlib.h>

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    if (!id)
        return nccl_error(ncclInvalidArgument, "ncclGetUniqueId: uniqueId is NULL");
    return nccl_bootstrap_create_id(id);
}

static ncclResult_t init_rank(ncclComm_t *comm, int rank_count, const ncclUniqueId *id, int rank,
                              const ncclConfig_t *config)
{
    if (!comm || !id)
        return nccl_error(ncclInvalidArgument, "ncclCommInitRank: comm or the id is NULL");
    if (rank_count < 1 || rank < 0 || rank >= rank_count)
        return nccl_error(ncclInvalidArgument, "ncclCommInitRank: rank %d of %d", rank, rank_count);
    return nccl_init_rank(comm, rank_count, id, rank, -1, config);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int rank_count, ncclUniqueId id, int rank)
{
    return nccl_group_note(init_rank(comm, rank_count, &id, rank, NULL));
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int rank_count, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    return nccl_group_note(init_rank(comm, rank_count, &id, rank, config));
}

/* Several ids spread the work of large communicators over several roots; one is enough here. */
ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int rank_count, int rank, int id_count,
                                      ncclUniqueId *ids, ncclConfig_t *config)
{
    if (id_count < 1 || id_count > rank_count)
        return nccl_group_note(
            nccl_error(ncclInvalidArgument, "ncclCommInitRankScalable: nId is %d", id_count));
    return nccl_group_note(init_rank(comm, rank_count, ids, rank, config));
}

static ncclResult_t check_devices(int count, const int *devices)
{
    int existing = 0;
    bool *is_taken;
    ncclResult_t result = ncclSuccess;

    if (!lib_driver() || lib_driver()->device_get_count(&existing) != CUDA_SUCCESS)
        return ncclUnhandledCudaError;
    is_taken = calloc((size_t)existing + 1, sizeof(bool));
    if (!is_taken)
        return ncclSystemError;
    for (int i = 0; i < count && result == ncclSuccess; i++) {
        int device = devices ? devices[i] : i;

        if (device < 0 || device >= existing)
            result =
                nccl_error(ncclInvalidArgument, "ncclCommInitAll: there is no device %d", device);
        else if (is_taken[device])
            result =
                nccl_error(ncclInvalidUsage, "ncclCommInitAll: device %d is named twice", device);
        else
            is_taken[device] = true;
    }
    free(is_taken);
    return result;
}

/* Makes the primary context of a device current, which is never released, as the runtime does it.
 */
static ncclResult_t enter_device(int device)
{
    const struct lib_driver *driver = lib_driver();
    CUcontext context;

    if (driver->primary_context_retain(&context, device) != CUDA_SUCCESS ||
        driver->context_set_current(context) != CUDA_SUCCESS)
        return ncclUnhandledCudaError;
    return ncclSuccess;
}

static ncclResult_t init_all(ncclComm_t *comms, int count, const int *devices)
{
    ncclResult_t result = ncclSuccess, ended;
    CUcontext before = NULL;
    ncclUniqueId id;

    if (!comms || count < 0)
        return nccl_error(ncclInvalidArgument, "ncclCommInitAll: comm is NULL, or ndev %d", count);
    result = check_devices(count, devices);
    if (result == ncclSuccess)
        result = nccl_bootstrap_create_id(&id);
    if (result != ncclSuccess || ncclGroupStart() != ncclSuccess)
        return result;
    lib_driver()->context_get_current(&before);
    for (int i = 0; i < count && result == ncclSuccess; i++) {
        result = enter_device(devices ? devices[i] : i);
        if (result == ncclSuccess)
            result = nccl_init_rank(&comms[i], count, &id, i, -1, NULL);
        nccl_group_note(result);
    }
    lib_driver()->context_set_current(before);
    ended = ncclGroupEnd();
    return result == ncclSuccess ? ended : result;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    return nccl_group_note(init_all(comms, count, devices));
}
