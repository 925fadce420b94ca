/* SPDX-License-Identifier: MIT */
/*
 * External memory and semaphores. The memory comes from the driver itself, through a file
 * descriptor.
 */
#include "recorder.h"

static CUstream async_stream;

static int exported_memory(size_t size, CUmemGenericAllocationHandle *handle, CUdeviceptr *ptr)
{
    int fd = -1;
    *handle = 0;
    *ptr = mapped_alloc(size, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, handle);
    cuda.cuMemExportToShareableHandle(&fd, *handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    return fd;
}

static int duplicate(int fd)
{
    return fd < 0 ? fd : dup(fd);
}

static CUDA_EXTERNAL_MEMORY_HANDLE_DESC import_desc(int type, int fd, unsigned long long size,
                                                    unsigned flags)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc;
    memset(&desc, 0, sizeof desc);
    desc.type = type;
    desc.handle.fd = fd;
    desc.size = size;
    desc.flags = flags;
    return desc;
}

static void check_import_desc(const char *name, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc)
{
    CUexternalMemory imported = (CUexternalMemory)UNTOUCHED;
    const char *state;
    CHECK_THEN(name, cuda.cuImportExternalMemory(&imported, desc), state = out_state(imported);
               if (!result) cuda.cuDestroyExternalMemory(imported), "out=%s", state);
}

static void check_import(const char *name, int type, int fd, unsigned long long size,
                         unsigned flags)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = import_desc(type, fd, size, flags);
    check_import_desc(name, &desc);
}

static void check_map(const char *name, CUexternalMemory imported, unsigned long long offset,
                      unsigned long long size, unsigned flags)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc;
    memset(&desc, 0, sizeof desc);
    desc.offset = offset;
    desc.size = size;
    desc.flags = flags;
    CUdeviceptr ptr = UNTOUCHED;
    const char *state, *range;
    CUresult freed;
    CHECK_THEN(name, cuda.cuExternalMemoryGetMappedBuffer(&ptr, imported, &desc),
               state = out_state(ptr);
               range = result ? "-" : range_of(ptr);
               freed = result ? CUDA_SUCCESS : cuda.cuMemFree(ptr), "out=%s range=%s free=%s",
               state, range, result_name(freed));
}

static CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC mip_desc;

static void mip_reset(void)
{
    memset(&mip_desc, 0, sizeof mip_desc);
    mip_desc.arrayDesc = (CUDA_ARRAY3D_DESCRIPTOR){256, 256, 0, 0x20, 1, 0};
    mip_desc.numLevels = 1;
}

static void check_mip(const char *name, CUexternalMemory imported)
{
    CUmipmappedArray mip = (CUmipmappedArray)UNTOUCHED;
    const char *state;
    CUresult freed;
    CHECK_THEN(name, cuda.cuExternalMemoryGetMappedMipmappedArray(&mip, imported, &mip_desc),
               state = out_state(mip);
               freed = result ? CUDA_SUCCESS : cuda.cuMipmappedArrayDestroy(mip),
               "out=%s destroy=%s", state, result_name(freed));
}

/* Maps a mipmapped array with one change to a plain descriptor. */
#define CHECK_MIP_WITH(name, change)                                                               \
    do {                                                                                           \
        mip_reset();                                                                               \
        change;                                                                                    \
        check_mip(name, imported);                                                                 \
    } while (0)

enum { SIZE = 4 * MB };
static CUmemGenericAllocationHandle handle;
static CUdeviceptr mapped;
static int fd;
static CUexternalMemory imported, imported_again;

