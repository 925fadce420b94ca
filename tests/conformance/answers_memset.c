/* SPDX-License-Identifier: MIT */
/*
 * Memsets, linear and two-dimensional.
 */
#include "recorder.h"

static CUstream async_stream;

typedef CUresult (*memset_function)(CUdeviceptr, unsigned, size_t);
typedef CUresult (*memset2d_function)(CUdeviceptr, size_t, unsigned, size_t, size_t);

static CUresult set8(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD8(dst, (unsigned char)value, count);
}

static CUresult set16(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD16(dst, (unsigned short)value, count);
}

static CUresult set32(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD32(dst, (unsigned)value, count);
}

static CUresult set8_async(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD8Async(dst, (unsigned char)value, count, async_stream);
}

static CUresult set16_async(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD16Async(dst, (unsigned short)value, count, async_stream);
}

static CUresult set32_async(CUdeviceptr dst, unsigned value, size_t count)
{
    return cuda.cuMemsetD32Async(dst, (unsigned)value, count, async_stream);
}

static CUresult set2d8(CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height)
{
    return cuda.cuMemsetD2D8(dst, pitch, (unsigned char)value, width, height);
}

static CUresult set2d16(CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height)
{
    return cuda.cuMemsetD2D16(dst, pitch, (unsigned short)value, width, height);
}

static CUresult set2d32(CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height)
{
    return cuda.cuMemsetD2D32(dst, pitch, (unsigned)value, width, height);
}

static CUresult set2d8_async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                             size_t height)
{
    return cuda.cuMemsetD2D8Async(dst, pitch, (unsigned char)value, width, height, async_stream);
}

static CUresult set2d16_async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                              size_t height)
{
    return cuda.cuMemsetD2D16Async(dst, pitch, (unsigned short)value, width, height, async_stream);
}

static CUresult set2d32_async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                              size_t height)
{
    return cuda.cuMemsetD2D32Async(dst, pitch, (unsigned)value, width, height, async_stream);
}

static const struct {
    const char *name;
    int element;
    memset_function set;
    memset2d_function set2d;
} memsets[] = {{"D8", 1, set8, set2d8},
               {"D16", 2, set16, set2d16},
               {"D32", 4, set32, set2d32},
               {"D8Async", 1, set8_async, set2d8_async},
               {"D16Async", 2, set16_async, set2d16_async},
               {"D32Async", 4, set32_async, set2d32_async}};

static const char *memset_check(const struct memory *memory, size_t offset, size_t pitch,
                                size_t width_bytes, size_t height, int element, unsigned value,
                                size_t total)
{
    static unsigned char bytes[65536];
    memory_read(memory, bytes, total);
    size_t bad = 0, changed = 0;

    for (size_t i = 0; i < total; i++) {
        unsigned char wanted = pattern_byte(3, i);
        changed += bytes[i] != wanted;
        if (i >= offset) {
            size_t row = pitch ? (i - offset) / pitch : 0,
                   column = pitch ? (i - offset) % pitch : i - offset;
            if (row < height && column < width_bytes)
                wanted = value >> (8 * (column % element));
        }
        bad += bytes[i] != wanted;
    }

    return !bad ? "ok" : !changed ? "unchanged" : format("bad%zu", bad);
}

GROUP(700, memset, "memset")
{
    cases_independent = 1;
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    struct memory kinds[KIND_COUNT];
    memory_kinds_create(kinds, 65536);

    for (size_t f = 0; f < COUNT_OF(memsets); f++)
        for (int k = 0; k < KIND_COUNT; k++) {
            memory_fill(&kinds[k], 8192, 3);
            CHECK_DATA(format("%s-%s", memsets[f].name, kinds[k].name),
                       memsets[f].set(kinds[k].ptr + 8, 0xdeadbeef, 501), sync_context(),
                       memset_check(&kinds[k], 8, 0, 501 * memsets[f].element, 1,
                                    memsets[f].element, 0xdeadbeef, 8192));
        }

    for (size_t f = 0; f < COUNT_OF(memsets); f++) {
        for (int offset = 0; offset < 5; offset++) {
            memory_fill(&kinds[0], 256, 3);
            CHECK_DATA(format("%s-align+%d", memsets[f].name, offset),
                       memsets[f].set(kinds[0].ptr + offset, 0x11223344, 10), sync_context(),
                       memset_check(&kinds[0], offset, 0, 10 * memsets[f].element, 1,
                                    memsets[f].element, 0x11223344, 256));
        }
        for (int offset = 1; offset < 4; offset++)
            CHECK(format("%s-align+%d-n0", memsets[f].name, offset),
                  memsets[f].set(kinds[0].ptr + offset, 0, 0), "sync=%s", sync_context());
        struct {
            const char *name;
            CUdeviceptr ptr;
            size_t count;
        } cases[] = {{"n0", kinds[0].ptr, 0},
                     {"null-n0", 0, 0},
                     {"null-n1", 0, 1},
                     {"bad-n0", 1, 0},
                     {"end-n0", kinds[0].ptr + 65536, 0},
                     {"exact", kinds[0].ptr, 65536 / memsets[f].element},
                     {"max", kinds[0].ptr, SIZE_MAX},
                     {"max/es", kinds[0].ptr, SIZE_MAX / memsets[f].element},
                     {"wrap-bytes", kinds[0].ptr, (SIZE_MAX / memsets[f].element) + 2}};
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK(format("%s-%s", memsets[f].name, cases[i].name),
                  memsets[f].set(cases[i].ptr, 1, cases[i].count), "sync=%s", sync_context());
    }

    struct {
        const char *name;
        CUstream stream;
    } streams[] = {{"null", 0}, {"legacy", CU_STREAM_LEGACY}, {"perthread", CU_STREAM_PER_THREAD}};
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        CHECK(format("D8Async-stream-%s", streams[i].name),
              cuda.cuMemsetD8Async(kinds[0].ptr, 1, 64, streams[i].stream), "sync=%s",
              sync_context());

    CHECK("D8-return-async?", cuda.cuMemsetD8(kinds[0].ptr, 1, 65536));
    CHECK("query-null", cuda.cuStreamSynchronize(0));
}

