/* SPDX-License-Identifier: MIT */
/*
 * Contexts, the primary context and device attributes.
 */
#include "recorder.h"

static void ctxlife_destroy(void)
{
    CUcontext created = context_new(), current;
    CUdeviceptr device_ptr = device_alloc(4096), out;
    void *pinned = pinned_alloc(4096);
    CUdeviceptr managed = managed_alloc(4096);
    CUarray array = 0;
    CUDA_ARRAY3D_DESCRIPTOR desc = {64, 64, 0, 1, 1, 0};
    cuda.cuArray3DCreate(&array, &desc);
    CUstream stream = stream_new(0);
    char pages[64];
    memset(pinned, 7, 4096);
    memset(as_host(managed), 9, 4096);

    unsigned value = 0;
    CHECK("create-flags", cuda.cuCtxGetFlags(&value), "fl=0x%x", value);
    CHECK("apiversion", cuda.cuCtxGetApiVersion(created, &value), "v=%u", value);
    cuda.cuCtxPushCurrent(context);
    cuda.cuCtxPushCurrent(created);
    cuda.cuCtxPushCurrent(created);
    CHECK("destroy-current", cuda.cuCtxDestroy(created));
    current = 0;
    CHECK("current-after", cuda.cuCtxGetCurrent(&current), "is_destroyed=%d is_primary=%d null=%d",
          current == created, current == context, current == 0);
    CHECK("alloc-after", cuda.cuMemAlloc(&out, 64));
    CHECK("pop-after", cuda.cuCtxPopCurrent(&current), "was_destroyed=%d", current == created);
    current = 0;
    cuda.cuCtxGetCurrent(&current);
    RECORD("current-after-pop", "is_primary=%d is_destroyed=%d null=%d", current == context,
           current == created, current == 0);
    cuda.cuCtxSetCurrent(context);

    CHECK("dev-mem-read-after-destroy", cuda.cuMemcpyDtoH(pages, device_ptr, 64));
    CHECK("dev-mem-free-after-destroy", cuda.cuMemFree(device_ptr));
    CHECK("dev-mem-range-after-destroy", cuda.cuMemGetAddressRange(&out, NULL, device_ptr));
    value = 99;
    CHECK("dev-mem-attr-after-destroy", cuda.cuPointerGetAttribute(&value, 2, device_ptr));
    CHECK("pinned-flags-after-destroy", cuda.cuMemHostGetFlags(&value, pinned));
    CHECK("pinned-free-after-destroy", cuda.cuMemFreeHost(pinned));
    CHECK("managed-attr-after-destroy", cuda.cuPointerGetAttribute(&value, 8, managed));
    CHECK("managed-free-after-destroy", cuda.cuMemFree(managed));
    (void)array;
    (void)stream;
}

static void ctxlife_free_and_stack(void)
{
    CUdeviceptr device_ptr;
    CUcontext created, current;

    created = context_new();
    device_ptr = device_alloc(4096);
    cuda.cuCtxSetCurrent(context);
    CHECK("free-in-other-ctx", cuda.cuMemFree(device_ptr));
    cuda.cuCtxSetCurrent(created);
    CHECK("free-again-in-own", cuda.cuMemFree(device_ptr));
    device_ptr = device_alloc(4096);
    cuda.cuCtxSetCurrent(NULL);
    CHECK("free-no-ctx", cuda.cuMemFree(device_ptr));
    cuda.cuCtxSetCurrent(created);
    CHECK("free-own", cuda.cuMemFree(device_ptr));
    CHECK("setcurrent-null", cuda.cuCtxSetCurrent(NULL));
    CHECK("push-null", cuda.cuCtxPushCurrent(NULL));
    current = (CUcontext)UNTOUCHED;
    CHECK("pop-empty", cuda.cuCtxPopCurrent(&current), "out=%s", out_state(current));
    CHECK("pop-null-out-empty", cuda.cuCtxPopCurrent(NULL));
    CHECK("getcurrent-null", cuda.cuCtxGetCurrent(NULL));
    CHECK("destroy-null", cuda.cuCtxDestroy(NULL));
    CHECK("destroy-primary", cuda.cuCtxDestroy(context));
    CUdevice found;
    CHECK("getdevice-noctx", cuda.cuCtxGetDevice(&found));
}

static void ctxlife_create(void)
{
    CUcontext current;

    CHECK("push", cuda.cuCtxPushCurrent(context));
    CHECK("pop-null-out", cuda.cuCtxPopCurrent(NULL));
    current = 0;
    cuda.cuCtxGetCurrent(&current);
    RECORD("popped", "null=%d", current == 0);
    for (int bit = 0; bit < 12; bit++) {
        CUcontext flagged = 0;
        if (!CHECK(format("create-flagbit%d", bit),
                   cuda.cuCtxCreate(&flagged, NULL, 1u << bit, device))) {
            unsigned flags = 0;
            cuda.cuCtxGetFlags(&flags);
            RECORD(format("create-flagbit%d-readback", bit), "fl=0x%x", flags);
            cuda.cuCtxDestroy(flagged);
        }
    }
    CHECK("create-null", cuda.cuCtxCreate(NULL, NULL, 0, device));
    CHECK("create-baddev", cuda.cuCtxCreate(&current, NULL, 0, 99));
    CHECK("create-sched3", cuda.cuCtxCreate(&current, NULL, 3, device));
}

