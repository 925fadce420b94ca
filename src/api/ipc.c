/* SPDX-License-Identifier: MIT */
/* Memory and events shared with other processes, by handles of 64 bytes. NVIDIA's driver checks for
 * missing arguments before it checks the state of the library, so the preconditions are here. */
#include "impl.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "memory/imported.h"
#include "memory/map.h"
#include "memory/share.h"
#include "stream/event.h"
#include "stream/ipc_event.h"

#include <string.h>

_Static_assert(sizeof(CUipcMemHandle) == sizeof(struct cup_ipcfile_handle), "");
_Static_assert(sizeof(CUipcEventHandle) == sizeof(struct cup_ipcfile_handle), "");

CUresult impl_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct cup_ipcfile_handle handle;
    struct cup_range range;

    if (!pHandle || !dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the handle is NULL, or the address is 0");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_map_describe(dptr, &range) || range.kind != CUP_RANGE_DEVICE ||
        (range.flags & CUP_RANGE_POOL))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx was not allocated by cuMemAlloc",
                         (unsigned long long)dptr);
    result = cup_share_block(&range, &handle);
    if (result == CUDA_SUCCESS)
        memcpy(pHandle, &handle, sizeof(handle));
    return result;
}

CUresult impl_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct cup_ipcfile_handle opened;
    uint64_t address;

    if (!pdptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the address is NULL");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!(Flags & CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "flags 0x%x are without CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", Flags);
    memcpy(&opened, &handle, sizeof(opened));
    result = cup_imported_open(cup_context_current(), &opened, &address);
    if (result == CUDA_SUCCESS)
        *pdptr = address;
    return result;
}

/* Waits first for work that may still use the memory. */
CUresult impl_cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    uint32_t index;

    if (!cup_imported_owner(dptr, &index))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of opened memory",
                         (unsigned long long)dptr);
    struct CUctx_st *owner = (struct CUctx_st *)cup_object_at(index);
    if (atomic_load(&owner->busy_streams) != 0 || cup_checks.streams)
        cup_context_synchronize(owner);
    return cup_imported_close(dptr);
}

CUresult impl_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    struct cup_ipcfile_handle handle;
    struct CUevent_st *found;

    if (!pHandle || !event)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the handle or the event is NULL");
    CUresult result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        result = cup_event_find(event, &found);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_ipc_event_name(found->ipc, &handle);
    cup_event_unref(found);
    if (result == CUDA_SUCCESS)
        memcpy(pHandle, &handle, sizeof(handle));
    return result;
}

CUresult impl_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    struct cup_ipcfile_handle opened;

    if (!phEvent)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the event is NULL");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&opened, &handle, sizeof(opened));
    return cup_event_open(cup_context_current(), &opened, phEvent);
}
