/* SPDX-License-Identifier: MIT */
/*
 * Batched linear copies.
 */
#include "recorder.h"

static CUstream async_stream;

static struct memory from[KIND_COUNT], to[KIND_COUNT];
static CUmemcpyAttributes attributes[4];
static CUdeviceptr dsts[4], srcs[4];
static size_t sizes[4], indices[4] = {0, 1, 2, 3};

static void batch_reset(void)
{
    dsts[0] = to[KIND_DEVICE].ptr;
    srcs[0] = from[KIND_DEVICE].ptr;
    dsts[1] = to[KIND_DEVICE].ptr + 8192;
    srcs[1] = from[KIND_PINNED].ptr;
    dsts[2] = to[KIND_PINNED].ptr;
    srcs[2] = from[KIND_DEVICE].ptr + 100;
    dsts[3] = to[KIND_PAGEABLE].ptr;
    srcs[3] = from[KIND_DEVICE].ptr;
    sizes[0] = sizes[1] = sizes[2] = sizes[3] = 1000;
    memory_fill(&from[KIND_DEVICE], 8192, 1);
    memory_fill(&from[KIND_PINNED], 8192, 2);
    memory_fill(&from[KIND_PAGEABLE], 8192, 3);
    memory_fill(&to[KIND_DEVICE], 16384, 9);
    memory_fill(&to[KIND_PINNED], 8192, 9);
}

/* One batch from fresh operands, with the arguments as given; whether the first two copies arrived.
 */
static void check_batch(const char *name, CUstream on_stream, CUdeviceptr *to_list,
                        CUdeviceptr *from_list, size_t *size_list, size_t count,
                        CUmemcpyAttributes *attribute_list, size_t *index_list,
                        size_t attribute_count)
{
    const char *synced;
    batch_reset();
    CHECK_THEN(name,
               cuda.cuMemcpyBatchAsync(to_list, from_list, size_list, count, attribute_list,
                                       index_list, attribute_count, on_stream),
               synced = sync_stream(on_stream);
               cuda.cuCtxSynchronize(), "sync=%s d0=%s d1=%s", synced,
               device_check(to[KIND_DEVICE].ptr, 1000, 1),
               device_check(to[KIND_DEVICE].ptr + 8192, 1000, 2));
}

static void check_changed_batch(const char *name, size_t count)
{
    const char *synced;
    CHECK_THEN(
        name,
        cuda.cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, indices, 1, async_stream),
        synced = sync_stream(async_stream), "sync=%s d0=%s d1=%s", synced,
        device_check(to[KIND_DEVICE].ptr, 1000, 1),
        device_check(to[KIND_DEVICE].ptr + 8192, 1000, 2));
}

/* The same with one change to the operands. */
#define CHECK_BATCH_WITH(name, change, count)                                                      \
    do {                                                                                           \
        batch_reset();                                                                             \
        change;                                                                                    \
        check_changed_batch(name, count);                                                          \
    } while (0)

static void batch_counts_and_nulls(void)
{
    check_batch("ok-1attr", async_stream, dsts, srcs, sizes, 3, attributes, indices, 1);
    check_batch("ok-3attr", async_stream, dsts, srcs, sizes, 3, attributes, indices, 3);
    check_batch("ok-2attr", async_stream, dsts, srcs, sizes, 3, attributes, indices, 2);
    check_batch("4ops-pageable-dst", async_stream, dsts, srcs, sizes, 4, attributes, indices, 1);
    check_batch("count0", async_stream, dsts, srcs, sizes, 0, attributes, indices, 1);
    check_batch("count0-null", async_stream, NULL, NULL, NULL, 0, NULL, NULL, 0);
    check_batch("count0-attrs0", async_stream, dsts, srcs, sizes, 0, attributes, indices, 0);

    check_batch("numattrs0", async_stream, dsts, srcs, sizes, 3, attributes, indices, 0);
    check_batch("numattrs0-null", async_stream, dsts, srcs, sizes, 3, NULL, NULL, 0);
    check_batch("numattrs>count", async_stream, dsts, srcs, sizes, 3, attributes, indices, 4);
    check_batch("null-dsts", async_stream, NULL, srcs, sizes, 3, attributes, indices, 1);
    check_batch("null-srcs", async_stream, dsts, NULL, sizes, 3, attributes, indices, 1);
    check_batch("null-sizes", async_stream, dsts, srcs, NULL, 3, attributes, indices, 1);
    check_batch("null-attrs", async_stream, dsts, srcs, sizes, 3, NULL, indices, 1);
    check_batch("null-idx", async_stream, dsts, srcs, sizes, 3, attributes, NULL, 1);
}

