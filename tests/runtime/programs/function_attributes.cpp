// SPDX-License-Identifier: MIT
// The attributes of a kernel, also those that the driver is too old to know.
#include "check.h"
#include "ptx_kernels.h"
#include <cstring>
#include <cuda_runtime.h>

int main()
{
    cudaFuncAttributes found;

    load_kernels();
    std::memset(&found, 0xee, sizeof found);
    CHECK_CUDA(cudaFuncGetAttributes(&found, &add_entry));
    CHECK(found.maxThreadsPerBlock == 1024 && found.sharedSizeBytes == 0);
    CHECK(found.deviceNodeUpdateStatus == 0 || found.deviceNodeUpdateStatus == 1);
    CHECK(found.sharedMemoryMode == cudaSharedMemoryModeDefault);
    for (int each : found.reserved)
        CHECK(each == 0);
    CHECK_CUDA(cudaFuncSetAttribute(&add_entry, cudaFuncAttributeMaxDynamicSharedMemorySize, 99));
    CHECK_CUDA(cudaFuncGetAttributes(&found, &add_entry));
    CHECK(found.maxDynamicSharedSizeBytes == 99);
    CHECK(cudaFuncSetAttribute(&add_entry, cudaFuncAttributeMax, 1) == cudaErrorInvalidValue);
    return 0;
}
