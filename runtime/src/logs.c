/* SPDX-License-Identifier: MIT */
/* Entry points of the driver, its logs, profilers. */
#include "context.h"
#include "driver.h"
#include "enter.h"
#include "runtime_impl.h"
#include "version.h"

#include <stdint.h>

cudaError_t impl_cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags)
{
    cudaError_t result = rt_context_bind();

    return result == cudaSuccess ? rt_result(rt_driver.cuLogsCurrent(iterator_out, flags)) : result;
}

cudaError_t impl_cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                                    unsigned int flags)
{
    return rt_result(rt_driver.cuLogsDumpToFile(iterator, pathToFile, flags));
}

cudaError_t impl_cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                      unsigned int flags)
{
    return rt_result(rt_driver.cuLogsDumpToMemory(iterator, buffer, size, flags));
}

cudaError_t impl_cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                          cudaLogsCallbackHandle *callback_out)
{
    return rt_result(
        rt_driver.cuLogsRegisterCallback((CUlogsCallback)callbackFunc, userData, callback_out));
}

cudaError_t impl_cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback)
{
    return rt_result(rt_driver.cuLogsUnregisterCallback(callback));
}

cudaError_t impl_cudaProfilerStart(void)
{
    return rt_result(rt_driver.cuProfilerStart());
}

cudaError_t impl_cudaProfilerStop(void)
{
    cudaError_t result = rt_result(rt_driver.cuProfilerStop());

    /* Without a context, or with one that was reset, there is no profiling to stop. */
    return result == cudaErrorDeviceUninitialized || result == cudaErrorContextIsDestroyed
               ? cudaSuccess
               : result;
}

/* Export tables are private to NVIDIA's libraries and not supported. */
cudaError_t impl_cudaGetExportTable(const void **ppExportTable, const cudaUUID_t *pExportTableId)
{
    if (!ppExportTable || !pExportTableId)
        return cudaErrorInvalidValue;
    return cudaErrorNotSupported;
}

/* Returns cudaSuccess even if the driver has no such function: *status tells. */
static cudaError_t entry_point(const char *symbol, void **funcPtr, unsigned version,
                               unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *driverStatus,
                               cudaStream_t default_stream)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult result;

    if (!symbol || !funcPtr)
        return cudaErrorInvalidValue;
    if (default_stream == cudaStreamPerThread && flags == cudaEnableDefault)
        flags = cudaEnablePerThreadDefaultStream;
    result = rt_driver.cuGetProcAddress_v2(symbol, funcPtr, (int)version, flags, &status);
    if (result == CUDA_ERROR_NOT_FOUND)
        *funcPtr = NULL;
    if (driverStatus && (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_FOUND))
        *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    if (result == CUDA_ERROR_NOT_FOUND && driverStatus)
        return cudaSuccess;
    return rt_result(result);
}

cudaError_t impl_cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus, cudaStream_t default_stream)
{
    return entry_point(symbol, funcPtr, cudaVersion, flags, driverStatus, default_stream);
}

cudaError_t impl_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus,
                                         cudaStream_t default_stream)
{
    /* A driver refuses to look for functions of a version that is newer than its own. */
    int version = rt_version() < rt_driver_version ? rt_version() : rt_driver_version;

    return entry_point(symbol, funcPtr, (unsigned)version, flags, driverStatus, default_stream);
}
