// SPDX-License-Identifier: MIT
// Prints what depends on the versions of the runtime and of the driver.
#include "check.h"
#include <cuda_runtime.h>
#include <initializer_list>

static const char *found(const char *name)
{
    cudaDriverEntryPointQueryResult status;
    void *entry = nullptr;

    CHECK_CUDA(cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &status));
    CHECK((entry != nullptr) == (status == cudaDriverEntryPointSuccess));
    return entry ? "found" : "not found";
}

int main()
{
    cudaPointerAttributes attributes;
    int runtime, driver, count;
    size_t parameters;
    cudaGraph_t graph;
    unsigned id;

    // Before the driver starts.
    CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
    CHECK_CUDA(cudaDriverGetVersion(&driver));
    std::printf("runtime %d driver %d\n", runtime, driver);
    for (int error : {10, 227, 917, 918, 919})
        std::printf("%d %s\n", error, cudaGetErrorName((cudaError_t)error));
    std::printf("cuMemAlloc %s, cuGraphGetId %s\n", found("cuMemAlloc"), found("cuGraphGetId"));
    CHECK_CUDA(cudaGraphCreate(&graph));
    std::printf("cudaGraphGetId %s\n", cudaGetErrorName(cudaGraphGetId(graph, &id)));
    attributes.localityDomainOrdinal = 77;
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, &graph));
    std::printf("locality %d\n", attributes.localityDomainOrdinal);
    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    CHECK(cudaFuncGetParamCount(nullptr, &parameters) == cudaErrorInvalidDeviceFunction);
    return 0;
}
