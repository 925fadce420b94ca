/* SPDX-License-Identifier: MIT */
/*
 * Device memory: cuMemAlloc, cuMemAllocPitch, cuMemFree, cuMemGetInfo, cuMemGetAddressRange.
 */
#include "recorder.h"

static void alloc_sizes(void)
{
    CUdeviceptr ptr;

    static const size_t sizes[] = {0,       1,           2,       255,        256,    257,
                                   511,     512,         513,     1023,       4095,   4096,
                                   4097,    65535,       65536,   65537,      MB - 1, MB,
                                   MB + 1,  2 * MB - 1,  2 * MB,  2 * MB + 1, 3 * MB, 4 * MB,
                                   32 * MB, 33 * MB + 7, 64 * MB, 512 * MB,   GB,     4 * GB};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        ptr = UNTOUCHED;
        if (!CHECK(format("size-%zu", sizes[i]), cuda.cuMemAlloc(&ptr, sizes[i]),
                   "out=%s a256=%d a512=%d a2m=%d range=%s", out_state(ptr), ptr % 256 == 0,
                   ptr % 512 == 0, ptr % (2 * MB) == 0, range_of(ptr)))
            cuda.cuMemFree(ptr);
    }
}

static void alloc_huge(void)
{
    size_t free_size = 0, total_size = 0;
    cuda.cuMemGetInfo(&free_size, &total_size);
    CUdeviceptr ptr;

    struct {
        const char *name;
        size_t size;
    } huge[] = {{"total", total_size},
                {"total+1", total_size + 1},
                {"total*2", total_size * 2},
                {"1<<40", 1ull << 40},
                {"1<<44", 1ull << 44},
                {"1<<47", 1ull << 47},
                {"1<<48", 1ull << 48},
                {"1<<62", 1ull << 62},
                {"1<<63", 1ull << 63},
                {"SIZE_MAX-2M", SIZE_MAX - 2 * MB},
                {"SIZE_MAX-511", SIZE_MAX - 511},
                {"SIZE_MAX-1", SIZE_MAX - 1},
                {"SIZE_MAX", SIZE_MAX}};

    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        ptr = UNTOUCHED;
        if (!CHECK(format("huge-%s", huge[i].name), cuda.cuMemAlloc(&ptr, huge[i].size), "out=%s",
                   out_state(ptr)))
            cuda.cuMemFree(ptr);
    }
}

static void alloc_again(void)
{
    CUdeviceptr ptr, again;

    CHECK("null-out", cuda.cuMemAlloc(NULL, 16));
    CHECK("null-out-zero", cuda.cuMemAlloc(NULL, 0));
    CHECK("null-out-huge", cuda.cuMemAlloc(NULL, SIZE_MAX));

    ptr = UNTOUCHED;
    CHECK("after-oom-ok", cuda.cuMemAlloc(&ptr, 4096), "out=%s", out_state(ptr));

    again = UNTOUCHED;
    cuda.cuMemFree(ptr);
    CHECK("realloc-same-size", cuda.cuMemAlloc(&again, 4096), "same_ptr=%d", ptr == again);
    cuda.cuMemFree(again);

    again = device_alloc(8 * MB);
    cuda.cuMemFree(again);
    ptr = UNTOUCHED;
    CHECK("realloc-8M", cuda.cuMemAlloc(&ptr, 8 * MB), "same_ptr=%d", ptr == again);
    cuda.cuMemFree(ptr);

    /* Contents of fresh memory after reuse. */
    ptr = device_alloc(4096);
    device_fill(ptr, 4096, 7);
    cuda.cuMemFree(ptr);
    again = device_alloc(4096);
    RECORD("reuse-contents", "kept_old=%s", device_check(again, 4096, 7));
}

GROUP(100, alloc, "alloc")
{
    use_primary_context();
    alloc_sizes();
    alloc_huge();
    alloc_again();
}

