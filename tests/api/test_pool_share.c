/* SPDX-License-Identifier: MIT */
/* Memory pools shared between processes. The two sides are forked before either uses CUDA and
 * communicate over a pair of sockets. */
#include "test.h"
#include "descriptors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

enum { POINTERS = 3 };

static const size_t sizes[POINTERS] = {1000, 64 * KIB, 3 * MIB};

/* One message: a word, the data of the pointers, perhaps a descriptor. */
struct letter {
    char word;
    CUmemPoolPtrExportData pointers[POINTERS];
};

static void send_letter(int socket, const struct letter *letter, int fd)
{
    check(descriptors_send(socket, letter, sizeof(*letter), &fd, fd >= 0));
}

static int receive_letter(int socket, struct letter *letter)
{
    int fd;

    check(descriptors_receive(socket, letter, sizeof(*letter), &fd, 1));
    return fd;
}

static void send_word(int socket, char word)
{
    struct letter letter = {.word = word};

    send_letter(socket, &letter, -1);
}

static void expect_word(int socket, char word)
{
    struct letter letter;

    receive_letter(socket, &letter);
    check(letter.word == word);
}

/* In the child it runs the function and ends; the parent gets the socket to it. */
static int start_peer(void (*run)(int socket), pid_t *pid)
{
    int sockets[2];

    check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0);
    *pid = fork();
    check(*pid >= 0);
    if (*pid == 0) {
        close(sockets[0]);
        alarm((unsigned)test_number("TEST_SECONDS", TEST_SECONDS));
        run(sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    return sockets[0];
}

static void end_peer(pid_t pid)
{
    int status;

    check(waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static CUmemoryPool shared_pool(void)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = FD_TYPE,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
    };
    CUmemoryPool pool;

    check_success(cuMemPoolCreate(&pool, &properties));
    return pool;
}

static CUmemoryPool import_pool(int fd)
{
    CUmemoryPool pool;

    check_success(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, FD_TYPE, 0));
    close(fd);
    return pool;
}

static void check_bytes(CUdeviceptr ptr, size_t bytes, unsigned char value)
{
    unsigned char *host = malloc(bytes);

    check(host != NULL);
    check_success(cuMemcpyDtoH(host, ptr, bytes));
    for (size_t i = 0; i < bytes; i++)
        check(host[i] == value);
    free(host);
}

struct exporter {
    CUmemoryPool pool;
    CUdeviceptr pointers[POINTERS];
};

/* Allocates, fills with 1, 2, 3, and tells the other side. */
static struct exporter export_all(int socket)
{
    struct exporter exporter = {.pool = shared_pool()};
    struct letter letter = {.word = 'p'};
    int fd = -1;

    check_success(cuMemPoolExportToShareableHandle(&fd, exporter.pool, FD_TYPE, 0));
    for (int i = 0; i < POINTERS; i++) {
        check_success(cuMemAllocFromPoolAsync(&exporter.pointers[i], sizes[i], exporter.pool, 0));
        check_success(cuMemsetD8(exporter.pointers[i], (unsigned char)(i + 1), sizes[i]));
        check_success(cuMemPoolExportPointer(&letter.pointers[i], exporter.pointers[i]));
    }
    check_success(cuCtxSynchronize());
    send_letter(socket, &letter, fd);
    close(fd);
    return exporter;
}

/* The importer's side. */
static void import_all(int socket, CUmemoryPool *pool, struct letter *letter,
                       CUdeviceptr pointers[POINTERS])
{
    with_context();
    *pool = import_pool(receive_letter(socket, letter));
    for (int i = 0; i < POINTERS; i++)
        check_success(cuMemPoolImportPointer(&pointers[i], *pool, &letter->pointers[i]));
}

