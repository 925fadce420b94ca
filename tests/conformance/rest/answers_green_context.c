/* SPDX-License-Identifier: MIT */
/* Green contexts: creation, the context they convert to, memory and launches. */
#include "green.h"

GROUP(206, green_create, "green-create")
{
    use_device();
    CUgreenCtx g = 0, g2 = 0;
    CUcontext c = 0, c2 = 0, cur = 0, prim = 0;
    CUdevResourceDesc d = 0;
    unsigned long long id = 0, id2 = 0;
    CUdevResource q;
    const char *o;
    record_primary("primary-0");
    resource_split(2, 32, 0);
    CHECK("desc", cuda.cuDevResourceGenerateDesc(&d, split_groups, 1));
    record_primary("primary-after-desc");
    static const unsigned flv[] = {0, 2, 3, 4, 8, 0x10, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(flv); i++) {
        g = UNTOUCHED_HANDLE;
        CHECK_THEN(format("flags%x", flv[i]), cuda.cuGreenCtxCreate(&g, d, device, flv[i]),
                   if (!result) cuda.cuGreenCtxDestroy(g), "h=%s", handle_state(g));
    }
    CHECK("null-out", cuda.cuGreenCtxCreate(NULL, d, device, 1));
    g = UNTOUCHED_HANDLE;
    CHECK("desc-null", cuda.cuGreenCtxCreate(&g, NULL, device, 1), "h=%s", handle_state(g));
    static const int dv[] = {-1, 1, 99};
    for (int i = 0; i < 3; i++) {
        g = UNTOUCHED_HANDLE;
        CHECK(format("dev%d", dv[i]), cuda.cuGreenCtxCreate(&g, d, dv[i], 1), "h=%s",
              handle_state(g));
    }
    CHECK("desc-null-flags0", cuda.cuGreenCtxCreate(&g, NULL, device, 0));
    CHECK("dev-bad-flags0", cuda.cuGreenCtxCreate(&g, d, 99, 0));
    record_primary("primary-after-failures");
    g = UNTOUCHED_HANDLE;
    CHECK("create", cuda.cuGreenCtxCreate(&g, d, device, 1), "h=%s", handle_state(g));
    NOTE_WITHOUT_GREEN(g);
    record_primary("primary-after-create");
    cur = UNTOUCHED_HANDLE;
    CHECK("current-after-create", cuda.cuCtxGetCurrent(&cur), "null=%d", !cur);
    g2 = UNTOUCHED_HANDLE;
    CHECK("create-same-desc-again", cuda.cuGreenCtxCreate(&g2, d, device, 1), "h=%s other=%d",
          handle_state(g2), g2 != g);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("resource", cuda.cuGreenCtxGetDevResource(g, &q, 1), o = resource_text(&q);
               int s_ = !memcmp(&q, split_groups, sizeof q), "%s same-as-given=%d", o, s_);
    static const int ty[] = {0, 2, 3, 1000, -1};
    for (size_t i = 0; i < COUNT_OF(ty); i++) {
        memset(&q, 0xa5, sizeof q);
        CHECK_THEN(format("resource-type%d", ty[i]), cuda.cuGreenCtxGetDevResource(g, &q, ty[i]),
                   o = resource_text(&q), "%s", o);
    }
    CHECK("resource-null-out", cuda.cuGreenCtxGetDevResource(g, NULL, 1));
    CHECK("id", cuda.cuGreenCtxGetId(g, &id), "set=%d", id != 0);
    CHECK("id2", cuda.cuGreenCtxGetId(g2, &id2), "other=%d", id2 != id);
    CHECK("id-null-out", cuda.cuGreenCtxGetId(g, NULL));
    CHECK("id-null-ctx", cuda.cuGreenCtxGetId(NULL, &id));
    CHECK("convert-null-out", cuda.cuCtxFromGreenCtx(NULL, g));
    c = UNTOUCHED_HANDLE;
    CHECK("convert-null", cuda.cuCtxFromGreenCtx(&c, NULL), "c=%s", handle_state(c));
    CHECK("convert", cuda.cuCtxFromGreenCtx(&c, g), "c=%s handle-same=%d", handle_state(c),
          (void *)c == (void *)g);
    CHECK("convert-again", cuda.cuCtxFromGreenCtx(&c2, g), "same=%d", c == c2);
    CHECK("convert-other", cuda.cuCtxFromGreenCtx(&c2, g2), "same=%d", c == c2);
    CHECK("retain-primary", cuda.cuDevicePrimaryCtxRetain(&prim, device), "same-as-green=%d",
          prim == c);
    CHECK("destroy-other", cuda.cuGreenCtxDestroy(g2));
    record_primary("primary-after-destroy-other");
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
    record_primary("primary-after-destroy-all");
    CHECK("release-primary", cuda.cuDevicePrimaryCtxRelease(device));
    record_primary("primary-after-release");
    CHECK("destroy-null", cuda.cuGreenCtxDestroy(NULL));
    CHECK("release-primary-again", cuda.cuDevicePrimaryCtxRelease(device));
}

