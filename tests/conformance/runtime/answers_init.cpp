/* SPDX-License-Identifier: MIT */
/* What initialises, device choice, flags, CUDA_VISIBLE_DEVICES, the primary context seen
 * from the driver API. */
#include "recorder.hpp"

static const char *context_text(void)
{
    int n = -1;
    auto gc = DRIVER(cuDeviceGetCount);
    int r = gc ? gc(&n) : -99;
    if (r)
        return FORMAT("driver=%s", driver_result_name(r));
    CUcontext c = (CUcontext)UNTOUCHED;
    r = DRIVER(cuCtxGetCurrent)(&c);
    unsigned f = 99;
    int act = -1;
    int r2 = DRIVER(cuDevicePrimaryCtxGetState)(0, &f, &act);
    return FORMAT("driver=initialised current=%s(%s) primary=%s active=%d flags=%u",
                  r ? driver_result_name(r) : "ok", out_state(c), driver_result_name(r2), act, f);
}

static int int_out;
static size_t size_out, second_size_out;
static void *ptr_out;
static unsigned unsigned_out;
static cudaDeviceProp properties;
static cudaPointerAttributes pointer_attributes;
static cudaFuncAttributes function_attributes;
static char bytes[256];
static unsigned long long wide_out;
static const char *name_out;
static const struct {
    const char *name;
    cudaError_t (*run)(void);
} lazy_calls[] = {
#define CALL(name, ...) {name, [] { __VA_ARGS__; }},
#include "lazy_calls.def"
#undef CALL
};

static void check_lazy(int k)
{
    keep_last_error = 1;
    int_out = 77;
    CHECK("call", lazy_calls[k].run());
    RECORD("state", "%s", context_text());
    RECORD("peek", "%s", error_name(cudaPeekAtLastError()));
    CHECK("free0-after", cudaFree(0));
    RECORD("state-after", "%s", context_text());
}

__attribute__((constructor)) static void lazy_calls_register(void)
{
    for (size_t i = 0; i < COUNT_OF(lazy_calls); i++)
        group_register_index(200, FORMAT("lazy/%s", lazy_calls[i].name), check_lazy, i);
}

static const char *const visible_values[] = {
    "(unset)", "",           "0",    "1",
    "-1",      "0,0",        "0,-1", "-1,0",
    "garbage", "0,garbage",  "0;0",  " 0",
    "00",      "0x0",        "GPU-", "GPU-00000000-0000-0000-0000-000000000000",
    "MIG-x",   "NoDevFiles", "99",   "0,99",
    "99,0",    "0,",         ",0",   "2147483648"};
