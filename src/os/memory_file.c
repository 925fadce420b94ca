/* SPDX-License-Identifier: MIT */
/* What makes a file one of ours is its seals: only a memory file has any, and these can neither be
 * added later nor taken off. The label is then read from it as from any stranger's file; whoever
 * reads it judges it. */
#include "os/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
    WRITE_SEALS = F_SEAL_WRITE | F_SEAL_FUTURE_WRITE, /* never ours */
};

static bool prepare(int fd, uint64_t size_bytes, const void *label, size_t label_bytes)
{
    return ftruncate(fd, (off_t)(size_bytes + CUP_MEMORY_FILE_LABEL_BYTES)) == 0 &&
           pwrite(fd, label, label_bytes, (off_t)size_bytes) == (ssize_t)label_bytes &&
           fcntl(fd, F_ADD_SEALS, SEALS) == 0;
}

int cup_memory_file_create(const char *name, uint64_t size_bytes, const void *label,
                           size_t label_bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || prepare(fd, size_bytes, label, label_bytes))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool read_label(int fd, uint64_t *size_bytes, void *label, size_t label_bytes)
{
    struct stat status;
    int mode = fcntl(fd, F_GETFL), seals = fcntl(fd, F_GET_SEALS);

    if (mode < 0 || (mode & O_ACCMODE) != O_RDWR)
        return false;
    if (seals < 0 || (seals & (SEALS | WRITE_SEALS)) != SEALS)
        return false;
    if (fstat(fd, &status) != 0 || status.st_size <= CUP_MEMORY_FILE_LABEL_BYTES)
        return false;
    *size_bytes = (uint64_t)status.st_size - CUP_MEMORY_FILE_LABEL_BYTES;
    return pread(fd, label, label_bytes, (off_t)*size_bytes) == (ssize_t)label_bytes;
}

bool cup_memory_file_read(int fd, uint64_t *size_bytes, void *label, size_t label_bytes)
{
    int saved = errno;
    bool done = read_label(fd, size_bytes, label, label_bytes);

    errno = saved;
    return done;
}

void *cup_memory_file_map(int fd, uint64_t size_bytes)
{
    int saved = errno;
    void *address =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

    errno = saved;
    return address == MAP_FAILED ? NULL : address;
}

int cup_memory_file_share(int fd)
{
    int saved = errno, shared = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    errno = saved;
    return shared;
}