GROUP(207, green_ctx, "green-ctx")
{
    use_primary_context();
    CUgreenCtx g = green_new(32), g2 = 0;
    NOTE_WITHOUT_GREEN(g);
    CUcontext c = green_converted(g), cur, x;
    unsigned v;
    int i = 9;
    unsigned long long a, b;
    size_t z;
    CUdevResource q, d = device_resource();
    const char *o;
    int lo = 99, hi = 99;
    CHECK("set-current", cuda.cuCtxSetCurrent(c));
    cur = 0;
    CHECK("get-current", cuda.cuCtxGetCurrent(&cur), "converted=%d primary=%d green-handle=%d",
          cur == c, cur == context, (void *)cur == (void *)g);
    CHECK("get-device", cuda.cuCtxGetDevice(&i), "%d", i);
    v = 99;
    CHECK("flags", cuda.cuCtxGetFlags(&v), "0x%x", v);
    CHECK("set-flags", cuda.cuCtxSetFlags(1));
    v = 99;
    CHECK("apiversion", cuda.cuCtxGetApiVersion(c, &v), "%u", v);
    v = 99;
    CHECK("apiversion-null", cuda.cuCtxGetApiVersion(NULL, &v), "%u", v);
    v = 99;
    CHECK("apiversion-green-handle", cuda.cuCtxGetApiVersion((CUcontext)g, &v), "%u", v);
    a = b = 0;
    CHECK("id-of-converted", cuda.cuCtxGetId(c, &a), "set=%d", a != 0);
    CHECK("id-of-primary", cuda.cuCtxGetId(context, &b), "same-as-converted=%d", a == b);
    CHECK("id-of-current", cuda.cuCtxGetId(NULL, &b), "same-as-converted=%d", a == b);
    CHECK("green-id", cuda.cuGreenCtxGetId(g, &b), "same-as-ctx-id=%d diff=%lld", a == b,
          (long long)(b - a));
    CHECK("green-id-of-current", cuda.cuGreenCtxGetId(NULL, &a), "same=%d", a == b);
    cuda.cuCtxSetCurrent(context);
    CHECK("green-id-of-current-primary", cuda.cuGreenCtxGetId(NULL, &a));
    cuda.cuCtxSetCurrent(c);
    for (int l = 0; l < 11; l++) {
        z = 12345;
        CHECK(format("limit%d", l), cuda.cuCtxGetLimit(&z, l), "set=%d", z != 12345);
    }
    CHECK("set-limit-stack", cuda.cuCtxSetLimit(0, 4096));
    z = 0;
    cuda.cuCtxGetLimit(&z, 0);
    cuda.cuCtxSetCurrent(context);
    size_t y = 0;
    cuda.cuCtxGetLimit(&y, 0);
    RECORD("set-limit-stack-read", "green=%zu primary=%zu", z, y);
    cuda.cuCtxSetCurrent(c);
    CUfunc_cache fc = 9;
    CHECK("cacheconfig", cuda.cuCtxGetCacheConfig(&fc), "%d", fc);
    CHECK("set-cacheconfig", cuda.cuCtxSetCacheConfig(1));
    CHECK("prio-range", cuda.cuCtxGetStreamPriorityRange(&lo, &hi), "%d %d", lo, hi);
    CHECK("reset-l2", cuda.cuCtxResetPersistingL2Cache());
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("sms-attribute",
          cuda.cuDeviceGetAttribute(&i, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
          "as-device=%d", (unsigned)i == d.sm.smCount);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource", cuda.cuCtxGetDevResource(c, &q, 1), o = resource_text(&q);
               int s_ = !memcmp(&q, split_groups, sizeof q), "%s same-as-given=%d", o, s_);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-null", cuda.cuCtxGetDevResource(NULL, &q, 1), o = resource_text(&q),
               "%s", o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-primary", cuda.cuCtxGetDevResource(context, &q, 1),
               o = resource_text(&q), "%s", o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-of-green-handle", cuda.cuCtxGetDevResource((CUcontext)g, &q, 1),
               o = resource_text(&q), "%s", o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("green-resource-of-converted-handle",
               cuda.cuGreenCtxGetDevResource((CUgreenCtx)c, &q, 1), o = resource_text(&q), "%s", o);
    unsigned nb = 200;
    CUdevResource r3;
    cuda.cuGreenCtxGetDevResource(g, &q, 1);
    memset(&r3, 0xa5, sizeof r3);
    CHECK_THEN("split-its-resource",
               cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &q, &r3, 0, 8),
               o = resource_text(split_groups), "nb=%u first=%s rem=%s", nb, o, resource_text(&r3));
    nb = 200;
    memset(&r3, 0xa5, sizeof r3);
    CHECK_THEN("split-its-resource-16",
               cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &q, &r3, 0, 16),
               o = resource_text(split_groups), "nb=%u first=%s rem=%s", nb, o, resource_text(&r3));
    g2 = nb && nb < 200 ? green_of_resources(split_groups, 1) : 0;
    RECORD("green-in-green", "made=%d", g2 != 0);
    if (g2) {
        memset(&q, 0xa5, sizeof q);
        cuda.cuGreenCtxGetDevResource(g2, &q, 1);
        RECORD("green-in-green-resource", "%s", resource_text(&q));
        CHECK("green-in-green-destroy", cuda.cuGreenCtxDestroy(g2));
    }
    CHECK("push-primary", cuda.cuCtxPushCurrent(context));
    CHECK("push-green", cuda.cuCtxPushCurrent(c));
    CHECK("push-green-twice", cuda.cuCtxPushCurrent(c));
    x = 0;
    CHECK("pop", cuda.cuCtxPopCurrent(&x), "green=%d", x == c);
    CHECK("pop2", cuda.cuCtxPopCurrent(&x), "green=%d", x == c);
    CHECK("pop3", cuda.cuCtxPopCurrent(&x), "primary=%d", x == context);
    cur = 0;
    cuda.cuCtxGetCurrent(&cur);
    RECORD("after-pops", "green=%d", cur == c);
    CHECK("set-current-green-handle", cuda.cuCtxSetCurrent((CUcontext)g));
    cuda.cuCtxSetCurrent(c);
    CUexecAffinityParam ap = {.param = {.smCount = {999}}};
    CHECK("exec-affinity", cuda.cuCtxGetExecAffinity(&ap, 0), "sm=%u", ap.param.smCount.val);
    CUevent e = event_new(0);
    CHECK("ctx-record-event", cuda.cuCtxRecordEvent(c, e));
    CHECK("ctx-wait-event", cuda.cuCtxWaitEvent(c, e));
    CHECK("ctx-record-event-primary", cuda.cuCtxRecordEvent(context, e));
    CHECK("ctx-wait-event-primary", cuda.cuCtxWaitEvent(context, e));
    CHECK("peer-self", cuda.cuCtxEnablePeerAccess(context, 0));
    CHECK("ctx-destroy-converted", cuda.cuCtxDestroy(c));
    cur = 0;
    CHECK("current-after-ctx-destroy", cuda.cuCtxGetCurrent(&cur), "green=%d null=%d", cur == c,
          !cur);
    CUdeviceptr m = 0;
    CHECK("alloc-after-ctx-destroy", cuda.cuMemAlloc(&m, 64));
    CHECK("green-destroy", cuda.cuGreenCtxDestroy(g));
}