GROUP(101, spacing, "spacing")
{
    use_primary_context();
    static const size_t sizes[] = {1,      4,          255,    256,    257,    512,    513,
                                   768,    1000,       1024,   1025,   2048,   4096,   5000,
                                   8192,   65536,      100000, 262144, 524288, MB - 1, MB,
                                   MB + 1, 3 * MB / 2, 2 * MB, 3 * MB};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        CUdeviceptr ptrs[8];
        CUresult failed = 0;
        for (int k = 0; k < 8; k++) {
            ptrs[k] = 0;
            CUresult status = cuda.cuMemAlloc(&ptrs[k], sizes[i]);
            if (status)
                failed = status;
        }
        char distances[300];
        int length = 0;
        for (int k = 1; k < 8; k++)
            length += snprintf(distances + length, sizeof distances - length, "%s%lld",
                               k > 1 ? "," : "", (long long)(ptrs[k] - ptrs[k - 1]));
        CHECK(format("size-%zu", sizes[i]), failed, "dist=%s", distances);
        for (int k = 0; k < 8; k++)
            cuda.cuMemFree(ptrs[k]);
    }

    /* Mixed sizes, and hole reuse order. */
    CUdeviceptr ptrs[6];
    static const size_t mixed[] = {1, 1000, 4096, 70000, 300, 2 * MB};
    char distances[300];
    int length = 0;

    for (int k = 0; k < 6; k++) {
        ptrs[k] = device_alloc(mixed[k]);
        if (k)
            length += snprintf(distances + length, sizeof distances - length, "%s%lld",
                               k > 1 ? "," : "", (long long)(ptrs[k] - ptrs[k - 1]));
    }

    RECORD("mixed", "dist=%s", distances);
    for (int k = 0; k < 6; k++)
        cuda.cuMemFree(ptrs[k]);

    for (int k = 0; k < 6; k++)
        ptrs[k] = device_alloc(1024);

    cuda.cuMemFree(ptrs[1]);
    cuda.cuMemFree(ptrs[4]);
    CUdeviceptr first = device_alloc(1024), second = device_alloc(1024);

    RECORD("hole-reuse", "first_in=%s second_in=%s",
           first == ptrs[1]   ? "hole1"
           : first == ptrs[4] ? "hole4"
                              : "new",
           second == ptrs[1]   ? "hole1"
           : second == ptrs[4] ? "hole4"
                               : "new");
}

static void pitch_widths(void)
{
    CUdeviceptr ptr;
    size_t pitch;

    static const size_t widths[] = {
        1,    2,    3,    4,     7,     8,     15,    16,    31,     32,      33,      63,     64,
        65,   100,  127,  128,   129,   255,   256,   257,   511,    512,     513,     640,    767,
        768,  769,  1000, 1023,  1024,  1025,  1536,  2047,  2048,   2049,    3000,    4095,   4096,
        4097, 8191, 8192, 16384, 16385, 65535, 65536, 65537, 100001, 1048575, 1048576, 1048577};

    for (size_t i = 0; i < COUNT_OF(widths); i++)
        for (unsigned element = 4; element <= 16; element *= 2) {
            ptr = UNTOUCHED;
            pitch = 77;
            if (!CHECK(format("w%zu-h3-e%u", widths[i], element),
                       cuda.cuMemAllocPitch(&ptr, &pitch, widths[i], 3, element),
                       "pitch=%zu a256=%d a512=%d range=%s", pitch, ptr % 256 == 0, ptr % 512 == 0,
                       range_of(ptr)))
                cuda.cuMemFree(ptr);
        }

    static const size_t heights[] = {1, 2, 5, 64, 1000, 4096, 65536};
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        ptr = UNTOUCHED;
        pitch = 77;
        if (!CHECK(format("w100-h%zu-e4", heights[i]),
                   cuda.cuMemAllocPitch(&ptr, &pitch, 100, heights[i], 4), "pitch=%zu range=%s",
                   pitch, range_of(ptr)))
            cuda.cuMemFree(ptr);
    }
}