static void read_and_write(int socket)
{
    CUdeviceptr pointers[POINTERS], base;
    struct letter letter;
    CUmemoryPool pool;
    size_t bytes;

    import_all(socket, &pool, &letter, pointers);
    for (int i = 0; i < POINTERS; i++) {
        check_success(cuMemGetAddressRange(&base, &bytes, pointers[i] + sizes[i] / 2));
        check(base == pointers[i] && bytes == sizes[i]);
        check_bytes(pointers[i], sizes[i], (unsigned char)(i + 1));
        check_success(cuMemsetD8(pointers[i], (unsigned char)(i + 11), sizes[i]));
    }
    check_success(cuCtxSynchronize());
    for (int i = 0; i < POINTERS; i++) {
        check_success(i ? cuMemFreeAsync(pointers[i], 0) : cuMemFree(pointers[i]));
        check_result(cuMemFreeAsync(pointers[i], 0), CUDA_ERROR_INVALID_VALUE);
    }
    check_success(cuMemPoolImportPointer(&base, pool, &letter.pointers[0]));
    check_result(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    check_bytes(base, sizes[0], 11);
    check_success(cuMemFreeAsync(base, 0));
    check_success(cuMemPoolDestroy(pool));
    send_word(socket, 'd');
}

TEST(what_one_process_writes_the_other_reads)
{
    struct exporter exporter;
    pid_t pid;
    int socket = start_peer(read_and_write, &pid);

    with_context();
    exporter = export_all(socket);
    expect_word(socket, 'd');
    for (int i = 0; i < POINTERS; i++)
        check_bytes(exporter.pointers[i], sizes[i], (unsigned char)(i + 11));
    end_peer(pid);
}

/* Reads on after the other side has freed everything and destroyed the pool, and again after it is
 * dead. */
static void outlive(int socket)
{
    CUdeviceptr pointers[POINTERS], again;
    unsigned char byte;
    struct letter letter;
    CUmemoryPool pool;

    import_all(socket, &pool, &letter, pointers);
    send_word(socket, 'i');
    expect_word(socket, 'f');
    for (int i = 0; i < POINTERS; i++)
        check_success(cuMemcpyDtoH(&byte, pointers[i] + sizes[i] - 1, 1));
    check_success(cuMemFree(pointers[0]));
    check_result(cuMemPoolImportPointer(&again, pool, &letter.pointers[0]),
                 CUDA_ERROR_INVALID_VALUE);
    send_word(socket, 'd');
}

TEST(memory_that_was_freed_stays_readable_but_is_not_imported_again)
{
    struct exporter exporter;
    pid_t pid;
    int socket = start_peer(outlive, &pid);

    with_context();
    exporter = export_all(socket);
    expect_word(socket, 'i');
    for (int i = 0; i < POINTERS; i++)
        check_success(cuMemFreeAsync(exporter.pointers[i], 0));
    check_success(cuMemPoolDestroy(exporter.pool));
    check_success(cuCtxSynchronize());
    send_word(socket, 'f');
    expect_word(socket, 'd');
    end_peer(pid);
}

static void export_and_wait(int socket)
{
    with_context();
    export_all(socket);
    pause();
}

TEST(memory_of_a_process_that_was_killed_stays)
{
    CUdeviceptr pointers[POINTERS], again;
    struct letter letter;
    CUmemoryPool pool;
    int status;
    pid_t pid;
    int socket = start_peer(export_and_wait, &pid);

    import_all(socket, &pool, &letter, pointers);
    check(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
    for (int i = 0; i < POINTERS; i++)
        check_bytes(pointers[i], sizes[i], (unsigned char)(i + 1));
    check_success(cuMemFree(pointers[2]));
    check_success(cuMemPoolImportPointer(&again, pool, &letter.pointers[2]));
    check_bytes(again, sizes[2], 3);
}

TEST(data_with_any_bit_changed_opens_nothing)
{
    CUmemPoolPtrExportData good, bad;
    CUmemoryPool pool, imported;
    CUdeviceptr ptr, other;
    int fd;

    with_context();
    only_cupipe();
    pool = shared_pool();
    check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    imported = import_pool(fd);
    check_success(cuMemAllocFromPoolAsync(&ptr, 4096, pool, 0));
    check_success(cuMemPoolExportPointer(&good, ptr));
    for (unsigned bit = 0; bit < 8 * sizeof(good); bit++) {
        bad = good;
        bad.reserved[bit / 8] ^= (unsigned char)(1 << bit % 8);
        check_result(cuMemPoolImportPointer(&other, imported, &bad), CUDA_ERROR_INVALID_VALUE);
    }
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        for (size_t at = 8; at < 40; at++) {
            random = random * 1103515245 + 12345;
            bad.reserved[at] = (unsigned char)(random >> 16);
        }
        memcpy(&bad, &good, i % 2 ? 24 : 16);
        check_result(cuMemPoolImportPointer(&other, imported, &bad), CUDA_ERROR_INVALID_VALUE);
    }
    check_success(cuMemPoolImportPointer(&other, imported, &good));
    check(other != ptr);
    check_success(cuMemsetD8(ptr, 9, 4096));
    check_bytes(other, 4096, 9);
}

TEST(descriptors_that_are_no_pools_are_refused)
{
    CUmemoryPool pool;
    int null = open("/dev/null", O_RDWR), plain = memfd_create("plain", 0);

    with_context();
    check(null >= 0 && plain >= 0 && ftruncate(plain, 1 << 20) == 0);
    const int fds[] = {-1, 9999, null, plain};
    for (int i = 0; i < 4; i++)
        check_result(
            cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fds[i], FD_TYPE, 0),
            CUDA_ERROR_UNKNOWN);
    check_result(cuMemPoolImportFromShareableHandle(&pool, NULL, FD_TYPE, 0),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(an_imported_pool_is_for_its_pointers_alone)
{
    CUmemPoolPtrExportData data;
    CUmemoryPool pool, imported;
    cuuint64_t value = 0;
    CUdeviceptr ptr, other;
    int fd;

    with_context();
    pool = shared_pool();
    check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    imported = import_pool(fd);
    check(imported != pool);
    check_result(cuMemAllocFromPoolAsync(&ptr, 64, imported, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolGetAttribute(imported, 4, &value), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolSetAttribute(imported, 4, &value), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolTrimTo(imported, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceSetMemPool(0, imported), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAllocFromPoolAsync(&ptr, 64, pool, 0));
    check_success(cuMemPoolExportPointer(&data, ptr));
    check_result(cuMemPoolImportPointer(&other, pool, &data), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemPoolImportPointer(&other, imported, &data));
    check_result(cuMemPoolExportPointer(&data, other), CUDA_ERROR_INVALID_VALUE);
}

TEST(an_imported_pool_has_properties)
{
    CUmemoryPool pool, imported;
    int type = 7, id = 7, handles = 7;
    cuuint64_t bytes = 0;
    int fd;

    with_context();
    only_cupipe();
    pool = shared_pool();
    check_success(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES, &handles));
    check(handles == FD_TYPE);
    check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    imported = import_pool(fd);
    check_success(cuMemPoolGetAttribute(imported, CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES, &handles));
    check_success(cuMemPoolGetAttribute(imported, CU_MEMPOOL_ATTR_LOCATION_TYPE, &type));
    check_success(cuMemPoolGetAttribute(imported, CU_MEMPOOL_ATTR_LOCATION_ID, &id));
    check_success(cuMemPoolGetAttribute(imported, CU_MEMPOOL_ATTR_MAX_POOL_SIZE, &bytes));
    check(handles == CU_MEM_HANDLE_TYPE_NONE && type == CU_MEM_LOCATION_TYPE_DEVICE && id == 0);
    check(bytes != 0);
    check_result(cuMemPoolSetAttribute(imported, CU_MEMPOOL_ATTR_LOCATION_ID, &id),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_for_rdma_stays_so_in_another_process)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = FD_TYPE,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}},
                                 .gpuDirectRDMACapable = 1};
    CUmemPoolPtrExportData data;
    CUdeviceptr ptr, other;
    CUmemoryPool pool;
    int capable = 0, fd;

    with_context();
    only_cupipe();
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    check_success(cuMemAllocFromPoolAsync(&ptr, 64, pool, 0));
    check_success(cuMemPoolExportPointer(&data, ptr));
    check_success(cuMemPoolImportPointer(&other, import_pool(fd), &data));
    check_success(
        cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, other));
    check(capable == 1);
}

