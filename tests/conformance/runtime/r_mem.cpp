/* SPDX-License-Identifier: MIT */
/* Section 4a: allocation of every kind, pools, pointer attributes, advice, registration. */
#include "rt.hpp"
#define AL(d) outst(d), (uintptr_t)(d) % 256 == 0, (uintptr_t)(d) % 512 == 0
GROUP(400, malloc_, "malloc")
{
    ready();
    void *d, *e;
    static const size_t sz[] = {0,   1,      2,      255,        256,         257,      511,
                                512, 513,    4095,   4096,       4097,        65536,    MB - 1,
                                MB,  MB + 1, 2 * MB, 2 * MB + 1, 33 * MB + 7, 512 * MB, 4 * GB};
    for (size_t i = 0; i < A(sz); i++) {
        d = SENT;
        if (!T(F("size-%zu", sz[i]), cudaMalloc(&d, sz[i]), "out=%s a256=%d a512=%d", AL(d)))
            T(F("free-%zu", sz[i]), cudaFree(d));
    }
    static const size_t hg[] = {1ull << 40, 1ull << 44,     1ull << 47,   1ull << 48, 1ull << 62,
                                1ull << 63, SIZE_MAX - 511, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 0; i < A(hg); i++) {
        d = SENT;
        T(F("huge-%zx", hg[i]), cudaMalloc(&d, hg[i]), "out=%s", outst(d));
    }
    size_t fr = 0, tot = 0;
    cudaMemGetInfo(&fr, &tot);
    d = SENT;
    T("total", cudaMalloc(&d, tot), "out=%s", outst(d));
    d = SENT;
    T("total+1", cudaMalloc(&d, tot + 1), "out=%s", outst(d));
    T("null-out", cudaMalloc(0, 16));
    T("null-zero", cudaMalloc(0, 0));
    d = SENT;
    T("after-oom", cudaMalloc(&d, 4096), "out=%s", outst(d));
    T("interior+1", cudaFree((char *)d + 1));
    T("interior+256", cudaFree((char *)d + 256));
    T("last", cudaFree((char *)d + 4095));
    T("past-end", cudaFree((char *)d + 4096));
    T("base", cudaFree(d));
    T("double", cudaFree(d));
    T("addr-1", cudaFree((void *)1));
    T("garbage", cudaFree(BADP));
    T("max", cudaFree((void *)-1));
    int loc;
    T("stack", cudaFree(&loc));
    void *h = pin(4096);
    T("pinned", cudaFree(h));
    T("pinned-freehost", cudaFreeHost(h));
    void *pg = pages(8192);
    T("pageable", cudaFree(pg));
    cudaHostRegister(pg, 8192, 0);
    T("registered", cudaFree(pg));
    T("registered-still", cudaHostUnregister(pg));
    e = man(4096);
    T("managed-interior", cudaFree((char *)e + 8));
    T("managed", cudaFree(e));
    T("managed-double", cudaFree(e));
    cudaMallocAsync(&d, 4096, 0);
    cudaStreamSynchronize(0);
    T("async-allocated", cudaFree(d));
    T("null", cudaFree(0));
    T("symbol", (__extension__({
          void *sa = 0;
          cudaGetSymbolAddress(&sa, sym(0));
          cudaFree(sa);
      })));
    cudaStream_t s = mks(cudaStreamNonBlocking);
    struct blk b;
    b.ms = 300;
    d = dal(MB);
    block(s, &b);
    cudaMemsetAsync(d, 1, MB, s);
    T("free-pending", cudaFree(d), "waited=%d", (int)b.done);
    unblock(&b);
    cudaStreamSynchronize(s);
    size_t f0 = 0, f1 = 0, f2 = 0, t0 = 0;
    cudaMemGetInfo(&f0, &t0);
    d = dal(256 * MB);
    cudaMemGetInfo(&f1, &t0);
    cudaFree(d);
    cudaMemGetInfo(&f2, &t0);
    INFO("meminfo-256M", "drop=%lld back=%lld", (long long)(f0 - f1), (long long)(f2 - f1));
    T("meminfo-null", cudaMemGetInfo(0, &t0));
    T("meminfo-null2", cudaMemGetInfo(&f0, 0));
    T("meminfo-null-both", cudaMemGetInfo(0, 0));
    INFO("meminfo-order", "%d", f0 <= t0);
}
GROUP(401, pitch, "pitch")
{
    ready();
    void *d;
    size_t p;
    static const size_t w[] = {0,    1,    2,    4,    15,   16,    31,    32,     64,
                               100,  127,  128,  255,  256,  257,   511,   512,    513,
                               1000, 1024, 1025, 4096, 4097, 65536, 65537, 1048577};
    for (size_t i = 0; i < A(w); i++) {
        d = SENT;
        p = 77;
        if (!T(F("w%zu-h3", w[i]), cudaMallocPitch(&d, &p, w[i], 3), "out=%s pitch=%zu", outst(d),
               p))
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
    for (size_t i = 0; i < A(c); i++) {
        d = SENT;
        p = 77;
        if (!T(F("w%zx-h%zx", c[i].w, c[i].h), cudaMallocPitch(&d, &p, c[i].w, c[i].h),
               "out=%s pitch=%zu", outst(d), p))
            cudaFree(d);
    }
    T("null-ptr", cudaMallocPitch(0, &p, 16, 4));
    T("null-pitch", cudaMallocPitch(&d, 0, 16, 4));
    T("null-both", cudaMallocPitch(0, 0, 16, 4));
    static const size_t e3[][3] = {{100, 10, 5},          {0, 10, 5},       {100, 0, 5},
                                   {100, 10, 0},          {0, 0, 0},        {1, 1, 1},
                                   {512, 4, 4},           {513, 4, 4},      {SIZE_MAX, 1, 1},
                                   {1, SIZE_MAX, 1},      {1, 1, SIZE_MAX}, {1ull << 31, 1, 1},
                                   {65536, 65536, 65536}, {64, 3, 2}};
    for (size_t i = 0; i < A(e3); i++) {
        cudaPitchedPtr q;
        memset(&q, 0xA5, sizeof q);
        if (!T(F("3d-%zx-%zx-%zx", e3[i][0], e3[i][1], e3[i][2]),
               cudaMalloc3D(&q, ext(e3[i][0], e3[i][1], e3[i][2])), "ptr=%s pitch=%zu x=%zu y=%zu",
               q.ptr == (void *)0xA5A5A5A5A5A5A5A5ull ? "kept" : outst(q.ptr), q.pitch, q.xsize,
               q.ysize))
            cudaFree(q.ptr);
    }
    T("3d-null", cudaMalloc3D(0, ext(16, 16, 1)));
}
static const int ch[][5] = {
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
static const char *ainfo(cudaArray_t a)
{
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned f = 77;
    memset(&d, 0xA5, sizeof d);
    err r = cudaArrayGetInfo(&d, &e, &f, a);
    if (r)
        return F("info=%s", en(r));
    return F("info=%d,%d,%d,%d,%d ext=%zu,%zu,%zu fl=%u", d.x, d.y, d.z, d.w, (int)d.f, e.width,
             e.height, e.depth, f);
}
GROUP(402, array, "array")
{
    ready();
    independent = 1;
    cudaArray_t a;
    static const unsigned fl[] = {0, 1, 2, 4, 8};
    for (size_t i = 0; i < A(ch); i++)
        for (size_t k = 0; k < A(fl); k++) {
            if (fl[k] && fl[k] != 2 && i > 16 && i < 25)
                continue;
            a = (cudaArray_t)SENT;
            cudaChannelFormatDesc c = chan(ch[i][0], ch[i][1], ch[i][2], ch[i][3], ch[i][4]);
            err r = T(
                F("c%d.%d.%d.%d.%d-fl%u", ch[i][0], ch[i][1], ch[i][2], ch[i][3], ch[i][4], fl[k]),
                cudaMallocArray(&a, &c, 64, 64, fl[k]), "out=%s %s", outst(a),
                a == (cudaArray_t)SENT || !a ? "" : ainfo(a));
            if (!r)
                cudaFreeArray(a);
        }
}
GROUP(403, array2, "array-dims")
{
    ready();
    independent = 1;
    cudaArray_t a;
    cudaChannelFormatDesc c = chan(32, 0, 0, 0, 2);
    static const size_t wh[][2] = {{0, 0},          {1, 0},
                                   {0, 1},          {1, 1},
                                   {64, 0},         {131072, 0},
                                   {131073, 0},     {268435456, 0},
                                   {131072, 65536}, {131073, 1},
                                   {1, 65536},      {1, 65537},
                                   {SIZE_MAX, 0},   {SIZE_MAX, SIZE_MAX},
                                   {32768, 32768},  {1000, 3}};
    for (size_t i = 0; i < A(wh); i++) {
        a = (cudaArray_t)SENT;
        if (!T(F("2d-%zx-%zx", wh[i][0], wh[i][1]), cudaMallocArray(&a, &c, wh[i][0], wh[i][1], 0),
               "out=%s %s", outst(a), a == (cudaArray_t)SENT || !a ? "" : ainfo(a)))
            cudaFreeArray(a);
    }
    for (unsigned f = 0; f < 256; f++) {
        if (f > 32 && (f & 0x1f) && f % 8)
            continue;
        a = (cudaArray_t)SENT;
        if (!T(F("flag-%02x", f), cudaMallocArray(&a, &c, 64, 64, f), "out=%s %s", outst(a),
               a == (cudaArray_t)SENT || !a ? "" : ainfo(a)))
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
    for (size_t i = 0; i < A(d3); i++) {
        a = (cudaArray_t)SENT;
        if (!T(F("3d-%zx-%zx-%zx-fl%zx", d3[i][0], d3[i][1], d3[i][2], d3[i][3]),
               cudaMalloc3DArray(&a, &c, ext(d3[i][0], d3[i][1], d3[i][2]), (unsigned)d3[i][3]),
               "out=%s %s", outst(a), a == (cudaArray_t)SENT || !a ? "" : ainfo(a)))
            cudaFreeArray(a);
        cudaMipmappedArray_t m;
        static const unsigned lv[] = {0, 1, 3, 4, 5, 100};
        for (size_t k = 0; k < A(lv); k++) {
            m = (cudaMipmappedArray_t)SENT;
            cudaArray_t l0 = (cudaArray_t)SENT;
            err r = T(F("mip-%zx-%zx-%zx-fl%zx-l%u", d3[i][0], d3[i][1], d3[i][2], d3[i][3], lv[k]),
                      cudaMallocMipmappedArray(&m, &c, ext(d3[i][0], d3[i][1], d3[i][2]), lv[k],
                                               (unsigned)d3[i][3]),
                      "out=%s", outst(m));
            if (!r) {
                if (!(d3[i][3] & 0xe0))
                    for (unsigned q = 0; q < 6; q++) {
                        l0 = (cudaArray_t)SENT;
                        if (i < 12)
                            T(F("mip-%zx-%zx-%zx-fl%zx-l%u-level%u", d3[i][0], d3[i][1], d3[i][2],
                                d3[i][3], lv[k], q),
                              cudaGetMipmappedArrayLevel(&l0, m, q), "out=%s %s", outst(l0),
                              l0 == (cudaArray_t)SENT || !l0 ? "" : ainfo(l0));
                    }
                cudaFreeMipmappedArray(m);
            }
        }
    }
    a = 0;
    T("null-out", cudaMallocArray(0, &c, 8, 8, 0));
    T("null-desc", cudaMallocArray(&a, 0, 8, 8, 0));
    T("null-3d", cudaMalloc3DArray(0, &c, ext(8, 8, 8), 0));
    T("null-3d-desc", cudaMalloc3DArray(&a, 0, ext(8, 8, 8), 0));
    T("free-null", cudaFreeArray(0));
    T("free-mip-null", cudaFreeMipmappedArray(0));
    cudaMallocArray(&a, &c, 64, 8, 0);
    cudaExtent e = {};
    unsigned f = 77;
    cudaChannelFormatDesc q = {};
    T("info-null-desc", cudaArrayGetInfo(0, &e, &f, a));
    T("info-null-all", cudaArrayGetInfo(0, 0, 0, a));
    T("info-null-array", cudaArrayGetInfo(&q, &e, &f, 0));
    T("chandesc", cudaGetChannelDesc(&q, a), "%d %d %d %d %d", q.x, q.y, q.z, q.w, (int)q.f);
    T("chandesc-null", cudaGetChannelDesc(0, a));
    T("chandesc-null-array", cudaGetChannelDesc(&q, 0));
    cudaArrayMemoryRequirements mr;
    cudaArraySparseProperties sp;
    T("memreq", cudaArrayGetMemoryRequirements(&mr, a, 0));
    T("memreq-null", cudaArrayGetMemoryRequirements(0, a, 0));
    T("sparse", cudaArrayGetSparseProperties(&sp, a));
    cudaArray_t pl = 0;
    for (unsigned i = 0; i < 3; i++)
        T(F("plane-%u", i), cudaArrayGetPlane(&pl, a, i));
    T("level-null", cudaGetMipmappedArrayLevel(&pl, 0, 0));
    T("free", cudaFreeArray(a));
    cudaChannelFormatDesc nv = chan(8, 8, 8, 0, cudaChannelFormatKindNV12);
    if (!T("nv12", cudaMallocArray(&a, &nv, 64, 64, 0), "%s", ainfo(a)))
        for (unsigned i = 0; i < 4; i++) {
            pl = (cudaArray_t)SENT;
            T(F("nv12-plane-%u", i), cudaArrayGetPlane(&pl, a, i), "%s %s", outst(pl),
              pl && pl != (cudaArray_t)SENT ? ainfo(pl) : "");
        }
    if (!cudaMalloc3DArray(&a, &c, ext(256, 256, 0), cudaArraySparse))
        T("sparse-props", cudaArrayGetSparseProperties(&sp, a), "%u %u %u tail=%u size=%llu fl=%u",
          sp.tileExtent.width, sp.tileExtent.height, sp.tileExtent.depth, sp.miptailFirstLevel,
          sp.miptailSize, sp.flags);
    if (!cudaMalloc3DArray(&a, &c, ext(256, 256, 0), cudaArrayDeferredMapping))
        T("deferred-memreq", cudaArrayGetMemoryRequirements(&mr, a, 0), "size=%zu align=%zu",
          mr.size, mr.alignment);
}
RISK(404, array_double_free, (__extension__({
         cudaArray_t a = 0;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         cudaMallocArray(&a, &c, 8, 8, 0);
         cudaFreeArray(a);
         cudaFreeArray(a);
     })))
RISK(404, array_free_garbage, cudaFreeArray((cudaArray_t)BADP))
RISK(404, array_info_garbage, (__extension__({
         unsigned f;
         cudaArrayGetInfo(0, 0, &f, (cudaArray_t)BADP);
     })))
RISK(404, array_info_freed, (__extension__({
         cudaArray_t a = 0;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         unsigned f;
         cudaMallocArray(&a, &c, 8, 8, 0);
         cudaFreeArray(a);
         cudaArrayGetInfo(0, 0, &f, a);
     })))
RISK(404, mip_free_garbage, cudaFreeMipmappedArray((cudaMipmappedArray_t)BADP))
RISK(404, mip_as_array_free, (__extension__({
         cudaMipmappedArray_t m = 0;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         cudaMallocMipmappedArray(&m, &c, ext(8, 8, 0), 2, 0);
         cudaFreeArray((cudaArray_t)m);
     })))
RISK(404, level_free, (__extension__({
         cudaMipmappedArray_t m = 0;
         cudaArray_t a = 0;
         cudaChannelFormatDesc c = chan(8, 0, 0, 0, 1);
         cudaMallocMipmappedArray(&m, &c, ext(8, 8, 0), 2, 0);
         cudaGetMipmappedArrayLevel(&a, m, 0);
         cudaFreeArray(a);
     })))
RISK(404, stream_destroy_garbage, cudaStreamDestroy((cudaStream_t)BADP))
RISK(404, stream_sync_garbage, cudaStreamSynchronize((cudaStream_t)BADP))
RISK(404, stream_destroy_twice, (__extension__({
         cudaStream_t s = mks(0);
         cudaStreamDestroy(s);
         cudaStreamDestroy(s);
     })))
RISK(404, stream_use_destroyed, (__extension__({
         cudaStream_t s = mks(0);
         cudaStreamDestroy(s);
         cudaMemsetAsync(dal(64), 0, 64, s);
     })))
RISK(404, event_destroy_garbage, cudaEventDestroy((cudaEvent_t)BADP))
RISK(404, event_destroy_twice, (__extension__({
         cudaEvent_t e = mke(0);
         cudaEventDestroy(e);
         cudaEventDestroy(e);
     })))
RISK(404, event_query_destroyed, (__extension__({
         cudaEvent_t e = mke(0);
         cudaEventDestroy(e);
         cudaEventQuery(e);
     })))
RISK(404, graph_destroy_twice, (__extension__({
         cudaGraph_t g = 0;
         cudaGraphCreate(&g, 0);
         cudaGraphDestroy(g);
         cudaGraphDestroy(g);
     })))
RISK(404, graph_launch_garbage, cudaGraphLaunch((cudaGraphExec_t)BADP, 0))
RISK(404, pool_destroy_garbage, cudaMemPoolDestroy((cudaMemPool_t)BADP))
RISK(404, texture_destroy_garbage, cudaDestroyTextureObject(0xdeadbeef))
RISK(404, surface_destroy_garbage, cudaDestroySurfaceObject(0xdeadbeef))
RISK(404, library_unload_garbage, cudaLibraryUnload((cudaLibrary_t)BADP))
RISK(404, memcpy_src_bad_host, cudaMemcpy(dal(64), BADP, 64, cudaMemcpyHostToDevice))
RISK(404, memcpy_dst_bad_host, cudaMemcpy(BADP, dal(64), 64, cudaMemcpyDeviceToHost))
RISK(404, memcpy_null_host_src, cudaMemcpy(dal(64), 0, 64, cudaMemcpyHostToDevice))
RISK(404, memcpy_null_host_dst, cudaMemcpy(0, dal(64), 64, cudaMemcpyDeviceToHost))
RISK(404, memcpy_default_bad, cudaMemcpy(dal(64), BADP, 64, cudaMemcpyDefault))
RISK(404, memcpy_dtod_bad, cudaMemcpy(dal(64), BADP, 64, cudaMemcpyDeviceToDevice))
RISK(404, memcpy_dtod_host, (__extension__({
         static char b[64];
         cudaMemcpy(dal(64), b, 64, cudaMemcpyDeviceToDevice);
     })))
RISK(404, memcpy_past_end, (__extension__({
         static char b[64];
         char *d = (char *)dal(64);
         cudaMemcpy(d + 2 * MB * 64, b, 64, cudaMemcpyHostToDevice);
     })))
RISK(404, memset_bad, cudaMemset(BADP, 0, 64))
RISK(404, memset_freed, (__extension__({
         void *d = dal(64 * MB);
         cudaFree(d);
         cudaMemset(d, 0, 64);
     })))
RISK(404, memset_past, cudaMemset(dal(4096), 0, 8ull * GB))
RISK(404, memset_async_bad, cudaMemsetAsync(BADP, 0, 64, 0))
RISK(404, free_async_bad, cudaFreeAsync(BADP, 0))
RISK(404, free_async_null, cudaFreeAsync(0, 0))
RISK(404, free_async_sync_alloc, cudaFreeAsync(dal(64), 0))
RISK(404, hostfunc_null, cudaLaunchHostFunc(0, 0, 0))
RISK(404, callback_null, cudaStreamAddCallback(0, 0, 0, 0))
RISK(404, userobject_null_fn, (__extension__({
         cudaUserObject_t o;
         cudaUserObjectCreate(&o, 0, 0, 1, 1);
     })))

GROUP(405, host, "host")
{
    ready();
    void *p, *q;
    unsigned u = 77;
    for (unsigned f = 0; f < 18; f++) {
        p = SENT;
        err r = T(F("alloc-fl%u", f), cudaHostAlloc(&p, 4096, f), "out=%s", outst(p));
        if (!r) {
            u = 77;
            T(F("flags-fl%u", f), cudaHostGetFlags(&u, p), "f=%u", u);
            q = SENT;
            T(F("dptr-fl%u", f), cudaHostGetDevicePointer(&q, p, 0), "%s", rel(q, p));
            INFO(F("attr-fl%u", f), "%s", pattr(p));
            T(F("free-fl%u", f), cudaFreeHost(p));
        }
    }
    static const size_t sz[] = {0, 1, 4095, 4096, 4097, 64 * MB, 1ull << 46, SIZE_MAX};
    for (size_t i = 0; i < A(sz); i++) {
        p = SENT;
        if (!T(F("hostalloc-%zx", sz[i]), cudaHostAlloc(&p, sz[i], 0), "out=%s page=%d", outst(p),
               (uintptr_t)p % 4096 == 0))
            cudaFreeHost(p);
        p = SENT;
        if (!T(F("mallochost-%zx", sz[i]), cudaMallocHost(&p, sz[i]), "out=%s", outst(p)))
            cudaFreeHost(p);
    }
    T("alloc-null", cudaHostAlloc(0, 16, 0));
    T("mallochost-null", cudaMallocHost(0, 16));
    p = pin(8192);
    T("free-interior", cudaFreeHost((char *)p + 16));
    T("flags-interior", cudaHostGetFlags(&u, (char *)p + 100), "f=%u", u);
    q = SENT;
    T("dptr-interior", cudaHostGetDevicePointer(&q, (char *)p + 100, 0), "%s", rel(q, p));
    T("dptr-flags", cudaHostGetDevicePointer(&q, p, 1));
    T("dptr-null-out", cudaHostGetDevicePointer(0, p, 0));
    T("flags-null", cudaHostGetFlags(0, p));
    T("flags-null-host", cudaHostGetFlags(&u, 0));
    T("dptr-null-host", cudaHostGetDevicePointer(&q, 0, 0));
    T("unregister-alloc", cudaHostUnregister(p));
    T("register-alloc", cudaHostRegister(p, 8192, 0));
    T("free", cudaFreeHost(p));
    T("double-free", cudaFreeHost(p));
    T("flags-freed", cudaHostGetFlags(&u, p));
    T("free-null", cudaFreeHost(0));
    T("free-dev", cudaFreeHost(dal(64)));
    T("free-managed", cudaFreeHost(man(64)));
    T("flags-managed", cudaHostGetFlags(&u, man(64)), "f=%u", u);
    T("flags-dev", cudaHostGetFlags(&u, dal(64)));
    T("dptr-managed", cudaHostGetDevicePointer(&q, man(64), 0));
    T("dptr-dev", cudaHostGetDevicePointer(&q, dal(64), 0));
    for (unsigned f = 0; f < 20; f++) {
        void *g = pages(16384);
        err r = T(F("reg-fl%u", f), cudaHostRegister(g, 16384, f));
        if (!r) {
            u = 77;
            T(F("regflags-%u", f), cudaHostGetFlags(&u, g), "f=%u", u);
            q = SENT;
            T(F("regdptr-%u", f), cudaHostGetDevicePointer(&q, g, 0), "%s", rel(q, g));
            INFO(F("regattr-%u", f), "%s", pattr(g));
            T(F("unreg-%u", f), cudaHostUnregister(g));
        }
    }
    char *g = (char *)pages(65536);
    T("reg-null", cudaHostRegister(0, 4096, 0));
    T("reg-zero", cudaHostRegister(g, 0, 0));
    T("reg-huge", cudaHostRegister(g, SIZE_MAX, 0));
    T("reg-unaligned", cudaHostRegister(g + 100, 1000, 0));
    INFO("reg-unaligned-attr", "%s", pattr(g + 100));
    INFO("reg-unaligned-attr-before", "%s", pattr(g + 50));
    INFO("reg-unaligned-attr-after", "%s", pattr(g + 2000));
    T("reg-overlap", cudaHostRegister(g, 8192, 0));
    T("reg-same-page-other", cudaHostRegister(g + 2000, 100, 0));
    T("unreg-other-addr", cudaHostUnregister(g));
    T("unreg", cudaHostUnregister(g + 100));
    T("unreg2", cudaHostUnregister(g + 2000));
    T("unreg-twice", cudaHostUnregister(g + 100));
    T("reg-unmapped", cudaHostRegister(BADP, 4096, 0));
    T("reg-dev", cudaHostRegister(dal(4096), 4096, 0));
    T("reg-managed", cudaHostRegister(man(4096), 4096, 0));
    T("reg", cudaHostRegister(g, 65536, 0));
    T("reg-again", cudaHostRegister(g, 65536, 0));
    T("reg-inside", cudaHostRegister(g + 4096, 4096, 0));
    T("unreg-interior", cudaHostUnregister(g + 4096));
    T("unreg-base", cudaHostUnregister(g));
    T("unreg-null", cudaHostUnregister(0));
    T("reg-overlapping-next", cudaHostRegister(g + 32768, 32768, 0));
    T("reg-overlapping-prev", cudaHostRegister(g, 40000, 0));
    INFO("reg-readonly-attr", "%d", 0);
}
GROUP(406, managed, "managed")
{
    ready();
    void *p;
    for (unsigned f = 0; f < 9; f++) {
        p = SENT;
        if (!T(F("fl%u", f), cudaMallocManaged(&p, 4096, f), "out=%s", outst(p))) {
            INFO(F("attr-fl%u", f), "%s", pattr(p));
            cudaFree(p);
        }
    }
    static const size_t sz[] = {0, 1, 4097, 64 * MB, 1ull << 50, SIZE_MAX};
    for (size_t i = 0; i < A(sz); i++) {
        p = SENT;
        if (!T(F("size-%zx", sz[i]), cudaMallocManaged(&p, sz[i], 1), "out=%s", outst(p)))
            cudaFree(p);
    }
    T("null", cudaMallocManaged(0, 16, 1));
    int *m = (int *)man(4096);
    for (int i = 0; i < 100; i++)
        m[i] = i;
    int n = 100, v = 1000;
    T("kernel-add", cudaLaunchKernel((void *)k_add, dim3(1), dim3(128), ARGS(&m, &n, &v), 0, 0),
      "%s v0=%d v99=%d", SYD(), m[0], m[99]);
    cudaStream_t s = mks(0);
    for (unsigned f = 0; f < 9; f++)
        T(F("attach-fl%u", f), cudaStreamAttachMemAsync(s, m, 0, f), "%s", SY(s));
    T("attach-len", cudaStreamAttachMemAsync(s, m, 4096, 4));
    T("attach-len-bad", cudaStreamAttachMemAsync(s, m, 100, 4));
    T("attach-interior", cudaStreamAttachMemAsync(s, m + 10, 0, 4));
    T("attach-dev", cudaStreamAttachMemAsync(s, dal(64), 0, 1));
    T("attach-host", cudaStreamAttachMemAsync(s, pages(4096), 4096, 1));
    T("attach-null", cudaStreamAttachMemAsync(s, 0, 0, 1));
    T("attach-single-null-stream", cudaStreamAttachMemAsync(0, m, 0, 4));
    T("attach-back", cudaStreamAttachMemAsync(s, m, 0, 1), "%s", SY(s));
    cudaMemLocation L;
    void *dd = dal(4096), *pg = pages(4096);
    void *pn = pin(4096);
    struct {
        const char *n;
        void *p;
    } tg[] = {{"managed", m}, {"dev", dd}, {"pageable", pg}, {"pinned", pn}, {"null", 0}};
    for (int ty = -1; ty < 6; ty++)
        for (int id = -1; id < 2; id++) {
            L.type = (cudaMemLocationType)ty;
            L.id = id;
            for (size_t t = 0; t < (ty >= 1 && ty <= 3 && id == 0 ? A(tg) : 1); t++) {
                if (!strcmp(tg[t].n, "pageable"))
                    continue;
                T(F("prefetch-%s-loc%d.%d", tg[t].n, ty, id),
                  cudaMemPrefetchAsync(tg[t].p, 4096, L, 0, 0), "%s", SYD());
                for (int ad = 1; ad <= 6; ad++)
                    T(F("advise%d-%s-loc%d.%d", ad, tg[t].n, ty, id),
                      cudaMemAdvise(tg[t].p, 4096, (cudaMemoryAdvise)ad, L));
            }
        }
    L.type = cudaMemLocationTypeDevice;
    L.id = 0;
    T("prefetch-flags", cudaMemPrefetchAsync(m, 4096, L, 1, 0));
    T("prefetch-zero", cudaMemPrefetchAsync(m, 0, L, 0, 0));
    T("prefetch-past", cudaMemPrefetchAsync(m, 1ull << 40, L, 0, 0));
    T("advise-0", cudaMemAdvise(m, 4096, (cudaMemoryAdvise)0, L));
    T("advise-7", cudaMemAdvise(m, 4096, (cudaMemoryAdvise)7, L));
    T("advise-zero", cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, L));
    T("advise-past", cudaMemAdvise(m, 1ull << 40, cudaMemAdviseSetReadMostly, L));
    m = (int *)man(2 * MB);
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
            T(F("range%d-%s", a, nm[st]),
              cudaMemRangeGetAttribute(o, a == 3 ? 16 : 4, (cudaMemRangeAttribute)a, m, 2 * MB),
              "%d %d %d", o[0], o[1], o[2]);
        }
    }
    int o[4] = {77, 77, 77, 77};
    T("range-size8", cudaMemRangeGetAttribute(o, 8, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    T("range-size2", cudaMemRangeGetAttribute(o, 2, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    T("range-null", cudaMemRangeGetAttribute(0, 4, cudaMemRangeAttributeReadMostly, m, 2 * MB));
    T("range-dev", cudaMemRangeGetAttribute(o, 4, cudaMemRangeAttributeReadMostly, dd, 4096));
    void *da[2] = {o, o + 1};
    size_t ds[2] = {4, 4};
    cudaMemRangeAttribute at[2] = {cudaMemRangeAttributeReadMostly,
                                   cudaMemRangeAttributePreferredLocation};
    T("ranges", cudaMemRangeGetAttributes(da, ds, at, 2, m, 2 * MB), "%d %d", o[0], o[1]);
    T("ranges-0", cudaMemRangeGetAttributes(da, ds, at, 0, m, 2 * MB));
    T("ranges-null", cudaMemRangeGetAttributes(0, ds, at, 2, m, 2 * MB));
    void *ps[2] = {m, (char *)m + MB};
    size_t ss[2] = {MB, MB}, ix[2] = {0, 1};
    cudaMemLocation ls[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
    T("prefetchbatch", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, s), "%s", SY(s));
    T("prefetchbatch-stream0", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, 0));
    T("prefetchbatch-0", cudaMemPrefetchBatchAsync(ps, ss, 0, ls, ix, 0, 0, s));
    T("prefetchbatch-flags", cudaMemPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 1, s));
    T("discard", cudaMemDiscardBatchAsync(ps, ss, 2, 0, s), "%s", SY(s));
    T("discard-flags", cudaMemDiscardBatchAsync(ps, ss, 2, 1, s));
    T("discard-prefetch", cudaMemDiscardAndPrefetchBatchAsync(ps, ss, 2, ls, ix, 2, 0, s), "%s",
      SY(s));
    T("discard-null", cudaMemDiscardBatchAsync(0, ss, 2, 0, s));
    ps[0] = dd;
    ss[0] = 4096;
    T("discard-dev", cudaMemDiscardBatchAsync(ps, ss, 1, 0, s), "%s", SY(s));
}
GROUP(407, ptrattr, "ptrattr")
{
    ready();
    struct mem m[M_N];
    mk_kinds(m, 8192);
    for (int i = 0; i < M_N; i++) {
        INFO(m[i].n, "%s", pattr(m[i].d));
        INFO(F("%s+100", m[i].n), "%s", pattr((char *)m[i].d + 100));
        INFO(F("%s+8191", m[i].n), "%s", pattr((char *)m[i].d + 8191));
    }
    INFO("null", "%s", pattr(0));
    INFO("one", "%s", pattr((void *)1));
    INFO("bad", "%s", pattr(BADP));
    INFO("max", "%s", pattr((void *)-1));
    int v;
    INFO("stack", "%s", pattr(&v));
    INFO("code", "%s", pattr((void *)pattr));
    void *h = malloc(64);
    INFO("heap", "%s", pattr(h));
    for (int i = 0; i < S_N; i++) {
        void *d = 0;
        cudaGetSymbolAddress(&d, sym(i));
        INFO(F("sym-%s", sym_name[i]), "%s", pattr(d));
        INFO(F("symhost-%s", sym_name[i]), "%s", pattr(sym(i)));
    }
    void *d = dal(4096);
    cudaFree(d);
    INFO("freed", "%s", pattr(d));
    h = pin(4096);
    cudaFreeHost(h);
    INFO("freed-pinned", "%s", pattr(h));
    void *p = 0;
    size_t pt;
    cudaMallocPitch(&p, &pt, 100, 10);
    INFO("pitched-row3", "%s", pattr((char *)p + 3 * pt));
    void *w = 0;
    cudaHostAlloc(&w, 64, cudaHostAllocWriteCombined);
    INFO("wc", "%s", pattr(w));
    cudaPointerAttributes a;
    T("null-out", cudaPointerGetAttributes(0, d));
    T("null-both", cudaPointerGetAttributes(0, 0));
    memset(&a, 0xA5, sizeof a);
    cudaPointerGetAttributes(&a, m[0].d);
    int z = 1;
    for (int i = 0; i < 8; i++)
        z &= a.reserved[i] == 0;
    INFO("reserved-zero", "%d", z);
}
static const char *pa(cudaMemPool_t p)
{
    char b[300];
    int n = 0;
    for (int i = 1; i <= 8; i++) {
        uint64_t v = 0x5e47;
        err r = cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)i, &v);
        if (i < 4)
            v = (uint32_t)v;
        n += snprintf(b + n, sizeof b - n, "%s%s", i > 1 ? "," : "",
                      r ? en(r) : F("%llu", (unsigned long long)v));
    }
    return keep(b);
}
GROUP(408, pool, "pool")
{
    ready();
    cudaMemPool_t p = 0, q = 0, c = 0;
    T("default", cudaDeviceGetDefaultMemPool(&p, 0), "%s", outst(p));
    T("current", cudaDeviceGetMemPool(&q, 0), "same=%d", p == q);
    T("default-bad", cudaDeviceGetDefaultMemPool(&q, 5));
    T("default-null", cudaDeviceGetDefaultMemPool(0, 0));
    T("current-bad", cudaDeviceGetMemPool(&q, 5));
    INFO("attrs-fresh", "%s", pa(p));
    void *d = SENT, *e = SENT;
    T("async", cudaMallocAsync(&d, 1000, 0), "%s", outst(d));
    INFO("attrs-1000", "%s", pa(p));
    T("async-big", cudaMallocAsync(&e, 40 * MB, 0));
    INFO("attrs-40M", "%s", pa(p));
    T("free", cudaFreeAsync(d, 0));
    T("free-big", cudaFreeAsync(e, 0));
    INFO("attrs-freed", "%s", pa(p));
    cudaDeviceSynchronize();
    INFO("attrs-synced", "%s", pa(p));
    T("trim", cudaMemPoolTrimTo(p, 0));
    INFO("attrs-trimmed", "%s", pa(p));
    T("trim-null", cudaMemPoolTrimTo(0, 0));
    for (int i = 0; i < 10; i++)
        for (int v = 0; v < 3; v++) {
            uint64_t x = v, y = 77;
            T(F("setattr%d-%d", i, v), cudaMemPoolSetAttribute(p, (cudaMemPoolAttr)i, &x),
              "get=%s v=%llu", en(cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)i, &y)),
              (unsigned long long)(i < 4 ? (uint32_t)y : y));
        }
    T("attr-null", cudaMemPoolGetAttribute(p, cudaMemPoolAttrReleaseThreshold, 0));
    T("attr-null-pool", cudaMemPoolGetAttribute(0, cudaMemPoolAttrReleaseThreshold, &d));
    T("destroy-default", cudaMemPoolDestroy(p));
    T("destroy-null", cudaMemPoolDestroy(0));
    static const size_t sz[] = {0, 1, 512, 513, MB, 2 * MB, 33 * MB, 1ull << 45, SIZE_MAX};
    for (size_t i = 0; i < A(sz); i++) {
        d = SENT;
        if (!T(F("async-%zx", sz[i]), cudaMallocAsync(&d, sz[i], 0), "%s a256=%d a512=%d", AL(d)))
            T(F("freeasync-%zx", sz[i]), cudaFreeAsync(d, 0));
    }
    T("async-null", cudaMallocAsync(0, 16, 0));
    cudaStream_t s = mks(0);
    cudaMallocAsync(&d, 4096, s);
    T("memset", cudaMemsetAsync(d, 5, 4096, s));
    T("free-other-stream", cudaFreeAsync(d, 0));
    T("sync", cudaDeviceSynchronize());
    T("free-twice", cudaFreeAsync(d, s));
    cudaMallocAsync(&d, 4096, s);
    T("free-interior", cudaFreeAsync((char *)d + 16, s));
    T("free-sync-api", cudaFree(d));
    cudaMallocAsync(&d, 4096, s);
    T("reuse-a", cudaFreeAsync(d, s));
    cudaMallocAsync(&e, 4096, s);
    INFO("reuse", "same=%d", d == e);
    T("pageable", cudaFreeAsync(pages(64), s));
    T("managed", cudaFreeAsync(man(64), s));
    T("pinned", cudaFreeAsync(pin(64), s));
    for (int ty = 0; ty < 5; ty++)
        for (int lo = 0; lo < 5; lo++)
            for (int ht = 0; ht < (ty == 1 && lo == 1 ? 10 : 1); ht++) {
                cudaMemPoolProps pr;
                memset(&pr, 0, sizeof pr);
                pr.allocType = (cudaMemAllocationType)ty;
                pr.location.type = (cudaMemLocationType)lo;
                pr.handleTypes = (cudaMemAllocationHandleType)ht;
                c = (cudaMemPool_t)SENT;
                if (!T(F("create-t%d-l%d-h%d", ty, lo, ht), cudaMemPoolCreate(&c, &pr), "%s",
                       outst(c)))
                    T(F("destroy-t%d-l%d-h%d", ty, lo, ht), cudaMemPoolDestroy(c));
            }
    cudaMemPoolProps pr;
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.location.id = 5;
    T("create-dev5", cudaMemPoolCreate(&c, &pr));
    pr.location.id = 0;
    pr.maxSize = 10 * MB;
    T("create-max", cudaMemPoolCreate(&c, &pr));
    INFO("max-attrs", "%s", pa(c));
    T("frompool", cudaMallocFromPoolAsync(&d, MB, c, s), "%s", outst(d));
    T("frompool-over-max", cudaMallocFromPoolAsync(&e, 100 * MB, c, s));
    T("frompool-null", cudaMallocFromPoolAsync(&e, MB, 0, s));
    T("frompool-null-out", cudaMallocFromPoolAsync(0, MB, c, s));
    INFO("frompool-attr", "%s", pattr(d));
    T("setcurrent", cudaDeviceSetMemPool(0, c));
    T("getcurrent", cudaDeviceGetMemPool(&q, 0), "same=%d", q == c);
    T("setcurrent-null", cudaDeviceSetMemPool(0, 0));
    T("setcurrent-bad", cudaDeviceSetMemPool(5, c));
    T("destroy-live", cudaMemPoolDestroy(c));
    T("current-after", cudaDeviceGetMemPool(&q, 0), "default=%d", q == p);
    T("free-of-destroyed", cudaFreeAsync(d, s), "%s", SY(s));
    T("null-create", cudaMemPoolCreate(0, &pr));
    T("null-props", cudaMemPoolCreate(&c, 0));
    pr.maxSize = 0;
    pr.usage = 1;
    T("create-usage", cudaMemPoolCreate(&c, &pr));
    pr.usage = 0;
    pr.reserved[3] = 1;
    T("create-reserved", cudaMemPoolCreate(&c, &pr));
    for (int lt = 0; lt < 5; lt++)
        for (int fl = 0; fl < 5; fl++) {
            cudaMemAccessDesc ad;
            ad.location.type = (cudaMemLocationType)lt;
            ad.location.id = 0;
            ad.flags = (cudaMemAccessFlags)fl;
            T(F("setaccess-l%d-f%d", lt, fl), cudaMemPoolSetAccess(p, &ad, 1));
            cudaMemAccessFlags gf = (cudaMemAccessFlags)77;
            cudaMemLocation l = ad.location;
            T(F("getaccess-l%d-f%d", lt, fl), cudaMemPoolGetAccess(&gf, p, &l), "f=%d", (int)gf);
        }
    T("setaccess-0", cudaMemPoolSetAccess(p, 0, 0));
    T("setaccess-null", cudaMemPoolSetAccess(p, 0, 1));
    T("getaccess-null", cudaMemPoolGetAccess(0, p, 0));
    int fd = -1;
    T("export-default",
      cudaMemPoolExportToShareableHandle(&fd, p, cudaMemHandleTypePosixFileDescriptor, 0));
    memset(&pr, 0, sizeof pr);
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    if (!T("create-fd", cudaMemPoolCreate(&c, &pr))) {
        T("export",
          cudaMemPoolExportToShareableHandle(&fd, c, cudaMemHandleTypePosixFileDescriptor, 0),
          "fd=%d", fd >= 0);
        T("export-flags",
          cudaMemPoolExportToShareableHandle(&fd, c, cudaMemHandleTypePosixFileDescriptor, 1));
        T("export-null",
          cudaMemPoolExportToShareableHandle(0, c, cudaMemHandleTypePosixFileDescriptor, 0));
        cudaMallocFromPoolAsync(&d, 4096, c, 0);
        cudaMemPoolPtrExportData x;
        T("exportptr", cudaMemPoolExportPointer(&x, d));
        T("exportptr-null", cudaMemPoolExportPointer(0, d));
        T("exportptr-dev", cudaMemPoolExportPointer(&x, dal(64)));
        cudaMemPool_t im = 0;
        T("import-same-process",
          cudaMemPoolImportFromShareableHandle(&im, (void *)(uintptr_t)fd,
                                               cudaMemHandleTypePosixFileDescriptor, 0),
          "%s", outst(im));
        if (im) {
            T("importptr", cudaMemPoolImportPointer(&e, im, &x), "%s", outst(e));
            T("import-alloc", cudaMallocFromPoolAsync(&e, 64, im, 0));
        }
        T("import-bad-fd",
          cudaMemPoolImportFromShareableHandle(&im, (void *)(uintptr_t)9999,
                                               cudaMemHandleTypePosixFileDescriptor, 0));
    }
    for (int a = 0; a < 5; a++) {
        uint64_t v = 0x5e47;
        T(F("graphmem-get-%d", a),
          cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v), "v=%llu",
          (unsigned long long)v);
        v = 0;
        T(F("graphmem-set0-%d", a),
          cudaDeviceSetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v));
        v = 5;
        T(F("graphmem-set5-%d", a),
          cudaDeviceSetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v));
    }
    T("graphmem-trim", cudaDeviceGraphMemTrim(0));
    T("graphmem-trim-bad", cudaDeviceGraphMemTrim(5));
    cudaMemLocation L = {cudaMemLocationTypeDevice, 0};
    for (int lt = 0; lt < 5; lt++)
        for (int at = 0; at < 4; at++) {
            L.type = (cudaMemLocationType)lt;
            q = (cudaMemPool_t)SENT;
            T(F("memgetdefault-l%d-t%d", lt, at),
              cudaMemGetDefaultMemPool(&q, &L, (cudaMemAllocationType)at), "%s def=%d", outst(q),
              q == p);
            q = (cudaMemPool_t)SENT;
            T(F("memgetpool-l%d-t%d", lt, at), cudaMemGetMemPool(&q, &L, (cudaMemAllocationType)at),
              "%s def=%d", outst(q), q == p);
        }
}
