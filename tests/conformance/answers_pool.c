/* SPDX-License-Identifier: MIT */
/*
 * Memory pools and stream-ordered allocation.
 */
#include "recorder.h"

/* The first three attributes are ints, the others are 64 bits wide. */
static const char *pool_attribute(CUmemoryPool of, int attribute)
{
    int narrow = -1;
    cuuint64_t wide = 0;
    CUresult failed;

    if (attribute <= 3) {
        failed = cuda.cuMemPoolGetAttribute(of, attribute, &narrow);
        wide = narrow;
    } else {
        failed = cuda.cuMemPoolGetAttribute(of, attribute, &wide);
    }
    return failed ? result_name(failed) : format("%llu", (unsigned long long)wide);
}

static void record_attributes(const char *name, CUmemoryPool pool)
{
    RECORD(name, "follow=%s opp=%s intern=%s thr=%s res=%s reshigh=%s used=%s usedhigh=%s",
           pool_attribute(pool, 1), pool_attribute(pool, 2), pool_attribute(pool, 3),
           pool_attribute(pool, 4), pool_attribute(pool, 5), pool_attribute(pool, 6),
           pool_attribute(pool, 7), pool_attribute(pool, 8));
}

static CUstream stream, second_stream;
static CUmemoryPool default_pool, pool;
static CUdeviceptr first, second;
static CUmemPoolProps properties;

static void pool_reset(void)
{
    memset(&properties, 0, sizeof properties);
    properties.allocType = 1;
    properties.location.type = 1;
    properties.location.id = device;
}

static void check_pool_create(const char *name)
{
    pool = (CUmemoryPool)UNTOUCHED;
    if (!CHECK(name, cuda.cuMemPoolCreate(&pool, &properties), "out=%s", out_state(pool)))
        cuda.cuMemPoolDestroy(pool);
}

/* Creates a pool with one change to plain properties. */
#define CHECK_POOL_WITH(name, change)                                                              \
    do {                                                                                           \
        pool_reset();                                                                              \
        change;                                                                                    \
        check_pool_create(name);                                                                   \
    } while (0)

static void pool_default(void)
{
    CUmemoryPool current = 0;

    CHECK("default", cuda.cuDeviceGetDefaultMemPool(&default_pool, device));
    CHECK("current", cuda.cuDeviceGetMemPool(&current, device), "is_default=%d",
          current == default_pool);
    CHECK("default-null", cuda.cuDeviceGetDefaultMemPool(NULL, device));
    CHECK("default-baddev", cuda.cuDeviceGetDefaultMemPool(&current, 99));
    record_attributes("default-attrs", default_pool);
    for (int attribute = 0; attribute < 11; attribute++)
        if (attribute == 0 || attribute > 8) {
            cuuint64_t values[2];
            CHECK(format("getattr-%d", attribute),
                  cuda.cuMemPoolGetAttribute(default_pool, attribute, values));
        }
    CHECK("getattr-null", cuda.cuMemPoolGetAttribute(default_pool, 4, NULL));
    CHECK("getattr-null-pool", cuda.cuMemPoolGetAttribute(NULL, 4, &first));
}

static void pool_sizes(void)
{
    static const size_t sizes[] = {0,      1,          512,     513,     4096,       MB,
                                   2 * MB, 2 * MB + 1, 33 * MB, 64 * MB, 1ull << 44, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        first = UNTOUCHED;
        const char *synced;
        if (!CHECK_THEN(
                format("alloc-%zu", sizes[i]), cuda.cuMemAllocAsync(&first, sizes[i], stream),
                synced = sync_stream(stream),
                "out=%s a512=%d a2m=%d sync=%s res=%s used=%s range=%s", out_state(first),
                first % 512 == 0, first % (2 * MB) == 0, synced, pool_attribute(default_pool, 5),
                pool_attribute(default_pool, 7), range_of(first))) {
            cuda.cuMemFreeAsync(first, stream);
            cuda.cuStreamSynchronize(stream);
            RECORD(format("after-free-%zu", sizes[i]), "res=%s used=%s",
                   pool_attribute(default_pool, 5), pool_attribute(default_pool, 7));
        }
    }
}