static void batch_streams(void)
{
    check_batch("stream-null", 0, dsts, srcs, sizes, 3, attributes, indices, 1);
    check_batch("stream-legacy", CU_STREAM_LEGACY, dsts, srcs, sizes, 3, attributes, indices, 1);
    check_batch("stream-perthread", CU_STREAM_PER_THREAD, dsts, srcs, sizes, 3, attributes, indices,
                1);
    CUstream blocking = stream_new(0);
    check_batch("stream-blocking", blocking, dsts, srcs, sizes, 3, attributes, indices, 1);
}

static void batch_attributes(void)
{
    size_t index_lists[][3] = {{1, 2, 0},  {0, 0, 0},        {0, 2, 1}, {0, 3, 0},
                               {0, 99, 0}, {0, SIZE_MAX, 0}, {2, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(index_lists); i++) {
        check_batch(format("idx-%zu,%zu-2attr", index_lists[i][0], index_lists[i][1]), async_stream,
                    dsts, srcs, sizes, 3, attributes, index_lists[i], 2);
    }
    for (size_t i = 0; i < 2; i++) {
        size_t first_index[1] = {i + 1};
        check_batch(format("idx-first-%zu-1attr", i + 1), async_stream, dsts, srcs, sizes, 3,
                    attributes, first_index, 1);
    }
    check_batch("idx-0,2,1-3attr", async_stream, dsts, srcs, sizes, 3, attributes, index_lists[2],
                3);

    static const int orders[] = {0, 1, 2, 3, 4, 5, 99, 0x7fffffff, -1};
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        attributes[0].srcAccessOrder = orders[i];
        check_batch(format("order-%d", orders[i]), async_stream, dsts, srcs, sizes, 3, attributes,
                    indices, 1);
    }
    attributes[0].srcAccessOrder = 1;

    attributes[1].srcAccessOrder = 0;
    check_batch("order-second-invalid", async_stream, dsts, srcs, sizes, 3, attributes, indices, 2);
    check_batch("order-unused-invalid", async_stream, dsts, srcs, sizes, 3, attributes, indices, 1);
    attributes[1].srcAccessOrder = 1;

    for (int bit = 0; bit < 32; bit += bit < 4 ? 1 : 7) {
        attributes[0].flags = 1u << bit;
        check_batch(format("flagbit-%d", bit), async_stream, dsts, srcs, sizes, 3, attributes,
                    indices, 1);
    }
    attributes[0].flags = 0;

    for (int where = 0; where <= 6; where++)
        for (int id = -1; id <= 1; id++) {
            attributes[0].srcLocHint = (CUmemLocation){where, id};
            check_batch(format("srcloc-%d-id%d", where, id), async_stream, dsts, srcs, sizes, 3,
                        attributes, indices, 1);
            attributes[0].srcLocHint = (CUmemLocation){0, 0};
            attributes[0].dstLocHint = (CUmemLocation){where, id};
            check_batch(format("dstloc-%d-id%d", where, id), async_stream, dsts, srcs, sizes, 3,
                        attributes, indices, 1);
            attributes[0].dstLocHint = (CUmemLocation){0, 0};
        }
}

