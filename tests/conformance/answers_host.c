/* SPDX-License-Identifier: MIT */
/*
 * Host memory: pinned by the driver (cuMemHostAlloc), and registered with it (cuMemHostRegister).
 */
#include "recorder.h"

static const char *host_flags(void *block)
{
    unsigned flags = 0xa5;
    CUresult failed = cuda.cuMemHostGetFlags(&flags, block);
    return failed ? result_name(failed) : format("0x%x", flags);
}

static const char *host_device_ptr(void *block)
{
    CUdeviceptr device_ptr = UNTOUCHED;
    CUresult failed = cuda.cuMemHostGetDevicePointer(&device_ptr, block, 0);
    return failed ? result_name(failed) : relative(device_ptr, as_device(block));
}

static CUresult host_alloc_plain(void **block, size_t size, unsigned flags)
{
    (void)flags;
    return cuda.cuMemAllocHost(block, size);
}

static CUresult host_alloc_flags(void **block, size_t size, unsigned flags)
{
    return cuda.cuMemHostAlloc(block, size, flags);
}

/* Allocates and describes what came. */
static CUresult check_host_alloc(const char *name, CUresult (*alloc)(void **, size_t, unsigned),
                                 void **block, size_t size, unsigned flags)
{
    *block = (void *)UNTOUCHED;

    return CHECK(name, alloc(block, size, flags), "out=%s page=%d a2m=%d flags=%s dev=%s range=%s",
                 out_state(*block), (uintptr_t)*block % 4096 == 0,
                 (uintptr_t)*block % (2 * MB) == 0, host_flags(*block), host_device_ptr(*block),
                 range_of(as_device(*block)));
}

static void *block;
static CUdeviceptr device_ptr;

static void hostalloc_sizes_and_flags(void)
{
    static const size_t sizes[] = {0,    1,     511,    512,        4095,   4096,
                                   4097, 65536, 2 * MB, 2 * MB + 1, 64 * MB};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (!check_host_alloc(format("allochost-%zu", sizes[i]), host_alloc_plain, &block, sizes[i],
                              0))
            CHECK(format("allochost-%zu-free", sizes[i]), cuda.cuMemFreeHost(block));
    }

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (!check_host_alloc(format("hostalloc-%zu", sizes[i]), host_alloc_flags, &block, sizes[i],
                              0))
            cuda.cuMemFreeHost(block);
    }

    for (unsigned flags = 0; flags < 16; flags++) {
        if (!check_host_alloc(format("flags-0x%x", flags), host_alloc_flags, &block, 8192, flags)) {
            if (block != (void *)UNTOUCHED)
                memset(block, 3, 8192);
            CHECK(format("flags-0x%x-free", flags), cuda.cuMemFreeHost(block));
        }
    }

    for (int bit = 4; bit < 32; bit++) {
        block = (void *)UNTOUCHED;
        if (!CHECK(format("flags-bit%d", bit), cuda.cuMemHostAlloc(&block, 4096, 1u << bit),
                   "out=%s flags=%s", out_state(block), host_flags(block)))
            cuda.cuMemFreeHost(block);
    }
}

static void hostalloc_arguments(void)
{
    CHECK("flags-all", cuda.cuMemHostAlloc(&block, 4096, ~0u));
    CHECK("null", cuda.cuMemHostAlloc(NULL, 4096, 0));
    CHECK("null-zero", cuda.cuMemHostAlloc(NULL, 0, 0));
    CHECK("null-badflags", cuda.cuMemHostAlloc(NULL, 4096, 0x80));
    CHECK("zero-badflags", cuda.cuMemHostAlloc(&block, 0, 0x80));

    CHECK("allochost-null", cuda.cuMemAllocHost(NULL, 4096));

    block = (void *)UNTOUCHED;
    CHECK("huge-1<<46", cuda.cuMemHostAlloc(&block, 1ull << 46, 0), "out=%s", out_state(block));
    CHECK("huge-max", cuda.cuMemHostAlloc(&block, SIZE_MAX, 0), "out=%s", out_state(block));
    CHECK("huge-max-allochost", cuda.cuMemAllocHost(&block, SIZE_MAX - 4095), "out=%s",
          out_state(block));
}