static void pitch_elements(void)
{
    CUdeviceptr ptr;
    size_t pitch;

    for (unsigned element = 0; element <= 33; element++) {
        if (element == 4 || element == 8 || element == 16)
            continue;
        ptr = UNTOUCHED;
        pitch = 77;
        if (!CHECK(format("elem-%u", element), cuda.cuMemAllocPitch(&ptr, &pitch, 64, 4, element),
                   "out=%s pitch=%zu", out_state(ptr), pitch))
            cuda.cuMemFree(ptr);
    }

    static const unsigned elements[] = {64, 128, 256, 0x80000000u, UINT_MAX};
    for (size_t i = 0; i < COUNT_OF(elements); i++) {
        ptr = UNTOUCHED;
        pitch = 77;
        if (!CHECK(format("elem-%u", elements[i]),
                   cuda.cuMemAllocPitch(&ptr, &pitch, 64, 4, elements[i]), "out=%s pitch=%zu",
                   out_state(ptr), pitch))
            cuda.cuMemFree(ptr);
    }
}

static void pitch_extremes(void)
{
    CUdeviceptr ptr;
    size_t pitch;

    struct {
        const char *name;
        size_t width, height;
    } extents[] = {{"w0", 0, 4},
                   {"h0", 4, 0},
                   {"w0h0", 0, 0},
                   {"wmax", SIZE_MAX, 1},
                   {"wmax-511", SIZE_MAX - 511, 1},
                   {"hmax", 4, SIZE_MAX},
                   {"both-max", SIZE_MAX, SIZE_MAX},
                   {"2^32x2^32", 1ull << 32, 1ull << 32},
                   {"2^31-w", 1ull << 31, 1},
                   {"2^31-1-w", (1ull << 31) - 1, 1},
                   {"2^31+1-w", (1ull << 31) + 1, 1},
                   {"2^32-w", 1ull << 32, 1},
                   {"2^33-w", 1ull << 33, 1},
                   {"2^20x2^20", 1 << 20, 1 << 20},
                   {"2^40-w", 1ull << 40, 1}};

    for (size_t i = 0; i < COUNT_OF(extents); i++) {
        ptr = UNTOUCHED;
        pitch = 77;
        if (!CHECK(extents[i].name,
                   cuda.cuMemAllocPitch(&ptr, &pitch, extents[i].width, extents[i].height, 4),
                   "out=%s pitch=%zu", out_state(ptr), pitch))
            cuda.cuMemFree(ptr);
    }
}

static void pitch_null_outputs(void)
{
    CUdeviceptr ptr;
    size_t pitch;

    CHECK("null-dptr", cuda.cuMemAllocPitch(NULL, &pitch, 16, 4, 4));
    ptr = UNTOUCHED;
    CHECK("null-pitch", cuda.cuMemAllocPitch(&ptr, NULL, 16, 4, 4), "out=%s", out_state(ptr));

    CHECK("null-both", cuda.cuMemAllocPitch(NULL, NULL, 16, 4, 4));
    CHECK("null-both-zero", cuda.cuMemAllocPitch(NULL, NULL, 0, 0, 0));

    ptr = UNTOUCHED;
    pitch = 77;
    CHECK("w0-badelem", cuda.cuMemAllocPitch(&ptr, &pitch, 0, 4, 3), "out=%s pitch=%zu",
          out_state(ptr), pitch);
}

GROUP(102, pitch, "pitch")
{
    use_primary_context();
    pitch_widths();
    pitch_elements();
    pitch_extremes();
    pitch_null_outputs();
}

