/* SPDX-License-Identifier: MIT */
/* Section 7: graphs, external objects, graphics with bad arguments. */
#include "rt.hpp"
static cudaKernelNodeParams kp(const void *f, unsigned g, unsigned b, void **a)
{
    cudaKernelNodeParams k = {};
    k.func = (void *)f;
    k.gridDim = dim3(g);
    k.blockDim = dim3(b);
    k.kernelParams = a;
    return k;
}
static cudaMemsetParams mp(void *d, unsigned v, unsigned es, size_t w, size_t h, size_t p)
{
    cudaMemsetParams m = {};
    m.dst = d;
    m.value = v;
    m.elementSize = es;
    m.width = w;
    m.height = h;
    m.pitch = p;
    return m;
}
static cudaMemcpy3DParms cp(void *d, const void *s, size_t n, cudaMemcpyKind k)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = pp((void *)s, n, n, 1);
    p.dstPtr = pp(d, n, n, 1);
    p.extent = ext(n, 1, 1);
    p.kind = k;
    return p;
}
static int hits;
static void CUDART_CB hit(void *u)
{
    hits += (int)(intptr_t)u;
}
static const char *gi(cudaGraph_t g)
{
    size_t n = 77, r = 77, e = 77;
    err a = cudaGraphGetNodes(g, 0, &n), b = cudaGraphGetRootNodes(g, 0, &r),
        c = cudaGraphGetEdges(g, 0, 0, 0, &e);
    if (a || b || c)
        return F("%s %s %s", en(a), en(b), en(c));
    char t[200];
    int k = 0;
    cudaGraphNode_t nd[40];
    size_t m = n > 40 ? 40 : n;
    cudaGraphGetNodes(g, nd, &m);
    t[0] = 0;
    for (size_t i = 0; i < m; i++) {
        cudaGraphNodeType ty = (cudaGraphNodeType)77;
        cudaGraphNodeGetType(nd[i], &ty);
        k += snprintf(t + k, sizeof t - k, "%s%d", i ? "," : "", (int)ty);
    }
    return F("nodes=%zu roots=%zu edges=%zu types=%s", n, r, e, t);
}
GROUP(700, gbuild, "graph-build")
{
    ready();
    cudaGraph_t g = (cudaGraph_t)SENT, g2 = 0;
    T("create", cudaGraphCreate(&g, 0), "%s", outst(g));
    T("create-flags", cudaGraphCreate(&g2, 1));
    T("create-null", cudaGraphCreate(0, 0));
    int *d = (int *)dal(4096), n = 100, v = 5;
    char hb[256];
    cudaGraphNode_t a = 0, b = 0, c = 0, e = 0, f = 0, x = 0;
    INFO("empty", "%s", gi(g));
    T("emptynode", cudaGraphAddEmptyNode(&a, g, 0, 0), "%s", outst(a));
    cudaKernelNodeParams k = kp((void *)k_fill, 1, 128, ARGS(&d, &n, &v));
    void *ka[3] = {&d, &n, &v};
    k.kernelParams = ka;
    T("kernel", cudaGraphAddKernelNode(&b, g, &a, 1, &k), "%s", outst(b));
    cudaMemsetParams m = mp(d, 3, 4, 10, 1, 0);
    T("memset", cudaGraphAddMemsetNode(&c, g, &b, 1, &m));
    cudaMemcpy3DParms p = cp(hb, d, 256, cudaMemcpyDeviceToHost);
    T("memcpy", cudaGraphAddMemcpyNode(&e, g, &c, 1, &p));
    cudaHostNodeParams h = {};
    h.fn = hit;
    h.userData = (void *)1;
    T("host", cudaGraphAddHostNode(&f, g, &e, 1, &h));
    T("memcpy1d", cudaGraphAddMemcpyNode1D(&x, g, &e, 1, hb, d, 64, cudaMemcpyDeviceToHost));
    T("tosymbol",
      cudaGraphAddMemcpyNodeToSymbol(&x, g, &e, 1, sym(0), hb, 4, 0, cudaMemcpyHostToDevice));
    T("fromsymbol", cudaGraphAddMemcpyNodeFromSymbol(&x, g, &e, 1, hb, sym(S_CONST), 16, 4,
                                                     cudaMemcpyDeviceToHost));
    cudaEvent_t ev = mke(0);
    T("eventrecord", cudaGraphAddEventRecordNode(&x, g, &b, 1, ev));
    cudaGraphNode_t er = x;
    T("eventwait", cudaGraphAddEventWaitNode(&x, g, &b, 1, ev));
    cudaGraphNode_t ew = x;
    cudaGraphCreate(&g2, 0);
    cudaGraphNode_t q = 0;
    cudaGraphAddEmptyNode(&q, g2, 0, 0);
    T("child", cudaGraphAddChildGraphNode(&x, g, &b, 1, g2));
    cudaGraphNode_t ch = x;
    INFO("built", "%s", gi(g));
    T("kernel-null", cudaGraphAddKernelNode(&x, g, 0, 0, 0));
    k.func = 0;
    T("kernel-nofunc", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.func = (void *)gi;
    T("kernel-badfunc", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.func = (void *)k_fill;
    k.gridDim.x = 0;
    T("kernel-grid0", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.gridDim.x = 1;
    k.blockDim.x = 2000;
    T("kernel-block2000", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.blockDim.x = 128;
    k.kernelParams = 0;
    T("kernel-noparams", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.kernelParams = ka;
    T("deps-null", cudaGraphAddKernelNode(&x, g, 0, 1, &k));
    T("deps-foreign", cudaGraphAddKernelNode(&x, g, &q, 1, &k));
    T("graph-null", cudaGraphAddKernelNode(&x, 0, 0, 0, &k));
    T("node-null", cudaGraphAddKernelNode(0, g, 0, 0, &k));
    cudaGraphNode_t dd[2] = {b, b};
    T("deps-dup", cudaGraphAddEmptyNode(&x, g, dd, 2));
    m = mp(d, 3, 3, 10, 1, 0);
    T("memset-es3", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = mp(0, 3, 4, 10, 1, 0);
    T("memset-null", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = mp(d, 3, 4, 0, 0, 0);
    T("memset-zero", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = mp(d, 0x12345, 1, 10, 1, 0);
    T("memset-value-large", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = mp(d, 3, 4, 10, 4, 64);
    T("memset-2d", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = mp(d, 3, 4, 10, 4, 8);
    T("memset-2d-pitch", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    h.fn = 0;
    T("host-null", cudaGraphAddHostNode(&x, g, 0, 0, &h));
    T("memcpy1d-kind9", cudaGraphAddMemcpyNode1D(&x, g, 0, 0, hb, d, 64, (cudaMemcpyKind)9));
    T("memcpy1d-zero", cudaGraphAddMemcpyNode1D(&x, g, 0, 0, hb, d, 0, cudaMemcpyDeviceToHost));
    T("tosymbol-range",
      cudaGraphAddMemcpyNodeToSymbol(&x, g, 0, 0, sym(0), hb, 8, 0, cudaMemcpyHostToDevice));
    T("tosymbol-bad",
      cudaGraphAddMemcpyNodeToSymbol(&x, g, 0, 0, hb, hb, 4, 0, cudaMemcpyHostToDevice));
    T("event-null", cudaGraphAddEventRecordNode(&x, g, 0, 0, 0));
    T("child-null", cudaGraphAddChildGraphNode(&x, g, 0, 0, 0));
    T("child-self", cudaGraphAddChildGraphNode(&x, g, 0, 0, g));
    cudaKernelNodeParams kr = {};
    T("kernel-get", cudaGraphKernelNodeGetParams(b, &kr), "func=%d g=%u b=%u sh=%u params=%d v=%d",
      kr.func == (void *)k_fill, kr.gridDim.x, kr.blockDim.x, kr.sharedMemBytes,
      kr.kernelParams != 0, kr.kernelParams ? *(int *)kr.kernelParams[2] : -1);
    T("kernel-get-wrong", cudaGraphKernelNodeGetParams(c, &kr));
    T("kernel-get-null", cudaGraphKernelNodeGetParams(b, 0));
    v = 9;
    kr = kp((void *)k_add, 2, 64, ka);
    T("kernel-set", cudaGraphKernelNodeSetParams(b, &kr));
    T("kernel-get2", cudaGraphKernelNodeGetParams(b, &kr), "func=%d g=%u v=%d",
      kr.func == (void *)k_add, kr.gridDim.x, kr.kernelParams ? *(int *)kr.kernelParams[2] : -1);
    cudaMemsetParams mr = {};
    T("memset-get", cudaGraphMemsetNodeGetParams(c, &mr), "dst=%d v=%u es=%u w=%zu h=%zu p=%zu",
      mr.dst == d, mr.value, mr.elementSize, mr.width, mr.height, mr.pitch);
    cudaMemcpy3DParms pr;
    memset(&pr, 0, sizeof pr);
    T("memcpy-get", cudaGraphMemcpyNodeGetParams(e, &pr),
      "dst=%d src=%d ext=%zu,%zu,%zu kind=%d sp=%zu,%zu,%zu", pr.dstPtr.ptr == hb,
      pr.srcPtr.ptr == d, pr.extent.width, pr.extent.height, pr.extent.depth, (int)pr.kind,
      pr.srcPtr.pitch, pr.srcPtr.xsize, pr.srcPtr.ysize);
    cudaHostNodeParams hr = {};
    T("host-get", cudaGraphHostNodeGetParams(f, &hr), "fn=%d data=%d", hr.fn == hit,
      (int)(intptr_t)hr.userData);
    cudaEvent_t eo = 0;
    T("record-get", cudaGraphEventRecordNodeGetEvent(er, &eo), "%d", eo == ev);
    T("wait-get", cudaGraphEventWaitNodeGetEvent(ew, &eo), "%d", eo == ev);
    T("record-get-wrong", cudaGraphEventRecordNodeGetEvent(ew, &eo));
    cudaEvent_t ev2 = mke(0);
    T("record-set", cudaGraphEventRecordNodeSetEvent(er, ev2));
    T("wait-set", cudaGraphEventWaitNodeSetEvent(ew, ev2));
    cudaGraph_t cg = 0;
    T("child-get", cudaGraphChildGraphNodeGetGraph(ch, &cg), "same=%d %s", cg == g2,
      cg ? gi(cg) : "");
    m = mp(d, 7, 2, 11, 1, 0);
    T("memset-set", cudaGraphMemsetNodeSetParams(c, &m));
    T("memcpy-set1d", cudaGraphMemcpyNodeSetParams1D(e, hb, d, 32, cudaMemcpyDeviceToHost));
    T("memcpy-setsym",
      cudaGraphMemcpyNodeSetParamsFromSymbol(e, hb, sym(S_CONST), 8, 0, cudaMemcpyDeviceToHost));
    T("memcpy-settosym",
      cudaGraphMemcpyNodeSetParamsToSymbol(e, sym(S_CONST), hb, 8, 0, cudaMemcpyHostToDevice));
    for (int i = -1; i <= 17; i++) {
        cudaLaunchAttributeValue av;
        memset(&av, 0, sizeof av);
        T(F("kattr-get-%d", i), cudaGraphKernelNodeGetAttribute(b, (cudaLaunchAttributeID)i, &av),
          "%d", *(int *)&av);
        T(F("kattr-set-%d", i), cudaGraphKernelNodeSetAttribute(b, (cudaLaunchAttributeID)i, &av));
    }
    cudaGraph_t cl = 0;
    T("clone", cudaGraphClone(&cl, g), "%s", gi(cl));
    cudaGraphNode_t fc = 0;
    T("findinclone", cudaGraphNodeFindInClone(&fc, b, cl), "%s differs=%d", outst(fc), fc != b);
    T("findinclone-wrong", cudaGraphNodeFindInClone(&fc, q, cl));
    T("clone-null", cudaGraphClone(0, g));
    T("clone-null2", cudaGraphClone(&cl, 0));
    size_t nd = 0;
    T("deps", cudaGraphNodeGetDependencies(c, 0, 0, &nd), "%zu", nd);
    T("dependents", cudaGraphNodeGetDependentNodes(b, 0, 0, &nd), "%zu", nd);
    cudaGraphNode_t two[2] = {0};
    nd = 1;
    T("dependents-1", cudaGraphNodeGetDependentNodes(b, two, 0, &nd), "%zu", nd);
    nd = 2;
    T("deps-2", cudaGraphNodeGetDependencies(c, two, 0, &nd), "n=%zu first=%d second=%s", nd,
      two[0] == b, outst(two[1]));
    T("adddep", cudaGraphAddDependencies(g, &a, &f, 0, 1));
    T("adddep-dup", cudaGraphAddDependencies(g, &a, &f, 0, 1));
    T("adddep-cycle", cudaGraphAddDependencies(g, &f, &a, 0, 1));
    T("adddep-self", cudaGraphAddDependencies(g, &a, &a, 0, 1));
    T("rmdep", cudaGraphRemoveDependencies(g, &a, &f, 0, 1));
    T("rmdep-missing", cudaGraphRemoveDependencies(g, &b, &a, 0, 1));
    T("type-null", cudaGraphNodeGetType(b, 0));
    T("destroynode", cudaGraphDestroyNode(f), "%s", gi(g));
    T("destroynode-null", cudaGraphDestroyNode(0));
    T("nodes-null", cudaGraphGetNodes(g, 0, 0));
    T("dot", cudaGraphDebugDotPrint(g, "/tmp/rt.dot", 0));
    unlink("/tmp/rt.dot");
    T("dot-null", cudaGraphDebugDotPrint(g, 0, 0));
    T("destroy", cudaGraphDestroy(g));
    T("destroy-null", cudaGraphDestroy(0));
}
GROUP(701, gexec, "graph-exec")
{
    ready();
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int *d = (int *)dal(4096), n = 100, v = 5;
    void *ka[3] = {&d, &n, &v};
    cudaGraphNode_t a = 0, b = 0, c = 0, h_ = 0;
    cudaKernelNodeParams k = kp((void *)k_fill, 1, 128, ka), k2 = kp((void *)k_add, 1, 128, ka);
    cudaGraphAddKernelNode(&a, g, 0, 0, &k);
    cudaGraphAddKernelNode(&b, g, &a, 1, &k2);
    cudaMemsetParams m = mp(d, 9, 4, 10, 1, 0);
    cudaGraphAddMemsetNode(&c, g, &b, 1, &m);
    cudaHostNodeParams h = {};
    h.fn = hit;
    h.userData = (void *)1;
    cudaGraphAddHostNode(&h_, g, &c, 1, &h);
    cudaGraphExec_t x = (cudaGraphExec_t)SENT;
    cudaStream_t s = mks(0);
    for (unsigned f = 0; f < 17; f++) {
        x = (cudaGraphExec_t)SENT;
        unsigned long long fl = 77;
        if (!T(F("inst-%u", f), cudaGraphInstantiate(&x, g, f), "%s", outst(x))) {
            T(F("getflags-%u", f), cudaGraphExecGetFlags(x, &fl), "%llu", fl);
            T(F("launch-%u", f), cudaGraphLaunch(x, s), "%s %s", SY(s), dsum(d, 400));
            cudaGraphExecDestroy(x);
        }
    }
    T("instflags", cudaGraphInstantiateWithFlags(&x, g, 0));
    cudaGraphInstantiateParams ip;
    memset(&ip, 0, sizeof ip);
    ip.uploadStream = s;
    T("instparams", cudaGraphInstantiateWithParams(&x, g, &ip), "res=%d err=%s", (int)ip.result_out,
      outst(ip.errNode_out));
    ip.flags = 2;
    T("instparams-upload", cudaGraphInstantiateWithParams(&x, g, &ip), "res=%d %s",
      (int)ip.result_out, SY(s));
    T("instparams-null", cudaGraphInstantiateWithParams(&x, g, 0));
    T("inst-null", cudaGraphInstantiate(0, g, 0));
    T("inst-null-graph", cudaGraphInstantiate(&x, 0, 0));
    cudaGraphInstantiate(&x, g, 0);
    hits = 0;
    for (int i = 0; i < 3; i++)
        T(F("run-%d", i), cudaGraphLaunch(x, s), "%s %s hits=%d", SY(s), dsum(d, 400), hits);
    T("upload", cudaGraphUpload(x, s), "%s", SY(s));
    T("launch-null-stream", cudaGraphLaunch(x, 0), "%s", SYD());
    T("launch-legacy", cudaGraphLaunch(x, cudaStreamLegacy), "%s", SYD());
    T("launch-pt", cudaGraphLaunch(x, cudaStreamPerThread), "%s", SYD());
    T("launch-null", cudaGraphLaunch(0, s));
    v = 100;
    T("set-kernel", cudaGraphExecKernelNodeSetParams(x, b, &k2), "%s %s",
      (cudaGraphLaunch(x, s), SY(s)), dsum(d, 400));
    k2.gridDim.x = 0;
    T("set-kernel-grid0", cudaGraphExecKernelNodeSetParams(x, b, &k2));
    k2.gridDim.x = 1;
    T("set-kernel-func", (__extension__({
          cudaKernelNodeParams kk = kp((void *)k_fill, 1, 128, ka);
          cudaGraphExecKernelNodeSetParams(x, b, &kk);
      })));
    m = mp(d, 1, 4, 20, 1, 0);
    T("set-memset", cudaGraphExecMemsetNodeSetParams(x, c, &m), "%s %s",
      (cudaGraphLaunch(x, s), SY(s)), dsum(d, 400));
    m = mp(d, 1, 2, 20, 1, 0);
    T("set-memset-es", cudaGraphExecMemsetNodeSetParams(x, c, &m));
    m = mp(d, 1, 4, 20, 2, 128);
    T("set-memset-2d", cudaGraphExecMemsetNodeSetParams(x, c, &m));
    h.userData = (void *)10;
    T("set-host", cudaGraphExecHostNodeSetParams(x, h_, &h), "%s hits=%d",
      (cudaGraphLaunch(x, s), SY(s)), hits);
    T("set-wrong-type", cudaGraphExecHostNodeSetParams(x, a, &h));
    T("set-null", cudaGraphExecKernelNodeSetParams(x, b, 0));
    unsigned en_ = 77;
    T("enabled-get", cudaGraphNodeGetEnabled(x, b, &en_), "%u", en_);
    T("enabled-set0", cudaGraphNodeSetEnabled(x, b, 0), "%s %s", (cudaGraphLaunch(x, s), SY(s)),
      dsum(d, 400));
    T("enabled-get0", cudaGraphNodeGetEnabled(x, b, &en_), "%u", en_);
    T("enabled-set1", cudaGraphNodeSetEnabled(x, b, 1));
    T("enabled-host", cudaGraphNodeSetEnabled(x, h_, 0));
    T("enabled-memset", cudaGraphNodeSetEnabled(x, c, 0));
    T("enabled-2", cudaGraphNodeSetEnabled(x, b, 2));
    cudaGraphExecUpdateResultInfo ri;
    memset(&ri, 0, sizeof ri);
    T("update-same", cudaGraphExecUpdate(x, g, &ri), "res=%d", (int)ri.result);
    cudaGraph_t g2 = 0;
    cudaGraphCreate(&g2, 0);
    cudaGraphNode_t y = 0;
    cudaGraphAddEmptyNode(&y, g2, 0, 0);
    T("update-topology", cudaGraphExecUpdate(x, g2, &ri), "res=%d", (int)ri.result);
    cudaGraph_t g3 = 0;
    cudaGraphClone(&g3, g);
    cudaGraphNode_t bb = 0;
    cudaGraphNodeFindInClone(&bb, b, g3);
    v = 7;
    cudaGraphKernelNodeSetParams(bb, &k2);
    T("update-params", cudaGraphExecUpdate(x, g3, &ri), "res=%d %s %s", (int)ri.result,
      (cudaGraphLaunch(x, s), SY(s)), dsum(d, 400));
    cudaKernelNodeParams k3 = kp((void *)k_fill, 1, 128, ka);
    cudaGraphKernelNodeSetParams(bb, &k3);
    T("update-func", cudaGraphExecUpdate(x, g3, &ri), "res=%d", (int)ri.result);
    T("update-null", cudaGraphExecUpdate(x, 0, &ri));
    T("update-null-info", cudaGraphExecUpdate(x, g, 0));
    T("destroy-graph-first", cudaGraphDestroy(g));
    T("launch-after", cudaGraphLaunch(x, s), "%s", SY(s));
    T("destroy", cudaGraphExecDestroy(x));
    T("destroy-null", cudaGraphExecDestroy(0));
    cudaGraph_t ge = 0;
    cudaGraphCreate(&ge, 0);
    T("inst-empty", cudaGraphInstantiate(&x, ge, 0));
    T("launch-empty", cudaGraphLaunch(x, s), "%s", SY(s));
    T("getflags-null", cudaGraphExecGetFlags(x, 0));
    T("upload-null", cudaGraphUpload(0, s));
}
static cudaGraphNodeParams np(int t)
{
    cudaGraphNodeParams p = {(cudaGraphNodeType)t};
    return p;
}
static void CUDART_CB dtor(void *u)
{
    (*(int *)u)++;
}
GROUP(702, gnode, "graph-node")
{
    ready();
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int *d = (int *)dal(4096), n = 50, v = 2;
    void *ka[3] = {&d, &n, &v};
    cudaGraphNode_t x = 0, first = 0;
    for (int t = -1; t < 16; t++) {
        cudaGraphNodeParams p = np(t);
        T(F("zero-%d", t), cudaGraphAddNode(&x, g, 0, 0, 0, &p));
    }
    cudaGraphDestroy(g);
    cudaGraphCreate(&g, 0);
    cudaGraphNodeParams p = np(cudaGraphNodeTypeKernel);
    p.kernel.func = (void *)k_fill;
    p.kernel.gridDim = dim3(1);
    p.kernel.blockDim = dim3(64);
    p.kernel.kernelParams = ka;
    T("kernel", cudaGraphAddNode(&first, g, 0, 0, 0, &p), "%s", outst(first));
    p = np(cudaGraphNodeTypeMemset);
    p.memset.dst = d + 50;
    p.memset.value = 4;
    p.memset.elementSize = 4;
    p.memset.width = 10;
    p.memset.height = 1;
    T("memset", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    T("memset-set", cudaGraphNodeSetParams(x, &p));
    p = np(cudaGraphNodeTypeHost);
    p.host.fn = hit;
    p.host.userData = (void *)1;
    T("host", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = np(cudaGraphNodeTypeMemcpy);
    p.memcpy.copyParams = cp(d + 100, d, 200, cudaMemcpyDeviceToDevice);
    T("memcpy", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = np(cudaGraphNodeTypeEmpty);
    T("empty", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = np(cudaGraphNodeTypeMemAlloc);
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 4096;
    cudaGraphNode_t al = 0;
    T("alloc", cudaGraphAddNode(&al, g, &first, 0, 1, &p), "%s", outst(p.alloc.dptr));
    void *ap = p.alloc.dptr;
    p = np(cudaGraphNodeTypeMemFree);
    p.free.dptr = ap;
    T("free", cudaGraphAddNode(&x, g, &al, 0, 1, &p));
    T("free-twice", cudaGraphAddNode(&x, g, &al, 0, 1, &p));
    INFO("built", "%s", gi(g));
    cudaGraphExec_t e = 0;
    T("inst", cudaGraphInstantiate(&e, g, 0));
    cudaStream_t s = mks(0);
    T("launch", cudaGraphLaunch(e, s), "%s %s", SY(s), dsum(d, 600));
    T("clone-with-alloc", cudaGraphClone(&g, g));
    T("inst-twice-alloc", (__extension__({
          cudaGraphExec_t e2 = 0;
          cudaGraphInstantiate(&e2, g, 0);
      })));
    cudaGraphEdgeData ed;
    memset(&ed, 0, sizeof ed);
    cudaGraphCreate(&g, 0);
    p = np(cudaGraphNodeTypeEmpty);
    cudaGraphAddNode(&first, g, 0, 0, 0, &p);
    T("edge-default", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.type = 1;
    T("edge-programmatic", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.type = 0;
    ed.from_port = 1;
    T("edge-port1", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.from_port = 0;
    ed.reserved[0] = 1;
    T("edge-reserved", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    p.reserved0[0] = 1;
    T("reserved0", cudaGraphAddNode(&x, g, 0, 0, 0, &p));
    T("null-params", cudaGraphAddNode(&x, g, 0, 0, 0, 0));
    cudaMemAllocNodeParams ma;
    memset(&ma, 0, sizeof ma);
    ma.poolProps.allocType = cudaMemAllocationTypePinned;
    ma.poolProps.location.type = cudaMemLocationTypeDevice;
    ma.bytesize = 1000;
    T("memalloc", cudaGraphAddMemAllocNode(&al, g, 0, 0, &ma), "%s", outst(ma.dptr));
    cudaMemAllocNodeParams mr;
    memset(&mr, 0, sizeof mr);
    T("memalloc-get", cudaGraphMemAllocNodeGetParams(al, &mr), "same=%d size=%zu",
      mr.dptr == ma.dptr, mr.bytesize);
    T("memfree", cudaGraphAddMemFreeNode(&x, g, &al, 1, ma.dptr));
    void *fp = 0;
    T("memfree-get", cudaGraphMemFreeNodeGetParams(x, &fp), "same=%d", fp == ma.dptr);
    ma.bytesize = 0;
    T("memalloc-0", cudaGraphAddMemAllocNode(&x, g, 0, 0, &ma));
    ma.poolProps.location.type = cudaMemLocationTypeHost;
    ma.bytesize = 64;
    T("memalloc-host", cudaGraphAddMemAllocNode(&x, g, 0, 0, &ma));
    T("memfree-null", cudaGraphAddMemFreeNode(&x, g, 0, 0, 0));
    cudaGraphConditionalHandle ch = 0;
    cudaGraph_t gc = 0;
    cudaGraphCreate(&gc, 0);
    for (unsigned f = 0; f < 3; f++)
        T(F("condhandle-%u", f), cudaGraphConditionalHandleCreate(&ch, gc, 1, f), "%s",
          ch ? "set" : "zero");
    T("condhandle-null", cudaGraphConditionalHandleCreate(0, gc, 1, 0));
    T("condhandle-null-graph", cudaGraphConditionalHandleCreate(&ch, 0, 1, 0));
    for (int ty = -1; ty < 4; ty++)
        for (unsigned sz = 0; sz < 4; sz++) {
            cudaGraphCreate(&gc, 0);
            cudaGraphConditionalHandleCreate(&ch, gc, ty == 1 ? 0 : 1, 1);
            p = np(cudaGraphNodeTypeConditional);
            p.conditional.handle = ch;
            p.conditional.type = (cudaGraphConditionalNodeType)ty;
            p.conditional.size = sz;
            if (!T(F("cond-t%d-s%u", ty, sz), cudaGraphAddNode(&x, gc, 0, 0, 0, &p), "out=%d",
                   p.conditional.phGraph_out != 0) &&
                p.conditional.phGraph_out) {
                for (unsigned q = 0; q < sz; q++) {
                    int vv = 10 + q;
                    void *a3[3] = {&d, &n, &vv};
                    cudaKernelNodeParams k = kp((void *)k_fill, 1, 64, a3);
                    cudaGraphNode_t z = 0;
                    cudaGraphAddKernelNode(&z, p.conditional.phGraph_out[q], 0, 0, &k);
                }
                cudaMemset(d, 0, 4096);
                T(F("cond-t%d-s%u-inst", ty, sz), cudaGraphInstantiate(&e, gc, 0));
                T(F("cond-t%d-s%u-run", ty, sz), cudaGraphLaunch(e, s), "%s %s", SY(s),
                  dsum(d, 200));
            }
        }
    static int cnt;
    cudaUserObject_t uo = 0;
    cudaGraph_t gu = 0;
    cudaGraphCreate(&gu, 0);
    T("uo", cudaUserObjectCreate(&uo, &cnt, dtor, 2, cudaUserObjectNoDestructorSync), "%s",
      outst(uo));
    T("uo-flags0", cudaUserObjectCreate(&uo, &cnt, dtor, 1, 0));
    T("uo-refs0", cudaUserObjectCreate(&uo, &cnt, dtor, 0, 1));
    T("uo-null", cudaUserObjectCreate(0, &cnt, dtor, 1, 1));
    cudaUserObjectCreate(&uo, &cnt, dtor, 1, 1);
    T("uo-retain", cudaUserObjectRetain(uo, 2));
    T("uo-retain0", cudaUserObjectRetain(uo, 0));
    T("uo-graph", cudaGraphRetainUserObject(gu, uo, 1, 0));
    T("uo-graph-move", cudaGraphRetainUserObject(gu, uo, 1, cudaGraphUserObjectMove));
    T("uo-graph-flag9", cudaGraphRetainUserObject(gu, uo, 1, 9));
    T("uo-release", cudaUserObjectRelease(uo, 2), "n=%d", cnt);
    T("uo-graph-release", cudaGraphReleaseUserObject(gu, uo, 1));
    T("uo-destroy-graph", cudaGraphDestroy(gu), "n=%d", (usleep(50000), cnt));
    T("uo-release-null", cudaUserObjectRelease(0, 1));
    T("uo-retain-null", cudaUserObjectRetain(0, 1));
}
GROUP(703, gcap, "graph-capture")
{
    ready();
    cudaStream_t s = mks(0), t = mks(0);
    int *d = (int *)dal(4096);
    cudaGraph_t g = 0;
    cudaGraphExec_t x = 0;
    cudaEvent_t e = mke(2), e2 = mke(2);
    char *p = (char *)pin(4096);
#define CAPT(nm, ...)                                                                              \
    do {                                                                                           \
        g = (cudaGraph_t)SENT;                                                                     \
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);                                   \
        __VA_ARGS__;                                                                               \
        T(nm, cudaStreamEndCapture(s, &g), "%s", g &&g != (cudaGraph_t)SENT ? gi(g) : outst(g));   \
        if (g && g != (cudaGraph_t)SENT) {                                                         \
            T(nm "-inst", cudaGraphInstantiate(&x, g, 0));                                         \
            cudaMemset(d, 0, 4096);                                                                \
            T(nm "-run", cudaGraphLaunch(x, t), "%s %s", SY(t), dsum(d, 800));                     \
        }                                                                                          \
    } while (0)
    CAPT("chevron", l_fill(dim3(1), dim3(128), 0, s, d, 100, 3));
    CAPT("three", l_fill(dim3(1), dim3(128), 0, s, d, 100, 3);
         l_fill(dim3(1), dim3(128), 0, s, d, 50, 9); cudaMemsetAsync(d, 1, 20, s));
    CAPT("forkjoin", l_fill(dim3(1), dim3(128), 0, s, d, 100, 3); cudaEventRecord(e, s);
         cudaStreamWaitEvent(t, e, 0); l_fill(dim3(1), dim3(128), 0, t, d + 100, 50, 9);
         cudaEventRecord(e2, t); cudaStreamWaitEvent(s, e2, 0);
         l_fill(dim3(1), dim3(32), 0, s, d, 10, 77));
    CAPT("memcpy", cudaMemcpyAsync(d, p, 400, cudaMemcpyHostToDevice, s));
    CAPT("memcpy2d", cudaMemcpy2DAsync(d, 64, p, 32, 20, 5, cudaMemcpyDefault, s));
    CAPT("memset2d", cudaMemset2DAsync(d, 64, 5, 20, 5, s));
    CAPT("hostfn", cudaLaunchHostFunc(s, hit, (void *)1));
    CAPT("tosym", cudaMemcpyToSymbolAsync(sym(0), p, 4, 0, cudaMemcpyHostToDevice, s));
    CAPT("fromsym", cudaMemcpyFromSymbolAsync(p, sym(S_CONST), 16, 4, cudaMemcpyDeviceToHost, s));
    CAPT("empty", );
    CAPT("coop", void *a[1] = {&d};
         cudaLaunchCooperativeKernel((void *)k_coop, dim3(2), dim3(32), a, 0, s));
    CAPT("alloc", void *q = 0; cudaMallocAsync(&q, 1000, s); cudaMemsetAsync(q, 1, 1000, s);
         cudaFreeAsync(q, s));
    CAPT("unjoined", cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);
         l_fill(dim3(1), dim3(128), 0, t, d + 100, 50, 9));
    CAPT("badlaunch", l_fill(dim3(0), dim3(128), 0, s, d, 100, 3); cudaGetLastError());
    CAPT("graphlaunch", cudaGraphLaunch(x, s));
    CAPT("recordext", cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    CAPT("waitext", cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    CAPT("record-plain", cudaEventRecord(e, s));
    T("query-captured-event", cudaEventQuery(e));
    T("sync-captured-event", cudaEventSynchronize(e));
    CAPT("batch", void *ds[1] = {d}; const void *ss[1] = {p}; size_t sz[1] = {100}, ix[1] = {0};
         cudaMemcpyAttributes at; memset(&at, 0, sizeof at);
         at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
         cudaMemcpyBatchAsync(ds, ss, sz, 1, &at, ix, 1, s));
}
GROUP(704, extm, "external")
{
    ready();
    cudaExternalMemory_t m = (cudaExternalMemory_t)SENT;
    cudaExternalSemaphore_t se = (cudaExternalSemaphore_t)SENT;
    for (int t = 0; t < 11; t++) {
        cudaExternalMemoryHandleDesc h;
        memset(&h, 0, sizeof h);
        h.type = (cudaExternalMemoryHandleType)t;
        h.handle.fd = -1;
        h.size = 4096;
        T(F("mem-%d", t), cudaImportExternalMemory(&m, &h), "%s", outst(m));
        cudaExternalSemaphoreHandleDesc q;
        memset(&q, 0, sizeof q);
        q.type = (cudaExternalSemaphoreHandleType)t;
        q.handle.fd = -1;
        T(F("sem-%d", t), cudaImportExternalSemaphore(&se, &q), "%s", outst(se));
    }
    T("mem-null", cudaImportExternalMemory(0, 0));
    T("sem-null", cudaImportExternalSemaphore(0, 0));
    T("destroy-mem-null", cudaDestroyExternalMemory(0));
    T("destroy-sem-null", cudaDestroyExternalSemaphore(0));
    void *d = 0;
    cudaExternalMemoryBufferDesc b;
    memset(&b, 0, sizeof b);
    T("buffer-null", cudaExternalMemoryGetMappedBuffer(&d, 0, &b));
    cudaMipmappedArray_t mm;
    cudaExternalMemoryMipmappedArrayDesc md;
    memset(&md, 0, sizeof md);
    T("mip-null", cudaExternalMemoryGetMappedMipmappedArray(&mm, 0, &md));
    T("signal-0", cudaSignalExternalSemaphoresAsync(0, 0, 0, 0));
    T("signal-null", cudaSignalExternalSemaphoresAsync(0, 0, 1, 0));
    T("wait-0", cudaWaitExternalSemaphoresAsync(0, 0, 0, 0));
    T("wait-null", cudaWaitExternalSemaphoresAsync(0, 0, 1, 0));
    T("gfx-unregister", cudaGraphicsUnregisterResource(0));
    T("gfx-setflags", cudaGraphicsResourceSetMapFlags(0, 0));
    T("gfx-map0", cudaGraphicsMapResources(0, 0, 0));
    T("gfx-map", cudaGraphicsMapResources(1, 0, 0));
    T("gfx-mapneg", cudaGraphicsMapResources(-1, 0, 0));
    T("gfx-unmap0", cudaGraphicsUnmapResources(0, 0, 0));
    T("gfx-unmap", cudaGraphicsUnmapResources(1, 0, 0));
    size_t z;
    T("gfx-ptr", cudaGraphicsResourceGetMappedPointer(&d, &z, 0));
    cudaArray_t a;
    T("gfx-array", cudaGraphicsSubResourceGetMappedArray(&a, 0, 0, 0));
    T("gfx-mip", cudaGraphicsResourceGetMappedMipmappedArray(&mm, 0));
    cudaExternalSemaphoreSignalNodeParams sp;
    memset(&sp, 0, sizeof sp);
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t x = 0;
    T("graph-signal0", cudaGraphAddExternalSemaphoresSignalNode(&x, g, 0, 0, &sp));
    cudaExternalSemaphoreWaitNodeParams wp;
    memset(&wp, 0, sizeof wp);
    T("graph-wait0", cudaGraphAddExternalSemaphoresWaitNode(&x, g, 0, 0, &wp));
    T("graph-signal-null", cudaGraphAddExternalSemaphoresSignalNode(&x, g, 0, 0, 0));
}
