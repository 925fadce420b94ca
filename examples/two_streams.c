/* SPDX-License-Identifier: MIT */
/* A first CUDA program: two streams work at once on their own buffers, and everything is checked.
 *
 * Each stream copies a buffer to the device, overwrites the middle third there, copies it once more
 * on the device and brings it back; events take the time and a host function says when it is done.
 * It uses nothing but the CUDA Driver API and runs on any libcuda.so.1. */
#include <cuda.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM_COUNT = 2,
    BUFFER_BYTES = 48 << 20,
    MIDDLE_START = BUFFER_BYTES / 3,
    MIDDLE_BYTES = BUFFER_BYTES / 3,
};

struct lane {
    unsigned long long number; /* the stream's id, as the trace shows it */
    CUstream stream;
    CUevent start, end;
    unsigned char *host;   /* pinned */
    unsigned char *result; /* pinned */
    CUdeviceptr first, second;
    _Atomic(int) done;
};

static void check(CUresult result, const char *call)
{
    const char *name = "?", *text = "?";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s failed: %s (%s)\n", call, name, text);
    exit(1);
}
#define CHECK(call) check((call), #call)

static void CUDA_CB announce(void *argument)
{
    struct lane *lane = argument;

    printf("  stream %llu: host function called, all its work is done\n", lane->number);
    atomic_store(&lane->done, 1);
}

static void lane_create(struct lane *lane)
{
    CHECK(cuStreamCreate(&lane->stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamGetId(lane->stream, &lane->number));
    CHECK(cuEventCreate(&lane->start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&lane->end, CU_EVENT_DEFAULT));
    CHECK(cuMemHostAlloc((void **)&lane->host, BUFFER_BYTES, 0));
    CHECK(cuMemHostAlloc((void **)&lane->result, BUFFER_BYTES, 0));
    CHECK(cuMemAlloc(&lane->first, BUFFER_BYTES));
    CHECK(cuMemAlloc(&lane->second, BUFFER_BYTES));
    for (size_t i = 0; i < BUFFER_BYTES; i++)
        lane->host[i] = (unsigned char)(i * 31 + lane->number);
    /* Memory is committed when it is first touched; do that outside the measured part. */
    memset(lane->result, 0, BUFFER_BYTES);
    CHECK(cuMemsetD8(lane->first, 0, BUFFER_BYTES));
    CHECK(cuMemsetD8(lane->second, 0, BUFFER_BYTES));
    CHECK(cuCtxSynchronize());
}

/* Queues everything and returns at once. */
static void lane_submit(struct lane *lane)
{
    CHECK(cuEventRecord(lane->start, lane->stream));
    CHECK(cuMemcpyHtoDAsync(lane->first, lane->host, BUFFER_BYTES, lane->stream));
    CHECK(cuMemsetD8Async(lane->first + MIDDLE_START, 0xab, MIDDLE_BYTES, lane->stream));
    CHECK(cuMemcpyDtoDAsync(lane->second, lane->first, BUFFER_BYTES, lane->stream));
    CHECK(cuMemcpyDtoHAsync(lane->result, lane->second, BUFFER_BYTES, lane->stream));
    CHECK(cuEventRecord(lane->end, lane->stream));
    CHECK(cuLaunchHostFunc(lane->stream, announce, lane));
}

static size_t lane_wrong_bytes(const struct lane *lane)
{
    size_t wrong = 0;

    for (size_t i = 0; i < BUFFER_BYTES; i++) {
        int in_middle = i >= MIDDLE_START && i < MIDDLE_START + MIDDLE_BYTES;
        wrong += lane->result[i] != (in_middle ? 0xab : lane->host[i]);
    }
    return wrong;
}

static void lane_destroy(struct lane *lane)
{
    CHECK(cuMemFree(lane->first));
    CHECK(cuMemFree(lane->second));
    CHECK(cuMemFreeHost(lane->host));
    CHECK(cuMemFreeHost(lane->result));
    CHECK(cuEventDestroy(lane->start));
    CHECK(cuEventDestroy(lane->end));
    CHECK(cuStreamDestroy(lane->stream));
}

static void describe_device(CUdevice device)
{
    char name[256], bus[16];
    size_t bytes, free_bytes;
    int version, major, minor;

    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGetName(name, sizeof(name), device));
    CHECK(cuDeviceGetPCIBusId(bus, sizeof(bus), device));
    CHECK(cuDeviceTotalMem(&bytes, device));
    CHECK(cuMemGetInfo(&free_bytes, &bytes));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    printf("device 0: %s at %s, compute capability %d.%d, %zu MiB (%zu free), CUDA %d.%d\n", name,
           bus, major, minor, bytes >> 20, free_bytes >> 20, version / 1000, version % 1000 / 10);
}

int main(void)
{
    struct lane lanes[STREAM_COUNT];
    CUdevice device;
    CUcontext context;
    size_t wrong = 0;

    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    describe_device(device);

    memset(lanes, 0, sizeof(lanes));
    for (int i = 0; i < STREAM_COUNT; i++)
        lane_create(&lanes[i]);
    printf("queueing copy in, memset, copy, copy out of %d MiB on each of %d streams\n",
           BUFFER_BYTES >> 20, STREAM_COUNT);
    for (int i = 0; i < STREAM_COUNT; i++)
        lane_submit(&lanes[i]);
    printf("queued; the CPU is free, the streams are %s\n",
           cuStreamQuery(lanes[0].stream) == CUDA_ERROR_NOT_READY ? "still working" : "done");
    CHECK(cuCtxSynchronize());

    for (int i = 0; i < STREAM_COUNT; i++) {
        float milliseconds, offset;
        CHECK(cuEventElapsedTime(&milliseconds, lanes[i].start, lanes[i].end));
        CHECK(cuEventElapsedTime(&offset, lanes[0].start, lanes[i].start));
        printf("  stream %llu: started at %+.2f ms, took %.2f ms, %zu wrong bytes\n",
               lanes[i].number, offset, milliseconds, lane_wrong_bytes(&lanes[i]));
        wrong += lane_wrong_bytes(&lanes[i]);
    }
    for (int i = 0; i < STREAM_COUNT; i++)
        lane_destroy(&lanes[i]);
    CHECK(cuDevicePrimaryCtxRelease(device));
    printf(wrong ? "FAILED\n" : "every byte is right\n");
    return wrong != 0;
}
