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

static cudaError_t load(void)
{
    void **slots = (void **)(void *)&rt_driver;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CUresult result;

    if (!library)
        return cudaErrorInsufficientDriver;
    for (size_t i = 0; rt_driver_names[i]; i++) {
        slots[i] = dlsym(library, rt_driver_names[i]);
        if (!slots[i])
            slots[i] = (void *)absent;
    }
    result = rt_driver.cuInit(0);
    rt_observe_start();
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDeviceGetCount(&rt_driver_devices);
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuDriverGetVersion(&rt_driver_version);
    return rt_result(result);
}

cudaError_t rt_driver_start(void)
{
    cudaError_t result;

    pthread_mutex_lock(&start_lock);
    if (!started) {
        started = true;
        start_result = load();
        atomic_store_explicit(&rt_driver_ready, start_result == cudaSuccess, memory_order_release);
    }
    result = start_result;
    pthread_mutex_unlock(&start_lock);
    return result;
}
