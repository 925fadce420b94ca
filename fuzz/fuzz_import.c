/* SPDX-License-Identifier: MIT */
/* Fuzzes the files that are imported: memory of cuMemCreate, pools, external memory and semaphores.
 * Whatever is in a file, how large it is and what seals it has, importing it is an error or gives
 * something that can be used.
 *
 * An input is four bytes (which good file to begin with, the call, the seals, by how much the
 * file's size differs) and then threes of a place, an offset and what the byte there is changed by.
 */
#include "interop/semaphore_file.h"
#include "os/memfd.h"
#include "peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_BYTES = 4, BEGIN_BYTES = 128 << 10, LABEL_BYTES = CUP_MEMFD_LABEL_BYTES };
enum {
    FILE_MEMORY, /* in the form of llvmpipe */
    FILE_PLAIN,
    FILE_POOL,
    FILE_TIMELINE,
    FILE_BINARY,
    FILE_SWIFTSHADER,
    FILE_EMPTY,
    FILE_OTHER, /* no memory file */
    FILE_COUNT
};
enum {
    CALL_MEMORY,
    CALL_POOL,
    CALL_EXTERNAL_MEMORY,
    CALL_DMA_BUF,
    CALL_SEMAPHORE,
    CALL_TIMELINE,
    CALL_COUNT
};

static struct peer peer;
static char begin[BEGIN_BYTES], end[LABEL_BYTES];

static uint64_t size_of(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Beginning and end of a good file; what lies between is zero. */
static void copy_file(int from, int to, uint64_t size)
{
    ssize_t length = pread(from, begin, sizeof(begin), 0);

    if (ftruncate(to, (off_t)size) != 0 || length < 0 ||
        pwrite(to, begin, (size_t)length < size ? (size_t)length : size, 0) < 0)
        abort();
    if (size >= sizeof(end) && pread(from, end, sizeof(end), (off_t)(size - sizeof(end))) > 0 &&
        pwrite(to, end, sizeof(end), (off_t)(size - sizeof(end))) < 0)
        abort();
}

/* The label of memory in the form of llvmpipe, behind memory instead. */
static void make_plain(int to)
{
    uint64_t size = 2 << 20;
    char label[256];

    if (pread(peer.memory_fd, label, sizeof(label), 64) != (ssize_t)sizeof(label) ||
        ftruncate(to, (off_t)(size + LABEL_BYTES)) != 0 ||
        pwrite(to, label, sizeof(label), (off_t)size) < 0)
        abort();
}

static void make_semaphore(int to, enum cup_semaphore_kind kind)
{
    struct cup_semaphore_label label = {CUP_SEMAPHORE_MAGIC, kind, 0};

    if (ftruncate(to, CUP_SEMAPHORE_FILE_BYTES + LABEL_BYTES) != 0 ||
        pwrite(to, &label, sizeof(label), CUP_SEMAPHORE_FILE_BYTES) < 0)
        abort();
}

static int make_file(unsigned kind)
{
    int fd = kind == FILE_OTHER
                 ? eventfd(0, EFD_CLOEXEC)
                 : memfd_create(kind == FILE_SWIFTSHADER ? "SwiftShader.Semaphore.1" : "fuzz",
                                MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        abort();
    switch (kind) {
    case FILE_MEMORY:
        copy_file(peer.memory_fd, fd, size_of(peer.memory_fd));
        break;
    case FILE_PLAIN:
        make_plain(fd);
        break;
    case FILE_POOL:
        copy_file(peer.pool_fd, fd, size_of(peer.pool_fd));
        break;
    case FILE_TIMELINE:
    case FILE_BINARY:
        make_semaphore(fd, kind == FILE_TIMELINE ? CUP_SEMAPHORE_TIMELINE : CUP_SEMAPHORE_BINARY);
        break;
    case FILE_SWIFTSHADER:
        if (ftruncate(fd, 4096) != 0)
            abort();
        break;
    default:
        break;
    }
    return fd;
}

/* Places where something stands: the beginning, the end's label, the label and the repeated offset
 * of the form of llvmpipe. */
static void change(int fd, const uint8_t *patches, size_t count)
{
    uint64_t size = size_of(fd);

    for (size_t i = 0; i + 2 < count; i += 3) {
        const uint64_t places[] = {0, size - LABEL_BYTES, 64, 65536 - 8};
        off_t at = (off_t)(places[patches[i] % 4] + patches[i + 1]);
        uint8_t byte = 0;

        if ((uint64_t)at >= size || pread(fd, &byte, 1, at) != 1)
            continue;
        byte ^= patches[i + 2];
        if (pwrite(fd, &byte, 1, at) != 1)
            abort();
    }
}

static void seal(int fd, unsigned seals)
{
    static const int each[] = {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE, F_SEAL_SEAL};

    for (unsigned i = 0; i < 4; i++)
        if (seals >> i & 1)
            fcntl(fd, F_ADD_SEALS, each[i]);
}

/* ---- What was imported is used ---- */

static void use_memory(CUmemGenericAllocationHandle memory)
{
    enum { BYTES = 2 << 20 };
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr space;

    if (cuMemAddressReserve(&space, BYTES, 0, 0, 0) != CUDA_SUCCESS)
        abort();
    if (cuMemMap(space, BYTES, 0, memory, 0) == CUDA_SUCCESS) {
        if (cuMemSetAccess(space, BYTES, &access, 1) == CUDA_SUCCESS)
            cuMemsetD8(space, 1, BYTES);
        cuMemUnmap(space, BYTES);
    }
    if (cuMemAddressFree(space, BYTES) != CUDA_SUCCESS || cuMemRelease(memory) != CUDA_SUCCESS)
        abort();
}

static void use_pool(CUmemoryPool pool)
{
    CUdeviceptr address;

    if (cuMemPoolImportPointer(&address, pool, &peer.pointer) == CUDA_SUCCESS) {
        cuMemsetD8(address, 1, 16);
        cuMemFree(address);
    }
    if (cuMemPoolDestroy(pool) != CUDA_SUCCESS)
        abort();
}

static void use_external(CUexternalMemory memory, uint64_t size)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.size = size};
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image = {
        .arrayDesc = {16, 16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, .numLevels = 1};
    CUmipmappedArray mipmap;
    CUdeviceptr address;

    if (cuExternalMemoryGetMappedBuffer(&address, memory, &part) == CUDA_SUCCESS) {
        cuMemsetD8(address, 1, size < 4096 ? size : 4096);
        cuMemsetD8(address + size - 1, 1, 1);
        if (cuMemFree(address) != CUDA_SUCCESS)
            abort();
    }
    if (cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &image) == CUDA_SUCCESS) {
        if (cuMipmappedArrayDestroy(mipmap) != CUDA_SUCCESS)
            abort();
    }
    if (cuDestroyExternalMemory(memory) != CUDA_SUCCESS)
        abort();
}

