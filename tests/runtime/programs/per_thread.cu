// SPDX-License-Identifier: MIT
// --default-stream per-thread: a thread's default stream does not wait for another thread's. One
// thread queues a host function that waits for what the other does in its own default stream, which
// would hang with the legacy stream.
#include "check.h"
#include <atomic>
#include <thread>

static std::atomic<bool> second_is_done(false);

__global__ void store(int *out, int value)
{
    *out = value;
}

static void CUDART_CB wait_for_second(void *)
{
    while (!second_is_done)
        std::this_thread::yield();
}

static void second()
{
    int *out, host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    store<<<1, 1>>>(out, 9);
    CHECK_CUDA(cudaMemcpyAsync(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK(host == 9);
    second_is_done = true;
}

int main()
{
    int *out, host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    CHECK_CUDA(cudaLaunchHostFunc(0, wait_for_second, nullptr));
    store<<<1, 1>>>(out, 4);
    std::thread thread(second);
    thread.join();
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 4);
    return 0;
}
