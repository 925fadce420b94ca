/* SPDX-License-Identifier: MIT */
/* External memory in one line. Included after test.h. */
#ifndef EXTERNAL_H
#define EXTERNAL_H

#include "descriptors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

static inline CUresult try_import(CUexternalMemory *memory, CUexternalMemoryHandleType type, int fd,
                                  unsigned long long size, unsigned flags)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC descriptor;

    memset(&descriptor, 0, sizeof(descriptor));
    descriptor.type = type;
    descriptor.handle.fd = fd;
    descriptor.size = size;
    descriptor.flags = flags;
    return cuImportExternalMemory(memory, &descriptor);
}

static inline CUexternalMemory import(int fd, unsigned long long size)
{
    CUexternalMemory memory = NULL;

    check_success(try_import(&memory, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, fd, size, 0));
    check(memory != NULL);
    return memory;
}

static inline CUresult try_map(CUdeviceptr *pointer, CUexternalMemory memory,
                               unsigned long long offset, unsigned long long size)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC descriptor;

    memset(&descriptor, 0, sizeof(descriptor));
    descriptor.offset = offset;
    descriptor.size = size;
    return cuExternalMemoryGetMappedBuffer(pointer, memory, &descriptor);
}

static inline CUdeviceptr map(CUexternalMemory memory, unsigned long long offset,
                              unsigned long long size)
{
    CUdeviceptr pointer = 0;

    check_success(try_map(&pointer, memory, offset, size));
    return pointer;
}

static inline CUresult try_map_image(CUmipmappedArray *mipmap, CUexternalMemory memory,
                                     unsigned long long offset, CUDA_ARRAY3D_DESCRIPTOR array,
                                     unsigned levels)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC descriptor;

    memset(&descriptor, 0, sizeof(descriptor));
    descriptor.offset = offset;
    descriptor.arrayDesc = array;
    descriptor.numLevels = levels;
    return cuExternalMemoryGetMappedMipmappedArray(mipmap, memory, &descriptor);
}

/* A file of plain memory, and another descriptor of it to give away. */
static inline int memory_file(size_t bytes)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    check(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

static inline int another(int fd)
{
    int made = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    check(made >= 0);
    return made;
}

static inline bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Bytes that are different at every place and for every seed. */
static inline unsigned char pattern(size_t at, unsigned seed)
{
    return (unsigned char)(at * 7 + (at >> 8) * 31 + (at >> 16) * 13 + seed * 101 + 1);
}

static inline void make_bytes(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = pattern(i, seed);
}

static inline void check_made(const unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != pattern(i, seed))
            test_fail(__FILE__, __LINE__, "byte %zu of %zu is 0x%02x and not 0x%02x", i, count,
                      bytes[i], pattern(i, seed));
    }
}

/* Puts a pattern into CUDA's memory; checks for one. */
static inline void put_pattern(CUdeviceptr pointer, size_t count, unsigned seed)
{
    unsigned char *bytes = malloc(count);

    check(bytes != NULL);
    make_bytes(bytes, count, seed);
    check_success(cuMemcpyHtoD(pointer, bytes, count));
    free(bytes);
}

static inline void check_has_pattern(CUdeviceptr pointer, size_t count, unsigned seed)
{
    unsigned char *bytes = malloc(count);

    check(bytes != NULL);
    check_success(cuMemcpyDtoH(bytes, pointer, count));
    check_made(bytes, count, seed);
    free(bytes);
}

/* Descriptors between processes. */
static inline void send_fd(int socket, int fd)
{
    check(descriptors_send(socket, "f", 1, &fd, 1));
}

static inline int receive_fd(int socket)
{
    char byte;
    int fd;

    check(descriptors_receive(socket, &byte, 1, &fd, 1) && fd >= 0);
    return fd;
}

#endif