static void free_device(void)
{
    CHECK("null", cuda.cuMemFree(0));
    CUdeviceptr ptr = device_alloc(4096);

    CHECK("interior+1", cuda.cuMemFree(ptr + 1));
    CHECK("interior+256", cuda.cuMemFree(ptr + 256));
    CHECK("last-byte", cuda.cuMemFree(ptr + 4095));
    CHECK("one-past-end", cuda.cuMemFree(ptr + 4096));

    CHECK("base", cuda.cuMemFree(ptr));
    CHECK("double", cuda.cuMemFree(ptr));
    CHECK("addr-1", cuda.cuMemFree(1));
    CHECK("addr-garbage", cuda.cuMemFree(GARBAGE_ADDRESS));
    CHECK("addr-max", cuda.cuMemFree((CUdeviceptr)-1));
}

static void free_host(void)
{
    void *host = pinned_alloc(4096);
    CHECK("pinned-host", cuda.cuMemFree(as_device(host)));
    CHECK("pinned-host-still-ok", cuda.cuMemFreeHost(host));

    void *pages = page_alloc(8192);
    CHECK("pageable", cuda.cuMemFree(as_device(pages)));
    cuda.cuMemHostRegister(pages, 8192, 0);
    CHECK("registered", cuda.cuMemFree(as_device(pages)));
    CHECK("registered-still", cuda.cuMemHostUnregister(pages));
}

static void free_other_kinds(void)
{
    CUdeviceptr ptr = 0;

    CUdeviceptr managed = managed_alloc(4096);
    CHECK("managed-interior", cuda.cuMemFree(managed + 8));
    CHECK("managed", cuda.cuMemFree(managed));
    CHECK("managed-double", cuda.cuMemFree(managed));

    size_t pitch;
    cuda.cuMemAllocPitch(&ptr, &pitch, 100, 10, 4);
    CHECK("pitched-row1", cuda.cuMemFree(ptr + pitch));
    CHECK("pitched", cuda.cuMemFree(ptr));

    cuda.cuMemAllocAsync(&ptr, 4096, 0);
    cuda.cuStreamSynchronize(0);
    CHECK("async-allocated", cuda.cuMemFree(ptr));

    ptr = mapped_alloc(2 * MB, 0, 0);
    CHECK("vmm-mapped", cuda.cuMemFree(ptr));
    ptr = 0;
    cuda.cuMemAddressReserve(&ptr, 2 * MB, 0, 0, 0);
    CHECK("vmm-reserved", cuda.cuMemFree(ptr));

    ptr = device_alloc(64 * MB);
    CHECK("big-interior-2M", cuda.cuMemFree(ptr + 2 * MB));
    CHECK("big", cuda.cuMemFree(ptr));
    CHECK("big-double", cuda.cuMemFree(ptr));
}

static void free_while_busy(void)
{
    CUdeviceptr ptr;

    /* Free while work is pending. */
    CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
    struct blocker blocker = {.limit_ms = 300};
    ptr = device_alloc(MB);
    stream_block(stream, &blocker);
    cuda.cuMemsetD8Async(ptr, 1, MB, stream);

    CHECK("with-pending-work", cuda.cuMemFree(ptr), "waited_for_stream=%d", (int)blocker.done);
    stream_unblock(&blocker);
    CHECK("with-pending-work-sync", cuda.cuStreamSynchronize(stream));

    struct blocker second_blocker = {.limit_ms = 300};
    ptr = device_alloc(4096);
    stream_block(stream, &second_blocker);
    CHECK("other-stream-busy", cuda.cuMemFree(ptr), "waited_for_stream=%d",
          (int)second_blocker.done);
    stream_unblock(&second_blocker);
    cuda.cuStreamSynchronize(stream);
}

GROUP(103, free, "free")
{
    use_primary_context();
    free_device();
    free_host();
    free_other_kinds();
    free_while_busy();
}

static long long free_bytes(void)
{
    size_t free_size = 0, total_size = 0;
    cuda.cuMemGetInfo(&free_size, &total_size);
    return free_size;
}