TEST(shared_pools_come_and_go)
{
    size_t before, after, total;

    with_context();
    only_cupipe();
    check_success(cuMemGetInfo(&before, &total));
    for (int i = 0; i < 200; i++) {
        CUmemoryPool pool = shared_pool(), imported;
        CUmemPoolPtrExportData data;
        CUdeviceptr ptr, other;
        int fd;
        check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
        imported = import_pool(fd);
        check_success(cuMemAllocFromPoolAsync(&ptr, 4096, pool, 0));
        check_success(cuMemsetD8(ptr, (unsigned char)i, 4096));
        check_success(cuMemPoolExportPointer(&data, ptr));
        check_success(cuMemPoolImportPointer(&other, imported, &data));
        check_bytes(other, 4096, (unsigned char)i);
        check_success(cuMemFreeAsync(other, 0));
        check_success(cuMemFreeAsync(ptr, 0));
        check_success(cuMemPoolDestroy(pool));
        check_success(cuMemPoolDestroy(imported));
    }
    check_success(cuCtxSynchronize());
    check_success(cuMemGetInfo(&after, &total));
    check(after == before);
}

/* Threads that ask about, and free, what another one is about to end together with its addresses.
 */
static _Atomic(CUdeviceptr) asked;
static _Atomic(bool) enough;

static void *ask_on(void *context)
{
    check_success(cuCtxSetCurrent(context));
    for (unsigned i = 0; !atomic_load(&enough); i++) {
        CUdeviceptr address = atomic_load(&asked), base;
        unsigned kind, on = 1;
        size_t bytes;
        int fd;

        cuMemGetAddressRange(&base, &bytes, address + 5);
        cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
        cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address);
        if (cuMemGetHandleForAddressRange(&fd, address & ~(CUdeviceptr)0xffff, 65536,
                                          CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0) == CUDA_SUCCESS)
            close(fd);
        if (i % 4 == 0)
            cuMemFree(address);
    }
    return NULL;
}

TEST(a_pool_ends_while_others_ask_about_its_memory)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = FD_TYPE,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUcontext context = with_context();
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, ask_on, context) == 0);
    for (int i = 0; i < 1000; i++) {
        CUmemoryPool pool;
        CUdeviceptr memory;

        check_success(cuMemPoolCreate(&pool, &properties));
        check_success(cuMemAllocFromPoolAsync(&memory, 64 * KIB, pool, NULL));
        atomic_store(&asked, memory);
        if (i % 8 == 0)
            sched_yield();
        CUresult result = cuMemFree(memory);
        check(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE);
        check_success(cuMemPoolDestroy(pool));
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