static void check_visible(int k)
{
    keep_last_error = 1;
    if (k)
        setenv("CUDA_VISIBLE_DEVICES", visible_values[k], 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    int n = 77, d = 77;
    cudaDeviceProp p;
    CHECK("count", cudaGetDeviceCount(&n), "n=%s", n == 77 ? "kept" : n > 0 ? "some" : "0");
    CHECK("getdevice", cudaGetDevice(&d), "d=%d", d);
    CHECK("setdevice0", cudaSetDevice(0));
    CHECK("props0", cudaGetDeviceProperties(&p, 0));
    CHECK("free0", cudaFree(0));
    CHECK("drvver", cudaDriverGetVersion(&n));
    CHECK("getlast", cudaGetLastError());
    CHECK("getlast", cudaGetLastError());
    CHECK("launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    CHECK("reset", cudaDeviceReset());
    CHECK("initdevice", cudaInitDevice(0, 0, 0));
}

__attribute__((constructor)) static void visible_register(void)
{
    for (size_t i = 0; i < COUNT_OF(visible_values); i++) {
        char b[80];
        snprintf(b, 80, "visible/%zu-%s", i, visible_values[i]);
        for (char *c = b; *c; c++)
            if (*c == ' ' || *c == ';' || *c == ',')
                *c = '_';
        group_register_index(201, b, check_visible, i);
    }
}

GROUP(202, device, "device")
{
    int n = 0, d = 77;
    CHECK("count", cudaGetDeviceCount(&n), "some=%d", n > 0);
    CHECK("get-before", cudaGetDevice(&d), "d=%d", d);
    RECORD("state-before", "%s", context_text());
    static const int dv[] = {0, -1, 1000, 64, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT_OF(dv); i++)
        CHECK(FORMAT("set%d", dv[i]), cudaSetDevice(dv[i]), "get=%s",
              error_name(cudaGetDevice(&d)));
    CHECK("set-n", cudaSetDevice(n));
    CHECK("get-after-bad", cudaGetDevice(&d), "d=%d", d);
    CHECK("set0", cudaSetDevice(0));
    RECORD("state-after-set", "%s", context_text());
    static const unsigned fl[] = {0,    1,    2,    3,     4,           5,       7,
                                  8,    9,    0x10, 0x18,  0x1f,        0x20,    0x40,
                                  0x80, 0x88, 0xff, 0x100, 0x80000000u, UINT_MAX};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        unsigned u = 0x5e47;
        CHECK(FORMAT("setflags-%x", fl[i]), cudaSetDeviceFlags(fl[i]), "get=%s flags=%x",
              error_name(cudaGetDeviceFlags(&u)), u);
        RECORD(FORMAT("setflags-%x-state", fl[i]), "%s", context_text());
    }
    CHECK("getflags-null", cudaGetDeviceFlags(0));
    cudaSetDeviceFlags(0);
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        unsigned u = 0x5e47;
        CHECK(FORMAT("initdevice-%x", fl[i]), cudaInitDevice(0, fl[i], cudaInitDeviceFlagsAreValid),
              "get=%s flags=%x", error_name(cudaGetDeviceFlags(&u)), u);
    }
    for (unsigned f = 0; f < 5; f++)
        CHECK(FORMAT("initdevice-flagarg-%u", f), cudaInitDevice(0, 0, f));
    CHECK("initdevice-neg", cudaInitDevice(-1, 0, 0));
    CHECK("initdevice-99", cudaInitDevice(99, 0, 0));
    RECORD("state-after-init", "%s", context_text());
    CHECK("setdevice-again", cudaSetDevice(0));
    CHECK("getdevice-null", cudaGetDevice(0));
    CHECK("count-null", cudaGetDeviceCount(0));
}

GROUP(203, choose, "choose")
{
    use_runtime();
    cudaDeviceProp p;
    int d;
#define CHECK_CHOICE(nm, ...)                                                                      \
    do {                                                                                           \
        memset(&p, 0, sizeof p);                                                                   \
        __VA_ARGS__;                                                                               \
        d = 77;                                                                                    \
        CHECK(nm, cudaChooseDevice(&d, &p), "d=%d", d);                                            \
    } while (0)
    CHECK_CHOICE("zero", );
    CHECK_CHOICE("major9", p.major = 9);
    CHECK_CHOICE("major99", p.major = 99);
    CHECK_CHOICE("major1", p.major = 1);
    CHECK_CHOICE("mem-huge", p.totalGlobalMem = 1ull << 50);
    CHECK_CHOICE("sm-10000", p.multiProcessorCount = 10000);
    CHECK_CHOICE("minus", memset(&p, 0xff, sizeof p));
    CHECK_CHOICE("integrated", p.integrated = 1);
    memset(&p, 0, sizeof p);
    CHECK("null-dev", cudaChooseDevice(0, &p));
    CHECK("null-prop", cudaChooseDevice(&d, 0));
    CHECK("null-both", cudaChooseDevice(0, 0));
    int v[4] = {0, 0, 99, -1};
    CHECK("valid-0", cudaSetValidDevices(v, 1));
    CHECK("valid-none", cudaSetValidDevices(0, 0));
    CHECK("valid-null-1", cudaSetValidDevices(0, 1));
    CHECK("valid-dup", cudaSetValidDevices(v, 2));
    CHECK("valid-99", cudaSetValidDevices(v + 2, 1));
    CHECK("valid-0-0-99", cudaSetValidDevices(v, 3));
    CHECK("valid--1", cudaSetValidDevices(v + 3, 1));
    CHECK("valid-len-neg", cudaSetValidDevices(v, -1));
    CHECK("valid-list-len0", cudaSetValidDevices(v, 0));
    CHECK("after-free0", cudaFree(0));
    CHECK("valid-1000", cudaSetValidDevices(v, 1000));
}

