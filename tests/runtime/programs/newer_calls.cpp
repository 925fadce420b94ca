// SPDX-License-Identifier: MIT
// Copies with attributes, host functions with a way of waiting, the number of a kernel's parameters
// and its mode of shared memory. Compiled for either default stream.
#include "check.h"
#include "ptx_kernels.h"
#include <cuda_runtime.h>

static void check_parameters()
{
    size_t count = 99;

    CHECK_CUDA(cudaFuncGetParamCount(&add_entry, &count));
    CHECK(count == 2);
    CHECK_CUDA(cudaFuncGetParamCount((void *)kernel_by_name("nothing"), &count));
    CHECK(count == 0);
    CHECK(cudaFuncGetParamCount(nullptr, &count) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaFuncGetParamCount(&add_entry, nullptr) == cudaErrorInvalidValue);
}

static void check_shared_memory_mode()
{
    cudaFuncAttributes found;

    CHECK_CUDA(cudaFuncSetAttribute(&add_entry, cudaFuncAttributeSharedMemoryMode,
                                    cudaSharedMemoryModeAllowNonPortable));
    CHECK_CUDA(cudaFuncGetAttributes(&found, &add_entry));
    CHECK(found.sharedMemoryMode == cudaSharedMemoryModeAllowNonPortable);
    CHECK(cudaFuncSetAttribute(&add_entry, cudaFuncAttributeSharedMemoryMode, 99) ==
          cudaErrorInvalidValue);
}

static void increment(void *counter)
{
    ++*(int *)counter;
}

static void check_host_functions(cudaStream_t stream)
{
    int counter = 0;

    CHECK_CUDA(cudaLaunchHostFunc_v2(stream, increment, &counter, cudaHostTaskBlocking));
    CHECK_CUDA(cudaLaunchHostFunc_v2(stream, increment, &counter, cudaHostTaskSpinWait));
    CHECK(cudaLaunchHostFunc_v2(stream, increment, &counter, 99) == cudaErrorInvalidValue);
    CHECK(cudaLaunchHostFunc_v2(stream, nullptr, &counter, 0) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK(counter == 2);
}

static void check_copies(cudaStream_t stream)
{
    cudaMemcpyAttributes attributes = {};
    cudaMemcpy3DBatchOp box = {};
    int *memory, *pinned;

    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK_CUDA(cudaMalloc(&memory, 16));
    CHECK_CUDA(cudaMallocHost(&pinned, 32));
    pinned[0] = 42;
    CHECK_CUDA(cudaMemcpyWithAttributesAsync(memory, pinned, 4, &attributes, stream));
    CHECK_CUDA(cudaMemcpyAsync(pinned + 1, memory, 4, &attributes, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK(pinned[1] == 42);
    attributes.srcAccessOrder = (cudaMemcpySrcAccessOrder)99;
    CHECK(cudaMemcpyWithAttributesAsync(memory, pinned, 4, &attributes, stream) ==
          cudaErrorInvalidValue);

    pinned[4] = 17;
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = pinned + 4;
    box.dst.op.ptr.ptr = pinned + 5;
    box.extent = make_cudaExtent(4, 1, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK_CUDA(cudaMemcpy3DWithAttributesAsync(&box, 0, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK(pinned[5] == 17);
    CHECK(cudaMemcpy3DWithAttributesAsync(nullptr, 0, stream) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaFreeHost(pinned));
    CHECK_CUDA(cudaFree(memory));
}

int main()
{
    cudaStream_t stream;

    load_kernels();
    check_parameters();
    check_shared_memory_mode();
    CHECK_CUDA(cudaStreamCreate(&stream));
    check_host_functions(stream);
    check_host_functions(cudaStreamPerThread);
    check_copies(stream);
    return 0;
}