static void pool_alloc_and_free(void)
{
    CHECK("alloc-null", cuda.cuMemAllocAsync(NULL, 64, stream));
    CHECK("alloc-null-0", cuda.cuMemAllocAsync(NULL, 0, stream));
    CHECK("alloc-stream0", cuda.cuMemAllocAsync(&first, 64, 0));
    CHECK("free-stream0", cuda.cuMemFreeAsync(first, 0));
    CHECK("alloc-legacy", cuda.cuMemAllocAsync(&first, 64, CU_STREAM_LEGACY));
    CHECK("free-perthread", cuda.cuMemFreeAsync(first, CU_STREAM_PER_THREAD));
    CHECK("free-null", cuda.cuMemFreeAsync(0, stream));
    CHECK("free-garbage", cuda.cuMemFreeAsync(GARBAGE_ADDRESS, stream));
    first = device_alloc(4096);
    CHECK("freeasync-of-memalloc", cuda.cuMemFreeAsync(first, stream));
    CHECK("freeasync-of-memalloc-then-free", cuda.cuMemFree(first));
    CHECK("freeasync-pinned", cuda.cuMemFreeAsync(as_device(pinned_alloc(4096)), stream));
    CHECK("freeasync-managed", cuda.cuMemFreeAsync(managed_alloc(4096), stream));
    cuda.cuMemAllocAsync(&first, 4096, stream);
    CHECK("freeasync-interior", cuda.cuMemFreeAsync(first + 512, stream));
    CHECK("freeasync", cuda.cuMemFreeAsync(first, stream));
    CHECK("freeasync-twice", cuda.cuMemFreeAsync(first, stream));
    cuda.cuStreamSynchronize(stream);
    cuda.cuMemAllocAsync(&first, 4096, stream);
    cuda.cuStreamSynchronize(stream);
    CHECK("cuMemFree-of-async", cuda.cuMemFree(first));
    CHECK("cuMemFree-of-async-twice", cuda.cuMemFree(first));
}

static void pool_reuse(void)
{
    cuda.cuMemAllocAsync(&first, 65536, stream);
    cuda.cuMemFreeAsync(first, stream);
    cuda.cuMemAllocAsync(&second, 65536, stream);
    RECORD("reuse-same-stream", "same=%d", first == second);
    cuda.cuMemFreeAsync(second, stream);
    cuda.cuMemAllocAsync(&first, 65536, second_stream);
    RECORD("reuse-other-stream-nosync", "same=%d", first == second);
    cuda.cuMemFreeAsync(first, second_stream);
    cuda.cuCtxSynchronize();
    CUdeviceptr small[4];
    for (int i = 0; i < 4; i++) {
        small[i] = 0;
        cuda.cuMemAllocAsync(&small[i], 1000, stream);
    }
    cuda.cuStreamSynchronize(stream);
    RECORD("small-spacing", "dist=%lld,%lld,%lld", (long long)(small[1] - small[0]),
           (long long)(small[2] - small[1]), (long long)(small[3] - small[2]));
    for (int i = 0; i < 4; i++)
        cuda.cuMemFreeAsync(small[i], stream);
    cuda.cuStreamSynchronize(stream);
}

static void pool_trim(void)
{
    cuuint64_t threshold = ~0ull;
    CHECK("set-threshold", cuda.cuMemPoolSetAttribute(default_pool, 4, &threshold));
    cuda.cuMemAllocAsync(&first, 64 * MB, stream);
    cuda.cuMemFreeAsync(first, stream);
    cuda.cuStreamSynchronize(stream);
    record_attributes("kept-after-free", default_pool);
    CHECK("trim-32M", cuda.cuMemPoolTrimTo(default_pool, 32 * MB), "res=%s",
          pool_attribute(default_pool, 5));
    CHECK("trim-0", cuda.cuMemPoolTrimTo(default_pool, 0), "res=%s",
          pool_attribute(default_pool, 5));
    CHECK("trim-max", cuda.cuMemPoolTrimTo(default_pool, SIZE_MAX));
    CHECK("trim-null", cuda.cuMemPoolTrimTo(NULL, 0));
    threshold = 0;
    cuda.cuMemPoolSetAttribute(default_pool, 4, &threshold);
}

static void pool_set_attributes(void)
{
    cuuint64_t threshold;

    for (int attribute = 0; attribute < 10; attribute++) {
        cuuint64_t value = 0;
        CHECK(format("setattr%d-0", attribute),
              cuda.cuMemPoolSetAttribute(default_pool, attribute, &value));
        value = 1;
        CHECK(format("setattr%d-1", attribute),
              cuda.cuMemPoolSetAttribute(default_pool, attribute, &value));
    }
    int one = 1;
    for (int attribute = 1; attribute < 4; attribute++)
        cuda.cuMemPoolSetAttribute(default_pool, attribute, &one);
    threshold = 0;
    cuda.cuMemPoolSetAttribute(default_pool, 4, &threshold);
}

