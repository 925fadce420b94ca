/* SPDX-License-Identifier: MIT */
/* Streams, events, host functions, capture status. */
#include "recorder.hpp"
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define PREFIX "pt-"
#define ORDER_OFFSET 20
#define UNIQUE(id) pt_##id
#else
#define PREFIX ""
#define ORDER_OFFSET 0
#define UNIQUE(id) id
#endif
#define STREAM_GROUP(key, id, name) GROUP(key + ORDER_OFFSET, id, PREFIX name)
STREAM_GROUP(500, stream, "stream")
{
    use_runtime();
    cudaStream_t s;
    int p;
    unsigned f;
    unsigned long long id;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 8, 0x10, 0x80000000u, UINT_MAX};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        s = (cudaStream_t)UNTOUCHED;
        cudaError_t r = CHECK(FORMAT("flags-%x", fl[i]), cudaStreamCreateWithFlags(&s, fl[i]), "%s",
                              out_state(s));
        if (!r) {
            f = 77;
            p = 77;
            CHECK(FORMAT("getflags-%x", fl[i]), cudaStreamGetFlags(s, &f), "%u", f);
            CHECK(FORMAT("getprio-%x", fl[i]), cudaStreamGetPriority(s, &p), "%d", p);
            int d = 77;
            CHECK(FORMAT("getdev-%x", fl[i]), cudaStreamGetDevice(s, &d), "%d", d);
            id = 0;
            CHECK(FORMAT("getid-%x", fl[i]), cudaStreamGetId(s, &id), "set=%d", id != 0);
            CHECK(FORMAT("destroy-%x", fl[i]), cudaStreamDestroy(s));
        }
    }
    for (int pr = -10; pr <= 5; pr++)
        for (unsigned k = 0; k < 3; k++) {
            s = (cudaStream_t)UNTOUCHED;
            if (!CHECK(FORMAT("prio%d-fl%u", pr, k), cudaStreamCreateWithPriority(&s, k, pr), "%s",
                       out_state(s))) {
                CHECK(FORMAT("prio%d-fl%u-get", pr, k), cudaStreamGetPriority(s, &p), "%d", p);
                cudaStreamDestroy(s);
            }
        }
    CHECK("create", cudaStreamCreate(&s));
    CHECK("create-null", cudaStreamCreate(0));
    CHECK("createflags-null", cudaStreamCreateWithFlags(0, 0));
    CHECK("createprio-null", cudaStreamCreateWithPriority(0, 0, 0));
    struct {
        const char *n;
        cudaStream_t s;
    } sp[] = {
        {"null", 0}, {"legacy", cudaStreamLegacy}, {"perthread", cudaStreamPerThread}, {"own", s}};
    unsigned long long ids[4] = {0};
    for (int i = 0; i < 4; i++) {
        f = 77;
        p = 77;
        int d = 77;
        CHECK(FORMAT("%s-flags", sp[i].n), cudaStreamGetFlags(sp[i].s, &f), "%u", f);
        CHECK(FORMAT("%s-prio", sp[i].n), cudaStreamGetPriority(sp[i].s, &p), "%d", p);
        CHECK(FORMAT("%s-dev", sp[i].n), cudaStreamGetDevice(sp[i].s, &d), "%d", d);
        CHECK(FORMAT("%s-id", sp[i].n), cudaStreamGetId(sp[i].s, &ids[i]), "set=%d", ids[i] != 0);
        CHECK(FORMAT("%s-query", sp[i].n), cudaStreamQuery(sp[i].s));
        CHECK(FORMAT("%s-sync", sp[i].n), cudaStreamSynchronize(sp[i].s));
        CHECK(FORMAT("%s-flags-null", sp[i].n), cudaStreamGetFlags(sp[i].s, 0));
        CHECK(FORMAT("%s-prio-null", sp[i].n), cudaStreamGetPriority(sp[i].s, 0));
        CHECK(FORMAT("%s-id-null", sp[i].n), cudaStreamGetId(sp[i].s, 0));
        CHECK(FORMAT("%s-dev-null", sp[i].n), cudaStreamGetDevice(sp[i].s, 0));
        cudaStreamCaptureStatus cs = (cudaStreamCaptureStatus)77;
        CHECK(FORMAT("%s-iscapturing", sp[i].n), cudaStreamIsCapturing(sp[i].s, &cs), "%d",
              (int)cs);
        unsigned long long ci = 77;
        cudaGraph_t g = (cudaGraph_t)UNTOUCHED;
        const cudaGraphNode_t *dp = 0;
        size_t nd = 77;
        cs = (cudaStreamCaptureStatus)77;
        CHECK(FORMAT("%s-captureinfo", sp[i].n),
              cudaStreamGetCaptureInfo(sp[i].s, &cs, &ci, &g, &dp, 0, &nd),
              "st=%d id=%s g=%s nd=%zu", (int)cs, ci == 77 ? "kept" : "set", out_state(g), nd);
        CHECK(FORMAT("%s-begin", sp[i].n),
              cudaStreamBeginCapture(sp[i].s, cudaStreamCaptureModeGlobal));
        g = 0;
        CHECK(FORMAT("%s-end", sp[i].n), cudaStreamEndCapture(sp[i].s, &g), "%s", out_state(g));
        if (g)
            cudaGraphDestroy(g);
        CHECK(FORMAT("%s-launch", sp[i].n),
              cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, sp[i].s), "%s",
              sync_device());
        CHECK(FORMAT("%s-destroy", sp[i].n), i < 3 ? cudaStreamDestroy(sp[i].s) : (cudaError_t)0);
    }
    RECORD("ids", "null=legacy:%d null=pt:%d own-differs:%d", ids[0] == ids[1], ids[0] == ids[2],
           ids[3] != ids[0]);
    for (int a = -1; a <= 17; a++) {
        cudaLaunchAttributeValue v;
        memset(&v, 0xA5, sizeof v);
        CHECK(FORMAT("attr-get-%d", a), cudaStreamGetAttribute(s, (cudaLaunchAttributeID)a, &v),
              "first=%08x", *(unsigned *)&v);
        memset(&v, 0, sizeof v);
        CHECK(FORMAT("attr-set0-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
        v.pad[0] = 1;
        CHECK(FORMAT("attr-set1-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
        memset(&v, 0xff, sizeof v);
        CHECK(FORMAT("attr-setff-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
    }
    cudaLaunchAttributeValue v;
    memset(&v, 0, sizeof v);
    for (int i = 0; i < 6; i++) {
        v.syncPolicy = (cudaSynchronizationPolicy)i;
        cudaLaunchAttributeValue w;
        memset(&w, 0, sizeof w);
        CHECK(FORMAT("attr-syncpolicy-%d", i),
              cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v), "get=%s %d",
              error_name(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &w)),
              (int)w.syncPolicy);
    }
    for (int i = -7; i < 3; i++) {
        v.priority = i;
        cudaLaunchAttributeValue w;
        memset(&w, 0, sizeof w);
        CHECK(FORMAT("attr-prio%d", i), cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v),
              "get=%s %d", error_name(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &w)),
              w.priority);
    }
    CHECK("attr-null", cudaStreamGetAttribute(s, cudaLaunchAttributePriority, 0));
    CHECK("attr-set-null", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, 0));
    CHECK("attr-stream0", cudaStreamGetAttribute(0, cudaLaunchAttributePriority, &v));
    cudaStream_t s2 = stream_new(0);
    CHECK("copyattr", cudaStreamCopyAttributes(s2, s));
    CHECK("copyattr-0", cudaStreamCopyAttributes(0, s));
    CHECK("copyattr-self", cudaStreamCopyAttributes(s, s));
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = device_alloc(MB);
    v.accessPolicyWindow.num_bytes = MB;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CHECK("attr-window", cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 2;
    CHECK("attr-window-ratio2",
          cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    CHECK("attr-window-misspersist",
          cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    CHECK("destroy", cudaStreamDestroy(s));
}

STREAM_GROUP(501, event, "event")
{
    use_runtime();
    cudaEvent_t e;
    for (unsigned f = 0; f < 18; f++) {
        e = (cudaEvent_t)UNTOUCHED;
        if (!CHECK(FORMAT("flags-%u", f), cudaEventCreateWithFlags(&e, f), "%s", out_state(e))) {
            CHECK(FORMAT("query-fresh-%u", f), cudaEventQuery(e));
            CHECK(FORMAT("sync-fresh-%u", f), cudaEventSynchronize(e));
            CHECK(FORMAT("record-%u", f), cudaEventRecord(e, 0), "%s", sync_device());
            CHECK(FORMAT("query-%u", f), cudaEventQuery(e));
            float ms = -1;
            CHECK(FORMAT("elapsed-self-%u", f), cudaEventElapsedTime(&ms, e, e), "%s",
                  ms == 0  ? "0"
                  : ms < 0 ? "kept"
                           : "pos");
            CHECK(FORMAT("destroy-%u", f), cudaEventDestroy(e));
        }
    }
    CHECK("create", cudaEventCreate(&e));
    CHECK("null", cudaEventCreate(0));
    CHECK("flags-null", cudaEventCreateWithFlags(0, 0));
    CHECK("flags-max", cudaEventCreateWithFlags(&e, UINT_MAX));
    cudaEvent_t a = event_new(0), b = event_new(0), n = event_new(cudaEventDisableTiming);
    cudaStream_t s = stream_new(0), t = stream_new(cudaStreamNonBlocking);
    float ms = -1;
    CHECK("elapsed-unrecorded", cudaEventElapsedTime(&ms, a, b));
    cudaEventRecord(a, s);
    cudaStreamSynchronize(s);
    CHECK("elapsed-one-recorded", cudaEventElapsedTime(&ms, a, b));
    cudaEventRecord(b, s);
    cudaStreamSynchronize(s);
    CHECK("elapsed", cudaEventElapsedTime(&ms, a, b), "nonneg=%d", ms >= 0);
    CHECK("elapsed-reverse", cudaEventElapsedTime(&ms, b, a), "nonpos=%d", ms <= 0);
    cudaEventRecord(n, s);
    cudaStreamSynchronize(s);
    CHECK("elapsed-notiming", cudaEventElapsedTime(&ms, a, n));
    CHECK("elapsed-notiming2", cudaEventElapsedTime(&ms, n, a));
    CHECK("elapsed-null-out", cudaEventElapsedTime(0, a, b));
    CHECK("elapsed-null-a", cudaEventElapsedTime(&ms, 0, b));
    CHECK("elapsed-null-b", cudaEventElapsedTime(&ms, a, 0));
    for (unsigned f = 0; f < 4; f++) {
        CHECK(FORMAT("recordflags-%u", f), cudaEventRecordWithFlags(a, s, f));
        CHECK(FORMAT("waitflags-%u", f), cudaStreamWaitEvent(s, a, f));
    }
    CHECK("record-legacy", cudaEventRecord(a, cudaStreamLegacy));
    CHECK("record-pt", cudaEventRecord(a, cudaStreamPerThread));
    CHECK("record-null", cudaEventRecord(0, s));
    CHECK("wait-null", cudaStreamWaitEvent(s, 0, 0));
    CHECK("wait-stream0", cudaStreamWaitEvent(0, a, 0));
    CHECK("wait-unrecorded", cudaStreamWaitEvent(s, event_new(0), 0));
    CHECK("query-null", cudaEventQuery(0));
    CHECK("sync-null", cudaEventSynchronize(0));
    CHECK("destroy-null", cudaEventDestroy(0));
    struct blocker k;
    k.limit_ms = 1500;
    stream_block(t, &k);
    cudaEventRecord(a, t);
    CHECK("query-busy", cudaEventQuery(a));
    CHECK("streamquery-busy", cudaStreamQuery(t));
    cudaStreamWaitEvent(s, a, 0);
    CHECK("streamquery-waiting", cudaStreamQuery(s));
    cudaEventRecord(b, t);
    CHECK("elapsed-busy", cudaEventElapsedTime(&ms, a, b));
    CHECK("null-query-beside-nonblocking", cudaStreamQuery(0));
    CHECK("destroy-pending", cudaEventDestroy(b));
    stream_unblock(&k);
    CHECK("sync", cudaEventSynchronize(a));
    CHECK("sync-s", cudaStreamSynchronize(s));
    CHECK("query-done", cudaEventQuery(a));
    k.limit_ms = 400;
    stream_block(t, &k);
    CHECK("destroy-busy-stream", cudaStreamDestroy(t), "waited=%d", (int)k.done);
    stream_unblock(&k);
    CHECK("sync-all", cudaDeviceSynchronize(), "done=%d", (int)k.done);
    int *d = (int *)device_alloc(4096), nn = 1000, v = 1;
    cudaStream_t x = stream_new(1), y = stream_new(1);
    cudaEvent_t ev = event_new(2);
    for (int i = 0; i < 5; i++) {
        cudaLaunchKernel((void *)k_fill, dim3(8), dim3(128), ARGS(&d, &nn, &v), 0, x);
        cudaEventRecord(ev, x);
        cudaStreamWaitEvent(y, ev, 0);
        cudaLaunchKernel((void *)k_add, dim3(8), dim3(128), ARGS(&d, &nn, &v), 0, y);
        cudaEventRecord(ev, y);
        cudaStreamWaitEvent(x, ev, 0);
    }
    CHECK("pingpong", cudaDeviceSynchronize(), "%s", device_checksum(d, 4000));
}

struct hf {
    int n;
    cudaError_t in[12];
    cudaStream_t s;
    int order[8], no;
};
static void CUDART_CB host_function(void *u)
{
    struct hf *h = (struct hf *)u;
    int c;
    void *p = 0;
    h->in[0] = cudaGetDeviceCount(&c);
    h->in[1] = cudaGetDevice(&c);
    h->in[2] = cudaMalloc(&p, 64);
    h->in[3] = cudaStreamQuery(0);
    h->in[4] = cudaGetLastError();
    h->in[5] = cudaFree(0);
    h->in[6] = cudaDeviceSynchronize();
    h->in[7] = cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0);
    h->in[8] = cudaEventCreate((cudaEvent_t *)&p);
    h->in[9] = cudaPeekAtLastError();
    h->in[10] = cudaStreamSynchronize(h->s);
    h->n++;
}

static void CUDART_CB stream_called(cudaStream_t s, cudaError_t e, void *u)
{
    struct hf *h = (struct hf *)u;
    h->in[11] = e;
    host_function(u);
    h->no = s == h->s;
}

static void CUDART_CB order_note(void *u)
{
    int *q = (int *)u;
    q[q[9]++ + 10] = q[8]++;
}

STREAM_GROUP(502, hostfunc, "hostfunc")
{
    use_runtime();
    cudaStream_t s = stream_new(0);
    static struct hf h;
    h.s = s;
    CHECK("launch", cudaLaunchHostFunc(s, host_function, &h), "%s n=%d", sync_stream(s), h.n);
    for (int i = 0; i < 11; i++)
        RECORD(FORMAT("inside-%d", i), "%s", error_name(h.in[i]));
    memset(&h, 0, sizeof h);
    h.s = s;
    CHECK("callback", cudaStreamAddCallback(s, stream_called, &h, 0),
          "%s n=%d stream-same=%d status=%s", sync_stream(s), h.n, h.no, error_name(h.in[11]));
    for (int i = 0; i < 11; i++)
        RECORD(FORMAT("cb-inside-%d", i), "%s", error_name(h.in[i]));
    CHECK("callback-flags", cudaStreamAddCallback(s, stream_called, &h, 1));
    CHECK("callback-null", cudaStreamAddCallback(s, 0, 0, 0));
    CHECK("null", cudaLaunchHostFunc(s, 0, 0));
    memset(&h, 0, sizeof h);
    h.s = 0;
    CHECK("stream0",
          cudaLaunchHostFunc(
              0, [](void *u) { ((struct hf *)u)->n++; }, &h),
          "%s n=%d", sync_device(), h.n);
    CHECK("legacy",
          cudaLaunchHostFunc(
              cudaStreamLegacy, [](void *u) { ((struct hf *)u)->n++; }, &h),
          "%s n=%d", sync_device(), h.n);
    CHECK("perthread",
          cudaLaunchHostFunc(
              cudaStreamPerThread, [](void *u) { ((struct hf *)u)->n++; }, &h),
          "%s n=%d", sync_device(), h.n);
    static int q[40];
    for (int i = 0; i < 5; i++)
        cudaLaunchHostFunc(s, order_note, q);
    CHECK("order", cudaStreamSynchronize(s), "%d %d %d %d %d", q[10], q[11], q[12], q[13], q[14]);
    CHECK("after-error-callback", cudaStreamAddCallback(s, stream_called, &h, 0), "%s",
          sync_stream(s));
}

STREAM_GROUP(503, stream_order, "stream-order")
{ /* which streams wait for which */
    use_runtime();
    struct {
        const char *n;
        cudaStream_t s;
    } st[] = {{"null", 0},
              {"legacy", cudaStreamLegacy},
              {"perthread", cudaStreamPerThread},
              {"blocking", stream_new(0)},
              {"nonblocking", stream_new(1)},
              {"blocking2", stream_new(0)}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            struct blocker b;
            b.limit_ms = 3000;
            stream_block(st[i].s, &b);
            cudaEvent_t e = event_new(2);
            cudaLaunchHostFunc(
                st[j].s, [](void *) {}, 0);
            cudaEventRecord(e, st[j].s);
            double t = seconds_now();
            cudaError_t r = cudaErrorNotReady;
            while (seconds_now() - t < 0.12 && (r = cudaEventQuery(e)) == cudaErrorNotReady)
                usleep(1000);
            cudaGetLastError();
            RECORD(FORMAT("busy-%s-then-%s", st[i].n, st[j].n), "%s",
                   r == cudaErrorNotReady ? "waits" : error_name(r));
            stream_unblock(&b);
            cudaDeviceSynchronize();
        }
}

static void *thread_run(void *o)
{
    unsigned long long *q = (unsigned long long *)o;
    cudaStreamGetId(cudaStreamPerThread, q);
    return 0;
}

STREAM_GROUP(504, capture, "capture")
{
    use_runtime();
    cudaStream_t s = stream_new(0), s2 = stream_new(0);
    cudaGraph_t g;
    int *d = (int *)device_alloc(4096);
    cudaStreamCaptureStatus st;
    int n = 10, v = 3;
    cudaEvent_t e = event_new(0);
    for (int m = -1; m < 5; m++) {
        CHECK(FORMAT("begin-%d", m), cudaStreamBeginCapture(s, (cudaStreamCaptureMode)m));
        st = (cudaStreamCaptureStatus)77;
        CHECK(FORMAT("status-%d", m), cudaStreamIsCapturing(s, &st), "%d", (int)st);
        g = (cudaGraph_t)UNTOUCHED;
        CHECK(FORMAT("end-%d", m), cudaStreamEndCapture(s, &g), "%s", out_state(g));
    }
    CHECK("end-not-capturing", cudaStreamEndCapture(s, &g));
    CHECK("end-null", cudaStreamEndCapture(s, 0));
    CHECK("iscapturing-null", cudaStreamIsCapturing(s, 0));
    CHECK("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK("begin-twice", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK("launch", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(32), ARGS(&d, &n, &v), 0, s));
    CHECK("memset", cudaMemsetAsync(d, 0, 64, s));
    launch_fill(dim3(1), dim3(32), 0, s, d, n, v);
    RECORD("chevron", "%s", error_name(cudaGetLastError()));
    CHECK("hostfunc", cudaLaunchHostFunc(
                          s, [](void *) {}, 0));
    CHECK("callback", cudaStreamAddCallback(s, stream_called, 0, 0));
    CHECK("record", cudaEventRecord(e, s));
    CHECK("fork", cudaStreamWaitEvent(s2, e, 0));
    CHECK("status2", cudaStreamIsCapturing(s2, &st), "%d", (int)st);
    CHECK("launch2", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s2));
    unsigned long long id = 0, id2 = 1;
    size_t nd = 77;
    const cudaGraphNode_t *dp = 0;
    CHECK("info", cudaStreamGetCaptureInfo(s, &st, &id, &g, &dp, 0, &nd), "st=%d nd=%zu", (int)st,
          nd);
    CHECK("info2", cudaStreamGetCaptureInfo(s2, &st, &id2, &g, &dp, 0, &nd), "st=%d nd=%zu same=%d",
          (int)st, nd, id == id2);
    CHECK("end-on-s2", cudaStreamEndCapture(s2, &g));
    CHECK("status-after", cudaStreamIsCapturing(s, &st), "%d", (int)st);
    g = (cudaGraph_t)UNTOUCHED;
    CHECK("end", cudaStreamEndCapture(s, &g), "%s", out_state(g));
    CHECK("status-end", cudaStreamIsCapturing(s, &st), "%d", (int)st);
    static const char *fn[] = {"streamquery",    "streamsync",
                               "eventquery",     "eventsync",
                               "devsync",        "malloc",
                               "free",           "memcpy",
                               "memset",         "memcpyAsync-pageable",
                               "mallocAsync",    "launch-null-stream",
                               "streamcreate",   "eventcreate",
                               "hostalloc",      "memgetinfo",
                               "funcattr",       "eventrecord-other",
                               "destroy-stream", "memcpyAsync-null",
                               "managed",        "register",
                               "mallocarray",    "symaddr",
                               "setdevice",      "reset",
                               "tosymbol",       "streamprio",
                               "elapsed",        "launchhost-null"};
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < COUNT_OF(fn); i++) {
            cudaStream_t c = stream_new(0);
            static char hb[64];
            void *p = 0;
            size_t z, y;
            cudaFuncAttributes fa;
            int pr;
            float ms;
            cudaEvent_t er = event_new(0);
            cudaStreamBeginCapture(c, (cudaStreamCaptureMode)m);
            cudaEventRecord(er, c);
            cudaError_t r = (cudaError_t)0;
            if (case_start(FORMAT("in-mode%d-%s", m, fn[i]))) {
                switch (i) {
                case 0:
                    r = cudaStreamQuery(c);
                    break;
                case 1:
                    r = cudaStreamSynchronize(c);
                    break;
                case 2:
                    r = cudaEventQuery(er);
                    break;
                case 3:
                    r = cudaEventSynchronize(er);
                    break;
                case 4:
                    r = cudaDeviceSynchronize();
                    break;
                case 5:
                    r = cudaMalloc(&p, 64);
                    break;
                case 6:
                    r = cudaFree(0);
                    break;
                case 7:
                    r = cudaMemcpy(d, hb, 64, cudaMemcpyHostToDevice);
                    break;
                case 8:
                    r = cudaMemset(d, 0, 64);
                    break;
                case 9:
                    r = cudaMemcpyAsync(d, hb, 64, cudaMemcpyHostToDevice, c);
                    break;
                case 10:
                    r = cudaMallocAsync(&p, 64, c);
                    break;
                case 11:
                    r = cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, 0);
                    break;
                case 12:
                    r = cudaStreamCreate((cudaStream_t *)&p);
                    break;
                case 13:
                    r = cudaEventCreate((cudaEvent_t *)&p);
                    break;
                case 14:
                    r = cudaHostAlloc(&p, 64, 0);
                    break;
                case 15:
                    r = cudaMemGetInfo(&z, &y);
                    break;
                case 16:
                    r = cudaFuncGetAttributes(&fa, (void *)k_empty);
                    break;
                case 17:
                    r = cudaEventRecord(e, s2);
                    break;
                case 18:
                    r = cudaStreamDestroy(c);
                    break;
                case 19:
                    r = cudaMemcpyAsync(d, hb, 64, cudaMemcpyHostToDevice, 0);
                    break;
                case 20:
                    r = cudaMallocManaged(&p, 64, 1);
                    break;
                case 21:
                    r = cudaHostRegister(page_alloc(4096), 4096, 0);
                    break;
                case 22: {
                    cudaChannelFormatDesc cd = channel(8, 0, 0, 0, 1);
                    r = cudaMallocArray((cudaArray_t *)&p, &cd, 8, 8, 0);
                    break;
                }
                case 23:
                    r = cudaGetSymbolAddress(&p, symbol(0));
                    break;
                case 24:
                    r = cudaSetDevice(0);
                    break;
                case 25:
                    r = (cudaError_t)0;
                    break;
                case 26:
                    r = cudaMemcpyToSymbol(symbol(0), hb, 4, 0, cudaMemcpyHostToDevice);
                    break;
                case 27:
                    r = cudaStreamGetPriority(c, &pr);
                    break;
                case 28:
                    r = cudaEventElapsedTime(&ms, er, er);
                    break;
                default:
                    r = cudaLaunchHostFunc(
                        0, [](void *) {}, 0);
                }
                last_error_read();
                g = (cudaGraph_t)UNTOUCHED;
                cudaError_t q = i == 18 ? (cudaError_t)0 : cudaStreamEndCapture(c, &g);
                case_answer(r, FORMAT(" end=%s g=%s", error_name(q), out_state(g)));
            }
            if (i != 18)
                cudaStreamDestroy(c);
            cudaGetLastError();
        }
    cudaStreamCaptureMode cm = cudaStreamCaptureModeRelaxed;
    CHECK("exchange", cudaThreadExchangeStreamCaptureMode(&cm), "%d", (int)cm);
    CHECK("exchange2", cudaThreadExchangeStreamCaptureMode(&cm), "%d", (int)cm);
    cm = (cudaStreamCaptureMode)9;
    CHECK("exchange-bad", cudaThreadExchangeStreamCaptureMode(&cm));
    CHECK("exchange-null", cudaThreadExchangeStreamCaptureMode(0));
    unsigned long long i1 = 0, i2 = 0;
    cudaStreamGetId(cudaStreamPerThread, &i1);
    pthread_t t;
    pthread_create(&t, 0, thread_run, &i2);
    pthread_join(t, 0);
    RECORD("perthread-ids-differ", "%d", i1 != i2);
    cudaGraph_t base = 0;
    cudaGraphCreate(&base, 0);
    cudaGraphNode_t en_ = 0;
    cudaGraphAddEmptyNode(&en_, base, 0, 0);
    CHECK("tograph",
          cudaStreamBeginCaptureToGraph(s, base, &en_, 0, 1, cudaStreamCaptureModeGlobal));
    CHECK("tograph-launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s));
    CHECK("update-deps",
          cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, cudaStreamSetCaptureDependencies));
    CHECK("update-deps-add",
          cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, cudaStreamAddCaptureDependencies));
    CHECK("update-deps-flag9", cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, 9));
    CHECK("update-deps-null", cudaStreamUpdateCaptureDependencies(s, 0, 0, 1, 0));
    CHECK("tograph-end", cudaStreamEndCapture(s, &g), "same=%d", g == base);
    cudaGraphGetNodes(base, 0, &nd);
    RECORD("tograph-nodes", "%zu", nd);
    CHECK("tograph-null",
          cudaStreamBeginCaptureToGraph(s, 0, 0, 0, 0, cudaStreamCaptureModeGlobal));
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
GROUP(530, pt_copy, "pt-copy")
{
    use_runtime();
    int *d = (int *)device_alloc(4096), h[64] = {0};
    launch_fill_per_thread(dim3(1), dim3(64), 0, 0, d, 64, 5);
    RECORD("chevron", "%s", error_name(cudaGetLastError()));
    CHECK("memcpy", cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost), "%08x", checksum(h, 256));
    CHECK("memset", cudaMemset(d, 3, 256));
    CHECK("memset2d", cudaMemset2D(d, 16, 1, 8, 4));
    CHECK("memset3d", cudaMemset3D(pitched(d, 16, 16, 4), 2, extent(8, 2, 2)));
    CHECK("memcpy2d", cudaMemcpy2D(h, 16, d, 32, 12, 4, cudaMemcpyDeviceToHost), "%08x",
          checksum(h, 256));
    CHECK("tosym", cudaMemcpyToSymbol(symbol(0), h, 4, 0, cudaMemcpyHostToDevice));
    CHECK("fromsym", cudaMemcpyFromSymbol(h, symbol(0), 4, 0, cudaMemcpyDeviceToHost));
    cudaArray_t a = 0;
    cudaChannelFormatDesc c = channel(32, 0, 0, 0, 0);
    cudaMallocArray(&a, &c, 16, 4, 0);
    CHECK("toarray", cudaMemcpy2DToArray(a, 0, 0, h, 64, 64, 4, cudaMemcpyHostToDevice));
    CHECK("fromarray", cudaMemcpy2DFromArray(h, 64, a, 0, 0, 64, 4, cudaMemcpyDeviceToHost));
    CHECK("a2a", cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 1, 64, 1, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcArray = a;
    p.dstPtr = pitched(h, 64, 16, 4);
    p.extent = extent(16, 4, 1);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK("memcpy3d", cudaMemcpy3D(&p));
    int n = 64, v = 7;
    CHECK("launch", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(64), ARGS(&d, &n, &v), 0, 0),
          "%s %s", sync_stream(0), device_checksum(d, 256));
    CHECK("coop", cudaLaunchCooperativeKernel((void *)k_coop, dim3(2), dim3(32), ARGS(&d), 0, 0),
          "%s", sync_stream(0));
    void *q = 0;
    CHECK("mallocasync", cudaMallocAsync(&q, 64, 0));
    CHECK("freeasync", cudaFreeAsync(q, 0));
    void *ep = 0;
    cudaDriverEntryPointQueryResult r = (cudaDriverEntryPointQueryResult)77;
    CHECK("entry",
          cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &ep, 12000, cudaEnableDefault, &r),
          "%s st=%d", out_state(ep), (int)r);
    void *e2 = 0;
    CHECK("entry-legacy",
          cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &e2, 12000, cudaEnableLegacyStream,
                                           &r),
          "%s same=%d", out_state(e2), ep == e2);
    void *e3 = 0;
    CHECK("entry-pt",
          cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &e3, 12000,
                                           cudaEnablePerThreadDefaultStream, &r),
          "%s same=%d", out_state(e3), ep == e3);
}

#endif
