/* SPDX-License-Identifier: MIT */
/* Resources of devices and contexts: queries, splits and descriptors. */
#include "green.h"

GROUP(200, green_resource, "green-resource")
{
    use_device();
    CUdevResource r;
    int sms = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    RECORD("device", "multiprocessors=%d sizeof=%zu", sms, sizeof(CUdevResource));
    static const int ty[] = {0, 1, 2, 3, 4, 1000, 10000, -1, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(ty); i++) {
        memset(&r, 0xa5, sizeof r);
        CHECK_THEN(format("device-type%d", ty[i]), cuda.cuDeviceGetDevResource(device, &r, ty[i]),
                   const char *o = resource_text(&r), "%s", o);
    }
    r = device_resource();
    RECORD("device-fields", "%s", resource_text_full(&r));
    RECORD("device-all-sms", "%d", (int)r.sm.smCount == sms);
    CUdevResource r2 = device_resource();
    RECORD("device-twice", "same-bytes=%d", !memcmp(&r, &r2, sizeof r));
    static const int dv[] = {-1, 1, 2, 99, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(dv); i++) {
        memset(&r, 0xa5, sizeof r);
        CHECK_THEN(format("device-bad%d", dv[i]), cuda.cuDeviceGetDevResource(dv[i], &r, 1),
                   const char *o = resource_text(&r), "%s", o);
    }
    CHECK("device-null-out", cuda.cuDeviceGetDevResource(device, NULL, 1));
    CHECK("device-null-out-bad-type", cuda.cuDeviceGetDevResource(device, NULL, 7));
    CHECK("device-bad-dev-null-out", cuda.cuDeviceGetDevResource(99, NULL, 1));
    CHECK("device-bad-dev-bad-type", cuda.cuDeviceGetDevResource(99, &r, 7));
    memset(&r, 0xa5, sizeof r);
    CHECK_THEN("ctx-null-none-current", cuda.cuCtxGetDevResource(NULL, &r, 1),
               const char *o = resource_text(&r), "%s", o);
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);
    RECORD("primary-active-after-queries", "%d", act);
}

GROUP(201, green_ctx_resource, "green-ctx-resource")
{
    use_primary_context();
    CUdevResource r, d = device_resource();
    CUcontext c = context_new(), cur = 0;
    cuda.cuCtxGetCurrent(&cur);
#define CHECK_RESOURCE(nm, call)                                                                   \
    do {                                                                                           \
        memset(&r, 0xa5, sizeof r);                                                                \
        CHECK_THEN(nm, call, const char *o = resource_text(&r);                                    \
                   int s_ = !memcmp(&r, &d, sizeof r), "%s same-as-device=%d", o, s_);             \
    } while (0)
    CHECK_RESOURCE("primary", cuda.cuCtxGetDevResource(context, &r, 1));
    CHECK_RESOURCE("created", cuda.cuCtxGetDevResource(c, &r, 1));
    CHECK_RESOURCE("null", cuda.cuCtxGetDevResource(NULL, &r, 1));
    cuda.cuCtxSetCurrent(NULL);
    CHECK_RESOURCE("null-no-current", cuda.cuCtxGetDevResource(NULL, &r, 1));
    CHECK_RESOURCE("primary-no-current", cuda.cuCtxGetDevResource(context, &r, 1));
    cuda.cuCtxSetCurrent(context);
    static const int ty[] = {0, 2, 3, 1000, 10000, -1};
    for (size_t i = 0; i < COUNT_OF(ty); i++)
        CHECK_RESOURCE(format("type%d", ty[i]), cuda.cuCtxGetDevResource(context, &r, ty[i]));
    CHECK("null-out", cuda.cuCtxGetDevResource(context, NULL, 1));
    cuda.cuCtxDestroy(c);
    CHECK_RESOURCE("destroyed", cuda.cuCtxGetDevResource(c, &r, 1));
    CHECK_RESOURCE("greenapi-null", cuda.cuGreenCtxGetDevResource(NULL, &r, 1));
    CHECK_RESOURCE("greenapi-primary", cuda.cuGreenCtxGetDevResource((CUgreenCtx)context, &r, 1));
}

