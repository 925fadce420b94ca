/* SPDX-License-Identifier: MIT */
/* Memory as a file that can be passed to another process. The memory starts at offset 0; one page
 * behind it holds a label that describes it. The size is sealed, so nobody can shrink the file
 * while others have it mapped. The memory lives while the file is open or mapped.
 *
 * Memory for import by graphics drivers has the format that the driver expects. Mesa's software
 * drivers require a header before the memory, and the label is stored there, too; other drivers use
 * the file from its beginning. */
#ifndef CUP_OS_MEMFD_H
#define CUP_OS_MEMFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_MEMFD_LABEL_BYTES = 4096 };

/* Creates zeroed memory; the size is a multiple of the page size. The label has at most
 * CUP_MEMFD_LABEL_BYTES. Returns -1 and sets errno on failure. */
int cup_memfd_create(const char *name, uint64_t size_bytes, const void *label, size_t label_bytes);

/* The format by which Mesa's software drivers (llvmpipe, lavapipe) recognise their memory files.
 * The header is at the beginning of the file; `offset` is repeated directly before the memory. A
 * few unused bytes follow the memory. */
struct cup_llvmpipe_header {
    uint64_t file_bytes;
    uint64_t offset; /* of the memory, a multiple of the page size */
    uint8_t uuid[16];
};

enum { CUP_LLVMPIPE_TAIL_BYTES = 40 };

/* Position of the memory in a file. */
struct cup_memfd_location {
    uint64_t offset, size_bytes;
};

/* Returns false if the file does not have this format. The location is checked to be inside the
 * file. `file_bytes` is the size from fstat(). */
bool cup_llvmpipe_file_read(int fd, uint64_t file_bytes, struct cup_memfd_location *location);

/* cup_memfd_create() in this format. */
int cup_llvmpipe_file_create(const char *name, uint64_t size_bytes, const void *label,
                             size_t label_bytes, uint64_t *offset);

/* Reads the label and the location of the memory of a file of either format that has all of our
 * seals. */
bool cup_memfd_open(int fd, struct cup_memfd_location *location, void *label, size_t label_bytes);

/* Returns false if the descriptor is not such a file, open for reading and writing. */
bool cup_memfd_read(int fd, uint64_t *size_bytes, void *label, size_t label_bytes);
/* The same for a descriptor of cup_ipcfile_open(): the access and the file's size are known. */
bool cup_memfd_read_opened(int fd, uint64_t file_bytes, uint64_t *size_bytes, void *label,
                           size_t label_bytes);

/* Map the memory for reading and writing at any address; NULL on failure. Unmap with
 * cup_reserve_release(). */
void *cup_memfd_map(int fd, uint64_t size_bytes);
void *cup_memfd_map_at(int fd, uint64_t offset, uint64_t size_bytes);

/* Duplicate a descriptor with close-on-exec; -1 if there are too many. cup_memfd_keep() prefers a
 * high number: a program that mistakenly uses a descriptor it has passed to us then gets EBADF
 * instead of one of ours. */
int cup_memfd_share(int fd);
int cup_memfd_keep(int fd);

#endif
