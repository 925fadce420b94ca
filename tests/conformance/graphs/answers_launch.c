/* SPDX-License-Identifier: MIT */
/* Instantiation, upload, launch and data results. */
#include "graph_recorder.h"
GROUP(300, instforms, "inst-forms")
{
    gsetup();
    second_ctx();
    independent = 1;
    CUgraph e = mk(), g = mk();
    CUgraphNode n0 = addk(g, NULL, 0, K_SET, B[0], 64, 1);
    addc(g, &n0, 1, B[1], B[0], 256);
    CUgraphExec x;
    CUgraphNode en_;
    char log[256];
#define FREE()                                                                                     \
    if (x && x != XSENT)                                                                           \
    P.cuGraphExecDestroy(x)
    for (int k = 0; k < 2; k++) {
        CUgraph q = k ? g : e;
        const char *w = k ? "graph" : "empty";
        x = XSENT;
        en_ = NSENT;
        memset(log, 'z', sizeof log);
        T(F("v1-%s", w), O.oGraphInstantiate(&x, q, &en_, log, sizeof log),
          "exec=%s errnode=%s log=%s", hs_(x), hs_(en_),
          log[0] == 'z' ? "kept"
          : log[0]      ? "text"
                        : "empty");
        FREE();
        x = XSENT;
        en_ = NSENT;
        memset(log, 'z', sizeof log);
        T(F("v2-%s", w), O.oGraphInstantiate_v2(&x, q, &en_, log, sizeof log),
          "exec=%s errnode=%s log=%s", hs_(x), hs_(en_),
          log[0] == 'z' ? "kept"
          : log[0]      ? "text"
                        : "empty");
        FREE();
        x = XSENT;
        T(F("v2-%s-nulls", w), O.oGraphInstantiate_v2(&x, q, NULL, NULL, 0), "exec=%s", hs_(x));
        FREE();
        x = XSENT;
        T(F("v2-%s-log0", w), O.oGraphInstantiate_v2(&x, q, NULL, log, 0), "exec=%s", hs_(x));
        FREE();
        x = XSENT;
        T(F("v2-%s-null-log-size", w), O.oGraphInstantiate_v2(&x, q, NULL, NULL, 100), "exec=%s",
          hs_(x));
        FREE();
        for (int f = 0; f < 32; f++) {
            x = XSENT;
            T(F("flags-%s-%d", w, f), P.cuGraphInstantiate(&x, q, f), "exec=%s", hs_(x));
            if (x && x != XSENT) {
                cuuint64_t fl = 99;
                T(F("flags-%s-%d-get", w, f), P.cuGraphExecGetFlags(x, &fl), "fl=%llu run=%s",
                  (unsigned long long)fl, f & 4 ? "-" : runx(x, S[0]));
            }
            FREE();
        }
        for (int f = 5; f < 64; f += 13) {
            x = XSENT;
            T(F("flags-%s-bit%d", w, f), P.cuGraphInstantiate(&x, q, 1ull << f), "exec=%s", hs_(x));
            FREE();
        }
        for (int f = 0; f < 17; f++)
            for (int st = 0; st < 2; st++) {
                CUDA_GRAPH_INSTANTIATE_PARAMS p;
                memset(&p, 0, sizeof p);
                p.flags = f;
                p.hUploadStream = st ? S[0] : NULL;
                p.result_out = 77;
                p.hErrNode_out = NSENT;
                x = XSENT;
                T(F("params-%s-%d-%s", w, f, st ? "stream" : "nostream"),
                  P.cuGraphInstantiateWithParams(&x, q, &p),
                  "exec=%s result=%s errnode=%s flags=%llu", hs_(x), irn(p.result_out),
                  hs_(p.hErrNode_out), (unsigned long long)p.flags);
                P.cuCtxSynchronize();
                FREE();
            }
    }
    T("v1-null-out", O.oGraphInstantiate(NULL, g, NULL, NULL, 0));
    T("v2-null-out", O.oGraphInstantiate_v2(NULL, g, NULL, NULL, 0));
    T("flags-null-out", P.cuGraphInstantiate(NULL, g, 0));
    CUDA_GRAPH_INSTANTIATE_PARAMS p;
    memset(&p, 0, sizeof p);
    T("params-null-out", P.cuGraphInstantiateWithParams(NULL, g, &p));
    x = XSENT;
    T("params-null-params", P.cuGraphInstantiateWithParams(&x, g, NULL), "exec=%s", hs_(x));
    x = XSENT;
    T("v1-null-graph", O.oGraphInstantiate(&x, NULL, NULL, NULL, 0), "exec=%s", hs_(x));
    x = XSENT;
    T("v2-null-graph", O.oGraphInstantiate_v2(&x, NULL, NULL, NULL, 0), "exec=%s", hs_(x));
    x = XSENT;
    T("flags-null-graph", P.cuGraphInstantiate(&x, NULL, 0), "exec=%s", hs_(x));
    memset(&p, 0, sizeof p);
    p.result_out = 77;
    x = XSENT;
    T("params-null-graph", P.cuGraphInstantiateWithParams(&x, NULL, &p), "exec=%s result=%s",
      hs_(x), irn(p.result_out));
    cuuint64_t fl = 99;
    T("getflags-null", P.cuGraphExecGetFlags(NULL, &fl), "fl=%llu", (unsigned long long)fl);
    if (case_begin("getflags-null-out")) {
        x = inst(g, 0);
        CUresult r = x ? P.cuGraphExecGetFlags(x, NULL) : R_SKIP;
        case_end(r, " ");
    }
    T("destroy-null", P.cuGraphExecDestroy(NULL));
    T("upload-null", P.cuGraphUpload(NULL, S[0]));
    T("launch-null", P.cuGraphLaunch(NULL, S[0]));
    T("launch-null-null", P.cuGraphLaunch(NULL, NULL));
    T("launch_ptsz-null", O.oGraphLaunch_ptsz(NULL, NULL));
    for (int t = 0; t < TY_N; t++)
        for (int f = 0; f < 16; f++) {
            if (f & 2 && f != 2 && f != 6)
                continue;
            if (case_begin(F("node-%s-flags%d", tn(t), f))) {
                CUgraph h = mk();
                CUgraphNode n = addt(t, h, NULL, 0);
                CUgraphExec y = XSENT;
                CUDA_GRAPH_INSTANTIATE_PARAMS q;
                memset(&q, 0, sizeof q);
                q.flags = f;
                q.hUploadStream = f & 2 ? S[0] : NULL;
                q.result_out = 77;
                CUresult r = P.cuGraphInstantiateWithParams(&y, h, &q);
                P.cuCtxSynchronize();
                case_end(r, " node=%s exec=%s result=%s errnode=%s", hs_(n), hs_(y),
                         irn(q.result_out),
                         !q.hErrNode_out       ? "null"
                         : q.hErrNode_out == n ? "node"
                                               : "other");
                if (!r)
                    P.cuGraphExecDestroy(y);
                P.cuGraphDestroy(h);
            }
        }
    if (case_begin("devlaunch-two-ctx")) {
        CUgraph h = mk();
        addk(h, NULL, 0, K_NOP, 0, 0, 0);
        CUDA_KERNEL_NODE_PARAMS k = kp(K_NOP, 0, 0, 0, 0);
        k.func = fn2[K_NOP];
        CUgraphNode n = 0;
        CUresult r0 = P.cuGraphAddKernelNode(&n, h, NULL, 0, &k);
        CUDA_GRAPH_INSTANTIATE_PARAMS q;
        memset(&q, 0, sizeof q);
        q.flags = 4;
        q.result_out = 77;
        CUgraphExec y = XSENT;
        CUresult r = P.cuGraphInstantiateWithParams(&y, h, &q);
        case_end(r, " add=%s result=%s errnode=%s", en(r0), irn(q.result_out),
                 !q.hErrNode_out       ? "null"
                 : q.hErrNode_out == n ? "second"
                                       : "other");
    }
    if (case_begin("two-ctx")) {
        CUgraph h = mk();
        addk(h, NULL, 0, K_NOP, 0, 0, 0);
        CUDA_KERNEL_NODE_PARAMS k = kp(K_NOP, 0, 0, 0, 0);
        k.func = fn2[K_NOP];
        CUgraphNode n = 0;
        CUresult r0 = P.cuGraphAddKernelNode(&n, h, NULL, 0, &k);
        const char *q = rung(h);
        case_end(r0, " run=%s", q);
    }
    if (case_begin("many-execs")) {
        CUgraphExec v[64];
        CUresult r = 0;
        for (int i = 0; i < 64; i++) {
            v[i] = 0;
            CUresult q = P.cuGraphInstantiate(&v[i], g, 0);
            if (q)
                r = q;
        }
        int same = 0;
        for (int i = 1; i < 64; i++)
            same += v[i] == v[i - 1];
        for (int i = 0; i < 64; i++)
            if (v[i])
                P.cuGraphExecDestroy(v[i]);
        case_end(r, " same=%d", same);
    }
    if (case_begin("exec-outlives-graph")) {
        bzero_all();
        CUgraph h = mk();
        addk(h, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec y = inst(h, 0);
        CUresult r = P.cuGraphDestroy(h);
        const char *q = runx(y, S[0]);
        case_end(r, " run=%s b0=%s", q, bw(0));
        if (y)
            P.cuGraphExecDestroy(y);
    }
    if (case_begin("exec-is-snapshot")) {
        bzero_all();
        CUgraph h = mk();
        CUgraphNode n = addk(h, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec y = inst(h, 0);
        CUDA_KERNEL_NODE_PARAMS k = kp(K_SET, B[1], 0, 64, 9);
        CUresult r = P.cuGraphKernelNodeSetParams(n, &k);
        addk(h, NULL, 0, K_SET, B[2], 64, 8);
        const char *q = runx(y, S[0]);
        case_end(r, " run=%s b0=%s b1=%s b2=%s", q, bw(0), bw(1), bw(2));
        if (y)
            P.cuGraphExecDestroy(y);
    }
}
static CUresult thr_launch(void *x)
{
    return P.cuGraphLaunch(x, S[1]);
}
GROUP(310, launchg, "launch")
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
    for (size_t i = 0; i < A(st); i++) {
        if (case_begin(F("stream-%s", st[i].n))) {
            bzero_all();
            CUgraph g = mk();
            addk(g, NULL, 0, K_SET, B[0], 64, 4);
            CUgraphExec x = inst(g, 0);
            CUresult u = x ? P.cuGraphUpload(x, st[i].s) : R_SKIP;
            CUresult r = x ? P.cuGraphLaunch(x, st[i].s) : R_SKIP;
            const char *q = SY(st[i].s);
            case_end(r, " upload=%s sync=%s b0=%s", en(u), q, bw(0));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("stream-%s-empty", st[i].n))) {
            CUgraph g = mk();
            CUgraphExec x = inst(g, 0);
            CUresult r = x ? P.cuGraphLaunch(x, st[i].s) : R_SKIP;
            const char *q = SY(st[i].s);
            case_end(r, " sync=%s", q);
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
    }
    if (case_begin("ptsz-null")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        CUresult u = x ? O.oGraphUpload_ptsz(x, NULL) : R_SKIP,
                 r = x ? O.oGraphLaunch_ptsz(x, NULL) : R_SKIP;
        const char *q = SYC();
        case_end(r, " upload=%s sync=%s b0=%s", en(u), q, bw(0));
        if (x)
            P.cuGraphExecDestroy(x);
    }
    if (case_begin("stream-of-ctx2")) {
        bzero_all();
        P.cuCtxSetCurrent(ctx2);
        CUstream s = mkstream(0);
        P.cuCtxSetCurrent(ctx);
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        CUresult r = x ? P.cuGraphLaunch(x, s) : R_SKIP;
        const char *q = SY(s);
        case_end(r, " sync=%s b0=%s", q, bw(0));
    }
    if (case_begin("ctx2-current")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        P.cuCtxSetCurrent(ctx2);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        const char *q = SY(S[0]);
        CUresult r0 = x ? P.cuGraphLaunch(x, NULL) : R_SKIP;
        const char *q0 = SYC();
        P.cuCtxSetCurrent(ctx);
        P.cuCtxSynchronize();
        case_end(r, " sync=%s null=%s sync=%s b0=%s", q, en(r0), q0, bw(0));
    }
    if (case_begin("no-ctx-current")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        P.cuCtxSetCurrent(NULL);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP,
                 r0 = x ? P.cuGraphLaunch(x, NULL) : R_SKIP,
                 u = x ? P.cuGraphUpload(x, S[0]) : R_SKIP,
                 d = x ? P.cuGraphExecDestroy(x) : R_SKIP;
        P.cuCtxSetCurrent(ctx);
        P.cuCtxSynchronize();
        case_end(r, " null=%s upload=%s destroy=%s b0=%s", en(r0), en(u), en(d), bw(0));
    }
    if (case_begin("other-thread")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        CUresult r = x ? in_thread(thr_launch, x) : R_SKIP;
        const char *q = runx(x, S[1]);
        case_end(r, " run=%s b0=%s", q, bw(0));
    }
    for (int same = 0; same < 2; same++)
        if (case_begin(same ? "twice-one-stream" : "twice-two-streams")) {
            bzero_all();
            CUgraph g = mk();
            CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], NW, 1);
            addk(g, &n, 1, K_MUL, B[0], NW, 3);
            CUgraphExec x = inst(g, 0);
            CUresult r = 0;
            for (int i = 0; i < 10 && x; i++) {
                CUresult q = P.cuGraphLaunch(x, same ? S[0] : S[i % 3]);
                if (q)
                    r = q;
            }
            const char *q = SYC();
            case_end(r, " sync=%s b0=%s", q, bw(0));
            if (x)
                P.cuGraphExecDestroy(x);
        }
    if (case_begin("two-execs-one-stream")) {
        bzero_all();
        CUgraph g = mk(), h = mk();
        addk(g, NULL, 0, K_ADD, B[0], NW, 1);
        addk(h, NULL, 0, K_MUL, B[0], NW, 3);
        CUgraphExec x = inst(g, 0), y = inst(h, 0);
        CUresult r = 0;
        for (int i = 0; i < 20 && x && y; i++) {
            CUresult q = P.cuGraphLaunch(i & 1 ? y : x, S[0]);
            if (q)
                r = q;
        }
        const char *q = SYC();
        case_end(r, " sync=%s b0=%s", q, bw(0));
    }
    if (case_begin("destroy-exec-running")) {
        bzero_all();
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 300;
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        block(S[0], &b);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        CUresult d = x ? P.cuGraphExecDestroy(x) : R_SKIP;
        unblock(&b);
        const char *q = SY(S[0]);
        case_end(r, " destroy=%s sync=%s b0=%s", en(d), q, bw(0));
    }
    if (case_begin("launch-is-async")) {
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 400;
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        block(S[0], &b);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        int early = b.done;
        CUresult qs = P.cuStreamQuery(S[0]);
        unblock(&b);
        const char *q = SY(S[0]);
        case_end(r, " returned-before=%d query=%s sync=%s", !early, en(qs), q);
    }
    if (case_begin("launch-while-running")) {
        bzero_all();
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 400;
        CUgraph g = mk();
        addk(g, NULL, 0, K_ADD, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        block(S[0], &b);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP,
                 r2 = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP,
                 r3 = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        unblock(&b);
        const char *q = SY(S[0]);
        case_end(r, " %s %s sync=%s b0=%s", en(r2), en(r3), q, bw(0));
    }
    if (case_begin("same-exec-blocked-then-other-stream")) {
        bzero_all();
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 400;
        CUgraph g = mk();
        addk(g, NULL, 0, K_ADD, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        block(S[3], &b);
        CUresult r = x ? P.cuGraphLaunch(x, S[3]) : R_SKIP,
                 r2 = x ? P.cuGraphLaunch(x, S[4]) : R_SKIP;
        unblock(&b);
        const char *q = SY(S[4]), *q2 = SY(S[3]);
        case_end(r, " %s sync=%s,%s b0=%s", en(r2), q, q2, bw(0));
    }
    if (case_begin("order-after-stream-work")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_MUL, B[0], NW, 2);
        CUgraphExec x = inst(g, 0);
        P.cuMemsetD32Async(B[0], 5, NW, S[0]);
        CUresult r = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        P.cuMemcpyDtoDAsync(B[1], B[0], NBY, S[0]);
        const char *q = SY(S[0]);
        case_end(r, " sync=%s b0=%s b1=%s", q, bw(0), bw(1));
    }
    if (case_begin("order-event")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], NW, 2);
        CUgraphExec x = inst(g, 0);
        CUresult r = x ? P.cuGraphLaunch(x, S[3]) : R_SKIP;
        P.cuEventRecord(E[0], S[3]);
        P.cuStreamWaitEvent(S[4], E[0], 0);
        P.cuMemcpyDtoDAsync(B[1], B[0], NBY, S[4]);
        const char *q = SY(S[4]);
        case_end(r, " sync=%s b1=%s", q, bw(1));
    }
    if (case_begin("event-node-orders-streams")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_SET, B[0], NW, 2);
        addr(g, &n, 1, E[0]);
        CUgraphExec x = inst(g, 0);
        CUresult r = x ? P.cuGraphLaunch(x, S[3]) : R_SKIP;
        P.cuStreamWaitEvent(S[4], E[0], 0);
        P.cuMemcpyDtoDAsync(B[1], B[0], NBY, S[4]);
        const char *q = SY(S[4]);
        P.cuCtxSynchronize();
        case_end(r, " sync=%s b1=%s", q, bw(1));
    }
    if (case_begin("upload-then-launch")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SET, B[0], 64, 4);
        CUgraphExec x = inst(g, 0);
        CUresult u = x ? P.cuGraphUpload(x, S[0]) : R_SKIP,
                 u2 = x ? P.cuGraphUpload(x, S[3]) : R_SKIP;
        const char *q = runx(x, S[0]);
        CUresult u3 = x ? P.cuGraphUpload(x, S[0]) : R_SKIP;
        case_end(u, " again=%s after=%s run=%s b0=%s", en(u2), en(u3), q, bw(0));
    }
    if (case_begin("changed-memory")) {
        CUgraph g = mk();
        addc(g, NULL, 0, B[1], B[0], NBY);
        CUgraphExec x = inst(g, 0);
        bset(0, 10);
        const char *q = runx(x, S[0]), *a = bw(1);
        bset(0, 999);
        const char *q2 = runx(x, S[0]);
        case_end(0, " run=%s,%s %s then %s", q, q2, a, bw(1));
    }
    if (case_begin("hundred-launches")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_INC, B[0], 1, 0);
        addh(g, &n, 1, 7);
        hcount[7] = 0;
        CUgraphExec x = inst(g, 0);
        CUresult r = 0;
        for (int i = 0; i < 100 && x; i++) {
            CUresult q = P.cuGraphLaunch(x, S[0]);
            if (q)
                r = q;
        }
        const char *q = SY(S[0]);
        case_end(r, " sync=%s b0=%u host=%d", q, w0(B[0]), hcount[7]);
    }
}
GROUP(320, datag, "data")
{
    gsetup();
    independent = 1;
    static const int len[] = {1, 2, 3, 10, 100, 1000};
    for (size_t i = 0; i < A(len); i++)
        if (case_begin(F("chain-%d", len[i]))) {
            bzero_all();
            CUgraph g = mk();
            CUgraphNode p = 0;
            for (int k = 0; k < len[i]; k++)
                p = addk(g, p ? &p : NULL, p != NULL, k & 1 ? K_MUL : K_ADD, B[0], 64, 3 + k % 5);
            const char *q = rung(g);
            case_end(0, " run=%s b0=%s %s", q, bw(0), shape(g));
            P.cuGraphDestroy(g);
        }
    for (size_t i = 0; i < A(len); i++)
        if (case_begin(F("fanout-%d", len[i]))) {
            bzero_all();
            CUgraph g = mk();
            CUgraphNode *m = calloc(1000, sizeof *m);
            CUgraphNode r = adds(g, NULL, 0, B[0], 5, 4, NW);
            for (int k = 0; k < len[i]; k++)
                m[k] = addk(g, &r, 1, K_ADD, B[0] + 16 * k, 4, k);
            addc(g, m, len[i], B[1], B[0], NBY);
            free(m);
            const char *q = rung(g);
            case_end(0, " run=%s b0=%s b1=%s %s", q, bw(0), bw(1), shape(g));
            P.cuGraphDestroy(g);
        }
    for (int w = 2; w <= 6; w += 2)
        if (case_begin(F("layers-%d", w))) {
            bzero_all();
            for (int i = 0; i < w; i++)
                bset(i, i * 100);
            CUgraph g = mk();
            CUgraphNode prev[8], cur[8];
            size_t np = 0;
            memset(cur, 0, sizeof cur);
            for (int l = 0; l < 8; l++) {
                for (int k = 0; k < w; k++) {
                    cur[k] = l & 1 ? addmix(g, prev, np, B[k], B[7], 512, l + k)
                                   : addk(g, prev, np, K_MUL, B[k], 512, 3 + k);
                }
                if (l & 1) {
                    prev[0] = addc(g, cur, w, B[7], B[l % w], 2048);
                    np = 1;
                } else {
                    memcpy(prev, cur, sizeof prev);
                    np = w;
                }
            }
            const char *q = rung(g);
            case_end(0, " run=%s sum=%s", q, bsum());
            P.cuGraphDestroy(g);
        }
    if (case_begin("diamond")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode a = adds(g, NULL, 0, B[0], 3, 4, NW), b = addc(g, &a, 1, B[1], B[0], NBY),
                    c = addc(g, &a, 1, B[2], B[0], NBY), b2 = addk(g, &b, 1, K_ADD, B[1], NW, 10),
                    c2 = addk(g, &c, 1, K_MUL, B[2], NW, 4);
        CUgraphNode d[2] = {b2, c2};
        addmix(g, d, 2, B[1], B[2], NW, 2);
        const char *q = rung(g);
        case_end(0, " run=%s b0=%s b1=%s b2=%s", q, bw(0), bw(1), bw(2));
    }
    for (int depth = 1; depth <= 5; depth++)
        if (case_begin(F("nested-%d", depth))) {
            bzero_all();
            CUgraph c = mk();
            CUgraphNode n = addk(c, NULL, 0, K_ADD, B[0], 64, 1);
            addk(c, &n, 1, K_MUL, B[0], 64, 2);
            for (int k = 0; k < depth; k++) {
                CUgraph p = mk();
                CUgraphNode a = addg(p, NULL, 0, c);
                CUgraphNode m = addk(p, &a, 1, K_ADD, B[0], 64, 100 * (k + 1));
                addg(p, &m, 1, c);
                P.cuGraphDestroy(c);
                c = p;
            }
            const char *q = rung(c);
            case_end(0, " run=%s b0=%s", q, bw(0));
        }
    if (case_begin("mix")) {
        bzero_all();
        hcount[2] = 0;
        for (int i = 0; i < NW; i++)
            H[0][i] = i * 3;
        CUgraph g = mk();
        CUDA_MEMCPY3D c1 = chd(B[0], H[0], NBY), c2 = cdh(H[1], B[1], NBY),
                      c3 = chh(H[2], H[1], NBY);
        CUgraphNode a = 0, b, d = 0, e = 0, f;
        CUresult r = P.cuGraphAddMemcpyNode(&a, g, NULL, 0, &c1, ctx);
        b = addk(g, &a, 1, K_ADD, B[0], NW, 7);
        CUgraphNode z = adds(g, NULL, 0, B[1], 0x01010101, 4, NW);
        CUgraphNode dd[2] = {b, z};
        CUgraphNode m = addmix(g, dd, 2, B[1], B[0], NW, 5);
        CUresult r2 = P.cuGraphAddMemcpyNode(&d, g, &m, 1, &c2, ctx);
        f = addh(g, &d, 1, 2);
        CUresult r3 = P.cuGraphAddMemcpyNode(&e, g, &f, 1, &c3, ctx);
        const char *q = rung(g);
        case_end(r, " %s %s run=%s host=%d b1=%s h1=%08x h2=%08x", en(r2), en(r3), q, hcount[2],
                 bw(1), sum(H[1], NBY), sum(H[2], NBY));
    }
    if (case_begin("shared-memory-kernel")) {
        bzero_all();
        CUgraph g = mk();
        addk(g, NULL, 0, K_SHM, B[0], 256, 11);
        const char *q = rung(g);
        case_end(0, " run=%s b0=%s", q, bw(0));
    }
    if (case_begin("empty-nodes-order")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode a = addk(g, NULL, 0, K_SET, B[0], NW, 1),
                    b = addk(g, NULL, 0, K_SET, B[1], NW, 2);
        CUgraphNode d[2] = {a, b};
        CUgraphNode j = adde(g, d, 2);
        addmix(g, &j, 1, B[0], B[1], NW, 3);
        addc(g, &j, 1, B[2], B[1], NBY);
        const char *q = rung(g);
        case_end(0, " run=%s b0=%s b2=%s", q, bw(0), bw(2));
    }
    if (case_begin("memset2d")) {
        bzero_all();
        CUgraph g = mk();
        CUDA_MEMSET_NODE_PARAMS m = ms(B[0] + 8, 0xab, 1, 10, 5, 64);
        CUgraphNode n = 0;
        CUresult r = P.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, ctx);
        const char *q = rung(g);
        case_end(r, " run=%s b0=%s", q, bw(0));
    }
    if (case_begin("global-variable")) {
        dp gv = 0;
        size_t sz = 0;
        if (mod)
            P.cuModuleGetGlobal(&gv, &sz, mod, "gvar");
        bzero_all();
        CUgraph g = mk();
        CUgraphNode n = adds(g, NULL, 0, gv, 42, 4, 16);
        addc(g, &n, 1, B[0], gv, 64);
        const char *q = rung(g);
        case_end(0, " size=%zu run=%s b0=%s", sz, q, bw(0));
    }
    if (case_begin("same-child-parallel")) {
        bzero_all();
        CUgraph c = mk();
        adds(c, NULL, 0, B[0], 9, 4, 64);
        CUgraph g = mk();
        CUgraphNode a = addg(g, NULL, 0, c), b = addg(g, &a, 1, c), d = addg(g, &b, 1, c);
        (void)d;
        const char *q = rung(g);
        case_end(0, " run=%s b0=%s %s", q, bw(0), shape(g));
    }
}
/* ---- memory nodes ---- */
static CUDA_MEM_ALLOC_NODE_PARAMS ap(size_t n)
{
    CUDA_MEM_ALLOC_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    x.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    x.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    x.poolProps.location.id = dev;
    x.bytesize = n;
    return x;
}
static CUmemAccessDesc ad[3];
#define AV(X)                                                                                      \
    X(plain, )                                                                                     \
    X(size0, p.bytesize = 0) X(size1, p.bytesize = 1) X(size2m, p.bytesize = 2 * MB) X(            \
        size1g, p.bytesize = GB) X(size_huge, p.bytesize = (size_t)1 << 50)                        \
        X(size_max, p.bytesize = SIZE_MAX) X(type0, p.poolProps.allocType = 0) X(                  \
            type2, p.poolProps.allocType = 2) X(typemax, p.poolProps.allocType = 0x7fffffff)       \
            X(loc0, p.poolProps.location.type = 0) X(loc_host, p.poolProps.location.type = 2) X(   \
                loc_numa, p.poolProps.location.type = 3) X(loc_id1, p.poolProps.location.id = 1)   \
                X(loc_idm1, p.poolProps.location.id = -1) X(handle_fd,                             \
                                                            p.poolProps.handleTypes = 1)           \
                    X(handle_bad, p.poolProps.handleTypes = 0x40)                                  \
                        X(maxsize, p.poolProps.maxSize = 4096) X(usage1, p.poolProps.usage = 1) X( \
                            usage_max, p.poolProps.usage = 0xffff)                                 \
                            X(reserved, p.poolProps.reserved[0] = 1) X(dptr_in, p.dptr = 0x1234)   \
                                X(acc_self, p.accessDescs = ad;                                    \
                                  p.accessDescCount = 1) X(acc_null1, p.accessDescCount = 1)       \
                                    X(acc_count0, p.accessDescs = ad)                              \
                                        X(acc_none, ad[0].flags = 0; p.accessDescs = ad;           \
                                          p.accessDescCount = 1) X(acc_read, ad[0].flags = 1;      \
                                                                   p.accessDescs = ad;             \
                                                                   p.accessDescCount = 1)          \
                                            X(acc_bad, ad[0].flags = 7; p.accessDescs = ad;        \
                                              p.accessDescCount =                                  \
                                                  1) X(acc_host, ad[0].location.type = 2;          \
                                                       p.accessDescs = ad; p.accessDescCount = 1)  \
                                                X(acc_dev1, ad[0].location.id = 1;                 \
                                                  p.accessDescs = ad; p.accessDescCount = 1)       \
                                                    X(acc_twice, ad[1] = ad[0];                    \
                                                      p.accessDescs = ad; p.accessDescCount = 2)