static void meminfo_outputs(void)
{
    size_t free_size = 7, total_size = 7, device_total = 0;
    CHECK("both", cuda.cuMemGetInfo(&free_size, &total_size), "free<=total=%d free>0=%d",
          free_size <= total_size, free_size > 0);

    CHECK("total-vs-device", cuda.cuDeviceTotalMem(&device_total, device),
          "equal=%d total_minus_info=%lld", device_total == total_size,
          (long long)(device_total - total_size));
    free_size = total_size = 7;

    CHECK("null-free", cuda.cuMemGetInfo(NULL, &total_size), "total_set=%d", total_size != 7);
    CHECK("null-total", cuda.cuMemGetInfo(&free_size, NULL), "free_set=%d", free_size != 7);
    CHECK("null-both", cuda.cuMemGetInfo(NULL, NULL));
}

static void meminfo_deltas(void)
{
    CUdeviceptr warm_up = device_alloc(64 * MB);
    cuda.cuMemFree(warm_up);
    warm_up = device_alloc(1);
    cuda.cuMemFree(warm_up);

    static const size_t sizes[] = {1,      512,        4096,        65536,      MB - 1,   MB,
                                   MB + 1, 2 * MB - 1, 2 * MB,      2 * MB + 1, 3 * MB,   4 * MB,
                                   5 * MB, 32 * MB,    32 * MB + 1, 100 * MB,   256 * MB, GB};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        long long before = free_bytes();
        CUdeviceptr ptr = UNTOUCHED;
        CUresult failed = cuda.cuMemAlloc(&ptr, sizes[i]);
        long long between = free_bytes();
        CUresult freed = cuda.cuMemFree(ptr);
        long long after = free_bytes();
        CHECK(format("delta-%zu", sizes[i]), failed, "alloc_delta=%lld free=%s residual=%lld",
              before - between, result_name(freed), before - after);
    }
}

static void meminfo_small_blocks(void)
{
    /* Small allocations: after how many is another block taken? */
    static const size_t small_sizes[] = {1, 512, 1024, 4096, 65536, 262144};
    static CUdeviceptr kept[9000];

    for (size_t i = 0; i < COUNT_OF(small_sizes); i++) {
        int count = 0, steps = 0, step_at[4] = {0};
        long long step_size[4] = {0}, last = free_bytes();
        for (; count < 9000 && steps < 4; count++) {
            if (cuda.cuMemAlloc(&kept[count], small_sizes[i]))
                break;
            long long after = free_bytes();
            if (after != last) {
                step_at[steps] = count;
                step_size[steps++] = last - after;
                last = after;
            }
        }
        RECORD(format("blocks-of-%zu", small_sizes[i]),
               "steps_at=%d,%d,%d,%d step_bytes=%lld,%lld,%lld,%lld n=%d", step_at[0], step_at[1],
               step_at[2], step_at[3], step_size[0], step_size[1], step_size[2], step_size[3],
               count);
        while (count > 0)
            cuda.cuMemFree(kept[--count]);
    }
}

static void meminfo_other_memory(void)
{
    long long before = free_bytes();
    void *host = pinned_alloc(64 * MB);
    long long between = free_bytes();
    RECORD("pinned-64M", "delta=%lld", before - between);
    cuda.cuMemFreeHost(host);

    before = free_bytes();
    CUdeviceptr managed = managed_alloc(64 * MB);
    between = free_bytes();
    RECORD("managed-64M-untouched", "delta=%lld", before - between);

    cuda.cuMemsetD8(managed, 1, 64 * MB);
    cuda.cuCtxSynchronize();
    RECORD("managed-64M-device-touched", "delta=%lld", before - free_bytes());
    cuda.cuMemFree(managed);

    CUDA_ARRAY_DESCRIPTOR descriptor = {4096, 4096, CU_AD_FORMAT_FLOAT, 1};
    CUarray array = 0;
    before = free_bytes();
    CUresult failed = cuda.cuArrayCreate(&array, &descriptor);
    between = free_bytes();
    CHECK("array-4096x4096-f32", failed, "delta=%lld", before - between);
    cuda.cuArrayDestroy(array);

    before = free_bytes();
    CUstream stream = stream_new(0);
    between = free_bytes();
    RECORD("stream", "created=%d delta=%lld", stream != 0, before - between);
}

