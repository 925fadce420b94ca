/* SPDX-License-Identifier: MIT */
/* Copy, fill, host, child, event, batch and conditional nodes. */
#include "graph_recorder.h"
static unsigned char hostA[NBY] __attribute__((aligned(4096))),
    hostB[NBY] __attribute__((aligned(4096)));
/* ---- memcpy nodes ---- */
enum { OP_PAGE, OP_PIN, OP_DEV, OP_ARR, OP_UDEV, OP_UPIN, OP_UMAN, OP_UPAGE, OP_N };
static const char *opn[] = {"page", "pin", "dev", "arr", "udev", "upin", "uman", "upage"};
static void setop(CUDA_MEMCPY3D *c, int op, int dst)
{
    CUmemorytype t = op <= OP_PIN   ? CU_MEMORYTYPE_HOST
                     : op == OP_DEV ? CU_MEMORYTYPE_DEVICE
                     : op == OP_ARR ? CU_MEMORYTYPE_ARRAY
                                    : CU_MEMORYTYPE_UNIFIED;
    dp d = op == OP_DEV || op == OP_UDEV ? B[dst]
           : op == OP_UPIN               ? (dp)(uintptr_t)H[dst]
           : op == OP_UMAN               ? BM + (dst ? NBY / 2 : 0)
           : op == OP_UPAGE              ? (dp)(uintptr_t)(dst ? hostB : hostA)
                                         : 0;
    void *h = op == OP_PAGE ? (dst ? hostB : hostA) : op == OP_PIN ? (void *)H[dst] : NULL;
    if (dst) {
        c->dstMemoryType = t;
        c->dstHost = h;
        c->dstDevice = d;
        c->dstArray = op == OP_ARR ? AR[2] : NULL;
    } else {
        c->srcMemoryType = t;
        c->srcHost = h;
        c->srcDevice = d;
        c->srcArray = op == OP_ARR ? AR[1] : NULL;
    }
}
static void prefill(void)
{
    P.cuCtxSynchronize();
    fill(hostA, NBY, 5);
    memset(hostB, 0, NBY);
    fill(H[0], NBY, 5);
    memset(H[1], 0, NBY);
    dfill(B[0], NBY, 5);
    P.cuMemsetD8(B[1], 0, NBY);
    if (BM) {
        fill((void *)(uintptr_t)BM, NBY / 2, 5);
        memset((void *)(uintptr_t)(BM + NBY / 2), 0, NBY / 2);
    }
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = hostA;
    c.srcPitch = 256;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = AR[1];
    c.WidthInBytes = 256;
    c.Height = 16;
    c.Depth = 1;
    P.cuMemcpy3D(&c);
    static unsigned char z[4096];
    c.srcHost = z;
    c.dstArray = AR[2];
    P.cuMemcpy3D(&c);
    P.cuCtxSynchronize();
}
static const char *dstsum(int op)
{
    static unsigned char o[4096];
    memset(o, 0, sizeof o);
    P.cuCtxSynchronize();
    if (op == OP_PAGE || op == OP_UPAGE)
        memcpy(o, hostB, 4096);
    else if (op == OP_PIN || op == OP_UPIN)
        memcpy(o, H[1], 4096);
    else if (op == OP_DEV || op == OP_UDEV)
        P.cuMemcpyDtoH(o, B[1], 4096);
    else if (op == OP_UMAN) {
        if (BM)
            memcpy(o, (void *)(uintptr_t)(BM + NBY / 2), 4096);
    } else {
        CUDA_MEMCPY3D c;
        memset(&c, 0, sizeof c);
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = AR[2];
        c.dstMemoryType = CU_MEMORYTYPE_HOST;
        c.dstHost = o;
        c.dstPitch = 256;
        c.WidthInBytes = 256;
        c.Height = 16;
        c.Depth = 1;
        P.cuMemcpy3D(&c);
    }
    return F("%08x", sum(o, 4096));
}
GROUP(220, nmemcpy, "node-memcpy")
{
    gsetup();
    independent = 1;
    static const struct {
        const char *n;
        size_t w, h, d, sp, sh, dpi, dh, sx, sy, dx, dy;
    } dims[] = {{"1d", 256, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                {"1d-off", 64, 1, 1, 256, 1, 256, 1, 32, 2, 16, 3},
                {"2d", 64, 8, 1, 256, 8, 128, 8, 0, 0, 0, 0},
                {"2d-off", 40, 5, 1, 256, 16, 256, 16, 8, 1, 24, 2},
                {"2d-full", 256, 16, 1, 256, 16, 256, 16, 0, 0, 0, 0}};
    for (int s = 0; s < OP_N; s++)
        for (int d = 0; d < OP_N; d++)
            for (size_t k = 0; k < A(dims); k++)
                if (case_begin(F("%s-%s-%s", opn[s], opn[d], dims[k].n))) {
                    prefill();
                    CUDA_MEMCPY3D c;
                    memset(&c, 0, sizeof c);
                    c.WidthInBytes = dims[k].w;
                    c.Height = dims[k].h;
                    c.Depth = dims[k].d;
                    setop(&c, s, 0);
                    setop(&c, d, 1);
                    c.srcPitch = dims[k].sp;
                    c.srcHeight = dims[k].sh;
                    c.dstPitch = dims[k].dpi;
                    c.dstHeight = dims[k].dh;
                    c.srcXInBytes = dims[k].sx;
                    c.srcY = dims[k].sy;
                    c.dstXInBytes = dims[k].dx;
                    c.dstY = dims[k].dy;
                    CUgraph g = mk();
                    CUgraphNode n = NSENT;
                    CUresult r = P.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx);
                    const char *q = r ? "-" : rung(g);
                    case_end(r, " node=%s (%s) run=%s dst=%s", hs_(n), r ? "-" : npar(n), q,
                             dstsum(d));
                    P.cuGraphDestroy(g);
                }
}
#define MV(X)                                                                                      \
    X(w0, c.WidthInBytes = 0)                                                                      \
    X(h0, c.Height = 0) X(d0, c.Depth = 0) X(all0, c.WidthInBytes = c.Height = c.Depth =           \
                                                       0) X(over, c.WidthInBytes = NBY + 4)        \
        X(exact, c.WidthInBytes = NBY) X(over_dst, c.WidthInBytes = NBY; c.dstXInBytes = 4)        \
            X(huge, c.WidthInBytes = (size_t)1 << 40) X(max, c.WidthInBytes = SIZE_MAX) X(         \
                pitch_small, c.Height = 4; c.srcPitch = 32; c.dstPitch = 32; c.WidthInBytes = 64)  \
                X(pitch0_h4, c.Height = 4; c.srcPitch = c.dstPitch = 0;                            \
                  c.WidthInBytes = 64) X(srcnull, c.srcDevice = 0) X(dstnull, c.dstDevice = 0)     \
                    X(srctype0, c.srcMemoryType = 0) X(dsttype5, c.dstMemoryType = 5)              \
                        X(srclod, c.srcLOD = 1) X(reserved, c.reserved0 = (void *)8)               \
                            X(hostnull, c.srcMemoryType = CU_MEMORYTYPE_HOST; c.srcHost = NULL) X( \
                                arrnull, c.srcMemoryType = CU_MEMORYTYPE_ARRAY;                    \
                                c.srcArray = NULL) X(depth2, c.WidthInBytes = 64; c.Height = 2;    \
                                                     c.Depth = 2; c.srcPitch = c.dstPitch = 128;   \
                                                     c.srcHeight = c.dstHeight = 4)                \
                                X(depth2_h0, c.WidthInBytes = 64; c.Height = 2; c.Depth = 2;       \
                                  c.srcPitch = c.dstPitch = 128; c.srcHeight = c.dstHeight = 0)    \
                                    X(depth2_hsmall, c.WidthInBytes = 64; c.Height = 2;            \
                                      c.Depth = 2; c.srcPitch = c.dstPitch = 128;                  \
                                      c.srcHeight = c.dstHeight = 1) X(garbage_dev,                \
                                                                       c.srcDevice = 0x10)         \
                                        X(host_as_dev, c.srcDevice = (dp)(uintptr_t)hostA) X(      \
                                            dev_as_host, c.srcMemoryType = CU_MEMORYTYPE_HOST;     \
                                            c.srcHost = (void *)(uintptr_t)B[0])                   \
                                            X(overlap, c.dstDevice = c.srcDevice + 16)             \
                                                X(same, c.dstDevice = c.srcDevice) X(              \
                                                    arr_x_over,                                    \
                                                    c.srcMemoryType =                              \
                                                        CU_MEMORYTYPE_ARRAY;                       \
                                                    c.srcArray = AR[1]; c.srcXInBytes = 128;       \
                                                    c.WidthInBytes = 256)                          \
                                                    X(arr_y_over,                                  \
                                                      c.srcMemoryType = CU_MEMORYTYPE_ARRAY;       \
                                                      c.srcArray = AR[1]; c.WidthInBytes = 64;     \
                                                      c.srcY = 12; c.Height = 8; c.dstPitch = 64)  \
                                                        X(arr_misaligned,                          \
                                                          c.srcMemoryType = CU_MEMORYTYPE_ARRAY;   \
                                                          c.srcArray = AR[1]; c.srcXInBytes = 2;   \
                                                          c.WidthInBytes = 64)                     \
                                                            X(arr3d, c.srcMemoryType =             \
                                                                         CU_MEMORYTYPE_ARRAY;      \
                                                              c.srcArray = AR[3];                  \
                                                              c.WidthInBytes = 64; c.Height = 4;   \
                                                              c.Depth = 3; c.dstPitch = 64;        \
                                                              c.dstHeight = 4)                     \
                                                                X(arr1d, c.srcMemoryType =         \
                                                                             CU_MEMORYTYPE_ARRAY;  \
                                                                  c.srcArray = AR[0];              \
                                                                  c.WidthInBytes = 64)