static void hostalloc_contents(void)
{
    void *small[4];
    for (int i = 0; i < 4; i++)
        small[i] = pinned_alloc(16);

    RECORD("small-spacing", "dist=%lld,%lld,%lld", (long long)((char *)small[1] - (char *)small[0]),
           (long long)((char *)small[2] - (char *)small[1]),
           (long long)((char *)small[3] - (char *)small[2]));

    block = pinned_alloc(8192);
    unsigned char byte = 0;
    for (int i = 0; i < 8192; i++)
        byte |= ((unsigned char *)block)[i];
    RECORD("zeroed", "zero=%d", byte == 0);
}

static void hostalloc_free(void)
{
    char byte;

    CHECK("free-null", cuda.cuMemFreeHost(NULL));
    CHECK("free-interior", cuda.cuMemFreeHost((char *)block + 64));
    CHECK("free-interior-page", cuda.cuMemFreeHost((char *)block + 4096));
    CHECK("free-end", cuda.cuMemFreeHost((char *)block + 8192));
    CHECK("free-base", cuda.cuMemFreeHost(block));
    CHECK("free-double", cuda.cuMemFreeHost(block));

    device_ptr = device_alloc(4096);
    CUdeviceptr managed = managed_alloc(4096);
    CHECK("free-device", cuda.cuMemFreeHost(as_host(device_ptr)));
    CHECK("free-managed", cuda.cuMemFreeHost(as_host(managed)));
    void *pages = page_alloc(4096);
    CHECK("free-pageable", cuda.cuMemFreeHost(pages));

    CHECK("free-stack", cuda.cuMemFreeHost(&byte));
    cuda.cuMemHostRegister(pages, 4096, 0);
    CHECK("free-registered", cuda.cuMemFreeHost(pages));
    CHECK("free-registered-then-unregister", cuda.cuMemHostUnregister(pages));
}

static void hostalloc_free_elsewhere(void)
{
    CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
    struct blocker blocker = {.limit_ms = 300};
    block = pinned_alloc(4096);
    stream_block(stream, &blocker);
    cuda.cuMemcpyHtoDAsync(device_ptr, block, 4096, stream);
    CHECK("free-pending", cuda.cuMemFreeHost(block), "waited=%d", (int)blocker.done);
    stream_unblock(&blocker);
    cuda.cuStreamSynchronize(stream);

    context_new();
    block = pinned_alloc(4096);
    cuda.cuCtxSetCurrent(context);
    CHECK("free-from-other-context", cuda.cuMemFreeHost(block));
}

GROUP(200, hostalloc, "hostalloc")
{
    use_primary_context();
    hostalloc_sizes_and_flags();
    hostalloc_arguments();
    hostalloc_contents();
    hostalloc_free();
    hostalloc_free_elsewhere();
}

static void check_device_ptr(const char *name, void *host, unsigned flags)
{
    CUdeviceptr out = UNTOUCHED;
    CHECK(name, cuda.cuMemHostGetDevicePointer(&out, host, flags), "out=%s",
          relative(out, as_device(host)));
}

static void check_flags(const char *name, void *host)
{
    unsigned flags = 0xa5;
    CHECK(name, cuda.cuMemHostGetFlags(&flags, host), "flags=0x%x", flags);
}

