/* SPDX-License-Identifier: MIT */
/* Error names, last-error rules, launch failures, kernel faults. Presence of the
 * exported names. */
#include "recorder.hpp"
#include <dlfcn.h>
#define LAST_ERROR error_name(cudaGetLastError())
#define PEEKED_ERROR error_name(cudaPeekAtLastError())
GROUP(100, symbols, "symbols")
{
#define SYMBOL(n) RECORD(#n, "%s", dlsym(RTLD_DEFAULT, #n) ? "present" : "absent");
#include "symbols.def"
#undef SYMBOL
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
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        RECORD(gone[i], "%s", dlsym(RTLD_DEFAULT, gone[i]) ? "present" : "absent");
}

GROUP(101, errname, "errname")
{
    const char *un = cudaGetErrorName((cudaError_t)12345),
               *us = cudaGetErrorString((cudaError_t)12345);
    int unk = 0;
    RECORD("unknown", "name=%s string=%s", un ? un : "NULL", us ? us : "NULL");
    for (int i = 0; i <= 1100; i++) {
        const char *n = cudaGetErrorName((cudaError_t)i), *s = cudaGetErrorString((cudaError_t)i);
        if (n && s && un && us && !strcmp(n, un) && !strcmp(s, us)) {
            unk++;
            continue;
        }
        RECORD(FORMAT("%d", i), "name=%s string=%s", n ? n : "NULL", s ? s : "NULL");
    }
    RECORD("unknown-count", "%d of 1101", unk);
    static const int odd[] = {-1, -2, 9999, 10000, 10001, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT_OF(odd); i++)
        RECORD(FORMAT("odd%d", odd[i]), "name=%s string=%s", cudaGetErrorName((cudaError_t)odd[i]),
               cudaGetErrorString((cudaError_t)odd[i]));
    RECORD("same-pointer", "name=%d string=%d",
           cudaGetErrorName(cudaErrorInvalidValue) == cudaGetErrorName(cudaErrorInvalidValue),
           cudaGetErrorString(cudaErrorInvalidValue) == cudaGetErrorString(cudaErrorInvalidValue));
}

static void *fail_in_thread(void *o)
{
    const char **q = (const char **)o;
    q[0] = PEEKED_ERROR;
    cudaMalloc(0, 16);
    q[1] = PEEKED_ERROR;
    cudaSetDevice(99);
    q[2] = PEEKED_ERROR;
    q[3] = LAST_ERROR;
    q[4] = LAST_ERROR;
    cudaStreamQuery((cudaStream_t)0);
    cudaMalloc(0, 1);
    return 0;
}

static void *peek_in_thread(void *o)
{
    const char **q = (const char **)o;
    q[0] = PEEKED_ERROR;
    q[1] = LAST_ERROR;
    return 0;
}

