// SPDX-License-Identifier: MIT
// The first use of a kernel is in a host function of a stream, where no call is permitted. That it
// was refused there says nothing about the kernel: later launches succeed.
#include "check.h"

__global__ void store(int *out, int value)
{
    *out = value;
}

static int *out;
static cudaError_t launched, asked;

static void CUDART_CB launch(void *)
{
    store<<<1, 1>>>(out, 1);
    launched = cudaGetLastError();
    asked = cudaDeviceSynchronize();
}

int main()
{
    cudaStream_t stream;
    int host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    CHECK_CUDA(cudaMemset(out, 0, sizeof(int)));
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaLaunchHostFunc(stream, launch, nullptr));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK(launched == cudaErrorNotPermitted && asked == cudaErrorNotPermitted);
    store<<<1, 1>>>(out, 2);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 2);
    return 0;
}
