/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory management: reserve, create, map, access, share.
 */
#include "recorder.h"

static CUmemAllocationProp device_properties(void)
{
    CUmemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = 1;
    properties.location.type = 1;
    properties.location.id = device;
    return properties;
}

static CUmemAccessDesc device_access(int protection)
{
    return (CUmemAccessDesc){.location = {.type = 1, .id = device}, .flags = protection};
}

static int compression_of(CUmemGenericAllocationHandle handle)
{
    CUmemAllocationProp got;
    memset(&got, 0, sizeof got);
    cuda.cuMemGetAllocationPropertiesFromHandle(&got, handle);
    return got.allocFlags.compressionType;
}

enum { SIZE = 2 * MB };
static const size_t vmm_sizes_tried[] = {0,          1,      4096,   65536,      2 * MB - 1, 2 * MB,
                                         2 * MB + 1, 3 * MB, 4 * MB, 1ull << 44, SIZE_MAX};
static CUdeviceptr range;
static CUmemGenericAllocationHandle handle;

static void vmm_kinds(void)
{
    size_t granularity;
    CUmemAllocationProp properties = device_properties();

    for (int option = 0; option < 3; option++) {
        granularity = 77;
        CHECK(format("granularity-opt%d", option),
              cuda.cuMemGetAllocationGranularity(&granularity, &properties, option), "g=%zu",
              granularity);
    }
    CHECK("granularity-null", cuda.cuMemGetAllocationGranularity(NULL, &properties, 0));
    CHECK("granularity-null-prop", cuda.cuMemGetAllocationGranularity(&granularity, NULL, 0));

    for (int type = 0; type < 4; type++)
        for (int location_type = 0; location_type < 5; location_type++)
            for (int id = -1; id < 2; id++) {
                properties = device_properties();
                properties.type = type;
                properties.location.type = location_type;
                properties.location.id = id;
                granularity = 77;
                CHECK(format("gran-type%d-loc%d-id%d", type, location_type, id),
                      cuda.cuMemGetAllocationGranularity(&granularity, &properties, 0), "g=%zu",
                      granularity);
                handle = UNTOUCHED;
                if (!CHECK(format("create-type%d-loc%d-id%d", type, location_type, id),
                           cuda.cuMemCreate(&handle, SIZE, &properties, 0), "out=%s",
                           out_state(handle)))
                    cuda.cuMemRelease(handle);
            }
}

static void vmm_properties(void)
{
    size_t granularity;
    CUmemAllocationProp properties;

    for (int bit = -1; bit < 5; bit++) {
        properties = device_properties();
        properties.requestedHandleTypes = bit < 0 ? 0 : 1u << bit;
        handle = UNTOUCHED;
        granularity = 77;
        cuda.cuMemGetAllocationGranularity(&granularity, &properties, 0);
        if (!CHECK(format("create-handletype-%d", bit < 0 ? 0 : 1 << bit),
                   cuda.cuMemCreate(&handle, SIZE, &properties, 0), "out=%s gran=%zu",
                   out_state(handle), granularity))
            cuda.cuMemRelease(handle);
    }

    properties = device_properties();
    for (int choice = 0; choice < 3; choice++) {
        properties.allocFlags.compressionType = choice;
        if (!CHECK(format("create-compression%d", choice),
                   cuda.cuMemCreate(&handle, SIZE, &properties, 0), "got=%d",
                   result ? 0 : compression_of(handle)))
            cuda.cuMemRelease(handle);
    }
    properties = device_properties();
    for (int choice = 1; choice < 9; choice *= 2) {
        properties.allocFlags.usage = choice;
        if (!CHECK(format("create-usage%d", choice),
                   cuda.cuMemCreate(&handle, SIZE, &properties, 0)))
            cuda.cuMemRelease(handle);
    }
    properties = device_properties();
    properties.allocFlags.gpuDirectRDMACapable = 1;
    if (!CHECK("create-rdma", cuda.cuMemCreate(&handle, SIZE, &properties, 0)))
        cuda.cuMemRelease(handle);
    properties = device_properties();
    properties.allocFlags.reserved[0] = 1;
    if (!CHECK("create-reserved", cuda.cuMemCreate(&handle, SIZE, &properties, 0)))
        cuda.cuMemRelease(handle);
}

static void vmm_sizes(void)
{
    CUmemAllocationProp properties = device_properties();

    for (size_t i = 0; i < COUNT_OF(vmm_sizes_tried); i++) {
        handle = UNTOUCHED;
        if (!CHECK(format("create-size-%zu", vmm_sizes_tried[i]),
                   cuda.cuMemCreate(&handle, vmm_sizes_tried[i], &properties, 0), "out=%s",
                   out_state(handle)))
            cuda.cuMemRelease(handle);
    }
    CHECK("create-null-out", cuda.cuMemCreate(NULL, SIZE, &properties, 0));
    CHECK("create-null-prop", cuda.cuMemCreate(&handle, SIZE, NULL, 0));
    CHECK("create-flags1", cuda.cuMemCreate(&handle, SIZE, &properties, 1));
}

