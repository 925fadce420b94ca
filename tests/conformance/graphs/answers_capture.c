/* SPDX-License-Identifier: MIT */
/* Stream capture. */
#include "graph_recorder.h"
static const char *mn[] = {"global", "threadlocal", "relaxed"};
static unsigned char hostA[NBY] __attribute__((aligned(4096))),
    hostB[NBY] __attribute__((aligned(4096)));
static void launch(CUstream s, int k, dp p, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS x = kp(k, p, 0, n, v);
    P.cuLaunchKernel(x.func, x.gridDimX, 1, 1, x.blockDimX, 1, 1, x.sharedMemBytes, s,
                     x.kernelParams, NULL);
}
/* undo whatever a case left behind: end captures on all streams */
static void tidy(void)
{
    for (int i = 0; i < 6; i++)
        if (cstat(S[i]) > 0) {
            CUgraph g = 0;
            P.cuStreamEndCapture(S[i], &g);
            if (g)
                P.cuGraphDestroy(g);
        }
    if (cstat(CU_STREAM_PER_THREAD) > 0) {
        CUgraph g = 0;
        P.cuStreamEndCapture(CU_STREAM_PER_THREAD, &g);
        if (g)
            P.cuGraphDestroy(g);
    }
    P.cuCtxSynchronize();
}
static CUresult t_end(void *u)
{
    CUgraph g = 0;
    CUresult r = P.cuStreamEndCapture(u, &g);
    return r;
}
static int tb_st;
static CUresult tb_end; /* begins and ends in the same thread */
static CUresult t_begin(void *u)
{
    CUstream s = ((void **)u)[0];
    CUresult r = P.cuStreamBeginCapture(s, *(int *)((void **)u)[1]);
    tb_st = cstat(s);
    CUgraph g = 0;
    tb_end = P.cuStreamEndCapture(s, &g);
    return r;
}
static CUresult t_alloc(void *u)
{
    (void)u;
    dp d = 0;
    CUresult r = P.cuMemAlloc(&d, 4096);
    if (!r)
        P.cuMemFree(d);
    return r;
}
static CUresult t_status(void *u)
{
    CUstreamCaptureStatus c = 77;
    CUresult r = P.cuStreamIsCapturing(u, &c);
    return r ? r : (CUresult)(10000 + c);
}
GROUP(500, capbegin, "cap-begin")
{
    gsetup();
    second_ctx();
    independent = 1;
    struct {
        const char *n;
        CUstream s;
    } st[] = {{"null", 0},
              {"legacy", CU_STREAM_LEGACY},
              {"perthread", CU_STREAM_PER_THREAD},
              {"blocking", S[0]},
              {"nonblocking", S[3]}};
    for (int m = -1; m <= 3; m++)
        for (size_t i = 0; i < A(st); i++)
            if (case_begin(F("mode%d-%s", m, st[i].n))) {
                CUresult r = P.cuStreamBeginCapture(st[i].s, m);
                int c = cstat(st[i].s);
                CUgraph g = 0;
                const char *e = r ? "-" : capend(st[i].s, &g);
                case_end(r, " status=%s end=%s graph=%s %s after=%s", stn(c), e, hs_(g),
                         g ? shape(g) : "-", stn(cstat(st[i].s)));
                if (g)
                    P.cuGraphDestroy(g);
                tidy();
            }
    for (size_t i = 0; i < A(st); i++) {
        if (case_begin(F("v1-%s", st[i].n))) {
            CUresult r = O.oStreamBeginCapture(st[i].s);
            int c = cstat(st[i].s);
            CUgraph g = 0;
            const char *e = r ? "-" : capend(st[i].s, &g);
            case_end(r, " status=%s end=%s", stn(c), e);
            tidy();
        }
        if (case_begin(F("ptsz-%s", st[i].n))) {
            CUresult r = O.oStreamBeginCapture_v2_ptsz(st[i].s, 2);
            CUstreamCaptureStatus c = 77;
            CUresult q = O.oStreamIsCapturing_ptsz(st[i].s, &c);
            int pt = cstat(CU_STREAM_PER_THREAD);
            CUgraph g = 0;
            CUresult e = O.oStreamEndCapture_ptsz(st[i].s, &g);
            case_end(r, " is=%s %s perthread=%s end=%s", en(q), stn(c), stn(pt), en(e));
            tidy();
        }
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(F("again-%s-%s", mn[a], mn[b]))) {
                CUresult r0 = P.cuStreamBeginCapture(S[0], a), r = P.cuStreamBeginCapture(S[0], b);
                int c = cstat(S[0]);
                CUgraph g = 0;
                const char *e = capend(S[0], &g);
                case_end(r, " first=%s status=%s end=%s", en(r0), stn(c), e);
                tidy();
            }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(F("two-streams-%s-%s", mn[a], mn[b]))) {
                CUresult r0 = P.cuStreamBeginCapture(S[0], a), r = P.cuStreamBeginCapture(S[3], b);
                CUgraph g = 0, h = 0;
                const char *e = capend(S[3], &h), *f = capend(S[0], &g);
                case_end(r, " first=%s end2=%s end1=%s", en(r0), e, f);
                tidy();
            }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(F("other-thread-begins-%s-%s", mn[a], mn[b]))) {
                CUresult r0 = P.cuStreamBeginCapture(S[0], a);
                void *u[2] = {S[3], &b};
                CUresult r = in_thread(t_begin, u);
                int c = cstat(S[0]);
                CUgraph g = 0;
                const char *f = capend(S[0], &g);
                case_end(r, " first=%s status2=%s end2=%s status1=%s end1=%s", en(r0), stn(tb_st),
                         en(tb_end), stn(c), f);
                tidy();
            }
    if (case_begin("stream-ctx2")) {
        P.cuCtxSetCurrent(ctx2);
        CUstream s = mkstream(0);
        P.cuCtxSetCurrent(ctx);
        CUresult r = P.cuStreamBeginCapture(s, 2);
        CUgraph g = 0;
        const char *e = capend(s, &g);
        case_end(r, " end=%s", e);
    }
    if (case_begin("no-ctx")) {
        P.cuCtxSetCurrent(NULL);
        CUresult r = P.cuStreamBeginCapture(S[0], 2);
        int c = cstat(S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        P.cuCtxSetCurrent(ctx);
        case_end(r, " status=%s end=%s", stn(c), e);
        tidy();
    }
    if (case_begin("with-pending-work")) {
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 300;
        block(S[0], &b);
        CUresult r = P.cuStreamBeginCapture(S[0], 2);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        unblock(&b);
        case_end(r, " end=%s sync=%s", e, SY(S[0]));
    }
    /* to graph */
    for (int m = -1; m <= 3; m++)
        if (case_begin(F("tograph-mode%d", m))) {
            CUgraph g = mk();
            CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, NULL, NULL, 0, m);
            if (!r)
                P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            CUgraph o = 0;
            const char *e = capend(S[0], &o);
            case_end(r, " end=%s same=%d %s", e, o == g, shape(g));
            tidy();
        }
    if (case_begin("tograph-deps")) {
        CUgraph g = mk();
        CUgraphNode d[2] = {adde(g, NULL, 0), adde(g, NULL, 0)};
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, d, NULL, 2, 2);
        if (!r) {
            P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        }
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        case_end(r, " end=%s %s", e, shape(g));
        tidy();
    }
    if (case_begin("tograph-deps-ed")) {
        CUgraph g = mk();
        CUgraphNode d = addt(0, g, NULL, 0);
        CUgraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, &d, &ed, 1, 2);
        if (!r)
            launch(S[0], K_ADD, B[1], 64, 1);
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        case_end(r, " end=%s %s", e, shape(g));
        tidy();
    }
    if (case_begin("tograph-deps-ed-memset")) {
        CUgraph g = mk();
        CUgraphNode d = addt(0, g, NULL, 0);
        CUgraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, &d, &ed, 1, 2);
        CUresult q = R_SKIP;
        if (!r)
            q = P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        case_end(r, " memset=%s end=%s %s", en(q), e, shape(g));
        tidy();
    }
    if (case_begin("tograph-null")) {
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], NULL, NULL, NULL, 0, 2);
        case_end(r, " status=%s", stn(cstat(S[0])));
        tidy();
    }
    if (case_begin("tograph-null-deps1")) {
        CUgraph g = mk();
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, NULL, NULL, 1, 2);
        case_end(r, " status=%s", stn(cstat(S[0])));
        tidy();
    }
    if (case_begin("tograph-null-dep")) {
        CUgraph g = mk();
        CUgraphNode d = NULL;
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, &d, NULL, 1, 2);
        case_end(r, " status=%s", stn(cstat(S[0])));
        tidy();
    }
    if (case_begin("tograph-other-graph-dep")) {
        CUgraph g = mk(), h = mk();
        CUgraphNode d = adde(h, NULL, 0);
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, &d, NULL, 1, 2);
        CUresult q = r ? R_SKIP : P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        case_end(r, " memset=%s end=%s", en(q), e);
        tidy();
    }
    if (case_begin("tograph-dup-deps")) {
        CUgraph g = mk();
        CUgraphNode a = adde(g, NULL, 0), d[2] = {a, a};
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, d, NULL, 2, 2);
        CUresult q = r ? R_SKIP : P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        case_end(r, " memset=%s end=%s %s", en(q), e, shape(g));
        tidy();
    }
    if (case_begin("tograph-legacy")) {
        CUgraph g = mk();
        CUresult r = P.cuStreamBeginCaptureToGraph(NULL, g, NULL, NULL, 0, 2);
        case_end(r, " ");
    }
    if (case_begin("tograph-body")) {
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUresult r = b ? P.cuStreamBeginCaptureToGraph(S[0], b, NULL, NULL, 0, 2) : R_SKIP;
        if (!r)
            launch(S[0], K_SET, B[0], 64, 3);
        CUgraph o = 0;
        const char *e = capend(S[0], &o);
        bzero_all();
        const char *q = rung(g);
        case_end(r, " end=%s same=%d body=%s run=%s b0=%s", e, o == b, b ? shape(b) : "-", q,
                 bw(0));
        tidy();
    }
    if (case_begin("tograph-invalidated")) {
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, NULL, NULL, 0, 0);
        P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        CUresult q = P.cuStreamSynchronize(S[0]);
        CUgraph o = GSENT;
        CUresult e = P.cuStreamEndCapture(S[0], &o);
        case_end(r, " sync=%s end=%s out=%s %s", en(q), en(e), hs_(o), shape(g));
        tidy();
    }
    if (case_begin("tograph-twice")) {
        CUgraph g = mk();
        CUresult r = P.cuStreamBeginCaptureToGraph(S[0], g, NULL, NULL, 0, 2),
                 r2 = P.cuStreamBeginCaptureToGraph(S[3], g, NULL, NULL, 0, 2);
        P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        P.cuMemsetD32Async(B[1], 1, 64, S[3]);
        CUgraph o = 0, p = 0;
        const char *e = capend(S[0], &o), *f = capend(S[3], &p);
        case_end(r, " second=%s end=%s,%s %s", en(r2), e, f, shape(g));
        tidy();
    }
}
GROUP(501, capend_, "cap-end")
{
    gsetup();
    independent = 1;
    CUgraph g = GSENT;
    T("not-capturing", P.cuStreamEndCapture(S[0], &g), "out=%s", hs_(g));
    g = GSENT;
    T("not-capturing-legacy", P.cuStreamEndCapture(NULL, &g), "out=%s", hs_(g));
    T("not-capturing-null-out", P.cuStreamEndCapture(S[0], NULL));
    if (case_begin("null-out")) {
        P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuStreamEndCapture(S[0], NULL);
        int c = cstat(S[0]);
        CUgraph h = 0;
        const char *e = capend(S[0], &h);
        case_end(r, " status=%s again=%s", stn(c), e);
        tidy();
    }
    for (int m = 0; m < 3; m++) {
        if (case_begin(F("other-thread-%s", mn[m]))) {
            CUresult b = P.cuStreamBeginCapture(S[0], m);
            CUresult r = in_thread(t_end, S[0]);
            int c = cstat(S[0]);
            CUgraph h = 0;
            const char *e = capend(S[0], &h);
            case_end(r, " begin=%s status=%s own=%s", en(b), stn(c), e);
            tidy();
        }
        if (case_begin(F("status-other-thread-%s", mn[m]))) {
            P.cuStreamBeginCapture(S[0], m);
            CUresult r = in_thread(t_status, S[0]);
            case_end(0, " %s", r >= 10000 ? stn(r - 10000) : en(r));
            tidy();
        }
        if (case_begin(F("unjoined-%s", mn[m]))) {
            P.cuStreamBeginCapture(S[0], m);
            CUresult q1 = P.cuEventRecord(E[0], S[0]), q2 = P.cuStreamWaitEvent(S[3], E[0], 0),
                     q3 = P.cuMemsetD32Async(B[0], 1, 64, S[3]);
            int c3 = cstat(S[3]);
            CUgraph h = GSENT;
            CUresult r = P.cuStreamEndCapture(S[0], &h);
            case_end(r, " %s %s %s fork=%s out=%s after=%s,%s", en(q1), en(q2), en(q3), stn(c3),
                     hs_(h), stn(cstat(S[0])), stn(cstat(S[3])));
            tidy();
        }
        if (case_begin(F("forked-no-work-%s", mn[m]))) {
            P.cuStreamBeginCapture(S[0], m);
            P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            P.cuEventRecord(E[0], S[0]);
            P.cuStreamWaitEvent(S[3], E[0], 0);
            CUgraph h = GSENT;
            CUresult r = P.cuStreamEndCapture(S[0], &h);
            case_end(r, " out=%s after=%s,%s", hs_(h), stn(cstat(S[0])), stn(cstat(S[3])));
            tidy();
        }
        if (case_begin(F("end-on-forked-%s", mn[m]))) {
            P.cuStreamBeginCapture(S[0], m);
            P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            P.cuEventRecord(E[0], S[0]);
            P.cuStreamWaitEvent(S[3], E[0], 0);
            CUgraph h = GSENT;
            CUresult r = P.cuStreamEndCapture(S[3], &h);
            CUgraph h2 = GSENT;
            int a = cstat(S[0]), b = cstat(S[3]);
            CUresult r2 = P.cuStreamEndCapture(S[0], &h2);
            case_end(r, " out=%s status=%s,%s own=%s out=%s", hs_(h), stn(a), stn(b), en(r2),
                     hs_(h2));
            tidy();
        }
        if (case_begin(F("invalidated-%s", mn[m]))) {
            P.cuStreamBeginCapture(S[0], m);
            CUresult q = P.cuStreamSynchronize(S[0]);
            int c = cstat(S[0]);
            CUresult w = P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            CUgraph h = GSENT;
            CUresult r = P.cuStreamEndCapture(S[0], &h);
            CUresult after = P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            case_end(r, " sync=%s status=%s work=%s out=%s after=%s work-after=%s", en(q), stn(c),
                     en(w), hs_(h), stn(cstat(S[0])), en(after));
            tidy();
        }
    }
    if (case_begin("empty-twice")) {
        P.cuStreamBeginCapture(S[0], 2);
        CUgraph h = 0, k = 0;
        const char *e = capend(S[0], &h), *f = capend(S[0], &k);
        case_end(0, " %s then %s", e, f);
        tidy();
    }
    if (case_begin("does-not-run")) {
        bzero_all();
        P.cuStreamBeginCapture(S[0], 2);
        P.cuMemsetD32Async(B[0], 9, 64, S[0]);
        CUgraph h = 0;
        const char *e = capend(S[0], &h);
        P.cuCtxSynchronize();
        const char *a = bw(0);
        const char *q = h ? rung(h) : "-";
        case_end(0, " %s before=%s run=%s after=%s", e, a, q, bw(0));
        tidy();
    }
    if (case_begin("capture-again")) {
        bzero_all();
        CUgraph h = 0, k = 0;
        P.cuStreamBeginCapture(S[0], 2);
        P.cuMemsetD32Async(B[0], 9, 64, S[0]);
        const char *e = capend(S[0], &h);
        P.cuStreamBeginCapture(S[0], 2);
        P.cuMemsetD32Async(B[1], 7, 64, S[0]);
        const char *f = capend(S[0], &k);
        const char *q = h ? rung(h) : "-", *q2 = k ? rung(k) : "-";
        case_end(0, " %s %s differ=%d run=%s,%s b0=%s b1=%s", e, f, h != k, q, q2, bw(0), bw(1));
        tidy();
    }
}
GROUP(502, capinfo, "cap-info")
{
    gsetup();
    independent = 1;
    for (int k = 0; k < 4; k++)
        if (case_begin(F("v3-%s", k == 0   ? "none"
                                  : k == 1 ? "begin"
                                  : k == 2 ? "one-node"
                                           : "fork-joined"))) {
            if (k)
                P.cuStreamBeginCapture(S[0], 2);
            if (k >= 2)
                P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            if (k == 3) {
                P.cuEventRecord(E[0], S[0]);
                P.cuStreamWaitEvent(S[3], E[0], 0);
                P.cuMemsetD32Async(B[1], 1, 64, S[3]);
                P.cuMemsetD32Async(B[2], 1, 64, S[0]);
                P.cuEventRecord(E[1], S[3]);
                P.cuStreamWaitEvent(S[0], E[1], 0);
            }
            CUstreamCaptureStatus st = 77;
            cuuint64_t id = SENT;
            CUgraph g = GSENT;
            const CUgraphNode *d = (const CUgraphNode *)SENT;
            const CUgraphEdgeData *ed = (const CUgraphEdgeData *)SENT;
            size_t n = 77;
            CUresult r = P.cuStreamGetCaptureInfo(S[0], &st, &id, &g, &d, &ed, &n);
            CUstreamCaptureStatus st2 = 77;
            cuuint64_t id2 = SENT;
            CUgraph g2 = GSENT;
            const CUgraphNode *d2 = (const CUgraphNode *)SENT;
            size_t n2 = 77;
            CUresult r2 = O.oStreamGetCaptureInfo_v2(S[0], &st2, &id2, &g2, &d2, &n2);
            CUstreamCaptureStatus st1 = 77;
            cuuint64_t id1 = SENT;
            CUresult r1 = O.oStreamGetCaptureInfo(S[0], &st1, &id1);
            char deps[200] = "-";
            if (!r && st == 1 && d && (uintptr_t)d != SENT && g != GSENT) {
                CUgraphNode all[16];
                memset(all, 0, sizeof all);
                size_t c = 16;
                if (!P.cuGraphGetNodes(g, all, &c) && c <= 16)
                    snprintf(deps, sizeof deps, "%s", order(d, n < 16 ? n : 0, all, c));
            }
            case_end(r,
                     " st=%s id=%s graph=%s deps=%s ed=%s n=%zu nodes=%s v2=%s st=%s sameid=%d "
                     "samegraph=%d samedeps=%d n=%zu v1=%s st=%s sameid=%d",
                     stn(st), outst(id), hs_(g), hs_(d), hs_(ed), n, deps, en(r2), stn(st2),
                     id == id2, g == g2, d == d2, n2, en(r1), stn(st1), id == id1);
            tidy();
        }
    struct {
        const char *n;
        CUstream s;
    } st[] = {{"null", 0}, {"legacy", CU_STREAM_LEGACY}, {"perthread", CU_STREAM_PER_THREAD}};
    for (size_t i = 0; i < 3; i++)
        for (int cap = 0; cap < 3; cap++)
            if (case_begin(F("query-%s-%s", st[i].n,
                             cap == 0   ? "idle"
                             : cap == 1 ? "blocking-captures"
                                        : "nonblocking-captures"))) {
                if (cap)
                    P.cuStreamBeginCapture(cap == 1 ? S[0] : S[3], 2);
                CUstreamCaptureStatus a = 77, b = 77;
                cuuint64_t id = SENT;
                CUresult r = P.cuStreamIsCapturing(st[i].s, &a);
                CUresult r3 = P.cuStreamGetCaptureInfo(st[i].s, &b, &id, NULL, NULL, NULL, NULL);
                int c = cstat(cap == 2 ? S[3] : S[0]);
                case_end(r, " st=%s info=%s st=%s id=%s capture=%s", a == 77 ? "kept" : stn(a),
                         en(r3), b == 77 ? "kept" : stn(b), outst(id), stn(c));
                tidy();
            }
    T("is-null-out", P.cuStreamIsCapturing(S[0], NULL));
    T("info-null-status", P.cuStreamGetCaptureInfo(S[0], NULL, NULL, NULL, NULL, NULL, NULL));
    if (case_begin("info-null-status-capturing")) {
        P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuStreamGetCaptureInfo(S[0], NULL, NULL, NULL, NULL, NULL, NULL);
        case_end(r, " status=%s", stn(cstat(S[0])));
        tidy();
    }
    for (int k = 0; k < 6; k++)
        if (case_begin(F("info-null-%d", k))) {
            P.cuStreamBeginCapture(S[0], 2);
            P.cuMemsetD32Async(B[0], 1, 64, S[0]);
            CUstreamCaptureStatus s = 77;
            cuuint64_t id = 0;
            CUgraph g = 0;
            const CUgraphNode *d = 0;
            const CUgraphEdgeData *ed = 0;
            size_t n = 0;
            CUresult r = P.cuStreamGetCaptureInfo(S[0], k == 0 ? NULL : &s, k == 1 ? NULL : &id,
                                                  k == 2 ? NULL : &g, k == 3 ? NULL : &d,
                                                  k == 4 ? NULL : &ed, k == 5 ? NULL : &n);
            case_end(r, " st=%d n=%zu", (int)s, n);
            tidy();
        }
    if (case_begin("only-ed")) {
        P.cuStreamBeginCapture(S[0], 2);
        P.cuMemsetD32Async(B[0], 1, 64, S[0]);
        CUstreamCaptureStatus s = 77;
        const CUgraphEdgeData *ed = 0;
        CUresult r = P.cuStreamGetCaptureInfo(S[0], &s, NULL, NULL, NULL, &ed, NULL);
        case_end(r, " ed=%s", hs_(ed));
        tidy();
    }
    if (case_begin("lossy")) {
        CUgraph g = mk();
        CUgraphNode d = addt(0, g, NULL, 0);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult b = P.cuStreamBeginCaptureToGraph(S[0], g, &d, &e, 1, 2);
        CUstreamCaptureStatus s = 77;
        cuuint64_t id;
        const CUgraphNode *dd = 0;
        const CUgraphEdgeData *ed = 0;
        size_t n = 77;
        CUresult r = P.cuStreamGetCaptureInfo(S[0], &s, &id, NULL, &dd, NULL, &n),
                 r2 = O.oStreamGetCaptureInfo_v2(S[0], &s, &id, NULL, &dd, &n),
                 r3 = P.cuStreamGetCaptureInfo(S[0], &s, &id, NULL, &dd, &ed, &n);
        case_end(r, " begin=%s v2=%s full=%s type=%d", en(b), en(r2), en(r3),
                 !r3 && ed ? ed[0].type : -1);
        tidy();
    }
    if (case_begin("ids")) {
        cuuint64_t id[4] = {0, 0, 0, 0};
        CUstreamCaptureStatus s;
        CUgraph g = 0;
        for (int i = 0; i < 2; i++) {
            P.cuStreamBeginCapture(S[0], 2);
            P.cuEventRecord(E[0], S[0]);
            P.cuStreamWaitEvent(S[3], E[0], 0);
            P.cuStreamGetCaptureInfo(S[0], &s, &id[i * 2], NULL, NULL, NULL, NULL);
            P.cuStreamGetCaptureInfo(S[3], &s, &id[i * 2 + 1], NULL, NULL, NULL, NULL);
            P.cuEventRecord(E[1], S[3]);
            P.cuStreamWaitEvent(S[0], E[1], 0);
            P.cuStreamEndCapture(S[0], &g);
        }
        case_end(0, " fork-same=%d repeat=%d diff=%lld", id[0] == id[1], id[0] == id[2],
                 (long long)(id[2] - id[0]));
        tidy();
    }
    if (case_begin("invalidated-info")) {
        P.cuStreamBeginCapture(S[0], 0);
        P.cuStreamSynchronize(S[0]);
        CUstreamCaptureStatus s = 77;
        cuuint64_t id = SENT;
        CUgraph g = GSENT;
        size_t n = 77;
        const CUgraphNode *d = (const CUgraphNode *)SENT;
        CUresult r = P.cuStreamGetCaptureInfo(S[0], &s, &id, &g, &d, NULL, &n);
        case_end(r, " st=%s id=%s graph=%s deps=%s n=%zu", stn(s), outst(id), hs_(g), hs_(d), n);
        tidy();
    }
    if (case_begin("graph-same-at-end")) {
        P.cuStreamBeginCapture(S[0], 2);
        CUstreamCaptureStatus s;
        CUgraph g = 0, h = 0;
        P.cuStreamGetCaptureInfo(S[0], &s, NULL, &g, NULL, NULL, NULL);
        CUresult r = P.cuStreamEndCapture(S[0], &h);
        case_end(r, " same=%d", g && g == h);
        tidy();
    }
}
GROUP(503, capdeps, "cap-deps")
{
    gsetup();
    independent = 1;
#define CAPD(nm, ...)                                                                              \
    if (case_begin(nm)) {                                                                          \
        CUresult b = P.cuStreamBeginCapture(S[0], 2);                                              \
        CUstreamCaptureStatus s = 77;                                                              \
        CUgraph g = 0;                                                                             \
        P.cuStreamGetCaptureInfo(S[0], &s, NULL, &g, NULL, NULL, NULL);                            \
        CUgraphNode n[4];                                                                          \
        memset(n, 0, sizeof n);                                                                    \
        P.cuMemsetD32Async(B[0], 1, 64, S[0]);                                                     \
        if (g) {                                                                                   \
            n[0] = adde(g, NULL, 0);                                                               \
            n[1] = adde(g, NULL, 0);                                                               \
        }                                                                                          \
        CUresult r = R_SKIP;                                                                       \
        __VA_ARGS__;                                                                               \
        CUresult w = P.cuMemsetD32Async(B[0], 2, 64, S[0]);                                        \
        const char *in = g ? shape(g) : "-";                                                       \
        CUgraph o = 0;                                                                             \
        const char *e = capend(S[0], &o);                                                          \
        case_end(r, " begin=%s work=%s in=%s end=%s %s", en(b), en(w), in, e, shape(o));           \
        tidy();                                                                                    \
    }
    CAPD("none")
    CAPD("add1", r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 1, 0))
        CAPD("add2", r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 2, 0)) CAPD(
            "set1", r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 1, 1))
            CAPD("set2", r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 2, 1)) CAPD(
                "set0", r = P.cuStreamUpdateCaptureDependencies(S[0], NULL, NULL, 0, 1))
                CAPD("add0", r = P.cuStreamUpdateCaptureDependencies(S[0], NULL, NULL, 0, 0)) CAPD(
                    "v1-add1", r = O.oStreamUpdateCaptureDependencies(S[0], n, 1, 0))
                    CAPD("v1-set1", r = O.oStreamUpdateCaptureDependencies(S[0], n, 1, 1)) CAPD(
                        "v1-set0", r = O.oStreamUpdateCaptureDependencies(S[0], NULL, 0, 1))
                        CAPD("flags2", r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 1, 2))
                            CAPD("flags-max", r = P.cuStreamUpdateCaptureDependencies(
                                                  S[0], n, NULL, 1, 0xffffffffu))
                                CAPD("null1", r = P.cuStreamUpdateCaptureDependencies(S[0], NULL,
                                                                                      NULL, 1, 0))
                                    CAPD("nullnode", n[0] = NULL;
                                         r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL, 1,
                                                                                 0))
                                        CAPD("dup", n[1] = n[0];
                                             r = P.cuStreamUpdateCaptureDependencies(S[0], n, NULL,
                                                                                     2, 0))
                                            CAPD("add-twice",
                                                 P.cuStreamUpdateCaptureDependencies(S[0], n, NULL,
                                                                                     1, 0);
                                                 r = P.cuStreamUpdateCaptureDependencies(
                                                     S[0], n, NULL, 1, 0))
                                                CAPD("other-graph", CUgraph x = mk();
                                                     n[0] = adde(x, NULL, 0);
                                                     r = P.cuStreamUpdateCaptureDependencies(
                                                         S[0], n, NULL, 1, 1))
                                                    CAPD("ed", CUgraphEdgeData ed[1];
                                                         memset(ed, 0, sizeof ed);
                                                         r = P.cuStreamUpdateCaptureDependencies(
                                                             S[0], n, ed, 1, 1))
                                                        CAPD(
                                                            "ed-prog-empty",
                                                            CUgraphEdgeData ed[1];
                                                            memset(ed, 0, sizeof ed); ed[0].from_port = 1; ed
                                                                                                               [0]
                                                                                                                   .type =
                                                                                                               1;
                                                            r = P
                                                                    .cuStreamUpdateCaptureDependencies(S[0], n, ed, 1, 1))
                                                            CAPD("not-capturing-stream", r = P.cuStreamUpdateCaptureDependencies(S[3], n, NULL, 1, 1))
                                                                CAPD("legacy", r = P.cuStreamUpdateCaptureDependencies(NULL, n, NULL, 1, 1))
                                                                    CAPD(
                                                                        "add-node-and-edge",
                                                                        if (g) {
                                                                            CUgraphNode all[4];
                                                                            size_t c = 4;
                                                                            memset(all, 0,
                                                                                   sizeof all);
                                                                            P.cuGraphGetNodes(
                                                                                g, all, &c);
                                                                            r = P.cuGraphAddDependencies(
                                                                                g, &all[0], &n[0],
                                                                                NULL, 1);
                                                                            P.cuStreamUpdateCaptureDependencies(
                                                                                S[0], n, NULL, 1,
                                                                                1);
                                                                        })
                                                                        CAPD(
                                                                            "destroy-captured-node",
                                                                            if (g) {
                                                                                CUgraphNode all[4];
                                                                                size_t c = 4;
                                                                                memset(all, 0,
                                                                                       sizeof all);
                                                                                P.cuGraphGetNodes(
                                                                                    g, all, &c);
                                                                                r = P.cuGraphDestroyNode(
                                                                                    n[1]);
                                                                            })
                                                                            CAPD(
                                                                                "clone-during",
                                                                                CUgraph d = 0;
                                                                                r = g ? P.cuGraphClone(
                                                                                            &d, g)
                                                                                      : R_SKIP)
                                                                                CAPD(
                                                                                    "instantiate-"
                                                                                    "during",
                                                                                    CUgraphExec x =
                                                                                        0;
                                                                                    r = g ? P.cuGraphInstantiate(
                                                                                                &x,
                                                                                                g,
                                                                                                0)
                                                                                          : R_SKIP)
                                                                                    CAPD(
                                                                                        "child-"
                                                                                        "during",
                                                                                        CUgraph x =
                                                                                            mk();
                                                                                        CUgraphNode
                                                                                            y = 0;
                                                                                        r = g ? P.cuGraphAddChildGraphNode(
                                                                                                    &y,
                                                                                                    x,
                                                                                                    NULL,
                                                                                                    0,
                                                                                                    g)
                                                                                              : R_SKIP)
                                                                                        T("idle",
                                                                                          P.cuStreamUpdateCaptureDependencies(
                                                                                              S[0],
                                                                                              NULL,
                                                                                              NULL,
                                                                                              0,
                                                                                              0));
    T("idle-v1", O.oStreamUpdateCaptureDependencies(S[0], NULL, 0, 0));
}
GROUP(504, capmode, "cap-mode")
{
    gsetup();
    independent = 1;
    T("null", P.cuThreadExchangeStreamCaptureMode(NULL));
    for (int m = -1; m <= 3; m++)
        if (case_begin(F("exchange-%d", m))) {
            CUstreamCaptureMode c = m;
            CUresult r = P.cuThreadExchangeStreamCaptureMode(&c);
            int old = c;
            CUstreamCaptureMode d = 0;
            P.cuThreadExchangeStreamCaptureMode(&d);
            case_end(r, " old=%d now=%d", old, (int)d);
        }
    for (int own = 0; own < 3; own++)
        for (int cap = 0; cap < 3; cap++)
            for (int th = 0; th < 2; th++)
                if (case_begin(F("thread-%s-capture-%s-alloc-%s", mn[own], mn[cap],
                                 th ? "other" : "same"))) {
                    CUstreamCaptureMode c = own;
                    P.cuThreadExchangeStreamCaptureMode(&c);
                    CUresult b = P.cuStreamBeginCapture(S[0], cap);
                    CUresult r = th ? in_thread(t_alloc, NULL) : t_alloc(NULL);
                    int s = cstat(S[0]);
                    CUgraph g = 0;
                    const char *e = capend(S[0], &g);
                    c = 0;
                    P.cuThreadExchangeStreamCaptureMode(&c);
                    case_end(r, " begin=%s status=%s end=%s", en(b), stn(s), e);
                    tidy();
                }
    if (case_begin("other-thread-default")) {
        CUstreamCaptureMode c = 2;
        P.cuThreadExchangeStreamCaptureMode(&c);
        CUresult b = P.cuStreamBeginCapture(S[0], 0);
        CUresult r = in_thread(t_alloc, NULL);
        int s = cstat(S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        c = 0;
        P.cuThreadExchangeStreamCaptureMode(&c);
        case_end(r, " begin=%s status=%s end=%s", en(b), stn(s), e);
        tidy();
    }
}
/* fork and join */
#define CAP(nm, m, ...)                                                                            \
    if (case_begin(nm)) {                                                                          \
        bzero_all();                                                                               \
        CUresult r = P.cuStreamBeginCapture(S[0], m);                                              \
        CUresult a = R_SKIP, b = R_SKIP;                                                           \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        __VA_ARGS__;                                                                               \
        int s0 = cstat(S[0]);                                                                      \
        CUgraph g = 0;                                                                             \
        const char *e = capend(S[0], &g);                                                          \
        const char *q = g ? rung(g) : "-";                                                         \
        case_end(r, " a=%s b=%s status=%s end=%s %s run=%s b0=%s b1=%s", en(a), en(b), stn(s0), e, \
                 shape(g), q, bw(0), bw(1));                                                       \
        if (g)                                                                                     \
            P.cuGraphDestroy(g);                                                                   \
        tidy();                                                                                    \
    }
#define MS(b, v, s) P.cuMemsetD32Async(B[b], v, 64, S[s])
GROUP(505, capfork, "cap-fork")
{
    gsetup();
    independent = 1;
    CAP("fork-join", 2, MS(0, 1, 0); a = P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 2, 3); P.cuEventRecord(E[1], S[3]);
        b = P.cuStreamWaitEvent(S[0], E[1], 0); launch(S[0], K_ADD, B[1], 64, 5))
    CAP("fork-join-blocking", 2, MS(0, 1, 0); a = P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[1], E[0], 0); MS(1, 2, 1); P.cuEventRecord(E[1], S[1]);
        b = P.cuStreamWaitEvent(S[0], E[1], 0); launch(S[0], K_ADD, B[1], 64, 5))
    CAP("fork-at-begin", 2, a = P.cuEventRecord(E[0], S[0]); P.cuStreamWaitEvent(S[3], E[0], 0);
        MS(1, 2, 3); P.cuEventRecord(E[1], S[3]); MS(0, 1, 0);
        b = P.cuStreamWaitEvent(S[0], E[1], 0); launch(S[0], K_ADD, B[1], 64, 5))
    CAP("join-without-work", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        a = P.cuStreamWaitEvent(S[3], E[0], 0); P.cuEventRecord(E[1], S[3]);
        b = P.cuStreamWaitEvent(S[0], E[1], 0); MS(1, 3, 0))
    CAP("three-way", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); P.cuStreamWaitEvent(S[4], E[0], 0);
        P.cuStreamWaitEvent(S[1], E[0], 0); MS(1, 2, 3); MS(2, 3, 4); MS(3, 4, 1);
        P.cuEventRecord(E[1], S[3]); P.cuEventRecord(E[2], S[4]); P.cuEventRecord(E[3], S[1]);
        P.cuStreamWaitEvent(S[0], E[1], 0); P.cuStreamWaitEvent(S[0], E[2], 0);
        b = P.cuStreamWaitEvent(S[0], E[3], 0); MS(4, 5, 0))
    CAP("nested-fork", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 2, 3); P.cuEventRecord(E[1], S[3]);
        P.cuStreamWaitEvent(S[4], E[1], 0); MS(2, 3, 4); P.cuEventRecord(E[2], S[4]);
        P.cuStreamWaitEvent(S[3], E[2], 0); MS(3, 1, 3); P.cuEventRecord(E[3], S[3]);
        b = P.cuStreamWaitEvent(S[0], E[3], 0); MS(4, 1, 0))
    CAP("join-nested-directly", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 2, 3); P.cuEventRecord(E[1], S[3]);
        P.cuStreamWaitEvent(S[4], E[1], 0); MS(2, 3, 4); P.cuEventRecord(E[2], S[4]);
        b = P.cuStreamWaitEvent(S[0], E[2], 0); MS(4, 1, 0))
    CAP("wait-own-event", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        a = P.cuStreamWaitEvent(S[0], E[0], 0); MS(1, 1, 0))
    CAP("event-rerecorded", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]); MS(0, 2, 0);
        P.cuEventRecord(E[0], S[0]); P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 1, 3);
        P.cuEventRecord(E[1], S[3]); b = P.cuStreamWaitEvent(S[0], E[1], 0))
    CAP("same-wait-twice", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); a = P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 1, 3);
        P.cuEventRecord(E[1], S[3]); P.cuStreamWaitEvent(S[0], E[1], 0);
        b = P.cuStreamWaitEvent(S[0], E[1], 0); MS(2, 1, 0))
    CAP("work-after-join", 2, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
        P.cuStreamWaitEvent(S[3], E[0], 0); MS(1, 1, 3); P.cuEventRecord(E[1], S[3]);
        P.cuStreamWaitEvent(S[0], E[1], 0); a = MS(2, 1, 3))
    CAP("outside-event-unrecorded", 2, MS(0, 1, 0); a = P.cuStreamWaitEvent(S[0], E[6], 0);
        b = MS(1, 1, 0))
    if (case_begin("outside-event-recorded")) {
        P.cuEventRecord(E[6], S[1]);
        P.cuCtxSynchronize();
        CUresult r0 = P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuStreamWaitEvent(S[0], E[6], 0);
        int s = cstat(S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        case_end(r, " begin=%s status=%s end=%s %s", en(r0), stn(s), e, shape(g));
        tidy();
    }
    if (case_begin("outside-event-recorded-on-same-stream-before")) {
        P.cuEventRecord(E[6], S[0]);
        CUresult r0 = P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuStreamWaitEvent(S[0], E[6], 0);
        int s = cstat(S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        case_end(r, " begin=%s status=%s end=%s %s", en(r0), stn(s), e, shape(g));
        tidy();
    }
    for (int fl = 0; fl < 3; fl++) {
        CAP(F("record-flags-%d", fl), 2, MS(0, 1, 0); a = P.cuEventRecordWithFlags(E[0], S[0], fl);
            b = MS(1, 2, 0))
        CAP(F("wait-flags-%d-inside", fl), 2, MS(0, 1, 0); a = P.cuEventRecord(E[0], S[0]);
            b = P.cuStreamWaitEvent(S[0], E[0], fl); MS(1, 2, 0))
            CAP(F("wait-flags-%d-outside", fl), 2, MS(0, 1, 0);
                b = P.cuStreamWaitEvent(S[0], E[7], fl); MS(1, 2, 0))
                CAP(F("record-external-then-wait-%d", fl), 2, MS(0, 1, 0);
                    a = P.cuEventRecordWithFlags(E[0], S[0], 1);
                    b = P.cuStreamWaitEvent(S[3], E[0], fl); MS(1, 2, 0))
    }
    if (case_begin("wait-across-captures")) {
        P.cuStreamBeginCapture(S[0], 2);
        CUresult r2 = P.cuStreamBeginCapture(S[3], 2);
        MS(0, 1, 0);
        P.cuEventRecord(E[0], S[0]);
        CUresult r = P.cuStreamWaitEvent(S[3], E[0], 0);
        int a = cstat(S[0]), b = cstat(S[3]);
        CUgraph g = 0, h = 0;
        const char *e = capend(S[0], &g), *f = capend(S[3], &h);
        case_end(r, " begin2=%s status=%s,%s end=%s,%s", en(r2), stn(a), stn(b), e, f);
        tidy();
    }
    if (case_begin("event-used-after-capture")) {
        P.cuStreamBeginCapture(S[0], 2);
        MS(0, 1, 0);
        P.cuEventRecord(E[0], S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        CUresult r = P.cuStreamWaitEvent(S[1], E[0], 0), q = P.cuEventQuery(E[0]),
                 y = P.cuEventSynchronize(E[0]), rr = P.cuEventRecord(E[0], S[1]),
                 q2 = P.cuStreamSynchronize(S[1]), q3 = P.cuEventQuery(E[0]);
        case_end(r, " end=%s query=%s sync=%s rerecord=%s %s query=%s", e, en(q), en(y), en(rr),
                 en(q2), en(q3));
        tidy();
    }
    if (case_begin("event-into-next-capture")) {
        P.cuStreamBeginCapture(S[0], 2);
        MS(0, 1, 0);
        P.cuEventRecord(E[0], S[0]);
        CUgraph g = 0, h = 0;
        const char *e = capend(S[0], &g);
        P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuStreamWaitEvent(S[0], E[0], 0);
        int s = cstat(S[0]);
        const char *f = capend(S[0], &h);
        case_end(r, " end=%s status=%s end=%s", e, stn(s), f);
        tidy();
    }
    for (int m = 0; m < 3; m++) {
        CAP(F("event-query-%s", mn[m]), m, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
            a = P.cuEventQuery(E[0]))
        CAP(F("event-sync-%s", mn[m]), m, MS(0, 1, 0); P.cuEventRecord(E[0], S[0]);
            a = P.cuEventSynchronize(E[0])) CAP(F("event-query-outside-%s", mn[m]), m, MS(0, 1, 0);
                                                a = P.cuEventQuery(E[6]))
            CAP(F("event-sync-outside-%s", mn[m]), m, MS(0, 1, 0);
                a = P.cuEventSynchronize(E[6])) CAP(F("event-elapsed-%s", mn[m]), m, MS(0, 1, 0);
                                                    P.cuEventRecord(E[4], S[0]); float t = 0;
                                                    a = P.cuEventElapsedTime(&t, E[4], E[5]))
                CAP(F("stream-query-%s", mn[m]), m, MS(0, 1, 0); a = P.cuStreamQuery(S[0])) CAP(
                    F("stream-sync-%s", mn[m]), m, MS(0, 1, 0); a = P.cuStreamSynchronize(S[0]))
                    CAP(F("other-stream-query-%s", mn[m]), m, MS(0, 1, 0);
                        a = P.cuStreamQuery(S[1]); b = P.cuStreamQuery(S[3]))
                        CAP(F("other-stream-sync-%s", mn[m]), m, MS(0, 1, 0);
                            a = P.cuStreamSynchronize(S[1]); b = P.cuStreamSynchronize(S[3]))
                            CAP(F("ctx-sync-%s", mn[m]), m, MS(0, 1, 0); a = P.cuCtxSynchronize())
                                CAP(F("legacy-work-%s", mn[m]), m, MS(0, 1, 0);
                                    a = P.cuMemsetD32Async(B[1], 1, 64, NULL);
                                    b = P.cuStreamQuery(NULL))
                                    CAP(F("perthread-work-%s", mn[m]), m, MS(0, 1, 0);
                                        a = P.cuMemsetD32Async(B[1], 1, 64, CU_STREAM_PER_THREAD);
                                        b = P.cuStreamQuery(CU_STREAM_PER_THREAD))
                                        CAP(F("blocking-work-%s", mn[m]), m, MS(0, 1, 0);
                                            a = P.cuMemsetD32Async(B[1], 1, 64, S[1]))
                                            CAP(F("event-destroy-%s", mn[m]), m, MS(0, 1, 0);
                                                CUevent e2 = 0; P.cuEventCreate(&e2, 0);
                                                P.cuEventRecord(e2, S[0]); a = P.cuEventDestroy(e2))
                                                CAP(F("legacy-event-record-%s", mn[m]), m,
                                                    MS(0, 1, 0);
                                                    a = P.cuEventRecord(E[0], NULL))
                                                    CAP(F("legacy-wait-captured-%s", mn[m]), m,
                                                        MS(0, 1, 0);
                                                        P.cuEventRecord(E[0], S[0]);
                                                        a = P.cuStreamWaitEvent(NULL, E[0], 0))
    }
}
/* what one call becomes */
#define CAPN(nm, ...)                                                                              \
    if (case_begin(nm)) {                                                                          \
        bzero_all();                                                                               \
        CUresult r0 = P.cuStreamBeginCapture(S[0], 2);                                             \
        CUstream s = S[0];                                                                         \
        (void)s;                                                                                   \
        CUresult r = R_SKIP;                                                                       \
        __VA_ARGS__;                                                                               \
        int st = cstat(S[0]);                                                                      \
        CUgraph g = 0;                                                                             \
        const char *e = capend(S[0], &g);                                                          \
        case_end(r, " begin=%s status=%s end=%s %s", en(r0), stn(st), e, shaped(g));               \
        if (g)                                                                                     \
            P.cuGraphDestroy(g);                                                                   \
        tidy();                                                                                    \
    }
static void CUDA_CB scb(CUstream s, CUresult r, void *u)
{
    (void)s;
    (void)r;
    hcount[(uintptr_t)u & 15]++;
}
GROUP(506, capops, "cap-ops")
{
    gsetup();
    independent = 1;
    CUDA_MEMCPY2D c2;
    CUDA_MEMCPY3D c3;
    CUDA_MEMCPY3D_PEER p3;
    dp x = 0;
    CUmemLocation LD;
    memset(&LD, 0, sizeof LD);
    LD.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t ix[2] = {0, 0};
    CUmemcpyAttributes ma;
    memset(&ma, 0, sizeof ma);
    ma.srcAccessOrder = 1;
    dp ds[2] = {B[1], B[3]}, ss[2] = {B[0], B[2]};
    size_t sz[2] = {64, 128};
    CUDA_KERNEL_NODE_PARAMS k;
    CUlaunchConfig lc;
    CUlaunchAttribute la[2];
    CUstreamBatchMemOpParams bo[2];
    memset(bo, 0, sizeof bo);
    CAPN("memcpy-dtod", r = P.cuMemcpyDtoDAsync(B[1], B[0], 256, s))
    CAPN("memcpy-htod-pin", r = P.cuMemcpyHtoDAsync(B[1], H[0], 256, s)) CAPN(
        "memcpy-htod-page", r = P.cuMemcpyHtoDAsync(B[1], hostA, 256, s))
        CAPN("memcpy-dtoh-pin", r = P.cuMemcpyDtoHAsync(H[1], B[0], 256, s)) CAPN(
            "memcpy-dtoh-page", r = P.cuMemcpyDtoHAsync(hostB, B[0], 256, s))
            CAPN("memcpy-unified", r = P.cuMemcpyAsync(B[1], B[0], 256, s)) CAPN(
                "memcpy-unified-hh",
                r = P.cuMemcpyAsync((dp)(uintptr_t)H[1], (dp)(uintptr_t)H[0], 256, s))
                CAPN("memcpy-unified-hd", r = P.cuMemcpyAsync(B[0], (dp)(uintptr_t)H[0], 256, s))
                    CAPN("memcpy-unified-page",
                         r = P.cuMemcpyAsync(B[0], (dp)(uintptr_t)hostA, 256, s))
                        CAPN("memcpy-unified-managed", r = P.cuMemcpyAsync(B[0], BM, 256, s)) CAPN(
                            "memcpy-peer", r = P.cuMemcpyPeerAsync(B[1], ctx, B[0], ctx, 256, s))
                            CAPN("memcpy-htoa", r = P.cuMemcpyHtoAAsync(AR[0], 0, H[0], 64, s))
                                CAPN("memcpy-atoh", r = P.cuMemcpyAtoHAsync(H[0], AR[0], 16, 64, s))
                                    CAPN("memcpy-0", r = P.cuMemcpyDtoDAsync(B[1], B[0], 0, s))
                                        CAPN("memcpy-over",
                                             r = P.cuMemcpyDtoDAsync(
                                                 B[1], B[0], NBY + 1,
                                                 s)) CAPN("memcpy-null",
                                                          r = P.cuMemcpyDtoDAsync(0, B[0], 64, s))
                                            CAPN("memcpy2d", memset(&c2, 0, sizeof c2);
                                                 c2.srcMemoryType = c2.dstMemoryType = 2;
                                                 c2.srcDevice = B[0]; c2.dstDevice = B[1];
                                                 c2.srcPitch = 256; c2.dstPitch = 128;
                                                 c2.WidthInBytes = 64; c2.Height =
                                                                           4;
                                                 r = P.cuMemcpy2DAsync(&c2, s))
                                                CAPN("memcpy2d-harr", memset(&c2, 0, sizeof c2);
                                                     c2.srcMemoryType = 1; c2.srcHost = H[0];
                                                     c2.srcPitch = 256; c2.dstMemoryType = 3;
                                                     c2.dstArray = AR[1]; c2.WidthInBytes = 64;
                                                     c2.Height = 4; c2.dstY = 2;
                                                     r = P.cuMemcpy2DAsync(&c2, s))
                                                    CAPN("memcpy3d", c3 = cdd(B[1], B[0], 64);
                                                         c3.Height = 2; c3.Depth = 2;
                                                         c3.srcPitch = c3.dstPitch = 128;
                                                         c3.srcHeight = c3.dstHeight = 4;
                                                         r = P.cuMemcpy3DAsync(
                                                             &c3,
                                                             s)) CAPN("memcpy3d-arr",
                                                                      c3 = cdd(B[1], 0, 64);
                                                                      c3.srcMemoryType = 3;
                                                                      c3.srcArray = AR[3];
                                                                      c3.Height =
                                                                          2;
                                                                      c3.Depth = 2;
                                                                      c3.srcZ = 1; c3.dstPitch = 64;
                                                                      c3.dstHeight = 2;
                                                                      r = P.cuMemcpy3DAsync(&c3, s))
                                                        CAPN("memcpy3dpeer",
                                                             memset(&p3, 0, sizeof p3);
                                                             p3.srcMemoryType = p3.dstMemoryType =
                                                                 2;
                                                             p3.srcDevice = B[0];
                                                             p3.dstDevice = B[1];
                                                             p3.srcContext = p3.dstContext = ctx;
                                                             p3.srcPitch =
                                                                 p3.dstPitch = 128;
                                                             p3.srcHeight = p3.dstHeight = 4;
                                                             p3.WidthInBytes = 64; p3.Height = 2;
                                                             p3.Depth =
                                                                 1;
                                                             r = P.cuMemcpy3DPeerAsync(&p3, s))
                                                            CAPN("memcpy-batch",
                                                                 r = P.cuMemcpyBatchAsync(ds, ss,
                                                                                          sz,
                                                                                          2,
                                                                                          &ma, ix,
                                                                                          1, s))
                                                                CAPN("memset8",
                                                                     r = P.cuMemsetD8Async(
                                                                         B[0], 0xab, 100, s)) CAPN("memset16", r = P
                                                                                                                       .cuMemsetD16Async(B[0], 0xabcd, 100, s)) CAPN("memset32", r = P
                                                                                                                                                                                         .cuMemsetD32Async(B[0], 0xabcdef01, 100, s)) CAPN("memset2d8", r = P
                                                                                                                                                                                                                                                                .cuMemsetD2D8Async(B[0],
                                                                                                                                                                                                                                                                                   128,
                                                                                                                                                                                                                                                                                   0xab, 64, 4, s)) CAPN("memset2d16",
                                                                                                                                                                                                                                                                                                         r = P.cuMemsetD2D16Async(B[0],
                                                                                                                                                                                                                                                                                                                                  128,
                                                                                                                                                                                                                                                                                                                                  0xabcd, 32, 4, s)) CAPN("memset2d32", r =
                                                                                                                                                                                                                                                                                                                                                                            P.cuMemsetD2D32Async(B[0],
                                                                                                                                                                                                                                                                                                                                                                                                 128, 0xabcdef01, 16, 4, s)) CAPN("memset2d32-h1",
                                                                                                                                                                                                                                                                                                                                                                                                                                  r = P.cuMemsetD2D32Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                      B
                                                                                                                                                                                                                                                                                                                                                                                                                                          [0],
                                                                                                                                                                                                                                                                                                                                                                                                                                      128,
                                                                                                                                                                                                                                                                                                                                                                                                                                      7, 16, 1, s)) CAPN("memset2d32-tight",
                                                                                                                                                                                                                                                                                                                                                                                                                                                         r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                 .cuMemsetD2D32Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                     B
                                                                                                                                                                                                                                                                                                                                                                                                                                                                         [0],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                     64, 7, 16, 4, s)) CAPN("memset-0",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    .cuMemsetD8Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        B[0],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        1, 0, s)) CAPN("memset-null", r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              .cuMemsetD8Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  16, s)) CAPN("memset-misaligned", r =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        P.cuMemsetD32Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            B[0] +
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            16,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            s)) CAPN("memset-managed",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     r = P.cuMemsetD32Async(BM, 1, 16, s)) CAPN("memset-pinned",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                r = P.cuMemsetD32Async(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    (dp)(uintptr_t)H
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        [0],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    16,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    s)) CAPN("kernel",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             k = kp(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 K_ADD,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 B[0],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 3);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     .cuLaunchKernel(fn[K_ADD], 1, 1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     1, 64, 1, 1, 0, s, k.kernelParams, NULL)) CAPN("kernel-nop",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    r = P.cuLaunchKernel(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        fn[K_NOP],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        2,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        3,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        4,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        5,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        6,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        7,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        8,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        s,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        NULL,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        NULL)) CAPN("kernel-kern", k = kp(K_ADD, B[0], 0, 64, 3); r =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      P.cuLaunchKernel((CUfunction)kn[K_ADD], 1, 1, 1, 64, 1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       1, 0, s, k.kernelParams, NULL)) CAPN("kernel-bad-grid", k = kp(K_ADD, B[0], 0, 64, 3); r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      .cuLaunchKernel(fn[K_ADD],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      1, 1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      s, k.kernelParams, NULL)) CAPN("kernel-null",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             .cuLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, s, NULL, NULL)) CAPN("kernel-coop",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              k = kp(K_ADD, B[0], 0, 64, 3);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              r = P.cuLaunchCooperativeKernel(fn[K_ADD],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              1,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              1, 1, 64, 1, 1, 0, s, k.kernelParams)) CAPN("kernel-ex",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          k = kp(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              K_ADD,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              B[0], 0, 64, 3);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          memset(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              &lc,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              sizeof lc);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          memset(la, 0, sizeof la); lc.gridDimX = lc.gridDimY = lc.gridDimZ = 1;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          lc.blockDimX = 64; lc
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 .blockDimY = lc
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  .blockDimZ = 1;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          lc.hStream =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              s;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          r = P
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  .cuLaunchKernelEx(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      &lc, fn[K_ADD], k.kernelParams, NULL)) CAPN("kernel-ex-pss", k = kp(K_ADD, B[0], 0, 64, 3); memset(&lc,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         sizeof lc);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  memset(la, 0, sizeof la); lc.gridDimX = lc.gridDimY = lc.gridDimZ = 1; lc.blockDimX =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             64;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  lc.blockDimY =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      lc.blockDimZ =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          1;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  lc.hStream =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      s;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  r = P.cuLaunchKernelEx(&lc, fn[K_ADD], k.kernelParams, NULL); la[0]
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    .id =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  la[0]
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      .value
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      .programmaticStreamSerializationAllowed =
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      1;
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  lc.attrs = la; lc.numAttrs = 1; k = kp(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      K_ADD,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      B[1],
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      0,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      64,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      3);
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  CUresult r2 = P.cuLaunchKernelEx(&lc, fn[K_ADD], k.kernelParams, NULL); if (r2)
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              r = r2)
                                                                    CAPN(
                                                                        "kernel-ex-coop",
                                                                        k = kp(K_ADD, B[0], 0, 64,
                                                                               3);
                                                                        memset(&lc, 0, sizeof lc);
                                                                        memset(la, 0, sizeof la);
                                                                        lc.gridDimX =
                                                                            lc.gridDimY =
                                                                                lc.gridDimZ = 1;
                                                                        lc.blockDimX = 64;
                                                                        lc.blockDimY =
                                                                            lc.blockDimZ = 1;
                                                                        lc.hStream = s;
                                                                        la[0].id = 2;
                                                                        la[0].value.cooperative = 1;
                                                                        lc.attrs = la;
                                                                        lc.numAttrs = 1;
                                                                        r = P.cuLaunchKernelEx(
                                                                            &lc,
                                                                            fn[K_ADD],
                                                                            k.kernelParams,
                                                                            NULL))
                                                                        CAPN("hostfunc", r = P.cuLaunchHostFunc(s, hfn, (void *)1)) CAPN(
                                                                            "hostfunc-null",
                                                                            r = P.cuLaunchHostFunc(
                                                                                s, NULL,
                                                                                (void *)1))
                                                                            CAPN("callback",
                                                                                 r = P.cuStreamAddCallback(
                                                                                     s,
                                                                                     scb, (void *)1,
                                                                                     0)) CAPN("allo"
                                                                                              "c-"
                                                                                              "asyn"
                                                                                              "c",
                                                                                              r = P.cuMemAllocAsync(&x, 4096, s))
                                                                                CAPN("alloc-free-"
                                                                                     "async",
                                                                                     x = 0;
                                                                                     r = P.cuMemAllocAsync(
                                                                                         &x, 4096,
                                                                                         s);
                                                                                     CUresult r2 =
                                                                                         P.cuMemFreeAsync(
                                                                                             x,
                                                                                             s);
                                                                                     if (r2) r =
                                                                                         r2) CAPN("free-outside",
                                                                                                  dp
                                                                                                      y = 0;
                                                                                                  y = x;
                                                                                                  (void)y; r = P.cuMemFreeAsync(B[0],
                                                                                                                                s))
                                                                                    CAPN(
                                                                                        "alloc-"
                                                                                        "pool",
                                                                                        CUmemoryPool
                                                                                            mp =
                                                                                                0;
                                                                                        P.cuDeviceGetDefaultMemPool(
                                                                                            &mp,
                                                                                            dev);
                                                                                        r = P.cuMemAllocFromPoolAsync(
                                                                                            &x,
                                                                                            4096,
                                                                                            mp, s))
                                                                                        CAPN("alloc"
                                                                                             "-twic"
                                                                                             "e",
                                                                                             x = 0;
                                                                                             dp y =
                                                                                                 0;
                                                                                             r = P.cuMemAllocAsync(
                                                                                                 &x,
                                                                                                 4096,
                                                                                                 s);
                                                                                             P.cuMemAllocAsync(
                                                                                                 &y,
                                                                                                 4096,
                                                                                                 s);
                                                                                             P.cuMemFreeAsync(
                                                                                                 x,
                                                                                                 s);
                                                                                             P.cuMemFreeAsync(
                                                                                                 y,
                                                                                                 s))
                                                                                            CAPN(
                                                                                                "al"
                                                                                                "lo"
                                                                                                "c-"
                                                                                                "us"
                                                                                                "e",
                                                                                                x = 0;
                                                                                                r = P.cuMemAllocAsync(
                                                                                                    &x,
                                                                                                    NBY,
                                                                                                    s);
                                                                                                P.cuMemsetD32Async(
                                                                                                    x,
                                                                                                    5,
                                                                                                    64,
                                                                                                    s);
                                                                                                P.cuMemcpyDtoDAsync(
                                                                                                    B[0],
                                                                                                    x,
                                                                                                    256,
                                                                                                    s);
                                                                                                P.cuMemFreeAsync(
                                                                                                    x,
                                                                                                    s))
                                                                                                CAPN(
                                                                                                    "double-free",
                                                                                                    x = 0;
                                                                                                    P.cuMemAllocAsync(
                                                                                                        &x,
                                                                                                        NBY,
                                                                                                        s);
                                                                                                    P.cuMemFreeAsync(
                                                                                                        x,
                                                                                                        s);
                                                                                                    r = P.cuMemFreeAsync(
                                                                                                        x,
                                                                                                        s)) if (case_begin("free-async-of-outside-alloc"))
    {
        dp y = 0;
        P.cuMemAllocAsync(&y, 4096, S[0]);
        P.cuStreamSynchronize(S[0]);
        CUresult b = P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuMemFreeAsync(y, S[0]);
        int st = cstat(S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        const char *q = g ? rung(g) : "-";
        case_end(r, " begin=%s status=%s end=%s %s run=%s", en(b), stn(st), e, shaped(g), q);
        tidy();
    }
    CAPN("event-record", r = P.cuEventRecord(E[0], s))
    CAPN("event-record-external", r = P.cuEventRecordWithFlags(E[0], s, 1)) CAPN(
        "event-wait-external",
        r = P.cuStreamWaitEvent(s, E[0], 1)) CAPN("event-record-external-wait-external",
                                                  P.cuEventRecordWithFlags(E[0], s, 1);
                                                  r = P.cuStreamWaitEvent(s, E[0], 1))
        CAPN("wait32", r = P.cuStreamWaitValue32(s, B[0], 0, 0)) CAPN(
            "wait64", r = P.cuStreamWaitValue64(
                          s, B[0], 0, 0)) CAPN("write32", r = P.cuStreamWriteValue32(s, B[0], 5, 0))
            CAPN("write64", r = P.cuStreamWriteValue64(s, B[0], 5, 0)) CAPN(
                "write32-misaligned", r = P.cuStreamWriteValue32(s, B[0] + 1, 5, 0))
                CAPN("batchop", bo[0].operation = 2; bo[0].writeValue.address = B[0];
                     bo[0].writeValue.value = 3; bo[1].operation = 2;
                     bo[1].writeValue.address =
                         B[0] +
                         8;
                     bo[1].writeValue.value = 4; r = P.cuStreamBatchMemOp(s, 2, bo, 0))
                    CAPN("batchop-0", r = P.cuStreamBatchMemOp(s, 0, bo, 0)) CAPN(
                        "batchop-barrier", memset(bo, 0, sizeof bo);
                        bo[0].operation = 6;
                        r = P.cuStreamBatchMemOp(s, 1, bo, 0))
                        CAPN("attach", r = P.cuStreamAttachMemAsync(s, BM, 0, CU_MEM_ATTACH_GLOBAL))
                            CAPN("attach-single",
                                 r = P.cuStreamAttachMemAsync(s, BM, 0, CU_MEM_ATTACH_SINGLE))
                                CAPN("prefetch", r = P.cuMemPrefetchAsync(BM, NBY, LD, 0, s)) CAPN(
                                    "prefetch-batch",
                                    dp pm = BM;
                                    size_t ps =
                                        NBY;
                                    r = P.cuMemPrefetchBatchAsync(&pm, &ps, 1, &LD, ix, 1, 0, s))
                                    CAPN("discard-batch", dp pm = BM; size_t ps = NBY;
                                         r = P.cuMemDiscardBatchAsync(&pm, &ps, 1, 0, s))
                                        CAPN("semsignal-0", CUexternalSemaphore es = 0;
                                             CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp;
                                             memset(&sp, 0, sizeof sp);
                                             r = P.cuSignalExternalSemaphoresAsync(
                                                 &es, &sp, 0,
                                                 s)) CAPN("semsignal-null",
                                                          CUexternalSemaphore
                                                              es = 0;
                                                          CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp;
                                                          memset(&sp, 0, sizeof sp);
                                                          r = P.cuSignalExternalSemaphoresAsync(
                                                              &es, &sp, 1, s))
                                            CAPN("semwait-0", CUexternalSemaphore es = 0;
                                                 CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS sp;
                                                 memset(&sp, 0, sizeof sp);
                                                 r = P.cuWaitExternalSemaphoresAsync(
                                                     &es, &sp, 0,
                                                     s)) CAPN("maparray",
                                                              r = P.cuMemMapArrayAsync(NULL, 0, s))
                                                CAPN("graph-launch", CUgraph gg = mk();
                                                     adde(gg, NULL, 0);
                                                     CUgraphExec
                                                         xx = inst(gg, 0);
                                                     r = xx ? P.cuGraphLaunch(xx, s) : R_SKIP)
                                                    CAPN("graph-launch-kernels", CUgraph gg = mk();
                                                         CUgraphNode
                                                             nn = addk(gg, NULL, 0, K_ADD, B[0], 64,
                                                                       2);
                                                         addk(gg, &nn, 1, K_MUL, B[0], 64, 3);
                                                         CUgraphExec
                                                             xx = inst(gg, 0);
                                                         r = xx ? P.cuGraphLaunch(xx, s) : R_SKIP;
                                                         MS(1, 1, 0))
                                                        CAPN("graph-launch-alloc",
                                                             CUgraph
                                                                 gg = mk();
                                                             adda(gg, NULL, 0, 4096, NULL);
                                                             CUgraphExec
                                                                 xx = inst(gg, 0);
                                                             r = xx ? P.cuGraphLaunch(xx, s)
                                                                    : R_SKIP)
                                                            CAPN("graph-upload", CUgraph gg = mk();
                                                                 adde(gg, NULL, 0); CUgraphExec xx =
                                                                                        inst(gg, 0);
                                                                 r = xx ? P.cuGraphUpload(xx, s)
                                                                        : R_SKIP)
                                                                CAPN("graph-launch-cond",
                                                                     CUgraph
                                                                         gg = mk();
                                                                     addcond(
                                                                         gg,
                                                                         NULL, 0, 0,
                                                                         1,
                                                                         0,
                                                                         NULL);
                                                                     CUgraphExec
                                                                         xx = inst(gg, 0);
                                                                     r = xx ? P.cuGraphLaunch(xx, s)
                                                                            : R_SKIP)
                                                                    CAPN(
                                                                        "mixed-chain", MS(0, 1, 0);
                                                                        launch(s, K_ADD, B[0], 64,
                                                                               2);
                                                                        P.cuMemcpyDtoDAsync(
                                                                            B[1], B[0], 256, s);
                                                                        P.cuLaunchHostFunc(
                                                                            s, hfn,
                                                                            (void *)2);
                                                                        r = P.cuMemcpyDtoHAsync(
                                                                            H[1], B[1], 256,
                                                                            s)) if (case_begin("pag"
                                                                                               "eab"
                                                                                               "le-"
                                                                                               "sna"
                                                                                               "psh"
                                                                                               "o"
                                                                                               "t"))
    {
        bzero_all();
        memset(hostA, 1, 256);
        CUresult b = P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuMemcpyHtoDAsync(B[0], hostA, 256, S[0]);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        memset(hostA, 2, 256);
        const char *q = g ? rung(g) : "-";
        case_end(r, " begin=%s end=%s run=%s b0=%s", en(b), e, q, bw(0));
        tidy();
    }
    if (case_begin("host-count")) {
        hcount[1] = hcount[2] = 0;
        P.cuStreamBeginCapture(S[0], 2);
        CUresult r = P.cuLaunchHostFunc(S[0], hfn, (void *)1),
                 r2 = P.cuStreamAddCallback(S[0], scb, (void *)2, 0);
        CUgraph g = 0;
        const char *e = capend(S[0], &g);
        P.cuCtxSynchronize();
        int c0 = hcount[1];
        CUgraphExec x2 = inst(g, 0);
        const char *q = runx(x2, S[0]), *q2 = runx(x2, S[0]);
        case_end(r, " callback=%s end=%s during=%d run=%s,%s counts=%d,%d", en(r2), e, c0, q, q2,
                 hcount[1], hcount[2]);
        tidy();
    }
}
GROUP(507, capsd, "cap-streamdestroy")
{
    gsetup();
    for (int m = 2; m >= 0; m--)
        if (case_begin(F("stream-destroy-%s", mn[m]))) {
            CUstream s = mkstream(0);
            CUresult b = P.cuStreamBeginCapture(s, m);
            P.cuMemsetD32Async(B[0], 1, 64, s);
            CUresult r = P.cuStreamDestroy(s);
            case_end(r, " begin=%s alloc-after=%s", en(b), en(t_alloc(NULL)));
            tidy();
        }
    for (int m = 2; m >= 0; m--)
        if (case_begin(F("forked-stream-destroy-%s", mn[m]))) {
            CUstream s = mkstream(CU_STREAM_NON_BLOCKING);
            P.cuStreamBeginCapture(S[0], m);
            MS(0, 1, 0);
            P.cuEventRecord(E[0], S[0]);
            P.cuStreamWaitEvent(s, E[0], 0);
            P.cuMemsetD32Async(B[1], 1, 64, s);
            CUresult r = P.cuStreamDestroy(s);
            int c = cstat(S[0]);
            CUgraph g = 0;
            const char *e = capend(S[0], &g);
            case_end(r, " status=%s end=%s", stn(c), e);
            tidy();
        }
}
