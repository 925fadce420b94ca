/* SPDX-License-Identifier: MIT */
/* Allocation of every kind, pools, pointer attributes, advice, registration. */
#include "recorder.hpp"
#define POINTER_AND_ALIGNMENT(d) out_state(d), (uintptr_t)(d) % 256 == 0, (uintptr_t)(d) % 512 == 0
GROUP(400, malloc, "malloc")
{
    use_runtime();
    void *d, *e;
    static const size_t sz[] = {0,   1,      2,      255,        256,         257,      511,
                                512, 513,    4095,   4096,       4097,        65536,    MB - 1,
                                MB,  MB + 1, 2 * MB, 2 * MB + 1, 33 * MB + 7, 512 * MB, 4 * GB};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        d = UNTOUCHED;
        if (!CHECK(FORMAT("size-%zu", sz[i]), cudaMalloc(&d, sz[i]), "out=%s a256=%d a512=%d",
                   POINTER_AND_ALIGNMENT(d)))
            CHECK(FORMAT("free-%zu", sz[i]), cudaFree(d));
    }
    static const size_t hg[] = {1ull << 40, 1ull << 44,     1ull << 47,   1ull << 48, 1ull << 62,
                                1ull << 63, SIZE_MAX - 511, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(hg); i++) {
        d = UNTOUCHED;
        CHECK(FORMAT("huge-%zx", hg[i]), cudaMalloc(&d, hg[i]), "out=%s", out_state(d));
    }
    size_t fr = 0, tot = 0;
    cudaMemGetInfo(&fr, &tot);
    d = UNTOUCHED;
    CHECK("total", cudaMalloc(&d, tot), "out=%s", out_state(d));
    d = UNTOUCHED;
    CHECK("total+1", cudaMalloc(&d, tot + 1), "out=%s", out_state(d));
    CHECK("null-out", cudaMalloc(0, 16));
    CHECK("null-zero", cudaMalloc(0, 0));
    d = UNTOUCHED;
    CHECK("after-oom", cudaMalloc(&d, 4096), "out=%s", out_state(d));
    CHECK("interior+1", cudaFree((char *)d + 1));
    CHECK("interior+256", cudaFree((char *)d + 256));
    CHECK("last", cudaFree((char *)d + 4095));
    CHECK("past-end", cudaFree((char *)d + 4096));
    CHECK("base", cudaFree(d));
    CHECK("double", cudaFree(d));
    CHECK("addr-1", cudaFree((void *)1));
    CHECK("garbage", cudaFree(GARBAGE_ADDRESS));
    CHECK("max", cudaFree((void *)-1));
    int loc;
    CHECK("stack", cudaFree(&loc));
    void *h = pinned_alloc(4096);
    CHECK("pinned", cudaFree(h));
    CHECK("pinned-freehost", cudaFreeHost(h));
    void *pg = page_alloc(8192);
    CHECK("pageable", cudaFree(pg));
    cudaHostRegister(pg, 8192, 0);
    CHECK("registered", cudaFree(pg));
    CHECK("registered-still", cudaHostUnregister(pg));
    e = managed_alloc(4096);
    CHECK("managed-interior", cudaFree((char *)e + 8));
    CHECK("managed", cudaFree(e));
    CHECK("managed-double", cudaFree(e));
    cudaMallocAsync(&d, 4096, 0);
    cudaStreamSynchronize(0);
    CHECK("async-allocated", cudaFree(d));
    CHECK("null", cudaFree(0));
    CHECK("symbol", (__extension__({
              void *sa = 0;
              cudaGetSymbolAddress(&sa, symbol(0));
              cudaFree(sa);
          })));
    cudaStream_t s = stream_new(cudaStreamNonBlocking);
    struct blocker b;
    b.limit_ms = 300;
    d = device_alloc(MB);
    stream_block(s, &b);
    cudaMemsetAsync(d, 1, MB, s);
    CHECK("free-pending", cudaFree(d), "waited=%d", (int)b.done);
    stream_unblock(&b);
    cudaStreamSynchronize(s);
    size_t f0 = 0, f1 = 0, f2 = 0, t0 = 0;
    cudaMemGetInfo(&f0, &t0);
    d = device_alloc(256 * MB);
    cudaMemGetInfo(&f1, &t0);
    cudaFree(d);
    cudaMemGetInfo(&f2, &t0);
    RECORD("meminfo-256M", "drop=%lld back=%lld", (long long)(f0 - f1), (long long)(f2 - f1));
    CHECK("meminfo-null", cudaMemGetInfo(0, &t0));
    CHECK("meminfo-null2", cudaMemGetInfo(&f0, 0));
    CHECK("meminfo-null-both", cudaMemGetInfo(0, 0));
    RECORD("meminfo-order", "%d", f0 <= t0);
}