GROUP(204, choose_early, "choose-early")
{
    int v[2] = {0, 0};
    CHECK("valid-0", cudaSetValidDevices(v, 1));
    CHECK("valid-none", cudaSetValidDevices(0, 0));
    v[0] = 50;
    CHECK("valid-50", cudaSetValidDevices(v, 1));
    RECORD("state", "%s", context_text());
    CHECK("free0", cudaFree(0));
    int d = 77;
    CHECK("get", cudaGetDevice(&d), "d=%d", d);
}

/* driver API beside the runtime */
#define DRIVER_CALL(f, ...) driver_result_name(DRIVER(f) ? (int)DRIVER(f)(__VA_ARGS__) : -99)
GROUP(205, ctx_primary, "ctx-primary")
{
    CUcontext a = 0, b = 0, c = 0;
    RECORD("init", "%s", DRIVER_CALL(cuInit, 0));
    RECORD("current-before", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &a), out_state(a));
    CHECK("free0", cudaFree(0));
    RECORD("current-after", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &a), out_state(a));
    RECORD("retain", "%s same=%d", DRIVER_CALL(cuDevicePrimaryCtxRetain, &b, 0), a == b);
    RECORD("state", "%s", context_text());
    void *d = 0;
    CHECK("malloc", cudaMalloc(&d, 4096));
    CUdeviceptr base = 0;
    size_t sz = 0;
    RECORD("range", "%s base=%d size=%zu",
           DRIVER_CALL(cuMemGetAddressRange_v2, &base, &sz, (CUdeviceptr)d), (void *)base == d, sz);
    CUcontext pc = 0;
    RECORD("ptrctx", "%s same=%d",
           DRIVER_CALL(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)d),
           pc == a);
    CUdeviceptr q = 0;
    RECORD("drv-alloc", "%s", DRIVER_CALL(cuMemAlloc_v2, &q, 4096));
    CHECK("rt-memset-of-drv", cudaMemset((void *)q, 3, 4096));
    CHECK("rt-free-of-drv", cudaFree((void *)q));
    RECORD("drv-free-of-rt", "%s", DRIVER_CALL(cuMemFree_v2, (CUdeviceptr)d));
    CHECK("rt-free-again", cudaFree(d));
    RECORD("pop", "%s %d", DRIVER_CALL(cuCtxPopCurrent_v2, &c), c == a);
    RECORD("current-after-pop", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &c), out_state(c));
    CHECK("malloc-without-current", cudaMalloc(&d, 64));
    RECORD("current-after-malloc", "%s same=%d", DRIVER_CALL(cuCtxGetCurrent, &c), c == a);
    RECORD("set-null", "%s", DRIVER_CALL(cuCtxSetCurrent, 0));
    CHECK("getdevice-without", cudaGetDevice(&(int &)sz));
    RECORD("current-after-getdevice", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &c), out_state(c));
    CHECK("streamsync-without", cudaStreamSynchronize(0));
    RECORD("current-after-sync", "%s same=%d", DRIVER_CALL(cuCtxGetCurrent, &c), c == a);
    DRIVER_CALL(cuCtxSetCurrent, 0);
    CHECK("setdevice", cudaSetDevice(0));
    RECORD("current-after-setdevice", "%s same=%d", DRIVER_CALL(cuCtxGetCurrent, &c), c == a);
    CHECK("reset", cudaDeviceReset());
    RECORD("state-after-reset", "%s", context_text());
    RECORD("current-after-reset", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &c), out_state(c));
    CHECK("malloc-after-reset", cudaMalloc(&d, 64));
    RECORD("state-after-malloc", "%s", context_text());
    RECORD("ctx-same-handle", "%s same=%d", DRIVER_CALL(cuCtxGetCurrent, &c), c == a);
    RECORD("release", "%s", DRIVER_CALL(cuDevicePrimaryCtxRelease_v2, 0));
    RECORD("state-after-release", "%s", context_text());
    CHECK("malloc-after-release", cudaMalloc(&d, 64));
    RECORD("release2", "%s", DRIVER_CALL(cuDevicePrimaryCtxRelease_v2, 0));
    RECORD("state-after-release2", "%s", context_text());
    CHECK("malloc-after-release2", cudaMalloc(&d, 64));
    RECORD("drvreset", "%s", DRIVER_CALL(cuDevicePrimaryCtxReset_v2, 0));
    RECORD("state-after-drvreset", "%s", context_text());
    CHECK("free-stale", cudaFree(d));
    CHECK("malloc-after-drvreset", cudaMalloc(&d, 64));
    CHECK("launch-after-drvreset", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    CHECK("sync", cudaDeviceSynchronize());
}

