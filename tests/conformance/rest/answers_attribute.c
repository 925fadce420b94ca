/* SPDX-License-Identifier: MIT */
/* Stream attributes (every launch attribute id) and kernel attributes. */
#include "rest.h"

static const unsigned char value_sizes[20] = {
    0, 28, 4,  4,  12, 4, 4, 16, 4, 2,
    4, 12, 12, 16, 4,  4, 4, 4,  4, 4}; /* bytes of the member behind each id */
static CUcontext other_context;
static CUstream streams[8];
static const char *stream_names[8] = {"blocking", "nonblocking", "highprio", "null",
                                      "legacy",   "perthread",   "otherctx", "destroyed"};
static CUdeviceptr buffer;

static const char *value_text(int id, const CUstreamAttrValue *v)
{
    const unsigned char *c = (const void *)v;
    int n = id >= 0 && id < 20 ? value_sizes[id] : 0;
    char b[64] = "";
    for (int i = 0; i < n; i++)
        sprintf(b + 2 * i, "%02x", c[i]);
    if (id == 1)
        snprintf(b, sizeof b, "base=%s bytes=%zu ratio=%g hit=%d miss=%d",
                 v->accessPolicyWindow.base_ptr == (void *)(uintptr_t)buffer ? "buffer"
                 : !v->accessPolicyWindow.base_ptr                           ? "null"
                                                                             : "other",
                 v->accessPolicyWindow.num_bytes, v->accessPolicyWindow.hitRatio,
                 v->accessPolicyWindow.hitProp, v->accessPolicyWindow.missProp);
    return format("%s", b);
}

static const char *attribute_text(CUstream s, int id)
{
    CUstreamAttrValue v;
    memset(&v, 0x5a, sizeof v);
    CUresult r = cuda.cuStreamGetAttribute(s, id, &v);
    return r ? result_name(r) : value_text(id, &v);
}

static void streams_create(void)
{
    use_primary_context();
    buffer = device_alloc(1 * MB);
    streams[0] = stream_new(0);
    streams[1] = stream_new(1);
    cuda.cuStreamCreateWithPriority(&streams[2], 1, -3);
    streams[3] = 0;
    streams[4] = CU_STREAM_LEGACY;
    streams[5] = CU_STREAM_PER_THREAD;
    other_context = context_new();
    streams[6] = stream_new(1);
    cuda.cuCtxSetCurrent(context);
}

GROUP(700, streamattr_get, "streamattr-get")
{
    streams_create();
    cases_independent = 1;
    CUstreamAttrValue v;
    const char *o;
    for (int i = 0; i < 7; i++)
        for (int id = -1; id < 20; id++) {
            memset(&v, 0x5a, sizeof v);
            CHECK_THEN(format("%s.id%d", stream_names[i], id),
                       cuda.cuStreamGetAttribute(streams[i], id, &v),
                       o = result
                               ? !strcmp(equal_bytes(&v, sizeof v), "all=5a") ? "kept" : "changed"
                               : value_text(id, &v),
                       "%s", o);
        }
    static const int big[] = {64, 100, 255, 256, 0x10000, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT_OF(big); i++)
        CHECK(format("blocking.id%d", big[i]), cuda.cuStreamGetAttribute(streams[0], big[i], &v));
    for (int id = 0; id < 17; id++)
        CHECK(format("null-value.id%d", id), cuda.cuStreamGetAttribute(streams[0], id, NULL));
    cuda.cuCtxSetCurrent(NULL);
    for (int i = 0; i < 7; i++) {
        memset(&v, 0x5a, sizeof v);
        CHECK(format("no-current.%s", stream_names[i]),
              cuda.cuStreamGetAttribute(streams[i], 3, &v));
        CHECK(format("no-current.%s-bad-id", stream_names[i]),
              cuda.cuStreamGetAttribute(streams[i], 99, &v));
    }
}

