/* SPDX-License-Identifier: MIT */
/* Calls that check_cost.py counts the instructions of, in the function `counted`:
 *
 *     cost never      without libcupti
 *     cost after      after libcupti has recorded and does not any more */
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 200, BUFFER_BYTES = 1 << 16 };

static CUdeviceptr memory;
static char host[256];

void counted(void);

static void call_everything(void)
{
    CUdeviceptr other;

    for (int i = 0; i < CALLS; i++) {
        cuStreamQuery(NULL);
        cuMemsetD8Async(memory, 1, 256, NULL);
        cuMemcpyHtoD(memory, host, sizeof(host));
        cuMemAlloc(&other, 4096);
        cuMemFree(other);
    }
}

__attribute__((noinline)) void counted(void)
{
    call_everything();
}

static void give(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    *bytes = BUFFER_BYTES;
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *records_max = 0;
}

static void take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t used)
{
    (void)context, (void)stream, (void)bytes, (void)used;
    free(buffer);
}

/* libcupti is loaded by name, so that the other case does not load it. */
static int record(void)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_MEMORY2};
    enum { KINDS = sizeof(kinds) / sizeof(*kinds) };
    void *library = dlopen("libcupti.so.13", RTLD_NOW);

    if (!library)
        return 0;
#define FIND(name) __typeof__(name) *name##_ = (__typeof__(name) *)dlsym(library, #name)
    FIND(cuptiActivityRegisterCallbacks);
    FIND(cuptiActivityEnable);
    FIND(cuptiActivityDisable);
    FIND(cuptiActivityFlushAll);
    cuptiActivityRegisterCallbacks_(give, take);
    for (int i = 0; i < KINDS; i++)
        if (cuptiActivityEnable_(kinds[i]) != CUPTI_SUCCESS)
            return 0;
    call_everything();
    cuCtxSynchronize();
    for (int i = 0; i < KINDS; i++)
        cuptiActivityDisable_(kinds[i]);
    return cuptiActivityFlushAll_(1) == CUPTI_SUCCESS;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;

    if (argc != 2 || cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 4096) != CUDA_SUCCESS)
        return 1;
    call_everything(); /* what is made when it is first needed is there from here on */
    if (strcmp(argv[1], "after") == 0 && !record())
        return 1;
    cuCtxSynchronize();
    counted();
    return 0;
}
