// SPDX-License-Identifier: MIT
// The process ends while kernels run in several streams and another thread goes on launching, with
// an exit handler that calls the runtime once more: it ends, with the status it was given.
#include "check.h"
#include <thread>

static __global__ void add(int *sum, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(sum, 1);
}

static int *sum;

static void launch_for_ever()
{
    for (;;) {
        add<<<1, 32>>>(sum, 10);
        cudaDeviceSynchronize();
    }
}

static void at_exit()
{
    int *more = nullptr;

    if (cudaMalloc(&more, 4) == cudaSuccess)
        cudaFree(more);
    add<<<1, 1>>>(sum, 1);
    cudaDeviceSynchronize();
    std::puts("at exit");
}

int main()
{
    std::atexit(at_exit);
    CHECK_CUDA(cudaMalloc(&sum, sizeof(int)));
    for (int i = 0; i < 8; i++) {
        cudaStream_t stream;

        CHECK_CUDA(cudaStreamCreate(&stream));
        add<<<32, 64, 0, stream>>>(sum, 2000);
        CHECK_CUDA(cudaGetLastError());
    }
    std::thread(launch_for_ever).detach();
    std::exit(0);
}
