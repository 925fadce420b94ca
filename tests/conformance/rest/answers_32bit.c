/* SPDX-License-Identifier: MIT */
/* The names without _v2: 32-bit sizes and addresses, by their prototypes of CUDA 3.1 and before.
 * Asked in a context of today and in one that the old cuCtxCreate made. Addresses that fit in 32
 * bits are hardly to be had; what the functions answer is the question. */
#include "rest.h"
typedef unsigned p1;
typedef struct {
    unsigned sx, sy;
    CUmemorytype st;
    const void *sh;
    p1 sd;
    CUarray sa;
    unsigned sp, dx, dy;
    CUmemorytype dt;
    void *dh;
    p1 dd;
    CUarray da;
    unsigned dp_, w, h;
} copy2;
typedef struct {
    unsigned sx, sy, sz, sl;
    CUmemorytype st;
    const void *sh;
    p1 sd;
    CUarray sa;
    void *r0;
    unsigned sp, she, dx, dy, dz, dl;
    CUmemorytype dt;
    void *dh;
    p1 dd;
    CUarray da;
    void *r1;
    unsigned dp_, dhe, w, h, d;
} copy3;
typedef struct {
    unsigned w, h;
    CUarray_format f;
    unsigned c;
} desc2;
typedef struct {
    unsigned w, h, d;
    CUarray_format f;
    unsigned c, fl;
} desc3;
static struct {
    uint64_t a[4], b[4];
} o; /* room for outputs of any width */
static void clr(void)
{
    for (int i = 0; i < 4; i++)
        o.a[i] = o.b[i] = 0x5a5a5a5a5a5a5a5aull;
}
static const char *wide(const uint64_t *v)
{
    unsigned lo = (unsigned)*v, hi = *v >> 32;
    int l = lo != 0x5a5a5a5a, h = hi != 0x5a5a5a5a;
    return !l && !h   ? "kept"
           : l && !h  ? lo ? "low" : "low-zero"
           : h && !l  ? "high"
           : hi || lo ? "both"
                      : "both-zero";
}
#define V(n, proto) CUresult(*n) proto = library_symbol(#n)
#define Q(nm, fn, call, ...)                                                                       \
    do {                                                                                           \
        clr();                                                                                     \
        if (!(fn))                                                                                 \
            RECORD(nm, "absent");                                                                  \
        else                                                                                       \
            CHECK(nm, call, __VA_ARGS__);                                                          \
    } while (0)