GROUP(104, meminfo, "meminfo")
{
    use_primary_context();
    meminfo_outputs();
    meminfo_deltas();
    meminfo_small_blocks();
    meminfo_other_memory();
}

static void check_range(const char *name, CUdeviceptr ptr)
{
    CUdeviceptr base = UNTOUCHED;
    size_t size = 77;
    CHECK(name, cuda.cuMemGetAddressRange(&base, &size, ptr), "base=%s size=%zu",
          relative(base, ptr), size);
}

GROUP(105, range, "range")
{
    use_primary_context();
    CUdeviceptr ptr = device_alloc(5000), base;
    size_t size;

    check_range("base", ptr);
    check_range("interior+1", ptr + 1);
    check_range("interior+4096", ptr + 4096);
    check_range("last", ptr + 4999);
    check_range("end", ptr + 5000);
    check_range("end+1", ptr + 5001);
    check_range("end-rounded-512", ptr + 5120);
    check_range("before", ptr - 1);

    size = 77;
    CHECK("null-base", cuda.cuMemGetAddressRange(NULL, &size, ptr), "size=%zu", size);
    base = UNTOUCHED;
    CHECK("null-size", cuda.cuMemGetAddressRange(&base, NULL, ptr + 9), "base=%s",
          relative(base, ptr + 9));

    CHECK("null-both", cuda.cuMemGetAddressRange(NULL, NULL, ptr));
    CHECK("null-both-bad", cuda.cuMemGetAddressRange(NULL, NULL, 1));
    check_range("ptr-0", 0);
    check_range("ptr-1", 1);
    check_range("ptr-garbage", GARBAGE_ADDRESS);
    check_range("ptr-max", (CUdeviceptr)-1);

    void *host = pinned_alloc(5000);
    check_range("pinned", as_device(host));
    check_range("pinned-interior", as_device(host) + 100);
    check_range("pinned-last", as_device(host) + 4999);
    check_range("pinned-end", as_device(host) + 5000);

    char *pages = page_alloc(16384);
    check_range("pageable", as_device(pages));
    cuda.cuMemHostRegister(pages + 100, 5000, 0);
    check_range("registered", as_device(pages) + 100);
    check_range("registered-page-start", as_device(pages));
    check_range("registered-interior", as_device(pages) + 1000);
    check_range("registered-end", as_device(pages) + 5100);

    CUdeviceptr managed = managed_alloc(5000);
    check_range("managed", managed);
    check_range("managed-interior", managed + 4999);
    check_range("managed-end", managed + 5000);

    size_t pitch;
    CUdeviceptr pitched;
    cuda.cuMemAllocPitch(&pitched, &pitch, 100, 10, 4);
    check_range("pitched", pitched);
    check_range("pitched-row3", pitched + 3 * pitch);

    CUdeviceptr pooled = 0;
    cuda.cuMemAllocAsync(&pooled, 5000, 0);
    cuda.cuStreamSynchronize(0);
    check_range("pool", pooled);
    check_range("pool-interior", pooled + 4999);
    check_range("pool-end", pooled + 5000);

    CUdeviceptr mapped = mapped_alloc(4 * MB, 0, 0);
    check_range("vmm", mapped);
    check_range("vmm-interior", mapped + 3 * MB);
    CUdeviceptr reserved = 0;
    cuda.cuMemAddressReserve(&reserved, 4 * MB, 0, 0, 0);
    check_range("vmm-reserved", reserved);

    cuda.cuMemFree(ptr);
    check_range("freed", ptr);
    ptr = device_alloc(64 * MB);
    check_range("big-interior", ptr + 33 * MB);
    check_range("big-end", ptr + 64 * MB);
    cuda.cuMemFree(ptr);
    check_range("big-freed", ptr);
}
