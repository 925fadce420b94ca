/* SPDX-License-Identifier: MIT */
/* Section 2: what initialises, device choice, flags, CUDA_VISIBLE_DEVICES, the primary context seen
 * from the driver API. */
#include "rt.hpp"
static const char *ctxstate(void)
{
    int n = -1;
    auto gc = DRV(cuDeviceGetCount);
    int r = gc ? gc(&n) : -99;
    if (r)
        return F("driver=%s", cun(r));
    CUcontext c = (CUcontext)SENT;
    r = DRV(cuCtxGetCurrent)(&c);
    unsigned f = 99;
    int act = -1;
    int r2 = DRV(cuDevicePrimaryCtxGetState)(0, &f, &act);
    return F("driver=initialised current=%s(%s) primary=%s active=%d flags=%u", r ? cun(r) : "ok",
             outst(c), cun(r2), act, f);
}
static int iv;
static size_t iz, iy;
static void *ip;
static unsigned iu;
static cudaDeviceProp ipr;
static cudaPointerAttributes ipa;
static cudaFuncAttributes ifa;
static char ib[256];
static unsigned long long ull;
static const char *inm;
struct lz {
    const char *n;
    err (*fn)(void);
};
static const struct lz lazy[] = {
    {"getlast", [] { return cudaGetLastError(); }},
    {"peek", [] { return cudaPeekAtLastError(); }},
    {"errname",
     [] {
         cudaGetErrorName((err)1);
         return (err)0;
     }},
    {"count", [] { return cudaGetDeviceCount(&iv); }},
    {"getdevice", [] { return cudaGetDevice(&iv); }},
    {"setdevice0", [] { return cudaSetDevice(0); }},
    {"setdevice99", [] { return cudaSetDevice(99); }},
    {"initdevice", [] { return cudaInitDevice(0, 0, 0); }},
    {"initdevice-flags",
     [] { return cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid); }},
    {"props", [] { return cudaGetDeviceProperties(&ipr, 0); }},
    {"attr", [] { return cudaDeviceGetAttribute(&iv, cudaDevAttrWarpSize, 0); }},
    {"drvver", [] { return cudaDriverGetVersion(&iv); }},
    {"rtver", [] { return cudaRuntimeGetVersion(&iv); }},
    {"getflags", [] { return cudaGetDeviceFlags(&iu); }},
    {"setflags", [] { return cudaSetDeviceFlags(cudaDeviceScheduleYield); }},
    {"choose",
     [] {
         memset(&ipr, 0, sizeof ipr);
         return cudaChooseDevice(&iv, &ipr);
     }},
    {"setvalid",
     [] {
         iv = 0;
         return cudaSetValidDevices(&iv, 1);
     }},
    {"free0", [] { return cudaFree(0); }},
    {"freehost0", [] { return cudaFreeHost(0); }},
    {"malloc", [] { return cudaMalloc(&ip, 64); }},
    {"malloc0", [] { return cudaMalloc(&ip, 0); }},
    {"malloc-null", [] { return cudaMalloc(0, 64); }},
    {"hostalloc", [] { return cudaHostAlloc(&ip, 64, 0); }},
    {"mallochost", [] { return cudaMallocHost(&ip, 64); }},
    {"managed", [] { return cudaMallocManaged(&ip, 64, 1); }},
    {"register", [] { return cudaHostRegister(pages(4096), 4096, 0); }},
    {"sync", [] { return cudaDeviceSynchronize(); }},
    {"reset", [] { return cudaDeviceReset(); }},
    {"streamcreate", [] { return cudaStreamCreate((cudaStream_t *)&ip); }},
    {"streamquery0", [] { return cudaStreamQuery(0); }},
    {"streamsync0", [] { return cudaStreamSynchronize(0); }},
    {"eventcreate", [] { return cudaEventCreate((cudaEvent_t *)&ip); }},
    {"memcpyHH", [] { return cudaMemcpy(ib, ib + 128, 64, cudaMemcpyHostToHost); }},
    {"memcpy0", [] { return cudaMemcpy(ib, ib, 0, cudaMemcpyDefault); }},
    {"memset0", [] { return cudaMemset(0, 0, 0); }},
    {"meminfo", [] { return cudaMemGetInfo(&iz, &iy); }},
    {"ptrattr", [] { return cudaPointerGetAttributes(&ipa, ib); }},
    {"funcattr", [] { return cudaFuncGetAttributes(&ifa, (void *)k_empty); }},
    {"funcname", [] { return cudaFuncGetName(&inm, (void *)k_empty); }},
    {"symaddr", [] { return cudaGetSymbolAddress(&ip, sym(0)); }},
    {"symsize", [] { return cudaGetSymbolSize(&iz, sym(0)); }},
    {"tosymbol", [] { return cudaMemcpyToSymbol(sym(0), ib, 4, 0, cudaMemcpyHostToDevice); }},
    {"launch", [] { return cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0); }},
    {"launch-bad", [] { return cudaLaunchKernel((void *)k_empty, dim3(0), dim3(1), 0, 0, 0); }},
    {"launch-null", [] { return cudaLaunchKernel(0, dim3(1), dim3(1), 0, 0, 0); }},
    {"getlimit", [] { return cudaDeviceGetLimit(&iz, cudaLimitStackSize); }},
    {"setlimit", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 4096); }},
    {"cacheconfig", [] { return cudaDeviceGetCacheConfig((cudaFuncCache *)&iv); }},
    {"priorange", [] { return cudaDeviceGetStreamPriorityRange(&iv, &iv); }},
    {"pcibusid", [] { return cudaDeviceGetPCIBusId(ib, 64, 0); }},
    {"bypci", [] { return cudaDeviceGetByPCIBusId(&iv, "0000:00:00.0"); }},
    {"canpeer", [] { return cudaDeviceCanAccessPeer(&iv, 0, 0); }},
    {"p2pattr", [] { return cudaDeviceGetP2PAttribute(&iv, cudaDevP2PAttrAccessSupported, 0, 0); }},
    {"defpool", [] { return cudaDeviceGetDefaultMemPool((cudaMemPool_t *)&ip, 0); }},
    {"mallocasync", [] { return cudaMallocAsync(&ip, 64, 0); }},
    {"mallocarray",
     [] {
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         return cudaMallocArray((cudaArray_t *)&ip, &c, 8, 8, 0);
     }},
    {"occ",
     [] { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&iv, (void *)k_empty, 32, 0); }},
    {"graphcreate", [] { return cudaGraphCreate((cudaGraph_t *)&ip, 0); }},
    {"userobject",
     [] {
         return cudaUserObjectCreate((cudaUserObject_t *)&ip, ib, [](void *) {}, 1,
                                     cudaUserObjectNoDestructorSync);
     }},
    {"profstart", [] { return cudaProfilerStart(); }},
    {"profstop", [] { return cudaProfilerStop(); }},
    {"entry",
     [] {
         cudaDriverEntryPointQueryResult q;
         return cudaGetDriverEntryPointByVersion("cuInit", &ip, 12000, 0, &q);
     }},
    {"funcbysym", [] { return cudaGetFuncBySymbol((cudaFunction_t *)&ip, (void *)k_empty); }},
    {"getkernel", [] { return cudaGetKernel((cudaKernel_t *)&ip, (void *)k_empty); }},
    {"library", [] { return cudaLibraryLoadData((cudaLibrary_t *)&ip, "", 0, 0, 0, 0, 0, 0); }},
    {"exchange",
     [] {
         cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
         return cudaThreadExchangeStreamCaptureMode(&m);
     }},
    {"man-read",
     [] {
         iv = man_host()[0];
         return (err)0;
     }},
    {"l3",
     [] {
         l_empty(dim3(1), dim3(1), 0, 0);
         return cudaPeekAtLastError();
     }},
    {"streamgetid0", [] { return cudaStreamGetId(0, &ull); }},
    {"streamgetdev0", [] { return cudaStreamGetDevice(0, &iv); }},
    {"streamflags0", [] { return cudaStreamGetFlags(0, &iu); }},
    {"logs", [] {
         cudaLogIterator it = 0;
         return cudaLogsCurrent(&it, 0);
     }}};
