/* SPDX-License-Identifier: MIT */
/* The functions with which compiled programs register their code, and look-ups of it. */
#include "fatbin.h"
#include "context.h"
#include "enter.h"
#include "registry.h"
#include "runtime_impl.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t fatbins_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_fatbin *fatbins; /* guarded by fatbins_lock */

/* Must not fail: if memory is out, the handle is NULL and the rest of the registration is
 * ignored. */
void **__cudaRegisterFatBinary(void *wrapper)
{
    struct rt_fatbin *fatbin = calloc(1, sizeof *fatbin);

    if (!fatbin)
        return NULL;
    fatbin->wrapper = wrapper;
    pthread_mutex_init(&fatbin->lock, NULL);
    pthread_mutex_lock(&fatbins_lock);
    fatbin->next = fatbins;
    fatbin->previous = &fatbins;
    if (fatbins)
        fatbins->previous = &fatbin->next;
    fatbins = fatbin;
    pthread_mutex_unlock(&fatbins_lock);
    return (void **)fatbin;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Runs when a shared object is unloaded and when the process ends. In the latter case the driver's
 * exit handlers may have run; the driver then refuses to unload, and nothing is lost. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct rt_fatbin *fatbin = (struct rt_fatbin *)handle;
    CUlibrary library;

    if (!fatbin)
        return;
    pthread_mutex_lock(&fatbins_lock);
    *fatbin->previous = fatbin->next;
    if (fatbin->next)
        fatbin->next->previous = fatbin->previous;
    pthread_mutex_unlock(&fatbins_lock);
    for (struct rt_kernel *kernel = fatbin->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        rt_host_remove(&kernel->host);
        free(kernel);
    }
    for (struct rt_variable *variable = fatbin->variables, *next; variable; variable = next) {
        next = variable->next;
        rt_host_remove(&variable->host);
        free(variable);
    }
    library = atomic_load_explicit(&fatbin->library, memory_order_acquire);
    if (library)
        rt_driver.cuLibraryUnload(library);
    pthread_mutex_destroy(&fatbin->lock);
    free(fatbin);
}

void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int threadLimit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize)
{
    struct rt_fatbin *fatbin = (struct rt_fatbin *)handle;
    struct rt_kernel *kernel = fatbin ? calloc(1, sizeof *kernel) : NULL;

    (void)deviceFun, (void)threadLimit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    if (!kernel)
        return;
    *kernel = (struct rt_kernel){.host = {.address = hostFun, .kind = RT_HOST_KERNEL},
                                 .next = fatbin->kernels,
                                 .fatbin = fatbin,
                                 .name = deviceName};
    fatbin->kernels = kernel;
    rt_host_add(&kernel->host);
}

static struct rt_variable *add_variable(void **handle, const void *address, const char *name,
                                        size_t size, void **managed)
{
    struct rt_fatbin *fatbin = (struct rt_fatbin *)handle;
    struct rt_variable *variable = fatbin ? calloc(1, sizeof *variable) : NULL;

    if (!variable)
        return NULL;
    *variable = (struct rt_variable){.host = {.address = address, .kind = RT_HOST_VARIABLE},
                                     .next = fatbin->variables,
                                     .fatbin = fatbin,
                                     .name = name,
                                     .size = size,
                                     .managed = managed};
    fatbin->variables = variable;
    rt_host_add(&variable->host);
    return variable;
}

void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    add_variable(handle, hostVar, deviceName, size, NULL);
}

void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size)
{
    add_variable(handle, hostVar, deviceName, size, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **hostVarPtr, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global)
{
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    add_variable(handle, hostVarPtr, deviceName, size, hostVarPtr);
}

/* Unified functions need hardware that shares code addresses with the host. */
void __cudaRegisterUnifiedTable(void **handle, const void *table, size_t size)
{
    (void)handle, (void)table, (void)size;
}

/* Stores the address of a managed variable in the program's pointer, and registers the variable
 * under that address too, because the program passes it as symbol. */
static cudaError_t place_managed(struct rt_variable *variable)
{
    CUlibrary library;
    CUdeviceptr address;
    cudaError_t result = rt_fatbin_library(variable->fatbin, &library);

    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuLibraryGetManaged(&address, NULL, library, variable->name));
    if (result != cudaSuccess)
        return result;
    rt_host_remove(&variable->host);
    variable->host.address = (const void *)(uintptr_t)address;
    *variable->managed = (void *)(uintptr_t)address;
    rt_host_add(&variable->host);
    return cudaSuccess;
}

static cudaError_t place_all_managed(struct rt_fatbin *fatbin)
{
    cudaError_t result = cudaSuccess;

    for (struct rt_variable *v = fatbin->variables; v && result == cudaSuccess; v = v->next)
        if (v->managed)
            result = place_managed(v);
    return result;
}

char __cudaInitModule(void **handle)
{
    struct rt_fatbin *fatbin = (struct rt_fatbin *)handle;
    cudaError_t result = rt_enter();

    if (result == cudaSuccess)
        result = rt_context_bind();
    pthread_mutex_lock(&fatbins_lock); /* another thread may be placing them */
    if (result == cudaSuccess && fatbin)
        result = place_all_managed(fatbin);
    pthread_mutex_unlock(&fatbins_lock);
    if (result != cudaSuccess)
        rt_error_record(result);
    return result == cudaSuccess;
}