GROUP(206, ctx_own, "ctx-own")
{
    CUcontext c = 0, x = 0;
    DRIVER_CALL(cuInit, 0);
    RECORD("create", "%s", DRIVER_CALL(cuCtxCreate_v4, &c, 0, 0, 0));
    int d = 77;
    CHECK("getdevice", cudaGetDevice(&d), "d=%d", d);
    void *p = 0;
    CHECK("malloc", cudaMalloc(&p, 4096));
    CUcontext pc = 0;
    RECORD("ptrctx", "%s own=%d",
           DRIVER_CALL(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p),
           pc == c);
    RECORD("state", "%s", context_text());
    CHECK("launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    CHECK("sync", cudaDeviceSynchronize());
    int n = 100, v = 3;
    CHECK("fill", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(128), ARGS(&p, &n, &v), 0, 0));
    RECORD("data", "%s", device_checksum(p, 400));
    void *sa = 0;
    CHECK("symaddr", cudaGetSymbolAddress(&sa, symbol(0)));
    int val = 0;
    CHECK("fromsym", cudaMemcpyFromSymbol(&val, symbol(0), 4, 0, cudaMemcpyDeviceToHost), "v=%d",
          val);
    cudaStream_t s = 0;
    CHECK("stream", cudaStreamCreate(&s));
    CUcontext sc = 0;
    RECORD("streamctx", "%s own=%d", DRIVER_CALL(cuStreamGetCtx, (CUstream)s, &sc), sc == c);
    unsigned fl = 77;
    CHECK("getflags", cudaGetDeviceFlags(&fl), "f=%x", fl);
    CHECK("setflags", cudaSetDeviceFlags(1));
    RECORD("current", "%s own=%d", DRIVER_CALL(cuCtxGetCurrent, &x), x == c);
    CHECK("setdevice", cudaSetDevice(0));
    RECORD("current-after-setdevice", "%s own=%d", DRIVER_CALL(cuCtxGetCurrent, &x), x == c);
    void *q = 0;
    CHECK("malloc2", cudaMalloc(&q, 64));
    RECORD("ptrctx2", "%s own=%d",
           DRIVER_CALL(cuPointerGetAttribute, &pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)q),
           pc == c);
    void *sb = 0;
    CHECK("symaddr2", cudaGetSymbolAddress(&sb, symbol(0)), "same=%d", sa == sb);
    CHECK("free-other-ctx", cudaFree(p));
    CHECK("stream-other-ctx", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s));
    CHECK("sync-stream-other", cudaStreamSynchronize(s));
    CHECK("destroy-stream-other", cudaStreamDestroy(s));
    DRIVER_CALL(cuCtxSetCurrent, c);
    CHECK("reset-in-own", cudaDeviceReset());
    RECORD("current-after-reset", "%s own=%d", DRIVER_CALL(cuCtxGetCurrent, &x), x == c);
    CHECK("malloc-after-reset", cudaMalloc(&q, 64));
    RECORD("destroy", "%s", DRIVER_CALL(cuCtxDestroy_v2, c));
    CHECK("malloc-after-destroy", cudaMalloc(&q, 64));
    RECORD("current-end", "%s %s", DRIVER_CALL(cuCtxGetCurrent, &x), out_state(x));
    CHECK("launch-end", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    CHECK("sync-end", cudaDeviceSynchronize());
}