GROUP(201, hostptr, "hostptr")
{
    use_primary_context();
    CUdeviceptr out;
    char *pages = page_alloc(65536);
    CUdeviceptr device_memory = device_alloc(4096), managed = managed_alloc(4096);

    for (unsigned flags = 0; flags < 8; flags++) {
        char *host = 0;
        cuda.cuMemHostAlloc((void **)&host, 8192, flags);
        check_device_ptr(format("alloc%u-base", flags), host, 0);
        check_device_ptr(format("alloc%u-interior", flags), host + 5, 0);
        check_device_ptr(format("alloc%u-last", flags), host + 8191, 0);
        check_device_ptr(format("alloc%u-end", flags), host + 8192, 0);
        check_flags(format("flags-alloc%u-interior", flags), host + 77);
        cuda.cuMemFreeHost(host);
        check_device_ptr(format("alloc%u-freed", flags), host, 0);
        check_flags(format("flags-alloc%u-freed", flags), host);
    }

    char *host = pinned_alloc(8192);
    for (int bit = 0; bit < 32; bit += bit < 4 ? 1 : 9) {
        check_device_ptr(format("getdev-flagbit%d", bit), host, 1u << bit);
    }

    CHECK("getdev-null-out", cuda.cuMemHostGetDevicePointer(NULL, host, 0));
    check_device_ptr("getdev-null", NULL, 0);
    check_device_ptr("getdev-pageable", pages, 0);
    check_device_ptr("getdev-device", as_host(device_memory), 0);
    check_device_ptr("getdev-managed", as_host(managed), 0);
    check_device_ptr("getdev-stack", &out, 0);
    check_device_ptr("getdev-garbage", (void *)GARBAGE_ADDRESS, 0);

    CHECK("flags-null-out", cuda.cuMemHostGetFlags(NULL, host));
    check_flags("flags-null", NULL);
    check_flags("flags-pageable", pages);
    check_flags("flags-device", as_host(device_memory));
    check_flags("flags-managed", as_host(managed));
    check_flags("flags-stack", &out);
    check_flags("flags-end", host + 8192);

    for (unsigned flags = 0; flags < 16; flags++) {
        CUresult failed = cuda.cuMemHostRegister(pages + 4096, 8192, flags);
        CHECK(format("reg%u", flags), failed);
        if (failed)
            continue;
        check_device_ptr(format("reg%u-base", flags), pages + 4096, 0);
        check_device_ptr(format("reg%u-interior", flags), pages + 5000, 0);
        check_device_ptr(format("reg%u-end", flags), pages + 4096 + 8192, 0);
        check_device_ptr(format("reg%u-before", flags), pages + 4095, 0);
        check_flags(format("flags-reg%u", flags), pages + 4096);
        check_flags(format("flags-reg%u-interior", flags), pages + 6000);
        CHECK(format("unreg%u", flags), cuda.cuMemHostUnregister(pages + 4096));
        check_device_ptr(format("reg%u-after-unreg", flags), pages + 4096, 0);
    }

    cuda.cuMemHostRegister(pages + 100, 200, 0);
    check_device_ptr("unaligned-reg-base", pages + 100, 0);
    check_device_ptr("unaligned-reg-page-start", pages, 0);
    check_device_ptr("unaligned-reg-last", pages + 299, 0);
    check_device_ptr("unaligned-reg-past", pages + 300, 0);
    check_device_ptr("unaligned-reg-page-end", pages + 4095, 0);
    check_flags("flags-unaligned-reg-page-start", pages);
    check_flags("flags-unaligned-reg-past", pages + 300);

    context_new();
    void *other_host = pinned_alloc(4096);
    unsigned char *portable = 0;
    cuda.cuMemHostAlloc((void **)&portable, 4096, CU_MEMHOSTALLOC_PORTABLE);
    cuda.cuCtxSetCurrent(context);
    check_device_ptr("other-ctx-nonportable", other_host, 0);
    check_device_ptr("other-ctx-portable", portable, 0);
    check_flags("flags-other-ctx-nonportable", other_host);
}

/* Registers, unregisters again and tells how that went. */
static void check_register(const char *name, void *ptr, size_t size, unsigned flags)
{
    CHECK(name, cuda.cuMemHostRegister(ptr, size, flags), "unreg=%s",
          result_name(cuda.cuMemHostUnregister(ptr)));
}

static void check_register_flags(const char *name, void *ptr, size_t size, unsigned flags)
{
    const char *got_flags, *unregistered;
    CHECK_THEN(name, cuda.cuMemHostRegister(ptr, size, flags), got_flags = host_flags(ptr);
               unregistered = result_name(cuda.cuMemHostUnregister(ptr)), "getflags=%s unreg=%s",
               got_flags, unregistered);
}

enum { page_size = 4096 };
static char *pages;
static void *pinned;
static CUdeviceptr device_ptr, managed;

