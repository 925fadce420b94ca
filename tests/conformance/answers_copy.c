/* SPDX-License-Identifier: MIT */
/*
 * Linear copies: every function over every kind of memory, edges, out of bounds, between contexts.
 */
#include "recorder.h"

static CUstream async_stream;
static CUcontext other_context;
static struct memory from[KIND_COUNT], to[KIND_COUNT];

typedef CUresult (*copy_function)(CUdeviceptr dst, CUdeviceptr src, size_t size);

static CUresult copy_any(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpy(dst, src, size);
}

static CUresult copy_htod(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyHtoD(dst, as_host(src), size);
}

static CUresult copy_dtoh(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyDtoH(as_host(dst), src, size);
}

static CUresult copy_dtod(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyDtoD(dst, src, size);
}

static CUresult copy_any_async(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyAsync(dst, src, size, async_stream);
}

static CUresult copy_htod_async(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyHtoDAsync(dst, as_host(src), size, async_stream);
}

static CUresult copy_dtoh_async(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyDtoHAsync(as_host(dst), src, size, async_stream);
}

static CUresult copy_dtod_async(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyDtoDAsync(dst, src, size, async_stream);
}

static CUresult copy_peer(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyPeer(dst, context, src, context, size);
}

static CUresult copy_peer_async(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    return cuda.cuMemcpyPeerAsync(dst, context, src, context, size, async_stream);
}

static CUresult copy_batch(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t index = 0;

    return cuda.cuMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &index, 1, async_stream);
}

static const struct {
    const char *name;
    copy_function copy;
} copies[] = {{"Memcpy", copy_any},
              {"HtoD", copy_htod},
              {"DtoH", copy_dtoh},
              {"DtoD", copy_dtod},
              {"Peer", copy_peer},

              {"MemcpyAsync", copy_any_async},
              {"HtoDAsync", copy_htod_async},
              {"DtoHAsync", copy_dtoh_async},
              {"DtoDAsync", copy_dtod_async},
              {"PeerAsync", copy_peer_async},
              {"Batch1", copy_batch}};

/* Whether bytes [offset, offset + size) hold the new seed, shifted, and all others the old seed. */
static const char *patched(const struct memory *memory, size_t total, size_t offset, size_t size,
                           unsigned old_seed, unsigned new_seed, size_t shift)
{
    static unsigned char bytes[65536];

    memory_read(memory, bytes, total);
    size_t bad = 0, changed = 0;

    for (size_t i = 0; i < total; i++) {
        unsigned char wanted = i >= offset && i < offset + size
                                   ? pattern_byte(new_seed, i - offset + shift)
                                   : pattern_byte(old_seed, i);
        bad += bytes[i] != wanted;
        changed += bytes[i] != pattern_byte(old_seed, i);
    }

    return !bad ? "ok" : !changed ? "unchanged" : format("bad%zu", bad);
}

GROUP(400, copymatrix, "copymatrix")
{
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    memory_kinds_create(from, 65536);
    memory_kinds_create(to, 65536);

    for (size_t f = 0; f < COUNT_OF(copies); f++)
        for (int i = 0; i < KIND_COUNT; i++)
            for (int j = 0; j < KIND_COUNT; j++) {
                memory_fill(&from[i], 2048, 1);
                memory_fill(&to[j], 2048, 2);
                CHECK_DATA(format("%s-%s-to-%s", copies[f].name, from[i].name, to[j].name),
                           copies[f].copy(to[j].ptr + 5, from[i].ptr + 3, 1000),
                           sync_stream(async_stream), patched(&to[j], 2048, 5, 1000, 2, 1, 3));
            }
}

static int arrived(CUdeviceptr dst, const void *wanted, size_t size)
{
    static unsigned char bytes[65536];
    memset(bytes, 0, size);
    cuda.cuMemcpyDtoH(bytes, dst, size);
    return !memcmp(bytes, wanted, size);
}

static void check_part(const char *part, const char *name, copy_function copy, CUdeviceptr dst,
                       const void *src, size_t size)
{
    const char *synced;
    int equal;

    cuda.cuMemsetD8(dst, 0, 65536);
    cuda.cuCtxSynchronize();
    CHECK_THEN(format("partreg-%s-%s", name, part), copy(dst, as_device(src), size),
               synced = sync_stream(async_stream);
               equal = arrived(dst, src, size), "sync=%s equal=%d", synced, equal);
}

