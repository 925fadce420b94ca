/* SPDX-License-Identifier: MIT */
/* Green contexts: streams, events, destruction, threads, and garbage handles. */
#include "green.h"

GROUP(210, green_stream, "green-stream")
{
    use_primary_context();
    marks = pinned_alloc(4096);
    CUgreenCtx g = green_new(32), q;
    NOTE_WITHOUT_GREEN(g);
    CUcontext c = green_converted(g), x;
    CUstream s, s1 = 0;
    unsigned f;
    int pr, d;
    unsigned long long id;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 0x10, ~0u};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        s = UNTOUCHED_HANDLE;
        f = 99;
        CHECK_THEN(
            format("flags%x", fl[i]), cuda.cuGreenCtxStreamCreate(&s, g, fl[i], 0),
            if (!result) {
                cuda.cuStreamGetFlags(s, &f);
                cuda.cuStreamDestroy(s);
            },
            "s=%s flags=%u", handle_state(s), f);
    }
    for (int p = -8; p <= 3; p++) {
        s = UNTOUCHED_HANDLE;
        pr = 99;
        CHECK_THEN(
            format("prio%d", p), cuda.cuGreenCtxStreamCreate(&s, g, 1, p),
            if (!result) {
                cuda.cuStreamGetPriority(s, &pr);
                cuda.cuStreamDestroy(s);
            },
            "p=%d", pr);
    }
    CHECK("null-out", cuda.cuGreenCtxStreamCreate(NULL, g, 1, 0));
    s = UNTOUCHED_HANDLE;
    CHECK("null-green", cuda.cuGreenCtxStreamCreate(&s, NULL, 1, 0), "s=%s", handle_state(s));
    cuda.cuCtxSetCurrent(c);
    s = UNTOUCHED_HANDLE;
    CHECK_THEN("null-green-when-current", cuda.cuGreenCtxStreamCreate(&s, NULL, 1, 0),
               if (!result) cuda.cuStreamDestroy(s), "s=%s", handle_state(s));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("create-no-current", cuda.cuGreenCtxStreamCreate(&s1, g, 1, 0));
    x = UNTOUCHED_HANDLE;
    CHECK("current-after", cuda.cuCtxGetCurrent(&x), "null=%d", !x);
    CUstream sg = 0, sgb = 0, sp = 0, so = 0;
    cuda.cuCtxSetCurrent(c);
    CHECK("streamcreate-in-green", cuda.cuStreamCreate(&sg, 1));
    CHECK("streamcreate-blocking-in-green", cuda.cuStreamCreate(&sgb, 0));
    CHECK("streamcreate-prio-in-green", cuda.cuStreamCreateWithPriority(&s, 1, -1));
    cuda.cuStreamDestroy(s);
    cuda.cuCtxSetCurrent(context);
    sp = stream_new(1);
    CUcontext oc = context_new();
    so = stream_new(1);
    cuda.cuCtxSetCurrent(context);
    CUstream st[] = {s1, sg, sgb, sp, so, 0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    static const char *sn[] = {"greenapi", "in-green", "in-green-blocking", "primary", "other-ctx",
                               "null",     "legacy",   "perthread"};
    CUcontext cur[] = {context, c, NULL, oc};
    static const char *cn[] = {"primary", "green", "none", "other"};
#define CONTEXT_NAME(v)                                                                            \
    ((v) == c                          ? "converted"                                               \
     : (v) == context                  ? "primary"                                                 \
     : (v) == oc                       ? "other"                                                   \
     : !(v)                            ? "null"                                                    \
     : (void *)(v) == UNTOUCHED_HANDLE ? "kept"                                                    \
                                       : "else")
#define GREEN_NAME(v)                                                                              \
    ((v) == g ? "green" : !(v) ? "null" : (void *)(v) == UNTOUCHED_HANDLE ? "kept" : "else")
    for (int k = 0; k < 4; k++) {
        cuda.cuCtxSetCurrent(cur[k]);
        for (size_t i = 0; i < COUNT_OF(st); i++) {
            q = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getgreen", cn[k], sn[i]), cuda.cuStreamGetGreenCtx(st[i], &q),
                  "%s", GREEN_NAME(q));
            x = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getctx", cn[k], sn[i]), cuda.cuStreamGetCtx(st[i], &x), "%s",
                  CONTEXT_NAME(x));
            x = UNTOUCHED_HANDLE;
            q = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getctx2", cn[k], sn[i]), cuda.cuStreamGetCtx_v2(st[i], &x, &q),
                  "%s %s", CONTEXT_NAME(x), GREEN_NAME(q));
            d = 9;
            CHECK(format("cur-%s/%s/getdevice", cn[k], sn[i]), cuda.cuStreamGetDevice(st[i], &d),
                  "%d", d);
            f = 99;
            CHECK(format("cur-%s/%s/getflags", cn[k], sn[i]), cuda.cuStreamGetFlags(st[i], &f),
                  "%u", f);
            id = 0;
            CHECK(format("cur-%s/%s/getid", cn[k], sn[i]), cuda.cuStreamGetId(st[i], &id), "set=%d",
                  id != 0);
            CHECK(format("cur-%s/%s/query", cn[k], sn[i]), cuda.cuStreamQuery(st[i]));
            CHECK(format("cur-%s/%s/sync", cn[k], sn[i]), cuda.cuStreamSynchronize(st[i]));
        }
    }
    cuda.cuCtxSetCurrent(context);
    CHECK("getgreen-null-out", cuda.cuStreamGetGreenCtx(s1, NULL));
    CHECK("getctx2-null-ctx", cuda.cuStreamGetCtx_v2(s1, NULL, &q));
    CHECK("getctx2-null-green", cuda.cuStreamGetCtx_v2(s1, &x, NULL));
    CHECK("getctx-null", cuda.cuStreamGetCtx(s1, NULL));
    /* does the blocking stream of a green context wait for its null stream, and for the primary's?
     */
    struct blocker b;
    memset(&b, 0, sizeof b);
    b.limit_ms = 3000;
    cuda.cuCtxSetCurrent(c);
    CHECK("block-null-stream", stream_block(0, &b));
    usleep(20000);
    CHECK("query-blocking-while-null-blocked", cuda.cuStreamQuery(sgb));
    CHECK("query-null", cuda.cuStreamQuery(0));
    int e;
    CHECK("work-on-blocking", mark_in_stream(sgb, &e));
    usleep(60000);
    RECORD("blocking-waits", "ran=%d", mark_is_set(e));
    CHECK("work-on-nonblocking", mark_in_stream(sg, &e));
    usleep(60000);
    RECORD("nonblocking-runs", "ran=%d", mark_is_set(e));
    CHECK("work-on-greenapi", mark_in_stream(s1, &e));
    usleep(60000);
    RECORD("greenapi-runs", "ran=%d", mark_is_set(e));
    cuda.cuCtxSetCurrent(context);
    CHECK("primary-null-query-while-green-null-blocked", cuda.cuStreamQuery(0));
    CHECK("work-on-primary-null", mark_in_stream(0, &e));
    usleep(60000);
    RECORD("primary-null-runs", "ran=%d", mark_is_set(e));
    int e2;
    CHECK("work-on-primary-stream", mark_in_stream(sp, &e2));
    usleep(60000);
    RECORD("primary-stream-runs", "ran=%d", mark_is_set(e2));
    stream_unblock(&b);
    cuda.cuCtxSynchronize();
    cuda.cuCtxSetCurrent(c);
    CHECK("sync-all", cuda.cuCtxSynchronize());
    CHECK("destroy-stream-greenapi", cuda.cuStreamDestroy(s1));
    cuda.cuCtxSetCurrent(context);
    CHECK("destroy-stream-in-green-from-primary", cuda.cuStreamDestroy(sg));
    CHECK("destroy-blocking", cuda.cuStreamDestroy(sgb));
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
}

