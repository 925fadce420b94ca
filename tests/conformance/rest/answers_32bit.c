/* SPDX-License-Identifier: MIT */
/* The names without _v2: 32-bit sizes and addresses, by their prototypes of CUDA 3.1 and before.
 * Asked in a context of today and in one that the old cuCtxCreate made. Addresses that fit in 32
 * bits are hardly to be had; what the functions answer is the question. */
#include "rest.h"

typedef unsigned ptr32;
typedef struct {
    unsigned src_x, src_y;
    CUmemorytype src_type;
    const void *src_host;
    ptr32 src_device;
    CUarray src_array;
    unsigned src_pitch, dst_x, dst_y;
    CUmemorytype dst_type;
    void *dst_host;
    ptr32 dst_device;
    CUarray dst_array;
    unsigned dst_pitch, width, height;
} copy2d32;
typedef struct {
    unsigned src_x, src_y, src_z, src_lod;
    CUmemorytype src_type;
    const void *src_host;
    ptr32 src_device;
    CUarray src_array;
    void *reserved0;
    unsigned src_pitch, src_height, dst_x, dst_y, dst_z, dst_lod;
    CUmemorytype dst_type;
    void *dst_host;
    ptr32 dst_device;
    CUarray dst_array;
    void *reserved1;
    unsigned dst_pitch, dst_height, width, height, depth;
} copy3d32;
typedef struct {
    unsigned width, height;
    CUarray_format format;
    unsigned channels;
} array_desc32;
typedef struct {
    unsigned width, height, depth;
    CUarray_format format;
    unsigned channels, flags;
} array3d_desc32;
static struct {
    uint64_t a[4], b[4];
} o; /* room for outputs of any width */
static void outputs_clear(void)
{
    for (int i = 0; i < 4; i++)
        o.a[i] = o.b[i] = 0x5a5a5a5a5a5a5a5aull;
}

static const char *width_text(const uint64_t *v)
{
    unsigned lo = (unsigned)*v, hi = *v >> 32;
    int l = lo != 0x5a5a5a5a, h = hi != 0x5a5a5a5a;
    return !l && !h   ? "kept"
           : l && !h  ? lo ? "low" : "low-zero"
           : h && !l  ? "high"
           : hi || lo ? "both"
                      : "both-zero";
}

#define OLD_SYMBOL(n, proto) CUresult(*n) proto = library_symbol(#n)
#define CHECK_OLD(nm, fn, call, ...)                                                               \
    do {                                                                                           \
        outputs_clear();                                                                           \
        if (!(fn))                                                                                 \
            RECORD(nm, "absent");                                                                  \
        else                                                                                       \
            CHECK(nm, call, __VA_ARGS__);                                                          \
    } while (0)
#define BOTH_OUTPUTS "a=%s b=%s", width_text(o.a), width_text(o.b)
#define AS_POINTER(x) ((void *)(x))
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemGetInfo
#undef cuMemAllocPitch
#undef cuMemGetAddressRange
#undef cuMemAllocHost
#undef cuMemHostGetDevicePointer
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD
#undef cuMemcpyDtoA
#undef cuMemcpyAtoD
#undef cuMemcpyHtoA
#undef cuMemcpyAtoH
#undef cuMemcpyAtoA
#undef cuMemcpyHtoAAsync
#undef cuMemcpyAtoHAsync
#undef cuMemcpy2D
#undef cuMemcpy2DUnaligned
#undef cuMemcpy3D
#undef cuMemcpyHtoDAsync
#undef cuMemcpyDtoHAsync
#undef cuMemcpyDtoDAsync
#undef cuMemcpy2DAsync
#undef cuMemcpy3DAsync
#undef cuMemsetD8
#undef cuMemsetD16
#undef cuMemsetD32
#undef cuMemsetD2D8
#undef cuMemsetD2D16
#undef cuMemsetD2D32
#undef cuArrayCreate
#undef cuArrayGetDescriptor
#undef cuArray3DCreate
#undef cuArray3DGetDescriptor
#undef cuModuleGetGlobal
#undef cuTexRefSetAddress
#undef cuTexRefSetAddress2D
#undef cuTexRefGetAddress
#undef cuGraphicsResourceGetMappedPointer
#undef cuDeviceTotalMem
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuStreamDestroy
#undef cuEventDestroy
static CUdeviceptr ptr_new(size_t n)
{
    return device_alloc(n);
}

