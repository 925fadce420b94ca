// SPDX-License-Identifier: MIT
// A kernel that asks the runtime for the device and the last error.
#include <cstdio>

__global__ void ask(int *words)
{
    words[0] = cudaGetDevice(&words[1]);
    words[2] = cudaGetLastError();
    words[3] = cudaPeekAtLastError();
}

int main()
{
    int *words;

    cudaMallocManaged(&words, 4 * sizeof *words);
    for (int i = 0; i < 4; i++)
        words[i] = -1;
    ask<<<1, 1>>>(words);
    cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
    if (launched != cudaSuccess || ran != cudaSuccess || words[0] || words[3])
        return 1;
    printf("device %d, %s\n", words[1], cudaGetErrorString((cudaError_t)words[2]));
    return 0;
}