GROUP(208, green_memory, "green-memory")
{
    use_primary_context();
    CUgreenCtx g = green_new(32);
    NOTE_WITHOUT_GREEN(g);
    CUcontext c = green_converted(g), pc;
    CUdeviceptr a = device_alloc(4096), b = 0, m = 0, as = 0;
    unsigned char h[4096];
    void *ph = 0;
    CUmemoryPool pool;
    CUstream s = 0, sp = stream_new(1);
    size_t f, t, f2, t2;
    device_fill(a, 4096, 3);
    cuda.cuCtxSetCurrent(c);
    CHECK("alloc", cuda.cuMemAlloc(&b, 4096));
    pc = 0;
    CHECK("alloc-context", cuda.cuPointerGetAttribute(&pc, CU_POINTER_ATTRIBUTE_CONTEXT, b),
          "converted=%d primary=%d null=%d", pc == c, pc == context, !pc);
    pc = 0;
    CHECK("primary-alloc-context", cuda.cuPointerGetAttribute(&pc, CU_POINTER_ATTRIBUTE_CONTEXT, a),
          "converted=%d primary=%d null=%d", pc == c, pc == context, !pc);
    CHECK("read-primary-memory", cuda.cuMemcpyDtoH(h, a, 4096), "%s", pattern_check(h, 4096, 3));
    CHECK("copy-primary-to-green", cuda.cuMemcpyDtoD(b, a, 4096));
    CHECK("copy-back", cuda.cuMemcpyDtoH(h, b, 4096), "%s", pattern_check(h, 4096, 3));
    CHECK("memset", cuda.cuMemsetD8(b, 7, 4096));
    CHECK("read", cuda.cuMemcpyDtoH(h, b, 4096), "%s", equal_bytes(h, 4096));
    CHECK("meminfo", cuda.cuMemGetInfo(&f, &t));
    cuda.cuCtxSetCurrent(context);
    cuda.cuMemGetInfo(&f2, &t2);
    cuda.cuCtxSetCurrent(c);
    RECORD("meminfo-same-total", "%d", t == t2);
    CHECK("managed", cuda.cuMemAllocManaged(&m, 4096, 1));
    CHECK("hostalloc", cuda.cuMemHostAlloc(&ph, 4096, 0));
    CUdeviceptr hd = 0;
    CHECK("hostalloc-devptr", cuda.cuMemHostGetDevicePointer(&hd, ph, 0), "same=%d",
          hd == (CUdeviceptr)(uintptr_t)ph);
    pc = 0;
    CHECK("hostalloc-context",
          cuda.cuPointerGetAttribute(&pc, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)(uintptr_t)ph),
          "converted=%d primary=%d null=%d", pc == c, pc == context, !pc);
    CHECK("pool", cuda.cuDeviceGetDefaultMemPool(&pool, device));
    CHECK("alloc-async-null-stream", cuda.cuMemAllocAsync(&as, 4096, 0));
    CHECK("memset-async-null-stream", cuda.cuMemsetD8Async(as, 9, 4096, 0));
    CHECK("sync-null-stream", cuda.cuStreamSynchronize(0));
    CHECK("read-async", cuda.cuMemcpyDtoH(h, as, 4096), "%s", equal_bytes(h, 4096));
    CHECK("free-async", cuda.cuMemFreeAsync(as, 0));
    CHECK("gstream", cuda.cuGreenCtxStreamCreate(&s, g, 1, 0));
    CHECK("alloc-async-gstream", cuda.cuMemAllocAsync(&as, 4096, s));
    CHECK("free-async-gstream", cuda.cuMemFreeAsync(as, s));
    CHECK("sync-gstream", cuda.cuStreamSynchronize(s));
    CUarray ar = 0;
    CUDA_ARRAY_DESCRIPTOR ad = {64, 64, 1, 1};
    CHECK("array", cuda.cuArrayCreate(&ar, &ad));
    CHECK("array-destroy", cuda.cuArrayDestroy(ar));
    CHECK("primary-stream-in-green", cuda.cuMemcpyHtoDAsync(b, h, 64, sp));
    CHECK("primary-stream-in-green-sync", cuda.cuStreamSynchronize(sp));
    cuda.cuCtxSetCurrent(context);
    CHECK("green-stream-in-primary", cuda.cuMemcpyHtoDAsync(b, h, 64, s));
    CHECK("green-stream-in-primary-sync", cuda.cuStreamSynchronize(s));
    CHECK("free-in-primary", cuda.cuMemFree(b));
    cuda.cuCtxSetCurrent(c);
    CHECK("free-primary-in-green", cuda.cuMemFree(a));
    b = 0;
    cuda.cuMemAlloc(&b, 4096);
    cuda.cuMemsetD8(b, 5, 4096);
    cuda.cuCtxSynchronize();
    cuda.cuStreamDestroy(s);
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
    cuda.cuCtxSetCurrent(context);
    memset(h, 0, 4096);
    CHECK("memory-after-destroy", cuda.cuMemcpyDtoH(h, b, 4096), "%s", equal_bytes(h, 4096));
    CHECK("free-after-destroy", cuda.cuMemFree(b));
    CHECK("hostfree-after-destroy", cuda.cuMemFreeHost(ph));
}