static void edge_sizes_and_nulls(void)
{
    for (size_t f = 0; f < COUNT_OF(copies); f++) {
        const char *name = copies[f].name;
        CUdeviceptr src = from[strstr(name, "Hto") ? KIND_PAGEABLE : KIND_DEVICE].ptr;
        CUdeviceptr dst = to[strstr(name, "toH") ? KIND_PAGEABLE : KIND_DEVICE].ptr;
        struct {
            const char *name;
            CUdeviceptr dst, src;
            size_t size;
        } cases[] = {{"zero", dst, src, 0},
                     {"zero-null-both", 0, 0, 0},
                     {"zero-null-dst", 0, src, 0},
                     {"zero-null-src", dst, 0, 0},
                     {"zero-bad-both", 1, 1, 0},
                     {"zero-end", dst + 65536, src + 65536, 0},
                     {"null-dst", 0, src, 4},
                     {"null-src", dst, 0, 4},
                     {"null-both", 0, 0, 4},
                     {"self", dst, dst, 64},
                     {"one-byte", dst + 1, src + 3, 1},
                     {"exact-end", dst + 60000, src + 60000, 5536}};
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK(format("%s-%s", name, cases[i].name),
                  copies[f].copy(cases[i].dst, cases[i].src, cases[i].size), "sync=%s",
                  sync_stream(async_stream));
    }
}

static void edge_overlap(void)
{
    /* Overlapping within one allocation (data: does it behave like memmove?). */
    static const struct {
        const char *name;
        long dst, src;
        size_t size;
    } overlaps[] = {{"fwd1", 1, 0, 4096},        {"back1", 0, 1, 4096},
                    {"fwd64", 64, 0, 8192},      {"back64", 0, 64, 8192},
                    {"fwd4096", 4096, 0, 32768}, {"back4096", 0, 4096, 32768},
                    {"half", 16384, 0, 32768}};

    for (size_t i = 0; i < COUNT_OF(overlaps); i++)
        for (int k = 0; k < 2; k++) {
            struct memory *kind = k ? &from[KIND_PINNED] : &from[KIND_DEVICE];
            memory_fill(kind, 65536, 5);
            CHECK(format("overlap-%s-%s", kind->name, overlaps[i].name),
                  k ? cuda.cuMemcpy(kind->ptr + overlaps[i].dst, kind->ptr + overlaps[i].src,
                                    overlaps[i].size)
                    : cuda.cuMemcpyDtoD(kind->ptr + overlaps[i].dst, kind->ptr + overlaps[i].src,
                                        overlaps[i].size),
                  "memmove=%s",
                  patched(kind, 65536, overlaps[i].dst, overlaps[i].size, 5, 5, overlaps[i].src));
        }
}

static void edge_streams(void)
{
    CUdeviceptr dst = from[KIND_DEVICE].ptr, host = from[KIND_PINNED].ptr;

    /* Streams. */
    struct {
        const char *name;
        CUstream src;
    } streams[] = {{"null", 0},
                   {"legacy", CU_STREAM_LEGACY},
                   {"perthread", CU_STREAM_PER_THREAD},
                   {"blocking", stream_new(0)},
                   {"nonblocking", async_stream}};

    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        device_fill(dst, 4096, 1);
        pattern_fill(as_host(host), 4096, 6);
        CHECK_DATA(format("stream-%s-htod", streams[i].name),
                   cuda.cuMemcpyHtoDAsync(dst, as_host(host), 4096, streams[i].src),
                   sync_stream(streams[i].src), device_check(dst, 4096, 6));
    }
}

