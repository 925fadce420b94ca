// SPDX-License-Identifier: MIT
// A C++ program that calls the runtime and has no kernels.
#include "check.h"
#include <climits>
#include <cuda_runtime.h>

// The flags of a context of the driver's are shown as they were given.
static void check_flags_of_contexts()
{
    const unsigned given[] = {0, cudaDeviceMapHost,
                              cudaDeviceMapHost | cudaDeviceScheduleSpin |
                                  cudaDeviceLmemResizeToMax};
    cudaDriverEntryPointQueryResult status;
    void *entry = nullptr;
    unsigned flags;
    void *context;

    CHECK_CUDA(
        cudaGetDriverEntryPointByVersion("cuCtxCreate", &entry, 11000, cudaEnableDefault, &status));
    for (unsigned each : given) {
        CHECK(((int (*)(void **, unsigned, int))entry)(&context, each, 0) == 0);
        CHECK_CUDA(cudaGetDeviceFlags(&flags));
        CHECK(flags == each);
    }
}

// Numbers of the program's may be any: nothing is computed with them that could overflow.
static void check_numbers_beyond_devices()
{
    cudaDeviceProp asked = {};
    cudaResourceDesc resource = {};
    cudaTextureDesc settings = {};
    cudaTextureObject_t texture;
    void *memory;
    int device = -1;

    asked.major = asked.minor = INT_MAX;
    CHECK_CUDA(cudaChooseDevice(&device, &asked));
    CHECK(device == 0);
    CHECK_CUDA(cudaMalloc(&memory, 512));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.sizeInBytes = 512;
    resource.res.linear.desc = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, cudaChannelFormatKindUnsigned};
    CHECK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr) != cudaSuccess);
    CHECK_CUDA(cudaFree(memory));
}

int main()
{
    int count = 0, version = 0;
    float *memory, value = 2.5f, back = 0;

    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK_CUDA(cudaRuntimeGetVersion(&version));
    CHECK_CUDA(cudaMalloc(&memory, sizeof(float)));
    CHECK_CUDA(cudaMemcpy(memory, &value, sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(&back, memory, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(memory));
    CHECK(back == value);
    check_flags_of_contexts();
    check_numbers_beyond_devices();
    std::printf("%d device, runtime %d\n", count, version);
    return 0;
}
