/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: allocation, advice, prefetch, discard and range attributes.
 */
#include "recorder.h"

static CUdeviceptr first, copy;

static void managed_contents(void)
{
    CUdeviceptr ptr;

    ptr = managed_alloc(MB);
    unsigned char *host = as_host(ptr);
    unsigned char byte = 0;
    for (size_t i = 0; i < MB; i++)
        byte |= host[i];
    RECORD("fresh-zero", "zero=%d", !byte);

    pattern_fill(host, MB, 3);
    copy = device_alloc(MB);
    CHECK("cpu-write-device-copy", cuda.cuMemcpyDtoD(copy, ptr, MB), "data=%s",
          device_check(copy, MB, 3));
    CHECK_THEN("device-memset-cpu-read", cuda.cuMemsetD8(ptr, 0x5a, MB), cuda.cuCtxSynchronize(),
               "b0=%x last=%x", host[0], host[MB - 1]);

    cuda.cuMemFree(ptr);
    first = managed_alloc(4096);
    CUdeviceptr second = managed_alloc(4096), third = managed_alloc(1);
    RECORD("spacing", "dist=%lld,%lld", (long long)(second - first), (long long)(third - second));

    cuda.cuMemAllocManaged(&ptr, 4096, CU_MEM_ATTACH_HOST);
    pattern_fill(as_host(ptr), 4096, 4);
    CHECK("attach-host-cpu-then-copy", cuda.cuMemcpyDtoD(copy, ptr, 4096), "data=%s",
          device_check(copy, 4096, 4));
}

static void managed_attach(void)
{
    CUstream stream = stream_new(0);
    for (unsigned flags = 0; flags < 9; flags++) {
        CHECK(format("attach-flags-%u", flags),
              cuda.cuStreamAttachMemAsync(stream, first, 0, flags));
        CHECK(format("attach-null-stream-flags-%u", flags),
              cuda.cuStreamAttachMemAsync(0, first, 0, flags));
    }

    CHECK("attach-len-full", cuda.cuStreamAttachMemAsync(stream, first, 4096, 4));
    CHECK("attach-len-part", cuda.cuStreamAttachMemAsync(stream, first, 100, 4));
    CHECK("attach-interior", cuda.cuStreamAttachMemAsync(stream, first + 64, 0, 4));
    CHECK("attach-dev", cuda.cuStreamAttachMemAsync(stream, copy, 0, 4));
    CHECK("attach-pageable",
          cuda.cuStreamAttachMemAsync(stream, as_device(page_alloc(4096)), 4096, 4));
    CHECK("attach-null", cuda.cuStreamAttachMemAsync(stream, 0, 0, 4));
}

GROUP(304, managed, "managed")
{
    use_primary_context();
    CUdeviceptr ptr;
    static const size_t sizes[] = {0, 1, 4096, 65536, 2 * MB - 1, 2 * MB, 64 * MB};

    for (unsigned flags = 0; flags < 10; flags++) {
        ptr = UNTOUCHED;
        if (!CHECK(format("flags-%u", flags), cuda.cuMemAllocManaged(&ptr, 4096, flags), "out=%s",
                   out_state(ptr)))
            cuda.cuMemFree(ptr);
    }

    for (int bit = 4; bit < 32; bit++) {
        ptr = UNTOUCHED;
        CHECK(format("flagbit-%d", bit), cuda.cuMemAllocManaged(&ptr, 4096, 1u << bit), "out=%s",
              out_state(ptr));
    }

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        ptr = UNTOUCHED;
        if (!CHECK(format("size-%zu", sizes[i]), cuda.cuMemAllocManaged(&ptr, sizes[i], 1),
                   "out=%s a4k=%d a64k=%d a2m=%d range=%s", out_state(ptr), ptr % 4096 == 0,
                   ptr % 65536 == 0, ptr % (2 * MB) == 0, range_of(ptr)))
            cuda.cuMemFree(ptr);
    }

    CHECK("null", cuda.cuMemAllocManaged(NULL, 4096, 1));
    CHECK("null-0", cuda.cuMemAllocManaged(NULL, 0, 1));
    size_t free_size, total = 0;
    cuda.cuMemGetInfo(&free_size, &total);
    ptr = UNTOUCHED;
    if (!CHECK("size-total*1.25", cuda.cuMemAllocManaged(&ptr, total + total / 4, 1), "out=%s",
               out_state(ptr)))
        cuda.cuMemFree(ptr);

    ptr = UNTOUCHED;
    CHECK("size-1<<47", cuda.cuMemAllocManaged(&ptr, 1ull << 47, 1), "out=%s", out_state(ptr));
    CHECK("size-max", cuda.cuMemAllocManaged(&ptr, SIZE_MAX, 1));
    CHECK("size-max-4095", cuda.cuMemAllocManaged(&ptr, SIZE_MAX - 4095, 1));

    managed_contents();
    managed_attach();
}

