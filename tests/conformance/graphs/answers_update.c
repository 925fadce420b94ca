/* SPDX-License-Identifier: MIT */
/* Updates of executable graphs. */
#include "graph_recorder.h"
static CUresult thr_setk(void *u)
{
    void **a = u;
    return P.cuGraphExecKernelNodeSetParams(a[0], a[1], a[2]);
}
static CUgraph one_empty(void)
{
    CUgraph c = mk();
    adde(c, NULL, 0);
    return c;
}
/* every exec setter on every node type */
#define XF(X)                                                                                      \
    X(kernel, CUDA_KERNEL_NODE_PARAMS p = kp(K_ADD, B[4], 0, 32, 2);                               \
      return P.cuGraphExecKernelNodeSetParams(x, n, &p))                                           \
    X(kernel_v1, CUDA_KERNEL_NODE_PARAMS_v1 p = kp1(K_ADD, B[4], 0, 32, 2);                        \
      return O.oGraphExecKernelNodeSetParams(x, n, &p))                                            \
    X(memcpy, CUDA_MEMCPY3D p = cdd(B[4], B[5], 64);                                               \
      return P.cuGraphExecMemcpyNodeSetParams(x, n, &p, ctx))                                      \
    X(memset, CUDA_MEMSET_NODE_PARAMS p = ms(B[4], 1, 4, 16, 1, 0);                                \
      return P.cuGraphExecMemsetNodeSetParams(x, n, &p, ctx))                                      \
    X(host, CUDA_HOST_NODE_PARAMS p; memset(&p, 0, sizeof p); p.fn = hfn2; p.userData = (void *)3; \
      return P.cuGraphExecHostNodeSetParams(x, n, &p))                                             \
    X(child, return P.cuGraphExecChildGraphNodeSetParams(x, n, one_empty()))                       \
    X(evrecord, return P.cuGraphExecEventRecordNodeSetEvent(x, n, E[2]))                           \
    X(evwait, return P.cuGraphExecEventWaitNodeSetEvent(x, n, E[2])) X(                            \
        semsignal, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS p; memset(&p, 0, sizeof p);                     \
        return P.cuGraphExecExternalSemaphoresSignalNodeSetParams(x, n, &p))                       \
        X(semwait, CUDA_EXT_SEM_WAIT_NODE_PARAMS p; memset(&p, 0, sizeof p);                       \
          return P.cuGraphExecExternalSemaphoresWaitNodeSetParams(x, n, &p))                       \
            X(batch, CUstreamBatchMemOpParams o[1]; memset(o, 0, sizeof o); o[0].operation = 2;    \
              o[0].writeValue.address = B[3]; o[0].writeValue.value = 9;                           \
              CUDA_BATCH_MEM_OP_NODE_PARAMS p; memset(&p, 0, sizeof p); p.ctx = ctx; p.count = 1;  \
              p.paramArray = o; return P.cuGraphExecBatchMemOpNodeSetParams(x, n, &p))             \
                X(setenabled0, return P.cuGraphNodeSetEnabled(x, n, 0))                            \
                    X(setenabled1, return P.cuGraphNodeSetEnabled(x, n, 1))                        \
                        X(getenabled, unsigned e = 9; return P.cuGraphNodeGetEnabled(x, n, &e))
#define XFD_(n_, ...)                                                                              \
    static CUresult xf_##n_(CUgraphExec x, CUgraphNode n)                                          \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