static void edge_partly_registered(void)
{
    CUdeviceptr dst = from[KIND_DEVICE].ptr;

    /* Partially registered pageable ranges. */
    char *pages = page_alloc(16 * 4096);
    pattern_fill(pages, 16 * 4096, 8);
    cuda.cuMemHostRegister(pages + 4 * 4096, 4 * 4096, 0);

    static const struct {
        const char *name;
        int first, size;
    } parts[] = {{"before", 0, 4},        {"straddle-head", 2, 4}, {"inside", 4, 4},
                 {"straddle-tail", 6, 4}, {"cover", 0, 16},        {"after", 8, 4}};

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        size_t offset = parts[i].first * 4096, size = parts[i].size * 4096;
        check_part(parts[i].name, "HtoD", copy_htod, dst, pages + offset, size);
        check_part(parts[i].name, "HtoDAsync", copy_htod_async, dst, pages + offset, size);
        check_part(parts[i].name, "Memcpy", copy_any, dst, pages + offset, size);
        check_part(parts[i].name, "MemcpyAsync", copy_any_async, dst, pages + offset, size);
        device_fill(dst, size, 11);
        memset(pages + offset, 0, size);
        CHECK(format("partreg-DtoH-%s", parts[i].name),
              cuda.cuMemcpyDtoH(pages + offset, dst, size), "data=%s",
              pattern_check(pages + offset, size, 11));
        memset(pages + offset, 0, size);
        CHECK_DATA(format("partreg-DtoHAsync-%s", parts[i].name),
                   cuda.cuMemcpyDtoHAsync(pages + offset, dst, size, async_stream),
                   sync_stream(async_stream), pattern_check(pages + offset, size, 11));
        pattern_fill(pages, 65536, 8);
    }
}

GROUP(401, copyedge, "copyedge")
{
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    memory_kinds_create(from, 65536);
    memory_kinds_create(to, 65536);

    edge_sizes_and_nulls();
    edge_overlap();
    edge_streams();
    edge_partly_registered();
}

/* Out of bounds, freed, foreign: each case may poison the context, and the group is then restarted.
 */
GROUP(402, copyoob, "copyoob")
{
    cases_independent = 1;
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    CUdeviceptr small = device_alloc(4096), neighbour = device_alloc(4096),
                large = device_alloc(4 * MB), freed_large = device_alloc(8 * MB),
                freed_small = device_alloc(4096);
    cuda.cuMemFree(freed_large);
    cuda.cuMemFree(freed_small);
    char *pinned = pinned_alloc(4096), *pages = page_alloc(8 * MB);
    CUdeviceptr managed = managed_alloc(4096), reserved = 0;
    cuda.cuMemAddressReserve(&reserved, 4 * MB, 0, 0, 0);
    CUdeviceptr mapped = mapped_alloc(2 * MB, 0, 0);

    other_context = context_new();
    CUdeviceptr foreign = device_alloc(4096);
    cuda.cuCtxSetCurrent(context);

    struct {
        const char *name;
        CUdeviceptr ptr;
        size_t size;
    } cases[] = {{"small+1", small, 4097},
                 {"small+512", small, 4096 + 512},
                 {"small-interior", small + 4000, 200},
                 {"at-end", small + 4096, 4},
                 {"small-span-2", small, 8192},
                 {"small-2M", small, 2 * MB},
                 {"big+1", large, 4 * MB + 1},
                 {"big-interior+1", large + 4 * MB - 10, 11},
                 {"big-at-end", large + 4 * MB, 1},
                 {"big-x2", large, 8 * MB},
                 {"freed-big", freed_large, 64},
                 {"freed-small", freed_small, 64},
                 {"managed+1", managed, 4097},
                 {"managed-2M", managed, 4 * MB},
                 {"vmm+1", mapped, 2 * MB + 1},
                 {"vmm-reserved", reserved, 64},
                 {"otherctx", foreign, 64},
                 {"otherctx+1", foreign, 4097},
                 {"addr1", 1, 64},
                 {"garbage", GARBAGE_ADDRESS, 64},
                 {"near-max", (CUdeviceptr)-64, 64},
                 {"wrap", (CUdeviceptr)-64, 128},
                 {"size-max", small, SIZE_MAX},
                 {"size-half", small, 1ull << 63},
                 {"size-1<<40", large, 1ull << 40}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int too_large = cases[i].size > 8 * MB;
        CHECK(format("HtoD-%s", cases[i].name),
              cuda.cuMemcpyHtoD(cases[i].ptr, pages, cases[i].size));
        if (!too_large)
            CHECK(format("DtoH-%s", cases[i].name),
                  cuda.cuMemcpyDtoH(pages, cases[i].ptr, cases[i].size));
        CHECK(format("DtoD-dst-%s", cases[i].name),
              cuda.cuMemcpyDtoD(cases[i].ptr, large, cases[i].size), "sync=%s", sync_context());
        CHECK(format("DtoD-src-%s", cases[i].name),
              cuda.cuMemcpyDtoD(large, cases[i].ptr, cases[i].size), "sync=%s", sync_context());
        CHECK(format("DtoDAsync-src-%s", cases[i].name),
              cuda.cuMemcpyDtoDAsync(large, cases[i].ptr, cases[i].size, async_stream), "sync=%s",
              sync_context());
        CHECK(format("Memcpy-src-%s", cases[i].name),
              cuda.cuMemcpy(large, cases[i].ptr, cases[i].size), "sync=%s", sync_context());
        CHECK(format("memsetD8-%s", cases[i].name), cuda.cuMemsetD8(cases[i].ptr, 0, cases[i].size),
              "sync=%s", sync_context());
        CHECK(format("memsetD8Async-%s", cases[i].name),
              cuda.cuMemsetD8Async(cases[i].ptr, 0, cases[i].size, async_stream), "sync=%s",
              sync_context());
        if (!too_large) {
            CHECK(format("HtoDAsync-%s", cases[i].name),
                  cuda.cuMemcpyHtoDAsync(cases[i].ptr, pages, cases[i].size, async_stream),
                  "sync=%s", sync_context());
            CHECK(format("Batch1-src-%s", cases[i].name),
                  copy_batch(large, cases[i].ptr, cases[i].size), "sync=%s", sync_context());
        }
    }

    /* Host side out of bounds: pinned past its end, pageable into an unmapped page. */
    char *half_mapped = page_alloc(8192);
    munmap(half_mapped + 4096, 4096);
    CHECK("HtoD-pinned-past-end", cuda.cuMemcpyHtoD(large, pinned, 8192));
    CHECK("HtoD-pageable-unmapped-tail", cuda.cuMemcpyHtoD(large, half_mapped, 8192));
    CHECK("DtoH-pageable-unmapped-tail", cuda.cuMemcpyDtoH(half_mapped, large, 8192));
    CHECK("HtoD-unmapped", cuda.cuMemcpyHtoD(large, (void *)0xdead0000ull, 64));
    CHECK("DtoH-unmapped", cuda.cuMemcpyDtoH((void *)0xdead0000ull, large, 64));

    mprotect(half_mapped, 4096, PROT_READ);
    CHECK("DtoH-readonly-page", cuda.cuMemcpyDtoH(half_mapped, large, 64));
    CHECK("HtoDAsync-unmapped",
          cuda.cuMemcpyHtoDAsync(large, (void *)0xdead0000ull, 64, async_stream), "sync=%s",
          sync_context());
    CHECK("DtoHAsync-unmapped",
          cuda.cuMemcpyDtoHAsync((void *)0xdead0000ull, large, 64, async_stream), "sync=%s",
          sync_context());

    (void)neighbour;
}

