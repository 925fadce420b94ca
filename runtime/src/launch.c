/* SPDX-License-Identifier: MIT */
/* Launches: <<<>>>, by host function or handle, with attributes, cooperative; host functions. */
#include "context.h"
#include "driver.h"
#include "registry.h"
#include "runtime_impl.h"

#include <stdint.h>

enum { CALLS_MAX = 64 };

/* The launch configuration that <<<>>> passes to the kernel's stub. It is a stack, because stubs
 * may launch in destructors and conversions of their arguments. */
struct call {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
};

static __thread struct call calls[CALLS_MAX];
static __thread unsigned call_count;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream)
{
    if (call_count == CALLS_MAX) {
        rt_error_record(cudaErrorLaunchOutOfResources);
        return 1;
    }
    calls[call_count++] = (struct call){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream)
{
    const struct call *call;

    if (call_count == 0)
        return rt_error_record(cudaErrorMissingConfiguration);
    if (!gridDim || !blockDim || !sharedMem || !stream)
        return rt_error_record(cudaErrorInvalidValue);
    call = &calls[--call_count];
    *gridDim = call->grid;
    *blockDim = call->block;
    *sharedMem = call->shared_bytes;
    *(cudaStream_t *)stream = call->stream;
    return cudaSuccess;
}

/* The driver's size of shared memory has 32 bits: higher bits are lost, as with NVIDIA's
 * runtime. */
cudaError_t impl___cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream)
{
    if (rt_unlikely(rt_is_unresolved_kernel(kernel))) {
        cudaError_t result = rt_registry_resolve(kernel, &kernel);

        if (result != cudaSuccess)
            return result;
    }
    return rt_result(rt_driver.cuLaunchKernel((CUfunction)(void *)kernel, gridDim.x, gridDim.y,
                                              gridDim.z, blockDim.x, blockDim.y, blockDim.z,
                                              (unsigned)sharedMem, stream, args, NULL));
}

cudaError_t impl_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                  size_t sharedMem, cudaStream_t stream)
{
    CUkernel kernel;
    cudaError_t result = rt_registry_kernel(func, &kernel);

    if (rt_unlikely(result != cudaSuccess)) {
        rt_context_bind();
        return result;
    }
    return impl___cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t impl_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                             void **args, size_t sharedMem, cudaStream_t stream)
{
    CUkernel kernel;
    cudaError_t result = rt_registry_kernel(func, &kernel);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuLaunchCooperativeKernel(
        (CUfunction)(void *)kernel, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
        blockDim.z, (unsigned)sharedMem, stream, args));
}

_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute),
               "attributes of a launch are the driver's");

void rt_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out);

void rt_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out)
{
    *out = (CUlaunchConfig){
        .gridDimX = config->gridDim.x,
        .gridDimY = config->gridDim.y,
        .gridDimZ = config->gridDim.z,
        .blockDimX = config->blockDim.x,
        .blockDimY = config->blockDim.y,
        .blockDimZ = config->blockDim.z,
        .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
        .hStream = config->stream,
        .attrs = (CUlaunchAttribute *)(void *)config->attrs,
        .numAttrs = config->numAttrs,
    };
}

static cudaError_t launch_ex(const cudaLaunchConfig_t *config, const void *func, void **args,
                             bool per_thread)
{
    CUlaunchConfig launch;
    CUkernel kernel;
    cudaError_t result;

    if (!config)
        return cudaErrorInvalidValue;
    result = rt_registry_kernel(func, &kernel);
    if (result != cudaSuccess)
        return result;
    rt_launch_config(config, &launch);
    if (per_thread && !launch.hStream)
        launch.hStream = CU_STREAM_PER_THREAD;
    return rt_result(rt_driver.cuLaunchKernelEx(&launch, (CUfunction)(void *)kernel, args, NULL));
}

/* The stream is in the configuration, so the wrapper passes which default stream it means. */
cudaError_t impl_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                     void **args, cudaStream_t default_stream)
{
    return launch_ex(config, func, args, default_stream == cudaStreamPerThread);
}

cudaError_t impl_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    return rt_result(rt_driver.cuLaunchHostFunc(stream, fn, userData));
}

cudaError_t impl_cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t fn, void *userData,
                                       unsigned int syncMode)
{
    return rt_result(rt_driver.cuLaunchHostFunc_v2(stream, fn, userData, syncMode));
}