#define AVD_(n, ...)                                                                               \
    static void av_##n(CUDA_MEM_ALLOC_NODE_PARAMS *pp)                                             \
    {                                                                                              \
        CUDA_MEM_ALLOC_NODE_PARAMS p = *pp;                                                        \
        __VA_ARGS__;                                                                               \
        *pp = p;                                                                                   \
    }
AV(AVD_)
#define AVR_(n, ...) {#n, av_##n},
static const struct {
    const char *n;
    void (*f)(CUDA_MEM_ALLOC_NODE_PARAMS *);
} avs[] = {AV(AVR_)};
static void gm(unsigned long long v[4])
{
    for (int i = 0; i < 4; i++) {
        cuuint64_t x = 77;
        v[i] = P.cuDeviceGetGraphMemAttribute(dev, i, &x) ? 999 : x;
    }
}
GROUP(330, memnodes, "mem-nodes")
{
    gsetup();
    independent = 1;
    for (size_t i = 0; i < A(avs); i++)
        if (case_begin(F("add-%s", avs[i].n))) {
            memset(ad, 0, sizeof ad);
            ad[0].location.type = 1;
            ad[0].location.id = dev;
            ad[0].flags = 3;
            CUDA_MEM_ALLOC_NODE_PARAMS p = ap(4096);
            avs[i].f(&p);
            dp in = p.dptr;
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddMemAllocNode(&n, g, NULL, 0, &p);
            case_end(r, " node=%s dptr=%s a512=%d (%s)", hs_(n),
                     p.dptr == in ? "kept"
                     : p.dptr     ? "set"
                                  : "0",
                     !r && p.dptr % 512 == 0, r ? "-" : npar(n));
            P.cuGraphDestroy(g);
        }
    for (size_t i = 0; i < A(avs); i++)
        if (case_begin(F("generic-%s", avs[i].n))) {
            memset(ad, 0, sizeof ad);
            ad[0].location.type = 1;
            ad[0].location.id = dev;
            ad[0].flags = 3;
            CUDA_MEM_ALLOC_NODE_PARAMS p = ap(4096);
            avs[i].f(&p);
            CUgraphNodeParams q;
            memset(&q, 0, sizeof q);
            q.type = 10;
            memcpy(&q.alloc, &p, sizeof p);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &q);
            case_end(r, " node=%s dptr=%s", hs_(n), q.alloc.dptr ? "set" : "0");
            P.cuGraphDestroy(g);
        }
    if (case_begin("getparams")) {
        CUgraph g = mk();
        CUDA_MEM_ALLOC_NODE_PARAMS p = ap(5000), q;
        memset(ad, 0, sizeof ad);
        ad[0].location.type = 1;
        ad[0].flags = 3;
        p.accessDescs = ad;
        p.accessDescCount = 1;
        CUgraphNode n = 0;
        CUresult r0 = P.cuGraphAddMemAllocNode(&n, g, NULL, 0, &p);
        memset(&q, 0, sizeof q);
        CUresult r = r0 ? R_SKIP : P.cuGraphMemAllocNodeGetParams(n, &q);
        case_end(r, " same-dptr=%d size=%zu count=%zu same-array=%d flags=%d", q.dptr == p.dptr,
                 q.bytesize, q.accessDescCount, q.accessDescs == ad,
                 !r && q.accessDescs && q.accessDescCount ? (int)q.accessDescs[0].flags : -1);
    }
    if (case_begin("two-differ")) {
        CUgraph g = mk();
        dp a = 0, b = 0;
        adda(g, NULL, 0, 4096, &a);
        adda(g, NULL, 0, 4096, &b);
        case_end(0, " differ=%d", a != b);
    }
    if (case_begin("freed-then-alloc-reuses-address")) {
        CUgraph g = mk();
        dp a = 0, b = 0;
        CUgraphNode n = adda(g, NULL, 0, 4096, &a), f = addf(g, &n, 1, a);
        adda(g, &f, 1, 4096, &b);
        case_end(0, " same=%d", a && a == b);
    }
    if (case_begin("address-attr-before-launch")) {
        CUgraph g = mk();
        dp a = 0;
        adda(g, NULL, 0, 4096, &a);
        unsigned mt = 99;
        CUresult r = P.cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a);
        unsigned w;
        CUresult r2 = P.cuMemcpyDtoH(&w, a, 4);
        dp ba = SENT;
        size_t sz = 0;
        CUresult r3 = P.cuMemGetAddressRange(&ba, &sz, a);
        case_end(r, " type=%u read=%s range=%s size=%zu", r ? 0 : mt, en(r2), en(r3), r3 ? 0 : sz);
    }
    /* alloc, use, free inside the graph */
    if (case_begin("alloc-use-free")) {
        bzero_all();
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), k = addk(g, &n, 1, K_SET, a, NW, 3),
                    c = addc(g, &k, 1, B[0], a, NBY);
        addf(g, &c, 1, a);
        CUgraphExec x = inst(g, 0);
        const char *q = runx(x, S[0]), *v1 = bw(0);
        bzero_all();
        const char *q2 = runx(x, S[0]);
        case_end(0, " exec=%s run=%s,%s %s %s", hs_(x), q, q2, v1, bw(0));
        if (x)
            P.cuGraphExecDestroy(x);
    }
    if (case_begin("alloc-kept-after-launch")) {
        bzero_all();
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a);
        addk(g, &n, 1, K_SET, a, NW, 3);
        CUgraphExec x = inst(g, 0);
        const char *q = runx(x, S[0]);
        CUresult r = a ? P.cuMemcpyDtoD(B[0], a, NBY) : R_SKIP;
        P.cuCtxSynchronize();
        const char *v = bw(0);
        CUresult again = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        P.cuCtxSynchronize();
        CUresult f = a ? P.cuMemFreeAsync(a, S[0]) : R_SKIP;
        P.cuStreamSynchronize(S[0]);
        CUresult third = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        P.cuCtxSynchronize();
        CUresult f2 = a ? P.cuMemFree(a) : R_SKIP, f3 = a ? P.cuMemFree(a) : R_SKIP;
        case_end(r,
                 " exec=%s run=%s b0=%s relaunch-unfreed=%s free-async=%s relaunch=%s free=%s "
                 "free-again=%s",
                 hs_(x), q, v, en(again), en(f), en(third), en(f2), en(f3));
        if (x)
            P.cuGraphExecDestroy(x);
    }
    if (case_begin("auto-free-relaunch")) {
        bzero_all();
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a);
        addk(g, &n, 1, K_SET, a, NW, 3);
        CUgraphExec x = inst(g, 1);
        CUresult r[4];
        for (int i = 0; i < 4; i++) {
            r[i] = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        }
        const char *q = SY(S[0]);
        CUresult c = a ? P.cuMemcpyDtoD(B[0], a, NBY) : R_SKIP;
        P.cuCtxSynchronize();
        case_end(r[0], " exec=%s %s %s %s sync=%s read=%s b0=%s", hs_(x), en(r[1]), en(r[2]),
                 en(r[3]), q, en(c), bw(0));
        if (x)
            P.cuGraphExecDestroy(x);
    }
    if (case_begin("free-in-other-graph")) {
        bzero_all();
        CUgraph g = mk(), h = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a);
        addk(g, &n, 1, K_SET, a, NW, 6);
        CUgraphNode c = addc(h, NULL, 0, B[0], a, NBY), f = NSENT;
        CUresult r = c ? P.cuGraphAddMemFreeNode(&f, h, &c, 1, a) : R_SKIP;
        CUgraphExec x = inst(g, 0), y = inst(h, 0);
        CUresult e[5];
        e[0] = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        e[1] = y ? P.cuGraphLaunch(y, S[0]) : R_SKIP;
        e[2] = y ? P.cuGraphLaunch(y, S[0]) : R_SKIP;
        e[3] = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        e[4] = y ? P.cuGraphLaunch(y, S[0]) : R_SKIP;
        const char *q = SY(S[0]);
        case_end(r, " copy=%s node=%s alloc=%s free=%s free2=%s alloc2=%s free3=%s sync=%s b0=%s",
                 hs_(c), hs_(f), en(e[0]), en(e[1]), en(e[2]), en(e[3]), en(e[4]), q, bw(0));
    }
    if (case_begin("free-node-double")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), f = NSENT, f2 = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, &n, 1, a),
                 r2 = P.cuGraphAddMemFreeNode(&f2, g, &n, 1, a);
        case_end(r, " second=%s node=%s", en(r2), hs_(f2));
    }
    if (case_begin("free-node-no-dep")) {
        CUgraph g = mk();
        dp a = 0;
        adda(g, NULL, 0, NBY, &a);
        CUgraphNode f = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        CUgraphExec x = XSENT;
        CUresult i = P.cuGraphInstantiate(&x, g, 0);
        case_end(r, " node=%s inst=%s", hs_(f), en(i));
    }
    if (case_begin("free-node-before-alloc")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode e = adde(g, NULL, 0), n = adda(g, &e, 1, NBY, &a), f = NSENT;
        (void)n;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        CUresult d = f != NSENT ? P.cuGraphAddDependencies(g, &f, &e, NULL, 1) : R_SKIP;
        CUgraphExec x = XSENT;
        CUresult i = P.cuGraphInstantiate(&x, g, 0);
        case_end(r, " dep=%s inst=%s", en(d), en(i));
    }
    if (case_begin("free-node-interior")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), f = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, &n, 1, a + 256);
        case_end(r, " node=%s", hs_(f));
    }
    if (case_begin("free-node-ordinary-memory")) {
        CUgraph g = mk();
        CUgraphNode f = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, NULL, 0, B[0]);
        case_end(r, " node=%s", hs_(f));
    }
    if (case_begin("free-node-async-memory")) {
        dp a = 0;
        P.cuMemAllocAsync(&a, 4096, S[0]);
        P.cuStreamSynchronize(S[0]);
        CUgraph g = mk();
        CUgraphNode f = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        const char *q = r ? "-" : rung(g);
        case_end(r, " node=%s run=%s", hs_(f), q);
    }
    if (case_begin("free-node-host")) {
        CUgraph g = mk();
        CUgraphNode f = NSENT;
        CUresult r = P.cuGraphAddMemFreeNode(&f, g, NULL, 0, (dp)(uintptr_t)H[0]);
        case_end(r, " node=%s", hs_(f));
    }
    if (case_begin("free-get")) {
        CUgraph g = mk();
        dp a = 0, o = SENT;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), f = addf(g, &n, 1, a);
        CUresult r = f ? P.cuGraphMemFreeNodeGetParams(f, &o) : R_SKIP;
        case_end(r, " same=%d", o == a);
    }
    if (case_begin("free-before-launch")) {
        CUgraph g = mk();
        dp a = 0;
        adda(g, NULL, 0, NBY, &a);
        CUresult r = a ? P.cuMemFree(a) : R_SKIP, r2 = a ? P.cuMemFreeAsync(a, S[0]) : R_SKIP;
        case_end(r, " async=%s", en(r2));
    }
    if (case_begin("instantiate-twice-with-alloc")) {
        CUgraph g = mk();
        adda(g, NULL, 0, NBY, NULL);
        CUgraphExec x = XSENT, y = XSENT;
        CUresult r = P.cuGraphInstantiate(&x, g, 0), r2 = P.cuGraphInstantiate(&y, g, 0);
        CUresult d = r ? R_SKIP : P.cuGraphExecDestroy(x);
        CUgraphExec z = XSENT;
        CUresult r3 = P.cuGraphInstantiate(&z, g, 0);
        case_end(r, " second=%s exec=%s destroy=%s third=%s", en(r2), hs_(y), en(d), en(r3));
    }
    if (case_begin("instantiate-twice-alloc-freed")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a);
        addf(g, &n, 1, a);
        CUgraphExec x = XSENT, y = XSENT;
        CUresult r = P.cuGraphInstantiate(&x, g, 0), r2 = P.cuGraphInstantiate(&y, g, 0);
        case_end(r, " second=%s exec=%s", en(r2), hs_(y));
    }
    if (case_begin("edit-after-alloc")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), e = adde(g, &n, 1);
        CUresult r = P.cuGraphRemoveDependencies(g, &n, &e, NULL, 1), r2 = P.cuGraphDestroyNode(e),
                 r3 = P.cuGraphDestroyNode(n);
        CUgraph d = GSENT;
        CUresult r4 = P.cuGraphClone(&d, g);
        CUgraph p = mk();
        CUgraphNode c = NSENT;
        CUresult r5 = P.cuGraphAddChildGraphNode(&c, p, NULL, 0, g);
        case_end(r, " destroy-other=%s destroy-alloc=%s clone=%s child=%s %s", en(r2), en(r3),
                 en(r4), en(r5), shape(g));
    }
    if (case_begin("exec-destroy-keeps-memory")) {
        CUgraph g = mk();
        dp a = 0;
        adda(g, NULL, 0, NBY, &a);
        CUgraphExec x = inst(g, 0);
        const char *q = runx(x, S[0]);
        CUresult d = x ? P.cuGraphExecDestroy(x) : R_SKIP;
        P.cuGraphDestroy(g);
        unsigned w;
        CUresult r = a ? P.cuMemcpyDtoH(&w, a, 4) : R_SKIP;
        CUresult f = a ? P.cuMemFree(a) : R_SKIP;
        case_end(r, " run=%s destroy=%s free=%s", q, en(d), en(f));
    }
    if (case_begin("pointer-attrs-after-launch")) {
        CUgraph g = mk();
        dp a = 0;
        adda(g, NULL, 0, 5000, &a);
        CUgraphExec x = inst(g, 0);
        const char *q = runx(x, S[0]);
        unsigned mt = 99;
        CUresult r = a ? P.cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a) : R_SKIP;
        dp ba = 0;
        size_t sz = 0;
        CUresult r2 = a ? P.cuMemGetAddressRange(&ba, &sz, a) : R_SKIP;
        CUmemoryPool pool = 0;
        CUresult r3 =
            a ? P.cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, a) : R_SKIP;
        case_end(r, " run=%s type=%u range=%s base=%s size=%zu pool=%s %s", q, mt, en(r2),
                 rel(ba, a), sz, en(r3), hs_(pool));
        if (a)
            P.cuMemFree(a);
    }
    for (int t = 0; t < 3; t++)
        if (case_begin(F("alloc-flags-%d", 1 << t))) {
            CUgraph g = mk();
            dp a = 0;
            adda(g, NULL, 0, NBY, &a);
            CUgraphExec x = XSENT;
            CUDA_GRAPH_INSTANTIATE_PARAMS p;
            memset(&p, 0, sizeof p);
            p.flags = 1 << t;
            p.hUploadStream = t == 1 ? S[0] : 0;
            p.result_out = 77;
            CUresult r = P.cuGraphInstantiateWithParams(&x, g, &p);
            P.cuCtxSynchronize();
            case_end(r, " result=%s", irn(p.result_out));
            if (!r)
                P.cuGraphExecDestroy(x);
        }
    if (case_begin("auto-free-with-free-node")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a);
        addf(g, &n, 1, a);
        CUgraphExec x = inst(g, 1);
        const char *q = runx(x, S[0]), *q2 = runx(x, S[0]);
        case_end(0, " exec=%s run=%s,%s", hs_(x), q, q2);
    }
    if (case_begin("address-fixed-over-launches")) {
        CUgraph g = mk();
        dp a = 0;
        CUgraphNode n = adda(g, NULL, 0, NBY, &a), k = addk(g, &n, 1, K_SET, a, NW, 1),
                    c = addc(g, &k, 1, B[0], a, NBY);
        addf(g, &c, 1, a);
        CUgraphExec x = inst(g, 0);
        CUresult r = 0;
        for (int i = 0; i < 20 && x; i++) {
            CUresult q = P.cuGraphLaunch(x, S[0]);
            if (q)
                r = q;
        }
        const char *q = SY(S[0]);
        case_end(r, " sync=%s b0=%s", q, bw(0));
    }
}
GROUP(331, gmemattr, "mem-attr")
{
    gsetup();
    cuuint64_t v;
    for (int a = -1; a <= 5; a++) {
        v = 77;
        T(F("get-%d", a), P.cuDeviceGetGraphMemAttribute(dev, a, &v), "v=%llu",
          (unsigned long long)v);
    }
    for (int a = -1; a <= 5; a++) {
        static const cuuint64_t w[] = {0, 1, 4096, ~0ull};
        for (size_t i = 0; i < A(w); i++) {
            v = w[i];
            T(F("set-%d-%zu", a, i), P.cuDeviceSetGraphMemAttribute(dev, a, &v));
        }
    }
    T("get-null", P.cuDeviceGetGraphMemAttribute(dev, 0, NULL));
    T("set-null", P.cuDeviceSetGraphMemAttribute(dev, 1, NULL));
    v = 0;
    T("get-dev1", P.cuDeviceGetGraphMemAttribute(1, 0, &v));
    T("get-devm1", P.cuDeviceGetGraphMemAttribute(-1, 0, &v));
    T("set-dev1", P.cuDeviceSetGraphMemAttribute(1, 1, &v));
    T("trim", P.cuDeviceGraphMemTrim(dev));
    T("trim-dev1", P.cuDeviceGraphMemTrim(1));
    T("trim-devm1", P.cuDeviceGraphMemTrim(-1));
    unsigned long long m[4];
    CUgraph g = mk();
    dp a = 0;
    CUgraphNode n = adda(g, NULL, 0, 8 * MB, &a), f = addf(g, &n, 1, a);
    (void)f;
    gm(m);
    T("after-add", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    CUgraphExec x = inst(g, 0);
    gm(m);
    T("after-inst", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    const char *q = runx(x, S[0]);
    gm(m);
    T("after-run", 0, "%s %llu %llu %llu %llu", q, m[0], m[1], m[2], m[3]);
    P.cuDeviceGraphMemTrim(dev);
    gm(m);
    T("after-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    if (x)
        P.cuGraphExecDestroy(x);
    P.cuGraphDestroy(g);
    gm(m);
    T("after-destroy", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    P.cuDeviceGraphMemTrim(dev);
    gm(m);
    T("after-destroy-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    v = 0;
    T("reset-used-high", P.cuDeviceSetGraphMemAttribute(dev, 1, &v));
    T("reset-reserved-high", P.cuDeviceSetGraphMemAttribute(dev, 3, &v));
    gm(m);
    T("after-reset", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    g = mk();
    adda(g, NULL, 0, 4 * MB, &a);
    x = inst(g, 0);
    q = runx(x, S[0]);
    gm(m);
    T("held", 0, "%s %llu %llu %llu %llu", q, m[0], m[1], m[2], m[3]);
    T("trim-held", P.cuDeviceGraphMemTrim(dev));
    gm(m);
    T("held-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    T("free", a ? P.cuMemFree(a) : R_SKIP);
    gm(m);
    T("held-freed", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    if (x)
        P.cuGraphExecDestroy(x);
    P.cuGraphDestroy(g);
    P.cuDeviceGraphMemTrim(dev);
    gm(m);
    T("end", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    static const size_t sz[] = {1, 4096, 65536, MB, 2 * MB, 2 * MB + 1, 32 * MB, 33 * MB};
    for (size_t i = 0; i < A(sz); i++) {
        g = mk();
        a = 0;
        n = adda(g, NULL, 0, sz[i], &a);
        addf(g, &n, 1, a);
        x = inst(g, 0);
        gm(m);
        unsigned long long k[4];
        memcpy(k, m, sizeof k);
        q = runx(x, S[0]);
        gm(m);
        T(F("size-%zu", sz[i]), 0, "%s inst=%llu/%llu run=%llu/%llu high=%llu/%llu", q, k[0], k[2],
          m[0], m[2], m[1], m[3]);
        if (x)
            P.cuGraphExecDestroy(x);
        P.cuGraphDestroy(g);
        P.cuDeviceGraphMemTrim(dev);
        v = 0;
        P.cuDeviceSetGraphMemAttribute(dev, 1, &v);
        P.cuDeviceSetGraphMemAttribute(dev, 3, &v);
    }
    g = mk();
    n = adda(g, NULL, 0, 8 * MB, &a);
    addf(g, &n, 1, a);
    x = inst(g, 0);
    CUresult u = x ? P.cuGraphUpload(x, S[0]) : R_SKIP;
    P.cuStreamSynchronize(S[0]);
    gm(m);
    T("after-upload", u, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
}