static void use_semaphore(CUexternalSemaphore semaphore)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS given = {.params.fence.value = 7};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waited = {.params.fence.value = 7};

    if (cuSignalExternalSemaphoresAsync(&semaphore, &given, 1, NULL) == CUDA_SUCCESS)
        cuWaitExternalSemaphoresAsync(&semaphore, &waited, 1, NULL);
    cuStreamSynchronize(NULL);
    if (cuDestroyExternalSemaphore(semaphore) != CUDA_SUCCESS)
        abort();
}

static void import_external(int fd, CUexternalMemoryHandleType type, uint64_t size)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC file = {.type = type, .handle.fd = fd, .size = size};
    CUexternalMemory memory;

    if (cuImportExternalMemory(&memory, &file) == CUDA_SUCCESS)
        use_external(memory, size);
    else if (fcntl(fd, F_GETFD) >= 0) /* of some files it is taken over even then */
        close(fd);
}

static void import_semaphore(int fd, CUexternalSemaphoreHandleType type)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC file = {.type = type, .handle.fd = fd};
    CUexternalSemaphore semaphore;

    if (cuImportExternalSemaphore(&semaphore, &file) == CUDA_SUCCESS)
        use_semaphore(semaphore);
    else if (fcntl(fd, F_GETFD) >= 0)
        close(fd);
}

static void import(int fd, unsigned call, uint64_t size)
{
    CUmemGenericAllocationHandle memory;
    CUmemoryPool pool;
    void *handle = (void *)(intptr_t)fd;

    switch (call) {
    case CALL_MEMORY:
        if (cuMemImportFromShareableHandle(
                &memory, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == CUDA_SUCCESS)
            use_memory(memory);
        close(fd);
        break;
    case CALL_POOL:
        if (cuMemPoolImportFromShareableHandle(
                &pool, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS)
            use_pool(pool);
        close(fd);
        break;
    case CALL_EXTERNAL_MEMORY:
        import_external(fd, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, size);
        break;
    case CALL_DMA_BUF:
        import_external(fd, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD, size);
        break;
    case CALL_SEMAPHORE:
        import_semaphore(fd, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
        break;
    default:
        import_semaphore(fd, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;

    if (size < HEAD_BYTES)
        return 0;
    if (!started)
        peer_start(&peer);
    started = true;
    int fd = make_file(data[0] % FILE_COUNT);
    uint64_t bytes = size_of(fd), changed = bytes + (uint64_t)((int64_t)(int8_t)data[3] * 512);
    if (data[3] && changed < UINT64_C(1) << 40 && ftruncate(fd, (off_t)changed) == 0)
        bytes = changed;
    change(fd, data + HEAD_BYTES, size - HEAD_BYTES);
    seal(fd, data[2]);
    import(fd, data[1] % CALL_COUNT, bytes);
    return 0;
}
