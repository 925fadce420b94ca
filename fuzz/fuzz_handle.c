/* SPDX-License-Identifier: MIT */
/* Fuzzes the handles of other processes: memory, events, and what travels with pointers of pools.
 * Whatever the 64 bytes are, opening them is an error or gives something that can be used.
 *
 * An input is a byte that says what kind of handle, a byte of flags, and pairs of a place and what
 * the byte there is changed by. It changes a good handle of a process that lives; with a flag the
 * checksum is then made good again, so that what lies behind it is reached, too. */
#include "os/ipc_file.c" /* for the checksum, which is nobody else's business */

#include "memory/share_piece.h"
#include "peer.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HANDLE_BYTES = 64, HEAD_BYTES = 2 };
enum { KIND_SMALL, KIND_LARGE, KIND_EVENT, KIND_POINTER, KIND_COUNT };
enum { FLAG_CHECKSUM = 1, FLAG_ZEROS = 2 };

static struct peer peer;
static CUmemoryPool pool;

/* A key stands in the label of the file, behind the magic number of one kind, further on in the
 * other. */
static bool read_key(const struct cup_ipcfile_handle *good, struct cup_ipcfile_key *key)
{
    uint64_t bytes;
    int fd = cup_ipcfile_open(good, (enum cup_ipcfile_kind)good->kind, &bytes);
    off_t at = good->kind == CUP_IPCFILE_MEMORY ? (off_t)offsetof(struct cup_share_label, key) : 8;
    bool done =
        fd >= 0 && pread(fd, key, sizeof(*key), (off_t)bytes - 4096 + at) == (ssize_t)sizeof(*key);

    if (fd >= 0)
        close(fd);
    return done;
}

static void repair(const void *good, void *changed)
{
    static struct cup_ipcfile_key keys[2];
    static bool known[2];
    struct cup_ipcfile_handle handle;
    unsigned which;

    memcpy(&handle, good, sizeof(handle));
    which = handle.kind == CUP_IPCFILE_EVENT;
    if (!known[which])
        known[which] = read_key(&handle, &keys[which]);
    memcpy(&handle, changed, sizeof(handle));
    handle.checksum = checksum_of(&handle, &keys[which]);
    memcpy(changed, &handle, sizeof(handle));
}

static void open_memory(const void *bytes)
{
    CUipcMemHandle handle;
    CUdeviceptr address, base;
    size_t size;

    memcpy(&handle, bytes, sizeof(handle));
    if (cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS)
        return;
    if (cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS || size == 0)
        abort();
    if (cuMemsetD8(address, 1, 1) != CUDA_SUCCESS ||
        cuMemsetD8(address + (base + size - address) - 1, 1, 1) != CUDA_SUCCESS ||
        cuIpcCloseMemHandle(address) != CUDA_SUCCESS)
        abort();
}

static void open_event(const void *bytes)
{
    CUipcEventHandle handle;
    CUevent event;

    memcpy(&handle, bytes, sizeof(handle));
    if (cuIpcOpenEventHandle(&event, handle) != CUDA_SUCCESS)
        return;
    cuEventQuery(event);
    if (cuEventDestroy(event) != CUDA_SUCCESS)
        abort();
}

static void open_pointer(const void *bytes)
{
    CUmemPoolPtrExportData handle;
    CUdeviceptr address;

    memcpy(&handle, bytes, sizeof(handle));
    if (cuMemPoolImportPointer(&address, pool, &handle) != CUDA_SUCCESS)
        return;
    if (cuMemsetD8(address, 1, 1) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS)
        abort();
}

static void start(void)
{
    peer_start(&peer);
    if (cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)peer.pool_fd,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                           0) != CUDA_SUCCESS)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const void *const goods[] = {&peer.small, &peer.large, &peer.event, &peer.pointer};
    unsigned char bytes[HANDLE_BYTES] = {0};

    if (size < HEAD_BYTES)
        return 0;
    if (!pool)
        start();
    unsigned kind = data[0] % KIND_COUNT;
    if (!(data[1] & FLAG_ZEROS))
        memcpy(bytes, goods[kind], sizeof(bytes));
    for (size_t i = HEAD_BYTES; i + 1 < size; i += 2)
        bytes[data[i] % HANDLE_BYTES] ^= data[i + 1];
    if (data[1] & FLAG_CHECKSUM && kind != KIND_POINTER)
        repair(goods[kind], bytes);
    if (kind == KIND_EVENT)
        open_event(bytes);
    else if (kind == KIND_POINTER)
        open_pointer(bytes);
    else
        open_memory(bytes);
    return 0;
}
