/* SPDX-License-Identifier: MIT */
/* Copies and fills. */
#include "recorder.hpp"
#include <sys/prctl.h>
#define SIZE 4096
static char host_bytes[65536], second_host_bytes[65536];
GROUP(450, memcpy, "memcpy")
{
    use_runtime();
    struct memory a[KIND_COUNT], b[KIND_COUNT];
    memory_kinds_create(a, SIZE);
    memory_kinds_create(b, SIZE);
    cudaStream_t s = stream_new(0);
    unsigned seed = 1;
    char o[SIZE];
    keep_after_sticky = 0;
    cases_independent = 1;
    for (int as = 0; as < 2; as++)
        for (int i = 0; i < KIND_COUNT; i++)
            for (int j = 0; j < KIND_COUNT; j++)
                for (int k = 0; k < 6; k++) {
                    memory_fill(&a[j], SIZE, ++seed);
                    memory_fill(&b[i], SIZE, 0); /* dst b[i] <- src a[j] */
                    CHECK(FORMAT("%s%s-from-%s-%s", as ? "async-" : "", b[i].name, a[j].name,
                                 copy_kind_names[k]),
                          as ? cudaMemcpyAsync(b[i].ptr, a[j].ptr, SIZE, (cudaMemcpyKind)k, s)
                             : cudaMemcpy(b[i].ptr, a[j].ptr, SIZE, (cudaMemcpyKind)k),
                          "sync=%s data=%s", sync_device(),
                          (memory_read(&b[i], o, SIZE), pattern_check(o, SIZE, seed)));
                }
}

GROUP(451, memcpy_args, "memcpy-args")
{
    use_runtime();
    char *d = (char *)device_alloc(65536), *e = (char *)device_alloc(65536);
    char *p = (char *)pinned_alloc(65536);
    pattern_fill(host_bytes, 65536, 1);
    CHECK("zero-null", cudaMemcpy(0, 0, 0, cudaMemcpyHostToDevice));
    CHECK("zero", cudaMemcpy(d, host_bytes, 0, cudaMemcpyHostToDevice));
    CHECK("kind-neg", cudaMemcpy(d, host_bytes, 16, (cudaMemcpyKind)-1));
    CHECK("kind-neg-zero", cudaMemcpy(d, host_bytes, 0, (cudaMemcpyKind)-1));
    CHECK("null-dst", cudaMemcpy(0, host_bytes, 16, cudaMemcpyHostToHost));
    CHECK("self", cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice));
    static const size_t sz[] = {1, 3, 7, 63, 4095, 4097, 65535};
    for (size_t i = 0; i < COUNT_OF(sz); i++)
        for (int o = 0; o < 4; o++) {
            cudaMemset(d, 0, 65536);
            CHECK(FORMAT("h2d-n%zu-o%d", sz[i], o),
                  cudaMemcpy(d + o, host_bytes + o * 2, sz[i] - (sz[i] > 60000 ? 8 : 0),
                             cudaMemcpyHostToDevice),
                  "%s", device_checksum(d, 65536));
            CHECK(
                FORMAT("d2d-n%zu-o%d", sz[i], o),
                cudaMemcpy(e + 3, d + o, sz[i] - (sz[i] > 60000 ? 8 : 0), cudaMemcpyDeviceToDevice),
                "%s", device_checksum(e, 8192));
            memset(second_host_bytes, 0, 65536);
            CHECK(FORMAT("d2h-n%zu-o%d", sz[i], o),
                  cudaMemcpy(second_host_bytes + o, e + 1, sz[i] - (sz[i] > 60000 ? 8 : 0),
                             cudaMemcpyDeviceToHost),
                  "%08x", checksum(second_host_bytes, 65536));
        }
    CHECK("overlap-fwd", cudaMemcpy(d + 16, d, 1, cudaMemcpyDeviceToDevice));
    CHECK("past-end", cudaMemcpy(d, host_bytes, 1ull << 40, cudaMemcpyHostToDevice));
    CHECK("size-max", cudaMemcpy(d, host_bytes, SIZE_MAX, cudaMemcpyHostToDevice));
    CHECK("d2d-past", cudaMemcpy(d, e, 1ull << 40, cudaMemcpyDeviceToDevice));
    CHECK("async-badstream0-null", cudaMemcpyAsync(0, 0, 0, cudaMemcpyDefault, 0));
    CHECK("async-legacy", cudaMemcpyAsync(d, p, 64, cudaMemcpyDefault, cudaStreamLegacy), "%s",
          sync_device());
    CHECK("async-perthread", cudaMemcpyAsync(d, p, 64, cudaMemcpyDefault, cudaStreamPerThread),
          "%s", sync_device());
    CHECK("async-kind9", cudaMemcpyAsync(d, p, 64, (cudaMemcpyKind)9, 0));
    CHECK("peer", cudaMemcpyPeer(d, 0, e, 0, 64));
    CHECK("peer-bad-dst", cudaMemcpyPeer(d, 5, e, 0, 64));
    CHECK("peer-bad-src", cudaMemcpyPeer(d, 0, e, -1, 64));
    CHECK("peer-zero", cudaMemcpyPeer(d, 0, e, 0, 0));
    CHECK("peer-host", cudaMemcpyPeer(d, 0, p, 0, 64));
    CHECK("peer-async", cudaMemcpyPeerAsync(d, 0, e, 0, 64, 0), "%s", sync_device());
    CHECK("peer-async-bad", cudaMemcpyPeerAsync(d, 7, e, 0, 64, 0));
    CHECK("peer-pageable", cudaMemcpyPeer(d, 0, host_bytes, 0, 64));
    CHECK("peer-bad-zero", cudaMemcpyPeer(d, 9, e, 9, 0));
    struct blocker b;
    b.limit_ms = 300;
    cudaStream_t s = stream_new(cudaStreamNonBlocking);