GROUP(207, ctx_exchange, "ctx-exchange")
{
    use_runtime();
    CUstream cs = 0;
    cudaStream_t rs = 0;
    CUevent ce = 0;
    cudaEvent_t re = 0;
    RECORD("drv-stream", "%s", DRIVER_CALL(cuStreamCreate, &cs, 1));
    RECORD("drv-event", "%s", DRIVER_CALL(cuEventCreate, &ce, 0));
    CHECK("rt-stream", cudaStreamCreateWithFlags(&rs, 0));
    CHECK("rt-event", cudaEventCreateWithFlags(&re, 0));
    unsigned f = 77;
    int pr = 77;
    CHECK("rt-flags-of-drv-stream", cudaStreamGetFlags((cudaStream_t)cs, &f), "f=%u", f);
    CHECK("rt-prio-of-drv-stream", cudaStreamGetPriority((cudaStream_t)cs, &pr), "p=%d", pr);
    CHECK("rt-record-drv-event", cudaEventRecord((cudaEvent_t)ce, (cudaStream_t)cs));
    CHECK("rt-sync-drv-event", cudaEventSynchronize((cudaEvent_t)ce));
    CHECK("rt-wait-drv", cudaStreamWaitEvent(rs, (cudaEvent_t)ce, 0));
    RECORD("drv-query-rt-stream", "%s", DRIVER_CALL(cuStreamQuery, (CUstream)rs));
    RECORD("drv-record-rt-event", "%s", DRIVER_CALL(cuEventRecord, (CUevent)re, (CUstream)rs));
    RECORD("drv-sync-rt-event", "%s", DRIVER_CALL(cuEventSynchronize, (CUevent)re));
    CHECK("launch-on-drv-stream",
          cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, (cudaStream_t)cs));
    CHECK("rt-sync-drv-stream", cudaStreamSynchronize((cudaStream_t)cs));
    CHECK("rt-destroy-drv-stream", cudaStreamDestroy((cudaStream_t)cs));
    RECORD("drv-destroy-rt-stream", "%s", DRIVER_CALL(cuStreamDestroy_v2, (CUstream)rs));
    CHECK("rt-destroy-drv-event", cudaEventDestroy((cudaEvent_t)ce));
    RECORD("drv-destroy-rt-event", "%s", DRIVER_CALL(cuEventDestroy_v2, (CUevent)re));
    cudaFunction_t fn = 0;
    CHECK("funcbysym", cudaGetFuncBySymbol(&fn, (void *)k_fill), "%s", out_state(fn));
    int *p = (int *)device_alloc(4096), n = 50, v = 9;
    RECORD(
        "drv-launch", "%s",
        DRIVER_CALL(cuLaunchKernel, (CUfunction)fn, 1, 1, 1, 64, 1, 1, 0, 0, ARGS(&p, &n, &v), 0));
    RECORD("drv-launch-data", "%s %s", sync_device(), device_checksum(p, 200));
    const char *nm = 0;
    RECORD("drv-func-name", "%s %s", DRIVER_CALL(cuFuncGetName, &nm, (CUfunction)fn), nm ? nm : "");
    cudaKernel_t k = 0;
    CHECK("getkernel", cudaGetKernel(&k, (void *)k_fill), "%s", out_state(k));
    CUfunction kf = 0;
    RECORD("drv-kernel-function", "%s same=%d", DRIVER_CALL(cuKernelGetFunction, &kf, (CUkernel)k),
           kf == (CUfunction)fn);
    CHECK("launch-by-kernel-handle",
          cudaLaunchKernel((void *)k, dim3(1), dim3(64), ARGS(&p, &n, &v), 0, 0), "%s %s",
          sync_device(), device_checksum(p, 200));
    cudaArray_t ar = 0;
    cudaChannelFormatDesc cd = channel(32, 0, 0, 0, 2);
    CHECK("array", cudaMallocArray(&ar, &cd, 16, 8, 0));
    CUDA_ARRAY3D_DESCRIPTOR ad;
    memset(&ad, 0, sizeof ad);
    RECORD("drv-array-desc", "%s w=%zu h=%zu d=%zu fmt=%d ch=%u fl=%u",
           DRIVER_CALL(cuArray3DGetDescriptor_v2, &ad, (CUarray)ar), ad.Width, ad.Height, ad.Depth,
           (int)ad.Format, ad.NumChannels, ad.Flags);
    CUmemoryPool mp = 0;
    cudaMemPool_t rp = 0;
    cudaDeviceGetDefaultMemPool(&rp, 0);
    RECORD("drv-pool", "%s same=%d", DRIVER_CALL(cuDeviceGetDefaultMemPool, &mp, 0),
           (void *)mp == (void *)rp);
}

