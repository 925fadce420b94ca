/* SPDX-License-Identifier: MIT */
/* The operations that this process has begun and not completed. */
#include "api/checkpoint_storage.h"

#include "api/checkpoint_target.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/device.h"
#include "device/primary.h"
#include "graph/work_submit.h"
#include "memory/external_mapping.h"
#include "os/memfd.h"
#include "stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct CUIcheckpointOperation_st {
    CUcheckpointCustomStorageInfo info; /* what the caller sees */
    CUcheckpointCustomStoragePerDeviceData devices[CUP_MONITOR_DEVICES_MAX];
    int pid;
    uint64_t number;
    struct CUIcheckpointOperation_st *next; /* guarded by lock */
};

/* Leaf mutex: guards the list of operations. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUIcheckpointOperation_st *operations; /* guarded by lock */

static void add_operation(struct CUIcheckpointOperation_st *operation)
{
    pthread_mutex_lock(&lock);
    operation->next = operations;
    operations = operation;
    pthread_mutex_unlock(&lock);
}

/* Takes an operation from the list; NULL if the handle is none. */
static struct CUIcheckpointOperation_st *take_operation(CUcheckpointOperationHandle handle)
{
    struct CUIcheckpointOperation_st **link = &operations, *found;

    pthread_mutex_lock(&lock);
    while (*link && *link != handle)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Opens the file of the other process that has the memory of a device. Its label names the
 * operation, so that it is no other file of that process. */
static int open_file(int pid, uint64_t number, const struct cup_monitor_storage *storage)
{
    char path[64];
    uint64_t size_bytes, label;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, storage->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (!cup_memfd_read(fd, &size_bytes, &label, sizeof(label)) || label != number ||
                    size_bytes == 0 || size_bytes != storage->size_bytes)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The primary context of a device of the other process, if it is active here. */
static struct CUctx_st *primary_of(const CUuuid *uuid)
{
    struct cup_device *device = cup_device_with_uuid(uuid);
    unsigned flags;
    bool is_active = false;

    if (device)
        cup_primary_state(device, &flags, &is_active);
    return is_active ? atomic_load(&device->primary) : NULL;
}

/* Maps the memory of one device, and makes a stream for the copies. */
static CUresult add_device(struct CUIcheckpointOperation_st *operation,
                           const struct cup_monitor_storage *storage)
{
    CUcheckpointCustomStoragePerDeviceData *data = &operation->devices[operation->info.deviceCount];
    struct CUctx_st *context = primary_of(&storage->uuid);
    uint64_t address;

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT,
                         "retain the primary contexts of all devices that process %d uses",
                         operation->pid);
    int saved = errno, fd = open_file(operation->pid, operation->number, storage);
    if (fd < 0) {
        errno = saved;
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "cannot open the memory of process %d",
                         operation->pid);
    }
    CUresult result = cup_extmem_map(context, fd, 0, 0, storage->size_bytes, &address);
    close(fd);
    errno = saved;
    if (result != CUDA_SUCCESS)
        return result;
    result =
        cup_stream_create(context, CUP_STREAM_CREATED, CU_STREAM_NON_BLOCKING, 0, &data->stream);
    if (result != CUDA_SUCCESS) {
        cup_extmem_unmap(address);
        return result;
    }
    data->devPtr = address;
    data->size = storage->size_bytes;
    operation->info.deviceCount++;
    return CUDA_SUCCESS;
}

/* The program may have destroyed the streams, or reset the contexts, by itself. */
static void free_operation(struct CUIcheckpointOperation_st *operation)
{
    for (unsigned i = 0; i < operation->info.deviceCount; i++) {
        struct cup_object *stream;
        if (cup_object_find(CUP_OBJECT_STREAM, operation->devices[i].stream, &stream) ==
            CUDA_SUCCESS) {
            cup_stream_destroy((struct CUstream_st *)stream, CUP_RETIRED_DESTROYED);
            cup_object_unref(stream);
        }
        cup_extmem_unmap(operation->devices[i].devPtr);
    }
    free(operation);
}

static CUresult end_at_target(int pid, uint64_t number, enum cup_monitor_action action)
{
    struct cup_monitor_request request = {.action = action, .operation = number};
    struct cup_monitor_reply reply;

    return cup_checkpoint_ask(pid, &request, &reply);
}

static CUresult map_reply(struct CUIcheckpointOperation_st *operation,
                          const struct cup_monitor_reply *reply)
{
    CUresult result = CUDA_SUCCESS;

    operation->number = reply->operation;
    if (reply->device_count > CUP_MONITOR_DEVICES_MAX)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the process answers nonsense");
    for (unsigned i = 0; result == CUDA_SUCCESS && i < reply->device_count; i++)
        result = add_device(operation, &reply->devices[i]);
    return result;
}

static CUresult check_caller(int pid)
{
    CUresult result = cup_precondition_init();

    if (result == CUDA_SUCCESS && pid == getpid())
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED,
                           "a process cannot store or load its own memory: another one must");
    return result;
}

CUresult cup_checkpoint_storage_begin(int pid, enum cup_monitor_action action,
                                      CUcheckpointCustomStorageInfo **info)
{
    struct cup_monitor_request request = {.action = action, .pid = getpid()};
    struct cup_monitor_reply reply = {0};
    CUresult result = check_caller(pid);

    if (result != CUDA_SUCCESS)
        return result;
    struct CUIcheckpointOperation_st *operation = calloc(1, sizeof(*operation));
    if (!operation)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an operation");
    operation->pid = pid;
    result = cup_checkpoint_ask(pid, &request, &reply);
    if (result != CUDA_SUCCESS)
        goto free_operation;
    result = map_reply(operation, &reply);
    if (result != CUDA_SUCCESS)
        goto cancel;
    operation->info.handle = operation;
    operation->info.perDeviceData = operation->devices;
    add_operation(operation);
    *info = &operation->info;
    return CUDA_SUCCESS;

cancel:
    end_at_target(pid, operation->number, CUP_MONITOR_CANCEL);
free_operation:
    free_operation(operation);
    return result;
}

/* Waiting for the stream is no work that a graph could have, but the capture stays valid. */
static CUresult await_describe(struct CUstream_st *stream, void *work,
                               struct cup_captured_work *captured)
{
    (void)stream, (void)work, (void)captured;
    return cup_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "a stream of the operation is capturing");
}

static CUresult await_run(struct CUstream_st *stream, void *work)
{
    (void)work;
    return cup_stream_synchronize(stream);
}

static const struct cup_work_type await_type = {await_describe, await_run};

/* A stream that the program has destroyed has nothing to wait for. */
static CUresult await_stream(CUstream handle)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_STREAM, handle, &object) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    CUresult result = cup_work_submit((struct CUstream_st *)object, &await_type, NULL);
    cup_object_unref(object);
    return result;
}

CUresult cup_checkpoint_storage_complete(CUcheckpointOperationHandle handle)
{
    struct CUIcheckpointOperation_st *operation = take_operation(handle);
    CUresult result = cup_precondition_init();

    if (!operation)
        return result != CUDA_SUCCESS
                   ? result
                   : cup_error(CUDA_ERROR_INVALID_VALUE, "%p is no operation", (void *)handle);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < operation->info.deviceCount; i++)
        result = await_stream(operation->devices[i].stream);
    if (result != CUDA_SUCCESS) {
        add_operation(operation);
        return result;
    }
    /* The memory is unmapped before the process goes on with it. */
    int pid = operation->pid;
    uint64_t number = operation->number;
    free_operation(operation);
    return end_at_target(pid, number, CUP_MONITOR_COMPLETE);
}