static void batch_operands(void)
{
    CHECK_BATCH_WITH("size0-first", sizes[0] = 0, 3);
    CHECK_BATCH_WITH("size0-all", sizes[0] = sizes[1] = sizes[2] = 0, 3);
    CHECK_BATCH_WITH("size0-nullptrs", sizes[0] = 0; dsts[0] = srcs[0] = 0, 3);
    CHECK_BATCH_WITH("null-dst-entry", dsts[1] = 0, 3);
    CHECK_BATCH_WITH("null-src-entry", srcs[1] = 0, 3);
    CHECK_BATCH_WITH("bad-second", srcs[1] = GARBAGE_ADDRESS, 1);
    CHECK_BATCH_WITH("same-src-dst", dsts[0] = srcs[0], 3);
    CHECK_BATCH_WITH("oob", sizes[0] = 64 * MB, 3);
    CHECK_BATCH_WITH("size-max", sizes[0] = SIZE_MAX, 3);
    CHECK_BATCH_WITH("overlapping-dsts", dsts[1] = dsts[0], 2);
    CHECK_BATCH_WITH("pageable-to-pageable", dsts[0] = to[KIND_PAGEABLE].ptr;
                     srcs[0] = from[KIND_PAGEABLE].ptr, 1);
    CHECK_BATCH_WITH("managed", dsts[0] = to[KIND_MANAGED].ptr, 3);
    CHECK_BATCH_WITH("garbage-src-second", srcs[1] = 1, 3);
}

static void batch_blocked(void)
{
    /* Which bytes are read, and does the call return, while the stream is blocked. */
    static const int kinds[] = {KIND_PINNED, KIND_PAGEABLE, KIND_MANAGED, KIND_REGISTERED};
    static const size_t block_sizes[] = {1000, 65536};
    for (size_t z = 0; z < 2; z++)
        for (int order = 1; order <= 3; order++)
            for (size_t k = 0; k < COUNT_OF(kinds); k++) {
                batch_reset();
                struct memory *s = &from[kinds[k]];
                memory_fill(s, block_sizes[z], 4);
                attributes[0].srcAccessOrder = order;
                dsts[0] = to[KIND_DEVICE].ptr;
                srcs[0] = s->ptr;
                sizes[0] = block_sizes[z];
                struct blocker bit = {.limit_ms = 250};
                if (!case_begin(format("order%d-%s-%zu-blocked", order, s->name, block_sizes[z])))
                    continue;
                stream_block(async_stream, &bit);
                CUresult failed = cuda.cuMemcpyBatchAsync(dsts, srcs, sizes, 1, attributes, indices,
                                                          1, async_stream);
                int early = !bit.done;
                memset(as_host(s->ptr), 0xee, block_sizes[z]);
                stream_unblock(&bit);
                cuda.cuStreamSynchronize(async_stream);
                case_end(failed, " returned_before_stream=%d saw=%s", early,
                         !strcmp(device_check(to[KIND_DEVICE].ptr, block_sizes[z], 4), "ok")
                             ? "original"
                             : "modified");
            }
}

static void batch_of_3000(void)
{
    attributes[0].srcAccessOrder = 1;
    static CUdeviceptr many_dsts[3000], many_srcs[3000];
    static size_t many_sizes[3000];
    for (int i = 0; i < 3000; i++) {
        many_dsts[i] = to[KIND_DEVICE].ptr + 16 * (i % 4000);
        many_srcs[i] = from[KIND_DEVICE].ptr + 16 * (i % 4000);
        many_sizes[i] = 16;
    }
    device_fill(from[KIND_DEVICE].ptr, 65536, 1);
    cuda.cuMemsetD8(to[KIND_DEVICE].ptr, 0, 65536);
    cuda.cuCtxSynchronize();
    CHECK_DATA("3000-ops",
               cuda.cuMemcpyBatchAsync(many_dsts, many_srcs, many_sizes, 3000, attributes, indices,
                                       1, async_stream),
               sync_stream(async_stream), device_check(to[KIND_DEVICE].ptr, 48000, 1));
}

GROUP(600, batch, "batch")
{
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    memory_kinds_create(from, 65536);
    memory_kinds_create(to, 65536);

    for (int i = 0; i < 4; i++)
        attributes[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;

    batch_counts_and_nulls();
    batch_streams();
    batch_attributes();
    batch_operands();
    batch_blocked();
    batch_of_3000();
}