static void g_lazy(int k)
{
    raw = 1;
    iv = 77;
    T("call", lazy[k].fn());
    INFO("state", "%s", ctxstate());
    INFO("peek", "%s", en(cudaPeekAtLastError()));
    T("free0-after", cudaFree(0));
    INFO("state-after", "%s", ctxstate());
}
__attribute__((constructor)) static void rg_lazy(void)
{
    for (size_t i = 0; i < A(lazy); i++)
        reg_n(200, F("lazy/%s", lazy[i].n), g_lazy, i);
}

static const char *const vis[] = {
    "(unset)", "",           "0",    "1",
    "-1",      "0,0",        "0,-1", "-1,0",
    "garbage", "0,garbage",  "0;0",  " 0",
    "00",      "0x0",        "GPU-", "GPU-00000000-0000-0000-0000-000000000000",
    "MIG-x",   "NoDevFiles", "99",   "0,99",
    "99,0",    "0,",         ",0",   "2147483648"};
static void g_vis(int k)
{
    raw = 1;
    if (k)
        setenv("CUDA_VISIBLE_DEVICES", vis[k], 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    int n = 77, d = 77;
    cudaDeviceProp p;
    T("count", cudaGetDeviceCount(&n), "n=%s", n == 77 ? "kept" : n > 0 ? "some" : "0");
    T("getdevice", cudaGetDevice(&d), "d=%d", d);
    T("setdevice0", cudaSetDevice(0));
    T("props0", cudaGetDeviceProperties(&p, 0));
    T("free0", cudaFree(0));
    T("drvver", cudaDriverGetVersion(&n));
    T("getlast", cudaGetLastError());
    T("getlast", cudaGetLastError());
    T("launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    T("reset", cudaDeviceReset());
    T("initdevice", cudaInitDevice(0, 0, 0));
}
__attribute__((constructor)) static void rg_vis(void)
{
    for (size_t i = 0; i < A(vis); i++) {
        char b[80];
        snprintf(b, 80, "visible/%zu-%s", i, vis[i]);
        for (char *c = b; *c; c++)
            if (*c == ' ' || *c == ';' || *c == ',')
                *c = '_';
        reg_n(201, b, g_vis, i);
    }
}

GROUP(202, device, "device")
{
    int n = 0, d = 77;
    T("count", cudaGetDeviceCount(&n), "some=%d", n > 0);
    T("get-before", cudaGetDevice(&d), "d=%d", d);
    INFO("state-before", "%s", ctxstate());
    static const int dv[] = {0, -1, 1000, 64, INT_MAX, INT_MIN};
    for (size_t i = 0; i < A(dv); i++)
        T(F("set%d", dv[i]), cudaSetDevice(dv[i]), "get=%s", en(cudaGetDevice(&d)));
    T("set-n", cudaSetDevice(n));
    T("get-after-bad", cudaGetDevice(&d), "d=%d", d);
    T("set0", cudaSetDevice(0));
    INFO("state-after-set", "%s", ctxstate());
    static const unsigned fl[] = {0,    1,    2,    3,     4,           5,       7,
                                  8,    9,    0x10, 0x18,  0x1f,        0x20,    0x40,
                                  0x80, 0x88, 0xff, 0x100, 0x80000000u, UINT_MAX};
    for (size_t i = 0; i < A(fl); i++) {
        unsigned u = 0x5e47;
        T(F("setflags-%x", fl[i]), cudaSetDeviceFlags(fl[i]), "get=%s flags=%x",
          en(cudaGetDeviceFlags(&u)), u);
        INFO(F("setflags-%x-state", fl[i]), "%s", ctxstate());
    }
    T("getflags-null", cudaGetDeviceFlags(0));
    cudaSetDeviceFlags(0);
    for (size_t i = 0; i < A(fl); i++) {
        unsigned u = 0x5e47;
        T(F("initdevice-%x", fl[i]), cudaInitDevice(0, fl[i], cudaInitDeviceFlagsAreValid),
          "get=%s flags=%x", en(cudaGetDeviceFlags(&u)), u);
    }
    for (unsigned f = 0; f < 5; f++)
        T(F("initdevice-flagarg-%u", f), cudaInitDevice(0, 0, f));
    T("initdevice-neg", cudaInitDevice(-1, 0, 0));
    T("initdevice-99", cudaInitDevice(99, 0, 0));
    INFO("state-after-init", "%s", ctxstate());
    T("setdevice-again", cudaSetDevice(0));
    T("getdevice-null", cudaGetDevice(0));
    T("count-null", cudaGetDeviceCount(0));
}
GROUP(203, choose, "choose")
{
    ready();
    cudaDeviceProp p;
    int d;
#define CH(nm, ...)                                                                                \
    do {                                                                                           \
        memset(&p, 0, sizeof p);                                                                   \
        __VA_ARGS__;                                                                               \
        d = 77;                                                                                    \
        T(nm, cudaChooseDevice(&d, &p), "d=%d", d);                                                \
    } while (0)
    CH("zero", );
    CH("major9", p.major = 9);
    CH("major99", p.major = 99);
    CH("major1", p.major = 1);
    CH("mem-huge", p.totalGlobalMem = 1ull << 50);
    CH("sm-10000", p.multiProcessorCount = 10000);
    CH("minus", memset(&p, 0xff, sizeof p));
    CH("integrated", p.integrated = 1);
    memset(&p, 0, sizeof p);
    T("null-dev", cudaChooseDevice(0, &p));
    T("null-prop", cudaChooseDevice(&d, 0));
    T("null-both", cudaChooseDevice(0, 0));
    int v[4] = {0, 0, 99, -1};
    T("valid-0", cudaSetValidDevices(v, 1));
    T("valid-none", cudaSetValidDevices(0, 0));
    T("valid-null-1", cudaSetValidDevices(0, 1));
    T("valid-dup", cudaSetValidDevices(v, 2));
    T("valid-99", cudaSetValidDevices(v + 2, 1));
    T("valid-0-0-99", cudaSetValidDevices(v, 3));
    T("valid--1", cudaSetValidDevices(v + 3, 1));
    T("valid-len-neg", cudaSetValidDevices(v, -1));
    T("valid-list-len0", cudaSetValidDevices(v, 0));
    T("after-free0", cudaFree(0));
    T("valid-1000", cudaSetValidDevices(v, 1000));
}
GROUP(204, choose2, "choose-early")
{
    int v[2] = {0, 0};
    T("valid-0", cudaSetValidDevices(v, 1));
    T("valid-none", cudaSetValidDevices(0, 0));
    v[0] = 50;
    T("valid-50", cudaSetValidDevices(v, 1));
    INFO("state", "%s", ctxstate());
    T("free0", cudaFree(0));
    int d = 77;
    T("get", cudaGetDevice(&d), "d=%d", d);
}

/* driver API beside the runtime */
#define D(f, ...) cun(DRV(f) ? (int)DRV(f)(__VA_ARGS__) : -99)
GROUP(205, ctx1, "ctx-primary")
{
    CUcontext a = 0, b = 0, c = 0;
    INFO("init", "%s", D(cuInit, 0));
    INFO("current-before", "%s %s", D(cuCtxGetCurrent, &a), outst(a));
    T("free0", cudaFree(0));
    INFO("current-after", "%s %s", D(cuCtxGetCurrent, &a), outst(a));
    INFO("retain", "%s same=%d", D(cuDevicePrimaryCtxRetain, &b, 0), a == b);
    INFO("state", "%s", ctxstate());
    void *d = 0;
    T("malloc", cudaMalloc(&d, 4096));
    CUdeviceptr base = 0;
    size_t sz = 0;
    INFO("range", "%s base=%d size=%zu", D(cuMemGetAddressRange_v2, &base, &sz, (CUdeviceptr)d),
         (void *)base == d, sz);
    CUcontext pc = 0;
    INFO("ptrctx", "%s same=%d",
         D(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)d), pc == a);
    CUdeviceptr q = 0;
    INFO("drv-alloc", "%s", D(cuMemAlloc_v2, &q, 4096));
    T("rt-memset-of-drv", cudaMemset((void *)q, 3, 4096));
    T("rt-free-of-drv", cudaFree((void *)q));
    INFO("drv-free-of-rt", "%s", D(cuMemFree_v2, (CUdeviceptr)d));
    T("rt-free-again", cudaFree(d));
    INFO("pop", "%s %d", D(cuCtxPopCurrent_v2, &c), c == a);
    INFO("current-after-pop", "%s %s", D(cuCtxGetCurrent, &c), outst(c));
    T("malloc-without-current", cudaMalloc(&d, 64));
    INFO("current-after-malloc", "%s same=%d", D(cuCtxGetCurrent, &c), c == a);
    INFO("set-null", "%s", D(cuCtxSetCurrent, 0));
    T("getdevice-without", cudaGetDevice(&(int &)sz));
    INFO("current-after-getdevice", "%s %s", D(cuCtxGetCurrent, &c), outst(c));
    T("streamsync-without", cudaStreamSynchronize(0));
    INFO("current-after-sync", "%s same=%d", D(cuCtxGetCurrent, &c), c == a);
    D(cuCtxSetCurrent, 0);
    T("setdevice", cudaSetDevice(0));
    INFO("current-after-setdevice", "%s same=%d", D(cuCtxGetCurrent, &c), c == a);
    T("reset", cudaDeviceReset());
    INFO("state-after-reset", "%s", ctxstate());
    INFO("current-after-reset", "%s %s", D(cuCtxGetCurrent, &c), outst(c));
    T("malloc-after-reset", cudaMalloc(&d, 64));
    INFO("state-after-malloc", "%s", ctxstate());
    INFO("ctx-same-handle", "%s same=%d", D(cuCtxGetCurrent, &c), c == a);
    INFO("release", "%s", D(cuDevicePrimaryCtxRelease_v2, 0));
    INFO("state-after-release", "%s", ctxstate());
    T("malloc-after-release", cudaMalloc(&d, 64));
    INFO("release2", "%s", D(cuDevicePrimaryCtxRelease_v2, 0));
    INFO("state-after-release2", "%s", ctxstate());
    T("malloc-after-release2", cudaMalloc(&d, 64));
    INFO("drvreset", "%s", D(cuDevicePrimaryCtxReset_v2, 0));
    INFO("state-after-drvreset", "%s", ctxstate());
    T("free-stale", cudaFree(d));
    T("malloc-after-drvreset", cudaMalloc(&d, 64));
    T("launch-after-drvreset", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    T("sync", cudaDeviceSynchronize());
}
GROUP(206, ctx2, "ctx-own")
{
    CUcontext c = 0, x = 0;
    D(cuInit, 0);
    INFO("create", "%s", D(cuCtxCreate_v4, &c, 0, 0, 0));
    int d = 77;
    T("getdevice", cudaGetDevice(&d), "d=%d", d);
    void *p = 0;
    T("malloc", cudaMalloc(&p, 4096));
    CUcontext pc = 0;
    INFO("ptrctx", "%s own=%d",
         D(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p), pc == c);
    INFO("state", "%s", ctxstate());
    T("launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    T("sync", cudaDeviceSynchronize());
    int n = 100, v = 3;
    T("fill", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(128), ARGS(&p, &n, &v), 0, 0));
    INFO("data", "%s", dsum(p, 400));
    void *sa = 0;
    T("symaddr", cudaGetSymbolAddress(&sa, sym(0)));
    int val = 0;
    T("fromsym", cudaMemcpyFromSymbol(&val, sym(0), 4, 0, cudaMemcpyDeviceToHost), "v=%d", val);
    cudaStream_t s = 0;
    T("stream", cudaStreamCreate(&s));
    CUcontext sc = 0;
    INFO("streamctx", "%s own=%d", D(cuStreamGetCtx, (CUstream)s, &sc), sc == c);
    unsigned fl = 77;
    T("getflags", cudaGetDeviceFlags(&fl), "f=%x", fl);
    T("setflags", cudaSetDeviceFlags(1));
    INFO("current", "%s own=%d", D(cuCtxGetCurrent, &x), x == c);
    T("setdevice", cudaSetDevice(0));
    INFO("current-after-setdevice", "%s own=%d", D(cuCtxGetCurrent, &x), x == c);
    void *q = 0;
    T("malloc2", cudaMalloc(&q, 64));
    INFO("ptrctx2", "%s own=%d",
         D(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)q), pc == c);
    void *sb = 0;
    T("symaddr2", cudaGetSymbolAddress(&sb, sym(0)), "same=%d", sa == sb);
    T("free-other-ctx", cudaFree(p));
    T("stream-other-ctx", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s));
    T("sync-stream-other", cudaStreamSynchronize(s));
    T("destroy-stream-other", cudaStreamDestroy(s));
    D(cuCtxSetCurrent, c);
    T("reset-in-own", cudaDeviceReset());
    INFO("current-after-reset", "%s own=%d", D(cuCtxGetCurrent, &x), x == c);
    T("malloc-after-reset", cudaMalloc(&q, 64));
    INFO("destroy", "%s", D(cuCtxDestroy_v2, c));
    T("malloc-after-destroy", cudaMalloc(&q, 64));
    INFO("current-end", "%s %s", D(cuCtxGetCurrent, &x), outst(x));
    T("launch-end", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    T("sync-end", cudaDeviceSynchronize());
}
GROUP(207, exch, "ctx-exchange")
{
    ready();
    CUstream cs = 0;
    cudaStream_t rs = 0;
    CUevent ce = 0;
    cudaEvent_t re = 0;
    INFO("drv-stream", "%s", D(cuStreamCreate, &cs, 1));
    INFO("drv-event", "%s", D(cuEventCreate, &ce, 0));
    T("rt-stream", cudaStreamCreateWithFlags(&rs, 0));
    T("rt-event", cudaEventCreateWithFlags(&re, 0));
    unsigned f = 77;
    int pr = 77;
    T("rt-flags-of-drv-stream", cudaStreamGetFlags((cudaStream_t)cs, &f), "f=%u", f);
    T("rt-prio-of-drv-stream", cudaStreamGetPriority((cudaStream_t)cs, &pr), "p=%d", pr);
    T("rt-record-drv-event", cudaEventRecord((cudaEvent_t)ce, (cudaStream_t)cs));
    T("rt-sync-drv-event", cudaEventSynchronize((cudaEvent_t)ce));
    T("rt-wait-drv", cudaStreamWaitEvent(rs, (cudaEvent_t)ce, 0));
    INFO("drv-query-rt-stream", "%s", D(cuStreamQuery, (CUstream)rs));
    INFO("drv-record-rt-event", "%s", D(cuEventRecord, (CUevent)re, (CUstream)rs));
    INFO("drv-sync-rt-event", "%s", D(cuEventSynchronize, (CUevent)re));
    T("launch-on-drv-stream",
      cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, (cudaStream_t)cs));
    T("rt-sync-drv-stream", cudaStreamSynchronize((cudaStream_t)cs));
    T("rt-destroy-drv-stream", cudaStreamDestroy((cudaStream_t)cs));
    INFO("drv-destroy-rt-stream", "%s", D(cuStreamDestroy_v2, (CUstream)rs));
    T("rt-destroy-drv-event", cudaEventDestroy((cudaEvent_t)ce));
    INFO("drv-destroy-rt-event", "%s", D(cuEventDestroy_v2, (CUevent)re));
    cudaFunction_t fn = 0;
    T("funcbysym", cudaGetFuncBySymbol(&fn, (void *)k_fill), "%s", outst(fn));
    int *p = (int *)dal(4096), n = 50, v = 9;
    INFO("drv-launch", "%s",
         D(cuLaunchKernel, (CUfunction)fn, 1, 1, 1, 64, 1, 1, 0, 0, ARGS(&p, &n, &v), 0));
    INFO("drv-launch-data", "%s %s", SYD(), dsum(p, 200));
    const char *nm = 0;
    INFO("drv-func-name", "%s %s", D(cuFuncGetName, &nm, (CUfunction)fn), nm ? nm : "");
    cudaKernel_t k = 0;
    T("getkernel", cudaGetKernel(&k, (void *)k_fill), "%s", outst(k));
    CUfunction kf = 0;
    INFO("drv-kernel-function", "%s same=%d", D(cuKernelGetFunction, &kf, (CUkernel)k),
         kf == (CUfunction)fn);
    T("launch-by-kernel-handle",
      cudaLaunchKernel((void *)k, dim3(1), dim3(64), ARGS(&p, &n, &v), 0, 0), "%s %s", SYD(),
      dsum(p, 200));
    cudaArray_t ar = 0;
    cudaChannelFormatDesc cd = chan(32, 0, 0, 0, 2);
    T("array", cudaMallocArray(&ar, &cd, 16, 8, 0));
    CUDA_ARRAY3D_DESCRIPTOR ad;
    memset(&ad, 0, sizeof ad);
    INFO("drv-array-desc", "%s w=%zu h=%zu d=%zu fmt=%d ch=%u fl=%u",
         D(cuArray3DGetDescriptor_v2, &ad, (CUarray)ar), ad.Width, ad.Height, ad.Depth,
         (int)ad.Format, ad.NumChannels, ad.Flags);
    CUmemoryPool mp = 0;
    cudaMemPool_t rp = 0;
    cudaDeviceGetDefaultMemPool(&rp, 0);
    INFO("drv-pool", "%s same=%d", D(cuDeviceGetDefaultMemPool, &mp, 0), (void *)mp == (void *)rp);
}
GROUP(208, reset, "reset-live")
{
    ready();
    void *d = dal(4096), *h = pin(4096), *m = man(4096);
    cudaStream_t s = mks(0);
    cudaEvent_t e = mke(0);
    cudaArray_t a = 0;
    cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
    cudaMallocArray(&a, &c, 8, 8, 0);
    void *q = 0;
    cudaMallocAsync(&q, 64, 0);
    void *rg = pages(4096);
    cudaHostRegister(rg, 4096, 0);
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int one = 7;
    cudaMemcpyToSymbol(sym(0), &one, 4, 0, cudaMemcpyHostToDevice);
    man_host()[1] = 1234;
    sticky_ok = 1;
    T("reset", cudaDeviceReset());
    INFO("state", "%s", ctxstate());
    INFO("attr-dev", "%s", pattr(d));
    INFO("attr-pinned", "%s", pattr(h));
    INFO("attr-managed", "%s", pattr(m));
    INFO("attr-registered", "%s", pattr(rg));
    int v = 0;
    T("sym-value", cudaMemcpyFromSymbol(&v, sym(0), 4, 0, cudaMemcpyDeviceToHost), "v=%d", v);
    INFO("managed-sym", "%d %d", man_host()[0], man_host()[1]);
    T("free-dev", cudaFree(d));
    T("free-array", cudaFreeArray(a));
    T("malloc", cudaMalloc(&d, 64));
    T("fill", cudaLaunchKernel((void *)k_none_params, dim3(1), dim3(1), 0, 0, 0), "%s", SYD());
    T("reset2", cudaDeviceReset());
    T("reset3", cudaDeviceReset());
    T("sync", cudaDeviceSynchronize());
    T("graph-after", cudaGraphDestroy(g));
    (void)s;
    (void)e;
}
RISK(209, stale_stream_after_reset, (__extension__({
         cudaStream_t s = mks(0);
         cudaDeviceReset();
         cudaFree(0);
         cudaStreamSynchronize(s);
     })))