static void check_set(const char *nm, int i, int id, const CUstreamAttrValue *v)
{
    const char *o;
    CHECK_THEN(format("%s.%s", stream_names[i], nm), cuda.cuStreamSetAttribute(streams[i], id, v),
               o = attribute_text(streams[i], id), "now=%s", o);
}

GROUP(701, streamattr_set, "streamattr-set")
{
    streams_create();
    CUstreamAttrValue v;
    RECORD("limits", "window=%d l2=%d persisting=%d",
           device_attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE),
           device_attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
           device_attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE));
    for (int i = 0; i < 7; i++) {
        for (int id = -1; id < 20; id++) {
            memset(&v, 0, sizeof v);
            check_set(format("id%d-zero", id), i, id, &v);
        }
        for (int p = -1; p < 7; p++) {
            memset(&v, 0, sizeof v);
            v.syncPolicy = p;
            check_set(format("sync%d", p), i, 3, &v);
        }
        for (int p = -8; p < 4; p++) {
            memset(&v, 0, sizeof v);
            v.priority = p;
            check_set(format("prio%d", p), i, 8, &v);
            int pr = 99;
            cuda.cuStreamGetPriority(streams[i], &pr);
            RECORD(format("%s.prio%d-getpriority", stream_names[i], p), "%d", pr);
        }
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++) {
                if (i > 1 && a + b > 2)
                    continue;
                memset(&v, 0, sizeof v);
                v.memSyncDomainMap.default_ = a;
                v.memSyncDomainMap.remote = b;
                check_set(format("map%d.%d", a, b), i, 9, &v);
            }
        memset(&v, 0, sizeof v);
        v.memSyncDomainMap.default_ = 255;
        v.memSyncDomainMap.remote = 255;
        check_set("map255", i, 9, &v);
        for (int d = -1; d < 4; d++) {
            memset(&v, 0, sizeof v);
            v.memSyncDomain = d;
            check_set(format("domain%d", d), i, 10, &v);
        }
        for (int d = 0; d < 4; d++) {
            memset(&v, 0, sizeof v);
            v.nvlinkUtilCentricScheduling = d;
            check_set(format("nvlink%d", d), i, 16, &v);
        }
        static const struct {
            const char *n;
            size_t off, bytes;
            float ratio;
            int hit, miss;
        } w[] = {{"all", 0, 1 << 20, 1, 2, 1},
                 {"half", 0, 1 << 19, 0.5f, 2, 0},
                 {"zero-bytes", 0, 0, 1, 2, 1},
                 {"normal", 0, 4096, 1, 0, 0},
                 {"streaming", 0, 4096, 1, 1, 1},
                 {"miss-persisting", 0, 4096, 1, 2, 2},
                 {"ratio0", 0, 4096, 0, 2, 1},
                 {"ratio-neg", 0, 4096, -0.5f, 2, 1},
                 {"ratio2", 0, 4096, 2, 2, 1},
                 {"hit3", 0, 4096, 1, 3, 1},
                 {"miss3", 0, 4096, 1, 2, 3},
                 {"odd", 4, 100, 1, 2, 1},
                 {"huge", 0, 1ull << 40, 1, 2, 1},
                 {"max", 0, 128 << 20, 1, 2, 1},
                 {"over-max", 0, (128 << 20) + 1, 1, 2, 1}};
        for (size_t k = 0; k < COUNT_OF(w); k++) {
            if (i > 1 && k > 3)
                break;
            memset(&v, 0, sizeof v);
            v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)(buffer + w[k].off);
            v.accessPolicyWindow.num_bytes = w[k].bytes;
            v.accessPolicyWindow.hitRatio = w[k].ratio;
            v.accessPolicyWindow.hitProp = w[k].hit;
            v.accessPolicyWindow.missProp = w[k].miss;
            check_set(format("window-%s", w[k].n), i, 1, &v);
        }
        v.accessPolicyWindow.base_ptr = NULL;
        v.accessPolicyWindow.num_bytes = 4096;
        check_set("window-null-base", i, 1, &v);
        CHECK(format("%s.null-value", stream_names[i]),
              cuda.cuStreamSetAttribute(streams[i], 3, NULL));
        CHECK(format("%s.null-value-bad-id", stream_names[i]),
              cuda.cuStreamSetAttribute(streams[i], 99, NULL));
        memset(&v, 0, sizeof v);
        v.cooperative = 1;
        for (int id = 2; id < 20; id++)
            if (id != 3 && id != 8 && id != 9 && id != 10)
                check_set(format("id%d-one", id), i, id, &v);
    }
    cuda.cuCtxSetCurrent(NULL);
    memset(&v, 0, sizeof v);
    v.syncPolicy = 1;
    for (int i = 0; i < 7; i++)
        CHECK(format("no-current.%s", stream_names[i]),
              cuda.cuStreamSetAttribute(streams[i], 3, &v));
}

