/* SPDX-License-Identifier: MIT */
/* Memory for communication, and buffers that are registered. All device memory can be reached by
 * all ranks of a host as it is, so a registration is only remembered. */
#include "comm.h"
#include "debug.h"
#include "driver.h"

struct registration {
    struct lib_object base;
    const struct ncclComm *comm;
    bool is_window;
};

static const struct lib_object_type registration_type = {sizeof(struct registration), NULL};

ncclResult_t ncclMemAlloc(void **pointer, size_t bytes)
{
    CUdeviceptr memory = 0;

    if (!pointer || lib_ensure_context() != CUDA_SUCCESS)
        return nccl_error(ncclUnhandledCudaError, "ncclMemAlloc: ptr is NULL, or no context");
    if (lib_driver()->memory_alloc(&memory, bytes) != CUDA_SUCCESS)
        return nccl_error(ncclUnhandledCudaError, "ncclMemAlloc: no memory for %zu bytes", bytes);
    *pointer = (void *)(uintptr_t)memory;
    return ncclSuccess;
}

ncclResult_t ncclMemFree(void *pointer)
{
    if (!pointer)
        return ncclSuccess;
    if (lib_ensure_context() != CUDA_SUCCESS ||
        lib_driver()->memory_free((uintptr_t)pointer) != CUDA_SUCCESS)
        return nccl_error(ncclUnhandledCudaError, "ncclMemFree: %p is not allocated", pointer);
    return ncclSuccess;
}

static ncclResult_t add(const struct ncclComm *comm, const void *buffer, size_t bytes,
                        bool is_window, void **handle)
{
    ncclResult_t result = nccl_comm_check(comm);
    struct registration *made;

    if (result != ncclSuccess)
        return result;
    if (!handle || !buffer || bytes == 0)
        return nccl_error(ncclInvalidArgument, "a buffer of %zu bytes at %p", bytes, buffer);
    made = lib_object_create(&registration_type);
    if (!made)
        return nccl_error(ncclSystemError, "no memory for a registration");
    made->comm = comm;
    made->is_window = is_window;
    *handle = made;
    nccl_info(NCCL_DEBUG_REG, "register comm %p buffer %p size %zu%s", (const void *)comm, buffer,
              bytes, is_window ? " as a window" : "");
    return ncclSuccess;
}

static ncclResult_t drop(const struct ncclComm *comm, void *handle, bool is_window)
{
    struct registration *registration = handle;

    if (!lib_object_is(comm, &nccl_comm_type) || !lib_object_is(registration, &registration_type) ||
        registration->comm != comm || registration->is_window != is_window)
        return nccl_error(ncclInvalidArgument, "%p is not registered", handle);
    lib_object_destroy(registration, &registration_type);
    return ncclSuccess;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer, size_t bytes, void **handle)
{
    return add(comm, buffer, bytes, false, handle);
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
    return handle ? drop(comm, handle, false) : ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *win,
                                    int flags)
{
    if (flags & ~NCCL_WIN_COLL_SYMMETRIC)
        return nccl_error(ncclInvalidArgument, "ncclCommWindowRegister: flags 0x%x", flags);
    return add(comm, buffer, bytes, true, (void **)win);
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    return win ? drop(comm, win, true) : ncclSuccess;
}