RISK(209, stale_event_after_reset, (__extension__({
         cudaEvent_t e = mke(0);
         cudaDeviceReset();
         cudaFree(0);
         cudaEventQuery(e);
     })))
RISK(209, stale_stream_destroy_after_reset, (__extension__({
         cudaStream_t s = mks(0);
         cudaDeviceReset();
         cudaFree(0);
         cudaStreamDestroy(s);
     })))
RISK(209, stale_freehost_after_reset, (__extension__({
         void *h = pin(64);
         cudaDeviceReset();
         cudaFree(0);
         cudaFreeHost(h);
     })))
RISK(209, stale_unregister_after_reset, (__extension__({
         void *h = pages(4096);
         cudaHostRegister(h, 4096, 0);
         cudaDeviceReset();
         cudaFree(0);
         cudaHostUnregister(h);
     })))
RISK(209, stale_array_after_reset, (__extension__({
         cudaArray_t a = 0;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         cudaMallocArray(&a, &c, 8, 8, 0);
         cudaDeviceReset();
         cudaFree(0);
         cudaFreeArray(a);
     })))
RISK(209, stale_graph_after_reset, (__extension__({
         cudaGraph_t g = 0;
         cudaGraphCreate(&g, 0);
         cudaDeviceReset();
         cudaFree(0);
         cudaGraphDestroy(g);
     })))
