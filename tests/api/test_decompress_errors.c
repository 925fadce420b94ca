/* SPDX-License-Identifier: MIT */
/* cuMemBatchDecompressAsync: rejected arguments, and data that is corrupt or too large. The latter
 * makes the device unusable, so each such case has its own device. */
#include "packed_text.h"
#include "unpack.h"

#include <dlfcn.h>
#include <fcntl.h>

enum { MARGIN = 256, UNTOUCHED = 12345 };

static CUmemDecompressParams good_entry(void)
{
    static struct place place;

    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    only_cupipe();
    if (!place.source)
        place = new_place(PACKED(packed_lz4), PLAIN_BYTES);
    return entry_of(&place, CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PLAIN_BYTES);
}

/* The second of three entries is bad. */
static void check_refused(CUmemDecompressParams bad)
{
    CUmemDecompressParams entries[3] = {good_entry(), bad, good_entry()};
    size_t index = UNTOUCHED;

    check_result(cuMemBatchDecompressAsync(entries, 3, 0, &index, NULL), CUDA_ERROR_INVALID_VALUE);
    check(index == 1);
    check_result(cuMemBatchDecompressAsync(entries, 3, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemBatchDecompressAsync(entries, 1, 0, &index, NULL));
    check_success(cuCtxSynchronize());
}

TEST(attributes_of_the_device)
{
    int value = 0;

    with_context();
    only_cupipe();
    check_success(
        cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0));
    check(value == 7);
    check_success(
        cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH, 0));
    check(value == 4 << 20);
}

