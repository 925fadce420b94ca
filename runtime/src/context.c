/* SPDX-License-Identifier: MIT */
/* Primary contexts, and the device that a thread has chosen. */
#include "context.h"

#include "enter.h"
#include "registry.h"

#include <pthread.h>

enum { DEVICES_MAX = 256 };

enum { NOT_CHOSEN = -1 };

/* The device chosen by cudaSetDevice; used where no context is current. */
static __thread CUdevice thread_device = NOT_CHOSEN;
/* The device of threads that chose none: the first one given to cudaSetValidDevices. */
static _Atomic(CUdevice) default_device;

/* The primary contexts that the runtime has retained. Their handles stay the same when a context is
 * reset and made again. */
static pthread_mutex_t primaries_lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primaries[DEVICES_MAX]; /* guarded by primaries_lock */
/* guarded by primaries_lock; the runtime has retained the context */
static bool held[DEVICES_MAX];

static CUdevice chosen(void)
{
    return thread_device == NOT_CHOSEN ? atomic_load(&default_device) : thread_device;
}

void rt_context_set_default_device(CUdevice device)
{
    atomic_store(&default_device, device);
}

static bool is_active(CUdevice device)
{
    unsigned flags;
    int active = 0;

    return rt_driver.cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active;
}

/* Whether the error is a kernel's sticky error, after which the device is unusable in this
 * process. */
static bool is_fault(cudaError_t error)
{
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout ||
           error == cudaErrorAssert || error == cudaErrorTensorMemoryLeak ||
           (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure);
}

RT_HOLDS cudaError_t rt_context_retain(CUdevice device, CUcontext *context)
{
    CUresult result = CUDA_SUCCESS;

    if (device < 0 || device >= DEVICES_MAX)
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&primaries_lock);
    /* The application may have reset or released the context through the driver. */
    if (!held[device] || !is_active(device)) {
        result = rt_driver.cuDevicePrimaryCtxRetain(&primaries[device], device);
        held[device] = result == CUDA_SUCCESS;
    }
    if (result == CUDA_SUCCESS)
        *context = primaries[device];
    pthread_mutex_unlock(&primaries_lock);
    /* No context can be created after a kernel's fault: report that and not the fault. */
    return is_fault(rt_result(result)) ? cudaErrorDevicesUnavailable : rt_result(result);
}

bool rt_context_is_primary(CUcontext context, CUdevice device, CUcontext *primary)
{
    pthread_mutex_lock(&primaries_lock);
    *primary = device >= 0 && device < DEVICES_MAX ? primaries[device] : NULL;
    pthread_mutex_unlock(&primaries_lock);
    return context == *primary;
}

/* The application may have retained the context too: only the runtime's reference is released. */
RT_HOLDS cudaError_t rt_context_reset(CUdevice device)
{
    CUresult result = CUDA_SUCCESS;

    if (device < 0 || device >= DEVICES_MAX)
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&primaries_lock);
    if (is_active(device)) {
        result = rt_driver.cuDevicePrimaryCtxReset_v2(device);
        if (held[device])
            rt_driver.cuDevicePrimaryCtxRelease_v2(device);
        held[device] = false;
    }
    pthread_mutex_unlock(&primaries_lock);
    return rt_result(result);
}

static cudaError_t make_current(CUdevice device)
{
    CUcontext context = NULL; /* gcc 13 does not see that a success sets it */
    cudaError_t result = rt_context_retain(device, &context);

    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuCtxSetCurrent(context));
    if (result == cudaSuccess)
        rt_registry_context_made();
    return result;
}

cudaError_t rt_context_set_device(int device)
{
    CUdevice handle;
    cudaError_t result = rt_result(rt_driver.cuDeviceGet(&handle, device));

    if (result == cudaSuccess)
        result = make_current(handle);
    if (result == cudaSuccess)
        thread_device = handle;
    return result;
}

/* Whether a primary context must become current instead of `current`, and of which device: if no
 * context is current, or it is a primary context that was reset or released. */
static bool needs_primary(CUcontext current, CUdevice *device)
{
    bool needed = !current;

    *device = chosen();
    pthread_mutex_lock(&primaries_lock);
    for (CUdevice i = 0; i < DEVICES_MAX && current; i++) {
        if (primaries[i] != current)
            continue;
        *device = i;
        needed = !held[i] || !is_active(i);
        break;
    }
    pthread_mutex_unlock(&primaries_lock);
    return needed;
}

cudaError_t rt_context_device(CUdevice *device)
{
    CUcontext current = NULL;
    CUresult result = rt_driver.cuCtxGetCurrent(&current);
    CUdevice found;

    if (result != CUDA_SUCCESS)
        return rt_result(result);
    *device = chosen();
    if (current && rt_driver.cuCtxGetDevice(&found) == CUDA_SUCCESS)
        *device = found;
    return cudaSuccess;
}

__thread bool rt_thread_permitted;

cudaError_t rt_thread_permit(void)
{
    CUcontext current = NULL;
    cudaError_t result = rt_enter();
    CUresult asked;

    if (result != cudaSuccess)
        return result;
    asked = rt_driver.cuCtxGetCurrent(&current);
    if (asked == CUDA_ERROR_NOT_PERMITTED)
        return cudaErrorNotPermitted;
    /* The driver's calls on streams and events succeed without a context, and what the thread asks
     * next, the device's address of memory for instance, fails without one. A context that does not
     * exist is left to the call: one with invalid arguments makes none. */
    if (asked == CUDA_SUCCESS && !current && is_active(chosen()))
        make_current(chosen());
    rt_thread_permitted = true;
    return cudaSuccess;
}

cudaError_t rt_context_bind(void)
{
    CUcontext current = NULL;
    CUdevice device;
    CUresult result = rt_driver.cuCtxGetCurrent(&current);

    if (result != CUDA_SUCCESS)
        return rt_result(result);
    return needs_primary(current, &device) ? make_current(device) : cudaSuccess;
}

cudaError_t rt_context_current(CUcontext *context)
{
    cudaError_t result = rt_context_bind();

    return result == cudaSuccess ? rt_result(rt_driver.cuCtxGetCurrent(context)) : result;
}

bool rt_context_is_live(void)
{
    CUcontext current = NULL;
    CUdevice device;

    return rt_driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && !needs_primary(current, &device);
}

cudaError_t rt_context_failed(void **out, cudaError_t result)
{
    if (rt_context_is_live())
        *out = NULL;
    return result;
}

bool rt_context_recover(cudaError_t *result)
{
    CUcontext current = NULL;
    CUdevice device;
    cudaError_t made;

    if (*result != cudaErrorDeviceUninitialized && *result != cudaErrorContextIsDestroyed &&
        !is_fault(*result))
        return false;
    if (rt_driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || !needs_primary(current, &device))
        return false;
    made = make_current(device);
    if (made != cudaSuccess)
        *result = made;
    return made == cudaSuccess;
}