static int processors_used(CUdeviceptr p, unsigned *bits)
{
    unsigned w[1024];
    int n = 0;
    if (cuda.cuMemcpyDtoH(w, p, sizeof w))
        return -1;
    for (int i = 0; i < 1000; i++) {
        if (w[i])
            n++;
        if (bits)
            bits[i] = w[i] != 0;
    }
    return n;
}

static CUresult processors_mark(CUfunction f, CUstream s, CUdeviceptr p)
{
    unsigned spin = 3000;
    void *pa[] = {&p, &spin};
    cuda.cuMemsetD8(p, 0, 4096);
    cuda.cuCtxSynchronize();
    CUresult r = cuda.cuLaunchKernel(f, 1024, 1, 1, 32, 1, 1, 0, s, pa, NULL);
    return r ? r : cuda.cuStreamSynchronize(s);
}

GROUP(209, green_launch, "green-launch")
{
    use_primary_context();
    CUmodule mp = 0, mg = 0;
    CUfunction fp = 0, fg = 0, fs = 0, fsg = 0;
    CUdeviceptr p = device_alloc(4096);
    unsigned b1[1000], b2[1000];
    must_work(cuda.cuModuleLoadData(&mp, kernels_ptx), "cuModuleLoadData");
    cuda.cuModuleGetFunction(&fp, mp, "incr");
    cuda.cuModuleGetFunction(&fs, mp, "smids");
    unsigned n = resource_split(2, 32, 0);
    CUgreenCtx g = n == 2 ? green_of_resources(split_groups, 1) : 0,
               g2 = n == 2 ? green_of_resources(split_groups + 1, 1) : 0;
    NOTE_WITHOUT_GREEN(g && g2);
    CUcontext c = green_converted(g), fc;
    CUstream s = 0, s2 = 0;
    unsigned N = 64;
    void *pa[] = {&p, &N};
    unsigned v[64];
    CUdevResource q;
    memset(&q, 0, sizeof q);
    cuda.cuGreenCtxGetDevResource(g, &q, 1);
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    cuda.cuGreenCtxStreamCreate(&s2, g2, 1, 0);
    cuda.cuMemsetD8(p, 0, 4096);
    cuda.cuCtxSynchronize();
#define RECORD_WORDS(nm)                                                                           \
    memset(v, 0, sizeof v);                                                                        \
    cuda.cuMemcpyDtoH(v, p, 256);                                                                  \
    RECORD(nm, "v=%u,%u", v[0], v[63])
    CHECK("primary-function-green-stream",
          cuda.cuLaunchKernel(fp, 1, 1, 1, 64, 1, 1, 0, s, pa, NULL));
    cuda.cuStreamSynchronize(s);
    RECORD_WORDS("after1");
    cuda.cuCtxSetCurrent(c);
    CHECK("primary-function-green-current-null-stream",
          cuda.cuLaunchKernel(fp, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("sync1", cuda.cuCtxSynchronize());
    RECORD_WORDS("after2");
    CHECK("load-module-in-green", cuda.cuModuleLoadData(&mg, kernels_ptx));
    CHECK("function-in-green", cuda.cuModuleGetFunction(&fg, mg, "incr"));
    cuda.cuModuleGetFunction(&fsg, mg, "smids");
    CHECK("green-function-null-stream", cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("green-function-own-stream", cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, s, pa, NULL));
    CHECK("green-function-other-green-stream",
          cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, s2, pa, NULL));
    CHECK("sync2", cuda.cuCtxSynchronize());
    cuda.cuStreamSynchronize(s);
    cuda.cuStreamSynchronize(s2);
    RECORD_WORDS("after3");
    cuda.cuCtxSetCurrent(context);
    CHECK("green-function-primary-null-stream",
          cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("sync3", cuda.cuCtxSynchronize());
    RECORD_WORDS("after4");
    CUdeviceptr gvp = 0;
    size_t gz = 0;
    CHECK("green-module-global", cuda.cuModuleGetGlobal(&gvp, &gz, mg, "gv"), "size=%zu", gz);
    (void)fc;
    unsigned all = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    int u;
    CHECK_THEN("sms-primary", processors_mark(fs, 0, p), u = processors_used(p, NULL),
               "within-device=%d", u <= (int)all);
    CHECK_THEN("sms-green-stream", processors_mark(fs, s, p), u = processors_used(p, b1),
               "within-green=%d used-some=%d", u <= (int)q.sm.smCount, u > 0);
    CHECK_THEN("sms-green-stream2", processors_mark(fs, s2, p), u = processors_used(p, b2),
               "within-green=%d", u <= (int)q.sm.smCount);
    int ov = 0;
    for (int i = 0; i < 1000; i++)
        ov += b1[i] && b2[i];
    RECORD("sms-disjoint", "overlap=%s", ov ? "some" : "none");
    cuda.cuCtxSetCurrent(c);
    CHECK_THEN("sms-green-null-stream", processors_mark(fs, 0, p), u = processors_used(p, NULL),
               "within-green=%d", u <= (int)q.sm.smCount);
    CUstream s3 = stream_new(1);
    CHECK_THEN("sms-green-created-stream", processors_mark(fs, s3, p), u = processors_used(p, NULL),
               "within-green=%d", u <= (int)q.sm.smCount);
    int nb = 0, bs = 0, cl = 0;
    CHECK("occ-blocks", cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(&nb, fs, 128, 0), "%d",
          nb);
    CHECK("occ-blocksize", cuda.cuOccupancyMaxPotentialBlockSize(&nb, &bs, fs, NULL, 0, 0),
          "grid=%d block=%d", nb, bs);
    cuda.cuCtxSetCurrent(context);
    CHECK("occ-blocksize-primary", cuda.cuOccupancyMaxPotentialBlockSize(&nb, &bs, fs, NULL, 0, 0),
          "grid-per-sm=%d block=%d", nb / (int)(all ? all : 1), bs);
    CUlaunchConfig lc;
    memset(&lc, 0, sizeof lc);
    CUlaunchAttribute la[1];
    memset(la, 0, sizeof la);
    la[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    la[0].value.clusterDim.x = 2;
    la[0].value.clusterDim.y = la[0].value.clusterDim.z = 1;
    lc.gridDimX = 64;
    lc.gridDimY = lc.gridDimZ = 1;
    lc.blockDimX = 32;
    lc.blockDimY = lc.blockDimZ = 1;
    lc.attrs = la;
    lc.numAttrs = 1;
    for (int k = 0; k < 2; k++) {
        lc.hStream = k ? s : 0;
        cl = -1;
        CHECK(format("occ-clusters-%s", k ? "green" : "primary"),
              cuda.cuOccupancyMaxActiveClusters(&cl, fs, &lc), "%d", cl);
        cl = -1;
        lc.numAttrs = 0;
        CHECK(format("occ-cluster-size-%s", k ? "green" : "primary"),
              cuda.cuOccupancyMaxPotentialClusterSize(&cl, fs, &lc), "%d", cl);
        lc.numAttrs = 1;
    }
    unsigned spin = 1;
    void *pb_[] = {&p, &spin};
    cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(&nb, fs, 1024, 0);
    for (unsigned k = 0; k < 3; k++) {
        unsigned gr = k == 0 ? q.sm.smCount * nb : k == 1 ? q.sm.smCount * nb + 1 : all * nb;
        CHECK_THEN(format("cooperative-%s", k == 0   ? "fits-green"
                                            : k == 1 ? "one-more"
                                                     : "fits-device"),
                   cuda.cuLaunchCooperativeKernel(fs, gr, 1, 1, 1024, 1, 1, 0, s, pb_),
                   cuda.cuStreamSynchronize(s), " ");
    }
    cuda.cuCtxSetCurrent(c);
    CHECK("unload-primary-module-in-green", cuda.cuModuleUnload(mp));
    CHECK("destroy-with-module", cuda.cuGreenCtxDestroy(g));
    cuda.cuCtxSetCurrent(context);
    CHECK("green-function-after-destroy",
          cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("sync4", cuda.cuCtxSynchronize());
    CHECK("green-module-unload-after-destroy", cuda.cuModuleUnload(mg));
}
