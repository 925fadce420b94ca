/* SPDX-License-Identifier: MIT */
/* The file in which a process publishes what it uses of the devices takes requests, too
 * (device/monitor.h). */
#include "api/checkpoint_target.h"

#include "api/checkpoint_process.h"
#include "core/error.h"
#include "core/gate.h"
#include "device/monitor_find.h"
#include "device/usage.h"
#include "os/futex.h"
#include "os/ipc_file.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <errno.h>
#include <sys/file.h>

enum { LOOK_NS = 100000000, THREAD_WAITS = 50 };

static CUresult map_other(int pid, struct cup_checkpoint_target *target)
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

CUresult cup_checkpoint_open(int pid, struct cup_checkpoint_target *target)
{
    int saved = errno;
    CUresult result = CUDA_SUCCESS;

    *target = (struct cup_checkpoint_target){.fd = -1, .process = cup_ipcfile_process(pid)};
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

void cup_checkpoint_close(struct cup_checkpoint_target *target)
{
    int saved = errno;

    if (target->fd >= 0) {
        cup_reserve_release(target->file, sizeof(*target->file));
        close(target->fd);
    }
    errno = saved;
}

/* Waits until the word has the value. Returns false if the process ends before. */
static bool await(const struct cup_checkpoint_target *target, _Atomic(uint32_t) *word,
                  uint32_t value)
{
    uint32_t now;

    while ((now = atomic_load(word)) != value) {
        cup_futex_wait_shared(word, now, LOOK_NS);
        if (atomic_load(word) != value && !cup_ipcfile_is_alive(target->process))
            return false;
    }
    return true;
}

static CUresult ask_other(const struct cup_checkpoint_target *target,
                          const struct cup_monitor_request *request,
                          struct cup_monitor_reply *reply)
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
    *reply = control->reply;
    return (CUresult)atomic_load(&control->result);
}

CUresult cup_checkpoint_ask(int pid, const struct cup_monitor_request *request,
                            struct cup_monitor_reply *reply)
{
    struct cup_thread *self = cup_thread_self();
    struct cup_checkpoint_target target;
    CUresult result = cup_checkpoint_open(pid, &target);

    if (result != CUDA_SUCCESS)
        return result;
    cup_gate_leave(self);
    if (target.fd < 0) {
        result = cup_api_checkpoint_perform(request, reply);
    } else {
        int saved = errno;
        result = ask_other(&target, request, reply);
        errno = saved;
    }
    cup_gate_count(self, 1);
    cup_checkpoint_close(&target);
    return result;
}

/* The thread may have been started a moment ago. */
uint32_t cup_checkpoint_thread(struct cup_monitor_control *control)
{
    uint32_t thread;

    for (int i = 0; (thread = atomic_load(&control->thread)) == 0 && i < THREAD_WAITS; i++)
        cup_futex_wait_shared(&control->thread, 0, LOOK_NS);
    return thread;
}