#define MVD_(n, ...)                                                                               \
    static void mv_##n(CUDA_MEMCPY3D *p)                                                           \
    {                                                                                              \
        CUDA_MEMCPY3D c = *p;                                                                      \
        __VA_ARGS__;                                                                               \
        *p = c;                                                                                    \
    }
MV(MVD_)
#define MVR_(n, ...) {#n, mv_##n},
static const struct {
    const char *n;
    void (*f)(CUDA_MEMCPY3D *);
} mvs[] = {MV(MVR_)};
GROUP(221, nmemcpybad, "node-memcpy-bad")
{
    gsetup();
    independent = 1;
    for (size_t i = 0; i < A(mvs); i++) {
        if (case_begin(F("add-%s", mvs[i].n))) {
            prefill();
            CUDA_MEMCPY3D c = cdd(B[1], B[0], 256);
            mvs[i].f(&c);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx);
            int norun = !strcmp(mvs[i].n, "overlap");
            CUgraphExec x = 0;
            CUresult ir = r ? R_SKIP : P.cuGraphInstantiate(&x, g, 0);
            const char *q = ir || norun ? "-" : runx(x, S[0]);
            case_end(r, " node=%s (%s) inst=%s run=%s dst=%s", hs_(n), r ? "-" : npar(n), en(ir), q,
                     norun ? "-" : dstsum(OP_DEV));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("set-%s", mvs[i].n))) {
            CUDA_MEMCPY3D c = cdd(B[1], B[0], 256);
            mvs[i].f(&c);
            CUgraph g = mk();
            CUgraphNode n = addc(g, NULL, 0, B[3], B[2], 128);
            CUresult r = n ? P.cuGraphMemcpyNodeSetParams(n, &c) : R_SKIP;
            case_end(r, " (%s)", n ? npar(n) : "-");
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("exec-%s", mvs[i].n))) {
            CUDA_MEMCPY3D c = cdd(B[1], B[0], 256);
            mvs[i].f(&c);
            CUgraph g = mk();
            CUgraphNode n = addc(g, NULL, 0, B[3], B[2], 128);
            CUgraphExec x = inst(g, 0);
            CUresult r = x ? P.cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx) : R_SKIP;
            case_end(r, " ");
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
    }
}
/* ---- memset nodes ---- */
#define SV(X)                                                                                      \
    X(es1, m.elementSize = 1)                                                                      \
    X(es2, m.elementSize = 2) X(es4, ) X(es0, m.elementSize = 0) X(es3, m.elementSize = 3)         \
        X(es8, m.elementSize = 8) X(w0, m.width = 0) X(h0, m.height = 0) X(                        \
            w0h0, m.width = m.height = 0) X(h4p256, m.height = 4; m.pitch = 256)                   \
            X(h4p0, m.height = 4; m.pitch = 0) X(h4p_small, m.height = 4; m.pitch = 32) X(         \
                h4p_eq, m.height = 4; m.pitch = 256; m.width = 64)                                 \
                X(h4p_odd, m.height = 4; m.pitch = 258) X(h4p_odd1, m.height = 4;                  \
                                                          m.pitch = 257; m.elementSize = 1)        \
                    X(h1p_small, m.pitch = 4) X(h1p_big, m.pitch = 100000) X(dst0, m.dst = 0)      \
                        X(dst_odd, m.dst += 1) X(dst_odd2, m.dst += 2)                             \
                            X(dst_odd_es1, m.dst += 1; m.elementSize = 1)                          \
                                X(dst_odd_es2, m.dst += 1; m.elementSize = 2)                      \
                                    X(val_big_es1, m.elementSize = 1; m.value = 0x1ff)             \
                                        X(val_big_es2, m.elementSize = 2;                          \
                                          m.value = 0x12345) X(val_max, m.value = 0xffffffffu)     \
                                            X(over, m.width = NW + 1) X(exact, m.width = NW)       \
                                                X(over2d, m.width = 64; m.height = 65;             \
                                                  m.pitch = 256) X(exact2d, m.width = 64;          \
                                                                   m.height = 64; m.pitch = 256)   \
                                                    X(huge, m.width = (size_t)1                    \
                                                                      << 40) X(max,                \
                                                                               m.width = SIZE_MAX) \
                                                        X(host, m.dst = (dp)(uintptr_t)hostA)      \
                                                            X(pinned, m.dst = (dp)(uintptr_t)H[0]) \
                                                                X(managed, m.dst = BM)             \
                                                                    X(interior, m.dst += 1024)     \
                                                                        X(garbage, m.dst = 0x1000)
