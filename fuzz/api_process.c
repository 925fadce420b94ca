/* SPDX-License-Identifier: MIT */
/* Calls about the whole process, and about several devices: checkpoints of this process while other
 * threads work, and multicast objects, whose team is always complete, because binding waits for
 * it. */
#include "api_calls.h"

#include <unistd.h>

enum { LOCK_MS = 20 };

static CUresult checkpoint(struct draw *draw)
{
    CUcheckpointLockArgs lock = {.timeoutMs = LOCK_MS};
    CUcheckpointRestoreArgs restore = {.gpuPairs = draw_struct(draw),
                                       .gpuPairsCount = draw_below(draw, 4)};
    CUresult result = cuCheckpointProcessLock(getpid(), &lock);

    if (result != CUDA_SUCCESS)
        return result;
    if (draw_below(draw, 2) && cuCheckpointProcessCheckpoint(getpid(), NULL) == CUDA_SUCCESS) {
        if (cuCheckpointProcessRestore(getpid(), &restore) != CUDA_SUCCESS)
            cuCheckpointProcessRestore(getpid(), NULL);
    }
    return cuCheckpointProcessUnlock(getpid(), NULL);
}

static CUresult checkpoint_wrongly(struct draw *draw)
{
    switch (draw_below(draw, 4)) {
    case 0:
        return cuCheckpointProcessLock(-(int)draw_number(draw), draw_buffer(draw));
    case 1:
        return cuCheckpointProcessCheckpoint(-(int)draw_number(draw), draw_buffer(draw));
    case 2:
        return cuCheckpointProcessRestore(-(int)draw_number(draw), NULL);
    default:
        return cuCheckpointProcessUnlock(-(int)draw_number(draw), draw_buffer(draw));
    }
}

static CUresult make_multicast(struct draw *draw)
{
    CUmulticastObjectProp prop = {.size = (size_t)(1 + draw_below(draw, 4)) << 21};
    CUmemGenericAllocationHandle object;
    int devices = 0;
    CUresult result;

    cuDeviceGetCount(&devices);
    prop.numDevices = (unsigned)devices;
    result = cuMulticastCreate(&object, &prop);
    if (result != CUDA_SUCCESS)
        return result;
    for (int i = 0; i < devices && result == CUDA_SUCCESS; i++)
        result = cuMulticastAddDevice(object, i);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUmemGenericAllocationHandle, object);
    else
        cuMemRelease(object);
    return result;
}

static CUresult bind_multicast(struct draw *draw)
{
    uint64_t object = (uint64_t)(uintptr_t)draw_handle(draw, KIND_CUmemGenericAllocationHandle);
    uint64_t memory = (uint64_t)(uintptr_t)draw_handle(draw, KIND_CUmemGenericAllocationHandle);

    return cuMulticastBindMem(object, (size_t)draw_below(draw, 3) << 21, memory, 0,
                              (size_t)draw_below(draw, 3) << 21, 0);
}

const struct call process_calls[] = {
    {"checkpoint", checkpoint},
    {"checkpoint wrongly", checkpoint_wrongly},
    {"multicast", make_multicast},
    {"bind", bind_multicast},
};
const unsigned process_call_count = sizeof(process_calls) / sizeof(process_calls[0]);