GROUP(202, green_split_query, "green-split-query")
{
    use_device();
    cases_independent = 1;
    CUdevResource d = device_resource();
    int sms = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (sms < 1 || sms > 200)
        sms = 132;
    for (unsigned f = 0; f < 4; f++)
        for (unsigned n = 0; n <= 142; n++) {
            unsigned nb = 777;
            memset(&split_rest, 0xa5, sizeof split_rest);
            CHECK_THEN(format("f%u.n%u", f, n),
                       cuda.cuDevSmResourceSplitByCount(NULL, &nb, &d, &split_rest, f, n),
                       const char *o = resource_text(&split_rest), "nb=%u rem=%s", nb, o);
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

GROUP(203, green_split, "green-split")
{
    use_device();
    cases_independent = 1;
    CUdevResource d = device_resource();
    for (unsigned f = 0; f < 4; f++)
        for (unsigned n = 0; n <= 142; n++) {
            unsigned nb = 200;
            memset(split_groups, 0xa5, sizeof split_groups);
            memset(&split_rest, 0xa5, sizeof split_rest);
            CHECK_THEN(format("f%u.n%u", f, n),
                       cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &d, &split_rest, f, n),
                       unsigned eq = 1;
                       for (unsigned i = 1; i < nb && i < 200; i++) eq &=
                       split_groups[i].sm.smCount == split_groups[0].sm.smCount;
                       const char *o = resource_text(&split_groups[0]);
                       const char *p = resource_text(&split_groups[nb && nb < 200 ? nb : 200]);
                       const char *q = resource_text(&split_rest),
                       "nb=%u first=%s equal=%u beyond=%s rem=%s", nb, o, eq, p, q);
        }
    static const unsigned want[] = {0, 1, 2, 3, 4, 8, 15, 16, 17, 32, 66, 67},
                          cnt[] = {0, 1, 2, 8, 16, 17, 32, 64, 66, 100, 132};
    for (unsigned f = 0; f < 4; f++)
        for (size_t i = 0; i < COUNT_OF(want); i++)
            for (size_t k = 0; k < COUNT_OF(cnt); k++) {
                unsigned nb = want[i];
                memset(split_groups, 0xa5, sizeof split_groups);
                memset(&split_rest, 0xa5, sizeof split_rest);
                CHECK_THEN(
                    format("f%u.want%u.n%u", f, want[i], cnt[k]),
                    cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &d, &split_rest, f, cnt[k]),
                    const char *o = resource_text(&split_groups[0]);
                    const char *q = resource_text(&split_rest), "nb=%u first=%s rem=%s", nb, o, q);
            }
}

