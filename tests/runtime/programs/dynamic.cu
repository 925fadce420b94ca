// SPDX-License-Identifier: MIT
// A kernel that launches a kernel. Ends with 1 where launches fail.
#include <cstdio>

__global__ void child(int *word) { *word = 7; }

__global__ void parent(int *word) { child<<<1, 1>>>(word); }

int main()
{
    int *word;

    cudaMallocManaged(&word, sizeof *word);
    *word = 0;
    parent<<<1, 1>>>(word);
    cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
    if (launched != cudaSuccess || ran != cudaSuccess) {
        printf("launch fails\n");
        return 1;
    }
    if (*word != 7)
        printf("nothing was launched, and nothing said so\n");
    return *word != 7;
}
