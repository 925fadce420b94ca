/* SPDX-License-Identifier: MIT */
/* Section 4b: copies and fills. */
#include "rt.hpp"
#define N 4096
static char hb[65536], hb2[65536];
GROUP(450, cpy, "memcpy")
{
    ready();
    struct mem a[M_N], b[M_N];
    mk_kinds(a, N);
    mk_kinds(b, N);
    cudaStream_t s = mks(0);
    unsigned seed = 1;
    char o[N];
    sticky_ok = 0;
    independent = 1;
    for (int as = 0; as < 2; as++)
        for (int i = 0; i < M_N; i++)
            for (int j = 0; j < M_N; j++)
                for (int k = 0; k < 6; k++) {
                    mfill(&a[j], N, ++seed);
                    mfill(&b[i], N, 0); /* dst b[i] <- src a[j] */
                    T(F("%s%s-from-%s-%s", as ? "async-" : "", b[i].n, a[j].n, kind_name[k]),
                      as ? cudaMemcpyAsync(b[i].d, a[j].d, N, (cudaMemcpyKind)k, s)
                         : cudaMemcpy(b[i].d, a[j].d, N, (cudaMemcpyKind)k),
                      "sync=%s data=%s", SYD(), (mget(&b[i], o, N), same(o, N, seed)));
                }
}
GROUP(451, cpy2, "memcpy-args")
{
    ready();
    char *d = (char *)dal(65536), *e = (char *)dal(65536);
    char *p = (char *)pin(65536);
    fill(hb, 65536, 1);
    T("zero-null", cudaMemcpy(0, 0, 0, cudaMemcpyHostToDevice));
    T("zero", cudaMemcpy(d, hb, 0, cudaMemcpyHostToDevice));
    T("kind-neg", cudaMemcpy(d, hb, 16, (cudaMemcpyKind)-1));
    T("kind-neg-zero", cudaMemcpy(d, hb, 0, (cudaMemcpyKind)-1));
    T("null-dst", cudaMemcpy(0, hb, 16, cudaMemcpyHostToHost));
    T("self", cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice));
    static const size_t sz[] = {1, 3, 7, 63, 4095, 4097, 65535};
    for (size_t i = 0; i < A(sz); i++)
        for (int o = 0; o < 4; o++) {
            cudaMemset(d, 0, 65536);
            T(F("h2d-n%zu-o%d", sz[i], o),
              cudaMemcpy(d + o, hb + o * 2, sz[i] - (sz[i] > 60000 ? 8 : 0),
                         cudaMemcpyHostToDevice),
              "%s", dsum(d, 65536));
            T(F("d2d-n%zu-o%d", sz[i], o),
              cudaMemcpy(e + 3, d + o, sz[i] - (sz[i] > 60000 ? 8 : 0), cudaMemcpyDeviceToDevice),
              "%s", dsum(e, 8192));
            memset(hb2, 0, 65536);
            T(F("d2h-n%zu-o%d", sz[i], o),
              cudaMemcpy(hb2 + o, e + 1, sz[i] - (sz[i] > 60000 ? 8 : 0), cudaMemcpyDeviceToHost),
              "%08x", sum(hb2, 65536));
        }
    T("overlap-fwd", cudaMemcpy(d + 16, d, 1, cudaMemcpyDeviceToDevice));
    T("past-end", cudaMemcpy(d, hb, 1ull << 40, cudaMemcpyHostToDevice));
    T("size-max", cudaMemcpy(d, hb, SIZE_MAX, cudaMemcpyHostToDevice));
    T("d2d-past", cudaMemcpy(d, e, 1ull << 40, cudaMemcpyDeviceToDevice));
    T("async-badstream0-null", cudaMemcpyAsync(0, 0, 0, cudaMemcpyDefault, 0));
    T("async-legacy", cudaMemcpyAsync(d, p, 64, cudaMemcpyDefault, cudaStreamLegacy), "%s", SYD());
    T("async-perthread", cudaMemcpyAsync(d, p, 64, cudaMemcpyDefault, cudaStreamPerThread), "%s",
      SYD());
    T("async-kind9", cudaMemcpyAsync(d, p, 64, (cudaMemcpyKind)9, 0));
    T("peer", cudaMemcpyPeer(d, 0, e, 0, 64));
    T("peer-bad-dst", cudaMemcpyPeer(d, 5, e, 0, 64));
    T("peer-bad-src", cudaMemcpyPeer(d, 0, e, -1, 64));
    T("peer-zero", cudaMemcpyPeer(d, 0, e, 0, 0));
    T("peer-host", cudaMemcpyPeer(d, 0, p, 0, 64));
    T("peer-async", cudaMemcpyPeerAsync(d, 0, e, 0, 64, 0), "%s", SYD());
    T("peer-async-bad", cudaMemcpyPeerAsync(d, 7, e, 0, 64, 0));
    T("peer-pageable", cudaMemcpyPeer(d, 0, hb, 0, 64));
    T("peer-bad-zero", cudaMemcpyPeer(d, 9, e, 9, 0));
    struct blk b;
    b.ms = 300;
    cudaStream_t s = mks(cudaStreamNonBlocking);