GROUP(204, green_split_args, "green-split-args")
{
    use_device();
    CUdevResource d = device_resource(), x;
    unsigned nb = 4;
    const char *o;
    CHECK("nb-null", cuda.cuDevSmResourceSplitByCount(split_groups, NULL, &d, &split_rest, 0, 8));
    CHECK("nb-null-query", cuda.cuDevSmResourceSplitByCount(NULL, NULL, &d, &split_rest, 0, 8));
    CHECK("input-null",
          cuda.cuDevSmResourceSplitByCount(split_groups, &nb, NULL, &split_rest, 0, 8), "nb=%u",
          nb);
    nb = 4;
    CHECK("remaining-null", cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &d, NULL, 0, 8),
          "nb=%u", nb);
    nb = 4;
    CHECK("all-null", cuda.cuDevSmResourceSplitByCount(NULL, NULL, NULL, NULL, 0, 0));
    memset(&x, 0, sizeof x);
    nb = 4;
    CHECK("input-zero", cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8),
          "nb=%u", nb);
    x = d;
    x.type = 0;
    nb = 4;
    CHECK("input-type0", cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8),
          "nb=%u", nb);
    x = d;
    x.type = 2;
    nb = 4;
    CHECK("input-type2", cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8),
          "nb=%u", nb);
    memset(&x, 0xff, sizeof x);
    x.type = 1;
    nb = 4;
    CHECK("input-garbage",
          cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8), "nb=%u", nb);
    memset(&x, 0, sizeof x);
    x.type = 1;
    x.sm.smCount = 132;
    nb = 4;
    CHECK("input-handmade",
          cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8), "nb=%u", nb);
    x = d;
    x.sm.smCount = 64;
    nb = 200;
    CHECK_THEN("input-count-lowered",
               cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8),
               o = resource_text(&split_rest), "nb=%u rem=%s", nb, o);
    x = d;
    x.sm.smCount = 400;
    nb = 200;
    CHECK_THEN("input-count-raised",
               cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 8),
               o = resource_text(&split_rest), "nb=%u rem=%s", nb, o);
    x = d;
    x.sm.minSmPartitionSize = 1;
    nb = 200;
    CHECK_THEN("input-min-lowered",
               cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &x, &split_rest, 0, 2),
               o = resource_text(split_groups), "nb=%u first=%s", nb, o);
    nb = 2;
    cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &d, &split_rest, 0, 32);
    RECORD("made", "nb=%u first=%s rem=%s", nb, resource_text(split_groups),
           resource_text(&split_rest));
    static CUdevResource o2[64];
    CUdevResource r2;
    unsigned n2 = 8;
    memset(&r2, 0xa5, sizeof r2);
    CHECK_THEN("split-a-result",
               cuda.cuDevSmResourceSplitByCount(o2, &n2, &split_groups[0], &r2, 0, 8),
               o = resource_text(&r2), "nb=%u rem=%s", n2, o);
    n2 = 777;
    CHECK("split-a-result-query",
          cuda.cuDevSmResourceSplitByCount(NULL, &n2, &split_groups[0], NULL, 0, 8), "nb=%u", n2);
    n2 = 32;
    memset(&r2, 0xa5, sizeof r2);
    CHECK_THEN("split-the-remainder",
               cuda.cuDevSmResourceSplitByCount(o2, &n2, &split_rest, &r2, 0, 8),
               o = resource_text(&r2), "nb=%u first=%s rem=%s", n2, resource_text(o2), o);
    n2 = 777;
    CHECK("split-the-remainder-query",
          cuda.cuDevSmResourceSplitByCount(NULL, &n2, &split_rest, NULL, 0, 8), "nb=%u", n2);
    n2 = 32;
    CHECK_THEN("split-the-remainder-again",
               cuda.cuDevSmResourceSplitByCount(o2, &n2, &r2, &r2, 0, 8), o = resource_text(&r2),
               "nb=%u rem=%s", n2, o);
    x = d;
    n2 = 2;
    CHECK_THEN("result-over-input",
               cuda.cuDevSmResourceSplitByCount(&x, (n2 = 1, &n2), &x, &r2, 0, 16),
               o = resource_text(&x), "nb=%u res=%s", n2, o);
    x = d;
    n2 = 2;
    CHECK_THEN("remaining-over-input", cuda.cuDevSmResourceSplitByCount(o2, &n2, &x, &x, 0, 16),
               o = resource_text(&x), "nb=%u rem=%s", n2, o);
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);
    RECORD("primary-active", "%d", act);
}