GROUP(403, peer, "peer")
{
    use_primary_context();
    async_stream = stream_new(0);
    CUcontext first_context = context;
    CUdeviceptr own = device_alloc(4096);
    other_context = context_new();
    CUdeviceptr theirs = device_alloc(4096), their_dst = device_alloc(4096);
    device_fill(theirs, 4096, 9);
    cuda.cuCtxSetCurrent(first_context);
    device_fill(own, 4096, 4);
    CUdeviceptr own_dst = device_alloc(4096);
    void *pinned = pinned_alloc(4096);
    char pages[4096];

    struct {
        const char *name;
        CUdeviceptr dst;
        CUcontext dst_context;
        CUdeviceptr src;
        CUcontext src_context;
        size_t size;
    } cases[] = {{"same-ctx", own_dst, first_context, own, first_context, 4096},
                 {"c1-to-c2", their_dst, other_context, own, first_context, 4096},
                 {"c2-to-c1", own_dst, first_context, theirs, other_context, 4096},
                 {"wrong-dst-ctx", own_dst, other_context, own, first_context, 4096},
                 {"wrong-src-ctx", own_dst, first_context, own, other_context, 4096},
                 {"both-swapped", their_dst, first_context, theirs, first_context, 64},
                 {"null-dst-ctx", own_dst, 0, own, first_context, 64},
                 {"null-src-ctx", own_dst, first_context, own, 0, 64},
                 {"null-both-ctx", own_dst, 0, own, 0, 64},
                 {"zero", own_dst, first_context, own, first_context, 0},
                 {"zero-null-ctx", own_dst, 0, own, 0, 0},
                 {"zero-null-all", 0, 0, 0, 0, 0},
                 {"null-ptrs", 0, first_context, 0, first_context, 4},
                 {"oob", own_dst, first_context, own, first_context, 64 * MB},
                 {"pinned-src", own_dst, first_context, as_device(pinned), first_context, 64},
                 {"pinned-dst", as_device(pinned), first_context, own, first_context, 64},
                 {"pageable-src", own_dst, first_context, as_device(pages), first_context, 64},
                 {"pageable-dst", as_device(pages), first_context, own, first_context, 64}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        cuda.cuMemsetD8(own_dst, 0, 4096);
        CHECK_DATA(format("Peer-%s", cases[i].name),
                   cuda.cuMemcpyPeer(cases[i].dst, cases[i].dst_context, cases[i].src,
                                     cases[i].src_context, cases[i].size),
                   sync_stream(0),
                   cases[i].src == own || cases[i].src == theirs
                       ? device_check(cases[i].dst,
                                      cases[i].size ? cases[i].size > 4096 ? 1 : cases[i].size : 1,
                                      cases[i].src == own ? 4 : 9)
                       : "-");
        CHECK(format("PeerAsync-%s", cases[i].name),
              cuda.cuMemcpyPeerAsync(cases[i].dst, cases[i].dst_context, cases[i].src,
                                     cases[i].src_context, cases[i].size, async_stream),
              "sync=%s", sync_stream(async_stream));
    }

    cuda.cuCtxSetCurrent(other_context);
    CHECK_DATA("Memcpy-c1-ptrs-in-c2", cuda.cuMemcpy(own_dst, own, 4096), sync_stream(0),
               device_check(own_dst, 4096, 4));
    CHECK("DtoD-c1-ptrs-in-c2", cuda.cuMemcpyDtoD(own_dst, own, 4096), "sync=%s", sync_stream(0));
    CHECK("HtoD-c1-ptr-in-c2", cuda.cuMemcpyHtoD(own_dst, pages, 4096));
    CHECK("DtoH-c1-ptr-in-c2", cuda.cuMemcpyDtoH(pages, own, 4096), "data=%s",
          pattern_check(pages, 4096, 4));
    CHECK("DtoDAsync-c1-stream-in-c2", cuda.cuMemcpyDtoDAsync(their_dst, theirs, 64, async_stream),
          "sync=%s", sync_stream(async_stream));
    CHECK("DtoDAsync-c1-stream-c1-ptrs-in-c2",
          cuda.cuMemcpyDtoDAsync(own_dst, own, 64, async_stream), "sync=%s",
          sync_stream(async_stream));
    CHECK("memset-c1-ptr-in-c2", cuda.cuMemsetD8(own_dst, 1, 64), "sync=%s", sync_stream(0));
    CHECK("MemsetAsync-c1-stream-in-c2", cuda.cuMemsetD8Async(their_dst, 1, 64, async_stream));
    CHECK("enable-peer-self-device", cuda.cuCtxEnablePeerAccess(first_context, 0));
    CHECK("free-c1-ptr-in-c2", cuda.cuMemFree(own_dst));
    CHECK("free-c1-ptr-again-in-c1",
          (cuda.cuCtxSetCurrent(first_context), cuda.cuMemFree(own_dst)));
}

