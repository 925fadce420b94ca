/* SPDX-License-Identifier: MIT */
/* Multicast objects on one GPU, and the graph memory attributes of a device. */
#include "rest.h"

static CUmulticastObjectProp multicast_properties(unsigned n, size_t sz, unsigned long long ht,
                                                  unsigned long long fl)
{
    CUmulticastObjectProp p;
    memset(&p, 0, sizeof p);
    p.numDevices = n;
    p.size = sz;
    p.handleTypes = ht;
    p.flags = fl;
    return p;
}

GROUP(500, mc_granularity, "mc-granularity")
{
    use_device();
    cases_independent = 1;
    RECORD("supported", "%d", device_attribute(CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED));
    size_t g;
    CUmulticastObjectProp p;
    static const unsigned nd[] = {0, 1, 2, 3, 8, 1000, ~0u};
    static const size_t sz[] = {0, 1, 4096, 2 * MB, 2 * MB + 1, 512 * MB, 1ull << 40, ~0ull};
    static const unsigned long long ht[] = {0, 1, 2, 4, 8, 9, 3, 0x80, ~0ull};
    for (size_t i = 0; i < COUNT_OF(nd); i++)
        for (int o = -1; o < 4; o++) {
            p = multicast_properties(nd[i], 2 * MB, 0, 0);
            g = UNTOUCHED;
            CHECK(format("n%u.opt%d", nd[i], o), cuda.cuMulticastGetGranularity(&g, &p, o), "%s%s",
                  out_state_of(g), g != UNTOUCHED ? format("=%zu", g) : "");
        }
    for (size_t i = 0; i < COUNT_OF(sz); i++)
        for (int o = 0; o < 2; o++) {
            p = multicast_properties(2, sz[i], 0, 0);
            g = UNTOUCHED;
            CHECK(format("size%zx.opt%d", sz[i], o), cuda.cuMulticastGetGranularity(&g, &p, o),
                  "%s", g != UNTOUCHED ? format("%zu", g) : "kept");
        }
    for (size_t i = 0; i < COUNT_OF(ht); i++) {
        p = multicast_properties(2, 2 * MB, ht[i], 0);
        g = UNTOUCHED;
        CHECK(format("handles%llx", ht[i]), cuda.cuMulticastGetGranularity(&g, &p, 0), "%s",
              g != UNTOUCHED ? format("%zu", g) : "kept");
    }
    p = multicast_properties(2, 2 * MB, 0, 1);
    CHECK("flags1", cuda.cuMulticastGetGranularity(&g, &p, 0));
    CHECK("null-out", cuda.cuMulticastGetGranularity(NULL, &p, 0));
    CHECK("null-prop", cuda.cuMulticastGetGranularity(&g, NULL, 0));
}

GROUP(501, mc_create, "mc-create")
{
    use_primary_context();
    CUmemGenericAllocationHandle h;
    CUmulticastObjectProp p;
    static const unsigned nd[] = {0, 1, 2, 3, 8, 64, 1000, ~0u};
    static const size_t sz[] = {0,      1,      4096,     65536,      2 * MB, 2 * MB + 4096,
                                3 * MB, 4 * MB, 512 * MB, 1ull << 40, ~0ull};
    static const unsigned long long ht[] = {0, 1, 2, 4, 8, 9, 3, 0x80, ~0ull};
#define CHECK_CREATE(nm)                                                                           \
    h = UNTOUCHED;                                                                                 \
    CHECK_THEN(nm, cuda.cuMulticastCreate(&h, &p), if (!result) cuda.cuMemRelease(h), "h=%s",      \
               out_state_of(h))
    for (size_t i = 0; i < COUNT_OF(nd); i++) {
        p = multicast_properties(nd[i], 2 * MB, 0, 0);
        CHECK_CREATE(format("n%u", nd[i]));
        p = multicast_properties(nd[i], 512 * MB, 1, 0);
        CHECK_CREATE(format("n%u-fd", nd[i]));
    }
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        p = multicast_properties(1, sz[i], 0, 0);
        CHECK_CREATE(format("n1.size%zx", sz[i]));
        p = multicast_properties(2, sz[i], 0, 0);
        CHECK_CREATE(format("n2.size%zx", sz[i]));
    }
    for (size_t i = 0; i < COUNT_OF(ht); i++) {
        p = multicast_properties(1, 2 * MB, ht[i], 0);
        CHECK_CREATE(format("handles%llx", ht[i]));
    }
    for (int f = 0; f < 6; f++) {
        p = multicast_properties(1, 2 * MB, 0, 1ull << f);
        CHECK_CREATE(format("flagbit%d", f));
    }
    p = multicast_properties(1, 2 * MB, 0, 0);
    CHECK("null-out", cuda.cuMulticastCreate(NULL, &p));
    CHECK("null-prop", cuda.cuMulticastCreate(&h, NULL));
    CHECK("both-null", cuda.cuMulticastCreate(NULL, NULL));
    cuda.cuCtxSetCurrent(NULL);
    CHECK_CREATE("no-current-context");
}

