// SPDX-License-Identifier: MIT
// Objects with static storage free device memory and launch in their destructors, after main and
// after the driver's exit handlers may have run: every call answers, none crashes.
#include "check.h"

__global__ void touch(int *p)
{
    *p = 1;
}

struct Buffer {
    int *memory = nullptr;
    cudaStream_t stream = nullptr;
    ~Buffer()
    {
        touch<<<1, 1>>>(memory);
        cudaError_t freed = cudaFree(memory);
        CHECK(freed == cudaSuccess || freed == cudaErrorCudartUnloading);
        cudaStreamDestroy(stream);
        cudaDeviceSynchronize();
        cudaDeviceReset();
        std::puts("destroyed");
    }
};

static Buffer buffer;

int main()
{
    static Buffer local;

    for (Buffer *each : {&buffer, &local}) {
        CHECK_CUDA(cudaMalloc(&each->memory, 4));
        CHECK_CUDA(cudaStreamCreate(&each->stream));
    }
    touch<<<1, 1>>>(buffer.memory);
    CHECK_CUDA(cudaDeviceSynchronize());
    return 0;
}
