/* SPDX-License-Identifier: MIT */
/* Kernels, buffers, node builders and texts of graphs. */
#include "graph_recorder.h"
CUmodule mod, mod2;
CUfunction fn[K_N], fn2[K_N];
CUlibrary lib;
CUkernel kn[K_N];
dp B[NB], BM;
unsigned *H[4];
CUstream S[6];
CUevent E[8];
CUarray AR[4];
CUcontext ctx2;
atomic_int hcount[16];
#define PV(name, body)                                                                             \
    ".visible .entry " name "(.param .u64 p, .param .u32 n, .param .u32 v) {\n"                    \
    ".reg .u64 %rd<8>; .reg .u32 %r<16>; .reg .pred %p<4>;\n"                                      \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"                      \
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r6, %r3, %r4, " \
    "%r5;\n"                                                                                       \
    "setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"                                                  \
    "cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3;\n" body   \
    "DONE: ret;\n}\n"
#define HEAD ".version 7.8\n.target sm_50\n.address_size 64\n"
const char *ptx_text = HEAD ".visible .global .align 4 .u32 gvar[16];\n" PV(
    "kset", "add.u32 %r7, %r6, %r2; st.global.u32 [%rd4], %r7;\n")
    PV("kadd", "ld.global.u32 %r7, [%rd4]; add.u32 %r7, %r7, %r2; st.global.u32 [%rd4], %r7;\n") PV(
        "kmul", "ld.global.u32 %r7, [%rd4]; mad.lo.u32 %r7, %r7, %r2, 1; st.global.u32 [%rd4], "
                "%r7;\n") ".visible .entry kmix(.param .u64 p, .param .u64 q, .param .u32 n, "
                          ".param .u32 v) {\n"
                          ".reg .u64 %rd<10>; .reg .u32 %r<16>; .reg .pred %p<4>;\n"
                          "ld.param.u64 %rd1, [p]; ld.param.u64 %rd5, [q]; ld.param.u32 %r1, [n]; "
                          "ld.param.u32 %r2, [v];\n"
                          "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; "
                          "mad.lo.u32 %r6, %r3, %r4, %r5;\n"
                          "setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"
                          "cvta.to.global.u64 %rd2, %rd1; cvta.to.global.u64 %rd6, %rd5; "
                          "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd7, "
                          "%rd6, %rd3;\n"
                          "ld.global.u32 %r7, [%rd4]; ld.global.u32 %r8, [%rd7]; mad.lo.u32 %r7, "
                          "%r8, %r2, %r7; st.global.u32 [%rd4], %r7;\nDONE: ret;\n}\n"
                          ".visible .entry knop() {\nret;\n}\n"
                          ".extern .shared .align 4 .b8 dsm[];\n"
                          ".visible .entry kshm(.param .u64 p, .param .u32 n, .param .u32 v) {\n"
                          ".reg .u64 %rd<8>; .reg .u32 %r<16>; .reg .pred %p<4>;\n"
                          "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"
                          "mov.u32 %r5, %tid.x; mov.u32 %r8, dsm; shl.b32 %r9, %r5, 2; add.u32 "
                          "%r9, %r8, %r9; add.u32 %r10, %r5, %r2; st.shared.u32 [%r9], %r10;\n"
                          "bar.sync 0;\n mov.u32 %r4, %ntid.x; sub.u32 %r11, %r4, %r5; sub.u32 "
                          "%r11, %r11, 1; shl.b32 %r11, %r11, 2; add.u32 %r11, %r8, %r11; "
                          "ld.shared.u32 %r12, [%r11];\n"
                          "setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;\n"
                          "cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, "
                          "%rd2, %rd3; st.global.u32 [%rd4], %r12;\nDONE: ret;\n}\n"
                          ".visible .entry kinc(.param .u64 p) {\n.reg .u64 %rd<4>; .reg .u32 "
                          "%r<4>;\nld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; "
                          "ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 1; st.global.u32 [%rd2], "
                          "%r1; ret;\n}\n";
const char *ptx_text2 = HEAD PV("other", "mov.u32 %r7, 77; st.global.u32 [%rd4], %r7;\n");
static const char *kname[K_N] = {"kset", "kadd", "kmul", "kmix", "knop", "kshm", "kinc"};

