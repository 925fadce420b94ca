// SPDX-License-Identifier: MIT
// A program that forks before its first call uses the device in both processes; one that forks
// after it is told so in the child, which does not hang or crash.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void store(int *out, int value)
{
    *out = value;
}

static int compute(int value)
{
    int *out, host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    store<<<1, 1>>>(out, value);
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(out));
    return host;
}

static void wait_for(pid_t child)
{
    int status = 0;

    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main()
{
    pid_t child = fork();

    if (child == 0)
        return compute(5) == 5 ? 0 : 1;
    CHECK(compute(6) == 6);
    wait_for(child);

    child = fork();
    if (child == 0) {
        void *memory = nullptr;
        cudaError_t error = cudaMalloc(&memory, 4);

        std::_Exit(error == cudaErrorInitializationError ? 0 : 2);
    }
    wait_for(child);
    CHECK(compute(7) == 7);
    return 0;
}