static void extmem_import_kinds(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc;

    for (int type = 0; type <= 11; type++) {
        check_import(format("type%d-fd-1", type), type, -1, SIZE, 0);
    }
    check_import("fd-not-open", 1, 9999, SIZE, 0);
    int null_fd = open("/dev/null", O_RDWR);
    check_import("fd-devnull", 1, null_fd, SIZE, 0);
    int memfd = memfd_create("x", 0);
    if (ftruncate(memfd, SIZE))
        memfd = -1;
    check_import("fd-memfd", 1, duplicate(memfd), SIZE, 0);
    check_import("dmabuf-type-memfd", 9, duplicate(memfd), SIZE, 0);
    check_import("size0", 1, duplicate(fd), 0, 0);
    check_import("ok", 1, duplicate(fd), SIZE, 0);
    check_import("size-half", 1, duplicate(fd), SIZE / 2, 0);
    check_import("size+1", 1, duplicate(fd), SIZE + 1, 0);
    check_import("size-double", 1, duplicate(fd), 2 * SIZE, 0);
    check_import("size1", 1, duplicate(fd), 1, 0);
    check_import("size-max", 1, duplicate(fd), ~0ull, 0);
    check_import("dedicated", 1, duplicate(fd), SIZE, 1);
    for (int bit = 1; bit < 32; bit += bit < 4 ? 1 : 9)
        check_import(format("flagbit%d", bit), 1, duplicate(fd), SIZE, 1u << bit);
    desc = import_desc(1, duplicate(fd), SIZE, 0);
    desc.reserved[0] = 1;
    check_import_desc("reserved-nonzero", &desc);
    desc = import_desc(1, duplicate(fd), SIZE, 0);
    CHECK("null-out", cuda.cuImportExternalMemory(NULL, &desc));
    CHECK("null-desc", cuda.cuImportExternalMemory(&imported, NULL));
    check_import("type99", 99, duplicate(fd), SIZE, 0);
    check_import("type-dmabuf-with-cumem-fd", 9, duplicate(fd), SIZE, 0);
    int dmabuf = -1;
    CUdeviceptr device_ptr = device_alloc(SIZE);
    if (!cuda.cuMemGetHandleForAddressRange(&dmabuf, device_ptr, SIZE, 1, 0)) {
        check_import("type-dmabuf-real", 9, duplicate(dmabuf), SIZE, 0);
        check_import("opaque-with-dmabuf", 1, duplicate(dmabuf), SIZE, 0);
    }
}

/* Imports the memory twice, as x and x2; nonzero when the first fails. */
static CUresult extmem_import(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc;

    int first_fd = duplicate(fd);
    desc = import_desc(1, first_fd, SIZE, 0);
    imported = (CUexternalMemory)UNTOUCHED;
    CUresult failed = CHECK("import", cuda.cuImportExternalMemory(&imported, &desc),
                            "fd_closed_by_import=%d", fcntl(first_fd, F_GETFD) < 0);
    int second_fd = duplicate(fd);
    imported_again = 0;
    desc.handle.fd = second_fd;
    CHECK("import-second", cuda.cuImportExternalMemory(&imported_again, &desc), "same_handle=%d",
          imported_again == imported);

    return failed;
}

static void extmem_map_nothing(void)
{
    CUdeviceptr ptr;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc;
    CHECK("get-null-mem", cuda.cuExternalMemoryGetMappedBuffer(&ptr, NULL, &desc));
    CHECK("destroy-null", cuda.cuDestroyExternalMemory(NULL));
}

static void extmem_map(void)
{
    CUdeviceptr ptr;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc;

    check_map("map-full", imported, 0, SIZE, 0);
    check_map("map-0", imported, 0, 0, 0);
    check_map("map-1", imported, 0, 1, 0);
    check_map("map-off1", imported, 1, 4096, 0);
    check_map("map-off256", imported, 256, 4096, 0);
    check_map("map-off4096", imported, 4096, 4096, 0);
    check_map("map-off65536", imported, 65536, 65536, 0);
    check_map("map-off2M", imported, 2 * MB, 2 * MB, 0);
    check_map("map-off2M-full", imported, 2 * MB, SIZE, 0);
    check_map("map-end", imported, SIZE, 1, 0);
    check_map("map-last", imported, SIZE - 1, 1, 0);
    check_map("map-size+1", imported, 0, SIZE + 1, 0);
    check_map("map-wrap", imported, ~0ull, 2, 0);
    check_map("map-size-max", imported, 0, ~0ull, 0);
    for (int bit = 0; bit < 32; bit += 8) {
        check_map(format("map-flagbit%d", bit), imported, 0, SIZE, 1u << bit);
    }
    memset(&desc, 0, sizeof desc);
    desc.size = SIZE;
    desc.reserved[0] = 1;
    CHECK("map-reserved", cuda.cuExternalMemoryGetMappedBuffer(&ptr, imported, &desc));
    memset(&desc, 0, sizeof desc);
    desc.size = SIZE;
    CHECK("map-null-out", cuda.cuExternalMemoryGetMappedBuffer(NULL, imported, &desc));
    CHECK("map-null-desc", cuda.cuExternalMemoryGetMappedBuffer(&ptr, imported, NULL));
    CHECK("map-null-mem", cuda.cuExternalMemoryGetMappedBuffer(&ptr, NULL, &desc));
    CHECK("map-null-mem-null-desc", cuda.cuExternalMemoryGetMappedBuffer(&ptr, NULL, NULL));
}

