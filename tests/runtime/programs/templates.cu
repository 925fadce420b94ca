// SPDX-License-Identifier: MIT
// Template kernels, static kernels of one name in two namespaces, a lambda of the device,
// cudaLaunchKernelEx with converted arguments, and the occupancy search.
#include "check.h"

template <typename T, int Step> __global__ void fill(T *out, T value)
{
    out[threadIdx.x] = value + (T)(threadIdx.x * Step);
}

template <typename F> __global__ void apply(float *out, F function)
{
    out[threadIdx.x] = function(threadIdx.x);
}

namespace one
{
static __global__ void tell(int *out)
{
    *out = 1;
}
} // namespace one
namespace two
{
static __global__ void tell(int *out)
{
    *out = 2;
}
} // namespace two

__global__ void sum(double *out, double a, long long b)
{
    *out = a + b;
}

template <typename T> static T first(const T *device, int index)
{
    T value;

    CHECK_CUDA(cudaMemcpy(&value, device + index, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
}

int main()
{
    void *memory;
    int grid = 0, block = 0;
    float offset = 0.5f;

    CHECK_CUDA(cudaMalloc(&memory, 1024));
    fill<int, 3><<<1, 8>>>((int *)memory, 10);
    CHECK(first((int *)memory, 5) == 25);
    fill<double, 2><<<1, 8>>>((double *)memory, 0.25);
    CHECK(first((double *)memory, 3) == 6.25);
    apply<<<1, 8>>>((float *)memory, [=] __device__(int i) { return i + offset; });
    CHECK(first((float *)memory, 7) == 7.5f);
    one::tell<<<1, 1>>>((int *)memory);
    CHECK(first((int *)memory, 0) == 1);
    two::tell<<<1, 1>>>((int *)memory);
    CHECK(first((int *)memory, 0) == 2);

    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, sum, (double *)memory, 1.5f, 2)); // a float and an int
    CHECK(first((double *)memory, 0) == 3.5);

    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill<int, 3>));
    CHECK(grid > 0 && block > 0);
    return 0;
}
