/* SPDX-License-Identifier: MIT */
/* External semaphores without Vulkan: files in the form in which the layer exports them, which only
 * cupipe knows. */
#ifndef SEMAPHORE_FILE_H
#define SEMAPHORE_FILE_H

#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>

/* The form of a semaphore file: a page, and a page with a label. */
struct page {
    _Atomic(uint64_t) value;
    _Atomic(uint32_t) bell, sleepers, users;
};

enum { PAGE_BYTES = 4096, BINARY = 0, TIMELINE = 1 };

static inline int make_file(uint32_t kind)
{
    struct {
        char magic[8];
        uint32_t kind, zero;
    } label = {{'c', 'u', 'p', ' ', 's', 'e', 'm', 1}, kind, 0};
    int fd = memfd_create("cupipe semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    check(fd >= 0 && ftruncate(fd, 2 * PAGE_BYTES) == 0);
    check(pwrite(fd, &label, sizeof(label), PAGE_BYTES) == sizeof(label));
    check(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
    return fd;
}

static inline struct page *map_file(int fd)
{
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    check(page != MAP_FAILED);
    return page;
}

static inline CUresult import_as(CUexternalSemaphoreHandleType type, int fd,
                                 CUexternalSemaphore *imported)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc;

    memset(&desc, 0, sizeof(desc));
    desc.type = type;
    desc.handle.fd = fd;
    return cuImportExternalSemaphore(imported, &desc);
}

static inline CUexternalSemaphore import_file(int fd)
{
    CUexternalSemaphore imported;

    check_success(
        import_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, fd, &imported));
    return imported;
}

static inline CUresult signal_one(CUexternalSemaphore semaphore, uint64_t value, CUstream stream)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params;

    memset(&params, 0, sizeof(params));
    params.params.fence.value = value;
    return cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

static inline CUresult wait_one(CUexternalSemaphore semaphore, uint64_t value, CUstream stream)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params;

    memset(&params, 0, sizeof(params));
    params.params.fence.value = value;
    return cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

#endif
