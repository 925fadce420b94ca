/* SPDX-License-Identifier: MIT */
/* What the groups about stream capture share. */
#include "capture.h"

const char *const mode_names[3] = {"global", "threadlocal", "relaxed"};

void launch_kernel(CUstream stream, int kernel, CUdeviceptr p, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(kernel, p, 0, n, v);

    cuda.cuLaunchKernel(params.func, params.gridDimX, 1, 1, params.blockDimX, 1, 1,
                        params.sharedMemBytes, stream, params.kernelParams, NULL);
}

static void capture_discard(CUstream stream)
{
    CUgraph graph = NULL;

    if (capture_status(stream) <= 0)
        return;
    cuda.cuStreamEndCapture(stream, &graph);
    if (graph)
        cuda.cuGraphDestroy(graph);
}

void captures_end(void)
{
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        capture_discard(streams[i]);
    capture_discard(CU_STREAM_PER_THREAD);
    cuda.cuCtxSynchronize();
}

CUresult allocate(void *unused)
{
    CUdeviceptr ptr = 0;
    CUresult allocated = cuda.cuMemAlloc(&ptr, 4096);

    (void)unused;
    if (!allocated)
        cuda.cuMemFree(ptr);
    return allocated;
}