GROUP(102, lasterr, "lasterr")
{
    keep_last_error = 1;
    RECORD("first-get", "%s", LAST_ERROR);
    RECORD("first-peek", "%s", PEEKED_ERROR);
    use_runtime();
    void *d = 0;
    cudaMalloc(0, 16);
    RECORD("null-malloc", "peek=%s peek=%s get=%s get=%s peek=%s", PEEKED_ERROR, PEEKED_ERROR,
           LAST_ERROR, LAST_ERROR, PEEKED_ERROR);
    cudaMalloc(0, 16);
    cudaMalloc(&d, 16);
    RECORD("kept-over-success", "peek=%s get=%s", PEEKED_ERROR, LAST_ERROR);
    cudaSetDevice(99);
    cudaMalloc(0, 16);
    RECORD("second-replaces", "peek=%s get=%s get=%s", PEEKED_ERROR, LAST_ERROR, LAST_ERROR);
    cudaMalloc(0, 16);
    cudaSetDevice(99);
    RECORD("second-replaces-2", "peek=%s get=%s get=%s", PEEKED_ERROR, LAST_ERROR, LAST_ERROR);
    cudaMalloc(0, 16);
    cudaDeviceSynchronize();
    cudaGetErrorName((cudaError_t)1);
    cudaGetErrorString((cudaError_t)1);
    int c;
    cudaGetDeviceCount(&c);
    RECORD("kept-over-sync-and-queries", "peek=%s get=%s", PEEKED_ERROR, LAST_ERROR);
    cudaMalloc(0, 16);
    const char *q[8] = {0};
    pthread_t t;
    pthread_create(&t, 0, fail_in_thread, q);
    pthread_join(t, 0);
    RECORD("other-thread", "start=%s own=%s replaced=%s get=%s get=%s main-peek=%s", q[0], q[1],
           q[2], q[3], q[4], PEEKED_ERROR);
    RECORD("main-get-after", "%s %s", LAST_ERROR, LAST_ERROR);
    cudaMalloc(0, 16);
    pthread_create(&t, 0, peek_in_thread, q);
    pthread_join(t, 0);
    RECORD("other-thread-clear", "their=%s/%s main=%s", q[0], q[1], LAST_ERROR);
    cudaStream_t s = stream_new(cudaStreamNonBlocking);
    cudaGetLastError();
    struct blocker b;
    b.limit_ms = 2000;
    stream_block(s, &b);
    cudaError_t e1 = cudaStreamQuery(s);
    RECORD("notready-stream", "%s peek=%s get=%s get=%s", error_name(e1), PEEKED_ERROR, LAST_ERROR,
           LAST_ERROR);
    cudaEvent_t ev = event_new(0);
    cudaEventRecord(ev, s);
    cudaGetLastError();
    e1 = cudaEventQuery(ev);
    RECORD("notready-event", "%s peek=%s get=%s get=%s", error_name(e1), PEEKED_ERROR, LAST_ERROR,
           LAST_ERROR);
    cudaMalloc(0, 16);
    e1 = cudaStreamQuery(s);
    RECORD("notready-over-error", "%s peek=%s get=%s", error_name(e1), PEEKED_ERROR, LAST_ERROR);
    cudaEvent_t ev2 = event_new(0);
    cudaEventRecord(ev2, s);
    float ms;
    e1 = cudaEventElapsedTime(&ms, ev, ev2);
    RECORD("notready-elapsed", "%s peek=%s get=%s", error_name(e1), PEEKED_ERROR, LAST_ERROR);
    stream_unblock(&b);
    cudaStreamSynchronize(s);
    DRIVER(cuMemAlloc_v2) ? (void)DRIVER(cuMemAlloc_v2)(0, 0) : (void)0;
    RECORD("driver-failure", "peek=%s", PEEKED_ERROR);
    cudaMalloc(0, 16);
    cudaDeviceReset();
    RECORD("over-reset", "peek=%s get=%s", PEEKED_ERROR, LAST_ERROR);
    cudaFree(0);
    /* launch failures */
    int *p = (int *)device_alloc(4096);
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
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        launch_fill(bad[i].g, bad[i].b, bad[i].sh, 0, p, 1, 1);
        RECORD(FORMAT("launch-%s", bad[i].n), "peek=%s get=%s get=%s sync=%s get=%s", PEEKED_ERROR,
               LAST_ERROR, LAST_ERROR, sync_device(), LAST_ERROR);
        int n = 1, v = 1;
        void *a[] = {&p, &n, &v};
        cudaError_t r = cudaLaunchKernel((void *)k_fill, bad[i].g, bad[i].b, a, bad[i].sh, 0);
        RECORD(FORMAT("launchkernel-%s", bad[i].n), "%s peek=%s get=%s get=%s", error_name(r),
               PEEKED_ERROR, LAST_ERROR, LAST_ERROR);
    }
    int v = 5;
    cudaError_t r = cudaLaunchKernel(0, dim3(1), dim3(1), 0, 0, 0);
    RECORD("null-func", "%s get=%s get=%s", error_name(r), LAST_ERROR, LAST_ERROR);
    r = cudaLaunchKernel(&v, dim3(1), dim3(1), 0, 0, 0);
    RECORD("stack-func", "%s get=%s get=%s", error_name(r), LAST_ERROR, LAST_ERROR);
    r = cudaLaunchKernel((void *)printf, dim3(1), dim3(1), 0, 0, 0);
    RECORD("host-func", "%s get=%s get=%s", error_name(r), LAST_ERROR, LAST_ERROR);
    r = cudaLaunchKernel(symbol(SYMBOL_INT), dim3(1), dim3(1), 0, 0, 0);
    RECORD("symbol-as-func", "%s get=%s get=%s", error_name(r), LAST_ERROR, LAST_ERROR);
    r = cudaLaunchKernel(0, dim3(0), dim3(0), 0, 0, 0);
    RECORD("null-func-bad-dim", "%s get=%s", error_name(r), LAST_ERROR);
    r = cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0);
    RECORD("good-after", "%s get=%s sync=%s", error_name(r), LAST_ERROR, sync_device());
}