XF(XFD_)
#define XFR_(n_, ...) {#n_, xf_##n_},
static const struct {
    const char *n;
    CUresult (*f)(CUgraphExec, CUgraphNode);
} xfs[] = {XF(XFR_)};
GROUP(400, xmatrix, "exec-wrongtype")
{
    gsetup();
    independent = 1;
    for (int t = 0; t < TY_N; t++)
        for (size_t f = 0; f < A(xfs); f++)
            if (case_begin(F("%s-on-%s", xfs[f].n, tn(t)))) {
                CUgraph g = mk();
                CUgraphNode n = addt(t, g, NULL, 0);
                CUgraphExec x = inst(g, 0);
                CUresult r = n && x ? xfs[f].f(x, n) : R_SKIP;
                const char *q = t == 10 ? "-" : runx(x, S[0]);
                case_end(r, " node=%s exec=%s run=%s", hs_(n), hs_(x), q);
                if (x)
                    P.cuGraphExecDestroy(x);
                P.cuGraphDestroy(g);
            }
    CUgraph g = mk(), h = mk();
    CUgraphNode n[TY_N], o[TY_N];
    for (int t = 0; t < TY_N; t++) {
        n[t] = t == 10 || t == 11 ? NULL : addt(t, g, NULL, 0);
        o[t] = t == 10 || t == 11 ? NULL : addt(t, h, NULL, 0);
    }
    CUgraphExec x = inst(g, 0);
    static const int own[] = {0, 0, 1, 2, 3, 4, 7, 6, 8, 9, 12, 0, 0, 0};
    for (size_t f = 0; f < A(xfs); f++) {
        CUgraphNode m = n[own[f]], k = o[own[f]];
        T(F("%s-null-exec", xfs[f].n), xfs[f].f(NULL, m));
        T(F("%s-null-node", xfs[f].n), x ? xfs[f].f(x, NULL) : R_SKIP);
        T(F("%s-node-of-other-graph", xfs[f].n), x && k ? xfs[f].f(x, k) : R_SKIP);
        if (case_begin(F("%s-clone-node", xfs[f].n))) {
            CUgraph c = 0;
            CUgraphNode cn = 0;
            P.cuGraphClone(&c, g);
            if (m)
                P.cuGraphNodeFindInClone(&cn, m, c);
            CUresult r = x && cn ? xfs[f].f(x, cn) : R_SKIP;
            case_end(r, " ");
        }
    }
    T("kernel-null-params", x ? P.cuGraphExecKernelNodeSetParams(x, n[0], NULL) : R_SKIP);
    T("kernel_v1-null-params", x ? O.oGraphExecKernelNodeSetParams(x, n[0], NULL) : R_SKIP);
    T("memcpy-null-params", x ? P.cuGraphExecMemcpyNodeSetParams(x, n[1], NULL, ctx) : R_SKIP);
    T("memset-null-params", x ? P.cuGraphExecMemsetNodeSetParams(x, n[2], NULL, ctx) : R_SKIP);
    T("host-null-params", x ? P.cuGraphExecHostNodeSetParams(x, n[3], NULL) : R_SKIP);
    T("child-null", x ? P.cuGraphExecChildGraphNodeSetParams(x, n[4], NULL) : R_SKIP);
    T("evwait-null", x ? P.cuGraphExecEventWaitNodeSetEvent(x, n[6], NULL) : R_SKIP);
    T("evrecord-null", x ? P.cuGraphExecEventRecordNodeSetEvent(x, n[7], NULL) : R_SKIP);
    T("batch-null", x ? P.cuGraphExecBatchMemOpNodeSetParams(x, n[12], NULL) : R_SKIP);
    T("getenabled-null-out", x ? P.cuGraphNodeGetEnabled(x, n[0], NULL) : R_SKIP);
    T("generic-null", x ? P.cuGraphExecNodeSetParams(x, n[0], NULL) : R_SKIP);
    T("generic-null-exec", P.cuGraphExecNodeSetParams(NULL, n[0], NULL));
    CUDA_MEMCPY3D c = cdd(B[4], B[5], 64);
    CUDA_MEMSET_NODE_PARAMS m = ms(B[4], 1, 4, 16, 1, 0);
    T("memcpy-null-ctx", x ? P.cuGraphExecMemcpyNodeSetParams(x, n[1], &c, NULL) : R_SKIP);
    T("memset-null-ctx", x ? P.cuGraphExecMemsetNodeSetParams(x, n[2], &m, NULL) : R_SKIP);
}
#define WITHX(nm, build, change)                                                                   \
    if (case_begin(nm)) {                                                                          \
        bzero_all();                                                                               \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            hcount[i_] = 0;                                                                        \
        CUgraph g = mk();                                                                          \
        CUgraphNode n = 0, n2 = 0;                                                                 \
        (void)n2;                                                                                  \
        build;                                                                                     \
        CUgraphExec x = inst(g, 0);                                                                \
        CUresult r = R_SKIP;                                                                       \
        if (x) {                                                                                   \
            change;                                                                                \
        }                                                                                          \
        const char *q = runx(x, S[0]), *q2 = runx(x, S[0]);                                        \
        case_end(r, " exec=%s run=%s,%s b0=%s b1=%s b2=%s host=%d,%d h1=%08x graph=(%s)", hs_(x),  \
                 q, q2, bw(0), bw(1), bw(2), hcount[1], hcount[2], sum(H[1], NBY),                 \
                 n ? npar(n) : "-");                                                               \
        if (x)                                                                                     \
            P.cuGraphExecDestroy(x);                                                               \
        P.cuGraphDestroy(g);                                                                       \
    }