void sbf(struct sb *s, const char *fmt, ...)
{
    if (s->o + 1 >= s->n)
        return;
    va_list a;
    va_start(a, fmt);
    int k = vsnprintf(s->b + s->o, s->n - s->o, fmt, a);
    va_end(a);
    if (k > 0)
        s->o += (size_t)k < s->n - s->o ? (size_t)k : s->n - s->o - 1;
}
static char *ring(void)
{
    static char b[8][2600];
    static int i;
    i = (i + 1) & 7;
    b[i][0] = 0;
    return b[i];
}

void CUDA_CB hfn(void *u)
{
    hcount[(uintptr_t)u & 15]++;
}
void CUDA_CB hfn2(void *u)
{
    hcount[(uintptr_t)u & 15] += 100;
}
static void loadmod(void)
{
    if (P.cuModuleLoadData(&mod, ptx_text)) {
        mod = 0;
        note("setup-module-failed");
    }
    for (int i = 0; i < K_N; i++) {
        fn[i] = 0;
        if (mod)
            P.cuModuleGetFunction(&fn[i], mod, kname[i]);
    }
    if (P.cuLibraryLoadData(&lib, ptx_text, NULL, NULL, 0, NULL, NULL, 0)) {
        lib = 0;
        note("setup-library-failed");
    }
    for (int i = 0; i < K_N; i++) {
        kn[i] = 0;
        if (lib)
            P.cuLibraryGetKernel(&kn[i], lib, kname[i]);
    }
}
void gsetup_lite(void)
{
    ctx_primary();
    loadmod();
}
void gsetup(void)
{
    ctx_primary();
    loadmod();
    for (int i = 0; i < NB; i++) {
        B[i] = dalloc(NBY);
        if (!B[i])
            note("setup-alloc-failed");
        else
            P.cuMemsetD8(B[i], 0, NBY);
    }
    BM = managed(NBY);
    for (int i = 0; i < 4; i++) {
        H[i] = pin(NBY);
        if (H[i])
            memset(H[i], 0, NBY);
    }
    for (int i = 0; i < 6; i++)
        S[i] = mkstream(i < 3 ? 0 : CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 8; i++)
        P.cuEventCreate(&E[i], i < 4 ? CU_EVENT_DISABLE_TIMING : 0);
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = 64;
    d.Format = CU_AD_FORMAT_UNSIGNED_INT32;
    d.NumChannels = 1;
    P.cuArray3DCreate(&AR[0], &d);
    d.Height = 16;
    P.cuArray3DCreate(&AR[1], &d);
    P.cuArray3DCreate(&AR[2], &d);
    d.Depth = 4;
    P.cuArray3DCreate(&AR[3], &d);
    P.cuCtxSynchronize();
}
void second_ctx(void)
{
    ctx2 = ctx_new();
    if (!ctx2) {
        note("setup-ctx2-failed");
        return;
    }
    P.cuModuleLoadData(&mod2, ptx_text);
    for (int i = 0; i < K_N; i++) {
        fn2[i] = 0;
        if (mod2)
            P.cuModuleGetFunction(&fn2[i], mod2, kname[i]);
    }
    P.cuCtxSetCurrent(ctx);
}
void bzero_all(void)
{
    P.cuCtxSynchronize();
    for (int i = 0; i < NB; i++)
        P.cuMemsetD8(B[i], 0, NBY);
    for (int i = 0; i < 4; i++)
        if (H[i])
            memset(H[i], 0, NBY);
    P.cuCtxSynchronize();
}
void bset(int i, unsigned v)
{
    unsigned *w = malloc(NBY);
    for (unsigned k = 0; k < NW; k++)
        w[k] = v + k;
    P.cuMemcpyHtoD(B[i], w, NBY);
    P.cuCtxSynchronize();
    free(w);
}
const char *bw(int i)
{
    unsigned *w = calloc(1, NBY);
    CUresult r = P.cuMemcpyDtoH(w, B[i], NBY);
    const char *o = r ? en(r) : F("%u,%u,%u..%u/%08x", w[0], w[1], w[2], w[NW - 1], sum(w, NBY));
    free(w);
    return o;
}
const char *bsum(void)
{
    static unsigned char w[NB * NBY];
    memset(w, 0, sizeof w);
    CUresult r = 0;
    for (int i = 0; i < NB && !r; i++)
        r = P.cuMemcpyDtoH(w + (size_t)i * NBY, B[i], NBY);
    return r ? en(r) : F("%08x", sum(w, sizeof w));
}
unsigned w0(dp d)
{
    unsigned w = 0xdddddddd;
    P.cuMemcpyDtoH(&w, d, 4);
    return w;
}
const char *tn(int t)
{
    static const char *n[] = {"kernel",   "memcpy",  "memset",     "host",       "graph",
                              "empty",    "evwait",  "evrecord",   "semsignal",  "semwait",
                              "memalloc", "memfree", "batchmemop", "conditional"};
    return t >= 0 && t < 14 ? n[t] : F("type%d", t);
}
const char *stn(int s)
{
    return s == 0    ? "none"
           : s == 1  ? "active"
           : s == 2  ? "invalidated"
           : s == -1 ? "noanswer"
                     : F("status%d", s);
}
const char *urn(int r)
{
    static const char *n[] = {"success",      "error",           "topology",
                              "nodetype",     "function",        "parameters",
                              "notsupported", "unsupportedfunc", "attributes"};
    return r >= 0 && r < 9 ? n[r] : r == 77 ? "kept" : F("update%d", r);
}
const char *irn(int r)
{
    static const char *n[] = {"success",        "error",    "structure",
                              "opnotsupported", "multictx", "handleunused"};
    return r >= 0 && r < 6 ? n[r] : r == 77 ? "kept" : F("inst%d", r);
}
const char *pn(uint64_t p)
{
    if (!p)
        return "0";
    if (p == SENT)
        return "kept";
    for (int i = 0; i < NB; i++)
        if (B[i] && p >= B[i] && p < B[i] + NBY)
            return F("B%d+%u", i, (unsigned)(p - B[i]));
    if (BM && p >= BM && p < BM + NBY)
        return F("BM+%u", (unsigned)(p - BM));
    for (int i = 0; i < 4; i++)
        if (H[i] && p >= (uintptr_t)H[i] && p < (uintptr_t)H[i] + NBY)
            return F("H%d+%u", i, (unsigned)(p - (uintptr_t)H[i]));
    for (int i = 0; i < 4; i++)
        if (AR[i] && p == (uintptr_t)AR[i])
            return F("AR%d", i);
    for (int i = 0; i < 8; i++)
        if (E[i] && p == (uintptr_t)E[i])
            return F("E%d", i);
    for (int i = 0; i < K_N; i++)
        if (fn[i] && p == (uintptr_t)fn[i])
            return F("fn:%s", kname[i]);
    for (int i = 0; i < K_N; i++)
        if (kn[i] && p == (uintptr_t)kn[i])
            return F("kn:%s", kname[i]);
    for (int i = 0; i < K_N; i++)
        if (fn2[i] && p == (uintptr_t)fn2[i])
            return F("fn2:%s", kname[i]);
    if (ctx && p == (uintptr_t)ctx)
        return "ctx";
    if (ctx2 && p == (uintptr_t)ctx2)
        return "ctx2";
    return "other";
}
const char *hs_(const void *p)
{
    return !p ? "null" : (uintptr_t)p == SENT ? "kept" : "set";
}

