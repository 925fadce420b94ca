/* SPDX-License-Identifier: MIT */
/* States: every graph function without cuInit, without a context, after the context went; zero
 * arguments; bad handles. */
#include "graph_recorder.h"
static CUgraph sg, sg2;
static CUgraphNode sn[TY_N], so1;
static CUgraphExec sx, sx2;
static CUstream ss;
static CUuserObject su;
static CUevent se_;
static CUcontext sc;
static dp sd;
static size_t sz_;
static unsigned u_;
static cuuint64_t ull_;
static CUgraphNodeType ty_;
static CUgraph og;
static CUgraphNodeParams gnp;
static CUDA_KERNEL_NODE_PARAMS k_;
static CUDA_MEMCPY3D c_;
static CUDA_MEMSET_NODE_PARAMS m_;
static CUDA_HOST_NODE_PARAMS h_;
static CUDA_MEM_ALLOC_NODE_PARAMS a_;
static CUDA_BATCH_MEM_OP_NODE_PARAMS b_;
static CUstreamBatchMemOpParams bo_[1];
static CUkernelNodeAttrValue av_;
static CUDA_EXT_SEM_SIGNAL_NODE_PARAMS es_;
static CUDA_EXT_SEM_WAIT_NODE_PARAMS ew_;
static CUDA_GRAPH_INSTANTIATE_PARAMS ip_;
static CUgraphExecUpdateResultInfo ri_;
static CUgraphConditionalHandle ch_;
static CUstreamCaptureMode cm_;
static CUstreamCaptureStatus cst_;
static CUevent oe_;
static dp od_;
static CUuserObject ou_;
static void CUDA_CB nop(void *u)
{
    (void)u;
}
#define SC(X)                                                                                                            \
    X(cuGraphCreate, (&og, 0))                                                                                           \
    X(cuGraphClone, (&og, sg)) X(cuGraphGetNodes, (sg, NULL, &sz_)) X(cuGraphGetRootNodes, (sg, NULL, &sz_)) X(          \
        cuGraphGetEdges,                                                                                                 \
        (                                                                                                                \
            sg,                                                                                                          \
            NULL,                                                                                                        \
            NULL,                                                                                                        \
            NULL,                                                                                                        \
            &sz_)) X(cuGraphNodeGetType,                                                                                 \
                     (sn[0], &ty_)) X(cuGraphNodeGetDependencies, (sn[0], NULL, NULL, &sz_))                             \
        X(cuGraphNodeGetDependentNodes, (sn[0], NULL, NULL, &sz_)) X(                                                    \
            cuGraphAddDependencies,                                                                                      \
            (sg, &sn[0], &sn[1], NULL,                                                                                   \
             1)) X(cuGraphRemoveDependencies,                                                                            \
                   (sg, &sn[0], &sn[1], NULL, 1)) X(cuGraphNodeFindInClone, (&so1, sn[0], sg2))                          \
            X(cuGraphDebugDotPrint, (sg, "/dev/null", 0)) X(cuGraphAddKernelNode, (&so1, sg, NULL, 0, &k_)) X(           \
                cuGraphKernelNodeGetParams,                                                                              \
                (sn[0],                                                                                                  \
                 &k_)) X(cuGraphKernelNodeSetParams,                                                                     \
                         (sn[0], &k_)) X(cuGraphKernelNodeCopyAttributes, (sn[0], sn[0]))                                \
                X(cuGraphKernelNodeGetAttribute, (sn[0], 2, &av_)) X(cuGraphKernelNodeSetAttribute, (sn[0], 2, &av_)) X( \
                    cuGraphAddMemcpyNode,                                                                                \
                    (&so1, sg, NULL, 0,                                                                                  \
                     &c_, sc)) X(cuGraphMemcpyNodeGetParams,                                                             \
                                 (sn[1], &c_)) X(cuGraphMemcpyNodeSetParams, (sn[1], &c_))                               \
                    X(cuGraphAddMemsetNode, (&so1, sg, NULL, 0, &m_, sc)) X(                                             \
                        cuGraphMemsetNodeGetParams,                                                                      \
                        (sn[2],                                                                                          \
                         &m_)) X(cuGraphMemsetNodeSetParams,                                                             \
                                 (sn[2], &m_)) X(cuGraphAddHostNode, (&so1, sg, NULL, 0, &h_))                           \
                        X(cuGraphHostNodeGetParams, (sn[3], &h_)) X(cuGraphHostNodeSetParams, (sn[3], &h_)) X(           \
                            cuGraphAddChildGraphNode,                                                                    \
                            (&so1, sg, NULL, 0,                                                                          \
                             sg2)) X(cuGraphChildGraphNodeGetGraph,                                                      \
                                     (sn[4], &og)) X(cuGraphAddEmptyNode, (&so1, sg, NULL, 0))                           \
                            X(cuGraphAddEventRecordNode, (&so1, sg, NULL, 0, se_)) X(                                    \
                                cuGraphEventRecordNodeGetEvent,                                                          \
                                (                                                                                        \
                                    sn[7],                                                                               \
                                    &oe_)) X(cuGraphEventRecordNodeSetEvent,                                             \
                                             (sn[7], se_)) X(cuGraphAddEventWaitNode, (&so1, sg, NULL, 0, se_))          \
                                X(cuGraphEventWaitNodeGetEvent, (sn[6], &oe_)) X(                                        \
                                    cuGraphEventWaitNodeSetEvent,                                                        \
                                    (sn[6],                                                                              \
                                     se_)) X(cuGraphAddExternalSemaphoresSignalNode,                                     \
                                             (&so1, sg, NULL, 0, &es_))                                                  \
                                    X(cuGraphAddExternalSemaphoresWaitNode, (&so1, sg, NULL, 0, &ew_)) X(                \
                                        cuGraphAddBatchMemOpNode,                                                        \
                                        (&so1, sg, NULL, 0,                                                              \
                                         &b_)) X(cuGraphBatchMemOpNodeGetParams, (sn[12], &b_))                          \
                                        X(cuGraphAddMemAllocNode, (&so1, sg2, NULL, 0, &a_)) X(                          \
                                            cuGraphMemAllocNodeGetParams,                                                \
                                            (sn[10],                                                                     \
                                             &a_)) X(cuGraphAddMemFreeNode,                                              \
                                                     (&so1, sg, NULL, 0, sd))                                            \
                                            X(cuGraphMemFreeNodeGetParams, (sn[11], &od_)) X(                            \
                                                cuDeviceGraphMemTrim,                                                    \
                                                (0)) X(cuDeviceGetGraphMemAttribute,                                     \
                                                       (0, 0, &ull_))                                                    \
                                                X(cuDeviceSetGraphMemAttribute, (0, 1, &ull_)) X(                        \
                                                    cuGraphInstantiate,                                                  \
                                                    (&sx2, sg,                                                           \
                                                     0)) X(cuGraphInstantiateWithParams,                                 \
                                                           (&sx2, sg, &ip_)) X(cuGraphExecGetFlags, (sx, &ull_))         \
                                                    X(cuGraphExecKernelNodeSetParams, (sx, sn[0], &k_)) X(               \
                                                        cuGraphExecMemcpyNodeSetParams,                                  \
                                                        (                                                                \
                                                            sx,                                                          \
                                                            sn[1],                                                       \
                                                            &c_,                                                         \
                                                            sc)) X(cuGraphExecMemsetNodeSetParams,                       \
                                                                   (sx, sn[2], &m_, sc))                                 \
                                                        X(cuGraphExecHostNodeSetParams, (sx, sn[3], &h_)) X(             \
                                                            cuGraphExecEventRecordNodeSetEvent,                          \
                                                            (sx, sn[7],                                                  \
                                                             se_)) X(cuGraphExecEventWaitNodeSetEvent,                   \
                                                                     (sx, sn[6], se_))                                   \
                                                            X(cuGraphNodeSetEnabled, (sx, sn[0], 1)) X(                  \
                                                                cuGraphNodeGetEnabled,                                   \
                                                                (sx, sn[0],                                              \
                                                                 &u_)) X(cuGraphUpload,                                  \
                                                                         (sx, ss)) X(cuGraphLaunch, (sx, ss))            \
                                                                X(cuGraphExecUpdate, (sx, sg, &ri_)) X(                  \
                                                                    cuUserObjectCreate,                                  \
                                                                    (&ou_, &u_, nop, 1,                                  \
                                                                     1)) X(cuUserObjectRetain,                           \
                                                                           (su, 1)) X(cuUserObjectRelease, (su, 1))      \
                                                                    X(cuGraphRetainUserObject, (sg, su, 1, 0)) X(        \
                                                                        cuGraphReleaseUserObject,                        \
                                                                        (sg, su,                                         \
                                                                         1)) X(cuGraphAddNode,                           \
                                                                               (&so1, sg, NULL, NULL, 0, &gnp))          \
                                                                        X(cuGraphConditionalHandleCreate,                \
                                                                          (&ch_, sg2, sc, 0,                             \
                                                                           1)) X(cuThreadExchangeStreamCaptureMode,      \
                                                                                 (&cm_))                                 \
                                                                            X(cuStreamIsCapturing, (ss, &cst_)) X(       \
                                                                                cuStreamGetCaptureInfo,                  \
                                                                                (ss, &cst_, &ull_,                       \
                                                                                 NULL,                                   \
                                                                                 NULL,                                   \
                                                                                 NULL,                                   \
                                                                                 NULL))                                  \
                                                                                X(cuStreamUpdateCaptureDependencies,     \
                                                                                  (ss, NULL, NULL,                       \
                                                                                   0,                                    \
                                                                                   0)) X(cuStreamBeginCapture,           \
                                                                                         (ss, 2))                        \
                                                                                    X(cuStreamEndCapture,                \
                                                                                      (ss, &og))                         \
                                                                                        X(cuStreamBeginCaptureToGraph,   \
                                                                                          (ss, sg,                       \
                                                                                           NULL,                         \
                                                                                           NULL,                         \
                                                                                           0,                            \
                                                                                           2)) X(cuGraphDestroyNode,     \
                                                                                                 (sn[5]))                \
                                                                                            X(cuGraphExecDestroy,        \
                                                                                              (sx))                      \
                                                                                                X(cuGraphDestroy,        \
                                                                                                  (sg))