#define CHECK_WAITS(nm, call)                                                                      \
    b.limit_ms = 250;                                                                              \
    stream_block(s, &b);                                                                           \
    CHECK("waits-" nm, call, "finished_first=%d", (int)b.done);                                    \
    stream_unblock(&b);                                                                            \
    cudaStreamSynchronize(s);
    CHECK_WAITS("memcpyAsync-pageable-h2d",
                cudaMemcpyAsync(d, host_bytes, 1024, cudaMemcpyHostToDevice, s))
    CHECK_WAITS("memcpyAsync-pageable-d2h",
                cudaMemcpyAsync(second_host_bytes, d, 1024, cudaMemcpyDeviceToHost, s))
    CHECK_WAITS("memcpyAsync-pinned-h2d", cudaMemcpyAsync(d, p, 1024, cudaMemcpyHostToDevice, s))
    CHECK_WAITS("memcpyAsync-pinned-d2h", cudaMemcpyAsync(p, d, 1024, cudaMemcpyDeviceToHost, s))
    CHECK_WAITS("memcpyAsync-big-pageable",
                cudaMemcpyAsync(d, host_bytes, 65536, cudaMemcpyHostToDevice, s))
    CHECK_WAITS("memcpyAsync-HtoH",
                cudaMemcpyAsync(host_bytes, second_host_bytes, 64, cudaMemcpyHostToHost, s))
    CHECK_WAITS("memsetAsync", cudaMemsetAsync(d, 0, 64, s))
    CHECK_WAITS("memcpy-nullstream", cudaMemcpy(d, host_bytes, 64, cudaMemcpyHostToDevice))
    CHECK_WAITS("streamquery", cudaStreamQuery(s))
    CHECK_WAITS("launch", cudaLaunchKernel((void *)k_empty, dim3(1), dim3(1), 0, 0, s))
    CHECK_WAITS("devsync", cudaDeviceSynchronize())
    CHECK_WAITS("malloc", (__extension__({
                    void *q;
                    cudaMalloc(&q, 64);
                })))
    CHECK_WAITS("hostalloc", (__extension__({
                    void *q;
                    cudaHostAlloc(&q, 64, 0);
                })))
    CHECK_WAITS("streamdestroy-other", (__extension__({
                    cudaStream_t q = stream_new(0);
                    cudaStreamDestroy(q);
                })))
    CHECK_WAITS("eventcreate", (__extension__({
                    cudaEvent_t q;
                    cudaEventCreate(&q);
                })))
    CHECK_WAITS("tosymbol", cudaMemcpyToSymbol(symbol(0), host_bytes, 4, 0, cudaMemcpyHostToDevice))
    CHECK_WAITS("funcattr", (__extension__({
                    cudaFuncAttributes q;
                    cudaFuncGetAttributes(&q, (void *)k_fill);
                })))
    cudaStream_t bs = stream_new(0);
    struct blocker c;
    c.limit_ms = 250;
    stream_block(bs, &c);
    CHECK("blocking-stream-then-memcpy", cudaMemcpy(d, host_bytes, 64, cudaMemcpyHostToDevice),
          "finished_first=%d", (int)c.done);
    stream_unblock(&c);
    c.limit_ms = 250;
    stream_block(bs, &c);
    CHECK("blocking-stream-then-memset", cudaMemset(d, 1, 64), "finished_first=%d", (int)c.done);
    stream_unblock(&c);
    cudaDeviceSynchronize();
    c.limit_ms = 250;
    stream_block(bs, &c);
    CHECK("blocking-stream-then-d2d", cudaMemcpy(d, e, 64, cudaMemcpyDeviceToDevice),
          "finished_first=%d", (int)c.done);
    stream_unblock(&c);
    cudaDeviceSynchronize();
}

