/* SPDX-License-Identifier: MIT */
/* Graphs, external objects, graphics with bad arguments. */
#include "recorder.hpp"

static cudaKernelNodeParams kernel_params(const void *f, unsigned g, unsigned b, void **a)
{
    cudaKernelNodeParams k = {};
    k.func = (void *)f;
    k.gridDim = dim3(g);
    k.blockDim = dim3(b);
    k.kernelParams = a;
    return k;
}

static cudaMemsetParams memset_params(void *d, unsigned v, unsigned es, size_t w, size_t h,
                                      size_t p)
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

static cudaMemcpy3DParms copy_params(void *d, const void *s, size_t n, cudaMemcpyKind k)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = pitched((void *)s, n, n, 1);
    p.dstPtr = pitched(d, n, n, 1);
    p.extent = extent(n, 1, 1);
    p.kind = k;
    return p;
}

static int hits;
static void CUDART_CB host_count(void *u)
{
    hits += (int)(intptr_t)u;
}

static const char *graph_text(cudaGraph_t g)
{
    size_t n = 77, r = 77, e = 77;
    cudaError_t a = cudaGraphGetNodes(g, 0, &n), b = cudaGraphGetRootNodes(g, 0, &r),
                c = cudaGraphGetEdges(g, 0, 0, 0, &e);
    if (a || b || c)
        return FORMAT("%s %s %s", error_name(a), error_name(b), error_name(c));
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
    return FORMAT("nodes=%zu roots=%zu edges=%zu types=%s", n, r, e, t);
}