static void hostreg_sizes_and_flags(void)
{
    struct {
        const char *name;
        long offset;
        size_t size;
    } ranges[] = {{"page", 0, 4096},      {"pages16", 0, 65536},      {"size1", 0, 1},
                  {"size0", 0, 0},        {"off1-size1", 1, 1},       {"off1-4095", 1, 4095},
                  {"off1-4096", 1, 4096}, {"off100-5000", 100, 5000}, {"off4095-2", 4095, 2},
                  {"off0-4097", 0, 4097}, {"off64-64", 64, 64}};

    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        char *start = pages + 8 * page_size + ranges[i].offset;
        const char *range, *unregistered;
        CHECK_THEN(ranges[i].name, cuda.cuMemHostRegister(start, ranges[i].size, 0),
                   range = range_of(as_device(start));
                   unregistered = result_name(cuda.cuMemHostUnregister(start)), "range=%s unreg=%s",
                   range, unregistered);
    }

    for (int bit = 0; bit < 32; bit++)
        check_register_flags(format("flagbit%d", bit), pages, page_size, 1u << bit);

    check_register("flags-0", pages, page_size, 0);
}

static void hostreg_bad_ranges(void)
{
    CHECK("null", cuda.cuMemHostRegister(NULL, page_size, 0));
    CHECK("null-0", cuda.cuMemHostRegister(NULL, 0, 0));
    CHECK("size-max", cuda.cuMemHostRegister(pages, SIZE_MAX, 0));
    CHECK("size-1<<46", cuda.cuMemHostRegister(pages, 1ull << 46, 0));
    CHECK("wrap", cuda.cuMemHostRegister((void *)(uintptr_t)-4096ll, 8192, 0));

    CHECK("unmapped", cuda.cuMemHostRegister((void *)0xdead0000ull, page_size, 0));
    char *hole = page_alloc(4 * page_size);
    munmap(hole + page_size, page_size);
    CHECK("hole-inside", cuda.cuMemHostRegister(hole, 4 * page_size, 0));
    CHECK("kernel-addr", cuda.cuMemHostRegister((void *)0xffff800000000000ull, page_size, 0));
}