/* ---- parameters ---- */
struct karg {
    dp p, q;
    unsigned n, v;
    void *pp[5];
};
static struct karg *ka(int k, dp p, dp q, unsigned n, unsigned v)
{
    static struct karg a[256];
    static int i;
    struct karg *x = &a[i = (i + 1) & 255];
    x->p = p;
    x->q = q;
    x->n = n;
    x->v = v;
    memset(x->pp, 0, sizeof x->pp);
    x->pp[0] = &x->p;
    if (k == K_MIX) {
        x->pp[1] = &x->q;
        x->pp[2] = &x->n;
        x->pp[3] = &x->v;
    } else {
        x->pp[1] = &x->n;
        x->pp[2] = &x->v;
    }
    return x;
}
CUDA_KERNEL_NODE_PARAMS kp(int k, dp p, dp q, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    struct karg *a = ka(k, p, q, n, v);
    x.func = fn[k];
    x.gridDimX = k == K_NOP || k == K_SHM || k == K_INC ? 1 : (n + 255) / 256;
    if (!x.gridDimX)
        x.gridDimX = 1;
    x.gridDimY = x.gridDimZ = 1;
    x.blockDimX = k == K_INC || k == K_NOP ? 1 : 256;
    x.blockDimY = x.blockDimZ = 1;
    x.sharedMemBytes = k == K_SHM ? 1024 : 0;
    x.kernelParams = k == K_NOP ? NULL : a->pp;
    return x;
}
CUDA_KERNEL_NODE_PARAMS_v1 kp1(int k, dp p, dp q, unsigned n, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS x = kp(k, p, q, n, v);
    CUDA_KERNEL_NODE_PARAMS_v1 y;
    memset(&y, 0, sizeof y);
    y.func = x.func;
    y.gridDimX = x.gridDimX;
    y.gridDimY = x.gridDimY;
    y.gridDimZ = x.gridDimZ;
    y.blockDimX = x.blockDimX;
    y.blockDimY = x.blockDimY;
    y.blockDimZ = x.blockDimZ;
    y.sharedMemBytes = x.sharedMemBytes;
    y.kernelParams = x.kernelParams;
    return y;
}
static CUDA_MEMCPY3D cbase(size_t n)
{
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = n;
    c.Height = 1;
    c.Depth = 1;
    c.srcPitch = c.dstPitch = n;
    c.srcHeight = c.dstHeight = 1;
    return c;
}
CUDA_MEMCPY3D cdd(dp dst, dp src, size_t n)
{
    CUDA_MEMCPY3D c = cbase(n);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = src;
    c.dstDevice = dst;
    return c;
}
CUDA_MEMCPY3D chd(dp dst, const void *src, size_t n)
{
    CUDA_MEMCPY3D c = cbase(n);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = src;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = dst;
    return c;
}
CUDA_MEMCPY3D cdh(void *dst, dp src, size_t n)
{
    CUDA_MEMCPY3D c = cbase(n);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = src;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = dst;
    return c;
}
CUDA_MEMCPY3D chh(void *dst, const void *src, size_t n)
{
    CUDA_MEMCPY3D c = cbase(n);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = src;
    c.dstHost = dst;
    return c;
}
CUDA_MEMSET_NODE_PARAMS ms(dp d, unsigned v, unsigned es, size_t w, size_t h, size_t pitch)
{
    CUDA_MEMSET_NODE_PARAMS m;
    memset(&m, 0, sizeof m);
    m.dst = d;
    m.value = v;
    m.elementSize = es;
    m.width = w;
    m.height = h;
    m.pitch = pitch;
    return m;
}
/* ---- builders: NULL where the driver refuses ---- */
CUgraph mk(void)
{
    CUgraph g = 0;
    if (P.cuGraphCreate(&g, 0))
        g = 0;
    return g;
}
#define OKN(call)                                                                                  \
    CUgraphNode n = 0;                                                                             \
    return (call) ? NULL : n
