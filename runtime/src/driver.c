/* SPDX-License-Identifier: MIT */
/* Loads libcuda.so.1 and looks its functions up. */
#include "driver.h"

#include "observe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct rt_driver_table rt_driver;
atomic_bool rt_driver_ready;
int rt_driver_devices;
int rt_driver_version;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;             /* guarded by start_lock */
static cudaError_t start_result; /* guarded by start_lock */

static CUresult absent(void)
{
    return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER;
}

/* Called with start_lock, as is ask_driver. */
static bool load_functions(void)
{
    static void *library; /* guarded by start_lock */
    void **slots = (void **)(void *)&rt_driver;

    if (library)
        return true;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && rt_driver_names[i]; i++) {
        slots[i] = dlsym(library, rt_driver_names[i]);
        if (!slots[i])
            slots[i] = (void *)absent;
    }
    return library;
}

static cudaError_t ask_driver(CUresult result)
{
    rt_observe_start();
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceGetCount(&rt_driver_devices);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDriverGetVersion(&rt_driver_version);
    return rt_result(result);
}

/* cuInit is called without the lock, because it may load a tool that calls the runtime; then the
 * tool's call starts it. */
cudaError_t rt_driver_start(void)
{
    CUresult initialised = CUDA_SUCCESS;
    cudaError_t result;
    bool has_started;

    pthread_mutex_lock(&start_lock);
    if (!started && !load_functions()) {
        started = true;
        start_result = cudaErrorInsufficientDriver;
    }
    has_started = started;
    pthread_mutex_unlock(&start_lock);
    if (!has_started)
        initialised = rt_driver.cuInit(0);
    pthread_mutex_lock(&start_lock);
    if (!started) {
        started = true;
        start_result = ask_driver(initialised);
        atomic_store_explicit(&rt_driver_ready, start_result == cudaSuccess, memory_order_release);
    }
    result = start_result;
    pthread_mutex_unlock(&start_lock);
    return result;
}