static void pool_create(void)
{
    CHECK_POOL_WITH("create", (void)0);
    for (int attribute = 0; attribute < 4; attribute++)
        CHECK_POOL_WITH(format("create-alloctype%d", attribute), properties.allocType = attribute);
    for (int location_type = 0; location_type < 6; location_type++)
        for (int id = -1; id < 2; id++)
            CHECK_POOL_WITH(format("create-loc%d-id%d", location_type, id),
                            properties.location.type = location_type;
                            properties.location.id = id);
    for (int attribute = 0; attribute < 5; attribute++)
        CHECK_POOL_WITH(format("create-handle%d", 1 << attribute),
                        properties.handleTypes = 1 << attribute);
    CHECK_POOL_WITH("create-max-1", properties.maxSize = 1);
    CHECK_POOL_WITH("create-max-64M", properties.maxSize = 64 * MB);
    CHECK_POOL_WITH("create-max-huge", properties.maxSize = SIZE_MAX);
    for (int attribute = 0; attribute < 4; attribute++)
        CHECK_POOL_WITH(format("create-usage%d", 1 << attribute),
                        properties.usage = 1 << attribute);
    CHECK_POOL_WITH("create-reserved", properties.reserved[0] = 1);
    CHECK("create-null", cuda.cuMemPoolCreate(NULL, &properties));
    CHECK("create-null-props", cuda.cuMemPoolCreate(&pool, NULL));
    CHECK("destroy-null", cuda.cuMemPoolDestroy(NULL));
    CHECK("destroy-default", cuda.cuMemPoolDestroy(default_pool));
}

static void pool_alloc_from(void)
{
    pool_reset();
    properties.maxSize = 8 * MB;
    cuda.cuMemPoolCreate(&pool, &properties);
    record_attributes("new-attrs", pool);
    first = UNTOUCHED;
    CHECK("frompool-4M", cuda.cuMemAllocFromPoolAsync(&first, 4 * MB, pool, stream), "out=%s",
          out_state(first));
    second = UNTOUCHED;
    CHECK("frompool-over-max", cuda.cuMemAllocFromPoolAsync(&second, 64 * MB, pool, stream),
          "out=%s", out_state(second));
    CHECK("frompool-null-pool", cuda.cuMemAllocFromPoolAsync(&second, 64, NULL, stream));
    CHECK("frompool-null-out", cuda.cuMemAllocFromPoolAsync(NULL, 64, pool, stream));
    CHECK("frompool-0", cuda.cuMemAllocFromPoolAsync(&second, 0, pool, stream));
    CUmemAccess_flags flags = 99;
    CUmemLocation location = {1, device};
    CHECK("getaccess", cuda.cuMemPoolGetAccess(&flags, pool, &location), "fl=%d", flags);
    CHECK("getaccess-null", cuda.cuMemPoolGetAccess(NULL, pool, &location));
    CUmemAccessDesc access = {.location = location, .flags = 3};
    CHECK("setaccess", cuda.cuMemPoolSetAccess(pool, &access, 1));
    access.flags = 0;
    CHECK("setaccess-none-own", cuda.cuMemPoolSetAccess(pool, &access, 1));
    access.flags = 1;
    CHECK("setaccess-ro", cuda.cuMemPoolSetAccess(pool, &access, 1));
    CHECK("setaccess-0", cuda.cuMemPoolSetAccess(pool, NULL, 0));
    CHECK("setaccess-null", cuda.cuMemPoolSetAccess(pool, NULL, 1));
}

static void pool_of_device(void)
{
    CUmemoryPool current;

    CHECK("set-device-pool", cuda.cuDeviceSetMemPool(device, pool));
    current = 0;
    cuda.cuDeviceGetMemPool(&current, device);
    RECORD("device-pool-now", "is_p=%d", current == pool);
    CHECK("set-device-pool-null", cuda.cuDeviceSetMemPool(device, NULL));
    CHECK("destroy-with-live-alloc", cuda.cuMemPoolDestroy(pool));
    current = 0;
    CHECK("device-pool-after-destroy", cuda.cuDeviceGetMemPool(&current, device), "is_default=%d",
          current == default_pool);
    device_fill(first, 4096, 2);
    RECORD("alloc-after-pool-destroy", "data=%s", device_check(first, 4096, 2));
    CHECK("freeasync-after-pool-destroy", cuda.cuMemFreeAsync(first, stream));
    CHECK("sync", cuda.cuStreamSynchronize(stream));
}

