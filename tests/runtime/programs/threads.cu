// SPDX-License-Identifier: MIT
// Many threads make the process's first call at once: each loads, launches and copies. A thread whose
// calls name a stream of another has a context, too.
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

// A stream has a context of its own, so that nothing asks for the thread's before the pointer does.
static void use_stream(cudaStream_t stream)
{
    cudaPointerAttributes attributes = {};
    void *out = nullptr;

    CHECK_CUDA(cudaMallocAsync(&out, sizeof(int), stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, out));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == out);
    CHECK_CUDA(cudaFreeAsync(out, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
}

static void ask_for_pointer(cudaStream_t stream, void *memory)
{
    cudaPointerAttributes attributes = {};

    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, memory));
    CHECK(attributes.devicePointer == memory);
}

int main()
{
    cudaStream_t stream;
    void *memory;
    std::atomic<bool> go(false);
    std::vector<std::thread> threads;

    for (int i = 0; i < 16; i++)
        threads.emplace_back([&go] { use(go); });
    go = true;
    for (std::thread &each : threads)
        each.join();

    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMalloc(&memory, sizeof(int)));
    std::thread(use_stream, stream).join();
    std::thread(ask_for_pointer, stream, memory).join();
    CHECK_CUDA(cudaFree(memory));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return 0;
}
