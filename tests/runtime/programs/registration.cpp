// SPDX-License-Identifier: MIT
// Registration by hand, as no compiler does it: wrappers and images that are none, nothing at all,
// and handles that were never given out. Every call answers, none crashes.
#include "check.h"
#include <cuda_runtime_api.h>
#include <initializer_list>

struct Wrapper {
    int magic, version;
    const void *image;
    const void *const *objects;
};

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
}

static char function, variable, name[] = "name";

static void use(void *wrapper)
{
    void **handle = __cudaRegisterFatBinary(wrapper);
    cudaKernel_t kernel = nullptr;
    int value = 0;

    __cudaRegisterFunction(handle, &function, name, name, -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, &variable, name, name, 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    CHECK(cudaLaunchKernel(&function, dim3(1), dim3(1), nullptr, 0, 0) != cudaSuccess);
    CHECK(cudaMemcpyToSymbol(&variable, &value, 4, 0, cudaMemcpyHostToDevice) != cudaSuccess);
    CHECK(__cudaGetKernel(&kernel, &function) != cudaSuccess);
    CHECK(__cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, 0) != cudaSuccess);
    __cudaInitModule(handle);
    __cudaUnregisterFatBinary(handle);
    CHECK(cudaLaunchKernel(&function, dim3(1), dim3(1), nullptr, 0, 0) != cudaSuccess);
    CHECK(__cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, 0) != cudaSuccess);
}

int main()
{
    static char zeros[4096];
    const void *nothing[] = {zeros, nullptr};
    Wrapper wrappers[] = {
        {0x466243b1, 1, zeros, nullptr},  {0x466243b1, 1, nullptr, nullptr},
        {0x466243b1, 2, zeros, nothing},  {0x466243b1, 2, nullptr, nothing},
        {0x466243b1, 77, zeros, nullptr}, {0x12345678, 1, zeros, nullptr},
        {0, 0, nullptr, nullptr},
    };
    dim3 grid, block;
    size_t shared;

    for (Wrapper &each : wrappers)
        use(&each);
    use(nullptr);
    __cudaRegisterFunction(nullptr, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __cudaRegisterVar(nullptr, 0, 0, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(nullptr);
    __cudaInitModule(nullptr);
    __cudaUnregisterFatBinary(nullptr);
    for (size_t number : {size_t(1), size_t(0x123456789), size_t(-1)})
        CHECK(__cudaLaunchKernel((cudaKernel_t)number, dim3(1), dim3(1), nullptr, 0, 0) !=
              cudaSuccess);
    CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, nullptr) ==
          cudaErrorMissingConfiguration);
    CHECK(__cudaPushCallConfiguration(dim3(1), dim3(1), 0, 0) == 0);
    CHECK(__cudaPopCallConfiguration(nullptr, nullptr, nullptr, nullptr) == cudaErrorInvalidValue);
    CHECK(__cudaGetKernel(nullptr, nullptr) != cudaSuccess);
    return 0;
}