TEST(errors_of_the_whole_batch)
{
    CUmemDecompressParams entry = good_entry();
    size_t index = UNTOUCHED;

    check_result(cuMemBatchDecompressAsync(NULL, 1, 0, &index, NULL), CUDA_ERROR_INVALID_VALUE);
    check(index == SIZE_MAX);
    index = UNTOUCHED;
    check_result(cuMemBatchDecompressAsync(&entry, 0, 0, &index, NULL), CUDA_ERROR_INVALID_VALUE);
    check(index == SIZE_MAX);
    index = UNTOUCHED;
    check_result(cuMemBatchDecompressAsync(&entry, 1, 1, &index, NULL), CUDA_ERROR_INVALID_VALUE);
    check(index == SIZE_MAX);
    index = UNTOUCHED;
    check_result(cuMemBatchDecompressAsync(&entry, 1, 0, &index, (CUstream)&entry),
                 CUDA_ERROR_INVALID_HANDLE);
    check(index == SIZE_MAX);
    index = UNTOUCHED;
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, &index, NULL));
    check(index == UNTOUCHED);
    check_result(cuMemBatchDecompressAsync((void *)64, 1, 0, &index, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check(index == 0);
}

TEST(without_a_context)
{
    CUmemDecompressParams entry = {.algo = CU_MEM_DECOMPRESS_ALGORITHM_LZ4};

    check_result(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(algorithms)
{
    static const int unknown[] = {0, 3, 5, 7, 8, 99, -1};
    CUmemDecompressParams entry = good_entry();

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        entry.algo = (CUmemDecompressAlgorithm)unknown[i];
        check_refused(entry);
    }
}

TEST(sizes)
{
    CUmemDecompressParams good = good_entry(), entry = good;

    entry.srcNumBytes = 0;
    check_refused(entry);
    entry.srcNumBytes = sizeof(packed_lz4) + 1;
    check_refused(entry);
    entry.srcNumBytes = SIZE_MAX;
    check_refused(entry);
    entry = good;
    entry.dstNumBytes = PLAIN_BYTES + 1;
    check_refused(entry);
    entry.dstNumBytes = ((size_t)4 << 20) + 1;
    check_refused(entry);
    entry.dstNumBytes = SIZE_MAX;
    check_refused(entry);
}

static void check_pointer_refused(void *pointer)
{
    CUmemDecompressParams good = good_entry(), entry = good;

    entry.src = pointer;
    check_refused(entry);
    entry = good;
    entry.dst = pointer;
    check_refused(entry);
    entry.dstNumBytes = 0;
    check_refused(entry);
    entry = good;
    if (pointer) {
        entry.dstActBytes = pointer;
        check_refused(entry);
    }
}

TEST(only_memory_that_is_capable)
{
    static unsigned char pageable[1 << 16];
    CUdeviceptr freed;
    void *pinned;

    good_entry();
    check_pointer_refused(NULL);
    check_pointer_refused((void *)64);
    check_pointer_refused(pageable);
    check_success(cuMemHostAlloc(&pinned, sizeof(pageable), 0));
    check_pointer_refused(pinned);
    check_success(cuMemHostRegister(pageable, sizeof(pageable), 0));
    check_pointer_refused(pageable);
    check_success(cuMemAlloc(&freed, 4 << 20));
    check_success(cuMemFree(freed));
    check_pointer_refused((void *)(uintptr_t)freed);
}

/* Streams that end badly. */
struct misfortune {
    CUmemDecompressAlgorithm algorithm;
    const unsigned char *packed;
    size_t packed_bytes;
    size_t room_bytes; /* PLAIN_BYTES are needed */
    int changed_byte;  /* or -1 */
};

#define DEFLATE(bytes, room, changed)                                                              \
    {                                                                                              \
        CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, packed_deflate_dynamic, bytes, room, changed          \
    }
#define SNAPPY(skipped, bytes, room, changed)                                                      \
    {                                                                                              \
        CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy + (skipped), (bytes) - (skipped), room,  \
            changed                                                                                \
    }
#define LZ4(bytes, room, changed)                                                                  \
    {                                                                                              \
        CU_MEM_DECOMPRESS_ALGORITHM_LZ4, packed_lz4, bytes, room, changed                          \
    }

static const struct misfortune misfortunes[] = {
    DEFLATE(sizeof(packed_deflate_dynamic) / 2, PLAIN_BYTES, -1),
    DEFLATE(sizeof(packed_deflate_dynamic), PLAIN_BYTES - 1, -1),
    DEFLATE(sizeof(packed_deflate_dynamic), 1, -1),
    DEFLATE(sizeof(packed_deflate_dynamic), PLAIN_BYTES, 0),
    SNAPPY(0, sizeof(packed_snappy) / 2, PLAIN_BYTES, -1),
    SNAPPY(0, sizeof(packed_snappy), PLAIN_BYTES - 1, -1),
    SNAPPY(0, sizeof(packed_snappy), PLAIN_BYTES, 2),
    SNAPPY(2, sizeof(packed_snappy), PLAIN_BYTES - 1, -1),
    SNAPPY(2, sizeof(packed_snappy), PLAIN_BYTES, 0),
    LZ4(sizeof(packed_lz4) - 1, PLAIN_BYTES, -1),
    LZ4(sizeof(packed_lz4), PLAIN_BYTES - 1, -1),
    LZ4(sizeof(packed_lz4), 1, -1),
    LZ4(sizeof(packed_lz4), PLAIN_BYTES, 0),
};
enum { MISFORTUNES = sizeof(misfortunes) / sizeof(misfortunes[0]) };

/* The device fails by then, so its memory is looked at from the host, where cupipe has it too. */
static void check_margin(CUdeviceptr at)
{
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)at;

    for (size_t i = 0; i < MARGIN; i++)
        check(bytes[i] == FILLING);
}

static void check_misfortune(const struct misfortune *misfortune, int device)
{
    CUcontext context;
    unsigned char packed[1024];
    char plain[PLAIN_BYTES + 1];

    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
    memcpy(packed, misfortune->packed, misfortune->packed_bytes);
    if (misfortune->changed_byte >= 0)
        packed[misfortune->changed_byte] ^= 0xff;
    struct place bad = new_place(packed, misfortune->packed_bytes, PLAIN_BYTES + 2 * MARGIN);
    struct place good = new_place(PACKED(packed_lz4), PLAIN_BYTES);
    CUmemDecompressParams entries[2] = {
        entry_of(&bad, misfortune->algorithm, misfortune->room_bytes),
        entry_of(&good, CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PLAIN_BYTES),
    };
    entries[0].dst = (void *)(uintptr_t)(bad.destination + MARGIN);
    check_success(cuMemBatchDecompressAsync(entries, 2, 0, NULL, NULL));
    check_result(cuStreamSynchronize(NULL), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check_margin(bad.destination);
    check_margin(bad.destination + MARGIN + misfortune->room_bytes);
    check(*entries[0].dstActBytes == 0);
    plain_text(plain);
    check(*entries[1].dstActBytes == PLAIN_BYTES);
    check(memcmp(entries[1].dst, plain, PLAIN_BYTES) == 0);
}

TEST(corrupt_truncated_and_too_large)
{
    char devices[16], name[] = "/tmp/cupipe_decompress_XXXXXX", setting[64], log[1 << 14] = "";
    int file = mkstemp(name);

    snprintf(devices, sizeof(devices), "%d", MISFORTUNES);
    snprintf(setting, sizeof(setting), "error:%s", name);
    check(file >= 0 && setenv("CUPIPE_LOG", setting, 1) == 0);
    check(setenv("CUPIPE_DEVICES", devices, 1) == 0 && setenv("CUPIPE_MEMORY", "64M", 1) == 0);
    check_success(cuInit(0));
    only_cupipe();
    need_libraries();
    for (int i = 0; i < MISFORTUNES; i++)
        check_misfortune(&misfortunes[i], i);
    check(read(file, log, sizeof(log) - 1) > 0);
    unlink(name);
    for (int i = 0; i < MISFORTUNES; i++) {
        char *line = strstr(log, "entry 0 of 2");
        check(line != NULL);
        *line = '-';
    }
}

/* Stands before the C library's: a library that the test hides is not there. */
static const char *hidden;

void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int);
    void *address = dlsym(RTLD_NEXT, "dlopen");

    if (hidden && file && strcmp(file, hidden) == 0)
        return NULL;
    memcpy(&next, &address, sizeof(next));
    return next(file, mode);
}

