/* SPDX-License-Identifier: MIT */
/* A program with a mistake, for `cupipe run --check streams`: one stream fills a buffer and another
 * copies it, and nothing says that the second comes after the first. With an argument the wait is
 * there, and the check says nothing. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 1 << 20 };

static void check(CUresult result, const char *call)
{
    const char *name = "?";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s failed: %s\n", call, name);
    exit(1);
}
#define CHECK(call) check((call), #call)

/* The check names functions: these are not to vanish in main. */
__attribute__((noinline)) static void produce(CUdeviceptr buffer, CUstream stream)
{
    CHECK(cuMemsetD32Async(buffer, 42, BYTES / 4, stream));
}

__attribute__((noinline)) static void consume(CUdeviceptr result, CUdeviceptr buffer,
                                              CUstream stream)
{
    CHECK(cuMemcpyDtoDAsync(result, buffer, BYTES, stream));
}

int main(int argc, char **argv)
{
    CUstream producer, consumer;
    CUdeviceptr buffer, result;
    CUcontext context;
    CUevent filled;

    (void)argv;
    CHECK(cuInit(0));
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuStreamCreate(&producer, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamCreate(&consumer, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING));
    CHECK(cuMemAlloc(&buffer, BYTES));
    CHECK(cuMemAlloc(&result, BYTES));

    produce(buffer, producer);
    CHECK(cuEventRecord(filled, producer));
    if (argc > 1)
        CHECK(cuStreamWaitEvent(consumer, filled, 0));
    consume(result, buffer, consumer);
    CHECK(cuCtxSynchronize());
    return 0;
}