RISKY_HANDLE(9400, copy_htodasync_stream_garbage,
             cuda.cuMemcpyHtoDAsync(risky_device, risky_host, 64, (CUstream)bad_handle))

RISKY_HANDLE(9400, memset_async_stream_garbage,
             cuda.cuMemsetD8Async(risky_device, 1, 64, (CUstream)bad_handle))

RISKY_HANDLE(9400, peer_dstctx_garbage,
             cuda.cuMemcpyPeer(risky_device, (CUcontext)bad_handle, risky_device + 4096, context,
                               64))

RISKY_HANDLE(9400, peer_srcctx_garbage,
             cuda.cuMemcpyPeer(risky_device, context, risky_device + 4096, (CUcontext)bad_handle,
                               64))

RISKY(9400, copy_stream_destroyed,
      (cuda.cuStreamDestroy(risky_stream),
       cuda.cuMemcpyHtoDAsync(risky_device, risky_host, 64, risky_stream)))

RISKY(9400, memset_stream_destroyed,
      (cuda.cuStreamDestroy(risky_stream), cuda.cuMemsetD8Async(risky_device, 1, 64, risky_stream)))

RISKY(9400, copy_stream_value_3, cuda.cuMemcpyHtoDAsync(risky_device, risky_host, 64, (CUstream)3))

RISKY(9400, copy_stream_value_max,
      cuda.cuMemcpyHtoDAsync(risky_device, risky_host, 64, (CUstream)-1))