CUgraphNode addk(CUgraph g, const CUgraphNode *d, size_t nd, int k, dp p, unsigned c, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS x = kp(k, p, 0, c, v);
    OKN(P.cuGraphAddKernelNode(&n, g, d, nd, &x));
}
CUgraphNode addmix(CUgraph g, const CUgraphNode *d, size_t nd, dp p, dp q, unsigned c, unsigned v)
{
    CUDA_KERNEL_NODE_PARAMS x = kp(K_MIX, p, q, c, v);
    OKN(P.cuGraphAddKernelNode(&n, g, d, nd, &x));
}
CUgraphNode adds(CUgraph g, const CUgraphNode *d, size_t nd, dp p, unsigned v, unsigned es,
                 size_t w)
{
    CUDA_MEMSET_NODE_PARAMS x = ms(p, v, es, w, 1, 0);
    OKN(P.cuGraphAddMemsetNode(&n, g, d, nd, &x, ctx));
}
CUgraphNode addc(CUgraph g, const CUgraphNode *d, size_t nd, dp dst, dp src, size_t c)
{
    CUDA_MEMCPY3D x = cdd(dst, src, c);
    OKN(P.cuGraphAddMemcpyNode(&n, g, d, nd, &x, ctx));
}
CUgraphNode addh(CUgraph g, const CUgraphNode *d, size_t nd, int u)
{
    CUDA_HOST_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    x.fn = hfn;
    x.userData = (void *)(uintptr_t)u;
    OKN(P.cuGraphAddHostNode(&n, g, d, nd, &x));
}
CUgraphNode adde(CUgraph g, const CUgraphNode *d, size_t nd)
{
    OKN(P.cuGraphAddEmptyNode(&n, g, d, nd));
}
CUgraphNode addg(CUgraph g, const CUgraphNode *d, size_t nd, CUgraph c)
{
    OKN(P.cuGraphAddChildGraphNode(&n, g, d, nd, c));
}
CUgraphNode addr(CUgraph g, const CUgraphNode *d, size_t nd, CUevent e)
{
    OKN(P.cuGraphAddEventRecordNode(&n, g, d, nd, e));
}
CUgraphNode addw(CUgraph g, const CUgraphNode *d, size_t nd, CUevent e)
{
    OKN(P.cuGraphAddEventWaitNode(&n, g, d, nd, e));
}
static CUDA_MEM_ALLOC_NODE_PARAMS map_(size_t c)
{
    CUDA_MEM_ALLOC_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    x.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    x.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    x.poolProps.location.id = dev;
    x.bytesize = c;
    return x;
}
CUgraphNode adda(CUgraph g, const CUgraphNode *d, size_t nd, size_t c, dp *out)
{
    CUDA_MEM_ALLOC_NODE_PARAMS x = map_(c);
    CUgraphNode n = 0;
    CUresult r = P.cuGraphAddMemAllocNode(&n, g, d, nd, &x);
    if (out)
        *out = r ? 0 : x.dptr;
    return r ? NULL : n;
}
CUgraphNode addf(CUgraph g, const CUgraphNode *d, size_t nd, dp p)
{
    OKN(P.cuGraphAddMemFreeNode(&n, g, d, nd, p));
}
CUgraphNode addb(CUgraph g, const CUgraphNode *d, size_t nd, dp a, unsigned v)
{
    CUstreamBatchMemOpParams o[1];
    memset(o, 0, sizeof o);
    o[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    o[0].writeValue.address = a;
    o[0].writeValue.value = v;
    CUDA_BATCH_MEM_OP_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    x.ctx = ctx;
    x.count = 1;
    x.paramArray = o;
    OKN(P.cuGraphAddBatchMemOpNode(&n, g, d, nd, &x));
}
CUgraphNode addcond(CUgraph g, const CUgraphNode *d, size_t nd, int type, unsigned size,
                    unsigned def, CUgraph *bodies)
{
    CUgraphConditionalHandle h = 0;
    if (P.cuGraphConditionalHandleCreate(&h, g, ctx, def, CU_GRAPH_COND_ASSIGN_DEFAULT))
        return NULL;
    CUgraphNodeParams x;
    memset(&x, 0, sizeof x);
    x.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    x.conditional.handle = h;
    x.conditional.type = type;
    x.conditional.size = size;
    x.conditional.ctx = ctx;
    CUgraphNode n = 0;
    if (P.cuGraphAddNode(&n, g, d, NULL, nd, &x))
        return NULL;
    if (bodies)
        for (unsigned i = 0; i < size; i++)
            bodies[i] = x.conditional.phGraph_out ? x.conditional.phGraph_out[i] : NULL;
    return n;
}
CUgraphNode addt(int t, CUgraph g, const CUgraphNode *d, size_t nd)
{
    switch (t) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return addk(g, d, nd, K_ADD, B[0], 64, 3);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return addc(g, d, nd, B[1], B[0], 256);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return adds(g, d, nd, B[2], 7, 4, 64);
    case CU_GRAPH_NODE_TYPE_HOST:
        return addh(g, d, nd, 1);
    case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph c = mk();
        adde(c, NULL, 0);
        CUgraphNode n = addg(g, d, nd, c);
        P.cuGraphDestroy(c);
        return n;
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return adde(g, d, nd);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return addw(g, d, nd, E[0]);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return addr(g, d, nd, E[1]);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return adda(g, d, nd, 4096, NULL);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: {
        dp p = 0;
        CUgraphNode a = adda(g, d, nd, 4096, &p);
        return a ? addf(g, &a, 1, p) : NULL;
    }
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return addb(g, d, nd, B[3], 5);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return addcond(g, d, nd, CU_GRAPH_COND_TYPE_IF, 1, 0, NULL);
    default:
        return NULL;
    }
}
/* ---- texts ---- */
const char *order(const CUgraphNode *got, size_t n, const CUgraphNode *mine, size_t m)
{
    char *o = ring();
    struct sb s = {o, 2600, 0};
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < m && mine[k] != got[i])
            k++;
        if (k < m)
            sbf(&s, "%s%zu", i ? "," : "", k);
        else
            sbf(&s, "%s%s", i ? "," : "", !got[i] ? "null" : got[i] == NSENT ? "kept" : "x");
    }
    return o;
}
struct edge {
    unsigned a, b;
    CUgraphEdgeData e;
};
static int ecmp(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return a->a != b->a   ? (int)a->a - (int)b->a
           : a->b != b->b ? (int)a->b - (int)b->b
                          : memcmp(&a->e, &b->e, sizeof a->e);
}
#define MAXN 4096
static void npar_(struct sb *s, CUgraphNode n);
static void shape_(struct sb *s, CUgraph g, int par, int depth)
{
    size_t n = 0;
    if (!g) {
        sbf(s, "nograph");
        return;
    }
    CUresult r = P.cuGraphGetNodes(g, NULL, &n);
    if (r) {
        sbf(s, "nodes:%s", en(r));
        return;
    }
    if (n > MAXN) {
        sbf(s, "n=%zu(many)", n);
        return;
    }
    CUgraphNode *v = calloc(n + 1, sizeof *v);
    size_t c = n;
    if (n && (r = P.cuGraphGetNodes(g, v, &c))) {
        sbf(s, "nodes2:%s", en(r));
        free(v);
        return;
    }
    if (c < n)
        n = c;
    size_t ne = 0;
    r = P.cuGraphGetEdges(g, NULL, NULL, NULL, &ne);
    if (r) {
        sbf(s, "n=%zu edges:%s", n, en(r));
        free(v);
        return;
    }
    if (ne > 4 * MAXN) {
        sbf(s, "n=%zu e=%zu(many)", n, ne);
        free(v);
        return;
    }
    CUgraphNode *f = calloc(ne + 1, sizeof *f), *t = calloc(ne + 1, sizeof *t);
    CUgraphEdgeData *ed = calloc(ne + 1, sizeof *ed);
    struct edge *q = calloc(ne + 1, sizeof *q);
    if (ne) {
        c = ne;
        r = P.cuGraphGetEdges(g, f, t, ed, &c);
        if (c < ne)
            ne = c;
    }
    unsigned th = 2166136261u;
    sbf(s, "n=%zu", n);
    if (n && n <= 40)
        sbf(s, "[");
    for (size_t i = 0; i < n; i++) {
        CUgraphNodeType ty = 99;
        P.cuGraphNodeGetType(v[i], &ty);
        th = (th ^ (unsigned)ty) * 16777619u;
        if (n <= 40)
            sbf(s, "%s%s", i ? " " : "", tn(ty));
        if (n <= 40 && par) {
            sbf(s, "(");
            npar_(s, v[i]);
            sbf(s, ")");
        };
        if (n <= 40 && ty == CU_GRAPH_NODE_TYPE_GRAPH && depth < 3) {
            CUgraph cg = 0;
            if (!P.cuGraphChildGraphNodeGetGraph(v[i], &cg) && cg) {
                sbf(s, "{");
                shape_(s, cg, par, depth + 1);
                sbf(s, "}");
            }
        }
    }
    if (n && n <= 40)
        sbf(s, "]");
    else if (n)
        sbf(s, " types=%08x", th);
    for (size_t i = 0; i < ne; i++) {
        unsigned a = 0, b = 0;
        while (a < n && v[a] != f[i])
            a++;
        while (b < n && v[b] != t[i])
            b++;
        q[i].a = a;
        q[i].b = b;
        q[i].e = ed[i];
    }
    qsort(q, ne, sizeof *q, ecmp);
    sbf(s, " e=%zu", ne);
    unsigned eh = 2166136261u;
    if (r)
        sbf(s, ":%s", en(r));
    if (ne && ne <= 80)
        sbf(s, "[");
    for (size_t i = 0; i < ne; i++) {
        eh = (eh ^ q[i].a) * 16777619u;
        eh = (eh ^ q[i].b) * 16777619u;
        if (ne <= 80) {
            sbf(s, "%s%u>%u", i ? " " : "", q[i].a, q[i].b);
            if (q[i].e.from_port || q[i].e.to_port || q[i].e.type)
                sbf(s, ":%u/%u/%u", q[i].e.from_port, q[i].e.to_port, q[i].e.type);
        }
    }
    if (ne && ne <= 80)
        sbf(s, "]");
    else if (ne)
        sbf(s, " edges=%08x", eh);
    free(v);
    free(f);
    free(t);
    free(ed);
    free(q);
    return;
}
const char *shape(CUgraph g)
{
    char *o = ring();
    struct sb s = {o, 2600, 0};
    shape_(&s, g, 0, 0);
    return o;
}
const char *shaped(CUgraph g)
{
    char *o = ring();
    struct sb s = {o, 2600, 0};
    shape_(&s, g, 1, 0);
    return o;
}
static const char *mt(int t)
{
    return t == 1 ? "H" : t == 2 ? "D" : t == 3 ? "A" : t == 4 ? "U" : F("mt%d", t);
}
static void npar_(struct sb *s, CUgraphNode n)
{
    CUgraphNodeType ty = 99;
    CUresult r = P.cuGraphNodeGetType(n, &ty);
    if (r) {
        sbf(s, "%s", en(r));
        return;
    }
    switch (ty) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphKernelNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "func=%s kern=%s ctx=%s grid=%u,%u,%u block=%u,%u,%u shm=%u extra=%d",
            pn((uintptr_t)x.func), pn((uintptr_t)x.kern), pn((uintptr_t)x.ctx), x.gridDimX,
            x.gridDimY, x.gridDimZ, x.blockDimX, x.blockDimY, x.blockDimZ, x.sharedMemBytes,
            x.extra != NULL);
        int k = -1;
        for (int i = 0; i < K_N; i++)
            if ((fn[i] && x.func == fn[i]) || (kn[i] && x.kern == kn[i]) ||
                (fn2[i] && x.func == fn2[i]))
                k = i;
        if (!x.kernelParams)
            sbf(s, " params=null");
        else if (k >= 0 && k != K_NOP) {
            dp a = 0;
            memcpy(&a, x.kernelParams[0], 8);
            sbf(s, " a0=%s", pn(a));
            int j = 1;
            unsigned u = 0;
            if (k == K_MIX) {
                memcpy(&a, x.kernelParams[j++], 8);
                sbf(s, " a1=%s", pn(a));
            }
            if (k != K_INC) {
                memcpy(&u, x.kernelParams[j++], 4);
                sbf(s, " n=%u", u);
                memcpy(&u, x.kernelParams[j++], 4);
                sbf(s, " v=%u", u);
            }
        } else
            sbf(s, " params=set");
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
        CUDA_MEMCPY3D x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphMemcpyNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "%s>%s w=%zu h=%zu d=%zu", mt(x.srcMemoryType), mt(x.dstMemoryType), x.WidthInBytes,
            x.Height, x.Depth);
        sbf(s, " src=%s/%s/%s +%zu,%zu,%zu p=%zu,%zu lod=%zu", pn((uintptr_t)x.srcHost),
            pn(x.srcDevice), pn((uintptr_t)x.srcArray), x.srcXInBytes, x.srcY, x.srcZ, x.srcPitch,
            x.srcHeight, x.srcLOD);
        sbf(s, " dst=%s/%s/%s +%zu,%zu,%zu p=%zu,%zu lod=%zu", pn((uintptr_t)x.dstHost),
            pn(x.dstDevice), pn((uintptr_t)x.dstArray), x.dstXInBytes, x.dstY, x.dstZ, x.dstPitch,
            x.dstHeight, x.dstLOD);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphMemsetNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "dst=%s pitch=%zu value=%u es=%u w=%zu h=%zu", pn(x.dst), x.pitch, x.value,
            x.elementSize, x.width, x.height);
        break;
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        CUDA_HOST_NODE_PARAMS x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphHostNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "fn=%s user=%s",
            x.fn == hfn    ? "hfn"
            : x.fn == hfn2 ? "hfn2"
            : x.fn         ? "other"
                           : "null",
            (uintptr_t)x.userData < 16 ? F("%u", (unsigned)(uintptr_t)x.userData) : "other");
        break;
    }
    case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph c = 0;
        r = P.cuGraphChildGraphNodeGetGraph(n, &c);
        sbf(s, "%s", r ? en(r) : hs_(c));
        break;
    }
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: {
        CUevent e = 0;
        r = P.cuGraphEventWaitNodeGetEvent(n, &e);
        sbf(s, "%s", r ? en(r) : pn((uintptr_t)e));
        break;
    }
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: {
        CUevent e = 0;
        r = P.cuGraphEventRecordNodeGetEvent(n, &e);
        sbf(s, "%s", r ? en(r) : pn((uintptr_t)e));
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        CUDA_MEM_ALLOC_NODE_PARAMS x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphMemAllocNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "size=%zu dptr=%s type=%d loc=%d/%d ht=%d max=%zu usage=%u acc=%zu/%d", x.bytesize,
            x.dptr ? "set" : "0", x.poolProps.allocType, x.poolProps.location.type,
            x.poolProps.location.id, x.poolProps.handleTypes, x.poolProps.maxSize,
            x.poolProps.usage, x.accessDescCount, x.accessDescs != NULL);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE: {
        dp p = 0;
        r = P.cuGraphMemFreeNodeGetParams(n, &p);
        sbf(s, "%s", r ? en(r) : p ? "set" : "0");
        break;
    }
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
        CUDA_BATCH_MEM_OP_NODE_PARAMS x;
        memset(&x, 0, sizeof x);
        r = P.cuGraphBatchMemOpNodeGetParams(n, &x);
        if (r) {
            sbf(s, "%s", en(r));
            break;
        }
        sbf(s, "ctx=%s count=%u flags=%u", pn((uintptr_t)x.ctx), x.count, x.flags);
        for (unsigned i = 0; i < x.count && i < 8 && x.paramArray; i++) {
            int op = x.paramArray[i].operation;
            sbf(s, " op%d", op);
            if (op == 1 || op == 2)
                sbf(s, ":%s=%u/%u", pn(x.paramArray[i].writeValue.address),
                    x.paramArray[i].writeValue.value, x.paramArray[i].writeValue.flags);
            if (op == 4 || op == 5)
                sbf(s, ":%s=%llu/%u", pn(x.paramArray[i].writeValue.address),
                    (unsigned long long)x.paramArray[i].writeValue.value64,
                    x.paramArray[i].writeValue.flags);
        }
        break;
    }
    default:
        sbf(s, "-");
    }
}
const char *npar(CUgraphNode n)
{
    char *o = ring();
    struct sb s = {o, 2600, 0};
    npar_(&s, n);
    return o;
}
/* ---- running ---- */
CUgraphExec inst(CUgraph g, unsigned long long fl)
{
    CUgraphExec x = 0;
    return P.cuGraphInstantiate(&x, g, fl) ? NULL : x;
}
const char *runx(CUgraphExec x, CUstream s)
{
    if (!x)
        return "noexec";
    CUresult r = P.cuGraphLaunch(x, s);
    const char *y = SY(s);
    return r ? F("launch:%s", en(r)) : y;
}
const char *rung(CUgraph g)
{
    CUgraphExec x = 0;
    CUresult r = P.cuGraphInstantiate(&x, g, 0);
    if (r)
        return F("inst:%s", en(r));
    const char *o = runx(x, S[0]);
    P.cuGraphExecDestroy(x);
    return o;
}
unsigned rnd(uint64_t *s, unsigned n)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return n ? (unsigned)((*s >> 33) % n) : 0;
}
const char *capend(CUstream s, CUgraph *g)
{
    *g = 0;
    CUresult r = P.cuStreamEndCapture(s, g);
    if (r && *g)
        return F("%s(graph set)", en(r));
    return en(r);
}
int cstat(CUstream s)
{
    CUstreamCaptureStatus c = 77;
    CUresult r = P.cuStreamIsCapturing(s, &c);
    return r ? -1 : (int)c;
}
struct thr {
    thunk f;
    void *u;
    CUresult r;
    CUcontext c;
};
static void *tmain(void *p)
{
    struct thr *t = p;
    P.cuCtxSetCurrent(t->c);
    t->r = t->f(t->u);
    return NULL;
}
CUresult in_thread(thunk f, void *u)
{
    struct thr t = {f, u, R_SKIP, ctx};
    CUcontext c = 0;
    if (!P.cuCtxGetCurrent(&c) && c)
        t.c = c;
    pthread_t id;
    if (pthread_create(&id, NULL, tmain, &t))
        return R_SKIP;
    pthread_join(id, NULL);
    return t.r;
}