static void hostreg_kinds_of_memory(void)
{
    char *read_only = page_alloc(page_size);
    mprotect(read_only, page_size, PROT_READ);
    check_register("readonly-flags0", read_only, page_size, 0);
    check_register_flags("readonly-flagRO", read_only, page_size, 8);

    check_register("readonly-flagRO+map", read_only, page_size, 8 | 2);

    char *no_access = page_alloc(page_size);
    mprotect(no_access, page_size, PROT_NONE);
    CHECK("protnone", cuda.cuMemHostRegister(no_access, page_size, 0));
    static const char rodata[8192] = {1};
    check_register("rodata", (void *)rodata, 8192, 0);
    check_register("rodata-RO", (void *)rodata, 8192, 8);

    char on_stack[4096];
    check_register("stack", on_stack, sizeof on_stack, 0);
    char *heap = malloc(10000);
    check_register("malloc", heap, 10000, 0);

    char *shared =
        mmap(0, 8 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check_register("shared-anon", shared, 8 * page_size, 0);

    int fd = memfd_create("x", 0);
    if (ftruncate(fd, 8 * page_size))
        fd = -1;
    char *mapped_file = mmap(0, 8 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check_register("memfd", mapped_file, 8 * page_size, 0);
    CHECK("memfd-beyond-eof", ftruncate(fd, page_size)
                                  ? RESULT_SKIPPED
                                  : cuda.cuMemHostRegister(mapped_file, 8 * page_size, 0));

    FILE *file = tmpfile();
    char *mapping = MAP_FAILED;
    if (file && !ftruncate(fileno(file), page_size))
        mapping = mmap(0, page_size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (mapping != MAP_FAILED)
        check_register("file-private-ro", mapping, page_size, 0);
}

static void hostreg_driver_memory(void)
{
    device_ptr = device_alloc(4096);
    managed = managed_alloc(8192);
    pinned = pinned_alloc(8192);
    CHECK("device-mem", cuda.cuMemHostRegister(as_host(device_ptr), 4096, 0));
    CHECK("managed-mem", cuda.cuMemHostRegister(as_host(managed), 4096, 0));
    CHECK("pinned-mem", cuda.cuMemHostRegister(pinned, 4096, 0));
    CHECK("pinned-mem-interior", cuda.cuMemHostRegister((char *)pinned + 4096, 4096, 0));
}

static void hostreg_overlaps(void)
{
    /* Overlaps with [16,24) pages registered. */
    char *registered = pages + 16 * page_size;
    CHECK("ov-first", cuda.cuMemHostRegister(registered, 8 * page_size, 0));

    struct {
        const char *name;
        long first, count;
    } overlaps[] = {{"same", 0, 8},
                    {"inside", 2, 2},
                    {"head-part", -2, 4},
                    {"tail-part", 6, 4},
                    {"cover", -2, 12},
                    {"same-start-short", 0, 1},
                    {"same-start-long", 0, 10},
                    {"adjacent-before", -2, 2},
                    {"adjacent-after", 8, 2}};

    for (size_t i = 0; i < COUNT_OF(overlaps); i++) {
        CHECK(format("ov-%s", overlaps[i].name),
              cuda.cuMemHostRegister(registered + overlaps[i].first * page_size,
                                     overlaps[i].count * page_size, 0),
              "unreg=%s",
              result ? "-"
                     : result_name(
                           cuda.cuMemHostUnregister(registered + overlaps[i].first * page_size)));
    }

    CHECK("unreg-interior", cuda.cuMemHostUnregister(registered + page_size));
    CHECK("unreg-interior-byte", cuda.cuMemHostUnregister(registered + 1));
    CHECK("unreg-end", cuda.cuMemHostUnregister(registered + 8 * page_size));
    CHECK("unreg-ok", cuda.cuMemHostUnregister(registered));
    CHECK("unreg-twice", cuda.cuMemHostUnregister(registered));
}

static void hostreg_unregister(void)
{
    CHECK("unreg-null", cuda.cuMemHostUnregister(NULL));
    CHECK("unreg-pageable", cuda.cuMemHostUnregister(pages));
    CHECK("unreg-hostalloc", cuda.cuMemHostUnregister(pinned));
    CHECK("unreg-device", cuda.cuMemHostUnregister(as_host(device_ptr)));
    CHECK("unreg-managed", cuda.cuMemHostUnregister(as_host(managed)));
}

static void hostreg_parts_of_pages(void)
{
    /* Two sub-page ranges in one page. */
    CHECK("subpage-a", cuda.cuMemHostRegister(pages, 100, 0));
    CHECK("subpage-b-same-page", cuda.cuMemHostRegister(pages + 200, 100, 0));
    CHECK("subpage-b-overlap", cuda.cuMemHostRegister(pages + 50, 100, 0));
    CHECK("subpage-unreg-page-start", cuda.cuMemHostUnregister(pages));
    CHECK("subpage-unreg-b", cuda.cuMemHostUnregister(pages + 200));
    CHECK("subpage-unreg-overlap", cuda.cuMemHostUnregister(pages + 50));

    cuda.cuMemHostRegister(pages + 100, 5000, 0);
    CHECK("unaligned-unreg-aligned-down", cuda.cuMemHostUnregister(pages));
    CHECK("unaligned-unreg-exact", cuda.cuMemHostUnregister(pages + 100));
}

static void hostreg_elsewhere(void)
{
    char *unmapped = page_alloc(4 * page_size);
    cuda.cuMemHostRegister(unmapped, 4 * page_size, 0);
    munmap(unmapped, 4 * page_size);
    CHECK("munmap-then-unreg", cuda.cuMemHostUnregister(unmapped));

    char *page = page_alloc(page_size);
    cuda.cuMemHostRegister(page, page_size, 0);
    context_new();
    CHECK("same-range-other-ctx", cuda.cuMemHostRegister(page, page_size, 0));
    CHECK("unreg-from-other-ctx", cuda.cuMemHostUnregister(page));
    CHECK("unreg-from-other-ctx-again", cuda.cuMemHostUnregister(page));
    cuda.cuCtxSetCurrent(context);
    CHECK("unreg-back-in-first", cuda.cuMemHostUnregister(page));

    cuda.cuMemHostRegister(pages, 8 * page_size, 0);
    pid_t pid = fork();
    if (!pid)
        _exit(pages[0] == 0 ? 0 : 1);

    int status = 0;
    waitpid(pid, &status, 0);
    RECORD("fork-child-reads-registered", "status=%d", status);
    CHECK("unreg-after-fork", cuda.cuMemHostUnregister(pages));
}

GROUP(202, hostreg, "hostreg")
{
    use_primary_context();
    pages = page_alloc(64 * 4096);

    hostreg_sizes_and_flags();
    hostreg_bad_ranges();
    hostreg_kinds_of_memory();
    hostreg_driver_memory();
    hostreg_overlaps();
    hostreg_unregister();
    hostreg_parts_of_pages();
    hostreg_elsewhere();
}