static void vmm_reserve(void)
{
    for (size_t i = 0; i < COUNT_OF(vmm_sizes_tried); i++) {
        range = UNTOUCHED;
        if (!CHECK(format("reserve-size-%zu", vmm_sizes_tried[i]),
                   cuda.cuMemAddressReserve(&range, vmm_sizes_tried[i], 0, 0, 0), "out=%s a2m=%d",
                   out_state(range), range % SIZE == 0))
            cuda.cuMemAddressFree(range, vmm_sizes_tried[i]);
    }
    static const size_t alignments[] = {0,      1,      2,          3,          4096,  65536,
                                        2 * MB, 4 * MB, 1ull << 30, 1ull << 40, 3 * MB};
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        range = UNTOUCHED;
        if (!CHECK(format("reserve-align-%zu", alignments[i]),
                   cuda.cuMemAddressReserve(&range, SIZE, alignments[i], 0, 0), "aligned=%d",
                   alignments[i] ? range % alignments[i] == 0 : range % SIZE == 0))
            cuda.cuMemAddressFree(range, SIZE);
    }
    CHECK("reserve-null", cuda.cuMemAddressReserve(NULL, SIZE, 0, 0, 0));
    CHECK("reserve-flags1", cuda.cuMemAddressReserve(&range, SIZE, 0, 0, 1));
    cuda.cuMemAddressReserve(&range, SIZE, 0, 0, 0);
    CUdeviceptr second = UNTOUCHED;
    CHECK("reserve-hint-taken", cuda.cuMemAddressReserve(&second, SIZE, 0, range, 0), "same=%d",
          range == second);
    cuda.cuMemAddressFree(second, SIZE);
    cuda.cuMemAddressFree(range, SIZE);
    second = UNTOUCHED;
    CHECK("reserve-hint-free", cuda.cuMemAddressReserve(&second, SIZE, 0, range, 0), "same=%d",
          range == second);
    cuda.cuMemAddressFree(second, SIZE);
    second = UNTOUCHED;
    CHECK("reserve-hint-unaligned", cuda.cuMemAddressReserve(&second, SIZE, 0, range + 4096, 0),
          "same=%d", range == second);
    cuda.cuMemAddressFree(second, SIZE);
}

static void vmm_map(void)
{
    CUmemAllocationProp properties = device_properties();

    cuda.cuMemAddressReserve(&range, 4 * SIZE, 0, 0, 0);
    CHECK("addrfree-wrong-size", cuda.cuMemAddressFree(range, SIZE));
    CHECK("addrfree-interior", cuda.cuMemAddressFree(range + SIZE, SIZE));
    CHECK("addrfree-0", cuda.cuMemAddressFree(range, 0));
    CHECK("addrfree-null", cuda.cuMemAddressFree(0, SIZE));
    cuda.cuMemCreate(&handle, 2 * SIZE, &properties, 0);

    CHECK("map-off-nonzero", cuda.cuMemMap(range, SIZE, SIZE, handle, 0));
    CHECK("map-flags1", cuda.cuMemMap(range, SIZE, 0, handle, 1));
    CHECK("map-size0", cuda.cuMemMap(range, 0, 0, handle, 0));
    CHECK("map-unaligned-size", cuda.cuMemMap(range, SIZE + 4096, 0, handle, 0));
    CHECK("map-unaligned-ptr", cuda.cuMemMap(range + 4096, SIZE, 0, handle, 0));
    CHECK("map-too-big", cuda.cuMemMap(range, 4 * SIZE, 0, handle, 0));
    CHECK("map-partial", cuda.cuMemMap(range, SIZE, 0, handle, 0));
    CHECK("unmap-partial", cuda.cuMemUnmap(range, SIZE));
    CHECK("map", cuda.cuMemMap(range, 2 * SIZE, 0, handle, 0));
    CHECK("map-twice", cuda.cuMemMap(range, 2 * SIZE, 0, handle, 0));
    CHECK("map-overlap", cuda.cuMemMap(range + SIZE, 2 * SIZE, 0, handle, 0));
    CHECK("map-second-place", cuda.cuMemMap(range + 2 * SIZE, 2 * SIZE, 0, handle, 0));
    CHECK("map-handle0", cuda.cuMemMap(range, SIZE, 0, 0, 0));
    CHECK("map-unreserved", cuda.cuMemMap(0x10000000000ull, SIZE, 0, handle, 0));
    CHECK("addrfree-while-mapped", cuda.cuMemAddressFree(range, 4 * SIZE));
}