GROUP(702, streamattr_copy, "streamattr-copy")
{
    streams_create();
    CUstreamAttrValue v;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++) {
            memset(&v, 0, sizeof v);
            v.syncPolicy = 1 + (i + k) % 4;
            cuda.cuStreamSetAttribute(streams[i], 3, &v);
            v.syncPolicy = 1 + (i + k + 1) % 4;
            cuda.cuStreamSetAttribute(streams[k], 3, &v);
            const char *o;
            CHECK_THEN(format("%s-to-%s", stream_names[k], stream_names[i]),
                       cuda.cuStreamCopyAttributes(streams[i], streams[k]),
                       o = attribute_text(streams[i], 3), "dst=%s src=%s", o,
                       attribute_text(streams[k], 3));
        }
    memset(&v, 0, sizeof v);
    v.priority = -2;
    cuda.cuStreamSetAttribute(streams[0], 8, &v);
    CHECK("priority-copied", cuda.cuStreamCopyAttributes(streams[1], streams[0]), "%s",
          attribute_text(streams[1], 8));
    v.memSyncDomainMap.default_ = 1;
    v.memSyncDomainMap.remote = 2;
    cuda.cuStreamSetAttribute(streams[0], 9, &v);
    CHECK("map-copied", cuda.cuStreamCopyAttributes(streams[1], streams[0]), "%s",
          attribute_text(streams[1], 9));
    cuda.cuStreamDestroy(streams[0]);
    CHECK("destroyed-src", cuda.cuStreamCopyAttributes(streams[1], streams[0]));
    CHECK("destroyed-dst", cuda.cuStreamCopyAttributes(streams[0], streams[1]));
    CHECK("get-destroyed", cuda.cuStreamGetAttribute(streams[0], 3, &v));
    CHECK("set-destroyed", cuda.cuStreamSetAttribute(streams[0], 3, &v));
}

