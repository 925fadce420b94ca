/* SPDX-License-Identifier: MIT */
/* Section 5: streams, events, host functions, capture status. */
#include "rt.hpp"
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define PFX "pt-"
#define KEYO 20
#define GN(id) pt_##id
#else
#define PFX ""
#define KEYO 0
#define GN(id) id
#endif
#define GROUPS(key, id, name) GROUP(key + KEYO, id, PFX name)
GROUPS(500, stream, "stream")
{
    ready();
    cudaStream_t s;
    int p;
    unsigned f;
    unsigned long long id;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 8, 0x10, 0x80000000u, UINT_MAX};
    for (size_t i = 0; i < A(fl); i++) {
        s = (cudaStream_t)SENT;
        err r = T(F("flags-%x", fl[i]), cudaStreamCreateWithFlags(&s, fl[i]), "%s", outst(s));
        if (!r) {
            f = 77;
            p = 77;
            T(F("getflags-%x", fl[i]), cudaStreamGetFlags(s, &f), "%u", f);
            T(F("getprio-%x", fl[i]), cudaStreamGetPriority(s, &p), "%d", p);
            int d = 77;
            T(F("getdev-%x", fl[i]), cudaStreamGetDevice(s, &d), "%d", d);
            id = 0;
            T(F("getid-%x", fl[i]), cudaStreamGetId(s, &id), "set=%d", id != 0);
            T(F("destroy-%x", fl[i]), cudaStreamDestroy(s));
        }
    }
    for (int pr = -10; pr <= 5; pr++)
        for (unsigned k = 0; k < 3; k++) {
            s = (cudaStream_t)SENT;
            if (!T(F("prio%d-fl%u", pr, k), cudaStreamCreateWithPriority(&s, k, pr), "%s",
                   outst(s))) {
                T(F("prio%d-fl%u-get", pr, k), cudaStreamGetPriority(s, &p), "%d", p);
                cudaStreamDestroy(s);
            }
        }
    T("create", cudaStreamCreate(&s));
    T("create-null", cudaStreamCreate(0));
    T("createflags-null", cudaStreamCreateWithFlags(0, 0));
    T("createprio-null", cudaStreamCreateWithPriority(0, 0, 0));
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
        T(F("%s-flags", sp[i].n), cudaStreamGetFlags(sp[i].s, &f), "%u", f);
        T(F("%s-prio", sp[i].n), cudaStreamGetPriority(sp[i].s, &p), "%d", p);
        T(F("%s-dev", sp[i].n), cudaStreamGetDevice(sp[i].s, &d), "%d", d);
        T(F("%s-id", sp[i].n), cudaStreamGetId(sp[i].s, &ids[i]), "set=%d", ids[i] != 0);
        T(F("%s-query", sp[i].n), cudaStreamQuery(sp[i].s));
        T(F("%s-sync", sp[i].n), cudaStreamSynchronize(sp[i].s));
        T(F("%s-flags-null", sp[i].n), cudaStreamGetFlags(sp[i].s, 0));
        T(F("%s-prio-null", sp[i].n), cudaStreamGetPriority(sp[i].s, 0));
        T(F("%s-id-null", sp[i].n), cudaStreamGetId(sp[i].s, 0));
        T(F("%s-dev-null", sp[i].n), cudaStreamGetDevice(sp[i].s, 0));
        cudaStreamCaptureStatus cs = (cudaStreamCaptureStatus)77;
        T(F("%s-iscapturing", sp[i].n), cudaStreamIsCapturing(sp[i].s, &cs), "%d", (int)cs);
        unsigned long long ci = 77;
        cudaGraph_t g = (cudaGraph_t)SENT;
        const cudaGraphNode_t *dp = 0;
        size_t nd = 77;
        cs = (cudaStreamCaptureStatus)77;
        T(F("%s-captureinfo", sp[i].n),
          cudaStreamGetCaptureInfo(sp[i].s, &cs, &ci, &g, &dp, 0, &nd), "st=%d id=%s g=%s nd=%zu",
          (int)cs, ci == 77 ? "kept" : "set", outst(g), nd);
        T(F("%s-begin", sp[i].n), cudaStreamBeginCapture(sp[i].s, cudaStreamCaptureModeGlobal));
        g = 0;
        T(F("%s-end", sp[i].n), cudaStreamEndCapture(sp[i].s, &g), "%s", outst(g));
        if (g)
            cudaGraphDestroy(g);
        T(F("%s-launch", sp[i].n),
          cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, sp[i].s), "%s", SYD());
        T(F("%s-destroy", sp[i].n), i < 3 ? cudaStreamDestroy(sp[i].s) : (err)0);
    }
    INFO("ids", "null=legacy:%d null=pt:%d own-differs:%d", ids[0] == ids[1], ids[0] == ids[2],
         ids[3] != ids[0]);
    for (int a = -1; a <= 17; a++) {
        cudaLaunchAttributeValue v;
        memset(&v, 0xA5, sizeof v);
        T(F("attr-get-%d", a), cudaStreamGetAttribute(s, (cudaLaunchAttributeID)a, &v),
          "first=%08x", *(unsigned *)&v);
        memset(&v, 0, sizeof v);
        T(F("attr-set0-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
        v.pad[0] = 1;
        T(F("attr-set1-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
        memset(&v, 0xff, sizeof v);
        T(F("attr-setff-%d", a), cudaStreamSetAttribute(s, (cudaLaunchAttributeID)a, &v));
    }
    cudaLaunchAttributeValue v;
    memset(&v, 0, sizeof v);
    for (int i = 0; i < 6; i++) {
        v.syncPolicy = (cudaSynchronizationPolicy)i;
        cudaLaunchAttributeValue w;
        memset(&w, 0, sizeof w);
        T(F("attr-syncpolicy-%d", i),
          cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v), "get=%s %d",
          en(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &w)),
          (int)w.syncPolicy);
    }
    for (int i = -7; i < 3; i++) {
        v.priority = i;
        cudaLaunchAttributeValue w;
        memset(&w, 0, sizeof w);
        T(F("attr-prio%d", i), cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v),
          "get=%s %d", en(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &w)), w.priority);
    }
    T("attr-null", cudaStreamGetAttribute(s, cudaLaunchAttributePriority, 0));
    T("attr-set-null", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, 0));
    T("attr-stream0", cudaStreamGetAttribute(0, cudaLaunchAttributePriority, &v));
    cudaStream_t s2 = mks(0);
    T("copyattr", cudaStreamCopyAttributes(s2, s));
    T("copyattr-0", cudaStreamCopyAttributes(0, s));
    T("copyattr-self", cudaStreamCopyAttributes(s, s));
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = dal(MB);
    v.accessPolicyWindow.num_bytes = MB;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    T("attr-window", cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 2;
    T("attr-window-ratio2", cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    T("attr-window-misspersist",
      cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    T("destroy", cudaStreamDestroy(s));
}
GROUPS(501, event, "event")
{
    ready();
    cudaEvent_t e;
    for (unsigned f = 0; f < 18; f++) {
        e = (cudaEvent_t)SENT;
        if (!T(F("flags-%u", f), cudaEventCreateWithFlags(&e, f), "%s", outst(e))) {
            T(F("query-fresh-%u", f), cudaEventQuery(e));
            T(F("sync-fresh-%u", f), cudaEventSynchronize(e));
            T(F("record-%u", f), cudaEventRecord(e, 0), "%s", SYD());
            T(F("query-%u", f), cudaEventQuery(e));
            float ms = -1;
            T(F("elapsed-self-%u", f), cudaEventElapsedTime(&ms, e, e), "%s",
              ms == 0  ? "0"
              : ms < 0 ? "kept"
                       : "pos");
            T(F("destroy-%u", f), cudaEventDestroy(e));
        }
    }
    T("create", cudaEventCreate(&e));
    T("null", cudaEventCreate(0));
    T("flags-null", cudaEventCreateWithFlags(0, 0));
    T("flags-max", cudaEventCreateWithFlags(&e, UINT_MAX));
    cudaEvent_t a = mke(0), b = mke(0), n = mke(cudaEventDisableTiming);
    cudaStream_t s = mks(0), t = mks(cudaStreamNonBlocking);
    float ms = -1;
    T("elapsed-unrecorded", cudaEventElapsedTime(&ms, a, b));
    cudaEventRecord(a, s);
    cudaStreamSynchronize(s);
    T("elapsed-one-recorded", cudaEventElapsedTime(&ms, a, b));
    cudaEventRecord(b, s);
    cudaStreamSynchronize(s);
    T("elapsed", cudaEventElapsedTime(&ms, a, b), "nonneg=%d", ms >= 0);
    T("elapsed-reverse", cudaEventElapsedTime(&ms, b, a), "nonpos=%d", ms <= 0);
    cudaEventRecord(n, s);
    cudaStreamSynchronize(s);
    T("elapsed-notiming", cudaEventElapsedTime(&ms, a, n));
    T("elapsed-notiming2", cudaEventElapsedTime(&ms, n, a));
    T("elapsed-null-out", cudaEventElapsedTime(0, a, b));
    T("elapsed-null-a", cudaEventElapsedTime(&ms, 0, b));
    T("elapsed-null-b", cudaEventElapsedTime(&ms, a, 0));
    for (unsigned f = 0; f < 4; f++) {
        T(F("recordflags-%u", f), cudaEventRecordWithFlags(a, s, f));
        T(F("waitflags-%u", f), cudaStreamWaitEvent(s, a, f));
    }
    T("record-legacy", cudaEventRecord(a, cudaStreamLegacy));
    T("record-pt", cudaEventRecord(a, cudaStreamPerThread));
    T("record-null", cudaEventRecord(0, s));
    T("wait-null", cudaStreamWaitEvent(s, 0, 0));
    T("wait-stream0", cudaStreamWaitEvent(0, a, 0));
    T("wait-unrecorded", cudaStreamWaitEvent(s, mke(0), 0));
    T("query-null", cudaEventQuery(0));
    T("sync-null", cudaEventSynchronize(0));
    T("destroy-null", cudaEventDestroy(0));
    struct blk k;
    k.ms = 1500;
    block(t, &k);
    cudaEventRecord(a, t);
    T("query-busy", cudaEventQuery(a));
    T("streamquery-busy", cudaStreamQuery(t));
    cudaStreamWaitEvent(s, a, 0);
    T("streamquery-waiting", cudaStreamQuery(s));
    cudaEventRecord(b, t);
    T("elapsed-busy", cudaEventElapsedTime(&ms, a, b));
    T("null-query-beside-nonblocking", cudaStreamQuery(0));
    T("destroy-pending", cudaEventDestroy(b));
    unblock(&k);
    T("sync", cudaEventSynchronize(a));
    T("sync-s", cudaStreamSynchronize(s));
    T("query-done", cudaEventQuery(a));
    k.ms = 400;
    block(t, &k);
    T("destroy-busy-stream", cudaStreamDestroy(t), "waited=%d", (int)k.done);
    unblock(&k);
    T("sync-all", cudaDeviceSynchronize(), "done=%d", (int)k.done);
    int *d = (int *)dal(4096), nn = 1000, v = 1;
    cudaStream_t x = mks(1), y = mks(1);
    cudaEvent_t ev = mke(2);
    for (int i = 0; i < 5; i++) {
        cudaLaunchKernel((void *)k_fill, dim3(8), dim3(128), ARGS(&d, &nn, &v), 0, x);
        cudaEventRecord(ev, x);
        cudaStreamWaitEvent(y, ev, 0);
        cudaLaunchKernel((void *)k_add, dim3(8), dim3(128), ARGS(&d, &nn, &v), 0, y);
        cudaEventRecord(ev, y);
        cudaStreamWaitEvent(x, ev, 0);
    }
    T("pingpong", cudaDeviceSynchronize(), "%s", dsum(d, 4000));
}
struct hf {
    int n;
    err in[12];
    cudaStream_t s;
    int order[8], no;
};
static void CUDART_CB hfn(void *u)
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
static void CUDART_CB cbf(cudaStream_t s, cudaError_t e, void *u)
{
    struct hf *h = (struct hf *)u;
    h->in[11] = e;
    hfn(u);
    h->no = s == h->s;
}
static void CUDART_CB ord(void *u)
{
    int *q = (int *)u;
    q[q[9]++ + 10] = q[8]++;
}
GROUPS(502, hostfn, "hostfunc")
{
    ready();
    cudaStream_t s = mks(0);
    static struct hf h;
    h.s = s;
    T("launch", cudaLaunchHostFunc(s, hfn, &h), "%s n=%d", SY(s), h.n);
    for (int i = 0; i < 11; i++)
        INFO(F("inside-%d", i), "%s", en(h.in[i]));
    memset(&h, 0, sizeof h);
    h.s = s;
    T("callback", cudaStreamAddCallback(s, cbf, &h, 0), "%s n=%d stream-same=%d status=%s", SY(s),
      h.n, h.no, en(h.in[11]));
    for (int i = 0; i < 11; i++)
        INFO(F("cb-inside-%d", i), "%s", en(h.in[i]));
    T("callback-flags", cudaStreamAddCallback(s, cbf, &h, 1));
    T("callback-null", cudaStreamAddCallback(s, 0, 0, 0));
    T("null", cudaLaunchHostFunc(s, 0, 0));
    memset(&h, 0, sizeof h);
    h.s = 0;
    T("stream0",
      cudaLaunchHostFunc(
          0, [](void *u) { ((struct hf *)u)->n++; }, &h),
      "%s n=%d", SYD(), h.n);
    T("legacy",
      cudaLaunchHostFunc(
          cudaStreamLegacy, [](void *u) { ((struct hf *)u)->n++; }, &h),
      "%s n=%d", SYD(), h.n);
    T("perthread",
      cudaLaunchHostFunc(
          cudaStreamPerThread, [](void *u) { ((struct hf *)u)->n++; }, &h),
      "%s n=%d", SYD(), h.n);
    static int q[40];
    for (int i = 0; i < 5; i++)
        cudaLaunchHostFunc(s, ord, q);
    T("order", cudaStreamSynchronize(s), "%d %d %d %d %d", q[10], q[11], q[12], q[13], q[14]);
    T("after-error-callback", cudaStreamAddCallback(s, cbf, &h, 0), "%s", SY(s));
}
GROUPS(503, sem, "stream-order")
{ /* which streams wait for which */
    ready();
    struct {
        const char *n;
        cudaStream_t s;
    } st[] = {
        {"null", 0},          {"legacy", cudaStreamLegacy}, {"perthread", cudaStreamPerThread},
        {"blocking", mks(0)}, {"nonblocking", mks(1)},      {"blocking2", mks(0)}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            struct blk b;
            b.ms = 3000;
            block(st[i].s, &b);
            cudaEvent_t e = mke(2);
            cudaLaunchHostFunc(
                st[j].s, [](void *) {}, 0);
            cudaEventRecord(e, st[j].s);
            double t = now();
            err r = cudaErrorNotReady;
            while (now() - t < 0.12 && (r = cudaEventQuery(e)) == cudaErrorNotReady)
                usleep(1000);
            cudaGetLastError();
            INFO(F("busy-%s-then-%s", st[i].n, st[j].n), "%s",
                 r == cudaErrorNotReady ? "waits" : en(r));
            unblock(&b);
            cudaDeviceSynchronize();
        }
}
static void *thr(void *o)
{
    unsigned long long *q = (unsigned long long *)o;
    cudaStreamGetId(cudaStreamPerThread, q);
    return 0;
}
GROUPS(504, cap, "capture")
{
    ready();
    cudaStream_t s = mks(0), s2 = mks(0);
    cudaGraph_t g;
    int *d = (int *)dal(4096);
    cudaStreamCaptureStatus st;
    int n = 10, v = 3;
    cudaEvent_t e = mke(0);
    for (int m = -1; m < 5; m++) {
        T(F("begin-%d", m), cudaStreamBeginCapture(s, (cudaStreamCaptureMode)m));
        st = (cudaStreamCaptureStatus)77;
        T(F("status-%d", m), cudaStreamIsCapturing(s, &st), "%d", (int)st);
        g = (cudaGraph_t)SENT;
        T(F("end-%d", m), cudaStreamEndCapture(s, &g), "%s", outst(g));
    }
    T("end-not-capturing", cudaStreamEndCapture(s, &g));
    T("end-null", cudaStreamEndCapture(s, 0));
    T("iscapturing-null", cudaStreamIsCapturing(s, 0));
    T("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T("begin-twice", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T("launch", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(32), ARGS(&d, &n, &v), 0, s));
    T("memset", cudaMemsetAsync(d, 0, 64, s));
    l_fill(dim3(1), dim3(32), 0, s, d, n, v);
    INFO("chevron", "%s", en(cudaGetLastError()));
    T("hostfunc", cudaLaunchHostFunc(
                      s, [](void *) {}, 0));
    T("callback", cudaStreamAddCallback(s, cbf, 0, 0));
    T("record", cudaEventRecord(e, s));
    T("fork", cudaStreamWaitEvent(s2, e, 0));
    T("status2", cudaStreamIsCapturing(s2, &st), "%d", (int)st);
    T("launch2", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s2));
    unsigned long long id = 0, id2 = 1;
    size_t nd = 77;
    const cudaGraphNode_t *dp = 0;
    T("info", cudaStreamGetCaptureInfo(s, &st, &id, &g, &dp, 0, &nd), "st=%d nd=%zu", (int)st, nd);
    T("info2", cudaStreamGetCaptureInfo(s2, &st, &id2, &g, &dp, 0, &nd), "st=%d nd=%zu same=%d",
      (int)st, nd, id == id2);
    T("end-on-s2", cudaStreamEndCapture(s2, &g));
    T("status-after", cudaStreamIsCapturing(s, &st), "%d", (int)st);
    g = (cudaGraph_t)SENT;
    T("end", cudaStreamEndCapture(s, &g), "%s", outst(g));
    T("status-end", cudaStreamIsCapturing(s, &st), "%d", (int)st);
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
        for (size_t i = 0; i < A(fn); i++) {
            cudaStream_t c = mks(0);
            static char hb[64];
            void *p = 0;
            size_t z, y;
            cudaFuncAttributes fa;
            int pr;
            float ms;
            cudaEvent_t er = mke(0);
            cudaStreamBeginCapture(c, (cudaStreamCaptureMode)m);
            cudaEventRecord(er, c);
            err r = (err)0;
            if (case_begin(F("in-mode%d-%s", m, fn[i]))) {
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
                    r = cudaHostRegister(pages(4096), 4096, 0);
                    break;
                case 22: {
                    cudaChannelFormatDesc cd = chan(8, 0, 0, 0, 1);
                    r = cudaMallocArray((cudaArray_t *)&p, &cd, 8, 8, 0);
                    break;
                }
                case 23:
                    r = cudaGetSymbolAddress(&p, sym(0));
                    break;
                case 24:
                    r = cudaSetDevice(0);
                    break;
                case 25:
                    r = (err)0;
                    break;
                case 26:
                    r = cudaMemcpyToSymbol(sym(0), hb, 4, 0, cudaMemcpyHostToDevice);
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
                note_last();
                g = (cudaGraph_t)SENT;
                err q = i == 18 ? (err)0 : cudaStreamEndCapture(c, &g);
                case_end(r, F(" end=%s g=%s", en(q), outst(g)));
            }
            if (i != 18)
                cudaStreamDestroy(c);
            cudaGetLastError();
        }
    cudaStreamCaptureMode cm = cudaStreamCaptureModeRelaxed;
    T("exchange", cudaThreadExchangeStreamCaptureMode(&cm), "%d", (int)cm);
    T("exchange2", cudaThreadExchangeStreamCaptureMode(&cm), "%d", (int)cm);
    cm = (cudaStreamCaptureMode)9;
    T("exchange-bad", cudaThreadExchangeStreamCaptureMode(&cm));
    T("exchange-null", cudaThreadExchangeStreamCaptureMode(0));
    unsigned long long i1 = 0, i2 = 0;
    cudaStreamGetId(cudaStreamPerThread, &i1);
    pthread_t t;
    pthread_create(&t, 0, thr, &i2);
    pthread_join(t, 0);
    INFO("perthread-ids-differ", "%d", i1 != i2);
    cudaGraph_t base = 0;
    cudaGraphCreate(&base, 0);
    cudaGraphNode_t en_ = 0;
    cudaGraphAddEmptyNode(&en_, base, 0, 0);
    T("tograph", cudaStreamBeginCaptureToGraph(s, base, &en_, 0, 1, cudaStreamCaptureModeGlobal));
    T("tograph-launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s));
    T("update-deps",
      cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, cudaStreamSetCaptureDependencies));
    T("update-deps-add",
      cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, cudaStreamAddCaptureDependencies));
    T("update-deps-flag9", cudaStreamUpdateCaptureDependencies(s, &en_, 0, 1, 9));
    T("update-deps-null", cudaStreamUpdateCaptureDependencies(s, 0, 0, 1, 0));
    T("tograph-end", cudaStreamEndCapture(s, &g), "same=%d", g == base);
    cudaGraphGetNodes(base, 0, &nd);
    INFO("tograph-nodes", "%zu", nd);
    T("tograph-null", cudaStreamBeginCaptureToGraph(s, 0, 0, 0, 0, cudaStreamCaptureModeGlobal));
}
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
GROUP(530, ptcopy, "pt-copy")
{
    ready();
    int *d = (int *)dal(4096), h[64] = {0};
    pt_fill(dim3(1), dim3(64), 0, 0, d, 64, 5);
    INFO("chevron", "%s", en(cudaGetLastError()));
    T("memcpy", cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost), "%08x", sum(h, 256));
    T("memset", cudaMemset(d, 3, 256));
    T("memset2d", cudaMemset2D(d, 16, 1, 8, 4));
    T("memset3d", cudaMemset3D(pp(d, 16, 16, 4), 2, ext(8, 2, 2)));
    T("memcpy2d", cudaMemcpy2D(h, 16, d, 32, 12, 4, cudaMemcpyDeviceToHost), "%08x", sum(h, 256));
    T("tosym", cudaMemcpyToSymbol(sym(0), h, 4, 0, cudaMemcpyHostToDevice));
    T("fromsym", cudaMemcpyFromSymbol(h, sym(0), 4, 0, cudaMemcpyDeviceToHost));
    cudaArray_t a = 0;
    cudaChannelFormatDesc c = chan(32, 0, 0, 0, 0);
    cudaMallocArray(&a, &c, 16, 4, 0);
    T("toarray", cudaMemcpy2DToArray(a, 0, 0, h, 64, 64, 4, cudaMemcpyHostToDevice));
    T("fromarray", cudaMemcpy2DFromArray(h, 64, a, 0, 0, 64, 4, cudaMemcpyDeviceToHost));
    T("a2a", cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 1, 64, 1, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcArray = a;
    p.dstPtr = pp(h, 64, 16, 4);
    p.extent = ext(16, 4, 1);
    p.kind = cudaMemcpyDeviceToHost;
    T("memcpy3d", cudaMemcpy3D(&p));
    int n = 64, v = 7;
    T("launch", cudaLaunchKernel((void *)k_fill, dim3(1), dim3(64), ARGS(&d, &n, &v), 0, 0),
      "%s %s", SY(0), dsum(d, 256));
    T("coop", cudaLaunchCooperativeKernel((void *)k_coop, dim3(2), dim3(32), ARGS(&d), 0, 0), "%s",
      SY(0));
    void *q = 0;
    T("mallocasync", cudaMallocAsync(&q, 64, 0));
    T("freeasync", cudaFreeAsync(q, 0));
    void *ep = 0;
    cudaDriverEntryPointQueryResult r = (cudaDriverEntryPointQueryResult)77;
    T("entry",
      cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &ep, 12000, cudaEnableDefault, &r),
      "%s st=%d", outst(ep), (int)r);
    void *e2 = 0;
    T("entry-legacy",
      cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &e2, 12000, cudaEnableLegacyStream, &r),
      "%s same=%d", outst(e2), ep == e2);
    void *e3 = 0;
    T("entry-pt",
      cudaGetDriverEntryPointByVersion("cuMemcpyHtoDAsync", &e3, 12000,
                                       cudaEnablePerThreadDefaultStream, &r),
      "%s same=%d", outst(e3), ep == e3);
}
#endif