static bool loads_eagerly(void)
{
    const char *mode = secure_getenv("CUDA_MODULE_LOADING");

    return mode && strcmp(mode, "EAGER") == 0;
}

void rt_registry_context_made(void)
{
    bool eager = loads_eagerly();

    pthread_mutex_lock(&fatbins_lock);
    for (struct rt_fatbin *fatbin = fatbins; fatbin; fatbin = fatbin->next) {
        CUlibrary library = atomic_load_explicit(&fatbin->library, memory_order_acquire);

        if (eager && !library)
            rt_fatbin_library(fatbin, &library);
        if (library)
            place_all_managed(fatbin);
    }
    pthread_mutex_unlock(&fatbins_lock);
}

static cudaError_t kernel_handle(struct rt_kernel *kernel, CUkernel *handle)
{
    CUlibrary library;
    cudaError_t result = rt_fatbin_library(kernel->fatbin, &library);

    if (result != cudaSuccess)
        return result;
    result = rt_result(rt_driver.cuLibraryGetKernel(handle, library, kernel->name));
    if (result == cudaErrorSymbolNotFound)
        return cudaErrorInvalidDeviceFunction;
    if (result == cudaSuccess)
        atomic_store_explicit(&kernel->handle, *handle, memory_order_release);
    return result;
}

cudaError_t rt_registry_kernel(const void *function, CUkernel *handle)
{
    struct rt_host *host;

    if (!function)
        return cudaErrorInvalidDeviceFunction;
    host = rt_host_find(function);
    if (!host || host->kind != RT_HOST_KERNEL) {
        *handle = (CUkernel)(uintptr_t)function;
        return cudaSuccess;
    }
    *handle = atomic_load_explicit(&((struct rt_kernel *)host)->handle, memory_order_acquire);
    return *handle ? cudaSuccess : kernel_handle((struct rt_kernel *)host, handle);
}

bool rt_registry_is_kernel(const void *address)
{
    struct rt_host *host = rt_host_find(address);

    return host && host->kind == RT_HOST_KERNEL;
}

void *rt_registry_host_function(CUkernel kernel)
{
    const void *found = kernel;

    pthread_mutex_lock(&fatbins_lock);
    for (struct rt_fatbin *fatbin = fatbins; fatbin; fatbin = fatbin->next)
        for (struct rt_kernel *k = fatbin->kernels; k; k = k->next)
            if (atomic_load_explicit(&k->handle, memory_order_relaxed) == kernel)
                found = k->host.address;
    pthread_mutex_unlock(&fatbins_lock);
    return (void *)(uintptr_t)found;
}

cudaError_t rt_registry_symbol(const void *symbol, CUdeviceptr *address, size_t *size)
{
    struct rt_host *host = rt_host_find(symbol);
    struct rt_variable *variable = (struct rt_variable *)host;
    CUlibrary library;
    CUdeviceptr found;
    cudaError_t result;

    if (!host || host->kind != RT_HOST_VARIABLE)
        return cudaErrorInvalidSymbol;
    result = rt_fatbin_library(variable->fatbin, &library);
    if (result != cudaSuccess)
        return result;
    result = rt_result(variable->managed
                           ? rt_driver.cuLibraryGetManaged(&found, size, library, variable->name)
                           : rt_driver.cuLibraryGetGlobal(&found, size, library, variable->name));
    if (result == cudaErrorSymbolNotFound)
        return cudaErrorInvalidSymbol;
    if (result == cudaSuccess && address)
        *address = found;
    return result;
}

static cudaKernel_t unresolved(const struct rt_host *host)
{
    return (cudaKernel_t)((uintptr_t)host | 1);
}

/* The program may pass any number: what is not registered is not read. */
cudaError_t rt_registry_resolve(cudaKernel_t handle, CUkernel *kernel)
{
    const void *function = NULL;

    pthread_mutex_lock(&fatbins_lock);
    for (struct rt_fatbin *fatbin = fatbins; fatbin; fatbin = fatbin->next)
        for (struct rt_kernel *k = fatbin->kernels; k; k = k->next)
            if (unresolved(&k->host) == handle)
                function = k->host.address;
    pthread_mutex_unlock(&fatbins_lock);
    return rt_registry_kernel(function, kernel);
}

cudaError_t impl___cudaGetKernel(cudaKernel_t *kernel, const void *hostFun)
{
    struct rt_host *host = rt_host_find(hostFun);
    CUkernel handle;
    cudaError_t result;

    if (!kernel)
        return cudaErrorInvalidValue;
    if (!host || host->kind != RT_HOST_KERNEL)
        return cudaErrorInvalidDeviceFunction;
    result = rt_registry_kernel(hostFun, &handle);
    *kernel = result == cudaSuccess ? handle : unresolved(host);
    return result;
}

cudaError_t impl_cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    return impl___cudaGetKernel(kernelPtr, entryFuncAddr);
}

void *__cudaGetProcAddress(const char *name)
{
    (void)name;
    return NULL;
}
