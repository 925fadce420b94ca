/* SPDX-License-Identifier: MIT */
/*
 * What groups need before they can ask: a device, a context, memory of each kind, a stream held
 * back. A failure here is no answer: it ends the group, or is noted and made up for.
 */
#include "recorder.h"

CUdevice device;
CUcontext context;

static void require(CUresult result, const char *what)
{
    if (result)
        setup_failed(what, result);
}

void use_device(void)
{
    require(cuda.cuInit(0), "cuInit");
    require(cuda.cuDeviceGet(&device, 0), "cuDeviceGet");
}

void use_primary_context(void)
{
    use_device();
    require(cuda.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    require(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

CUcontext context_new(void)
{
    CUcontext created = NULL;

    cuda.cuCtxCreate(&created, NULL, 0, device);
    return created;
}

int device_attribute(CUdevice_attribute attribute)
{
    int value = -1;

    cuda.cuDeviceGetAttribute(&value, attribute, device);
    return value;
}

CUdeviceptr device_alloc(size_t size)
{
    CUdeviceptr ptr = 0;

    cuda.cuMemAlloc(&ptr, size);
    return ptr;
}

void *pinned_alloc(size_t size)
{
    void *ptr = NULL;

    cuda.cuMemHostAlloc(&ptr, size, 0);
    if (!ptr) {
        setup_note("setup-pinned-unavailable");
        ptr = page_alloc(size);
    }
    return ptr;
}

CUdeviceptr managed_alloc(size_t size)
{
    CUdeviceptr ptr = 0;

    cuda.cuMemAllocManaged(&ptr, size, CU_MEM_ATTACH_GLOBAL);
    if (!ptr) {
        setup_note("setup-managed-unavailable");
        ptr = as_device(page_alloc(size));
    }
    return ptr;
}

void *page_alloc(size_t size)
{
    void *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (ptr == MAP_FAILED)
        return NULL;
    memset(ptr, 0, size);
    return ptr;
}

/* Memory of cuMemCreate, mapped at an address of its own; 0 when any step fails. */
CUdeviceptr mapped_alloc(size_t size, unsigned handle_types, CUmemGenericAllocationHandle *handle)
{
    CUmemAllocationProp properties;
    CUmemGenericAllocationHandle created = 0;
    CUdeviceptr ptr = 0;

    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = handle_types;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    size = (size + 2 * MB - 1) / (2 * MB) * (2 * MB);
    if (cuda.cuMemCreate(&created, size, &properties, 0) ||
        cuda.cuMemAddressReserve(&ptr, size, 0, 0, 0) || cuda.cuMemMap(ptr, size, 0, created, 0))
        return 0;

    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    cuda.cuMemSetAccess(ptr, size, &access, 1);
    if (handle)
        *handle = created;
    return ptr;
}

CUstream stream_new(unsigned flags)
{
    CUstream stream = NULL;

    cuda.cuStreamCreate(&stream, flags);
    return stream;
}

void memory_kinds_create(struct memory *kinds, size_t size)
{
    static const char *names[] = {"dev",     "pinned", "registered", "pageable",
                                  "managed", "pool",   "vmm"};
    size_t whole_pages = (size + 4095) & ~4095ull;

    for (int i = 0; i < KIND_COUNT; i++)
        kinds[i] = (struct memory){names[i], i >= KIND_PINNED && i <= KIND_MANAGED, 0};
    kinds[KIND_DEVICE].ptr = device_alloc(size);
    kinds[KIND_PINNED].ptr = as_device(pinned_alloc(size));
    kinds[KIND_PAGEABLE].ptr = as_device(page_alloc(size));
    kinds[KIND_MANAGED].ptr = managed_alloc(size);

    void *pages = page_alloc(whole_pages);
    if (!cuda.cuMemHostRegister(pages, whole_pages, 0))
        kinds[KIND_REGISTERED].ptr = as_device(pages);
    cuda.cuMemAllocAsync(&kinds[KIND_POOL].ptr, size, 0);
    kinds[KIND_MAPPED].ptr = mapped_alloc(size, 0, NULL);
    cuda.cuCtxSynchronize();
    for (int i = 0; i < KIND_COUNT; i++)
        if (!kinds[i].ptr)
            setup_note(format("setup-kind-unavailable=%s", names[i]));
}

static void CUDA_CB blocker_wait(void *data)
{
    struct blocker *blocker = data;
    double start = seconds_now();

    while (!blocker->released && (seconds_now() - start) * 1000 < blocker->limit_ms)
        usleep(200);
    blocker->done = 1;
}

CUresult stream_block(CUstream stream, struct blocker *blocker)
{
    blocker->released = 0;
    blocker->done = 0;
    if (!blocker->limit_ms)
        blocker->limit_ms = 400;
    return cuda.cuLaunchHostFunc(stream, blocker_wait, blocker);
}

void stream_unblock(struct blocker *blocker)
{
    blocker->released = 1;
}