static void check_objects(unsigned nd, const char *tag)
{
    CUmulticastObjectProp p = multicast_properties(nd, 4 * MB, 0, 0);
    CUmemGenericAllocationHandle m = 0, v = 0, v2 = 0, q = 0;
    CUdeviceptr va = mapped_alloc(4 * MB, 0, &v), d = device_alloc(4 * MB), r = 0;
    size_t g = 0;
    cuda.cuMulticastGetGranularity(&g, &p, 0);
    if (g)
        p.size = (4 * MB + g - 1) / g * g;
    RECORD(format("%s-granularity", tag), "%zu", g);
    CUmemAllocationProp ap;
    memset(&ap, 0, sizeof ap);
    ap.type = 1;
    ap.location.type = 1;
    cuda.cuMemCreate(&v2, p.size, &ap, 0);
    CUmemAccessDesc acc = {{1, 0}, 3};
#define CASE_NAME(nm) format("%s-%s", tag, nm)
    CHECK(CASE_NAME("create"), cuda.cuMulticastCreate(&m, &p), "h=%s", m ? "set" : "zero");
    CHECK(CASE_NAME("bind-before-add"), cuda.cuMulticastBindMem(m, 0, v, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bindaddr-before-add"), cuda.cuMulticastBindAddr(m, 0, va, 2 * MB, 0));
    CHECK(CASE_NAME("unbind-before-add"), cuda.cuMulticastUnbind(m, 0, 0, 2 * MB));
    static const int dv[] = {-1, 1, 99};
    for (int i = 0; i < 3; i++)
        CHECK(format("%s-add-dev%d", tag, dv[i]), cuda.cuMulticastAddDevice(m, dv[i]));
    CHECK(CASE_NAME("add"), cuda.cuMulticastAddDevice(m, device));
    CHECK(CASE_NAME("add-again"), cuda.cuMulticastAddDevice(m, device));
    memset(&ap, 0, sizeof ap);
    CHECK(CASE_NAME("props"), cuda.cuMemGetAllocationPropertiesFromHandle(&ap, m), "type=%d loc=%d",
          ap.type, ap.location.type);
    CHECK(CASE_NAME("bind-flags"), cuda.cuMulticastBindMem(m, 0, v, 0, 2 * MB, 1));
    CHECK(CASE_NAME("bind-size0"), cuda.cuMulticastBindMem(m, 0, v, 0, 0, 0));
    CHECK(CASE_NAME("bind-size-odd"), cuda.cuMulticastBindMem(m, 0, v, 0, 4096, 0));
    CHECK(CASE_NAME("bind-offset-odd"), cuda.cuMulticastBindMem(m, 4096, v, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind-memoffset-odd"), cuda.cuMulticastBindMem(m, 0, v, 4096, 2 * MB, 0));
    CHECK(CASE_NAME("bind-beyond-mem"), cuda.cuMulticastBindMem(m, 0, v, 4 * MB, 2 * MB, 0));
    CHECK(CASE_NAME("bind-beyond-mc"), cuda.cuMulticastBindMem(m, p.size, v, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind-mem0"), cuda.cuMulticastBindMem(m, 0, 0, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind-mc0"), cuda.cuMulticastBindMem(0, 0, v, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind-itself"), cuda.cuMulticastBindMem(m, 0, m, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind-mem-as-mc"), cuda.cuMulticastBindMem(v, 0, v2, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bind"), cuda.cuMulticastBindMem(m, 0, v2, 0, p.size, 0));
    CHECK(CASE_NAME("bind-again"), cuda.cuMulticastBindMem(m, 0, v2, 0, p.size, 0));
    CHECK(CASE_NAME("unbind-dev-bad"), cuda.cuMulticastUnbind(m, 99, 0, p.size));
    CHECK(CASE_NAME("unbind-size-odd"), cuda.cuMulticastUnbind(m, 0, 0, 4096));
    CHECK(CASE_NAME("unbind-part"), cuda.cuMulticastUnbind(m, 0, 0, 2 * MB));
    CHECK(CASE_NAME("reserve"), cuda.cuMemAddressReserve(&r, p.size, g, 0, 0));
    CHECK(CASE_NAME("map"), cuda.cuMemMap(r, p.size, 0, m, 0));
    CHECK(CASE_NAME("access"), cuda.cuMemSetAccess(r, p.size, &acc, 1));
    CHECK(CASE_NAME("memset"), cuda.cuMemsetD8(r, 0x31, 4096));
    unsigned char h[4096];
    memset(h, 0, sizeof h);
    CHECK(CASE_NAME("read"), cuda.cuMemcpyDtoH(h, r, 4096), "%s", equal_bytes(h, 4096));
    CHECK(CASE_NAME("sync"), cuda.cuCtxSynchronize());
    int mt = -1;
    CHECK(CASE_NAME("pointer-type"), cuda.cuPointerGetAttribute(&mt, 2, r), "%d", mt);
    CHECK(CASE_NAME("retain"), cuda.cuMemRetainAllocationHandle(&q, (void *)(uintptr_t)r),
          "same=%d", q == m);
    CHECK(CASE_NAME("unmap"), cuda.cuMemUnmap(r, p.size));
    CHECK(CASE_NAME("unbind"), cuda.cuMulticastUnbind(m, 0, 0, p.size));
    CHECK(CASE_NAME("unbind-again"), cuda.cuMulticastUnbind(m, 0, 0, p.size));
    CHECK(CASE_NAME("bindaddr"), cuda.cuMulticastBindAddr(m, 0, va, 4 * MB, 0));
    CHECK(CASE_NAME("bindaddr-cumemalloc"), cuda.cuMulticastBindAddr(m, 0, d, 2 * MB, 0));
    CHECK(CASE_NAME("bindaddr-null"), cuda.cuMulticastBindAddr(m, 0, 0, 2 * MB, 0));
    CHECK(CASE_NAME("bindaddr-host"),
          cuda.cuMulticastBindAddr(m, 0, (CUdeviceptr)(uintptr_t)h, 2 * MB, 0));
    CHECK(CASE_NAME("bindaddr-flags"), cuda.cuMulticastBindAddr(m, 0, va, 2 * MB, 1));
    int fd = -1;
    CHECK(CASE_NAME("export"), cuda.cuMemExportToShareableHandle(&fd, m, 1, 0), "fd=%d", fd >= 0);
    CHECK(CASE_NAME("release"), cuda.cuMemRelease(m));
    CHECK(CASE_NAME("release-again"), cuda.cuMemRelease(m));
    CHECK(CASE_NAME("add-after-release"), cuda.cuMulticastAddDevice(m, device));
}

GROUP(502, mc_one, "mc-one")
{
    use_primary_context();
    check_objects(1, "n1");
}

GROUP(503, mc_two, "mc-two")
{
    use_primary_context();
    check_objects(2, "n2");
}

GROUP(504, mc_wrong_handle, "mc-wrong-handle")
{
    use_primary_context();
    CUmemGenericAllocationHandle v = 0;
    mapped_alloc(2 * MB, 0, &v);
    static const unsigned long long hs[] = {0, 1, 0x1234, ~0ull};
    for (int i = 0; i < 5; i++) {
        CUmemGenericAllocationHandle m = i == 4 ? v : hs[i];
        const char *n = i == 4 ? "memory" : format("%llx", m);
        CHECK(format("add-%s", n), cuda.cuMulticastAddDevice(m, device));
        CHECK(format("add-%s-baddev", n), cuda.cuMulticastAddDevice(m, 99));
        CHECK(format("bindmem-%s", n), cuda.cuMulticastBindMem(m, 0, v, 0, 2 * MB, 0));
        CHECK(format("bindmem-%s-zero", n), cuda.cuMulticastBindMem(m, 0, 0, 0, 0, 0));
        CHECK(format("bindaddr-%s", n), cuda.cuMulticastBindAddr(m, 0, 0x10000, 2 * MB, 0));
        CHECK(format("unbind-%s", n), cuda.cuMulticastUnbind(m, device, 0, 2 * MB));
        CHECK(format("unbind-%s-zero", n), cuda.cuMulticastUnbind(m, device, 0, 0));
    }
}

GROUP(510, graphmem_attr, "graphmem-attr")
{
    use_device();
    unsigned long long v;
    static const int dv[] = {0, -1, 1, 99};
    for (int d = 0; d < 4; d++)
        for (int a = -1; a < 6; a++) {
            v = UNTOUCHED;
            CHECK(format("get-dev%d-attr%d", dv[d], a),
                  cuda.cuDeviceGetGraphMemAttribute(dv[d], a, &v), "%s",
                  v == UNTOUCHED ? "kept" : format("%llu", v));
        }
    for (int a = -1; a < 6; a++)
        for (int k = 0; k < 3; k++) {
            v = k == 0 ? 0 : k == 1 ? 1 : 1 << 20;
            CHECK(format("set-attr%d-%llu", a, v), cuda.cuDeviceSetGraphMemAttribute(0, a, &v));
        }
    CHECK("get-null", cuda.cuDeviceGetGraphMemAttribute(0, 0, NULL));
    CHECK("set-null", cuda.cuDeviceSetGraphMemAttribute(0, 1, NULL));
    for (int d = 0; d < 4; d++)
        CHECK(format("trim-dev%d", dv[d]), cuda.cuDeviceGraphMemTrim(dv[d]));
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(0, &fl, &act);
    RECORD("primary-active", "%d", act);
}
