/* SPDX-License-Identifier: MIT */
/* Managed memory: allocating, advising, prefetching, discarding, querying. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    CUdeviceptr address;
    cudaError_t result;

    if (!devPtr)
        return cudaErrorInvalidValue;
    if (size == 0) {
        *devPtr = NULL;
        return rt_context_bind();
    }
    result = rt_result(rt_driver.cuMemAllocManaged(&address, size, flags));
    if (result != cudaSuccess)
        return rt_context_failed(devPtr, result);
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

static CUmemLocation driver_location(struct cudaMemLocation location)
{
    return (CUmemLocation){.type = (CUmemLocationType)location.type, .id = location.id};
}

cudaError_t impl_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                               struct cudaMemLocation location)
{
    return rt_result(rt_driver.cuMemAdvise_v2((CUdeviceptr)(uintptr_t)devPtr, count,
                                              (CUmem_advise)advice, driver_location(location)));
}

cudaError_t impl_cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                      struct cudaMemLocation location, unsigned int flags,
                                      cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemPrefetchAsync_v2((CUdeviceptr)(uintptr_t)devPtr, count,
                                                     driver_location(location), flags, stream));
}

cudaError_t impl_cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                           struct cudaMemLocation *prefetchLocs,
                                           size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                           unsigned long long flags, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemPrefetchBatchAsync(
        (CUdeviceptr *)(void *)dptrs, sizes, count, (CUmemLocation *)(void *)prefetchLocs,
        prefetchLocIdxs, numPrefetchLocs, flags, stream));
}

cudaError_t impl_cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                          unsigned long long flags, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemDiscardBatchAsync((CUdeviceptr *)(void *)dptrs, sizes, count,
                                                      flags, stream));
}

cudaError_t impl_cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs,
                                                     size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs,
                                                     unsigned long long flags, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemDiscardAndPrefetchBatchAsync(
        (CUdeviceptr *)(void *)dptrs, sizes, count, (CUmemLocation *)(void *)prefetchLocs,
        prefetchLocIdxs, numPrefetchLocs, flags, stream));
}

cudaError_t impl_cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                          enum cudaMemRangeAttribute attribute, const void *devPtr,
                                          size_t count)
{
    return rt_result(rt_driver.cuMemRangeGetAttribute(
        data, dataSize, (CUmem_range_attribute)attribute, (CUdeviceptr)(uintptr_t)devPtr, count));
}

cudaError_t impl_cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                           enum cudaMemRangeAttribute *attributes,
                                           size_t numAttributes, const void *devPtr, size_t count)
{
    return rt_result(rt_driver.cuMemRangeGetAttributes(
        data, dataSizes, (CUmem_range_attribute *)(void *)attributes, numAttributes,
        (CUdeviceptr)(uintptr_t)devPtr, count));
}

_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation),
               "locations are the driver's");

cudaError_t impl_cudaMemGetLocationInfo(void *devPtr, size_t size, size_t summaryGranularity,
                                        size_t samplingGranularity,
                                        struct cudaMemLocation *location_out)
{
    return rt_result(rt_driver.cuMemGetLocationInfo((CUdeviceptr)(uintptr_t)devPtr, size,
                                                    summaryGranularity, samplingGranularity,
                                                    (CUmemLocation *)(void *)location_out));
}
