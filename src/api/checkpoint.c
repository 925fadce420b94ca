/* SPDX-License-Identifier: MIT */
/* The cuCheckpointProcess* functions, on this process or on another of the same user that runs
 * cupipe (checkpoint_target.h). checkpoint_storage.h has checkpoints that the caller stores. */
#include "impl.h"
#include "api/checkpoint_storage.h"
#include "api/checkpoint_target.h"
#include "core/driver_version.h"
#include "core/error.h"

#include <stdbool.h>
#include <string.h>

static bool is_zero(const void *bytes, size_t count)
{
    const char *each = bytes;

    for (size_t i = 0; i < count; i++) {
        if (each[i])
            return false;
    }
    return true;
}

static CUresult reserved_not_zero(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "a reserved field is not zero");
}

static CUresult ask(int pid, const struct cup_monitor_request *request)
{
    struct cup_monitor_reply reply;

    return cup_checkpoint_ask(pid, request, &reply);
}

/* Custom storage came with CUDA 13.4; before, the field was a reserved one. */
static bool has_storage(const void *storage_out)
{
    return storage_out && cup_driver_has(13040);
}

CUresult impl_cuCheckpointProcessLock(int pid, CUcheckpointLockArgs *args)
{
    struct cup_monitor_request request = {.action = CUP_MONITOR_LOCK};

    if (args && (args->reserved0 || !is_zero(args->reserved1, sizeof(args->reserved1))))
        return reserved_not_zero();
    request.timeout_ms = args ? args->timeoutMs : 0;
    return ask(pid, &request);
}

CUresult impl_cuCheckpointProcessCheckpoint(int pid, CUcheckpointCheckpointArgs *args)
{
    if (args && !is_zero(args->reserved, sizeof(args->reserved)))
        return reserved_not_zero();
    if (args && has_storage(args->customStorageInfo_out))
        return cup_checkpoint_storage_begin(pid, CUP_MONITOR_STORE, args->customStorageInfo_out);
    if (args && args->customStorageInfo_out)
        return reserved_not_zero();
    return ask(pid, &(struct cup_monitor_request){.action = CUP_MONITOR_CHECKPOINT});
}

CUresult impl_cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args)
{
    struct cup_monitor_request request = {.action = CUP_MONITOR_RESTORE};

    bool stored = args && has_storage(args->customStorageInfo_out);

    if (args && (args->padding0 || (args->customStorageInfo_out && !stored) ||
                 !is_zero(args->reserved, sizeof(args->reserved))))
        return reserved_not_zero();
    if (stored && args->gpuPairsCount)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "a restore from custom storage cannot change devices, too");
    if (stored)
        return cup_checkpoint_storage_begin(pid, CUP_MONITOR_LOAD, args->customStorageInfo_out);
    if (args && args->gpuPairsCount) {
        if (!args->gpuPairs || args->gpuPairsCount > CUP_MONITOR_DEVICES_MAX)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "%u pairs of devices, at %p",
                             args->gpuPairsCount, (void *)args->gpuPairs);
        request.pair_count = args->gpuPairsCount;
        memcpy(request.pairs, args->gpuPairs, request.pair_count * sizeof(*args->gpuPairs));
    }
    return ask(pid, &request);
}

CUresult impl_cuCheckpointProcessUnlock(int pid, CUcheckpointUnlockArgs *args)
{
    if (args && !is_zero(args, sizeof(*args)))
        return reserved_not_zero();
    return ask(pid, &(struct cup_monitor_request){.action = CUP_MONITOR_UNLOCK});
}

CUresult impl_cuCheckpointProcessGetState(int pid, CUprocessState *state)
{
    struct cup_checkpoint_target target;
    CUresult result;

    if (!state)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the state");
    result = cup_checkpoint_open(pid, &target);
    if (result != CUDA_SUCCESS)
        return result;
    *state = (CUprocessState)atomic_load(&target.file->page.state);
    cup_checkpoint_close(&target);
    return CUDA_SUCCESS;
}

CUresult impl_cuCheckpointProcessGetRestoreThreadId(int pid, int *tid)
{
    struct cup_checkpoint_target target;
    uint32_t thread;
    CUresult result;

    if (!tid)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the thread");
    result = cup_checkpoint_open(pid, &target);
    if (result != CUDA_SUCCESS)
        return result;
    thread = cup_checkpoint_thread(&target.file->control);
    cup_checkpoint_close(&target);
    if (!thread)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the process has no thread for requests");
    *tid = (int)thread;
    return CUDA_SUCCESS;
}

CUresult impl_cuCheckpointOperationComplete(CUcheckpointOperationHandle handle)
{
    return cup_checkpoint_storage_complete(handle);
}