#define SVD_(n, ...)                                                                               \
    static void sv_##n(CUDA_MEMSET_NODE_PARAMS *p)                                                 \
    {                                                                                              \
        CUDA_MEMSET_NODE_PARAMS m = *p;                                                            \
        __VA_ARGS__;                                                                               \
        *p = m;                                                                                    \
    }
SV(SVD_)
#define SVR_(n, ...) {#n, sv_##n},
static const struct {
    const char *n;
    void (*f)(CUDA_MEMSET_NODE_PARAMS *);
} svs[] = {SV(SVR_)};
GROUP(230, nmemset, "node-memset")
{
    gsetup();
    independent = 1;
    for (size_t i = 0; i < A(svs); i++) {
        if (case_begin(F("add-%s", svs[i].n))) {
            bzero_all();
            CUDA_MEMSET_NODE_PARAMS m = ms(B[0], 0x01020304, 4, 32, 1, 0);
            svs[i].f(&m);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, ctx);
            CUgraphExec x = 0;
            CUresult ir = r ? R_SKIP : P.cuGraphInstantiate(&x, g, 0);
            const char *q = ir ? "-" : runx(x, S[0]);
            case_end(r, " node=%s (%s) inst=%s run=%s b0=%s h0=%08x", hs_(n), r ? "-" : npar(n),
                     en(ir), q, bw(0), sum(H[0], NBY));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("set-%s", svs[i].n))) {
            CUDA_MEMSET_NODE_PARAMS m = ms(B[0], 0x01020304, 4, 32, 1, 0);
            svs[i].f(&m);
            CUgraph g = mk();
            CUgraphNode n = adds(g, NULL, 0, B[1], 1, 4, 16);
            CUresult r = n ? P.cuGraphMemsetNodeSetParams(n, &m) : R_SKIP;
            case_end(r, " (%s)", n ? npar(n) : "-");
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("exec-%s", svs[i].n))) {
            bzero_all();
            CUDA_MEMSET_NODE_PARAMS m = ms(B[0], 0x01020304, 4, 32, 1, 0);
            svs[i].f(&m);
            CUgraph g = mk();
            CUgraphNode n = adds(g, NULL, 0, B[1], 1, 4, 16);
            CUgraphExec x = inst(g, 0);
            CUresult r = x ? P.cuGraphExecMemsetNodeSetParams(x, n, &m, ctx) : R_SKIP;
            const char *q = runx(x, S[0]);
            case_end(r, " run=%s b0=%s b1=%s", q, bw(0), bw(1));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("generic-%s", svs[i].n))) {
            CUDA_MEMSET_NODE_PARAMS m = ms(B[0], 0x01020304, 4, 32, 1, 0);
            svs[i].f(&m);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUgraphNodeParams p;
            memset(&p, 0, sizeof p);
            p.type = 2;
            p.memset.dst = m.dst;
            p.memset.pitch = m.pitch;
            p.memset.value = m.value;
            p.memset.elementSize = m.elementSize;
            p.memset.width = m.width;
            p.memset.height = m.height;
            p.memset.ctx = ctx;
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s (%s)", hs_(n), r ? "-" : npar(n));
            P.cuGraphDestroy(g);
        }
    }
}
/* ---- host, child, event, semaphore nodes ---- */
GROUP(240, nmisc, "node-misc")
{
    gsetup();
    second_ctx();
    independent = 1;
    CUDA_HOST_NODE_PARAMS h;
    memset(&h, 0, sizeof h);
    if (case_begin("host-fn-null")) {
        CUgraph g = mk();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddHostNode(&n, g, NULL, 0, &h);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("host-set-fn-null")) {
        CUgraph g = mk();
        CUgraphNode n = addh(g, NULL, 0, 1);
        CUresult r = n ? P.cuGraphHostNodeSetParams(n, &h) : R_SKIP;
        case_end(r, " (%s)", n ? npar(n) : "-");
    }
    if (case_begin("host-run")) {
        CUgraph g = mk();
        hcount[4] = 0;
        CUgraphNode n = addh(g, NULL, 0, 4);
        const char *q = rung(g);
        case_end(0, " node=%s run=%s count=%d", hs_(n), q, hcount[4]);
    }
    if (case_begin("host-set-run")) {
        CUgraph g = mk();
        hcount[4] = hcount[5] = 0;
        CUgraphNode n = addh(g, NULL, 0, 4);
        h.fn = hfn2;
        h.userData = (void *)5;
        CUresult r = n ? P.cuGraphHostNodeSetParams(n, &h) : R_SKIP;
        const char *q = rung(g);
        case_end(r, " (%s) run=%s counts=%d,%d", n ? npar(n) : "-", q, hcount[4], hcount[5]);
    }
    if (case_begin("child-self")) {
        CUgraph g = mk();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddChildGraphNode(&n, g, NULL, 0, g);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("child-self-with-nodes")) {
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddChildGraphNode(&n, g, NULL, 0, g);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("child-empty-graph")) {
        CUgraph g = mk(), c = mk();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
        const char *q = rung(g);
        case_end(r, " node=%s run=%s %s", hs_(n), q, shape(g));
    }
    if (case_begin("child-is-clone")) {
        CUgraph g = mk(), c = mk();
        adde(c, NULL, 0);
        CUgraphNode n = addg(g, NULL, 0, c);
        CUgraph e = 0;
        CUresult r = P.cuGraphChildGraphNodeGetGraph(n, &e);
        adde(c, NULL, 0);
        case_end(r, " same=%d child=%s orig=%s", e == c, shape(e), shape(c));
    }
    if (case_begin("child-edit-embedded")) {
        CUgraph g = mk(), c = mk();
        adde(c, NULL, 0);
        CUgraphNode n = addg(g, NULL, 0, c);
        CUgraph e = 0;
        P.cuGraphChildGraphNodeGetGraph(n, &e);
        CUgraphNode m = NSENT;
        CUresult r = e ? P.cuGraphAddEmptyNode(&m, e, NULL, 0) : R_SKIP;
        case_end(r, " node=%s %s", hs_(m), shape(g));
    }
    if (case_begin("child-destroy-original")) {
        CUgraph g = mk(), c = mk();
        addk(c, NULL, 0, K_SET, B[0], 64, 3);
        addg(g, NULL, 0, c);
        CUresult r = P.cuGraphDestroy(c);
        bzero_all();
        const char *q = rung(g);
        case_end(r, " run=%s b0=%s", q, bw(0));
    }
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("child-with-%s", tn(t)))) {
            CUgraph g = mk(), c = mk();
            CUgraphNode cn = addt(t, c, NULL, 0), n = NSENT;
            CUresult r = P.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
            const char *q = r || t == 10 ? "-" : rung(g);
            case_end(r, " inner=%s node=%s %s run=%s", hs_(cn), hs_(n), shape(g), q);
        }
    for (int fl = 0; fl < 4; fl++)
        if (case_begin(F("event-flags-%d", fl))) {
            CUevent e = 0;
            P.cuEventCreate(&e, fl);
            CUgraph g = mk();
            CUgraphNode a = NSENT, b = NSENT;
            CUresult r = P.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                     r2 = P.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
            const char *q = rung(g);
            case_end(r, " wait=%s run=%s query=%s", en(r2), q, en(P.cuEventQuery(e)));
        }
    if (case_begin("event-interprocess")) {
        CUevent e = 0;
        CUresult c = P.cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
        CUgraph g = mk();
        CUgraphNode a = NSENT, b = NSENT;
        CUresult r = P.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                 r2 = P.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
        case_end(r, " create=%s wait=%s", en(c), en(r2));
    }
    if (case_begin("event-other-ctx")) {
        CUevent e = 0;
        P.cuCtxSetCurrent(ctx2);
        CUresult c = P.cuEventCreate(&e, 0);
        P.cuCtxSetCurrent(ctx);
        CUgraph g = mk();
        CUgraphNode a = NSENT, b = NSENT;
        CUresult r = P.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                 r2 = P.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
        const char *q = rung(g);
        case_end(r, " create=%s wait=%s run=%s", en(c), en(r2), q);
    }
    if (case_begin("event-record-then-query")) {
        CUgraph g = mk();
        addr(g, NULL, 0, E[4]);
        const char *q = rung(g);
        case_end(0, " run=%s query=%s", q, en(P.cuEventQuery(E[4])));
    }
    if (case_begin("event-elapsed")) {
        CUgraph g = mk();
        CUgraphNode a = addr(g, NULL, 0, E[4]);
        addr(g, &a, 1, E[5]);
        const char *q = rung(g);
        float ms_ = -1;
        CUresult r = P.cuEventElapsedTime(&ms_, E[4], E[5]);
        case_end(r, " run=%s nonneg=%d", q, ms_ >= 0);
    }
    if (case_begin("event-set-get")) {
        CUgraph g = mk();
        CUgraphNode a = addr(g, NULL, 0, E[4]), b = addw(g, NULL, 0, E[5]);
        CUresult r = P.cuGraphEventRecordNodeSetEvent(a, E[6]),
                 r2 = P.cuGraphEventWaitNodeSetEvent(b, E[7]);
        case_end(r, " wait=%s %s", en(r2), shaped(g));
    }
    if (case_begin("event-destroyed-in-graph")) {
        CUevent e = 0;
        P.cuEventCreate(&e, 0);
        CUgraph g = mk();
        addr(g, NULL, 0, e);
        CUresult r = P.cuEventDestroy(e);
        case_end(r, " ");
    }
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS sp;
    memset(&sp, 0, sizeof sp);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS wp;
    memset(&wp, 0, sizeof wp);
    CUexternalSemaphore nullsem[2] = {0, 0};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS s1[2];
    memset(s1, 0, sizeof s1);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS w1[2];
    memset(w1, 0, sizeof w1);
    for (int k = 0; k < 8; k++)
        if (case_begin(F("sem-%d", k))) {
            memset(&sp, 0, sizeof sp);
            memset(&wp, 0, sizeof wp);
            sp.numExtSems = wp.numExtSems = (k & 1);
            if (k & 2) {
                sp.extSemArray = nullsem;
                wp.extSemArray = nullsem;
            }
            if (k & 4) {
                sp.paramsArray = s1;
                wp.paramsArray = w1;
            }
            CUgraph g = mk();
            CUgraphNode a = NSENT, b = NSENT;
            CUresult r = P.cuGraphAddExternalSemaphoresSignalNode(&a, g, NULL, 0, &sp),
                     r2 = P.cuGraphAddExternalSemaphoresWaitNode(&b, g, NULL, 0, &wp);
            CUDA_EXT_SEM_SIGNAL_NODE_PARAMS so;
            memset(&so, 0x5a, sizeof so);
            CUresult r3 = r ? R_SKIP : P.cuGraphExternalSemaphoresSignalNodeGetParams(a, &so);
            case_end(r, " node=%s wait=%s node=%s get=%s num=%u %s", hs_(a), en(r2), hs_(b), en(r3),
                     r3 ? 0 : so.numExtSems, shape(g));
        }
}
/* ---- batch memory operations ---- */
#define BV(X)                                                                                      \
    X(write32, o[0].operation = 2)                                                                 \
    X(write32_nobarrier, o[0].operation = 2; o[0].writeValue.flags = 1) X(                         \
        write64, o[0].operation = 5; o[0].writeValue.value64 = 0x123456789abcull)                  \
        X(wait32_ge, o[0].operation = 1; o[0].waitValue.value = 0; o[0].waitValue.flags = 0) X(    \
            wait32_eq, o[0].operation = 1; o[0].waitValue.value = 0;                               \
            o[0].waitValue.flags =                                                                 \
                1) X(wait32_and, o[0].operation = 1; o[0].waitValue.value = 0xffffffff;            \
                     o[0].waitValue.flags = 3;                                                     \
                     p.count = 0) X(wait64, o[0].operation = 4; o[0].waitValue.value64 = 0)        \
            X(barrier, o[0].operation = 6; memset((char *)&o[0] + 4, 0, sizeof o[0] - 4)) X(       \
                flush, o[0].operation = 3; memset((char *)&o[0] + 4, 0, sizeof o[0] - 4))          \
                X(op0, o[0].operation = 0) X(op7, o[0].operation = 7) X(op99, o[0].operation = 99) \
                    X(flags_bad, o[0].operation = 2; o[0].writeValue.flags = 0x80)                 \
                        X(addr0, o[0].operation = 2; o[0].writeValue.address = 0)                  \
                            X(addr_odd, o[0].operation = 2; o[0].writeValue.address += 2)          \
                                X(addr_odd64, o[0].operation = 5; o[0].writeValue.address += 4)    \
                                    X(addr_pin, o[0].operation = 2;                                \
                                      o[0].writeValue.address = (dp)(uintptr_t)H[0])               \
                                        X(addr_page, o[0].operation = 2;                           \
                                          o[0].writeValue.address = (dp)(uintptr_t)hostA)          \
                                            X(count0, p.count = 0)                                 \
                                                X(array_null, p.paramArray = NULL)                 \
                                                    X(count2, o[0].operation = 2;                  \
                                                      o[1].operation = 2;                          \
                                                      o[1].writeValue.address = B[3] + 64;         \
                                                      o[1].writeValue.value = 8; p.count = 2)      \
                                                        X(                                         \
                                                            count256,                              \
                                                            for (int i = 0; i < 256; i++) {        \
                                                                o[i].operation = 2;                \
                                                                o[i].writeValue.address =          \
                                                                    B[3] + 4 * i;                  \
                                                                o[i].writeValue.value = i;         \
                                                            } p.count = 256)                       \
                                                            X(                                     \
                                                                count257,                          \
                                                                for (int i = 0; i < 257; i++) {    \
                                                                    o[i].operation = 2;            \
                                                                    o[i].writeValue.address =      \
                                                                        B[3] + 4 * i;              \
                                                                    o[i].writeValue.value = i;     \
                                                                } p.count = 257)                   \
                                                                X(pflags, o[0].operation = 2;      \
                                                                  p.flags = 1)                     \
                                                                    X(ctxnull, o[0].operation = 2; \
                                                                      p.ctx = NULL)
