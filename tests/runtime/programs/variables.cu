// SPDX-License-Identifier: MIT
// Variables of every kind: __device__, __constant__, in a namespace, of a template, an array.
#include "check.h"

__device__ int counter = 7;
__constant__ float table[4] = {1, 2, 3, 4};
namespace inner
{
__device__ double value;
}
template <typename T> __device__ T variable_of = T(5);

__global__ void use(float *out)
{
    atomicAdd(&counter, 1);
    *out = table[2] + (float)inner::value + variable_of<int>;
}

int main()
{
    float *out, result;
    float changed[4] = {10, 20, 30, 40};
    double value = 0.5;
    int count = 0;
    void *address = nullptr;
    size_t size = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(float)));
    CHECK_CUDA(cudaMemcpyToSymbol(inner::value, &value, sizeof(value)));
    use<<<1, 1>>>(out);
    CHECK_CUDA(cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(result == 8.5f);
    CHECK_CUDA(cudaMemcpyToSymbol(table, changed + 2, sizeof(float), 2 * sizeof(float)));
    use<<<1, 32>>>(out);
    CHECK_CUDA(cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(result == 35.5f);
    CHECK_CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(count == 7 + 1 + 32);
    CHECK_CUDA(cudaGetSymbolAddress(&address, counter));
    CHECK_CUDA(cudaGetSymbolSize(&size, table));
    CHECK(address && size == sizeof(changed));
    CHECK_CUDA(cudaMemcpy(&count, address, sizeof(count), cudaMemcpyDeviceToHost));
    CHECK(count == 40);
    return 0;
}