static void extmem_alias(void)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {.size = SIZE};
    CUdeviceptr ptr, second;

    ptr = second = 0;
    CHECK("map-a", cuda.cuExternalMemoryGetMappedBuffer(&ptr, imported, &desc));
    CHECK("map-b-overlap", cuda.cuExternalMemoryGetMappedBuffer(&second, imported, &desc),
          "same_ptr=%d", ptr == second);
    device_fill(mapped, 65536, 8);
    RECORD("alias-vmm-to-ext", "data=%s", device_check(ptr, 65536, 8));
    device_fill(second, 65536, 9);
    RECORD("alias-ext-to-vmm", "data=%s other=%s", device_check(mapped, 65536, 9),
           device_check(ptr, 65536, 9));
    unsigned type_out = 99;
    CHECK("attr-type", cuda.cuPointerGetAttribute(&type_out, 2, ptr), "v=%u", type_out);
    CUipcMemHandle ipc;
    CHECK("ipc-handle-of-mapped", cuda.cuIpcGetMemHandle(&ipc, ptr));
    CUmemGenericAllocationHandle retained = 0;
    CHECK("retain-handle-of-mapped", cuda.cuMemRetainAllocationHandle(&retained, as_host(ptr)),
          "same=%d", retained == handle);
    CHECK("unmap-by-cuMemUnmap", cuda.cuMemUnmap(ptr, SIZE));
    CHECK("free-interior", cuda.cuMemFree(ptr + 4096));
    CHECK("free-a", cuda.cuMemFree(ptr));
    CHECK("free-a-twice", cuda.cuMemFree(ptr));
    RECORD("b-still-works", "data=%s", device_check(second, 65536, 9));
    CHECK("destroy-with-map-live", cuda.cuDestroyExternalMemory(imported));
    RECORD("b-after-destroy", "data=%s", device_check(second, 65536, 9));
    CHECK("free-b-after-destroy", cuda.cuMemFree(second));
    CHECK("destroy-null", cuda.cuDestroyExternalMemory(NULL));
}

static void extmem_mipmaps(void)
{
    CUmipmappedArray mip;
    imported = imported_again;

    CHECK_MIP_WITH("mip-1", (void)0);
    CHECK_MIP_WITH("mip-0", mip_desc.numLevels = 0);
    CHECK_MIP_WITH("mip-9", mip_desc.numLevels = 9);
    CHECK_MIP_WITH("mip-10", mip_desc.numLevels = 10);
    CHECK_MIP_WITH("mip-99", mip_desc.numLevels = 99);
    CHECK_MIP_WITH("mip-off1", mip_desc.offset = 1);
    CHECK_MIP_WITH("mip-off2M", mip_desc.offset = 2 * MB);
    CHECK_MIP_WITH("mip-off-end", mip_desc.offset = SIZE);
    CHECK_MIP_WITH("mip-toobig", mip_desc.arrayDesc.Width = 4096; mip_desc.arrayDesc.Height = 4096);
    CHECK_MIP_WITH("mip-w0", mip_desc.arrayDesc.Width = 0);
    CHECK_MIP_WITH("mip-badfmt", mip_desc.arrayDesc.Format = 0);
    CHECK_MIP_WITH("mip-ch3", mip_desc.arrayDesc.NumChannels = 3);
    for (int bit = 0; bit < 9; bit++) {
        CHECK_MIP_WITH(format("mip-flagbit%d", bit), mip_desc.arrayDesc.Flags = 1u << bit);
    }
    CHECK_MIP_WITH("mip-reserved", mip_desc.reserved[0] = 1);
    CHECK("mip-null-out", cuda.cuExternalMemoryGetMappedMipmappedArray(NULL, imported, &mip_desc));
    CHECK("mip-null-desc", cuda.cuExternalMemoryGetMappedMipmappedArray(&mip, imported, NULL));
    CHECK("mip-null-mem", cuda.cuExternalMemoryGetMappedMipmappedArray(&mip, NULL, &mip_desc));
    CHECK("destroy-x2", cuda.cuDestroyExternalMemory(imported_again));
}

GROUP(1101, extmem, "extmem")
{
    use_primary_context();
    fd = exported_memory(SIZE, &handle, &mapped);
    RECORD("export-fd", "valid=%d mapped=%d", fd >= 0, mapped != 0);
    extmem_import_kinds();
    if (extmem_import()) {
        extmem_map_nothing();
        return;
    }

    extmem_map();
    extmem_alias();
    extmem_mipmaps();
}

static CUexternalMemory imported_memory(void)
{
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc;
    memset(&desc, 0, sizeof desc);
    desc.type = 1;
    desc.handle.fd = exported_memory(2 * MB, &h, &p);
    desc.size = 2 * MB;
    CUexternalMemory x = 0;
    return cuda.cuImportExternalMemory(&x, &desc) ? 0 : x;
}

RISKY(9920, extmem_destroy_twice, ({
          CUexternalMemory x = imported_memory();
          cuda.cuDestroyExternalMemory(x);
          cuda.cuDestroyExternalMemory(x);
      }))

