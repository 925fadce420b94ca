/* SPDX-License-Identifier: MIT */
/* Device resources and green contexts. */
#include "rest.h"
static const char *res(const CUdevResource *r)
{
    return format("type=%d sm=%u min=%u align=%u pad=%s more=%s", (int)r->type, r->sm.smCount,
                  r->sm.minSmPartitionSize, r->sm.smCoscheduledAlignment,
                  !strcmp(equal_bytes(r->_internal_padding, sizeof r->_internal_padding), "zero")
                      ? "zero"
                      : "set",
                  equal_bytes(r->_oversize + sizeof r->sm, sizeof r->_oversize - sizeof r->sm));
}
static const char *rs(const CUdevResource *r)
{
    return !strcmp(equal_bytes(r, sizeof *r), "all=a5") ? "kept"
           : (unsigned)r->type > 100000 || r->sm.smCount > 100000
               ? "odd"
               : format("%d/%u/%u/%u", (int)r->type, r->sm.smCount, r->sm.minSmPartitionSize,
                        r->sm.smCoscheduledAlignment);
}
static CUdevResource devres(void)
{
    CUdevResource r;
    memset(&r, 0xa5, sizeof r);
    if (cuda.cuDeviceGetDevResource(device, &r, CU_DEV_RESOURCE_TYPE_SM))
        memset(&r, 0, sizeof r);
    return r;
}
static CUdevResource out[256], rem;
static unsigned split(unsigned want, unsigned count, unsigned flags)
{
    CUdevResource d = devres();
    unsigned nb = want;
    memset(out, 0xa5, sizeof out);
    memset(&rem, 0xa5, sizeof rem);
    return cuda.cuDevSmResourceSplitByCount(out, &nb, &d, &rem, flags, count) ? 0 : nb;
}
static CUgreenCtx mk(CUdevResource *r, unsigned n)
{
    CUdevResourceDesc d = 0;
    CUgreenCtx g = 0;
    if (cuda.cuDevResourceGenerateDesc(&d, r, n))
        return 0;
    return cuda.cuGreenCtxCreate(&g, d, device, CU_GREEN_CTX_DEFAULT_STREAM) ? 0 : g;
}
static CUgreenCtx green(unsigned count)
{
    return split(1, count, 0) ? mk(out, 1) : 0;
}
static CUcontext conv(CUgreenCtx g)
{
    CUcontext c = 0;
    cuda.cuCtxFromGreenCtx(&c, g);
    return c;
}
/* has work in a stream run yet? Not asked with a host function: the driver may run all of them in
 * one thread */
static unsigned char *mk_p;
static int mk_n;
static CUresult mark(CUstream s, int *i)
{
    *i = mk_n++ & 4095;
    if (!mk_p)
        return RESULT_SKIPPED;
    mk_p[*i] = 0;
    return cuda.cuMemsetD8Async((CUdeviceptr)(uintptr_t)(mk_p + *i), 1, 1, s);
}
static int ran(int i)
{
    return mk_p ? ((volatile unsigned char *)mk_p)[i] : -1;
}
#define NEEDGREEN(g)                                                                               \
    if (!(g))                                                                                      \
    setup_note("setup-green-context-unavailable")

