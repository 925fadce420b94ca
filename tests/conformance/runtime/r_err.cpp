/* SPDX-License-Identifier: MIT */
/* Section 1: error names, last-error rules, launch failures, kernel faults. Presence of the
 * exported names. */
#include "rt.hpp"
#include <dlfcn.h>
#define LE en(cudaGetLastError())
#define PK en(cudaPeekAtLastError())
GROUP(100, symbols, "symbols")
{
#define X(n) INFO(#n, "%s", dlsym(RTLD_DEFAULT, #n) ? "present" : "absent");
#include "rt_sym.inc"
#undef X
    static const char *gone[] = {"cudaGetDeviceProperties_v2",
                                 "cudaThreadSynchronize",
                                 "cudaBindTexture",
                                 "cudaLaunch",
                                 "cudaSetupArgument",
                                 "cudaConfigureCall",
                                 "__cudaRegisterTexture",
                                 "__cudaRegisterSurface",
                                 "__cudaRegisterShared",
                                 "cudaStreamGetCaptureInfo_v2",
                                 "cudaStreamGetCaptureInfo_v3",
                                 "cudaGraphAddNode_v2",
                                 "cudaMemPrefetchAsync_v2",
                                 "cudaMemAdvise_v2",
                                 "cudaEventElapsedTime_v2",
                                 "cudaSignalExternalSemaphoresAsync_v2",
                                 "cudaLaunchCooperativeKernelMultiDevice",
                                 "cudaGraphKernelNodeSetParams_v2",
                                 "cudaGraphExecUpdate_v2",
                                 "cudaProfilerInitialize",
                                 "cudaGetTextureReference",
                                 "cudaThreadExit",
                                 "cudaDeviceGetUuid",
                                 "cudaStreamAttachMemAsync_v2"};
    for (size_t i = 0; i < A(gone); i++)
        INFO(gone[i], "%s", dlsym(RTLD_DEFAULT, gone[i]) ? "present" : "absent");
}
GROUP(101, errname, "errname")
{
    const char *un = cudaGetErrorName((err)12345), *us = cudaGetErrorString((err)12345);
    int unk = 0;
    INFO("unknown", "name=%s string=%s", un ? un : "NULL", us ? us : "NULL");
    for (int i = 0; i <= 1100; i++) {
        const char *n = cudaGetErrorName((err)i), *s = cudaGetErrorString((err)i);
        if (n && s && un && us && !strcmp(n, un) && !strcmp(s, us)) {
            unk++;
            continue;
        }
        INFO(F("%d", i), "name=%s string=%s", n ? n : "NULL", s ? s : "NULL");
    }
    INFO("unknown-count", "%d of 1101", unk);
    static const int odd[] = {-1, -2, 9999, 10000, 10001, INT_MAX, INT_MIN};
    for (size_t i = 0; i < A(odd); i++)
        INFO(F("odd%d", odd[i]), "name=%s string=%s", cudaGetErrorName((err)odd[i]),
             cudaGetErrorString((err)odd[i]));
    INFO("same-pointer", "name=%d string=%d",
         cudaGetErrorName(cudaErrorInvalidValue) == cudaGetErrorName(cudaErrorInvalidValue),
         cudaGetErrorString(cudaErrorInvalidValue) == cudaGetErrorString(cudaErrorInvalidValue));
}
static void *thr_fail(void *o)
{
    const char **q = (const char **)o;
    q[0] = PK;
    cudaMalloc(0, 16);
    q[1] = PK;
    cudaSetDevice(99);
    q[2] = PK;
    q[3] = LE;
    q[4] = LE;
    cudaStreamQuery((cudaStream_t)0);
    cudaMalloc(0, 1);
    return 0;
}
static void *thr_peek(void *o)
{
    const char **q = (const char **)o;
    q[0] = PK;
    q[1] = LE;
    return 0;
}
GROUP(102, lasterr, "lasterr")
{
    raw = 1;
    INFO("first-get", "%s", LE);
    INFO("first-peek", "%s", PK);
    ready();
    void *d = 0;
    cudaMalloc(0, 16);
    INFO("null-malloc", "peek=%s peek=%s get=%s get=%s peek=%s", PK, PK, LE, LE, PK);
    cudaMalloc(0, 16);
    cudaMalloc(&d, 16);
    INFO("kept-over-success", "peek=%s get=%s", PK, LE);
    cudaSetDevice(99);
    cudaMalloc(0, 16);
    INFO("second-replaces", "peek=%s get=%s get=%s", PK, LE, LE);
    cudaMalloc(0, 16);
    cudaSetDevice(99);
    INFO("second-replaces-2", "peek=%s get=%s get=%s", PK, LE, LE);
    cudaMalloc(0, 16);
    cudaDeviceSynchronize();
    cudaGetErrorName((err)1);
    cudaGetErrorString((err)1);
    int c;
    cudaGetDeviceCount(&c);
    INFO("kept-over-sync-and-queries", "peek=%s get=%s", PK, LE);
    cudaMalloc(0, 16);
    const char *q[8] = {0};
    pthread_t t;
    pthread_create(&t, 0, thr_fail, q);
    pthread_join(t, 0);
    INFO("other-thread", "start=%s own=%s replaced=%s get=%s get=%s main-peek=%s", q[0], q[1], q[2],
         q[3], q[4], PK);
    INFO("main-get-after", "%s %s", LE, LE);
    cudaMalloc(0, 16);
    pthread_create(&t, 0, thr_peek, q);
    pthread_join(t, 0);
    INFO("other-thread-clear", "their=%s/%s main=%s", q[0], q[1], LE);
    cudaStream_t s = mks(cudaStreamNonBlocking);
    cudaGetLastError();
    struct blk b;
    b.ms = 2000;
    block(s, &b);
    err e1 = cudaStreamQuery(s);
    INFO("notready-stream", "%s peek=%s get=%s get=%s", en(e1), PK, LE, LE);
    cudaEvent_t ev = mke(0);
    cudaEventRecord(ev, s);
    cudaGetLastError();
    e1 = cudaEventQuery(ev);
    INFO("notready-event", "%s peek=%s get=%s get=%s", en(e1), PK, LE, LE);
    cudaMalloc(0, 16);
    e1 = cudaStreamQuery(s);
    INFO("notready-over-error", "%s peek=%s get=%s", en(e1), PK, LE);
    cudaEvent_t ev2 = mke(0);
    cudaEventRecord(ev2, s);
    float ms;
    e1 = cudaEventElapsedTime(&ms, ev, ev2);
    INFO("notready-elapsed", "%s peek=%s get=%s", en(e1), PK, LE);
    unblock(&b);
    cudaStreamSynchronize(s);
    DRV(cuMemAlloc_v2) ? (void)DRV(cuMemAlloc_v2)(0, 0) : (void)0;
    INFO("driver-failure", "peek=%s", PK);
    cudaMalloc(0, 16);
    cudaDeviceReset();
    INFO("over-reset", "peek=%s get=%s", PK, LE);
    cudaFree(0);
    /* launch failures */
    int *p = (int *)dal(4096);
    cudaGetLastError();
    struct {
        const char *n;
        dim3 g, b;
        size_t sh;
    } bad[] = {{"ok", dim3(1), dim3(32), 0},
               {"grid0", dim3(0), dim3(32), 0},
               {"grid-y0", dim3(1, 0), dim3(32), 0},
               {"grid-z0", dim3(1, 1, 0), dim3(32), 0},
               {"block0", dim3(1), dim3(0), 0},
               {"block-y0", dim3(1), dim3(1, 0), 0},
               {"block1024", dim3(1), dim3(1024), 0},
               {"block1025", dim3(1), dim3(1025), 0},
               {"block-y1024", dim3(1), dim3(1, 1024), 0},
               {"block-y1025", dim3(1), dim3(1, 1025), 0},
               {"block-z64", dim3(1), dim3(1, 1, 64), 0},
               {"block-z65", dim3(1), dim3(1, 1, 65), 0},
               {"block-32x33", dim3(1), dim3(32, 33), 0},
               {"block-2^31", dim3(1), dim3(1u << 31), 0},
               {"block-64k-x-64k", dim3(1), dim3(65536, 65536), 0},
               {"grid-y65535", dim3(1, 65535), dim3(1), 0},
               {"grid-y65536", dim3(1, 65536), dim3(1), 0},
               {"grid-z65535", dim3(1, 1, 65535), dim3(1), 0},
               {"grid-z65536", dim3(1, 1, 65536), dim3(1), 0},
               {"grid-x-2^31", dim3(1u << 31), dim3(1), 0},
               {"grid-x-max", dim3(UINT_MAX), dim3(1), 0},
               {"grid-x-70000", dim3(70000), dim3(1), 0},
               {"shared-48K", dim3(1), dim3(32), 48 * KB},
               {"shared-48K+1", dim3(1), dim3(32), 48 * KB + 1},
               {"shared-100K", dim3(1), dim3(32), 100 * KB},
               {"shared-227K", dim3(1), dim3(32), 227 * KB},
               {"shared-228K", dim3(1), dim3(32), 228 * KB},
               {"shared-1M", dim3(1), dim3(32), MB},
               {"shared-4G", dim3(1), dim3(32), 4 * GB},
               {"shared-4G+16", dim3(1), dim3(32), 4 * GB + 16},
               {"shared-max", dim3(1), dim3(32), SIZE_MAX},
               {"grid0-block0", dim3(0), dim3(0), 0},
               {"grid0-block1025", dim3(0), dim3(1025), 0}};
    for (size_t i = 0; i < A(bad); i++) {
        l_fill(bad[i].g, bad[i].b, bad[i].sh, 0, p, 1, 1);
        INFO(F("launch-%s", bad[i].n), "peek=%s get=%s get=%s sync=%s get=%s", PK, LE, LE, SYD(),
             LE);
        int n = 1, v = 1;
        void *a[] = {&p, &n, &v};
        err r = cudaLaunchKernel((void *)k_fill, bad[i].g, bad[i].b, a, bad[i].sh, 0);
        INFO(F("launchkernel-%s", bad[i].n), "%s peek=%s get=%s get=%s", en(r), PK, LE, LE);
    }
    int v = 5;
    err r = cudaLaunchKernel(0, dim3(1), dim3(1), 0, 0, 0);
    INFO("null-func", "%s get=%s get=%s", en(r), LE, LE);
    r = cudaLaunchKernel(&v, dim3(1), dim3(1), 0, 0, 0);
    INFO("stack-func", "%s get=%s get=%s", en(r), LE, LE);
    r = cudaLaunchKernel((void *)printf, dim3(1), dim3(1), 0, 0, 0);
    INFO("host-func", "%s get=%s get=%s", en(r), LE, LE);
    r = cudaLaunchKernel(sym(S_DEVI), dim3(1), dim3(1), 0, 0, 0);
    INFO("symbol-as-func", "%s get=%s get=%s", en(r), LE, LE);
    r = cudaLaunchKernel(0, dim3(0), dim3(0), 0, 0, 0);
    INFO("null-func-bad-dim", "%s get=%s", en(r), LE);
    r = cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0);
    INFO("good-after", "%s get=%s sync=%s", en(r), LE, SYD());
}
/* which failing calls are recorded as the thread's last error */
GROUP(103, lasterrset, "lasterr-set")
{
    ready();
    int i;
    size_t z;
    void *d = 0;
    cudaDeviceProp pr;
    cudaPointerAttributes pa;
    cudaFuncAttributes fa;
    float ms;
    unsigned u;
    const char *nm;
    T("malloc-null", cudaMalloc(0, 1));
    T("malloc-huge", cudaMalloc(&d, 1ull << 50));
    T("free-garbage", cudaFree(BADP));
    T("freehost-garbage", cudaFreeHost(BADP));
    T("setdevice-99", cudaSetDevice(99));
    T("setdevice--1", cudaSetDevice(-1));
    T("getdevice-null", cudaGetDevice(0));
    T("count-null", cudaGetDeviceCount(0));
    T("prop-99", cudaGetDeviceProperties(&pr, 99));
    T("prop-null", cudaGetDeviceProperties(0, 0));
    T("attr-99", cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 99));
    T("attr-bad", cudaDeviceGetAttribute(&i, (cudaDeviceAttr)9999, 0));
    T("attr-null", cudaDeviceGetAttribute(0, cudaDevAttrWarpSize, 0));
    T("ptrattr-null", cudaPointerGetAttributes(0, &i));
    T("ptrattr-host", cudaPointerGetAttributes(&pa, &i));
    T("funcattr-null", cudaFuncGetAttributes(&fa, 0));
    T("funcattr-bad", cudaFuncGetAttributes(&fa, &i));
    T("funcattr-out-null", cudaFuncGetAttributes(0, (void *)k_empty));
    T("funcname-bad", cudaFuncGetName(&nm, &i));
    T("symaddr-bad", cudaGetSymbolAddress(&d, &i));
    T("symsize-bad", cudaGetSymbolSize(&z, &i));
    T("symaddr-null", cudaGetSymbolAddress(&d, 0));
    T("tosym-bad", cudaMemcpyToSymbol(&i, &i, 4, 0, cudaMemcpyHostToDevice));
    T("tosym-range", cudaMemcpyToSymbol(sym(0), &i, 8, 0, cudaMemcpyHostToDevice));
    T("memcpy-kind", cudaMemcpy(&i, &i, 4, (cudaMemcpyKind)9));
    T("memcpy-null", cudaMemcpy(0, 0, 4, cudaMemcpyHostToDevice));
    T("memset-null", cudaMemset(0, 0, 4));
    T("memset-host", cudaMemset(&i, 0, 4));
    T("stream-null", cudaStreamCreate(0));
    T("stream-flags", cudaStreamCreateWithFlags((cudaStream_t *)&d, 99));
    T("event-null", cudaEventCreate(0));
    T("event-flags", cudaEventCreateWithFlags((cudaEvent_t *)&d, 99));
    T("event-query-null", cudaEventQuery(0));
    T("event-sync-null", cudaEventSynchronize(0));
    T("event-record-null", cudaEventRecord(0, 0));
    T("event-destroy-null", cudaEventDestroy(0));
    T("stream-destroy-0", cudaStreamDestroy(0));
    T("elapsed-null", cudaEventElapsedTime(&ms, 0, 0));
    T("hostalloc-flags", cudaHostAlloc(&d, 16, 0xff));
    T("hostflags-bad", cudaHostGetFlags(&u, &i));
    T("hostdptr-bad", cudaHostGetDevicePointer(&d, &i, 0));
    T("register-null", cudaHostRegister(0, 16, 0));
    T("unregister-bad", cudaHostUnregister(&i));
    T("limit-bad", cudaDeviceGetLimit(&z, (cudaLimit)77));
    T("setlimit-bad", cudaDeviceSetLimit((cudaLimit)77, 1));
    T("choose-null", cudaChooseDevice(&i, 0));
    T("peer-self", cudaDeviceEnablePeerAccess(0, 0));
    T("canpeer", cudaDeviceCanAccessPeer(&i, 0, 9));
    T("pci-bad", cudaDeviceGetByPCIBusId(&i, "zz"));
    T("graph-null", cudaGraphCreate(0, 0));
    T("graphlaunch-null", cudaGraphLaunch(0, 0));
    T("occ-bad", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, 0, 32, 0));
    T("entry-null", cudaGetDriverEntryPoint(0, &d, 0, 0));
    T("versions-null", cudaDriverGetVersion(0));
    T("rtversion-null", cudaRuntimeGetVersion(0));
}