RISKY(9920, extmem_map_after_destroy, ({
          CUexternalMemory x = imported_memory();
          cuda.cuDestroyExternalMemory(x);
          CUdeviceptr d;
          CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {.size = 4096};
          cuda.cuExternalMemoryGetMappedBuffer(&d, x, &b);
      }))

GROUP(1102, extsem, "extsem")
{
    use_primary_context();
    CUexternalSemaphore semaphore;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc;
    async_stream = stream_new(0);

    for (int type = 0; type <= 12; type++) {
        memset(&desc, 0, sizeof desc);
        desc.type = type;
        desc.handle.fd = -1;
        semaphore = (CUexternalSemaphore)UNTOUCHED;
        CHECK(format("type%d-fd-1", type), cuda.cuImportExternalSemaphore(&semaphore, &desc),
              "out=%s", out_state(semaphore));
    }
    int null_fd = open("/dev/null", O_RDWR);
    for (int type = 1; type <= 9; type += 8) {
        memset(&desc, 0, sizeof desc);
        desc.type = type;
        desc.handle.fd = dup(null_fd);
        CHECK(format("type%d-devnull", type), cuda.cuImportExternalSemaphore(&semaphore, &desc));
        desc.handle.fd = 9999;
        CHECK(format("type%d-closedfd", type), cuda.cuImportExternalSemaphore(&semaphore, &desc));
        desc.flags = 1;
        CHECK(format("type%d-flags1", type), cuda.cuImportExternalSemaphore(&semaphore, &desc));
        desc.flags = 0;
        desc.reserved[0] = 1;
        CHECK(format("type%d-reserved", type), cuda.cuImportExternalSemaphore(&semaphore, &desc));
    }
    CHECK("null-out", cuda.cuImportExternalSemaphore(NULL, &desc));
    CHECK("null-desc", cuda.cuImportExternalSemaphore(&semaphore, NULL));

    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait;
    memset(&signal, 0, sizeof signal);
    memset(&wait, 0, sizeof wait);
    CUexternalSemaphore none = 0;
    CUstream streams[] = {0, async_stream, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (int i = 0; i < 4; i++) {
        CHECK(format("signal-count0-s%d", i),
              cuda.cuSignalExternalSemaphoresAsync(&none, &signal, 0, streams[i]));
        CHECK(format("signal-count0-null-s%d", i),
              cuda.cuSignalExternalSemaphoresAsync(NULL, NULL, 0, streams[i]));
        CHECK(format("wait-count0-s%d", i),
              cuda.cuWaitExternalSemaphoresAsync(&none, &wait, 0, streams[i]));
        CHECK(format("wait-count0-null-s%d", i),
              cuda.cuWaitExternalSemaphoresAsync(NULL, NULL, 0, streams[i]));
    }
    CHECK("signal-null-list", cuda.cuSignalExternalSemaphoresAsync(NULL, &signal, 1, async_stream));
    CHECK("signal-null-params", cuda.cuSignalExternalSemaphoresAsync(&none, NULL, 1, async_stream));
    CHECK("signal-null-entry",
          cuda.cuSignalExternalSemaphoresAsync(&none, &signal, 1, async_stream));
    CHECK("wait-null-list", cuda.cuWaitExternalSemaphoresAsync(NULL, &wait, 1, async_stream));
    CHECK("wait-null-params", cuda.cuWaitExternalSemaphoresAsync(&none, NULL, 1, async_stream));
    CHECK("wait-null-entry", cuda.cuWaitExternalSemaphoresAsync(&none, &wait, 1, async_stream));
    CHECK("destroy-null", cuda.cuDestroyExternalSemaphore(NULL));
}

RISKY_HANDLE(9920, extmem_destroy_garbage,
             cuda.cuDestroyExternalMemory((CUexternalMemory)bad_handle))

RISKY_HANDLE(9920, extmem_map_garbage, ({
                 CUdeviceptr d;
                 CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {.size = 4096};
                 cuda.cuExternalMemoryGetMappedBuffer(&d, (CUexternalMemory)bad_handle, &b);
             }))

RISKY_HANDLE(9920, extsem_destroy_garbage,
             cuda.cuDestroyExternalSemaphore((CUexternalSemaphore)bad_handle))

RISKY_HANDLE(9920, extsem_signal_garbage, ({
                 CUexternalSemaphore s = (CUexternalSemaphore)bad_handle;
                 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS p = {0};
                 cuda.cuSignalExternalSemaphoresAsync(&s, &p, 1, 0);
             }))

RISKY_HANDLE(9920, extsem_wait_garbage, ({
                 CUexternalSemaphore s = (CUexternalSemaphore)bad_handle;
                 CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS p = {0};
                 cuda.cuWaitExternalSemaphoresAsync(&s, &p, 1, 0);
             }))