GROUP(452, memcpy2d, "memcpy2d")
{
    use_runtime();
    cases_independent = 1;
    struct memory m[KIND_COUNT];
    memory_kinds_create(m, 65536);
    char *d = (char *)m[KIND_DEVICE].ptr;
    pattern_fill(host_bytes, 65536, 3);
    static const size_t sh[][4] = {
        {64, 64, 64, 8},       {128, 64, 64, 8},        {64, 128, 64, 8},
        {100, 70, 33, 17},     {64, 64, 65, 2},         {64, 63, 64, 2},
        {63, 64, 64, 2},       {0, 64, 64, 2},          {64, 0, 64, 2},
        {0, 0, 0, 0},          {64, 64, 0, 4},          {64, 64, 4, 0},
        {64, 64, 64, 1},       {0, 0, 64, 1},           {7, 5, 3, 9},
        {SIZE_MAX, 64, 64, 2}, {1ull << 31, 64, 64, 1}, {1ull << 32, 1ull << 32, 64, 1}};
    for (size_t i = 0; i < COUNT_OF(sh); i++)
        for (int k = 0; k < 6; k++) {
            int pat[6][2] = {{KIND_PAGEABLE, KIND_PINNED}, {KIND_DEVICE, KIND_PAGEABLE},
                             {KIND_PAGEABLE, KIND_DEVICE}, {KIND_POOL, KIND_DEVICE},
                             {KIND_DEVICE, KIND_PINNED},   {KIND_DEVICE, KIND_DEVICE}};
            struct memory *D = &m[pat[k][0]], *S = &m[pat[k][1]];
            memory_fill(S, 65536, 5 + k);
            memory_fill(D, 65536, 0);
            static char o[65536];
            CHECK(FORMAT("dp%zx-sp%zx-w%zx-h%zu-%s", sh[i][0], sh[i][1], sh[i][2], sh[i][3],
                         copy_kind_names[k]),
                  cudaMemcpy2D(D->ptr, sh[i][0], S->ptr, sh[i][1], sh[i][2], sh[i][3],
                               (cudaMemcpyKind)k),
                  "%s %08x", sync_device(), (memory_read(D, o, 65536), checksum(o, 65536)));
            if (i < 8) {
                memory_fill(D, 65536, 0);
                CHECK(FORMAT("async-dp%zx-sp%zx-w%zx-h%zu-%s", sh[i][0], sh[i][1], sh[i][2],
                             sh[i][3], copy_kind_names[k]),
                      cudaMemcpy2DAsync(D->ptr, sh[i][0], S->ptr, sh[i][1], sh[i][2], sh[i][3],
                                        (cudaMemcpyKind)k, 0),
                      "%s %08x", sync_device(), (memory_read(D, o, 65536), checksum(o, 65536)));
            }
        }
    CHECK("null-dst", cudaMemcpy2D(0, 64, host_bytes, 64, 64, 2, cudaMemcpyHostToDevice));
    CHECK("null-src", cudaMemcpy2D(d, 64, 0, 64, 64, 2, cudaMemcpyHostToDevice));
    CHECK("kind-wrong", cudaMemcpy2D(d, 64, d, 64, 64, 2, cudaMemcpyHostToDevice));
    CHECK("kind-wrong2", cudaMemcpy2D(host_bytes, 64, d, 64, 64, 2, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        static const size_t q[][3] = {
            {64, 64, 8}, {64, 65, 8}, {100, 33, 9}, {0, 0, 8}, {64, 0, 0}};
        cudaMemset(d, 0, 65536);
        CHECK(FORMAT("memset2d-%d", i), cudaMemset2D(d, q[i][0], 0x1ab, q[i][1], q[i][2]), "%s",
              device_checksum(d, 8192));
        CHECK(FORMAT("memset2dasync-%d", i), cudaMemset2DAsync(d, q[i][0], 7, q[i][1], q[i][2], 0),
              "%s %s", sync_device(), device_checksum(d, 8192));
        CHECK(FORMAT("memset3d-%d", i),
              cudaMemset3D(pitched(d, q[i][0], q[i][0], 16), 9, extent(q[i][1], q[i][2], 3)), "%s",
              device_checksum(d, 8192));
        CHECK(
            FORMAT("memset3dasync-%d", i),
            cudaMemset3DAsync(pitched(d, q[i][0], q[i][0], 16), 3, extent(q[i][1], q[i][2], 2), 0),
            "%s %s", sync_device(), device_checksum(d, 8192));
    }
    static const int vals[] = {0, 1, 255, 256, -1, 0x1234567};
    for (int i = 0; i < 6; i++) {
        CHECK(FORMAT("memset-v%d", vals[i]), cudaMemset(d, vals[i], 100), "%s",
              device_checksum(d, 128));
        for (int k = 0; k < KIND_COUNT; k++)
            if (k != KIND_PAGEABLE)
                CHECK(FORMAT("memset-%s-v%d", m[k].name, vals[i]),
                      cudaMemset((char *)m[k].ptr + 3, vals[i], 77), "%s",
                      device_checksum(m[k].ptr, 128));
    }
    CHECK("memset-pageable", cudaMemset(host_bytes, 0, 16));
    CHECK("memset-zero", cudaMemset(d, 1, 0));
    CHECK("memset-null-zero", cudaMemset(0, 1, 0));
    CHECK("memset-host-zero", cudaMemset(host_bytes, 1, 0));
    CHECK("memset2d-null", cudaMemset2D(0, 64, 1, 64, 2));
    CHECK("memset3d-ysize-small", cudaMemset3D(pitched(d, 64, 64, 2), 9, extent(64, 8, 3)), "%s",
          device_checksum(d, 4096));
    CHECK("memset3d-xsize-small", cudaMemset3D(pitched(d, 64, 16, 16), 9, extent(64, 8, 3)), "%s",
          device_checksum(d, 4096));
    CHECK("memset3d-zero", cudaMemset3D(pitched(0, 0, 0, 0), 9, extent(0, 0, 0)));
}

GROUP(453, memcpy_array, "memcpy-array")
{
    use_runtime();
    cases_independent = 1;
    cudaArray_t a = 0, b = 0, l = 0, t3 = 0;
    cudaChannelFormatDesc c = channel(32, 0, 0, 0, 2), c2 = channel(8, 8, 8, 8, 1);
    cudaMallocArray(&a, &c, 32, 16, 0);
    cudaMallocArray(&b, &c, 32, 16, 0);
    cudaMallocArray(&l, &c2, 40, 0, 0);
    cudaMalloc3DArray(&t3, &c, extent(16, 8, 4), 0);
    char *d = (char *)device_alloc(65536);
    char *p = (char *)pinned_alloc(65536);
    pattern_fill(host_bytes, 65536, 9);
    pattern_fill(p, 65536, 9);
    device_fill(d, 65536, 9);
    static char o[65536];
#define READ_BACK(ar)                                                                              \
    (memset(o, 0, 2048), cudaMemcpy2DFromArray(o, 128, ar, 0, 0, 128, 16, cudaMemcpyDeviceToHost), \
     checksum(o, 2048))
    static const size_t q[][5] = {
        {0, 0, 128, 128, 16}, {4, 1, 64, 60, 5},       {0, 0, 128, 129, 1}, {0, 0, 64, 128, 2},
        {64, 0, 128, 128, 1}, {0, 8, 128, 128, 9},     {0, 16, 128, 4, 1},  {1, 0, 128, 4, 1},
        {0, 0, 128, 3, 1},    {0, 0, 128, 0, 4},       {0, 0, 128, 4, 0},   {0, 0, 0, 64, 1},
        {128, 0, 128, 4, 1},  {SIZE_MAX, 0, 128, 4, 1}};
    for (size_t i = 0; i < COUNT_OF(q); i++)
        for (int k = 0; k < 6; k++) {
            void *src = k == 0 || k == 1 ? (void *)host_bytes : k == 4 ? (void *)p : (void *)d;
            CHECK(FORMAT("to-%zx-%zu-p%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][2], q[i][3],
                         q[i][4], copy_kind_names[k]),
                  cudaMemcpy2DToArray(a, q[i][0], q[i][1], src, q[i][2], q[i][3], q[i][4],
                                      (cudaMemcpyKind)k),
                  "%08x", READ_BACK(a));
            memset(second_host_bytes, 0, 8192);
            void *dst = k == 3 ? (void *)d : (void *)second_host_bytes;
            CHECK(FORMAT("from-%zx-%zu-p%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][2], q[i][3],
                         q[i][4], copy_kind_names[k]),
                  cudaMemcpy2DFromArray(dst, q[i][2], a, q[i][0], q[i][1], q[i][3], q[i][4],
                                        (cudaMemcpyKind)k),
                  "%s", device_checksum(dst, 4096));
            if (k < 5)
                CHECK(FORMAT("a2a-%zx-%zu-w%zu-h%zu-%s", q[i][0], q[i][1], q[i][3], q[i][4],
                             copy_kind_names[k]),
                      cudaMemcpy2DArrayToArray(b, q[i][0], q[i][1], a, 0, 0, q[i][3], q[i][4],
                                               (cudaMemcpyKind)k),
                      "%08x", READ_BACK(b));
            device_fill(d, 4096, 9);
        }
    cudaStream_t s = stream_new(0);
    CHECK("to-async", cudaMemcpy2DToArrayAsync(a, 0, 0, p, 128, 128, 16, cudaMemcpyHostToDevice, s),
          "%s %08x", sync_stream(s), READ_BACK(a));
    CHECK("from-async",
          cudaMemcpy2DFromArrayAsync(p, 128, a, 0, 0, 128, 16, cudaMemcpyDeviceToHost, s),
          "%s %08x", sync_stream(s), checksum(p, 2048));
    CHECK("1d-to", cudaMemcpyToArray(a, 0, 0, host_bytes, 300, cudaMemcpyHostToDevice), "%08x",
          READ_BACK(a));
    CHECK("1d-to-off", cudaMemcpyToArray(a, 16, 2, host_bytes, 500, cudaMemcpyHostToDevice), "%08x",
          READ_BACK(a));
    CHECK("1d-to-over", cudaMemcpyToArray(a, 16, 2, host_bytes, 5000, cudaMemcpyHostToDevice));
    CHECK("1d-from", cudaMemcpyFromArray(second_host_bytes, a, 16, 2, 400, cudaMemcpyDeviceToHost),
          "%08x", checksum(second_host_bytes, 400));
    CHECK("1d-a2a", cudaMemcpyArrayToArray(b, 0, 0, a, 16, 2, 300, cudaMemcpyDeviceToDevice),
          "%08x", READ_BACK(b));
    CHECK("1d-line", cudaMemcpyToArray(l, 0, 0, host_bytes, 160, cudaMemcpyHostToDevice));
    CHECK("1d-line-over", cudaMemcpyToArray(l, 0, 0, host_bytes, 164, cudaMemcpyHostToDevice));
    CHECK("1d-line-back",
          cudaMemcpyFromArray(second_host_bytes, l, 0, 0, 160, cudaMemcpyDeviceToHost), "%08x",
          checksum(second_host_bytes, 160));
    CHECK("null-array",
          cudaMemcpy2DToArray(0, 0, 0, host_bytes, 128, 128, 1, cudaMemcpyHostToDevice));
    CHECK("null-src", cudaMemcpy2DToArray(a, 0, 0, 0, 128, 128, 1, cudaMemcpyHostToDevice));
    CHECK("null-dst", cudaMemcpy2DFromArray(0, 128, a, 0, 0, 128, 1, cudaMemcpyDeviceToHost));
    CHECK("2d-to-3darray",
          cudaMemcpy2DToArray(t3, 0, 0, host_bytes, 64, 64, 8, cudaMemcpyHostToDevice));
    CHECK("2d-line-h1",
          cudaMemcpy2DToArray(l, 0, 0, host_bytes, 160, 160, 1, cudaMemcpyHostToDevice));
    CHECK("2d-line-h2",
          cudaMemcpy2DToArray(l, 0, 0, host_bytes, 160, 160, 2, cudaMemcpyHostToDevice));
    CHECK("a2a-format-mismatch",
          cudaMemcpy2DArrayToArray(l, 0, 0, a, 0, 0, 64, 1, cudaMemcpyDeviceToDevice));
}

GROUP(454, memcpy3d, "memcpy3d")
{
    use_runtime();
    cases_independent = 1;
    cudaArray_t a = 0, b = 0, ly = 0;
    cudaChannelFormatDesc c = channel(16, 16, 0, 0, 1);
    cudaMalloc3DArray(&a, &c, extent(16, 8, 4), 0);
    cudaMalloc3DArray(&b, &c, extent(16, 8, 4), 0);
    cudaMalloc3DArray(&ly, &c, extent(16, 8, 4), cudaArrayLayered);
    char *d = (char *)device_alloc(65536), *e = (char *)device_alloc(65536);
    pattern_fill(host_bytes, 65536, 11);
    device_fill(d, 65536, 12);
    static char o[65536];
    cudaMemcpy3DParms p;
    auto back = [&](cudaArray_t ar) {
        cudaMemcpy3DParms r;
        memset(&r, 0, sizeof r);
        r.srcArray = ar;
        r.dstPtr = pitched(o, 64, 64, 8);
        r.extent = extent(16, 8, 4);
        r.kind = cudaMemcpyDeviceToHost;
        memset(o, 0, 4096);
        cudaError_t x = cudaMemcpy3D(&r);
        return x ? error_name(x) : FORMAT("%08x", checksum(o, 2048));
    };
#define CHECK_COPY(nm, body, res)                                                                  \
    do {                                                                                           \
        memset(&p, 0, sizeof p);                                                                   \
        body;                                                                                      \
        CHECK(nm, cudaMemcpy3D(&p), "%s", res);                                                    \
        CHECK("async-" nm, cudaMemcpy3DAsync(&p, 0), "%s %s", sync_device(), res);                 \
    } while (0)
    CHECK_COPY("h2a", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(16, 8, 4); p.kind = cudaMemcpyHostToDevice, back(a));
    CHECK_COPY("h2a-sub", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.dstPos = position(2, 1, 1); p.extent = extent(5, 3, 2);
               p.kind = cudaMemcpyHostToDevice, back(a));
    CHECK_COPY("h2a-srcpos", p.srcPtr = pitched(host_bytes, 64, 16, 8);
               p.srcPos = position(4, 2, 1); p.dstArray = a; p.extent = extent(5, 3, 2);
               p.kind = cudaMemcpyHostToDevice, back(a));
    CHECK_COPY("d2a", p.srcPtr = pitched(d, 128, 16, 10); p.dstArray = a;
               p.extent = extent(16, 8, 4); p.kind = cudaMemcpyDeviceToDevice, back(a));
    CHECK_COPY("a2a", p.srcArray = a; p.srcPos = position(1, 1, 1); p.dstArray = b;
               p.extent = extent(8, 4, 2); p.kind = cudaMemcpyDeviceToDevice, back(b));
    CHECK_COPY("h2layer", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = ly;
               p.dstPos = position(0, 0, 2); p.extent = extent(16, 8, 1);
               p.kind = cudaMemcpyHostToDevice, back(ly));
    CHECK_COPY("default-h2a", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(16, 8, 4); p.kind = cudaMemcpyDefault, back(a));
    CHECK_COPY("d2d", p.srcPtr = pitched(d, 100, 100, 10); p.dstPtr = pitched(e, 128, 128, 12);
               p.extent = extent(90, 9, 3);
               p.kind = cudaMemcpyDeviceToDevice, device_checksum(e, 8192));
    CHECK_COPY("h2d", p.srcPtr = pitched(host_bytes, 100, 100, 10); p.srcPos = position(3, 1, 1);
               p.dstPtr = pitched(e, 128, 128, 12); p.dstPos = position(7, 2, 1);
               p.extent = extent(77, 5, 3);
               p.kind = cudaMemcpyHostToDevice, device_checksum(e, 8192));
    CHECK_COPY("d2h", p.srcPtr = pitched(d, 100, 100, 10); p.dstPtr = pitched(o, 128, 128, 12);
               p.extent = extent(90, 9, 3);
               p.kind = cudaMemcpyDeviceToHost, FORMAT("%08x", checksum(o, 4608)));
    CHECK_COPY("zero-extent", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("zero-depth", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(16, 8, 0); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("too-wide", p.srcPtr = pitched(host_bytes, 128, 32, 8); p.dstArray = a;
               p.extent = extent(17, 8, 4); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("too-deep", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(16, 8, 5); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("pos-out", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.dstPos = position(0, 0, 4); p.extent = extent(1, 1, 1);
               p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("both-src", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.srcArray = b;
               p.dstArray = a; p.extent = extent(1, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("both-dst", p.srcPtr = pitched(host_bytes, 64, 16, 8);
               p.dstPtr = pitched(d, 64, 16, 8); p.dstArray = a; p.extent = extent(1, 1, 1);
               p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("no-src", p.dstArray = a; p.extent = extent(1, 1, 1);
               p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("no-dst", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.extent = extent(1, 1, 1);
               p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("kind9", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(1, 1, 1); p.kind = (cudaMemcpyKind)9, "");
    CHECK_COPY("kind-wrong", p.srcPtr = pitched(host_bytes, 64, 16, 8); p.dstArray = a;
               p.extent = extent(1, 1, 1); p.kind = cudaMemcpyDeviceToHost, "");
    CHECK_COPY("pitch-small", p.srcPtr = pitched(host_bytes, 32, 16, 8); p.dstArray = a;
               p.extent = extent(16, 8, 1); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("pitch0", p.srcPtr = pitched(host_bytes, 0, 16, 8); p.dstArray = a;
               p.extent = extent(16, 1, 1); p.kind = cudaMemcpyHostToDevice, "");
    CHECK_COPY("ysize0", p.srcPtr = pitched(host_bytes, 64, 0, 0); p.dstArray = a;
               p.extent = extent(16, 8, 4); p.kind = cudaMemcpyHostToDevice, back(a));
    CHECK_COPY("d2d-pitch-small", p.srcPtr = pitched(d, 50, 100, 10);
               p.dstPtr = pitched(e, 128, 128, 12); p.extent = extent(90, 9, 3);
               p.kind = cudaMemcpyDeviceToDevice, "");
    CHECK_COPY("all-zero", , "");
    CHECK("null", cudaMemcpy3D(0));
    CHECK("null-async", cudaMemcpy3DAsync(0, 0));
    CHECK("null-peer", cudaMemcpy3DPeer(0));
    cudaMemcpy3DPeerParms q;
    memset(&q, 0, sizeof q);
    q.srcPtr = pitched(d, 64, 64, 8);
    q.dstPtr = pitched(e, 64, 64, 8);
    q.extent = extent(60, 7, 2);
    CHECK("peer", cudaMemcpy3DPeer(&q), "%s", device_checksum(e, 4096));
    CHECK("peer-async", cudaMemcpy3DPeerAsync(&q, 0), "%s", sync_device());
    q.dstDevice = 3;
    CHECK("peer-bad", cudaMemcpy3DPeer(&q));
    memset(&q, 0, sizeof q);
    CHECK("peer-zero", cudaMemcpy3DPeer(&q));
}

GROUP(455, memcpy_batch, "memcpy-batch")
{
    use_runtime();
    char *d = (char *)device_alloc(65536), *e = (char *)device_alloc(65536),
         *p = (char *)pinned_alloc(65536);
    cudaStream_t s = stream_new(0);
    pattern_fill(p, 65536, 5);
    void *ds[4] = {d, d + 1000, d + 5000, d + 9000};
    const void *ss[4] = {p, p + 64, p + 5000, p + 9001};
    size_t sz[4] = {100, 200, 3000, 77}, ix[4] = {0, 2, 3, 3};
    cudaMemcpyAttributes at[4];
    memset(at, 0, sizeof at);
    for (int i = 0; i < 4; i++)
        at[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaMemset(d, 0, 65536);
    CHECK("ok", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s %s", sync_stream(s),
          device_checksum(d, 16384));
    CHECK("two-attrs", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 2, s), "%s", sync_stream(s));
    CHECK("null-stream", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, 0), "%s", sync_device());
    CHECK("legacy", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, cudaStreamLegacy));
    CHECK("perthread", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, cudaStreamPerThread), "%s",
          sync_device());
    CHECK("count0", cudaMemcpyBatchAsync(ds, ss, sz, 0, at, ix, 1, s));
    CHECK("attrs0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 0, s));
    CHECK("attrs-more", cudaMemcpyBatchAsync(ds, ss, sz, 2, at, ix, 3, s));
    CHECK("null-dsts", cudaMemcpyBatchAsync(0, ss, sz, 4, at, ix, 1, s));
    CHECK("null-srcs", cudaMemcpyBatchAsync(ds, 0, sz, 4, at, ix, 1, s));
    CHECK("null-sizes", cudaMemcpyBatchAsync(ds, ss, 0, 4, at, ix, 1, s));
    CHECK("null-attrs", cudaMemcpyBatchAsync(ds, ss, sz, 4, 0, 0, 0, s));
    CHECK("null-idx", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, 0, 1, s));
    size_t bi[2] = {1, 2};
    CHECK("idx-first-not0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, bi, 2, s));
    for (int o = 0; o < 5; o++) {
        at[0].srcAccessOrder = (cudaMemcpySrcAccessOrder)o;
        CHECK(FORMAT("order-%d", o), cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s",
              sync_stream(s));
    }
    at[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    for (unsigned f = 0; f < 4; f++) {
        at[0].flags = f;
        CHECK(FORMAT("flags-%u", f), cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s",
              sync_stream(s));
    }
    at[0].flags = 0;
    sz[1] = 0;
    CHECK("size0", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s));
    sz[1] = 200;
    ds[2] = 0;
    CHECK("null-one", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s));
    ds[2] = d + 5000;
    ss[0] = host_bytes;
    CHECK("pageable", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", sync_stream(s));
    ss[0] = e;
    CHECK("d2d", cudaMemcpyBatchAsync(ds, ss, sz, 4, at, ix, 1, s), "%s", sync_stream(s));
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
    op.extent = extent(60, 7, 2);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CHECK("3d", cudaMemcpy3DBatchAsync(1, &op, 0, s), "%s %s", sync_stream(s),
          device_checksum(d, 4096));
    CHECK("3d-flags", cudaMemcpy3DBatchAsync(1, &op, 1, s));
    CHECK("3d-0", cudaMemcpy3DBatchAsync(0, &op, 0, s));
    CHECK("3d-null", cudaMemcpy3DBatchAsync(1, 0, 0, s));
    op.src.type = (cudaMemcpy3DOperandType)5;
    CHECK("3d-type", cudaMemcpy3DBatchAsync(1, &op, 0, s));
    CHECK("3d-nullstream", cudaMemcpy3DBatchAsync(1, &op, 0, 0));
}

GROUP(456, symbol, "symbol")
{
    use_runtime();
    cases_independent = 1;
    static const size_t ssz[] = {4, 256, 1000, 1024, 8, 60000, 1048576, 4};
    char b[1024];
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        void *d = UNTOUCHED;
        size_t z = 77;
        CHECK(FORMAT("addr-%s", symbol_names[i]), cudaGetSymbolAddress(&d, symbol(i)), "%s",
              out_state(d));
        void *d2 = 0;
        cudaGetSymbolAddress(&d2, symbol(i));
        RECORD(FORMAT("addr-stable-%s", symbol_names[i]), "%d", d == d2);
        CHECK(FORMAT("size-%s", symbol_names[i]), cudaGetSymbolSize(&z, symbol(i)), "%zu", z);
        memset(b, 0, sizeof b);
        CHECK(FORMAT("init-%s", symbol_names[i]),
              cudaMemcpyFromSymbol(b, symbol(i), ssz[i] < 1024 ? ssz[i] : 1024, 0,
                                   cudaMemcpyDeviceToHost),
              "%08x", checksum(b, 1024));
        static const size_t of[][2] = {{0, 4}, {1, 1}, {0, 0}, {2, 2},
                                       {1, 3}, {1, 4}, {4, 0}, {5, 0}};
        for (size_t k = 0; k < COUNT_OF(of); k++)
            for (int kd = 0; kd < 5; kd++) {
                pattern_fill(b, 64, k + kd);
                CHECK(FORMAT("to-%s-o%zu-n%zu-%s", symbol_names[i], of[k][0], of[k][1],
                             copy_kind_names[kd]),
                      cudaMemcpyToSymbol(symbol(i), b, of[k][1], of[k][0], (cudaMemcpyKind)kd));
                memset(b, 0, 64);
                CHECK(FORMAT("from-%s-o%zu-n%zu-%s", symbol_names[i], of[k][0], of[k][1],
                             copy_kind_names[kd]),
                      cudaMemcpyFromSymbol(b, symbol(i), of[k][1], of[k][0], (cudaMemcpyKind)kd),
                      "%08x", checksum(b, 16));
            }
        CHECK(FORMAT("to-end-%s", symbol_names[i]),
              cudaMemcpyToSymbol(symbol(i), b, 1, ssz[i] - 1, cudaMemcpyHostToDevice));
        CHECK(FORMAT("to-past-%s", symbol_names[i]),
              cudaMemcpyToSymbol(symbol(i), b, 1, ssz[i], cudaMemcpyHostToDevice));
        CHECK(FORMAT("to-over-%s", symbol_names[i]),
              cudaMemcpyToSymbol(symbol(i), host_bytes, ssz[i] + 1 > 65536 ? 8 : ssz[i] + 1,
                                 ssz[i] + 1 > 65536 ? ssz[i] - 4 : 0, cudaMemcpyHostToDevice));
        CHECK(FORMAT("to-wrap-%s", symbol_names[i]),
              cudaMemcpyToSymbol(symbol(i), b, 8, SIZE_MAX - 3, cudaMemcpyHostToDevice));
    }
    int v = 5;
    CHECK("unknown-to", cudaMemcpyToSymbol(&v, &v, 4, 0, cudaMemcpyHostToDevice));
    CHECK("unknown-from", cudaMemcpyFromSymbol(&v, b, 4, 0, cudaMemcpyDeviceToHost));
    CHECK("null-to", cudaMemcpyToSymbol(0, &v, 4, 0, cudaMemcpyHostToDevice));
    CHECK("kernel-as-symbol", cudaMemcpyToSymbol((void *)k_fill, &v, 4, 0, cudaMemcpyHostToDevice));
    CHECK("string-name", cudaMemcpyToSymbol("dev_i", &v, 4, 0, cudaMemcpyHostToDevice));
    CHECK("inside",
          cudaMemcpyToSymbol((char *)symbol(SYMBOL_CONST) + 4, &v, 4, 0, cudaMemcpyHostToDevice));
    CHECK("null-src", cudaMemcpyToSymbol(symbol(0), 0, 4, 0, cudaMemcpyHostToDevice));
    CHECK("null-dst", cudaMemcpyFromSymbol(0, symbol(0), 4, 0, cudaMemcpyDeviceToHost));
    void *d = 0;
    size_t z;
    CHECK("addr-null-out", cudaGetSymbolAddress(0, symbol(0)));
    CHECK("size-null-out", cudaGetSymbolSize(0, symbol(0)));
    CHECK("addr-kernel", cudaGetSymbolAddress(&d, (void *)k_fill));
    CHECK("size-kernel", cudaGetSymbolSize(&z, (void *)k_fill));
    cudaStream_t s = stream_new(0);
    v = 99;
    CHECK("to-async", cudaMemcpyToSymbolAsync(symbol(0), &v, 4, 0, cudaMemcpyHostToDevice, s), "%s",
          sync_stream(s));
    int w = 0;
    CHECK("from-async", cudaMemcpyFromSymbolAsync(&w, symbol(0), 4, 0, cudaMemcpyDeviceToHost, s),
          "%s %d", sync_stream(s), w);
    CHECK("async-over", cudaMemcpyToSymbolAsync(symbol(0), &v, 5, 0, cudaMemcpyHostToDevice, s));
    int *dd = (int *)device_alloc(64);
    device_fill(dd, 64, 4);
    CHECK("to-from-device",
          cudaMemcpyToSymbol(symbol(SYMBOL_CONST), dd, 64, 16, cudaMemcpyDeviceToDevice));
    CHECK("from-to-device",
          cudaMemcpyFromSymbol(dd, symbol(SYMBOL_CONST), 32, 8, cudaMemcpyDeviceToDevice), "%s",
          device_checksum(dd, 64));
    int *o = (int *)device_alloc(64);
    CHECK("kernel", cudaLaunchKernel((void *)k_sym, dim3(1), dim3(1), ARGS(&o), 0, 0), "%s %s",
          sync_device(), device_checksum(o, 28));
    CHECK("after-kernel", cudaMemcpyFromSymbol(&w, symbol(0), 4, 0, cudaMemcpyDeviceToHost), "%d",
          w);
}

GROUP(457, symbol_managed, "symbol-managed")
{
    use_runtime();
    int *m = managed_symbol_host();
    RECORD("initial", "%d %d %d %d", m[0], m[1], m[2], m[3]);
    m[1] = 1000;
    int *o = (int *)device_alloc(64);
    int h[7] = {0};
    CHECK("kernel", cudaLaunchKernel((void *)k_sym, dim3(1), dim3(1), ARGS(&o), 0, 0), "%s",
          sync_device());
    cudaMemcpy(h, o, 28, cudaMemcpyDeviceToHost);
    RECORD("seen", "%d %d %d %d %d %d %d host=%d", h[0], h[1], h[2], h[3], h[4], h[5], h[6], m[2]);
    void *d = 0;
    CHECK("addr", cudaGetSymbolAddress(&d, symbol(SYMBOL_MANAGED)), "%s", relative(d, m));
    RECORD("attr", "%s", pointer_text(m));
}

/* Two processes. */
struct peer_command {
    int op;
    cudaIpcMemHandle_t h;
    cudaIpcEventHandle_t e;
    unsigned fl;
    void *p;
    unsigned seed;
};
struct peer_answer {
    cudaError_t r;
    void *p;
    char t[160];
};
static int to_peer, from_peer;
static struct peer_answer answer;
static void peer_serve(int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(100);
    struct peer_command c;
    cudaEvent_t ev = 0;
    while (read(in, &c, sizeof c) == sizeof c) {
        struct peer_answer r;
        memset(&r, 0, sizeof r);
        switch (c.op) {
        case 0:
            r.r = cudaFree(0);
            break;
        case 1:
            r.p = UNTOUCHED;
            r.r = cudaIpcOpenMemHandle(&r.p, c.h, c.fl);
            break;
        case 2:
            r.r = cudaIpcCloseMemHandle(c.p);
            break;
        case 3:
            snprintf(r.t, 160, "%s", device_check(c.p, 4096, c.seed));
            break;
        case 4:
            device_fill(c.p, 4096, c.seed);
            break;
        case 5:
            r.r = cudaFree(c.p);
            break;
        case 6:
            snprintf(r.t, 160, "%s", pointer_text(c.p));
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

static cudaError_t peer_ask(int op, struct peer_command c)
{
    c.op = op;
    memset(&answer, 0, sizeof answer);
    if (write(to_peer, &c, sizeof c) != sizeof c ||
        read(from_peer, &answer, sizeof answer) != sizeof answer) {
        strcpy(answer.t, "peer-died");
        return (cudaError_t)-9;
    }
    return answer.r;
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
        peer_serve(a[0], b[1]);
    }
    close(a[0]);
    close(b[1]);
    to_peer = a[1];
    from_peer = b[0];
    use_runtime();
    struct peer_command c;
    memset(&c, 0, sizeof c);
    void *d = device_alloc(4096);
    device_fill(d, 4096, 21);
    CHECK("peer-init", peer_ask(0, c));
    CHECK("get", cudaIpcGetMemHandle(&c.h, d));
    CHECK("open-own-process", (__extension__({
              void *q = 0;
              cudaIpcOpenMemHandle(&q, c.h, 1);
          })));
    CHECK("open", peer_ask(1, c), "%s", out_state(answer.p));
    c.p = answer.p;
    c.seed = 21;
    peer_ask(3, c);
    RECORD("data", "%s", answer.t);
    peer_ask(6, c);
    RECORD("attr", "%s", answer.t);
    c.seed = 22;
    peer_ask(4, c);
    RECORD("back", "%s", device_check(d, 4096, 22));
    CHECK("free-imported", peer_ask(5, c));
    CHECK("open-again", peer_ask(1, c), "same=%d", answer.p == c.p);
    CHECK("close", peer_ask(2, c));
    CHECK("close2", peer_ask(2, c));
    CHECK("close3", peer_ask(2, c));
    c.fl = 0;
    CHECK("open-fl0", peer_ask(1, c));
    c.fl = 2;
    CHECK("open-fl2", peer_ask(1, c));
    c.fl = 1;
    memset(&c.h, 0x5a, sizeof c.h);
    CHECK("open-garbage", peer_ask(1, c));
    CHECK("get-null", cudaIpcGetMemHandle(0, d));
    CHECK("get-interior", cudaIpcGetMemHandle(&c.h, (char *)d + 512));
    CHECK("open-interior", peer_ask(1, c));
    CHECK("get-host", cudaIpcGetMemHandle(&c.h, pinned_alloc(64)));
    CHECK("get-managed", cudaIpcGetMemHandle(&c.h, managed_alloc(64)));
    CHECK("get-bad", cudaIpcGetMemHandle(&c.h, GARBAGE_ADDRESS));
    void *q = 0;
    cudaMallocAsync(&q, 64, 0);
    cudaDeviceSynchronize();
    CHECK("get-pool", cudaIpcGetMemHandle(&c.h, q));
    CHECK("get-nullptr", cudaIpcGetMemHandle(&c.h, 0));
    CHECK("close-own", cudaIpcCloseMemHandle(d));
    CHECK("close-null", cudaIpcCloseMemHandle(0));
    cudaEvent_t e = event_new(cudaEventInterprocess | cudaEventDisableTiming), f = event_new(0);
    CHECK("event-get", cudaIpcGetEventHandle(&c.e, e));
    CHECK("event-get-plain", cudaIpcGetEventHandle(&c.e, f));
    CHECK("event-get-null", cudaIpcGetEventHandle(0, e));
    CHECK("event-get-null2", cudaIpcGetEventHandle(&c.e, 0));
    cudaIpcGetEventHandle(&c.e, e);
    cudaEventRecord(e, 0);
    cudaDeviceSynchronize();
    CHECK("event-open", peer_ask(7, c));
    CHECK("event-query", peer_ask(8, c));
    CHECK("event-sync", peer_ask(9, c));
    CHECK("event-record", peer_ask(10, c));
    CHECK("event-query-here", cudaEventQuery(e));
    CHECK("event-destroy", peer_ask(11, c));
    cudaEvent_t g = 0;
    CHECK("event-open-own", cudaIpcOpenEventHandle(&g, c.e));
    CHECK("event-create-bad", cudaEventCreateWithFlags(&g, cudaEventInterprocess));
    peer_ask(99, c);
    int st;
    waitpid(pid, &st, 0);
}