GROUP(410, xset, "exec-set")
{
    gsetup();
    second_ctx();
    independent = 1;
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMCPY3D c;
    CUDA_MEMSET_NODE_PARAMS m;
    CUDA_HOST_NODE_PARAMS h;
    CUgraphNodeParams p;
    CUevent ev2 = 0;
    P.cuCtxSetCurrent(ctx2);
    P.cuEventCreate(&ev2, 0);
    dp d2 = dalloc(NBY);
    P.cuCtxSetCurrent(ctx);
    WITHX("kernel-args", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_ADD, B[1], 0, 32, 5);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-args-v1", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          CUDA_KERNEL_NODE_PARAMS_v1 k1 = kp1(K_ADD, B[1], 0, 32, 5);
          r = O.oGraphExecKernelNodeSetParams(x, n, &k1))
    WITHX("kernel-grid", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_ADD, B[1], 0, NW, 5);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-function", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          k = kp(K_MUL, B[1], 0, 32, 5);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-function-signature", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          k = kp(K_MIX, B[1], B[0], 32, 5);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-to-nop", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_NOP, 0, 0, 0, 0);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-to-kern", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_ADD, B[1], 0, 32, 5);
          k.func = NULL; k.kern = kn[K_ADD]; r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-other-ctx", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          k = kp(K_ADD, B[1], 0, 32, 5);
          k.func = fn2[K_ADD]; r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-shm", n = addk(g, NULL, 0, K_SHM, B[0], 256, 1), k = kp(K_SHM, B[1], 0, 256, 5);
          k.sharedMemBytes = 4096; r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-block0", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_ADD, B[1], 0, 64, 5);
          k.blockDimX = 0; r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("kernel-thread", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), k = kp(K_ADD, B[1], 0, 32, 5);
          void *a[3]; a[0] = x; a[1] = n; a[2] = &k; r = in_thread(thr_setk, a))
    WITHX("memcpy-pointers", (bset(3, 5), bset(4, 900), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[4], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-smaller", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 64);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-larger", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 4096);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-to-2d", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 64);
          c.Height = 4; c.srcPitch = c.dstPitch = 128; c.srcHeight = c.dstHeight = 4;
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-2d-to-1d",
          (bset(3, 5), c = cdd(B[0], B[3], 64), c.Height = 4, c.srcPitch = c.dstPitch = 128,
           P.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx)),
          c = cdd(B[1], B[3], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-2d-to-2d",
          (bset(3, 5), c = cdd(B[0], B[3], 64), c.Height = 4, c.srcPitch = c.dstPitch = 128,
           P.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx)),
          c = cdd(B[1], B[3], 32);
          c.Height = 8; c.srcPitch = 64; c.dstPitch = 256;
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-dtod-to-dtoh", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdh(H[1], B[3], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-dtod-to-htod", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          for (int i = 0; i < 64; i++) H[0][i] = i + 7;
          c = chd(B[1], H[0], 256); r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-htod-to-htod",
          (c = chd(B[0], H[0], 256), P.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx)),
          for (int i = 0; i < 64; i++) H[2][i] = i + 7;
          c = chd(B[1], H[2], 256); r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx);
          P.cuCtxSynchronize())
    WITHX("memcpy-to-array", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(0, B[3], 256);
          c.dstMemoryType = CU_MEMORYTYPE_ARRAY; c.dstArray = AR[1];
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-to-managed", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(BM, B[3], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-to-unified", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 256);
          c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-ctx2-memory", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(d2, B[3], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memcpy-ctx2", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 256);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx2))
    WITHX("memcpy-width0", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          c = cdd(B[1], B[3], 0);
          r = P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx))
    WITHX("memset-value", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 4, 64, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-width", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 4, 1000, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-elemsize", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 1, 64, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-to-2d", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 4, 16, 4, 256);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-2d-to-2d",
          (m = ms(B[0], 1, 4, 16, 4, 256), P.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, ctx)),
          m = ms(B[1], 9, 4, 8, 6, 128);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-2d-same-dims",
          (m = ms(B[0], 1, 4, 16, 4, 256), P.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, ctx)),
          m = ms(B[1], 9, 4, 16, 4, 256);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-2d-to-1d",
          (m = ms(B[0], 1, 4, 16, 4, 256), P.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, ctx)),
          m = ms(B[1], 9, 4, 64, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-managed", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(BM, 9, 4, 64, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("memset-ctx2", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 4, 64, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx2))
    WITHX("memset-w0", n = adds(g, NULL, 0, B[0], 1, 4, 64), m = ms(B[1], 9, 4, 0, 1, 0);
          r = P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx))
    WITHX("host", n = addh(g, NULL, 0, 1), memset(&h, 0, sizeof h); h.fn = hfn2;
          h.userData = (void *)2; r = P.cuGraphExecHostNodeSetParams(x, n, &h))
    WITHX("host-null-fn", n = addh(g, NULL, 0, 1), memset(&h, 0, sizeof h);
          r = P.cuGraphExecHostNodeSetParams(x, n, &h))
    WITHX(
        "child-params",
        {
            CUgraph q_ = mk();
            addk(q_, NULL, 0, K_ADD, B[0], 64, 1);
            n = addg(g, NULL, 0, q_);
        },
        CUgraph z = mk();
        addk(z, NULL, 0, K_ADD, B[1], 32, 7); r = P.cuGraphExecChildGraphNodeSetParams(x, n, z))
    WITHX(
        "child-topology",
        {
            CUgraph q_ = mk();
            addk(q_, NULL, 0, K_ADD, B[0], 64, 1);
            n = addg(g, NULL, 0, q_);
        },
        CUgraph z = mk();
        CUgraphNode y = addk(z, NULL, 0, K_ADD, B[1], 32, 7); adde(z, &y, 1);
        r = P.cuGraphExecChildGraphNodeSetParams(x, n, z))
    WITHX(
        "child-type",
        {
            CUgraph q_ = mk();
            addk(q_, NULL, 0, K_ADD, B[0], 64, 1);
            n = addg(g, NULL, 0, q_);
        },
        CUgraph z = mk();
        adds(z, NULL, 0, B[1], 7, 4, 32); r = P.cuGraphExecChildGraphNodeSetParams(x, n, z))
    WITHX(
        "child-inner-node",
        {
            CUgraph q_ = mk();
            addk(q_, NULL, 0, K_ADD, B[0], 64, 1);
            n = addg(g, NULL, 0, q_);
        },
        CUgraph z = 0;
        P.cuGraphChildGraphNodeGetGraph(n, &z); CUgraphNode y = 0; size_t one = 1;
        P.cuGraphGetNodes(z, &y, &one); k = kp(K_ADD, B[1], 0, 32, 6);
        r = P.cuGraphExecKernelNodeSetParams(x, y, &k))
    WITHX(
        "child-inner-node-of-original",
        {
            CUgraph q_ = mk();
            n2 = addk(q_, NULL, 0, K_ADD, B[0], 64, 1);
            n = addg(g, NULL, 0, q_);
        },
        k = kp(K_ADD, B[1], 0, 32, 6);
        r = P.cuGraphExecKernelNodeSetParams(x, n2, &k))
    WITHX("event-record", n = addr(g, NULL, 0, E[4]),
          r = P.cuGraphExecEventRecordNodeSetEvent(x, n, E[5]))
    WITHX("event-wait", n = addw(g, NULL, 0, E[4]),
          r = P.cuGraphExecEventWaitNodeSetEvent(x, n, E[5]))
    WITHX("event-record-ctx2", n = addr(g, NULL, 0, E[4]),
          r = P.cuGraphExecEventRecordNodeSetEvent(x, n, ev2))
    WITHX("event-wait-ctx2", n = addw(g, NULL, 0, E[4]),
          r = P.cuGraphExecEventWaitNodeSetEvent(x, n, ev2))
    /* generic exec setter */
    for (int t = 0; t < TY_N; t++)
        WITHX(F("generic-zero-%s", tn(t)), n = t == 10 || t == 11 ? NULL : addt(t, g, NULL, 0),
              memset(&p, 0, sizeof p);
              p.type = t; r = n && t != 0 ? P.cuGraphExecNodeSetParams(x, n, &p) : R_SKIP)
    WITHX("generic-kernel", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), memset(&p, 0, sizeof p);
          k = kp(K_ADD, B[1], 0, 32, 5); memcpy(&p.kernel, &k, sizeof k);
          r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("generic-memset", n = adds(g, NULL, 0, B[0], 1, 4, 64), memset(&p, 0, sizeof p);
          p.type = 2; p.memset.dst = B[1]; p.memset.value = 8; p.memset.elementSize = 4;
          p.memset.width = 64; p.memset.height = 1; p.memset.ctx = ctx;
          r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("generic-memcpy", (bset(3, 5), n = addc(g, NULL, 0, B[0], B[3], 256)),
          memset(&p, 0, sizeof p);
          p.type = 1; p.memcpy.copyCtx = ctx; p.memcpy.copyParams = cdd(B[1], B[3], 256);
          r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("generic-host", n = addh(g, NULL, 0, 1), memset(&p, 0, sizeof p); p.type = 3;
          p.host.fn = hfn; p.host.userData = (void *)2; r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("generic-event", n = addr(g, NULL, 0, E[4]), memset(&p, 0, sizeof p); p.type = 7;
          p.eventRecord.event = E[5]; r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("generic-wrong-type", n = addr(g, NULL, 0, E[4]), memset(&p, 0, sizeof p); p.type = 3;
          p.host.fn = hfn; r = P.cuGraphExecNodeSetParams(x, n, &p))
    WITHX("set-after-node-setparams", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          k = kp(K_MUL, B[2], 0, 32, 3);
          P.cuGraphKernelNodeSetParams(n, &k); k = kp(K_ADD, B[1], 0, 32, 5);
          r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("set-while-running", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), struct blk b;
          memset(&b, 0, sizeof b); b.ms = 300; block(S[0], &b); P.cuGraphLaunch(x, S[0]);
          k = kp(K_ADD, B[1], 0, 32, 5); r = P.cuGraphExecKernelNodeSetParams(x, n, &k);
          unblock(&b); P.cuStreamSynchronize(S[0]))
    /* enabled flags */
    for (int t = 0; t < 3; t++) {
        WITHX(F("disable-%s", tn(t)), (bset(0, 3), n = addt(t, g, NULL, 0)),
              r = P.cuGraphNodeSetEnabled(x, n, 0);
              unsigned e = 9; P.cuGraphNodeGetEnabled(x, n, &e); if (e) r = 1000 + e)
        WITHX(F("disable-enable-%s", tn(t)), (bset(0, 3), n = addt(t, g, NULL, 0)),
              P.cuGraphNodeSetEnabled(x, n, 0);
              r = P.cuGraphNodeSetEnabled(x, n, 1))
    }
    WITHX(
        "disable-middle",
        {
            n2 = adds(g, NULL, 0, B[0], 1, 4, 64);
            n = addk(g, &n2, 1, K_ADD, B[0], 64, 100);
            addc(g, &n, 1, B[1], B[0], 256);
        },
        r = P.cuGraphNodeSetEnabled(x, n, 0))
    WITHX("disable-then-setparams", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          P.cuGraphNodeSetEnabled(x, n, 0);
          k = kp(K_ADD, B[1], 0, 32, 5); r = P.cuGraphExecKernelNodeSetParams(x, n, &k))
    WITHX("disable-setparams-enable", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          P.cuGraphNodeSetEnabled(x, n, 0);
          k = kp(K_ADD, B[1], 0, 32, 5); P.cuGraphExecKernelNodeSetParams(x, n, &k);
          r = P.cuGraphNodeSetEnabled(x, n, 1))
    WITHX("enable-2", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
          r = P.cuGraphNodeSetEnabled(x, n, 2);
          unsigned e = 9; P.cuGraphNodeGetEnabled(x, n, &e); hcount[1] = e)
    WITHX("enable-default", n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), unsigned e = 9;
          r = P.cuGraphNodeGetEnabled(x, n, &e); hcount[1] = e)
}
/* ---- whole-graph update ---- */
typedef CUgraphNode (*bld)(CUgraph g, int v);
static const char *upd(CUgraphExec x, CUgraph g, CUgraph og, CUresult *rr)
{
    CUgraphExecUpdateResultInfo i;
    memset(&i, 0, sizeof i);
    i.result = 77;
    i.errorNode = NSENT;
    i.errorFromNode = NSENT;
    CUresult r = x ? P.cuGraphExecUpdate(x, g, &i) : R_SKIP;
    *rr = r;
    CUgraphNode a[16];
    memset(a, 0, sizeof a);
    size_t n = 16;
    if (P.cuGraphGetNodes(g, a, &n) || n > 16)
        n = 0;
    CUgraphNode b[16];
    memset(b, 0, sizeof b);
    size_t m = 16;
    if (P.cuGraphGetNodes(og, b, &m) || m > 16)
        m = 0;
    const char *e = order(&i.errorNode, 1, a, n), *o = order(&i.errorNode, 1, b, m),
               *f = order(&i.errorFromNode, 1, a, n), *f2 = order(&i.errorFromNode, 1, b, m);
    return F("result=%s errnode=%s/orig:%s from=%s/orig:%s", urn(i.result), e, o, f, f2);
}
#define UPD(nm, bodyA, bodyB)                                                                      \
    if (case_begin(nm)) {                                                                          \
        bzero_all();                                                                               \
        bset(3, 5);                                                                                \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            hcount[i_] = 0;                                                                        \
        CUgraph ga = mk(), gb = mk();                                                              \
        CUgraphNode n[8];                                                                          \
        memset(n, 0, sizeof n);                                                                    \
        {                                                                                          \
            CUgraph g = ga;                                                                        \
            (void)g;                                                                               \
            bodyA;                                                                                 \
        }                                                                                          \
        CUgraphExec x = inst(ga, 0);                                                               \
        memset(n, 0, sizeof n);                                                                    \
        {                                                                                          \
            CUgraph g = gb;                                                                        \
            (void)g;                                                                               \
            bodyB;                                                                                 \
        }                                                                                          \
        CUresult r;                                                                                \
        const char *u = upd(x, gb, ga, &r);                                                        \
        const char *q = runx(x, S[0]);                                                             \
        CUgraphExecUpdateResult ur = 77;                                                           \
        CUgraphNode e1 = NSENT;                                                                    \
        CUgraphExec x1 = inst(ga, 0);                                                              \
        CUresult r1 = x1 ? O.oGraphExecUpdate(x1, gb, &e1, &ur) : R_SKIP;                          \
        case_end(r, " exec=%s %s run=%s b0=%s b1=%s host=%d,%d v1=%s/%s/%s", hs_(x), u, q, bw(0),  \
                 bw(1), hcount[1], hcount[2], en(r1), urn(ur), hs_(e1));                           \
        if (x)                                                                                     \
            P.cuGraphExecDestroy(x);                                                               \
        if (x1)                                                                                    \
            P.cuGraphExecDestroy(x1);                                                              \
        P.cuGraphDestroy(ga);                                                                      \
        P.cuGraphDestroy(gb);                                                                      \
    }
#define K1(b, v) n[0] = addk(g, NULL, 0, K_ADD, b, 64, v)
GROUP(420, xupdate, "exec-update")
{
    gsetup();
    second_ctx();
    independent = 1;
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMCPY3D c;
    CUDA_MEMSET_NODE_PARAMS m;
    CUkernelNodeAttrValue av;
    T("null-exec", P.cuGraphExecUpdate(NULL, mk(), NULL));
    CUgraphExecUpdateResultInfo ri;
    memset(&ri, 0, sizeof ri);
    ri.result = 77;
    T("null-exec-info", P.cuGraphExecUpdate(NULL, mk(), &ri), "result=%s", urn(ri.result));
    if (case_begin("null-graph")) {
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUgraphExec x = inst(g, 0);
        memset(&ri, 0, sizeof ri);
        ri.result = 77;
        CUresult r = x ? P.cuGraphExecUpdate(x, NULL, &ri) : R_SKIP;
        case_end(r, " result=%s", urn(ri.result));
    }
    if (case_begin("null-info")) {
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUgraphExec x = inst(g, 0);
        CUresult r = x ? P.cuGraphExecUpdate(x, g, NULL) : R_SKIP;
        CUgraphNode e = NSENT;
        CUgraphExecUpdateResult u = 77;
        CUresult r1 = x ? O.oGraphExecUpdate(x, g, NULL, &u) : R_SKIP,
                 r2 = x ? O.oGraphExecUpdate(x, g, &e, NULL) : R_SKIP;
        case_end(r, " v1-null-node=%s %s v1-null-result=%s", en(r1), urn(u), en(r2));
    }
    UPD("same", K1(B[0], 1), K1(B[0], 1))
    UPD("empty-empty", , ) UPD("kernel-args", K1(B[0], 1), K1(B[1], 9)) UPD(
        "kernel-grid", K1(B[0], 1), addk(g, NULL, 0, K_ADD, B[1], NW, 2))
        UPD("kernel-function", K1(B[0], 1), addk(g, NULL, 0, K_MUL, B[1], 64, 2)) UPD(
            "kernel-signature", K1(B[0], 1), addmix(g, NULL, 0, B[1], B[3], 64, 2))
            UPD("kernel-nop", K1(B[0], 1), addk(g, NULL, 0, K_NOP, 0, 0, 0)) UPD(
                "kernel-ctx2", K1(B[0], 1), k = kp(K_ADD, B[1], 0, 64, 2); k.func = fn2[K_ADD];
                P.cuGraphAddKernelNode(&n[0], g, NULL, 0, &k))
                UPD("kernel-kern", K1(B[0], 1), k = kp(K_ADD, B[1], 0, 64, 2); k.func = NULL;
                    k.kern = kn[K_ADD]; P.cuGraphAddKernelNode(&n[0], g, NULL, 0, &k))
                    UPD("kernel-shm", addk(g, NULL, 0, K_SHM, B[0], 256, 1),
                        k = kp(K_SHM, B[1], 0, 256, 2);
                        k.sharedMemBytes = 2048; P.cuGraphAddKernelNode(&n[0], g, NULL, 0, &k))
                        UPD("kernel-attr-coop", K1(B[0], 1), K1(B[1], 2); memset(&av, 0, sizeof av);
                            av.cooperative = 1; P.cuGraphKernelNodeSetAttribute(n[0], 2, &av))
                            UPD("kernel-attr-priority", K1(B[0], 1), K1(B[1], 2);
                                memset(&av, 0, sizeof av); av.priority = -1;
                                P.cuGraphKernelNodeSetAttribute(n[0], 8, &av))
                                UPD("kernel-attr-cluster", K1(B[0], 1), K1(B[1], 2);
                                    memset(&av, 0, sizeof av);
                                    av.clusterDim.x = av.clusterDim.y = av.clusterDim.z = 1;
                                    P.cuGraphKernelNodeSetAttribute(n[0], 4, &av))
                                    UPD("kernel-attr-window", K1(B[0], 1), K1(B[1], 2);
                                        memset(&av, 0, sizeof av);
                                        av.accessPolicyWindow.base_ptr = (void *)(uintptr_t)B[0];
                                        av.accessPolicyWindow.num_bytes = 4096;
                                        av.accessPolicyWindow.hitRatio = 1;
                                        P.cuGraphKernelNodeSetAttribute(n[0], 1, &av))
                                        UPD("kernel-attr-carveout", K1(B[0], 1), K1(B[1], 2);
                                            memset(&av, 0, sizeof av); av.sharedMemCarveout = 50;
                                            P.cuGraphKernelNodeSetAttribute(n[0], 14, &av))
                                            UPD("kernel-attr-updatable", K1(B[0], 1), K1(B[1], 2);
                                                memset(&av, 0, sizeof av);
                                                av.deviceUpdatableKernelNode.deviceUpdatable = 1;
                                                P.cuGraphKernelNodeSetAttribute(n[0], 13, &av))
        /* topology */
        UPD("topo-added-node", K1(B[0], 1), K1(B[0], 1);
            adde(g, NULL, 0)) UPD("topo-removed-node", K1(B[0], 1); adde(g, NULL, 0), K1(B[0], 1))
            UPD("topo-added-edge", K1(B[0], 1);
                n[1] = addk(g, NULL, 0, K_ADD, B[1], 64, 1), K1(B[0], 1);
                n[1] = addk(g, &n[0], 1, K_ADD, B[1], 64,
                            1)) UPD("topo-removed-edge", K1(B[0], 1);
                                    n[1] = addk(g, &n[0], 1, K_ADD, B[1], 64, 1), K1(B[0], 1);
                                    n[1] = addk(g, NULL, 0, K_ADD, B[1], 64, 1))
                UPD("topo-empty-to-one", , K1(B[0], 1)) UPD("topo-one-to-empty", K1(B[0], 1), )
                    UPD("topo-edge-moved", n[0] = adde(g, NULL, 0); n[1] = adde(g, NULL, 0);
                        n[2] = adde(g, &n[0], 1), n[0] = adde(g, NULL, 0); n[1] = adde(g, NULL, 0);
                        n[2] = adde(g, &n[1], 1)) UPD("topo-edge-reversed", n[0] = adde(g, NULL, 0);
                                                      n[1] = adds(g, &n[0], 1, B[0], 1, 4, 64),
                                                      n[1] = adds(g, NULL, 0, B[0], 1, 4, 64);
                                                      n[0] = adde(g, &n[1], 1))
                        UPD("order-swapped-types", K1(B[0], 1);
                            n[1] = adds(g, NULL, 0, B[1], 2, 4, 64),
                            n[1] = adds(g, NULL, 0, B[1], 2, 4, 64);
                            K1(B[0], 1)) UPD("order-swapped-kernels", K1(B[0], 1);
                                             addk(g, NULL, 0, K_MUL, B[1], 64, 2),
                                             addk(g, NULL, 0, K_MUL, B[1], 64, 2);
                                             K1(B[0], 1))
                            UPD("order-deps-swapped", n[0] = adde(g, NULL, 0);
                                n[1] = adde(g, NULL, 0); adde(g, n, 2), n[0] = adde(g, NULL, 0);
                                n[1] = adde(g, NULL, 0); n[2] = n[0]; adde(g, &n[1], 2))
                                UPD("edge-type", n[0] = addk(g, NULL, 0, K_SET, B[0], 64, 1);
                                    n[1] = addk(g, &n[0], 1, K_SET, B[1], 64, 1),
                                    n[0] = addk(g, NULL, 0, K_SET, B[0], 64, 1);
                                    n[1] = addk(g, NULL, 0, K_SET, B[1], 64, 1); CUgraphEdgeData e;
                                    memset(&e, 0, sizeof e); e.from_port = 1; e.type = 1;
                                    P.cuGraphAddDependencies(g, &n[0], &n[1], &e, 1))
        /* type pairs */
        for (int a = 0; a < TY_N; a++) for (int b = 0; b < TY_N; b++)
    {
        if (a == 8 || a == 9 || b == 8 || b == 9 || a == 10 || a == 11 || b == 10 || b == 11)
            continue;
        UPD(F("type-%s-to-%s", tn(a), tn(b)), addt(a, g, NULL, 0), addt(b, g, NULL, 0))
    }
    UPD("alloc-same", adda(g, NULL, 0, 4096, NULL), adda(g, NULL, 0, 4096, NULL))
    UPD("alloc-free-same", addt(11, g, NULL, 0), addt(11, g, NULL, 0))
        /* memcpy, memset, host, events */
        UPD("memcpy-pointers", addc(g, NULL, 0, B[0], B[3], 256),
            addc(g, NULL, 0, B[1], B[3], 256)) UPD("memcpy-size", addc(g, NULL, 0, B[0], B[3], 256),
                                                   addc(g, NULL, 0, B[1], B[3], 512))
            UPD("memcpy-kind", addc(g, NULL, 0, B[0], B[3], 256), c = cdh(H[1], B[3], 256);
                P.cuGraphAddMemcpyNode(&n[0], g, NULL, 0, &c, ctx))
                UPD("memcpy-kind-htod", addc(g, NULL, 0, B[0], B[3], 256), c = chd(B[1], H[0], 256);
                    P.cuGraphAddMemcpyNode(&n[0], g, NULL, 0, &c, ctx))
                    UPD("memcpy-array", addc(g, NULL, 0, B[0], B[3], 256), c = cdd(0, B[3], 256);
                        c.dstMemoryType = CU_MEMORYTYPE_ARRAY; c.dstArray = AR[1];
                        P.cuGraphAddMemcpyNode(&n[0], g, NULL, 0, &c, ctx))
                        UPD("memcpy-2d", addc(g, NULL, 0, B[0], B[3], 256), c = cdd(B[1], B[3], 64);
                            c.Height = 4; c.srcPitch = c.dstPitch = 128; P.cuGraphAddMemcpyNode(
                                &n[0], g, NULL, 0, &c, ctx)) UPD("memcpy-managed",
                                                                 addc(g, NULL, 0, B[0], B[3], 256),
                                                                 addc(g, NULL, 0, BM, B[3], 256))
                            UPD("memcpy-ctx2", addc(g, NULL, 0, B[0], B[3], 256),
                                c = cdd(B[1], B[3], 256);
                                P.cuGraphAddMemcpyNode(&n[0], g, NULL, 0, &c,
                                                       ctx2)) UPD("memset-value",
                                                                  adds(g, NULL, 0, B[0], 1, 4, 64),
                                                                  adds(g, NULL, 0, B[1], 2, 4, 64))
                                UPD("memset-width", adds(g, NULL, 0, B[0], 1, 4, 64),
                                    adds(g, NULL, 0, B[1], 2, 4,
                                         100)) UPD("memset-es", adds(g, NULL, 0, B[0], 1, 4, 64),
                                                   adds(g, NULL, 0, B[1], 2, 2, 64))
                                    UPD("memset-2d", adds(g, NULL, 0, B[0], 1, 4, 64),
                                        m = ms(B[1], 2, 4, 16, 4, 256);
                                        P.cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m, ctx))
                                        UPD("memset-2d-2d", m = ms(B[0], 1, 4, 16, 4, 256);
                                            P.cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m, ctx),
                                            m = ms(B[1], 2, 4, 8, 4, 256);
                                            P.cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m, ctx))
                                            UPD("memset-2d-1d", m = ms(B[0], 1, 4, 16, 4, 256);
                                                P.cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m, ctx),
                                                adds(g, NULL, 0, B[1], 2, 4, 64))
                                                UPD("memset-ctx2", adds(g, NULL, 0, B[0], 1, 4, 64),
                                                    m = ms(B[1], 2, 4, 64, 1, 0);
                                                    P.cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m,
                                                                           ctx2))
                                                    UPD("host-user", addh(g, NULL, 0, 1),
                                                        addh(g, NULL, 0, 2))
                                                        UPD("event-record", addr(g, NULL, 0, E[4]),
                                                            addr(g, NULL, 0, E[5]))
                                                            UPD("event-wait",
                                                                addw(g, NULL, 0, E[4]),
                                                                addw(g, NULL, 0, E[5]))
                                                                UPD("batch-value",
                                                                    addb(g, NULL, 0, B[0], 1),
                                                                    addb(g, NULL, 0, B[1], 2))
        /* children and conditionals */
        UPD("child-args", CUgraph z = mk(); addk(z, NULL, 0, K_ADD, B[0], 64, 1);
            addg(g, NULL, 0, z), CUgraph z = mk(); addk(z, NULL, 0, K_ADD, B[1], 64, 2);
            addg(g, NULL, 0, z))
            UPD("child-topology", CUgraph z = mk(); addk(z, NULL, 0, K_ADD, B[0], 64, 1);
                addg(g, NULL, 0, z), CUgraph z = mk(); addk(z, NULL, 0, K_ADD, B[1], 64, 2);
                adde(z, NULL, 0); addg(g, NULL, 0, z))
                UPD("child-type", CUgraph z = mk(); addk(z, NULL, 0, K_ADD, B[0], 64, 1);
                    addg(g, NULL, 0, z), CUgraph z = mk(); adds(z, NULL, 0, B[1], 2, 4, 64);
                    addg(g, NULL, 0, z))
                    UPD("child-then-changed-kernel", CUgraph z = mk(); adde(z, NULL, 0);
                        n[0] = addg(g, NULL, 0, z);
                        addk(g, &n[0], 1, K_ADD, B[0], 64, 1), CUgraph z = mk(); adde(z, NULL, 0);
                        n[0] = addg(g, NULL, 0, z); addk(g, &n[0], 1, K_ADD, B[1], 64, 1))
                        UPD("cond-body-args", CUgraph b = 0; addcond(g, NULL, 0, 0, 1, 1, &b);
                            if (b) addk(b, NULL, 0, K_ADD, B[0], 64, 1), CUgraph b = 0;
                            addcond(g, NULL, 0, 0, 1, 1, &b);
                            if (b) addk(b, NULL, 0, K_ADD, B[1], 64, 2))
                            UPD("cond-default", CUgraph b = 0; addcond(g, NULL, 0, 0, 1, 1, &b);
                                if (b) addk(b, NULL, 0, K_ADD, B[0], 64, 1), CUgraph b = 0;
                                addcond(g, NULL, 0, 0, 1, 0, &b);
                                if (b) addk(b, NULL, 0, K_ADD, B[0], 64, 1))
                                UPD("cond-type", CUgraph b[2];
                                    addcond(g, NULL, 0, 0, 1, 1, b), CUgraph b[2];
                                    addcond(g, NULL, 0, 2, 1, 0, b))
        /* partial failure: is anything of the first nodes changed? */
        UPD("partial", K1(B[0], 1); n[1] = addc(g, &n[0], 1, B[1], B[3], 256), K1(B[0], 50);
            c = cdh(H[1], B[3], 256); P.cuGraphAddMemcpyNode(&n[1], g, &n[0], 1, &c, ctx))
            UPD("partial-topology", K1(B[0], 1); n[1] = adde(g, &n[0], 1), K1(B[0], 50);
                n[1] = adde(g, &n[0], 1); adde(g, &n[1], 1)) if (case_begin("with-clone"))
    {
        bzero_all();
        CUgraph g = mk(), d = 0;
        CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 1), cn = 0;
        CUgraphExec x = inst(g, 0);
        P.cuGraphClone(&d, g);
        P.cuGraphNodeFindInClone(&cn, n, d);
        k = kp(K_ADD, B[1], 0, 64, 4);
        if (cn)
            P.cuGraphKernelNodeSetParams(cn, &k);
        CUresult r;
        const char *u = upd(x, d, g, &r), *q = runx(x, S[0]);
        CUresult r2 = x ? P.cuGraphExecKernelNodeSetParams(x, n, &k) : R_SKIP,
                 r3 = x && cn ? P.cuGraphExecKernelNodeSetParams(x, cn, &k) : R_SKIP;
        case_end(r, " %s run=%s b0=%s b1=%s then-set-orig-node=%s clone-node=%s", u, q, bw(0),
                 bw(1), en(r2), en(r3));
    }
    if (case_begin("from-capture")) {
        bzero_all();
        CUgraphExec x = 0;
        CUgraph g[2] = {0, 0};
        CUresult r0 = 0;
        for (int i = 0; i < 2; i++) {
            r0 = P.cuStreamBeginCapture(S[0], 2);
            if (!r0) {
                P.cuMemsetD32Async(B[i], 5 + i, 64, S[0]);
                k = kp(K_ADD, B[i], 0, 64, 3);
                P.cuLaunchKernel(fn[K_ADD], 1, 1, 1, 64, 1, 1, 0, S[0], k.kernelParams, NULL);
                P.cuStreamEndCapture(S[0], &g[i]);
            }
            if (!i)
                x = inst(g[0], 0);
        }
        CUresult r = R_SKIP;
        const char *u = "-";
        if (g[0] && g[1])
            u = upd(x, g[1], g[0], &r);
        const char *q = runx(x, S[0]);
        case_end(r, " begin=%s %s run=%s b0=%s b1=%s", en(r0), u, q, bw(0), bw(1));
    }
    if (case_begin("disabled-node-stays")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 1);
        CUgraphExec x = inst(g, 0);
        if (x)
            P.cuGraphNodeSetEnabled(x, n, 0);
        CUresult r;
        const char *u = upd(x, g, g, &r);
        unsigned e = 9;
        if (x)
            P.cuGraphNodeGetEnabled(x, n, &e);
        const char *q = runx(x, S[0]);
        case_end(r, " %s enabled=%u run=%s b0=%s", u, e, q, bw(0));
    }
    if (case_begin("update-while-running")) {
        bzero_all();
        struct blk b;
        memset(&b, 0, sizeof b);
        b.ms = 300;
        CUgraph g = mk(), h = mk();
        addk(g, NULL, 0, K_ADD, B[0], 64, 1);
        addk(h, NULL, 0, K_ADD, B[1], 64, 2);
        CUgraphExec x = inst(g, 0);
        block(S[0], &b);
        CUresult l = x ? P.cuGraphLaunch(x, S[0]) : R_SKIP;
        CUresult r;
        const char *u = upd(x, h, g, &r);
        unblock(&b);
        const char *q = SY(S[0]);
        const char *a = bw(0);
        const char *q2 = runx(x, S[0]);
        case_end(r, " launch=%s %s sync=%s b0=%s run=%s b1=%s", en(l), u, q, a, q2, bw(1));
    }
}