#define WAITS(nm, call)                                                                            \
    b.ms = 250;                                                                                    \
    block(s, &b);                                                                                  \
    T("waits-" nm, call, "finished_first=%d", (int)b.done);                                        \
    unblock(&b);                                                                                   \
    cudaStreamSynchronize(s);
    WAITS("memcpyAsync-pageable-h2d", cudaMemcpyAsync(d, hb, 1024, cudaMemcpyHostToDevice, s))
    WAITS("memcpyAsync-pageable-d2h", cudaMemcpyAsync(hb2, d, 1024, cudaMemcpyDeviceToHost, s))
        WAITS("memcpyAsync-pinned-h2d", cudaMemcpyAsync(d, p, 1024, cudaMemcpyHostToDevice, s))
            WAITS("memcpyAsync-pinned-d2h", cudaMemcpyAsync(p, d, 1024, cudaMemcpyDeviceToHost, s))
                WAITS("memcpyAsync-big-pageable",
                      cudaMemcpyAsync(d, hb, 65536, cudaMemcpyHostToDevice, s))
                    WAITS("memcpyAsync-HtoH", cudaMemcpyAsync(hb, hb2, 64, cudaMemcpyHostToHost, s))
                        WAITS("memsetAsync", cudaMemsetAsync(d, 0, 64, s)) WAITS(
                            "memcpy-nullstream", cudaMemcpy(d, hb, 64, cudaMemcpyHostToDevice))
                            WAITS("streamquery", cudaStreamQuery(s))
                                WAITS("launch",
                                      cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s))
                                    WAITS("devsync",
                                          cudaDeviceSynchronize()) WAITS("malloc", (__extension__({
                                                                             void *q;
                                                                             cudaMalloc(&q, 64);
                                                                         })))
                                        WAITS("hostalloc", (__extension__({
                                                  void *q;
                                                  cudaHostAlloc(&q, 64, 0);
                                              }))) WAITS("streamdestroy-other", (__extension__({
                                                             cudaStream_t q = mks(0);
                                                             cudaStreamDestroy(q);
                                                         }))) WAITS("eventcreate", (__extension__({
                                                                        cudaEvent_t q;
                                                                        cudaEventCreate(&q);
                                                                    })))
                                            WAITS("tosymbol",
                                                  cudaMemcpyToSymbol(sym(0), hb, 4, 0,
                                                                     cudaMemcpyHostToDevice))
                                                WAITS("funcattr", (__extension__({
                                                          cudaFuncAttributes q;
                                                          cudaFuncGetAttributes(&q, (void *)k_fill);
                                                      }))) cudaStream_t bs = mks(0);
    struct blk c;
    c.ms = 250;
    block(bs, &c);
    T("blocking-stream-then-memcpy", cudaMemcpy(d, hb, 64, cudaMemcpyHostToDevice),
      "finished_first=%d", (int)c.done);
    unblock(&c);
    c.ms = 250;
    block(bs, &c);
    T("blocking-stream-then-memset", cudaMemset(d, 1, 64), "finished_first=%d", (int)c.done);
    unblock(&c);
    cudaDeviceSynchronize();
    c.ms = 250;
    block(bs, &c);
    T("blocking-stream-then-d2d", cudaMemcpy(d, e, 64, cudaMemcpyDeviceToDevice),
      "finished_first=%d", (int)c.done);
    unblock(&c);
    cudaDeviceSynchronize();
}
GROUP(452, cpy2d, "memcpy2d")
{
    ready();
    independent = 1;
    struct mem m[M_N];
    mk_kinds(m, 65536);
    char *d = (char *)m[M_DEV].d;
    fill(hb, 65536, 3);
    static const size_t sh[][4] = {
        {64, 64, 64, 8},       {128, 64, 64, 8},        {64, 128, 64, 8},
        {100, 70, 33, 17},     {64, 64, 65, 2},         {64, 63, 64, 2},
        {63, 64, 64, 2},       {0, 64, 64, 2},          {64, 0, 64, 2},
        {0, 0, 0, 0},          {64, 64, 0, 4},          {64, 64, 4, 0},
        {64, 64, 64, 1},       {0, 0, 64, 1},           {7, 5, 3, 9},
        {SIZE_MAX, 64, 64, 2}, {1ull << 31, 64, 64, 1}, {1ull << 32, 1ull << 32, 64, 1}};
    for (size_t i = 0; i < A(sh); i++)
        for (int k = 0; k < 6; k++) {
            int pat[6][2] = {{M_PAGE, M_PIN}, {M_DEV, M_PAGE}, {M_PAGE, M_DEV},
                             {M_POOL, M_DEV}, {M_DEV, M_PIN},  {M_DEV, M_DEV}};
            struct mem *D = &m[pat[k][0]], *S = &m[pat[k][1]];
            mfill(S, 65536, 5 + k);
            mfill(D, 65536, 0);
            static char o[65536];
            T(F("dp%zx-sp%zx-w%zx-h%zu-%s", sh[i][0], sh[i][1], sh[i][2], sh[i][3], kind_name[k]),
              cudaMemcpy2D(D->d, sh[i][0], S->d, sh[i][1], sh[i][2], sh[i][3], (cudaMemcpyKind)k),
              "%s %08x", SYD(), (mget(D, o, 65536), sum(o, 65536)));
            if (i < 8) {
                mfill(D, 65536, 0);
                T(F("async-dp%zx-sp%zx-w%zx-h%zu-%s", sh[i][0], sh[i][1], sh[i][2], sh[i][3],
                    kind_name[k]),
                  cudaMemcpy2DAsync(D->d, sh[i][0], S->d, sh[i][1], sh[i][2], sh[i][3],
                                    (cudaMemcpyKind)k, 0),
                  "%s %08x", SYD(), (mget(D, o, 65536), sum(o, 65536)));
            }
        }
    T("null-dst", cudaMemcpy2D(0, 64, hb, 64, 64, 2, cudaMemcpyHostToDevice));
    T("null-src", cudaMemcpy2D(d, 64, 0, 64, 64, 2, cudaMemcpyHostToDevice));
    T("kind-wrong", cudaMemcpy2D(d, 64, d, 64, 64, 2, cudaMemcpyHostToDevice));
    T("kind-wrong2", cudaMemcpy2D(hb, 64, d, 64, 64, 2, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        static const size_t q[][3] = {
            {64, 64, 8}, {64, 65, 8}, {100, 33, 9}, {0, 0, 8}, {64, 0, 0}};
        cudaMemset(d, 0, 65536);
        T(F("memset2d-%d", i), cudaMemset2D(d, q[i][0], 0x1ab, q[i][1], q[i][2]), "%s",
          dsum(d, 8192));
        T(F("memset2dasync-%d", i), cudaMemset2DAsync(d, q[i][0], 7, q[i][1], q[i][2], 0), "%s %s",
          SYD(), dsum(d, 8192));
        T(F("memset3d-%d", i),
          cudaMemset3D(pp(d, q[i][0], q[i][0], 16), 9, ext(q[i][1], q[i][2], 3)), "%s",
          dsum(d, 8192));
        T(F("memset3dasync-%d", i),
          cudaMemset3DAsync(pp(d, q[i][0], q[i][0], 16), 3, ext(q[i][1], q[i][2], 2), 0), "%s %s",
          SYD(), dsum(d, 8192));
    }
    static const int vals[] = {0, 1, 255, 256, -1, 0x1234567};
    for (int i = 0; i < 6; i++) {
        T(F("memset-v%d", vals[i]), cudaMemset(d, vals[i], 100), "%s", dsum(d, 128));
        for (int k = 0; k < M_N; k++)
            if (k != M_PAGE)
                T(F("memset-%s-v%d", m[k].n, vals[i]), cudaMemset((char *)m[k].d + 3, vals[i], 77),
                  "%s", dsum(m[k].d, 128));
    }
    T("memset-pageable", cudaMemset(hb, 0, 16));
    T("memset-zero", cudaMemset(d, 1, 0));
    T("memset-null-zero", cudaMemset(0, 1, 0));
    T("memset-host-zero", cudaMemset(hb, 1, 0));
    T("memset2d-null", cudaMemset2D(0, 64, 1, 64, 2));
    T("memset3d-ysize-small", cudaMemset3D(pp(d, 64, 64, 2), 9, ext(64, 8, 3)), "%s",
      dsum(d, 4096));
    T("memset3d-xsize-small", cudaMemset3D(pp(d, 64, 16, 16), 9, ext(64, 8, 3)), "%s",
      dsum(d, 4096));
    T("memset3d-zero", cudaMemset3D(pp(0, 0, 0, 0), 9, ext(0, 0, 0)));
}
GROUP(453, arr, "memcpy-array")
{
    ready();
    independent = 1;
    cudaArray_t a = 0, b = 0, l = 0, t3 = 0;
    cudaChannelFormatDesc c = chan(32, 0, 0, 0, 2), c2 = chan(8, 8, 8, 8, 1);
    cudaMallocArray(&a, &c, 32, 16, 0);
    cudaMallocArray(&b, &c, 32, 16, 0);
    cudaMallocArray(&l, &c2, 40, 0, 0);
    cudaMalloc3DArray(&t3, &c, ext(16, 8, 4), 0);
    char *d = (char *)dal(65536);
    char *p = (char *)pin(65536);
    fill(hb, 65536, 9);
    fill(p, 65536, 9);
    dfill(d, 65536, 9);
    static char o[65536];
#define BACK(ar)                                                                                   \
    (memset(o, 0, 2048), cudaMemcpy2DFromArray(o, 128, ar, 0, 0, 128, 16, cudaMemcpyDeviceToHost), \
     sum(o, 2048))
    static const size_t q[][5] = {
        {0, 0, 128, 128, 16}, {4, 1, 64, 60, 5},       {0, 0, 128, 129, 1}, {0, 0, 64, 128, 2},
        {64, 0, 128, 128, 1}, {0, 8, 128, 128, 9},     {0, 16, 128, 4, 1},  {1, 0, 128, 4, 1},
        {0, 0, 128, 3, 1},    {0, 0, 128, 0, 4},       {0, 0, 128, 4, 0},   {0, 0, 0, 64, 1},
        {128, 0, 128, 4, 1},  {SIZE_MAX, 0, 128, 4, 1}};
    for (size_t i = 0; i < A(q); i++)
        for (int k = 0; k < 6; k++) {
            void *src = k == 0 || k == 1 ? (void *)hb : k == 4 ? (void *)p : (void *)d;
            T(F("to-%zx-%zu-p%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][2], q[i][3], q[i][4],
                kind_name[k]),
              cudaMemcpy2DToArray(a, q[i][0], q[i][1], src, q[i][2], q[i][3], q[i][4],
                                  (cudaMemcpyKind)k),
              "%08x", BACK(a));
            memset(hb2, 0, 8192);
            void *dst = k == 3 ? (void *)d : (void *)hb2;
            T(F("from-%zx-%zu-p%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][2], q[i][3], q[i][4],
                kind_name[k]),
              cudaMemcpy2DFromArray(dst, q[i][2], a, q[i][0], q[i][1], q[i][3], q[i][4],
                                    (cudaMemcpyKind)k),
              "%s", dsum(dst, 4096));
            if (k < 5)
                T(F("a2a-%zx-%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][3], q[i][4], kind_name[k]),
                  cudaMemcpy2DArrayToArray(b, q[i][0], q[i][1], a, 0, 0, q[i][3], q[i][4],
                                           (cudaMemcpyKind)k),
                  "%08x", BACK(b));
            dfill(d, 4096, 9);
        }
    cudaStream_t s = mks(0);
    T("to-async", cudaMemcpy2DToArrayAsync(a, 0, 0, p, 128, 128, 16, cudaMemcpyHostToDevice, s),
      "%s %08x", SY(s), BACK(a));
    T("from-async", cudaMemcpy2DFromArrayAsync(p, 128, a, 0, 0, 128, 16, cudaMemcpyDeviceToHost, s),
      "%s %08x", SY(s), sum(p, 2048));
    T("1d-to", cudaMemcpyToArray(a, 0, 0, hb, 300, cudaMemcpyHostToDevice), "%08x", BACK(a));
    T("1d-to-off", cudaMemcpyToArray(a, 16, 2, hb, 500, cudaMemcpyHostToDevice), "%08x", BACK(a));
    T("1d-to-over", cudaMemcpyToArray(a, 16, 2, hb, 5000, cudaMemcpyHostToDevice));
    T("1d-from", cudaMemcpyFromArray(hb2, a, 16, 2, 400, cudaMemcpyDeviceToHost), "%08x",
      sum(hb2, 400));
    T("1d-a2a", cudaMemcpyArrayToArray(b, 0, 0, a, 16, 2, 300, cudaMemcpyDeviceToDevice), "%08x",
      BACK(b));
    T("1d-line", cudaMemcpyToArray(l, 0, 0, hb, 160, cudaMemcpyHostToDevice));
    T("1d-line-over", cudaMemcpyToArray(l, 0, 0, hb, 164, cudaMemcpyHostToDevice));
    T("1d-line-back", cudaMemcpyFromArray(hb2, l, 0, 0, 160, cudaMemcpyDeviceToHost), "%08x",
      sum(hb2, 160));
    T("null-array", cudaMemcpy2DToArray(0, 0, 0, hb, 128, 128, 1, cudaMemcpyHostToDevice));
    T("null-src", cudaMemcpy2DToArray(a, 0, 0, 0, 128, 128, 1, cudaMemcpyHostToDevice));
    T("null-dst", cudaMemcpy2DFromArray(0, 128, a, 0, 0, 128, 1, cudaMemcpyDeviceToHost));
    T("2d-to-3darray", cudaMemcpy2DToArray(t3, 0, 0, hb, 64, 64, 8, cudaMemcpyHostToDevice));
    T("2d-line-h1", cudaMemcpy2DToArray(l, 0, 0, hb, 160, 160, 1, cudaMemcpyHostToDevice));
    T("2d-line-h2", cudaMemcpy2DToArray(l, 0, 0, hb, 160, 160, 2, cudaMemcpyHostToDevice));
    T("a2a-format-mismatch",
      cudaMemcpy2DArrayToArray(l, 0, 0, a, 0, 0, 64, 1, cudaMemcpyDeviceToDevice));
}
GROUP(454, cpy3d, "memcpy3d")
{
    ready();
    independent = 1;
    cudaArray_t a = 0, b = 0, ly = 0;
    cudaChannelFormatDesc c = chan(16, 16, 0, 0, 1);
    cudaMalloc3DArray(&a, &c, ext(16, 8, 4), 0);
    cudaMalloc3DArray(&b, &c, ext(16, 8, 4), 0);
    cudaMalloc3DArray(&ly, &c, ext(16, 8, 4), cudaArrayLayered);
    char *d = (char *)dal(65536), *e = (char *)dal(65536);
    fill(hb, 65536, 11);
    dfill(d, 65536, 12);
    static char o[65536];
    cudaMemcpy3DParms p;
    auto back = [&](cudaArray_t ar) {
        cudaMemcpy3DParms r;
        memset(&r, 0, sizeof r);
        r.srcArray = ar;
        r.dstPtr = pp(o, 64, 64, 8);
        r.extent = ext(16, 8, 4);
        r.kind = cudaMemcpyDeviceToHost;
        memset(o, 0, 4096);
        err x = cudaMemcpy3D(&r);
        return x ? en(x) : F("%08x", sum(o, 2048));
    };
#define C3(nm, body, res)                                                                          \
    do {                                                                                           \
        memset(&p, 0, sizeof p);                                                                   \
        body;                                                                                      \
        T(nm, cudaMemcpy3D(&p), "%s", res);                                                        \
        T("async-" nm, cudaMemcpy3DAsync(&p, 0), "%s %s", SYD(), res);                             \
    } while (0)
    C3("h2a", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(16, 8, 4);
       p.kind = cudaMemcpyHostToDevice, back(a));
    C3("h2a-sub", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.dstPos = pos(2, 1, 1);
       p.extent = ext(5, 3, 2); p.kind = cudaMemcpyHostToDevice, back(a));
    C3("h2a-srcpos", p.srcPtr = pp(hb, 64, 16, 8); p.srcPos = pos(4, 2, 1); p.dstArray = a;
       p.extent = ext(5, 3, 2); p.kind = cudaMemcpyHostToDevice, back(a));
    C3("d2a", p.srcPtr = pp(d, 128, 16, 10); p.dstArray = a; p.extent = ext(16, 8, 4);
       p.kind = cudaMemcpyDeviceToDevice, back(a));
    C3("a2a", p.srcArray = a; p.srcPos = pos(1, 1, 1); p.dstArray = b; p.extent = ext(8, 4, 2);
       p.kind = cudaMemcpyDeviceToDevice, back(b));
    C3("h2layer", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = ly; p.dstPos = pos(0, 0, 2);
       p.extent = ext(16, 8, 1); p.kind = cudaMemcpyHostToDevice, back(ly));
    C3("default-h2a", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(16, 8, 4);
       p.kind = cudaMemcpyDefault, back(a));
    C3("d2d", p.srcPtr = pp(d, 100, 100, 10); p.dstPtr = pp(e, 128, 128, 12);
       p.extent = ext(90, 9, 3); p.kind = cudaMemcpyDeviceToDevice, dsum(e, 8192));
    C3("h2d", p.srcPtr = pp(hb, 100, 100, 10); p.srcPos = pos(3, 1, 1);
       p.dstPtr = pp(e, 128, 128, 12); p.dstPos = pos(7, 2, 1); p.extent = ext(77, 5, 3);
       p.kind = cudaMemcpyHostToDevice, dsum(e, 8192));
    C3("d2h", p.srcPtr = pp(d, 100, 100, 10); p.dstPtr = pp(o, 128, 128, 12);
       p.extent = ext(90, 9, 3); p.kind = cudaMemcpyDeviceToHost, F("%08x", sum(o, 4608)));
    C3("zero-extent", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a;
       p.kind = cudaMemcpyHostToDevice, "");
    C3("zero-depth", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(16, 8, 0);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("too-wide", p.srcPtr = pp(hb, 128, 32, 8); p.dstArray = a; p.extent = ext(17, 8, 4);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("too-deep", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(16, 8, 5);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("pos-out", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.dstPos = pos(0, 0, 4);
       p.extent = ext(1, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    C3("both-src", p.srcPtr = pp(hb, 64, 16, 8); p.srcArray = b; p.dstArray = a;
       p.extent = ext(1, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    C3("both-dst", p.srcPtr = pp(hb, 64, 16, 8); p.dstPtr = pp(d, 64, 16, 8); p.dstArray = a;
       p.extent = ext(1, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    C3("no-src", p.dstArray = a; p.extent = ext(1, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    C3("no-dst", p.srcPtr = pp(hb, 64, 16, 8); p.extent = ext(1, 1, 1);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("kind9", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(1, 1, 1);
       p.kind = (cudaMemcpyKind)9, "");
    C3("kind-wrong", p.srcPtr = pp(hb, 64, 16, 8); p.dstArray = a; p.extent = ext(1, 1, 1);
       p.kind = cudaMemcpyDeviceToHost, "");
    C3("pitch-small", p.srcPtr = pp(hb, 32, 16, 8); p.dstArray = a; p.extent = ext(16, 8, 1);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("pitch0", p.srcPtr = pp(hb, 0, 16, 8); p.dstArray = a; p.extent = ext(16, 1, 1);
       p.kind = cudaMemcpyHostToDevice, "");
    C3("ysize0", p.srcPtr = pp(hb, 64, 0, 0); p.dstArray = a; p.extent = ext(16, 8, 4);
       p.kind = cudaMemcpyHostToDevice, back(a));
    C3("d2d-pitch-small", p.srcPtr = pp(d, 50, 100, 10); p.dstPtr = pp(e, 128, 128, 12);
       p.extent = ext(90, 9, 3); p.kind = cudaMemcpyDeviceToDevice, "");
    C3("all-zero", , "");
    T("null", cudaMemcpy3D(0));
    T("null-async", cudaMemcpy3DAsync(0, 0));
    T("null-peer", cudaMemcpy3DPeer(0));
    cudaMemcpy3DPeerParms q;
    memset(&q, 0, sizeof q);
    q.srcPtr = pp(d, 64, 64, 8);
    q.dstPtr = pp(e, 64, 64, 8);
    q.extent = ext(60, 7, 2);
    T("peer", cudaMemcpy3DPeer(&q), "%s", dsum(e, 4096));
    T("peer-async", cudaMemcpy3DPeerAsync(&q, 0), "%s", SYD());
    q.dstDevice = 3;
    T("peer-bad", cudaMemcpy3DPeer(&q));
    memset(&q, 0, sizeof q);
    T("peer-zero", cudaMemcpy3DPeer(&q));
}
GROUP(455, batch, "memcpy-batch")
{
    ready();
    char *d = (char *)dal(65536), *e = (char *)dal(65536), *p = (char *)pin(65536);
    cudaStream_t s = mks(0);
    fill(p, 65536, 5);
    void *ds[4] = {d, d + 1000, d + 5000, d + 9000};
    const void *ss[4] = {p, p + 64, p + 5000, p + 9001};
    size_t sz[4] = {100, 200, 3000, 77}, ix[4] = {0, 2, 3, 3};
    cudaMemcpyAttributes at[4];
    memset(at, 0, sizeof at);
    for (int i = 0; i < 4; i++)
        at[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaMemset(d, 0, 65536);
    T("ok", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s %s", SY(s), dsum(d, 16384));
    T("two-attrs", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 2, s), "%s", SY(s));
    T("null-stream", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, 0), "%s", SYD());
    T("legacy", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, cudaStreamLegacy));
    T("perthread", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, cudaStreamPerThread), "%s",
      SYD());
    T("count0", cudaMemcpyBatchAsync(ds, ss, sz, 0, at, ix, 1, s));
    T("attrs0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 0, s));
    T("attrs-more", cudaMemcpyBatchAsync(ds, ss, sz, 2, at, ix, 3, s));
    T("null-dsts", cudaMemcpyBatchAsync(0, ss, sz, 4, at, ix, 1, s));
    T("null-srcs", cudaMemcpyBatchAsync(ds, 0, sz, 4, at, ix, 1, s));
    T("null-sizes", cudaMemcpyBatchAsync(ds, ss, 0, 4, at, ix, 1, s));
    T("null-attrs", cudaMemcpyBatchAsync(ds, ss, sz, 4, 0, 0, 0, s));
    T("null-idx", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, 0, 1, s));
    size_t bi[2] = {1, 2};
    T("idx-first-not0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, bi, 2, s));
    for (int o = 0; o < 5; o++) {
        at[0].srcAccessOrder = (cudaMemcpySrcAccessOrder)o;
        T(F("order-%d", o), cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", SY(s));
    }
    at[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    for (unsigned f = 0; f < 4; f++) {
        at[0].flags = f;
        T(F("flags-%u", f), cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", SY(s));
    }
    at[0].flags = 0;
    sz[1] = 0;
    T("size0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s));
    sz[1] = 200;
    ds[2] = 0;
    T("null-one", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s));
    ds[2] = d + 5000;
    ss[0] = hb;
    T("pageable", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", SY(s));
    ss[0] = e;
    T("d2d", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", SY(s));
    cudaMemcpy3DBatchOp op;
    memset(&op, 0, sizeof op);
    op.src.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = p;
    op.src.op.ptr.rowLength = 64;
    op.src.op.ptr.layerHeight = 8;
    op.dst.type = cudaMemcpyOperandTypePointer;
    op.dst.op.ptr.ptr = d;
    op.dst.op.ptr.rowLength = 100;
    op.dst.op.ptr.layerHeight = 8;
    op.extent = ext(60, 7, 2);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    T("3d", cudaMemcpy3DBatchAsync(1, &op, 0, s), "%s %s", SY(s), dsum(d, 4096));
    T("3d-flags", cudaMemcpy3DBatchAsync(1, &op, 1, s));
    T("3d-0", cudaMemcpy3DBatchAsync(0, &op, 0, s));
    T("3d-null", cudaMemcpy3DBatchAsync(1, 0, 0, s));
    op.src.type = (cudaMemcpy3DOperandType)5;
    T("3d-type", cudaMemcpy3DBatchAsync(1, &op, 0, s));
    T("3d-nullstream", cudaMemcpy3DBatchAsync(1, &op, 0, 0));
}
GROUP(456, symb, "symbol")
{
    ready();
    independent = 1;
    static const size_t ssz[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4};
    char b[1024];
    for (int i = 0; i < S_N; i++) {
        void *d = SENT;
        size_t z = 77;
        T(F("addr-%s", sym_name[i]), cudaGetSymbolAddress(&d, sym(i)), "%s", outst(d));
        void *d2 = 0;
        cudaGetSymbolAddress(&d2, sym(i));
        INFO(F("addr-stable-%s", sym_name[i]), "%d", d == d2);
        T(F("size-%s", sym_name[i]), cudaGetSymbolSize(&z, sym(i)), "%zu", z);
        memset(b, 0, sizeof b);
        T(F("init-%s", sym_name[i]),
          cudaMemcpyFromSymbol(b, sym(i), ssz[i] < 1024 ? ssz[i] : 1024, 0, cudaMemcpyDeviceToHost),
          "%08x", sum(b, 1024));
        static const size_t of[][2] = {{0, 4}, {1, 1}, {0, 0}, {2, 2},
                                       {1, 3}, {1, 4}, {4, 0}, {5, 0}};
        for (size_t k = 0; k < A(of); k++)
            for (int kd = 0; kd < 5; kd++) {
                fill(b, 64, k + kd);
                T(F("to-%s-o%zu-n%zu-%s", sym_name[i], of[k][0], of[k][1], kind_name[kd]),
                  cudaMemcpyToSymbol(sym(i), b, of[k][1], of[k][0], (cudaMemcpyKind)kd));
                memset(b, 0, 64);
                T(F("from-%s-o%zu-n%zu-%s", sym_name[i], of[k][0], of[k][1], kind_name[kd]),
                  cudaMemcpyFromSymbol(b, sym(i), of[k][1], of[k][0], (cudaMemcpyKind)kd), "%08x",
                  sum(b, 16));
            }
        T(F("to-end-%s", sym_name[i]),
          cudaMemcpyToSymbol(sym(i), b, 1, ssz[i] - 1, cudaMemcpyHostToDevice));
        T(F("to-past-%s", sym_name[i]),
          cudaMemcpyToSymbol(sym(i), b, 1, ssz[i], cudaMemcpyHostToDevice));
        T(F("to-over-%s", sym_name[i]),
          cudaMemcpyToSymbol(sym(i), hb, ssz[i] + 1 > 65536 ? 8 : ssz[i] + 1,
                             ssz[i] + 1 > 65536 ? ssz[i] - 4 : 0, cudaMemcpyHostToDevice));
        T(F("to-wrap-%s", sym_name[i]),
          cudaMemcpyToSymbol(sym(i), b, 8, SIZE_MAX - 3, cudaMemcpyHostToDevice));
    }
    int v = 5;
    T("unknown-to", cudaMemcpyToSymbol(&v, &v, 4, 0, cudaMemcpyHostToDevice));
    T("unknown-from", cudaMemcpyFromSymbol(&v, b, 4, 0, cudaMemcpyDeviceToHost));
    T("null-to", cudaMemcpyToSymbol(0, &v, 4, 0, cudaMemcpyHostToDevice));
    T("kernel-as-symbol", cudaMemcpyToSymbol((void *)k_fill, &v, 4, 0, cudaMemcpyHostToDevice));
    T("string-name", cudaMemcpyToSymbol("dev_i", &v, 4, 0, cudaMemcpyHostToDevice));
    T("inside", cudaMemcpyToSymbol((char *)sym(S_CONST) + 4, &v, 4, 0, cudaMemcpyHostToDevice));
    T("null-src", cudaMemcpyToSymbol(sym(0), 0, 4, 0, cudaMemcpyHostToDevice));
    T("null-dst", cudaMemcpyFromSymbol(0, sym(0), 4, 0, cudaMemcpyDeviceToHost));
    void *d = 0;
    size_t z;
    T("addr-null-out", cudaGetSymbolAddress(0, sym(0)));
    T("size-null-out", cudaGetSymbolSize(0, sym(0)));
    T("addr-kernel", cudaGetSymbolAddress(&d, (void *)k_fill));
    T("size-kernel", cudaGetSymbolSize(&z, (void *)k_fill));
    cudaStream_t s = mks(0);
    v = 99;
    T("to-async", cudaMemcpyToSymbolAsync(sym(0), &v, 4, 0, cudaMemcpyHostToDevice, s), "%s",
      SY(s));
    int w = 0;
    T("from-async", cudaMemcpyFromSymbolAsync(&w, sym(0), 4, 0, cudaMemcpyDeviceToHost, s), "%s %d",
      SY(s), w);
    T("async-over", cudaMemcpyToSymbolAsync(sym(0), &v, 5, 0, cudaMemcpyHostToDevice, s));
    int *dd = (int *)dal(64);
    dfill(dd, 64, 4);
    T("to-from-device", cudaMemcpyToSymbol(sym(S_CONST), dd, 64, 16, cudaMemcpyDeviceToDevice));
    T("from-to-device", cudaMemcpyFromSymbol(dd, sym(S_CONST), 32, 8, cudaMemcpyDeviceToDevice),
      "%s", dsum(dd, 64));
    int *o = (int *)dal(64);
    T("kernel", cudaLaunchKernel((void *)k_sym, dim3(1), dim3(1), ARGS(&o), 0, 0), "%s %s", SYD(),
      dsum(o, 28));
    T("after-kernel", cudaMemcpyFromSymbol(&w, sym(0), 4, 0, cudaMemcpyDeviceToHost), "%d", w);
}
GROUP(457, mansym, "symbol-managed")
{
    ready();
    int *m = man_host();
    INFO("initial", "%d %d %d %d", m[0], m[1], m[2], m[3]);
    m[1] = 1000;
    int *o = (int *)dal(64);
    int h[7] = {0};
    T("kernel", cudaLaunchKernel((void *)k_sym, dim3(1), dim3(1), ARGS(&o), 0, 0), "%s", SYD());
    cudaMemcpy(h, o, 28, cudaMemcpyDeviceToHost);
    INFO("seen", "%d %d %d %d %d %d %d host=%d", h[0], h[1], h[2], h[3], h[4], h[5], h[6], m[2]);
    void *d = 0;
    T("addr", cudaGetSymbolAddress(&d, sym(S_MAN)), "%s", rel(d, m));
    INFO("attr", "%s", pattr(m));
}

/* two processes */
#include <sys/prctl.h>
struct cmd {
    int op;
    cudaIpcMemHandle_t h;
    cudaIpcEventHandle_t e;
    unsigned fl;
    void *p;
    unsigned seed;
};
struct rsp {
    err r;
    void *p;
    char t[160];
};
static int wr, rd;
static struct rsp Q;
static void serve(int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(100);
    struct cmd c;
    cudaEvent_t ev = 0;
    while (read(in, &c, sizeof c) == sizeof c) {
        struct rsp r;
        memset(&r, 0, sizeof r);
        switch (c.op) {
        case 0:
            r.r = cudaFree(0);
            break;
        case 1:
            r.p = SENT;
            r.r = cudaIpcOpenMemHandle(&r.p, c.h, c.fl);
            break;
        case 2:
            r.r = cudaIpcCloseMemHandle(c.p);
            break;
        case 3:
            snprintf(r.t, 160, "%s", dsame(c.p, 4096, c.seed));
            break;
        case 4:
            dfill(c.p, 4096, c.seed);
            break;
        case 5:
            r.r = cudaFree(c.p);
            break;
        case 6:
            snprintf(r.t, 160, "%s", pattr(c.p));
            break;
        case 7:
            r.r = cudaIpcOpenEventHandle(&ev, c.e);
            break;
        case 8:
            r.r = cudaEventQuery(ev);
            break;
        case 9:
            r.r = cudaEventSynchronize(ev);
            break;
        case 10:
            r.r = cudaEventRecord(ev, 0);
            cudaDeviceSynchronize();
            break;
        case 11:
            r.r = cudaEventDestroy(ev);
            break;
        default:
            _exit(0);
        }
        if (write(out, &r, sizeof r) != sizeof r)
            break;
    }
    _exit(0);
}
static err ask(int op, struct cmd c)
{
    c.op = op;
    memset(&Q, 0, sizeof Q);
    if (write(wr, &c, sizeof c) != sizeof c || read(rd, &Q, sizeof Q) != sizeof Q) {
        strcpy(Q.t, "peer-died");
        return (err)-9;
    }
    return Q.r;
}
GROUP(458, ipc, "ipc")
{
    int a[2], b[2];
    if (pipe(a) || pipe(b))
        return;
    pid_t pid = fork();
    if (!pid) {
        close(a[1]);
        close(b[0]);
        serve(a[0], b[1]);
    }
    close(a[0]);
    close(b[1]);
    wr = a[1];
    rd = b[0];
    ready();
    struct cmd c;
    memset(&c, 0, sizeof c);
    void *d = dal(4096);
    dfill(d, 4096, 21);
    T("peer-init", ask(0, c));
    T("get", cudaIpcGetMemHandle(&c.h, d));
    T("open-own-process", (__extension__({
          void *q = 0;
          cudaIpcOpenMemHandle(&q, c.h, 1);
      })));
    T("open", ask(1, c), "%s", outst(Q.p));
    c.p = Q.p;
    c.seed = 21;
    ask(3, c);
    INFO("data", "%s", Q.t);
    ask(6, c);
    INFO("attr", "%s", Q.t);
    c.seed = 22;
    ask(4, c);
    INFO("back", "%s", dsame(d, 4096, 22));
    T("free-imported", ask(5, c));
    T("open-again", ask(1, c), "same=%d", Q.p == c.p);
    T("close", ask(2, c));
    T("close2", ask(2, c));
    T("close3", ask(2, c));
    c.fl = 0;
    T("open-fl0", ask(1, c));
    c.fl = 2;
    T("open-fl2", ask(1, c));
    c.fl = 1;
    memset(&c.h, 0x5a, sizeof c.h);
    T("open-garbage", ask(1, c));
    T("get-null", cudaIpcGetMemHandle(0, d));
    T("get-interior", cudaIpcGetMemHandle(&c.h, (char *)d + 512));
    T("open-interior", ask(1, c));
    T("get-host", cudaIpcGetMemHandle(&c.h, pin(64)));
    T("get-managed", cudaIpcGetMemHandle(&c.h, man(64)));
    T("get-bad", cudaIpcGetMemHandle(&c.h, BADP));
    void *q = 0;
    cudaMallocAsync(&q, 64, 0);
    cudaDeviceSynchronize();
    T("get-pool", cudaIpcGetMemHandle(&c.h, q));
    T("get-nullptr", cudaIpcGetMemHandle(&c.h, 0));
    T("close-own", cudaIpcCloseMemHandle(d));
    T("close-null", cudaIpcCloseMemHandle(0));
    cudaEvent_t e = mke(cudaEventInterprocess | cudaEventDisableTiming), f = mke(0);
    T("event-get", cudaIpcGetEventHandle(&c.e, e));
    T("event-get-plain", cudaIpcGetEventHandle(&c.e, f));
    T("event-get-null", cudaIpcGetEventHandle(0, e));
    T("event-get-null2", cudaIpcGetEventHandle(&c.e, 0));
    cudaIpcGetEventHandle(&c.e, e);
    cudaEventRecord(e, 0);
    cudaDeviceSynchronize();
    T("event-open", ask(7, c));
    T("event-query", ask(8, c));
    T("event-sync", ask(9, c));
    T("event-record", ask(10, c));
    T("event-query-here", cudaEventQuery(e));
    T("event-destroy", ask(11, c));
    cudaEvent_t g = 0;
    T("event-open-own", cudaIpcOpenEventHandle(&g, c.e));
    T("event-create-bad", cudaEventCreateWithFlags(&g, cudaEventInterprocess));
    ask(99, c);
    int st;
    waitpid(pid, &st, 0);
}