GROUP(701, memset2d, "memset2d")
{
    cases_independent = 1;
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    struct memory kinds[KIND_COUNT];
    memory_kinds_create(kinds, 65536);

    for (size_t f = 0; f < COUNT_OF(memsets); f++)
        for (int k = 0; k < KIND_COUNT; k++) {
            memory_fill(&kinds[k], 8192, 3);
            CHECK_DATA(format("%s-%s", memsets[f].name, kinds[k].name),
                       memsets[f].set2d(kinds[k].ptr + 8, 200, 0xdeadbeef, 33, 9), sync_context(),
                       memset_check(&kinds[k], 8, 200, 33 * memsets[f].element, 9,
                                    memsets[f].element, 0xdeadbeef, 8192));
        }

    for (size_t f = 0; f < COUNT_OF(memsets); f++) {
        struct {
            const char *name;
            long offset;
            size_t pitch, width, height;
        } cases[] = {{"pitch0-h1", 0, 0, 16, 1},
                     {"pitch0-h2", 0, 0, 16, 2},
                     {"pitch0-w0-h1", 0, 0, 0, 1},
                     {"pitch0-h0", 0, 0, 16, 0},
                     {"pitch=width", 0, 16ul * memsets[f].element, 16, 4},
                     {"pitch<width-h1", 0, 8, 16, 1},
                     {"pitch<width-h2", 0, 8, 16, 2},
                     {"pitch1-h2", 0, 1, 1, 2},
                     {"pitch2-h2", 0, 2, 1, 2},
                     {"pitch3-h2", 0, 3, 1, 2},
                     {"pitch6-h2", 0, 6, 1, 2},
                     {"pitch7-h2", 0, 7, 1, 2},
                     {"pitch101", 0, 101, 5, 3},
                     {"pitch102", 0, 102, 5, 3},
                     {"pitch103-h1", 0, 103, 5, 1},
                     {"ptr+1", 1, 128, 5, 3},
                     {"ptr+2", 2, 128, 5, 3},
                     {"w0", 0, 128, 0, 3},
                     {"h0", 0, 128, 5, 0},
                     {"w0h0", 0, 128, 0, 0},
                     {"one", 4, 128, 1, 1},
                     {"last-row-exact", 65536 - 128 * 3 + 0, 128, 8, 3},
                     {"last-row-short", 65536 - 128 * 2 - 32, 128, 8, 3},
                     {"pitch-maxpitch-h1", 0, 0x7fffffff, 4, 1},
                     {"pitch-maxpitch+1-h1", 0, 0x80000000ull, 4, 1},
                     {"pitch-max-h1", 0, SIZE_MAX, 4, 1},
                     {"w-max", 0, SIZE_MAX, SIZE_MAX, 1},
                     {"w-1<<40", 0, 1ull << 42, 1ull << 40, 1},
                     {"oob-h", 0, 128, 4, 100000000}};
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            CHECK(format("%s-%s", memsets[f].name, cases[i].name),
                  memsets[f].set2d(kinds[0].ptr + cases[i].offset, cases[i].pitch, 0x01020304,
                                   cases[i].width, cases[i].height),
                  "sync=%s", sync_context());
        CHECK(format("%s-null", memsets[f].name), memsets[f].set2d(0, 128, 0, 4, 4), "sync=%s",
              sync_context());
        CHECK(format("%s-null-w0", memsets[f].name), memsets[f].set2d(0, 128, 0, 0, 4), "sync=%s",
              sync_context());
        CHECK(format("%s-null-h0", memsets[f].name), memsets[f].set2d(0, 128, 0, 4, 0), "sync=%s",
              sync_context());
    }

    size_t pitch;
    CUdeviceptr pitched = 0;
    cuda.cuMemAllocPitch(&pitched, &pitch, 100, 10, 4);
    CHECK("pitched-alloc-full", cuda.cuMemsetD2D8(pitched, pitch, 7, 100, 10), "sync=%s",
          sync_stream(0));
    CHECK("pitched-alloc-h+1", cuda.cuMemsetD2D8(pitched, pitch, 7, 100, 11), "sync=%s",
          sync_stream(0));
}