GROUP(401, pitch, "pitch")
{
    use_runtime();
    void *d;
    size_t p;
    static const size_t w[] = {0,    1,    2,    4,    15,   16,    31,    32,     64,
                               100,  127,  128,  255,  256,  257,   511,   512,    513,
                               1000, 1024, 1025, 4096, 4097, 65536, 65537, 1048577};
    for (size_t i = 0; i < COUNT_OF(w); i++) {
        d = UNTOUCHED;
        p = 77;
        if (!CHECK(FORMAT("w%zu-h3", w[i]), cudaMallocPitch(&d, &p, w[i], 3), "out=%s pitch=%zu",
                   out_state(d), p))
            cudaFree(d);
    }
    struct {
        size_t w, h;
    } c[] = {{0, 0},
             {4, 0},
             {SIZE_MAX, 1},
             {4, SIZE_MAX},
             {SIZE_MAX, SIZE_MAX},
             {1ull << 32, 1ull << 32},
             {1ull << 31, 1},
             {(1ull << 31) - 1, 1},
             {1ull << 33, 1},
             {1 << 20, 1 << 20}};
    for (size_t i = 0; i < COUNT_OF(c); i++) {
        d = UNTOUCHED;
        p = 77;
        if (!CHECK(FORMAT("w%zx-h%zx", c[i].w, c[i].h), cudaMallocPitch(&d, &p, c[i].w, c[i].h),
                   "out=%s pitch=%zu", out_state(d), p))
            cudaFree(d);
    }
    CHECK("null-ptr", cudaMallocPitch(0, &p, 16, 4));
    CHECK("null-pitch", cudaMallocPitch(&d, 0, 16, 4));
    CHECK("null-both", cudaMallocPitch(0, 0, 16, 4));
    static const size_t e3[][3] = {{100, 10, 5},          {0, 10, 5},       {100, 0, 5},
                                   {100, 10, 0},          {0, 0, 0},        {1, 1, 1},
                                   {512, 4, 4},           {513, 4, 4},      {SIZE_MAX, 1, 1},
                                   {1, SIZE_MAX, 1},      {1, 1, SIZE_MAX}, {1ull << 31, 1, 1},
                                   {65536, 65536, 65536}, {64, 3, 2}};
    for (size_t i = 0; i < COUNT_OF(e3); i++) {
        cudaPitchedPtr q;
        memset(&q, 0xA5, sizeof q);
        if (!CHECK(FORMAT("3d-%zx-%zx-%zx", e3[i][0], e3[i][1], e3[i][2]),
                   cudaMalloc3D(&q, extent(e3[i][0], e3[i][1], e3[i][2])),
                   "ptr=%s pitch=%zu x=%zu y=%zu",
                   q.ptr == (void *)0xA5A5A5A5A5A5A5A5ull ? "kept" : out_state(q.ptr), q.pitch,
                   q.xsize, q.ysize))
            cudaFree(q.ptr);
    }
    CHECK("3d-null", cudaMalloc3D(0, extent(16, 16, 1)));
}

static const int channel_forms[][5] = {
    {8, 0, 0, 0, 0},     {8, 0, 0, 0, 1},     {8, 8, 0, 0, 1},      {8, 8, 8, 0, 1},
    {8, 8, 8, 8, 1},     {16, 0, 0, 0, 0},    {16, 16, 0, 0, 1},    {16, 0, 0, 0, 2},
    {16, 16, 16, 16, 2}, {32, 0, 0, 0, 0},    {32, 0, 0, 0, 1},     {32, 0, 0, 0, 2},
    {32, 32, 0, 0, 2},   {32, 32, 32, 0, 2},  {32, 32, 32, 32, 2},  {32, 32, 32, 32, 1},
    {64, 0, 0, 0, 0},    {8, 0, 0, 0, 2},     {0, 0, 0, 0, 0},      {0, 8, 0, 0, 1},
    {8, 16, 0, 0, 1},    {8, 0, 8, 0, 1},     {8, 0, 0, 0, 3},      {24, 0, 0, 0, 1},
    {-8, 0, 0, 0, 1},    {8, 8, 8, 0, 4},     {8, 0, 0, 0, 5},      {8, 8, 0, 0, 6},
    {8, 8, 8, 8, 7},     {16, 0, 0, 0, 8},    {16, 16, 0, 0, 9},    {16, 16, 16, 16, 10},
    {8, 0, 0, 0, 11},    {8, 8, 8, 8, 13},    {16, 16, 16, 16, 16}, {8, 8, 8, 8, 17},
    {8, 8, 8, 8, 18},    {8, 8, 8, 8, 19},    {8, 8, 8, 8, 21},     {8, 0, 0, 0, 23},
    {8, 8, 0, 0, 25},    {16, 16, 16, 0, 27}, {16, 16, 16, 0, 28},  {8, 8, 8, 8, 29},
    {8, 8, 8, 8, 30},    {10, 10, 10, 2, 31}, {8, 0, 0, 0, 32},     {8, 0, 0, 0, -1}};
static const char *array_text(cudaArray_t a)
{
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned f = 77;
    memset(&d, 0xA5, sizeof d);
    cudaError_t r = cudaArrayGetInfo(&d, &e, &f, a);
    if (r)
        return FORMAT("info=%s", error_name(r));
    return FORMAT("info=%d,%d,%d,%d,%d ext=%zu,%zu,%zu fl=%u", d.x, d.y, d.z, d.w, (int)d.f,
                  e.width, e.height, e.depth, f);
}

GROUP(402, array, "array")
{
    use_runtime();
    cases_independent = 1;
    cudaArray_t a;
    static const unsigned fl[] = {0, 1, 2, 4, 8};
    for (size_t i = 0; i < COUNT_OF(channel_forms); i++)
        for (size_t k = 0; k < COUNT_OF(fl); k++) {
            if (fl[k] && fl[k] != 2 && i > 16 && i < 25)
                continue;
            a = (cudaArray_t)UNTOUCHED;
            cudaChannelFormatDesc c =
                channel(channel_forms[i][0], channel_forms[i][1], channel_forms[i][2],
                        channel_forms[i][3], channel_forms[i][4]);
            cudaError_t r =
                CHECK(FORMAT("c%d.%d.%d.%d.%d-fl%u", channel_forms[i][0], channel_forms[i][1],
                             channel_forms[i][2], channel_forms[i][3], channel_forms[i][4], fl[k]),
                      cudaMallocArray(&a, &c, 64, 64, fl[k]), "out=%s %s", out_state(a),
                      a == (cudaArray_t)UNTOUCHED || !a ? "" : array_text(a));
            if (!r)
                cudaFreeArray(a);
        }
}