TEST(a_library_that_is_not_installed)
{
    char name[] = "/tmp/cupipe_decompress_XXXXXX", setting[64], log[4096] = "";
    int file = mkstemp(name);
    size_t index = UNTOUCHED;

    hidden = "libsnappy.so.1";
    snprintf(setting, sizeof(setting), "error:%s", name);
    check(file >= 0 && setenv("CUPIPE_LOG", setting, 1) == 0);
    CUmemDecompressParams entries[2] = {good_entry(), good_entry()};
    entries[1].algo = CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY;
    for (int i = 0; i < 3; i++)
        check_result(cuMemBatchDecompressAsync(entries, 2, 0, &index, NULL),
                     CUDA_ERROR_NOT_SUPPORTED);
    check(index == 1);
    check_success(cuMemBatchDecompressAsync(entries, 1, 0, NULL, NULL));
    check_success(cuCtxSynchronize());
    check(read(file, log, sizeof(log) - 1) > 0);
    unlink(name);
    char *line = strstr(log, "libsnappy1v5");
    check(line && !strstr(line + 1, "libsnappy1v5"));
}

/* Memory of cuMemCreate, on the device or the host, with a mapping that device 0 may use. */
static CUdeviceptr map_memory(CUmemLocationType type, unsigned short usage)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {type, 0},
                                      .allocFlags = {.usage = usage}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;

    check_success(cuMemCreate(&handle, 2 << 20, &properties, 0));
    check_success(cuMemAddressReserve(&address, 2 << 20, 0, 0, 0));
    check_success(cuMemMap(address, 2 << 20, 0, handle, 0));
    check_success(cuMemSetAccess(address, 2 << 20, &access, 1));
    return address;
}

static void check_capable(CUdeviceptr address, int expected)
{
    int capable = 7;

    check_success(
        cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, address));
    check(capable == expected);
}

TEST(virtual_memory_must_be_made_for_it)
{
    CUmemDecompressParams entry = good_entry();
    char plain[PLAIN_BYTES + 1], got[PLAIN_BYTES];

    CUdeviceptr without = map_memory(CU_MEM_LOCATION_TYPE_DEVICE, 0);
    check_capable(without, 0);
    check_pointer_refused((void *)(uintptr_t)without);
    CUdeviceptr with = map_memory(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_CREATE_USAGE_HW_DECOMPRESS);
    check_capable(with, 1);
    entry.dst = (void *)(uintptr_t)with;
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL));
    check_success(cuMemcpyDtoH(got, with, PLAIN_BYTES));
    plain_text(plain);
    check(memcmp(got, plain, PLAIN_BYTES) == 0);
}

static CUdeviceptr pool_memory(unsigned short usage)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                 .usage = usage};
    CUmemoryPool pool;
    CUdeviceptr address;

    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&address, 1 << 20, pool, NULL));
    check_success(cuStreamSynchronize(NULL));
    return address;
}

TEST(a_pool_must_be_made_for_it)
{
    CUmemDecompressParams entry = good_entry();

    CUdeviceptr without = pool_memory(0);
    check_capable(without, 0);
    check_pointer_refused((void *)(uintptr_t)without);
    CUdeviceptr with = pool_memory(CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS);
    check_capable(with, 1);
    entry.dst = (void *)(uintptr_t)with;
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL));
    check_success(cuCtxSynchronize());
}

TEST(memory_of_another_device_needs_peer_access)
{
    CUcontext other;

    check(setenv("CUPIPE_DEVICES", "2", 1) == 0);
    CUmemDecompressParams entry = good_entry();
    CUcontext context;
    CUdeviceptr memory;

    check_success(cuCtxGetCurrent(&context));
    check_success(cuDevicePrimaryCtxRetain(&other, 1));
    check_success(cuCtxSetCurrent(other));
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_success(cuCtxSetCurrent(context));
    check_pointer_refused((void *)(uintptr_t)memory);
    check_success(cuCtxEnablePeerAccess(other, 0));
    entry.dst = (void *)(uintptr_t)memory;
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL));
    check_success(cuCtxSynchronize());
}