static void pool_of_location(void)
{
    CUmemoryPool current;

    for (int location_type = 0; location_type < 5; location_type++)
        for (int type = 0; type < 4; type++) {
            CUmemLocation where = {location_type, 0};
            current = 0;
            CHECK(format("getdefault-loc%d-type%d", location_type, type),
                  cuda.cuMemGetDefaultMemPool(&current, &where, type), "is_device_default=%d",
                  current == default_pool);
            CHECK(format("getpool-loc%d-type%d", location_type, type),
                  cuda.cuMemGetMemPool(&current, &where, type), "is_device_default=%d",
                  current == default_pool);
        }
}

static void pool_share(void)
{
    CUmemoryPool current;

    pool_reset();
    properties.handleTypes = 1;
    pool = 0;
    cuda.cuMemPoolCreate(&pool, &properties);
    int fd = -7;
    CHECK("export", cuda.cuMemPoolExportToShareableHandle(&fd, pool, 1, 0), "fd_ok=%d", fd >= 0);
    CHECK("export-default-pool", cuda.cuMemPoolExportToShareableHandle(&fd, default_pool, 1, 0));
    CHECK("export-flags1", cuda.cuMemPoolExportToShareableHandle(&fd, pool, 1, 1));
    CHECK("export-type0", cuda.cuMemPoolExportToShareableHandle(&fd, pool, 0, 0));
    CHECK("export-type2", cuda.cuMemPoolExportToShareableHandle(&fd, pool, 2, 0));
    CHECK("export-null", cuda.cuMemPoolExportToShareableHandle(NULL, pool, 1, 0));
    CUmemoryPool imported = 0;
    CHECK("import-same-process",
          cuda.cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd, 1, 0), "same=%d",
          imported == pool);
    CHECK("import-fd-1",
          cuda.cuMemPoolImportFromShareableHandle(&current, (void *)(intptr_t)-1, 1, 0));
    CUmemPoolPtrExportData exported;
    cuda.cuMemAllocFromPoolAsync(&first, 4096, pool, stream);
    cuda.cuStreamSynchronize(stream);
    device_fill(first, 4096, 6);
    CHECK("export-ptr", cuda.cuMemPoolExportPointer(&exported, first));
    CHECK("export-ptr-interior", cuda.cuMemPoolExportPointer(&exported, first + 512));
    CHECK("export-ptr-dev", cuda.cuMemPoolExportPointer(&exported, device_alloc(64)));
    CHECK("export-ptr-null", cuda.cuMemPoolExportPointer(NULL, first));
    cuda.cuMemPoolExportPointer(&exported, first);
    second = UNTOUCHED;
    CHECK("import-ptr", cuda.cuMemPoolImportPointer(&second, imported, &exported), "same=%d",
          first == second);
    RECORD("import-ptr-data", "data=%s", second == UNTOUCHED ? "-" : device_check(second, 4096, 6));
    CHECK("import-ptr-exporting-pool", cuda.cuMemPoolImportPointer(&second, pool, &exported));
    CHECK("alloc-from-imported-pool", cuda.cuMemAllocFromPoolAsync(&second, 64, imported, stream));
    record_attributes("imported-attrs", imported);
}

GROUP(1302, pool, "pool")
{
    use_primary_context();
    stream = stream_new(0);
    second_stream = stream_new(CU_STREAM_NON_BLOCKING);

    pool_default();
    pool_sizes();
    pool_alloc_and_free();
    pool_reuse();
    pool_trim();
    pool_set_attributes();
    pool_create();
    pool_alloc_from();
    pool_of_device();
    pool_of_location();
    pool_share();
}

RISKY_HANDLE(9940, pool_attr_garbage, ({
                 cuuint64_t v;
                 cuda.cuMemPoolGetAttribute((CUmemoryPool)bad_handle, 4, &v);
             }))

RISKY_HANDLE(9940, pool_destroy_garbage, cuda.cuMemPoolDestroy((CUmemoryPool)bad_handle))