GROUP(403, array_dims, "array-dims")
{
    use_runtime();
    cases_independent = 1;
    cudaArray_t a;
    cudaChannelFormatDesc c = channel(32, 0, 0, 0, 2);
    static const size_t wh[][2] = {{0, 0},          {1, 0},
                                   {0, 1},          {1, 1},
                                   {64, 0},         {131072, 0},
                                   {131073, 0},     {268435456, 0},
                                   {131072, 65536}, {131073, 1},
                                   {1, 65536},      {1, 65537},
                                   {SIZE_MAX, 0},   {SIZE_MAX, SIZE_MAX},
                                   {32768, 32768},  {1000, 3}};
    for (size_t i = 0; i < COUNT_OF(wh); i++) {
        a = (cudaArray_t)UNTOUCHED;
        if (!CHECK(FORMAT("2d-%zx-%zx", wh[i][0], wh[i][1]),
                   cudaMallocArray(&a, &c, wh[i][0], wh[i][1], 0), "out=%s %s", out_state(a),
                   a == (cudaArray_t)UNTOUCHED || !a ? "" : array_text(a)))
            cudaFreeArray(a);
    }
    for (unsigned f = 0; f < 256; f++) {
        if (f > 32 && (f & 0x1f) && f % 8)
            continue;
        a = (cudaArray_t)UNTOUCHED;
        if (!CHECK(FORMAT("flag-%02x", f), cudaMallocArray(&a, &c, 64, 64, f), "out=%s %s",
                   out_state(a), a == (cudaArray_t)UNTOUCHED || !a ? "" : array_text(a)))
            cudaFreeArray(a);
    }
    static const size_t d3[][4] = {
        {8, 8, 8, 0},        {8, 0, 0, 0},         {8, 8, 0, 0},        {8, 0, 8, 0},
        {0, 8, 8, 0},        {0, 0, 0, 0},         {8, 0, 4, 1},        {8, 8, 4, 1},
        {8, 8, 0, 1},        {8, 0, 0, 1},         {8, 8, 6, 4},        {8, 8, 5, 4},
        {8, 7, 6, 4},        {8, 8, 0, 4},         {8, 8, 12, 5},       {8, 8, 13, 5},
        {8, 8, 6, 5},        {16384, 16384, 1, 0}, {16385, 1, 1, 0},    {1, 1, 16385, 0},
        {8, 8, 2048, 1},     {8, 8, 2049, 1},      {8, 8, 8, 2},        {8, 8, 8, 3},
        {8, 8, 6, 6},        {8, 8, 1, 8},         {8, 8, 0, 8},        {8, 8, 8, 8},
        {256, 256, 0, 0x40}, {256, 256, 16, 0x40}, {256, 256, 0, 0x80}, {256, 256, 0, 0x20},
        {SIZE_MAX, 1, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(d3); i++) {
        a = (cudaArray_t)UNTOUCHED;
        if (!CHECK(
                FORMAT("3d-%zx-%zx-%zx-fl%zx", d3[i][0], d3[i][1], d3[i][2], d3[i][3]),
                cudaMalloc3DArray(&a, &c, extent(d3[i][0], d3[i][1], d3[i][2]), (unsigned)d3[i][3]),
                "out=%s %s", out_state(a), a == (cudaArray_t)UNTOUCHED || !a ? "" : array_text(a)))
            cudaFreeArray(a);
        cudaMipmappedArray_t m;
        static const unsigned lv[] = {0, 1, 3, 4, 5, 100};
        for (size_t k = 0; k < COUNT_OF(lv); k++) {
            m = (cudaMipmappedArray_t)UNTOUCHED;
            cudaArray_t l0 = (cudaArray_t)UNTOUCHED;
            cudaError_t r = CHECK(
                FORMAT("mip-%zx-%zx-%zx-fl%zx-l%u", d3[i][0], d3[i][1], d3[i][2], d3[i][3], lv[k]),
                cudaMallocMipmappedArray(&m, &c, extent(d3[i][0], d3[i][1], d3[i][2]), lv[k],
                                         (unsigned)d3[i][3]),
                "out=%s", out_state(m));
            if (!r) {
                if (!(d3[i][3] & 0xe0))
                    for (unsigned q = 0; q < 6; q++) {
                        l0 = (cudaArray_t)UNTOUCHED;
                        if (i < 12)
                            CHECK(FORMAT("mip-%zx-%zx-%zx-fl%zx-l%u-level%u", d3[i][0], d3[i][1],
                                         d3[i][2], d3[i][3], lv[k], q),
                                  cudaGetMipmappedArrayLevel(&l0, m, q), "out=%s %s", out_state(l0),
                                  l0 == (cudaArray_t)UNTOUCHED || !l0 ? "" : array_text(l0));
                    }
                cudaFreeMipmappedArray(m);
            }
        }
    }
    a = 0;
    CHECK("null-out", cudaMallocArray(0, &c, 8, 8, 0));
    CHECK("null-desc", cudaMallocArray(&a, 0, 8, 8, 0));
    CHECK("null-3d", cudaMalloc3DArray(0, &c, extent(8, 8, 8), 0));
    CHECK("null-3d-desc", cudaMalloc3DArray(&a, 0, extent(8, 8, 8), 0));
    CHECK("free-null", cudaFreeArray(0));
    CHECK("free-mip-null", cudaFreeMipmappedArray(0));
    cudaMallocArray(&a, &c, 64, 8, 0);
    cudaExtent e = {};
    unsigned f = 77;
    cudaChannelFormatDesc q = {};
    CHECK("info-null-desc", cudaArrayGetInfo(0, &e, &f, a));
    CHECK("info-null-all", cudaArrayGetInfo(0, 0, 0, a));
    CHECK("info-null-array", cudaArrayGetInfo(&q, &e, &f, 0));
    CHECK("chandesc", cudaGetChannelDesc(&q, a), "%d %d %d %d %d", q.x, q.y, q.z, q.w, (int)q.f);
    CHECK("chandesc-null", cudaGetChannelDesc(0, a));
    CHECK("chandesc-null-array", cudaGetChannelDesc(&q, 0));
    cudaArrayMemoryRequirements mr;
    cudaArraySparseProperties sp;
    CHECK("memreq", cudaArrayGetMemoryRequirements(&mr, a, 0));
    CHECK("memreq-null", cudaArrayGetMemoryRequirements(0, a, 0));
    CHECK("sparse", cudaArrayGetSparseProperties(&sp, a));
    cudaArray_t pl = 0;
    for (unsigned i = 0; i < 3; i++)
        CHECK(FORMAT("plane-%u", i), cudaArrayGetPlane(&pl, a, i));
    CHECK("level-null", cudaGetMipmappedArrayLevel(&pl, 0, 0));
    CHECK("free", cudaFreeArray(a));
    cudaChannelFormatDesc nv = channel(8, 8, 8, 0, cudaChannelFormatKindNV12);
    if (!CHECK("nv12", cudaMallocArray(&a, &nv, 64, 64, 0), "%s", array_text(a)))
        for (unsigned i = 0; i < 4; i++) {
            pl = (cudaArray_t)UNTOUCHED;
            CHECK(FORMAT("nv12-plane-%u", i), cudaArrayGetPlane(&pl, a, i), "%s %s", out_state(pl),
                  pl && pl != (cudaArray_t)UNTOUCHED ? array_text(pl) : "");
        }
    if (!cudaMalloc3DArray(&a, &c, extent(256, 256, 0), cudaArraySparse))
        CHECK("sparse-props", cudaArrayGetSparseProperties(&sp, a),
              "%u %u %u tail=%u size=%llu fl=%u", sp.tileExtent.width, sp.tileExtent.height,
              sp.tileExtent.depth, sp.miptailFirstLevel, sp.miptailSize, sp.flags);
    if (!cudaMalloc3DArray(&a, &c, extent(256, 256, 0), cudaArrayDeferredMapping))
        CHECK("deferred-memreq", cudaArrayGetMemoryRequirements(&mr, a, 0), "size=%zu align=%zu",
              mr.size, mr.alignment);
}

GROUP(405, host, "host")
{
    use_runtime();
    void *p, *q;
    unsigned u = 77;
    for (unsigned f = 0; f < 18; f++) {
        p = UNTOUCHED;
        cudaError_t r =
            CHECK(FORMAT("alloc-fl%u", f), cudaHostAlloc(&p, 4096, f), "out=%s", out_state(p));
        if (!r) {
            u = 77;
            CHECK(FORMAT("flags-fl%u", f), cudaHostGetFlags(&u, p), "f=%u", u);
            q = UNTOUCHED;
            CHECK(FORMAT("dptr-fl%u", f), cudaHostGetDevicePointer(&q, p, 0), "%s", relative(q, p));
            RECORD(FORMAT("attr-fl%u", f), "%s", pointer_text(p));
            CHECK(FORMAT("free-fl%u", f), cudaFreeHost(p));
        }
    }
    static const size_t sz[] = {0, 1, 4095, 4096, 4097, 64 * MB, 1ull << 46, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        p = UNTOUCHED;
        if (!CHECK(FORMAT("hostalloc-%zx", sz[i]), cudaHostAlloc(&p, sz[i], 0), "out=%s page=%d",
                   out_state(p), (uintptr_t)p % 4096 == 0))
            cudaFreeHost(p);
        p = UNTOUCHED;
        if (!CHECK(FORMAT("mallochost-%zx", sz[i]), cudaMallocHost(&p, sz[i]), "out=%s",
                   out_state(p)))
            cudaFreeHost(p);
    }
    CHECK("alloc-null", cudaHostAlloc(0, 16, 0));
    CHECK("mallochost-null", cudaMallocHost(0, 16));
    p = pinned_alloc(8192);
    CHECK("free-interior", cudaFreeHost((char *)p + 16));
    CHECK("flags-interior", cudaHostGetFlags(&u, (char *)p + 100), "f=%u", u);
    q = UNTOUCHED;
    CHECK("dptr-interior", cudaHostGetDevicePointer(&q, (char *)p + 100, 0), "%s", relative(q, p));
    CHECK("dptr-flags", cudaHostGetDevicePointer(&q, p, 1));
    CHECK("dptr-null-out", cudaHostGetDevicePointer(0, p, 0));
    CHECK("flags-null", cudaHostGetFlags(0, p));
    CHECK("flags-null-host", cudaHostGetFlags(&u, 0));
    CHECK("dptr-null-host", cudaHostGetDevicePointer(&q, 0, 0));
    CHECK("unregister-alloc", cudaHostUnregister(p));
    CHECK("register-alloc", cudaHostRegister(p, 8192, 0));
    CHECK("free", cudaFreeHost(p));
    CHECK("double-free", cudaFreeHost(p));
    CHECK("flags-freed", cudaHostGetFlags(&u, p));
    CHECK("free-null", cudaFreeHost(0));
    CHECK("free-dev", cudaFreeHost(device_alloc(64)));
    CHECK("free-managed", cudaFreeHost(managed_alloc(64)));
    CHECK("flags-managed", cudaHostGetFlags(&u, managed_alloc(64)), "f=%u", u);
    CHECK("flags-dev", cudaHostGetFlags(&u, device_alloc(64)));
    CHECK("dptr-managed", cudaHostGetDevicePointer(&q, managed_alloc(64), 0));
    CHECK("dptr-dev", cudaHostGetDevicePointer(&q, device_alloc(64), 0));
    for (unsigned f = 0; f < 20; f++) {
        void *g = page_alloc(16384);
        cudaError_t r = CHECK(FORMAT("reg-fl%u", f), cudaHostRegister(g, 16384, f));
        if (!r) {
            u = 77;
            CHECK(FORMAT("regflags-%u", f), cudaHostGetFlags(&u, g), "f=%u", u);
            q = UNTOUCHED;
            CHECK(FORMAT("regdptr-%u", f), cudaHostGetDevicePointer(&q, g, 0), "%s",
                  relative(q, g));
            RECORD(FORMAT("regattr-%u", f), "%s", pointer_text(g));
            CHECK(FORMAT("unreg-%u", f), cudaHostUnregister(g));
        }
    }
    char *g = (char *)page_alloc(65536);
    CHECK("reg-null", cudaHostRegister(0, 4096, 0));
    CHECK("reg-zero", cudaHostRegister(g, 0, 0));
    CHECK("reg-huge", cudaHostRegister(g, SIZE_MAX, 0));
    CHECK("reg-unaligned", cudaHostRegister(g + 100, 1000, 0));
    RECORD("reg-unaligned-attr", "%s", pointer_text(g + 100));
    RECORD("reg-unaligned-attr-before", "%s", pointer_text(g + 50));
    RECORD("reg-unaligned-attr-after", "%s", pointer_text(g + 2000));
    CHECK("reg-overlap", cudaHostRegister(g, 8192, 0));
    CHECK("reg-same-page-other", cudaHostRegister(g + 2000, 100, 0));
    CHECK("unreg-other-addr", cudaHostUnregister(g));
    CHECK("unreg", cudaHostUnregister(g + 100));
    CHECK("unreg2", cudaHostUnregister(g + 2000));
    CHECK("unreg-twice", cudaHostUnregister(g + 100));
    CHECK("reg-unmapped", cudaHostRegister(GARBAGE_ADDRESS, 4096, 0));
    CHECK("reg-dev", cudaHostRegister(device_alloc(4096), 4096, 0));
    CHECK("reg-managed", cudaHostRegister(managed_alloc(4096), 4096, 0));
    CHECK("reg", cudaHostRegister(g, 65536, 0));
    CHECK("reg-again", cudaHostRegister(g, 65536, 0));
    CHECK("reg-inside", cudaHostRegister(g + 4096, 4096, 0));
    CHECK("unreg-interior", cudaHostUnregister(g + 4096));
    CHECK("unreg-base", cudaHostUnregister(g));
    CHECK("unreg-null", cudaHostUnregister(0));
    CHECK("reg-overlapping-next", cudaHostRegister(g + 32768, 32768, 0));
    CHECK("reg-overlapping-prev", cudaHostRegister(g, 40000, 0));
    RECORD("reg-readonly-attr", "%d", 0);
}

GROUP(406, managed, "managed")
{
    use_runtime();
    void *p;
    for (unsigned f = 0; f < 9; f++) {
        p = UNTOUCHED;
        if (!CHECK(FORMAT("fl%u", f), cudaMallocManaged(&p, 4096, f), "out=%s", out_state(p))) {
            RECORD(FORMAT("attr-fl%u", f), "%s", pointer_text(p));
            cudaFree(p);
        }
    }
    static const size_t sz[] = {0, 1, 4097, 64 * MB, 1ull << 50, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        p = UNTOUCHED;
        if (!CHECK(FORMAT("size-%zx", sz[i]), cudaMallocManaged(&p, sz[i], 1), "out=%s",
                   out_state(p)))
            cudaFree(p);
    }
    CHECK("null", cudaMallocManaged(0, 16, 1));
    int *m = (int *)managed_alloc(4096);
    for (int i = 0; i < 100; i++)
        m[i] = i;
    int n = 100, v = 1000;
    CHECK("kernel-add", cudaLaunchKernel((void *)k_add, dim3(1), dim3(128), ARGS(&m, &n, &v), 0, 0),
          "%s v0=%d v99=%d", sync_device(), m[0], m[99]);
    cudaStream_t s = stream_new(0);
    for (unsigned f = 0; f < 9; f++)
        CHECK(FORMAT("attach-fl%u", f), cudaStreamAttachMemAsync(s, m, 0, f), "%s", sync_stream(s));
    CHECK("attach-len", cudaStreamAttachMemAsync(s, m, 4096, 4));
    CHECK("attach-len-bad", cudaStreamAttachMemAsync(s, m, 100, 4));
    CHECK("attach-interior", cudaStreamAttachMemAsync(s, m + 10, 0, 4));
    CHECK("attach-dev", cudaStreamAttachMemAsync(s, device_alloc(64), 0, 1));
    CHECK("attach-host", cudaStreamAttachMemAsync(s, page_alloc(4096), 4096, 1));
    CHECK("attach-null", cudaStreamAttachMemAsync(s, 0, 0, 1));
    CHECK("attach-single-null-stream", cudaStreamAttachMemAsync(0, m, 0, 4));
    CHECK("attach-back", cudaStreamAttachMemAsync(s, m, 0, 1), "%s", sync_stream(s));
    cudaMemLocation L;
    void *dd = device_alloc(4096), *pg = page_alloc(4096);
    void *pn = pinned_alloc(4096);
    struct {
        const char *n;
        void *p;
    } tg[] = {{"managed", m}, {"dev", dd}, {"pageable", pg}, {"pinned", pn}, {"null", 0}};
    for (int ty = -1; ty < 6; ty++)
        for (int id = -1; id < 2; id++) {
            L.type = (cudaMemLocationType)ty;
            L.id = id;
            for (size_t t = 0; t < (ty >= 1 && ty <= 3 && id == 0 ? COUNT_OF(tg) : 1); t++) {
                if (!strcmp(tg[t].n, "pageable"))
                    continue;
                CHECK(FORMAT("prefetch-%s-loc%d.%d", tg[t].n, ty, id),
                      cudaMemPrefetchAsync(tg[t].p, 4096, L, 0, 0), "%s", sync_device());
                for (int ad = 1; ad <= 6; ad++)
                    CHECK(FORMAT("advise%d-%s-loc%d.%d", ad, tg[t].n, ty, id),
                          cudaMemAdvise(tg[t].p, 4096, (cudaMemoryAdvise)ad, L));
            }
        }
    L.type = cudaMemLocationTypeDevice;
    L.id = 0;
    CHECK("prefetch-flags", cudaMemPrefetchAsync(m, 4096, L, 1, 0));
    CHECK("prefetch-zero", cudaMemPrefetchAsync(m, 0, L, 0, 0));
    CHECK("prefetch-past", cudaMemPrefetchAsync(m, 1ull << 40, L, 0, 0));
    CHECK("advise-0", cudaMemAdvise(m, 4096, (cudaMemoryAdvise)0, L));
    CHECK("advise-7", cudaMemAdvise(m, 4096, (cudaMemoryAdvise)7, L));
    CHECK("advise-zero", cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, L));
    CHECK("advise-past", cudaMemAdvise(m, 1ull << 40, cudaMemAdviseSetReadMostly, L));
    m = (int *)managed_alloc(2 * MB);
    for (int st = 0; st < 5; st++) {
        static const char *nm[] = {"fresh", "readmostly", "preferred-dev", "prefetched",
                                   "accessedby"};
        L.type = cudaMemLocationTypeDevice;
        L.id = 0;
        if (st == 1)
            cudaMemAdvise(m, 2 * MB, cudaMemAdviseSetReadMostly, L);
        if (st == 2)
            cudaMemAdvise(m, 2 * MB, cudaMemAdviseSetPreferredLocation, L);
        if (st == 3)
            cudaMemPrefetchAsync(m, 2 * MB, L, 0, 0);
        if (st == 4)
            cudaMemAdvise(m, 2 * MB, cudaMemAdviseSetAccessedBy, L);
        cudaDeviceSynchronize();
        for (int a = 0; a < 10; a++) {
            int o[4] = {77, 77, 77, 77};
            CHECK(FORMAT("range%d-%s", a, nm[st]),
                  cudaMemRangeGetAttribute(o, a == 3 ? 16 : 4, (cudaMemRangeAttribute)a, m, 2 * MB),
                  "%d %d %d", o[0], o[1], o[2]);
        }
    }
    int o[4] = {77, 77, 77, 77};
    CHECK("range-size8",
          cudaMemRangeGetAttribute(o, 8, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    CHECK("range-size2",
          cudaMemRangeGetAttribute(o, 2, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    CHECK("range-null", cudaMemRangeGetAttribute(0, 4, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    CHECK("range-dev", cudaMemRangeGetAttribute(o, 4, cudaMemRangeAttributeReadMostly, dd, 4096));
    void *da[2] = {o, o + 1};
    size_t ds[2] = {4, 4};
    cudaMemRangeAttribute at[2] = {cudaMemRangeAttributeReadMostly,
                                   cudaMemRangeAttributePreferredLocation};
    CHECK("ranges", cudaMemRangeGetAttributes(da, ds, at, 2, m, 2 * MB), "%d %d", o[0], o[1]);
    CHECK("ranges-0", cudaMemRangeGetAttributes(da, ds, at, 0, m, 2 * MB));
    CHECK("ranges-null", cudaMemRangeGetAttributes(0, ds, at, 2, m, 2 * MB));
    void *ps[2] = {m, (char *)m + MB};
    size_t ss[2] = {MB, MB}, ix[2] = {0, 1};
    cudaMemLocation ls[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
    CHECK("prefetchbatch", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, s), "%s",
          sync_stream(s));
    CHECK("prefetchbatch-stream0", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, 0));
    CHECK("prefetchbatch-0", cudaMemPrefetchBatchAsync(ps, ss, 0, ls, ix, 0, 0, s));
    CHECK("prefetchbatch-flags", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 1, s));
    CHECK("discard", cudaMemDiscardBatchAsync(ps, ss, 2, 0, s), "%s", sync_stream(s));
    CHECK("discard-flags", cudaMemDiscardBatchAsync(ps, ss, 2, 1, s));
    CHECK("discard-prefetch", cudaMemDiscardAndPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, s), "%s",
          sync_stream(s));
    CHECK("discard-null", cudaMemDiscardBatchAsync(0, ss, 2, 0, s));
    ps[0] = dd;
    ss[0] = 4096;
    CHECK("discard-dev", cudaMemDiscardBatchAsync(ps, ss, 1, 0, s), "%s", sync_stream(s));
}

GROUP(407, ptrattr, "ptrattr")
{
    use_runtime();
    struct memory m[KIND_COUNT];
    memory_kinds_create(m, 8192);
    for (int i = 0; i < KIND_COUNT; i++) {
        RECORD(m[i].name, "%s", pointer_text(m[i].ptr));
        RECORD(FORMAT("%s+100", m[i].name), "%s", pointer_text((char *)m[i].ptr + 100));
        RECORD(FORMAT("%s+8191", m[i].name), "%s", pointer_text((char *)m[i].ptr + 8191));
    }
    RECORD("null", "%s", pointer_text(0));
    RECORD("one", "%s", pointer_text((void *)1));
    RECORD("bad", "%s", pointer_text(GARBAGE_ADDRESS));
    RECORD("max", "%s", pointer_text((void *)-1));
    int v;
    RECORD("stack", "%s", pointer_text(&v));
    RECORD("code", "%s", pointer_text((void *)pointer_text));
    void *h = malloc(64);
    RECORD("heap", "%s", pointer_text(h));
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        void *d = 0;
        cudaGetSymbolAddress(&d, symbol(i));
        RECORD(FORMAT("sym-%s", symbol_names[i]), "%s", pointer_text(d));
        RECORD(FORMAT("symhost-%s", symbol_names[i]), "%s", pointer_text(symbol(i)));
    }
    void *d = device_alloc(4096);
    cudaFree(d);
    RECORD("freed", "%s", pointer_text(d));
    h = pinned_alloc(4096);
    cudaFreeHost(h);
    RECORD("freed-pinned", "%s", pointer_text(h));
    void *p = 0;
    size_t pt;
    cudaMallocPitch(&p, &pt, 100, 10);
    RECORD("pitched-row3", "%s", pointer_text((char *)p + 3 * pt));
    void *w = 0;
    cudaHostAlloc(&w, 64, cudaHostAllocWriteCombined);
    RECORD("wc", "%s", pointer_text(w));
    cudaPointerAttributes a;
    CHECK("null-out", cudaPointerGetAttributes(0, d));
    CHECK("null-both", cudaPointerGetAttributes(0, 0));
    memset(&a, 0xA5, sizeof a);
    cudaPointerGetAttributes(&a, m[0].ptr);
    int z = 1;
    for (int i = 0; i < 8; i++)
        z &= a.reserved[i] == 0;
    RECORD("reserved-zero", "%d", z);
}

static const char *pool_text(cudaMemPool_t p)
{
    char b[300];
    int n = 0;
    for (int i = 1; i <= 8; i++) {
        uint64_t v = 0x5e47;
        cudaError_t r = cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)i, &v);
        if (i < 4)
            v = (uint32_t)v;
        n += snprintf(b + n, sizeof b - n, "%s%s", i > 1 ? "," : "",
                      r ? error_name(r) : FORMAT("%llu", (unsigned long long)v));
    }
    return format("%s", b);
}

