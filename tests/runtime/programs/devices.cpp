// SPDX-License-Identifier: MIT
// A C++ program that calls the runtime and has no kernels.
#include "check.h"
#include <cuda_runtime.h>

int main()
{
    int count = 0, version = 0;
    float *memory, value = 2.5f, back = 0;

    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK_CUDA(cudaRuntimeGetVersion(&version));
    CHECK_CUDA(cudaMalloc(&memory, sizeof(float)));
    CHECK_CUDA(cudaMemcpy(memory, &value, sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(&back, memory, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(memory));
    CHECK(back == value);
    std::printf("%d device, runtime %d\n", count, version);
    return 0;
}