/* kernel faults: what every later call answers */
static const char *const fk[] = {"null",  "far",    "misaligned", "trap",   "assert",
                                 "stack", "shared", "freed",      "badptr", "oob"};
static void after(const char *w)
{
    int i;
    size_t z, y;
    void *d = SENT;
    cudaStream_t s = (cudaStream_t)SENT;
    cudaEvent_t e = (cudaEvent_t)SENT;
    cudaDeviceProp pr;
    cudaPointerAttributes pa;
    cudaFuncAttributes fa;
    unsigned u;
    char buf[64] = {0};
#define W(n) F("%s-%s", w, n)
    T(W("getlast"), cudaGetLastError());
    T(W("getlast"), cudaGetLastError());
    T(W("peek"), cudaPeekAtLastError());
    T(W("sync"), cudaDeviceSynchronize());
    T(W("malloc"), cudaMalloc(&d, 64), "out=%s", outst(d));
    T(W("free0"), cudaFree(0));
    T(W("streamcreate"), cudaStreamCreate(&s), "out=%s", outst(s));
    T(W("eventcreate"), cudaEventCreate(&e), "out=%s", outst(e));
    T(W("streamquery0"), cudaStreamQuery(0));
    T(W("streamsync0"), cudaStreamSynchronize(0));
    T(W("getdevice"), cudaGetDevice(&i));
    T(W("setdevice0"), cudaSetDevice(0));
    T(W("count"), cudaGetDeviceCount(&i));
    T(W("attr"), cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0));
    T(W("props"), cudaGetDeviceProperties(&pr, 0));
    T(W("drvver"), cudaDriverGetVersion(&i));
    T(W("rtver"), cudaRuntimeGetVersion(&i));
    T(W("ptrattr"), cudaPointerGetAttributes(&pa, buf));
    T(W("funcattr"), cudaFuncGetAttributes(&fa, (void *)k_empty));
    T(W("meminfo"), cudaMemGetInfo(&z, &y));
    d = SENT;
    T(W("hostalloc"), cudaHostAlloc(&d, 64, 0), "out=%s", outst(d));
    d = SENT;
    T(W("managed"), cudaMallocManaged(&d, 64, cudaMemAttachGlobal), "out=%s", outst(d));
    d = SENT;
    T(W("async"), cudaMallocAsync(&d, 64, 0), "out=%s", outst(d));
    T(W("memset0"), cudaMemset(BADP, 0, 0));
    T(W("memcpyHH"), cudaMemcpy(buf, buf + 32, 16, cudaMemcpyHostToHost));
    T(W("launch"), cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    T(W("limit"), cudaDeviceGetLimit(&z, cudaLimitStackSize));
    T(W("flags"), cudaGetDeviceFlags(&u));
    T(W("symaddr"), cudaGetSymbolAddress(&d, sym(0)));
    T(W("canpeer"), cudaDeviceCanAccessPeer(&i, 0, 0));
    T(W("occ"), cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, (void *)k_empty, 32, 0));
    cudaGraph_t g;
    T(W("graphcreate"), cudaGraphCreate(&g, 0));
}
static err fault(int k, int *d, char *hostp)
{
    size_t off;
    int v;
    void *p;
    switch (k) {
    case 0:
        return cudaLaunchKernel((void *)k_fault_null, dim3(1), dim3(1), 0, 0, 0);
    case 1:
        return cudaLaunchKernel((void *)k_fault_far, dim3(1), dim3(1), ARGS(&d), 0, 0);
    case 2:
        return cudaLaunchKernel((void *)k_misalign, dim3(1), dim3(1), ARGS(&d), 0, 0);
    case 3:
        return cudaLaunchKernel((void *)k_trap, dim3(1), dim3(1), 0, 0, 0);
    case 4:
        v = 7;
        return cudaLaunchKernel((void *)k_assert, dim3(1), dim3(2), ARGS(&v), 0, 0);
    case 5:
        v = 1000000;
        return cudaLaunchKernel((void *)k_stack, dim3(1), dim3(1), ARGS(&d, &v), 0, 0);
    case 6:
        v = 1 << 22;
        return cudaLaunchKernel((void *)k_illegal_shared, dim3(1), dim3(1), ARGS(&d, &v), 64, 0);
    case 7:
        p = dal(64 * MB);
        cudaFree(p);
        return cudaLaunchKernel((void *)k_mangled_arg, dim3(1), dim3(1), ARGS(&p), 0, 0);
    case 8:
        p = BADP;
        return cudaLaunchKernel((void *)k_mangled_arg, dim3(1), dim3(1), ARGS(&p), 0, 0);
    default:
        off = 1ull << 44;
        return cudaLaunchKernel((void *)k_oob, dim3(1), dim3(1), ARGS(&d, &off), 0, 0);
    }
}
static void g_fault(int k)
{
    raw = 0;
    sticky_ok = 1;
    ready();
    int *d = (int *)dal(4096);
    char *h = (char *)pin(4096), hb[64];
    cudaStream_t s = mks(0);
    cudaEvent_t e = mke(0);
    cudaEventRecord(e, s);
    cudaStreamSynchronize(s);
    cap_begin(2);
    if (case_begin("launch")) {
        err r = fault(k, d, h);
        note_last();
        case_end(r, " ");
    }
    T("sync", cudaDeviceSynchronize());
    const char *tx = cap_end(2);
    INFO("stderr", "%s",
         k == 4  ? (strstr(tx, "Assertion `v == 42` failed")
                        ? F("n=%d %s", (int)(strlen(tx) > 0),
                           strstr(tx, "block: [0,0,0], thread: [0,0,0]") ? "thread0" : "")
                        : "none")
         : tx[0] ? "text"
                 : "none");
    T("sync-again", cudaDeviceSynchronize());
    T("old-event-query", cudaEventQuery(e));
    T("old-stream-query", cudaStreamQuery(s));
    T("old-stream-sync", cudaStreamSynchronize(s));
    T("old-memcpy", cudaMemcpy(hb, d, 64, cudaMemcpyDeviceToHost));
    T("old-memset", cudaMemset(d, 0, 64));
    T("old-record", cudaEventRecord(e, s));
    T("old-ptrattr", (err)0, "%s", pattr(d));
    T("old-async", cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s));
    after("dead");
    T("old-event-destroy", cudaEventDestroy(e));
    T("old-stream-destroy", cudaStreamDestroy(s));
    T("old-free", cudaFree(d));
    T("old-freehost", cudaFreeHost(h));
    T("reset", cudaDeviceReset());
    T("reset-again", cudaDeviceReset());
    after("afterreset");
    d = (int *)dal(4096);
    int n = 100, v = 5;
    T("afterreset-launch-fill",
      cudaLaunchKernel((void *)k_fill, dim3(1), dim3(128), ARGS(&d, &n, &v), 0, 0));
    T("afterreset-data", cudaDeviceSynchronize(), "sum=%s", dsum(d, 400));
}
__attribute__((constructor)) static void rg_fault(void)
{
    for (size_t i = 0; i < A(fk); i++)
        reg_n(110, F("fault-%s", fk[i]), g_fault, i);
}
/* the first call after a fault, each in a process of its own */
struct ff {
    const char *n;
    err (*fn)(void);
};
static int *fd_;
static char *fh_;
static cudaStream_t fs_;
static cudaEvent_t fe_;
static char fb_[64];
static cudaGraphExec_t fg_;
static const struct ff firsts[] = {
    {"getlast", [] { return cudaGetLastError(); }},
    {"peek", [] { return cudaPeekAtLastError(); }},
    {"malloc",
     [] {
         void *p;
         return cudaMalloc(&p, 64);
     }},
    {"malloc-big",
     [] {
         void *p;
         return cudaMalloc(&p, 64 * MB);
     }},
    {"free", [] { return cudaFree(fd_); }},
    {"free0", [] { return cudaFree(0); }},
    {"memcpyDH", [] { return cudaMemcpy(fb_, fd_, 64, cudaMemcpyDeviceToHost); }},
    {"memcpyHD", [] { return cudaMemcpy(fd_, fb_, 64, cudaMemcpyHostToDevice); }},
    {"memcpyAsync", [] { return cudaMemcpyAsync(fh_, fd_, 64, cudaMemcpyDeviceToHost, fs_); }},
    {"memset", [] { return cudaMemset(fd_, 0, 64); }},
    {"memsetAsync", [] { return cudaMemsetAsync(fd_, 0, 64, fs_); }},
    {"streamcreate",
     [] {
         cudaStream_t s;
         return cudaStreamCreate(&s);
     }},
    {"streamdestroy", [] { return cudaStreamDestroy(fs_); }},
    {"streamsync", [] { return cudaStreamSynchronize(fs_); }},
    {"streamsync0", [] { return cudaStreamSynchronize(0); }},
    {"streamquery", [] { return cudaStreamQuery(fs_); }},
    {"streamquery0", [] { return cudaStreamQuery(0); }},
    {"eventcreate",
     [] {
         cudaEvent_t e;
         return cudaEventCreate(&e);
     }},
    {"eventrecord", [] { return cudaEventRecord(fe_, fs_); }},
    {"eventquery", [] { return cudaEventQuery(fe_); }},
    {"eventsync", [] { return cudaEventSynchronize(fe_); }},
    {"eventdestroy", [] { return cudaEventDestroy(fe_); }},
    {"launch", [] { return cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0); }},
    {"launch-stream",
     [] { return cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, fs_); }},
    {"launch-bad", [] { return cudaLaunchKernel((void *)k_empty, dim3(0), dim3(1), 0, 0, 0); }},
    {"freehost", [] { return cudaFreeHost(fh_); }},
    {"hostalloc",
     [] {
         void *p;
         return cudaHostAlloc(&p, 64, 0);
     }},
    {"managed",
     [] {
         void *p;
         return cudaMallocManaged(&p, 64, 1);
     }},
    {"mallocasync",
     [] {
         void *p;
         return cudaMallocAsync(&p, 64, 0);
     }},
    {"meminfo",
     [] {
         size_t a, b;
         return cudaMemGetInfo(&a, &b);
     }},
    {"setdevice", [] { return cudaSetDevice(0); }},
    {"reset", [] { return cudaDeviceReset(); }},
    {"tosymbol", [] { return cudaMemcpyToSymbol(sym(0), fb_, 4, 0, cudaMemcpyHostToDevice); }},
    {"symaddr",
     [] {
         void *p;
         return cudaGetSymbolAddress(&p, sym(0));
     }},
    {"graphlaunch", [] { return cudaGraphLaunch(fg_, fs_); }},
    {"hostfunc",
     [] {
         return cudaLaunchHostFunc(
             fs_, [](void *) {}, 0);
     }},
    {"mallocarray",
     [] {
         cudaArray_t a;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         return cudaMallocArray(&a, &c, 16, 16, 0);
     }},
    {"funcattr",
     [] {
         cudaFuncAttributes a;
         return cudaFuncGetAttributes(&a, (void *)k_empty);
     }},
    {"setlimit", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); }}};
static void g_ff(int k)
{
    sticky_ok = 1;
    ready();
    fd_ = (int *)dal(4096);
    fh_ = (char *)pin(4096);
    fs_ = mks(0);
    fe_ = mke(0);
    cudaEventRecord(fe_, 0);
    cudaStreamBeginCapture(fs_, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(fd_, 0, 64, fs_);
    cudaGraph_t g = 0;
    cudaStreamEndCapture(fs_, &g);
    cudaGraphInstantiate(&fg_, g, 0);
    cudaDeviceSynchronize();
    T("launch", cudaLaunchKernel((void *)k_trap, dim3(1), dim3(1), 0, 0, fs_));
    usleep(300000);
    T("first", firsts[k].fn());
    T("second", firsts[k].fn());
    T("sync", cudaDeviceSynchronize());
}
__attribute__((constructor)) static void rg_ff(void)
{
    for (size_t i = 0; i < A(firsts); i++)
        reg_n(111, F("faultfirst/%s", firsts[i].n), g_ff, i);
}
