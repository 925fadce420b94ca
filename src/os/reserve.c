/* SPDX-License-Identifier: MIT */
/* Reserves address space and maps memory into it with mmap(). */
#include "os/reserve.h"

#include "core/align.h"
#include "os/page.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPACE_FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

void *cup_reserve_space(size_t size_bytes, size_t alignment)
{
    /* munmap() below requires whole pages */
    size_bytes = cup_align_up(size_bytes, cup_page_bytes());
    size_t padded = size_bytes + alignment;
    char *raw = mmap(NULL, padded, PROT_NONE, SPACE_FLAGS, -1, 0);

    if (raw == MAP_FAILED)
        return NULL;
    char *aligned = (char *)(uintptr_t)cup_align_up((uintptr_t)raw, alignment);
    if (aligned > raw)
        munmap(raw, (size_t)(aligned - raw));
    munmap(aligned + size_bytes, (size_t)(raw + padded - (aligned + size_bytes)));
    return aligned;
}

static void *map_over(void *address, size_t size_bytes, int flags, int fd)
{
    int saved = errno;
    void *mapped = mmap(address, size_bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);

    if (mapped == MAP_FAILED) {
        munmap(address, size_bytes);
        errno = saved;
        return NULL;
    }
    madvise(mapped, size_bytes, MADV_HUGEPAGE); /* a hint; may be unsupported */
    errno = saved;
    return mapped;
}

void *cup_reserve_shared(const char *name, size_t size_bytes, size_t alignment, int *fd)
{
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *address = NULL;

    if (file < 0)
        return NULL;
    if (ftruncate(file, (off_t)size_bytes) == 0)
        address = cup_reserve_space(size_bytes, alignment);
    if (address)
        address = map_over(address, size_bytes, MAP_SHARED | MAP_NORESERVE, file);
    if (fd && address)
        *fd = file;
    else
        close(file);
    return address;
}

void *cup_reserve_array(uint64_t count, size_t entry_bytes)
{
    return cup_reserve_shared("cupipe bookkeeping", count * entry_bytes, 4096, NULL);
}

void *cup_reserve_file(int fd, size_t size_bytes, size_t alignment)
{
    void *address = cup_reserve_space(size_bytes, alignment);

    return address ? map_over(address, size_bytes, MAP_SHARED | MAP_NORESERVE, fd) : NULL;
}

void *cup_reserve_private(size_t size_bytes, size_t alignment)
{
    void *address = cup_reserve_space(size_bytes, alignment);

    return address ? map_over(address, size_bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)
                   : NULL;
}

void cup_reserve_discard_shared(void *address, size_t size_bytes)
{
    madvise(address, size_bytes, MADV_REMOVE);
}

void cup_reserve_discard_private(void *address, size_t size_bytes)
{
    madvise(address, size_bytes, MADV_DONTNEED);
}

void cup_reserve_in_small_pages(void *address, size_t size_bytes)
{
    int saved = errno;

    madvise(address, size_bytes, MADV_NOHUGEPAGE);
    errno = saved;
}

void cup_reserve_release(void *address, size_t size_bytes)
{
    munmap(address, size_bytes);
}

/* A kernel without MAP_FIXED_NOREPLACE treats the address as a hint. */
bool cup_reserve_space_at(void *address, size_t size_bytes)
{
    int saved = errno;
    void *space = mmap(address, size_bytes, PROT_NONE, SPACE_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);

    errno = saved;
    if (space == address)
        return true;
    if (space != MAP_FAILED)
        munmap(space, size_bytes);
    return false;
}

static bool replace(void *address, size_t size_bytes, int flags, int fd, uint64_t offset)
{
    int saved = errno;
    void *mapped = mmap(address, size_bytes, PROT_NONE, flags | MAP_FIXED, fd, (off_t)offset);

    errno = saved;
    return mapped != MAP_FAILED;
}

bool cup_reserve_attach(void *address, size_t size_bytes, int fd, uint64_t offset)
{
    return replace(address, size_bytes, MAP_SHARED | MAP_NORESERVE, fd, offset);
}

bool cup_reserve_detach(void *address, size_t size_bytes)
{
    return replace(address, size_bytes, SPACE_FLAGS, -1, 0);
}

bool cup_reserve_vacate(void *address, size_t size_bytes)
{
    return replace(address, size_bytes, SPACE_FLAGS & ~MAP_NORESERVE, -1, 0);
}

bool cup_reserve_protect(void *address, size_t size_bytes, bool read, bool write)
{
    int saved = errno, access = write ? PROT_READ | PROT_WRITE : read ? PROT_READ : PROT_NONE;
    bool done = mprotect(address, size_bytes, access) == 0;

    errno = saved;
    return done;
}