GROUP(700, graph_build, "graph-build")
{
    use_runtime();
    cudaGraph_t g = (cudaGraph_t)UNTOUCHED, g2 = 0;
    CHECK("create", cudaGraphCreate(&g, 0), "%s", out_state(g));
    CHECK("create-flags", cudaGraphCreate(&g2, 1));
    CHECK("create-null", cudaGraphCreate(0, 0));
    int *d = (int *)device_alloc(4096), n = 100, v = 5;
    char hb[256];
    cudaGraphNode_t a = 0, b = 0, c = 0, e = 0, f = 0, x = 0;
    RECORD("empty", "%s", graph_text(g));
    CHECK("emptynode", cudaGraphAddEmptyNode(&a, g, 0, 0), "%s", out_state(a));
    cudaKernelNodeParams k = kernel_params((void *)k_fill, 1, 128, ARGS(&d, &n, &v));
    void *ka[3] = {&d, &n, &v};
    k.kernelParams = ka;
    CHECK("kernel", cudaGraphAddKernelNode(&b, g, &a, 1, &k), "%s", out_state(b));
    cudaMemsetParams m = memset_params(d, 3, 4, 10, 1, 0);
    CHECK("memset", cudaGraphAddMemsetNode(&c, g, &b, 1, &m));
    cudaMemcpy3DParms p = copy_params(hb, d, 256, cudaMemcpyDeviceToHost);
    CHECK("memcpy", cudaGraphAddMemcpyNode(&e, g, &c, 1, &p));
    cudaHostNodeParams h = {};
    h.fn = host_count;
    h.userData = (void *)1;
    CHECK("host", cudaGraphAddHostNode(&f, g, &e, 1, &h));
    CHECK("memcpy1d", cudaGraphAddMemcpyNode1D(&x, g, &e, 1, hb, d, 64, cudaMemcpyDeviceToHost));
    CHECK("tosymbol", cudaGraphAddMemcpyNodeToSymbol(&x, g, &e, 1, symbol(0), hb, 4, 0,
                                                     cudaMemcpyHostToDevice));
    CHECK("fromsymbol", cudaGraphAddMemcpyNodeFromSymbol(&x, g, &e, 1, hb, symbol(SYMBOL_CONST), 16,
                                                         4, cudaMemcpyDeviceToHost));
    cudaEvent_t ev = event_new(0);
    CHECK("eventrecord", cudaGraphAddEventRecordNode(&x, g, &b, 1, ev));
    cudaGraphNode_t er = x;
    CHECK("eventwait", cudaGraphAddEventWaitNode(&x, g, &b, 1, ev));
    cudaGraphNode_t ew = x;
    cudaGraphCreate(&g2, 0);
    cudaGraphNode_t q = 0;
    cudaGraphAddEmptyNode(&q, g2, 0, 0);
    CHECK("child", cudaGraphAddChildGraphNode(&x, g, &b, 1, g2));
    cudaGraphNode_t ch = x;
    RECORD("built", "%s", graph_text(g));
    CHECK("kernel-null", cudaGraphAddKernelNode(&x, g, 0, 0, 0));
    k.func = 0;
    CHECK("kernel-nofunc", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.func = (void *)graph_text;
    CHECK("kernel-badfunc", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.func = (void *)k_fill;
    k.gridDim.x = 0;
    CHECK("kernel-grid0", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.gridDim.x = 1;
    k.blockDim.x = 2000;
    CHECK("kernel-block2000", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.blockDim.x = 128;
    k.kernelParams = 0;
    CHECK("kernel-noparams", cudaGraphAddKernelNode(&x, g, 0, 0, &k));
    k.kernelParams = ka;
    CHECK("deps-null", cudaGraphAddKernelNode(&x, g, 0, 1, &k));
    CHECK("deps-foreign", cudaGraphAddKernelNode(&x, g, &q, 1, &k));
    CHECK("graph-null", cudaGraphAddKernelNode(&x, 0, 0, 0, &k));
    CHECK("node-null", cudaGraphAddKernelNode(0, g, 0, 0, &k));
    cudaGraphNode_t dd[2] = {b, b};
    CHECK("deps-dup", cudaGraphAddEmptyNode(&x, g, dd, 2));
    m = memset_params(d, 3, 3, 10, 1, 0);
    CHECK("memset-es3", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = memset_params(0, 3, 4, 10, 1, 0);
    CHECK("memset-null", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = memset_params(d, 3, 4, 0, 0, 0);
    CHECK("memset-zero", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = memset_params(d, 0x12345, 1, 10, 1, 0);
    CHECK("memset-value-large", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = memset_params(d, 3, 4, 10, 4, 64);
    CHECK("memset-2d", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    m = memset_params(d, 3, 4, 10, 4, 8);
    CHECK("memset-2d-pitch", cudaGraphAddMemsetNode(&x, g, 0, 0, &m));
    h.fn = 0;
    CHECK("host-null", cudaGraphAddHostNode(&x, g, 0, 0, &h));
    CHECK("memcpy1d-kind9", cudaGraphAddMemcpyNode1D(&x, g, 0, 0, hb, d, 64, (cudaMemcpyKind)9));
    CHECK("memcpy1d-zero", cudaGraphAddMemcpyNode1D(&x, g, 0, 0, hb, d, 0, cudaMemcpyDeviceToHost));
    CHECK("tosymbol-range",
          cudaGraphAddMemcpyNodeToSymbol(&x, g, 0, 0, symbol(0), hb, 8, 0, cudaMemcpyHostToDevice));
    CHECK("tosymbol-bad",
          cudaGraphAddMemcpyNodeToSymbol(&x, g, 0, 0, hb, hb, 4, 0, cudaMemcpyHostToDevice));
    CHECK("event-null", cudaGraphAddEventRecordNode(&x, g, 0, 0, 0));
    CHECK("child-null", cudaGraphAddChildGraphNode(&x, g, 0, 0, 0));
    CHECK("child-self", cudaGraphAddChildGraphNode(&x, g, 0, 0, g));
    cudaKernelNodeParams kr = {};
    CHECK("kernel-get", cudaGraphKernelNodeGetParams(b, &kr),
          "func=%d g=%u b=%u sh=%u params=%d v=%d", kr.func == (void *)k_fill, kr.gridDim.x,
          kr.blockDim.x, kr.sharedMemBytes, kr.kernelParams != 0,
          kr.kernelParams ? *(int *)kr.kernelParams[2] : -1);
    CHECK("kernel-get-wrong", cudaGraphKernelNodeGetParams(c, &kr));
    CHECK("kernel-get-null", cudaGraphKernelNodeGetParams(b, 0));
    v = 9;
    kr = kernel_params((void *)k_add, 2, 64, ka);
    CHECK("kernel-set", cudaGraphKernelNodeSetParams(b, &kr));
    CHECK("kernel-get2", cudaGraphKernelNodeGetParams(b, &kr), "func=%d g=%u v=%d",
          kr.func == (void *)k_add, kr.gridDim.x,
          kr.kernelParams ? *(int *)kr.kernelParams[2] : -1);
    cudaMemsetParams mr = {};
    CHECK("memset-get", cudaGraphMemsetNodeGetParams(c, &mr), "dst=%d v=%u es=%u w=%zu h=%zu p=%zu",
          mr.dst == d, mr.value, mr.elementSize, mr.width, mr.height, mr.pitch);
    cudaMemcpy3DParms pr;
    memset(&pr, 0, sizeof pr);
    CHECK("memcpy-get", cudaGraphMemcpyNodeGetParams(e, &pr),
          "dst=%d src=%d ext=%zu,%zu,%zu kind=%d sp=%zu,%zu,%zu", pr.dstPtr.ptr == hb,
          pr.srcPtr.ptr == d, pr.extent.width, pr.extent.height, pr.extent.depth, (int)pr.kind,
          pr.srcPtr.pitch, pr.srcPtr.xsize, pr.srcPtr.ysize);
    cudaHostNodeParams hr = {};
    CHECK("host-get", cudaGraphHostNodeGetParams(f, &hr), "fn=%d data=%d", hr.fn == host_count,
          (int)(intptr_t)hr.userData);
    cudaEvent_t eo = 0;
    CHECK("record-get", cudaGraphEventRecordNodeGetEvent(er, &eo), "%d", eo == ev);
    CHECK("wait-get", cudaGraphEventWaitNodeGetEvent(ew, &eo), "%d", eo == ev);
    CHECK("record-get-wrong", cudaGraphEventRecordNodeGetEvent(ew, &eo));
    cudaEvent_t ev2 = event_new(0);
    CHECK("record-set", cudaGraphEventRecordNodeSetEvent(er, ev2));
    CHECK("wait-set", cudaGraphEventWaitNodeSetEvent(ew, ev2));
    cudaGraph_t cg = 0;
    CHECK("child-get", cudaGraphChildGraphNodeGetGraph(ch, &cg), "same=%d %s", cg == g2,
          cg ? graph_text(cg) : "");
    m = memset_params(d, 7, 2, 11, 1, 0);
    CHECK("memset-set", cudaGraphMemsetNodeSetParams(c, &m));
    CHECK("memcpy-set1d", cudaGraphMemcpyNodeSetParams1D(e, hb, d, 32, cudaMemcpyDeviceToHost));
    CHECK("memcpy-setsym", cudaGraphMemcpyNodeSetParamsFromSymbol(e, hb, symbol(SYMBOL_CONST), 8, 0,
                                                                  cudaMemcpyDeviceToHost));
    CHECK("memcpy-settosym", cudaGraphMemcpyNodeSetParamsToSymbol(e, symbol(SYMBOL_CONST), hb, 8, 0,
                                                                  cudaMemcpyHostToDevice));
    for (int i = -1; i <= 17; i++) {
        cudaLaunchAttributeValue av;
        memset(&av, 0, sizeof av);
        CHECK(FORMAT("kattr-get-%d", i),
              cudaGraphKernelNodeGetAttribute(b, (cudaLaunchAttributeID)i, &av), "%d", *(int *)&av);
        CHECK(FORMAT("kattr-set-%d", i),
              cudaGraphKernelNodeSetAttribute(b, (cudaLaunchAttributeID)i, &av));
    }
    cudaGraph_t cl = 0;
    CHECK("clone", cudaGraphClone(&cl, g), "%s", graph_text(cl));
    cudaGraphNode_t fc = 0;
    CHECK("findinclone", cudaGraphNodeFindInClone(&fc, b, cl), "%s differs=%d", out_state(fc),
          fc != b);
    CHECK("findinclone-wrong", cudaGraphNodeFindInClone(&fc, q, cl));
    CHECK("clone-null", cudaGraphClone(0, g));
    CHECK("clone-null2", cudaGraphClone(&cl, 0));
    size_t nd = 0;
    CHECK("deps", cudaGraphNodeGetDependencies(c, 0, 0, &nd), "%zu", nd);
    CHECK("dependents", cudaGraphNodeGetDependentNodes(b, 0, 0, &nd), "%zu", nd);
    cudaGraphNode_t two[2] = {0};
    nd = 1;
    CHECK("dependents-1", cudaGraphNodeGetDependentNodes(b, two, 0, &nd), "%zu", nd);
    nd = 2;
    CHECK("deps-2", cudaGraphNodeGetDependencies(c, two, 0, &nd), "n=%zu first=%d second=%s", nd,
          two[0] == b, out_state(two[1]));
    CHECK("adddep", cudaGraphAddDependencies(g, &a, &f, 0, 1));
    CHECK("adddep-dup", cudaGraphAddDependencies(g, &a, &f, 0, 1));
    CHECK("adddep-cycle", cudaGraphAddDependencies(g, &f, &a, 0, 1));
    CHECK("adddep-self", cudaGraphAddDependencies(g, &a, &a, 0, 1));
    CHECK("rmdep", cudaGraphRemoveDependencies(g, &a, &f, 0, 1));
    CHECK("rmdep-missing", cudaGraphRemoveDependencies(g, &b, &a, 0, 1));
    CHECK("type-null", cudaGraphNodeGetType(b, 0));
    CHECK("destroynode", cudaGraphDestroyNode(f), "%s", graph_text(g));
    CHECK("destroynode-null", cudaGraphDestroyNode(0));
    CHECK("nodes-null", cudaGraphGetNodes(g, 0, 0));
    CHECK("dot", cudaGraphDebugDotPrint(g, "/tmp/rt.dot", 0));
    unlink("/tmp/rt.dot");
    CHECK("dot-null", cudaGraphDebugDotPrint(g, 0, 0));
    CHECK("destroy", cudaGraphDestroy(g));
    CHECK("destroy-null", cudaGraphDestroy(0));
}

GROUP(701, graph_exec, "graph-exec")
{
    use_runtime();
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int *d = (int *)device_alloc(4096), n = 100, v = 5;
    void *ka[3] = {&d, &n, &v};
    cudaGraphNode_t a = 0, b = 0, c = 0, h_ = 0;
    cudaKernelNodeParams k = kernel_params((void *)k_fill, 1, 128, ka),
                         k2 = kernel_params((void *)k_add, 1, 128, ka);
    cudaGraphAddKernelNode(&a, g, 0, 0, &k);
    cudaGraphAddKernelNode(&b, g, &a, 1, &k2);
    cudaMemsetParams m = memset_params(d, 9, 4, 10, 1, 0);
    cudaGraphAddMemsetNode(&c, g, &b, 1, &m);
    cudaHostNodeParams h = {};
    h.fn = host_count;
    h.userData = (void *)1;
    cudaGraphAddHostNode(&h_, g, &c, 1, &h);
    cudaGraphExec_t x = (cudaGraphExec_t)UNTOUCHED;
    cudaStream_t s = stream_new(0);
    for (unsigned f = 0; f < 17; f++) {
        x = (cudaGraphExec_t)UNTOUCHED;
        unsigned long long fl = 77;
        if (!CHECK(FORMAT("inst-%u", f), cudaGraphInstantiate(&x, g, f), "%s", out_state(x))) {
            CHECK(FORMAT("getflags-%u", f), cudaGraphExecGetFlags(x, &fl), "%llu", fl);
            CHECK(FORMAT("launch-%u", f), cudaGraphLaunch(x, s), "%s %s", sync_stream(s),
                  device_checksum(d, 400));
            cudaGraphExecDestroy(x);
        }
    }
    CHECK("instflags", cudaGraphInstantiateWithFlags(&x, g, 0));
    cudaGraphInstantiateParams ip;
    memset(&ip, 0, sizeof ip);
    ip.uploadStream = s;
    CHECK("instparams", cudaGraphInstantiateWithParams(&x, g, &ip), "res=%d err=%s",
          (int)ip.result_out, out_state(ip.errNode_out));
    ip.flags = 2;
    CHECK("instparams-upload", cudaGraphInstantiateWithParams(&x, g, &ip), "res=%d %s",
          (int)ip.result_out, sync_stream(s));
    CHECK("instparams-null", cudaGraphInstantiateWithParams(&x, g, 0));
    CHECK("inst-null", cudaGraphInstantiate(0, g, 0));
    CHECK("inst-null-graph", cudaGraphInstantiate(&x, 0, 0));
    cudaGraphInstantiate(&x, g, 0);
    hits = 0;
    for (int i = 0; i < 3; i++)
        CHECK(FORMAT("run-%d", i), cudaGraphLaunch(x, s), "%s %s hits=%d", sync_stream(s),
              device_checksum(d, 400), hits);
    CHECK("upload", cudaGraphUpload(x, s), "%s", sync_stream(s));
    CHECK("launch-null-stream", cudaGraphLaunch(x, 0), "%s", sync_device());
    CHECK("launch-legacy", cudaGraphLaunch(x, cudaStreamLegacy), "%s", sync_device());
    CHECK("launch-pt", cudaGraphLaunch(x, cudaStreamPerThread), "%s", sync_device());
    CHECK("launch-null", cudaGraphLaunch(0, s));
    v = 100;
    CHECK("set-kernel", cudaGraphExecKernelNodeSetParams(x, b, &k2), "%s %s",
          (cudaGraphLaunch(x, s), sync_stream(s)), device_checksum(d, 400));
    k2.gridDim.x = 0;
    CHECK("set-kernel-grid0", cudaGraphExecKernelNodeSetParams(x, b, &k2));
    k2.gridDim.x = 1;
    CHECK("set-kernel-func", (__extension__({
              cudaKernelNodeParams kk = kernel_params((void *)k_fill, 1, 128, ka);
              cudaGraphExecKernelNodeSetParams(x, b, &kk);
          })));
    m = memset_params(d, 1, 4, 20, 1, 0);
    CHECK("set-memset", cudaGraphExecMemsetNodeSetParams(x, c, &m), "%s %s",
          (cudaGraphLaunch(x, s), sync_stream(s)), device_checksum(d, 400));
    m = memset_params(d, 1, 2, 20, 1, 0);
    CHECK("set-memset-es", cudaGraphExecMemsetNodeSetParams(x, c, &m));
    m = memset_params(d, 1, 4, 20, 2, 128);
    CHECK("set-memset-2d", cudaGraphExecMemsetNodeSetParams(x, c, &m));
    h.userData = (void *)10;
    CHECK("set-host", cudaGraphExecHostNodeSetParams(x, h_, &h), "%s hits=%d",
          (cudaGraphLaunch(x, s), sync_stream(s)), hits);
    CHECK("set-wrong-type", cudaGraphExecHostNodeSetParams(x, a, &h));
    CHECK("set-null", cudaGraphExecKernelNodeSetParams(x, b, 0));
    unsigned en_ = 77;
    CHECK("enabled-get", cudaGraphNodeGetEnabled(x, b, &en_), "%u", en_);
    CHECK("enabled-set0", cudaGraphNodeSetEnabled(x, b, 0), "%s %s",
          (cudaGraphLaunch(x, s), sync_stream(s)), device_checksum(d, 400));
    CHECK("enabled-get0", cudaGraphNodeGetEnabled(x, b, &en_), "%u", en_);
    CHECK("enabled-set1", cudaGraphNodeSetEnabled(x, b, 1));
    CHECK("enabled-host", cudaGraphNodeSetEnabled(x, h_, 0));
    CHECK("enabled-memset", cudaGraphNodeSetEnabled(x, c, 0));
    CHECK("enabled-2", cudaGraphNodeSetEnabled(x, b, 2));
    cudaGraphExecUpdateResultInfo ri;
    memset(&ri, 0, sizeof ri);
    CHECK("update-same", cudaGraphExecUpdate(x, g, &ri), "res=%d", (int)ri.result);
    cudaGraph_t g2 = 0;
    cudaGraphCreate(&g2, 0);
    cudaGraphNode_t y = 0;
    cudaGraphAddEmptyNode(&y, g2, 0, 0);
    CHECK("update-topology", cudaGraphExecUpdate(x, g2, &ri), "res=%d", (int)ri.result);
    cudaGraph_t g3 = 0;
    cudaGraphClone(&g3, g);
    cudaGraphNode_t bb = 0;
    cudaGraphNodeFindInClone(&bb, b, g3);
    v = 7;
    cudaGraphKernelNodeSetParams(bb, &k2);
    CHECK("update-params", cudaGraphExecUpdate(x, g3, &ri), "res=%d %s %s", (int)ri.result,
          (cudaGraphLaunch(x, s), sync_stream(s)), device_checksum(d, 400));
    cudaKernelNodeParams k3 = kernel_params((void *)k_fill, 1, 128, ka);
    cudaGraphKernelNodeSetParams(bb, &k3);
    CHECK("update-func", cudaGraphExecUpdate(x, g3, &ri), "res=%d", (int)ri.result);
    CHECK("update-null", cudaGraphExecUpdate(x, 0, &ri));
    CHECK("update-null-info", cudaGraphExecUpdate(x, g, 0));
    CHECK("destroy-graph-first", cudaGraphDestroy(g));
    CHECK("launch-after", cudaGraphLaunch(x, s), "%s", sync_stream(s));
    CHECK("destroy", cudaGraphExecDestroy(x));
    CHECK("destroy-null", cudaGraphExecDestroy(0));
    cudaGraph_t ge = 0;
    cudaGraphCreate(&ge, 0);
    CHECK("inst-empty", cudaGraphInstantiate(&x, ge, 0));
    CHECK("launch-empty", cudaGraphLaunch(x, s), "%s", sync_stream(s));
    CHECK("getflags-null", cudaGraphExecGetFlags(x, 0));
    CHECK("upload-null", cudaGraphUpload(0, s));
}

static cudaGraphNodeParams node_params(int t)
{
    cudaGraphNodeParams p = {(cudaGraphNodeType)t};
    return p;
}

static void CUDART_CB destructor(void *u)
{
    (*(int *)u)++;
}

GROUP(702, graph_node, "graph-node")
{
    use_runtime();
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    int *d = (int *)device_alloc(4096), n = 50, v = 2;
    void *ka[3] = {&d, &n, &v};
    cudaGraphNode_t x = 0, first = 0;
    for (int t = -1; t < 16; t++) {
        cudaGraphNodeParams p = node_params(t);
        CHECK(FORMAT("zero-%d", t), cudaGraphAddNode(&x, g, 0, 0, 0, &p));
    }
    cudaGraphDestroy(g);
    cudaGraphCreate(&g, 0);
    cudaGraphNodeParams p = node_params(cudaGraphNodeTypeKernel);
    p.kernel.func = (void *)k_fill;
    p.kernel.gridDim = dim3(1);
    p.kernel.blockDim = dim3(64);
    p.kernel.kernelParams = ka;
    CHECK("kernel", cudaGraphAddNode(&first, g, 0, 0, 0, &p), "%s", out_state(first));
    p = node_params(cudaGraphNodeTypeMemset);
    p.memset.dst = d + 50;
    p.memset.value = 4;
    p.memset.elementSize = 4;
    p.memset.width = 10;
    p.memset.height = 1;
    CHECK("memset", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    CHECK("memset-set", cudaGraphNodeSetParams(x, &p));
    p = node_params(cudaGraphNodeTypeHost);
    p.host.fn = host_count;
    p.host.userData = (void *)1;
    CHECK("host", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = node_params(cudaGraphNodeTypeMemcpy);
    p.memcpy.copyParams = copy_params(d + 100, d, 200, cudaMemcpyDeviceToDevice);
    CHECK("memcpy", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = node_params(cudaGraphNodeTypeEmpty);
    CHECK("empty", cudaGraphAddNode(&x, g, &first, 0, 1, &p));
    p = node_params(cudaGraphNodeTypeMemAlloc);
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 4096;
    cudaGraphNode_t al = 0;
    CHECK("alloc", cudaGraphAddNode(&al, g, &first, 0, 1, &p), "%s", out_state(p.alloc.dptr));
    void *ap = p.alloc.dptr;
    p = node_params(cudaGraphNodeTypeMemFree);
    p.free.dptr = ap;
    CHECK("free", cudaGraphAddNode(&x, g, &al, 0, 1, &p));
    CHECK("free-twice", cudaGraphAddNode(&x, g, &al, 0, 1, &p));
    RECORD("built", "%s", graph_text(g));
    cudaGraphExec_t e = 0;
    CHECK("inst", cudaGraphInstantiate(&e, g, 0));
    cudaStream_t s = stream_new(0);
    CHECK("launch", cudaGraphLaunch(e, s), "%s %s", sync_stream(s), device_checksum(d, 600));
    CHECK("clone-with-alloc", cudaGraphClone(&g, g));
    CHECK("inst-twice-alloc", (__extension__({
              cudaGraphExec_t e2 = 0;
              cudaGraphInstantiate(&e2, g, 0);
          })));
    cudaGraphEdgeData ed;
    memset(&ed, 0, sizeof ed);
    cudaGraphCreate(&g, 0);
    p = node_params(cudaGraphNodeTypeEmpty);
    cudaGraphAddNode(&first, g, 0, 0, 0, &p);
    CHECK("edge-default", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.type = 1;
    CHECK("edge-programmatic", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.type = 0;
    ed.from_port = 1;
    CHECK("edge-port1", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    ed.from_port = 0;
    ed.reserved[0] = 1;
    CHECK("edge-reserved", cudaGraphAddNode(&x, g, &first, &ed, 1, &p));
    p.reserved0[0] = 1;
    CHECK("reserved0", cudaGraphAddNode(&x, g, 0, 0, 0, &p));
    CHECK("null-params", cudaGraphAddNode(&x, g, 0, 0, 0, 0));
    cudaMemAllocNodeParams ma;
    memset(&ma, 0, sizeof ma);
    ma.poolProps.allocType = cudaMemAllocationTypePinned;
    ma.poolProps.location.type = cudaMemLocationTypeDevice;
    ma.bytesize = 1000;
    CHECK("memalloc", cudaGraphAddMemAllocNode(&al, g, 0, 0, &ma), "%s", out_state(ma.dptr));
    cudaMemAllocNodeParams mr;
    memset(&mr, 0, sizeof mr);
    CHECK("memalloc-get", cudaGraphMemAllocNodeGetParams(al, &mr), "same=%d size=%zu",
          mr.dptr == ma.dptr, mr.bytesize);
    CHECK("memfree", cudaGraphAddMemFreeNode(&x, g, &al, 1, ma.dptr));
    void *fp = 0;
    CHECK("memfree-get", cudaGraphMemFreeNodeGetParams(x, &fp), "same=%d", fp == ma.dptr);
    ma.bytesize = 0;
    CHECK("memalloc-0", cudaGraphAddMemAllocNode(&x, g, 0, 0, &ma));
    ma.poolProps.location.type = cudaMemLocationTypeHost;
    ma.bytesize = 64;
    CHECK("memalloc-host", cudaGraphAddMemAllocNode(&x, g, 0, 0, &ma));
    CHECK("memfree-null", cudaGraphAddMemFreeNode(&x, g, 0, 0, 0));
    cudaGraphConditionalHandle ch = 0;
    cudaGraph_t gc = 0;
    cudaGraphCreate(&gc, 0);
    for (unsigned f = 0; f < 3; f++)
        CHECK(FORMAT("condhandle-%u", f), cudaGraphConditionalHandleCreate(&ch, gc, 1, f), "%s",
              ch ? "set" : "zero");
    CHECK("condhandle-null", cudaGraphConditionalHandleCreate(0, gc, 1, 0));
    CHECK("condhandle-null-graph", cudaGraphConditionalHandleCreate(&ch, 0, 1, 0));
    for (int ty = -1; ty < 4; ty++)
        for (unsigned sz = 0; sz < 4; sz++) {
            cudaGraphCreate(&gc, 0);
            cudaGraphConditionalHandleCreate(&ch, gc, ty == 1 ? 0 : 1, 1);
            p = node_params(cudaGraphNodeTypeConditional);
            p.conditional.handle = ch;
            p.conditional.type = (cudaGraphConditionalNodeType)ty;
            p.conditional.size = sz;
            if (!CHECK(FORMAT("cond-t%d-s%u", ty, sz), cudaGraphAddNode(&x, gc, 0, 0, 0, &p),
                       "out=%d", p.conditional.phGraph_out != 0) &&
                p.conditional.phGraph_out) {
                for (unsigned q = 0; q < sz; q++) {
                    int vv = 10 + q;
                    void *a3[3] = {&d, &n, &vv};
                    cudaKernelNodeParams k = kernel_params((void *)k_fill, 1, 64, a3);
                    cudaGraphNode_t z = 0;
                    cudaGraphAddKernelNode(&z, p.conditional.phGraph_out[q], 0, 0, &k);
                }
                cudaMemset(d, 0, 4096);
                CHECK(FORMAT("cond-t%d-s%u-inst", ty, sz), cudaGraphInstantiate(&e, gc, 0));
                CHECK(FORMAT("cond-t%d-s%u-run", ty, sz), cudaGraphLaunch(e, s), "%s %s",
                      sync_stream(s), device_checksum(d, 200));
            }
        }
    static int cnt;
    cudaUserObject_t uo = 0;
    cudaGraph_t gu = 0;
    cudaGraphCreate(&gu, 0);
    CHECK("uo", cudaUserObjectCreate(&uo, &cnt, destructor, 2, cudaUserObjectNoDestructorSync),
          "%s", out_state(uo));
    CHECK("uo-flags0", cudaUserObjectCreate(&uo, &cnt, destructor, 1, 0));
    CHECK("uo-refs0", cudaUserObjectCreate(&uo, &cnt, destructor, 0, 1));
    CHECK("uo-null", cudaUserObjectCreate(0, &cnt, destructor, 1, 1));
    cudaUserObjectCreate(&uo, &cnt, destructor, 1, 1);
    CHECK("uo-retain", cudaUserObjectRetain(uo, 2));
    CHECK("uo-retain0", cudaUserObjectRetain(uo, 0));
    CHECK("uo-graph", cudaGraphRetainUserObject(gu, uo, 1, 0));
    CHECK("uo-graph-move", cudaGraphRetainUserObject(gu, uo, 1, cudaGraphUserObjectMove));
    CHECK("uo-graph-flag9", cudaGraphRetainUserObject(gu, uo, 1, 9));
    CHECK("uo-release", cudaUserObjectRelease(uo, 2), "n=%d", cnt);
    CHECK("uo-graph-release", cudaGraphReleaseUserObject(gu, uo, 1));
    CHECK("uo-destroy-graph", cudaGraphDestroy(gu), "n=%d", (usleep(50000), cnt));
    CHECK("uo-release-null", cudaUserObjectRelease(0, 1));
    CHECK("uo-retain-null", cudaUserObjectRetain(0, 1));
}

GROUP(703, graph_capture, "graph-capture")
{
    use_runtime();
    cudaStream_t s = stream_new(0), t = stream_new(0);
    int *d = (int *)device_alloc(4096);
    cudaGraph_t g = 0;
    cudaGraphExec_t x = 0;
    cudaEvent_t e = event_new(2), e2 = event_new(2);
    char *p = (char *)pinned_alloc(4096);
#define CAPTURE_CASE(nm, ...)                                                                      \
    do {                                                                                           \
        g = (cudaGraph_t)UNTOUCHED;                                                                \
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);                                   \
        __VA_ARGS__;                                                                               \
        CHECK(nm, cudaStreamEndCapture(s, &g), "%s",                                               \
              g &&g != (cudaGraph_t)UNTOUCHED ? graph_text(g) : out_state(g));                     \
        if (g && g != (cudaGraph_t)UNTOUCHED) {                                                    \
            CHECK(nm "-inst", cudaGraphInstantiate(&x, g, 0));                                     \
            cudaMemset(d, 0, 4096);                                                                \
            CHECK(nm "-run", cudaGraphLaunch(x, t), "%s %s", sync_stream(t),                       \
                  device_checksum(d, 800));                                                        \
        }                                                                                          \
    } while (0)
    CAPTURE_CASE("chevron", launch_fill(dim3(1), dim3(128), 0, s, d, 100, 3));
    CAPTURE_CASE("three", launch_fill(dim3(1), dim3(128), 0, s, d, 100, 3);
                 launch_fill(dim3(1), dim3(128), 0, s, d, 50, 9); cudaMemsetAsync(d, 1, 20, s));
    CAPTURE_CASE("forkjoin", launch_fill(dim3(1), dim3(128), 0, s, d, 100, 3);
                 cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);
                 launch_fill(dim3(1), dim3(128), 0, t, d + 100, 50, 9); cudaEventRecord(e2, t);
                 cudaStreamWaitEvent(s, e2, 0); launch_fill(dim3(1), dim3(32), 0, s, d, 10, 77));
    CAPTURE_CASE("memcpy", cudaMemcpyAsync(d, p, 400, cudaMemcpyHostToDevice, s));
    CAPTURE_CASE("memcpy2d", cudaMemcpy2DAsync(d, 64, p, 32, 20, 5, cudaMemcpyDefault, s));
    CAPTURE_CASE("memset2d", cudaMemset2DAsync(d, 64, 5, 20, 5, s));
    CAPTURE_CASE("hostfn", cudaLaunchHostFunc(s, host_count, (void *)1));
    CAPTURE_CASE("tosym", cudaMemcpyToSymbolAsync(symbol(0), p, 4, 0, cudaMemcpyHostToDevice, s));
    CAPTURE_CASE("fromsym", cudaMemcpyFromSymbolAsync(p, symbol(SYMBOL_CONST), 16, 4,
                                                      cudaMemcpyDeviceToHost, s));
    CAPTURE_CASE("empty", );
    CAPTURE_CASE("coop", void *a[1] = {&d};
                 cudaLaunchCooperativeKernel((void *)k_coop, dim3(2), dim3(32), a, 0, s));
    CAPTURE_CASE("alloc", void *q = 0; cudaMallocAsync(&q, 1000, s); cudaMemsetAsync(q, 1, 1000, s);
                 cudaFreeAsync(q, s));
    CAPTURE_CASE("unjoined", cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);
                 launch_fill(dim3(1), dim3(128), 0, t, d + 100, 50, 9));
    CAPTURE_CASE("badlaunch", launch_fill(dim3(0), dim3(128), 0, s, d, 100, 3); cudaGetLastError());
    CAPTURE_CASE("graphlaunch", cudaGraphLaunch(x, s));
    CAPTURE_CASE("recordext", cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    CAPTURE_CASE("waitext", cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    CAPTURE_CASE("record-plain", cudaEventRecord(e, s));
    CHECK("query-captured-event", cudaEventQuery(e));
    CHECK("sync-captured-event", cudaEventSynchronize(e));
    CAPTURE_CASE("batch", void *ds[1] = {d}; const void *ss[1] = {p};
                 size_t sz[1] = {100}, ix[1] = {0}; cudaMemcpyAttributes at;
                 memset(&at, 0, sizeof at); at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
                 cudaMemcpyBatchAsync(ds, ss, sz, 1, &at, ix, 1, s));
}

GROUP(704, external, "external")
{
    use_runtime();
    cudaExternalMemory_t m = (cudaExternalMemory_t)UNTOUCHED;
    cudaExternalSemaphore_t se = (cudaExternalSemaphore_t)UNTOUCHED;
    for (int t = 0; t < 11; t++) {
        cudaExternalMemoryHandleDesc h;
        memset(&h, 0, sizeof h);
        h.type = (cudaExternalMemoryHandleType)t;
        h.handle.fd = -1;
        h.size = 4096;
        CHECK(FORMAT("mem-%d", t), cudaImportExternalMemory(&m, &h), "%s", out_state(m));
        cudaExternalSemaphoreHandleDesc q;
        memset(&q, 0, sizeof q);
        q.type = (cudaExternalSemaphoreHandleType)t;
        q.handle.fd = -1;
        CHECK(FORMAT("sem-%d", t), cudaImportExternalSemaphore(&se, &q), "%s", out_state(se));
    }
    CHECK("mem-null", cudaImportExternalMemory(0, 0));
    CHECK("sem-null", cudaImportExternalSemaphore(0, 0));
    CHECK("destroy-mem-null", cudaDestroyExternalMemory(0));
    CHECK("destroy-sem-null", cudaDestroyExternalSemaphore(0));
    void *d = 0;
    cudaExternalMemoryBufferDesc b;
    memset(&b, 0, sizeof b);
    CHECK("buffer-null", cudaExternalMemoryGetMappedBuffer(&d, 0, &b));
    cudaMipmappedArray_t mm;
    cudaExternalMemoryMipmappedArrayDesc md;
    memset(&md, 0, sizeof md);
    CHECK("mip-null", cudaExternalMemoryGetMappedMipmappedArray(&mm, 0, &md));
    CHECK("signal-0", cudaSignalExternalSemaphoresAsync(0, 0, 0, 0));
    CHECK("signal-null", cudaSignalExternalSemaphoresAsync(0, 0, 1, 0));
    CHECK("wait-0", cudaWaitExternalSemaphoresAsync(0, 0, 0, 0));
    CHECK("wait-null", cudaWaitExternalSemaphoresAsync(0, 0, 1, 0));
    CHECK("gfx-unregister", cudaGraphicsUnregisterResource(0));
    CHECK("gfx-setflags", cudaGraphicsResourceSetMapFlags(0, 0));
    CHECK("gfx-map0", cudaGraphicsMapResources(0, 0, 0));
    CHECK("gfx-map", cudaGraphicsMapResources(1, 0, 0));
    CHECK("gfx-mapneg", cudaGraphicsMapResources(-1, 0, 0));
    CHECK("gfx-unmap0", cudaGraphicsUnmapResources(0, 0, 0));
    CHECK("gfx-unmap", cudaGraphicsUnmapResources(1, 0, 0));
    size_t z;
    CHECK("gfx-ptr", cudaGraphicsResourceGetMappedPointer(&d, &z, 0));
    cudaArray_t a;
    CHECK("gfx-array", cudaGraphicsSubResourceGetMappedArray(&a, 0, 0, 0));
    CHECK("gfx-mip", cudaGraphicsResourceGetMappedMipmappedArray(&mm, 0));
    cudaExternalSemaphoreSignalNodeParams sp;
    memset(&sp, 0, sizeof sp);
    cudaGraph_t g = 0;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t x = 0;
    CHECK("graph-signal0", cudaGraphAddExternalSemaphoresSignalNode(&x, g, 0, 0, &sp));
    cudaExternalSemaphoreWaitNodeParams wp;
    memset(&wp, 0, sizeof wp);
    CHECK("graph-wait0", cudaGraphAddExternalSemaphoresWaitNode(&x, g, 0, 0, &wp));
    CHECK("graph-signal-null", cudaGraphAddExternalSemaphoresSignalNode(&x, g, 0, 0, 0));
}