static void vmm_access(void)
{
    CUmemAllocationProp properties = device_properties();
    CUmemAccessDesc access = device_access(3);

    unsigned long long flags = 99;
    CUmemLocation location = {1, device};
    CHECK("getaccess-before", cuda.cuMemGetAccess(&flags, &location, range), "fl=%llu", flags);
    CHECK("copy-before-access", cuda.cuMemcpyHtoD(range, &properties, 64));
    CHECK("memset-before-access", cuda.cuMemsetD8(range, 0, 64));
    CHECK("setaccess", cuda.cuMemSetAccess(range, 2 * SIZE, &access, 1));
    CHECK("getaccess", cuda.cuMemGetAccess(&flags, &location, range), "fl=%llu", flags);
    CHECK("getaccess-interior", cuda.cuMemGetAccess(&flags, &location, range + 100), "fl=%llu",
          flags);
    device_fill(range, 65536, 4);
    RECORD("data", "data=%s alias_before_access=%s", device_check(range, 65536, 4), "-");
    CHECK("setaccess-alias", cuda.cuMemSetAccess(range + 2 * SIZE, 2 * SIZE, &access, 1));
    RECORD("alias-data", "data=%s", device_check(range + 2 * SIZE, 65536, 4));
    CHECK("setaccess-span-both", cuda.cuMemSetAccess(range, 4 * SIZE, &access, 1));
    CHECK("setaccess-half", cuda.cuMemSetAccess(range, SIZE, &access, 1));
    CHECK("setaccess-0", cuda.cuMemSetAccess(range, 0, &access, 1));
    CHECK("setaccess-count0", cuda.cuMemSetAccess(range, 2 * SIZE, &access, 0));
    CHECK("setaccess-null", cuda.cuMemSetAccess(range, 2 * SIZE, NULL, 1));
}

static void vmm_access_kinds(void)
{
    unsigned long long flags = 99;
    CUmemAllocationProp got;
    CUmemAccessDesc access = device_access(3);

    for (int protection = 0; protection < 6; protection++) {
        CUmemAccessDesc other_access = device_access(protection);
        CHECK(format("setaccess-prot%d", protection),
              cuda.cuMemSetAccess(range, 2 * SIZE, &other_access, 1));
    }
    for (int location_type = 0; location_type < 5; location_type++)
        for (int id = 0; id < 2; id++) {
            CUmemAccessDesc other_access = {{location_type, id}, 3};
            CHECK(format("setaccess-loc%d-id%d", location_type, id),
                  cuda.cuMemSetAccess(range, 2 * SIZE, &other_access, 1));
            CUmemLocation other_location = {location_type, id};
            flags = 99;
            CHECK(format("getaccess-loc%d-id%d", location_type, id),
                  cuda.cuMemGetAccess(&flags, &other_location, range), "fl=%llu", flags);
        }
    CUmemAccessDesc read_only = device_access(1);
    CHECK("setaccess-readonly", cuda.cuMemSetAccess(range, 2 * SIZE, &read_only, 1));
    CHECK("readonly-read", cuda.cuMemcpyDtoH(&got, range, 16));
    CHECK("readonly-write", cuda.cuMemsetD8(range, 0, 16), "sync=%s", sync_stream(0));
    CHECK("setaccess-back", cuda.cuMemSetAccess(range, 2 * SIZE, &access, 1));
}

static void vmm_handles(void)
{
    CUmemAllocationProp got;
    CUmemGenericAllocationHandle retained;

    memset(&got, 0xA5, sizeof got);
    CHECK("props", cuda.cuMemGetAllocationPropertiesFromHandle(&got, handle),
          "type=%d ht=%d loc=%d,%d comp=%d rdma=%d usage=%d", got.type, got.requestedHandleTypes,
          got.location.type, got.location.id, got.allocFlags.compressionType,
          got.allocFlags.gpuDirectRDMACapable, got.allocFlags.usage);
    CHECK("props-null", cuda.cuMemGetAllocationPropertiesFromHandle(NULL, handle));
    CHECK("props-handle0", cuda.cuMemGetAllocationPropertiesFromHandle(&got, 0));
    retained = 0;
    CHECK("retain", cuda.cuMemRetainAllocationHandle(&retained, as_host(range + 100)), "same=%d",
          handle == retained);
    CHECK("retain-null-out", cuda.cuMemRetainAllocationHandle(NULL, as_host(range)));
    CHECK("retain-dev-mem",
          cuda.cuMemRetainAllocationHandle(&retained, as_host(device_alloc(4096))));
    CHECK("retain-null", cuda.cuMemRetainAllocationHandle(&retained, NULL));
    CHECK("release-retained", cuda.cuMemRelease(handle));
    CHECK("release", cuda.cuMemRelease(handle));
    RECORD("mapped-after-release", "data_readable=%s", device_check(range + 2 * SIZE, 16, 0));
    CHECK("props-after-release-still-mapped",
          cuda.cuMemGetAllocationPropertiesFromHandle(&got, handle));
    CHECK("release0", cuda.cuMemRelease(0));
}