/* which failing calls are recorded as the thread's last error */
GROUP(103, lasterr_set, "lasterr-set")
{
    use_runtime();
    int i;
    size_t z;
    void *d = 0;
    cudaDeviceProp pr;
    cudaPointerAttributes pa;
    cudaFuncAttributes fa;
    float ms;
    unsigned u;
    const char *nm;
    CHECK("malloc-null", cudaMalloc(0, 1));
    CHECK("malloc-huge", cudaMalloc(&d, 1ull << 50));
    CHECK("free-garbage", cudaFree(GARBAGE_ADDRESS));
    CHECK("freehost-garbage", cudaFreeHost(GARBAGE_ADDRESS));
    CHECK("setdevice-99", cudaSetDevice(99));
    CHECK("setdevice--1", cudaSetDevice(-1));
    CHECK("getdevice-null", cudaGetDevice(0));
    CHECK("count-null", cudaGetDeviceCount(0));
    CHECK("prop-99", cudaGetDeviceProperties(&pr, 99));
    CHECK("prop-null", cudaGetDeviceProperties(0, 0));
    CHECK("attr-99", cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 99));
    CHECK("attr-bad", cudaDeviceGetAttribute(&i, (cudaDeviceAttr)9999, 0));
    CHECK("attr-null", cudaDeviceGetAttribute(0, cudaDevAttrWarpSize, 0));
    CHECK("ptrattr-null", cudaPointerGetAttributes(0, &i));
    CHECK("ptrattr-host", cudaPointerGetAttributes(&pa, &i));
    CHECK("funcattr-null", cudaFuncGetAttributes(&fa, 0));
    CHECK("funcattr-bad", cudaFuncGetAttributes(&fa, &i));
    CHECK("funcattr-out-null", cudaFuncGetAttributes(0, (void *)k_empty));
    CHECK("funcname-bad", cudaFuncGetName(&nm, &i));
    CHECK("symaddr-bad", cudaGetSymbolAddress(&d, &i));
    CHECK("symsize-bad", cudaGetSymbolSize(&z, &i));
    CHECK("symaddr-null", cudaGetSymbolAddress(&d, 0));
    CHECK("tosym-bad", cudaMemcpyToSymbol(&i, &i, 4, 0, cudaMemcpyHostToDevice));
    CHECK("tosym-range", cudaMemcpyToSymbol(symbol(0), &i, 8, 0, cudaMemcpyHostToDevice));
    CHECK("memcpy-kind", cudaMemcpy(&i, &i, 4, (cudaMemcpyKind)9));
    CHECK("memcpy-null", cudaMemcpy(0, 0, 4, cudaMemcpyHostToDevice));
    CHECK("memset-null", cudaMemset(0, 0, 4));
    CHECK("memset-host", cudaMemset(&i, 0, 4));
    CHECK("stream-null", cudaStreamCreate(0));
    CHECK("stream-flags", cudaStreamCreateWithFlags((cudaStream_t *)&d, 99));
    CHECK("event-null", cudaEventCreate(0));
    CHECK("event-flags", cudaEventCreateWithFlags((cudaEvent_t *)&d, 99));
    CHECK("event-query-null", cudaEventQuery(0));
    CHECK("event-sync-null", cudaEventSynchronize(0));
    CHECK("event-record-null", cudaEventRecord(0, 0));
    CHECK("event-destroy-null", cudaEventDestroy(0));
    CHECK("stream-destroy-0", cudaStreamDestroy(0));
    CHECK("elapsed-null", cudaEventElapsedTime(&ms, 0, 0));
    CHECK("hostalloc-flags", cudaHostAlloc(&d, 16, 0xff));
    CHECK("hostflags-bad", cudaHostGetFlags(&u, &i));
    CHECK("hostdptr-bad", cudaHostGetDevicePointer(&d, &i, 0));
    CHECK("register-null", cudaHostRegister(0, 16, 0));
    CHECK("unregister-bad", cudaHostUnregister(&i));
    CHECK("limit-bad", cudaDeviceGetLimit(&z, (cudaLimit)77));
    CHECK("setlimit-bad", cudaDeviceSetLimit((cudaLimit)77, 1));
    CHECK("choose-null", cudaChooseDevice(&i, 0));
    CHECK("peer-self", cudaDeviceEnablePeerAccess(0, 0));
    CHECK("canpeer", cudaDeviceCanAccessPeer(&i, 0, 9));
    CHECK("pci-bad", cudaDeviceGetByPCIBusId(&i, "zz"));
    CHECK("graph-null", cudaGraphCreate(0, 0));
    CHECK("graphlaunch-null", cudaGraphLaunch(0, 0));
    CHECK("occ-bad", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, 0, 32, 0));
    CHECK("entry-null", cudaGetDriverEntryPoint(0, &d, 0, 0));
    CHECK("versions-null", cudaDriverGetVersion(0));
    CHECK("rtversion-null", cudaRuntimeGetVersion(0));
}

