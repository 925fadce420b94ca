/* SPDX-License-Identifier: MIT */
/* Locks, checkpoints, restores and unlocks this process.
 *
 * Locking closes the gate to API calls and waits until the calls inside and all submitted work are
 * done. A checkpoint then moves the devices' memory to the host. Restoring may give the devices the
 * identity of others of the same model; their memory is the process's own in any case.
 *
 * A checkpoint to custom storage, and a restore from it, takes two requests: the first offers files
 * to the process that asks, the second says that it has read or written them. If that process ends
 * in between, the next request finds the state from before. */
#include "api/checkpoint_process.h"

#include "core/config.h"
#include "core/error.h"
#include "core/gate.h"
#include "core/lock.h"
#include "core/object.h"
#include "device/context.h"
#include "device/device.h"
#include "device/usage.h"
#include "memory/pools.h"
#include "memory/saved_memory.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/ipc_file.h"
#include "os/thread.h"

#include <string.h>
#include <unistd.h>

enum { LOOK_NS = 200000, NS_PER_MS = 1000000 };

/* Held while a request is carried out, also while it waits for work. */
static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_CHECKPOINT);
static CUprocessState state; /* guarded by lock */
/* What another process stores or loads; guarded by lock. */
static struct {
    uint64_t number;
    uint64_t asker; /* cup_ipcfile_process() of it */
} operation;

static void set_state_locked(CUprocessState next)
{
    cup_lock_assert_held(&lock);
    state = next;
    atomic_store(&cup_usage_file()->page.state, (uint32_t)next);
}

static bool is_busy(struct cup_object *object)
{
    return atomic_load(&((struct CUctx_st *)object)->busy_streams) != 0;
}

static bool is_quiet(void)
{
    return cup_gate_is_quiet() && !cup_object_any(CUP_OBJECT_CONTEXT, is_busy);
}

static CUresult lock_process_locked(const struct cup_monitor_request *request,
                                    struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    uint64_t start_ns = cup_clock_ns(), timeout_ns = (uint64_t)request->timeout_ms * NS_PER_MS;

    (void)reply;
    cup_gate_close();
    while (!is_quiet()) {
        if (timeout_ns && cup_clock_ns() - start_ns >= timeout_ns) {
            cup_gate_open();
            return cup_error(CUDA_ERROR_NOT_READY, "work was still running after %u ms",
                             request->timeout_ms);
        }
        cup_clock_sleep_ns(LOOK_NS);
    }
    cup_pools_synchronized(NULL); /* calls that synchronise, which work, find nothing to free */
    set_state_locked(CU_PROCESS_STATE_LOCKED);
    return CUDA_SUCCESS;
}

static CUresult checkpoint_locked(const struct cup_monitor_request *request,
                                  struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    CUresult result = cup_saved_memory_take();

    (void)request;
    (void)reply;
    if (result == CUDA_SUCCESS)
        set_state_locked(CU_PROCESS_STATE_CHECKPOINTED);
    return result;
}

static CUresult restore_locked(const struct cup_monitor_request *request,
                               struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    CUresult result = CUDA_SUCCESS;

    (void)reply;
    if (request->pair_count)
        result = cup_device_migrate(request->pairs, request->pair_count);
    if (result == CUDA_SUCCESS)
        result = cup_saved_memory_put_back();
    if (result == CUDA_SUCCESS)
        set_state_locked(CU_PROCESS_STATE_LOCKED);
    return result;
}

static CUresult unlock_process_locked(const struct cup_monitor_request *request,
                                      struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    (void)request;
    (void)reply;
    set_state_locked(CU_PROCESS_STATE_RUNNING);
    cup_gate_open();
    return CUDA_SUCCESS;
}

/* Offers the files to the process that asks. */
static void begin_operation_locked(CUprocessState next, struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    *reply = (struct cup_monitor_reply){.operation = operation.number};
    for (int i = 0; i < (int)cup_device_count(); i++) {
        struct cup_monitor_storage storage = {.uuid = cup_device_get(i)->uuid};
        storage.fd = cup_saved_memory_file(i, &storage.size_bytes);
        if (storage.fd >= 0)
            reply->devices[reply->device_count++] = storage;
    }
    set_state_locked(next);
}

static CUresult store_locked(const struct cup_monitor_request *request,
                             struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    operation.asker = cup_ipcfile_process(request->pid);
    CUresult result = cup_saved_memory_store(++operation.number);
    if (result == CUDA_SUCCESS)
        begin_operation_locked(CU_PROCESS_STATE_CHECKPOINTING, reply);
    return result;
}

