/* SPDX-License-Identifier: MIT */
/* The cuCheckpointProcess* functions, on this process or on another of the same user that runs
 * cupipe. Another process is asked through the file in which it publishes what it uses of the
 * devices (device/monitor.h). */
#include "api/checkpoint_process.h"
#include "core/error.h"
#include "core/gate.h"
#include "device/monitor_find.h"
#include "device/usage.h"
#include "impl.h"
#include "os/futex.h"
#include "os/ipc_file.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <errno.h>
#include <sys/file.h>

enum { LOOK_NS = 100000000, THREAD_WAITS = 50 };

/* A process that can be asked. */
struct target {
    int fd; /* -1: this process */
    uint64_t process;
    struct cup_monitor_file *file;
};

static CUresult map_other(int pid, struct target *target)
{
    struct cup_monitor_page page;
    uint64_t size_bytes;
    char process[16], label[1];

    snprintf(process, sizeof(process), "%d", pid);
    target->fd = cup_monitor_open(process, O_RDWR, &page);
    if (target->fd < 0)
        return cup_error(CUDA_ERROR_NOT_INITIALIZED, "process %d has not initialised CUDA", pid);
    if (cup_memfd_read(target->fd, &size_bytes, label, sizeof(label)) &&
        size_bytes == sizeof(*target->file))
        target->file = cup_memfd_map(target->fd, sizeof(*target->file));
    if (target->file)
        return CUDA_SUCCESS;
    close(target->fd);
    return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "cannot map the file of process %d", pid);
}

static CUresult open_target(int pid, struct target *target)
{
    int saved = errno;
    CUresult result = CUDA_SUCCESS;

    *target = (struct target){.fd = -1, .process = cup_ipcfile_process(pid)};
    if (!target->process)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "there is no process %d", pid);
    if (pid != getpid())
        result = map_other(pid, target);
    else if (cup_usage_file()->page.pid == (uint32_t)pid)
        target->file = cup_usage_file();
    else
        result = cup_error(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    errno = saved;
    return result;
}

static void close_target(struct target *target)
{
    int saved = errno;

    if (target->fd >= 0) {
        cup_reserve_release(target->file, sizeof(*target->file));
        close(target->fd);
    }
    errno = saved;
}

/* Waits until the word has the value. Returns false if the process ends before. */
static bool await(const struct target *target, _Atomic(uint32_t) *word, uint32_t value)
{
    uint32_t now;

    while ((now = atomic_load(word)) != value) {
        cup_futex_wait_shared(word, now, LOOK_NS);
        if (atomic_load(word) != value && !cup_ipcfile_is_alive(target->process))
            return false;
    }
    return true;
}

static CUresult ask_other(const struct target *target, const struct cup_monitor_request *request)
{
    struct cup_monitor_control *control = &target->file->control;
    uint32_t number;

    while (flock(target->fd, LOCK_EX) != 0) {
        if (errno != EINTR)
            return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "cannot lock the file of the process");
    }
    /* A process that was killed may have asked and not waited for the answer. */
    if (!await(target, &control->answered, atomic_load(&control->asked)))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the process has ended");
    control->request = *request;
    number = atomic_fetch_add(&control->asked, 1) + 1;
    cup_futex_wake_shared(&control->asked, 1);
    if (!await(target, &control->answered, number))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the process has ended");
    return (CUresult)atomic_load(&control->result);
}

/* A thread that asks is in no call: the lock need not wait for it. */
static CUresult ask(int pid, const struct cup_monitor_request *request)
{
    struct cup_thread *self = cup_thread_self();
    struct target target;
    CUresult result = open_target(pid, &target);

    if (result != CUDA_SUCCESS)
        return result;
    cup_gate_leave(self);
    if (target.fd < 0) {
        result = cup_api_checkpoint_perform(request);
    } else {
        int saved = errno;
        result = ask_other(&target, request);
        errno = saved;
    }
    cup_gate_count(self, 1);
    close_target(&target);
    return result;
}

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
    if (args && !is_zero(args, sizeof(*args)))
        return reserved_not_zero();
    return ask(pid, &(struct cup_monitor_request){.action = CUP_MONITOR_CHECKPOINT});
}

CUresult impl_cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args)
{
    struct cup_monitor_request request = {.action = CUP_MONITOR_RESTORE};

    if (args && (args->padding0 || args->customStorageInfo_out ||
                 !is_zero(args->reserved, sizeof(args->reserved))))
        return reserved_not_zero();
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
    struct target target;
    CUresult result;

    if (!state)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the state");
    result = open_target(pid, &target);
    if (result != CUDA_SUCCESS)
        return result;
    *state = (CUprocessState)atomic_load(&target.file->page.state);
    close_target(&target);
    return CUDA_SUCCESS;
}

/* The thread may have been started a moment ago. */
static uint32_t thread_of(struct cup_monitor_control *control)
{
    uint32_t thread;

    for (int i = 0; (thread = atomic_load(&control->thread)) == 0 && i < THREAD_WAITS; i++)
        cup_futex_wait_shared(&control->thread, 0, LOOK_NS);
    return thread;
}

CUresult impl_cuCheckpointProcessGetRestoreThreadId(int pid, int *tid)
{
    struct target target;
    uint32_t thread;
    CUresult result;

    if (!tid)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the thread");
    result = open_target(pid, &target);
    if (result != CUDA_SUCCESS)
        return result;
    thread = thread_of(&target.file->control);
    close_target(&target);
    if (!thread)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the process has no thread for requests");
    *tid = (int)thread;
    return CUDA_SUCCESS;
}