#define SD_(n, a)                                                                                  \
    static CUresult st_##n(void)                                                                   \
    {                                                                                              \
        return P.n a;                                                                              \
    }
SC(SD_)
#define SR_(n, a) {#n, st_##n},
static const struct {
    const char *n;
    CUresult (*f)(void);
} sts[] = {SC(SR_)};
static void prep(void)
{
    memset(&gnp, 0, sizeof gnp);
    gnp.type = 5;
    memset(&av_, 0, sizeof av_);
    memset(&es_, 0, sizeof es_);
    memset(&ew_, 0, sizeof ew_);
    memset(&ip_, 0, sizeof ip_);
    memset(&ri_, 0, sizeof ri_);
    memset(&a_, 0, sizeof a_);
    a_.poolProps.allocType = 1;
    a_.poolProps.location.type = 1;
    a_.bytesize = 4096;
    memset(&h_, 0, sizeof h_);
    h_.fn = nop;
    cm_ = 0;
    ull_ = 0;
    memset(bo_, 0, sizeof bo_);
    bo_[0].operation = 2;
    bo_[0].writeValue.address = B[3];
    memset(&b_, 0, sizeof b_);
    b_.ctx = sc;
    b_.count = 1;
    b_.paramArray = bo_;
    k_ = kp(K_NOP, 0, 0, 0, 0);
    c_ = cdd(B[1], B[0], 256);
    m_ = ms(B[0], 1, 4, 16, 1, 0);
}
static void live(void)
{
    sg = mk();
    sg2 = 0;
    for (int t = 0; t < TY_N; t++)
        sn[t] = t == 10 || t == 11 || t == 13 ? NULL : addt(t, sg, NULL, 0);
    P.cuGraphClone(&sg2, sg);
    sx = inst(sg, 0);
    ss = mkstream(0);
    se_ = E[0];
    sd = B[0];
    P.cuUserObjectCreate(&su, &u_, nop, 4, 1);
    P.cuCtxSynchronize();
}
static void table(int fresh)
{
    for (size_t i = 0; i < A(sts); i++)
        if (case_begin(sts[i].n)) {
            if (fresh) {
                live();
                if (fresh == 2)
                    P.cuCtxSetCurrent(NULL);
            }
            prep();
            CUresult r = sts[i].f();
            if (fresh == 2)
                P.cuCtxSetCurrent(ctx);
            if (fresh && cstat(ss) > 0) {
                CUgraph g = 0;
                P.cuStreamEndCapture(ss, &g);
            }
            case_end(r, " ");
        }
}
GROUP(800, st0, "gstate-noinit")
{
    independent = 1;
    table(0);
}
GROUP(801, st1, "gstate-noctx")
{
    init_only();
    independent = 1;
    table(0);
}
GROUP(802, st2, "gstate-noctx-live")
{
    gsetup();
    sc = ctx;
    independent = 1;
    table(2);
}
GROUP(803, st3, "gstate-ctx")
{
    gsetup();
    sc = ctx;
    independent = 1;
    table(1);
}
/* the objects' context is destroyed, another one is current */
GROUP(804, st4, "gstate-destroyedctx")
{
    init_only();
    independent = 1;
    ctx = ctx_new();
    P.cuModuleLoadData(&mod, ptx_text);
    if (mod) {
        P.cuModuleGetFunction(&fn[K_NOP], mod, "knop");
        P.cuModuleGetFunction(&fn[K_ADD], mod, "kadd");
    }
    for (int i = 0; i < NB; i++)
        B[i] = dalloc(NBY);
    for (int i = 0; i < 4; i++)
        P.cuEventCreate(&E[i], 0);
    live();
    sc = ctx;
    CUcontext old = ctx;
    P.cuCtxSetCurrent(NULL);
    P.cuDevicePrimaryCtxRetain(&ctx, dev);
    P.cuCtxSetCurrent(ctx);
    T("destroy", P.cuCtxDestroy(old));
    sc = NULL;
    ss = mkstream(0);
    se_ = 0;
    P.cuEventCreate(&se_, 0);
    for (size_t i = 0; i < A(sts); i++)
        if (case_begin(sts[i].n)) {
            prep();
            b_.ctx = ctx;
            sc = ctx;
            CUresult r = sts[i].f();
            case_end(r, " ");
        }
}
GROUP(805, st5, "gstate-primaryreset")
{
    gsetup();
    independent = 1;
    sc = ctx;
    live();
    T("reset", P.cuDevicePrimaryCtxReset(dev));
    for (size_t i = 0; i < A(sts); i++)
        if (!strstr(sts[i].n, "cuStream") && !strstr(sts[i].n, "Launch") &&
            !strstr(sts[i].n, "Upload") && !strstr(sts[i].n, "Event") && case_begin(sts[i].n)) {
            prep();
            CUresult r = sts[i].f();
            case_end(r, " ");
        }
}
typedef CUresult (*gen)(long, long, long, long, long, long, long, long);
#define ZERO_(f) T(#f, ((gen)(void *)P.f)(0, 0, 0, 0, 0, 0, 0, 0));
#define OZERO_(id, s, a) T("v1-" s, ((gen)(void *)O.id)(0, 0, 0, 0, 0, 0, 0, 0));
GROUP(806, z0, "gzero-noinit")
{
    independent = 1;
    FNS_GRAPH(ZERO_) OLD_LIST(OZERO_)
}
GROUP(807, z1, "gzero-noctx")
{
    init_only();
    independent = 1;
    FNS_GRAPH(ZERO_) OLD_LIST(OZERO_)
}
GROUP(808, z2, "gzero-ctx")
{
    ctx_primary();
    independent = 1;
    FNS_GRAPH(ZERO_) OLD_LIST(OZERO_)
}
static void gpa(const char *n, void *mine)
{
    static const struct {
        int v;
        cuuint64_t f;
    } k[] = {{13000, 0}, {12030, 0}, {12020, 0}, {12000, 0}, {11040, 0}, {11030, 0},
             {10010, 0}, {10000, 0}, {9000, 0},  {13000, 1}, {13000, 2}};
    SB(b, 400);
    CUresult r0 = 0;
    if (!case_begin(n))
        return;
    for (size_t i = 0; i < A(k); i++) {
        void *p = (void *)SENT;
        CUdriverProcAddressQueryResult q = 99;
        CUresult r = P.cuGetProcAddress(n, &p, k[i].v, k[i].f, &q);
        if (!i)
            r0 = r;
        sbf(&b, " v%d%s=%d/st%d/%s", k[i].v,
            k[i].f == 1   ? "L"
            : k[i].f == 2 ? "PT"
                          : "",
            (int)r, (int)q,
            p == mine           ? "newest"
            : !p                ? "null"
            : p == (void *)SENT ? "kept"
                                : "other");
    }
    case_end(r0, "%s", b.b);
}
#define GPA_(f) gpa(#f, (void *)P.f);
GROUP(809, gproc, "gprocaddr")
{
    init_only();
    independent = 1;
    FNS_GRAPH(GPA_)
}
/* garbage handles: each in its own process */
static CUgraphNode rn;
static size_t rz;
static CUgraph rg;
static CUgraphExec rx;
#define GG ((CUgraph)G)
#define GN ((CUgraphNode)G)
#define GX ((CUgraphExec)G)
RK2(1000, gGetNodes, P.cuGraphGetNodes(GG, NULL, &rz))
RK2(1000, gGetEdges, P.cuGraphGetEdges(GG, NULL, NULL, NULL, &rz)) RK2(
    1000, gDestroy, P.cuGraphDestroy(GG)) RK2(1000, gClone, P.cuGraphClone(&rg, GG))
    RK2(1000, gAddEmpty, P.cuGraphAddEmptyNode(&rn, GG, NULL, 0)) RK2(
        1000, gInstantiate,
        P.cuGraphInstantiate(&rx, GG, 0)) RK2(1000, gNodeType,
                                              P.cuGraphNodeGetType(GN, (CUgraphNodeType *)RH))
        RK2(1000, gNodeDeps, P.cuGraphNodeGetDependencies(GN, NULL, NULL, &rz)) RK2(
            1000, gDestroyNode,
            P.cuGraphDestroyNode(
                GN)) RK2(1000, gKernelGet,
                         P.cuGraphKernelNodeGetParams(GN, (CUDA_KERNEL_NODE_PARAMS *)RH))
            RK2(1000, gMemsetGet,
                P.cuGraphMemsetNodeGetParams(GN,
                                             (CUDA_MEMSET_NODE_PARAMS *)
                                                 RH)) RK2(1000, gLaunch, P.cuGraphLaunch(GX, RS))
                RK2(1000, gUpload, P.cuGraphUpload(GX, RS)) RK2(
                    1000, gExecDestroy,
                    P.cuGraphExecDestroy(
                        GX)) RK2(1000, gExecFlags, P.cuGraphExecGetFlags(GX, (cuuint64_t *)RH))
                    RK2(1000, gUserRetain, P.cuUserObjectRetain((CUuserObject)G, 1)) RK2(
                        1000, gUserRelease,
                        P.cuUserObjectRelease((CUuserObject)G,
                                              1)) RK2(1000, gBeginCapture,
                                                      P.cuStreamBeginCapture((CUstream)G, 2))
                        RK2(1000, gEndCapture, P.cuStreamEndCapture((CUstream)G, &rg)) RK2(
                            1000, gIsCapturing,
                            P.cuStreamIsCapturing((CUstream)G, (CUstreamCaptureStatus *)RH))
                            RK2(1000, gAddDepsNode,
                                (rg = mk(), rn = GN,
                                 P.cuGraphAddDependencies(
                                     rg,
                                     &rn, &rn, NULL,
                                     1))) RK2(1000, gAddEmptyDep,
                                              (rg = mk(), rn = GN,
                                               P.cuGraphAddEmptyNode(&rn, rg, &rn, 1)))
                                RK2(1000, gChild,
                                    (rg = mk(), P.cuGraphAddChildGraphNode(&rn, rg, NULL, 0, GG)))
                                    RK2(1000, gEventRecord,
                                        (rg = mk(),
                                         P.cuGraphAddEventRecordNode(
                                             &rn, rg, NULL,
                                             0,
                                             (CUevent)
                                                 G))) RK2(1000, gMemsetCtx, ({
                                                              CUDA_MEMSET_NODE_PARAMS m =
                                                                  ms(RD, 1, 4, 16, 1, 0);
                                                              rg = mk();
                                                              P.cuGraphAddMemsetNode(&rn, rg, NULL,
                                                                                     0, &m,
                                                                                     (CUcontext)G);
                                                          })) RK2(1000, gKernelFunc, ({
                                                                      CUDA_KERNEL_NODE_PARAMS k;
                                                                      memset(&k, 0, sizeof k);
                                                                      k.func = (CUfunction)G;
                                                                      k.gridDimX = k.gridDimY =
                                                                          k.gridDimZ = k.blockDimX =
                                                                              k.blockDimY =
                                                                                  k.blockDimZ = 1;
                                                                      rg = mk();
                                                                      P.cuGraphAddKernelNode(
                                                                          &rn, rg, NULL, 0, &k);
                                                                  }))
                                        RK2(1000, gHostFn, ({
                                                CUDA_HOST_NODE_PARAMS h;
                                                memset(&h, 0, sizeof h);
                                                h.fn = (CUhostFn)G;
                                                rg = mk();
                                                P.cuGraphAddHostNode(&rn, rg, NULL, 0, &h);
                                            }))
                                            RK2(1000, gUpdate, ({
                                                    rg = mk();
                                                    CUgraphExecUpdateResultInfo i;
                                                    memset(&i, 0, sizeof i);
                                                    P.cuGraphExecUpdate(GX, rg, &i);
                                                }))
                                                RK2(1000, gSem, ({
                                                        CUexternalSemaphore s =
                                                            (CUexternalSemaphore)G;
                                                        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp;
                                                        memset(&sp, 0, sizeof sp);
                                                        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS n;
                                                        memset(&n, 0, sizeof n);
                                                        n.extSemArray = &s;
                                                        n.paramsArray = &sp;
                                                        n.numExtSems = 1;
                                                        rg = mk();
                                                        P.cuGraphAddExternalSemaphoresSignalNode(
                                                            &rn, rg, NULL, 0, &n);
                                                    }))
    /* stale handles */
    static CUgraph dead(void)
{
    CUgraph g = mk();
    rn = adde(g, NULL, 0);
    P.cuGraphDestroy(g);
    return g;
}
static CUgraphExec deadx(void)
{
    rg = mk();
    rn = adde(rg, NULL, 0);
    CUgraphExec x = inst(rg, 0);
    if (x)
        P.cuGraphExecDestroy(x);
    return x;
}
RK(1001, staleDestroy, P.cuGraphDestroy(dead()))
RK(1001, staleGetNodes, P.cuGraphGetNodes(dead(), NULL, &rz)) RK(1001, staleClone,
                                                                 P.cuGraphClone(&rg, dead()))
    RK(1001, staleInstantiate,
       P.cuGraphInstantiate(&rx, dead(), 0)) RK(1001, staleAddEmpty,
                                                P.cuGraphAddEmptyNode(&rn, dead(), NULL, 0))
        RK(1001, staleNodeType, (dead(), P.cuGraphNodeGetType(rn, (CUgraphNodeType *)RH))) RK(
            1001, staleNodeDestroy,
            (dead(), P.cuGraphDestroyNode(rn))) RK(1001, staleExecDestroy,
                                                   P.cuGraphExecDestroy(deadx()))
            RK(1001, staleExecLaunch, P.cuGraphLaunch(deadx(), RS)) RK(1001, staleExecUpload,
                                                                       P.cuGraphUpload(deadx(), RS))
                RK(1001, staleExecFlags, P.cuGraphExecGetFlags(deadx(), (cuuint64_t *)RH)) RK(
                    1001, staleChild,
                    (rg = mk(), P.cuGraphAddChildGraphNode(&rn, rg, NULL, 0, dead())))
                    RK(1001, doubleNodeDestroy, ({
                           rg = mk();
                           rn = adde(rg, NULL, 0);
                           P.cuGraphDestroyNode(rn);
                           P.cuGraphDestroyNode(rn);
                       })) RK(1001, destroyedNodeDep, ({
                                  rg = mk();
                                  rn = adde(rg, NULL, 0);
                                  P.cuGraphDestroyNode(rn);
                                  CUgraphNode o = 0;
                                  P.cuGraphAddEmptyNode(&o, rg, &rn, 1);
                              })) RK(1001, userOverRelease, ({
                                         CUuserObject o = 0;
                                         P.cuUserObjectCreate(&o, RH, nop, 1, 1);
                                         P.cuUserObjectRelease(o, 2);
                                     })) RK(1001, userReleaseTwice, ({
                                                CUuserObject o = 0;
                                                P.cuUserObjectCreate(&o, RH, nop, 1, 1);
                                                P.cuUserObjectRelease(o, 1);
                                                P.cuUserObjectRelease(o, 1);
                                            }))
                        RK(1001, nodesCountOnly, P.cuGraphGetNodes(mk(), (CUgraphNode *)RH, NULL))
                            RK(1001, eventDestroyedInst, ({
                                   CUevent e = 0;
                                   P.cuEventCreate(&e, 0);
                                   rg = mk();
                                   addr(rg, NULL, 0, e);
                                   P.cuEventDestroy(e);
                                   P.cuGraphInstantiate(&rx, rg, 0);
                               })) RK(1001, eventDestroyedLaunch, ({
                                          CUevent e = 0;
                                          P.cuEventCreate(&e, 0);
                                          rg = mk();
                                          addr(rg, NULL, 0, e);
                                          rx = inst(rg, 0);
                                          P.cuEventDestroy(e);
                                          P.cuGraphLaunch(rx, RS);
                                      })) RK(1001, condHandleGarbage, ({
                                                 CUgraphNodeParams p;
                                                 memset(&p, 0, sizeof p);
                                                 p.type = 13;
                                                 p.conditional.handle = 0x1234;
                                                 p.conditional.size = 1;
                                                 rg = mk();
                                                 P.cuCtxGetCurrent(&p.conditional.ctx);
                                                 P.cuGraphAddNode(&rn, rg, NULL, NULL, 0, &p);
                                             }))
                                RK(1001, memFreedInst, ({
                                       dp d = dalloc(4096);
                                       rg = mk();
                                       CUDA_MEMSET_NODE_PARAMS m = ms(d, 1, 4, 16, 1, 0);
                                       CUcontext c = 0;
                                       P.cuCtxGetCurrent(&c);
                                       P.cuGraphAddMemsetNode(&rn, rg, NULL, 0, &m, c);
                                       P.cuMemFree(d);
                                       P.cuGraphInstantiate(&rx, rg, 0);
                                   })) RK(1001, captureDestroyGraph, ({
                                              P.cuStreamBeginCapture(RS, 2);
                                              CUstreamCaptureStatus s = 0;
                                              CUgraph g = 0;
                                              P.cuStreamGetCaptureInfo(RS, &s, NULL, &g, NULL, NULL,
                                                                       NULL);
                                              CUresult r = P.cuGraphDestroy(g);
                                              r;
                                          })) RK(1001, extraDepsHuge,
                                                 (rg = mk(),
                                                  P.cuGraphAddEmptyNode(&rn, rg, (CUgraphNode *)RH,
                                                                        (size_t)1 << 60)))
                                    RK(1001, depsHuge,
                                       (rg = mk(), P.cuGraphAddDependencies(rg, (CUgraphNode *)RH,
                                                                            (CUgraphNode *)RH, NULL,
                                                                            (size_t)1 << 60)))
