/* SPDX-License-Identifier: MIT */
/* Library start and end in a process: cuInit, fork and exit.
 *
 * cuInit may be called from any thread, any number of times; the first call that succeeds satisfies
 * the precondition. A call that fails changes nothing, and the next one tries again. */
#include "api/checkpoint_process.h"
#include "api/entrypoint.h"
#include "api/export_table.h"
#include "api/injection.h"
#include "api/monitor.h"
#include "check/calls/calls.h"
#include "check/checker.h"
#include "core/collection.h"
#include "core/config.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "core/fail.h"
#include "core/lock.h"
#include "core/precondition.h"
#include "core/trace.h"
#include "device/access.h"
#include "device/context.h"
#include "device/device.h"
#include "device/notification.h"
#include "device/resource.h"
#include "graph/exec.h"
#include "graph/graph.h"
#include "graph/user_object.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "image/texture_object.h"
#include "image/texture_reference.h"
#include "impl.h"
#include "interop/external_memory.h"
#include "interop/external_semaphore.h"
#include "interop/resource.h"
#include "interop/vulkan_device.h"
#include "memory/memory.h"
#include "memory/physical.h"
#include "memory/pool.h"
#include "module/function.h"
#include "module/library.h"
#include "module/link.h"
#include "module/module.h"
#include "os/guard.h"
#include "ptx/program.h"
#include "stream/engine.h"
#include "stream/event.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static struct cup_lock library_lock = CUP_LOCK_INITIALIZER(CUP_RANK_LIBRARY);

/* A fork waits for a running cuInit, so that the child sees either nothing or everything. */
static void fork_begins(void)
{
    cup_lock_acquire(&library_lock);
}

static void fork_ends_in_parent(void)
{
    cup_lock_release(&library_lock);
}

/* The child has no workers: a child of a process that has called cuInit can never use the
 * library. */
static void fork_ends_in_child(void)
{
    enum cup_driver_state expected = CUP_DRIVER_READY;

    atomic_compare_exchange_strong(&cup_driver_state, &expected, CUP_DRIVER_FORKED);
    cup_lock_release(&library_lock);
}

__attribute__((constructor)) static void library_is_loaded(void)
{
    pthread_atfork(fork_begins, fork_ends_in_parent, fork_ends_in_child);
    cup_user_object_register(); /* they can be made before cuInit */
}

/* Work that has not started never runs; later calls return an error that says why. Functions
 * registered with atexit after cuInit have run by now, those registered before have not, as with
 * NVIDIA's driver. A forked child has no workers to stop. */
static int process_ends(void)
{
    int code = 0;

    if (atomic_exchange(&cup_driver_state, CUP_DRIVER_EXITED) != CUP_DRIVER_READY)
        return 0;
    cup_engine_stop();
    cup_trace_close();
    code = cup_callcheck_report();
    cup_fail_report();
    cup_api_export_table_report();
    return code;
}

/* exit() within a function of atexit() runs the functions that are left, flushes and ends with the
 * new code: ISO C leaves it open, glibc does so. */
static void process_exits(void)
{
    int code = process_ends();

    if (code)
        exit(code);
}

static void process_quits(void)
{
    int code = process_ends();

    if (code)
        _exit(code);
}

static void register_types_locked(void)
{
    cup_lock_assert_held(&library_lock);
    static bool done; /* guarded by library_lock */

    if (done)
        return;
    cup_context_register();
    cup_device_resource_register();
    cup_stream_register();
    cup_event_register();
    cup_array_register();
    cup_mipmap_register();
    cup_texture_register();
    cup_reference_register();
    cup_physical_register();
    cup_pool_register();
    cup_notification_register();
    cup_resource_register();
    cup_module_register();
    cup_function_register();
    cup_library_register();
    cup_kernel_register();
    cup_link_register();
    cup_external_memory_register();
    cup_external_semaphore_register();
    cup_graph_register();
    cup_graph_exec_register();
    done = true;
}

/* Calls before the one that reads the configuration do not count; this one does, once. */
static bool is_to_fail_locked(CUresult *result)
{
    cup_lock_assert_held(&library_lock);
    static const struct cup_call_site site = {.name = "cuInit", .base = "cuInit"};
    bool counted = cup_fail_enabled();

    cup_fail_start();
    return !counted && cup_fail_enabled() && cup_fail_call(&site, result);
}

static CUresult open_library_locked(void)
{
    cup_lock_assert_held(&library_lock);
    CUresult result;

    result = cup_config_load();
    if (result != CUDA_SUCCESS || is_to_fail_locked(&result))
        return result;
    ptx_limit_version(cup_config_get()->ptx_newer ? 0 : cup_driver_current()->ptx);
    cup_checker_init();
    ptx_keep_texts(cup_config_keeps_texts() || cup_config_checks_kernels());
    result = cup_device_init();
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_access_init();
    if (result != CUDA_SUCCESS)
        return result;
    register_types_locked();
    cup_schedule_init();
    cup_guard_install();
    result = cup_memory_init();
    if (result != CUDA_SUCCESS)
        return result;
    if (cup_config_get()->trace_path) {
        result = cup_trace_open(cup_config_get()->trace_path);
        if (result != CUDA_SUCCESS)
            return result;
    }
    cup_collection_init();
    if (cup_config_checks()) {
        result = cup_checker_start();
        if (result != CUDA_SUCCESS)
            return result;
        at_quick_exit(process_quits);
    }
    atexit(process_exits);
    cup_api_checkpoint_start();
    atomic_store_explicit(&cup_driver_state, CUP_DRIVER_READY, memory_order_release);
    return CUDA_SUCCESS;
}

void cup_api_init_lock(void)
{
    cup_lock_acquire(&library_lock);
}

void cup_api_init_unlock(void)
{
    cup_lock_release(&library_lock);
}

CUresult impl_cuInit(unsigned int Flags)
{
    bool is_opened = false;
    CUresult result;

    if (Flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags must be 0, not 0x%x", Flags);
    if (atomic_load_explicit(&cup_driver_state, memory_order_acquire) == CUP_DRIVER_READY)
        return CUDA_SUCCESS;
    int saved = errno;
    cup_lock_acquire(&library_lock);
    if (atomic_load(&cup_driver_state) == CUP_DRIVER_NEW) {
        result = open_library_locked();
        is_opened = result == CUDA_SUCCESS;
    } else {
        result = cup_precondition_handle();
    }
    cup_lock_release(&library_lock);
    if (is_opened)
        cup_api_injection_start();
    errno = saved;
    return result;
}
