// SPDX-License-Identifier: MIT
// Many threads make the process's first call at once: each loads, launches and copies.
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

static __device__ int variable;
static __managed__ int managed = 4;

static __global__ void store(int *out)
{
    *out = variable + managed;
}

static void use(const std::atomic<bool> &go)
{
    int *out, host = 0, value = 38;

    while (!go)
        std::this_thread::yield();
    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    CHECK_CUDA(cudaMemcpyToSymbol(variable, &value, sizeof(value)));
    store<<<1, 1>>>(out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 42);
    CHECK_CUDA(cudaFree(out));
}

int main()
{
    std::atomic<bool> go(false);
    std::vector<std::thread> threads;

    for (int i = 0; i < 16; i++)
        threads.emplace_back([&go] { use(go); });
    go = true;
    for (std::thread &each : threads)
        each.join();
    return 0;
}