static CUresult load_locked(const struct cup_monitor_request *request,
                            struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    operation.asker = cup_ipcfile_process(request->pid);
    CUresult result = cup_saved_memory_load(++operation.number);
    if (result == CUDA_SUCCESS)
        begin_operation_locked(CU_PROCESS_STATE_RESTORING, reply);
    return result;
}

static bool in_operation_locked(void)
{
    cup_lock_assert_held(&lock);
    return state == CU_PROCESS_STATE_CHECKPOINTING || state == CU_PROCESS_STATE_RESTORING;
}

/* A checkpoint that is completed and a restore that is cancelled leave the memory elsewhere; the
 * other two put it back. */
static CUresult end_operation_locked(bool completes)
{
    cup_lock_assert_held(&lock);
    if (completes == (state == CU_PROCESS_STATE_CHECKPOINTING)) {
        cup_saved_memory_drop_files();
        set_state_locked(CU_PROCESS_STATE_CHECKPOINTED);
        return CUDA_SUCCESS;
    }
    CUresult result = cup_saved_memory_put_back();
    if (result == CUDA_SUCCESS)
        set_state_locked(CU_PROCESS_STATE_LOCKED);
    return result;
}

static CUresult end_asked_operation_locked(const struct cup_monitor_request *request)
{
    cup_lock_assert_held(&lock);
    if (!in_operation_locked() || request->operation != operation.number)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE,
                         "the process is in state %d, and not in "
                         "operation %llu",
                         (int)state, (unsigned long long)request->operation);
    return end_operation_locked(request->action == CUP_MONITOR_COMPLETE);
}

/* What each request needs and does. */
static const struct action {
    CUprocessState from;
    CUresult (*perform_locked)(const struct cup_monitor_request *request,
                               struct cup_monitor_reply *reply);
} actions[CUP_MONITOR_COMPLETE] = {
    [CUP_MONITOR_LOCK] = {CU_PROCESS_STATE_RUNNING, lock_process_locked},
    [CUP_MONITOR_CHECKPOINT] = {CU_PROCESS_STATE_LOCKED, checkpoint_locked},
    [CUP_MONITOR_RESTORE] = {CU_PROCESS_STATE_CHECKPOINTED, restore_locked},
    [CUP_MONITOR_UNLOCK] = {CU_PROCESS_STATE_LOCKED, unlock_process_locked},
    [CUP_MONITOR_STORE] = {CU_PROCESS_STATE_LOCKED, store_locked},
    [CUP_MONITOR_LOAD] = {CU_PROCESS_STATE_CHECKPOINTED, load_locked},
};

static CUresult perform_locked(const struct cup_monitor_request *request,
                               struct cup_monitor_reply *reply)
{
    cup_lock_assert_held(&lock);
    if (in_operation_locked() && operation.asker && !cup_ipcfile_is_alive(operation.asker))
        end_operation_locked(false);
    if (request->action == CUP_MONITOR_COMPLETE || request->action == CUP_MONITOR_CANCEL)
        return end_asked_operation_locked(request);
    if (state != actions[request->action].from)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE, "the process is in state %d, not %d", (int)state,
                         (int)actions[request->action].from);
    return actions[request->action].perform_locked(request, reply);
}

CUresult cup_api_checkpoint_perform(const struct cup_monitor_request *request,
                                    struct cup_monitor_reply *reply)
{
    CUresult result;

    if (request->action >= CUP_MONITOR_ACTIONS || request->pair_count > CUP_MONITOR_DEVICES_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no such request");
    cup_lock_acquire(&lock);
    result = perform_locked(request, reply);
    cup_lock_release(&lock);
    return result;
}

static void serve_next(struct cup_monitor_control *control)
{
    uint32_t asked = atomic_load(&control->asked);
    struct cup_monitor_request request;
    struct cup_monitor_reply reply = {0};

    if (asked == atomic_load(&control->answered)) {
        cup_futex_wait_shared(&control->asked, asked, -1);
        return;
    }
    request = control->request; /* the process that asks may change it at any time */
    CUresult result = cup_api_checkpoint_perform(&request, &reply);
    control->reply = reply;
    atomic_store(&control->result, result);
    atomic_store(&control->answered, asked);
    cup_futex_wake_shared(&control->answered, INT_MAX);
}

static void *serve(void *argument)
{
    struct cup_monitor_control *control = argument;

    atomic_store(&control->thread, (uint32_t)gettid());
    cup_futex_wake_shared(&control->thread, INT_MAX);
    for (;;)
        serve_next(control);
    return NULL;
}

void cup_api_checkpoint_start(void)
{
    cup_os_thread_start(serve, &cup_usage_file()->control, "cupipe requests");
}
