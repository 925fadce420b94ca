/* SPDX-License-Identifier: MIT */
/* Node types: parameters, round trips, wrong types, NULL arguments. */
#include "graph_recorder.h"
/* ---- matrix: every typed function on every node type ---- */
#define TFS(X)                                                                                     \
    X(kernel_get, CUDA_KERNEL_NODE_PARAMS p; memset(&p, 0, sizeof p);                              \
      return P.cuGraphKernelNodeGetParams(n, &p))                                                  \
    X(kernel_get_v1, CUDA_KERNEL_NODE_PARAMS_v1 p; memset(&p, 0, sizeof p);                        \
      return O.oGraphKernelNodeGetParams(n, &p))                                                   \
    X(kernel_set, CUDA_KERNEL_NODE_PARAMS p = kp(K_MUL, B[0], 0, 32, 2);                           \
      return P.cuGraphKernelNodeSetParams(n, &p))                                                  \
    X(kernel_set_v1, CUDA_KERNEL_NODE_PARAMS_v1 p = kp1(K_MUL, B[0], 0, 32, 2);                    \
      return O.oGraphKernelNodeSetParams(n, &p))                                                   \
    X(kernel_getattr, CUkernelNodeAttrValue v; memset(&v, 0, sizeof v);                            \
      return P.cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v))              \
    X(kernel_setattr, CUkernelNodeAttrValue v; memset(&v, 0, sizeof v);                            \
      return P.cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v))              \
    X(kernel_copyattr_self, return P.cuGraphKernelNodeCopyAttributes(n, n))                        \
    X(memcpy_get, CUDA_MEMCPY3D p; memset(&p, 0, sizeof p);                                        \
      return P.cuGraphMemcpyNodeGetParams(n, &p))                                                  \
    X(memcpy_set, CUDA_MEMCPY3D p = cdd(B[4], B[5], 64);                                           \
      return P.cuGraphMemcpyNodeSetParams(n, &p))                                                  \
    X(memset_get, CUDA_MEMSET_NODE_PARAMS p; memset(&p, 0, sizeof p);                              \
      return P.cuGraphMemsetNodeGetParams(n, &p))                                                  \
    X(memset_set, CUDA_MEMSET_NODE_PARAMS p = ms(B[4], 1, 1, 16, 1, 0);                            \
      return P.cuGraphMemsetNodeSetParams(n, &p))                                                  \
    X(host_get, CUDA_HOST_NODE_PARAMS p; memset(&p, 0, sizeof p);                                  \
      return P.cuGraphHostNodeGetParams(n, &p))                                                    \
    X(host_set, CUDA_HOST_NODE_PARAMS p; memset(&p, 0, sizeof p); p.fn = hfn2;                     \
      return P.cuGraphHostNodeSetParams(n, &p))                                                    \
    X(child_get, CUgraph g = 0; return P.cuGraphChildGraphNodeGetGraph(n, &g))                     \
    X(evrecord_get, CUevent e = 0; return P.cuGraphEventRecordNodeGetEvent(n, &e))                 \
    X(evrecord_set, return P.cuGraphEventRecordNodeSetEvent(n, E[2]))                              \
    X(evwait_get, CUevent e = 0; return P.cuGraphEventWaitNodeGetEvent(n, &e))                     \
    X(evwait_set, return P.cuGraphEventWaitNodeSetEvent(n, E[2]))                                  \
    X(semsignal_get, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS p; memset(&p, 0, sizeof p);                   \
      return P.cuGraphExternalSemaphoresSignalNodeGetParams(n, &p))                                \
    X(semsignal_set, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS p; memset(&p, 0, sizeof p);                   \
      return P.cuGraphExternalSemaphoresSignalNodeSetParams(n, &p))                                \
    X(semwait_get, CUDA_EXT_SEM_WAIT_NODE_PARAMS p; memset(&p, 0, sizeof p);                       \
      return P.cuGraphExternalSemaphoresWaitNodeGetParams(n, &p))                                  \
    X(semwait_set, CUDA_EXT_SEM_WAIT_NODE_PARAMS p; memset(&p, 0, sizeof p);                       \
      return P.cuGraphExternalSemaphoresWaitNodeSetParams(n, &p))                                  \
    X(memalloc_get, CUDA_MEM_ALLOC_NODE_PARAMS p; memset(&p, 0, sizeof p);                         \
      return P.cuGraphMemAllocNodeGetParams(n, &p))                                                \
    X(memfree_get, dp p = 0; return P.cuGraphMemFreeNodeGetParams(n, &p))                          \
    X(batch_get, CUDA_BATCH_MEM_OP_NODE_PARAMS p; memset(&p, 0, sizeof p);                         \
      return P.cuGraphBatchMemOpNodeGetParams(n, &p))                                              \
    X(batch_set, CUstreamBatchMemOpParams o[1]; memset(o, 0, sizeof o);                            \
      o[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32; o[0].writeValue.address = B[3];            \
      o[0].writeValue.value = 9; CUDA_BATCH_MEM_OP_NODE_PARAMS p; memset(&p, 0, sizeof p);         \
      p.ctx = ctx; p.count = 1; p.paramArray = o; return P.cuGraphBatchMemOpNodeSetParams(n, &p))
#define TFD_(n_, ...)                                                                              \
    static CUresult tf_##n_(CUgraphNode n)                                                         \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
TFS(TFD_)
#define TFR_(n_, ...) {#n_, tf_##n_},
static const struct {
    const char *n;
    CUresult (*f)(CUgraphNode);
} tfs[] = {TFS(TFR_)};
/* generic parameters of a type: plausible contents */
static CUstreamBatchMemOpParams bops[4];
static void gpar(CUgraphNodeParams *p, int t, CUgraph child)
{
    memset(p, 0, sizeof *p);
    p->type = t;
    switch (t) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS k = kp(K_MUL, B[0], 0, 64, 5);
        memcpy(&p->kernel, &k, sizeof k < sizeof p->kernel ? sizeof k : sizeof p->kernel);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        p->memcpy.copyCtx = ctx;
        p->memcpy.copyParams = cdd(B[4], B[5], 128);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS m = ms(B[4], 3, 4, 32, 1, 0);
        p->memset.dst = m.dst;
        p->memset.value = m.value;
        p->memset.elementSize = m.elementSize;
        p->memset.width = m.width;
        p->memset.height = m.height;
        p->memset.ctx = ctx;
        break;
    }
    case CU_GRAPH_NODE_TYPE_HOST:
        p->host.fn = hfn2;
        p->host.userData = (void *)3;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        p->graph.graph = child;
        p->graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        p->eventWait.event = E[2];
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        p->eventRecord.event = E[3];
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        p->alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p->alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        p->alloc.poolProps.location.id = dev;
        p->alloc.bytesize = 8192;
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        memset(bops, 0, sizeof bops);
        bops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        bops[0].writeValue.address = B[3];
        bops[0].writeValue.value = 12;
        p->memOp.ctx = ctx;
        p->memOp.count = 1;
        p->memOp.paramArray = bops;
        break;
    default:
        break;
    }
}
GROUP(200, nmatrix, "node-wrongtype")
{
    gsetup();
    independent = 1;
    for (int t = 0; t < TY_N; t++)
        for (size_t f = 0; f < A(tfs); f++)
            if (case_begin(F("%s-on-%s", tfs[f].n, tn(t)))) {
                CUgraph g = mk();
                CUgraphNode n = addt(t, g, NULL, 0);
                CUresult r = n ? tfs[f].f(n) : R_SKIP;
                case_end(r, " node=%s after=(%s)", hs_(n), n ? npar(n) : "-");
                P.cuGraphDestroy(g);
            }
    for (size_t f = 0; f < A(tfs); f++)
        T(F("%s-on-null", tfs[f].n), tfs[f].f(NULL));
}
GROUP(201, nnullp, "node-nullparams")
{
    gsetup();
    independent = 1;
    CUgraphNode n[TY_N];
    CUgraph g = mk();
    for (int t = 0; t < TY_N; t++)
        n[t] = addt(t, g, NULL, 0);
    T("kernel_get", P.cuGraphKernelNodeGetParams(n[0], NULL));
    T("kernel_get_v1", O.oGraphKernelNodeGetParams(n[0], NULL));
    T("kernel_set", P.cuGraphKernelNodeSetParams(n[0], NULL));
    T("kernel_set_v1", O.oGraphKernelNodeSetParams(n[0], NULL));
    T("kernel_getattr", P.cuGraphKernelNodeGetAttribute(n[0], 2, NULL));
    T("kernel_setattr", P.cuGraphKernelNodeSetAttribute(n[0], 2, NULL));
    T("copyattr-dst", P.cuGraphKernelNodeCopyAttributes(NULL, n[0]));
    T("copyattr-src", P.cuGraphKernelNodeCopyAttributes(n[0], NULL));
    T("memcpy_get", P.cuGraphMemcpyNodeGetParams(n[1], NULL));
    T("memcpy_set", P.cuGraphMemcpyNodeSetParams(n[1], NULL));
    T("memset_get", P.cuGraphMemsetNodeGetParams(n[2], NULL));
    T("memset_set", P.cuGraphMemsetNodeSetParams(n[2], NULL));
    T("host_get", P.cuGraphHostNodeGetParams(n[3], NULL));
    T("host_set", P.cuGraphHostNodeSetParams(n[3], NULL));
    T("child_get", P.cuGraphChildGraphNodeGetGraph(n[4], NULL));
    T("evwait_get", P.cuGraphEventWaitNodeGetEvent(n[6], NULL));
    T("evwait_set", P.cuGraphEventWaitNodeSetEvent(n[6], NULL));
    T("evrecord_get", P.cuGraphEventRecordNodeGetEvent(n[7], NULL));
    T("evrecord_set", P.cuGraphEventRecordNodeSetEvent(n[7], NULL));
    T("memalloc_get", P.cuGraphMemAllocNodeGetParams(n[10], NULL));
    T("memfree_get", P.cuGraphMemFreeNodeGetParams(n[11], NULL));
    T("batch_get", P.cuGraphBatchMemOpNodeGetParams(n[12], NULL));
    T("batch_set", P.cuGraphBatchMemOpNodeSetParams(n[12], NULL));
    for (int t = 0; t < TY_N; t++)
        T(F("generic_set-%s", tn(t)), n[t] ? P.cuGraphNodeSetParams(n[t], NULL) : R_SKIP);
    CUgraphNode o = NSENT;
    CUDA_KERNEL_NODE_PARAMS k = kp(K_ADD, B[0], 0, 64, 1);
    CUDA_KERNEL_NODE_PARAMS_v1 k1 = kp1(K_ADD, B[0], 0, 64, 1);
    CUDA_MEMCPY3D c = cdd(B[1], B[0], 64);
    CUDA_MEMSET_NODE_PARAMS m = ms(B[0], 1, 1, 16, 1, 0);
    CUDA_HOST_NODE_PARAMS h;
    memset(&h, 0, sizeof h);
    h.fn = hfn;
    CUDA_MEM_ALLOC_NODE_PARAMS al;
    memset(&al, 0, sizeof al);
    al.poolProps.allocType = 1;
    al.poolProps.location.type = 1;
    al.bytesize = 64;
    CUDA_BATCH_MEM_OP_NODE_PARAMS bo;
    memset(&bo, 0, sizeof bo);
    memset(bops, 0, sizeof bops);
    bops[0].operation = 2;
    bops[0].writeValue.address = B[3];
    bo.ctx = ctx;
    bo.count = 1;
    bo.paramArray = bops;
    CUgraph ch = mk();
    CUgraphNodeParams gp;
    gpar(&gp, 5, NULL);
#define ADDN(nm, f, ...)                                                                           \
    do {                                                                                           \
        o = NSENT;                                                                                 \
        T(nm "-null-out", f(NULL, g, NULL, 0, ##__VA_ARGS__));                                     \
        T(nm "-null-graph", f(&o, NULL, NULL, 0, ##__VA_ARGS__), "node=%s", hs_(o));               \
        o = NSENT;                                                                                 \
        T(nm "-null-deps1", f(&o, g, NULL, 1, ##__VA_ARGS__), "node=%s", hs_(o));                  \
    } while (0)
    ADDN("add-empty", P.cuGraphAddEmptyNode);
    ADDN("add-kernel", P.cuGraphAddKernelNode, &k);
    ADDN("add-kernel_v1", O.oGraphAddKernelNode, &k1);
    ADDN("add-memcpy", P.cuGraphAddMemcpyNode, &c, ctx);
    ADDN("add-memset", P.cuGraphAddMemsetNode, &m, ctx);
    ADDN("add-host", P.cuGraphAddHostNode, &h);
    ADDN("add-child", P.cuGraphAddChildGraphNode, ch);
    ADDN("add-evrecord", P.cuGraphAddEventRecordNode, E[0]);
    ADDN("add-evwait", P.cuGraphAddEventWaitNode, E[0]);
    ADDN("add-alloc", P.cuGraphAddMemAllocNode, &al);
    ADDN("add-free", P.cuGraphAddMemFreeNode, B[0]);
    ADDN("add-batch", P.cuGraphAddBatchMemOpNode, &bo);
    ADDN("add-generic_v1", O.oGraphAddNode, &gp);
    o = NSENT;
    T("add-generic-null-out", P.cuGraphAddNode(NULL, g, NULL, NULL, 0, &gp));
    T("add-generic-null-graph", P.cuGraphAddNode(&o, NULL, NULL, NULL, 0, &gp), "node=%s", hs_(o));
    T("add-generic-null-deps1", P.cuGraphAddNode(&o, g, NULL, NULL, 1, &gp), "node=%s", hs_(o));
#define ADDP(nm, call)                                                                             \
    o = NSENT;                                                                                     \
    T(nm, call, "node=%s", hs_(o))
    ADDP("add-kernel-null-params", P.cuGraphAddKernelNode(&o, g, NULL, 0, NULL));
    ADDP("add-kernel_v1-null-params", O.oGraphAddKernelNode(&o, g, NULL, 0, NULL));
    ADDP("add-memcpy-null-params", P.cuGraphAddMemcpyNode(&o, g, NULL, 0, NULL, ctx));
    ADDP("add-memset-null-params", P.cuGraphAddMemsetNode(&o, g, NULL, 0, NULL, ctx));
    ADDP("add-host-null-params", P.cuGraphAddHostNode(&o, g, NULL, 0, NULL));
    ADDP("add-child-null", P.cuGraphAddChildGraphNode(&o, g, NULL, 0, NULL));
    ADDP("add-evrecord-null", P.cuGraphAddEventRecordNode(&o, g, NULL, 0, NULL));
    ADDP("add-evwait-null", P.cuGraphAddEventWaitNode(&o, g, NULL, 0, NULL));
    ADDP("add-alloc-null", P.cuGraphAddMemAllocNode(&o, g, NULL, 0, NULL));
    ADDP("add-free-null", P.cuGraphAddMemFreeNode(&o, g, NULL, 0, 0));
    ADDP("add-batch-null", P.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, NULL));
    ADDP("add-generic-null", P.cuGraphAddNode(&o, g, NULL, NULL, 0, NULL));
    ADDP("add-generic_v1-null", O.oGraphAddNode(&o, g, NULL, 0, NULL));
    ADDP("add-semsignal-null", P.cuGraphAddExternalSemaphoresSignalNode(&o, g, NULL, 0, NULL));
    ADDP("add-semwait-null", P.cuGraphAddExternalSemaphoresWaitNode(&o, g, NULL, 0, NULL));
    /* a context that is not given */
    ADDP("add-memcpy-null-ctx", P.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, NULL));
    ADDP("add-memset-null-ctx", P.cuGraphAddMemsetNode(&o, g, NULL, 0, &m, NULL));
    bo.ctx = NULL;
    ADDP("add-batch-null-ctx", P.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, &bo));
    P.cuCtxSetCurrent(NULL);
    ADDP("add-memcpy-null-ctx-none-current", P.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, NULL));
    ADDP("add-memset-null-ctx-none-current", P.cuGraphAddMemsetNode(&o, g, NULL, 0, &m, NULL));
    ADDP("add-memcpy-ctx-none-current", P.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, ctx));
    ADDP("add-kernel-none-current", P.cuGraphAddKernelNode(&o, g, NULL, 0, &k));
    ADDP("add-alloc-none-current", P.cuGraphAddMemAllocNode(&o, g, NULL, 0, &al));
    ADDP("add-batch-null-ctx-none-current", P.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, &bo));
    P.cuCtxSetCurrent(ctx);
}
GROUP(202, ngeneric, "node-generic")
{
    gsetup();
    independent = 1;
    for (int v = 0; v < 2; v++)
        for (int t = -1; t <= 16; t++)
            if (case_begin(F("add%s-%s", v ? "_v1" : "", tn(t)))) {
                CUgraph g = mk(), c = mk();
                adde(c, NULL, 0);
                CUgraphNodeParams p;
                gpar(&p, t, c);
                dp a = 0;
                CUgraphNode an = 0, n = NSENT;
                if (t == CU_GRAPH_NODE_TYPE_MEM_FREE) {
                    an = adda(g, NULL, 0, 4096, &a);
                    p.free.dptr = a;
                }
                CUresult r = v ? O.oGraphAddNode(&n, g, an ? &an : NULL, an != NULL, &p)
                               : P.cuGraphAddNode(&n, g, an ? &an : NULL, NULL, an != NULL, &p);
                case_end(r, " node=%s alloc=%s %s", hs_(n),
                         t == 10 ? (p.alloc.dptr ? "set" : "0") : "-", shaped(g));
                P.cuGraphDestroy(g);
            }
    for (int t = 0; t < TY_N; t++)
        for (int q = 0; q < TY_N; q++)
            if (case_begin(F("set-%s-on-%s", tn(q), tn(t)))) {
                CUgraph g = mk(), c = mk();
                adde(c, NULL, 0);
                adde(c, NULL, 0);
                CUgraphNode n = addt(t, g, NULL, 0);
                CUgraphNodeParams p;
                gpar(&p, q, c);
                CUresult r = n ? P.cuGraphNodeSetParams(n, &p) : R_SKIP;
                case_end(r, " node=%s after=(%s)", hs_(n), n ? npar(n) : "-");
                P.cuGraphDestroy(g);
            }
    for (int k = 0; k < 6; k++)
        if (case_begin(F("add-reserved-%d", k))) {
            CUgraph g = mk();
            CUgraphNodeParams p;
            gpar(&p, k < 4 ? 2 : 5, NULL);
            if (k == 0)
                p.reserved0[0] = 1;
            else if (k == 1)
                p.reserved0[2] = -1;
            else if (k == 2)
                p.reserved2 = 1;
            else if (k == 3)
                p.reserved1[28] = 1;
            else if (k == 4)
                p.reserved1[0] = 1;
            else
                p.reserved1[28] = 5;
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s", hs_(n));
            P.cuGraphDestroy(g);
        }
    for (int k = 0; k < 4; k++)
        if (case_begin(F("add-memcpy-flags-%d", k))) {
            CUgraph g = mk();
            CUgraphNodeParams p;
            gpar(&p, 1, NULL);
            if (k == 0)
                p.memcpy.flags = 1;
            else if (k == 1)
                p.memcpy.reserved = 1;
            else if (k == 2)
                p.memcpy.copyCtx = NULL;
            else
                p.memcpy.flags = -1;
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s %s", hs_(n), shaped(g));
            P.cuGraphDestroy(g);
        }
    if (case_begin("add-memset-null-ctx")) {
        CUgraph g = mk();
        CUgraphNodeParams p;
        gpar(&p, 2, NULL);
        p.memset.ctx = NULL;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("add-kernel-kern-ctx")) {
        CUgraph g = mk();
        CUgraphNodeParams p;
        gpar(&p, 0, NULL);
        p.kernel.func = NULL;
        p.kernel.kern = kn[K_MUL];
        p.kernel.ctx = ctx;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", hs_(n), shaped(g));
    }
    for (int o = 0; o < 3; o++)
        if (case_begin(F("child-ownership-%d", o))) {
            CUgraph g = mk(), c = mk();
            adde(c, NULL, 0);
            CUgraphNodeParams p;
            gpar(&p, 4, c);
            p.graph.ownership = o;
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            CUgraph e = 0;
            if (!r)
                P.cuGraphChildGraphNodeGetGraph(n, &e);
            case_end(r, " node=%s same=%d %s", hs_(n), e == c, shape(g));
        }
    if (case_begin("child-move-then-move-again")) {
        CUgraph g = mk(), g2 = mk(), c = mk();
        adde(c, NULL, 0);
        CUgraphNodeParams p;
        gpar(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = NSENT, n2 = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUresult r2 = P.cuGraphAddNode(&n2, g2, NULL, NULL, 0, &p);
        case_end(r, " again=%s node=%s", en(r2), hs_(n2));
    }
    if (case_begin("child-move-destroy-child")) {
        CUgraph g = mk(), c = mk();
        adde(c, NULL, 0);
        CUgraphNodeParams p;
        gpar(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUresult r2 = r ? R_SKIP : P.cuGraphDestroy(c);
        case_end(r, " destroy=%s", en(r2));
    }
    if (case_begin("child-move-alloc")) {
        CUgraph g = mk(), c = mk();
        dp a = 0;
        adda(c, NULL, 0, 4096, &a);
        CUgraphNodeParams p;
        gpar(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("child-move-cond")) {
        CUgraph g = mk(), c = mk();
        addcond(c, NULL, 0, 0, 1, 0, NULL);
        CUgraphNodeParams p;
        gpar(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("child-move-self")) {
        CUgraph g = mk();
        CUgraphNodeParams p;
        gpar(&p, 4, g);
        p.graph.ownership = 1;
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("ed-given")) {
        CUgraph g = mk();
        CUgraphNode a = addt(0, g, NULL, 0), n = NSENT;
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUgraphNodeParams p;
        gpar(&p, 0, NULL);
        CUresult r = P.cuGraphAddNode(&n, g, &a, &e, 1, &p);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
}
/* ---- kernel nodes ---- */
static unsigned char exbuf[32];
static size_t exsz;
static void *ex[5];
static void extra_for(CUDA_KERNEL_NODE_PARAMS *x, dp p, unsigned n, unsigned v, size_t sz)
{
    memcpy(exbuf, &p, 8);
    memcpy(exbuf + 8, &n, 4);
    memcpy(exbuf + 12, &v, 4);
    exsz = sz;
    ex[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
    ex[1] = exbuf;
    ex[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
    ex[3] = &exsz;
    ex[4] = CU_LAUNCH_PARAM_END;
    x->kernelParams = NULL;
    x->extra = ex;
}
#define KV(X)                                                                                      \
    X(plain, )                                                                                     \
    X(grid_x0, x.gridDimX = 0) X(grid_y0, x.gridDimY = 0) X(grid_z0, x.gridDimZ = 0) X(            \
        block_x0, x.blockDimX = 0) X(block_y0, x.blockDimY = 0) X(block_z0, x.blockDimZ = 0)       \
        X(block_1024, x.blockDimX = 1024) X(block_1025, x.blockDimX = 1025) X(                     \
            block_z64, x = kp(K_SET, B[0], 0, 64, 3); x.blockDimX = 1;                             \
            x.blockDimZ = 64) X(block_z65, x.blockDimX = 1; x.blockDimZ = 65)                      \
            X(block_32x32x2, x.blockDimX = 32; x.blockDimY = 32; x.blockDimZ = 2) X(               \
                grid_y65535, x = kp(K_SET, B[0], 0, 64, 3); x.gridDimY = 65535; x.blockDimX = 1)   \
                X(grid_y65536, x.gridDimY = 65536) X(grid_z65536, x.gridDimZ = 65536) X(           \
                    grid_x2e31,                                                                    \
                    x.gridDimX = 0x80000000u) X(grid_x2e31m1, x.gridDimX = 0x7fffffffu)            \
                    X(shm_48k, x.sharedMemBytes = 49152) X(shm_48k1, x.sharedMemBytes = 49153) X(  \
                        shm_max, x.sharedMemBytes =                                                \
                                     232448) X(shm_over, x.sharedMemBytes = 232449)                \
                        X(shm_huge, x.sharedMemBytes = 0x7fffffff) X(                              \
                            shm_uint,                                                              \
                            x.sharedMemBytes = 0xffffffffu) X(func_null, x.func = NULL)            \
                            X(kern_only, x.func = NULL;                                            \
                              x.kern = kn[K_ADD]) X(kern_and_func, x.kern = kn[K_ADD])             \
                                X(kern_and_other_func,                                             \
                                  x.kern =                                                         \
                                      kn[K_MUL]) X(kern_ctx, x.func = NULL; x.kern = kn[K_ADD];    \
                                                   x.ctx = ctx) X(func_ctx, x.ctx = ctx)           \
                                    X(kern_as_func, x.func = (CUfunction)kn[K_ADD]) X(             \
                                        kern_ctx2,                                                 \
                                        x.func = NULL;                                             \
                                        x.kern = kn[K_ADD];                                        \
                                        x.ctx =                                                    \
                                            ctx2) X(func_ctx2, x.ctx = ctx2)                       \
                                        X(func_of_ctx2, x.func = fn2[K_ADD])                       \
                                            X(extra_ok, extra_for(&x, B[0], 64, 3, 16)) X(         \
                                                extra_short, extra_for(&x, B[0], 64, 3, 12))       \
                                                X(extra_long, extra_for(&x, B[0], 64, 3, 24)) X(   \
                                                    extra_zero,                                    \
                                                    extra_for(&x, B[0], 64, 3, 0))                 \
                                                    X(extra_and_params,                            \
                                                      CUDA_KERNEL_NODE_PARAMS y = x;               \
                                                      extra_for(&x, B[0], 64, 3, 16);              \
                                                      x.kernelParams = y.kernelParams)             \
                                                        X(extra_end_only,                          \
                                                          extra_for(&x, B[0], 64, 3, 16);          \
                                                          ex[0] =                                  \
                                                              CU_LAUNCH_PARAM_END)                 \
                                                            X(extra_no_size,                       \
                                                              extra_for(&x, B[0], 64, 3, 16);      \
                                                              ex[2] =                              \
                                                                  CU_LAUNCH_PARAM_END)             \
                                                                X(nop_noparams,                    \
                                                                  x = kp(K_NOP, 0, 0, 0, 0))       \
                                                                    X(nop_params,                  \
                                                                      CUDA_KERNEL_NODE_PARAMS y =  \
                                                                          x;                       \
                                                                      x = kp(K_NOP, 0, 0, 0, 0);   \
                                                                      x.kernelParams =             \
                                                                          y.kernelParams)          \
                                                                        X(nop_extra,               \
                                                                          x = kp(K_NOP, 0, 0, 0,   \
                                                                                 0);               \
                                                                          extra_for(&x, 0, 0, 0,   \
                                                                                    0))            \
                                                                            X(params_null,         \
                                                                              x.kernelParams =     \
                                                                                  NULL)
#define KVD_(n, ...)                                                                               \
    static void kv_##n(CUDA_KERNEL_NODE_PARAMS *xp)                                                \
    {                                                                                              \
        CUDA_KERNEL_NODE_PARAMS x = *xp;                                                           \
        __VA_ARGS__;                                                                               \
        *xp = x;                                                                                   \
    }
KV(KVD_)
#define KVR_(n, ...) {#n, kv_##n},
static const struct {
    const char *n;
    void (*f)(CUDA_KERNEL_NODE_PARAMS *);
} kvs[] = {KV(KVR_)};
static int runnable(const char *n)
{
    return strncmp(n, "grid_x2e31", 10) != 0;
}
GROUP(210, nkernel, "node-kernel")
{
    gsetup();
    second_ctx();
    independent = 1;
    for (size_t i = 0; i < A(kvs); i++) {
        if (case_begin(F("add-%s", kvs[i].n))) {
            bzero_all();
            CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
            kvs[i].f(&x);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
            const char *q = r ? "-" : runnable(kvs[i].n) ? rung(g) : "notrun";
            case_end(r, " node=%s (%s) run=%s b0=%s", hs_(n), r ? "-" : npar(n), q, bw(0));
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("set-%s", kvs[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
            kvs[i].f(&x);
            CUgraph g = mk();
            CUgraphNode n = addk(g, NULL, 0, K_SET, B[1], 32, 1);
            CUresult r = n ? P.cuGraphKernelNodeSetParams(n, &x) : R_SKIP;
            case_end(r, " (%s)", n ? npar(n) : "-");
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("exec-%s", kvs[i].n))) {
            bzero_all();
            CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
            kvs[i].f(&x);
            CUgraph g = mk();
            CUgraphNode n = addk(g, NULL, 0, K_ADD, B[1], 32, 1);
            CUgraphExec e = inst(g, 0);
            CUresult r = e ? P.cuGraphExecKernelNodeSetParams(e, n, &x) : R_SKIP;
            const char *q = runnable(kvs[i].n) || r ? runx(e, S[0]) : "notrun";
            case_end(r, " run=%s b0=%s b1=%s", q, bw(0), bw(1));
            if (e)
                P.cuGraphExecDestroy(e);
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("add_v1-%s", kvs[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
            kvs[i].f(&x);
            CUDA_KERNEL_NODE_PARAMS_v1 y;
            memset(&y, 0, sizeof y);
            memcpy(&y, &x, sizeof y);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUresult r = O.oGraphAddKernelNode(&n, g, NULL, 0, &y);
            case_end(r, " node=%s (%s)", hs_(n), r ? "-" : npar(n));
            P.cuGraphDestroy(g);
        }
        if (case_begin(F("generic-%s", kvs[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
            kvs[i].f(&x);
            CUgraph g = mk();
            CUgraphNode n = NSENT;
            CUgraphNodeParams p;
            memset(&p, 0, sizeof p);
            p.type = 0;
            memcpy(&p.kernel, &x, sizeof x);
            CUresult r = P.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s (%s)", hs_(n), r ? "-" : npar(n));
            P.cuGraphDestroy(g);
        }
    }
    if (case_begin("params-copied")) {
        bzero_all();
        dp p = B[0];
        unsigned c = 64, v = 5;
        void *pp[3] = {&p, &c, &v};
        CUDA_KERNEL_NODE_PARAMS x = kp(K_SET, 0, 0, 64, 0);
        x.kernelParams = pp;
        CUgraph g = mk();
        CUgraphNode n = 0;
        CUresult r = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        p = B[1];
        c = 1;
        v = 99;
        pp[0] = pp[1] = pp[2] = NULL;
        const char *q = rung(g);
        case_end(r, " run=%s b0=%s b1=%s (%s)", q, bw(0), bw(1), npar(n));
    }
    if (case_begin("get-v1")) {
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 3);
        CUDA_KERNEL_NODE_PARAMS_v1 y;
        memset(&y, 0, sizeof y);
        CUresult r = n ? O.oGraphKernelNodeGetParams(n, &y) : R_SKIP;
        unsigned v = 0;
        if (!r && y.kernelParams)
            memcpy(&v, y.kernelParams[2], 4);
        case_end(r, " func=%s grid=%u block=%u shm=%u v=%u extra=%d", pn((uintptr_t)y.func),
                 y.gridDimX, y.blockDimX, y.sharedMemBytes, v, y.extra != NULL);
    }
    if (case_begin("get-set-roundtrip")) {
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 3);
        CUDA_KERNEL_NODE_PARAMS y;
        memset(&y, 0, sizeof y);
        P.cuGraphKernelNodeGetParams(n, &y);
        y.gridDimX = 2;
        CUresult r = n ? P.cuGraphKernelNodeSetParams(n, &y) : R_SKIP;
        case_end(r, " (%s)", n ? npar(n) : "-");
    }
    if (case_begin("get-from-extra")) {
        CUgraph g = mk();
        CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
        extra_for(&x, B[2], 32, 8, 16);
        CUgraphNode n = 0;
        CUresult r = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        case_end(r, " (%s)", r ? "-" : npar(n));
    }
    if (case_begin("get-kernel-node-with-kern")) {
        CUgraph g = mk();
        CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
        x.func = NULL;
        x.kern = kn[K_ADD];
        CUgraphNode n = 0;
        CUresult r = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUDA_KERNEL_NODE_PARAMS_v1 y;
        memset(&y, 0, sizeof y);
        CUresult r1 = r ? R_SKIP : O.oGraphKernelNodeGetParams(n, &y);
        case_end(r, " (%s) v1=%s func=%s", r ? "-" : npar(n), en(r1), pn((uintptr_t)y.func));
    }
    if (case_begin("module-unloaded")) {
        CUmodule m = 0;
        CUfunction f = 0;
        P.cuModuleLoadData(&m, ptx_text2);
        if (m)
            P.cuModuleGetFunction(&f, m, "other");
        CUDA_KERNEL_NODE_PARAMS x = kp(K_ADD, B[0], 0, 64, 3);
        x.func = f;
        CUgraph g = mk();
        CUgraphNode n = 0;
        CUresult r = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        const char *q = rung(g);
        case_end(r, " run=%s b0=%s", q, bw(0));
    }
}
#define ATTRS(X)                                                                                   \
    X(0)                                                                                           \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)   \
        X(99)
static const char *atx(int a, const CUkernelNodeAttrValue *v)
{
    switch (a) {
    case 1:
        return F("win=%s/%zu/%g/%d/%d", pn((uintptr_t)v->accessPolicyWindow.base_ptr),
                 v->accessPolicyWindow.num_bytes, v->accessPolicyWindow.hitRatio,
                 v->accessPolicyWindow.hitProp, v->accessPolicyWindow.missProp);
    case 2:
        return F("coop=%d", v->cooperative);
    case 4:
        return F("cl=%u,%u,%u", v->clusterDim.x, v->clusterDim.y, v->clusterDim.z);
    case 5:
        return F("sched=%d", v->clusterSchedulingPolicyPreference);
    case 8:
        return F("prio=%d", v->priority);
    case 9:
        return F("map=%u,%u", v->memSyncDomainMap.default_, v->memSyncDomainMap.remote);
    case 10:
        return F("dom=%d", v->memSyncDomain);
    case 11:
        return F("pcl=%u,%u,%u", v->preferredClusterDim.x, v->preferredClusterDim.y,
                 v->preferredClusterDim.z);
    case 13:
        return F("upd=%d/%d", v->deviceUpdatableKernelNode.deviceUpdatable,
                 v->deviceUpdatableKernelNode.devNode != NULL);
    case 14:
        return F("carve=%u", v->sharedMemCarveout);
    case 3:
    case 6:
    case 16: {
        int x;
        memcpy(&x, v, 4);
        return F("int=%d", x);
    }
    default: {
        static const char z[64];
        char k[64];
        memset(k, 0x5a, sizeof k);
        return !memcmp(v, z, 64) ? "zero" : !memcmp(v, k, 64) ? "kept" : "set";
    }
    }
}
GROUP(211, nkattr, "node-kernel-attr")
{
    gsetup();
    independent = 1;
#define GA(a)                                                                                      \
    if (case_begin("get-default-" #a)) {                                                           \
        CUgraph g = mk();                                                                          \
        CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 1);                                      \
        CUkernelNodeAttrValue v;                                                                   \
        memset(&v, 0x5a, sizeof v);                                                                \
        CUresult r = n ? P.cuGraphKernelNodeGetAttribute(n, a, &v) : R_SKIP;                       \
        if (r)                                                                                     \
            memset(&v, 0x5a, sizeof v);                                                            \
        case_end(r, " %s", r ? "-" : atx(a, &v));                                                  \
        P.cuGraphDestroy(g);                                                                       \
    }
    ATTRS(GA) GA(-1) static const int val[] = {0, 1, 2, 3, -1, 50, 100, 101, 1000};
    for (int a = 0; a <= 17; a++)
        for (size_t i = 0; i < A(val); i++)
            if (a != 7 && a != 12 && case_begin(F("set-%d-int%d", a, val[i]))) {
                CUgraph g = mk();
                CUgraphNode n = addk(g, NULL, 0, K_ADD, B[0], 64, 1);
                CUkernelNodeAttrValue v, w;
                memset(&v, 0, sizeof v);
                memset(&w, 0, sizeof w);
                if (a == 1) {
                    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)B[0];
                    v.accessPolicyWindow.num_bytes = NBY;
                    v.accessPolicyWindow.hitRatio = val[i] / 100.0f;
                    v.accessPolicyWindow.hitProp = val[i] == 1 ? 2 : 0;
                } else
                    memcpy(&v, &val[i], 4);
                if (a == 4 || a == 11)
                    v.clusterDim.y = v.clusterDim.z = 1;
                CUresult r = n ? P.cuGraphKernelNodeSetAttribute(n, a, &v) : R_SKIP;
                CUresult q = n ? P.cuGraphKernelNodeGetAttribute(n, a, &w) : R_SKIP;
                const char *i2 = "-";
                if (!r) {
                    CUgraphExec x = 0;
                    i2 = en(P.cuGraphInstantiate(&x, g, 0));
                    if (x)
                        P.cuGraphExecDestroy(x);
                }
                case_end(r, " get=%s %s inst=%s", en(q), q ? "-" : atx(a, &w), i2);
                P.cuGraphDestroy(g);
            }
    if (case_begin("cooperative-too-big")) {
        CUgraph g = mk();
        CUDA_KERNEL_NODE_PARAMS x = kp(K_NOP, 0, 0, 0, 0);
        x.gridDimX = 1000000;
        x.blockDimX = 1024;
        CUgraphNode n = 0;
        CUresult r0 = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.cooperative = 1;
        CUresult r = n ? P.cuGraphKernelNodeSetAttribute(n, 2, &v) : R_SKIP;
        CUgraphExec e = 0;
        CUDA_GRAPH_INSTANTIATE_PARAMS ip;
        memset(&ip, 0, sizeof ip);
        ip.result_out = 77;
        CUresult r2 = P.cuGraphInstantiateWithParams(&e, g, &ip);
        case_end(r, " add=%s inst=%s result=%s errnode=%d", en(r0), en(r2), irn(ip.result_out),
                 n && ip.hErrNode_out == n);
        if (!r2)
            P.cuGraphExecDestroy(e);
    }
    if (case_begin("cluster-not-dividing")) {
        CUgraph g = mk();
        CUDA_KERNEL_NODE_PARAMS x = kp(K_NOP, 0, 0, 0, 0);
        x.gridDimX = 3;
        CUgraphNode n = 0;
        CUresult r0 = P.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.clusterDim.x = 2;
        v.clusterDim.y = v.clusterDim.z = 1;
        CUresult r = n ? P.cuGraphKernelNodeSetAttribute(n, 4, &v) : R_SKIP;
        CUgraphExec e = 0;
        CUresult r2 = P.cuGraphInstantiate(&e, g, 0);
        case_end(r, " add=%s inst=%s", en(r0), en(r2));
        if (!r2)
            P.cuGraphExecDestroy(e);
    }
    if (case_begin("copy")) {
        CUgraph g = mk();
        CUgraphNode a = addk(g, NULL, 0, K_ADD, B[0], 64, 1),
                    b = addk(g, NULL, 0, K_MUL, B[0], 64, 1);
        CUkernelNodeAttrValue v, w;
        memset(&v, 0, sizeof v);
        memset(&w, 0, sizeof w);
        v.priority = -2;
        CUresult s = P.cuGraphKernelNodeSetAttribute(a, 8, &v);
        v.priority = 0;
        v.cooperative = 1;
        P.cuGraphKernelNodeSetAttribute(a, 2, &v);
        CUresult r = P.cuGraphKernelNodeCopyAttributes(b, a);
        P.cuGraphKernelNodeGetAttribute(b, 8, &w);
        int pr = w.priority;
        memset(&w, 0, sizeof w);
        P.cuGraphKernelNodeGetAttribute(b, 2, &w);
        case_end(r, " set=%s prio=%d coop=%d", en(s), pr, w.cooperative);
    }
    if (case_begin("copy-to-memset")) {
        CUgraph g = mk();
        CUgraphNode a = addt(0, g, NULL, 0), b = addt(2, g, NULL, 0);
        CUresult r = P.cuGraphKernelNodeCopyAttributes(b, a),
                 r2 = P.cuGraphKernelNodeCopyAttributes(a, b);
        case_end(r, " from=%s", en(r2));
    }
    if (case_begin("copy-across-graphs")) {
        CUgraph g = mk(), h = mk();
        CUgraphNode a = addt(0, g, NULL, 0), b = addt(0, h, NULL, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        P.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUresult r = P.cuGraphKernelNodeCopyAttributes(b, a);
        v.priority = 99;
        P.cuGraphKernelNodeGetAttribute(b, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("attr-after-setparams")) {
        CUgraph g = mk();
        CUgraphNode a = addt(0, g, NULL, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        P.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUDA_KERNEL_NODE_PARAMS x = kp(K_MUL, B[0], 0, 64, 1);
        CUresult r = P.cuGraphKernelNodeSetParams(a, &x);
        v.priority = 99;
        P.cuGraphKernelNodeGetAttribute(a, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("attr-in-clone")) {
        CUgraph g = mk(), d = 0;
        CUgraphNode a = addt(0, g, NULL, 0), m = 0;
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        P.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUresult r = P.cuGraphClone(&d, g);
        P.cuGraphNodeFindInClone(&m, a, d);
        v.priority = 99;
        if (m)
            P.cuGraphKernelNodeGetAttribute(m, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("exec-after-attr")) {
        CUgraph g = mk();
        CUgraphNode a = addt(0, g, NULL, 0);
        CUgraphExec x = inst(g, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        CUresult r = P.cuGraphKernelNodeSetAttribute(a, 8, &v);
        case_end(r, " run=%s", runx(x, S[0]));
        if (x)
            P.cuGraphExecDestroy(x);
    }
}