static const char *location_names[] = {"invalid0", "device",      "host",
                                       "hostnuma", "hostnumacur", "five"};

static CUmemLocation location(int type, int i)
{
    return (CUmemLocation){.type = (CUmemLocationType)type, .id = i};
}

enum { SIZE = 256 * KB };
static struct memory kinds[KIND_COUNT];
static CUdeviceptr ptr;
static CUstream stream;

static void advise_calls(void)
{
    for (int advice = 0; advice <= 8; advice++)
        for (int where = 0; where <= 5; where++)
            for (int id = -1; id <= 1; id++)
                CHECK(format("advice%d-%s-id%d", advice, location_names[where], id),
                      cuda.cuMemAdvise(ptr, SIZE, advice, location(where, id)));

    CHECK("loc-id-cpu(-1)-device", cuda.cuMemAdvise(ptr, SIZE, 3, location(1, CU_DEVICE_CPU)));
    CHECK("loc-id-inv(-2)-device", cuda.cuMemAdvise(ptr, SIZE, 3, location(1, CU_DEVICE_INVALID)));
    CHECK("loc-99", cuda.cuMemAdvise(ptr, SIZE, 3, location(99, 0)));

    for (int i = 0; i < KIND_COUNT; i++)
        for (int advice = 1; advice <= 5; advice += 2)
            CHECK(format("kind-%s-advice%d", kinds[i].name, advice),
                  cuda.cuMemAdvise(kinds[i].ptr, SIZE, advice, location(1, 0)));

    CHECK("count0", cuda.cuMemAdvise(ptr, 0, 1, location(1, 0)));
    CHECK("null", cuda.cuMemAdvise(0, SIZE, 1, location(1, 0)));
    CHECK("null-0", cuda.cuMemAdvise(0, 0, 1, location(1, 0)));
    CHECK("beyond", cuda.cuMemAdvise(ptr, SIZE + 4096, 1, location(1, 0)));
    CHECK("beyond-1", cuda.cuMemAdvise(ptr, SIZE + 1, 1, location(1, 0)));
    CHECK("beyond-2M", cuda.cuMemAdvise(ptr, 2 * MB, 1, location(1, 0)));

    CHECK("interior", cuda.cuMemAdvise(ptr + 4096, 4096, 1, location(1, 0)));
    CHECK("unaligned", cuda.cuMemAdvise(ptr + 5, 77, 1, location(1, 0)));
    CHECK("max", cuda.cuMemAdvise(ptr, SIZE_MAX, 1, location(1, 0)));
    CHECK("end", cuda.cuMemAdvise(ptr + SIZE, 1, 1, location(1, 0)));
}

static void prefetch_calls(void)
{
    stream = stream_new(0);

    for (int where = 0; where <= 5; where++)
        for (int id = -2; id <= 1; id++)
            CHECK(format("prefetch-%s-id%d", location_names[where], id),
                  cuda.cuMemPrefetchAsync(ptr, SIZE, location(where, id), 0, stream), "sync=%s",
                  sync_stream(stream));

    for (int i = 0; i < KIND_COUNT; i++)
        CHECK(format("prefetch-kind-%s", kinds[i].name),
              cuda.cuMemPrefetchAsync(kinds[i].ptr, SIZE, location(1, 0), 0, stream), "sync=%s",
              sync_stream(stream));

    CHECK("prefetch-flags1", cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 1, stream));
    CHECK("prefetch-flagsmax", cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), ~0u, stream));
    CHECK("prefetch-0", cuda.cuMemPrefetchAsync(ptr, 0, location(1, 0), 0, stream));
    CHECK("prefetch-null", cuda.cuMemPrefetchAsync(0, SIZE, location(1, 0), 0, stream));
    CHECK("prefetch-beyond", cuda.cuMemPrefetchAsync(ptr, SIZE + 1, location(1, 0), 0, stream));
    CHECK("prefetch-beyond-2M", cuda.cuMemPrefetchAsync(ptr, 4 * MB, location(1, 0), 0, stream));
    CHECK("prefetch-unaligned", cuda.cuMemPrefetchAsync(ptr + 7, 100, location(1, 0), 0, stream));
    CHECK("prefetch-interior",
          cuda.cuMemPrefetchAsync(ptr + 4096, 8192, location(1, 0), 0, stream));

    CHECK("prefetch-stream0", cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 0, 0));
    CHECK("prefetch-legacy",
          cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 0, CU_STREAM_LEGACY));
    CHECK("prefetch-perthread",
          cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 0, CU_STREAM_PER_THREAD));
    cuda.cuCtxSynchronize();

    pattern_fill(as_host(ptr), SIZE, 9);
    cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 0, stream);
    cuda.cuStreamSynchronize(stream);
    cuda.cuMemPrefetchAsync(ptr, SIZE, location(2, 0), 0, stream);
    cuda.cuStreamSynchronize(stream);
    RECORD("prefetch-roundtrip", "data=%s", pattern_check(as_host(ptr), SIZE, 9));
}