static void vmm_unmap(void)
{
    CHECK("unmap-half", cuda.cuMemUnmap(range, SIZE));
    CHECK("unmap-interior", cuda.cuMemUnmap(range + SIZE, SIZE));
    CHECK("unmap-all-4", cuda.cuMemUnmap(range, 4 * SIZE));
    CHECK("unmap-again", cuda.cuMemUnmap(range, 4 * SIZE));
    CHECK("unmap-null", cuda.cuMemUnmap(0, SIZE));
    CHECK("unmap-size0", cuda.cuMemUnmap(range, 0));
    CHECK("addrfree", cuda.cuMemAddressFree(range, 4 * SIZE));
    CHECK("addrfree-twice", cuda.cuMemAddressFree(range, 4 * SIZE));
}

GROUP(1300, vmm, "vmm")
{
    use_primary_context();
    vmm_kinds();
    vmm_properties();
    vmm_sizes();
    vmm_reserve();
    vmm_map();
    vmm_access();
    vmm_access_kinds();
    vmm_handles();
    vmm_unmap();
}

GROUP(1301, vmmshare, "vmmshare")
{
    int pipes[2];
    if (pipe(pipes))
        return;
    use_primary_context();
    CUmemGenericAllocationHandle shared = 0, imported = 0, unshared = 0;
    int fd = -7, second_fd = -7;
    CUdeviceptr ptr = mapped_alloc(SIZE, 1, &shared);
    CUmemAllocationProp properties = device_properties(), got;
    cuda.cuMemCreate(&unshared, SIZE, &properties, 0);
    device_fill(ptr, 4096, 3);

    CHECK("export", cuda.cuMemExportToShareableHandle(&fd, shared, 1, 0), "fd_ok=%d", fd >= 0);
    CHECK("export-again", cuda.cuMemExportToShareableHandle(&second_fd, shared, 1, 0), "new_fd=%d",
          second_fd != fd);
    for (int type = 0; type <= 16; type = type ? type * 2 : 1) {
        int out = -7;
        CHECK(format("export-type%d", type),
              cuda.cuMemExportToShareableHandle(&out, shared, type, 0));
        CHECK(format("export-none-type%d", type),
              cuda.cuMemExportToShareableHandle(&out, unshared, type, 0));
    }
    CHECK("export-flags1", cuda.cuMemExportToShareableHandle(&second_fd, shared, 1, 1));
    CHECK("export-null", cuda.cuMemExportToShareableHandle(NULL, shared, 1, 0));
    CHECK("export-handle0", cuda.cuMemExportToShareableHandle(&second_fd, 0, 1, 0));

    CHECK("import-same-process",
          cuda.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd, 1),
          "same_handle=%d fd_open=%d", imported == shared, fcntl(fd, F_GETFD) >= 0);
    memset(&got, 0, sizeof got);
    CHECK("import-props", cuda.cuMemGetAllocationPropertiesFromHandle(&got, imported),
          "type=%d ht=%d loc=%d", got.type, got.requestedHandleTypes, got.location.type);
    CUdeviceptr second = 0;
    cuda.cuMemAddressReserve(&second, SIZE, 0, 0, 0);
    CHECK("import-map", cuda.cuMemMap(second, SIZE, 0, imported, 0));
    CUmemAccessDesc access = device_access(3);
    CHECK("import-access", cuda.cuMemSetAccess(second, SIZE, &access, 1));
    RECORD("import-data", "data=%s", device_check(second, 4096, 3));
    CHECK("import-fd-1", cuda.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)-1, 1));
    CHECK("import-devnull", cuda.cuMemImportFromShareableHandle(
                                &imported, (void *)(intptr_t)open("/dev/null", O_RDWR), 1));
    CHECK("import-badtype",
          cuda.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd, 0));
    CHECK("import-type2", cuda.cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd, 2));
    CHECK("import-null-out", cuda.cuMemImportFromShareableHandle(NULL, (void *)(intptr_t)fd, 1));
    CHECK("reexport-imported", cuda.cuMemExportToShareableHandle(&second_fd, imported, 1, 0));
}

RISKY_HANDLE(9940, vmm_release_garbage,
             cuda.cuMemRelease((CUmemGenericAllocationHandle)(uintptr_t)bad_handle))

RISKY(9940, vmm_release_twice, ({
          CUmemAllocationProp p = device_properties();
          CUmemGenericAllocationHandle h = 0;
          cuda.cuMemCreate(&h, 2 * MB, &p, 0);
          cuda.cuMemRelease(h);
          cuda.cuMemRelease(h);
      }))
