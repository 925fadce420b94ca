/* SPDX-License-Identifier: MIT */
/* Events. */
#include "driver.h"
#include "runtime_impl.h"

cudaError_t impl_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return rt_result(rt_driver.cuEventCreate(event, flags));
}

cudaError_t impl_cudaEventCreate(cudaEvent_t *event)
{
    return impl_cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t impl_cudaEventDestroy(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventDestroy_v2(event));
}

cudaError_t impl_cudaEventQuery(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventQuery(event));
}

cudaError_t impl_cudaEventSynchronize(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventSynchronize(event));
}

cudaError_t impl_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                          unsigned int flags)
{
    return rt_result(rt_driver.cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t impl_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return rt_result(rt_driver.cuEventRecord(event, stream));
}

cudaError_t impl_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return cudaErrorInvalidValue;
    return rt_result(rt_driver.cuEventElapsedTime_v2(ms, start, end));
}
