/* SPDX-License-Identifier: MIT */
/* Files of ours are recognised by their seals: only memfds have any, and these seals cannot be
 * added or removed later. The label is read like an untrusted file; the reader validates it. */
#include "os/memfd.h"

#include "os/page.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
    WRITE_SEALS = F_SEAL_WRITE | F_SEAL_FUTURE_WRITE, /* not used for our files */
};

/* Layout of a file in llvmpipe's format. Some machines have pages of 64 KiB. */
enum {
    MEMORY_OFFSET = 65536,
    LABEL_OFFSET = 64,
    FIRST_PAGE_BYTES = 4096,
};

/* The driver identifies its own files by this: the first bytes of the SHA-1 of "llvmpipe". */
static const uint8_t llvmpipe_uuid[16] = {0x6c, 0xb9, 0xee, 0x07, 0x4a, 0x0b, 0xad, 0x7b,
                                          0x01, 0x2e, 0x1b, 0xe9, 0x69, 0x7e, 0x53, 0x0f};

static bool prepare(int fd, uint64_t size_bytes, const void *label, size_t label_bytes)
{
    return ftruncate(fd, (off_t)(size_bytes + CUP_MEMFD_LABEL_BYTES)) == 0 &&
           pwrite(fd, label, label_bytes, (off_t)size_bytes) == (ssize_t)label_bytes &&
           fcntl(fd, F_ADD_SEALS, SEALS) == 0;
}

static bool prepare_llvmpipe(int fd, uint64_t size_bytes, const void *label, size_t label_bytes)
{
    struct cup_llvmpipe_header header = {
        .file_bytes = MEMORY_OFFSET + size_bytes + CUP_LLVMPIPE_TAIL_BYTES,
        .offset = MEMORY_OFFSET,
    };

    memcpy(header.uuid, llvmpipe_uuid, sizeof(header.uuid));
    return ftruncate(fd, (off_t)header.file_bytes) == 0 &&
           pwrite(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
           pwrite(fd, label, label_bytes, LABEL_OFFSET) == (ssize_t)label_bytes &&
           pwrite(fd, &header.offset, sizeof(header.offset),
                  (off_t)(MEMORY_OFFSET - sizeof(header.offset))) ==
               (ssize_t)sizeof(header.offset) &&
           fcntl(fd, F_ADD_SEALS, SEALS) == 0;
}

typedef bool prepare_function(int fd, uint64_t size_bytes, const void *label, size_t label_bytes);

static int create(const char *name, prepare_function *prepare_file, uint64_t size_bytes,
                  const void *label, size_t label_bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || prepare_file(fd, size_bytes, label, label_bytes))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int cup_memfd_create(const char *name, uint64_t size_bytes, const void *label, size_t label_bytes)
{
    return create(name, prepare, size_bytes, label, label_bytes);
}

int cup_llvmpipe_file_create(const char *name, uint64_t size_bytes, const void *label,
                             size_t label_bytes, uint64_t *offset)
{
    *offset = MEMORY_OFFSET;
    return create(name, prepare_llvmpipe, size_bytes, label, label_bytes);
}

static bool has_seals(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && (seals & (SEALS | WRITE_SEALS)) == SEALS;
}

static bool is_writable(int fd)
{
    int mode = fcntl(fd, F_GETFL);

    return mode >= 0 && (mode & O_ACCMODE) == O_RDWR;
}

static bool read_label(int fd, uint64_t file_bytes, uint64_t *size_bytes, void *label,
                       size_t label_bytes)
{
    if (!has_seals(fd) || file_bytes <= CUP_MEMFD_LABEL_BYTES)
        return false;
    *size_bytes = file_bytes - CUP_MEMFD_LABEL_BYTES;
    return pread(fd, label, label_bytes, (off_t)*size_bytes) == (ssize_t)label_bytes;
}

/* Reads the header and the word directly before the memory, with one system call if both are in the
 * first page, as in the driver's own files. */
static bool read_header(int fd, struct cup_llvmpipe_header *header, uint64_t *repeated)
{
    char page[FIRST_PAGE_BYTES];
    const size_t bytes = sizeof(*repeated);

    if (pread(fd, page, sizeof(page), 0) != (ssize_t)sizeof(page))
        return false;
    memcpy(header, page, sizeof(*header));
    if (header->offset < sizeof(*header) + bytes || header->offset > INT64_MAX)
        return false;
    if (header->offset > sizeof(page))
        return pread(fd, repeated, bytes, (off_t)(header->offset - bytes)) == (ssize_t)bytes;
    memcpy(repeated, page + header->offset - bytes, bytes);
    return true;
}

bool cup_llvmpipe_file_read(int fd, uint64_t file_bytes, struct cup_memfd_location *location)
{
    struct cup_llvmpipe_header header;
    uint64_t repeated;
    int saved = errno;
    bool fits = read_header(fd, &header, &repeated) && header.file_bytes == file_bytes &&
                header.offset == repeated && header.offset % cup_page_bytes() == 0 &&
                header.offset < file_bytes && file_bytes - header.offset > CUP_LLVMPIPE_TAIL_BYTES;

    errno = saved;
    if (!fits)
        return false;
    location->offset = header.offset;
    location->size_bytes = file_bytes - header.offset - CUP_LLVMPIPE_TAIL_BYTES;
    return true;
}

bool cup_memfd_open(int fd, struct cup_memfd_location *location, void *label, size_t label_bytes)
{
    struct stat status;
    int saved = errno;
    bool done = fstat(fd, &status) == 0 && is_writable(fd);

    if (done && cup_llvmpipe_file_read(fd, (uint64_t)status.st_size, location)) {
        done = location->offset >= LABEL_OFFSET + label_bytes && has_seals(fd) &&
               pread(fd, label, label_bytes, LABEL_OFFSET) == (ssize_t)label_bytes;
    } else if (done) {
        location->offset = 0;
        done = read_label(fd, (uint64_t)status.st_size, &location->size_bytes, label, label_bytes);
    }
    errno = saved;
    return done;
}

bool cup_memfd_read(int fd, uint64_t *size_bytes, void *label, size_t label_bytes)
{
    struct stat status;
    int saved = errno;
    bool done = is_writable(fd) && fstat(fd, &status) == 0 &&
                read_label(fd, (uint64_t)status.st_size, size_bytes, label, label_bytes);

    errno = saved;
    return done;
}

bool cup_memfd_read_opened(int fd, uint64_t file_bytes, uint64_t *size_bytes, void *label,
                           size_t label_bytes)
{
    int saved = errno;
    bool done = read_label(fd, file_bytes, size_bytes, label, label_bytes);

    errno = saved;
    return done;
}

void *cup_memfd_map(int fd, uint64_t size_bytes)
{
    return cup_memfd_map_at(fd, 0, size_bytes);
}

void *cup_memfd_map_at(int fd, uint64_t offset, uint64_t size_bytes)
{
    int saved = errno;
    void *address = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                         (off_t)offset);

    errno = saved;
    return address == MAP_FAILED ? NULL : address;
}

static int duplicate(int fd, int least)
{
    int saved = errno, made = fcntl(fd, F_DUPFD_CLOEXEC, least);

    errno = saved;
    return made;
}

int cup_memfd_share(int fd)
{
    return duplicate(fd, 0);
}

int cup_memfd_keep(int fd)
{
    enum { HIGH_NUMBER = 512 };
    int kept = duplicate(fd, HIGH_NUMBER);

    return kept >= 0 ? kept : duplicate(fd, 0);
}