/* kernel faults: what every later call answers */
static const char *const fault_names[] = {"null",  "far",    "misaligned", "trap",   "assert",
                                          "stack", "shared", "freed",      "badptr", "oob"};
static void check_after_fault(const char *w)
{
    int i;
    size_t z, y;
    void *d = UNTOUCHED;
    cudaStream_t s = (cudaStream_t)UNTOUCHED;
    cudaEvent_t e = (cudaEvent_t)UNTOUCHED;
    cudaDeviceProp pr;
    cudaPointerAttributes pa;
    cudaFuncAttributes fa;
    unsigned u;
    char buf[64] = {0};
#define CASE_NAME(n) FORMAT("%s-%s", w, n)
    CHECK(CASE_NAME("getlast"), cudaGetLastError());
    CHECK(CASE_NAME("getlast"), cudaGetLastError());
    CHECK(CASE_NAME("peek"), cudaPeekAtLastError());
    CHECK(CASE_NAME("sync"), cudaDeviceSynchronize());
    CHECK(CASE_NAME("malloc"), cudaMalloc(&d, 64), "out=%s", out_state(d));
    CHECK(CASE_NAME("free0"), cudaFree(0));
    CHECK(CASE_NAME("streamcreate"), cudaStreamCreate(&s), "out=%s", out_state(s));
    CHECK(CASE_NAME("eventcreate"), cudaEventCreate(&e), "out=%s", out_state(e));
    CHECK(CASE_NAME("streamquery0"), cudaStreamQuery(0));
    CHECK(CASE_NAME("streamsync0"), cudaStreamSynchronize(0));
    CHECK(CASE_NAME("getdevice"), cudaGetDevice(&i));
    CHECK(CASE_NAME("setdevice0"), cudaSetDevice(0));
    CHECK(CASE_NAME("count"), cudaGetDeviceCount(&i));
    CHECK(CASE_NAME("attr"), cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0));
    CHECK(CASE_NAME("props"), cudaGetDeviceProperties(&pr, 0));
    CHECK(CASE_NAME("drvver"), cudaDriverGetVersion(&i));
    CHECK(CASE_NAME("rtver"), cudaRuntimeGetVersion(&i));
    CHECK(CASE_NAME("ptrattr"), cudaPointerGetAttributes(&pa, buf));
    CHECK(CASE_NAME("funcattr"), cudaFuncGetAttributes(&fa, (void *)k_empty));
    CHECK(CASE_NAME("meminfo"), cudaMemGetInfo(&z, &y));
    d = UNTOUCHED;
    CHECK(CASE_NAME("hostalloc"), cudaHostAlloc(&d, 64, 0), "out=%s", out_state(d));
    d = UNTOUCHED;
    CHECK(CASE_NAME("managed"), cudaMallocManaged(&d, 64, cudaMemAttachGlobal), "out=%s",
          out_state(d));
    d = UNTOUCHED;
    CHECK(CASE_NAME("async"), cudaMallocAsync(&d, 64, 0), "out=%s", out_state(d));
    CHECK(CASE_NAME("memset0"), cudaMemset(GARBAGE_ADDRESS, 0, 0));
    CHECK(CASE_NAME("memcpyHH"), cudaMemcpy(buf, buf + 32, 16, cudaMemcpyHostToHost));
    CHECK(CASE_NAME("launch"), cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0));
    CHECK(CASE_NAME("limit"), cudaDeviceGetLimit(&z, cudaLimitStackSize));
    CHECK(CASE_NAME("flags"), cudaGetDeviceFlags(&u));
    CHECK(CASE_NAME("symaddr"), cudaGetSymbolAddress(&d, symbol(0)));
    CHECK(CASE_NAME("canpeer"), cudaDeviceCanAccessPeer(&i, 0, 0));
    CHECK(CASE_NAME("occ"),
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, (void *)k_empty, 32, 0));
    cudaGraph_t g;
    CHECK(CASE_NAME("graphcreate"), cudaGraphCreate(&g, 0));
}

static cudaError_t launch_fault(int k, int *d, char *hostp)
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
        p = device_alloc(64 * MB);
        cudaFree(p);
        return cudaLaunchKernel((void *)k_mangled_arg, dim3(1), dim3(1), ARGS(&p), 0, 0);
    case 8:
        p = GARBAGE_ADDRESS;
        return cudaLaunchKernel((void *)k_mangled_arg, dim3(1), dim3(1), ARGS(&p), 0, 0);
    default:
        off = 1ull << 44;
        return cudaLaunchKernel((void *)k_oob, dim3(1), dim3(1), ARGS(&d, &off), 0, 0);
    }
}

