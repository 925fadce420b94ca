// SPDX-License-Identifier: MIT
// Kernels that launch kernels, copy and allocate.
#include "check.h"

struct Work {
    int *words;
    int *scratch;
};

__global__ void child(Work work, int index, int value)
{
    atomicAdd(&work.words[index], value + (int)threadIdx.x);
}

// Each launches two of the next level; the sum over all of them is in words[0].
__global__ void tree(Work work, int levels)
{
    if (threadIdx.x)
        return;
    atomicAdd(&work.words[0], 1);
    if (levels > 0) {
        tree<<<1, 32>>>(work, levels - 1);
        tree<<<1, 32>>>(work, levels - 1);
    }
}

__global__ void parent(Work work)
{
    cudaStream_t stream;
    int *memory;

    child<<<2, dim3(4, 2)>>>(work, 1, 100);
    work.words[2] = cudaGetLastError();
    child<<<0, 1>>>(work, 1, 100);
    work.words[3] = cudaPeekAtLastError();
    work.words[4] = cudaGetLastError();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 1, 0, stream>>>(work, 5, 7);
    cudaMemcpyAsync(&work.words[6], &work.words[5], sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaStreamDestroy(stream);
    if (cudaMalloc(&memory, sizeof(int)) == cudaSuccess) {
        *memory = 11;
        work.words[7] = *memory;
        cudaFree(memory);
    }
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(work, 8, 3);
}

int main()
{
    Work work = {};
    const int wanted[] = {31,
                          2 * (8 * 100 + 12),
                          cudaSuccess,
                          cudaErrorInvalidConfiguration,
                          cudaErrorInvalidConfiguration,
                          7,
                          7,
                          11,
                          3};

    CHECK_CUDA(cudaMallocManaged(&work.words, sizeof wanted));
    CHECK_CUDA(cudaMemset(work.words, 0, sizeof wanted));
    tree<<<1, 32>>>(work, 4);
    parent<<<1, 1>>>(work);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (work.words[i] != wanted[i]) {
            std::fprintf(stderr, "word %u is %d, not %d\n", i, work.words[i], wanted[i]);
            return 1;
        }
    return 0;
}