static CUstreamBatchMemOpParams bo[300];
#define BVD_(n, ...)                                                                               \
    static void bv_##n(CUDA_BATCH_MEM_OP_NODE_PARAMS *pp)                                          \
    {                                                                                              \
        CUDA_BATCH_MEM_OP_NODE_PARAMS p = *pp;                                                     \
        CUstreamBatchMemOpParams *o = bo;                                                          \
        (void)o;                                                                                   \
        __VA_ARGS__;                                                                               \
        *pp = p;                                                                                   \
    }
BV(BVD_)
#define BVR_(n, ...) {#n, bv_##n},
static const struct {
    const char *n;
    void (*f)(CUDA_BATCH_MEM_OP_NODE_PARAMS *);
} bvs[] = {BV(BVR_)};
static CUDA_BATCH_MEM_OP_NODE_PARAMS bbase(void)
{
    memset(bo, 0, sizeof bo);
    CUDA_BATCH_MEM_OP_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.ctx = ctx;
    p.count = 1;
    p.paramArray = bo;
    bo[0].operation = 2;
    bo[0].writeValue.address = B[3];
    bo[0].writeValue.value = 77;
    return p;
}
GROUP(250, nbatch, "node-batch")
{
    gsetup();
    independent = 1;
    for (size_t i = 0; i < A(bvs); i++) {
        if (case_begin(F("add-%s", bvs[i].n))) {
            bzero_all();
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = bbase();
            bvs[i].f(&p);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p);
            const char *q = r ? "-" : rung(g);
            case_end(r, " node=%s (%s) run=%s b3=%s h0=%u", hs_(n), r ? "-" : npar(n), q, bw(3),
                     H[0][0]);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("set-%s", bvs[i].n))) {
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = bbase();
            bvs[i].f(&p);
            CUgraph g = mk();
            CUgraphNode n = addb(g, NULL, 0, B[4], 1);
            CUDA_BATCH_MEM_OP_NODE_PARAMS p2 = bbase();
            (void)p2;
            bvs[i].f(&p);
            CUresult r = n ? P.cuGraphBatchMemOpNodeSetParams(n, &p) : R_SKIP;
            case_end(r, " (%s)", n ? npar(n) : "-");
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("exec-%s", bvs[i].n))) {
            bzero_all();
            CUgraph g = mk();
            CUgraphNode n = addb(g, NULL, 0, B[4], 1);
            CUgraphExec x = inst(g, 0);
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = bbase();
            bvs[i].f(&p);
            CUresult r = x ? P.cuGraphExecBatchMemOpNodeSetParams(x, n, &p) : R_SKIP;
            const char *q = runx(x, S[0]);
            case_end(r, " run=%s b3=%s b4=%s", q, bw(3), bw(4));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
    }
}
/* ---- conditional nodes ---- */
GROUP(260, ncond, "node-cond")
{
    gsetup();
    second_ctx();
    independent = 1;
    CUgraphConditionalHandle h;
    for (unsigned f = 0; f < 4; f++)
        for (unsigned d = 0; d < 3; d++)
            if (case_begin(F("handle-flags%u-default%u", f, d))) {
                CUgraph g = mk();
                h = SENT;
                CUresult r = P.cuGraphConditionalHandleCreate(&h, g, ctx, d, f);
                case_end(r, " out=%s", outst(h));
            }
    if (case_begin("handle-null-out")) {
        CUresult r = P.cuGraphConditionalHandleCreate(NULL, mk(), ctx, 0, 1);
        case_end(r, " ");
    }
    if (case_begin("handle-null-graph")) {
        h = SENT;
        CUresult r = P.cuGraphConditionalHandleCreate(&h, NULL, ctx, 0, 1);
        case_end(r, " out=%s", outst(h));
    }
    if (case_begin("handle-null-ctx")) {
        h = SENT;
        CUresult r = P.cuGraphConditionalHandleCreate(&h, mk(), NULL, 0, 1);
        case_end(r, " out=%s", outst(h));
    }
    if (case_begin("handle-ctx2")) {
        h = SENT;
        CUresult r = P.cuGraphConditionalHandleCreate(&h, mk(), ctx2, 0, 1);
        case_end(r, " out=%s", outst(h));
    }
    if (case_begin("handle-two")) {
        CUgraph g = mk();
        CUgraphConditionalHandle a = 0, b = 0;
        CUresult r = P.cuGraphConditionalHandleCreate(&a, g, ctx, 0, 1),
                 r2 = P.cuGraphConditionalHandleCreate(&b, g, ctx, 0, 1);
        case_end(r, " second=%s differ=%d", en(r2), a != b);
    }
    if (case_begin("handle-unused-inst")) {
        CUgraph g = mk();
        CUgraphConditionalHandle a = 0;
        CUresult r = P.cuGraphConditionalHandleCreate(&a, g, ctx, 0, 1);
        adde(g, NULL, 0);
        CUgraphExec x = 0;
        CUDA_GRAPH_INSTANTIATE_PARAMS ip;
        memset(&ip, 0, sizeof ip);
        ip.result_out = 77;
        CUresult r2 = P.cuGraphInstantiateWithParams(&x, g, &ip);
        case_end(r, " inst=%s result=%s", en(r2), irn(ip.result_out));
    }
    for (int ty = -1; ty <= 3; ty++)
        for (unsigned sz = 0; sz <= 4; sz++)
            if (case_begin(F("add-type%d-size%u", ty, sz))) {
                CUgraph g = mk();
                h = 0;
                CUresult hr = P.cuGraphConditionalHandleCreate(&h, g, ctx, 0, 1);
                CUgraphNodeParams p;
                memset(&p, 0, sizeof p);
                p.type = 13;
                p.conditional.handle = h;
                p.conditional.type = ty;
                p.conditional.size = sz;
                p.conditional.ctx = ctx;
                CUgraphNode n = NSENT;
                CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
                int set = 0;
                if (!r && p.conditional.phGraph_out)
                    for (unsigned i = 0; i < sz; i++)
                        set += p.conditional.phGraph_out[i] != NULL;
                const char *bs = !r && p.conditional.phGraph_out && sz
                                     ? shape(p.conditional.phGraph_out[0])
                                     : "-";
                const char *q = r ? "-" : rung(g);
                case_end(r, " handle=%s node=%s bodies=%d body0=%s run=%s %s", en(hr), hs_(n), set,
                         bs, q, shape(g));
                P.cuGraphDestroy(g);
            }
    if (case_begin("add-no-handle")) {
        CUgraph g = mk();
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.ctx = ctx;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("add-null-ctx")) {
        CUgraph g = mk();
        h = 0;
        P.cuGraphConditionalHandleCreate(&h, g, ctx, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("handle-of-other-graph")) {
        CUgraph g = mk(), o = mk();
        h = 0;
        P.cuGraphConditionalHandleCreate(&h, o, ctx, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = ctx;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUgraphExec x = 0;
        CUresult r2 = P.cuGraphInstantiate(&x, g, 0);
        case_end(r, " node=%s inst=%s", hs_(n), en(r2));
    }
    if (case_begin("handle-twice")) {
        CUgraph g = mk();
        h = 0;
        P.cuGraphConditionalHandleCreate(&h, g, ctx, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = ctx;
        CUgraphNode n = NSENT, n2 = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUgraphNodeParams p2;
        memset(&p2, 0, sizeof p2);
        p2.type = 13;
        p2.conditional.size = 1;
        p2.conditional.handle = h;
        p2.conditional.ctx = ctx;
        CUresult r2 = P.cuGraphAddNode(&n2, g, NULL, NULL, 0, &p2);
        CUgraphExec x = 0;
        CUresult r3 = P.cuGraphInstantiate(&x, g, 0);
        case_end(r, " second=%s node=%s inst=%s", en(r2), hs_(n2), en(r3));
    }
    /* bodies: what may stand in them */
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("body-%s", tn(t)))) {
            CUgraph g = mk(), b = 0;
            CUgraphNode c = addcond(g, NULL, 0, 0, 1, 1, &b);
            CUgraphNode n = b ? addt(t, b, NULL, 0) : NULL;
            CUgraphExec x = 0;
            CUDA_GRAPH_INSTANTIATE_PARAMS ip;
            memset(&ip, 0, sizeof ip);
            ip.result_out = 77;
            CUresult r2 = P.cuGraphInstantiateWithParams(&x, g, &ip);
            case_end(r2, " cond=%s node=%s result=%s errnode=%s", hs_(c), hs_(n),
                     irn(ip.result_out),
                     !ip.hErrNode_out       ? "null"
                     : ip.hErrNode_out == c ? "cond"
                     : ip.hErrNode_out == n ? "node"
                                            : "other");
            if (!r2)
                P.cuGraphExecDestroy(x);
        }
    if (case_begin("body-kernel-ctx2")) {
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUDA_KERNEL_NODE_PARAMS k = kp(K_NOP, 0, 0, 0, 0);
        k.func = fn2[K_NOP];
        CUgraphNode n = NSENT;
        CUresult r = b ? P.cuGraphAddKernelNode(&n, b, NULL, 0, &k) : R_SKIP;
        CUgraphExec x = 0;
        CUresult r2 = P.cuGraphInstantiate(&x, g, 0);
        case_end(r, " inst=%s", en(r2));
    }
    /* launches with the default value */
    for (unsigned d = 0; d <= 2; d++)
        if (case_begin(F("run-if-%u", d))) {
            bzero_all();
            CUgraph g = mk(), b = 0;
            CUgraphNode c = addcond(g, NULL, 0, 0, 1, d, &b);
            if (b)
                addk(b, NULL, 0, K_SET, B[0], 64, 5);
            addk(g, &c, 1, K_ADD, B[1], 64, 7);
            const char *q = rung(g);
            case_end(0, " run=%s b0=%s b1=%s", q, bw(0), bw(1));
        }
    for (unsigned d = 0; d <= 2; d++)
        if (case_begin(F("run-ifelse-%u", d))) {
            bzero_all();
            CUgraph g = mk(), b[2] = {0, 0};
            addcond(g, NULL, 0, 0, 2, d, b);
            if (b[0])
                addk(b[0], NULL, 0, K_SET, B[0], 64, 5);
            if (b[1])
                addk(b[1], NULL, 0, K_SET, B[1], 64, 9);
            const char *q = rung(g);
            case_end(0, " run=%s b0=%s b1=%s", q, bw(0), bw(1));
        }
    if (case_begin("run-while-0")) {
        bzero_all();
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 1, 1, 0, &b);
        if (b)
            addk(b, NULL, 0, K_ADD, B[0], 64, 5);
        const char *q = rung(g);
        case_end(0, " run=%s b0=%s", q, bw(0));
    }
    for (unsigned d = 0; d <= 4; d++)
        if (case_begin(F("run-switch3-%u", d))) {
            bzero_all();
            CUgraph g = mk(), b[3] = {0, 0, 0};
            addcond(g, NULL, 0, 2, 3, d, b);
            for (int i = 0; i < 3; i++)
                if (b[i])
                    addk(b[i], NULL, 0, K_SET, B[i], 64, 10 * (i + 1));
            const char *q = rung(g);
            case_end(0, " run=%s b0=%s b1=%s b2=%s", q, bw(0), bw(1), bw(2));
        }
    if (case_begin("run-if-noassign")) {
        bzero_all();
        CUgraph g = mk();
        h = 0;
        P.cuGraphConditionalHandleCreate(&h, g, ctx, 1, 0);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = ctx;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        if (!r && p.conditional.phGraph_out && p.conditional.phGraph_out[0])
            addk(p.conditional.phGraph_out[0], NULL, 0, K_SET, B[0], 64, 5);
        CUgraphExec x = inst(g, 0);
        case_end(r, " exec=%s", hs_(x));
    }
    if (case_begin("run-nested-if")) {
        bzero_all();
        CUgraph g = mk(), b = 0, b2 = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUgraphConditionalHandle hh = 0;
        CUresult hr = b ? P.cuGraphConditionalHandleCreate(&hh, b, ctx, 1, 1) : R_SKIP;
        CUgraphConditionalHandle h0 = 0;
        CUresult hr0 = P.cuGraphConditionalHandleCreate(&h0, g, ctx, 1, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = hr ? h0 : hh;
        p.conditional.ctx = ctx;
        CUgraphNode n = NSENT;
        CUresult r = b ? P.cuGraphAddNode(&n, b, NULL, NULL, 0, &p) : R_SKIP;
        if (!r && p.conditional.phGraph_out)
            b2 = p.conditional.phGraph_out[0];
        if (b2)
            addk(b2, NULL, 0, K_SET, B[0], 64, 6);
        const char *q = rung(g);
        case_end(r, " handle-in-body=%s handle-in-graph=%s run=%s b0=%s", en(hr), en(hr0), q,
                 bw(0));
    }
    if (case_begin("run-twice")) {
        bzero_all();
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        if (b)
            addk(b, NULL, 0, K_ADD, B[0], 64, 5);
        CUgraphExec x = inst(g, 0);
        const char *q = runx(x, S[0]), *q2 = runx(x, S[0]);
        case_end(0, " run=%s,%s b0=%s", q, q2, bw(0));
    }
    if (case_begin("clone")) {
        CUgraph g = mk(), b = 0, d = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUresult r = P.cuGraphClone(&d, g);
        case_end(r, " %s", shape(d));
    }
    if (case_begin("in-child")) {
        CUgraph g = mk(), c = mk(), b = 0;
        addcond(c, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("body-destroy")) {
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUresult r = b ? P.cuGraphDestroy(b) : R_SKIP;
        case_end(r, " ");
    }
    if (case_begin("body-instantiate")) {
        CUgraph g = mk(), b = 0;
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUgraphExec x = XSENT;
        CUresult r = b ? P.cuGraphInstantiate(&x, b, 0) : R_SKIP;
        case_end(r, " exec=%s", hs_(x));
    }
    if (case_begin("body-as-child")) {
        CUgraph g = mk(), b = 0, o = mk();
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = NSENT;
        CUresult r = b ? P.cuGraphAddChildGraphNode(&n, o, NULL, 0, b) : R_SKIP;
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("edge-into-body")) {
        CUgraph g = mk(), b = 0;
        CUgraphNode e = adde(g, NULL, 0);
        addcond(g, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = NSENT;
        CUresult r = b ? P.cuGraphAddEmptyNode(&n, b, &e, 1) : R_SKIP;
        case_end(r, " node=%s", hs_(n));
    }
}