GROUP(710, kernelattr, "kernelattr")
{
    use_primary_context();
    CUlibrary l = 0;
    CUkernel k[2] = {0};
    CUfunction f = 0;
    must_work(cuda.cuLibraryLoadData(&l, kernels_ptx, 0, 0, 0, 0, 0, 0), "cuLibraryLoadData");
    must_work(cuda.cuLibraryGetKernel(&k[0], l, "incr"), "cuLibraryGetKernel");
    cuda.cuLibraryGetKernel(&k[1], l, "big");
    cuda.cuKernelGetFunction(&f, k[0]);
    int v, w;
    static const int vals[] = {-2,
                               -1,
                               0,
                               1,
                               2,
                               50,
                               100,
                               101,
                               1024,
                               49152,
                               49153,
                               65536,
                               101376,
                               196608,
                               198656,
                               227 * 1024,
                               227 * 1024 + 1,
                               232448,
                               1 << 20,
                               INT_MAX,
                               INT_MIN};
    for (int a = -1; a < 20; a++) {
        v = 777;
        CHECK(format("get%d", a), cuda.cuKernelGetAttribute(&v, a, k[0], device), "%s",
              a == 5 || a == 6 || a == 4 ? v == 777 ? "kept" : "set" : format("%d", v));
        v = 777;
        CHECK(format("get%d-big", a), cuda.cuKernelGetAttribute(&v, a, k[1], device), "%s",
              a == 5 || a == 6 || a == 4 ? v == 777 ? "kept" : "set" : format("%d", v));
    }
    for (int a = -1; a < 17; a++)
        for (size_t i = 0; i < COUNT_OF(vals); i++) {
            if ((a < 8 || a == 11 || a == 10 || a > 15) && i > 4)
                continue;
            for (int q = 0; q < 2; q++) {
                v = w = 777;
                CUresult g;
                CHECK_THEN(format("set%d-%s-%d", a, q ? "big" : "incr", vals[i]),
                           cuda.cuKernelSetAttribute(a, vals[i], k[q], device),
                           g = cuda.cuKernelGetAttribute(&v, a, k[q], device);
                           if (a == 4 || a == 5 || a == 6) v = 0;
                           if (f && !q && a != 4 && a != 5 && a != 6)
                               cuda.cuFuncGetAttribute(&w, a, f),
                           "read=%s %d function=%d", result_name(g), v, w);
            }
        }
    static const int dv[] = {-1, 1, 99};
    for (int i = 0; i < 3; i++) {
        CHECK(format("get-dev%d", dv[i]), cuda.cuKernelGetAttribute(&v, 0, k[0], dv[i]));
        CHECK(format("set-dev%d", dv[i]), cuda.cuKernelSetAttribute(8, 1024, k[0], dv[i]));
        CHECK(format("cache-dev%d", dv[i]), cuda.cuKernelSetCacheConfig(k[0], 1, dv[i]));
    }
    CHECK("get-null-out", cuda.cuKernelGetAttribute(NULL, 0, k[0], device));
    CHECK("get-null-kernel", cuda.cuKernelGetAttribute(&v, 0, NULL, device));
    CHECK("set-null-kernel", cuda.cuKernelSetAttribute(8, 1024, NULL, device));
    for (int c = -1; c < 5; c++)
        CHECK(format("cache%d", c), cuda.cuKernelSetCacheConfig(k[0], c, device));
    CHECK("cache-null-kernel", cuda.cuKernelSetCacheConfig(NULL, 1, device));
    CHECK("function-attr-set", cuda.cuFuncSetAttribute(f, 8, 2048));
    v = 0;
    CHECK("kernel-after-function", cuda.cuKernelGetAttribute(&v, 8, k[0], device), "%d", v);
    CHECK("kernel-set", cuda.cuKernelSetAttribute(8, 4096, k[0], device));
    v = 0;
    CHECK("function-after-kernel", cuda.cuFuncGetAttribute(&v, 8, f), "%d", v);
    CUcontext c = context_new();
    CUfunction f2 = 0;
    CHECK("function-in-other-ctx", cuda.cuKernelGetFunction(&f2, k[0]), "same=%d", f2 == f);
    v = 0;
    CHECK("other-ctx-function-attr", cuda.cuFuncGetAttribute(&v, 8, f2), "%d", v);
    CHECK("kernel-as-function-get", cuda.cuFuncGetAttribute(&v, 0, (CUfunction)k[0]));
    CHECK("kernel-as-function-set", cuda.cuFuncSetAttribute((CUfunction)k[0], 8, 512));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("get-no-current", cuda.cuKernelGetAttribute(&v, 0, k[0], device));
    CHECK("set-no-current", cuda.cuKernelSetAttribute(8, 1024, k[0], device));
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxDestroy(c);
    cuda.cuLibraryUnload(l);
    CHECK("set-unloaded", cuda.cuKernelSetAttribute(8, 1024, k[0], device));
    CHECK("get-unloaded", cuda.cuKernelGetAttribute(&v, 0, k[0], device));
}