GROUP(408, pool, "pool")
{
    use_runtime();
    cudaMemPool_t p = 0, q = 0, c = 0;
    CHECK("default", cudaDeviceGetDefaultMemPool(&p, 0), "%s", out_state(p));
    CHECK("current", cudaDeviceGetMemPool(&q, 0), "same=%d", p == q);
    CHECK("default-bad", cudaDeviceGetDefaultMemPool(&q, 5));
    CHECK("default-null", cudaDeviceGetDefaultMemPool(0, 0));
    CHECK("current-bad", cudaDeviceGetMemPool(&q, 5));
    RECORD("attrs-fresh", "%s", pool_text(p));
    void *d = UNTOUCHED, *e = UNTOUCHED;
    CHECK("async", cudaMallocAsync(&d, 1000, 0), "%s", out_state(d));
    RECORD("attrs-1000", "%s", pool_text(p));
    CHECK("async-big", cudaMallocAsync(&e, 40 * MB, 0));
    RECORD("attrs-40M", "%s", pool_text(p));
    CHECK("free", cudaFreeAsync(d, 0));
    CHECK("free-big", cudaFreeAsync(e, 0));
    RECORD("attrs-freed", "%s", pool_text(p));
    cudaDeviceSynchronize();
    RECORD("attrs-synced", "%s", pool_text(p));
    CHECK("trim", cudaMemPoolTrimTo(p, 0));
    RECORD("attrs-trimmed", "%s", pool_text(p));
    CHECK("trim-null", cudaMemPoolTrimTo(0, 0));
    for (int i = 0; i < 10; i++)
        for (int v = 0; v < 3; v++) {
            uint64_t x = v, y = 77;
            CHECK(FORMAT("setattr%d-%d", i, v), cudaMemPoolSetAttribute(p, (cudaMemPoolAttr)i, &x),
                  "get=%s v=%llu", error_name(cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)i, &y)),
                  (unsigned long long)(i < 4 ? (uint32_t)y : y));
        }
    CHECK("attr-null", cudaMemPoolGetAttribute(p, cudaMemPoolAttrReleaseThreshold, 0));
    CHECK("attr-null-pool", cudaMemPoolGetAttribute(0, cudaMemPoolAttrReleaseThreshold, &d));
    CHECK("destroy-default", cudaMemPoolDestroy(p));
    CHECK("destroy-null", cudaMemPoolDestroy(0));
    static const size_t sz[] = {0, 1, 512, 513, MB, 2 * MB, 33 * MB, 1ull << 45, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        d = UNTOUCHED;
        if (!CHECK(FORMAT("async-%zx", sz[i]), cudaMallocAsync(&d, sz[i], 0), "%s a256=%d a512=%d",
                   POINTER_AND_ALIGNMENT(d)))
            CHECK(FORMAT("freeasync-%zx", sz[i]), cudaFreeAsync(d, 0));
    }
    CHECK("async-null", cudaMallocAsync(0, 16, 0));
    cudaStream_t s = stream_new(0);
    cudaMallocAsync(&d, 4096, s);
    CHECK("memset", cudaMemsetAsync(d, 5, 4096, s));
    CHECK("free-other-stream", cudaFreeAsync(d, 0));
    CHECK("sync", cudaDeviceSynchronize());
    CHECK("free-twice", cudaFreeAsync(d, s));
    cudaMallocAsync(&d, 4096, s);
    CHECK("free-interior", cudaFreeAsync((char *)d + 16, s));
    CHECK("free-sync-api", cudaFree(d));
    cudaMallocAsync(&d, 4096, s);
    CHECK("reuse-a", cudaFreeAsync(d, s));
    cudaMallocAsync(&e, 4096, s);
    RECORD("reuse", "same=%d", d == e);
    CHECK("pageable", cudaFreeAsync(page_alloc(64), s));
    CHECK("managed", cudaFreeAsync(managed_alloc(64), s));
    CHECK("pinned", cudaFreeAsync(pinned_alloc(64), s));
    for (int ty = 0; ty < 5; ty++)
        for (int lo = 0; lo < 5; lo++)
            for (int ht = 0; ht < (ty == 1 && lo == 1 ? 10 : 1); ht++) {
                cudaMemPoolProps pr;
                memset(&pr, 0, sizeof pr);
                pr.allocType = (cudaMemAllocationType)ty;
                pr.location.type = (cudaMemLocationType)lo;
                pr.handleTypes = (cudaMemAllocationHandleType)ht;
                c = (cudaMemPool_t)UNTOUCHED;
                if (!CHECK(FORMAT("create-t%d-l%d-h%d", ty, lo, ht), cudaMemPoolCreate(&c, &pr),
                           "%s", out_state(c)))
                    CHECK(FORMAT("destroy-t%d-l%d-h%d", ty, lo, ht), cudaMemPoolDestroy(c));
            }
    cudaMemPoolProps pr;
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.location.id = 5;
    CHECK("create-dev5", cudaMemPoolCreate(&c, &pr));
    pr.location.id = 0;
    pr.maxSize = 10 * MB;
    CHECK("create-max", cudaMemPoolCreate(&c, &pr));
    RECORD("max-attrs", "%s", pool_text(c));
    CHECK("frompool", cudaMallocFromPoolAsync(&d, MB, c, s), "%s", out_state(d));
    CHECK("frompool-over-max", cudaMallocFromPoolAsync(&e, 100 * MB, c, s));
    CHECK("frompool-null", cudaMallocFromPoolAsync(&e, MB, 0, s));
    CHECK("frompool-null-out", cudaMallocFromPoolAsync(0, MB, c, s));
    RECORD("frompool-attr", "%s", pointer_text(d));
    CHECK("setcurrent", cudaDeviceSetMemPool(0, c));
    CHECK("getcurrent", cudaDeviceGetMemPool(&q, 0), "same=%d", q == c);
    CHECK("setcurrent-null", cudaDeviceSetMemPool(0, 0));
    CHECK("setcurrent-bad", cudaDeviceSetMemPool(5, c));
    CHECK("destroy-live", cudaMemPoolDestroy(c));
    CHECK("current-after", cudaDeviceGetMemPool(&q, 0), "default=%d", q == p);
    CHECK("free-of-destroyed", cudaFreeAsync(d, s), "%s", sync_stream(s));
    CHECK("null-create", cudaMemPoolCreate(0, &pr));
    CHECK("null-props", cudaMemPoolCreate(&c, 0));
    pr.maxSize = 0;
    pr.usage = 1;
    CHECK("create-usage", cudaMemPoolCreate(&c, &pr));
    pr.usage = 0;
    pr.reserved[3] = 1;
    CHECK("create-reserved", cudaMemPoolCreate(&c, &pr));
    for (int lt = 0; lt < 5; lt++)
        for (int fl = 0; fl < 5; fl++) {
            cudaMemAccessDesc ad;
            ad.location.type = (cudaMemLocationType)lt;
            ad.location.id = 0;
            ad.flags = (cudaMemAccessFlags)fl;
            CHECK(FORMAT("setaccess-l%d-f%d", lt, fl), cudaMemPoolSetAccess(p, &ad, 1));
            cudaMemAccessFlags gf = (cudaMemAccessFlags)77;
            cudaMemLocation l = ad.location;
            CHECK(FORMAT("getaccess-l%d-f%d", lt, fl), cudaMemPoolGetAccess(&gf, p, &l), "f=%d",
                  (int)gf);
        }
    CHECK("setaccess-0", cudaMemPoolSetAccess(p, 0, 0));
    CHECK("setaccess-null", cudaMemPoolSetAccess(p, 0, 1));
    CHECK("getaccess-null", cudaMemPoolGetAccess(0, p, 0));
    int fd = -1;
    CHECK("export-default",
          cudaMemPoolExportToShareableHandle(&fd, p, cudaMemHandleTypePosixFileDescriptor, 0));
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    if (!CHECK("create-fd", cudaMemPoolCreate(&c, &pr))) {
        CHECK("export",
              cudaMemPoolExportToShareableHandle(&fd, c, cudaMemHandleTypePosixFileDescriptor, 0),
              "fd=%d", fd >= 0);
        CHECK("export-flags",
              cudaMemPoolExportToShareableHandle(&fd, c, cudaMemHandleTypePosixFileDescriptor, 1));
        CHECK("export-null",
              cudaMemPoolExportToShareableHandle(0, c, cudaMemHandleTypePosixFileDescriptor, 0));
        cudaMallocFromPoolAsync(&d, 4096, c, 0);
        cudaMemPoolPtrExportData x;
        CHECK("exportptr", cudaMemPoolExportPointer(&x, d));
        CHECK("exportptr-null", cudaMemPoolExportPointer(0, d));
        CHECK("exportptr-dev", cudaMemPoolExportPointer(&x, device_alloc(64)));
        cudaMemPool_t im = 0;
        CHECK("import-same-process",
              cudaMemPoolImportFromShareableHandle(&im, (void *)(uintptr_t)fd,
                                                   cudaMemHandleTypePosixFileDescriptor, 0),
              "%s", out_state(im));
        if (im) {
            CHECK("importptr", cudaMemPoolImportPointer(&e, im, &x), "%s", out_state(e));
            CHECK("import-alloc", cudaMallocFromPoolAsync(&e, 64, im, 0));
        }
        CHECK("import-bad-fd",
              cudaMemPoolImportFromShareableHandle(&im, (void *)(uintptr_t)9999,
                                                   cudaMemHandleTypePosixFileDescriptor, 0));
    }
    for (int a = 0; a < 5; a++) {
        uint64_t v = 0x5e47;
        CHECK(FORMAT("graphmem-get-%d", a),
              cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v), "v=%llu",
              (unsigned long long)v);
        v = 0;
        CHECK(FORMAT("graphmem-set0-%d", a),
              cudaDeviceSetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v));
        v = 5;
        CHECK(FORMAT("graphmem-set5-%d", a),
              cudaDeviceSetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v));
    }
    CHECK("graphmem-trim", cudaDeviceGraphMemTrim(0));
    CHECK("graphmem-trim-bad", cudaDeviceGraphMemTrim(5));
    cudaMemLocation L = {cudaMemLocationTypeDevice, 0};
    for (int lt = 0; lt < 5; lt++)
        for (int at = 0; at < 4; at++) {
            L.type = (cudaMemLocationType)lt;
            q = (cudaMemPool_t)UNTOUCHED;
            CHECK(FORMAT("memgetdefault-l%d-t%d", lt, at),
                  cudaMemGetDefaultMemPool(&q, &L, (cudaMemAllocationType)at), "%s def=%d",
                  out_state(q), q == p);
            q = (cudaMemPool_t)UNTOUCHED;
            CHECK(FORMAT("memgetpool-l%d-t%d", lt, at),
                  cudaMemGetMemPool(&q, &L, (cudaMemAllocationType)at), "%s def=%d", out_state(q),
                  q == p);
        }
}
