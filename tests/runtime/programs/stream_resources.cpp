// SPDX-License-Identifier: MIT
// Parts of a device by description, and which part a stream has.
#include "check.h"
#include <cuda_runtime.h>

int main()
{
    cudaDevSmResourceGroupParams wanted[2] = {};
    cudaDevResource all, parts[2], rest, found;
    cudaDevResourceDesc_t desc;
    cudaExecutionContext_t green;
    cudaStream_t plain, part;

    CHECK_CUDA(cudaDeviceGetDevResource(0, &all, cudaDevResourceTypeSm));
    wanted[0].smCount = 8;
    wanted[1].smCount = 16;
    CHECK_CUDA(cudaDevSmResourceSplit(parts, 2, &all, &rest, 0, wanted));
    CHECK(parts[0].sm.smCount == 8 && parts[1].sm.smCount == 16);
    CHECK(rest.sm.smCount == all.sm.smCount - 24);
    CHECK(cudaDevSmResourceSplit(parts, 2, nullptr, &rest, 0, wanted) == cudaErrorInvalidValue);

    CHECK_CUDA(cudaDevResourceGenerateDesc(&desc, &parts[1], 1));
    CHECK_CUDA(cudaGreenCtxCreate(&green, desc, 0, 0));
    CHECK_CUDA(cudaExecutionCtxStreamCreate(&part, green, cudaStreamNonBlocking, 0));
    CHECK_CUDA(cudaStreamCreate(&plain));
    CHECK_CUDA(cudaStreamGetDevResource(part, &found, cudaDevResourceTypeSm));
    CHECK(found.sm.smCount == 16);
    CHECK_CUDA(cudaStreamGetDevResource(plain, &found, cudaDevResourceTypeSm));
    CHECK(found.sm.smCount == all.sm.smCount);
    CHECK_CUDA(cudaStreamGetDevResource(nullptr, &found, cudaDevResourceTypeSm));
    CHECK(found.sm.smCount == all.sm.smCount);
    CHECK(cudaStreamGetDevResource(plain, nullptr, cudaDevResourceTypeSm) == cudaErrorInvalidValue);

    // A stream outlives its context and can only be destroyed then.
    CHECK_CUDA(cudaExecutionCtxDestroy(green));
    CHECK(cudaStreamQuery(part) == cudaErrorStreamDetached);
    CHECK_CUDA(cudaStreamDestroy(part));
    return 0;
}