#define AB "a=%s b=%s", wide(o.a), wide(o.b)
#define B4(x) ((void *)(x))
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
static CUdeviceptr dal(size_t n)
{
    return device_alloc(n);
}
static CUresult loadmod(CUmodule *m)
{
    return cuda.cuModuleLoadData(m, kernels_ptx);
}
static void walk(void)
{
    V(cuMemAlloc, (void *, unsigned));
    V(cuMemFree, (p1));
    V(cuMemGetInfo, (void *, void *));
    V(cuMemAllocPitch, (void *, void *, unsigned, unsigned, unsigned));
    V(cuMemGetAddressRange, (void *, void *, p1));
    V(cuMemAllocHost, (void *, unsigned));
    V(cuMemHostGetDevicePointer, (void *, void *, unsigned));
    V(cuMemcpyHtoD, (p1, const void *, unsigned));
    V(cuMemcpyDtoH, (void *, p1, unsigned));
    V(cuMemcpyDtoD, (p1, p1, unsigned));
    V(cuMemcpyDtoA, (CUarray, unsigned, p1, unsigned));
    V(cuMemcpyAtoD, (p1, CUarray, unsigned, unsigned));
    V(cuMemcpyHtoA, (CUarray, unsigned, const void *, unsigned));
    V(cuMemcpyAtoH, (void *, CUarray, unsigned, unsigned));
    V(cuMemcpyAtoA, (CUarray, unsigned, CUarray, unsigned, unsigned));
    V(cuMemcpyHtoAAsync, (CUarray, unsigned, const void *, unsigned, CUstream));
    V(cuMemcpyAtoHAsync, (void *, CUarray, unsigned, unsigned, CUstream));
    V(cuMemcpy2D, (const copy2 *));
    V(cuMemcpy2DUnaligned, (const copy2 *));
    V(cuMemcpy3D, (const copy3 *));
    V(cuMemcpyHtoDAsync, (p1, const void *, unsigned, CUstream));
    V(cuMemcpyDtoHAsync, (void *, p1, unsigned, CUstream));
    V(cuMemcpyDtoDAsync, (p1, p1, unsigned, CUstream));
    V(cuMemcpy2DAsync, (const copy2 *, CUstream));
    V(cuMemcpy3DAsync, (const copy3 *, CUstream));
    V(cuMemsetD8, (p1, unsigned char, unsigned));
    V(cuMemsetD16, (p1, unsigned short, unsigned));
    V(cuMemsetD32, (p1, unsigned, unsigned));
    V(cuMemsetD2D8, (p1, unsigned, unsigned char, unsigned, unsigned));
    V(cuMemsetD2D16, (p1, unsigned, unsigned short, unsigned, unsigned));
    V(cuMemsetD2D32, (p1, unsigned, unsigned, unsigned, unsigned));
    V(cuArrayCreate, (CUarray *, const desc2 *));
    V(cuArrayGetDescriptor, (void *, CUarray));
    V(cuArray3DCreate, (CUarray *, const desc3 *));
    V(cuArray3DGetDescriptor, (void *, CUarray));
    V(cuModuleGetGlobal, (void *, void *, CUmodule, const char *));
    V(cuTexRefSetAddress, (void *, CUtexref, p1, unsigned));
    V(cuTexRefSetAddress2D, (CUtexref, const desc2 *, p1, unsigned));
    V(cuTexRefGetAddress, (void *, CUtexref));
    V(cuGraphicsResourceGetMappedPointer, (void *, void *, CUgraphicsResource));
    V(cuDeviceTotalMem, (void *, CUdevice));
    V(cuStreamDestroy, (CUstream));
    V(cuEventDestroy, (CUevent));
    CUdeviceptr d = dal(65536);
    p1 lo = (p1)d;
    static unsigned char h[65536];
    pattern_fill(h, sizeof h, 3);
    unsigned ver = 0;
    cuda.cuCtxGetApiVersion(NULL, &ver);
    RECORD("apiversion", "%u", ver);
    CUmodule m = 0;
    loadmod(&m);
    void *hp = pinned_alloc(4096);
    CUstream s = stream_new(0), s9 = stream_new(0);
    CUevent e9 = event_new(0);
    unsigned char back[4096];
    Q("totalmem", cuDeviceTotalMem, cuDeviceTotalMem(o.a, device), AB);
    Q("totalmem-null", cuDeviceTotalMem, cuDeviceTotalMem(NULL, device), " ");
    Q("totalmem-dev99", cuDeviceTotalMem, cuDeviceTotalMem(o.a, 99), AB);
    Q("meminfo", cuMemGetInfo, cuMemGetInfo(o.a, o.b), AB);
    if (cuDeviceTotalMem) {
        clr();
        cuDeviceTotalMem(o.a, device);
        RECORD("totalmem-clamped", "all-ones=%d zero=%d", (unsigned)o.a[0] == ~0u,
               (unsigned)o.a[0] == 0);
    }
    if (cuMemGetInfo) {
        clr();
        cuMemGetInfo(o.a, o.b);
        RECORD("meminfo-clamped", "free-ones=%d total-ones=%d", (unsigned)o.a[0] == ~0u,
               (unsigned)o.b[0] == ~0u);
    }
    Q("meminfo-null", cuMemGetInfo, cuMemGetInfo(NULL, NULL), " ");
    static const unsigned sz[] = {0, 1, 4096, 1 << 20, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        clr();
        if (cuMemAlloc) {
            CUresult r = CHECK(format("alloc%x", sz[i]), cuMemAlloc(o.a, sz[i]), AB);
            if (!r && cuMemFree)
                CHECK(format("alloc%x-free", sz[i]), cuMemFree((p1)o.a[0]));
        }
    }
    Q("alloc-null", cuMemAlloc, cuMemAlloc(NULL, 64), " ");
    Q("pitch", cuMemAllocPitch, cuMemAllocPitch(o.a, o.b, 100, 4, 4), AB);
    Q("pitch-null", cuMemAllocPitch, cuMemAllocPitch(NULL, NULL, 100, 4, 4), " ");
    Q("range-low-bits", cuMemGetAddressRange, cuMemGetAddressRange(o.a, o.b, lo), AB);
    Q("range-zero", cuMemGetAddressRange, cuMemGetAddressRange(o.a, o.b, 0), AB);
    Q("range-null", cuMemGetAddressRange, cuMemGetAddressRange(NULL, NULL, lo), " ");
    Q("free-low-bits", cuMemFree, cuMemFree(lo), " ");
    Q("free-zero", cuMemFree, cuMemFree(0), " ");
    Q("free-garbage", cuMemFree, cuMemFree(0x1234), " ");
    for (size_t i = 0; i < 4; i++) {
        clr();
        if (cuMemAllocHost) {
            CUresult r = CHECK(format("allochost%x", sz[i]), cuMemAllocHost(o.a, sz[i]), "out=%s",
                               o.a[0] == 0x5a5a5a5a5a5a5a5aull ? "kept"
                               : o.a[0]                        ? "set"
                                                               : "zero");
            if (!r && o.a[0])
                cuda.cuMemFreeHost((void *)(uintptr_t)o.a[0]);
        }
    }
    Q("hostdevptr", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(o.a, hp, 0), AB);
    Q("hostdevptr-garbage", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(o.a, h, 0), AB);
    Q("hostdevptr-null", cuMemHostGetDevicePointer, cuMemHostGetDevicePointer(NULL, hp, 0), " ");
    Q("global", cuModuleGetGlobal, cuModuleGetGlobal(o.a, o.b, m, "gv"), AB);
    Q("global-size-only", cuModuleGetGlobal, cuModuleGetGlobal(NULL, o.b, m, "gv"), "b=%s size=%u",
      wide(o.b), (unsigned)o.b[0]);
    Q("global-missing", cuModuleGetGlobal, cuModuleGetGlobal(o.a, o.b, m, "nosuch"), AB);
    Q("global-null", cuModuleGetGlobal, cuModuleGetGlobal(NULL, NULL, m, "gv"), " ");
    Q("htod-low-bits", cuMemcpyHtoD, cuMemcpyHtoD(lo, h, 64), " ");
    Q("htod-zero-size", cuMemcpyHtoD, cuMemcpyHtoD(lo, h, 0), " ");
    Q("htod-null", cuMemcpyHtoD, cuMemcpyHtoD(0, NULL, 64), " ");
    Q("dtoh-low-bits", cuMemcpyDtoH, cuMemcpyDtoH(back, lo, 64), " ");
    Q("dtoh-zero-size", cuMemcpyDtoH, cuMemcpyDtoH(back, lo, 0), " ");
    Q("dtod", cuMemcpyDtoD, cuMemcpyDtoD(lo, lo + 4096, 64), " ");
    Q("dtod-zero-size", cuMemcpyDtoD, cuMemcpyDtoD(lo, lo + 4096, 0), " ");
    Q("htod-async", cuMemcpyHtoDAsync, cuMemcpyHtoDAsync(lo, h, 64, s), " ");
    Q("dtoh-async", cuMemcpyDtoHAsync, cuMemcpyDtoHAsync(back, lo, 64, s), " ");
    Q("dtod-async", cuMemcpyDtoDAsync, cuMemcpyDtoDAsync(lo, lo + 4096, 64, s), " ");
    Q("memset8", cuMemsetD8, cuMemsetD8(lo, 1, 64), " ");
    Q("memset8-zero", cuMemsetD8, cuMemsetD8(lo, 1, 0), " ");
    Q("memset16", cuMemsetD16, cuMemsetD16(lo, 1, 32), " ");
    Q("memset16-odd", cuMemsetD16, cuMemsetD16(lo + 1, 1, 32), " ");
    Q("memset32", cuMemsetD32, cuMemsetD32(lo, 1, 16), " ");
    Q("memset2d8", cuMemsetD2D8, cuMemsetD2D8(lo, 64, 1, 8, 2), " ");
    Q("memset2d16", cuMemsetD2D16, cuMemsetD2D16(lo, 64, 1, 8, 2), " ");
    Q("memset2d32", cuMemsetD2D32, cuMemsetD2D32(lo, 64, 1, 8, 2), " ");
    Q("memset8-null", cuMemsetD8, cuMemsetD8(0, 1, 64), " ");
    CUarray a = 0, a3 = 0;
    desc2 d2 = {64, 8, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    desc3 d3 = {64, 8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    Q("array", cuArrayCreate, cuArrayCreate(&a, &d2), "set=%d", a != 0);
    Q("array-null", cuArrayCreate, cuArrayCreate(NULL, &d2), " ");
    Q("array-desc-null", cuArrayCreate, cuArrayCreate(&a3, NULL), " ");
    desc2 g2 = {0};
    Q("array-desc", cuArrayGetDescriptor, cuArrayGetDescriptor(&g2, a), "w=%u h=%u f=%d c=%u", g2.w,
      g2.h, g2.f, g2.c);
    Q("array3d", cuArray3DCreate, cuArray3DCreate(&a3, &d3), "set=%d", a3 != 0);
    desc3 g3 = {0};
    Q("array3d-desc", cuArray3DGetDescriptor, cuArray3DGetDescriptor(&g3, a3),
      "w=%u h=%u d=%u f=%d c=%u fl=%u", g3.w, g3.h, g3.d, g3.f, g3.c, g3.fl);
    CUarray am = 0;
    CUDA_ARRAY_DESCRIPTOR md = {64, 8, 1, 1};
    CUresult (*mk2)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *) = library_symbol("cuArrayCreate_v2");
    if (mk2)
        mk2(&am, &md);
    Q("modern-array-desc", cuArrayGetDescriptor, cuArrayGetDescriptor(&g2, am), "w=%u h=%u", g2.w,
      g2.h);
    if (!a)
        a = am;
    Q("htoa", cuMemcpyHtoA, cuMemcpyHtoA(a, 0, h, 64), " ");
    memset(back, 0, 64);
    Q("atoh", cuMemcpyAtoH, cuMemcpyAtoH(back, a, 0, 64), "%s", pattern_check(back, 64, 3));
    Q("atoa", cuMemcpyAtoA, cuMemcpyAtoA(a, 0, a, 64, 64), " ");
    Q("dtoa", cuMemcpyDtoA, cuMemcpyDtoA(a, 0, lo, 64), " ");
    Q("atod", cuMemcpyAtoD, cuMemcpyAtoD(lo, a, 0, 64), " ");
    Q("htoa-async", cuMemcpyHtoAAsync, cuMemcpyHtoAAsync(a, 0, h, 64, s), " ");
    cuda.cuStreamSynchronize(s);
    memset(back, 0, 64);
    Q("atoh-async", cuMemcpyAtoHAsync, cuMemcpyAtoHAsync(back, a, 0, 64, s), "%s",
      (cuda.cuStreamSynchronize(s), pattern_check(back, 64, 3)));
    Q("htoa-null", cuMemcpyHtoA, cuMemcpyHtoA(NULL, 0, h, 64), " ");
    copy2 c2;
    memset(&c2, 0, sizeof c2);
    c2.st = CU_MEMORYTYPE_HOST;
    c2.sh = h;
    c2.sp = 64;
    c2.dt = CU_MEMORYTYPE_ARRAY;
    c2.da = a;
    c2.w = 64;
    c2.h = 4;
    Q("copy2d-host-array", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    c2.st = CU_MEMORYTYPE_ARRAY;
    c2.sa = a;
    c2.dt = CU_MEMORYTYPE_HOST;
    c2.dh = back;
    c2.dp_ = 64;
    memset(back, 0, sizeof back);
    Q("copy2d-array-host", cuMemcpy2D, cuMemcpy2D(&c2), "%s", pattern_check(back, 256, 3));
    Q("copy2d-unaligned", cuMemcpy2DUnaligned, cuMemcpy2DUnaligned(&c2), " ");
    Q("copy2d-async", cuMemcpy2DAsync, cuMemcpy2DAsync(&c2, s), " ");
    cuda.cuStreamSynchronize(s);
    c2.st = CU_MEMORYTYPE_DEVICE;
    c2.sd = lo;
    c2.sp = 64;
    Q("copy2d-device", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    c2.st = c2.dt = CU_MEMORYTYPE_HOST;
    c2.sh = h;
    Q("copy2d-host-host", cuMemcpy2D, cuMemcpy2D(&c2), " ");
    Q("copy2d-null", cuMemcpy2D, cuMemcpy2D(NULL), " ");
    copy3 c3;
    memset(&c3, 0, sizeof c3);
    c3.st = CU_MEMORYTYPE_HOST;
    c3.sh = h;
    c3.sp = 64;
    c3.she = 8;
    c3.dt = CU_MEMORYTYPE_ARRAY;
    c3.da = a3;
    c3.w = 64;
    c3.h = 8;
    c3.d = 2;
    if (a3) {
        Q("copy3d-host-array", cuMemcpy3D, cuMemcpy3D(&c3), " ");
        c3.st = CU_MEMORYTYPE_ARRAY;
        c3.sa = a3;
        c3.dt = CU_MEMORYTYPE_HOST;
        c3.dh = back;
        c3.dp_ = 64;
        c3.dhe = 8;
        memset(back, 0, sizeof back);
        Q("copy3d-array-host", cuMemcpy3D, cuMemcpy3D(&c3), "%s", pattern_check(back, 1024, 3));
        Q("copy3d-async", cuMemcpy3DAsync, cuMemcpy3DAsync(&c3, s), " ");
        cuda.cuStreamSynchronize(s);
    }
    Q("copy3d-null", cuMemcpy3D, cuMemcpy3D(NULL), " ");
    CUtexref t = 0;
    CHECK("texref", cuda.cuTexRefCreate(&t));
    Q("texref-address", cuTexRefSetAddress, cuTexRefSetAddress(o.a, t, lo, 4096), "a=%s",
      wide(o.a));
    Q("texref-address2d", cuTexRefSetAddress2D, cuTexRefSetAddress2D(t, &d2, lo, 512), " ");
    Q("texref-get", cuTexRefGetAddress, cuTexRefGetAddress(o.a, t), "a=%s", wide(o.a));
    Q("mapped-pointer-null", cuGraphicsResourceGetMappedPointer,
      cuGraphicsResourceGetMappedPointer(o.a, o.b, NULL), AB);
    Q("stream-destroy", cuStreamDestroy, cuStreamDestroy(s9), " ");
    Q("stream-destroy-null", cuStreamDestroy, cuStreamDestroy(NULL), " ");
    Q("event-destroy", cuEventDestroy, cuEventDestroy(e9), " ");
    Q("event-destroy-null", cuEventDestroy, cuEventDestroy(NULL), " ");
}
static void ctxwalk(void)
{
    V(cuCtxDestroy, (CUcontext));
    V(cuCtxPopCurrent, (CUcontext *));
    V(cuCtxPushCurrent, (CUcontext));
    CUcontext c = 0, x = 0;
    cuda.cuCtxGetCurrent(&c);
    Q("pop", cuCtxPopCurrent, cuCtxPopCurrent(&x), "same=%d", x == c);
    Q("pop-null-out", cuCtxPopCurrent, cuCtxPopCurrent(NULL), " ");
    Q("push", cuCtxPushCurrent, cuCtxPushCurrent(c), " ");
    Q("push-null", cuCtxPushCurrent, cuCtxPushCurrent(NULL), " ");
    Q("push-twice", cuCtxPushCurrent, cuCtxPushCurrent(c), " ");
    Q("pop-null", cuCtxPopCurrent, cuCtxPopCurrent(NULL), " ");
    x = 0;
    cuda.cuCtxGetCurrent(&x);
    RECORD("current", "same=%d null=%d", x == c, !x);
    Q("destroy-null", cuCtxDestroy, cuCtxDestroy(NULL), " ");
}
GROUP(800, v1m, "v1-modern")
{
    use_primary_context();
    walk();
    ctxwalk();
}
static CUcontext oldctx(unsigned fl, CUresult *r)
{
    V(cuCtxCreate, (CUcontext *, unsigned, CUdevice));
    CUcontext c = UNTOUCHED_HANDLE;
    *r = cuCtxCreate ? cuCtxCreate(&c, fl, device) : RESULT_MISSING;
    return c;
}
GROUP(801, v1o, "v1-oldctx")
{
    use_device();
    CUresult r;
    CUcontext c = 0;
    CHECK("create", (c = oldctx(0, &r), r), "c=%s", handle_state(c));
    if ((void *)c == UNTOUCHED_HANDLE) {
        cuda.cuCtxSetCurrent(NULL);
        setup_note("setup-old-context-unavailable");
    }
    unsigned v = 0;
    CHECK("version", cuda.cuCtxGetApiVersion(c, &v), "%u", v);
    walk();
    ctxwalk();
}
GROUP(802, v1c, "v1-ctxcreate")
{
    use_device();
    CUresult r;
    for (int b = 0; b < 12; b++) {
        CUcontext c = UNTOUCHED_HANDLE;
        CHECK_THEN(
            format("flagbit%d", b), (c = oldctx(1u << b, &r), r), unsigned f = 99;
            if (!result) {
                cuda.cuCtxGetFlags(&f);
                CUresult (*des)(CUcontext) = library_symbol("cuCtxDestroy_v2");
                if (des)
                    des(c);
            },
            "c=%s flags=0x%x", handle_state(c), f);
    }
    V(cuCtxCreate, (CUcontext *, unsigned, CUdevice));
    CUcontext c;
    Q("null-out", cuCtxCreate, cuCtxCreate(NULL, 0, device), " ");
    Q("dev99", cuCtxCreate, cuCtxCreate(&c, 0, 99), " ");
    V(cuCtxDestroy, (CUcontext));
    c = 0;
    oldctx(0, &r);
    cuda.cuCtxGetCurrent(&c);
    Q("destroy-current", cuCtxDestroy, cuCtxDestroy(c), " ");
    CUcontext x = UNTOUCHED_HANDLE;
    cuda.cuCtxGetCurrent(&x);
    RECORD("after-destroy", "null=%d", !x);
    oldctx(0, &r);
    CUcontext k = 0;
    cuda.cuCtxGetCurrent(&k);
    cuda.cuCtxSetCurrent(NULL);
    Q("destroy-not-current", cuCtxDestroy, cuCtxDestroy(k), " ");
    unsigned v = 0;
    CUcontext q = 0;
    oldctx(0, &r);
    cuda.cuCtxGetCurrent(&q);
    CHECK("modern-alloc-in-old", cuda.cuMemHostGetFlags(&v, &v));
    CUdeviceptr d = dal(4096);
    RECORD("dalloc-in-old", "set=%d high=%d", d != 0, d >> 32 != 0);
}
static CUcontext gone;
static void *killer(void *u)
{
    CUresult (*des)(CUcontext) = library_symbol("cuCtxDestroy_v2");
    *(CUresult *)u = des ? des(gone) : RESULT_MISSING;
    return 0;
}
GROUP(807, v1d, "v1-destroyedctx")
{
    use_device();
    keep_after_sticky = 1;
    gone = context_new();
    pthread_t t;
    CUresult r = 0;
    pthread_create(&t, 0, killer, &r);
    pthread_join(t, 0);
    CHECK("destroyed-by-other-thread", r);
    walk();
    ctxwalk();
}
GROUP(803, v1n, "v1-noctx")
{
    use_device();
    walk();
    ctxwalk();
}
static const char *const v1names[] = {"cuArray3DCreate",
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
typedef CUresult (*gen)(long, long, long, long, long, long, long, long, long, long, long, long);
static void zeros(void)
{
    for (size_t i = 0; i < COUNT_OF(v1names); i++) {
        gen f = (gen)library_symbol(v1names[i]);
        if (!f)
            RECORD(v1names[i], "absent");
        else
            CHECK(v1names[i], f(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
}
GROUP(804, v1z0, "v1-zeroargs-noinit")
{
    zeros();
}
GROUP(805, v1z1, "v1-zeroargs-noctx")
{
    use_device();
    zeros();
}
GROUP(806, v1z2, "v1-zeroargs-ctx")
{
    use_primary_context();
    zeros();
}