GROUP(211, green_event, "green-event")
{
    use_primary_context();
    marks = pinned_alloc(4096);
    unsigned n = resource_split(2, 32, 0);
    CUgreenCtx g = n == 2 ? green_of_resources(split_groups, 1) : 0,
               g2 = n == 2 ? green_of_resources(split_groups + 1, 1) : 0;
    NOTE_WITHOUT_GREEN(g && g2);
    CUcontext c = green_converted(g);
    CUstream s = 0, s2 = 0, sb = 0, sp = stream_new(1);
    CUevent e = event_new(2), et = event_new(0), eo, eb;
    struct blocker b;
    float ms = 0;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    cuda.cuGreenCtxStreamCreate(&s2, g2, 1, 0);
    cuda.cuGreenCtxStreamCreate(&sb, g, 1, 0);
    CHECK("record-idle", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("query-idle", cuda.cuEventQuery(e));
    CHECK("sync-idle", cuda.cuEventSynchronize(e));
    CHECK("record-timed", cuda.cuGreenCtxRecordEvent(g, et));
    cuda.cuEventSynchronize(et);
    CHECK("elapsed", cuda.cuEventElapsedTime(&ms, et, et));
    CHECK("record-null-green", cuda.cuGreenCtxRecordEvent(NULL, e));
    CHECK("record-null-event", cuda.cuGreenCtxRecordEvent(g, NULL));
    CHECK("wait-null-green", cuda.cuGreenCtxWaitEvent(NULL, e));
    CHECK("wait-null-event", cuda.cuGreenCtxWaitEvent(g, NULL));
    cuda.cuCtxSetCurrent(c);
    CHECK("record-null-green-when-current", cuda.cuGreenCtxRecordEvent(NULL, e));
    cuda.cuCtxSetCurrent(context);
    CUevent en_ = event_new(2);
    CHECK("wait-unrecorded", cuda.cuGreenCtxWaitEvent(g, en_));
    CHECK("query-unrecorded", cuda.cuEventQuery(en_));
    CUcontext oc = context_new();
    eo = event_new(2);
    eb = event_new(1);
    CUstream so = stream_new(1);
    cuda.cuEventRecord(eo, so);
    cuda.cuCtxSetCurrent(context);
    CHECK("record-other-ctx-event", cuda.cuGreenCtxRecordEvent(g, eo));
    CHECK("wait-other-ctx-event", cuda.cuGreenCtxWaitEvent(g, eo));
    (void)oc;
    (void)eb;
    cuda.cuCtxSetCurrent(NULL);
    CHECK("record-no-current", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("wait-no-current", cuda.cuGreenCtxWaitEvent(g, e));
    cuda.cuCtxSetCurrent(c);
    CUevent eg = event_new(2);
    CHECK("record-event-made-in-green", cuda.cuGreenCtxRecordEvent(g, eg));
    CHECK("record-on-other-green", cuda.cuGreenCtxRecordEvent(g2, eg));
    CHECK("eventrecord-green-event-on-primary-stream", cuda.cuEventRecord(eg, sp));
    CHECK("eventrecord-primary-event-on-green-stream", cuda.cuEventRecord(e, s));
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxSynchronize();
    cuda.cuStreamSynchronize(s);
    cuda.cuStreamSynchronize(s2);
    int w, w3, wp, wb;
    CUstream s3 = 0;
    cuda.cuGreenCtxStreamCreate(&s3, g2, 1,
                                0); /* which streams an event of a whole green context holds back */
    memset(&b, 0, sizeof b);
    b.limit_ms = 6000;
    CHECK("block-stream", stream_block(s, &b));
    usleep(20000);
    CHECK("record-busy", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("query-busy", cuda.cuEventQuery(e));
    CHECK("record-other-green-busy", cuda.cuGreenCtxRecordEvent(g2, et));
    usleep(60000);
    CHECK("query-other-green", cuda.cuEventQuery(et));
    CHECK("ctx-record-primary-busy", cuda.cuCtxRecordEvent(context, en_));
    usleep(60000);
    CHECK("query-primary-busy", cuda.cuEventQuery(en_));
    CHECK("wait-on-other-green", cuda.cuGreenCtxWaitEvent(g2, e));
    CHECK("work-after-wait", mark_in_stream(s2, &w));
    usleep(60000);
    RECORD("waits", "ran=%d", mark_is_set(w));
    CHECK("work-on-second-stream", mark_in_stream(s3, &w3));
    usleep(60000);
    RECORD("second-stream-waits", "ran=%d", mark_is_set(w3));
    CHECK("work-on-primary-stream", mark_in_stream(sp, &wp));
    usleep(60000);
    RECORD("primary-stream-waits", "ran=%d", mark_is_set(wp));
    CHECK("work-on-sibling-stream", mark_in_stream(sb, &wb));
    usleep(60000);
    RECORD("sibling-stream-waits", "ran=%d", mark_is_set(wb));
    CUstream s4 = 0;
    CHECK("stream-made-after-wait", cuda.cuGreenCtxStreamCreate(&s4, g2, 1, 0));
    int w4;
    CHECK("work-on-stream-made-after-wait", mark_in_stream(s4, &w4));
    usleep(60000);
    RECORD("stream-made-after-wait-waits", "ran=%d", mark_is_set(w4));
    RECORD("still-blocked", "%d", !b.done);
    stream_unblock(&b);
    CHECK("event-sync", cuda.cuEventSynchronize(e));
    CHECK("query-after", cuda.cuEventQuery(e));
    cuda.cuStreamSynchronize(s2);
    cuda.cuStreamSynchronize(s3);
    cuda.cuStreamSynchronize(s4);
    cuda.cuStreamSynchronize(s);
    RECORD("ran-after", "w=%d w3=%d w4=%d", mark_is_set(w), mark_is_set(w3), mark_is_set(w4));
    memset(&b, 0, sizeof b);
    b.limit_ms = 6000;
    CHECK("block-primary-stream", stream_block(sp, &b));
    usleep(20000);
    cuda.cuEventRecord(e, sp);
    CHECK("green-wait-primary-event", cuda.cuGreenCtxWaitEvent(g, e));
    CHECK("stream-after-wait", mark_in_stream(s, &w));
    cuda.cuCtxSetCurrent(c);
    CHECK("null-stream-after-wait", mark_in_stream(0, &wp));
    usleep(100000);
    RECORD("waits2", "stream=%d null=%d", mark_is_set(w), mark_is_set(wp));
    stream_unblock(&b);
    CHECK("sync-green-ctx", cuda.cuCtxSynchronize());
    RECORD("ran2", "stream=%d null=%d", mark_is_set(w), mark_is_set(wp));
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxSynchronize();
    cuda.cuStreamSynchronize(s);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    cuda.cuCtxSetCurrent(context);
    CHECK("primary-ctx-sync-while-green-busy", cuda.cuCtxSynchronize(), "green-done=%d", b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s2, &b);
    cuda.cuCtxSetCurrent(c);
    CHECK("green-ctx-sync-while-other-green-busy", cuda.cuCtxSynchronize(), "other-done=%d",
          b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s2);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    CHECK("green-ctx-sync-while-own-busy", cuda.cuCtxSynchronize(), "own-done=%d", b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s);
    cuda.cuEventDestroy(eg);
    CHECK("record-destroyed-event", cuda.cuGreenCtxRecordEvent(g, eg));
}

GROUP(212, green_destroy, "green-destroy")
{
    use_primary_context();
    CUgreenCtx g = green_new(32), q;
    NOTE_WITHOUT_GREEN(g);
    CUcontext c = green_converted(g), x, y;
    CUstream s = 0, s2 = 0;
    CUevent e = event_new(2);
    unsigned f;
    unsigned long long id;
    CUdeviceptr m = 0;
    CUdevResource r;
    int i;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    cuda.cuCtxSetCurrent(c);
    s2 = stream_new(1);
    CUevent eg = event_new(2);
    CUdeviceptr gm = device_alloc(4096);
    struct blocker b;
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    CHECK("destroy-current-busy-with-streams", cuda.cuGreenCtxDestroy(g));
    RECORD("waited", "done=%d", b.done);
    x = UNTOUCHED_HANDLE;
    CHECK("current", cuda.cuCtxGetCurrent(&x), "converted=%d null=%d primary=%d", x == c, !x,
          x == context);
    CHECK("device", cuda.cuCtxGetDevice(&i));
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("alloc", cuda.cuMemAlloc(&m, 64));
    CHECK("nullstream-query", cuda.cuStreamQuery(0));
    CHECK("streamcreate", cuda.cuStreamCreate(&s2, 1));
    CHECK("flags", cuda.cuCtxGetFlags(&f));
    CHECK("apiversion", cuda.cuCtxGetApiVersion(c, &f));
    CHECK("ctxid", cuda.cuCtxGetId(NULL, &id));
    CHECK("ctx-resource", cuda.cuCtxGetDevResource(NULL, &r, 1));
    CHECK("green-id-null", cuda.cuGreenCtxGetId(NULL, &id));
    x = 0;
    CHECK("pop", cuda.cuCtxPopCurrent(&x), "converted=%d", x == c);
    cuda.cuCtxSetCurrent(context);
    CHECK("stream-query", cuda.cuStreamQuery(s));
    CHECK("stream-sync", cuda.cuStreamSynchronize(s));
    CHECK("stream-flags", cuda.cuStreamGetFlags(s, &f));
    q = UNTOUCHED_HANDLE;
    CHECK("stream-getgreen", cuda.cuStreamGetGreenCtx(s, &q));
    CHECK("stream-getctx", cuda.cuStreamGetCtx(s, &y));
    CHECK("stream-memset", cuda.cuMemsetD8Async(gm, 1, 64, s));
    CHECK("stream-waitevent", cuda.cuStreamWaitEvent(s, e, 0));
    CHECK("stream-eventrecord", cuda.cuEventRecord(e, s));
    CHECK("stream-launchhost", stream_block(s, &b));
    CHECK("stream-destroy", cuda.cuStreamDestroy(s));
    CHECK("event-made-in-green-record", cuda.cuEventRecord(eg, 0));
    CHECK("event-made-in-green-query", cuda.cuEventQuery(eg));
    CHECK("event-made-in-green-destroy", cuda.cuEventDestroy(eg));
    unsigned char h[64];
    CHECK("memory", cuda.cuMemcpyDtoH(h, gm, 64));
    CHECK("memory-free", cuda.cuMemFree(gm));
    CHECK("primary-sync", cuda.cuCtxSynchronize());
    CHECK("set-current", cuda.cuCtxSetCurrent(c));
    CHECK("push-current", cuda.cuCtxPushCurrent(c));
    cuda.cuCtxSetCurrent(context);
    CHECK("convert", cuda.cuCtxFromGreenCtx(&x, g));
    CHECK("id", cuda.cuGreenCtxGetId(g, &id));
    CHECK("resource", cuda.cuGreenCtxGetDevResource(g, &r, 1));
    CHECK("ctx-resource-of-converted", cuda.cuCtxGetDevResource(c, &r, 1));
    CHECK("record", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("wait", cuda.cuGreenCtxWaitEvent(g, e));
    CHECK("gstream", cuda.cuGreenCtxStreamCreate(&s, g, 1, 0));
    CHECK("destroy-again", cuda.cuGreenCtxDestroy(g));
    CHECK("primary-sync2", cuda.cuCtxSynchronize());
    CHECK("primary-alloc", cuda.cuMemAlloc(&m, 64));
}

GROUP(213, green_primary, "green-primary")
{
    use_primary_context();
    CUgreenCtx g = green_new(32);
    NOTE_WITHOUT_GREEN(g);
    CUcontext c = green_converted(g), x;
    CUstream s = 0;
    CUdeviceptr m = 0;
    unsigned long long id;
    CUdevResource r;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    CHECK("release-primary", cuda.cuDevicePrimaryCtxRelease(device));
    record_primary("state-after-release");
    cuda.cuCtxSetCurrent(c);
    CHECK("alloc", cuda.cuMemAlloc(&m, 64));
    CHECK("release-primary-2", cuda.cuDevicePrimaryCtxRelease(device));
    record_primary("state-after-release2");
    CHECK("alloc2", cuda.cuMemAlloc(&m, 64));
    CHECK("stream-query", cuda.cuStreamQuery(s));
    CHECK("green-id", cuda.cuGreenCtxGetId(g, &id));
    CHECK("green-resource", cuda.cuGreenCtxGetDevResource(g, &r, 1));
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
    record_primary("state-after-destroy");
    CHECK("retain", cuda.cuDevicePrimaryCtxRetain(&x, device));
    cuda.cuCtxSetCurrent(x);
    CHECK("alloc3", cuda.cuMemAlloc(&m, 64));
    g = green_new(32);
    c = green_converted(g);
    s = 0;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    CHECK("reset-primary", cuda.cuDevicePrimaryCtxReset(device));
    record_primary("state-after-reset");
    CHECK("green-id-after-reset", cuda.cuGreenCtxGetId(g, &id));
    CHECK("stream-query-after-reset", cuda.cuStreamQuery(s));
    CHECK("set-current-after-reset", cuda.cuCtxSetCurrent(c));
    CHECK("alloc-after-reset", cuda.cuMemAlloc(&m, 64));
    CHECK("destroy-after-reset", cuda.cuGreenCtxDestroy(g));
    record_primary("state-end");
}

GROUP(214, green_many, "green-many")
{
    use_primary_context();
    CUgreenCtx g[80];
    CUdevResource q;
    unsigned n = resource_split(200, 8, 0), made = 0;
    RECORD("coarse", "groups=%u", n);
    if (case_begin("create-each")) {
        for (unsigned i = 0; i < n && i < 80; i++)
            made += (g[i] = green_of_resources(split_groups + i, 1)) != 0;
        case_info("made=%u of %u", made, n);
    }
    for (unsigned i = 0; i < n && i < 80; i++)
        if (g[i])
            cuda.cuGreenCtxDestroy(g[i]);
    made = 0;
    if (case_begin("create-same-16-times")) {
        for (unsigned i = 0; i < 16; i++)
            made += (g[i] = green_of_resources(split_groups, 1)) != 0;
        case_info("made=%u", made);
    }
    for (unsigned i = 0; i < 16; i++)
        if (g[i])
            cuda.cuGreenCtxDestroy(g[i]);
    static const unsigned cn[] = {1, 2, 4, 8, 10, 16, 24, 40, 64, 100, 128, 132};
    for (unsigned f = 0; f < 4; f++)
        for (size_t i = 0; i < COUNT_OF(cn); i++) {
            unsigned k = resource_split(1, cn[i], f);
            CUgreenCtx h = 0;
            memset(&q, 0xa5, sizeof q);
            if (case_begin(format("f%u.n%u", f, cn[i]))) {
                h = k ? green_of_resources(split_groups, 1) : 0;
                if (h)
                    cuda.cuGreenCtxGetDevResource(h, &q, 1);
                case_info("split=%u made=%d %s", k, h != 0, resource_text(&q));
            }
            if (h)
                cuda.cuGreenCtxDestroy(h);
            CUgreenCtx hr = 0;
            memset(&q, 0xa5, sizeof q);
            if (case_begin(format("f%u.n%u-remainder", f, cn[i]))) {
                hr = k && split_rest.type == 1 ? green_of_resources(&split_rest, 1) : 0;
                if (hr)
                    cuda.cuGreenCtxGetDevResource(hr, &q, 1);
                case_info("made=%d %s", hr != 0, resource_text(&q));
            }
            if (hr)
                cuda.cuGreenCtxDestroy(hr);
        }
}

static CUcontext thread_context;

static void *thread_run(void *u)
{
    CUresult *r = u;
    CUdeviceptr m = 0;
    CUcontext x = 0;
    r[0] = cuda.cuCtxSetCurrent(thread_context);
    cuda.cuCtxGetCurrent(&x);
    r[1] = cuda.cuMemAlloc(&m, 64);
    r[2] = cuda.cuCtxSynchronize();
    r[3] = x == thread_context;
    return 0;
}

GROUP(215, green_thread, "green-thread")
{
    use_primary_context();
    CUgreenCtx g = green_new(32);
    NOTE_WITHOUT_GREEN(g);
    thread_context = green_converted(g);
    CUresult r[4] = {0};
    pthread_t t;
    CHECK("set-here", cuda.cuCtxSetCurrent(thread_context));
    if (case_begin("other-thread")) {
        pthread_create(&t, 0, thread_run, r);
        pthread_join(t, 0);
        case_info("set=%s current=%d alloc=%s sync=%s", result_name(r[0]), (int)r[3],
                  result_name(r[1]), result_name(r[2]));
    }
    CHECK("here-after", cuda.cuCtxSynchronize());
    cuda.cuCtxSetCurrent(NULL);
    if (case_begin("other-thread-not-current-here")) {
        pthread_create(&t, 0, thread_run, r);
        pthread_join(t, 0);
        case_info("set=%s current=%d alloc=%s sync=%s", result_name(r[0]), (int)r[3],
                  result_name(r[1]), result_name(r[2]));
    }
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
}

/* garbage handles */
static CUcontext out_context;
static CUstream out_stream;
static unsigned long long out_id;
static CUdevResource out_resource;
static CUgreenCtx out_green;
static CUdevResourceDesc out_desc;

static CUevent event_untimed(void)
{
    return event_new(2);
}

RISKY_HANDLE(290, cuGreenCtxDestroy, cuda.cuGreenCtxDestroy(bad_handle))

RISKY_HANDLE(290, cuCtxFromGreenCtx, cuda.cuCtxFromGreenCtx(&out_context, bad_handle))

RISKY_HANDLE(290, cuGreenCtxGetDevResource,
             cuda.cuGreenCtxGetDevResource(bad_handle, &out_resource, 1))

RISKY_HANDLE(290, cuGreenCtxGetId, cuda.cuGreenCtxGetId(bad_handle, &out_id))

RISKY_HANDLE(290, cuGreenCtxStreamCreate,
             cuda.cuGreenCtxStreamCreate(&out_stream, bad_handle, 1, 0))

RISKY_HANDLE(290, cuGreenCtxRecordEvent, cuda.cuGreenCtxRecordEvent(bad_handle, event_untimed()))

RISKY_HANDLE(290, cuGreenCtxWaitEvent, cuda.cuGreenCtxWaitEvent(bad_handle, event_untimed()))

RISKY_HANDLE(290, cuGreenCtxCreate, cuda.cuGreenCtxCreate(&out_green, bad_handle, 0, 1))

RISKY_HANDLE(290, cuCtxGetDevResource, cuda.cuCtxGetDevResource(bad_handle, &out_resource, 1))

RISKY_HANDLE(290, cuStreamGetGreenCtx, cuda.cuStreamGetGreenCtx(bad_handle, &out_green))

RISKY_HANDLE(290, cuDevResourceGenerateDesc,
             cuda.cuDevResourceGenerateDesc(&out_desc, bad_handle, 1))

RISKY_HANDLE(290, cuDevSmResourceSplitByCount,
             cuda.cuDevSmResourceSplitByCount(NULL, &(unsigned){1}, bad_handle, NULL, 0, 8))

RISKY_HANDLE(290, cuStreamGetCtx_v2, cuda.cuStreamGetCtx_v2(bad_handle, &out_context, &out_green))