GROUP(205, green_desc, "green-desc")
{
    use_device();
    CUdevResource d = device_resource(), a[4], one[8];
    CUdevResourceDesc h;
    CUgreenCtx g;
    CUdevResource q;
    const char *o;
    unsigned n = resource_split(4, 16, 0);
    RECORD("made", "nb=%u", n);
    memcpy(one, split_groups, sizeof one);
    CUdevResource rem1 = split_rest;
    /* each descriptor is also used: what the green context then has */
#define CHECK_DESC(nm, arr, cnt)                                                                   \
    h = UNTOUCHED_HANDLE;                                                                          \
    g = 0;                                                                                         \
    memset(&q, 0xa5, sizeof q);                                                                    \
    CHECK_THEN(nm, cuda.cuDevResourceGenerateDesc(&h, arr, cnt),                                   \
               CUresult c_ = result ? RESULT_SKIPPED : cuda.cuGreenCtxCreate(&g, h, device, 1);    \
               CUresult e_ = c_ ? RESULT_SKIPPED : cuda.cuGreenCtxGetDevResource(g, &q, 1);        \
               o = resource_text(&q);                                                              \
               if (g) cuda.cuGreenCtxDestroy(g), "desc=%s create=%s get=%s %s", handle_state(h),   \
               result_name(c_), result_name(e_), o)
    CHECK_DESC("one", one, 1);
    CHECK_DESC("two", one, 2);
    CHECK_DESC("four", one, 4);
    CHECK_DESC("last", one + 3, 1);
    CHECK_DESC("remainder", &rem1, 1);
    a[0] = one[0];
    a[1] = rem1;
    CHECK_DESC("result-and-remainder", a, 2);
    a[0] = one[0];
    a[1] = one[3];
    CHECK_DESC("first-and-last", a, 2);
    CHECK_DESC("device", &d, 1);
    a[0] = a[1] = one[0];
    CHECK_DESC("same-twice", a, 2);
    a[0] = d;
    a[1] = one[0];
    CHECK_DESC("device-and-result", a, 2);
    a[0] = a[1] = d;
    CHECK_DESC("device-twice", a, 2);
    a[0] = one[1];
    a[1] = one[0];
    CHECK_DESC("two-reversed", a, 2);
    resource_split(4, 16, 0);
    a[0] = one[0];
    a[1] = split_groups[1];
    CHECK_DESC("two-equal-splits", a, 2);
    resource_split(2, 32, 0);
    a[0] = one[0];
    a[1] = split_groups[1];
    CHECK_DESC("two-unlike-splits", a, 2);
    CHECK_DESC("wider-split-two", split_groups, 2);
    resource_split(8, 2, 1);
    CHECK_DESC("fine-one", split_groups, 1);
    CHECK_DESC("fine-three", split_groups, 3);
    a[0] = split_groups[0];
    a[1] = one[0];
    CHECK_DESC("fine-and-coarse", a, 2);
    resource_split(1, 64, 2);
    CHECK_DESC("cluster-one", split_groups, 1);
    resource_split(1, 132, 0);
    CHECK_DESC("everything-as-result", split_groups, 1);
    resource_split(1, 1, 0);
    CHECK_DESC("smallest", split_groups, 1);
    resource_split(1, 1, 1);
    CHECK_DESC("smallest-fine", split_groups, 1);
    CHECK_DESC("none", one, 0);
    CHECK_DESC("null-array", NULL, 1);
    CHECK_DESC("null-array-none", NULL, 0);
    CHECK("null-out", cuda.cuDevResourceGenerateDesc(NULL, one, 1));
    memset(a, 0, sizeof a);
    CHECK_DESC("zeroed", a, 1);
    a[0] = one[0];
    a[0].type = 0;
    CHECK_DESC("type0", a, 1);
    a[0] = one[0];
    a[0].type = 2;
    CHECK_DESC("type2", a, 1);
    a[0] = one[0];
    a[0].sm.smCount = 8;
    CHECK_DESC("count-lowered", a, 1);
    a[0] = one[0];
    a[0].sm.smCount = 1000;
    CHECK_DESC("count-raised", a, 1);
    memset(a, 0, sizeof a);
    a[0].type = 1;
    a[0].sm.smCount = 16;
    CHECK_DESC("handmade", a, 1);
    a[0] = one[0];
    memset(&a[1], 0, sizeof *a);
    CHECK_DESC("good-and-zeroed", a, 2);
}