GROUP(200, gcres, "green-resource")
{
    use_device();
    CUdevResource r;
    int sms = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    RECORD("device", "multiprocessors=%d sizeof=%zu", sms, sizeof(CUdevResource));
    static const int ty[] = {0, 1, 2, 3, 4, 1000, 10000, -1, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(ty); i++) {
        memset(&r, 0xa5, sizeof r);
        CHECK_THEN(format("device-type%d", ty[i]), cuda.cuDeviceGetDevResource(device, &r, ty[i]),
                   const char *o = rs(&r), "%s", o);
    }
    r = devres();
    RECORD("device-fields", "%s", res(&r));
    RECORD("device-all-sms", "%d", (int)r.sm.smCount == sms);
    CUdevResource r2 = devres();
    RECORD("device-twice", "same-bytes=%d", !memcmp(&r, &r2, sizeof r));
    static const int dv[] = {-1, 1, 2, 99, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(dv); i++) {
        memset(&r, 0xa5, sizeof r);
        CHECK_THEN(format("device-bad%d", dv[i]), cuda.cuDeviceGetDevResource(dv[i], &r, 1),
                   const char *o = rs(&r), "%s", o);
    }
    CHECK("device-null-out", cuda.cuDeviceGetDevResource(device, NULL, 1));
    CHECK("device-null-out-bad-type", cuda.cuDeviceGetDevResource(device, NULL, 7));
    CHECK("device-bad-dev-null-out", cuda.cuDeviceGetDevResource(99, NULL, 1));
    CHECK("device-bad-dev-bad-type", cuda.cuDeviceGetDevResource(99, &r, 7));
    memset(&r, 0xa5, sizeof r);
    CHECK_THEN("ctx-null-none-current", cuda.cuCtxGetDevResource(NULL, &r, 1),
               const char *o = rs(&r), "%s", o);
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);
    RECORD("primary-active-after-queries", "%d", act);
}
GROUP(201, gcctxres, "green-ctx-resource")
{
    use_primary_context();
    CUdevResource r, d = devres();
    CUcontext c = context_new(), cur = 0;
    cuda.cuCtxGetCurrent(&cur);
#define CR(nm, call)                                                                               \
    do {                                                                                           \
        memset(&r, 0xa5, sizeof r);                                                                \
        CHECK_THEN(nm, call, const char *o = rs(&r);                                               \
                   int s_ = !memcmp(&r, &d, sizeof r), "%s same-as-device=%d", o, s_);             \
    } while (0)
    CR("primary", cuda.cuCtxGetDevResource(context, &r, 1));
    CR("created", cuda.cuCtxGetDevResource(c, &r, 1));
    CR("null", cuda.cuCtxGetDevResource(NULL, &r, 1));
    cuda.cuCtxSetCurrent(NULL);
    CR("null-no-current", cuda.cuCtxGetDevResource(NULL, &r, 1));
    CR("primary-no-current", cuda.cuCtxGetDevResource(context, &r, 1));
    cuda.cuCtxSetCurrent(context);
    static const int ty[] = {0, 2, 3, 1000, 10000, -1};
    for (size_t i = 0; i < COUNT_OF(ty); i++)
        CR(format("type%d", ty[i]), cuda.cuCtxGetDevResource(context, &r, ty[i]));
    CHECK("null-out", cuda.cuCtxGetDevResource(context, NULL, 1));
    cuda.cuCtxDestroy(c);
    CR("destroyed", cuda.cuCtxGetDevResource(c, &r, 1));
    CR("greenapi-null", cuda.cuGreenCtxGetDevResource(NULL, &r, 1));
    CR("greenapi-primary", cuda.cuGreenCtxGetDevResource((CUgreenCtx)context, &r, 1));
}
GROUP(202, gcsplitq, "green-split-query")
{
    use_device();
    cases_independent = 1;
    CUdevResource d = devres();
    int sms = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (sms < 1 || sms > 200)
        sms = 132;
    for (unsigned f = 0; f < 4; f++)
        for (unsigned n = 0; n <= 142; n++) {
            unsigned nb = 777;
            memset(&rem, 0xa5, sizeof rem);
            CHECK_THEN(format("f%u.n%u", f, n),
                       cuda.cuDevSmResourceSplitByCount(NULL, &nb, &d, &rem, f, n),
                       const char *o = rs(&rem), "nb=%u rem=%s", nb, o);
        }
    static const unsigned fl[] = {4, 5, 8, 16, 0x100, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        unsigned nb = 777;
        CHECK(format("flags%x", fl[i]),
              cuda.cuDevSmResourceSplitByCount(NULL, &nb, &d, NULL, fl[i], 8), "nb=%u", nb);
    }
    static const unsigned cn[] = {200, 256, 1000, 65536, 0x7fffffff, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(cn); i++)
        for (unsigned f = 0; f < 2; f++) {
            unsigned nb = 777;
            CHECK(format("f%u.count%x", f, cn[i]),
                  cuda.cuDevSmResourceSplitByCount(NULL, &nb, &d, NULL, f, cn[i]), "nb=%u", nb);
        }
}
GROUP(203, gcsplit, "green-split")
{
    use_device();
    cases_independent = 1;
    CUdevResource d = devres();
    for (unsigned f = 0; f < 4; f++)
        for (unsigned n = 0; n <= 142; n++) {
            unsigned nb = 200;
            memset(out, 0xa5, sizeof out);
            memset(&rem, 0xa5, sizeof rem);
            CHECK_THEN(format("f%u.n%u", f, n),
                       cuda.cuDevSmResourceSplitByCount(out, &nb, &d, &rem, f, n), unsigned eq = 1;
                       for (unsigned i = 1; i < nb && i < 200; i++) eq &=
                       out[i].sm.smCount == out[0].sm.smCount;
                       const char *o = rs(&out[0]);
                       const char *p = rs(&out[nb && nb < 200 ? nb : 200]);
                       const char *q = rs(&rem), "nb=%u first=%s equal=%u beyond=%s rem=%s", nb, o,
                       eq, p, q);
        }
    static const unsigned want[] = {0, 1, 2, 3, 4, 8, 15, 16, 17, 32, 66, 67},
                          cnt[] = {0, 1, 2, 8, 16, 17, 32, 64, 66, 100, 132};
    for (unsigned f = 0; f < 4; f++)
        for (size_t i = 0; i < COUNT_OF(want); i++)
            for (size_t k = 0; k < COUNT_OF(cnt); k++) {
                unsigned nb = want[i];
                memset(out, 0xa5, sizeof out);
                memset(&rem, 0xa5, sizeof rem);
                CHECK_THEN(format("f%u.want%u.n%u", f, want[i], cnt[k]),
                           cuda.cuDevSmResourceSplitByCount(out, &nb, &d, &rem, f, cnt[k]),
                           const char *o = rs(&out[0]);
                           const char *q = rs(&rem), "nb=%u first=%s rem=%s", nb, o, q);
            }
}
GROUP(204, gcsplita, "green-split-args")
{
    use_device();
    CUdevResource d = devres(), x;
    unsigned nb = 4;
    const char *o;
    CHECK("nb-null", cuda.cuDevSmResourceSplitByCount(out, NULL, &d, &rem, 0, 8));
    CHECK("nb-null-query", cuda.cuDevSmResourceSplitByCount(NULL, NULL, &d, &rem, 0, 8));
    CHECK("input-null", cuda.cuDevSmResourceSplitByCount(out, &nb, NULL, &rem, 0, 8), "nb=%u", nb);
    nb = 4;
    CHECK("remaining-null", cuda.cuDevSmResourceSplitByCount(out, &nb, &d, NULL, 0, 8), "nb=%u",
          nb);
    nb = 4;
    CHECK("all-null", cuda.cuDevSmResourceSplitByCount(NULL, NULL, NULL, NULL, 0, 0));
    memset(&x, 0, sizeof x);
    nb = 4;
    CHECK("input-zero", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8), "nb=%u", nb);
    x = d;
    x.type = 0;
    nb = 4;
    CHECK("input-type0", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8), "nb=%u", nb);
    x = d;
    x.type = 2;
    nb = 4;
    CHECK("input-type2", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8), "nb=%u", nb);
    memset(&x, 0xff, sizeof x);
    x.type = 1;
    nb = 4;
    CHECK("input-garbage", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8), "nb=%u", nb);
    memset(&x, 0, sizeof x);
    x.type = 1;
    x.sm.smCount = 132;
    nb = 4;
    CHECK("input-handmade", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8), "nb=%u",
          nb);
    x = d;
    x.sm.smCount = 64;
    nb = 200;
    CHECK_THEN("input-count-lowered", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8),
               o = rs(&rem), "nb=%u rem=%s", nb, o);
    x = d;
    x.sm.smCount = 400;
    nb = 200;
    CHECK_THEN("input-count-raised", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 8),
               o = rs(&rem), "nb=%u rem=%s", nb, o);
    x = d;
    x.sm.minSmPartitionSize = 1;
    nb = 200;
    CHECK_THEN("input-min-lowered", cuda.cuDevSmResourceSplitByCount(out, &nb, &x, &rem, 0, 2),
               o = rs(out), "nb=%u first=%s", nb, o);
    nb = 2;
    cuda.cuDevSmResourceSplitByCount(out, &nb, &d, &rem, 0, 32);
    RECORD("made", "nb=%u first=%s rem=%s", nb, rs(out), rs(&rem));
    static CUdevResource o2[64];
    CUdevResource r2;
    unsigned n2 = 8;
    memset(&r2, 0xa5, sizeof r2);
    CHECK_THEN("split-a-result", cuda.cuDevSmResourceSplitByCount(o2, &n2, &out[0], &r2, 0, 8),
               o = rs(&r2), "nb=%u rem=%s", n2, o);
    n2 = 777;
    CHECK("split-a-result-query", cuda.cuDevSmResourceSplitByCount(NULL, &n2, &out[0], NULL, 0, 8),
          "nb=%u", n2);
    n2 = 32;
    memset(&r2, 0xa5, sizeof r2);
    CHECK_THEN("split-the-remainder", cuda.cuDevSmResourceSplitByCount(o2, &n2, &rem, &r2, 0, 8),
               o = rs(&r2), "nb=%u first=%s rem=%s", n2, rs(o2), o);
    n2 = 777;
    CHECK("split-the-remainder-query",
          cuda.cuDevSmResourceSplitByCount(NULL, &n2, &rem, NULL, 0, 8), "nb=%u", n2);
    n2 = 32;
    CHECK_THEN("split-the-remainder-again",
               cuda.cuDevSmResourceSplitByCount(o2, &n2, &r2, &r2, 0, 8), o = rs(&r2),
               "nb=%u rem=%s", n2, o);
    x = d;
    n2 = 2;
    CHECK_THEN("result-over-input",
               cuda.cuDevSmResourceSplitByCount(&x, (n2 = 1, &n2), &x, &r2, 0, 16), o = rs(&x),
               "nb=%u res=%s", n2, o);
    x = d;
    n2 = 2;
    CHECK_THEN("remaining-over-input", cuda.cuDevSmResourceSplitByCount(o2, &n2, &x, &x, 0, 16),
               o = rs(&x), "nb=%u rem=%s", n2, o);
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);
    RECORD("primary-active", "%d", act);
}
GROUP(205, gcdesc, "green-desc")
{
    use_device();
    CUdevResource d = devres(), a[4], one[8];
    CUdevResourceDesc h;
    CUgreenCtx g;
    CUdevResource q;
    const char *o;
    unsigned n = split(4, 16, 0);
    RECORD("made", "nb=%u", n);
    memcpy(one, out, sizeof one);
    CUdevResource rem1 = rem;
    /* each descriptor is also used: what the green context then has */
#define DESC(nm, arr, cnt)                                                                         \
    h = UNTOUCHED_HANDLE;                                                                          \
    g = 0;                                                                                         \
    memset(&q, 0xa5, sizeof q);                                                                    \
    CHECK_THEN(nm, cuda.cuDevResourceGenerateDesc(&h, arr, cnt),                                   \
               CUresult c_ = result ? RESULT_SKIPPED : cuda.cuGreenCtxCreate(&g, h, device, 1);    \
               CUresult e_ = c_ ? RESULT_SKIPPED : cuda.cuGreenCtxGetDevResource(g, &q, 1);        \
               o = rs(&q); if (g) cuda.cuGreenCtxDestroy(g), "desc=%s create=%s get=%s %s",        \
                           handle_state(h), result_name(c_), result_name(e_), o)
    DESC("one", one, 1);
    DESC("two", one, 2);
    DESC("four", one, 4);
    DESC("last", one + 3, 1);
    DESC("remainder", &rem1, 1);
    a[0] = one[0];
    a[1] = rem1;
    DESC("result-and-remainder", a, 2);
    a[0] = one[0];
    a[1] = one[3];
    DESC("first-and-last", a, 2);
    DESC("device", &d, 1);
    a[0] = a[1] = one[0];
    DESC("same-twice", a, 2);
    a[0] = d;
    a[1] = one[0];
    DESC("device-and-result", a, 2);
    a[0] = a[1] = d;
    DESC("device-twice", a, 2);
    a[0] = one[1];
    a[1] = one[0];
    DESC("two-reversed", a, 2);
    split(4, 16, 0);
    a[0] = one[0];
    a[1] = out[1];
    DESC("two-equal-splits", a, 2);
    split(2, 32, 0);
    a[0] = one[0];
    a[1] = out[1];
    DESC("two-unlike-splits", a, 2);
    DESC("wider-split-two", out, 2);
    split(8, 2, 1);
    DESC("fine-one", out, 1);
    DESC("fine-three", out, 3);
    a[0] = out[0];
    a[1] = one[0];
    DESC("fine-and-coarse", a, 2);
    split(1, 64, 2);
    DESC("cluster-one", out, 1);
    split(1, 132, 0);
    DESC("everything-as-result", out, 1);
    split(1, 1, 0);
    DESC("smallest", out, 1);
    split(1, 1, 1);
    DESC("smallest-fine", out, 1);
    DESC("none", one, 0);
    DESC("null-array", NULL, 1);
    DESC("null-array-none", NULL, 0);
    CHECK("null-out", cuda.cuDevResourceGenerateDesc(NULL, one, 1));
    memset(a, 0, sizeof a);
    DESC("zeroed", a, 1);
    a[0] = one[0];
    a[0].type = 0;
    DESC("type0", a, 1);
    a[0] = one[0];
    a[0].type = 2;
    DESC("type2", a, 1);
    a[0] = one[0];
    a[0].sm.smCount = 8;
    DESC("count-lowered", a, 1);
    a[0] = one[0];
    a[0].sm.smCount = 1000;
    DESC("count-raised", a, 1);
    memset(a, 0, sizeof a);
    a[0].type = 1;
    a[0].sm.smCount = 16;
    DESC("handmade", a, 1);
    a[0] = one[0];
    memset(&a[1], 0, sizeof *a);
    DESC("good-and-zeroed", a, 2);
}
GROUP(206, gccreate, "green-create")
{
    use_device();
    int act;
    unsigned fl;
    CUgreenCtx g = 0, g2 = 0;
    CUcontext c = 0, c2 = 0, cur = 0, prim = 0;
    CUdevResourceDesc d = 0;
    unsigned long long id = 0, id2 = 0;
    CUdevResource q;
    const char *o;
#define ACT(nm)                                                                                    \
    act = 9;                                                                                       \
    fl = 99;                                                                                       \
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);                                            \
    RECORD(nm, "active=%d flags=%u", act, fl)
    ACT("primary-0");
    split(2, 32, 0);
    CHECK("desc", cuda.cuDevResourceGenerateDesc(&d, out, 1));
    ACT("primary-after-desc");
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
    ACT("primary-after-failures");
    g = UNTOUCHED_HANDLE;
    CHECK("create", cuda.cuGreenCtxCreate(&g, d, device, 1), "h=%s", handle_state(g));
    NEEDGREEN(g);
    ACT("primary-after-create");
    cur = UNTOUCHED_HANDLE;
    CHECK("current-after-create", cuda.cuCtxGetCurrent(&cur), "null=%d", !cur);
    g2 = UNTOUCHED_HANDLE;
    CHECK("create-same-desc-again", cuda.cuGreenCtxCreate(&g2, d, device, 1), "h=%s other=%d",
          handle_state(g2), g2 != g);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("resource", cuda.cuGreenCtxGetDevResource(g, &q, 1), o = rs(&q);
               int s_ = !memcmp(&q, out, sizeof q), "%s same-as-given=%d", o, s_);
    static const int ty[] = {0, 2, 3, 1000, -1};
    for (size_t i = 0; i < COUNT_OF(ty); i++) {
        memset(&q, 0xa5, sizeof q);
        CHECK_THEN(format("resource-type%d", ty[i]), cuda.cuGreenCtxGetDevResource(g, &q, ty[i]),
                   o = rs(&q), "%s", o);
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
    ACT("primary-after-destroy-other");
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
    ACT("primary-after-destroy-all");
    CHECK("release-primary", cuda.cuDevicePrimaryCtxRelease(device));
    ACT("primary-after-release");
    CHECK("destroy-null", cuda.cuGreenCtxDestroy(NULL));
    CHECK("release-primary-again", cuda.cuDevicePrimaryCtxRelease(device));
}
GROUP(207, gcctx, "green-ctx")
{
    use_primary_context();
    CUgreenCtx g = green(32), g2 = 0;
    NEEDGREEN(g);
    CUcontext c = conv(g), cur, x;
    unsigned v;
    int i = 9;
    unsigned long long a, b;
    size_t z;
    CUdevResource q, d = devres();
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
    CHECK_THEN("ctx-resource", cuda.cuCtxGetDevResource(c, &q, 1), o = rs(&q);
               int s_ = !memcmp(&q, out, sizeof q), "%s same-as-given=%d", o, s_);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-null", cuda.cuCtxGetDevResource(NULL, &q, 1), o = rs(&q), "%s", o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-primary", cuda.cuCtxGetDevResource(context, &q, 1), o = rs(&q), "%s",
               o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("ctx-resource-of-green-handle", cuda.cuCtxGetDevResource((CUcontext)g, &q, 1),
               o = rs(&q), "%s", o);
    memset(&q, 0xa5, sizeof q);
    CHECK_THEN("green-resource-of-converted-handle",
               cuda.cuGreenCtxGetDevResource((CUgreenCtx)c, &q, 1), o = rs(&q), "%s", o);
    unsigned nb = 200;
    CUdevResource r3;
    cuda.cuGreenCtxGetDevResource(g, &q, 1);
    memset(&r3, 0xa5, sizeof r3);
    CHECK_THEN("split-its-resource", cuda.cuDevSmResourceSplitByCount(out, &nb, &q, &r3, 0, 8),
               o = rs(out), "nb=%u first=%s rem=%s", nb, o, rs(&r3));
    nb = 200;
    memset(&r3, 0xa5, sizeof r3);
    CHECK_THEN("split-its-resource-16", cuda.cuDevSmResourceSplitByCount(out, &nb, &q, &r3, 0, 16),
               o = rs(out), "nb=%u first=%s rem=%s", nb, o, rs(&r3));
    g2 = nb && nb < 200 ? mk(out, 1) : 0;
    RECORD("green-in-green", "made=%d", g2 != 0);
    if (g2) {
        memset(&q, 0xa5, sizeof q);
        cuda.cuGreenCtxGetDevResource(g2, &q, 1);
        RECORD("green-in-green-resource", "%s", rs(&q));
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
GROUP(208, gcmem, "green-memory")
{
    use_primary_context();
    CUgreenCtx g = green(32);
    NEEDGREEN(g);
    CUcontext c = conv(g), pc;
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
static int sm_used(CUdeviceptr p, unsigned *bits)
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
static CUresult sm_run(CUfunction f, CUstream s, CUdeviceptr p)
{
    unsigned spin = 3000;
    void *pa[] = {&p, &spin};
    cuda.cuMemsetD8(p, 0, 4096);
    cuda.cuCtxSynchronize();
    CUresult r = cuda.cuLaunchKernel(f, 1024, 1, 1, 32, 1, 1, 0, s, pa, NULL);
    return r ? r : cuda.cuStreamSynchronize(s);
}
GROUP(209, gclaunch, "green-launch")
{
    use_primary_context();
    CUmodule mp = 0, mg = 0;
    CUfunction fp = 0, fg = 0, fs = 0, fsg = 0;
    CUdeviceptr p = device_alloc(4096);
    unsigned b1[1000], b2[1000];
    must_work(cuda.cuModuleLoadData(&mp, kernels_ptx), "cuModuleLoadData");
    cuda.cuModuleGetFunction(&fp, mp, "incr");
    cuda.cuModuleGetFunction(&fs, mp, "smids");
    unsigned n = split(2, 32, 0);
    CUgreenCtx g = n == 2 ? mk(out, 1) : 0, g2 = n == 2 ? mk(out + 1, 1) : 0;
    NEEDGREEN(g && g2);
    CUcontext c = conv(g), fc;
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
#define risky_device(nm)                                                                           \
    memset(v, 0, sizeof v);                                                                        \
    cuda.cuMemcpyDtoH(v, p, 256);                                                                  \
    RECORD(nm, "v=%u,%u", v[0], v[63])
    CHECK("primary-function-green-stream",
          cuda.cuLaunchKernel(fp, 1, 1, 1, 64, 1, 1, 0, s, pa, NULL));
    cuda.cuStreamSynchronize(s);
    risky_device("after1");
    cuda.cuCtxSetCurrent(c);
    CHECK("primary-function-green-current-null-stream",
          cuda.cuLaunchKernel(fp, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("sync1", cuda.cuCtxSynchronize());
    risky_device("after2");
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
    risky_device("after3");
    cuda.cuCtxSetCurrent(context);
    CHECK("green-function-primary-null-stream",
          cuda.cuLaunchKernel(fg, 1, 1, 1, 64, 1, 1, 0, 0, pa, NULL));
    CHECK("sync3", cuda.cuCtxSynchronize());
    risky_device("after4");
    CUdeviceptr gvp = 0;
    size_t gz = 0;
    CHECK("green-module-global", cuda.cuModuleGetGlobal(&gvp, &gz, mg, "gv"), "size=%zu", gz);
    (void)fc;
    unsigned all = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    int u;
    CHECK_THEN("sms-primary", sm_run(fs, 0, p), u = sm_used(p, NULL), "within-device=%d",
               u <= (int)all);
    CHECK_THEN("sms-green-stream", sm_run(fs, s, p), u = sm_used(p, b1),
               "within-green=%d used-some=%d", u <= (int)q.sm.smCount, u > 0);
    CHECK_THEN("sms-green-stream2", sm_run(fs, s2, p), u = sm_used(p, b2), "within-green=%d",
               u <= (int)q.sm.smCount);
    int ov = 0;
    for (int i = 0; i < 1000; i++)
        ov += b1[i] && b2[i];
    RECORD("sms-disjoint", "overlap=%s", ov ? "some" : "none");
    cuda.cuCtxSetCurrent(c);
    CHECK_THEN("sms-green-null-stream", sm_run(fs, 0, p), u = sm_used(p, NULL), "within-green=%d",
               u <= (int)q.sm.smCount);
    CUstream s3 = stream_new(1);
    CHECK_THEN("sms-green-created-stream", sm_run(fs, s3, p), u = sm_used(p, NULL),
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
GROUP(210, gcstream, "green-stream")
{
    use_primary_context();
    mk_p = pinned_alloc(4096);
    CUgreenCtx g = green(32), q;
    NEEDGREEN(g);
    CUcontext c = conv(g), x;
    CUstream s, s1 = 0;
    unsigned f;
    int pr, d;
    unsigned long long id;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 0x10, ~0u};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        s = UNTOUCHED_HANDLE;
        f = 99;
        CHECK_THEN(
            format("flags%x", fl[i]), cuda.cuGreenCtxStreamCreate(&s, g, fl[i], 0),
            if (!result) {
                cuda.cuStreamGetFlags(s, &f);
                cuda.cuStreamDestroy(s);
            },
            "s=%s flags=%u", handle_state(s), f);
    }
    for (int p = -8; p <= 3; p++) {
        s = UNTOUCHED_HANDLE;
        pr = 99;
        CHECK_THEN(
            format("prio%d", p), cuda.cuGreenCtxStreamCreate(&s, g, 1, p),
            if (!result) {
                cuda.cuStreamGetPriority(s, &pr);
                cuda.cuStreamDestroy(s);
            },
            "p=%d", pr);
    }
    CHECK("null-out", cuda.cuGreenCtxStreamCreate(NULL, g, 1, 0));
    s = UNTOUCHED_HANDLE;
    CHECK("null-green", cuda.cuGreenCtxStreamCreate(&s, NULL, 1, 0), "s=%s", handle_state(s));
    cuda.cuCtxSetCurrent(c);
    s = UNTOUCHED_HANDLE;
    CHECK_THEN("null-green-when-current", cuda.cuGreenCtxStreamCreate(&s, NULL, 1, 0),
               if (!result) cuda.cuStreamDestroy(s), "s=%s", handle_state(s));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("create-no-current", cuda.cuGreenCtxStreamCreate(&s1, g, 1, 0));
    x = UNTOUCHED_HANDLE;
    CHECK("current-after", cuda.cuCtxGetCurrent(&x), "null=%d", !x);
    CUstream sg = 0, sgb = 0, sp = 0, so = 0;
    cuda.cuCtxSetCurrent(c);
    CHECK("streamcreate-in-green", cuda.cuStreamCreate(&sg, 1));
    CHECK("streamcreate-blocking-in-green", cuda.cuStreamCreate(&sgb, 0));
    CHECK("streamcreate-prio-in-green", cuda.cuStreamCreateWithPriority(&s, 1, -1));
    cuda.cuStreamDestroy(s);
    cuda.cuCtxSetCurrent(context);
    sp = stream_new(1);
    CUcontext oc = context_new();
    so = stream_new(1);
    cuda.cuCtxSetCurrent(context);
    CUstream st[] = {s1, sg, sgb, sp, so, 0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    static const char *sn[] = {"greenapi", "in-green", "in-green-blocking", "primary", "other-ctx",
                               "null",     "legacy",   "perthread"};
    CUcontext cur[] = {context, c, NULL, oc};
    static const char *cn[] = {"primary", "green", "none", "other"};
#define WHO(v)                                                                                     \
    ((v) == c                          ? "converted"                                               \
     : (v) == context                  ? "primary"                                                 \
     : (v) == oc                       ? "other"                                                   \
     : !(v)                            ? "null"                                                    \
     : (void *)(v) == UNTOUCHED_HANDLE ? "kept"                                                    \
                                       : "else")
#define WHOG(v)                                                                                    \
    ((v) == g ? "green" : !(v) ? "null" : (void *)(v) == UNTOUCHED_HANDLE ? "kept" : "else")
    for (int k = 0; k < 4; k++) {
        cuda.cuCtxSetCurrent(cur[k]);
        for (size_t i = 0; i < COUNT_OF(st); i++) {
            q = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getgreen", cn[k], sn[i]), cuda.cuStreamGetGreenCtx(st[i], &q),
                  "%s", WHOG(q));
            x = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getctx", cn[k], sn[i]), cuda.cuStreamGetCtx(st[i], &x), "%s",
                  WHO(x));
            x = UNTOUCHED_HANDLE;
            q = UNTOUCHED_HANDLE;
            CHECK(format("cur-%s/%s/getctx2", cn[k], sn[i]), cuda.cuStreamGetCtx_v2(st[i], &x, &q),
                  "%s %s", WHO(x), WHOG(q));
            d = 9;
            CHECK(format("cur-%s/%s/getdevice", cn[k], sn[i]), cuda.cuStreamGetDevice(st[i], &d),
                  "%d", d);
            f = 99;
            CHECK(format("cur-%s/%s/getflags", cn[k], sn[i]), cuda.cuStreamGetFlags(st[i], &f),
                  "%u", f);
            id = 0;
            CHECK(format("cur-%s/%s/getid", cn[k], sn[i]), cuda.cuStreamGetId(st[i], &id), "set=%d",
                  id != 0);
            CHECK(format("cur-%s/%s/query", cn[k], sn[i]), cuda.cuStreamQuery(st[i]));
            CHECK(format("cur-%s/%s/sync", cn[k], sn[i]), cuda.cuStreamSynchronize(st[i]));
        }
    }
    cuda.cuCtxSetCurrent(context);
    CHECK("getgreen-null-out", cuda.cuStreamGetGreenCtx(s1, NULL));
    CHECK("getctx2-null-ctx", cuda.cuStreamGetCtx_v2(s1, NULL, &q));
    CHECK("getctx2-null-green", cuda.cuStreamGetCtx_v2(s1, &x, NULL));
    CHECK("getctx-null", cuda.cuStreamGetCtx(s1, NULL));
    /* does the blocking stream of a green context wait for its null stream, and for the primary's?
     */
    struct blocker b;
    memset(&b, 0, sizeof b);
    b.limit_ms = 3000;
    cuda.cuCtxSetCurrent(c);
    CHECK("block-null-stream", stream_block(0, &b));
    usleep(20000);
    CHECK("query-blocking-while-null-blocked", cuda.cuStreamQuery(sgb));
    CHECK("query-null", cuda.cuStreamQuery(0));
    int e;
    CHECK("work-on-blocking", mark(sgb, &e));
    usleep(60000);
    RECORD("blocking-waits", "ran=%d", ran(e));
    CHECK("work-on-nonblocking", mark(sg, &e));
    usleep(60000);
    RECORD("nonblocking-runs", "ran=%d", ran(e));
    CHECK("work-on-greenapi", mark(s1, &e));
    usleep(60000);
    RECORD("greenapi-runs", "ran=%d", ran(e));
    cuda.cuCtxSetCurrent(context);
    CHECK("primary-null-query-while-green-null-blocked", cuda.cuStreamQuery(0));
    CHECK("work-on-primary-null", mark(0, &e));
    usleep(60000);
    RECORD("primary-null-runs", "ran=%d", ran(e));
    int e2;
    CHECK("work-on-primary-stream", mark(sp, &e2));
    usleep(60000);
    RECORD("primary-stream-runs", "ran=%d", ran(e2));
    stream_unblock(&b);
    cuda.cuCtxSynchronize();
    cuda.cuCtxSetCurrent(c);
    CHECK("sync-all", cuda.cuCtxSynchronize());
    CHECK("destroy-stream-greenapi", cuda.cuStreamDestroy(s1));
    cuda.cuCtxSetCurrent(context);
    CHECK("destroy-stream-in-green-from-primary", cuda.cuStreamDestroy(sg));
    CHECK("destroy-blocking", cuda.cuStreamDestroy(sgb));
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
}
GROUP(211, gcevent, "green-event")
{
    use_primary_context();
    mk_p = pinned_alloc(4096);
    unsigned n = split(2, 32, 0);
    CUgreenCtx g = n == 2 ? mk(out, 1) : 0, g2 = n == 2 ? mk(out + 1, 1) : 0;
    NEEDGREEN(g && g2);
    CUcontext c = conv(g);
    CUstream s = 0, s2 = 0, sb = 0, sp = stream_new(1);
    CUevent e = event_new(2), et = event_new(0), eo, eb;
    struct blocker b;
    float ms = 0;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    cuda.cuGreenCtxStreamCreate(&s2, g2, 1, 0);
    cuda.cuGreenCtxStreamCreate(&sb, g, 1, 0);
    CHECK("record-idle", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("query-idle", cuda.cuEventQuery(e));
    CHECK("sync-idle", cuda.cuEventSynchronize(e));
    CHECK("record-timed", cuda.cuGreenCtxRecordEvent(g, et));
    cuda.cuEventSynchronize(et);
    CHECK("elapsed", cuda.cuEventElapsedTime(&ms, et, et));
    CHECK("record-null-green", cuda.cuGreenCtxRecordEvent(NULL, e));
    CHECK("record-null-event", cuda.cuGreenCtxRecordEvent(g, NULL));
    CHECK("wait-null-green", cuda.cuGreenCtxWaitEvent(NULL, e));
    CHECK("wait-null-event", cuda.cuGreenCtxWaitEvent(g, NULL));
    cuda.cuCtxSetCurrent(c);
    CHECK("record-null-green-when-current", cuda.cuGreenCtxRecordEvent(NULL, e));
    cuda.cuCtxSetCurrent(context);
    CUevent en_ = event_new(2);
    CHECK("wait-unrecorded", cuda.cuGreenCtxWaitEvent(g, en_));
    CHECK("query-unrecorded", cuda.cuEventQuery(en_));
    CUcontext oc = context_new();
    eo = event_new(2);
    eb = event_new(1);
    CUstream so = stream_new(1);
    cuda.cuEventRecord(eo, so);
    cuda.cuCtxSetCurrent(context);
    CHECK("record-other-ctx-event", cuda.cuGreenCtxRecordEvent(g, eo));
    CHECK("wait-other-ctx-event", cuda.cuGreenCtxWaitEvent(g, eo));
    (void)oc;
    (void)eb;
    cuda.cuCtxSetCurrent(NULL);
    CHECK("record-no-current", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("wait-no-current", cuda.cuGreenCtxWaitEvent(g, e));
    cuda.cuCtxSetCurrent(c);
    CUevent eg = event_new(2);
    CHECK("record-event-made-in-green", cuda.cuGreenCtxRecordEvent(g, eg));
    CHECK("record-on-other-green", cuda.cuGreenCtxRecordEvent(g2, eg));
    CHECK("eventrecord-green-event-on-primary-stream", cuda.cuEventRecord(eg, sp));
    CHECK("eventrecord-primary-event-on-green-stream", cuda.cuEventRecord(e, s));
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxSynchronize();
    cuda.cuStreamSynchronize(s);
    cuda.cuStreamSynchronize(s2);
    int w, w3, wp, wb;
    CUstream s3 = 0;
    cuda.cuGreenCtxStreamCreate(&s3, g2, 1,
                                0); /* which streams an event of a whole green context holds back */
    memset(&b, 0, sizeof b);
    b.limit_ms = 6000;
    CHECK("block-stream", stream_block(s, &b));
    usleep(20000);
    CHECK("record-busy", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("query-busy", cuda.cuEventQuery(e));
    CHECK("record-other-green-busy", cuda.cuGreenCtxRecordEvent(g2, et));
    usleep(60000);
    CHECK("query-other-green", cuda.cuEventQuery(et));
    CHECK("ctx-record-primary-busy", cuda.cuCtxRecordEvent(context, en_));
    usleep(60000);
    CHECK("query-primary-busy", cuda.cuEventQuery(en_));
    CHECK("wait-on-other-green", cuda.cuGreenCtxWaitEvent(g2, e));
    CHECK("work-after-wait", mark(s2, &w));
    usleep(60000);
    RECORD("waits", "ran=%d", ran(w));
    CHECK("work-on-second-stream", mark(s3, &w3));
    usleep(60000);
    RECORD("second-stream-waits", "ran=%d", ran(w3));
    CHECK("work-on-primary-stream", mark(sp, &wp));
    usleep(60000);
    RECORD("primary-stream-waits", "ran=%d", ran(wp));
    CHECK("work-on-sibling-stream", mark(sb, &wb));
    usleep(60000);
    RECORD("sibling-stream-waits", "ran=%d", ran(wb));
    CUstream s4 = 0;
    CHECK("stream-made-after-wait", cuda.cuGreenCtxStreamCreate(&s4, g2, 1, 0));
    int w4;
    CHECK("work-on-stream-made-after-wait", mark(s4, &w4));
    usleep(60000);
    RECORD("stream-made-after-wait-waits", "ran=%d", ran(w4));
    RECORD("still-blocked", "%d", !b.done);
    stream_unblock(&b);
    CHECK("event-sync", cuda.cuEventSynchronize(e));
    CHECK("query-after", cuda.cuEventQuery(e));
    cuda.cuStreamSynchronize(s2);
    cuda.cuStreamSynchronize(s3);
    cuda.cuStreamSynchronize(s4);
    cuda.cuStreamSynchronize(s);
    RECORD("ran-after", "w=%d w3=%d w4=%d", ran(w), ran(w3), ran(w4));
    memset(&b, 0, sizeof b);
    b.limit_ms = 6000;
    CHECK("block-primary-stream", stream_block(sp, &b));
    usleep(20000);
    cuda.cuEventRecord(e, sp);
    CHECK("green-wait-primary-event", cuda.cuGreenCtxWaitEvent(g, e));
    CHECK("stream-after-wait", mark(s, &w));
    cuda.cuCtxSetCurrent(c);
    CHECK("null-stream-after-wait", mark(0, &wp));
    usleep(100000);
    RECORD("waits2", "stream=%d null=%d", ran(w), ran(wp));
    stream_unblock(&b);
    CHECK("sync-green-ctx", cuda.cuCtxSynchronize());
    RECORD("ran2", "stream=%d null=%d", ran(w), ran(wp));
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxSynchronize();
    cuda.cuStreamSynchronize(s);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    cuda.cuCtxSetCurrent(context);
    CHECK("primary-ctx-sync-while-green-busy", cuda.cuCtxSynchronize(), "green-done=%d", b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s2, &b);
    cuda.cuCtxSetCurrent(c);
    CHECK("green-ctx-sync-while-other-green-busy", cuda.cuCtxSynchronize(), "other-done=%d",
          b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s2);
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    CHECK("green-ctx-sync-while-own-busy", cuda.cuCtxSynchronize(), "own-done=%d", b.done);
    stream_unblock(&b);
    cuda.cuStreamSynchronize(s);
    cuda.cuEventDestroy(eg);
    CHECK("record-destroyed-event", cuda.cuGreenCtxRecordEvent(g, eg));
}
GROUP(212, gcdestroy, "green-destroy")
{
    use_primary_context();
    CUgreenCtx g = green(32), q;
    NEEDGREEN(g);
    CUcontext c = conv(g), x, y;
    CUstream s = 0, s2 = 0;
    CUevent e = event_new(2);
    unsigned f;
    unsigned long long id;
    CUdeviceptr m = 0;
    CUdevResource r;
    int i;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    cuda.cuCtxSetCurrent(c);
    s2 = stream_new(1);
    CUevent eg = event_new(2);
    CUdeviceptr gm = device_alloc(4096);
    struct blocker b;
    memset(&b, 0, sizeof b);
    b.limit_ms = 300;
    stream_block(s, &b);
    CHECK("destroy-current-busy-with-streams", cuda.cuGreenCtxDestroy(g));
    RECORD("waited", "done=%d", b.done);
    x = UNTOUCHED_HANDLE;
    CHECK("current", cuda.cuCtxGetCurrent(&x), "converted=%d null=%d primary=%d", x == c, !x,
          x == context);
    CHECK("device", cuda.cuCtxGetDevice(&i));
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("alloc", cuda.cuMemAlloc(&m, 64));
    CHECK("nullstream-query", cuda.cuStreamQuery(0));
    CHECK("streamcreate", cuda.cuStreamCreate(&s2, 1));
    CHECK("flags", cuda.cuCtxGetFlags(&f));
    CHECK("apiversion", cuda.cuCtxGetApiVersion(c, &f));
    CHECK("ctxid", cuda.cuCtxGetId(NULL, &id));
    CHECK("ctx-resource", cuda.cuCtxGetDevResource(NULL, &r, 1));
    CHECK("green-id-null", cuda.cuGreenCtxGetId(NULL, &id));
    x = 0;
    CHECK("pop", cuda.cuCtxPopCurrent(&x), "converted=%d", x == c);
    cuda.cuCtxSetCurrent(context);
    CHECK("stream-query", cuda.cuStreamQuery(s));
    CHECK("stream-sync", cuda.cuStreamSynchronize(s));
    CHECK("stream-flags", cuda.cuStreamGetFlags(s, &f));
    q = UNTOUCHED_HANDLE;
    CHECK("stream-getgreen", cuda.cuStreamGetGreenCtx(s, &q));
    CHECK("stream-getctx", cuda.cuStreamGetCtx(s, &y));
    CHECK("stream-memset", cuda.cuMemsetD8Async(gm, 1, 64, s));
    CHECK("stream-waitevent", cuda.cuStreamWaitEvent(s, e, 0));
    CHECK("stream-eventrecord", cuda.cuEventRecord(e, s));
    CHECK("stream-launchhost", stream_block(s, &b));
    CHECK("stream-destroy", cuda.cuStreamDestroy(s));
    CHECK("event-made-in-green-record", cuda.cuEventRecord(eg, 0));
    CHECK("event-made-in-green-query", cuda.cuEventQuery(eg));
    CHECK("event-made-in-green-destroy", cuda.cuEventDestroy(eg));
    unsigned char h[64];
    CHECK("memory", cuda.cuMemcpyDtoH(h, gm, 64));
    CHECK("memory-free", cuda.cuMemFree(gm));
    CHECK("primary-sync", cuda.cuCtxSynchronize());
    CHECK("set-current", cuda.cuCtxSetCurrent(c));
    CHECK("push-current", cuda.cuCtxPushCurrent(c));
    cuda.cuCtxSetCurrent(context);
    CHECK("convert", cuda.cuCtxFromGreenCtx(&x, g));
    CHECK("id", cuda.cuGreenCtxGetId(g, &id));
    CHECK("resource", cuda.cuGreenCtxGetDevResource(g, &r, 1));
    CHECK("ctx-resource-of-converted", cuda.cuCtxGetDevResource(c, &r, 1));
    CHECK("record", cuda.cuGreenCtxRecordEvent(g, e));
    CHECK("wait", cuda.cuGreenCtxWaitEvent(g, e));
    CHECK("gstream", cuda.cuGreenCtxStreamCreate(&s, g, 1, 0));
    CHECK("destroy-again", cuda.cuGreenCtxDestroy(g));
    CHECK("primary-sync2", cuda.cuCtxSynchronize());
    CHECK("primary-alloc", cuda.cuMemAlloc(&m, 64));
}
GROUP(213, gcprim, "green-primary")
{
    use_primary_context();
    CUgreenCtx g = green(32);
    NEEDGREEN(g);
    CUcontext c = conv(g), x;
    CUstream s = 0;
    CUdeviceptr m = 0;
    unsigned long long id;
    CUdevResource r;
    unsigned fl;
    int act;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    CHECK("release-primary", cuda.cuDevicePrimaryCtxRelease(device));
    ACT("state-after-release");
    cuda.cuCtxSetCurrent(c);
    CHECK("alloc", cuda.cuMemAlloc(&m, 64));
    CHECK("release-primary-2", cuda.cuDevicePrimaryCtxRelease(device));
    ACT("state-after-release2");
    CHECK("alloc2", cuda.cuMemAlloc(&m, 64));
    CHECK("stream-query", cuda.cuStreamQuery(s));
    CHECK("green-id", cuda.cuGreenCtxGetId(g, &id));
    CHECK("green-resource", cuda.cuGreenCtxGetDevResource(g, &r, 1));
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
    ACT("state-after-destroy");
    CHECK("retain", cuda.cuDevicePrimaryCtxRetain(&x, device));
    cuda.cuCtxSetCurrent(x);
    CHECK("alloc3", cuda.cuMemAlloc(&m, 64));
    g = green(32);
    c = conv(g);
    s = 0;
    cuda.cuGreenCtxStreamCreate(&s, g, 1, 0);
    CHECK("reset-primary", cuda.cuDevicePrimaryCtxReset(device));
    ACT("state-after-reset");
    CHECK("green-id-after-reset", cuda.cuGreenCtxGetId(g, &id));
    CHECK("stream-query-after-reset", cuda.cuStreamQuery(s));
    CHECK("set-current-after-reset", cuda.cuCtxSetCurrent(c));
    CHECK("alloc-after-reset", cuda.cuMemAlloc(&m, 64));
    CHECK("destroy-after-reset", cuda.cuGreenCtxDestroy(g));
    ACT("state-end");
}
GROUP(214, gcmany, "green-many")
{
    use_primary_context();
    CUgreenCtx g[80];
    CUdevResource q;
    unsigned n = split(200, 8, 0), made = 0;
    RECORD("coarse", "groups=%u", n);
    if (case_begin("create-each")) {
        for (unsigned i = 0; i < n && i < 80; i++)
            made += (g[i] = mk(out + i, 1)) != 0;
        case_info("made=%u of %u", made, n);
    }
    for (unsigned i = 0; i < n && i < 80; i++)
        if (g[i])
            cuda.cuGreenCtxDestroy(g[i]);
    made = 0;
    if (case_begin("create-same-16-times")) {
        for (unsigned i = 0; i < 16; i++)
            made += (g[i] = mk(out, 1)) != 0;
        case_info("made=%u", made);
    }
    for (unsigned i = 0; i < 16; i++)
        if (g[i])
            cuda.cuGreenCtxDestroy(g[i]);
    static const unsigned cn[] = {1, 2, 4, 8, 10, 16, 24, 40, 64, 100, 128, 132};
    for (unsigned f = 0; f < 4; f++)
        for (size_t i = 0; i < COUNT_OF(cn); i++) {
            unsigned k = split(1, cn[i], f);
            CUgreenCtx h = 0;
            memset(&q, 0xa5, sizeof q);
            if (case_begin(format("f%u.n%u", f, cn[i]))) {
                h = k ? mk(out, 1) : 0;
                if (h)
                    cuda.cuGreenCtxGetDevResource(h, &q, 1);
                case_info("split=%u made=%d %s", k, h != 0, rs(&q));
            }
            if (h)
                cuda.cuGreenCtxDestroy(h);
            CUgreenCtx hr = 0;
            memset(&q, 0xa5, sizeof q);
            if (case_begin(format("f%u.n%u-remainder", f, cn[i]))) {
                hr = k && rem.type == 1 ? mk(&rem, 1) : 0;
                if (hr)
                    cuda.cuGreenCtxGetDevResource(hr, &q, 1);
                case_info("made=%d %s", hr != 0, rs(&q));
            }
            if (hr)
                cuda.cuGreenCtxDestroy(hr);
        }
}
static CUcontext thc;
static void *thr(void *u)
{
    CUresult *r = u;
    CUdeviceptr m = 0;
    CUcontext x = 0;
    r[0] = cuda.cuCtxSetCurrent(thc);
    cuda.cuCtxGetCurrent(&x);
    r[1] = cuda.cuMemAlloc(&m, 64);
    r[2] = cuda.cuCtxSynchronize();
    r[3] = x == thc;
    return 0;
}
GROUP(215, gcthread, "green-thread")
{
    use_primary_context();
    CUgreenCtx g = green(32);
    NEEDGREEN(g);
    thc = conv(g);
    CUresult r[4] = {0};
    pthread_t t;
    CHECK("set-here", cuda.cuCtxSetCurrent(thc));
    if (case_begin("other-thread")) {
        pthread_create(&t, 0, thr, r);
        pthread_join(t, 0);
        case_info("set=%s current=%d alloc=%s sync=%s", result_name(r[0]), (int)r[3],
                  result_name(r[1]), result_name(r[2]));
    }
    CHECK("here-after", cuda.cuCtxSynchronize());
    cuda.cuCtxSetCurrent(NULL);
    if (case_begin("other-thread-not-current-here")) {
        pthread_create(&t, 0, thr, r);
        pthread_join(t, 0);
        case_info("set=%s current=%d alloc=%s sync=%s", result_name(r[0]), (int)r[3],
                  result_name(r[1]), result_name(r[2]));
    }
    CHECK("destroy", cuda.cuGreenCtxDestroy(g));
}
/* garbage handles */
static CUcontext xc;
static CUstream xs;
static unsigned long long xid;
static CUdevResource xr;
static CUgreenCtx xg;
static CUdevResourceDesc xd;
static CUevent xe(void)
{
    return event_new(2);
}
RISKY_HANDLE(290, cuGreenCtxDestroy, cuda.cuGreenCtxDestroy(bad_handle))

RISKY_HANDLE(290, cuCtxFromGreenCtx, cuda.cuCtxFromGreenCtx(&xc, bad_handle))

RISKY_HANDLE(290, cuGreenCtxGetDevResource, cuda.cuGreenCtxGetDevResource(bad_handle, &xr, 1))

RISKY_HANDLE(290, cuGreenCtxGetId, cuda.cuGreenCtxGetId(bad_handle, &xid))

RISKY_HANDLE(290, cuGreenCtxStreamCreate, cuda.cuGreenCtxStreamCreate(&xs, bad_handle, 1, 0))

RISKY_HANDLE(290, cuGreenCtxRecordEvent, cuda.cuGreenCtxRecordEvent(bad_handle, xe()))

RISKY_HANDLE(290, cuGreenCtxWaitEvent, cuda.cuGreenCtxWaitEvent(bad_handle, xe()))

RISKY_HANDLE(290, cuGreenCtxCreate, cuda.cuGreenCtxCreate(&xg, bad_handle, 0, 1))

RISKY_HANDLE(290, cuCtxGetDevResource, cuda.cuCtxGetDevResource(bad_handle, &xr, 1))

RISKY_HANDLE(290, cuStreamGetGreenCtx, cuda.cuStreamGetGreenCtx(bad_handle, &xg))

RISKY_HANDLE(290, cuDevResourceGenerateDesc, cuda.cuDevResourceGenerateDesc(&xd, bad_handle, 1))

RISKY_HANDLE(290, cuDevSmResourceSplitByCount,
             cuda.cuDevSmResourceSplitByCount(NULL, &(unsigned){1}, bad_handle, NULL, 0, 8))

RISKY_HANDLE(290, cuStreamGetCtx_v2, cuda.cuStreamGetCtx_v2(bad_handle, &xc, &xg))
