// SPDX-License-Identifier: MIT
// What a program leaves behind, by name: nothing, or one thing. Only the program's own counts, not
// what the runtime holds.
#include "check.h"

#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>

__device__ int variable;
__device__ int *kept;

__global__ void store(int *p)
{
    *p = variable + 1;
}
#ifdef __clang__ // without a toolkit device code has no malloc()
__global__ void allocate(void)
{
    kept = nullptr;
}
#else
__global__ void allocate(void)
{
    kept = static_cast<int *>(malloc(64));
}
#endif

static void use(int device)
{
    int *p;

    CHECK_CUDA(cudaSetDevice(device));
    CHECK_CUDA(cudaMalloc(&p, 1000));
    store<<<1, 1>>>(p);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaFree(p));
}

static void *use_first(void *)
{
    use(0);
    return nullptr;
}

static void *use_and_exit(void *)
{
    use(0);
    exit(0);
}

static void in_threads(void *(*body)(void *))
{
    pthread_t threads[4];

    for (auto &thread : threads)
        CHECK(pthread_create(&thread, nullptr, body, nullptr) == 0);
    for (auto &thread : threads)
        CHECK(pthread_join(thread, nullptr) == 0);
}

static void clean(void)
{
    use(0);
}

static void threads(void)
{
    in_threads(use_first);
}

static void exits(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, nullptr, use_and_exit, nullptr) == 0);
    for (;;)
        pause();
}

static void devices(void)
{
    use(0);
    use(1);
}

static void reset(void)
{
    int *p;

    use(0);
    CHECK_CUDA(cudaMalloc(&p, 1000));
    CHECK_CUDA(cudaDeviceReset());
    use(0);
    CHECK_CUDA(cudaDeviceReset());
}

static void released(void)
{
    CUcontext context;

    use(0);
    for (int i = 0; i < 2; i++)
        CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
}

static void memory(void)
{
    int *p;

    use(0);
    CHECK_CUDA(cudaMalloc(&p, 1000));
}

static void stream(void)
{
    cudaStream_t made;

    use(0);
    CHECK_CUDA(cudaStreamCreate(&made));
}

static void retained(void)
{
    CUcontext context;

    use(0);
    for (int i = 0; i < 2; i++)
        CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
}

static void retained_first(void)
{
    CUcontext context;

    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    use(0);
}

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";

static void library(void)
{
    cudaLibrary_t loaded;

    use(0);
    CHECK_CUDA(cudaLibraryLoadData(&loaded, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

static void kernels(void)
{
    use(0);
    allocate<<<1, 1>>>();
    CHECK_CUDA(cudaDeviceSynchronize());
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(clean),    CASE(threads),        CASE(exits),   CASE(devices),
    CASE(reset),    CASE(released),       CASE(memory),  CASE(stream),
    CASE(retained), CASE(retained_first), CASE(library), CASE(kernels),
};

int main(int count, char **words)
{
    for (const auto &each : cases)
        if (count > 1 && std::strcmp(each.name, words[1]) == 0) {
            each.run();
            return 0;
        }
    return 1;
}