static CUresult module_load(CUmodule *m)
{
    return cuda.cuModuleLoadData(m, kernels_ptx);
}

static void check_functions(void)
{
    OLD_SYMBOL(cuMemAlloc, (void *, unsigned));
    OLD_SYMBOL(cuMemFree, (ptr32));
    OLD_SYMBOL(cuMemGetInfo, (void *, void *));
    OLD_SYMBOL(cuMemAllocPitch, (void *, void *, unsigned, unsigned, unsigned));
    OLD_SYMBOL(cuMemGetAddressRange, (void *, void *, ptr32));
    OLD_SYMBOL(cuMemAllocHost, (void *, unsigned));
    OLD_SYMBOL(cuMemHostGetDevicePointer, (void *, void *, unsigned));
    OLD_SYMBOL(cuMemcpyHtoD, (ptr32, const void *, unsigned));
    OLD_SYMBOL(cuMemcpyDtoH, (void *, ptr32, unsigned));
    OLD_SYMBOL(cuMemcpyDtoD, (ptr32, ptr32, unsigned));
    OLD_SYMBOL(cuMemcpyDtoA, (CUarray, unsigned, ptr32, unsigned));
    OLD_SYMBOL(cuMemcpyAtoD, (ptr32, CUarray, unsigned, unsigned));
    OLD_SYMBOL(cuMemcpyHtoA, (CUarray, unsigned, const void *, unsigned));
    OLD_SYMBOL(cuMemcpyAtoH, (void *, CUarray, unsigned, unsigned));
    OLD_SYMBOL(cuMemcpyAtoA, (CUarray, unsigned, CUarray, unsigned, unsigned));
    OLD_SYMBOL(cuMemcpyHtoAAsync, (CUarray, unsigned, const void *, unsigned, CUstream));
    OLD_SYMBOL(cuMemcpyAtoHAsync, (void *, CUarray, unsigned, unsigned, CUstream));
    OLD_SYMBOL(cuMemcpy2D, (const copy2d32 *));
    OLD_SYMBOL(cuMemcpy2DUnaligned, (const copy2d32 *));
    OLD_SYMBOL(cuMemcpy3D, (const copy3d32 *));
    OLD_SYMBOL(cuMemcpyHtoDAsync, (ptr32, const void *, unsigned, CUstream));
    OLD_SYMBOL(cuMemcpyDtoHAsync, (void *, ptr32, unsigned, CUstream));
    OLD_SYMBOL(cuMemcpyDtoDAsync, (ptr32, ptr32, unsigned, CUstream));
    OLD_SYMBOL(cuMemcpy2DAsync, (const copy2d32 *, CUstream));
    OLD_SYMBOL(cuMemcpy3DAsync, (const copy3d32 *, CUstream));
    OLD_SYMBOL(cuMemsetD8, (ptr32, unsigned char, unsigned));
    OLD_SYMBOL(cuMemsetD16, (ptr32, unsigned short, unsigned));
    OLD_SYMBOL(cuMemsetD32, (ptr32, unsigned, unsigned));
    OLD_SYMBOL(cuMemsetD2D8, (ptr32, unsigned, unsigned char, unsigned, unsigned));
    OLD_SYMBOL(cuMemsetD2D16, (ptr32, unsigned, unsigned short, unsigned, unsigned));
    OLD_SYMBOL(cuMemsetD2D32, (ptr32, unsigned, unsigned, unsigned, unsigned));
    OLD_SYMBOL(cuArrayCreate, (CUarray *, const array_desc32 *));
    OLD_SYMBOL(cuArrayGetDescriptor, (void *, CUarray));
    OLD_SYMBOL(cuArray3DCreate, (CUarray *, const array3d_desc32 *));
    OLD_SYMBOL(cuArray3DGetDescriptor, (void *, CUarray));
    OLD_SYMBOL(cuModuleGetGlobal, (void *, void *, CUmodule, const char *));
    OLD_SYMBOL(cuTexRefSetAddress, (void *, CUtexref, ptr32, unsigned));
    OLD_SYMBOL(cuTexRefSetAddress2D, (CUtexref, const array_desc32 *, ptr32, unsigned));
    OLD_SYMBOL(cuTexRefGetAddress, (void *, CUtexref));
    OLD_SYMBOL(cuGraphicsResourceGetMappedPointer, (void *, void *, CUgraphicsResource));
    OLD_SYMBOL(cuDeviceTotalMem, (void *, CUdevice));
    OLD_SYMBOL(cuStreamDestroy, (CUstream));
    OLD_SYMBOL(cuEventDestroy, (CUevent));
    CUdeviceptr d = ptr_new(65536);
    ptr32 lo = (ptr32)d;
    static unsigned char h[65536];
    pattern_fill(h, sizeof h, 3);
    unsigned ver = 0;
    cuda.cuCtxGetApiVersion(NULL, &ver);
    RECORD("apiversion", "%u", ver);
    CUmodule m = 0;
    module_load(&m);
    void *hp = pinned_alloc(4096);
    CUstream s = stream_new(0), s9 = stream_new(0);
    CUevent e9 = event_new(0);
    unsigned char back[4096];
    CHECK_OLD("totalmem", cuDeviceTotalMem, cuDeviceTotalMem(o.a, device), BOTH_OUTPUTS);
    CHECK_OLD("totalmem-null", cuDeviceTotalMem, cuDeviceTotalMem(NULL, device), " ");
    CHECK_OLD("totalmem-dev99", cuDeviceTotalMem, cuDeviceTotalMem(o.a, 99), BOTH_OUTPUTS);
    CHECK_OLD("meminfo", cuMemGetInfo, cuMemGetInfo(o.a, o.b), BOTH_OUTPUTS);
    if (cuDeviceTotalMem) {
        outputs_clear();
        cuDeviceTotalMem(o.a, device);
        RECORD("totalmem-clamped", "all-ones=%d zero=%d", (unsigned)o.a[0] == ~0u,
               (unsigned)o.a[0] == 0);
    }
    if (cuMemGetInfo) {
        outputs_clear();
        cuMemGetInfo(o.a, o.b);
        RECORD("meminfo-clamped", "free-ones=%d total-ones=%d", (unsigned)o.a[0] == ~0u,
               (unsigned)o.b[0] == ~0u);
    }
    CHECK_OLD("meminfo-null", cuMemGetInfo, cuMemGetInfo(NULL, NULL), " ");
    static const unsigned sz[] = {0, 1, 4096, 1 << 20, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        outputs_clear();
        if (cuMemAlloc) {
            CUresult r = CHECK(format("alloc%x", sz[i]), cuMemAlloc(o.a, sz[i]), BOTH_OUTPUTS);
            if (!r && cuMemFree)
                CHECK(format("alloc%x-free", sz[i]), cuMemFree((ptr32)o.a[0]));
        }
    }
    CHECK_OLD("alloc-null", cuMemAlloc, cuMemAlloc(NULL, 64), " ");
    CHECK_OLD("pitch", cuMemAllocPitch, cuMemAllocPitch(o.a, o.b, 100, 4, 4), BOTH_OUTPUTS);
    CHECK_OLD("pitch-null", cuMemAllocPitch, cuMemAllocPitch(NULL, NULL, 100, 4, 4), " ");
    CHECK_OLD("range-low-bits", cuMemGetAddressRange, cuMemGetAddressRange(o.a, o.b, lo),
              BOTH_OUTPUTS);
    CHECK_OLD("range-zero", cuMemGetAddressRange, cuMemGetAddressRange(o.a, o.b, 0), BOTH_OUTPUTS);
    CHECK_OLD("range-null", cuMemGetAddressRange, cuMemGetAddressRange(NULL, NULL, lo), " ");
    CHECK_OLD("free-low-bits", cuMemFree, cuMemFree(lo), " ");
    CHECK_OLD("free-zero", cuMemFree, cuMemFree(0), " ");
    CHECK_OLD("free-garbage", cuMemFree, cuMemFree(0x1234), " ");
    for (size_t i = 0; i < 4; i++) {
        outputs_clear();
        if (cuMemAllocHost) {
            CUresult r = CHECK(format("allochost%x", sz[i]), cuMemAllocHost(o.a, sz[i]), "out=%s",
                               o.a[0] == 0x5a5a5a5a5a5a5a5aull ? "kept"
                               : o.a[0]                        ? "set"
                                                               : "zero");
            if (!r && o.a[0])
                cuda.cuMemFreeHost((void *)(uintptr_t)o.a[0]);
        }
    }
    CHECK_OLD("hostdevptr", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(o.a, hp, 0),
              BOTH_OUTPUTS);
    CHECK_OLD("hostdevptr-garbage", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(o.a, h, 0),
              BOTH_OUTPUTS);
    CHECK_OLD("hostdevptr-null", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(NULL, hp, 0),
              " ");
    CHECK_OLD("global", cuModuleGetGlobal, cuModuleGetGlobal(o.a, o.b, m, "gv"), BOTH_OUTPUTS);
    CHECK_OLD("global-size-only", cuModuleGetGlobal, cuModuleGetGlobal(NULL, o.b, m, "gv"),
              "b=%s size=%u", width_text(o.b), (unsigned)o.b[0]);
    CHECK_OLD("global-missing", cuModuleGetGlobal, cuModuleGetGlobal(o.a, o.b, m, "nosuch"),
              BOTH_OUTPUTS);
    CHECK_OLD("global-null", cuModuleGetGlobal, cuModuleGetGlobal(NULL, NULL, m, "gv"), " ");
    CHECK_OLD("htod-low-bits", cuMemcpyHtoD, cuMemcpyHtoD(lo, h, 64), " ");
    CHECK_OLD("htod-zero-size", cuMemcpyHtoD, cuMemcpyHtoD(lo, h, 0), " ");
    CHECK_OLD("htod-null", cuMemcpyHtoD, cuMemcpyHtoD(0, NULL, 64), " ");
    CHECK_OLD("dtoh-low-bits", cuMemcpyDtoH, cuMemcpyDtoH(back, lo, 64), " ");
    CHECK_OLD("dtoh-zero-size", cuMemcpyDtoH, cuMemcpyDtoH(back, lo, 0), " ");
    CHECK_OLD("dtod", cuMemcpyDtoD, cuMemcpyDtoD(lo, lo + 4096, 64), " ");
    CHECK_OLD("dtod-zero-size", cuMemcpyDtoD, cuMemcpyDtoD(lo, lo + 4096, 0), " ");
    CHECK_OLD("htod-async", cuMemcpyHtoDAsync, cuMemcpyHtoDAsync(lo, h, 64, s), " ");
    CHECK_OLD("dtoh-async", cuMemcpyDtoHAsync, cuMemcpyDtoHAsync(back, lo, 64, s), " ");
    CHECK_OLD("dtod-async", cuMemcpyDtoDAsync, cuMemcpyDtoDAsync(lo, lo + 4096, 64, s), " ");
    CHECK_OLD("memset8", cuMemsetD8, cuMemsetD8(lo, 1, 64), " ");
    CHECK_OLD("memset8-zero", cuMemsetD8, cuMemsetD8(lo, 1, 0), " ");
    CHECK_OLD("memset16", cuMemsetD16, cuMemsetD16(lo, 1, 32), " ");
    CHECK_OLD("memset16-odd", cuMemsetD16, cuMemsetD16(lo + 1, 1, 32), " ");
    CHECK_OLD("memset32", cuMemsetD32, cuMemsetD32(lo, 1, 16), " ");
    CHECK_OLD("memset2d8", cuMemsetD2D8, cuMemsetD2D8(lo, 64, 1, 8, 2), " ");
    CHECK_OLD("memset2d16", cuMemsetD2D16, cuMemsetD2D16(lo, 64, 1, 8, 2), " ");
    CHECK_OLD("memset2d32", cuMemsetD2D32, cuMemsetD2D32(lo, 64, 1, 8, 2), " ");
    CHECK_OLD("memset8-null", cuMemsetD8, cuMemsetD8(0, 1, 64), " ");
    CUarray a = 0, a3 = 0;
    array_desc32 d2 = {64, 8, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    array3d_desc32 d3 = {64, 8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    CHECK_OLD("array", cuArrayCreate, cuArrayCreate(&a, &d2), "set=%d", a != 0);
    CHECK_OLD("array-null", cuArrayCreate, cuArrayCreate(NULL, &d2), " ");
    CHECK_OLD("array-desc-null", cuArrayCreate, cuArrayCreate(&a3, NULL), " ");
    array_desc32 g2 = {0};
    CHECK_OLD("array-desc", cuArrayGetDescriptor, cuArrayGetDescriptor(&g2, a),
              "w=%u h=%u f=%d c=%u", g2.width, g2.height, g2.format, g2.channels);
    CHECK_OLD("array3d", cuArray3DCreate, cuArray3DCreate(&a3, &d3), "set=%d", a3 != 0);
    array3d_desc32 g3 = {0};
    CHECK_OLD("array3d-desc", cuArray3DGetDescriptor, cuArray3DGetDescriptor(&g3, a3),
              "w=%u h=%u d=%u f=%d c=%u fl=%u", g3.width, g3.height, g3.depth, g3.format,
              g3.channels, g3.flags);
    CUarray am = 0;
    CUDA_ARRAY_DESCRIPTOR md = {64, 8, 1, 1};
    CUresult (*mk2)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *) = library_symbol("cuArrayCreate_v2");
    if (mk2)
        mk2(&am, &md);
    CHECK_OLD("modern-array-desc", cuArrayGetDescriptor, cuArrayGetDescriptor(&g2, am), "w=%u h=%u",
              g2.width, g2.height);
    if (!a)
        a = am;
    CHECK_OLD("htoa", cuMemcpyHtoA, cuMemcpyHtoA(a, 0, h, 64), " ");
    memset(back, 0, 64);
    CHECK_OLD("atoh", cuMemcpyAtoH, cuMemcpyAtoH(back, a, 0, 64), "%s", pattern_check(back, 64, 3));
    CHECK_OLD("atoa", cuMemcpyAtoA, cuMemcpyAtoA(a, 0, a, 64, 64), " ");
    CHECK_OLD("dtoa", cuMemcpyDtoA, cuMemcpyDtoA(a, 0, lo, 64), " ");
    CHECK_OLD("atod", cuMemcpyAtoD, cuMemcpyAtoD(lo, a, 0, 64), " ");
    CHECK_OLD("htoa-async", cuMemcpyHtoAAsync, cuMemcpyHtoAAsync(a, 0, h, 64, s), " ");
    cuda.cuStreamSynchronize(s);
    memset(back, 0, 64);
    CHECK_OLD("atoh-async", cuMemcpyAtoHAsync, cuMemcpyAtoHAsync(back, a, 0, 64, s), "%s",
              (cuda.cuStreamSynchronize(s), pattern_check(back, 64, 3)));
    CHECK_OLD("htoa-null", cuMemcpyHtoA, cuMemcpyHtoA(NULL, 0, h, 64), " ");
    copy2d32 c2;
    memset(&c2, 0, sizeof c2);
    c2.src_type = CU_MEMORYTYPE_HOST;
    c2.src_host = h;
    c2.src_pitch = 64;
    c2.dst_type = CU_MEMORYTYPE_ARRAY;
    c2.dst_array = a;
    c2.width = 64;
    c2.height = 4;
    CHECK_OLD("copy2d-host-array", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    c2.src_type = CU_MEMORYTYPE_ARRAY;
    c2.src_array = a;
    c2.dst_type = CU_MEMORYTYPE_HOST;
    c2.dst_host = back;
    c2.dst_pitch = 64;
    memset(back, 0, sizeof back);
    CHECK_OLD("copy2d-array-host", cuMemcpy2D, cuMemcpy2D(&c2), "%s", pattern_check(back, 256, 3));
    CHECK_OLD("copy2d-unaligned", cuMemcpy2DUnaligned, cuMemcpy2DUnaligned(&c2), " ");
    CHECK_OLD("copy2d-async", cuMemcpy2DAsync, cuMemcpy2DAsync(&c2, s), " ");
    cuda.cuStreamSynchronize(s);
    c2.src_type = CU_MEMORYTYPE_DEVICE;
    c2.src_device = lo;
    c2.src_pitch = 64;
    CHECK_OLD("copy2d-device", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    c2.src_type = c2.dst_type = CU_MEMORYTYPE_HOST;
    c2.src_host = h;
    CHECK_OLD("copy2d-host-host", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    CHECK_OLD("copy2d-null", cuMemcpy2D, cuMemcpy2D(NULL), " ");
    copy3d32 c3;
    memset(&c3, 0, sizeof c3);
    c3.src_type = CU_MEMORYTYPE_HOST;
    c3.src_host = h;
    c3.src_pitch = 64;
    c3.src_height = 8;
    c3.dst_type = CU_MEMORYTYPE_ARRAY;
    c3.dst_array = a3;
    c3.width = 64;
    c3.height = 8;
    c3.depth = 2;
    if (a3) {
        CHECK_OLD("copy3d-host-array", cuMemcpy3D, cuMemcpy3D(&c3), " ");
        c3.src_type = CU_MEMORYTYPE_ARRAY;
        c3.src_array = a3;
        c3.dst_type = CU_MEMORYTYPE_HOST;
        c3.dst_host = back;
        c3.dst_pitch = 64;
        c3.dst_height = 8;
        memset(back, 0, sizeof back);
        CHECK_OLD("copy3d-array-host", cuMemcpy3D, cuMemcpy3D(&c3), "%s",
                  pattern_check(back, 1024, 3));
        CHECK_OLD("copy3d-async", cuMemcpy3DAsync, cuMemcpy3DAsync(&c3, s), " ");
        cuda.cuStreamSynchronize(s);
    }
    CHECK_OLD("copy3d-null", cuMemcpy3D, cuMemcpy3D(NULL), " ");
    CUtexref t = 0;
    CHECK("texref", cuda.cuTexRefCreate(&t));
    CHECK_OLD("texref-address", cuTexRefSetAddress, cuTexRefSetAddress(o.a, t, lo, 4096), "a=%s",
              width_text(o.a));
    CHECK_OLD("texref-address2d", cuTexRefSetAddress2D, cuTexRefSetAddress2D(t, &d2, lo, 512), " ");
    CHECK_OLD("texref-get", cuTexRefGetAddress, cuTexRefGetAddress(o.a, t), "a=%s",
              width_text(o.a));
    CHECK_OLD("mapped-pointer-null", cuGraphicsResourceGetMappedPointer,
              cuGraphicsResourceGetMappedPointer(o.a, o.b, NULL), BOTH_OUTPUTS);
    CHECK_OLD("stream-destroy", cuStreamDestroy, cuStreamDestroy(s9), " ");
    CHECK_OLD("stream-destroy-null", cuStreamDestroy, cuStreamDestroy(NULL), " ");
    CHECK_OLD("event-destroy", cuEventDestroy, cuEventDestroy(e9), " ");
    CHECK_OLD("event-destroy-null", cuEventDestroy, cuEventDestroy(NULL), " ");
}

static void check_context_functions(void)
{
    OLD_SYMBOL(cuCtxDestroy, (CUcontext));
    OLD_SYMBOL(cuCtxPopCurrent, (CUcontext *));
    OLD_SYMBOL(cuCtxPushCurrent, (CUcontext));
    CUcontext c = 0, x = 0;
    cuda.cuCtxGetCurrent(&c);
    CHECK_OLD("pop", cuCtxPopCurrent, cuCtxPopCurrent(&x), "same=%d", x == c);
    CHECK_OLD("pop-null-out", cuCtxPopCurrent, cuCtxPopCurrent(NULL), " ");
    CHECK_OLD("push", cuCtxPushCurrent, cuCtxPushCurrent(c), " ");
    CHECK_OLD("push-null", cuCtxPushCurrent, cuCtxPushCurrent(NULL), " ");
    CHECK_OLD("push-twice", cuCtxPushCurrent, cuCtxPushCurrent(c), " ");
    CHECK_OLD("pop-null", cuCtxPopCurrent, cuCtxPopCurrent(NULL), " ");
    x = 0;
    cuda.cuCtxGetCurrent(&x);
    RECORD("current", "same=%d null=%d", x == c, !x);
    CHECK_OLD("destroy-null", cuCtxDestroy, cuCtxDestroy(NULL), " ");
}

GROUP(800, v1_modern, "v1-modern")
{
    use_primary_context();
    check_functions();
    check_context_functions();
}

static CUcontext old_context_new(unsigned fl, CUresult *r)
{
    OLD_SYMBOL(cuCtxCreate, (CUcontext *, unsigned, CUdevice));
    CUcontext c = UNTOUCHED_HANDLE;
    *r = cuCtxCreate ? cuCtxCreate(&c, fl, device) : RESULT_MISSING;
    return c;
}

GROUP(801, v1_oldctx, "v1-oldctx")
{
    use_device();
    CUresult r;
    CUcontext c = 0;
    CHECK("create", (c = old_context_new(0, &r), r), "c=%s", handle_state(c));
    if ((void *)c == UNTOUCHED_HANDLE) {
        cuda.cuCtxSetCurrent(NULL);
        setup_note("setup-old-context-unavailable");
    }
    unsigned v = 0;
    CHECK("version", cuda.cuCtxGetApiVersion(c, &v), "%u", v);
    check_functions();
    check_context_functions();
}

GROUP(802, v1_ctxcreate, "v1-ctxcreate")
{
    use_device();
    CUresult r;
    for (int b = 0; b < 12; b++) {
        CUcontext c = UNTOUCHED_HANDLE;
        CHECK_THEN(
            format("flagbit%d", b), (c = old_context_new(1u << b, &r), r), unsigned f = 99;
            if (!result) {
                cuda.cuCtxGetFlags(&f);
                CUresult (*des)(CUcontext) = library_symbol("cuCtxDestroy_v2");
                if (des)
                    des(c);
            },
            "c=%s flags=0x%x", handle_state(c), f);
    }
    OLD_SYMBOL(cuCtxCreate, (CUcontext *, unsigned, CUdevice));
    CUcontext c;
    CHECK_OLD("null-out", cuCtxCreate, cuCtxCreate(NULL, 0, device), " ");
    CHECK_OLD("dev99", cuCtxCreate, cuCtxCreate(&c, 0, 99), " ");
    OLD_SYMBOL(cuCtxDestroy, (CUcontext));
    c = 0;
    old_context_new(0, &r);
    cuda.cuCtxGetCurrent(&c);
    CHECK_OLD("destroy-current", cuCtxDestroy, cuCtxDestroy(c), " ");
    CUcontext x = UNTOUCHED_HANDLE;
    cuda.cuCtxGetCurrent(&x);
    RECORD("after-destroy", "null=%d", !x);
    old_context_new(0, &r);
    CUcontext k = 0;
    cuda.cuCtxGetCurrent(&k);
    cuda.cuCtxSetCurrent(NULL);
    CHECK_OLD("destroy-not-current", cuCtxDestroy, cuCtxDestroy(k), " ");
    unsigned v = 0;
    CUcontext q = 0;
    old_context_new(0, &r);
    cuda.cuCtxGetCurrent(&q);
    CHECK("modern-alloc-in-old", cuda.cuMemHostGetFlags(&v, &v));
    CUdeviceptr d = ptr_new(4096);
    RECORD("dalloc-in-old", "set=%d high=%d", d != 0, d >> 32 != 0);
}

static CUcontext destroyed_context;

static void *destroy_in_thread(void *u)
{
    CUresult (*des)(CUcontext) = library_symbol("cuCtxDestroy_v2");
    *(CUresult *)u = des ? des(destroyed_context) : RESULT_MISSING;
    return 0;
}

GROUP(807, v1_destroyedctx, "v1-destroyedctx")
{
    use_device();
    keep_after_sticky = 1;
    destroyed_context = context_new();
    pthread_t t;
    CUresult r = 0;
    pthread_create(&t, 0, destroy_in_thread, &r);
    pthread_join(t, 0);
    CHECK("destroyed-by-other-thread", r);
    check_functions();
    check_context_functions();
}

GROUP(803, v1_noctx, "v1-noctx")
{
    use_device();
    check_functions();
    check_context_functions();
}

static const char *const old_names[] = {"cuArray3DCreate",
                                        "cuArray3DGetDescriptor",
                                        "cuArrayCreate",
                                        "cuArrayGetDescriptor",
                                        "cuDeviceTotalMem",
                                        "cuEventDestroy",
                                        "cuGLCtxCreate",
                                        "cuGLMapBufferObject",
                                        "cuGLMapBufferObjectAsync",
                                        "cuGraphicsResourceGetMappedPointer",
                                        "cuGraphicsResourceSetMapFlags",
                                        "cuLinkAddData",
                                        "cuLinkAddFile",
                                        "cuLinkCreate",
                                        "cuMemAlloc",
                                        "cuMemAllocHost",
                                        "cuMemAllocPitch",
                                        "cuMemcpy2D",
                                        "cuMemcpy2DAsync",
                                        "cuMemcpy2DUnaligned",
                                        "cuMemcpy3D",
                                        "cuMemcpy3DAsync",
                                        "cuMemcpyAtoA",
                                        "cuMemcpyAtoD",
                                        "cuMemcpyAtoH",
                                        "cuMemcpyAtoHAsync",
                                        "cuMemcpyDtoA",
                                        "cuMemcpyDtoD",
                                        "cuMemcpyDtoDAsync",
                                        "cuMemcpyDtoH",
                                        "cuMemcpyDtoHAsync",
                                        "cuMemcpyHtoA",
                                        "cuMemcpyHtoAAsync",
                                        "cuMemcpyHtoD",
                                        "cuMemcpyHtoDAsync",
                                        "cuMemFree",
                                        "cuMemGetAddressRange",
                                        "cuMemGetInfo",
                                        "cuMemHostGetDevicePointer",
                                        "cuMemHostRegister",
                                        "cuMemsetD16",
                                        "cuMemsetD2D16",
                                        "cuMemsetD2D32",
                                        "cuMemsetD2D8",
                                        "cuMemsetD32",
                                        "cuMemsetD8",
                                        "cuModuleGetGlobal",
                                        "cuStreamDestroy",
                                        "cuTexRefGetAddress",
                                        "cuTexRefSetAddress",
                                        "cuTexRefSetAddress2D",
                                        "cuVDPAUCtxCreate",
                                        "cuCtxCreate",
                                        "cuCtxDestroy",
                                        "cuCtxPushCurrent",
                                        "cuCtxPopCurrent" /* last: takes the context away */};
typedef CUresult (*zero_function)(long, long, long, long, long, long, long, long, long, long, long,
                                  long);
static void check_zero_arguments(void)
{
    for (size_t i = 0; i < COUNT_OF(old_names); i++) {
        zero_function f = (zero_function)library_symbol(old_names[i]);
        if (!f)
            RECORD(old_names[i], "absent");
        else
            CHECK(old_names[i], f(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
}

GROUP(804, v1_zeroargs_noinit, "v1-zeroargs-noinit")
{
    check_zero_arguments();
}

GROUP(805, v1_zeroargs_noctx, "v1-zeroargs-noctx")
{
    use_device();
    check_zero_arguments();
}

GROUP(806, v1_zeroargs_ctx, "v1-zeroargs-ctx")
{
    use_primary_context();
    check_zero_arguments();
}
