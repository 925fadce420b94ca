/* SPDX-License-Identifier: MIT */
/*
 * Batched decompression.
 */
#include "recorder.h"

static CUstream async_stream;

/* Stored-block deflate of 100 bytes, literal-only snappy and LZ4 streams. */
static size_t raw_deflate(unsigned char *out, const unsigned char *src, unsigned size)
{
    out[0] = 1;
    out[1] = size;
    out[2] = size >> 8;
    out[3] = ~size;
    out[4] = ~size >> 8;
    memcpy(out + 5, src, size);
    return size + 5;
}

static size_t raw_snappy(unsigned char *out, const unsigned char *src, unsigned size)
{
    size_t k = 0;
    unsigned rest = size;
    do {
        out[k++] = (rest & 127) | (rest > 127 ? 128 : 0);
        rest >>= 7;
    } while (rest);
    out[k++] = 60 << 2;
    out[k++] = size - 1;
    memcpy(out + k, src, size);
    return k + size;
}

static size_t raw_lz4(unsigned char *out, const unsigned char *src, unsigned size)
{
    out[0] = 0xf0;
    out[1] = size - 15;
    memcpy(out + 2, src, size);
    return size + 2;
}

static CUmemDecompressParams params[3];

static void check_decompress(const char *name, size_t count, unsigned flags, CUstream on_stream)
{
    size_t error_index = 777;
    const char *synced;
    CHECK_THEN(name, cuda.cuMemBatchDecompressAsync(params, count, flags, &error_index, on_stream),
               synced = sync_stream(on_stream), "err_index=%lld sync=%s",
               error_index == 777 ? -1ll : (long long)error_index, synced);
}

GROUP(1003, decompress, "decompress")
{
    use_primary_context();
    async_stream = stream_new(0);
    RECORD("attrs", "mask=%d maxlen=%d",
           device_attribute(CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK),
           device_attribute(CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH));
    unsigned char src[256], packed[3][300];
    pattern_fill(src, 100, 5);
    size_t packed_sizes[3] = {raw_deflate(packed[0], src, 100), raw_snappy(packed[1], src, 100),
                              raw_lz4(packed[2], src, 100)};
    struct memory from[KIND_COUNT], to[KIND_COUNT];
    memory_kinds_create(from, 4096);
    memory_kinds_create(to, 4096);
    cuuint32_t *actual = pinned_alloc(64);
    size_t error_index;

    CUmemDecompressParams base = {.dstNumBytes = 100,
                                  .dstActBytes = actual,
                                  .src = as_host(from[0].ptr),
                                  .dst = as_host(to[0].ptr)};
    static const int algorithms[] = {0, 1, 2, 3, 4, 5, 8, 16, 99};
    for (size_t i = 0; i < COUNT_OF(algorithms); i++) {
        int k = algorithms[i] == 2 ? 1 : algorithms[i] == 4 ? 2 : 0;
        cuda.cuMemcpyHtoD(from[0].ptr, packed[k], 300);
        base.algo = algorithms[i];
        base.srcNumBytes = packed_sizes[k];
        params[0] = params[1] = params[2] = base;
        cuda.cuMemsetD8(to[0].ptr, 0, 4096);
        actual[0] = 0;
        check_decompress(format("algo-%d", algorithms[i]), 1, 0, async_stream);
        RECORD(format("algo-%d-data", algorithms[i]), "data=%s act=%u",
               device_check(to[0].ptr, 100, 5), actual[0]);
    }

    cuda.cuMemcpyHtoD(from[0].ptr, packed[0], 300);
    base.algo = 1;
    base.srcNumBytes = packed_sizes[0];
    params[0] = params[1] = params[2] = base;
    check_decompress("count0", 0, 0, async_stream);
    for (int bit = 0; bit < 32; bit += bit < 4 ? 1 : 9)
        check_decompress(format("flagbit%d", bit), 1, 1u << bit, async_stream);
    check_decompress("stream-null", 1, 0, 0);
    check_decompress("stream-legacy", 1, 0, CU_STREAM_LEGACY);
    check_decompress("stream-perthread", 1, 0, CU_STREAM_PER_THREAD);
    CHECK("null-params", cuda.cuMemBatchDecompressAsync(NULL, 1, 0, &error_index, async_stream));
    CHECK("null-params-0", cuda.cuMemBatchDecompressAsync(NULL, 0, 0, &error_index, async_stream));
    CHECK("null-erridx", cuda.cuMemBatchDecompressAsync(params, 1, 0, NULL, async_stream));
    params[1].algo = 0;
    check_decompress("second-bad-algo", 3, 0, async_stream);
    params[1] = params[0];
    params[2].src = 0;
    check_decompress("third-null-src", 3, 0, async_stream);
    params[2] = params[0];
    params[0].dst = 0;
    check_decompress("null-dst", 1, 0, async_stream);
    params[0] = params[1];
    params[0].srcNumBytes = 0;
    check_decompress("src0", 1, 0, async_stream);
    params[0] = params[1];
    params[0].dstNumBytes = 0;
    check_decompress("dst0", 1, 0, async_stream);
    params[0] = params[1];
    params[0].dstActBytes = 0;
    check_decompress("null-act", 1, 0, async_stream);
    params[0] = params[1];
    params[0].srcNumBytes = SIZE_MAX;
    check_decompress("src-max", 1, 0, async_stream);
    params[0] = params[1];
    params[0].padding[0] = 1;
    check_decompress("padding-nonzero", 1, 0, async_stream);
    for (int i = 0; i < KIND_COUNT; i++) {
        params[0] = params[1];
        params[0].src = as_host(from[i].ptr);
        check_decompress(format("src-%s", from[i].name), 1, 0, async_stream);
        params[0] = params[1];
        params[0].dst = as_host(to[i].ptr);
        check_decompress(format("dst-%s", to[i].name), 1, 0, async_stream);
    }
}
