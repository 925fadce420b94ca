/* SPDX-License-Identifier: MIT */
/* Attributes, names and parameters of kernels; occupancy. */
#include "context.h"
#include "driver.h"
#include "registry.h"
#include "runtime_impl.h"

#include <string.h>

/* The function of a kernel in the current context. */
static cudaError_t find_function(const void *func, CUfunction *function)
{
    CUkernel kernel;
    cudaError_t result = rt_registry_kernel(func, &kernel);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuKernelGetFunction(function, kernel));
}

/* A kernel and the device of the current context; attributes are stored per pair. */
static cudaError_t find_kernel(const void *func, CUkernel *kernel, CUdevice *device)
{
    CUfunction function;
    cudaError_t result = rt_registry_kernel(func, kernel);

    if (result == cudaSuccess)
        result = rt_context_bind();
    /* This fails in a context with a sticky error. */
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuKernelGetFunction(&function, *kernel));
    return result == cudaSuccess ? rt_context_device(device) : result;
}

struct attribute_place {
    CUfunction_attribute attribute;
    size_t offset;
    bool wide; /* size_t in the runtime's struct */
    int since; /* 0: every driver knows it; the field of one that the driver does not know is 0 */
};

#define NEWER(attribute, field, since)                                                             \
    {                                                                                              \
        attribute, offsetof(struct cudaFuncAttributes, field), false, since                        \
    }
#define NARROW(attribute, field) NEWER(attribute, field, 0)
#define WIDE(attribute, field)                                                                     \
    {                                                                                              \
        attribute, offsetof(struct cudaFuncAttributes, field), true, 0                             \
    }

static const struct attribute_place attribute_places[] = {
    WIDE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, sharedSizeBytes),
    WIDE(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, constSizeBytes),
    WIDE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, localSizeBytes),
    NARROW(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, maxThreadsPerBlock),
    NARROW(CU_FUNC_ATTRIBUTE_NUM_REGS, numRegs),
    NARROW(CU_FUNC_ATTRIBUTE_PTX_VERSION, ptxVersion),
    NARROW(CU_FUNC_ATTRIBUTE_BINARY_VERSION, binaryVersion),
    NARROW(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, cacheModeCA),
    NARROW(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, maxDynamicSharedSizeBytes),
    NARROW(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, preferredShmemCarveout),
    NARROW(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, clusterDimMustBeSet),
    NARROW(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, requiredClusterWidth),
    NARROW(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, requiredClusterHeight),
    NARROW(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, requiredClusterDepth),
    NARROW(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
           clusterSchedulingPolicyPreference),
    NARROW(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, nonPortableClusterSizeAllowed),
    NEWER(CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED, deviceNodeUpdateStatus, 13030),
    NEWER(CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, sharedMemoryMode, 13040),
};

cudaError_t impl_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct cudaFuncAttributes found;
    CUkernel kernel;
    CUdevice device;
    cudaError_t result;

    if (!attr)
        return cudaErrorInvalidValue;
    result = find_kernel(func, &kernel, &device);
    if (result != cudaSuccess)
        return result;
    memset(&found, 0, sizeof found);
    for (size_t i = 0; i < sizeof attribute_places / sizeof *attribute_places; i++) {
        const struct attribute_place *place = &attribute_places[i];
        char *field = (char *)&found + place->offset;
        int value;

        if (place->since > rt_driver_version)
            continue;
        result =
            rt_result(rt_driver.cuKernelGetAttribute(&value, place->attribute, kernel, device));
        if (result != cudaSuccess && place->since)
            continue;
        if (result != cudaSuccess)
            return result;
        if (place->wide)
            memcpy(field, &(size_t){(size_t)value}, sizeof(size_t));
        else
            memcpy(field, &value, sizeof value);
    }
    *attr = found;
    return cudaSuccess;
}

cudaError_t impl_cudaFuncGetName(const char **name, const void *func)
{
    CUkernel kernel;
    cudaError_t result;

    if (!name)
        return cudaErrorInvalidValue;
    result = rt_registry_kernel(func, &kernel);
    return result != cudaSuccess ? result : rt_result(rt_driver.cuKernelGetName(name, kernel));
}

cudaError_t impl_cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                      size_t *paramSize)
{
    CUkernel kernel;
    cudaError_t result = rt_registry_kernel(func, &kernel);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuKernelGetParamInfo(kernel, paramIndex, paramOffset, paramSize));
}

cudaError_t impl_cudaFuncGetParamCount(const void *func, size_t *paramCount)
{
    CUkernel kernel;
    cudaError_t result = rt_registry_kernel(func, &kernel);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuKernelGetParamCount(kernel, paramCount));
}

static bool can_be_set(enum cudaFuncAttribute attr)
{
    return attr >= cudaFuncAttributeMaxDynamicSharedMemorySize && attr < cudaFuncAttributeMax;
}

/* The driver has one attribute that cannot be set between those that can. */
static CUfunction_attribute driver_attribute(enum cudaFuncAttribute attr)
{
    return attr == cudaFuncAttributeSharedMemoryMode ? CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE
                                                     : (CUfunction_attribute)attr;
}

cudaError_t impl_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    CUkernel kernel;
    CUdevice device;
    cudaError_t result;

    if (!can_be_set(attr))
        return cudaErrorInvalidValue;
    result = find_kernel(func, &kernel, &device);
    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuKernelSetAttribute(driver_attribute(attr), value, kernel, device));
}

cudaError_t impl_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuFuncSetCacheConfig(function, (CUfunc_cache)cacheConfig));
}

cudaError_t impl_cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuFuncSetSharedMemConfig(function, (CUsharedconfig)config));
}

cudaError_t impl_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    CUfunction function;
    cudaError_t result;

    if (!rt_registry_is_kernel(symbolPtr))
        return cudaErrorInvalidDeviceFunction;
    result = find_function(symbolPtr, &function);
    if (result == cudaSuccess && functionPtr)
        *functionPtr = function;
    return result;
}

cudaError_t impl_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                                 int value, int device)
{
    CUdevice handle;
    cudaError_t result;

    if (!can_be_set(attr))
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuDeviceGet(&handle, device));
    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuKernelSetAttribute(driver_attribute(attr), value, kernel, handle));
}

/* Occupancy. */

cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags)
{
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, function, blockSize, dynamicSMemSize, flags));
}

cudaError_t impl_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                               int blockSize,
                                                               size_t dynamicSMemSize)
{
    return impl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

cudaError_t impl_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                           const void *func, int numBlocks,
                                                           int blockSize)
{
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, function,
                                                                       numBlocks, blockSize));
}

void rt_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out);

cudaError_t impl_cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                      const cudaLaunchConfig_t *launchConfig)
{
    CUlaunchConfig config;
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    if (!launchConfig)
        return cudaErrorInvalidValue;
    rt_launch_config(launchConfig, &config);
    return rt_result(rt_driver.cuOccupancyMaxPotentialClusterSize(clusterSize, function, &config));
}

cudaError_t impl_cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                const cudaLaunchConfig_t *launchConfig)
{
    CUlaunchConfig config;
    CUfunction function;
    cudaError_t result = find_function(func, &function);

    if (result != cudaSuccess)
        return result;
    if (!launchConfig)
        return cudaErrorInvalidValue;
    rt_launch_config(launchConfig, &config);
    return rt_result(rt_driver.cuOccupancyMaxActiveClusters(numClusters, function, &config));
}