static void check_fault(int k)
{
    keep_last_error = 0;
    keep_after_sticky = 1;
    use_runtime();
    int *d = (int *)device_alloc(4096);
    char *h = (char *)pinned_alloc(4096), hb[64];
    cudaStream_t s = stream_new(0);
    cudaEvent_t e = event_new(0);
    cudaEventRecord(e, s);
    cudaStreamSynchronize(s);
    output_capture(2);
    if (case_start("launch")) {
        cudaError_t r = launch_fault(k, d, h);
        last_error_read();
        case_answer(r, " ");
    }
    CHECK("sync", cudaDeviceSynchronize());
    const char *tx = output_captured(2);
    RECORD("stderr", "%s",
           k == 4  ? (strstr(tx, "Assertion `v == 42` failed")
                          ? FORMAT("n=%d %s", (int)(strlen(tx) > 0),
                                  strstr(tx, "block: [0,0,0], thread: [0,0,0]") ? "thread0" : "")
                          : "none")
           : tx[0] ? "text"
                   : "none");
    CHECK("sync-again", cudaDeviceSynchronize());
    CHECK("old-event-query", cudaEventQuery(e));
    CHECK("old-stream-query", cudaStreamQuery(s));
    CHECK("old-stream-sync", cudaStreamSynchronize(s));
    CHECK("old-memcpy", cudaMemcpy(hb, d, 64, cudaMemcpyDeviceToHost));
    CHECK("old-memset", cudaMemset(d, 0, 64));
    CHECK("old-record", cudaEventRecord(e, s));
    CHECK("old-ptrattr", (cudaError_t)0, "%s", pointer_text(d));
    CHECK("old-async", cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s));
    check_after_fault("dead");
    CHECK("old-event-destroy", cudaEventDestroy(e));
    CHECK("old-stream-destroy", cudaStreamDestroy(s));
    CHECK("old-free", cudaFree(d));
    CHECK("old-freehost", cudaFreeHost(h));
    CHECK("reset", cudaDeviceReset());
    CHECK("reset-again", cudaDeviceReset());
    check_after_fault("afterreset");
    d = (int *)device_alloc(4096);
    int n = 100, v = 5;
    CHECK("afterreset-launch-fill",
          cudaLaunchKernel((void *)k_fill, dim3(1), dim3(128), ARGS(&d, &n, &v), 0, 0));
    CHECK("afterreset-data", cudaDeviceSynchronize(), "sum=%s", device_checksum(d, 400));
}

__attribute__((constructor)) static void rg_fault(void)
{
    for (size_t i = 0; i < COUNT_OF(fault_names); i++)
        group_register_index(110, FORMAT("fault-%s", fault_names[i]), check_fault, i);
}

/* The first call after a fault, each in a process of its own. */
static int *fault_device;
static char *fault_host;
static cudaStream_t fault_stream;
static cudaEvent_t fault_event;
static char fault_bytes[64];
static cudaGraphExec_t fault_exec;
static const struct {
    const char *name;
    cudaError_t (*run)(void);
} first_calls[] = {
#define CALL(name, ...) {name, [] { __VA_ARGS__; }},
#include "first_calls.def"
#undef CALL
};

static void check_first_call(int k)
{
    keep_after_sticky = 1;
    use_runtime();
    fault_device = (int *)device_alloc(4096);
    fault_host = (char *)pinned_alloc(4096);
    fault_stream = stream_new(0);
    fault_event = event_new(0);
    cudaEventRecord(fault_event, 0);
    cudaStreamBeginCapture(fault_stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(fault_device, 0, 64, fault_stream);
    cudaGraph_t g = 0;
    cudaStreamEndCapture(fault_stream, &g);
    cudaGraphInstantiate(&fault_exec, g, 0);
    cudaDeviceSynchronize();
    CHECK("launch", cudaLaunchKernel((void *)k_trap, dim3(1), dim3(1), 0, 0, fault_stream));
    usleep(300000);
    CHECK("first", first_calls[k].run());
    CHECK("second", first_calls[k].run());
    CHECK("sync", cudaDeviceSynchronize());
}

__attribute__((constructor)) static void first_calls_register(void)
{
    for (size_t i = 0; i < COUNT_OF(first_calls); i++)
        group_register_index(111, FORMAT("faultfirst/%s", first_calls[i].name), check_first_call,
                             i);
}