static void prefetch_batch_calls(void)
{
    CUdeviceptr ptrs[2] = {ptr, ptr + 65536};
    size_t sizes[2] = {65536, 65536}, indices[2] = {0, 1};
    CUmemLocation locations[2] = {location(1, 0), location(2, 0)};

    CHECK("pbatch-ok",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 2, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-1loc",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-count0",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 0, locations, indices, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-nlocs0",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 0, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-flags1",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 1, 1, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-stream0",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 1, 0, 0), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-nullptrs",
          cuda.cuMemPrefetchBatchAsync(NULL, sizes, 2, locations, indices, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-nullsizes",
          cuda.cuMemPrefetchBatchAsync(ptrs, NULL, 2, locations, indices, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-nulllocs",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, NULL, indices, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-nullidx",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, NULL, 1, 0, stream), "sync=%s",
          sync_stream(stream));

    size_t first_not_zero[2] = {1, 1}, beyond[2] = {0, 2}, not_increasing[2] = {0, 0};
    CHECK("pbatch-idx-first-not-0",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, first_not_zero, 1, 0, stream),
          "sync=%s", sync_stream(stream));
    CHECK("pbatch-idx-beyond",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, beyond, 2, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("pbatch-idx-notinc",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 2, locations, not_increasing, 2, 0, stream),
          "sync=%s", sync_stream(stream));
    CHECK("pbatch-nlocs-gt-count",
          cuda.cuMemPrefetchBatchAsync(ptrs, sizes, 1, locations, indices, 2, 0, stream), "sync=%s",
          sync_stream(stream));
    CUdeviceptr device_ptrs[1] = {kinds[KIND_DEVICE].ptr};
    CHECK("pbatch-dev",
          cuda.cuMemPrefetchBatchAsync(device_ptrs, sizes, 1, locations, indices, 1, 0, stream),
          "sync=%s", sync_stream(stream));
    size_t with_zero[2] = {0, 65536};
    CHECK("pbatch-size0",
          cuda.cuMemPrefetchBatchAsync(ptrs, with_zero, 2, locations, indices, 1, 0, stream),
          "sync=%s", sync_stream(stream));

    CHECK("discard-ok", cuda.cuMemDiscardBatchAsync(ptrs, sizes, 2, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("discard-count0", cuda.cuMemDiscardBatchAsync(ptrs, sizes, 0, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("discard-flags1", cuda.cuMemDiscardBatchAsync(ptrs, sizes, 2, 1, stream), "sync=%s",
          sync_stream(stream));
    CHECK("discard-stream0", cuda.cuMemDiscardBatchAsync(ptrs, sizes, 2, 0, 0), "sync=%s",
          sync_stream(stream));
    CHECK("discard-null", cuda.cuMemDiscardBatchAsync(NULL, sizes, 2, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("discard-dev", cuda.cuMemDiscardBatchAsync(device_ptrs, sizes, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CUdeviceptr unaligned[1] = {ptr + 3};
    size_t unaligned_sizes[1] = {100};
    CHECK("discard-unaligned",
          cuda.cuMemDiscardBatchAsync(unaligned, unaligned_sizes, 1, 0, stream), "sync=%s",
          sync_stream(stream));
    CHECK("discard-size0", cuda.cuMemDiscardBatchAsync(ptrs, with_zero, 2, 0, stream), "sync=%s",
          sync_stream(stream));

    CHECK("discard-prefetch-ok",
          cuda.cuMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 1, 0, stream),
          "sync=%s", sync_stream(stream));
    CHECK("discard-prefetch-count0",
          cuda.cuMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 0, locations, indices, 1, 0, stream),
          "sync=%s", sync_stream(stream));
    CHECK("discard-prefetch-stream0",
          cuda.cuMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 2, locations, indices, 1, 0, 0),
          "sync=%s", sync_stream(stream));
}

GROUP(305, advise, "advise")
{
    use_primary_context();
    memory_kinds_create(kinds, SIZE);
    ptr = kinds[KIND_MANAGED].ptr;

    advise_calls();
    prefetch_calls();
    prefetch_batch_calls();
}

static void check_range_attribute(const char *name, int attribute, CUdeviceptr address, size_t size,
                                  size_t data_size)
{
    int values[4];
    memset(values, 0xA5, sizeof values);
    CHECK(name, cuda.cuMemRangeGetAttribute(values, data_size, attribute, address, size), "v=%d,%d",
          values[0], values[1]);
}

GROUP(306, rangeattr, "rangeattr")
{
    use_primary_context();
    memory_kinds_create(kinds, SIZE);
    ptr = kinds[KIND_MANAGED].ptr;

    for (int state = 0; state < 6; state++) {
        static const char *state_names[] = {"fresh",     "readmostly",     "pref-dev",
                                            "pref-host", "accessedby-dev", "prefetched-dev"};
        if (state == 1)
            cuda.cuMemAdvise(ptr, SIZE, 1, location(1, 0));
        if (state == 2)
            cuda.cuMemAdvise(ptr, SIZE, 3, location(1, 0));
        if (state == 3)
            cuda.cuMemAdvise(ptr, SIZE, 3, location(2, 0));
        if (state == 4)
            cuda.cuMemAdvise(ptr, SIZE, 5, location(1, 0));
        if (state == 5) {
            cuda.cuMemPrefetchAsync(ptr, SIZE, location(1, 0), 0, 0);
            cuda.cuCtxSynchronize();
        }
        for (int attribute = 0; attribute <= 9; attribute++) {
            check_range_attribute(format("%s-attr%d", state_names[state], attribute), attribute,
                                  ptr, SIZE, attribute == 3 ? 8 : 4);
        }
    }

    cuda.cuMemAdvise(ptr, 65536, 2, location(1, 0));
    check_range_attribute("mixed-readmostly-whole", 1, ptr, SIZE, 4);
    check_range_attribute("mixed-readmostly-first", 1, ptr, 65536, 4);
    check_range_attribute("mixed-readmostly-second", 1, ptr + 65536, 65536, 4);

    for (int data_size = 0; data_size <= 16; data_size += data_size < 5 ? 1 : 3) {
        check_range_attribute(format("dsize-%d-attr1", data_size), 1, ptr, SIZE, data_size);
        check_range_attribute(format("dsize-%d-attr3", data_size), 3, ptr, SIZE, data_size);
    }

    for (int i = 0; i < KIND_COUNT; i++) {
        check_range_attribute(format("kind-%s-attr1", kinds[i].name), 1, kinds[i].ptr, 4096, 4);
        check_range_attribute(format("kind-%s-attr2", kinds[i].name), 2, kinds[i].ptr, 4096, 4);
    }

    check_range_attribute("count0", 1, ptr, 0, 4);
    check_range_attribute("beyond", 1, ptr, SIZE + 1, 4);
    check_range_attribute("beyond2M", 1, ptr, 4 * MB, 4);
    check_range_attribute("null-ptr", 1, 0, 4096, 4);
    CHECK("null-data", cuda.cuMemRangeGetAttribute(NULL, 4, 1, ptr, SIZE));
    check_range_attribute("unaligned", 1, ptr + 3, 5, 4);

    int first_value = 0x55, second_value = 0x55;
    void *outputs[2] = {&first_value, &second_value};
    size_t data_sizes[2] = {4, 4};
    CUmem_range_attribute attributes[2] = {1, 2};
    CHECK("multi", cuda.cuMemRangeGetAttributes(outputs, data_sizes, attributes, 2, ptr, SIZE),
          "v=%d,%d", first_value, second_value);
    CHECK("multi-0", cuda.cuMemRangeGetAttributes(outputs, data_sizes, attributes, 0, ptr, SIZE));
    CHECK("multi-null", cuda.cuMemRangeGetAttributes(NULL, data_sizes, attributes, 2, ptr, SIZE));
    CHECK("multi-nullsizes", cuda.cuMemRangeGetAttributes(outputs, NULL, attributes, 2, ptr, SIZE));
    CHECK("multi-nullattrs", cuda.cuMemRangeGetAttributes(outputs, data_sizes, NULL, 2, ptr, SIZE));
    data_sizes[1] = 3;
    CHECK("multi-badsize",
          cuda.cuMemRangeGetAttributes(outputs, data_sizes, attributes, 2, ptr, SIZE));
    data_sizes[1] = 4;
    CHECK("multi-dev", cuda.cuMemRangeGetAttributes(outputs, data_sizes, attributes, 2,
                                                    kinds[KIND_DEVICE].ptr, 4096));
}
