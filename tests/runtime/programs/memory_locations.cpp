// SPDX-License-Identifier: MIT
// Where managed memory is, what a pool says of itself, and locality domains, of which the device
// has one.
#include "check.h"
#include <cuda_runtime.h>

int main()
{
    const size_t mib = 1 << 20;
    cudaMemLocation device = {}, found[2];
    cudaPointerAttributes attributes;
    cudaMemLocationType location;
    char *managed, *plain;
    cudaMemPool_t pool;
    int count, all;

    device.type = cudaMemLocationTypeDevice;
    CHECK_CUDA(cudaMallocManaged(&managed, 4 * mib));
    CHECK_CUDA(cudaMalloc(&plain, 4 * mib));
    CHECK_CUDA(cudaMemset(managed, 1, 4 * mib));
    CHECK_CUDA(cudaMemPrefetchAsync(managed, 4 * mib, device, 0, nullptr));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemGetLocationInfo(managed, 4 * mib, 2 * mib, 0, found));
    for (const cudaMemLocation &each : found)
        CHECK(each.type == cudaMemLocationTypeDevice && each.id == 0);
    CHECK(cudaMemGetLocationInfo(managed, 4 * mib, 0, 0, found) == cudaErrorInvalidValue);
    CHECK(cudaMemGetLocationInfo(managed, mib, 2 * mib, 0, found) == cudaErrorInvalidValue);
    CHECK(cudaMemGetLocationInfo(managed, 4 * mib, mib, 2 * mib, found) == cudaErrorInvalidValue);
    CHECK(cudaMemGetLocationInfo(plain, 4 * mib, 2 * mib, 0, found) == cudaErrorInvalidValue);

    CHECK_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrLocalityDomainCount, 0));
    CHECK(count == 1);
    CHECK_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrLocalityDomainMultiprocessorCount, 0));
    CHECK_CUDA(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
    CHECK(count == all);
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrLocationType, &location));
    CHECK(location == cudaMemLocationTypeDevice);
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, plain));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.localityDomainOrdinal == -1);
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, &device));
    CHECK(attributes.type == cudaMemoryTypeUnregistered && attributes.localityDomainOrdinal == -1);
    return 0;
}