GROUP(1209, ctxlife, "ctxlife")
{
    use_primary_context();
    ctxlife_destroy();
    ctxlife_free_and_stack();
    ctxlife_create();
}

GROUP(1210, primary, "primary")
{
    use_device();
    unsigned flags = 99;
    int active = 99;
    CUcontext first = 0, second = 0, current = 0;
    CHECK("state-0", cuda.cuDevicePrimaryCtxGetState(device, &flags, &active), "fl=%u active=%d",
          flags, active);
    CHECK("release-unretained", cuda.cuDevicePrimaryCtxRelease(device));
    CHECK("retain", cuda.cuDevicePrimaryCtxRetain(&first, device));
    cuda.cuCtxGetCurrent(&current);
    RECORD("retain-current", "null=%d", current == 0);
    CHECK("retain2", cuda.cuDevicePrimaryCtxRetain(&second, device), "same=%d", first == second);
    CHECK("state-2", cuda.cuDevicePrimaryCtxGetState(device, &flags, &active), "fl=%u active=%d",
          flags, active);
    cuda.cuCtxSetCurrent(first);
    context = first;
    CUdeviceptr ptr = device_alloc(4096);
    device_fill(ptr, 4096, 3);
    CHECK("release1", cuda.cuDevicePrimaryCtxRelease(device));
    RECORD("mem-after-release1", "data=%s", device_check(ptr, 4096, 3));
    CHECK("setflags-active", cuda.cuDevicePrimaryCtxSetFlags(device, 4));
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    CHECK("state-after-reset", cuda.cuDevicePrimaryCtxGetState(device, &flags, &active),
          "fl=%u active=%d", flags, active);
    current = 0;
    CHECK("current-after-reset", cuda.cuCtxGetCurrent(&current), "same=%d null=%d",
          current == first, current == 0);
    char bytes[64];
    CHECK("read-after-reset", cuda.cuMemcpyDtoH(bytes, ptr, 64));
    CHECK("alloc-after-reset", cuda.cuMemAlloc(&ptr, 64));
    CHECK("retain-after-reset", cuda.cuDevicePrimaryCtxRetain(&second, device), "same=%d",
          first == second);
    cuda.cuCtxSetCurrent(second);
    CHECK("read-after-retain", cuda.cuMemcpyDtoH(bytes, ptr, 64));
    CHECK("alloc-after-retain", cuda.cuMemAlloc(&ptr, 64));
    CHECK("release-last", cuda.cuDevicePrimaryCtxRelease(device));
    CHECK("state-released", cuda.cuDevicePrimaryCtxGetState(device, &flags, &active),
          "fl=%u active=%d", flags, active);
    CHECK("alloc-after-release-last", cuda.cuMemAlloc(&ptr, 64));
    CHECK("release-extra", cuda.cuDevicePrimaryCtxRelease(device));
    CHECK("retain-baddev", cuda.cuDevicePrimaryCtxRetain(&second, 99));
    CHECK("retain-null", cuda.cuDevicePrimaryCtxRetain(NULL, device));
    CHECK("init-flags1", cuda.cuInit(1));
    CHECK("init-again", cuda.cuInit(0));
}

GROUP(1211, devattr, "devattr")
{
    use_device();
    for (const struct named_value *row = device_attribute_names; row->name; row++) {
        int value = -77;
        CHECK(row->name, cuda.cuDeviceGetAttribute(&value, row->value, device), "id=%d value=%d",
              row->value, value);
    }
    static const int bad[] = {0, -1, 148, 149, 150, 151, 160, 200, 1000, 0x7fffffff};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int value = -77;
        CHECK(format("bad-%d", bad[i]), cuda.cuDeviceGetAttribute(&value, bad[i], device),
              "value=%s", value == -77 ? "kept" : "set");
    }
    CHECK("null", cuda.cuDeviceGetAttribute(NULL, 1, device));
    int value;
    CHECK("baddev", cuda.cuDeviceGetAttribute(&value, 1, 99));
    CHECK("dev-1", cuda.cuDeviceGetAttribute(&value, 1, -1));
    size_t total = 0;
    CHECK("totalmem", cuda.cuDeviceTotalMem(&total, device), "bytes=%zu", total);
    CHECK("totalmem-null", cuda.cuDeviceTotalMem(NULL, device));
    CHECK("totalmem-baddev", cuda.cuDeviceTotalMem(&total, 99));
    CUdevice found;
    CHECK("get-1", cuda.cuDeviceGet(&found, 1));
    CHECK("get--1", cuda.cuDeviceGet(&found, -1));
    CHECK("get-null", cuda.cuDeviceGet(NULL, 0));
}
