/* SPDX-License-Identifier: MIT */
/* Memory and events shared between processes. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>
#include <string.h>

cudaError_t impl_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    return rt_result(rt_driver.cuIpcGetMemHandle((CUipcMemHandle *)(void *)handle,
                                                 (CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t impl_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    CUipcMemHandle driver_handle;

    memcpy(&driver_handle, &handle, sizeof driver_handle);
    return rt_result(
        rt_driver.cuIpcOpenMemHandle_v2((CUdeviceptr *)(void *)devPtr, driver_handle, flags));
}

cudaError_t impl_cudaIpcCloseMemHandle(void *devPtr)
{
    return rt_result(rt_driver.cuIpcCloseMemHandle((CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t impl_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    return rt_result(rt_driver.cuIpcGetEventHandle((CUipcEventHandle *)(void *)handle, event));
}

cudaError_t impl_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUipcEventHandle driver_handle;

    memcpy(&driver_handle, &handle, sizeof driver_handle);
    return rt_result(rt_driver.cuIpcOpenEventHandle(event, driver_handle));
}
