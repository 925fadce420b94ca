/* SPDX-License-Identifier: MIT */
/* Events. */
#include "driver.h"
#include "runtime_bodies.h"

cudaError_t body_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return rt_result(rt_driver.cuEventCreate(event, flags));
}

cudaError_t body_cudaEventCreate(cudaEvent_t *event)
{
    return body_cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t body_cudaEventDestroy(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventDestroy_v2(event));
}

cudaError_t body_cudaEventQuery(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventQuery(event));
}

cudaError_t body_cudaEventSynchronize(cudaEvent_t event)
{
    return rt_result(rt_driver.cuEventSynchronize(event));
}

cudaError_t body_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                          unsigned int flags)
{
    return rt_result(rt_driver.cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t body_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return rt_result(rt_driver.cuEventRecord(event, stream));
}

cudaError_t body_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return rt_result(rt_driver.cuEventElapsedTime_v2(ms, start, end));
}
