// SPDX-License-Identifier: MIT
// With linked_other.cu, -rdc=true: a device function and a variable that are defined in the other
// file.
#include "check.h"

extern __device__ int shared_counter;
__device__ int twice(int x);
void run_other(int *out);

__global__ void call(int *out)
{
    *out = twice(20) + shared_counter;
}

int main()
{
    int *out, host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    call<<<1, 1>>>(out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 43);
    run_other(out);
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 4);
    call<<<1, 1>>>(out);
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 44);
    return 0;
}