GROUP(208, reset_live, "reset-live")
{
    use_runtime();
    void *d = device_alloc(4096), *h = pinned_alloc(4096), *m = managed_alloc(4096);
    cudaStream_t s = stream_new(0);
    cudaEvent_t e = event_new(0);
    cudaArray_t a = 0;
    cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
    cudaMallocArray(&a, &c, 8, 8, 0);
    void *q = 0;
    cudaMallocAsync(&q, 64, 0);
    void *rg = page_alloc(4096);
    cudaHostRegister(rg, 4096, 0);
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int one = 7;
    cudaMemcpyToSymbol(symbol(0), &one, 4, 0, cudaMemcpyHostToDevice);
    managed_symbol_host()[1] = 1234;
    keep_after_sticky = 1;
    CHECK("reset", cudaDeviceReset());
    RECORD("state", "%s", context_text());
    RECORD("attr-dev", "%s", pointer_text(d));
    RECORD("attr-pinned", "%s", pointer_text(h));
    RECORD("attr-managed", "%s", pointer_text(m));
    RECORD("attr-registered", "%s", pointer_text(rg));
    int v = 0;
    CHECK("sym-value", cudaMemcpyFromSymbol(&v, symbol(0), 4, 0, cudaMemcpyDeviceToHost), "v=%d",
          v);
    RECORD("managed-sym", "%d %d", managed_symbol_host()[0], managed_symbol_host()[1]);
    CHECK("free-dev", cudaFree(d));
    CHECK("free-array", cudaFreeArray(a));
    CHECK("malloc", cudaMalloc(&d, 64));
    CHECK("fill", cudaLaunchKernel((void *)k_none_params, dim3(1), dim3(1), 0, 0, 0), "%s",
          sync_device());
    CHECK("reset2", cudaDeviceReset());
    CHECK("reset3", cudaDeviceReset());
    CHECK("sync", cudaDeviceSynchronize());
    CHECK("graph-after", cudaGraphDestroy(g));
    (void)s;
    (void)e;
}

RISKY(209, stale_stream_after_reset, (__extension__({
          cudaStream_t s = stream_new(0);
          cudaDeviceReset();
          cudaFree(0);
          cudaStreamSynchronize(s);
      })))
RISKY(209, stale_event_after_reset, (__extension__({
          cudaEvent_t e = event_new(0);
          cudaDeviceReset();
          cudaFree(0);
          cudaEventQuery(e);
      })))
RISKY(209, stale_stream_destroy_after_reset, (__extension__({
          cudaStream_t s = stream_new(0);
          cudaDeviceReset();
          cudaFree(0);
          cudaStreamDestroy(s);
      })))
RISKY(209, stale_freehost_after_reset, (__extension__({
          void *h = pinned_alloc(64);
          cudaDeviceReset();
          cudaFree(0);
          cudaFreeHost(h);
      })))
RISKY(209, stale_unregister_after_reset, (__extension__({
          void *h = page_alloc(4096);
          cudaHostRegister(h, 4096, 0);
          cudaDeviceReset();
          cudaFree(0);
          cudaHostUnregister(h);
      })))
RISKY(209, stale_array_after_reset, (__extension__({
          cudaArray_t a = 0;
          cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
          cudaMallocArray(&a, &c, 8, 8, 0);
          cudaDeviceReset();
          cudaFree(0);
          cudaFreeArray(a);
      })))
RISKY(209, stale_graph_after_reset, (__extension__({
          cudaGraph_t g = 0;
          cudaGraphCreate(&g, 0);
          cudaDeviceReset();
          cudaFree(0);
          cudaGraphDestroy(g);
      })))
